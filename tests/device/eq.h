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

#include "arm.h"
#include "buf.h"
#include "list.h"
#include "obj.h"
#include "timer.h"

struct cmd;
struct nic;

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

/**
 * struct eq - an event queue
 * @obj: number and users (CQs)
 * @nic: the card
 * @vector: MSI-X vector
 * @log_size: log2 of the number of entries
 * @dead: the ring is out of reach or overrun; the device has stopped
 * @pi: entries written, runs free
 * @ci: latest known value of the host's consumer index
 * @arm: requests for interrupts
 * @ring: the entries
 * @dbr: struct ornic_cq_dbr
 * @held: struct eq_source list: sources that wait for room
 * @waiting: by ring position, the source that waits until its event there is
 *	consumed, or NULL. The card looks at a source only after the host has
 *	moved @ci over its event.
 * @waiters: number of sources in @waiting
 * @timer: looks at the consumer index while @held or @waiting is not empty
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
 * eq_find - find an EQ by number
 * @nic: the card
 * @eqn: any number
 *
 * Return: the EQ or NULL.
 */
struct eq *eq_find(struct nic *nic, uint32_t eqn);

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
 * @type: event; one that is pending already is written once, in the later place
 *
 * A ring that is out of reach or has an impossible consumer index stops the
 * device (ORNIC_FATAL_EQ_*).
 */
void eq_tell(struct eq *eq, struct eq_source *source, enum ornic_event type);

/**
 * eq_async - report an asynchronous event of an object or the port
 * @nic: the card
 * @source: event source of the object
 * @type: ORNIC_EVENT_QP_*, SRQ_*, WQ_* or PORT_*
 *
 * The event goes to EQ 0 and is dropped when there is none.
 */
void eq_async(struct nic *nic, struct eq_source *source, enum ornic_event type);

/**
 * eq_fatal - report that the device has stopped, if that is possible
 * @nic: the card
 * @cause: reason
 */
void eq_fatal(struct nic *nic, enum ornic_fatal_cause cause);

/**
 * eq_doorbell - handle an arm word from the doorbell page
 * @eq: the EQ
 * @arm: value written
 */
void eq_doorbell(struct eq *eq, uint32_t arm);

/**
 * eq_destroy_all - part of a reset; no CQ is left
 * @nic: the card
 * @walk: over the objects
 */
void eq_destroy_all(struct nic *nic, struct obj_walk *walk);

enum ornic_cmd_status eq_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status eq_cmd_destroy(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_EQ_H */
