// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <util/mmio.h>

#include "doorbell.h"

/*
 * Words of the board are little endian, so bit n of a 64-bit word is bit
 * n % 32 of one of its halves: a 32-bit atomic does it on every machine.
 */
static void ornic_board_set_bit(void *words, uint32_t n)
{
	void *half = words + n / 32 * sizeof(uint32_t);

	atomic_fetch_or_explicit((_Atomic(uint32_t) *)half,
				 (__force uint32_t)htole32(1u << (n % 32)),
				 memory_order_seq_cst);
}

static void ornic_ring(struct ornic_context *ctx, enum ornic_db_type type,
		       uint32_t num, uint32_t value)
{
	udma_to_device_barrier();
	mmio_write64_le(ctx->db,
			htole64(ORNIC_PREP(ORNIC_DB_TYPE, (uint64_t)type) |
				ORNIC_PREP(ORNIC_DB_NUM, (uint64_t)num) |
				value));
}

/**
 * ornic_wake_sq() - send work for a device that does not look at the queue
 * @qp: queue pair, its send queue locked and its index published
 *
 * The bit goes to the board first and to the summary second: the device goes
 * the other way, and clears what it has seen before it looks further.
 */
void ornic_wake_sq(struct ornic_qp *qp)
{
	struct ornic_context *ctx = qp->sq.ctx;
	struct ornic_board *board = ctx->board;
	uint32_t slot = qp->sq.slot;

	if (board && slot < ORNIC_BOARD_SLOTS) {
		ornic_board_set_bit(board->bits, slot);
		ornic_board_set_bit(board->summary, slot / 64);
		if (ornic_read_flag(&board->awake))
			return;
	}
	ornic_ring(ctx, ORNIC_DB_SQ, qp->qpn, qp->sq.pi);
}

/**
 * ornic_ring_cq() - a request for an event, for a device that is to be told
 * @cq: completion queue, locked and its arm word published
 */
void ornic_ring_cq(struct ornic_cq *cq)
{
	struct ornic_context *ctx = to_ornic_context(cq->vcq.cq.context);

	if (!ctx->board)
		ornic_ring(ctx, ORNIC_DB_CQ, cq->cqn, cq->arm);
}
