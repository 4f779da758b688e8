/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Numbers of objects in use */
#ifndef ORNIC_NUM_H
#define ORNIC_NUM_H

#include "ornic_hw.h"

struct ornic_core;

void ornic_nums_init(struct ornic_core *core);
void ornic_nums_clear(struct ornic_core *core);
enum ornic_opcode ornic_num_destroy(enum ornic_opcode create);
int ornic_num_add(struct ornic_core *core, enum ornic_opcode create, u32 num);
void ornic_num_remove_begin(struct ornic_core *core, enum ornic_opcode destroy, u32 num);
void ornic_num_remove_end(struct ornic_core *core, enum ornic_opcode destroy, u32 num,
			  bool refused);

#endif /* ORNIC_NUM_H */
