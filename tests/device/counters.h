/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Counters of flow rules (hardware.rst, section 11.16) */
#ifndef ORNIC_DEVICE_COUNTERS_H
#define ORNIC_DEVICE_COUNTERS_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "core.h"
#include "obj.h"

/**
 * struct counters - a counters object, made by CREATE_COUNTERS
 * @obj: number and users (rules)
 * @val: values, by enum ornic_counters_stat
 */
struct counters {
	struct obj obj;
	uint64_t val[ORNIC_COUNTERS_STAT_COUNT];
};

/**
 * counters_find - find a counters object by number
 * @nic: the card
 * @num: any number
 *
 * Return: the object or NULL.
 */
static inline struct counters *counters_find(const struct nic *nic,
					     uint32_t num)
{
	return (void *)obj_find(&nic->counters, num);
}

/**
 * counters_destroy_all - part of a reset
 * @nic: the card; no rule is left
 * @walk: over the objects
 */
void counters_destroy_all(struct nic *nic, struct obj_walk *walk);

enum ornic_cmd_status counters_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status counters_cmd_destroy(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_COUNTERS_H */
