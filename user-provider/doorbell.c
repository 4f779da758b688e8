// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Doorbell writes and the board (hardware.rst, sections 5 and A.2) */

#include <config.h>

#include <string.h>

#include <util/mmio.h>

#include "doorbell.h"
#include "ornic_abi.h"

/*
 * The 64-bit words of the board are little endian, so bit n is also bit n % 32
 * of 32-bit word n / 32. Every architecture has 32-bit atomics.
 */
static void ornic_board_set_bit(void *words, uint32_t n)
{
	void *half = words + n / 32 * sizeof(uint32_t);

	atomic_fetch_or_explicit((_Atomic(uint32_t) *)half,
				 (__force uint32_t)htole32(1u << (n % 32)),
				 memory_order_seq_cst);
}

static __le64 ornic_db_word(enum ornic_db_type type, uint32_t num,
			    uint32_t value)
{
	return htole64(ORNIC_PREP(ORNIC_DB_TYPE, (uint64_t)type) |
		       ORNIC_PREP(ORNIC_DB_NUM, (uint64_t)num) | value);
}

static void ornic_db_ring(struct ornic_context *ctx, enum ornic_db_type type,
			  uint32_t num, uint32_t value)
{
	udma_to_device_barrier();
	mmio_write64_le(ctx->db, ornic_db_word(type, num, value));
}

static void ornic_db_ring_sq(const struct ornic_qp *qp)
{
	ornic_db_ring(qp->sq.ctx, ORNIC_DB_SQ, qp->qpn,
		      ornic_sq_index(&qp->sq, qp->sq.next));
}

/*
 * Rings with the WQE behind the doorbell, if there is one new WQE and it is
 * short. A device that cannot take it has got the doorbell. The function is out
 * of line and called last, so plain doorbells need no stack frame.
 */
static void ornic_db_push_sq(const struct ornic_qp *qp)
	__attribute__((noinline));

static void ornic_db_push_sq(const struct ornic_qp *qp)
{
	const struct ornic_sq *sq = &qp->sq;
	const struct ornic_sq_hdr *hdr = (void *)(sq->next - ORNIC_SLOT_SIZE);
	struct ornic_context *ctx = sq->ctx;
	struct ornic_push_line line;

	if ((uintptr_t)sq->next - sq->first != ORNIC_SLOT_SIZE ||
	    ORNIC_GET(ORNIC_SQ_LENGTH, le32toh(hdr->ctrl)) > ORNIC_PUSH_WQE) {
		ornic_db_ring_sq(qp);
		return;
	}

	/* Another thread pushes, and may be preempted: this one does not wait */
	if (pthread_spin_trylock(&ctx->push_lock)) {
		ornic_db_ring_sq(qp);
		return;
	}

	line.doorbell = ornic_db_word(ORNIC_DB_SQ, qp->qpn,
				      ornic_sq_index(sq, sq->next));
	memcpy(line.wqe, hdr, sizeof(line.wqe));
	mmio_wc_start();
	mmio_memcpy_x64(ctx->push + ctx->push_at, &line, sizeof(line));
	ctx->push_at = (ctx->push_at + sizeof(line)) % ORNIC_PUSH_PAGE_SIZE;
	mmio_wc_spinunlock(&ctx->push_lock);
}

/**
 * ornic_db_wake_sq() - notify a device that does not watch a send queue
 * @qp: queue pair, its send queue locked and its index published
 *
 * The slot's bit is set before the summary bit. The device clears the summary
 * bit first, then the slot's bit, and then reads the index ([ORNIC-DB-38]).
 */
void ornic_db_wake_sq(struct ornic_qp *qp)
{
	struct ornic_context *ctx = qp->sq.ctx;
	struct ornic_board *board = ctx->board;
	uint32_t slot = qp->sq.slot;

	if (board && slot < ORNIC_BOARD_SLOTS) {
		ornic_board_set_bit(board->bits, slot);
		ornic_board_set_bit(board->summary, slot / 64);
		if (ornic_index_read_flag(&board->awake))
			return;
	}
	if (unlikely(ctx->push))
		ornic_db_push_sq(qp);
	else
		ornic_db_ring_sq(qp);
}

/**
 * ornic_db_ring_cq() - tell the device the consumer index of a CQ by doorbell
 * @cq: completion queue, locked
 * @type: what to request, or ORNIC_ARM_NONE
 *
 * The index is that of the record: an extended poll keeps its last entry beyond
 * it. That was written after the entries before it were read, and so is the
 * doorbell. A device with ORNIC_CAPS_SHADOW reads the record.
 *
 * The barrier lets the doorbell leave before another thread, which learns of the
 * completions, publishes requests that need the room ([ORNIC-DB-41]). The release
 * of a lock does not order stores to the device.
 */
void ornic_db_ring_cq(struct ornic_cq *cq, enum ornic_arm_type type)
{
	struct ornic_context *ctx = to_ornic_context(cq->vcq.cq.context);

	if (ctx->caps & ORNIC_UCONTEXT_CAP_SHADOW)
		return;

	cq->told = le32toh(cq->dbr->ci);
	ornic_db_ring(ctx, ORNIC_DB_CQ, cq->cqn,
		      ORNIC_PREP(ORNIC_DB_ARM_CI, cq->told) |
		      ORNIC_PREP(ORNIC_DB_ARM_TYPE, (uint32_t)type));
	udma_to_device_barrier();
}

/**
 * ornic_db_tell_cq() - tell the device the consumer index of a CQ in time
 * @cq: completion queue, locked and its index published
 *
 * The kernel makes rings of which an eighth is not in use ([ORNIC-DB-31]). A
 * device has left a ring that is not live.
 */
void ornic_db_tell_cq(struct ornic_cq *cq)
{
	if (cq->ci - cq->told > (cq->mask + 1) / 8 &&
	    cq->state == ORNIC_CQ_LIVE)
		ornic_db_ring_cq(cq, ORNIC_ARM_NONE);
}

/**
 * ornic_db_ring_rq() - ring the doorbell of a receive queue
 * @ctx: context with ORNIC_UCONTEXT_CAP_RQ_DOORBELL
 * @type: ORNIC_DB_RQ or ORNIC_DB_SRQ
 * @num: number of the QP, WQ or SRQ of the device
 * @pi: producer index, which is published
 */
void ornic_db_ring_rq(struct ornic_context *ctx, enum ornic_db_type type,
		      uint32_t num, uint32_t pi)
{
	ornic_db_ring(ctx, type, num, pi);
}
