/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Send queues: the ring, and the work requests in it (hardware interface,
 * section 6). A WQE is copied out of guest memory each time it is looked at,
 * and checked each time.
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
 * @ring: the slots
 * @log_slots: log2 of their number
 * @pi: producer index as last read from the doorbell record and checked
 * @next: first slot of the next WQE to be taken
 * @ci: slots before it are done with
 * @ci_told: value of sq_ci in the doorbell record
 * @broken: the host's index made no sense or is out of reach: no more is taken
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
 * struct send_wqe - a send work request in CPU order
 * @wr_id: the host's own
 * @index: first slot, runs free
 * @slots: slots it takes
 * @opcode: enum ornic_wr_opcode
 * @flags: ORNIC_SEND_*
 * @sge_count: pieces in @sge; 0 when inline
 * @imm: of *_WITH_IMM, wire order
 * @inv_key: of *_WITH_INV
 * @length: bytes of all SGEs, or of inline data
 * @raddr: remote address of connected transports
 * @rkey: remote key
 * @xrc_srqn: of XRC_SEND: whose receives it takes
 * @dqpn: destination of UD
 * @qkey: of UD, as posted
 * @av: path of UD, as posted
 * @eth: route of RAW_PACKET, as posted
 * @swap_add: of atomics
 * @compare: of atomics
 * @swap_add_mask: of MASKED_*
 * @compare_mask: of MASKED_CMP_SWP
 * @flush: of FLUSH, as posted
 * @bind: of BIND_MW, as posted
 * @reg: of REG_MR, as posted
 * @sge: where the bytes are
 * @data: inline data, with ORNIC_SEND_INLINE; of TSO, the headers
 */
struct send_wqe {
	uint64_t wr_id;
	uint32_t index;
	uint16_t slots;
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
 * @qp: with a send queue
 *
 * An index beyond the ring is counted (bad_sq_pi), one out of reach too
 * (dma_faults); what was known before stays, and the queue is broken.
 *
 * Return: 0, or -EIO the first time that the queue is broken.
 */
int sq_update(struct qp *qp);

/**
 * sq_empty - is there no WQE to take
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
 * @qp: with a send queue
 * @index: its first slot
 * @wqe: filled; when it is refused, only @wr_id, @index, @slots, @opcode and
 *	@flags as far as they could be read, and no data
 *
 * Checked are: known opcode that the QP's type allows, number of SGEs or bytes
 * inline, that it ends before the producer index. Keys are not. What is refused
 * is counted (bad_wqe_opcode, bad_wqe_count, dma_faults).
 *
 * Return: ORNIC_WC_SUCCESS; LOC_QP_OP_ERR; LOC_PROT_ERR when the ring is out of
 * reach, and then @wqe->wr_id is 0.
 */
enum ornic_wc_status sq_read(struct qp *qp, uint32_t index,
			     struct send_wqe *wqe);

/**
 * sq_is_local - does a work request send nothing
 * @opcode: enum ornic_wr_opcode
 *
 * Return: whether it is for sq_execute().
 */
static inline bool sq_is_local(uint8_t opcode)
{
	return opcode == ORNIC_WR_REG_MR || opcode == ORNIC_WR_LOCAL_INV ||
	       opcode == ORNIC_WR_BIND_MW;
}

/**
 * sq_execute - do what a work request that sends nothing asks for
 * @qp: connected
 * @wqe: from sq_read(), of an opcode that sq_is_local()
 *
 * Keys that do not fit are counted (bad_lkey).
 *
 * Return: ORNIC_WC_SUCCESS or MW_BIND_ERR, and then nothing was changed.
 */
enum ornic_wc_status sq_execute(struct qp *qp, const struct send_wqe *wqe);

/**
 * sq_take - sq_read() of the next WQE, which is consumed
 * @qp: with a send queue that is not empty
 * @wqe: filled
 *
 * Return: as sq_read().
 */
enum ornic_wc_status sq_take(struct qp *qp, struct send_wqe *wqe);

/**
 * sq_done - slots may be reused
 * @qp: with a send queue
 * @end: first slot that may not
 * @tell: publish it now; else it is published each eighth of the ring
 */
void sq_done(struct qp *qp, uint32_t end, bool tell);

/**
 * sq_complete - finish a WQE: slots, and a completion if one is due
 * @qp: with a send queue
 * @wqe: the WQE (@wr_id, @index, @slots, @opcode and @flags are used)
 * @status: enum ornic_wc_status; a failure always gives a completion
 * @byte_len: of ORNIC_WC_RDMA_READ and atomics that succeeded, else 0
 */
void sq_complete(struct qp *qp, const struct send_wqe *wqe,
		 enum ornic_wc_status status, uint32_t byte_len);

/**
 * sq_flush - complete what is in the ring with ORNIC_WC_WR_FLUSH_ERR
 * @qp: with a send queue; all taken WQEs are completed
 * @budget: WQEs at most
 *
 * Return: whether there are more.
 */
bool sq_flush(struct qp *qp, unsigned int budget);

#endif /* ORNIC_DEVICE_SQ_H */
