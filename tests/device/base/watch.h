/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The memory that the card polls: boards, and the producer indexes of the few
 * queues that were busy recently (hardware.rst, section A.2). doorbell.h has the
 * polls.
 */
#ifndef ORNIC_DEVICE_WATCH_H
#define ORNIC_DEVICE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "base/guest.h"
#include "env/list.h"

struct env;
struct qp;

/* Send queues that are watched at the same time */
#define WATCH_QUEUES_MAX 64
/*
 * Longest time between two posts to a queue after which it is watched. Each poll
 * looks at all watched queues, so among many queues that post now and then the
 * looks would cost more than the board, which costs something per post only.
 */
#define WATCH_BUSY_NS 20000

/**
 * struct sq_watch - watch state of a send queue; part of the QP
 * @dbr: struct ornic_qp_dbr of the QP
 * @sq_pi: value last seen in @dbr; not validated, only compared
 * @watched: @node is in the list, and sq_watched in @dbr is 1
 * @board: the queue has a slot on a board. One without is watched after each
 *	post, because a doorbell is its only other way.
 * @busy_ns: time of its latest work
 * @qp: the QP
 * @node: in the card's list of watched queues, most recently busy last; behind the
 *	cache line that each post needs
 */
struct sq_watch {
	struct guest_ref dbr;
	uint32_t sq_pi;
	bool watched;
	bool board;
	uint64_t busy_ns;
	struct qp *qp;
	struct list_head node;
};

/**
 * struct watch_list - what a card polls
 * @env: environment of the card
 * @shadow: the card offers ORNIC_CAPS_SHADOW
 * @plain: @shadow, and @found is NULL
 * @found: called for each queue with new work, while a trace is on
 * @awake: value of awake on the boards
 * @now_ns: time of the latest poll, or when @awake changed
 * @boards: struct uctx list: contexts with a board and QPs
 * @watched: struct sq_watch list
 * @watched_count: entries of @watched
 */
struct watch_list {
	struct env *env;
	bool shadow;
	bool plain;
	bool awake;
	void (*found)(const struct qp *qp);
	uint64_t now_ns;
	struct list_head boards;
	struct list_head watched;
	unsigned int watched_count;
};

/**
 * watch_init - start without boards and watched queues
 * @list: to initialise
 * @env: environment of the card
 * @shadow: offer ORNIC_CAPS_SHADOW
 */
void watch_init(struct watch_list *list, struct env *env, bool shadow);

/**
 * watch_set_found - have a function called for each queue with new work
 * @list: of the card
 * @found: the function, or NULL
 */
void watch_set_found(struct watch_list *list, void (*found)(const struct qp *qp));

/**
 * watch_board - start or stop polling a board
 * @list: of the card
 * @board: the board, whose awake word is written
 * @active: true to start
 */
void watch_board(struct watch_list *list, struct guest_ref *board,
		 bool active);

/**
 * sq_watch_init - initialise the watch state of a QP with a doorbell record
 * @watch: part of the QP
 * @qp: the QP
 * @guest: guest memory
 * @dbr_addr: bus address of struct ornic_qp_dbr, 64-aligned
 *
 * Does not write to guest memory.
 *
 * Return: true when the record is in reach.
 */
bool sq_watch_init(struct sq_watch *watch, struct qp *qp, struct guest *guest,
		   uint64_t dbr_addr);

/**
 * sq_watch_look - has the host posted since the last look
 * @watch: watch state of the queue
 *
 * Return: true when it has. A record out of reach counts as a change, so that
 * the QP handles it.
 */
static inline bool sq_watch_look(struct sq_watch *watch)
{
	struct ornic_qp_dbr *dbr = guest_ref_ptr(&watch->dbr);
	uint32_t sq_pi;

	if (!dbr)
		return true;
	sq_pi = guest_load32(&dbr->sq_pi);
	if (sq_pi == watch->sq_pi)
		return false;
	watch->sq_pi = sq_pi;
	return true;
}

/**
 * sq_watch_publish - tell the host whether a queue is watched
 * @watch: watch state of the queue
 * @watched: value of sq_watched
 */
static inline void sq_watch_publish(struct sq_watch *watch, bool watched)
{
	struct ornic_qp_dbr *dbr = guest_ref_ptr(&watch->dbr);

	if (dbr)
		guest_store32(&dbr->sq_watched, watched);
}

/**
 * sq_watch_busy - note new work in a queue, and watch the queue if it had some
 *	shortly before
 * @list: of the card
 * @watch: watch state of the queue
 *
 * Does nothing without ORNIC_CAPS_SHADOW.
 */
void sq_watch_busy(struct watch_list *list, struct sq_watch *watch);

/**
 * sq_watch_stop - stop watching a queue
 * @list: of the card
 * @watch: watched or not
 *
 * Part of destroying a QP and of its transition to RESET or ERR.
 */
void sq_watch_stop(struct watch_list *list, struct sq_watch *watch);

/**
 * sq_watch_forget - stop watching a queue without writing to guest memory
 * @list: of the card
 * @watch: watched or not
 *
 * Part of a device reset, when the record may be other memory already.
 */
void sq_watch_forget(struct watch_list *list, struct sq_watch *watch);

#endif /* ORNIC_DEVICE_WATCH_H */
