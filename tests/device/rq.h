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

#include "buf.h"
#include "core.h"
#include "sge.h"

struct qp;

/**
 * struct rq - a ring of receive WQEs; indexes count WQEs and run free
 * @nic: the card
 * @owner: the QP, WQ or SRQ that owns the ring
 * @kind: name of the kind of @owner in log messages
 * @dbr: doorbell record of @owner, struct ornic_qp_dbr
 * @ring: buffer of the ring
 * @log_wqes: log2 of the number of WQEs
 * @stride_shift: log2 of the bytes per WQE
 * @pi: producer index as last read from the doorbell record and checked
 * @next: next WQE to take
 * @ci: rq_ci of the doorbell record: WQEs that the host may reuse. A QP counts
 *	completed WQEs, an SRQ taken ones
 * @broken: rq_pi was invalid, or record or ring were out of reach; the ring
 *	then counts as empty
 */
struct rq {
	struct nic *nic;
	const struct obj *owner;
	const char *kind;
	struct guest_ref *dbr;
	struct buf ring;
	uint8_t log_wqes;
	uint8_t stride_shift;
	uint32_t pi;
	uint32_t next;
	uint32_t ci;
	bool broken;
};

/**
 * struct recv_wqe - a receive work request in CPU byte order
 * @wr_id: wr_id of the WQE
 * @length: sum of the lengths of all SGEs, bytes
 * @sge_count: number of SGEs in @sge
 * @sge: destination of the data
 */
struct recv_wqe {
	uint64_t wr_id;
	uint64_t length;
	unsigned int sge_count;
	struct sge sge[CORE_MAX_SGE];
};

/* log2 of the largest stride, which holds CORE_MAX_SGE SGEs */
#define RQ_STRIDE_SHIFT_MAX 9

/**
 * rq_ring_init - initialise a ring
 * @rq: ring with @nic, @owner, @kind and @dbr set
 * @desc: descriptor from the command, copied from guest memory
 * @log_wqes: log2 of the number of WQEs
 * @stride_shift: log2 of the bytes per WQE
 * @dir: mask of enum mem_dir that is needed
 *
 * Return: as buf_init(); BAD_PARAM when a shift is out of range.
 */
enum ornic_cmd_status rq_ring_init(struct rq *rq, const struct ornic_buf *desc,
				   unsigned int log_wqes,
				   unsigned int stride_shift, unsigned int dir);

/**
 * rq_ring_uninit - free a ring
 * @rq: initialised ring, or all zero
 */
void rq_ring_uninit(struct rq *rq);

/**
 * rq_ring_reset - empty a ring, as at creation
 * @rq: the ring; rq_ci in the doorbell record is not written
 */
void rq_ring_reset(struct rq *rq);

/**
 * rq_ring_has - check for WQEs to take
 * @rq: initialised ring
 * @count: number of WQEs wanted
 *
 * Reads rq_pi only when fewer WQEs are known.
 *
 * Return: 1 when there are enough; 0 when there are not, or the ring was broken
 * before; -EIO when it is found broken now, counted (bad_rq_pi, dma_faults).
 */
int rq_ring_has(struct rq *rq, uint32_t count);

/**
 * rq_ring_slot - locate a WQE
 * @rq: initialised ring
 * @index: index of the WQE, runs free
 *
 * Return: as buf_slot().
 */
void *rq_ring_slot(struct rq *rq, uint32_t index);

/**
 * rq_ring_take - consume the next WQE: copy it and check its form
 * @rq: initialised ring
 * @wqe: WQE to fill
 *
 * Return: as rq_take() for a QP with its own ring.
 */
int rq_ring_take(struct rq *rq, struct recv_wqe *wqe);

/**
 * rq_ring_done - publish rq_ci: the host may reuse WQEs
 * @rq: initialised ring
 * @ci: index behind the last such WQE
 */
void rq_ring_done(struct rq *rq, uint32_t ci);

/**
 * rq_take - consume the next WQE of a QP or its SRQ: copy it and check its form
 * @qp: any QP; one without a receive queue never has a WQE
 * @wqe: WQE to fill
 *
 * Return: 0; -EAGAIN when the queue is empty; -EINVAL when the WQE is refused,
 * counted (bad_wqe_count): @wqe->wr_id is valid, and the caller completes it
 * with ORNIC_WC_LOC_QP_OP_ERR; -EIO when the queue is broken (bad_rq_pi,
 * dma_faults). A QP's own queue returns -EIO once and is empty afterwards; an
 * SRQ always returns it.
 */
int rq_take(struct qp *qp, struct recv_wqe *wqe);

/**
 * rq_write - write to the memory that a WQE names
 * @qp: QP that took the WQE
 * @wqe: the WQE
 * @offset: offset in the memory of the WQE, bytes
 * @src: source, in order
 * @src_count: number of pieces in @src; together they fit behind @offset
 *
 * Keys are looked up in the PD of the queue that the WQE came from.
 *
 * Return: as sge_write().
 */
int rq_write(struct qp *qp, const struct recv_wqe *wqe, uint64_t offset,
	     const struct iovec *src, int src_count);

/**
 * rq_complete - complete the oldest taken WQE
 * @qp: the QP
 * @cqe: completion without wr_id and QPN, which are set here
 * @wr_id: wr_id of the WQE
 * @ext: second half of a 64-byte completion, or NULL
 * @solicited: the sender asked for a solicited event
 *
 * Publishes rq_ci of a QP's own queue before the completion ([ORNIC-ORD-5]).
 */
void rq_complete(struct qp *qp, struct ornic_cqe *cqe, uint64_t wr_id,
		 const struct ornic_cqe_ext *ext, bool solicited);

/**
 * rq_fail - complete the oldest taken WQE with an error
 * @qp: the QP
 * @wr_id: wr_id of the WQE
 * @status: status of the completion
 */
void rq_fail(struct qp *qp, uint64_t wr_id, enum ornic_wc_status status);

/**
 * rq_flush - complete the WQEs in the ring with ORNIC_WC_WR_FLUSH_ERR
 * @qp: QP with its own receive queue; all taken WQEs are completed
 * @budget: limit of WQEs
 *
 * Return: true when there are more.
 */
bool rq_flush(struct qp *qp, unsigned int budget);

#endif /* ORNIC_DEVICE_RQ_H */
