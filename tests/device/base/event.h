/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Pending events of an object, which an event queue writes (eq.h) */
#ifndef ORNIC_DEVICE_EVENT_H
#define ORNIC_DEVICE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "env/list.h"

struct eq;

/* Event types that one object can have: all ORNIC_EVENT_QP_* */
#define EQ_SOURCE_TYPES 8

/**
 * struct eq_source - pending events of an object; part of the object
 * @num: number of the object
 * @once: an event is written only after the previous one was consumed
 * @told: an event was written, and @index is its position
 * @index: position of the latest event, runs free
 * @node: in @held of an EQ, or unlinked
 * @waits_in: EQ in which the event at @index must be consumed first, or NULL
 * @count: number of pending events; if not 0, the source is held or waits
 * @type: pending events, enum ornic_event, in order
 */
struct eq_source {
	uint32_t num;
	bool once;
	bool told;
	uint32_t index;
	struct list_head node;
	struct eq *waits_in;
	unsigned int count;
	uint8_t type[EQ_SOURCE_TYPES];
};

#endif /* ORNIC_DEVICE_EVENT_H */
