// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Posting of work requests: ibv_post_send(), ibv_post_recv() and variants */

#include <config.h>

#include <errno.h>

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

static ALWAYS_INLINE inline void ornic_wr_put_sg_list(struct ornic_sq *sq,
						      struct ornic_sge *dst,
						      const struct ibv_sge *sg,
						      uint32_t num)
{
	if (likely(num == 1)) {
		ornic_wqe_put_sge(dst, sg->addr, sg->length, sg->lkey);
		return;
	}

	for (; num; num--, sg++) {
		if (unlikely((uint8_t *)dst == sq->end))
			dst = (struct ornic_sge *)sq->ring;
		ornic_wqe_put_sge(dst++, sg->addr, sg->length, sg->lkey);
	}
}

/* Writes header and route; returns the address of SGEs or inline data */
static ALWAYS_INLINE inline void *
ornic_wr_put_head(struct ornic_sq *sq, uint32_t pi,
		  const struct ibv_send_wr *wr, uint32_t opcode, uint32_t bytes,
		  const enum ornic_wqe_kind kind)
{
	struct ornic_sq_hdr *hdr = ornic_sq_slot(sq, pi);
	struct ornic_route_rc *route;

	hdr->ctrl = ornic_wqe_ctrl(opcode, wr->send_flags,
				   ornic_wqe_data_start(kind) + bytes);
	hdr->imm = wr->imm_data;
	hdr->wr_id = htole64(wr->wr_id);
	if (kind == ORNIC_WQE_UD) {
		ornic_wqe_put_route_ud((void *)(hdr + 1), wr->wr.ud.ah,
				       wr->wr.ud.remote_qpn,
				       wr->wr.ud.remote_qkey);
		return ornic_sq_slot(sq, pi + 1);
	}
	if (kind == ORNIC_WQE_ETH) {
		ornic_wqe_put_route_eth((void *)(hdr + 1), 0, 0);
		return (uint8_t *)hdr + ORNIC_DATA_ETH;
	}
	route = (void *)(hdr + 1);
	ornic_wqe_put_route_rc(route, wr->wr.rdma.remote_addr,
			       wr->wr.rdma.rkey);
	/* Copied for all QPs, because testing for XRC costs as much */
	route->xrc_srqn = htole32(wr->qp_type.xrc.remote_srqn);
	return (uint8_t *)hdr + ORNIC_DATA_RC;
}

/* Atomics have their arguments in another member of struct ibv_send_wr */
static int ornic_wr_build_atomic(struct ornic_sq *sq, uint32_t pi,
				 const struct ibv_send_wr *wr)
{
	uint32_t count = wr->num_sge;
	struct ornic_atomic *atomic;
	struct ornic_route_rc *route;
	struct ornic_sq_hdr *hdr;
	uint32_t slots;

	if (wr->send_flags & IBV_SEND_INLINE || count > sq->max_sge)
		return -EINVAL;

	slots = ornic_wqe_sge_slots(ORNIC_DATA_ATOMIC, count);
	if (!ornic_sq_has_room(sq, pi + slots))
		return -ENOMEM;

	hdr = ornic_sq_slot(sq, pi);
	hdr->ctrl = ornic_wqe_ctrl(wr->opcode, wr->send_flags,
				   ORNIC_DATA_ATOMIC +
				   count * sizeof(struct ornic_sge));
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
	ornic_wr_put_sg_list(sq, (void *)(atomic + 1), wr->sg_list, count);
	return slots;
}

/* Any inline data; out of line, because it would cost callers registers */
static __attribute__((noinline)) int
ornic_wr_build_inline(struct ornic_sq *sq, uint32_t pi,
		      const struct ibv_send_wr *wr, enum ornic_wqe_kind kind)
{
	uint32_t length, slots;
	uint8_t *dst;
	int i;

	if (!ornic_inline_length(sq, wr->sg_list, wr->num_sge, &length))
		return -EINVAL;

	slots = ornic_wqe_slots(ornic_wqe_data_start(kind) + length);
	if (!ornic_sq_has_room(sq, pi + slots))
		return -ENOMEM;

	dst = ornic_wr_put_head(sq, pi, wr, wr->opcode, length, kind);
	for (i = 0; i < wr->num_sge; i++)
		dst = ornic_inline_put(sq, dst,
				       (void *)(uintptr_t)wr->sg_list[i].addr,
				       wr->sg_list[i].length);
	return slots;
}

/* Fast path for one short piece, as most inline data is */
static ALWAYS_INLINE inline int
ornic_wr_build_small_inline(struct ornic_sq *sq, uint32_t pi,
			    const struct ibv_send_wr *wr, uint32_t opcode,
			    const enum ornic_wqe_kind kind)
{
	const struct ibv_sge *sg = wr->sg_list;
	uint32_t slots;
	uint8_t *dst;

	if (unlikely(opcode == IBV_WR_RDMA_READ))
		return -EINVAL;
	if (unlikely(wr->num_sge != 1 || sg->length > ORNIC_INLINE_SMALL))
		return ornic_wr_build_inline(sq, pi, wr, kind);
	if (unlikely(sg->length > sq->max_inline))
		return -EINVAL;

	slots = ornic_wqe_slots(ornic_wqe_data_start(kind) + sg->length);
	if (unlikely(!ornic_sq_has_room(sq, pi + slots)))
		return -ENOMEM;

	dst = ornic_wr_put_head(sq, pi, wr, opcode, sg->length, kind);
	ornic_inline_copy_small(dst, (void *)(uintptr_t)sg->addr, sg->length);
	return slots;
}

static ALWAYS_INLINE inline int
ornic_wr_build_sges(struct ornic_sq *sq, uint32_t pi,
		    const struct ibv_send_wr *wr, uint32_t opcode,
		    const enum ornic_wqe_kind kind)
{
	uint32_t count = wr->num_sge;
	uint32_t slots;

	if (unlikely(count > sq->max_sge))
		return -EINVAL;
	slots = ornic_wqe_sge_slots(ornic_wqe_data_start(kind), count);
	if (unlikely(!ornic_sq_has_room(sq, pi + slots)))
		return -ENOMEM;

	ornic_wr_put_sg_list(sq,
			     ornic_wr_put_head(sq, pi, wr, opcode,
					       count * sizeof(struct ornic_sge),
					       kind),
			     wr->sg_list, count);
	return slots;
}

static int ornic_wr_build_send_inv(struct ornic_sq *sq, uint32_t pi,
				   const struct ibv_send_wr *wr)
{
	struct ornic_sq_hdr *hdr;
	int ret;

	if (wr->send_flags & IBV_SEND_INLINE)
		ret = ornic_wr_build_inline(sq, pi, wr, ORNIC_WQE_RC);
	else
		ret = ornic_wr_build_sges(sq, pi, wr, IBV_WR_SEND_WITH_INV,
					  ORNIC_WQE_RC);
	if (ret < 0)
		return ret;

	/* Unlike immediate data, the key is in CPU order in the request */
	hdr = ornic_sq_slot(sq, pi);
	hdr->inv_key = htole32(wr->invalidate_rkey);
	return ret;
}

/* Local operations: LOCAL_INV and BIND_MW, one slot each */
static int ornic_wr_build_local(struct ornic_sq *sq, uint32_t pi,
				const struct ibv_send_wr *wr)
{
	struct ornic_sq_hdr *hdr;

	if (wr->send_flags & IBV_SEND_INLINE || wr->num_sge)
		return -EINVAL;
	if (!ornic_sq_has_room(sq, pi + 1))
		return -ENOMEM;

	hdr = ornic_sq_slot(sq, pi);
	hdr->ctrl = ornic_wqe_ctrl(wr->opcode, wr->send_flags, ORNIC_DATA_RC +
				   (wr->opcode == IBV_WR_BIND_MW ?
				    sizeof(struct ornic_bind) : 0));
	hdr->inv_key = htole32(wr->invalidate_rkey);
	hdr->wr_id = htole64(wr->wr_id);
	if (wr->opcode == IBV_WR_BIND_MW)
		ornic_wqe_put_bind((void *)((uint8_t *)hdr + ORNIC_DATA_RC),
				   wr->bind_mw.mw, wr->bind_mw.rkey,
				   &wr->bind_mw.bind_info);
	return 1;
}

/* Opcodes above RDMA_READ; out of line, because they are rare */
static __attribute__((noinline)) int
ornic_wr_build_rare(struct ornic_sq *sq, uint32_t pi,
		    const struct ibv_send_wr *wr)
{
	if (wr->opcode > IBV_WR_SEND_WITH_INV ||
	    !ornic_sq_takes(sq->ops, wr->opcode))
		return -EINVAL;

	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return ornic_wr_build_atomic(sq, pi, wr);
	case IBV_WR_SEND_WITH_INV:
		return ornic_wr_build_send_inv(sq, pi, wr);
	default:
		return ornic_wr_build_local(sq, pi, wr);
	}
}

/* TSO: headers for each segment, then the SGEs of the whole payload */
static __attribute__((noinline)) int
ornic_wr_build_tso(struct ornic_sq *sq, uint32_t pi,
		   const struct ibv_send_wr *wr)
{
	uint32_t count = wr->num_sge;
	struct ornic_sq_hdr *hdr;
	uint32_t slots, start;

	if (wr->opcode != IBV_WR_TSO || !ornic_sq_takes(sq->ops, IBV_WR_TSO) ||
	    wr->send_flags & IBV_SEND_INLINE || count > sq->max_sge ||
	    !ornic_tso_takes(sq, wr->tso.hdr_sz, wr->tso.mss))
		return -EINVAL;

	start = ORNIC_DATA_ETH + ornic_wqe_tso_room(wr->tso.hdr_sz);
	slots = ornic_wqe_sge_slots(start, count);
	if (!ornic_sq_has_room(sq, pi + slots))
		return -ENOMEM;

	hdr = ornic_sq_slot(sq, pi);
	hdr->ctrl = ornic_wqe_ctrl(IBV_WR_TSO, wr->send_flags,
				   start + count * sizeof(struct ornic_sge));
	hdr->imm = 0;
	hdr->wr_id = htole64(wr->wr_id);
	ornic_wr_put_sg_list(sq, ornic_tso_put(sq, hdr, wr->tso.hdr,
					       wr->tso.hdr_sz, wr->tso.mss),
			     wr->sg_list, count);
	return slots;
}

/*
 * Returns the number of slots of the WQE, or a negative errno without a write
 * to the ring.
 */
static ALWAYS_INLINE inline int ornic_wr_build(struct ornic_sq *sq,
					       uint32_t pi,
					       const struct ibv_send_wr *wr,
					       const enum ornic_wqe_kind kind)
{
	uint32_t opcode = wr->opcode;

	if (unlikely(opcode > IBV_WR_RDMA_READ)) {
		if (kind == ORNIC_WQE_UD)
			return -EINVAL;
		return kind == ORNIC_WQE_ETH ? ornic_wr_build_tso(sq, pi, wr) :
					       ornic_wr_build_rare(sq, pi, wr);
	}
	if (unlikely(!ornic_sq_takes(sq->ops, opcode)))
		return -EINVAL;
	if (unlikely(wr->send_flags & IBV_SEND_INLINE))
		return ornic_wr_build_small_inline(sq, pi, wr, opcode, kind);
	return ornic_wr_build_sges(sq, pi, wr, opcode, kind);
}

static ALWAYS_INLINE inline int
ornic_wr_post_list(struct ornic_qp *qp, struct ibv_send_wr *wr,
		   struct ibv_send_wr **bad_wr, const enum ornic_wqe_kind kind,
		   const bool shadow)
{
	struct ornic_sq *sq = &qp->sq;
	int ret = 0;
	uint32_t pi;

	ornic_lock(&sq->lock);
	for (pi = sq->pi; wr; wr = wr->next) {
		ret = ornic_wr_build(sq, pi, wr, kind);
		if (unlikely(ret < 0)) {
			*bad_wr = wr;
			break;
		}
		pi += ret;
		ret = 0;
	}

	/* Requests before a bad one are posted */
	if (likely(pi != sq->pi)) {
		sq->pi = pi;
		ornic_db_publish_sq(qp, shadow);
	}
	ornic_unlock(&sq->lock);

	return -ret;
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
	ci = ornic_index_read(&rq->dbr->rq_ci);
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

static ALWAYS_INLINE inline int ornic_wr_post_rq(struct ornic_rq *rq,
						 struct ibv_recv_wr *wr,
						 struct ibv_recv_wr **bad_wr)
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
	return ornic_wr_post_rq(&to_ornic_qp(ibqp)->rq, wr, bad_wr);
}

/*
 * Posts the list at @bad_wr after a resize. A resize begins between lists, so
 * this is the whole list.
 */
static __attribute__((noinline)) int
ornic_wr_post_srq_later(struct ornic_srq *srq, struct ibv_recv_wr **bad_wr)
{
	int ret;

	do {
		ornic_srq_wait(srq);
		ret = ornic_wr_post_rq(&srq->rq, *bad_wr, bad_wr);
	} while (ret == EAGAIN);
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
	struct ornic_srq *srq = to_ornic_srq(ibsrq);
	int ret;

	ret = ornic_wr_post_rq(&srq->rq, wr, bad_wr);
	if (unlikely(ret == EAGAIN))
		return ornic_wr_post_srq_later(srq, bad_wr);
	return ret;
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
	return ornic_wr_post_rq(&to_ornic_wq(ibwq)->rq, wr, bad_wr);
}
