// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The requester: takes WQEs from the send queue and sends their packets */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "queues/qp.h"
#include "queues/sge.h"
#include "queues/sq.h"
#include "roce/psn.h"
#include "roce/record.h"
#include "roce/req.h"
#include "roce/roce.h"

/**
 * enum req_result - result of sending
 * @REQ_SENT: a frame was sent
 * @REQ_WAIT: window, fence or depth of READs; a response lets it continue
 * @REQ_NO_FRAME: try again in the next card_run()
 * @REQ_FAILED: the record has an error status now
 */
enum req_result {
	REQ_SENT,
	REQ_WAIT,
	REQ_NO_FRAME,
	REQ_FAILED,
};

/* ---- taking WQEs ---- */

static enum ornic_wc_status req_check(struct qp *qp,
				      const struct send_wqe *wqe)
{
	if (wqe->length > CARD_MAX_MSG_SIZE ||
	    psn_count(wqe->length, qp->mtu_shift) > PSN_SPAN_MAX)
		return ORNIC_WC_LOC_LEN_ERR;
	if (!req_is_read(wqe->opcode))
		return ORNIC_WC_SUCCESS;
	if (!qp->attr.max_rd_atomic)
		return ORNIC_WC_LOC_QP_OP_ERR;
	/* Check the SGEs now, not when the response arrives */
	if (req_receives(wqe->opcode) &&
	    !sge_check(&qp->base, wqe->sge, wqe->sge_count, ORNIC_ACCESS_LOCAL_WRITE))
		return ORNIC_WC_LOC_PROT_ERR;
	return ORNIC_WC_SUCCESS;
}

/*
 * Take the next WQE from the send queue and make a record of it.
 *
 * Return: false when there is no WQE, or no room for its record or PSNs now.
 */
static bool req_take(struct qp *qp, struct send_wqe *wqe)
{
	struct req *req = &qp->req;
	enum ornic_wc_status status;
	struct req_record *rec;
	uint32_t npkts;

	if (qp->base.state != ORNIC_QPS_RTS || req->failed || sq_empty(&qp->sq) ||
	    req->tail - req->head > req->rec_mask)
		return false;
	status = sq_read(qp, qp->sq.next, wqe);
	if (!status)
		status = req_check(qp, wqe);
	npkts = status || sq_is_local(wqe->opcode) ?
		0 : psn_count(wqe->length, qp->mtu_shift);
	if (psn_diff(req->next, req->una) + npkts > PSN_SPAN_MAX)
		return false;

	qp->sq.next += wqe->slots;
	rec = &req->rec[req->tail++ & req->rec_mask];
	rec->wr_id = wqe->wr_id;
	rec->index = wqe->index;
	rec->slots = wqe->slots;
	rec->opcode = wqe->opcode;
	rec->flags = wqe->flags;
	rec->status = status;
	rec->done = false;
	rec->first = req->next;
	rec->npkts = npkts;
	rec->length = wqe->length;
	req->next = psn_add(req->next, npkts);
	req->failed = status;
	return true;
}

/* ---- making packets ---- */

static uint8_t req_data_opcode(const struct req_record *rec, bool start,
			       bool end)
{
	/* Indexes: opcode, first packet, last packet */
	static const uint8_t opcodes[][2][2] = {
		[ORNIC_WR_RDMA_WRITE] = {
			{ OPCODE_RC_WRITE_MIDDLE, OPCODE_RC_WRITE_LAST },
			{ OPCODE_RC_WRITE_FIRST, OPCODE_RC_WRITE_ONLY },
		},
		[ORNIC_WR_RDMA_WRITE_WITH_IMM] = {
			{ OPCODE_RC_WRITE_MIDDLE, OPCODE_RC_WRITE_LAST_IMM },
			{ OPCODE_RC_WRITE_FIRST, OPCODE_RC_WRITE_ONLY_IMM },
		},
		[ORNIC_WR_SEND] = {
			{ OPCODE_RC_SEND_MIDDLE, OPCODE_RC_SEND_LAST },
			{ OPCODE_RC_SEND_FIRST, OPCODE_RC_SEND_ONLY },
		},
		[ORNIC_WR_SEND_WITH_IMM] = {
			{ OPCODE_RC_SEND_MIDDLE, OPCODE_RC_SEND_LAST_IMM },
			{ OPCODE_RC_SEND_FIRST, OPCODE_RC_SEND_ONLY_IMM },
		},
		[ORNIC_WR_SEND_WITH_INV] = {
			{ OPCODE_RC_SEND_MIDDLE, OPCODE_RC_SEND_LAST_INV },
			{ OPCODE_RC_SEND_FIRST, OPCODE_RC_SEND_ONLY_INV },
		},
	};

	return opcodes[rec->opcode][start][end];
}

/*
 * Copy the payload: a UC message completes when it is sent, and the guest may
 * then reuse its buffer while the frame still waits.
 */
static int64_t req_copy(struct qp *qp, const struct send_wqe *wqe,
			uint64_t offset, uint32_t len, struct frame *frame)
{
	uint8_t *piece = bounce_take(&qp->base.card->bounce);

	if (wqe->flags & ORNIC_SEND_INLINE)
		memcpy(piece, wqe->data + offset, len);
	else if (sge_read(&qp->base, wqe->sge, wqe->sge_count, offset, piece, len))
		return -EFAULT;
	frame_add(frame, piece, len);
	return len;
}

/*
 * Fill a frame with as much of a message as one frame may carry.
 *
 * Return: bytes, a multiple of the path MTU unless they end the message; or
 * -EFAULT.
 */
static int64_t req_payload(struct qp *qp, const struct send_wqe *wqe,
			   uint64_t offset, struct frame *frame)
{
	uint32_t mtu = 1u << qp->mtu_shift;
	uint64_t len = wqe->length - offset;
	bool copy = wqe->flags & ORNIC_SEND_INLINE || qp->base.type == ORNIC_QPT_UC;
	uint32_t max = mtu;
	int64_t got;

	if (frame->flags & FRAME_LOCAL)
		max = copy ? BOUNCE_SIZE & -mtu : qp_segment_max(qp);
	if (len > max)
		len = max;
	if (copy)
		return req_copy(qp, wqe, offset, len, frame);
	got = sge_gather(&qp->base, wqe->sge, wqe->sge_count, offset, len, frame);
	if (got < 0 || (uint64_t)got == len)
		return got;
	/* The iovec is full; it always has room for a path MTU */
	got &= ~(int64_t)(mtu - 1);
	roce_trim(frame, got);
	return got ? got : -EFAULT;
}

static int req_fill_data(struct qp *qp, const struct req_record *rec,
			 const struct send_wqe *wqe, struct frame *frame,
			 struct packet *pkt)
{
	uint64_t offset = (uint64_t)psn_diff(pkt->psn, rec->first)
			  << qp->mtu_shift;
	int64_t len = req_payload(qp, wqe, offset, frame);
	bool end;

	if (len < 0)
		return len;
	end = offset + len == wqe->length;
	pkt->opcode = req_data_opcode(rec, !offset, end);
	pkt->npkts = psn_count(len, qp->mtu_shift);
	pkt->solicited = end && wqe->flags & ORNIC_SEND_SOLICITED &&
			 rec->opcode != ORNIC_WR_RDMA_WRITE;
	/*
	 * Ask for an ACK twice per window. If the end of a window is lost, the
	 * ACK of its first half lets packets follow that show the gap to the
	 * receiver.
	 */
	pkt->ack_req = qp->base.type != ORNIC_QPT_UC &&
		       (end || frame->flags & FRAME_LOCAL ||
			qp->req.since_ack + 1 >= qp->req.window / 2);
	pkt->dma_len = wqe->length;
	pkt->imm = wqe->imm;
	pkt->inv_key = wqe->inv_key;
	return 0;
}

/* A READ that has part of its response asks for the rest only */
static void req_fill_read(struct qp *qp, const struct req_record *rec,
			  const struct send_wqe *wqe, struct packet *pkt)
{
	uint32_t done = psn_diff(pkt->psn, rec->first);
	uint64_t offset = (uint64_t)done << qp->mtu_shift;

	pkt->opcode = OPCODE_RC_READ_REQUEST;
	pkt->va = wqe->raddr + offset;
	pkt->dma_len = wqe->length - offset;
	pkt->ack_req = true;
	/* One packet for the request; req_sent() counts the response's PSNs */
	pkt->npkts = 1;
}

static void req_fill_atomic(const struct send_wqe *wqe, struct packet *pkt)
{
	static const uint8_t opcodes[] = {
		[ORNIC_WR_ATOMIC_CMP_SWP] = OPCODE_RC_CMP_SWP,
		[ORNIC_WR_ATOMIC_FETCH_ADD] = OPCODE_RC_FETCH_ADD,
		[ORNIC_WR_MASKED_CMP_SWP] = OPCODE_RC_MASKED_CMP_SWP,
		[ORNIC_WR_MASKED_FETCH_ADD] = OPCODE_RC_MASKED_FETCH_ADD,
	};

	pkt->opcode = opcodes[wqe->opcode];
	pkt->swap_add = wqe->swap_add;
	pkt->compare = wqe->compare;
	pkt->swap_add_mask = wqe->swap_add_mask;
	pkt->compare_mask = wqe->compare_mask;
	pkt->ack_req = true;
	pkt->npkts = 1;
}

static void req_fill_flush(const struct send_wqe *wqe, struct packet *pkt)
{
	pkt->opcode = OPCODE_RC_FLUSH;
	pkt->flush_type = wqe->flush.type;
	pkt->flush_level = wqe->flush.level;
	pkt->dma_len = le32toh(wqe->flush.length);
	pkt->ack_req = true;
	pkt->npkts = 1;
}

static int req_fill_atomic_write(struct qp *qp, const struct send_wqe *wqe,
				 struct frame *frame, struct packet *pkt)
{
	int64_t len = req_payload(qp, wqe, 0, frame);

	pkt->opcode = OPCODE_RC_ATOMIC_WRITE;
	pkt->dma_len = wqe->length;
	pkt->ack_req = true;
	pkt->npkts = 1;
	return len < 0 ? len : 0;
}

/* Return: 0, or -EFAULT when the data is out of reach */
static int req_fill(struct qp *qp, const struct req_record *rec,
		    const struct send_wqe *wqe, struct frame *frame,
		    struct packet *pkt)
{
	switch (rec->opcode) {
	case ORNIC_WR_RDMA_READ:
		req_fill_read(qp, rec, wqe, pkt);
		return 0;
	case ORNIC_WR_ATOMIC_CMP_SWP:
	case ORNIC_WR_ATOMIC_FETCH_ADD:
	case ORNIC_WR_MASKED_CMP_SWP:
	case ORNIC_WR_MASKED_FETCH_ADD:
		req_fill_atomic(wqe, pkt);
		return 0;
	case ORNIC_WR_FLUSH:
		req_fill_flush(wqe, pkt);
		return 0;
	case ORNIC_WR_ATOMIC_WRITE:
		return req_fill_atomic_write(qp, wqe, frame, pkt);
	default:
		return req_fill_data(qp, rec, wqe, frame, pkt);
	}
}

_Static_assert(REQ_WINDOW_LOCAL / 4096 > REQ_WINDOW_MAX,
	       "the window inside the process is the larger one, with any path MTU");

/* Must the next packet wait for a response to an earlier one? */
static bool req_must_wait(struct qp *qp, const struct req_record *rec)
{
	const struct req *req = &qp->req;
	int32_t flight = psn_diff(req->psn, req->una);

	if (req->rd_out && req->psn == rec->first &&
	    rec->flags & ORNIC_SEND_FENCE)
		return true;
	if (req_is_read(rec->opcode) && req->rd_out >= qp->attr.max_rd_atomic)
		return true;
	return flight >= req->window &&
	       (flight >= (int32_t)(REQ_WINDOW_LOCAL >> qp->mtu_shift) ||
		!roce_is_local(qp, &qp->attr.av));
}

static void req_sent(struct qp *qp, const struct req_record *rec,
		     const struct packet *pkt)
{
	struct req *req = &qp->req;
	uint32_t n = pkt->npkts;

	if (psn_diff(req->psn, req->sent_max) < 0)
		QP_EVENT_ADD(qp, retransmits, n);
	if (req_is_read(rec->opcode)) {
		req->rd_out++;
		n = rec->npkts - psn_diff(req->psn, rec->first);
	}
	req->psn = psn_add(req->psn, n);
	if (psn_diff(req->psn, req->sent_max) > 0)
		req->sent_max = req->psn;
	if (psn_diff(req->psn, rec->first) == (int32_t)rec->npkts)
		req->send++;
	req->since_ack = pkt->ack_req ? 0 : req->since_ack + 1;
	if (qp->base.type == ORNIC_QPT_UC) {
		req->una = req->psn;
		record_settle(qp);
	}
}

static enum req_result req_send(struct qp *qp, struct req_record *rec,
				const struct send_wqe *wqe)
{
	struct packet pkt = {
		.psn = qp->req.psn,
		.dqpn = qp->attr.dest_qpn,
		.va = wqe->raddr,
		.rkey = wqe->rkey,
		.xrc_srqn = wqe->xrc_srqn,
	};
	struct frame *frame;

	if (req_must_wait(qp, rec))
		return REQ_WAIT;
	frame = roce_alloc(qp, &qp->attr.av);
	if (!frame)
		return REQ_NO_FRAME;
	if (req_fill(qp, rec, wqe, frame, &pkt)) {
		roce_free(qp, frame);
		rec->status = ORNIC_WC_LOC_PROT_ERR;
		qp->req.failed = true;
		return REQ_FAILED;
	}
	roce_tx(qp, &qp->attr.av, frame, &pkt);
	req_sent(qp, rec, &pkt);
	return REQ_SENT;
}

/*
 * Execute a WQE that sends nothing ([ORNIC-SQ-26]). Earlier WQEs may be sent
 * again, so LOCAL_INV waits until they are complete and use the key no more.
 */
static enum req_result req_execute(struct qp *qp, struct req_record *rec,
				   const struct send_wqe *wqe)
{
	struct req *req = &qp->req;

	if (rec->opcode == ORNIC_WR_LOCAL_INV ? req->send != req->head :
	    req->rd_out && rec->flags & ORNIC_SEND_FENCE)
		return REQ_WAIT;
	rec->status = sq_execute(qp, wqe);
	if (rec->status) {
		req->failed = true;
		return REQ_FAILED;
	}
	rec->done = true;
	req->send++;
	record_settle(qp);
	return REQ_SENT;
}

bool req_run(struct qp *qp, unsigned int budget)
{
	struct req *req = &qp->req;
	enum req_result result = REQ_SENT;
	struct req_record *rec = NULL;
	uint64_t sent = qp->base.tx_bytes;
	struct send_wqe wqe;

	if (req->rnr_wait)
		return false;
	while (budget && result == REQ_SENT) {
		if (req->send == req->tail) {
			if (!req_take(qp, &wqe))
				break;
			rec = &req->rec[req->send & req->rec_mask];
		} else if (rec != &req->rec[req->send & req->rec_mask]) {
			rec = &req->rec[req->send & req->rec_mask];
			if (rec->done) {
				req->send++;
				continue;
			}
			if (!rec->status)
				rec->status = record_reread(qp, rec, &wqe);
		}
		/* record_settle() fails the record after all earlier ones */
		if (rec->status) {
			req->failed = true;
			result = REQ_FAILED;
			break;
		}
		if (sq_is_local(rec->opcode))
			result = req_execute(qp, rec, &wqe);
		else
			result = req_send(qp, rec, &wqe);
		budget = qp_turn_over(qp, sent) ? 0 : budget - 1;
	}
	if (result == REQ_FAILED)
		record_settle(qp);
	record_arm(qp);
	return result == REQ_NO_FRAME || (result == REQ_SENT && !budget);
}
