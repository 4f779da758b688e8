/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Event queues: events in a ring, and interrupts when armed.
 *
 * A full ring does not overrun. Events without room stay with their objects and
 * are written after the host has consumed others ([ORNIC-EQ-6]). So any number
 * of objects of a process may fail at the same time.
 */
#ifndef ORNIC_DEVICE_EQ_H
#define ORNIC_DEVICE_EQ_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/arm.h"
#include "base/buf.h"
#include "base/event.h"
#include "base/obj.h"
#include "env/list.h"
#include "env/timer.h"

struct cmd;
struct card;

/**
 * struct eq - an event queue
 * @obj: number and users (CQs)
 * @card: the card
 * @vector: MSI-X vector
 * @log_size: log2 of the number of entries
 * @dead: the ring is out of reach or overrun; the device has stopped
 * @pi: entries written, runs free
 * @ci: latest known value of the host's consumer index
 * @seen: entries before it are free: the card has looked at @waiting since the
 *	host has consumed them. From @ci - ring size to @ci.
 * @arm: requests for interrupts
 * @ring: the entries
 * @dbr: struct ornic_cq_dbr; not used without ORNIC_CAPS_SHADOW
 * @held: struct eq_source list: sources that wait for room
 * @waiting: by ring position, the source that waits until its event there is
 *	consumed, or NULL. The card looks at a source only after the host has
 *	moved @ci over its event.
 * @waiters: number of sources in @waiting
 * @run_node: in the card's list for eq_run()
 * @timer: looks at the consumer index while @held or @waiting is not empty;
 *	not used without ORNIC_CAPS_SHADOW
 * @retry_ns: time between two looks
 */
struct eq {
	struct obj obj;
	struct card *card;
	unsigned int vector;
	unsigned int log_size;
	bool dead;
	uint32_t pi;
	uint32_t ci;
	uint32_t seen;
	struct arm arm;
	struct buf ring;
	struct guest_ref dbr;
	struct list_head held;
	struct eq_source **waiting;
	unsigned int waiters;
	struct list_head run_node;
	struct timer timer;
	uint64_t retry_ns;
};

/**
 * eq_find - find an EQ by number
 * @card: the card
 * @eqn: any number
 *
 * Return: the EQ or NULL.
 */
struct eq *eq_find(struct card *card, uint32_t eqn);

/**
 * eq_write - write an entry as it is, and raise an interrupt if requested
 * @eq: the EQ
 * @event: the entry; the phase bit in @ctl is the difference to the right one
 *
 * Return: false when the ring is full or out of reach; in the second case the
 * device stops.
 */
bool eq_write(struct eq *eq, const struct ornic_eqe *event);

/**
 * eq_source_init - initialise the event source of an object
 * @source: part of the object
 * @num: number of the object
 * @once: as in struct eq_source
 */
void eq_source_init(struct eq_source *source, uint32_t num, bool once);

/**
 * eq_source_forget - drop the pending events of an object
 * @source: part of the object
 */
void eq_source_forget(struct eq_source *source);

/**
 * eq_tell - write an event, and raise an interrupt if requested
 * @eq: the EQ, always the same for a @source
 * @source: event source of the object
 * @type: event, below 64; one that is pending already is written once
 *
 * A ring that is out of reach or has an impossible consumer index stops the
 * device (ORNIC_FATAL_EQ_*).
 */
void eq_tell(struct eq *eq, struct eq_source *source, enum ornic_event type);

/**
 * eq_async - report an asynchronous event of an object or the port
 * @card: the card
 * @source: event source of the object
 * @type: ORNIC_EVENT_QP_*, SRQ_*, WQ_* or PORT_*
 *
 * The event goes to EQ 0 and is dropped when there is none.
 */
void eq_async(struct card *card, struct eq_source *source, enum ornic_event type);

/**
 * eq_fatal - stop the device until the next reset
 * @card: the card
 * @cause: reason
 *
 * Sends ORNIC_EVENT_DEVICE_FATAL where that is still possible, and raises
 * vector 0 in any case.
 */
void eq_fatal(struct card *card, enum ornic_fatal_cause cause);

/**
 * eq_doorbell - handle a value from the doorbell page
 * @eq: the EQ
 * @value: ORNIC_DB_ARM_*
 *
 * Events that waited for it are written by eq_run().
 */
void eq_doorbell(struct eq *eq, uint32_t value);

/**
 * eq_run - write some of the events whose room the host has freed
 * @card: the card
 *
 * Return: true when there may be more.
 */
bool eq_run(struct card *card);

/**
 * eq_destroy - destroy an EQ
 * @card: the card
 * @obj: without users
 */
void eq_destroy(struct card *card, struct obj *obj);

enum ornic_cmd_status eq_cmd_create(struct card *card, struct cmd *cmd);
enum ornic_cmd_status eq_cmd_destroy(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_EQ_H */
