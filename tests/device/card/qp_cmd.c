// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: creation, destruction, queries */
#include <endian.h>
#include <string.h>

#include "base/run.h"
#include "card/qp_cmd.h"
#include "card/qp_run.h"
#include "card/query.h"
#include "eth/rss.h"
#include "eth/rwq_table.h"
#include "objects/comp_cntr.h"
#include "objects/cq.h"
#include "objects/eq.h"
#include "objects/pd.h"
#include "objects/srq.h"
#include "objects/uctx.h"
#include "objects/xrcd.h"
#include "roce/ack.h"
#include "roce/record.h"

#define QP_FLAGS                                                          \
	(ORNIC_QP_SQ | ORNIC_QP_RQ | ORNIC_QP_SRQ | ORNIC_QP_SIG_ALL |    \
	 ORNIC_QP_KERNEL)
#define QP_RX_FLAGS                                                       \
	(ORNIC_QP_SCATTER_FCS | ORNIC_QP_CVLAN_STRIPPING |                \
	 ORNIC_QP_PAD_END)
#define QP_RAW_FLAGS (QP_RX_FLAGS | ORNIC_QP_RSS)

static enum ornic_cmd_status
qp_check_queues(const struct ornic_create_qp_in *in, uint32_t flags)
{
	if (flags & ORNIC_QP_SQ) {
		if (in->log_sq_slots > CARD_MAX_LOG_SQ_SLOTS)
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
qp_check_srq(struct card *card, const struct ornic_create_qp_in *in)
{
	uint32_t flags = le32toh(in->flags);
	const struct srq *srq;

	if (!(flags & ORNIC_QP_SRQ))
		return in->srqn ? ORNIC_CMD_BAD_PARAM : ORNIC_CMD_OK;
	if (flags & ORNIC_QP_RQ ||
	    (in->type != ORNIC_QPT_RC && in->type != ORNIC_QPT_UD))
		return ORNIC_CMD_BAD_PARAM;
	srq = srq_find(card, le32toh(in->srqn));
	return srq && !srq->xrcd ? ORNIC_CMD_OK : ORNIC_CMD_BAD_OBJECT;
}

/* XRC_SEND has at most a send queue, XRC_RECV has no queue ([ORNIC-XRC-2]) */
static enum ornic_cmd_status
qp_check_xrc(struct card *card, const struct ornic_create_qp_in *in)
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
	return xrcd_find(card, le32toh(in->xrcdn)) ? ORNIC_CMD_OK :
						    ORNIC_CMD_BAD_OBJECT;
}

/* RSS QPs own no queues, so the fields of queues are 0 ([ORNIC-RSS-2]) */
static enum ornic_cmd_status
qp_check_rss(struct card *card, const struct ornic_create_qp_in *in)
{
	uint32_t fields = le32toh(in->rx_hash_fields);

	if (!(le32toh(in->flags) & ORNIC_QP_RSS))
		return in->rwq_table || fields ||
			       !CMD_RSVD_ZERO(in->rx_hash_key) ?
			       ORNIC_CMD_BAD_PARAM : ORNIC_CMD_OK;
	if (le32toh(in->flags) != ORNIC_QP_RSS || in->dbr_addr ||
	    fields & ~RSS_FIELDS)
		return ORNIC_CMD_BAD_PARAM;
	return rwq_table_find(card, le32toh(in->rwq_table)) ? ORNIC_CMD_OK :
						       ORNIC_CMD_BAD_OBJECT;
}

/* [ORNIC-NEG-5] */
static bool qp_is_supported(const struct card *card,
			    const struct ornic_create_qp_in *in)
{
	uint32_t flags = le32toh(in->flags);
	uint64_t features = 0;

	if (flags & ORNIC_QP_SRQ)
		features |= ORNIC_FEAT_SRQ;
	if (flags & ORNIC_QP_RSS)
		features |= ORNIC_FEAT_WQ;
	return card_uses(card, features) &&
	       query_qp_types(card, card->host.features) >> in->type & 1;
}

static enum ornic_cmd_status
qp_check_create(struct card *card, const struct ornic_create_qp_in *in)
{
	uint32_t flags = le32toh(in->flags);
	enum ornic_cmd_status status;

	switch (in->type) {
	case ORNIC_QPT_GSI:
		if (card->gsi)
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
	if (!qp_is_supported(card, in))
		return ORNIC_CMD_NOT_SUPPORTED;
	status = qp_check_xrc(card, in);
	if (!status)
		status = qp_check_queues(in, flags);
	if (!status)
		status = qp_check_rss(card, in);
	return status ? status : qp_check_srq(card, in);
}

static enum ornic_cmd_status qp_init_queues(struct qp *qp,
					    const struct ornic_create_qp_in *in)
{
	enum ornic_cmd_status status = ORNIC_CMD_OK;
	struct card *card = qp->base.card;

	qp->sq.log_slots = in->log_sq_slots;
	if (qp_has_dbr(qp) && !sq_watch_init(&qp->watch, qp, &card->guest,
					     le64toh(in->dbr_addr)))
		return ORNIC_CMD_DMA_FAULT;
	if (qp_has_sq(qp)) {
		status = buf_init(&qp->sq.ring, &card->guest, &card->budget,
				  &in->sq, 0,
				  (uint64_t)ORNIC_SLOT_SIZE << in->log_sq_slots,
				  MEM_READ);
		if (status)
			return status;
		if (record_init(qp))
			return ORNIC_CMD_NO_RESOURCES;
	}
	if (receiver_has_rq(&qp->base))
		status = rq_init(&qp->base.rq, &in->rq, in->log_rq_wqes,
				      in->rq_stride_shift, MEM_READ);
	return status;
}

/* Accepts queues that were never initialised */
static void qp_uninit_queues(struct qp *qp)
{
	rq_uninit(&qp->base.rq);
	record_uninit(qp);
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
	struct card *card = qp->base.card;
	bool xrc_recv = qp->base.type == ORNIC_QPT_XRC_RECV;

	qp->uctx = uctx_find(card, le32toh(in->uctx));
	qp->base.user.pdn = xrc_recv ? PD_NONE : le32toh(in->pdn);
	if (!qp->uctx || (!xrc_recv && !pd_is_valid(qp->base.user.pdn)))
		return ORNIC_CMD_BAD_OBJECT;
	if (qp->base.flags & ORNIC_QP_SRQ)
		qp->base.srq = srq_find(card, le32toh(in->srqn));
	if (xrc_recv)
		qp->xrcd = xrcd_find(card, le32toh(in->xrcdn));
	if (qp_is_rss(qp))
		qp->rwq_table = rwq_table_find(card, le32toh(in->rwq_table));
	/* Kernel QPs and the GSI need the kernel's page ([ORNIC-OBJ-23]) */
	if ((qp_is_kernel(qp) || qp->base.type == ORNIC_QPT_GSI) &&
	    !qp->uctx->kernel)
		return ORNIC_CMD_BAD_PARAM;
	return ORNIC_CMD_OK;
}

static void qp_get_parts(struct qp *qp)
{
	obj_get(&qp->uctx->obj);
	if (qp->base.srq)
		obj_get(&qp->base.srq->obj);
	if (qp->xrcd)
		obj_get(&qp->xrcd->obj);
	if (qp->rwq_table)
		obj_get(&qp->rwq_table->obj);
}

static void qp_put_parts(struct qp *qp)
{
	unsigned int i;

	for (i = 0; i < COMP_CNTR_REQUESTS; i++)
		if (qp->base.cntrs[i])
			obj_put(&qp->base.cntrs[i]->obj);
	if (qp->rwq_table)
		obj_put(&qp->rwq_table->obj);
	if (qp->xrcd)
		obj_put(&qp->xrcd->obj);
	if (qp->base.srq)
		obj_put(&qp->base.srq->obj);
	obj_put(&qp->uctx->obj);
}

static enum ornic_cmd_status qp_create(struct card *card,
				       const struct ornic_create_qp_in *in,
				       struct qp **out)
{
	struct cq *send_cq = cq_find_working(card, le32toh(in->send_cqn));
	struct cq *recv_cq = cq_find_working(card, le32toh(in->recv_cqn));
	enum ornic_cmd_status status;
	struct qp *qp;

	qp = arena_alloc(&card->arena, sizeof(*qp));
	if (!qp)
		return ORNIC_CMD_NO_RESOURCES;
	qp->base.card = card;
	qp->base.type = in->type;
	qp->base.flags = le32toh(in->flags);
	qp->base.rx_flags = qp_rx_flags(qp->base.flags);
	qp->rx_hash.fields = le32toh(in->rx_hash_fields);
	memcpy(qp->rx_hash.key, in->rx_hash_key, RSS_KEY_LEN);
	status = qp_find_parts(qp, in);
	if (status)
		goto err_free;
	qp->base.user.kernel = qp_is_kernel(qp);
	qp->board_slot = ORNIC_BOARD_NO_SLOT;
	receiver_init(&qp->base, &qp_receiver_ops, &qp->watch.dbr, qp_run,
		      qp_timer);
	qp->answer.run = qp_answer;
	list_init(&qp->answer.node);

	status = ORNIC_CMD_BAD_OBJECT;
	if ((qp_has_sq(qp) && !send_cq) || (qp_has_recv_cq(qp) && !recv_cq))
		goto err_free;
	status = qp_init_queues(qp, in);
	if (status)
		goto err_uninit_queues;
	status = ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&card->qps, &qp->base.obj))
		goto err_uninit_queues;
	if (uctx_slot_alloc(qp->uctx, qp, &qp->board_slot))
		goto err_remove;

	qp->watch.board = qp->board_slot != ORNIC_BOARD_NO_SLOT;
	eq_source_init(&qp->base.events, qp->base.obj.num, false);
	qp->base.user.qpn = qp->base.obj.num;
	qp_get_parts(qp);
	if (qp_has_sq(qp))
		cq_attach(&qp->send_cq, send_cq, &qp->base, receiver_cq_failed);
	if (qp_has_recv_cq(qp))
		receiver_attach(&qp->base, recv_cq);
	if (qp->base.type == ORNIC_QPT_GSI)
		card->gsi = qp;
	qp_reset(qp);
	*out = qp;
	return ORNIC_CMD_OK;

err_remove:
	obj_remove(&card->qps, &qp->base.obj);
err_uninit_queues:
	qp_uninit_queues(qp);
err_free:
	arena_free(&card->arena, qp);
	return status;
}

enum ornic_cmd_status qp_cmd_create(struct card *card, struct cmd *cmd)
{
	const struct ornic_create_qp_in *in = cmd->in;
	struct ornic_create_qp_out *out = cmd->out;
	enum ornic_cmd_status status;
	struct qp *qp;

	status = qp_check_create(card, in);
	if (!status)
		status = qp_create(card, in, &qp);
	if (status)
		return status;
	/* An RSS QP has no peer: it starts in RTS ([ORNIC-RSS-3]) */
	if (qp_is_rss(qp))
		qp->base.state = ORNIC_QPS_RTS;
	out->qpn = htole32(qp->base.obj.num);
	out->slot = htole32(qp->board_slot);
	return ORNIC_CMD_OK;
}

static void qp_destroy(struct qp *qp)
{
	struct card *card = qp->base.card;

	if (card->gsi == qp)
		card->gsi = NULL;
	env_timer_cancel(card->env, &qp->base.timer);
	eq_source_forget(&qp->base.events);
	run_remove(&qp->base.run);
	run_remove(&qp->answer);
	cq_detach(&qp->base.recv_cq);
	cq_detach(&qp->send_cq);
	qp_put_parts(qp);
	obj_remove(&card->qps, &qp->base.obj);
	qp_uninit_queues(qp);
	arena_free(&card->arena, qp);
}

void qp_discard(struct card *card, struct obj *obj)
{
	struct receiver *rx = container_of(obj, struct receiver, obj);

	if (receiver_is_wq(rx))
		return;
	sq_watch_forget(&card->watches, &qp_of(rx)->watch);
	qp_destroy(qp_of(rx));
}

enum ornic_cmd_status qp_cmd_destroy(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct receiver *rx;
	struct obj *obj;
	struct qp *qp;

	status = cmd_find_unused(&card->qps, cmd, &obj);
	if (status && status != ORNIC_CMD_BUSY)
		return status;
	rx = container_of(obj, struct receiver, obj);
	if (receiver_is_wq(rx))
		return ORNIC_CMD_BAD_OBJECT;
	qp = qp_of(rx);
	if (status)
		return status;
	ack_settle(qp);
	sq_watch_stop(&card->watches, &qp->watch);
	uctx_slot_free(qp->uctx, qp->board_slot);
	qp_destroy(qp);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status qp_cmd_query(struct card *card, struct cmd *cmd)
{
	const struct ornic_object *in = cmd->in;
	struct ornic_qp_attr *out = cmd->out;
	const struct qp_attr *attr;
	const struct qp *qp;

	if (in->rsvd)
		return ORNIC_CMD_BAD_PARAM;
	qp = qp_find(card, le32toh(in->num));
	if (!qp)
		return ORNIC_CMD_BAD_OBJECT;
	attr = &qp->attr;
	out->state = qp->base.state;
	out->cur_state = qp->base.state;
	out->path_mtu = attr->path_mtu;
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
	out->sq_draining = qp->base.state == ORNIC_QPS_SQD && !qp->drained;
	out->en_sqd_async_notify = attr->sqd_notify;
	out->rate_limit = htole32(qp->pace.rate);
	out->av = attr->av;
	return ORNIC_CMD_OK;
}

/* [ORNIC-DEV-20] */
enum ornic_cmd_status qp_cmd_bind_stats(struct card *card, struct cmd *cmd)
{
	const struct ornic_bind_stats_in *in = cmd->in;
	struct qp *qp = qp_find(card, le32toh(in->qpn));

	if (!qp)
		return ORNIC_CMD_BAD_OBJECT;
	if (le32toh(in->set) >= STATS_SETS)
		return ORNIC_CMD_BAD_PARAM;
	qp->base.stat_set = le32toh(in->set);
	return ORNIC_CMD_OK;
}

/* [ORNIC-CNTR-2] */
enum ornic_cmd_status qp_cmd_attach_comp_cntr(struct card *card, struct cmd *cmd)
{
	const struct ornic_attach_comp_cntr_in *in = cmd->in;
	struct comp_cntr *cntr = comp_cntr_find(card, le32toh(in->num));
	struct qp *qp = qp_find(card, le32toh(in->qpn));
	uint32_t requests = le32toh(in->requests);
	unsigned int i;

	if (in->rsvd || !requests || requests & ~ORNIC_COUNT_ALL)
		return ORNIC_CMD_BAD_PARAM;
	if (!qp || !cntr)
		return ORNIC_CMD_BAD_OBJECT;
	if (qp->base.state > ORNIC_QPS_INIT)
		return ORNIC_CMD_BAD_STATE;
	for (i = 0; i < COMP_CNTR_REQUESTS; i++)
		if (requests >> i & 1 && qp->base.cntrs[i])
			return ORNIC_CMD_BUSY;
	for (i = 0; i < COMP_CNTR_REQUESTS; i++) {
		if (!(requests >> i & 1))
			continue;
		qp->base.cntrs[i] = cntr;
		obj_get(&cntr->obj);
	}
	qp->base.flags |= RECEIVER_COUNTS;
	return ORNIC_CMD_OK;
}
