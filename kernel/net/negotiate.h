/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Negotiation between driver and device */
#ifndef ORNIC_NEGOTIATE_H
#define ORNIC_NEGOTIATE_H

#include "core.h"

/**
 * ornic_negotiate_has - check whether the device supports a command
 * @core:	the device; ornic_negotiate() has succeeded
 * @opcode:	enum ornic_opcode
 *
 * Return: true if it does, with the features in force.
 */
static inline bool ornic_negotiate_has(const struct ornic_core *core, enum ornic_opcode opcode)
{
	return opcode < ORNIC_EFFECTS_MAX && core->effects[opcode] & ORNIC_EFFECT_SUPPORTED;
}

int ornic_negotiate(struct ornic_core *core, u64 *features);

#endif /* ORNIC_NEGOTIATE_H */
