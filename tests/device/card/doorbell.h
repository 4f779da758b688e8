/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Doorbells: detection of work in queues. The sources are doorbell pages,
 * boards, and the few queues whose producer index the card polls because they
 * were busy recently (hardware.rst, sections 5 and A.2).
 */
#ifndef ORNIC_DEVICE_DOORBELL_H
#define ORNIC_DEVICE_DOORBELL_H

#include <stdbool.h>
#include <stdint.h>

struct card;
struct uctx;

/* Approximate limit per poll for kicked queues plus scanned board words */
#define DOORBELL_SCAN_MAX 256
/* Boards that one poll of a card looks at */
#define DOORBELL_BOARDS_MAX 64
/* Queues of a board that are kicked together */
#define DOORBELL_KICKS 32
/* Idle time after which a queue is no longer watched */
#define DOORBELL_WATCH_IDLE_NS 50000

/**
 * doorbell_write - handle a write to BAR2
 * @card: the card
 * @offset: inside the BAR, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 * @val: value written
 */
void doorbell_write(struct card *card, uint64_t offset, unsigned int size,
		    uint64_t val);

/**
 * doorbell_push - handle a doorbell in a push page
 * @card: the card
 * @uctx: owner of the page
 * @val: the doorbell
 * @wqe: first ORNIC_PUSH_WQE bytes of the WQE before it, or NULL
 */
void doorbell_push(struct card *card, struct uctx *uctx, uint64_t val,
		   const uint8_t *wqe);

/**
 * doorbell_poll - poll the boards and the watched queues
 * @card: the card
 *
 * Calls qp_kick() for each queue that may have work.
 *
 * Return: true when there may be work.
 */
bool doorbell_poll(struct card *card);

/**
 * doorbell_sleep - show the guest that the card sleeps, then poll once more
 * @card: the card
 *
 * Return: true when there is no work; otherwise false, and the card is awake
 * again.
 */
bool doorbell_sleep(struct card *card);

/**
 * doorbell_wake - undo doorbell_sleep()
 * @card: the card
 */
void doorbell_wake(struct card *card);

#endif /* ORNIC_DEVICE_DOORBELL_H */
