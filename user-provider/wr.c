// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

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
static_assert((int)IBV_SEND_FENCE == ORNIC_SEND_FENCE, "flags");
static_assert((int)IBV_SEND_SIGNALED == ORNIC_SEND_SIGNALED, "flags");
static_assert((int)IBV_SEND_SOLICITED == ORNIC_SEND_SOLICITED, "flags");
static_assert((int)IBV_SEND_INLINE == ORNIC_SEND_INLINE, "flags");

/* An atomic has its arguments elsewhere in struct ibv_send_wr. */
static void ornic_put_atomic_wr(struct ornic_route_rc *route,
				const struct ibv_send_wr *wr)
{
	struct ornic_atomic *atomic = (void *)(route + 1);

	ornic_put_route_rc(route, wr->wr.atomic.remote_addr,
			   wr->wr.atomic.rkey);
	if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP)
		ornic_put_atomic(atomic, wr->wr.atomic.swap,
				 wr->wr.atomic.compare_add);
	else
		ornic_put_atomic(atomic, wr->wr.atomic.compare_add, 0);
}

static ALWAYS_INLINE inline void ornic_put_sg_list(struct ornic_sq *sq,
						   struct ornic_sge *dst,
						   const struct ibv_sge *sg,
						   uint32_t num)
{
	const struct ibv_sge *last = sg + num;

	for (; sg != last; sg++) {
		if (unlikely((uint8_t *)dst == sq->end))
			dst = (struct ornic_sge *)sq->ring;
		ornic_put_sge(dst++, sg->addr, sg->length, sg->lkey);
	}
}

/*
 * Returns the slots that the WQE took, or a negative errno, and then nothing
 * was written.
 */
static ALWAYS_INLINE inline int ornic_build_wqe(struct ornic_sq *sq,
						uint32_t pi,
						const struct ibv_send_wr *wr,
						const bool ud)
{
	uint32_t count = wr->num_sge;
	uint32_t data = ud ? ORNIC_DATA_UD : ORNIC_DATA_RC;
	uint32_t opcode = wr->opcode;
	uint32_t bytes, slots;
	struct ornic_sq_hdr *hdr;
	bool atomic = false;
	uint8_t *dst;

	/* Opcode, type and state of the QP in one test */
	if (unlikely(opcode >= 64 || !((sq->ops >> opcode) & 1)))
		return -EINVAL;

	if (!ud && unlikely(opcode >= IBV_WR_ATOMIC_CMP_AND_SWP)) {
		atomic = true;
		data = ORNIC_DATA_ATOMIC;
	}

	if (wr->send_flags & IBV_SEND_INLINE) {
		if (unlikely(!ornic_inline_length(sq, opcode, wr->sg_list,
						  wr->num_sge, &count)))
			return -EINVAL;
		bytes = count;
	} else {
		if (unlikely(count > sq->max_sge))
			return -EINVAL;
		bytes = count * sizeof(struct ornic_sge);
	}

	slots = ornic_slots(data + bytes);
	if (unlikely(!ornic_sq_has_room(sq, pi, slots)))
		return -ENOMEM;

	hdr = ornic_slot(sq, pi);
	hdr->ctrl = htole32(ORNIC_PREP(ORNIC_SQ_OPCODE, opcode) |
			    ORNIC_PREP(ORNIC_SQ_FLAGS, wr->send_flags) |
			    ORNIC_PREP(ORNIC_SQ_COUNT, count));
	hdr->imm = wr->imm_data;
	hdr->wr_id = htole64(wr->wr_id);

	if (ud) {
		ornic_put_route_ud((void *)(hdr + 1), wr->wr.ud.ah,
				   wr->wr.ud.remote_qpn,
				   wr->wr.ud.remote_qkey);
		dst = ornic_slot(sq, pi + 1);
	} else if (unlikely(atomic)) {
		ornic_put_atomic_wr((void *)(hdr + 1), wr);
		dst = (uint8_t *)hdr + data;
	} else {
		/* A SEND has no route; what is there does not matter */
		ornic_put_route_rc((void *)(hdr + 1), wr->wr.rdma.remote_addr,
				   wr->wr.rdma.rkey);
		dst = (uint8_t *)hdr + data;
	}

	if (wr->send_flags & IBV_SEND_INLINE)
		ornic_put_inline_list(sq, dst, wr->sg_list, wr->num_sge);
	else
		ornic_put_sg_list(sq, (void *)dst, wr->sg_list, count);
	return slots;
}

static ALWAYS_INLINE inline int ornic_post_list(struct ornic_qp *qp,
						struct ibv_send_wr *wr,
						struct ibv_send_wr **bad_wr,
						const bool ud)
{
	struct ornic_sq *sq = &qp->sq;
	uint32_t pi = sq->pi;
	int ret = 0;

	for (; wr; wr = wr->next) {
		ret = ornic_build_wqe(sq, pi, wr, ud);
		if (unlikely(ret < 0)) {
			*bad_wr = wr;
			break;
		}
		pi += ret;
		ret = 0;
	}

	/* Those before a bad one are good */
	if (likely(pi != sq->pi)) {
		sq->pi = pi;
		ornic_publish_sq(qp);
	}
	return -ret;
}

/**
 * ornic_post_send() - post a list of send work requests
 * @ibqp: queue pair
 * @wr: list
 * @bad_wr: the first that was not posted, on error
 *
 * Return: 0; EINVAL for a request that this QP cannot take, or not in its
 * state; ENOMEM if the queue is full.
 */
int ornic_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr)
{
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	int ret;

	ornic_lock(&qp->sq.lock);
	if (qp->ud)
		ret = ornic_post_list(qp, wr, bad_wr, true);
	else
		ret = ornic_post_list(qp, wr, bad_wr, false);
	ornic_unlock(&qp->sq.lock);

	return ret;
}

static inline int ornic_check_recv(struct ornic_rq *rq, uint32_t pi,
				   const struct ibv_recv_wr *wr)
{
	if (unlikely((uint32_t)wr->num_sge > rq->max_sge))
		return EINVAL;

	if (likely(pi - rq->ci < rq->limit))
		return 0;

	/* In RESET there is no receive queue yet */
	if (!rq->limit && rq->max_wr)
		return EINVAL;
	rq->ci = ornic_read_index(&rq->dbr->rq_ci);
	return pi - rq->ci < rq->limit ? 0 : ENOMEM;
}

/**
 * ornic_post_recv() - post a list of receive work requests
 * @ibqp: queue pair
 * @wr: list
 * @bad_wr: the first that was not posted, on error
 *
 * Return: 0; EINVAL for too many SGEs or in RESET; ENOMEM if the queue is full.
 */
int ornic_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr)
{
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	struct ornic_rq *rq = &qp->rq;
	struct ornic_rq_hdr *hdr;
	struct ornic_sge *sge;
	int ret = 0;
	uint32_t pi;
	int i;

	ornic_lock(&rq->lock);
	for (pi = rq->pi; wr; wr = wr->next, pi++) {
		ret = ornic_check_recv(rq, pi, wr);
		if (unlikely(ret)) {
			*bad_wr = wr;
			break;
		}

		hdr = (void *)(rq->ring +
			       ((size_t)(pi & rq->mask) << rq->stride_shift));
		hdr->ctrl = htole32(wr->num_sge);
		hdr->rsvd = 0;
		hdr->wr_id = htole64(wr->wr_id);
		sge = (struct ornic_sge *)(hdr + 1);
		for (i = 0; i < wr->num_sge; i++)
			ornic_put_sge(&sge[i], wr->sg_list[i].addr,
				      wr->sg_list[i].length,
				      wr->sg_list[i].lkey);
	}

	if (likely(pi != rq->pi)) {
		rq->pi = pi;
		ornic_write_index(&rq->dbr->rq_pi, pi);
	}
	ornic_unlock(&rq->lock);

	return ret;
}
