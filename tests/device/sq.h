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

#include "buf.h"
#include "core.h"
#include "sge.h"

struct qp;

/**
 * struct sq - a send queue; indexes count slots and run free
 * @ring: buffer of the ring
 * @log_slots: log2 of the number of slots
 * @pi: producer index as last read from the doorbell record and checked
 * @next: first slot of the next WQE to take
 * @ci: consumer index: the slots before it are done with
 * @ci_told: value of sq_ci in the doorbell record
 * @broken: sq_pi was invalid or out of reach; it is not read any more
 */
struct sq {
	struct buf ring;
	uint8_t log_slots;
	uint32_t pi;
	uint32_t next;
	uint32_t ci;
	uint32_t ci_told;
	bool broken;
};

/**
 * struct send_wqe - a send work request in CPU byte order
 * @wr_id: wr_id of the WQE
 * @index: its first slot, runs free
 * @slots: number of its slots
 * @opcode: enum ornic_wr_opcode
 * @flags: ORNIC_SEND_*
 * @sge_count: number of SGEs in @sge; 0 when inline
 * @imm: immediate data of *_WITH_IMM, wire byte order
 * @inv_key: key to invalidate of *_WITH_INV and LOCAL_INV
 * @length: length of all SGEs or of the inline data, bytes
 * @raddr: remote address of connected transports
 * @rkey: remote key
 * @xrc_srqn: number of the remote SRQ, for XRC_SEND
 * @dqpn: destination QPN of UD
 * @qkey: Q_Key of UD, as posted
 * @av: path of UD, as posted
 * @eth: route of RAW_PACKET, as posted
 * @swap_add: value of an atomic to swap in or to add
 * @compare: value of an atomic to compare with
 * @swap_add_mask: mask of MASKED_*
 * @compare_mask: mask of MASKED_CMP_SWP
 * @flush: parameters of FLUSH, as posted
 * @bind: parameters of BIND_MW, as posted
 * @reg: parameters of REG_MR, as posted
 * @sge: location of the data
 * @data: inline data, with ORNIC_SEND_INLINE; for TSO, the headers
 */
struct send_wqe {
	uint64_t wr_id;
	uint32_t index;
	uint32_t slots;
	uint8_t opcode;
	uint8_t flags;
	uint16_t sge_count;
	__be32 imm;
	uint32_t inv_key;
	uint64_t length;
	uint64_t raddr;
	uint32_t rkey;
	uint32_t xrc_srqn;
	uint32_t dqpn;
	uint32_t qkey;
	struct ornic_av av;
	struct ornic_route_eth eth;
	uint64_t swap_add;
	uint64_t compare;
	uint64_t swap_add_mask;
	uint64_t compare_mask;
	struct ornic_flush flush;
	struct ornic_bind bind;
	struct ornic_reg_mr reg;
	struct sge sge[CORE_MAX_SGE];
	uint8_t data[CORE_MAX_INLINE];
};

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
 * sq_empty - check for WQEs to take
 * @sq: the queue
 *
 * Return: true when all known WQEs have been taken.
 */
static inline bool sq_empty(const struct sq *sq)
{
	return sq->next == sq->pi;
}

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
 * to the producer index ([ORNIC-SQ-24]).
 */
enum ornic_wc_status sq_read(struct qp *qp, uint32_t index,
			     struct send_wqe *wqe);

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
 * @wqe: WQE from sq_read() with sq_is_local(), or RDMA_READ_WITH_INV, whose key
 *	is invalidated
 *
 * A key that is refused is counted (bad_lkey).
 *
 * Return: ORNIC_WC_SUCCESS, or MW_BIND_ERR with nothing changed.
 */
enum ornic_wc_status sq_execute(struct qp *qp, const struct send_wqe *wqe);

/**
 * sq_done - note that slots may be reused
 * @qp: QP with a send queue
 * @end: index behind the last such slot
 * @tell: publish sq_ci now; otherwise only when the lag would reach an eighth
 *	of the ring. No effect if the card was created with sq_ci_lags
 */
void sq_done(struct qp *qp, uint32_t end, bool tell);

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
