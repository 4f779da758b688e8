// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: turns, timers, doorbells */
#include <string.h>

#include "base/run.h"
#include "card/qp_run.h"
#include "eth/eth_tx.h"
#include "objects/eq.h"
#include "queues/rc.h"
#include "queues/sq.h"
#include "roce/ack.h"
#include "roce/comp.h"
#include "roce/record.h"
#include "roce/req.h"
#include "roce/resp.h"
#include "roce/ud.h"

/* ---- turns ---- */

static bool qp_is_datagram(const struct qp *qp)
{
	return qp->base.type == ORNIC_QPT_UD || qp->base.type == ORNIC_QPT_GSI;
}

/* The QP holds no WQE of the SRQ any more (IBTA 10.3.1, 11.6.3.1) */
static void qp_last_wqe(struct qp *qp)
{
	if (!qp->base.srq || qp->last_wqe)
		return;
	qp->last_wqe = true;
	eq_async(qp->base.card, &qp->base.events, ORNIC_EVENT_QP_LAST_WQE);
}

static bool qp_flush(struct qp *qp, unsigned int budget)
{
	bool more = false;

	resp_flush(qp);
	qp_last_wqe(qp);
	if (qp_has_sq(qp))
		more = record_flush(qp, budget) || sq_flush(qp, budget);
	if (!receiver_has_rq(&qp->base))
		return more;
	return receiver_flush(&qp->base, budget, more);
}

bool qp_run(struct run_item *item, unsigned int budget)
{
	struct qp *qp = container_of(item, struct qp, base.run);

	if (qp->base.state < ORNIC_QPS_RTR)
		return false;
	if (qp->base.state == ORNIC_QPS_ERR)
		return qp_flush(qp, budget);
	if (qp->base.state == ORNIC_QPS_SQE)
		return sq_flush(qp, budget);
	if (qp_is_connected(qp))
		return qp_sends(qp) && req_run(qp, budget);
	if (qp->base.type == ORNIC_QPT_RAW_PACKET)
		return qp_sends(qp) && eth_tx(qp, budget);
	return qp->base.state == ORNIC_QPS_RTS && qp_is_datagram(qp) &&
	       ud_run(qp, budget);
}

bool qp_answer(struct run_item *item, unsigned int budget)
{
	struct qp *qp = container_of(item, struct qp, answer);
	struct card *card = qp->base.card;

	if (item->answers && !env_serve(card->env, ack_payer(qp))) {
		card->limit.postponed++;
		run_postpone(card, item);
		return false;
	}
	return ack_run(qp, budget);
}

/* ---- what starts turns ---- */

void qp_timer(struct timer *timer)
{
	struct qp *qp = container_of(timer, struct qp, base.timer);

	if (!card_works(qp->base.card))
		return;
	if (qp->base.state == ORNIC_QPS_ERR || qp->base.type == ORNIC_QPT_RAW_PACKET)
		qp_ready(qp);
	else
		comp_timer(qp);
}

void qp_kick(struct qp *qp)
{
	uint32_t pi = qp->sq.pi;

	if (!qp_has_sq(qp) || qp->base.state < ORNIC_QPS_RTS)
		return;
	if (qp->base.state == ORNIC_QPS_ERR) {
		qp_ready(qp);
		return;
	}
	if (sq_update(qp)) {
		qp_error_event(qp, ORNIC_EVENT_QP_FATAL);
		return;
	}
	if (qp->sq.pi == pi)
		return;
	sq_watch_busy(&qp->base.card->watches, &qp->watch);
	qp_ready(qp);
}

void qp_push(struct qp *qp, uint32_t pi, const uint8_t *wqe)
{
	qp_kick(qp);
	/* [ORNIC-PUSH-6]; a bad sq_pi has taken the QP out of RTS */
	if (qp_has_sq(qp) && qp->base.state == ORNIC_QPS_RTS &&
	    !sq_empty(&qp->sq) && pi == qp->sq.next + 1)
		sq_push(qp, wqe);
}

/* ---- the end of all work ---- */

void qp_reset(struct qp *qp)
{
	struct ornic_qp_dbr *dbr = qp_has_dbr(qp) ? qp_dbr(qp) : NULL;

	env_timer_cancel(qp->base.card->env, &qp->base.timer);
	sq_watch_stop(&qp->base.card->watches, &qp->watch);
	qp->watch.sq_pi = 0;
	run_remove(&qp->base.run);
	run_remove(&qp->answer);
	qp->comm_est = false;
	qp->last_wqe = false;
	qp->drained = false;
	qp->sq.pi = 0;
	qp->sq.next = 0;
	qp->sq.ci = 0;
	qp->sq.num = 0;
	qp->sq.ci_told = 0;
	qp->sq.broken = false;
	qp->sq.pushed = false;
	rq_reset(&qp->base.rq);
	memset(&qp->attr, 0, sizeof(qp->attr));
	memset(&qp->pace, 0, sizeof(qp->pace));
	qp->tso_sent = 0;
	record_reset(qp);
	resp_reset(qp);
	if (dbr) {
		guest_store32(&dbr->sq_ci, 0);
		guest_store32(&dbr->sq_watched, 0);
		guest_store32(&dbr->rq_ci, 0);
	}
}

void qp_settle_all(struct card *card)
{
	struct list_head *pos;

	/* QPs that owe a response to a peer are in this list, waiting or blocked */
	run_unblock_all(card);
	run_resume_all(card);
	list_for_each(pos, &card->answers)
		ack_settle_reset(list_entry(pos, struct qp, answer.node));
}
