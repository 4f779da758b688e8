/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive queues: the ring, a QP's own or that of an SRQ, and the work requests
 * in it (hardware interface, section 7).
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
 * @owner: the QP or SRQ whose it is
 * @kind: what @owner is, for messages
 * @dbr: record of @owner, struct ornic_qp_dbr
 * @ring: the strides
 * @log_wqes: log2 of their number
 * @stride_shift: log2 of the bytes of one
 * @pi: producer index as last read from the doorbell record and checked
 * @next: next WQE to take
 * @ci: WQEs that may be reused, rq_ci in the doorbell record: completed ones of
 *	a QP, taken ones of an SRQ
 * @broken: the host's index made no sense or is out of reach: taken for empty
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
 * struct recv_wqe - a receive work request in CPU order
 * @wr_id: the host's own
 * @length: bytes of all SGEs
 * @sge_count: pieces in @sge
 * @sge: where the bytes go
 */
struct recv_wqe {
	uint64_t wr_id;
	uint64_t length;
	unsigned int sge_count;
	struct sge sge[CORE_MAX_SGE];
};

/* Strides from ORNIC_RQ_STRIDE_SHIFT_MIN up to one for CORE_MAX_SGE pieces */
#define RQ_STRIDE_SHIFT_MAX 9

/**
 * rq_ring_init - resolve the ring
 * @rq: with @nic, @owner, @kind and @dbr set
 * @desc: as it came with a command, copied from guest memory
 * @log_wqes: log2 of the WQEs
 * @stride_shift: log2 of the bytes of one
 * @dir: enum mem_dir bits that will be needed
 *
 * Return: as buf_init(), and BAD_PARAM when a shift is out of range.
 */
enum ornic_cmd_status rq_ring_init(struct rq *rq, const struct ornic_buf *desc,
				   unsigned int log_wqes,
				   unsigned int stride_shift, unsigned int dir);

/**
 * rq_ring_uninit - end of rq_ring_init()
 * @rq: initialised, or all zero
 */
void rq_ring_uninit(struct rq *rq);

/**
 * rq_ring_reset - an empty ring, as at creation
 * @rq: the ring; rq_ci in the record is not written
 */
void rq_ring_reset(struct rq *rq);

/**
 * rq_ring_has - are there WQEs to take
 * @rq: initialised
 * @count: so many
 *
 * Reads the producer index only when those known are not enough.
 *
 * Return: 1 if there are; 0 if not, or the ring was broken before; -EIO when it
 * is found broken now, counted (bad_rq_pi, dma_faults).
 */
int rq_ring_has(struct rq *rq, uint32_t count);

/**
 * rq_ring_slot - where a WQE is
 * @rq: initialised
 * @index: runs free
 *
 * Return: as buf_slot().
 */
void *rq_ring_slot(struct rq *rq, uint32_t index);

/**
 * rq_ring_take - copy the next WQE and check its form; it is consumed
 * @rq: initialised
 * @wqe: filled
 *
 * Return: as rq_take() for a QP with a ring of its own.
 */
int rq_ring_take(struct rq *rq, struct recv_wqe *wqe);

/**
 * rq_ring_done - WQEs may be reused: publish it
 * @rq: initialised
 * @ci: those before it
 */
void rq_ring_done(struct rq *rq, uint32_t ci);

/**
 * rq_take - the next WQE of a QP or its SRQ: copy it and check its form; it is
 * consumed
 * @qp: any QP; one without a receive queue has never a WQE
 * @wqe: filled
 *
 * Return: 0; -EAGAIN when the queue is empty; -EINVAL when the WQE is refused,
 * counted (bad_wqe_count), and then @wqe->wr_id is valid and it is to be
 * completed with ORNIC_WC_LOC_QP_OP_ERR; -EIO when the queue is broken
 * (bad_rq_pi, dma_faults): a QP's own is told once and empty afterwards, an SRQ
 * is so for ever.
 */
int rq_take(struct qp *qp, struct recv_wqe *wqe);

/**
 * rq_write - copy into the memory that a WQE names
 * @qp: that took it
 * @wqe: the WQE
 * @offset: bytes of it to skip
 * @src: where from, in order
 * @src_count: pieces of @src; together they fit into the WQE behind @offset
 *
 * Keys are those of the PD of the queue that the WQE was in.
 *
 * Return: as sge_write().
 */
int rq_write(struct qp *qp, const struct recv_wqe *wqe, uint64_t offset,
	     const struct iovec *src, int src_count);

/**
 * rq_complete - finish the WQE taken first
 * @qp: the QP
 * @cqe: completion but for wr_id and the QP's number, which are filled in here
 * @wr_id: of the WQE
 * @ext: what follows in long completions, or NULL
 * @solicited: the sender asked for an event
 *
 * rq_ci of a QP's own queue is published before the completion.
 */
void rq_complete(struct qp *qp, struct ornic_cqe *cqe, uint64_t wr_id,
		 const struct ornic_cqe_ext *ext, bool solicited);

/**
 * rq_fail - rq_complete() with nothing but a status
 * @qp: the QP
 * @wr_id: of the WQE
 * @status: why
 */
void rq_fail(struct qp *qp, uint64_t wr_id, enum ornic_wc_status status);

/**
 * rq_flush - complete what is in the ring with ORNIC_WC_WR_FLUSH_ERR
 * @qp: with a receive queue of its own; all taken WQEs are completed
 * @budget: WQEs at most
 *
 * Return: whether there are more.
 */
bool rq_flush(struct qp *qp, unsigned int budget);

#endif /* ORNIC_DEVICE_RQ_H */
