/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive queues: the ring of a QP or an SRQ, and the work requests in it
 * (hardware interface, section 7).
 */
#ifndef ORNIC_DEVICE_RQ_H
#define ORNIC_DEVICE_RQ_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "base/buf.h"
#include "base/state.h"
#include "objects/wqe.h"

/**
 * struct rq - a ring of receive WQEs; indexes count WQEs and run free
 * @card: the card
 * @owner: the QP, WQ or SRQ that owns the ring
 * @kind: name of the kind of @owner in log messages
 * @dbr: doorbell record of @owner, struct ornic_qp_dbr
 * @log_wqes: log2 of the number of WQEs
 * @stride_shift: log2 of the bytes per WQE
 * @rung: a doorbell told of a new rq_pi; not looked at if the card needs none
 * @broken: rq_pi was invalid, or record or ring were out of reach; the ring
 *	then counts as empty
 * @pi: producer index as last read from the doorbell record and checked
 * @next: next WQE to take
 * @ci: WQEs that the host may reuse. A QP counts completed WQEs, an SRQ taken
 *	ones
 * @ci_told: value of rq_ci in the doorbell record
 * @ring: buffer of the ring
 */
struct rq {
	struct card *card;
	const struct obj *owner;
	const char *kind;
	struct guest_ref *dbr;
	uint8_t log_wqes;
	uint8_t stride_shift;
	bool rung;
	bool broken;
	uint32_t pi;
	uint32_t next;
	uint32_t ci;
	uint32_t ci_told;
	struct buf ring;
};

/* log2 of the largest stride, which holds CARD_MAX_SGE SGEs */
#define RQ_STRIDE_SHIFT_MAX 9

/**
 * rq_init - initialise a ring
 * @rq: ring with @card, @owner, @kind and @dbr set
 * @desc: descriptor from the command, copied from guest memory
 * @log_wqes: log2 of the number of WQEs
 * @stride_shift: log2 of the bytes per WQE
 * @dir: mask of enum mem_dir that is needed
 *
 * Return: as buf_init(); BAD_PARAM when a shift is out of range.
 */
enum ornic_cmd_status rq_init(struct rq *rq, const struct ornic_buf *desc,
			      unsigned int log_wqes,
			      unsigned int stride_shift, unsigned int dir);

/**
 * rq_uninit - free a ring
 * @rq: initialised ring, or all zero
 */
void rq_uninit(struct rq *rq);

/**
 * rq_reset - empty a ring, as at creation
 * @rq: the ring; rq_ci in the doorbell record is not written
 */
void rq_reset(struct rq *rq);

/**
 * rq_has - check for WQEs to take
 * @rq: initialised ring
 * @count: number of WQEs wanted
 *
 * Reads rq_pi only when fewer WQEs are known, and a card that needs doorbells
 * only after one.
 *
 * Return: 1 when there are enough; 0 when there are not, or the ring was broken
 * before; -EIO when it is found broken now, counted (bad_rq_pi, dma_faults).
 */
int rq_has(struct rq *rq, uint32_t count);

/**
 * rq_slot - locate a WQE
 * @rq: initialised ring
 * @index: index of the WQE, runs free
 *
 * Return: as buf_slot().
 */
void *rq_slot(struct rq *rq, uint32_t index);

/**
 * rq_take - consume the next WQE: copy it and check its form
 * @rq: initialised ring
 * @wqe: WQE to fill
 *
 * Return: 0; -EAGAIN when the ring is empty; -EINVAL when the WQE is refused,
 * counted (bad_wqe_count), and only @wqe->wr_id is valid; -EIO once when the
 * ring is found broken (bad_rq_pi, dma_faults), which is empty afterwards.
 */
int rq_take(struct rq *rq, struct recv_wqe *wqe);

/**
 * rq_done - note that WQEs may be reused, and publish rq_ci if it would lag too
 *	far ([ORNIC-ORD-6])
 * @rq: initialised ring
 * @ci: index behind the last such WQE
 */
static inline void rq_done(struct rq *rq, uint32_t ci)
{
	struct ornic_qp_dbr *dbr;

	rq->ci = ci;
	if (ci - rq->ci_told <= rq->card->rq_ci_lag)
		return;
	rq->ci_told = ci - rq->card->rq_ci_lag;
	dbr = guest_ref_ptr(rq->dbr);
	if (dbr)
		guest_store32(&dbr->rq_ci, rq->ci_told);
}

#endif /* ORNIC_DEVICE_RQ_H */
