// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Asynchronous events of QPs */
#include "device.h"
#include "due.h"
#include "qp.h"
#include "qp_event.h"

static int ornic_qp_event_type(enum ornic_event event)
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
	case ORNIC_EVENT_QP_LAST_WQE:
		return IB_EVENT_QP_LAST_WQE_REACHED;
	default:
		return -EINVAL;
	}
}

/* Called in hard interrupt context, but handlers of consumers may sleep */
void ornic_qp_event(struct ornic_res *res, enum ornic_event event)
{
	struct ornic_qp *qp = container_of(res, struct ornic_qp, res);

	if (event < ORNIC_EVENT_QP_FATAL || event > ORNIC_EVENT_QP_LAST_WQE)
		return;

	/* See ornic_cq_check_gsi(); receives that are lost with their ring do not complete */
	if (event == ORNIC_EVENT_QP_FATAL && qp->ibqp.qp_type == IB_QPT_GSI) {
		ornic_dev_fail(to_ornic_ib_dev(qp->ibqp.device)->odev,
			       "gsi qp[%u]: queue pair event %u", res->num, event);
		return;
	}

	if (!ornic_due_take(&qp->due))
		return;

	set_bit(event - ORNIC_EVENT_QP_FATAL, &qp->events);
	queue_work(ib_wq, &qp->event_work);
}

void ornic_qp_event_work(struct work_struct *work)
{
	struct ornic_qp *qp = container_of(work, struct ornic_qp, event_work);
	unsigned long events = xchg(&qp->events, 0);
	unsigned int bit;

	for_each_set_bit(bit, &events, BITS_PER_LONG) {
		struct ib_event ibevent = {
			.device = qp->ibqp.device,
			.element.qp = &qp->ibqp,
			.event = ornic_qp_event_type(ORNIC_EVENT_QP_FATAL + bit),
		};

		qp->ibqp.event_handler(&ibevent, qp->ibqp.qp_context);
	}
}
