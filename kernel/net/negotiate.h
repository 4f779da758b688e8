/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Negotiation between driver and device */
#ifndef ORNIC_NEGOTIATE_H
#define ORNIC_NEGOTIATE_H

#include "core.h"

int ornic_negotiate(struct ornic_core *core, u64 *features);

#endif /* ORNIC_NEGOTIATE_H */
