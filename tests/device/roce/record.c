// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The records of a requester */
#include <errno.h>

#include "queues/sq.h"
#include "roce/psn.h"
#include "roce/record.h"

#define ACK_TIMEOUT_UNIT_NS 4096ULL

int record_init(struct qp *qp)
{
	uint32_t records = 1u << qp->sq.log_slots;

	if (!qp_is_connected(qp))
		return 0;
	/* UC sends one WQE at a time */
	if (qp->base.type == ORNIC_QPT_UC)
		records = 1;
	if (records > REQ_RECORDS_MAX)
		records = REQ_RECORDS_MAX;
	qp->req.rec = arena_alloc(&qp->base.card->arena,
				  records * sizeof(*qp->req.rec));
	qp->req.rec_mask = records - 1;
	return qp->req.rec ? 0 : -ENOMEM;
}

void record_uninit(struct qp *qp)
{
	if (qp->req.rec)
		arena_free(&qp->base.card->arena, qp->req.rec);
	qp->req.rec = NULL;
}

void record_reset(struct qp *qp)
{
	struct req *req = &qp->req;

	req->head = 0;
	req->send = 0;
	req->tail = 0;
	req->una = qp->attr.sq_psn;
	req->psn = req->una;
	req->next = req->una;
	req->sent_max = req->una;
	req->deadline_ns = 0;
	req->retry = qp->attr.retry_cnt;
	req->rnr_retry = qp->attr.rnr_retry;
	req->rd_out = 0;
	req->window = REQ_WINDOW_START;
	req->answered = 0;
	req->timeouts = 0;
	req->since_ack = 0;
	req->rnr_wait = false;
	req->failed = false;
	req->retrying = false;
}

void record_restart(struct qp *qp)
{
	struct req *req = &qp->req;

	req->send = req->head;
	req->psn = req->una;
	req->rd_out = 0;
	req->since_ack = 0;
	req->deadline_ns = 0;
}

static void record_complete(struct qp *qp, const struct req_record *rec,
			    enum ornic_wc_status status)
{
	struct send_wqe wqe;

	wqe.wr_id = rec->wr_id;
	wqe.index = rec->index;
	wqe.slots = rec->slots;
	wqe.opcode = rec->opcode;
	wqe.flags = rec->flags;
	sq_complete(qp, &wqe, status, status ? 0 : req_answer_len(rec));
}

void record_pop(struct qp *qp, enum ornic_wc_status status)
{
	struct req *req = &qp->req;

	record_complete(qp, &req->rec[req->head & req->rec_mask], status);
	if (req->send == req->head)
		req->send++;
	req->head++;
}

void record_fail(struct qp *qp, enum ornic_wc_status status)
{
	struct req *req = &qp->req;

	record_pop(qp, status);
	if (qp->base.type != ORNIC_QPT_UC) {
		qp_error(qp);
		return;
	}
	/* The peer drops the rest; the next message starts behind its PSNs */
	req->una = req->next;
	req->psn = req->next;
	req->sent_max = req->next;
	req->failed = false;
	qp_send_error(qp);
}

bool record_flush(struct qp *qp, unsigned int budget)
{
	struct req *req = &qp->req;

	while (req->head != req->tail) {
		if (!budget--)
			return true;
		record_pop(qp, ORNIC_WC_WR_FLUSH_ERR);
	}
	return false;
}

enum ornic_wc_status record_reread(struct qp *qp, const struct req_record *rec,
				   struct send_wqe *wqe)
{
	enum ornic_wc_status status = sq_read(qp, rec->index, wqe);

	if (!status && (wqe->opcode != rec->opcode ||
			wqe->length != rec->length)) {
		DEVICE_VIOLATION(qp->base.card, bad_wqe_opcode,
				 qp->base.obj.num, rec->index,
				 "qp[%u]: WQE %u changed on its way",
				 qp->base.obj.num, rec->index);
		status = ORNIC_WC_LOC_QP_OP_ERR;
	}
	return status;
}

/*
 * An acknowledgement only moves the deadline; the timer itself moves when it
 * fires. A silent peer gets more time with each retry, within the limits of
 * IBTA: it may be a virtual machine that is not running at the moment.
 */
void record_arm(struct qp *qp)
{
	struct req *req = &qp->req;
	struct env *env = qp->base.card->env;

	if (req->rnr_wait || req->deadline_ns || !qp->attr.timeout ||
	    !qp_sends(qp) || psn_diff(req->psn, req->una) <= 0)
		return;
	req->deadline_ns = env_now_ns(env) +
			   (ACK_TIMEOUT_UNIT_NS <<
			    (qp->attr.timeout + req->timeouts));
	if (!timer_armed(&qp->base.timer))
		env_timer_arm(env, &qp->base.timer, req->deadline_ns);
}

void record_rearm(struct qp *qp)
{
	struct req *req = &qp->req;

	req->deadline_ns = 0;
	if (!req->rnr_wait)
		env_timer_cancel(qp->base.card->env, &qp->base.timer);
	record_arm(qp);
}

void record_settle(struct qp *qp)
{
	struct req *req = &qp->req;
	struct req_record *rec;

	while ((rec = record_head(req))) {
		if (rec->status) {
			record_fail(qp, rec->status);
			return;
		}
		if (psn_diff(req->una, rec->first) < (int32_t)rec->npkts ||
		    (sq_is_local(rec->opcode) && !rec->done))
			break;
		/* After a restart, a READ counts again only when it is sent again */
		if (req_is_read(rec->opcode) && req->send != req->head)
			req->rd_out--;
		record_pop(qp, ORNIC_WC_SUCCESS);
	}
	/* Skip packets that were acknowledged before they were sent again */
	if (psn_diff(req->una, req->psn) > 0)
		req->psn = req->una;
	record_arm(qp);
	if (qp->base.state == ORNIC_QPS_SQD && !rec)
		qp_drained(qp);
	/* A failed record waits for the older ones, and nothing behind it is sent */
	if (req->send != req->tail ? !req->rec[req->send & req->rec_mask].status :
				     !req->failed && !sq_empty(&qp->sq))
		qp_ready(qp);
}
