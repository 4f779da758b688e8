/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Push pages: doorbells with the WQE behind them (hardware.rst, section 32).
 * QEMU delivers a copy of 64 bytes as writes of 8, which the card joins again.
 */
#ifndef ORNIC_DEVICE_PUSH_H
#define ORNIC_DEVICE_PUSH_H

#include <stdint.h>

#include "base/state.h"

struct uctx;

/* Where the push page begins in its doorbell page ([ORNIC-PUSH-1]) */
#define PUSH_OFFSET (CARD_DB_PAGE_SIZE / 2)
/* Longest wait for the rest of a line ([ORNIC-PUSH-4]) */
#define PUSH_HOLD_NS 500000

/**
 * push_init - initialise the push pages
 * @card: the card
 */
void push_init(struct card *card);

/**
 * push_write - handle a write to a push page
 * @card: the card, with ORNIC_FEAT_PUSH in force
 * @uctx: owner of the page
 * @offset: inside the page, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 * @val: value written
 */
void push_write(struct card *card, struct uctx *uctx, unsigned int offset,
		unsigned int size, uint64_t val);

/**
 * push_end - ring the doorbell of a line of which not all has come
 * @card: the card
 *
 * Called before anything that must not pass a doorbell ([ORNIC-BUS-2]).
 */
void push_end(struct card *card);

/**
 * push_settle - push_end() if there is such a line
 * @card: the card
 */
static inline void push_settle(struct card *card)
{
	if (card->push.have)
		push_end(card);
}

/**
 * push_forget - forget such a line, because the card is reset
 * @card: the card
 */
void push_forget(struct card *card);

#endif /* ORNIC_DEVICE_PUSH_H */
