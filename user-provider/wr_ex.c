// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ibv_wr_* calls. The calls from wr_start to wr_complete are a transaction:
 * they build WQEs in the ring after the published producer index. After the
 * first error the calls have no effect, and wr_complete discards all WQEs of
 * the transaction and returns the error.
 */

#include <config.h>

#include <errno.h>

#include <ccan/array_size.h>

#include "check.h"
#include "compat.h"
#include "doorbell.h"
#include "inline.h"

/* Opcodes whose inline data a setter provides */
#define ORNIC_INLINE_OPS ((1 << IBV_WR_SEND) | (1 << IBV_WR_SEND_WITH_IMM) | \
			  (1 << IBV_WR_SEND_WITH_INV) | \
			  (1 << IBV_WR_RDMA_WRITE) | \
			  (1 << IBV_WR_RDMA_WRITE_WITH_IMM))

/* Flags to take from wr_flags; the data setters decide on IBV_SEND_INLINE */
#define ORNIC_WR_FLAGS (IBV_SEND_FENCE | IBV_SEND_SIGNALED | \
			IBV_SEND_SOLICITED | IBV_SEND_IP_CSUM)

static void ornic_wr_fail(struct ornic_sq *sq, int error)
{
	if (!sq->error)
		sq->error = error;
	/* The next operation takes the slow path, which fails it */
	sq->stop = sq->next;
	sq->plain = false;
	sq->wqe = NULL;
}

static void ornic_wr_start(struct ibv_qp_ex *ibqp)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;

	ornic_lock(&sq->lock);
	sq->first = (uintptr_t)sq->next;
	sq->first_more = sq->more;
	sq->plain = false;
	sq->wqe = NULL;
}

/* All XRC requests take the slow path: it checks that the last has an SRQ */
static void ornic_wr_start_xrc(struct ibv_qp_ex *ibqp)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;

	ornic_wr_start(ibqp);
	sq->stop = sq->next;
}

/* Discards a transaction, unlocks the queue and returns the error */
static __attribute__((noinline)) int ornic_wr_take_back(struct ornic_sq *sq)
{
	int error = sq->error;

	/* The transaction may have begun in the pass before */
	if (sq->first < (uintptr_t)sq->ring) {
		sq->first += sq->end - sq->ring;
		sq->origin += sq->end - sq->ring;
	}
	sq->next = (void *)(uintptr_t)sq->first;
	sq->stop = sq->next;
	sq->more = sq->first_more;
	sq->no_addr = false;
	sq->error = 0;
	ornic_unlock(&sq->lock);
	return error;
}

static ALWAYS_INLINE inline int ornic_wr_finish(struct ibv_qp_ex *ibqp,
						const bool shadow)
{
	struct ornic_qp *qp = to_ornic_qp_ex(ibqp);
	struct ornic_sq *sq = &qp->sq;

	if (unlikely(sq->error))
		return ornic_wr_take_back(sq);

	ornic_db_publish_sq(qp, shadow);
	ornic_unlock(&sq->lock);
	return 0;
}

/* Fails if the last datagram has no address, or the last XRC request no SRQ */
static ALWAYS_INLINE inline int ornic_wr_finish_to(struct ibv_qp_ex *ibqp,
						   const bool shadow)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;

	if (unlikely(sq->no_addr))
		ornic_wr_fail(sq, EINVAL);
	return ornic_wr_finish(ibqp, shadow);
}

static int ornic_wr_complete(struct ibv_qp_ex *ibqp)
{
	return ornic_wr_finish(ibqp, true);
}

static int ornic_wr_complete_bell(struct ibv_qp_ex *ibqp)
{
	return ornic_wr_finish(ibqp, false);
}

static int ornic_wr_complete_to(struct ibv_qp_ex *ibqp)
{
	return ornic_wr_finish_to(ibqp, true);
}

static int ornic_wr_complete_to_bell(struct ibv_qp_ex *ibqp)
{
	return ornic_wr_finish_to(ibqp, false);
}

static void ornic_wr_abort(struct ibv_qp_ex *ibqp)
{
	ornic_wr_take_back(&to_ornic_qp_ex(ibqp)->sq);
}

/* Begins a WQE in a slot, which is free */
static ALWAYS_INLINE inline struct ornic_sq_hdr *
ornic_wr_put_header(struct ibv_qp_ex *ibqp, uint8_t *slot,
		    const uint32_t opcode, const size_t length)
{
	struct ornic_sq_hdr *hdr = (void *)slot;

	hdr->ctrl = ornic_wqe_ctrl(opcode, ibqp->wr_flags & ORNIC_WR_FLAGS,
				   length);
	hdr->wr_id = htole64(ibqp->wr_id);
	to_ornic_qp_ex(ibqp)->sq.plain = true;
	return hdr;
}

static bool ornic_wr_is_xrc(const struct ibv_qp_ex *ibqp)
{
	return ibqp->qp_base.qp_type == IBV_QPT_XRC_SEND;
}

/*
 * Slow path at sq->stop. The ring ends there or the queue is full, the QP is in
 * a state without sending or of type XRC_SEND, or an earlier call of this
 * transaction failed.
 */
static __attribute__((noinline)) struct ornic_sq_hdr *
ornic_wr_begin_slow(struct ibv_qp_ex *ibqp, uint32_t opcode, size_t length)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;
	uint8_t *slot;

	if (sq->error)
		return NULL;
	if (!sq->ops || (sq->no_addr && ornic_wr_is_xrc(ibqp))) {
		ornic_wr_fail(sq, EINVAL);
		return NULL;
	}
	slot = ornic_sq_claim(sq, sq->next, ORNIC_SLOT_SIZE, 1, &sq->next);
	if (!slot) {
		ornic_wr_fail(sq, ENOMEM);
		return NULL;
	}
	if (ornic_wr_is_xrc(ibqp)) {
		sq->stop = sq->next;
		sq->no_addr = opcode != IBV_WR_LOCAL_INV &&
			      opcode != IBV_WR_BIND_MW;
	}
	return ornic_wr_put_header(ibqp, slot, opcode, length);
}

/*
 * Begins a WQE with its first slot. @length is that of the WQE without SGEs or
 * inline data. Returns its header, or NULL.
 */
static ALWAYS_INLINE inline struct ornic_sq_hdr *
ornic_wr_begin(struct ibv_qp_ex *ibqp, const uint32_t opcode,
	       const size_t length)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;
	uint8_t *slot = sq->next;

	/* Opcodes were checked at creation */
	if (unlikely(slot == sq->stop))
		return ornic_wr_begin_slow(ibqp, opcode, length);
	sq->next = slot + ORNIC_SLOT_SIZE;
	return ornic_wr_put_header(ibqp, slot, opcode, length);
}

/* The current WQE takes its data elsewhere, or no more if @data is NULL */
static inline void ornic_wr_set_place(struct ornic_sq *sq,
				      struct ornic_sq_hdr *hdr, void *data)
{
	sq->plain = false;
	sq->wqe = hdr;
	sq->data = data;
}

/*
 * Begins a datagram. The slots may hold the address of an earlier WQE, so a
 * datagram without a call of wr_set_ud_addr is an error.
 */
static ALWAYS_INLINE inline struct ornic_sq_hdr *
ornic_wr_begin_ud(struct ibv_qp_ex *ibqp, const uint32_t opcode)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;
	struct ornic_sq_hdr *hdr;

	if (unlikely(sq->no_addr)) {
		ornic_wr_fail(sq, EINVAL);
		return NULL;
	}
	sq->no_addr = true;
	hdr = ornic_wr_begin(ibqp, opcode, ORNIC_DATA_UD);
	if (likely(hdr))
		ornic_wr_set_place(sq, hdr, (uint8_t *)hdr + ORNIC_DATA_UD);
	return hdr;
}

/* Returns the header of the current WQE, or NULL */
static inline struct ornic_sq_hdr *ornic_wr_header(const struct ornic_sq *sq)
{
	return sq->plain ? (void *)(sq->next - ORNIC_SLOT_SIZE) : sq->wqe;
}

/* Returns where its SGEs or inline data go, or NULL */
static inline uint8_t *ornic_wr_place(const struct ornic_sq *sq)
{
	if (sq->plain)
		return sq->next - ORNIC_SLOT_SIZE + ORNIC_DATA_RC;
	return sq->wqe ? sq->data : NULL;
}

/* Reserves slots for more of the current WQE, whose last slot is full */
static inline bool ornic_wr_reserve(struct ibv_qp_ex *ibqp, size_t bytes)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;

	if (likely(bytes <= (size_t)(sq->stop - sq->next))) {
		sq->next += bytes;
		sq->more += bytes / ORNIC_SLOT_SIZE;
		return true;
	}
	if (ornic_sq_claim(sq, sq->next, bytes, 0, &sq->next)) {
		if (ornic_wr_is_xrc(ibqp))
			sq->stop = sq->next;
		return true;
	}
	ornic_wr_fail(sq, ENOMEM);
	return false;
}

/*
 * Reserves slots for the data of a setter and writes its size and flags to the
 * header. Returns the address of the data, or NULL. A second setter for the
 * same WQE fails.
 */
static void *ornic_wr_data(struct ibv_qp_ex *ibqp, uint8_t flags, size_t bytes)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;
	struct ornic_sq_hdr *hdr = ornic_wr_header(sq);
	uint8_t *data = ornic_wr_place(sq);
	/* Bytes in use of the last slot; the data may begin in the next one */
	size_t used = ((uintptr_t)data - 1) % ORNIC_SLOT_SIZE + 1;
	size_t more = ornic_wqe_size(used + bytes) - ORNIC_SLOT_SIZE;

	if (more && !ornic_wr_reserve(ibqp, more))
		return NULL;
	ornic_wqe_grow(hdr, flags, bytes);
	ornic_wr_set_place(sq, hdr, NULL);
	return data;
}

static void ornic_wr_set_sge_list(struct ibv_qp_ex *ibqp, size_t num,
				  const struct ibv_sge *sg)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;
	struct ornic_sge *dst;
	size_t i;

	if (unlikely(!ornic_wr_place(sq) || num > sq->max_sge)) {
		ornic_wr_fail(sq, EINVAL);
		return;
	}

	dst = ornic_wr_data(ibqp, 0, num * sizeof(*dst));
	if (unlikely(!dst))
		return;

	for (i = 0; i < num; i++) {
		dst = ornic_sq_wrap(sq, dst);
		ornic_wqe_put_sge(dst++, sg[i].addr, sg[i].length, sg[i].lkey);
	}
}

/* Finds the data of any WQE, begins a new slot if necessary, checks max_sge */
static __attribute__((noinline)) void
ornic_wr_set_any_sge(struct ibv_qp_ex *ibqp, uint32_t lkey, uint64_t addr,
		     uint32_t length)
{
	struct ibv_sge sg = { .addr = addr, .length = length, .lkey = lkey };

	ornic_wr_set_sge_list(ibqp, 1, &sg);
}

/*
 * For RC and ETH QPs with SGEs. The first slot has room for one SGE behind the
 * route.
 */
static void ornic_wr_set_sge(struct ibv_qp_ex *ibqp, uint32_t lkey,
			     uint64_t addr, uint32_t length)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;
	struct ornic_sq_hdr *hdr = (void *)(sq->next - ORNIC_SLOT_SIZE);

	if (unlikely(!sq->plain)) {
		ornic_wr_set_any_sge(ibqp, lkey, addr, length);
		return;
	}
	ornic_wqe_grow(hdr, 0, sizeof(struct ornic_sge));
	ornic_wqe_put_sge((void *)((uint8_t *)hdr + ORNIC_DATA_RC), addr,
			  length, lkey);
	sq->plain = false;
}

/* wr_set_xrc_srqn may follow, and needs the header */
static inline void ornic_wr_keep_header(struct ornic_sq *sq)
{
	if (likely(sq->plain)) {
		sq->wqe = ornic_wr_header(sq);
		sq->data = NULL;
	}
}

static void ornic_wr_set_sge_xrc(struct ibv_qp_ex *ibqp, uint32_t lkey,
				 uint64_t addr, uint32_t length)
{
	ornic_wr_keep_header(&to_ornic_qp_ex(ibqp)->sq);
	ornic_wr_set_sge(ibqp, lkey, addr, length);
}

static inline uint32_t ornic_wqe_opcode(const struct ornic_sq_hdr *hdr)
{
	return ORNIC_GET(ORNIC_SQ_OPCODE, le32toh(hdr->ctrl));
}

/* Returns whether the current WQE may have @length bytes of inline data */
static inline bool ornic_wr_takes_inline(struct ornic_sq *sq, uint64_t length)
{
	/* The device refuses inline data with other opcodes ([ORNIC-SQ-7]) */
	return ornic_wr_place(sq) && length <= sq->max_inline &&
	       ornic_sq_takes(ORNIC_INLINE_OPS,
			      ornic_wqe_opcode(ornic_wr_header(sq)));
}

/* Returns the address of the data, or NULL */
static uint8_t *ornic_wr_begin_inline(struct ornic_qp *qp, uint64_t length)
{
	struct ornic_sq *sq = &qp->sq;

	if (unlikely(!ornic_wr_takes_inline(sq, length))) {
		ornic_wr_fail(sq, EINVAL);
		return NULL;
	}
	return ornic_wr_data(&qp->vqp.qp_ex, ORNIC_SEND_INLINE, length);
}

static __attribute__((noinline)) void
ornic_wr_set_any_inline_data(struct ibv_qp_ex *ibqp, void *addr, size_t length)
{
	struct ornic_qp *qp = to_ornic_qp_ex(ibqp);
	uint8_t *dst;

	dst = ornic_wr_begin_inline(qp, length);
	if (dst)
		ornic_inline_put(&qp->sq, dst, addr, length);
}

static void ornic_wr_set_inline_data(struct ibv_qp_ex *ibqp, void *addr,
				     size_t length)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;
	struct ornic_sq_hdr *hdr = (void *)(sq->next - ORNIC_SLOT_SIZE);

	/* Short data of a SEND or WRITE fits into the first slot */
	if (unlikely(length > sq->small_inline || !sq->plain ||
		     ornic_wqe_opcode(hdr) >= IBV_WR_RDMA_READ)) {
		ornic_wr_set_any_inline_data(ibqp, addr, length);
		return;
	}

	ornic_wqe_grow(hdr, ORNIC_SEND_INLINE, length);
	ornic_inline_copy_small((uint8_t *)hdr + ORNIC_DATA_RC, addr, length);
	sq->plain = false;
}

static void ornic_wr_set_inline_data_xrc(struct ibv_qp_ex *ibqp, void *addr,
					 size_t length)
{
	ornic_wr_keep_header(&to_ornic_qp_ex(ibqp)->sq);
	ornic_wr_set_inline_data(ibqp, addr, length);
}

static void ornic_wr_set_inline_data_list(struct ibv_qp_ex *ibqp,
					  size_t num_buf,
					  const struct ibv_data_buf *buf_list)
{
	struct ornic_qp *qp = to_ornic_qp_ex(ibqp);
	uint64_t length = 0;
	uint8_t *dst;
	size_t i;

	for (i = 0; i < num_buf; i++) {
		/* Each addition is bounded, so the sum cannot wrap */
		if (buf_list[i].length > qp->sq.max_inline - length) {
			ornic_wr_fail(&qp->sq, EINVAL);
			return;
		}
		length += buf_list[i].length;
	}

	dst = ornic_wr_begin_inline(qp, length);
	if (unlikely(!dst))
		return;

	for (i = 0; i < num_buf; i++)
		dst = ornic_inline_put(&qp->sq, dst, buf_list[i].addr,
				       buf_list[i].length);
}

static void ornic_wr_set_ud_addr(struct ibv_qp_ex *ibqp, struct ibv_ah *ah,
				 uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;

	if (unlikely(!sq->wqe)) {
		ornic_wr_fail(sq, EINVAL);
		return;
	}
	ornic_wqe_put_route_ud((void *)(sq->wqe + 1), ah, remote_qpn,
			       remote_qkey);
	sq->no_addr = false;
}

static void ornic_wr_set_xrc_srqn(struct ibv_qp_ex *ibqp, uint32_t srqn)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;
	struct ornic_sq_hdr *hdr = ornic_wr_header(sq);
	struct ornic_route_rc *route;

	if (unlikely(!hdr)) {
		ornic_wr_fail(sq, EINVAL);
		return;
	}
	route = (void *)(hdr + 1);
	route->xrc_srqn = htole32(srqn);
	sq->no_addr = false;
}

static void ornic_wr_send_rc(struct ibv_qp_ex *ibqp)
{
	ornic_wr_begin(ibqp, IBV_WR_SEND, ORNIC_DATA_RC);
}

static void ornic_wr_send_ud(struct ibv_qp_ex *ibqp)
{
	ornic_wr_begin_ud(ibqp, IBV_WR_SEND);
}

static void ornic_wr_send_eth(struct ibv_qp_ex *ibqp)
{
	struct ornic_sq_hdr *hdr;

	hdr = ornic_wr_begin(ibqp, IBV_WR_SEND, ORNIC_DATA_ETH);
	if (likely(hdr))
		ornic_wqe_put_route_eth((void *)(hdr + 1), 0, 0);
}

static void ornic_wr_send_tso(struct ibv_qp_ex *ibqp, void *headers,
			      uint16_t hdr_len, uint16_t mss)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;
	struct ornic_sq_hdr *hdr;
	size_t more, room;

	if (unlikely(!ornic_tso_takes(sq, hdr_len, mss))) {
		ornic_wr_fail(sq, EINVAL);
		return;
	}

	hdr = ornic_wr_begin(ibqp, IBV_WR_TSO, ORNIC_DATA_ETH);
	if (unlikely(!hdr))
		return;

	room = ornic_wqe_tso_room(hdr_len);
	more = ornic_wqe_size(ORNIC_DATA_ETH + room) - ORNIC_SLOT_SIZE;
	if (unlikely(!ornic_wr_reserve(ibqp, more)))
		return;
	ornic_wqe_grow(hdr, 0, room);
	ornic_wr_set_place(sq, hdr,
			   ornic_tso_put(sq, hdr, headers, hdr_len, mss));
}

static void ornic_wr_send_imm_rc(struct ibv_qp_ex *ibqp, __be32 imm_data)
{
	struct ornic_sq_hdr *hdr;

	hdr = ornic_wr_begin(ibqp, IBV_WR_SEND_WITH_IMM, ORNIC_DATA_RC);
	if (likely(hdr))
		hdr->imm = imm_data;
}

static void ornic_wr_send_imm_ud(struct ibv_qp_ex *ibqp, __be32 imm_data)
{
	struct ornic_sq_hdr *hdr;

	hdr = ornic_wr_begin_ud(ibqp, IBV_WR_SEND_WITH_IMM);
	if (likely(hdr))
		hdr->imm = imm_data;
}

static void ornic_wr_send_inv(struct ibv_qp_ex *ibqp, uint32_t invalidate_rkey)
{
	struct ornic_sq_hdr *hdr;

	hdr = ornic_wr_begin(ibqp, IBV_WR_SEND_WITH_INV, ORNIC_DATA_RC);
	if (likely(hdr))
		hdr->inv_key = htole32(invalidate_rkey);
}

/*
 * Begins a WQE of @length bytes that takes no data from setters; returns its
 * header, or NULL
 */
static ALWAYS_INLINE inline struct ornic_sq_hdr *
ornic_wr_begin_whole(struct ibv_qp_ex *ibqp, const uint32_t opcode,
		     const size_t length)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;
	struct ornic_sq_hdr *hdr;

	hdr = ornic_wr_begin(ibqp, opcode, length);
	ornic_wr_set_place(sq, hdr, NULL);
	return hdr;
}

static void ornic_wr_local_inv(struct ibv_qp_ex *ibqp,
			       uint32_t invalidate_rkey)
{
	struct ornic_sq_hdr *hdr;

	hdr = ornic_wr_begin_whole(ibqp, IBV_WR_LOCAL_INV, ORNIC_DATA_RC);
	if (likely(hdr))
		hdr->inv_key = htole32(invalidate_rkey);
}

static void ornic_wr_bind_mw(struct ibv_qp_ex *ibqp, struct ibv_mw *mw,
			     uint32_t rkey,
			     const struct ibv_mw_bind_info *bind_info)
{
	struct ornic_sq_hdr *hdr;

	hdr = ornic_wr_begin_whole(ibqp, IBV_WR_BIND_MW, ORNIC_DATA_RC +
				   sizeof(struct ornic_bind));
	if (likely(hdr))
		ornic_wqe_put_bind((void *)((uint8_t *)hdr + ORNIC_DATA_RC), mw,
				   rkey, bind_info);
}

#ifndef ORNIC_LACKS_FLUSH
static void ornic_wr_flush(struct ibv_qp_ex *ibqp, uint32_t rkey,
			   uint64_t remote_addr, size_t len, uint8_t type,
			   uint8_t level)
{
	struct ornic_sq *sq = &to_ornic_qp_ex(ibqp)->sq;
	struct ornic_sq_hdr *hdr;
	struct ornic_flush *flush;

	if (unlikely(len > UINT32_MAX)) {
		ornic_wr_fail(sq, EINVAL);
		return;
	}

	hdr = ornic_wr_begin_whole(ibqp, IBV_WR_FLUSH,
				   ORNIC_DATA_RC + sizeof(*flush));
	if (unlikely(!hdr))
		return;

	ornic_wqe_put_route_rc((void *)(hdr + 1), remote_addr, rkey);
	flush = (void *)((uint8_t *)hdr + ORNIC_DATA_RC);
	memset(flush, 0, sizeof(*flush));
	flush->length = htole32(len);
	flush->type = type;
	flush->level = level;
}

/* max_inline does not apply: the data is an operand of the operation */
static void ornic_wr_atomic_write(struct ibv_qp_ex *ibqp, uint32_t rkey,
				  uint64_t remote_addr, const void *atomic_wr)
{
	const uint32_t bytes = sizeof(uint64_t);
	struct ornic_sq_hdr *hdr;

	hdr = ornic_wr_begin_whole(ibqp, IBV_WR_ATOMIC_WRITE,
				   ORNIC_DATA_RC + bytes);
	if (unlikely(!hdr))
		return;

	ornic_wqe_grow(hdr, ORNIC_SEND_INLINE, 0);
	ornic_wqe_put_route_rc((void *)(hdr + 1), remote_addr, rkey);
	memcpy((uint8_t *)hdr + ORNIC_DATA_RC, atomic_wr, bytes);
}
#endif

/* Begins a WQE with a remote address; returns its header, or NULL */
static ALWAYS_INLINE inline struct ornic_sq_hdr *
ornic_wr_begin_rdma(struct ibv_qp_ex *ibqp, const uint32_t opcode,
		    uint32_t rkey, uint64_t raddr, const size_t length)
{
	struct ornic_sq_hdr *hdr;

	hdr = ornic_wr_begin(ibqp, opcode, length);
	if (likely(hdr))
		ornic_wqe_put_route_rc((void *)(hdr + 1), raddr, rkey);
	return hdr;
}

static void ornic_wr_rdma_write(struct ibv_qp_ex *ibqp, uint32_t rkey,
				uint64_t remote_addr)
{
	ornic_wr_begin_rdma(ibqp, IBV_WR_RDMA_WRITE, rkey, remote_addr,
			    ORNIC_DATA_RC);
}

static void ornic_wr_rdma_write_imm(struct ibv_qp_ex *ibqp, uint32_t rkey,
				    uint64_t remote_addr, __be32 imm_data)
{
	struct ornic_sq_hdr *hdr;

	hdr = ornic_wr_begin_rdma(ibqp, IBV_WR_RDMA_WRITE_WITH_IMM, rkey,
				  remote_addr, ORNIC_DATA_RC);
	if (likely(hdr))
		hdr->imm = imm_data;
}

static void ornic_wr_rdma_read(struct ibv_qp_ex *ibqp, uint32_t rkey,
			       uint64_t remote_addr)
{
	ornic_wr_begin_rdma(ibqp, IBV_WR_RDMA_READ, rkey, remote_addr,
			    ORNIC_DATA_RC);
}

static inline void ornic_wr_atomic(struct ibv_qp_ex *ibqp,
				   const uint32_t opcode, uint32_t rkey,
				   uint64_t raddr, uint64_t swap_add,
				   uint64_t compare)
{
	struct ornic_sq_hdr *hdr;
	struct ornic_atomic *op;

	hdr = ornic_wr_begin_rdma(ibqp, opcode, rkey, raddr,
				  ORNIC_DATA_ATOMIC);
	if (unlikely(!hdr))
		return;

	op = (void *)((uint8_t *)hdr + ORNIC_DATA_RC);
	ornic_wqe_put_atomic(op, swap_add, compare);
	ornic_wr_set_place(&to_ornic_qp_ex(ibqp)->sq, hdr, op + 1);
}

static void ornic_wr_atomic_cmp_swp(struct ibv_qp_ex *ibqp, uint32_t rkey,
				    uint64_t remote_addr, uint64_t compare,
				    uint64_t swap)
{
	ornic_wr_atomic(ibqp, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, remote_addr,
			swap, compare);
}

static void ornic_wr_atomic_fetch_add(struct ibv_qp_ex *ibqp, uint32_t rkey,
				      uint64_t remote_addr, uint64_t add)
{
	ornic_wr_atomic(ibqp, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, remote_addr,
			add, 0);
}

/* Returns the IBV_QP_EX_WITH_* operations that the QP supports */
static uint64_t ornic_qp_supported_pfns(const struct ornic_qp *qp)
{
	static const struct {
		uint64_t flag;
		uint32_t opcode;
	} table[] = {
		{ IBV_QP_EX_WITH_RDMA_WRITE, IBV_WR_RDMA_WRITE },
		{ IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
		  IBV_WR_RDMA_WRITE_WITH_IMM },
		{ IBV_QP_EX_WITH_SEND, IBV_WR_SEND },
		{ IBV_QP_EX_WITH_SEND_WITH_IMM, IBV_WR_SEND_WITH_IMM },
		{ IBV_QP_EX_WITH_RDMA_READ, IBV_WR_RDMA_READ },
		{ IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
		  IBV_WR_ATOMIC_CMP_AND_SWP },
		{ IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
		  IBV_WR_ATOMIC_FETCH_AND_ADD },
		{ IBV_QP_EX_WITH_LOCAL_INV, IBV_WR_LOCAL_INV },
		{ IBV_QP_EX_WITH_BIND_MW, IBV_WR_BIND_MW },
		{ IBV_QP_EX_WITH_SEND_WITH_INV, IBV_WR_SEND_WITH_INV },
		{ IBV_QP_EX_WITH_TSO, IBV_WR_TSO },
		{ IBV_QP_EX_WITH_FLUSH, IBV_WR_FLUSH },
		{ IBV_QP_EX_WITH_ATOMIC_WRITE, IBV_WR_ATOMIC_WRITE },
	};
	uint64_t flags = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (qp->ops >> table[i].opcode & 1)
			flags |= table[i].flag;
	return flags;
}

/* Sets the functions that differ between the kinds of WQE */
static void ornic_qp_fill_kind(struct ornic_qp *qp,
			       const struct ibv_qp_init_attr_ex *attr)
{
	bool imm = attr->send_ops_flags & IBV_QP_EX_WITH_SEND_WITH_IMM;
	bool send = attr->send_ops_flags & IBV_QP_EX_WITH_SEND;
	/* The kernel grants at least this */
	bool sge = attr->cap.max_send_sge;
	struct ibv_qp_ex *ibqp = &qp->vqp.qp_ex;

	ibqp->wr_set_sge_list = ornic_wr_set_sge_list;
	ibqp->wr_set_sge = sge ? ornic_wr_set_sge : ornic_wr_set_any_sge;
	ibqp->wr_set_inline_data = ornic_wr_set_inline_data;

	switch (qp->kind) {
	case ORNIC_WQE_RC:
		ibqp->wr_send = send ? ornic_wr_send_rc : NULL;
		ibqp->wr_send_imm = imm ? ornic_wr_send_imm_rc : NULL;
		break;
	case ORNIC_WQE_UD:
		ibqp->wr_set_sge = ornic_wr_set_any_sge;
		ibqp->wr_set_inline_data = ornic_wr_set_any_inline_data;
		ibqp->wr_set_ud_addr = ornic_wr_set_ud_addr;
		ibqp->wr_send = send ? ornic_wr_send_ud : NULL;
		ibqp->wr_send_imm = imm ? ornic_wr_send_imm_ud : NULL;
		break;
	case ORNIC_WQE_ETH:
		ibqp->wr_send = send ? ornic_wr_send_eth : NULL;
		if (attr->send_ops_flags & IBV_QP_EX_WITH_TSO)
			ibqp->wr_send_tso = ornic_wr_send_tso;
		break;
	}

	if (attr->qp_type == IBV_QPT_XRC_SEND) {
		ibqp->wr_set_xrc_srqn = ornic_wr_set_xrc_srqn;
		ibqp->wr_set_inline_data = ornic_wr_set_inline_data_xrc;
		if (sge)
			ibqp->wr_set_sge = ornic_wr_set_sge_xrc;
	}
}

/**
 * ornic_qp_fill_pfns() - set the ibv_wr_* functions of a QP
 * @ibctx: context
 * @qp: queue pair, its kind and its ops set
 * @attr: attributes with IBV_QP_INIT_ATTR_SEND_OPS_FLAGS
 * @shadow: the device has ORNIC_CAPS_SHADOW
 *
 * Return: 0; EOPNOTSUPP if the QP cannot send, or lacks one of the operations.
 */
int ornic_qp_fill_pfns(struct ibv_context *ibctx, struct ornic_qp *qp,
		       const struct ibv_qp_init_attr_ex *attr, bool shadow)
{
	uint64_t send_ops_flags = attr->send_ops_flags;
	struct ibv_qp_ex *ibqp = &qp->vqp.qp_ex;

	if (!qp->ops) {
		ornic_refuse(ibctx, "QP type %u cannot send: send_ops_flags",
			     attr->qp_type);
		return EOPNOTSUPP;
	}
	if (!ornic_check_bits(ibctx, "QP send_ops_flags", send_ops_flags,
			      ornic_qp_supported_pfns(qp)))
		return EOPNOTSUPP;

	ibqp->wr_start = attr->qp_type == IBV_QPT_XRC_SEND ?
			 ornic_wr_start_xrc : ornic_wr_start;
	if (qp->kind == ORNIC_WQE_UD || attr->qp_type == IBV_QPT_XRC_SEND)
		ibqp->wr_complete = shadow ? ornic_wr_complete_to :
					     ornic_wr_complete_to_bell;
	else
		ibqp->wr_complete = shadow ? ornic_wr_complete :
					     ornic_wr_complete_bell;
	ibqp->wr_abort = ornic_wr_abort;
	ibqp->wr_set_inline_data_list = ornic_wr_set_inline_data_list;
	ornic_qp_fill_kind(qp, attr);

	if (send_ops_flags & IBV_QP_EX_WITH_RDMA_WRITE)
		ibqp->wr_rdma_write = ornic_wr_rdma_write;
	if (send_ops_flags & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		ibqp->wr_rdma_write_imm = ornic_wr_rdma_write_imm;
	if (send_ops_flags & IBV_QP_EX_WITH_RDMA_READ)
		ibqp->wr_rdma_read = ornic_wr_rdma_read;
	if (send_ops_flags & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		ibqp->wr_atomic_cmp_swp = ornic_wr_atomic_cmp_swp;
	if (send_ops_flags & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		ibqp->wr_atomic_fetch_add = ornic_wr_atomic_fetch_add;
	if (send_ops_flags & IBV_QP_EX_WITH_LOCAL_INV)
		ibqp->wr_local_inv = ornic_wr_local_inv;
	if (send_ops_flags & IBV_QP_EX_WITH_BIND_MW)
		ibqp->wr_bind_mw = ornic_wr_bind_mw;
	if (send_ops_flags & IBV_QP_EX_WITH_SEND_WITH_INV)
		ibqp->wr_send_inv = ornic_wr_send_inv;
#ifndef ORNIC_LACKS_FLUSH
	if (send_ops_flags & IBV_QP_EX_WITH_FLUSH)
		ibqp->wr_flush = ornic_wr_flush;
	if (send_ops_flags & IBV_QP_EX_WITH_ATOMIC_WRITE)
		ibqp->wr_atomic_write = ornic_wr_atomic_write;
#endif
	return 0;
}
