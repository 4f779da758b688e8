// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Work queues */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "base/run.h"
#include "base/state.h"
#include "eth/delay.h"
#include "eth/eth_recv.h"
#include "eth/wq.h"
#include "objects/cq.h"
#include "objects/eq.h"
#include "objects/pd.h"
#include "objects/uctx.h"

#define WQ_ATTRS \
	(ORNIC_WQ_ATTR_STATE | ORNIC_WQ_ATTR_CUR_STATE | ORNIC_WQ_ATTR_FLAGS)

static struct wq *wq_of(struct receiver *rx)
{
	return container_of(rx, struct wq, base);
}

struct wq *wq_find(const struct card *card, uint32_t wqn)
{
	struct receiver *rx = receiver_find(card, wqn);

	return rx && receiver_is_wq(rx) ? wq_of(rx) : NULL;
}

/* ---- failures, turns, frames ---- */

static void wq_error(struct wq *wq)
{
	if (wq->base.state == ORNIC_QPS_ERR)
		return;
	receiver_error(&wq->base);
	delay_clear(wq->delay);
	receiver_ready(&wq->base);
}

/* A WQ reports every failure by an event, also if a completion reports it */
static void wq_fatal(struct receiver *rx)
{
	if (rx->state == ORNIC_QPS_ERR)
		return;
	wq_error(wq_of(rx));
	eq_async(rx->card, &rx->events, ORNIC_EVENT_WQ_FATAL);
}

static const struct receiver_ops wq_receiver_ops = {
	.failed = wq_fatal,
	.lost = wq_fatal,
};

static bool wq_run(struct run_item *item, unsigned int budget)
{
	struct wq *wq = container_of(item, struct wq, base.run);

	return wq->base.state == ORNIC_QPS_ERR &&
	       receiver_flush(&wq->base, budget, false);
}

static void wq_timer(struct timer *timer)
{
	struct wq *wq = container_of(timer, struct wq, base.timer);

	if (!card_works(wq->base.card))
		return;
	if (wq->base.state == ORNIC_QPS_ERR)
		receiver_ready(&wq->base);
	else if (wq->delay)
		delay_timer(wq->delay);
}

void wq_receive(struct wq *wq, const struct frame *frame,
		const struct headers *headers, struct ornic_cqe_ext *ext)
{
	struct delay *delay = wq->delay;
	/* Frames that wait go first */
	bool waits = delay && delay->count && delay_run(delay);
	enum eth_result result = ETH_NO_WQE;

	if (receiver_receives(&wq->base) && !waits)
		result = eth_receive(&wq->base, frame, headers, ext);
	if (delay && result == ETH_RECEIVED)
		delay->told = false;
	if (result != ETH_NO_WQE)
		return;
	if (receiver_receives(&wq->base) && delay)
		delay_add(delay, frame, ext);
	else
		PORT_STAT_INC(wq->base.card, rx_dropped_no_wqe);
}

/* Part of the transition to RESET: forget all WQEs and empty the ring */
static void wq_reset(struct wq *wq)
{
	struct ornic_qp_dbr *dbr = guest_ref_ptr(&wq->dbr);

	env_timer_cancel(wq->base.card->env, &wq->base.timer);
	delay_clear(wq->delay);
	run_remove(&wq->base.run);
	rq_reset(&wq->base.rq);
	/* The words of the send queue are reserved ([ORNIC-ROOM-3]) */
	if (dbr)
		guest_store32(&dbr->rq_ci, 0);
}

/* ---- commands ---- */

/* The time is not 0 with the flag, and 0 without it ([ORNIC-WQ-8]) */
static bool wq_delay_valid(const struct ornic_create_wq_in *in)
{
	uint32_t us = le32toh(in->delay_drop);

	if (!(le32toh(in->flags) & ORNIC_WQ_DELAY_DROP))
		return !us;
	return us && us <= CARD_MAX_DELAY_DROP_US;
}

static enum ornic_cmd_status wq_check(const struct ornic_create_wq_in *in)
{
	if (le32toh(in->flags) & ~WQ_FLAGS || !wq_delay_valid(in) ||
	    !CMD_RSVD_ZERO(in->rsvd) || le64toh(in->dbr_addr) & 63)
		return ORNIC_CMD_BAD_PARAM;
	return ORNIC_CMD_OK;
}

/* Memory that the WQ uses, and its number; wq_free() undoes a part, too */
static enum ornic_cmd_status wq_alloc(struct wq *wq,
				      const struct ornic_create_wq_in *in)
{
	struct card *card = wq->base.card;
	enum ornic_cmd_status status;

	if (in->delay_drop) {
		wq->delay = delay_create(&wq->base, le32toh(in->delay_drop));
		if (!wq->delay)
			return ORNIC_CMD_NO_RESOURCES;
	}
	wq->uctx = uctx_find(card, le32toh(in->uctx));
	if (!wq->uctx || !pd_is_valid(le32toh(in->pdn)) ||
	    !cq_find_working(card, le32toh(in->cqn)))
		return ORNIC_CMD_BAD_OBJECT;
	if (!guest_ref_init(&wq->dbr, &card->guest, le64toh(in->dbr_addr),
			    sizeof(struct ornic_qp_dbr), MEM_READ | MEM_WRITE))
		return ORNIC_CMD_DMA_FAULT;
	status = rq_init(&wq->base.rq, &in->buf, in->log_wqes, in->stride_shift,
			 MEM_READ);
	if (status)
		return status;
	return obj_add(&card->qps, &wq->base.obj) ? ORNIC_CMD_NO_RESOURCES :
					      ORNIC_CMD_OK;
}

static void wq_free(struct wq *wq)
{
	rq_uninit(&wq->base.rq);
	delay_destroy(wq->delay);
	free(wq);
}

enum ornic_cmd_status wq_cmd_create(struct card *card, struct cmd *cmd)
{
	const struct ornic_create_wq_in *in = cmd->in;
	struct ornic_object *out = cmd->out;
	enum ornic_cmd_status status;
	struct wq *wq;

	status = wq_check(in);
	if (status)
		return status;
	wq = calloc(1, sizeof(*wq));
	if (!wq)
		return ORNIC_CMD_NO_RESOURCES;
	wq->base.card = card;
	wq->base.type = RECEIVER_WQ;
	wq->base.flags = ORNIC_QP_RQ;
	wq->base.rx_flags = le32toh(in->flags);
	receiver_init(&wq->base, &wq_receiver_ops, &wq->dbr, wq_run, wq_timer);
	status = wq_alloc(wq, in);
	if (status) {
		wq_free(wq);
		return status;
	}
	eq_source_init(&wq->base.events, wq->base.obj.num, false);
	wq->base.user.pdn = le32toh(in->pdn);
	wq->base.user.qpn = wq->base.obj.num;
	obj_get(&wq->uctx->obj);
	receiver_attach(&wq->base, cq_find(card, le32toh(in->cqn)));
	wq_reset(wq);
	out->num = htole32(wq->base.obj.num);
	return ORNIC_CMD_OK;
}

void wq_destroy(struct card *card, struct obj *obj)
{
	struct wq *wq = container_of(obj, struct wq, base.obj);

	env_timer_cancel(card->env, &wq->base.timer);
	eq_source_forget(&wq->base.events);
	run_remove(&wq->base.run);
	cq_detach(&wq->base.recv_cq);
	obj_put(&wq->uctx->obj);
	obj_remove(&card->qps, obj);
	wq_free(wq);
}

enum ornic_cmd_status wq_cmd_destroy(struct card *card, struct cmd *cmd)
{
	const struct ornic_object *in = cmd->in;
	struct wq *wq = wq_find(card, le32toh(in->num));

	if (in->rsvd)
		return ORNIC_CMD_BAD_PARAM;
	if (!wq)
		return ORNIC_CMD_BAD_OBJECT;
	if (wq->base.obj.users)
		return ORNIC_CMD_BUSY;
	wq_destroy(card, &wq->base.obj);
	return ORNIC_CMD_OK;
}

/* ---- MODIFY_WQ ---- */

static unsigned int wq_state(const struct wq *wq)
{
	switch (wq->base.state) {
	case ORNIC_QPS_RESET:
		return ORNIC_WQS_RESET;
	case ORNIC_QPS_ERR:
		return ORNIC_WQS_ERR;
	default:
		return ORNIC_WQS_RDY;
	}
}

/* ERR to ERR is allowed, as the WQ may have failed by itself */
static bool wq_may_become(const struct wq *wq, unsigned int to)
{
	switch (to) {
	case ORNIC_WQS_RESET:
		return true;
	case ORNIC_WQS_RDY:
		return wq_state(wq) == ORNIC_WQS_RDY ||
		       (wq_state(wq) == ORNIC_WQS_RESET &&
			!cq_link_failed(&wq->base.recv_cq));
	default:
		return wq_state(wq) != ORNIC_WQS_RESET;
	}
}

static void wq_become(struct wq *wq, unsigned int to)
{
	switch (to) {
	case ORNIC_WQS_RESET:
		wq->base.state = ORNIC_QPS_RESET;
		wq_reset(wq);
		break;
	case ORNIC_WQS_RDY:
		wq->base.state = ORNIC_QPS_RTR;
		break;
	case ORNIC_WQS_ERR:
		if (wq_state(wq) == ORNIC_WQS_ERR)
			receiver_poll_soon(&wq->base);
		else
			wq_error(wq);
		break;
	}
}

enum ornic_cmd_status wq_cmd_modify(struct card *card, struct cmd *cmd)
{
	const struct ornic_modify_wq_in *in = cmd->in;
	struct wq *wq = wq_find(card, le32toh(in->wqn));
	uint32_t flags = le32toh(in->flags);
	uint32_t mask = le32toh(in->mask);

	if (mask & ~WQ_ATTRS || !CMD_RSVD_ZERO(in->rsvd))
		return ORNIC_CMD_BAD_PARAM;
	if (mask & ORNIC_WQ_ATTR_STATE && in->state > ORNIC_WQS_ERR)
		return ORNIC_CMD_BAD_PARAM;
	if (mask & ORNIC_WQ_ATTR_FLAGS && flags & ~ORNIC_WQ_CVLAN_STRIPPING)
		return ORNIC_CMD_BAD_PARAM;
	if (!wq)
		return ORNIC_CMD_BAD_OBJECT;
	if (mask & ORNIC_WQ_ATTR_CUR_STATE && in->cur_state != wq_state(wq))
		return ORNIC_CMD_BAD_STATE;
	if (mask & ORNIC_WQ_ATTR_STATE) {
		if (!wq_may_become(wq, in->state))
			return ORNIC_CMD_BAD_STATE;
		wq_become(wq, in->state);
	}
	if (mask & ORNIC_WQ_ATTR_FLAGS) {
		wq->base.rx_flags &= ~ORNIC_WQ_CVLAN_STRIPPING;
		wq->base.rx_flags |= flags;
	}
	return ORNIC_CMD_OK;
}
