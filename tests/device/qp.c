// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: creation, destruction, states, the work of one turn */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "eq.h"
#include "eth.h"
#include "qp.h"
#include "ud.h"
#include "xrcd.h"

/* Interval of polls for receive WQEs in ERR; doubles with each poll, ns */
#define QP_POLL_MIN_NS 50000
#define QP_POLL_MAX_NS 16000000

#define QP_FLAGS                                                          \
	(ORNIC_QP_SQ | ORNIC_QP_RQ | ORNIC_QP_SRQ | ORNIC_QP_SIG_ALL |    \
	 ORNIC_QP_KERNEL)
#define QP_RX_FLAGS                                                       \
	(ORNIC_QP_SCATTER_FCS | ORNIC_QP_CVLAN_STRIPPING |                \
	 ORNIC_QP_PAD_END)
#define QP_RAW_FLAGS (QP_RX_FLAGS | ORNIC_QP_RSS)

_Static_assert(offsetof(struct qp, obj) == 0, "qp_find() casts");

int engine_init(struct nic *nic)
{
	nic->engine = calloc(1, sizeof(*nic->engine));
	return nic->engine ? 0 : -ENOMEM;
}

void engine_uninit(struct nic *nic)
{
	free(nic->engine);
	nic->engine = NULL;
}

static bool qp_is_datagram(const struct qp *qp)
{
	return qp->type == ORNIC_QPT_UD || qp->type == ORNIC_QPT_GSI;
}

/* ---- state ---- */

void qp_error(struct qp *qp)
{
	if (qp->state == ORNIC_QPS_ERR)
		return;
	qp->state = ORNIC_QPS_ERR;
	qp->poll_ns = QP_POLL_MIN_NS;
	env_timer_cancel(qp->nic->env, &qp->timer);
	delay_clear(qp);
	sq_watch_stop(qp->nic, &qp->watch);
	/*
	 * Fence D1 of [ORNIC-DB-9]: the flush reads sq_pi after sq_watched is
	 * 0, so the host rings the doorbell for later posts.
	 */
	guest_fence();
	qp_ready(qp);
}

void qp_error_event(struct qp *qp, enum ornic_event event)
{
	if (qp->state == ORNIC_QPS_ERR)
		return;
	qp_error(qp);
	eq_async(qp->nic, &qp->events, event);
}

void qp_fatal(struct qp *qp)
{
	qp_error_event(qp, qp_is_wq(qp) ? ORNIC_EVENT_WQ_FATAL :
					  ORNIC_EVENT_QP_FATAL);
}

void qp_poll_soon(struct qp *qp)
{
	qp->poll_ns = QP_POLL_MIN_NS;
	qp_ready(qp);
}

void qp_send_error(struct qp *qp)
{
	if (!qp_sends(qp))
		return;
	qp->state = ORNIC_QPS_SQE;
	qp_ready(qp);
}

void qp_drained(struct qp *qp)
{
	if (qp->drained)
		return;
	qp->drained = true;
	if (qp->attr.sqd_notify)
		eq_async(qp->nic, &qp->events, ORNIC_EVENT_QP_SQ_DRAINED);
}

void qp_reset(struct qp *qp)
{
	struct ornic_qp_dbr *dbr = qp_has_dbr(qp) ? qp_dbr(qp) : NULL;

	env_timer_cancel(qp->nic->env, &qp->timer);
	delay_clear(qp);
	sq_watch_stop(qp->nic, &qp->watch);
	core_not_ready(&qp->run);
	qp->comm_est = false;
	qp->last_wqe = false;
	qp->drained = false;
	qp->sq.pi = 0;
	qp->sq.next = 0;
	qp->sq.ci = 0;
	qp->sq.ci_told = 0;
	qp->sq.broken = false;
	rq_ring_reset(&qp->rq);
	memset(&qp->attr, 0, sizeof(qp->attr));
	memset(&qp->pace, 0, sizeof(qp->pace));
	qp->tso_sent = 0;
	req_reset(qp);
	resp_reset(qp);
	if (dbr) {
		guest_store32(&dbr->sq_ci, 0);
		guest_store32(&dbr->sq_watched, 0);
		guest_store32(&dbr->rq_ci, 0);
	}
}

void qp_cq_failed(struct qp *qp)
{
	if (qp->state != ORNIC_QPS_RESET)
		qp_fatal(qp);
}

static void qp_timer(struct timer *timer)
{
	struct qp *qp = container_of(timer, struct qp, timer);

	if (qp->nic->reset.active)
		return;
	if (qp->state == ORNIC_QPS_ERR || qp->type == ORNIC_QPT_RAW_PACKET)
		qp_ready(qp);
	else if (qp_is_wq(qp))
		delay_timer(qp);
	else
		comp_timer(qp);
}

/* ---- work ---- */

void qp_kick(struct qp *qp)
{
	uint32_t pi = qp->sq.pi;

	if (!qp_has_sq(qp) || qp->state < ORNIC_QPS_RTS)
		return;
	if (qp->state == ORNIC_QPS_ERR) {
		qp_ready(qp);
		return;
	}
	if (sq_update(qp)) {
		qp_error_event(qp, ORNIC_EVENT_QP_FATAL);
		return;
	}
	if (qp->sq.pi == pi)
		return;
	sq_watch_busy(qp->nic, &qp->watch);
	qp_ready(qp);
}

/* The QP holds no WQE of the SRQ any more (IBTA 10.3.1, 11.6.3.1) */
static void qp_last_wqe(struct qp *qp)
{
	if (!qp->srq || qp->last_wqe)
		return;
	qp->last_wqe = true;
	eq_async(qp->nic, &qp->events, ORNIC_EVENT_QP_LAST_WQE);
}

static bool qp_flush(struct qp *qp, unsigned int budget)
{
	bool more = ack_pending(qp) && ack_run(qp, budget);

	resp_flush(qp);
	qp_last_wqe(qp);
	if (qp_has_sq(qp))
		more |= req_flush(qp, budget) || sq_flush(qp, budget);
	if (!qp_has_rq(qp))
		return more;
	more |= rq_flush(qp, budget);
	if (more)
		return true;
	env_timer_arm(qp->nic->env, &qp->timer,
		      env_now_ns(qp->nic->env) + qp->poll_ns);
	if (qp->poll_ns < QP_POLL_MAX_NS)
		qp->poll_ns *= 2;
	return false;
}

static bool qp_run_rc(struct qp *qp, unsigned int budget)
{
	bool more = ack_run(qp, budget);

	if (qp_sends(qp))
		more |= req_run(qp, budget);
	return more;
}

bool qp_run(struct qp *qp, unsigned int budget)
{
	if (qp->state < ORNIC_QPS_RTR)
		return false;
	if (qp->state == ORNIC_QPS_ERR)
		return qp_flush(qp, budget);
	if (qp_is_reliable(qp))
		return qp_run_rc(qp, budget);
	if (qp->state == ORNIC_QPS_SQE)
		return sq_flush(qp, budget);
	if (qp->type == ORNIC_QPT_UC)
		return qp_sends(qp) && req_run(qp, budget);
	if (qp->type == ORNIC_QPT_RAW_PACKET)
		return qp_sends(qp) && eth_tx(qp, budget);
	return qp->state == ORNIC_QPS_RTS && qp_is_datagram(qp) &&
	       ud_run(qp, budget);
}

int qp_stats(struct nic *nic, uint32_t qpn, uint64_t *out, unsigned int max)
{
	struct qp *qp = qp_find(nic, qpn);
	unsigned int n = sizeof(qp->stats) / sizeof(*out);

	if (!qp)
		return -ENOENT;
	if (n > max)
		n = max;
	memcpy(out, &qp->stats, n * sizeof(*out));
	return n;
}

/* ---- commands ---- */

static enum ornic_cmd_status
qp_check_queues(const struct ornic_create_qp_in *in, uint32_t flags)
{
	if (flags & ORNIC_QP_SQ) {
		if (in->log_sq_slots > CORE_MAX_LOG_SQ_SLOTS)
			return ORNIC_CMD_BAD_PARAM;
	} else if (in->log_sq_slots || !CMD_RSVD_ZERO(in->sq)) {
		return ORNIC_CMD_BAD_PARAM;
	}
	if (!(flags & ORNIC_QP_RQ) && (in->log_rq_wqes || in->rq_stride_shift ||
				       !CMD_RSVD_ZERO(in->rq)))
		return ORNIC_CMD_BAD_PARAM;
	return ORNIC_CMD_OK;
}

/* An SRQ replaces the receive queue (IBTA 10.2.9.1) */
static enum ornic_cmd_status
qp_check_srq(struct nic *nic, const struct ornic_create_qp_in *in)
{
	uint32_t flags = le32toh(in->flags);
	const struct srq *srq;

	if (!(flags & ORNIC_QP_SRQ))
		return in->srqn ? ORNIC_CMD_BAD_PARAM : ORNIC_CMD_OK;
	if (flags & ORNIC_QP_RQ ||
	    (in->type != ORNIC_QPT_RC && in->type != ORNIC_QPT_UD))
		return ORNIC_CMD_BAD_PARAM;
	srq = srq_find(nic, le32toh(in->srqn));
	return srq && !srq->xrcd ? ORNIC_CMD_OK : ORNIC_CMD_BAD_OBJECT;
}

/* XRC_SEND has at most a send queue, XRC_RECV has no queue ([ORNIC-XRC-2]) */
static enum ornic_cmd_status
qp_check_xrc(struct nic *nic, const struct ornic_create_qp_in *in)
{
	uint32_t queues = le32toh(in->flags) &
			  (ORNIC_QP_SQ | ORNIC_QP_RQ | ORNIC_QP_SRQ);

	if (in->type != ORNIC_QPT_XRC_RECV) {
		if (in->type == ORNIC_QPT_XRC_SEND && queues & ~ORNIC_QP_SQ)
			return ORNIC_CMD_BAD_PARAM;
		return in->xrcdn ? ORNIC_CMD_BAD_PARAM : ORNIC_CMD_OK;
	}
	if (queues || in->pdn || in->dbr_addr)
		return ORNIC_CMD_BAD_PARAM;
	return xrcd_find(nic, le32toh(in->xrcdn)) ? ORNIC_CMD_OK :
						    ORNIC_CMD_BAD_OBJECT;
}

/* RSS QPs own no queues, so the fields of queues are 0 ([ORNIC-RSS-2]) */
static enum ornic_cmd_status
qp_check_rss(struct nic *nic, const struct ornic_create_qp_in *in)
{
	uint32_t fields = le32toh(in->rx_hash_fields);

	if (!(le32toh(in->flags) & ORNIC_QP_RSS))
		return in->rwq_table || fields ||
			       !CMD_RSVD_ZERO(in->rx_hash_key) ?
			       ORNIC_CMD_BAD_PARAM : ORNIC_CMD_OK;
	if (le32toh(in->flags) != ORNIC_QP_RSS || in->dbr_addr ||
	    fields & ~RSS_FIELDS)
		return ORNIC_CMD_BAD_PARAM;
	return rwq_find(nic, le32toh(in->rwq_table)) ? ORNIC_CMD_OK :
						       ORNIC_CMD_BAD_OBJECT;
}

static enum ornic_cmd_status
qp_check_create(struct nic *nic, const struct ornic_create_qp_in *in)
{
	uint32_t flags = le32toh(in->flags);
	enum ornic_cmd_status status;

	switch (in->type) {
	case ORNIC_QPT_GSI:
		if (nic->engine->gsi)
			return ORNIC_CMD_BUSY;
		break;
	case ORNIC_QPT_RC:
	case ORNIC_QPT_UC:
	case ORNIC_QPT_UD:
	case ORNIC_QPT_RAW_PACKET:
	case ORNIC_QPT_XRC_SEND:
	case ORNIC_QPT_XRC_RECV:
		break;
	default:
		return ORNIC_CMD_BAD_PARAM;
	}
	if (in->type == ORNIC_QPT_RAW_PACKET)
		flags &= ~QP_RAW_FLAGS;
	if (flags & ~QP_FLAGS || le64toh(in->dbr_addr) & 63)
		return ORNIC_CMD_BAD_PARAM;
	status = qp_check_xrc(nic, in);
	if (!status)
		status = qp_check_queues(in, flags);
	if (!status)
		status = qp_check_rss(nic, in);
	return status ? status : qp_check_srq(nic, in);
}

static enum ornic_cmd_status qp_init_queues(struct qp *qp,
					    const struct ornic_create_qp_in *in)
{
	enum ornic_cmd_status status = ORNIC_CMD_OK;
	struct nic *nic = qp->nic;

	qp->sq.log_slots = in->log_sq_slots;
	qp->rq.nic = nic;
	qp->rq.owner = &qp->obj;
	qp->rq.kind = qp_kind(qp);
	qp->rq.dbr = &qp->watch.dbr;
	if (qp_has_dbr(qp) && !sq_watch_init(&qp->watch, qp, &nic->guest,
					     le64toh(in->dbr_addr)))
		return ORNIC_CMD_DMA_FAULT;
	if (qp_has_sq(qp)) {
		status = buf_init(&qp->sq.ring, &nic->guest, &nic->budget,
				  &in->sq, 0,
				  (uint64_t)ORNIC_SLOT_SIZE << in->log_sq_slots,
				  MEM_READ);
		if (status)
			return status;
		if (req_init(qp))
			return ORNIC_CMD_NO_RESOURCES;
	}
	if (qp_has_rq(qp))
		status = rq_ring_init(&qp->rq, &in->rq, in->log_rq_wqes,
				      in->rq_stride_shift, MEM_READ);
	return status;
}

/* Accepts queues that were never initialised */
static void qp_uninit_queues(struct qp *qp)
{
	rq_ring_uninit(&qp->rq);
	req_uninit(qp);
	buf_uninit(&qp->sq.ring);
}

static uint32_t qp_rx_flags(uint32_t flags)
{
	uint32_t rx_flags = 0;

	if (flags & ORNIC_QP_SCATTER_FCS)
		rx_flags |= ORNIC_WQ_SCATTER_FCS;
	if (flags & ORNIC_QP_CVLAN_STRIPPING)
		rx_flags |= ORNIC_WQ_CVLAN_STRIPPING;
	if (flags & ORNIC_QP_PAD_END)
		rx_flags |= ORNIC_WQ_PAD_END;
	return rx_flags;
}

static enum ornic_cmd_status qp_find_parts(struct qp *qp,
					   const struct ornic_create_qp_in *in)
{
	struct nic *nic = qp->nic;
	bool xrc_recv = qp->type == ORNIC_QPT_XRC_RECV;

	if (!qp_is_wq(qp))
		qp->uctx = uctx_find(nic, le32toh(in->uctx));
	if (!xrc_recv)
		qp->pd = pd_find(nic, le32toh(in->pdn));
	if ((!qp->uctx && !qp_is_wq(qp)) || (!qp->pd && !xrc_recv))
		return ORNIC_CMD_BAD_OBJECT;
	if (qp->flags & ORNIC_QP_SRQ)
		qp->srq = srq_find(nic, le32toh(in->srqn));
	if (xrc_recv)
		qp->xrcd = xrcd_find(nic, le32toh(in->xrcdn));
	if (qp_is_rss(qp))
		qp->rwq = rwq_find(nic, le32toh(in->rwq_table));
	/* Kernel QPs and the GSI need the kernel's page ([ORNIC-OBJ-15]) */
	if ((qp_is_kernel(qp) || qp->type == ORNIC_QPT_GSI) &&
	    !qp->uctx->kernel)
		return ORNIC_CMD_BAD_PARAM;
	return ORNIC_CMD_OK;
}

static void qp_get_parts(struct qp *qp)
{
	if (qp->uctx)
		obj_get(&qp->uctx->obj);
	if (qp->pd)
		obj_get(&qp->pd->obj);
	if (qp->srq)
		obj_get(&qp->srq->obj);
	if (qp->xrcd)
		obj_get(&qp->xrcd->obj);
	if (qp->rwq)
		obj_get(&qp->rwq->obj);
}

static void qp_put_parts(struct qp *qp)
{
	if (qp->rwq)
		obj_put(&qp->rwq->obj);
	if (qp->xrcd)
		obj_put(&qp->xrcd->obj);
	if (qp->srq)
		obj_put(&qp->srq->obj);
	if (qp->pd)
		obj_put(&qp->pd->obj);
	if (qp->uctx)
		obj_put(&qp->uctx->obj);
}

enum ornic_cmd_status qp_create(struct nic *nic,
				const struct ornic_create_qp_in *in,
				struct qp **out)
{
	struct cq *send_cq = cq_find(nic, le32toh(in->send_cqn));
	struct cq *recv_cq = cq_find(nic, le32toh(in->recv_cqn));
	enum ornic_cmd_status status;
	struct qp *qp;

	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return ORNIC_CMD_NO_RESOURCES;
	qp->nic = nic;
	qp->type = in->type;
	qp->flags = le32toh(in->flags);
	qp->rx_flags = qp_rx_flags(qp->flags);
	qp->rx_hash.fields = le32toh(in->rx_hash_fields);
	memcpy(qp->rx_hash.key, in->rx_hash_key, RSS_KEY_LEN);
	status = qp_find_parts(qp, in);
	if (status)
		goto err_free;
	qp->user.pd = qp->pd;
	qp->user.kernel = qp_is_kernel(qp);
	qp->board_slot = ORNIC_BOARD_NO_SLOT;
	qp->run.qp = qp;
	list_init(&qp->run.node);
	timer_init(&qp->timer, qp_timer);

	status = ORNIC_CMD_BAD_OBJECT;
	if ((qp_has_sq(qp) && !send_cq) || (qp_has_recv_cq(qp) && !recv_cq))
		goto err_free;
	status = qp_init_queues(qp, in);
	if (status)
		goto err_uninit_queues;
	status = ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&nic->qps, &qp->obj))
		goto err_uninit_queues;
	if (qp->uctx && uctx_slot_alloc(qp->uctx, qp, &qp->board_slot))
		goto err_remove;

	eq_source_init(&qp->events, qp->obj.num, false);
	qp->user.qpn = qp->obj.num;
	qp_get_parts(qp);
	if (qp_has_sq(qp))
		cq_attach(&qp->send_cq, send_cq, qp);
	if (qp_has_recv_cq(qp))
		cq_attach(&qp->recv_cq, recv_cq, qp);
	if (qp->type == ORNIC_QPT_GSI)
		nic->engine->gsi = qp;
	qp_reset(qp);
	*out = qp;
	return ORNIC_CMD_OK;

err_remove:
	obj_remove(&nic->qps, &qp->obj);
err_uninit_queues:
	qp_uninit_queues(qp);
err_free:
	free(qp);
	return status;
}

enum ornic_cmd_status qp_cmd_create(struct nic *nic, struct cmd *cmd)
{
	const struct ornic_create_qp_in *in = cmd->in;
	struct ornic_create_qp_out *out = cmd->out;
	enum ornic_cmd_status status;
	struct qp *qp;

	status = qp_check_create(nic, in);
	if (!status)
		status = qp_create(nic, in, &qp);
	if (status)
		return status;
	/* An RSS QP has no peer: it starts in RTS ([ORNIC-RSS-3]) */
	if (qp_is_rss(qp))
		qp->state = ORNIC_QPS_RTS;
	out->qpn = htole32(qp->obj.num);
	out->slot = htole32(qp->board_slot);
	return ORNIC_CMD_OK;
}

void qp_destroy(struct qp *qp)
{
	struct nic *nic = qp->nic;

	if (nic->engine->gsi == qp)
		nic->engine->gsi = NULL;
	env_timer_cancel(nic->env, &qp->timer);
	delay_destroy(qp);
	eq_source_forget(&qp->events);
	core_not_ready(&qp->run);
	cq_detach(&qp->recv_cq);
	cq_detach(&qp->send_cq);
	qp_put_parts(qp);
	obj_remove(&nic->qps, &qp->obj);
	qp_uninit_queues(qp);
	free(qp);
}

void qp_settle_all(struct nic *nic)
{
	struct list_head *pos;

	/* QPs that owe a response are ready or blocked */
	nic_room(nic);
	list_for_each(pos, &nic->ready)
		ack_settle_reset(list_entry(pos, struct run_item, node)->qp);
}

void qp_destroy_all(struct nic *nic, struct obj_walk *walk)
{
	struct obj *obj;

	while ((obj = obj_walk_next(&nic->qps, walk))) {
		struct qp *qp = container_of(obj, struct qp, obj);

		if (qp_is_wq(qp))
			continue;
		/* A reset writes no guest memory, so the record stays */
		sq_watch_forget(nic, &qp->watch);
		qp_destroy(qp);
	}
}

enum ornic_cmd_status qp_cmd_destroy(struct nic *nic, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;
	struct qp *qp;

	status = cmd_find_unused(&nic->qps, cmd, &obj);
	if (status && status != ORNIC_CMD_BUSY)
		return status;
	qp = container_of(obj, struct qp, obj);
	if (qp_is_wq(qp))
		return ORNIC_CMD_BAD_OBJECT;
	if (status)
		return status;
	ack_settle(qp);
	sq_watch_stop(nic, &qp->watch);
	uctx_slot_free(qp->uctx, qp->board_slot);
	qp_destroy(qp);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status qp_cmd_query(struct nic *nic, struct cmd *cmd)
{
	const struct ornic_object *in = cmd->in;
	struct ornic_qp_attr *out = cmd->out;
	const struct qp_attr *attr;
	const struct qp *qp;

	if (in->rsvd)
		return ORNIC_CMD_BAD_PARAM;
	qp = qp_find(nic, le32toh(in->num));
	if (!qp)
		return ORNIC_CMD_BAD_OBJECT;
	attr = &qp->attr;
	out->state = qp->state;
	out->cur_state = qp->state;
	out->path_mtu = attr->path_mtu;
	out->path_mig_state = attr->mig_state;
	out->qkey = htole32(attr->qkey);
	out->rq_psn = htole32(qp_is_connected(qp) ? qp->resp.epsn :
						      attr->rq_psn);
	out->sq_psn = htole32(qp->req.next);
	out->dest_qpn = htole32(attr->dest_qpn);
	out->access = htole32(attr->access);
	out->max_rd_atomic = attr->max_rd_atomic;
	out->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	out->min_rnr_timer = attr->min_rnr_timer;
	out->timeout = attr->timeout;
	out->retry_cnt = attr->retry_cnt;
	out->rnr_retry = attr->rnr_retry;
	out->sq_draining = qp->state == ORNIC_QPS_SQD && !qp->drained;
	out->en_sqd_async_notify = attr->sqd_notify;
	out->rate_limit = htole32(qp->pace.rate);
	out->av = attr->av;
	out->alt_av = attr->alt_av;
	out->alt_timeout = attr->alt_timeout;
	return ORNIC_CMD_OK;
}
