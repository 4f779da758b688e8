// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receive work requests of kernel consumers */
#include <linux/overflow.h>

#include "device.h"
#include "qp.h"
#include "recvs.h"
#include "ringmem.h"
#include "srq.h"
#include "wqe.h"
#include "wr.h"
#include "wr_recv.h"

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
