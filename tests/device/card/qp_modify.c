// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* MODIFY_QP: the table of transitions, and checks of attributes */
#include <endian.h>
#include <string.h>

#include "card/qp_modify.h"
#include "card/qp_run.h"
#include "eth/eth.h"
#include "eth/ethport.h"
#include "objects/mr.h"
#include "roce/ack.h"
#include "roce/path.h"
#include "roce/psn.h"
#include "roce/record.h"
#include "roce/resp.h"

#define A(name) ORNIC_QP_ATTR_##name

#define ATTRS_KNOWN							\
	(A(STATE) | A(CUR_STATE) | A(EN_SQD_ASYNC) | A(ACCESS) |	\
	 A(QKEY) | A(AV) | A(PATH_MTU) | A(TIMEOUT) | A(RETRY_CNT) |	\
	 A(RNR_RETRY) | A(RQ_PSN) | A(MAX_RD_ATOMIC) |			\
	 A(MIN_RNR_TIMER) | A(SQ_PSN) | A(MAX_DEST_RD_ATOMIC) |		\
	 A(DEST_QPN) | A(RATE_LIMIT))

#define PATH_MTU_MIN 1
#define PATH_MTU_MAX 5
/* A path_mtu of n means 1 << (PATH_MTU_SHIFT + n) bytes */
#define PATH_MTU_SHIFT 7
#define RETRY_MAX 7
/* Default of max_burst: so many frames or ms at the rate, the larger one */
#define BURST_FRAMES 2
#define BURST_MS 1
#define TIMER_CODE_MAX 31

/* Attributes of one half of a connection, which other types lack */
#define ATTRS_REQUESTER (A(RETRY_CNT) | A(RNR_RETRY) | A(MAX_RD_ATOMIC))
#define ATTRS_RESPONDER (A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER))

/**
 * struct transition - a transition to a state other than RESET and ERR
 * @from: enum ornic_qp_state
 * @to: enum ornic_qp_state
 * @rc_must: attributes required for RC; for UC and XRC, those of them that the
 *	type has
 * @rc_may: attributes allowed besides
 * @ud_must: attributes required for UD and GSI
 * @ud_may: attributes allowed besides; for RAW_PACKET, those of them that the
 *	type has
 * @sqe: from SQE, a state of UC, UD and GSI only
 *
 * See IBTA 10.3.1 and 11.2.5.2.
 */
struct transition {
	uint8_t from;
	uint8_t to;
	uint32_t rc_must;
	uint32_t rc_may;
	uint32_t ud_must;
	uint32_t ud_may;
	bool sqe;
};

static const struct transition transitions[] = {
	{
		.from = ORNIC_QPS_RESET, .to = ORNIC_QPS_INIT,
		.rc_must = A(ACCESS),
		.ud_must = A(QKEY),
	}, {
		.from = ORNIC_QPS_INIT, .to = ORNIC_QPS_INIT,
		.rc_may = A(ACCESS),
		.ud_may = A(QKEY),
	}, {
		.from = ORNIC_QPS_INIT, .to = ORNIC_QPS_RTR,
		.rc_must = A(AV) | A(PATH_MTU) | A(DEST_QPN) | A(RQ_PSN) |
			   A(MAX_DEST_RD_ATOMIC) | A(MIN_RNR_TIMER),
		.rc_may = A(ACCESS),
		.ud_may = A(QKEY),
	}, {
		.from = ORNIC_QPS_RTR, .to = ORNIC_QPS_RTS,
		.rc_must = A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) |
			   A(SQ_PSN) | A(MAX_RD_ATOMIC),
		.rc_may = A(ACCESS) | A(MIN_RNR_TIMER),
		.ud_must = A(SQ_PSN),
		.ud_may = A(QKEY) | A(RATE_LIMIT),
	}, {
		.from = ORNIC_QPS_RTS, .to = ORNIC_QPS_RTS,
		.rc_may = A(ACCESS) | A(MIN_RNR_TIMER),
		.ud_may = A(QKEY) | A(RATE_LIMIT),
	}, {
		.from = ORNIC_QPS_RTS, .to = ORNIC_QPS_SQD,
		.rc_may = A(EN_SQD_ASYNC),
		.ud_may = A(EN_SQD_ASYNC),
	}, {
		.from = ORNIC_QPS_SQD, .to = ORNIC_QPS_SQD,
		.rc_may = A(AV) | A(TIMEOUT) | A(RETRY_CNT) | A(RNR_RETRY) |
			  A(MAX_RD_ATOMIC) | A(MAX_DEST_RD_ATOMIC) |
			  A(ACCESS) | A(MIN_RNR_TIMER),
		.ud_may = A(QKEY),
	}, {
		.from = ORNIC_QPS_SQD, .to = ORNIC_QPS_RTS,
		.rc_may = A(ACCESS) | A(MIN_RNR_TIMER),
		.ud_may = A(QKEY) | A(RATE_LIMIT),
	}, {
		.from = ORNIC_QPS_SQE, .to = ORNIC_QPS_RTS,
		.sqe = true,
		.rc_may = A(ACCESS),
		.ud_may = A(QKEY),
	},
};

/*
 * Attributes of a type. Both halves of an XRC connection take timeout and both
 * PSNs, as in the Linux RDMA core.
 */
static uint32_t type_attrs(unsigned int type)
{
	switch (type) {
	case ORNIC_QPT_UC:
		return ~(ATTRS_REQUESTER | ATTRS_RESPONDER | A(TIMEOUT));
	case ORNIC_QPT_XRC_SEND:
		return ~ATTRS_RESPONDER;
	case ORNIC_QPT_XRC_RECV:
		return ~ATTRS_REQUESTER;
	case ORNIC_QPT_RAW_PACKET:
		return A(EN_SQD_ASYNC) | A(RATE_LIMIT);
	default:
		return ~A(RATE_LIMIT);
	}
}

static void get_attrs(const struct qp *qp, const struct transition *t,
		      uint32_t *must, uint32_t *may)
{
	bool connected = qp_is_connected(qp);
	uint32_t attrs = type_attrs(qp->base.type);

	*must = (connected ? t->rc_must : t->ud_must) & attrs;
	*may = (connected ? t->rc_may : t->ud_may) & attrs;
}

static enum ornic_cmd_status check_transition(const struct qp *qp,
					      unsigned int to, uint32_t mask)
{
	const struct transition *t;
	uint32_t must, may;
	unsigned int i;

	/* Every MODIFY_QP may say in which state the QP is ([ORNIC-QP-2]) */
	mask &= ~(A(STATE) | A(CUR_STATE));
	if (to == ORNIC_QPS_ERR && qp->base.state == ORNIC_QPS_RESET)
		return ORNIC_CMD_BAD_STATE;
	if (to == ORNIC_QPS_RESET || to == ORNIC_QPS_ERR)
		return mask ? ORNIC_CMD_BAD_PARAM : ORNIC_CMD_OK;
	for (i = 0; i < ARRAY_SIZE(transitions); i++) {
		t = &transitions[i];
		if (t->from == qp->base.state && t->to == to)
			break;
	}
	if (i == ARRAY_SIZE(transitions) ||
	    (t->sqe && (qp_is_reliable(qp) ||
			qp->base.type == ORNIC_QPT_RAW_PACKET)))
		return ORNIC_CMD_BAD_STATE;
	/* It would lose its completions ([ORNIC-CQ-8]) */
	if (t->from == ORNIC_QPS_RESET && (cq_link_failed(&qp->send_cq) ||
					   cq_link_failed(&qp->base.recv_cq)))
		return ORNIC_CMD_BAD_STATE;

	get_attrs(qp, t, &must, &may);
	if ((mask & must) != must || mask & ~(must | may))
		return ORNIC_CMD_BAD_PARAM;
	return ORNIC_CMD_OK;
}

static bool check_av(const struct qp *qp, const struct ornic_av *av)
{
	/* A connection has one peer, so dmac is no group address */
	return path_valid(qp->base.card, av) && !(av->dmac[0] & 1) &&
	       !(le32toh(av->flow) & ~(ORNIC_AV_FLOW_LABEL | ORNIC_AV_SL));
}

static enum ornic_cmd_status check_values(const struct qp *qp, uint32_t mask,
					  const struct ornic_qp_attr *attr)
{
	uint64_t features = qp->base.card->host.features;
	bool bad = false;

	if (mask & A(CUR_STATE) && attr->cur_state != qp->base.state)
		return ORNIC_CMD_BAD_STATE;
	if (mask & A(ACCESS))
		bad |= le32toh(attr->access) &
		       ~(mr_access_flags(features) |
			 ORNIC_ACCESS_FLUSH_PERSISTENT);
	if (mask & A(AV))
		bad |= !check_av(qp, &attr->av);
	if (mask & A(PATH_MTU))
		bad |= attr->path_mtu < PATH_MTU_MIN ||
		       attr->path_mtu > PATH_MTU_MAX;
	if (mask & A(TIMEOUT))
		bad |= attr->timeout > TIMER_CODE_MAX;
	if (mask & A(RETRY_CNT))
		bad |= attr->retry_cnt > RETRY_MAX;
	if (mask & A(RNR_RETRY))
		bad |= attr->rnr_retry > RETRY_MAX;
	if (mask & A(RQ_PSN))
		bad |= le32toh(attr->rq_psn) > PSN_MASK;
	if (mask & A(SQ_PSN))
		bad |= le32toh(attr->sq_psn) > PSN_MASK;
	if (mask & A(MAX_RD_ATOMIC))
		bad |= attr->max_rd_atomic > CARD_MAX_RD_ATOMIC;
	if (mask & A(MAX_DEST_RD_ATOMIC))
		bad |= attr->max_dest_rd_atomic > CARD_MAX_RD_ATOMIC;
	if (mask & A(MIN_RNR_TIMER))
		bad |= attr->min_rnr_timer > TIMER_CODE_MAX;
	if (mask & A(DEST_QPN))
		bad |= le32toh(attr->dest_qpn) > 0xffffff;
	return bad ? ORNIC_CMD_BAD_PARAM : ORNIC_CMD_OK;
}

static enum ornic_cmd_status check_rate(const struct ornic_modify_qp_in *in)
{
	uint32_t rate = le32toh(in->attr.rate_limit);

	if (rate > ETHPORT_SPEED_MBPS * 1000)
		return ORNIC_CMD_BAD_PARAM;
	/* Without a limit, burst and frame size must be 0 ([ORNIC-RATE-1]) */
	if (!rate && (in->max_burst || in->typical_frame))
		return ORNIC_CMD_BAD_PARAM;
	return ORNIC_CMD_OK;
}

/* A burst that keeps the rate up despite the granularity of timers */
static uint32_t default_burst(const struct qp *qp, uint32_t rate)
{
	uint32_t frames = BURST_FRAMES * (qp->base.card->port.mtu + ETH_OVERHEAD);
	uint32_t bytes = rate / 8 * BURST_MS;

	return bytes > frames ? bytes : frames;
}

static void apply_rate(struct qp *qp, const struct ornic_modify_qp_in *in)
{
	uint32_t rate = le32toh(in->attr.rate_limit);
	uint32_t burst = le32toh(in->max_burst);

	if (!burst)
		burst = default_burst(qp, rate);
	pace_set(&qp->pace, rate, burst, env_now_ns(qp->base.card->env));
	env_timer_cancel(qp->base.card->env, &qp->base.timer);
	qp_ready(qp);
}

static void apply_values(struct qp *qp, uint32_t mask,
			 const struct ornic_qp_attr *in)
{
	struct qp_attr *attr = &qp->attr;

	if (mask & A(EN_SQD_ASYNC))
		attr->sqd_notify = in->en_sqd_async_notify;
	if (mask & A(ACCESS))
		attr->access = le32toh(in->access);
	if (mask & A(QKEY))
		attr->qkey = le32toh(in->qkey);
	if (mask & A(AV))
		attr->av = in->av;
	if (mask & A(PATH_MTU)) {
		attr->path_mtu = in->path_mtu;
		qp->mtu_shift = PATH_MTU_SHIFT + in->path_mtu;
	}
	if (mask & A(TIMEOUT)) {
		attr->timeout = in->timeout;
		record_rearm(qp);
	}
	if (mask & A(RETRY_CNT)) {
		attr->retry_cnt = in->retry_cnt;
		qp->req.retry = in->retry_cnt;
	}
	if (mask & A(RNR_RETRY)) {
		attr->rnr_retry = in->rnr_retry;
		qp->req.rnr_retry = in->rnr_retry;
	}
	if (mask & A(RQ_PSN))
		attr->rq_psn = le32toh(in->rq_psn);
	if (mask & A(SQ_PSN))
		attr->sq_psn = le32toh(in->sq_psn);
	if (mask & A(MAX_RD_ATOMIC))
		attr->max_rd_atomic = in->max_rd_atomic;
	if (mask & A(MAX_DEST_RD_ATOMIC))
		attr->max_dest_rd_atomic = in->max_dest_rd_atomic;
	if (mask & A(MIN_RNR_TIMER))
		attr->min_rnr_timer = in->min_rnr_timer;
	if (mask & A(DEST_QPN))
		attr->dest_qpn = le32toh(in->dest_qpn);
}

static void apply_state(struct qp *qp, unsigned int to)
{
	unsigned int from = qp->base.state;

	switch (to) {
	case ORNIC_QPS_RESET:
		ack_settle(qp);
		qp->base.state = to;
		qp_reset(qp);
		return;
	case ORNIC_QPS_ERR:
		if (from == ORNIC_QPS_ERR)
			receiver_poll_soon(&qp->base);
		else
			qp_error(qp);
		return;
	case ORNIC_QPS_RTR:
		qp->base.state = to;
		resp_reset(qp);
		return;
	case ORNIC_QPS_RTS:
		qp->base.state = to;
		qp->drained = false;
		qp->attr.sqd_notify = false;
		if (from == ORNIC_QPS_RTR)
			record_reset(qp);
		/* Execute the WQEs that were posted before */
		qp_kick(qp);
		if (from != to)
			qp_ready(qp);
		return;
	case ORNIC_QPS_SQD:
		qp->base.state = to;
		if (qp->req.head == qp->req.tail && !qp->tso_sent)
			qp_drained(qp);
		return;
	default:
		qp->base.state = to;
	}
}

/* The WQE that the QP is about to take with it ([ORNIC-SRQ-9]) */
static void tell_taken(const struct qp *qp, struct ornic_modify_qp_out *out)
{
	uint64_t wr_id;

	if (!resp_has_srq_wqe(qp, &wr_id))
		return;
	out->flags = htole32(ORNIC_QP_TOOK_WQE);
	out->wr_id = htole64(wr_id);
}

enum ornic_cmd_status qp_cmd_modify(struct card *card, struct cmd *cmd)
{
	const struct ornic_modify_qp_in *in = cmd->in;
	uint32_t mask = le32toh(in->mask);
	enum ornic_cmd_status status;
	unsigned int to;
	struct qp *qp;

	if (mask & ~ATTRS_KNOWN || in->attr.rsvd ||
	    !CMD_RSVD_ZERO(in->attr.rsvd2) || in->rsvd)
		return ORNIC_CMD_BAD_PARAM;
	qp = qp_find(card, le32toh(in->qpn));
	if (!qp)
		return ORNIC_CMD_BAD_OBJECT;
	/* An RSS QP never changes state ([ORNIC-RSS-3]) */
	if (qp_is_rss(qp))
		return ORNIC_CMD_BAD_STATE;
	to = mask & A(STATE) ? in->attr.state : qp->base.state;
	status = check_transition(qp, to, mask);
	/* [ORNIC-NEG-5] */
	if (!status && mask & A(RATE_LIMIT) &&
	    !card_uses(card, ORNIC_FEAT_RATE_LIMIT))
		status = ORNIC_CMD_NOT_SUPPORTED;
	if (!status)
		status = check_values(qp, mask, &in->attr);
	if (!status && mask & A(RATE_LIMIT))
		status = check_rate(in);
	if (status) {
		cmd->detail = qp->base.state << 8 | to;
		return status;
	}
	apply_values(qp, mask, &in->attr);
	if (mask & A(RATE_LIMIT))
		apply_rate(qp, in);
	if (to == ORNIC_QPS_RESET)
		tell_taken(qp, cmd->out);
	apply_state(qp, to);
	return ORNIC_CMD_OK;
}
