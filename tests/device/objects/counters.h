/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Counters of flow rules (hardware.rst, section 20.3) */
#ifndef ORNIC_DEVICE_COUNTERS_H
#define ORNIC_DEVICE_COUNTERS_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/obj.h"
#include "base/state.h"

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
 * @card: the card
 * @num: any number
 *
 * Return: the object or NULL.
 */
static inline struct counters *counters_find(const struct card *card,
					     uint32_t num)
{
	return (void *)obj_find(&card->counters, num);
}

/**
 * counters_destroy - destroy a set of counters
 * @card: the card
 * @obj: without users
 */
void counters_destroy(struct card *card, struct obj *obj);

enum ornic_cmd_status counters_cmd_create(struct card *card, struct cmd *cmd);
enum ornic_cmd_status counters_cmd_destroy(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_COUNTERS_H */
