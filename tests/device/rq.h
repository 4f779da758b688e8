/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive queues: the ring, and the work requests in it (hardware interface,
 * section 7).
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
 * struct rq - a receive queue; indexes count WQEs and run free
 * @ring: the strides
 * @log_wqes: log2 of their number
 * @stride_shift: log2 of the bytes of one
 * @pi: producer index as last read from the doorbell record and checked
 * @next: next WQE to take
 * @ci: WQEs completed, rq_ci in the doorbell record
 * @broken: the host's index made no sense or is out of reach: taken for empty
 */
struct rq {
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

/**
 * rq_take - copy the next WQE and check its form; it is consumed
 * @qp: any QP; one without a receive queue has never a WQE
 * @wqe: filled
 *
 * Return: 0; -EAGAIN when the queue is empty; -EINVAL when the WQE is refused,
 * counted (bad_wqe_count), and then @wqe->wr_id is valid and it is to be
 * completed with ORNIC_WC_LOC_QP_OP_ERR; -EIO when the queue is broken
 * (bad_rq_pi, dma_faults): told once, afterwards it is empty.
 */
int rq_take(struct qp *qp, struct recv_wqe *wqe);

/**
 * rq_complete - finish the WQE taken first
 * @qp: the QP
 * @cqe: completion but for wr_id and the QP's number, which are filled in here
 * @wr_id: of the WQE
 * @ext: what follows in long completions, or NULL
 * @solicited: the sender asked for an event
 *
 * rq_ci is published before the completion.
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
 * @qp: any QP; all taken WQEs are completed
 * @budget: WQEs at most
 *
 * Return: whether there are more.
 */
bool rq_flush(struct qp *qp, unsigned int budget);

#endif /* ORNIC_DEVICE_RQ_H */
