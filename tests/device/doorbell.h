/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Doorbells: detection of work in queues. The sources are doorbell pages,
 * boards, and the few queues whose producer index the card polls because they
 * were busy recently (hardware.rst, section 5).
 */
#ifndef ORNIC_DEVICE_DOORBELL_H
#define ORNIC_DEVICE_DOORBELL_H

#include <stdbool.h>
#include <stdint.h>

#include "guest.h"
#include "list.h"

struct nic;
struct qp;

/* Send queues that are watched at the same time */
#define DOORBELL_WATCHED_MAX 64
/* Approximate limit per poll for kicked queues plus scanned board words */
#define DOORBELL_SCAN_MAX 256
/* Idle time after which a queue is no longer watched */
#define DOORBELL_WATCH_IDLE_NS 200000

/**
 * struct sq_watch - watch state of a send queue; part of the QP
 * @qp: the QP
 * @node: in the card's list of watched queues, most recently busy last
 * @dbr: struct ornic_qp_dbr of the QP
 * @watched: @node is in the list, and sq_watched in @dbr is 1
 * @sq_pi: value last seen in @dbr; not validated, only compared
 * @busy_ns: time of its latest work
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
 * struct doorbell - doorbell state of a card
 * @shadow: the card offers ORNIC_CAPS_SHADOW
 * @awake: value of awake on the boards
 * @boards: struct uctx list: contexts with a board and QPs
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
 * doorbell_init - start without boards and watched queues
 * @nic: the card
 * @shadow: offer ORNIC_CAPS_SHADOW
 */
void doorbell_init(struct nic *nic, bool shadow);

/**
 * doorbell_write - handle a write to BAR2
 * @nic: the card
 * @offset: inside the BAR, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 * @val: value written
 */
void doorbell_write(struct nic *nic, uint64_t offset, unsigned int size,
		    uint64_t val);

/**
 * doorbell_poll - poll the boards and the watched queues
 * @nic: the card
 *
 * Calls qp_kick() for each queue that may have work.
 *
 * Return: true when there may be work.
 */
bool doorbell_poll(struct nic *nic);

/**
 * doorbell_sleep - show the guest that the card sleeps, then poll once more
 * @nic: the card
 *
 * Return: true when there is no work; otherwise false, and the card is awake
 * again.
 */
bool doorbell_sleep(struct nic *nic);

/**
 * doorbell_wake - undo doorbell_sleep()
 * @nic: the card
 */
void doorbell_wake(struct nic *nic);

/**
 * doorbell_board_changed - start or stop polling a board
 * @nic: the card
 * @board: the board, whose awake word is written
 * @active: true to start
 */
void doorbell_board_changed(struct nic *nic, struct guest_ref *board,
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
 * sq_watch_busy - watch a queue for a while, because it had work
 * @nic: the card
 * @watch: watch state of the queue
 *
 * qp_kick() calls it after it found new work. Does nothing without
 * ORNIC_CAPS_SHADOW.
 */
void sq_watch_busy(struct nic *nic, struct sq_watch *watch);

/**
 * sq_watch_stop - stop watching a queue
 * @nic: the card
 * @watch: watched or not
 *
 * Part of destroying a QP and of its transition to RESET or ERR.
 */
void sq_watch_stop(struct nic *nic, struct sq_watch *watch);

/**
 * sq_watch_forget - stop watching a queue without writing to guest memory
 * @nic: the card
 * @watch: watched or not
 *
 * Part of a device reset, when the record may be other memory already.
 */
void sq_watch_forget(struct nic *nic, struct sq_watch *watch);

#endif /* ORNIC_DEVICE_DOORBELL_H */
