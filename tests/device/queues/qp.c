// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: failures */
#include "objects/eq.h"
#include "queues/qp.h"

void qp_error(struct qp *qp)
{
	if (qp->base.state == ORNIC_QPS_ERR)
		return;
	receiver_error(&qp->base);
	sq_watch_stop(&qp->base.card->watches, &qp->watch);
	/*
	 * Fence D1 of [ORNIC-DB-35]: the flush reads sq_pi after sq_watched is
	 * 0, so the host rings the doorbell for later posts.
	 */
	guest_fence();
	qp_ready(qp);
}

void qp_error_event(struct qp *qp, enum ornic_event event)
{
	if (qp->base.state == ORNIC_QPS_ERR)
		return;
	qp_error(qp);
	eq_async(qp->base.card, &qp->base.events, event);
}

void qp_fatal(struct qp *qp)
{
	qp_error_event(qp, ORNIC_EVENT_QP_FATAL);
}

static void qp_receive_failed(struct receiver *rx)
{
	qp_error(qp_of(rx));
}

static void qp_receive_lost(struct receiver *rx)
{
	qp_fatal(qp_of(rx));
}

const struct receiver_ops qp_receiver_ops = {
	.failed = qp_receive_failed,
	.lost = qp_receive_lost,
};

void qp_send_error(struct qp *qp)
{
	if (!qp_sends(qp))
		return;
	qp->base.state = ORNIC_QPS_SQE;
	qp_ready(qp);
}

void qp_drained(struct qp *qp)
{
	if (qp->drained)
		return;
	qp->drained = true;
	if (qp->attr.sqd_notify)
		eq_async(qp->base.card, &qp->base.events, ORNIC_EVENT_QP_SQ_DRAINED);
}
