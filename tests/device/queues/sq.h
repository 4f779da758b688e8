/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Send queues: the ring, and the work requests in it (hardware interface,
 * section 6). Each use of a WQE copies it from guest memory and checks the
 * copy.
 */
#ifndef ORNIC_DEVICE_SQ_H
#define ORNIC_DEVICE_SQ_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "objects/wqe.h"

struct qp;

/**
 * sq_update - read the producer index
 * @qp: QP with a send queue
 *
 * An invalid index is counted (bad_sq_pi), as is a record out of reach
 * (dma_faults). The queue is then broken and keeps the last valid index.
 *
 * Return: 0, or -EIO when the queue breaks now.
 */
int sq_update(struct qp *qp);

/**
 * sq_read - copy a WQE and check its form
 * @qp: QP with a send queue
 * @index: its first slot
 * @wqe: WQE to fill. In a refused one only @wr_id, @index, @slots, @opcode and
 *	@flags are valid as far as they could be read, and there is no data
 *
 * Checks the opcode against the QP's type, the number of SGEs or the length of
 * the inline data, and that the WQE ends before the producer index. Does not
 * check keys. A refused WQE is counted (bad_wqe_opcode, bad_wqe_count,
 * dma_faults).
 *
 * Return: ORNIC_WC_SUCCESS; LOC_QP_OP_ERR; LOC_PROT_ERR when a slot is out of
 * reach. If that is the first one, @wqe->wr_id is 0 and @wqe->slots are all up
 * to the producer index ([ORNIC-SQ-8]).
 */
enum ornic_wc_status sq_read(struct qp *qp, uint32_t index,
			     struct send_wqe *wqe);

/**
 * sq_trace - add the producer index of a queue to the trace
 * @qp: QP with a send queue; a trace is on
 */
void sq_trace(const struct qp *qp);

/**
 * sq_push - keep a copy of the next WQE, for the next sq_read() of the queue
 * @qp: QP with a send queue that is not empty
 * @wqe: its first ORNIC_PUSH_WQE bytes; dropped when the WQE is longer
 */
void sq_push(struct qp *qp, const uint8_t *wqe);

/**
 * sq_is_local - check whether a work request sends nothing
 * @opcode: enum ornic_wr_opcode
 *
 * Return: true when the opcode is for sq_execute().
 */
static inline bool sq_is_local(uint8_t opcode)
{
	return opcode == ORNIC_WR_REG_MR || opcode == ORNIC_WR_LOCAL_INV ||
	       opcode == ORNIC_WR_BIND_MW;
}

/**
 * sq_execute - execute a work request that sends nothing
 * @qp: connected QP
 * @wqe: WQE from sq_read() with sq_is_local()
 *
 * A key that is refused is counted (bad_lkey).
 *
 * Return: ORNIC_WC_SUCCESS, or MW_BIND_ERR with nothing changed.
 */
enum ornic_wc_status sq_execute(struct qp *qp, const struct send_wqe *wqe);

/**
 * sq_complete - complete a WQE: release its slots, write a completion if due
 * @qp: QP with a send queue
 * @wqe: the WQE (@wr_id, @index, @slots, @opcode and @flags are used)
 * @status: enum ornic_wc_status; an error always writes a completion
 * @byte_len: bytes received by a READ or an atomic that succeeded, else 0
 */
void sq_complete(struct qp *qp, const struct send_wqe *wqe,
		 enum ornic_wc_status status, uint32_t byte_len);

/**
 * sq_flush - complete the WQEs in the ring with ORNIC_WC_WR_FLUSH_ERR, or those
 *	that are out of reach as sq_read() does
 * @qp: QP with a send queue; all taken WQEs are completed
 * @budget: limit of WQEs
 *
 * Return: true when there are more.
 */
bool sq_flush(struct qp *qp, unsigned int budget);

#endif /* ORNIC_DEVICE_SQ_H */
