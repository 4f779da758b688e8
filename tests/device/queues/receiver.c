// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The part that QPs and WQs share */
#include <endian.h>
#include <errno.h>

#include "objects/srq.h"
#include "queues/receiver.h"

void receiver_init(struct receiver *receiver, const struct receiver_ops *ops,
		   struct guest_ref *dbr,
		   bool (*run)(struct run_item *item, unsigned int budget),
		   void (*expired)(struct timer *timer))
{
	receiver->ops = ops;
	receiver->run.run = run;
	list_init(&receiver->run.node);
	timer_init(&receiver->timer, expired);
	receiver->rq.card = receiver->card;
	receiver->rq.owner = &receiver->obj;
	receiver->rq.kind = receiver_kind(receiver);
	receiver->rq.dbr = dbr;
}

void receiver_cq_failed(void *arg)
{
	struct receiver *receiver = arg;

	if (receiver->state != ORNIC_QPS_RESET)
		receiver->ops->lost(receiver);
}

void receiver_attach(struct receiver *receiver, struct cq *cq)
{
	cq_attach(&receiver->recv_cq, cq, receiver, receiver_cq_failed);
}

void receiver_error(struct receiver *receiver)
{
	receiver->state = ORNIC_QPS_ERR;
	receiver->poll_ns = RECEIVER_POLL_MIN_NS;
	env_timer_cancel(receiver->card->env, &receiver->timer);
}

void receiver_poll_soon(struct receiver *receiver)
{
	receiver->poll_ns = RECEIVER_POLL_MIN_NS;
	receiver_ready(receiver);
}

int receiver_take(struct receiver *receiver, struct recv_wqe *wqe)
{
	if (receiver->srq)
		return srq_take(receiver->srq, wqe);
	return receiver_has_rq(receiver) ? rq_take(&receiver->rq, wqe) : -EAGAIN;
}

void receiver_complete(struct receiver *receiver, struct ornic_cqe *cqe,
		       uint64_t wr_id, const struct ornic_cqe_ext *ext,
		       bool solicited)
{
	struct cq *cq;

	cqe->wr_id = htole64(wr_id);
	cqe->qpn |= htole32(receiver->obj.num);
	if (receiver_has_rq(receiver))
		rq_done(&receiver->rq, receiver->rq.ci + 1);
	if (receiver_counts(receiver))
		receiver_count(receiver, COMP_CNTR_RECV,
			       cqe->status != htole32(ORNIC_WC_SUCCESS));
	/* XRC_RECV completes receives in the CQ of the SRQ */
	cq = receiver->recv_cq.cq ? receiver->recv_cq.cq : receiver->srq->cq.cq;
	cq_post(cq, cqe, ext, solicited);
}

void receiver_fail(struct receiver *receiver, uint64_t wr_id,
		   enum ornic_wc_status status)
{
	struct ornic_cqe cqe = {
		.status = htole32(status),
		.opcode = htole32(ORNIC_WC_RECV),
	};

	receiver_complete(receiver, &cqe, wr_id, NULL, false);
}

/* Return: true when there are more WQEs */
static bool receiver_flush_ring(struct receiver *receiver, unsigned int budget)
{
	struct recv_wqe wqe;
	int err;

	while (budget--) {
		err = rq_take(&receiver->rq, &wqe);
		if (err == -EAGAIN || err == -EIO)
			return false;
		receiver_fail(receiver, wqe.wr_id, ORNIC_WC_WR_FLUSH_ERR);
	}
	return true;
}

bool receiver_flush(struct receiver *receiver, unsigned int budget, bool more)
{
	struct env *env = receiver->card->env;

	more |= receiver_flush_ring(receiver, budget);
	if (more)
		return true;
	env_timer_arm(env, &receiver->timer,
		      env_now_ns(env) + receiver->poll_ns);
	receiver->poll_ns *= 2;
	if (receiver->poll_ns > RECEIVER_POLL_MAX_NS)
		receiver->poll_ns = RECEIVER_POLL_MAX_NS;
	return false;
}
