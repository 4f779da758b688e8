// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs of kernel consumers: queues that the kernel writes, records of posted
 * work requests, and their registration with the CQs.
 */
#include <linux/slab.h>

#include "cq.h"
#include "device.h"
#include "ornic_rdma_trace.h"
#include "qp.h"
#include "ringmem.h"
#include "wr.h"

static int ornic_qp_queue_init(struct ornic_qp_queue *queue, void *ring, u32 size)
{
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->cq_list);
	queue->ring = ring;
	queue->mask = size - 1;
	queue->wrs = kvzalloc_objs(*queue->wrs, size);
	return queue->wrs ? 0 : -ENOMEM;
}

/**
 * ornic_qp_kernel_init - prepare the queues for use by the kernel
 * @qp:		its rings are allocated; not yet created in the device
 *
 * Return: 0 or -ENOMEM.
 */
int ornic_qp_kernel_init(struct ornic_qp *qp)
{
	int err;

	err = ornic_ringmem_vmap(qp->mem);
	if (err)
		return err;

	qp->dbr = qp->mem->addr + qp->geo.dbr_offset;
	/* A missing queue gets one record and no ring */
	err = ornic_qp_queue_init(&qp->sq, qp->geo.sq_bytes ? qp->mem->addr : NULL,
				  1u << qp->geo.log_sq_slots);
	if (err)
		return err;

	err = ornic_qp_queue_init(&qp->rq,
				  qp->geo.rq_bytes ? qp->mem->addr + qp->geo.rq_offset : NULL,
				  1u << qp->geo.log_rq_wqes);
	if (err)
		goto err_free_sq;

	return 0;

err_free_sq:
	kvfree(qp->sq.wrs);
	return err;
}

/**
 * ornic_qp_kernel_uninit - undo ornic_qp_kernel_init()
 * @qp:		posting to it and polling for it have ended
 */
void ornic_qp_kernel_uninit(struct ornic_qp *qp)
{
	kvfree(qp->rq.wrs);
	kvfree(qp->sq.wrs);
}

static void ornic_qp_lock_cqs(struct ornic_qp *qp)
	__acquires(&to_ornic_cq(qp->ibqp.send_cq)->lock)
	__acquires(&to_ornic_cq(qp->ibqp.recv_cq)->lock)
{
	struct ornic_cq *scq = to_ornic_cq(qp->ibqp.send_cq);
	struct ornic_cq *rcq = to_ornic_cq(qp->ibqp.recv_cq);

	/* Lock in the order of addresses: other QPs may have them reversed */
	if (scq == rcq) {
		spin_lock_irq(&scq->lock);
		__acquire(&rcq->lock);
	} else if (scq < rcq) {
		spin_lock_irq(&scq->lock);
		spin_lock_nested(&rcq->lock, SINGLE_DEPTH_NESTING);
	} else {
		spin_lock_irq(&rcq->lock);
		spin_lock_nested(&scq->lock, SINGLE_DEPTH_NESTING);
	}
}

static void ornic_qp_unlock_cqs(struct ornic_qp *qp)
	__releases(&to_ornic_cq(qp->ibqp.recv_cq)->lock)
	__releases(&to_ornic_cq(qp->ibqp.send_cq)->lock)
{
	struct ornic_cq *scq = to_ornic_cq(qp->ibqp.send_cq);
	struct ornic_cq *rcq = to_ornic_cq(qp->ibqp.recv_cq);

	if (scq == rcq) {
		__release(&rcq->lock);
		spin_unlock_irq(&scq->lock);
	} else if (scq < rcq) {
		spin_unlock(&rcq->lock);
		spin_unlock_irq(&scq->lock);
	} else {
		spin_unlock(&scq->lock);
		spin_unlock_irq(&rcq->lock);
	}
}

static void ornic_cq_set_ready(struct ornic_cq *cq)
{
	/* Callers of the handler see what the core set up for it */
	smp_store_release(&cq->ready, true);
}

/**
 * ornic_qp_attach - register a QP with its CQs
 * @dev:	the device
 * @qp:		created
 *
 * Return: 0, -EBUSY if the number is already in use, or -ENOMEM.
 */
int ornic_qp_attach(struct ornic_ib_dev *dev, struct ornic_qp *qp)
{
	int err;

	err = xa_insert_irq(&dev->qps, qp->res.num, qp, GFP_KERNEL);
	if (err)
		return err;

	ornic_cq_set_ready(to_ornic_cq(qp->ibqp.send_cq));
	ornic_cq_set_ready(to_ornic_cq(qp->ibqp.recv_cq));

	ornic_qp_lock_cqs(qp);
	list_add_tail(&qp->sq.cq_list, &to_ornic_cq(qp->ibqp.send_cq)->sqs);
	list_add_tail(&qp->rq.cq_list, &to_ornic_cq(qp->ibqp.recv_cq)->rqs);
	ornic_qp_unlock_cqs(qp);
	return 0;
}

static void ornic_qp_reset_cmd(struct ornic_ib_dev *dev, struct ornic_qp *qp)
{
	struct ornic_modify_qp_in in = {
		.qpn = cpu_to_le32(qp->res.num),
		.mask = cpu_to_le32(ORNIC_QP_ATTR_STATE),
		.attr.state = ORNIC_QPS_RESET,
	};
	struct ornic_modify_qp_out out;
	int err;

	err = ornic_cmd_exec(dev->odev, ORNIC_CMD_MODIFY_QP, &in, sizeof(in), &out, sizeof(out));
	trace_ornic_qp_state(&dev->ibdev, qp->res.num, qp->state, IB_QPS_RESET, err);
	if (!err)
		ornic_qp_return_recv(qp, &out);
}

/**
 * ornic_qp_detach - undo ornic_qp_attach()
 * @dev:	the device
 * @qp:		posting to it has ended; may be detached already
 *
 * Resets the QP in the device first, so that no completions are added while
 * those in the CQs are invalidated. Until the QP is destroyed the device does
 * not give its number to another QP, to which they could be attributed.
 */
void ornic_qp_detach(struct ornic_ib_dev *dev, struct ornic_qp *qp)
{
	/* If this fails, so does destroying the QP, or the device is dead */
	ornic_qp_reset_cmd(dev, qp);

	ornic_qp_lock_cqs(qp);
	list_del_init(&qp->sq.cq_list);
	list_del_init(&qp->rq.cq_list);
	ornic_cq_forget_qp(to_ornic_cq(qp->ibqp.send_cq), qp);
	ornic_cq_forget_qp(to_ornic_cq(qp->ibqp.recv_cq), qp);
	xa_lock(&dev->qps);
	__xa_erase(&dev->qps, qp->res.num);
	xa_unlock(&dev->qps);
	ornic_qp_unlock_cqs(qp);
}

static void ornic_qp_queue_forget(struct ornic_qp_queue *queue)
{
	/* A caller that saw the old state may still be posting */
	spin_lock(&queue->lock);
	queue->pi = 0;
	queue->ci = 0;
	queue->head = 0;
	queue->tail = 0;
	spin_unlock(&queue->lock);
}

/**
 * ornic_qp_forget - forget the work requests that were posted to a QP
 * @qp:		reset in the device, with its state set to RESET
 */
void ornic_qp_forget(struct ornic_qp *qp)
{
	ornic_qp_lock_cqs(qp);
	ornic_cq_forget_qp(to_ornic_cq(qp->ibqp.send_cq), qp);
	ornic_cq_forget_qp(to_ornic_cq(qp->ibqp.recv_cq), qp);
	ornic_qp_queue_forget(&qp->sq);
	ornic_qp_queue_forget(&qp->rq);
	ornic_qp_unlock_cqs(qp);

	/* Before the QP leaves RESET and the device reads them again */
	WRITE_ONCE(qp->dbr->sq_pi, 0);
	WRITE_ONCE(qp->dbr->rq_pi, 0);
}
