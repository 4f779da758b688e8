// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting by kernel consumers.
 */
#include <linux/overflow.h>

#include "ornic_rdma.h"
#include "ring.h"
#include "wqe.h"

#define ORNIC_SEND_FLAGS	(IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED | \
				 IB_SEND_INLINE)

/* The numbers of both are those of enum ibv_wr_opcode and enum ibv_send_flags */
static_assert((int)IB_WR_RDMA_WRITE == (int)ORNIC_WR_RDMA_WRITE);
static_assert((int)IB_WR_RDMA_WRITE_WITH_IMM == (int)ORNIC_WR_RDMA_WRITE_WITH_IMM);
static_assert((int)IB_WR_SEND == (int)ORNIC_WR_SEND);
static_assert((int)IB_WR_SEND_WITH_IMM == (int)ORNIC_WR_SEND_WITH_IMM);
static_assert((int)IB_WR_RDMA_READ == (int)ORNIC_WR_RDMA_READ);
static_assert((int)IB_WR_ATOMIC_CMP_AND_SWP == (int)ORNIC_WR_ATOMIC_CMP_SWP);
static_assert((int)IB_WR_ATOMIC_FETCH_AND_ADD == (int)ORNIC_WR_ATOMIC_FETCH_ADD);
static_assert(IB_SEND_FENCE == ORNIC_SEND_FENCE);
static_assert(IB_SEND_SIGNALED == ORNIC_SEND_SIGNALED);
static_assert(IB_SEND_SOLICITED == ORNIC_SEND_SOLICITED);
static_assert(IB_SEND_INLINE == ORNIC_SEND_INLINE);

static void ornic_put_route_rc(struct ornic_wqe_writer *w, u64 raddr, u32 rkey)
{
	struct ornic_route_rc route = {
		.raddr = cpu_to_le64(raddr),
		.rkey = cpu_to_le32(rkey),
	};

	ornic_wqe_put(w, &route, sizeof(route));
}

static void ornic_put_route_ud(struct ornic_wqe_writer *w, const struct ib_ud_wr *wr)
{
	struct ornic_route_ud route = {
		.dqpn = cpu_to_le32(wr->remote_qpn),
		.qkey = cpu_to_le32(wr->remote_qkey),
		.av = to_ornic_ah(wr->ah)->av,
	};

	ornic_wqe_put(w, &route, sizeof(route));
}

static void ornic_put_atomic(struct ornic_wqe_writer *w, const struct ib_atomic_wr *wr)
{
	bool swap = wr->wr.opcode == IB_WR_ATOMIC_CMP_AND_SWP;
	struct ornic_atomic atomic = {
		.swap_add = cpu_to_le64(swap ? wr->swap : wr->compare_add),
		.compare = cpu_to_le64(swap ? wr->compare_add : 0),
	};

	ornic_wqe_put(w, &atomic, sizeof(atomic));
}

static int ornic_put_route(struct ornic_wqe_writer *w, const struct ornic_qp *qp,
			   const struct ib_send_wr *wr)
{
	if (qp->ibqp.qp_type != IB_QPT_RC) {
		if (wr->opcode != IB_WR_SEND && wr->opcode != IB_WR_SEND_WITH_IMM)
			return -EINVAL;
		ornic_put_route_ud(w, ud_wr(wr));
		return 0;
	}

	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		ornic_put_route_rc(w, 0, 0);
		return 0;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		ornic_put_route_rc(w, rdma_wr(wr)->remote_addr, rdma_wr(wr)->rkey);
		return 0;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		if (wr->num_sge != 1 || wr->send_flags & IB_SEND_INLINE)
			return -EINVAL;
		ornic_put_route_rc(w, atomic_wr(wr)->remote_addr, atomic_wr(wr)->rkey);
		ornic_put_atomic(w, atomic_wr(wr));
		return 0;
	default:
		return -EINVAL;
	}
}

/* The memory of inline data is named by its address in the kernel, not by a key */
static int ornic_put_inline(struct ornic_wqe_writer *w, const struct ornic_qp *qp,
			    const struct ib_send_wr *wr, u32 *count)
{
	u32 total = 0;
	int i;

	if (wr->opcode == IB_WR_RDMA_READ)
		return -EINVAL;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > qp->cap.max_inline_data - total)
			return -EINVAL;
		ornic_wqe_put(w, (const void *)(uintptr_t)sge->addr, sge->length);
		total += sge->length;
	}
	*count = total;
	return 0;
}

static int ornic_put_sges(struct ornic_wqe_writer *w, const struct ornic_qp *qp,
			  const struct ib_send_wr *wr, u32 *count)
{
	int i;

	if (wr->num_sge > qp->cap.max_send_sge)
		return -EINVAL;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];
		struct ornic_sge hw = ornic_sge_make(sge->addr, sge->length, sge->lkey);

		ornic_wqe_put(w, &hw, sizeof(hw));
	}
	*count = wr->num_sge;
	return 0;
}

static __be32 ornic_wr_imm(const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return wr->ex.imm_data;
	default:
		return 0;
	}
}

static int ornic_post_one_send(struct ornic_ib_dev *dev, struct ornic_qp *qp,
			       const struct ib_send_wr *wr)
{
	struct ornic_wq *sq = &qp->sq;
	/* Pairs with the release of ci, after the note was read */
	u32 used = sq->pi - smp_load_acquire(&sq->ci);
	struct ornic_wqe_writer w, head;
	struct ornic_sq_hdr hdr = {};
	u32 count, end;
	int err;

	if (!sq->ring || sq->mask + 1 - used < qp->wqe_slots)
		return -ENOMEM;
	if (wr->send_flags & ~ORNIC_SEND_FLAGS || wr->num_sge < 0 ||
	    wr->opcode >= 64 || !(dev->odev->lim.send_ops & BIT_ULL(wr->opcode)))
		return -EINVAL;

	head = ornic_wqe_begin(sq->ring, sq->mask, sq->pi);
	w = head;
	w.pos += sizeof(hdr);
	err = ornic_put_route(&w, qp, wr);
	if (err)
		return err;

	if (wr->send_flags & IB_SEND_INLINE)
		err = ornic_put_inline(&w, qp, wr, &count);
	else
		err = ornic_put_sges(&w, qp, wr, &count);
	if (err)
		return err;

	end = ornic_wqe_end(&w, sq->pi);
	hdr.ctrl = cpu_to_le32(ORNIC_PREP(ORNIC_SQ_OPCODE, (u32)wr->opcode) |
			       ORNIC_PREP(ORNIC_SQ_FLAGS, (u32)wr->send_flags) |
			       ORNIC_PREP(ORNIC_SQ_COUNT, count));
	hdr.imm = ornic_wr_imm(wr);
	hdr.wr_id = cpu_to_le64(sq->head);
	ornic_wqe_put(&head, &hdr, sizeof(hdr));

	sq->wrs[sq->head & sq->mask] = (struct ornic_wr) { .wr_id = wr->wr_id, .end = end };
	sq->pi = end;
	/* Poll may take the note from now on */
	smp_store_release(&sq->head, sq->head + 1);
	return 0;
}

/*
 * The device does not look any more: have the consumers polled, which flushes.
 * Either this sees that the device is dead or the work that is queued after
 * that was written sees what was posted.
 */
static void ornic_post_check_dead(struct ornic_ib_dev *dev)
{
	/* What was posted before the look at dead */
	smp_mb();
	if (unlikely(READ_ONCE(dev->dead)))
		queue_work(ib_wq, &dev->flush_work);
}

int ornic_ib_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad_wr)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	unsigned long flags;
	int err = 0;
	u32 pi;

	spin_lock_irqsave(&qp->sq.lock, flags);
	pi = qp->sq.pi;
	switch (READ_ONCE(qp->state)) {
	case IB_QPS_RESET:
	case IB_QPS_INIT:
	case IB_QPS_RTR:
		err = -EINVAL;
		break;
	default:
		for (; wr; wr = wr->next) {
			err = ornic_post_one_send(dev, qp, wr);
			if (err)
				break;
		}
	}
	if (err)
		*bad_wr = wr;
	if (qp->sq.pi != pi) {
		ornic_ring_sq(dev->odev, qp->dbr, qp->res.num, qp->slot, qp->sq.pi);
		ornic_post_check_dead(dev);
	}
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	return err;
}

static int ornic_post_one_recv(struct ornic_qp *qp, const struct ib_recv_wr *wr)
{
	struct ornic_wq *rq = &qp->rq;
	struct ornic_rq_hdr *hdr;
	struct ornic_sge *sge;
	/* Pairs with the release of ci, after the note was read */
	u32 used = rq->pi - smp_load_acquire(&rq->ci);
	u32 room = 0;
	int i;

	if (!rq->ring || used > rq->mask)
		return -ENOMEM;
	if (wr->num_sge < 0 || wr->num_sge > qp->cap.max_recv_sge)
		return -EINVAL;

	hdr = rq->ring + ((size_t)(rq->pi & rq->mask) << qp->geo.rq_stride_shift);
	sge = (struct ornic_sge *)(hdr + 1);
	for (i = 0; i < wr->num_sge; i++) {
		sge[i] = ornic_sge_make(wr->sg_list[i].addr, wr->sg_list[i].length,
					wr->sg_list[i].lkey);
		if (check_add_overflow(room, wr->sg_list[i].length, &room))
			room = U32_MAX;
	}
	*hdr = (struct ornic_rq_hdr) {
		.ctrl = cpu_to_le32(ORNIC_PREP(ORNIC_RQ_COUNT, (u32)wr->num_sge)),
		.wr_id = cpu_to_le64(ORNIC_WR_RECV | rq->head),
	};

	rq->wrs[rq->head & rq->mask] = (struct ornic_wr) {
		.wr_id = wr->wr_id,
		.end = rq->pi + 1,
		.room = room,
	};
	rq->pi++;
	/* Poll may take the note from now on */
	smp_store_release(&rq->head, rq->head + 1);
	return 0;
}

int ornic_ib_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad_wr)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	unsigned long flags;
	int err = 0;
	u32 pi;

	spin_lock_irqsave(&qp->rq.lock, flags);
	pi = qp->rq.pi;
	if (READ_ONCE(qp->state) == IB_QPS_RESET) {
		err = -EINVAL;
	} else {
		for (; wr; wr = wr->next) {
			err = ornic_post_one_recv(qp, wr);
			if (err)
				break;
		}
	}
	if (err)
		*bad_wr = wr;
	if (qp->rq.pi != pi) {
		ornic_publish_rq(qp->dbr, qp->rq.pi);
		ornic_post_check_dead(dev);
	}
	spin_unlock_irqrestore(&qp->rq.lock, flags);
	return err;
}
