// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion events, asynchronous events, and failure of the device */
#include "ornic_rdma.h"

/**
 * ornic_cq_tell - call the completion handler of a CQ
 * @cq:		the CQ; ornic_ib_pre_destroy_cq() waits for callers
 */
void ornic_cq_tell(struct ornic_cq *cq)
{
	/*
	 * Pairs with ornic_cq_set_ready(). First, because the core sets the
	 * handler after it has created the CQ.
	 */
	if (!smp_load_acquire(&cq->ready))
		return;
	/* IB_POLL_DIRECT users get no callback: the core would warn */
	if (cq->ibcq.poll_ctx != IB_POLL_DIRECT && cq->ibcq.comp_handler)
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}

/* Called in hard interrupt context; ornic_res_remove() waits for it */
void ornic_ib_cq_event(struct ornic_res *res, enum ornic_event event)
{
	struct ornic_cq *cq = container_of(res, struct ornic_cq, res);
	struct ib_event ibevent = {
		.device = cq->ibcq.device,
		.element.cq = &cq->ibcq,
		.event = IB_EVENT_CQ_ERR,
	};

	switch (event) {
	case ORNIC_EVENT_COMP:
		if (ornic_cq_is_asked(cq))
			ornic_cq_tell(cq);
		break;
	case ORNIC_EVENT_CQ_ERR:
		if (ornic_due_take(&cq->due) && cq->ibcq.event_handler)
			cq->ibcq.event_handler(&ibevent, cq->ibcq.cq_context);
		break;
	default:
		break;
	}
}

static int ornic_ib_qp_event_type(enum ornic_event event)
{
	switch (event) {
	case ORNIC_EVENT_QP_FATAL:
		return IB_EVENT_QP_FATAL;
	case ORNIC_EVENT_QP_REQ_ERR:
		return IB_EVENT_QP_REQ_ERR;
	case ORNIC_EVENT_QP_ACCESS_ERR:
		return IB_EVENT_QP_ACCESS_ERR;
	case ORNIC_EVENT_QP_COMM_EST:
		return IB_EVENT_COMM_EST;
	case ORNIC_EVENT_QP_SQ_DRAINED:
		return IB_EVENT_SQ_DRAINED;
	case ORNIC_EVENT_QP_PATH_MIG:
		return IB_EVENT_PATH_MIG;
	case ORNIC_EVENT_QP_PATH_MIG_ERR:
		return IB_EVENT_PATH_MIG_ERR;
	case ORNIC_EVENT_QP_LAST_WQE:
		return IB_EVENT_QP_LAST_WQE_REACHED;
	default:
		return -EINVAL;
	}
}

/* Called in hard interrupt context, but handlers of consumers may sleep */
void ornic_ib_qp_event(struct ornic_res *res, enum ornic_event event)
{
	struct ornic_qp *qp = container_of(res, struct ornic_qp, res);

	if (event < ORNIC_EVENT_QP_FATAL || event > ORNIC_EVENT_QP_LAST_WQE)
		return;

	if (event == ORNIC_EVENT_QP_LAST_WQE) {
		complete_all(&qp->last_wqe);
		if (READ_ONCE(qp->quiet))
			return;
	}
	if (!ornic_due_take(&qp->due))
		return;

	set_bit(event - ORNIC_EVENT_QP_FATAL, &qp->events);
	queue_work(ib_wq, &qp->event_work);
}

void ornic_ib_qp_event_work(struct work_struct *work)
{
	struct ornic_qp *qp = container_of(work, struct ornic_qp, event_work);
	unsigned long events = xchg(&qp->events, 0);
	unsigned int bit;

	for_each_set_bit(bit, &events, BITS_PER_LONG) {
		struct ib_event ibevent = {
			.device = qp->ibqp.device,
			.element.qp = &qp->ibqp,
			.event = ornic_ib_qp_event_type(ORNIC_EVENT_QP_FATAL + bit),
		};

		qp->ibqp.event_handler(&ibevent, qp->ibqp.qp_context);
	}
}

/* Called in hard interrupt context, as for a CQ */
void ornic_ib_srq_event(struct ornic_res *res, enum ornic_event event)
{
	struct ornic_srq *srq = container_of(res, struct ornic_srq, res);
	struct ib_event ibevent = {
		.device = srq->ibsrq.device,
		.element.srq = &srq->ibsrq,
	};

	switch (event) {
	case ORNIC_EVENT_SRQ_LIMIT:
		ibevent.event = IB_EVENT_SRQ_LIMIT_REACHED;
		break;
	case ORNIC_EVENT_SRQ_ERR:
		ibevent.event = IB_EVENT_SRQ_ERR;
		break;
	default:
		return;
	}
	if (ornic_due_take(&srq->due) && srq->ibsrq.event_handler)
		srq->ibsrq.event_handler(&ibevent, srq->ibsrq.srq_context);
}

/* Called in hard interrupt context, as for a CQ */
void ornic_ib_wq_event(struct ornic_res *res, enum ornic_event event)
{
	struct ornic_wq *wq = container_of(res, struct ornic_wq, res);
	struct ib_event ibevent = {
		.device = wq->ibwq.device,
		.element.wq = &wq->ibwq,
		.event = IB_EVENT_WQ_FATAL,
	};

	switch (event) {
	case ORNIC_EVENT_WQ_FATAL:
		if (ornic_due_take(&wq->due))
			wq->ibwq.event_handler(&ibevent, wq->ibwq.wq_context);
		break;
	case ORNIC_EVENT_WQ_DELAY_DROP:
		atomic64_inc(&to_ornic_ib_dev(wq->ibwq.device)->delay_drops);
		break;
	default:
		break;
	}
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
	/* Pairs with the barrier in ornic_post_check_dead() */
	smp_mb();
	queue_work(ib_wq, &dev->flush_work);
	return NOTIFY_OK;
}
