// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The completer: responses to the requester, and missing responses */
#include <endian.h>
#include <string.h>

#include "queues/qp.h"
#include "queues/sge.h"
#include "queues/sq.h"
#include "roce/comp.h"
#include "roce/packet.h"
#include "roce/path.h"
#include "roce/psn.h"
#include "roce/record.h"
#include "roce/roce.h"

/* log2 of the largest factor: IBTA 9.7.6.1.3 allows four times the timeout */
#define ACK_BACKOFF_MAX 2

uint64_t rnr_ns(unsigned int code)
{
	/* IBTA table 45, in units of 10 us */
	static const uint32_t table[32] = {
		65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192,
		12288, 16384, 24576, 32768, 49152,
	};

	return table[code & AETH_VALUE] * 10000ULL;
}

static void comp_retry(struct qp *qp)
{
	struct req *req = &qp->req;

	if (!req->retry) {
		RDMA_STAT_INC(qp->base.card, retries_exceeded);
		record_fail(qp, ORNIC_WC_RETRY_EXC_ERR);
		return;
	}
	req->retry--;
	req->window = req->window / 2 > REQ_WINDOW_MIN ? req->window / 2 :
							 REQ_WINDOW_MIN;
	req->answered = 0;
	record_restart(qp);
	qp_ready(qp);
}

/* A response shows that packets were lost: retry once for each loss */
static void comp_lost(struct qp *qp)
{
	struct req *req = &qp->req;

	if (req->retrying || req->rnr_wait || req->psn == req->una)
		return;
	req->retrying = true;
	comp_retry(qp);
}

void comp_timer(struct qp *qp)
{
	struct req *req = &qp->req;
	struct env *env = qp->base.card->env;

	if (req->rnr_wait) {
		req->rnr_wait = false;
		qp_ready(qp);
		return;
	}
	if (!req->deadline_ns || !record_head(req))
		return;
	if (env_now_ns(env) < req->deadline_ns) {
		env_timer_arm(env, &qp->base.timer, req->deadline_ns);
		return;
	}
	/* Packets that wait at a full local port are not lost ([ORNIC-WIRE-6]) */
	if (roce_is_full(qp, &qp->attr.av)) {
		req->deadline_ns = 0;
		record_arm(qp);
		return;
	}
	QP_EVENT_INC(qp, ack_timeouts);
	req->retrying = false;
	if (req->timeouts < ACK_BACKOFF_MAX)
		req->timeouts++;
	comp_retry(qp);
}

/* The peer acknowledged new packets: restore all retries ([ORNIC-WIRE-15]) */
static void comp_progress(struct qp *qp, uint32_t una)
{
	struct req *req = &qp->req;
	uint32_t answered = req->answered + psn_diff(una, req->una);

	if (answered >= req->window) {
		answered = 0;
		if (req->window < REQ_WINDOW_MAX)
			req->window++;
	}
	req->answered = answered;
	req->una = una;
	req->retry = qp->attr.retry_cnt;
	req->rnr_retry = qp->attr.rnr_retry;
	req->deadline_ns = 0;
	req->timeouts = 0;
	req->retrying = false;
}

/*
 * The peer has received all packets before @end. If the response to a READ or
 * an atomic among them is missing, it was lost, and everything from there on
 * must be requested again (IBTA 9.7.5.1.2, implied NAK).
 *
 * Return: true when everything before @end is settled.
 */
static bool comp_ack(struct qp *qp, uint32_t end)
{
	struct req *req = &qp->req;
	struct req_record *rec;
	uint32_t una = req->una;
	uint32_t i;

	for (i = req->head; i != req->tail; i++) {
		rec = &req->rec[i & req->rec_mask];
		if (psn_diff(rec->first, end) >= 0 || rec->status ||
		    req_is_read(rec->opcode))
			break;
		una = psn_add(rec->first, rec->npkts);
		if (psn_diff(una, end) > 0)
			una = end;
	}
	if (psn_diff(una, req->una) > 0) {
		comp_progress(qp, una);
		record_settle(qp);
	}
	return psn_diff(req->una, end) >= 0;
}

static void comp_rnr(struct qp *qp, unsigned int code)
{
	struct req *req = &qp->req;
	struct env *env = qp->base.card->env;

	/* The NAK belongs to an earlier attempt */
	if (req->rnr_wait || req->psn == req->una)
		return;
	QP_EVENT_INC(qp, rnr_naks_received);
	if (!req->rnr_retry) {
		RDMA_STAT_INC(qp->base.card, rnr_retries_exceeded);
		record_fail(qp, ORNIC_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (req->rnr_retry != REQ_RNR_FOREVER)
		req->rnr_retry--;
	record_restart(qp);
	req->rnr_wait = true;
	env_timer_arm(env, &qp->base.timer, env_now_ns(env) + rnr_ns(code));
}

static void comp_nak(struct qp *qp, unsigned int code)
{
	switch (code) {
	case NAK_SEQUENCE:
		QP_EVENT_INC(qp, seq_naks_received);
		comp_lost(qp);
		return;
	case NAK_INVALID_REQUEST:
		record_fail(qp, ORNIC_WC_REM_INV_REQ_ERR);
		return;
	case NAK_REMOTE_ACCESS:
		record_fail(qp, ORNIC_WC_REM_ACCESS_ERR);
		return;
	case NAK_REMOTE_OPERATION:
		record_fail(qp, ORNIC_WC_REM_OP_ERR);
		return;
	default:
		/* Reserved codes are ignored (IBTA table 46) */
		return;
	}
}

static void comp_rx_ack(struct qp *qp, const struct packet *pkt)
{
	struct req *req = &qp->req;
	uint8_t kind = pkt->syndrome & AETH_KIND;
	bool ack = kind == AETH_ACK;
	bool settled;

	if (!ack && kind != AETH_RNR && kind != AETH_NAK)
		return;
	settled = comp_ack(qp, ack ? psn_add(pkt->psn, 1) : pkt->psn);
	if (!qp_sends(qp))
		return;
	if (!settled) {
		comp_lost(qp);
		return;
	}
	/* A NAK for another PSN than the oldest outstanding one is stale */
	if (ack || req->una != pkt->psn || !record_head(req))
		return;
	if (kind == AETH_RNR)
		comp_rnr(qp, pkt->syndrome & AETH_VALUE);
	else
		comp_nak(qp, pkt->syndrome & AETH_VALUE);
}

/* Kind of the responses to a work request */
static enum opcode_kind comp_answer_kind(uint8_t opcode)
{
	switch (opcode) {
	case ORNIC_WR_RDMA_READ:
	case ORNIC_WR_FLUSH:
	case ORNIC_WR_ATOMIC_WRITE:
		return OPCODE_READ_RESP;
	case ORNIC_WR_ATOMIC_CMP_SWP:
	case ORNIC_WR_ATOMIC_FETCH_ADD:
	case ORNIC_WR_MASKED_CMP_SWP:
	case ORNIC_WR_MASKED_FETCH_ADD:
		return OPCODE_ATOMIC_ACK;
	default:
		return OPCODE_ACK;
	}
}

/*
 * Return: the record that a response with data belongs to, or NULL to drop it.
 * Fails a record that expects a response of another kind, or whose response is no ACK
 * ([ORNIC-WIRE-18]).
 */
static struct req_record *comp_expects(struct qp *qp, const struct packet *pkt)
{
	struct req *req = &qp->req;
	struct req_record *rec;

	if (psn_diff(pkt->psn, req->una) < 0)
		return NULL;
	/* The response acknowledges all earlier requests */
	if (!comp_ack(qp, pkt->psn)) {
		if (qp_sends(qp))
			comp_lost(qp);
		return NULL;
	}
	rec = record_head(req);
	if (!qp_sends(qp) || !rec || rec->status ||
	    !psn_in(pkt->psn, rec->first, rec->npkts))
		return NULL;
	/* The middle of a READ response has no AETH */
	if (comp_answer_kind(rec->opcode) == pkt->op->kind &&
	    (!(pkt->op->flags & OPCODE_AETH) || (pkt->syndrome & AETH_KIND) == AETH_ACK))
		return rec;
	record_fail(qp, ORNIC_WC_BAD_RESP_ERR);
	return NULL;
}

/* Write response data to the SGEs of the WQE, which is read again */
static bool comp_write(struct qp *qp, const struct req_record *rec,
		       uint64_t offset, const struct iovec *iov, int count)
{
	enum ornic_wc_status status;
	struct send_wqe wqe;

	status = record_reread(qp, rec, &wqe);
	if (!status &&
	    sge_write(&qp->base, wqe.sge, wqe.sge_count, offset, iov, count))
		status = ORNIC_WC_LOC_PROT_ERR;
	if (status)
		record_fail(qp, status);
	return !status;
}

static void comp_rx_read(struct qp *qp, const struct packet *pkt)
{
	struct req_record *rec = comp_expects(qp, pkt);
	struct iovec iov[FRAME_IOV_MAX + 2];
	uint64_t offset, left, len;
	int count;

	if (!rec)
		return;
	offset = (uint64_t)psn_diff(pkt->psn, rec->first) << qp->mtu_shift;
	left = req_answer_len(rec) - offset;
	len = (uint64_t)pkt->npkts << qp->mtu_shift;
	if (len > left)
		len = left;
	if (pkt->payload_len != len ||
	    !(pkt->op->flags & OPCODE_END) == (len == left) ||
	    psn_count(len, qp->mtu_shift) != pkt->npkts) {
		record_fail(qp, ORNIC_WC_BAD_RESP_ERR);
		return;
	}
	count = frame_iov(pkt->frame, pkt->payload, pkt->payload_len, iov,
			  ARRAY_SIZE(iov));
	if (count < 0 || !comp_write(qp, rec, offset, iov, count))
		return;
	comp_progress(qp, psn_add(pkt->psn, pkt->npkts));
	record_settle(qp);
}

static void comp_rx_atomic(struct qp *qp, const struct packet *pkt)
{
	struct req_record *rec = comp_expects(qp, pkt);
	uint64_t original = htole64(pkt->original);
	struct iovec iov = {
		.iov_base = &original,
		.iov_len = sizeof(original),
	};

	if (!rec || !comp_write(qp, rec, 0, &iov, 1))
		return;
	comp_progress(qp, psn_add(pkt->psn, 1));
	record_settle(qp);
}

void comp_rx(struct qp *qp, const struct packet *pkt)
{
	/* Ghost response: its PSN was never sent */
	if (psn_diff(pkt->psn, qp->req.sent_max) >= 0)
		return;
	switch (pkt->op->kind) {
	case OPCODE_ACK:
		comp_rx_ack(qp, pkt);
		break;
	case OPCODE_READ_RESP:
		comp_rx_read(qp, pkt);
		break;
	default:
		comp_rx_atomic(qp, pkt);
		break;
	}
}
