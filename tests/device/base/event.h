/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Pending events of an object, which an event queue writes (eq.h) */
#ifndef ORNIC_DEVICE_EVENT_H
#define ORNIC_DEVICE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "env/list.h"

struct eq;

/**
 * struct eq_source - pending events of an object; part of the object
 * @num: number of the object
 * @once: an event is written only after the previous one was consumed
 * @told: an event was written, and @index is its position
 * @index: position of the latest event, runs free
 * @node: in @held of an EQ, or unlinked
 * @waits_in: EQ in which the event at @index must be consumed first, or NULL
 * @pending: bit n: enum ornic_event n; if not 0, the source is held or waits
 */
struct eq_source {
	uint32_t num;
	bool once;
	bool told;
	uint32_t index;
	struct list_head node;
	struct eq *waits_in;
	uint64_t pending;
};

#endif /* ORNIC_DEVICE_EVENT_H */
