// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completions of kernel consumers.
 *
 * The device is not trusted: a completion that names no QP of this CQ, or a
 * work request that is not outstanding, stops it. Checked values are read once,
 * because the device might change them. When the device is dead, outstanding
 * work requests complete here as flushed.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>

#include "cq.h"
#include "device.h"
#include "qp.h"
#include "recv_ring.h"
#include "srq.h"
#include "wr.h"

static struct ornic_qp *ornic_cq_find_qp(struct ornic_cq *cq, u32 qpn)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(cq->ibcq.device);
	struct ornic_qp *qp;

	lockdep_assert_held(&cq->lock);

	/*
	 * The lock of the table keeps its QPs alive. A QP that completes here
	 * stays alive after that, because ornic_qp_detach() needs the lock of
	 * this CQ.
	 */
	xa_lock(&dev->qps);
	qp = xa_load(&dev->qps, qpn);
	if (qp && qp->ibqp.send_cq != &cq->ibcq && qp->ibqp.recv_cq != &cq->ibcq)
		qp = NULL;
	xa_unlock(&dev->qps);
	return qp;
}

static bool ornic_qp_queue_retire(struct ornic_qp_queue *queue, u32 number, struct ornic_wr *wr)
{
	/* Pairs with the release of head: the record is complete */
	if (number - queue->tail >= smp_load_acquire(&queue->head) - queue->tail)
		return false;

	*wr = queue->wrs[number & queue->mask];
	queue->tail = number + 1;
	/* The record may be overwritten from now on */
	smp_store_release(&queue->ci, wr->end);
	return true;
}

static bool ornic_srq_retire(struct ornic_srq *srq, u32 number, struct ornic_wr *wr)
{
	struct ornic_recv recv;
	unsigned long flags;
	bool posted;

	spin_lock_irqsave(&srq->lock, flags);
	posted = ornic_recvs_put(&srq->recvs, number, &recv);
	spin_unlock_irqrestore(&srq->lock, flags);
	if (posted)
		*wr = (struct ornic_wr) { .wr_id = recv.wr_id, .room = recv.room };
	return posted;
}

static bool ornic_qp_retire(struct ornic_qp *qp, bool recv, u32 number, struct ornic_wr *wr)
{
	if (recv && qp->ibqp.srq)
		return ornic_srq_retire(to_ornic_srq(qp->ibqp.srq), number, wr);

	return ornic_qp_queue_retire(recv ? &qp->rq : &qp->sq, number, wr);
}

static int ornic_wc_opcode(u32 opcode)
{
	switch (opcode) {
	case ORNIC_WC_SEND:
		return IB_WC_SEND;
	case ORNIC_WC_RDMA_WRITE:
		return IB_WC_RDMA_WRITE;
	case ORNIC_WC_RDMA_READ:
		return IB_WC_RDMA_READ;
	case ORNIC_WC_COMP_SWAP:
		return IB_WC_COMP_SWAP;
	case ORNIC_WC_FETCH_ADD:
		return IB_WC_FETCH_ADD;
	case ORNIC_WC_LOCAL_INV:
		return IB_WC_LOCAL_INV;
	case ORNIC_WC_ATOMIC_WRITE:
		return IB_WC_ATOMIC_WRITE;
	case ORNIC_WC_REG_MR:
		return IB_WC_REG_MR;
	case ORNIC_WC_MASKED_COMP_SWAP:
		return IB_WC_MASKED_COMP_SWAP;
	case ORNIC_WC_MASKED_FETCH_ADD:
		return IB_WC_MASKED_FETCH_ADD;
	case ORNIC_WC_RECV:
		return IB_WC_RECV;
	case ORNIC_WC_RECV_RDMA_WITH_IMM:
		return IB_WC_RECV_RDMA_WITH_IMM;
	default:
		return -EINVAL;
	}
}

static void ornic_wc_fill_ext(struct ib_wc *wc, const struct ornic_cqe_ext *ext)
{
	u16 vlan_id = le16_to_cpu(ext->vlan_tci) & VLAN_VID_MASK;
	u16 flags = le16_to_cpu(ext->flags);

	wc->sl = ext->sl;
	/* The core finds no GID for VID 0, which is the tag of a priority and no VLAN (802.1Q) */
	if (flags & ORNIC_CQE_EXT_VLAN && vlan_id) {
		wc->wc_flags |= IB_WC_WITH_VLAN;
		wc->vlan_id = vlan_id;
	}
	if (flags & ORNIC_CQE_EXT_SMAC) {
		wc->wc_flags |= IB_WC_WITH_SMAC;
		ether_addr_copy(wc->smac, ext->smac);
	}
}

static void ornic_wc_fill(struct ornic_cq *cq, const struct ornic_cqe *cqe, bool recv, u32 room,
			  struct ib_wc *wc)
{
	u32 flags = ORNIC_GET(ORNIC_CQE_FLAGS, le32_to_cpu(cqe->qpn));
	u32 status = le32_to_cpu(READ_ONCE(cqe->status));
	int opcode = ornic_wc_opcode(le32_to_cpu(READ_ONCE(cqe->opcode)));

	wc->opcode = recv ? IB_WC_RECV : IB_WC_SEND;
	/* Both use the numbers of enum ibv_wc_status */
	wc->status = min_t(u32, status, IB_WC_GENERAL_ERR);
	if (wc->status != IB_WC_SUCCESS) {
		wc->vendor_err = le32_to_cpu(cqe->vendor_err);
		return;
	}
	if (opcode < 0 || !!(opcode & IB_WC_RECV) != recv) {
		wc->status = IB_WC_GENERAL_ERR;
		return;
	}

	wc->opcode = opcode;
	wc->byte_len = le32_to_cpu(READ_ONCE(cqe->byte_len));
	/* Consumers access that many bytes of what they posted */
	if (opcode == IB_WC_RECV && wc->byte_len > room) {
		wc->status = IB_WC_GENERAL_ERR;
		return;
	}
	if (!recv)
		return;

	wc->src_qp = le32_to_cpu(cqe->src_qp) & ORNIC_CQE_QPN;
	if (flags & ORNIC_WC_GRH) {
		wc->wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->network_hdr_type = flags & ORNIC_WC_IPV4 ? RDMA_NETWORK_IPV4 :
							       RDMA_NETWORK_IPV6;
	}
	if (flags & ORNIC_WC_WITH_IMM) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = cqe->imm;
	} else if (flags & ORNIC_WC_WITH_INV) {
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = le32_to_cpu(cqe->inv_key);
	}
	if (cq->ring.log_cqe_size > ilog2(sizeof(*cqe)))
		ornic_wc_fill_ext(wc, ornic_cqe_ext(cqe));
}

/* Takes the record of a completed work request; returns whether there is one */
static bool ornic_cq_retire(struct ornic_cq *cq, u32 qpn, u64 wr_id, struct ornic_qp **qp,
			    struct ornic_wr *wr)
{
	bool recv = wr_id & ORNIC_WR_RECV;
	struct ib_cq *ibcq;

	if (!*qp || (*qp)->res.num != qpn)
		*qp = ornic_cq_find_qp(cq, qpn);
	if (!*qp || upper_32_bits(wr_id & ~ORNIC_WR_RECV))
		return false;

	/* The other queue may have its consumer side under another lock */
	ibcq = recv ? (*qp)->ibqp.recv_cq : (*qp)->ibqp.send_cq;
	return ibcq == &cq->ibcq && ornic_qp_retire(*qp, recv, lower_32_bits(wr_id), wr);
}

/*
 * The MAD layer takes a failed receive for the end of its QP: it posts no other, and rdma_cm hears
 * nothing any more. Only a new verbs device gives it a new QP.
 */
static void ornic_cq_check_gsi(const struct ornic_qp *qp, const struct ib_wc *wc)
{
	if (qp->ibqp.qp_type == IB_QPT_GSI && wc->status != IB_WC_SUCCESS)
		ornic_dev_fail(to_ornic_ib_dev(qp->ibqp.device)->odev,
			       "gsi qp[%u]: receive failed with status %d", qp->res.num,
			       wc->status);
}

/* Converts one completion; returns false if it is dropped */
static bool ornic_cq_consume(struct ornic_cq *cq, const struct ornic_cqe *cqe,
			     struct ornic_qp **qp, struct ib_wc *wc)
{
	u32 qpn = le32_to_cpu(READ_ONCE(cqe->qpn)) & ORNIC_CQE_QPN;
	u64 wr_id = le64_to_cpu(READ_ONCE(cqe->wr_id));
	struct ornic_wr wr;

	/* Invalidated by ornic_cq_forget_qp() */
	if (qpn == ORNIC_QPN_NONE)
		return false;

	if (!ornic_cq_retire(cq, qpn, wr_id, qp, &wr)) {
		/*
		 * The work request that should have completed instead never
		 * would, and a consumer that drains its QP waits for it.
		 */
		ornic_dev_fail(to_ornic_ib_dev(cq->ibcq.device)->odev,
			       "cq[%u]: completion of qp %#x, wr_id %#llx, which is not outstanding",
			       cq->res.num, qpn, wr_id);
		return false;
	}

	*wc = (struct ib_wc) {
		.wr_id = wr.wr_id,
		.qp = &(*qp)->ibqp,
		.port_num = ORNIC_IB_PORT,
	};
	ornic_wc_fill(cq, cqe, wr_id & ORNIC_WR_RECV, wr.room, wc);
	if (wr_id & ORNIC_WR_RECV)
		ornic_cq_check_gsi(*qp, wc);
	return true;
}

static int ornic_qp_queue_flush(struct ornic_qp *qp, struct ornic_qp_queue *queue,
				enum ib_wc_opcode opcode, int num, struct ib_wc *wc)
{
	struct ornic_wr wr;
	int n;

	for (n = 0; n < num && ornic_qp_queue_retire(queue, queue->tail, &wr); n++)
		wc[n] = (struct ib_wc) {
			.wr_id = wr.wr_id,
			.qp = &qp->ibqp,
			.port_num = ORNIC_IB_PORT,
			.opcode = opcode,
			.status = IB_WC_WR_FLUSH_ERR,
		};
	return n;
}

static int ornic_cq_flush(struct ornic_cq *cq, int num, struct ib_wc *wc)
{
	struct ornic_qp *qp;
	int n = 0;

	list_for_each_entry(qp, &cq->sqs, sq.cq_list)
		n += ornic_qp_queue_flush(qp, &qp->sq, IB_WC_SEND, num - n, wc + n);
	list_for_each_entry(qp, &cq->rqs, rq.cq_list)
		n += ornic_qp_queue_flush(qp, &qp->rq, IB_WC_RECV, num - n, wc + n);
	return n;
}

static bool ornic_cq_has_flush(struct ornic_cq *cq)
{
	struct ornic_qp *qp;

	list_for_each_entry(qp, &cq->sqs, sq.cq_list)
		if (qp->sq.tail != READ_ONCE(qp->sq.head))
			return true;
	list_for_each_entry(qp, &cq->rqs, rq.cq_list)
		if (qp->rq.tail != READ_ONCE(qp->rq.head))
			return true;
	return false;
}

int ornic_ib_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcq->device);
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	struct ornic_qp *qp = NULL;
	const struct ornic_cqe *cqe;
	unsigned long flags;
	int n = 0;
	u32 ci;

	spin_lock_irqsave(&cq->lock, flags);
	ci = cq->ring.ci;
	while (n < num) {
		cqe = ornic_cq_peek(&cq->ring);
		if (!cqe)
			break;
		if (ornic_cq_consume(cq, cqe, &qp, &wc[n]))
			n++;
		cq->ring.ci++;
		/* A ring full of invalid entries must not keep the CPU here */
		if (cq->ring.ci - ci == 1u << cq->ring.log_size)
			break;
	}
	if (cq->ring.ci != ci)
		ornic_cq_publish(&cq->ring);
	if (unlikely(READ_ONCE(dev->dead)))
		n += ornic_cq_flush(cq, num - n, wc + n);
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

int ornic_ib_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcq->device);
	enum ornic_arm_type type = ORNIC_ARM_NEXT;
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	unsigned long irqflags;
	bool missed;

	spin_lock_irqsave(&cq->lock, irqflags);
	/* Does not weaken an outstanding NEXT, [ORNIC-DB-25] */
	if ((flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED)
		type = ORNIC_ARM_SOLICITED;
	missed = ornic_cq_arm(&cq->ring, type);
	if (unlikely(READ_ONCE(dev->dead)))
		missed = ornic_cq_has_flush(cq);
	spin_unlock_irqrestore(&cq->lock, irqflags);

	return flags & IB_CQ_REPORT_MISSED_EVENTS && missed;
}

/**
 * ornic_cq_forget_qp - invalidate completions of a QP that are not yet polled
 * @cq:		CQ of a kernel consumer; its lock is held
 * @qp:		the QP, for which the device writes no more completions
 *
 * The receives of its SRQ among them can be posted again.
 */
void ornic_cq_forget_qp(struct ornic_cq *cq, struct ornic_qp *qp)
{
	struct ornic_cq_ring ring = cq->ring;
	struct ornic_cqe *cqe;
	struct ornic_wr wr;
	u64 wr_id;
	u32 word;

	lockdep_assert_held(&cq->lock);

	for (; ring.ci - cq->ring.ci < 1u << ring.log_size; ring.ci++) {
		cqe = ornic_cq_peek(&ring);
		if (!cqe)
			break;
		word = le32_to_cpu(cqe->qpn);
		if ((word & ORNIC_CQE_QPN) != qp->res.num)
			continue;
		WRITE_ONCE(cqe->qpn, cpu_to_le32(word | ORNIC_QPN_NONE));
		wr_id = le64_to_cpu(cqe->wr_id);
		if (wr_id & ORNIC_WR_RECV && qp->ibqp.srq)
			ornic_qp_retire(qp, true, lower_32_bits(wr_id), &wr);
	}
}

/**
 * ornic_qp_return_recv - free the record of the receive that a QP took with it
 * @qp:		reset in the device
 * @out:	answer of the command that reset it, [ORNIC-SRQ-9]
 *
 * The receive has no completion: without this it would count as posted for the
 * lifetime of the SRQ.
 */
void ornic_qp_return_recv(struct ornic_qp *qp, const struct ornic_modify_qp_out *out)
{
	u64 wr_id = le64_to_cpu(out->wr_id);
	struct ornic_wr wr;

	if (!qp->ibqp.srq || !(le32_to_cpu(out->flags) & ORNIC_QP_TOOK_WQE))
		return;

	if (wr_id - ORNIC_WR_RECV > U32_MAX ||
	    !ornic_qp_retire(qp, true, lower_32_bits(wr_id), &wr))
		ornic_dev_fail(to_ornic_ib_dev(qp->ibqp.device)->odev,
			       "qp[%u]: reset with wr_id %#llx, which is not outstanding",
			       qp->res.num, wr_id);
}

/* Makes consumers of a dead device poll, because poll_cq flushes */
void ornic_cq_flush_work(struct work_struct *work)
{
	struct ornic_ib_dev *dev = container_of(work, struct ornic_ib_dev, flush_work);
	struct ornic_cq *cq;

	mutex_lock(&dev->kcqs_lock);
	list_for_each_entry(cq, &dev->kcqs, kcq)
		ornic_cq_tell(cq);
	mutex_unlock(&dev->kcqs_lock);
}

/**
 * ornic_ib_death - stop using a device that has stopped
 * @nb:		of a device that may be about to be registered or unregistered
 * @action:	not used
 * @data:	not used
 *
 * The device does not access memory any more, commands fail with -EIO, and
 * nothing completes. poll_cq flushes the work requests of kernel consumers;
 * processes are notified when the verbs device is unregistered.
 *
 * Return: NOTIFY_OK.
 */
int ornic_ib_death(struct notifier_block *nb, unsigned long action, void *data)
{
	struct ornic_ib_dev *dev = container_of(nb, struct ornic_ib_dev, death);

	WRITE_ONCE(dev->dead, true);
	/* Pairs with the barrier in ornic_wr_check_dead() */
	smp_mb();
	queue_work(ib_wq, &dev->flush_work);
	return NOTIFY_OK;
}
