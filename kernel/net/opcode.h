/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Names and properties of commands */
#ifndef ORNIC_OPCODE_H
#define ORNIC_OPCODE_H

#include <linux/types.h>

#include "ornic_hw.h"

const char *ornic_opcode_name(enum ornic_opcode opcode);
bool ornic_opcode_is_query(enum ornic_opcode opcode);
u32 ornic_opcode_refusals(enum ornic_opcode opcode);

#endif /* ORNIC_OPCODE_H */
