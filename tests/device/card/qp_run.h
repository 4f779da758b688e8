/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Queue pairs: turns, timers, doorbells */
#ifndef ORNIC_DEVICE_QP_RUN_H
#define ORNIC_DEVICE_QP_RUN_H

#include <stdbool.h>

#include "queues/qp.h"

/**
 * qp_kick - check a send queue for new work
 * @qp: any QP with a send queue, in any state
 *
 * Reads sq_pi from the doorbell record and checks it against the ring
 * (bad_sq_pi: the QP goes to error). New work makes the QP ready and watched.
 */
void qp_kick(struct qp *qp);

/**
 * qp_push - qp_kick() with a copy of a WQE that the host has pushed
 * @qp: any QP
 * @pi: index of the slot behind the WQE
 * @wqe: its first ORNIC_PUSH_WQE bytes; dropped unless it is the next WQE, which
 *	is then not read from the ring
 */
void qp_push(struct qp *qp, uint32_t pi, const uint8_t *wqe);

/**
 * qp_run - do a part of a QP's work
 * @item: @run of a QP that was ready
 * @budget: largest number of packets
 *
 * Return: as @run of struct run_item.
 */
bool qp_run(struct run_item *item, unsigned int budget);

/**
 * qp_answer - send responses of a QP
 * @item: @answer of a QP that was ready
 * @budget: largest number of packets
 *
 * Return: as @run of struct run_item.
 */
bool qp_answer(struct run_item *item, unsigned int budget);

/* @expired of the QP's timer */
void qp_timer(struct timer *timer);

/**
 * qp_reset - forget all WQEs and packets, and empty the rings
 * @qp: any QP or WQ
 *
 * Part of the transition to RESET. Writes 0 to sq_ci, sq_watched and rq_ci in
 * the doorbell record.
 */
void qp_reset(struct qp *qp);

/**
 * qp_settle_all - send owed ACKs before a reset ([ORNIC-QP-13])
 * @card: the card, enabled and able to access memory
 */
void qp_settle_all(struct card *card);

#endif /* ORNIC_DEVICE_QP_RUN_H */
