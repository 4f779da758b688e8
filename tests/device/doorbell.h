/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How the card learns that a queue has work: doorbell pages, boards, and the
 * few queues whose producer index it polls because they were busy lately
 * (hardware interface, section 5).
 */
#ifndef ORNIC_DEVICE_DOORBELL_H
#define ORNIC_DEVICE_DOORBELL_H

#include <stdbool.h>
#include <stdint.h>

#include "guest.h"
#include "list.h"

struct nic;
struct qp;

/* Send queues polled at a time. */
#define DOORBELL_WATCHED_MAX 64
/* Queues kicked and words of boards looked at in one poll, about. */
#define DOORBELL_SCAN_MAX 256
/* A queue without work for so long is no longer polled. */
#define DOORBELL_WATCH_IDLE_NS 200000

/**
 * struct sq_watch - part of a QP that has a send queue
 * @qp: the QP
 * @node: in the card's list of watched queues, most recently busy last
 * @dbr: struct ornic_qp_dbr of the QP
 * @watched: in the list, and sq_watched is 1 in @dbr
 * @sq_pi: value last seen in @dbr, for the card's eyes only: not yet checked
 * @busy_ns: when it last had work
 */
struct sq_watch {
	struct qp *qp;
	struct list_head node;
	struct guest_ref dbr;
	bool watched;
	uint32_t sq_pi;
	uint64_t busy_ns;
};

/**
 * struct doorbell - state of the card
 * @shadow: the card offers ORNIC_CAPS_SHADOW
 * @awake: boards say that the card is awake
 * @boards: struct uctx list: those that have a board and QPs
 * @watched: struct sq_watch list
 * @watched_count: entries of @watched
 */
struct doorbell {
	bool shadow;
	bool awake;
	struct list_head boards;
	struct list_head watched;
	unsigned int watched_count;
};

/**
 * doorbell_init - no boards, nothing watched
 * @nic: the card
 * @shadow: offer ORNIC_CAPS_SHADOW
 */
void doorbell_init(struct nic *nic, bool shadow);

/**
 * doorbell_write - the guest wrote into BAR2
 * @nic: the card
 * @offset: inside the BAR, a multiple of @size
 * @size: 1, 2, 4 or 8
 * @val: the value
 */
void doorbell_write(struct nic *nic, uint64_t offset, unsigned int size,
		    uint64_t val);

/**
 * doorbell_poll - look at the boards and at the watched queues
 * @nic: the card
 *
 * Calls qp_kick() for each queue that may have work.
 *
 * Return: whether there was any.
 */
bool doorbell_poll(struct nic *nic);

/**
 * doorbell_sleep - tell the guest that nobody is looking, then look once more
 * @nic: the card
 *
 * Return: true when there was nothing; false when there was, and then the
 * boards say awake.
 */
bool doorbell_sleep(struct nic *nic);

/**
 * doorbell_wake - end of doorbell_sleep()
 * @nic: the card
 */
void doorbell_wake(struct nic *nic);

/**
 * doorbell_board_changed - a board begins or ceases to be looked at
 * @nic: the card
 * @board: the board, writes "awake" or "asleep" there
 * @active: it begins
 */
void doorbell_board_changed(struct nic *nic, struct guest_ref *board,
			    bool active);

/**
 * sq_watch_init - part of creating a QP with a send queue
 * @watch: inside the QP
 * @qp: the QP
 * @guest: guest memory
 * @dbr_addr: bus address of struct ornic_qp_dbr, 64-aligned
 *
 * Writes nothing yet.
 *
 * Return: whether the record is in reach.
 */
bool sq_watch_init(struct sq_watch *watch, struct qp *qp, struct guest *guest,
		   uint64_t dbr_addr);

/**
 * sq_watch_busy - the queue had work: look at it directly for a while
 * @nic: the card
 * @watch: of the queue
 *
 * Called by the engine after qp_kick() found new work. A no-op without
 * ORNIC_CAPS_SHADOW.
 */
void sq_watch_busy(struct nic *nic, struct sq_watch *watch);

/**
 * sq_watch_stop - look no more
 * @nic: the card
 * @watch: of the queue, watched or not
 *
 * Part of destroying a QP and of its going to RESET or ERR.
 */
void sq_watch_stop(struct nic *nic, struct sq_watch *watch);

/**
 * sq_watch_forget - look no more, and tell nobody
 * @nic: the card
 * @watch: of the queue, watched or not
 *
 * Part of a reset of the card, when the record may be somebody else's memory.
 */
void sq_watch_forget(struct nic *nic, struct sq_watch *watch);

#endif /* ORNIC_DEVICE_DOORBELL_H */
