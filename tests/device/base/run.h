/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The run queue of a card */
#ifndef ORNIC_DEVICE_RUN_H
#define ORNIC_DEVICE_RUN_H

#include "base/state.h"

/**
 * run_ready - schedule a turn
 * @card: the card
 * @item: part of a QP or WQ, queued or not. A blocked one gets a turn too, because
 *	some of its work may not need the port.
 */
void run_ready(struct card *card, struct run_item *item);

/**
 * run_block - suspend a QP until a port has room
 * @card: the card
 * @item: part of the QP. run_unblock_all() or run_ready() makes it ready
 *	again.
 */
void run_block(struct card *card, struct run_item *item);

/**
 * run_unblock_all - make all blocked QPs ready
 * @card: the card
 */
void run_unblock_all(struct card *card);

/**
 * run_postpone - suspend responses until the peer may have some again
 * @card: the card
 * @item: part of the QP, not queued. run_ready() leaves it suspended.
 */
void run_postpone(struct card *card, struct run_item *item);

/**
 * run_resume_all - make all postponed QPs ready
 * @card: the card
 */
void run_resume_all(struct card *card);

/**
 * run_remove - remove a QP from the run queue
 * @item: part of the QP: queued, blocked, postponed or none of them
 */
void run_remove(struct run_item *item);

#endif /* ORNIC_DEVICE_RUN_H */
