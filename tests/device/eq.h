/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Event queues: events into a ring, interrupts when armed.
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
 * @waiting: CQs that have a completion event to tell but one in the ring that
 *	the host has not consumed: so a CQ has one at most, and a process that
 *	arms in a loop cannot overrun the ring
 * @timer: looks for @ci to move while @waiting is not empty
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
	struct list_head waiting;
	struct timer timer;
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
 * eq_push - write an event, and interrupt if that was asked for
 * @eq: the queue
 * @event: without the phase; ctl holds the type
 *
 * A ring that overruns or is out of reach stops the card (ORNIC_FATAL_EQ_*).
 *
 * Return: index of the entry.
 */
uint32_t eq_push(struct eq *eq, const struct ornic_eqe *event);

/**
 * eq_consumed - has the host consumed an entry
 * @eq: the queue
 * @index: from eq_push()
 *
 * Return: true when it has. Reads the host's index only when the last known
 * one does not tell.
 */
bool eq_consumed(struct eq *eq, uint32_t index);

/**
 * eq_wait - have cq_event_retry() called when the host consumes
 * @eq: the queue
 * @node: @waiting of a CQ that is not in the list
 */
void eq_wait(struct eq *eq, struct list_head *node);

/**
 * eq_async - tell the kernel something that concerns an object or the card
 * @nic: the card
 * @type: ORNIC_EVENT_QP_*, SRQ_*, PORT_*, DEVICE_FATAL
 * @num: the object's number
 *
 * Goes to the kernel's EQ 0; dropped when there is none.
 */
void eq_async(struct nic *nic, enum ornic_event type, uint32_t num);

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
