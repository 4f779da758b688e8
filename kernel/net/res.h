/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receivers of events; see also ornic_api.h */
#ifndef ORNIC_RES_H
#define ORNIC_RES_H

#include "ornic_api.h"

struct ornic_core;

void ornic_res_init(struct ornic_core *core);
void ornic_res_uninit(struct ornic_core *core);
void ornic_res_event(struct ornic_core *core, enum ornic_res_type type, u32 num,
		     enum ornic_event event);
void ornic_res_check_rings(struct ornic_core *core);

#endif /* ORNIC_RES_H */
