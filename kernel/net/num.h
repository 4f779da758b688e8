/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Numbers of objects in use */
#ifndef ORNIC_NUM_H
#define ORNIC_NUM_H

#include <linux/types.h>

#include "ornic_hw.h"

struct ornic_core;

void ornic_nums_init(struct ornic_core *core);
void ornic_nums_clear(struct ornic_core *core);
enum ornic_opcode ornic_num_destroy(enum ornic_opcode create);
int ornic_num_add(struct ornic_core *core, enum ornic_opcode opcode, u32 num, gfp_t gfp);
void ornic_num_remove(struct ornic_core *core, enum ornic_opcode destroy, u32 num);

#endif /* ORNIC_NUM_H */
