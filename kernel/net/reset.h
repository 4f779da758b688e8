/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Reset of the device, and its access to memory */
#ifndef ORNIC_RESET_H
#define ORNIC_RESET_H

#include <linux/types.h>

struct ornic_core;

bool ornic_reset_is_gone(struct ornic_core *core);
int ornic_reset(struct ornic_core *core);
int ornic_reset_check_dma(struct ornic_core *core);
void ornic_reset_halt(struct ornic_core *core);

#endif /* ORNIC_RESET_H */
