// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Posting of work requests: ibv_post_send(), ibv_post_recv() and variants */

#include <config.h>

#include <errno.h>

#include "compat.h"
#include "doorbell.h"
#include "inline.h"

static_assert((int)IBV_WR_RDMA_WRITE == (int)ORNIC_WR_RDMA_WRITE, "opcode");
static_assert((int)IBV_WR_RDMA_WRITE_WITH_IMM ==
	      (int)ORNIC_WR_RDMA_WRITE_WITH_IMM, "opcode");
static_assert((int)IBV_WR_SEND == (int)ORNIC_WR_SEND, "opcode");
static_assert((int)IBV_WR_SEND_WITH_IMM == (int)ORNIC_WR_SEND_WITH_IMM,
	      "opcode");
static_assert((int)IBV_WR_RDMA_READ == (int)ORNIC_WR_RDMA_READ, "opcode");
static_assert((int)IBV_WR_ATOMIC_CMP_AND_SWP == (int)ORNIC_WR_ATOMIC_CMP_SWP,
	      "opcode");
static_assert((int)IBV_WR_ATOMIC_FETCH_AND_ADD ==
	      (int)ORNIC_WR_ATOMIC_FETCH_ADD, "opcode");
static_assert((int)IBV_WR_LOCAL_INV == (int)ORNIC_WR_LOCAL_INV, "opcode");
static_assert((int)IBV_WR_BIND_MW == (int)ORNIC_WR_BIND_MW, "opcode");
static_assert((int)IBV_WR_SEND_WITH_INV == (int)ORNIC_WR_SEND_WITH_INV,
	      "opcode");
static_assert((int)IBV_WR_TSO == (int)ORNIC_WR_TSO, "opcode");
static_assert((int)IBV_WR_FLUSH == (int)ORNIC_WR_FLUSH, "opcode");
static_assert((int)IBV_WR_ATOMIC_WRITE == (int)ORNIC_WR_ATOMIC_WRITE,
	      "opcode");
static_assert((int)IBV_SEND_FENCE == ORNIC_SEND_FENCE, "flags");
static_assert((int)IBV_SEND_SIGNALED == ORNIC_SEND_SIGNALED, "flags");
static_assert((int)IBV_SEND_SOLICITED == ORNIC_SEND_SOLICITED, "flags");
static_assert((int)IBV_SEND_INLINE == ORNIC_SEND_INLINE, "flags");
static_assert((int)IBV_SEND_IP_CSUM == ORNIC_SEND_IP_CSUM, "flags");

/* Refuses a request; returns NULL for the caller to return */
static inline uint8_t *ornic_wr_refuse(struct ornic_sq *sq, int error)
{
	sq->error = error;
	return NULL;
}

/* @wraps: the SGEs may wrap in the ring */
static ALWAYS_INLINE inline void
ornic_wr_put_sg_list(struct ornic_sq *sq, struct ornic_sge *dst,
		     const struct ibv_sge *sg, uint32_t num, const bool wraps)
{
	if (likely(num == 1)) {
		if (wraps)
			dst = ornic_sq_wrap(sq, dst);
		ornic_wqe_put_sge(dst, sg->addr, sg->length, sg->lkey);
		return;
	}

	for (; num; num--, sg++) {
		if (wraps)
			dst = ornic_sq_wrap(sq, dst);
		ornic_wqe_put_sge(dst++, sg->addr, sg->length, sg->lkey);
	}
}

/*
 * Flags and immediate data are neighbours in the request, and in the WQE where
 * flags are the low bits of the first word. So both are read and written as one
 * word of 64 bits, with the flags in the low half.
 */
static_assert(offsetof(struct ibv_send_wr, imm_data) ==
	      offsetof(struct ibv_send_wr, send_flags) + 4, "no neighbours");
static_assert(offsetof(struct ornic_sq_hdr, imm) ==
	      offsetof(struct ornic_sq_hdr, ctrl) + 4, "no neighbours");

static inline uint64_t ornic_wr_flags_imm(const struct ibv_send_wr *wr)
{
	uint64_t word;

	memcpy(&word, (uint8_t *)wr + offsetof(struct ibv_send_wr, send_flags),
	       sizeof(word));
	return __BYTE_ORDER == __LITTLE_ENDIAN ? word : word << 32 | word >> 32;
}

static ALWAYS_INLINE inline void
ornic_wr_put_ctrl(struct ornic_sq_hdr *hdr, const struct ibv_send_wr *wr,
		  uint32_t opcode, uint32_t length)
{
	uint64_t word = ornic_wr_flags_imm(wr);

	word &= 0xffffffff000000ff;
	word += le32toh(ornic_wqe_ctrl(opcode, 0, length));
	if (__BYTE_ORDER == __BIG_ENDIAN)
		word = (uint64_t)(__force uint32_t)htole32((uint32_t)word)
		       << 32 | word >> 32;
	memcpy(hdr, &word, sizeof(word));
}

/*
 * Writes header and route; returns the address of SGEs or inline data, which is
 * the end of the ring if a datagram wraps there.
 */
static ALWAYS_INLINE inline void *
ornic_wr_put_head(uint8_t *slot, const struct ibv_send_wr *wr, uint32_t opcode,
		  uint32_t length, const enum ornic_wqe_kind kind)
{
	struct ornic_sq_hdr *hdr = (void *)slot;
	struct ornic_route_rc *route;

	ornic_wr_put_ctrl(hdr, wr, opcode, length);
	hdr->wr_id = htole64(wr->wr_id);
	if (kind == ORNIC_WQE_UD) {
		ornic_wqe_put_route_ud((void *)(hdr + 1), wr->wr.ud.ah,
				       wr->wr.ud.remote_qpn,
				       wr->wr.ud.remote_qkey);
		return slot + ORNIC_DATA_UD;
	}
	if (kind == ORNIC_WQE_ETH) {
		ornic_wqe_put_route_eth((void *)(hdr + 1), 0, 0);
		return slot + ORNIC_DATA_ETH;
	}
	route = (void *)(hdr + 1);
	ornic_wqe_put_route_rc(route, wr->wr.rdma.remote_addr,
			       wr->wr.rdma.rkey);
	/* Copied for all QPs, because testing for XRC costs as much */
	route->xrc_srqn = htole32(wr->qp_type.xrc.remote_srqn);
	return slot + ORNIC_DATA_RC;
}

/*
 * The functions that build a WQE begin it in @next, and return where the next
 * one begins. If they refuse the request they return NULL, with the reason in
 * sq->error and nothing written. ornic_sq_claim() is the last check, because it
 * moves the queue to the next pass over the ring.
 */

/* Atomics have their arguments in another member of struct ibv_send_wr */
static uint8_t *ornic_wr_build_atomic(struct ornic_sq *sq, uint8_t *next,
				      const struct ibv_send_wr *wr)
{
	uint32_t length, count = wr->num_sge;
	struct ornic_atomic *atomic;
	struct ornic_route_rc *route;
	struct ornic_sq_hdr *hdr;
	uint8_t *after;

	if (wr->send_flags & IBV_SEND_INLINE || count > sq->max_sge)
		return ornic_wr_refuse(sq, EINVAL);

	length = ORNIC_DATA_ATOMIC + count * sizeof(struct ornic_sge);
	hdr = (void *)ornic_sq_claim(sq, next, length, 1, &after);
	if (!hdr)
		return ornic_wr_refuse(sq, ENOMEM);

	hdr->ctrl = ornic_wqe_ctrl(wr->opcode, wr->send_flags, length);
	hdr->imm = 0;
	hdr->wr_id = htole64(wr->wr_id);
	route = (void *)(hdr + 1);
	ornic_wqe_put_route_rc(route, wr->wr.atomic.remote_addr,
			       wr->wr.atomic.rkey);
	route->xrc_srqn = htole32(wr->qp_type.xrc.remote_srqn);

	atomic = (void *)(route + 1);
	if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP)
		ornic_wqe_put_atomic(atomic, wr->wr.atomic.swap,
				     wr->wr.atomic.compare_add);
	else
		ornic_wqe_put_atomic(atomic, wr->wr.atomic.compare_add, 0);
	ornic_wr_put_sg_list(sq, (void *)(atomic + 1), wr->sg_list, count,
			     true);
	return after;
}

/* Any inline data; out of line, because it would cost callers registers */
static __attribute__((noinline)) uint8_t *
ornic_wr_build_inline(struct ornic_sq *sq, uint8_t *next,
		      const struct ibv_send_wr *wr, enum ornic_wqe_kind kind)
{
	uint8_t *slot, *dst, *after;
	uint32_t length;
	int i;

	if (!ornic_inline_length(sq, wr->sg_list, wr->num_sge, &length))
		return ornic_wr_refuse(sq, EINVAL);

	length += ornic_wqe_data_start(kind);
	slot = ornic_sq_claim(sq, next, length, 1, &after);
	if (!slot)
		return ornic_wr_refuse(sq, ENOMEM);

	dst = ornic_wr_put_head(slot, wr, wr->opcode, length, kind);
	for (i = 0; i < wr->num_sge; i++)
		dst = ornic_inline_put(sq, dst,
				       (void *)(uintptr_t)wr->sg_list[i].addr,
				       wr->sg_list[i].length);
	return after;
}

static __attribute__((noinline)) uint8_t *
ornic_wr_build_slow(struct ornic_sq *sq, uint8_t *next,
		    const struct ibv_send_wr *wr, enum ornic_wqe_kind kind);

/*
 * Fast path for one short piece, as most inline data is. @slow: the slots are
 * not known to be free, or wrap.
 */
static ALWAYS_INLINE inline uint8_t *
ornic_wr_build_small_inline(struct ornic_sq *sq, uint8_t *next,
			    const struct ibv_send_wr *wr, uint32_t opcode,
			    const enum ornic_wqe_kind kind, const bool slow)
{
	const struct ibv_sge *sg = wr->sg_list;
	uint8_t *dst, *after;
	uint32_t length;
	size_t size;

	if (unlikely(opcode == IBV_WR_RDMA_READ))
		return ornic_wr_refuse(sq, EINVAL);
	if (unlikely(wr->num_sge != 1 || sg->length > ORNIC_INLINE_SMALL))
		return ornic_wr_build_inline(sq, next, wr, kind);
	if (unlikely(sg->length > sq->max_inline))
		return ornic_wr_refuse(sq, EINVAL);

	length = ornic_wqe_data_start(kind) + sg->length;
	if (slow) {
		next = ornic_sq_claim(sq, next, length, 1, &after);
		if (!next)
			return ornic_wr_refuse(sq, ENOMEM);
	} else {
		/* ORNIC_INLINE_SMALL bytes fit into the first slot of RC, ETH */
		size = kind == ORNIC_WQE_UD ? ornic_wqe_size(length) :
					      ORNIC_SLOT_SIZE;
		after = next + size;
		if (unlikely((uintptr_t)after > (uintptr_t)sq->stop))
			return ornic_wr_build_slow(sq, next, wr, kind);
		sq->more += size / ORNIC_SLOT_SIZE - 1;
	}

	dst = ornic_wr_put_head(next, wr, opcode, length, kind);
	if (slow)
		dst = ornic_sq_wrap(sq, dst);
	ornic_inline_copy_small(dst, (void *)(uintptr_t)sg->addr, sg->length);
	return after;
}

static ALWAYS_INLINE inline uint8_t *
ornic_wr_put_sges(struct ornic_sq *sq, uint8_t *next,
		  const struct ibv_send_wr *wr, uint32_t opcode,
		  const uint32_t count, const enum ornic_wqe_kind kind,
		  const bool slow)
{
	uint32_t length = ornic_wqe_data_start(kind) +
			  count * sizeof(struct ornic_sge);
	size_t size = ornic_wqe_size(length);
	uint8_t *after;

	if (slow) {
		next = ornic_sq_claim(sq, next, length, 1, &after);
		if (!next)
			return ornic_wr_refuse(sq, ENOMEM);
	} else {
		after = next + size;
		if (unlikely((uintptr_t)after > (uintptr_t)sq->stop))
			return ornic_wr_build_slow(sq, next, wr, kind);
		sq->more += size / ORNIC_SLOT_SIZE - 1;
	}

	ornic_wr_put_sg_list(sq,
			     ornic_wr_put_head(next, wr, opcode, length, kind),
			     wr->sg_list, count, slow);
	return after;
}

static ALWAYS_INLINE inline uint8_t *
ornic_wr_build_sges(struct ornic_sq *sq, uint8_t *next,
		    const struct ibv_send_wr *wr, uint32_t opcode,
		    const enum ornic_wqe_kind kind, const bool slow)
{
	uint32_t count = wr->num_sge;

	if (unlikely(count > sq->max_sge))
		return ornic_wr_refuse(sq, EINVAL);

	/* Constant lengths and no loop */
	if (likely(count == 1) && !slow)
		return ornic_wr_put_sges(sq, next, wr, opcode, 1, kind, slow);
	return ornic_wr_put_sges(sq, next, wr, opcode, count, kind, slow);
}

static uint8_t *ornic_wr_build_send_inv(struct ornic_sq *sq, uint8_t *next,
					const struct ibv_send_wr *wr)
{
	struct ornic_sq_hdr *hdr;
	uint8_t *after;

	if (wr->send_flags & IBV_SEND_INLINE)
		after = ornic_wr_build_inline(sq, next, wr, ORNIC_WQE_RC);
	else
		after = ornic_wr_build_sges(sq, next, wr, IBV_WR_SEND_WITH_INV,
					    ORNIC_WQE_RC, true);
	if (!after)
		return NULL;

	/* Unlike immediate data, the key is in CPU order in the request */
	hdr = ornic_sq_wrap(sq, next);
	hdr->inv_key = htole32(wr->invalidate_rkey);
	return after;
}

/* Local operations: LOCAL_INV and BIND_MW, one slot each */
static uint8_t *ornic_wr_build_local(struct ornic_sq *sq, uint8_t *next,
				     const struct ibv_send_wr *wr)
{
	uint32_t length = ORNIC_DATA_RC;
	struct ornic_sq_hdr *hdr;
	uint8_t *after;

	if (wr->send_flags & IBV_SEND_INLINE || wr->num_sge)
		return ornic_wr_refuse(sq, EINVAL);
	if (wr->opcode == IBV_WR_BIND_MW)
		length += sizeof(struct ornic_bind);
	hdr = (void *)ornic_sq_claim(sq, next, length, 1, &after);
	if (!hdr)
		return ornic_wr_refuse(sq, ENOMEM);

	hdr->ctrl = ornic_wqe_ctrl(wr->opcode, wr->send_flags, length);
	hdr->inv_key = htole32(wr->invalidate_rkey);
	hdr->wr_id = htole64(wr->wr_id);
	if (wr->opcode == IBV_WR_BIND_MW)
		ornic_wqe_put_bind((void *)((uint8_t *)hdr + ORNIC_DATA_RC),
				   wr->bind_mw.mw, wr->bind_mw.rkey,
				   &wr->bind_mw.bind_info);
	return after;
}

/* Opcodes above RDMA_READ; out of line, because they are rare */
static __attribute__((noinline)) uint8_t *
ornic_wr_build_rare(struct ornic_sq *sq, uint8_t *next,
		    const struct ibv_send_wr *wr)
{
	if (wr->opcode > IBV_WR_SEND_WITH_INV ||
	    !ornic_sq_takes(sq->ops, wr->opcode))
		return ornic_wr_refuse(sq, EINVAL);

	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return ornic_wr_build_atomic(sq, next, wr);
	case IBV_WR_SEND_WITH_INV:
		return ornic_wr_build_send_inv(sq, next, wr);
	default:
		return ornic_wr_build_local(sq, next, wr);
	}
}

/* TSO: headers for each segment, then the SGEs of the whole payload */
static __attribute__((noinline)) uint8_t *
ornic_wr_build_tso(struct ornic_sq *sq, uint8_t *next,
		   const struct ibv_send_wr *wr)
{
	uint32_t length, count = wr->num_sge;
	struct ornic_sq_hdr *hdr;
	uint8_t *after;

	if (wr->opcode != IBV_WR_TSO || !ornic_sq_takes(sq->ops, IBV_WR_TSO) ||
	    wr->send_flags & IBV_SEND_INLINE || count > sq->max_sge ||
	    !ornic_tso_takes(sq, wr->tso.hdr_sz, wr->tso.mss))
		return ornic_wr_refuse(sq, EINVAL);

	length = ORNIC_DATA_ETH + ornic_wqe_tso_room(wr->tso.hdr_sz) +
		 count * sizeof(struct ornic_sge);
	hdr = (void *)ornic_sq_claim(sq, next, length, 1, &after);
	if (!hdr)
		return ornic_wr_refuse(sq, ENOMEM);

	hdr->ctrl = ornic_wqe_ctrl(IBV_WR_TSO, wr->send_flags, length);
	hdr->imm = 0;
	hdr->wr_id = htole64(wr->wr_id);
	ornic_wr_put_sg_list(sq, ornic_tso_put(sq, hdr, wr->tso.hdr,
					       wr->tso.hdr_sz, wr->tso.mss),
			     wr->sg_list, count, true);
	return after;
}

static ALWAYS_INLINE inline uint8_t *
ornic_wr_build(struct ornic_sq *sq, uint8_t *next, const struct ibv_send_wr *wr,
	       const enum ornic_wqe_kind kind, const bool slow)
{
	uint32_t opcode = wr->opcode;

	if (unlikely(opcode > IBV_WR_RDMA_READ)) {
		if (kind == ORNIC_WQE_UD)
			return ornic_wr_refuse(sq, EINVAL);
		return kind == ORNIC_WQE_ETH ?
		       ornic_wr_build_tso(sq, next, wr) :
		       ornic_wr_build_rare(sq, next, wr);
	}
	if (unlikely(!ornic_sq_takes(sq->ops, opcode)))
		return ornic_wr_refuse(sq, EINVAL);
	if (unlikely(ornic_wr_flags_imm(wr) & IBV_SEND_INLINE))
		return ornic_wr_build_small_inline(sq, next, wr, opcode, kind,
						   slow);
	return ornic_wr_build_sges(sq, next, wr, opcode, kind, slow);
}

static __attribute__((noinline)) uint8_t *
ornic_wr_build_slow(struct ornic_sq *sq, uint8_t *next,
		    const struct ibv_send_wr *wr, enum ornic_wqe_kind kind)
{
	return ornic_wr_build(sq, next, wr, kind, true);
}

static ALWAYS_INLINE inline int
ornic_wr_post_list(struct ornic_qp *qp, struct ibv_send_wr *wr,
		   struct ibv_send_wr **bad_wr, const enum ornic_wqe_kind kind,
		   const bool shadow)
{
	struct ornic_sq *sq = &qp->sq;
	uint8_t *next, *after;
	int ret = 0;

	ornic_lock(&sq->lock);
	next = sq->next;
	sq->first = (uintptr_t)next;
	for (; wr; wr = wr->next) {
		after = ornic_wr_build(sq, next, wr, kind, false);
		if (unlikely(!after)) {
			ret = sq->error;
			sq->error = 0;
			*bad_wr = wr;
			break;
		}
		next = after;
	}

	/* Requests before a bad one are posted */
	if (likely((uintptr_t)next != sq->first)) {
		sq->next = next;
		ornic_db_publish_sq(qp, shadow);
	}
	ornic_unlock(&sq->lock);

	return ret;
}

#define ORNIC_POST_SEND(name, kind, shadow)				\
	static int name(struct ornic_qp *qp, struct ibv_send_wr *wr,	\
			struct ibv_send_wr **bad_wr)			\
	{								\
		return ornic_wr_post_list(qp, wr, bad_wr, kind,		\
					  shadow);			\
	}

ORNIC_POST_SEND(ornic_wr_post_rc, ORNIC_WQE_RC, true)
ORNIC_POST_SEND(ornic_wr_post_ud, ORNIC_WQE_UD, true)
ORNIC_POST_SEND(ornic_wr_post_eth, ORNIC_WQE_ETH, true)
ORNIC_POST_SEND(ornic_wr_post_rc_bell, ORNIC_WQE_RC, false)
ORNIC_POST_SEND(ornic_wr_post_ud_bell, ORNIC_WQE_UD, false)
ORNIC_POST_SEND(ornic_wr_post_eth_bell, ORNIC_WQE_ETH, false)

/**
 * ornic_qp_choose_post_send() - select the post function for the kind of WQE
 * @qp: queue pair, its kind set
 * @shadow: the device has ORNIC_CAPS_SHADOW
 */
void ornic_qp_choose_post_send(struct ornic_qp *qp, bool shadow)
{
	switch (qp->kind) {
	case ORNIC_WQE_RC:
		qp->post_send = shadow ? ornic_wr_post_rc :
					 ornic_wr_post_rc_bell;
		break;
	case ORNIC_WQE_UD:
		qp->post_send = shadow ? ornic_wr_post_ud :
					 ornic_wr_post_ud_bell;
		break;
	case ORNIC_WQE_ETH:
		qp->post_send = shadow ? ornic_wr_post_eth :
					 ornic_wr_post_eth_bell;
		break;
	}
}

/**
 * ornic_post_send() - post a list of send work requests
 * @ibqp: queue pair
 * @wr: list
 * @bad_wr: the first that was not posted, on error
 *
 * Return: 0; EINVAL for a request that the QP does not support or that its
 * state does not allow; ENOMEM if the queue is full.
 */
int ornic_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr)
{
	struct ornic_qp *qp = to_ornic_qp(ibqp);

	return qp->post_send(qp, wr, bad_wr);
}

/*
 * Slow path at rq->limit; returns 0 if the queue is open and has room, EAGAIN
 * during a resize of an SRQ. It calls no function, which saves its callers
 * registers.
 */
static __attribute__((noinline)) int ornic_rq_refresh(struct ornic_rq *rq,
						      uint32_t pi)
{
	uint32_t ci;

	if (rq->resizing)
		return EAGAIN;
	if (!rq->open)
		return EINVAL;
	ci = rq->shared ? ornic_index_read(&rq->dbr->rq_ci) :
			  atomic_load_explicit(&rq->polled.count,
					       memory_order_acquire);
	if (pi - ci >= rq->max_wr)
		return ENOMEM;
	rq->limit = ci + rq->max_wr;
	return 0;
}

static inline int ornic_wr_build_recv(struct ornic_rq *rq, uint32_t pi,
				      const struct ibv_recv_wr *wr)
{
	const struct ibv_sge *sg = wr->sg_list;
	uint32_t num = wr->num_sge;
	struct ornic_rq_hdr *hdr;
	struct ornic_sge *dst;
	int ret;

	if (unlikely(num > rq->max_sge))
		return EINVAL;
	if (unlikely(pi == rq->limit)) {
		ret = ornic_rq_refresh(rq, pi);
		if (ret)
			return ret;
	}

	hdr = (void *)(rq->ring +
		       ((size_t)(pi & rq->mask) << rq->stride_shift));
	hdr->ctrl = htole32(num);
	hdr->rsvd = 0;
	hdr->wr_id = htole64(wr->wr_id);

	dst = (struct ornic_sge *)(hdr + 1);
	if (likely(num == 1)) {
		ornic_wqe_put_sge(dst, sg->addr, sg->length, sg->lkey);
		return 0;
	}
	for (; num; num--, sg++)
		ornic_wqe_put_sge(dst++, sg->addr, sg->length, sg->lkey);
	return 0;
}

/* @ctx: context, if the device needs a doorbell of @type for @num; else NULL */
static ALWAYS_INLINE inline int
ornic_wr_post_rq(struct ornic_rq *rq, struct ibv_recv_wr *wr,
		 struct ibv_recv_wr **bad_wr, struct ornic_context *ctx,
		 enum ornic_db_type type, uint32_t num)
{
	int ret = 0;
	uint32_t pi;

	ornic_lock(&rq->lock);
	for (pi = rq->pi; wr; wr = wr->next, pi++) {
		ret = ornic_wr_build_recv(rq, pi, wr);
		if (unlikely(ret)) {
			*bad_wr = wr;
			break;
		}
	}

	if (likely(pi != rq->pi)) {
		rq->pi = pi;
		ornic_index_write(&rq->dbr->rq_pi, pi);
		if (ctx)
			ornic_db_ring_rq(ctx, type, num, pi);
	}
	ornic_unlock(&rq->lock);

	return ret;
}

/**
 * ornic_post_recv() - post a list of receive work requests
 * @ibqp: queue pair
 * @wr: list
 * @bad_wr: the first that was not posted, on error
 *
 * Return: 0; EINVAL for too many SGEs, in RESET, or with an SRQ; ENOMEM if the
 * queue is full.
 */
int ornic_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr)
{
	return ornic_wr_post_rq(&to_ornic_qp(ibqp)->rq, wr, bad_wr, NULL, 0, 0);
}

/**
 * ornic_post_recv_bell() - the same for devices that need a doorbell
 * @ibqp: queue pair
 * @wr: list
 * @bad_wr: the first that was not posted, on error
 *
 * Return: as ornic_post_recv().
 */
int ornic_post_recv_bell(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr)
{
	struct ornic_qp *qp = to_ornic_qp(ibqp);

	return ornic_wr_post_rq(&qp->rq, wr, bad_wr,
				to_ornic_context(ibqp->context), ORNIC_DB_RQ,
				qp->qpn);
}

/* Returns EAGAIN during a resize */
static ALWAYS_INLINE inline int ornic_wr_try_srq(struct ornic_srq *srq,
						 struct ibv_recv_wr *wr,
						 struct ibv_recv_wr **bad_wr,
						 const bool bell)
{
	struct ornic_context *ctx = NULL;

	if (bell)
		ctx = to_ornic_context(srq->vsrq.srq.context);
	return ornic_wr_post_rq(&srq->rq, wr, bad_wr, ctx, ORNIC_DB_SRQ,
				srq->srqn);
}

/*
 * Posts the list at @bad_wr after a resize. A resize begins between lists, so
 * this is the whole list.
 */
static __attribute__((noinline)) int
ornic_wr_post_srq_later(struct ornic_srq *srq, struct ibv_recv_wr **bad_wr,
			bool bell)
{
	int ret;

	do {
		ornic_srq_wait(srq);
		ret = ornic_wr_try_srq(srq, *bad_wr, bad_wr, bell);
	} while (ret == EAGAIN);
	return ret;
}

static ALWAYS_INLINE inline int ornic_wr_post_srq(struct ibv_srq *ibsrq,
						  struct ibv_recv_wr *wr,
						  struct ibv_recv_wr **bad_wr,
						  const bool bell)
{
	struct ornic_srq *srq = to_ornic_srq(ibsrq);
	int ret;

	ret = ornic_wr_try_srq(srq, wr, bad_wr, bell);
	if (unlikely(ret == EAGAIN))
		return ornic_wr_post_srq_later(srq, bad_wr, bell);
	return ret;
}

/**
 * ornic_post_srq_recv() - post a list of receive work requests to an SRQ
 * @ibsrq: shared receive queue
 * @wr: list
 * @bad_wr: the first that was not posted, on error
 *
 * Return: 0; EINVAL for too many SGEs or after the ring was lost; ENOMEM if the
 * queue is full.
 */
int ornic_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr)
{
	return ornic_wr_post_srq(ibsrq, wr, bad_wr, false);
}

/**
 * ornic_post_srq_recv_bell() - the same for devices that need a doorbell
 * @ibsrq: shared receive queue
 * @wr: list
 * @bad_wr: the first that was not posted, on error
 *
 * Return: as ornic_post_srq_recv().
 */
int ornic_post_srq_recv_bell(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			     struct ibv_recv_wr **bad_wr)
{
	return ornic_wr_post_srq(ibsrq, wr, bad_wr, true);
}

/**
 * ornic_post_wq_recv() - post a list of receive work requests to a WQ
 * @ibwq: work queue
 * @wr: list
 * @bad_wr: the first that was not posted, on error
 *
 * Return: 0; EINVAL for too many SGEs, or in RESET; ENOMEM if the queue is
 * full.
 */
int ornic_post_wq_recv(struct ibv_wq *ibwq, struct ibv_recv_wr *wr,
		       struct ibv_recv_wr **bad_wr)
{
	return ornic_wr_post_rq(&to_ornic_wq(ibwq)->rq, wr, bad_wr, NULL, 0, 0);
}

/**
 * ornic_post_wq_recv_bell() - the same for devices that need a doorbell
 * @ibwq: work queue
 * @wr: list
 * @bad_wr: the first that was not posted, on error
 *
 * Return: as ornic_post_wq_recv().
 */
int ornic_post_wq_recv_bell(struct ibv_wq *ibwq, struct ibv_recv_wr *wr,
			    struct ibv_recv_wr **bad_wr)
{
	return ornic_wr_post_rq(&to_ornic_wq(ibwq)->rq, wr, bad_wr,
				to_ornic_context(ibwq->context), ORNIC_DB_RQ,
				ibwq->wq_num);
}
