/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Bringing a device up and taking it down; bounds of its limits */
#ifndef ORNIC_START_H
#define ORNIC_START_H

#include <linux/log2.h>
#include <linux/minmax.h>

#include "ornic_hw_cmd.h"

/* Share of the longest ring that a lag may take: a quarter */
#define ORNIC_LIMITS_LAG_SHARE	4

/**
 * ornic_limits_ring_valid - check the size of the longest ring of a kind
 * @entries:	as the device reports it; 0 if it has no such rings
 *
 * Return: true for what [ORNIC-DEV-6] permits.
 */
static inline bool ornic_limits_ring_valid(u32 entries)
{
	return !entries || (is_power_of_2(entries) && entries <= ORNIC_RING_MAX);
}

/**
 * ornic_limits_max_lag - get the largest lag of a record ([ORNIC-ORD-8])
 * @entries:	of the longest ring of the kind
 *
 * Return: number of entries.
 */
static inline u32 ornic_limits_max_lag(u32 entries)
{
	return min(entries / ORNIC_LIMITS_LAG_SHARE, ORNIC_CI_LAG_MAX);
}

struct ornic_core;

int ornic_adev_add(struct ornic_core *core);
int ornic_start_device(struct ornic_core *core);
void ornic_stop_device(struct ornic_core *core);
int ornic_start(struct ornic_core *core);
void ornic_stop(struct ornic_core *core);

#endif /* ORNIC_START_H */
