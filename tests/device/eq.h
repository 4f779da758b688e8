/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Event queues: events into a ring, interrupts when armed.
 *
 * A ring that is full overruns never: what objects have to tell then is noted
 * with them, and told when the host has consumed something. So it does not
 * matter how many objects a process has and lets fail at once.
 */
#ifndef ORNIC_DEVICE_EQ_H
#define ORNIC_DEVICE_EQ_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "arm.h"
#include "buf.h"
#include "list.h"
#include "obj.h"
#include "timer.h"

struct cmd;
struct nic;

/* Types of events that one object has: all ORNIC_EVENT_QP_* */
#define EQ_SOURCE_TYPES 8

/**
 * struct eq_source - what an object has to tell; part of it
 * @num: the object's number
 * @once: no event is told before the one before was consumed
 * @told: @index is that of an event of ours
 * @index: of the latest event in the ring
 * @node: in @held of an EQ, or alone
 * @waits_in: EQ where it waits for the event at @index to be consumed, or NULL
 * @count: events that wait; if not 0, the source is held or waits
 * @type: those, enum ornic_event, in order
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

/**
 * struct eq - an event queue
 * @obj: number and users (CQs)
 * @nic: the card
 * @vector: interrupt
 * @log_size: log2 of the entries
 * @dead: its ring is out of reach or overrun; the card has stopped
 * @pi: entries written, runs free
 * @ci: latest known value of the host's consumer index
 * @arm: how interrupts are asked for
 * @ring: the entries
 * @dbr: struct ornic_cq_dbr
 * @held: struct eq_source list of those that wait for room
 * @waiting: by position in the ring, the source that waits for its event there
 *	to be consumed, or NULL. So the card looks at a source when the host has
 *	moved @ci over its event, and not before
 * @waiters: entries of @waiting that are not NULL
 * @timer: looks for @ci to move while @held or @waiting has anybody
 * @retry_ns: time between two looks
 */
struct eq {
	struct obj obj;
	struct nic *nic;
	unsigned int vector;
	unsigned int log_size;
	bool dead;
	uint32_t pi;
	uint32_t ci;
	struct arm arm;
	struct buf ring;
	struct guest_ref dbr;
	struct list_head held;
	struct eq_source **waiting;
	unsigned int waiters;
	struct timer timer;
	uint64_t retry_ns;
};

/**
 * eq_find - find by number
 * @nic: the card
 * @eqn: any number
 *
 * Return: the EQ or NULL.
 */
struct eq *eq_find(struct nic *nic, uint32_t eqn);

/**
 * eq_source_init - an object begins to have events
 * @source: inside the object
 * @num: its number
 * @once: see struct eq_source
 */
void eq_source_init(struct eq_source *source, uint32_t num, bool once);

/**
 * eq_source_forget - nothing more is told of an object
 * @source: inside the object
 */
void eq_source_forget(struct eq_source *source);

/**
 * eq_tell - write an event, and interrupt if that was asked for
 * @eq: the queue, always the same for a @source
 * @source: the object
 * @type: the event; one that waits already is told once, when the later one is
 *
 * A ring whose consumer index cannot be, or that is out of reach, stops the card
 * (ORNIC_FATAL_EQ_*).
 */
void eq_tell(struct eq *eq, struct eq_source *source, enum ornic_event type);

/**
 * eq_async - tell the kernel something that concerns an object or the port
 * @nic: the card
 * @source: the object
 * @type: ORNIC_EVENT_QP_*, SRQ_*, PORT_*
 *
 * Goes to the kernel's EQ 0; dropped when there is none.
 */
void eq_async(struct nic *nic, struct eq_source *source, enum ornic_event type);

/**
 * eq_fatal - tell the kernel that the card has stopped, if that is possible
 * @nic: the card
 * @cause: why
 */
void eq_fatal(struct nic *nic, enum ornic_fatal_cause cause);

/**
 * eq_doorbell - arm word through the doorbell page
 * @eq: the queue
 * @arm: value written
 */
void eq_doorbell(struct eq *eq, uint32_t arm);

/**
 * eq_destroy_all - part of a reset; no CQ is left
 * @nic: the card
 */
void eq_destroy_all(struct nic *nic);

enum ornic_cmd_status eq_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status eq_cmd_destroy(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_EQ_H */
