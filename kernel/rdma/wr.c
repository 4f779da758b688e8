// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Work requests of kernel consumers */
#include <linux/overflow.h>

#include "ah.h"
#include "device.h"
#include "mr.h"
#include "qp.h"
#include "recv_ring.h"
#include "ringmem.h"
#include "srq.h"
#include "wqe.h"
#include "wr.h"

/* Opcodes of UC QPs (ORNIC specification, section 6.1) */
#define ORNIC_UC_OPS		(BIT_ULL(IB_WR_SEND) | BIT_ULL(IB_WR_SEND_WITH_IMM) | \
				 BIT_ULL(IB_WR_RDMA_WRITE) | \
				 BIT_ULL(IB_WR_RDMA_WRITE_WITH_IMM) | BIT_ULL(IB_WR_LOCAL_INV))

#define ORNIC_SEND_FLAGS	(IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED | \
				 IB_SEND_INLINE)

/* Both use the numbers of enum ibv_wr_opcode and enum ibv_send_flags */
static_assert((int)IB_WR_RDMA_WRITE == (int)ORNIC_WR_RDMA_WRITE);
static_assert((int)IB_WR_RDMA_WRITE_WITH_IMM == (int)ORNIC_WR_RDMA_WRITE_WITH_IMM);
static_assert((int)IB_WR_SEND == (int)ORNIC_WR_SEND);
static_assert((int)IB_WR_SEND_WITH_IMM == (int)ORNIC_WR_SEND_WITH_IMM);
static_assert((int)IB_WR_RDMA_READ == (int)ORNIC_WR_RDMA_READ);
static_assert((int)IB_WR_ATOMIC_CMP_AND_SWP == (int)ORNIC_WR_ATOMIC_CMP_SWP);
static_assert((int)IB_WR_ATOMIC_FETCH_AND_ADD == (int)ORNIC_WR_ATOMIC_FETCH_ADD);
static_assert((int)IB_WR_LOCAL_INV == (int)ORNIC_WR_LOCAL_INV);
static_assert((int)IB_WR_SEND_WITH_INV == (int)ORNIC_WR_SEND_WITH_INV);
static_assert((int)IB_WR_MASKED_ATOMIC_CMP_AND_SWP == (int)ORNIC_WR_MASKED_CMP_SWP);
static_assert((int)IB_WR_MASKED_ATOMIC_FETCH_AND_ADD == (int)ORNIC_WR_MASKED_FETCH_ADD);
static_assert((int)IB_WR_ATOMIC_WRITE == (int)ORNIC_WR_ATOMIC_WRITE);
static_assert((int)IB_WR_REG_MR == (int)ORNIC_WR_REG_MR);
static_assert(IB_SEND_FENCE == ORNIC_SEND_FENCE);
static_assert(IB_SEND_SIGNALED == ORNIC_SEND_SIGNALED);
static_assert(IB_SEND_SOLICITED == ORNIC_SEND_SOLICITED);
static_assert(IB_SEND_INLINE == ORNIC_SEND_INLINE);

static void ornic_wr_put_route_rc(struct ornic_wqe_writer *w, u64 raddr, u32 rkey)
{
	struct ornic_route_rc route = {
		.raddr = cpu_to_le64(raddr),
		.rkey = cpu_to_le32(rkey),
	};

	ornic_wqe_put(w, &route, sizeof(route));
}

static void ornic_wr_put_route_ud(struct ornic_wqe_writer *w, const struct ib_ud_wr *wr)
{
	struct ornic_route_ud route = {
		.dqpn = cpu_to_le32(wr->remote_qpn),
		.qkey = cpu_to_le32(wr->remote_qkey),
		.av = to_ornic_ah(wr->ah)->av,
	};

	ornic_wqe_put(w, &route, sizeof(route));
}

static void ornic_wr_put_atomic(struct ornic_wqe_writer *w, const struct ib_atomic_wr *wr,
				bool swap)
{
	struct ornic_atomic atomic = {
		.swap_add = cpu_to_le64(swap ? wr->swap : wr->compare_add),
		.compare = cpu_to_le64(swap ? wr->compare_add : 0),
	};

	ornic_wr_put_route_rc(w, wr->remote_addr, wr->rkey);
	ornic_wqe_put(w, &atomic, sizeof(atomic));
}

static void ornic_wr_put_masked_atomic(struct ornic_wqe_writer *w, const struct ib_atomic_wr *wr,
				       bool swap)
{
	struct ornic_atomic_mask mask = {
		.swap_add_mask = cpu_to_le64(swap ? wr->swap_mask : wr->compare_add_mask),
		.compare_mask = cpu_to_le64(swap ? wr->compare_add_mask : 0),
	};

	ornic_wr_put_atomic(w, wr, swap);
	ornic_wqe_put(w, &mask, sizeof(mask));
}

static int ornic_wr_put_reg_mr(struct ornic_wqe_writer *w, struct ornic_ib_dev *dev,
			       const struct ib_reg_wr *wr)
{
	struct ornic_mr *mr = to_ornic_mr(wr->mr);
	struct ornic_reg_mr reg = {
		.key = cpu_to_le32(wr->key),
		.iova = cpu_to_le64(mr->ibmr.iova),
		.length = cpu_to_le64(mr->ibmr.length),
		.buf = {
			.addr = mr->pbl.buf.addr,
			.npages = cpu_to_le32(mr->npages),
			.page_shift = ilog2(mr->ibmr.page_size),
			.levels = 1,
		},
	};
	u32 access;
	int err;

	err = ornic_mr_access(dev, wr->access, &access);
	if (err)
		return err;

	reg.access = cpu_to_le32(access);
	ornic_wr_put_route_rc(w, 0, 0);
	ornic_wqe_put(w, &reg, sizeof(reg));
	return 0;
}

static int ornic_wr_put_connected(struct ornic_wqe_writer *w, struct ornic_ib_dev *dev,
				  const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		ornic_wr_put_route_rc(w, 0, 0);
		return 0;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
	case IB_WR_ATOMIC_WRITE:
		ornic_wr_put_route_rc(w, rdma_wr(wr)->remote_addr, rdma_wr(wr)->rkey);
		return 0;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		ornic_wr_put_atomic(w, atomic_wr(wr), wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP);
		return 0;
	case IB_WR_MASKED_ATOMIC_CMP_AND_SWP:
	case IB_WR_MASKED_ATOMIC_FETCH_AND_ADD:
		ornic_wr_put_masked_atomic(w, atomic_wr(wr),
					   wr->opcode == IB_WR_MASKED_ATOMIC_CMP_AND_SWP);
		return 0;
	case IB_WR_REG_MR:
		return ornic_wr_put_reg_mr(w, dev, reg_wr(wr));
	default:
		/* Includes FLUSH, whose range does not fit struct ib_send_wr */
		return -EINVAL;
	}
}

static int ornic_wr_put_route(struct ornic_wqe_writer *w, struct ornic_ib_dev *dev,
			      const struct ornic_qp *qp, const struct ib_send_wr *wr)
{
	if (ornic_qp_is_ud(qp)) {
		if (wr->opcode != IB_WR_SEND && wr->opcode != IB_WR_SEND_WITH_IMM)
			return -EINVAL;
		ornic_wr_put_route_ud(w, ud_wr(wr));
		return 0;
	}

	if (qp->ibqp.qp_type == IB_QPT_UC &&
	    (wr->opcode >= 64 || !(ORNIC_UC_OPS & BIT_ULL(wr->opcode))))
		return -EINVAL;

	return ornic_wr_put_connected(w, dev, wr);
}

/* Some opcodes fix the number of SGEs (ORNIC specification, [ORNIC-SQ-10]) */
static bool ornic_wr_count_is_ok(const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_LOCAL_INV:
	case IB_WR_REG_MR:
		return !wr->num_sge;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
	case IB_WR_MASKED_ATOMIC_CMP_AND_SWP:
	case IB_WR_MASKED_ATOMIC_FETCH_AND_ADD:
		return wr->num_sge == 1 && !(wr->send_flags & IB_SEND_INLINE);
	case IB_WR_RDMA_READ:
		return !(wr->send_flags & IB_SEND_INLINE);
	default:
		return wr->num_sge >= 0;
	}
}

/* SGEs of inline data have kernel addresses and no keys */
static int ornic_wr_put_inline(struct ornic_wqe_writer *w, const struct ornic_qp *qp,
			       const struct ib_send_wr *wr)
{
	u32 total = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > qp->cap.max_inline_data - total)
			return -EINVAL;
		ornic_wqe_put(w, (const void *)(uintptr_t)sge->addr, sge->length);
		total += sge->length;
	}
	return 0;
}

static int ornic_wr_put_sges(struct ornic_wqe_writer *w, const struct ornic_qp *qp,
			     const struct ib_send_wr *wr)
{
	int i;

	if (wr->num_sge > qp->cap.max_send_sge)
		return -EINVAL;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];
		struct ornic_sge hw = ornic_sge_make(sge->addr, sge->length, sge->lkey);

		ornic_wqe_put(w, &hw, sizeof(hw));
	}
	return 0;
}

static void ornic_wr_set_imm(struct ornic_sq_hdr *hdr, const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		hdr->imm = wr->ex.imm_data;
		break;
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		hdr->inv_key = cpu_to_le32(wr->ex.invalidate_rkey);
		break;
	default:
		break;
	}
}

static int ornic_wr_post_send(struct ornic_ib_dev *dev, struct ornic_qp *qp,
			      const struct ib_send_wr *wr)
{
	struct ornic_qp_queue *sq = &qp->sq;
	/* Pairs with the release of ci, after the record was read */
	u32 used = sq->pi - smp_load_acquire(&sq->ci);
	struct ornic_wqe_writer w, head;
	struct ornic_sq_hdr hdr = {};
	int err;
	u32 end;

	if (!sq->ring || used + qp->wqe_slots > sq->mask + 1)
		return -ENOMEM;
	if (wr->send_flags & ~ORNIC_SEND_FLAGS ||
	    !ornic_has_op(&dev->odev->lim, wr->opcode) || !ornic_wr_count_is_ok(wr))
		return -EINVAL;

	head = ornic_wqe_begin(sq->ring, sq->mask, sq->pi);
	w = head;
	w.pos += sizeof(hdr);
	err = ornic_wr_put_route(&w, dev, qp, wr);
	if (err)
		return err;

	if (wr->send_flags & IB_SEND_INLINE)
		err = ornic_wr_put_inline(&w, qp, wr);
	else
		err = ornic_wr_put_sges(&w, qp, wr);
	if (err)
		return err;

	end = ornic_wqe_end(&w, sq->pi);
	hdr.ctrl = cpu_to_le32(ORNIC_SQ_CTRL((u32)wr->opcode, (u32)wr->send_flags,
					     ornic_wqe_length(&w, sq->pi)));
	ornic_wr_set_imm(&hdr, wr);
	hdr.wr_id = cpu_to_le64(sq->head);
	ornic_wqe_put(&head, &hdr, sizeof(hdr));

	sq->wrs[sq->head & sq->mask] = (struct ornic_wr) { .wr_id = wr->wr_id, .end = end };
	sq->pi = end;
	/* ornic_ib_poll_cq() may read the record from now on */
	smp_store_release(&sq->head, sq->head + 1);
	return 0;
}

/*
 * Has consumers of a dead device poll after a work request was posted, because
 * poll_cq flushes it. Either this sees that the device is dead, or the work that
 * ornic_ib_death() queues sees the work request.
 */
static void ornic_wr_check_dead(struct ornic_ib_dev *dev)
{
	/* Post before reading dead; pairs with ornic_ib_death() */
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
			err = ornic_wr_post_send(dev, qp, wr);
			if (err)
				break;
		}
	}
	if (err)
		*bad_wr = wr;
	if (qp->sq.pi != pi) {
		ornic_ring_sq(dev->odev, qp->dbr, qp->res.num, qp->slot, qp->sq.pi);
		ornic_wr_check_dead(dev);
	}
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	return err;
}

/* Bytes that a receive can hold */
static u32 ornic_wr_recv_room(const struct ib_recv_wr *wr)
{
	u32 room = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		if (check_add_overflow(room, wr->sg_list[i].length, &room))
			return U32_MAX;
	return room;
}

static void ornic_wr_put_recv(struct ornic_rq_hdr *hdr, const struct ib_recv_wr *wr, u32 number)
{
	struct ornic_sge *sge = (struct ornic_sge *)(hdr + 1);
	int i;

	for (i = 0; i < wr->num_sge; i++)
		sge[i] = ornic_sge_make(wr->sg_list[i].addr, wr->sg_list[i].length,
					wr->sg_list[i].lkey);
	*hdr = (struct ornic_rq_hdr) {
		.ctrl = cpu_to_le32(ORNIC_PREP(ORNIC_RQ_COUNT, (u32)wr->num_sge)),
		.wr_id = cpu_to_le64(ORNIC_WR_RECV | number),
	};
}

static int ornic_wr_post_recv(struct ornic_qp *qp, const struct ib_recv_wr *wr)
{
	struct ornic_qp_queue *rq = &qp->rq;
	/* Pairs with the release of ci, after the record was read */
	u32 used = rq->pi - smp_load_acquire(&rq->ci);

	if (!rq->ring || used > rq->mask)
		return -ENOMEM;
	if (wr->num_sge < 0 || wr->num_sge > qp->cap.max_recv_sge)
		return -EINVAL;

	ornic_wr_put_recv(rq->ring + ((size_t)(rq->pi & rq->mask) << qp->geo.rq_stride_shift), wr,
			  rq->head);
	rq->wrs[rq->head & rq->mask] = (struct ornic_wr) {
		.wr_id = wr->wr_id,
		.end = rq->pi + 1,
		.room = ornic_wr_recv_room(wr),
	};
	rq->pi++;
	/* ornic_ib_poll_cq() may read the record from now on */
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
			err = ornic_wr_post_recv(qp, wr);
			if (err)
				break;
		}
	}
	if (err)
		*bad_wr = wr;
	if (qp->rq.pi != pi) {
		ornic_publish_rq(dev->odev, qp->dbr, ORNIC_DB_RQ, qp->res.num, qp->rq.pi);
		ornic_wr_check_dead(dev);
	}
	spin_unlock_irqrestore(&qp->rq.lock, flags);
	return err;
}

static int ornic_wr_post_srq_recv(struct ornic_srq *srq, const struct ib_recv_wr *wr)
{
	u32 pos = srq->pi & (srq->recvs.size - 1);
	u32 number;

	if (wr->num_sge < 0 || wr->num_sge > srq->max_sge)
		return -EINVAL;
	if (!ornic_recvs_get(&srq->recvs, wr->wr_id, ornic_wr_recv_room(wr), &number))
		return -ENOMEM;

	ornic_wr_put_recv(srq->ring.mem->addr + ((size_t)pos << srq->stride_shift), wr, number);
	srq->pi++;
	return 0;
}

/* Receives of an SRQ belong to no QP yet, so a dead device flushes none */
int ornic_ib_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			   const struct ib_recv_wr **bad_wr)
{
	struct ornic_srq *srq = to_ornic_srq(ibsrq);
	unsigned long flags;
	int err = 0;
	u32 pi;

	spin_lock_irqsave(&srq->lock, flags);
	pi = srq->pi;
	for (; wr; wr = wr->next) {
		err = ornic_wr_post_srq_recv(srq, wr);
		if (err)
			break;
	}
	if (err)
		*bad_wr = wr;
	if (srq->pi != pi)
		ornic_publish_rq(to_ornic_ib_dev(ibsrq->device)->odev,
				 srq->ring.mem->addr + srq->ring.dbr_offset, ORNIC_DB_SRQ,
				 srq->res.num, srq->pi);
	spin_unlock_irqrestore(&srq->lock, flags);
	return err;
}
