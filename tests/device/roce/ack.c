// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responses of an RC or XRC responder. They leave in PSN order: repeated
 * responses, then responses to the latest READs and atomics, then one ACK for
 * all the rest, or a NAK. A response acknowledges all earlier requests, so
 * pending ACKs merge into it. No ACK has the PSN of a request with a response of
 * its own: the peer might take it for that response.
 */
#include <string.h>

#include "objects/xrcd.h"
#include "queues/qp.h"
#include "queues/rc.h"
#include "queues/sge.h"
#include "roce/ack.h"
#include "roce/packet.h"
#include "roce/psn.h"
#include "roce/roce.h"
#include "roce/xrc.h"

#define READS_MASK (RESP_READS - 1)

/*
 * Limit for the responses that DESTROY_QP and MODIFY_QP to RESET send, which bounds
 * the time that the command takes: payload bytes after which no further frame is
 * begun ([ORNIC-QP-13]). Frames are flushed when so many were built.
 */
#define ACK_SETTLE_BYTES 65536
#define ACK_SETTLE_FRAMES 16
/* Work of these frames: a turn of commands sends about as many as one of QPs */
#define ACK_SETTLE_WORK (CARD_RUN_PAGES / 32)
/* Frames of so many bytes with the smallest MTU, and those without READ data */
#define ACK_SETTLE_ROUNDS ((65536 / 256 + 2 * RESP_READS) / ACK_SETTLE_FRAMES + 1)

_Static_assert(!(RESP_READS & READS_MASK), "a power of two");

/**
 * enum ack_result - result of an attempt to send
 * @ACK_SENT: a frame was sent
 * @ACK_NO_FRAME: no frame is free: try again in the next card_run()
 * @ACK_FAILED: the region or its memory is gone
 */
enum ack_result {
	ACK_SENT,
	ACK_NO_FRAME,
	ACK_FAILED,
};

static struct resp_read *ack_read(struct resp *resp, uint32_t at)
{
	return &resp->read[at & READS_MASK];
}

static bool ack_owes_ack(const struct resp *resp)
{
	return resp->owe && (resp->syndrome & AETH_KIND) == AETH_ACK;
}

/* Precedence of a syndrome: an error ends the connection */
static unsigned int ack_rank(uint8_t syndrome)
{
	switch (syndrome & AETH_KIND) {
	case AETH_ACK:
		return 0;
	case AETH_RNR:
		return 1;
	default:
		return (syndrome & AETH_VALUE) == NAK_SEQUENCE ? 1 : 2;
	}
}

void ack_owe(struct qp *qp, uint8_t syndrome, uint32_t psn)
{
	struct resp *resp = &qp->resp;

	if (resp->owe && ack_rank(syndrome) < ack_rank(resp->syndrome))
		return;
	/* A duplicate may come after a later request */
	if (ack_owes_ack(resp) && !ack_rank(syndrome) &&
	    psn_diff(psn, resp->owed_psn) < 0)
		return;
	resp->owe = true;
	resp->syndrome = syndrome;
	resp->owed_psn = psn;
	qp_answer_ready(qp);
}

bool ack_still_missing(struct qp *qp)
{
	struct resp *resp = &qp->resp;

	if (!resp->owe || ack_owes_ack(resp))
		return false;
	resp->owe = (resp->syndrome & AETH_KIND) == AETH_NAK &&
		    psn_diff(resp->epsn, resp->ahead) <= 0;
	resp->owed_psn = resp->epsn;
	return resp->owe;
}

bool ack_room(const struct qp *qp)
{
	const struct resp_cursor *fresh = &qp->resp.fresh;

	return fresh->end - fresh->at < qp->attr.max_dest_rd_atomic;
}

/* Move to the first packet of the current entry */
static void ack_seek(struct resp *resp, struct resp_cursor *cursor)
{
	if (cursor->at == cursor->end)
		return;
	cursor->first = ack_read(resp, cursor->at)->first;
	cursor->psn = cursor->first;
}

void ack_add(struct qp *qp, const struct resp_read *read)
{
	struct resp *resp = &qp->resp;
	bool idle = resp->fresh.at == resp->fresh.end;

	*ack_read(resp, resp->fresh.end++) = *read;
	if (idle)
		ack_seek(resp, &resp->fresh);
	qp_answer_ready(qp);
}

bool ack_pending(const struct qp *qp)
{
	const struct resp *resp = &qp->resp;

	return resp->owe || resp->fresh.at != resp->fresh.end ||
	       resp->again.at != resp->again.end;
}

/*
 * A guest may send requests from several ports, also in the name of another
 * station, so each request is paid for by the port that it came from.
 */
struct port *ack_payer(const struct qp *qp)
{
	const struct resp *resp = &qp->resp;

	if (resp->again.at != resp->again.end)
		return resp->read[resp->again.at & READS_MASK].payer;
	if (resp->fresh.at != resp->fresh.end)
		return resp->read[resp->fresh.at & READS_MASK].payer;
	return resp->payer;
}

static void ack_replace_payers(struct resp *resp, const struct resp_cursor *cursor,
			       const struct port *gone, struct port *heir)
{
	struct resp_read *read;
	uint32_t at;

	for (at = cursor->at; at != cursor->end; at++) {
		read = ack_read(resp, at);
		if (read->payer == gone)
			read->payer = heir;
	}
}

/* The payer of an entry that is answered is set before it is used again */
void ack_replace_payer(struct qp *qp, const struct port *gone, struct port *heir)
{
	struct resp *resp = &qp->resp;

	ack_replace_payers(resp, &resp->again, gone, heir);
	ack_replace_payers(resp, &resp->fresh, gone, heir);
	if (resp->payer == gone)
		resp->payer = heir;
}

/* Go back to @psn in the response being sent, if that packet was sent already */
static void ack_rewind(struct resp_cursor *cursor, uint32_t psn)
{
	if (psn_diff(psn, cursor->psn) >= 0)
		return;
	cursor->first = psn;
	cursor->psn = psn;
}

/*
 * Does a duplicate repeat the original request, or a part of a READ (IBTA 9.4.4)?
 * Any other packet is not the peer's. Without this check a forged packet without
 * payload would make the card send a whole READ response.
 *
 * @cut: bytes at the end of the READ that it does not ask for
 */
static bool ack_same_request(const struct qp *qp, const struct resp_read *read,
			     const struct packet *pkt, uint32_t *cut)
{
	uint64_t done;

	*cut = 0;
	if (read->kind != pkt->op->kind)
		return false;
	if (read->kind != OPCODE_READ)
		return true;
	done = (uint64_t)psn_diff(pkt->psn, read->first) << qp->mtu_shift;
	if (pkt->va != read->va + done || pkt->rkey != read->rkey ||
	    pkt->xrc_srqn != read->srqn || pkt->dma_len > read->length - done ||
	    !pkt->dma_len != !read->length)
		return false;
	*cut = read->length - done - pkt->dma_len;
	return true;
}

bool ack_repeat(struct qp *qp, const struct packet *pkt)
{
	struct resp *resp = &qp->resp;
	struct resp_cursor *again = &resp->again;
	struct resp_cursor *fresh = &resp->fresh;
	uint32_t kept = qp->attr.max_dest_rd_atomic;
	struct resp_read *read = NULL;
	uint32_t at, cut;

	if (kept > fresh->end)
		kept = fresh->end;
	for (at = fresh->end; kept--;) {
		read = ack_read(resp, --at);
		if (psn_in(pkt->psn, read->first, read->npkts))
			break;
		read = NULL;
	}
	if (!read || !ack_same_request(qp, read, pkt, &cut))
		return false;
	if ((int32_t)(at - fresh->at) > 0)
		return true;		/* will be answered anyway */
	read->payer = pkt->frame->src;
	if (at == fresh->at && at != fresh->end) {
		ack_rewind(fresh, pkt->psn);
		return true;
	}
	if (at - again->at < again->end - again->at) {
		/* One repeat in progress covers the part asked for before, and this one */
		if (at == again->at)
			ack_rewind(again, pkt->psn);
		if (at + 1 == again->end && cut < resp->again_cut)
			resp->again_cut = cut;
		return true;
	}
	/* Consecutive repeats extend the range */
	if (again->at != again->end && again->end == at) {
		again->end++;
	} else {
		again->at = at;
		again->end = at + 1;
		again->first = pkt->psn;
		again->psn = pkt->psn;
	}
	resp->again_cut = cut;
	qp_answer_ready(qp);
	return true;
}

static uint8_t ack_read_opcode(bool start, bool end)
{
	if (start)
		return end ? OPCODE_RC_READ_RESP_ONLY : OPCODE_RC_READ_RESP_FIRST;
	return end ? OPCODE_RC_READ_RESP_LAST : OPCODE_RC_READ_RESP_MIDDLE;
}

/* Bytes of a READ before the end of the response that a cursor sends */
static uint32_t ack_length(const struct resp *resp, const struct resp_cursor *cursor)
{
	uint32_t length = resp->read[cursor->at & READS_MASK].length;

	if (cursor == &resp->again && cursor->at + 1 == cursor->end)
		return length - resp->again_cut;
	return length;
}

/*
 * Attach the next part of the READ data, @left bytes at most, to a frame. The key
 * is checked each time, because the region may be gone by now.
 *
 * Return: bytes, or -1 when the region or its memory is gone.
 */
static int64_t ack_read_payload(struct qp *qp, const struct resp_read *read,
				uint64_t offset, uint32_t left, struct frame *frame)
{
	uint32_t mtu = 1u << qp->mtu_shift;
	uint32_t len = left;
	uint32_t max = frame->flags & FRAME_LOCAL ? qp_segment_max(qp) : mtu;
	struct mr *mr;
	int64_t got;
	bool open;

	if (!len)
		return 0;
	if (len > max)
		len = max;
	open = xrc_select(qp, read->srqn) &&
	       mr_get(qp->base.card, &qp->base.user, read->rkey, ORNIC_ACCESS_REMOTE_READ,
		      read->va + offset, len, &mr) == MR_OK;
	xrc_release(qp);
	if (!open)
		return -1;
	got = mr_frame(mr, read->va + offset, len, frame);
	if (got < 0)
		return -1;
	if (got < len) {
		got &= ~(int64_t)(mtu - 1);
		roce_trim(frame, got);
	}
	return got ? got : -1;
}

static enum ack_result ack_send_read(struct qp *qp, struct resp_cursor *cursor)
{
	const struct resp_read *read = ack_read(&qp->resp, cursor->at);
	uint64_t offset = (uint64_t)psn_diff(cursor->psn, read->first)
			  << qp->mtu_shift;
	uint32_t left = ack_length(&qp->resp, cursor) - offset;
	struct packet pkt = {
		.dqpn = qp->attr.dest_qpn,
		.psn = cursor->psn,
		.syndrome = AETH_ACK | AETH_NO_CREDITS,
		.msn = read->msn,
	};
	struct frame *frame;
	int64_t len;

	frame = roce_alloc_answer(qp);
	if (!frame)
		return ACK_NO_FRAME;
	len = ack_read_payload(qp, read, offset, left, frame);
	if (len < 0) {
		roce_free(qp, frame);
		return ACK_FAILED;
	}
	pkt.npkts = psn_count(len, qp->mtu_shift);
	pkt.opcode = ack_read_opcode(cursor->psn == cursor->first, len == left);
	roce_tx(qp, &qp->attr.av, frame, &pkt);
	cursor->psn = psn_add(cursor->psn, pkt.npkts);
	return ACK_SENT;
}

static enum ack_result ack_send_atomic(struct qp *qp,
				       struct resp_cursor *cursor)
{
	const struct resp_read *read = ack_read(&qp->resp, cursor->at);
	struct packet pkt = {
		.opcode = OPCODE_RC_ATOMIC_ACK,
		.dqpn = qp->attr.dest_qpn,
		.psn = read->first,
		.npkts = 1,
		.syndrome = AETH_ACK | AETH_NO_CREDITS,
		.msn = read->msn,
		.original = read->original,
	};
	struct frame *frame = roce_alloc_answer(qp);

	if (!frame)
		return ACK_NO_FRAME;
	roce_tx(qp, &qp->attr.av, frame, &pkt);
	cursor->psn = psn_add(cursor->psn, 1);
	return ACK_SENT;
}

/* Go on with the next entry. The response replaces a pending ACK of earlier requests. */
static void ack_next(struct resp *resp, struct resp_cursor *cursor)
{
	if (ack_owes_ack(resp) && psn_diff(cursor->psn, resp->owed_psn) > 0)
		resp->owe = false;
	cursor->at++;
	ack_seek(resp, cursor);
}

/*
 * The key of a READ is no longer valid. For a repeated READ this is no error:
 * the network may have delayed the duplicate until the peer no longer needed
 * the key.
 */
static void ack_gone(struct qp *qp, struct resp_cursor *cursor)
{
	struct resp *resp = &qp->resp;

	if (cursor == &resp->again) {
		ack_next(resp, cursor);
		return;
	}
	RDMA_STAT_INC(qp->base.card, remote_access_errors);
	resp->owe = false;
	/* Later messages have counted already */
	resp->msn = psn_add(ack_read(resp, cursor->at)->msn, PSN_MASK);
	ack_owe(qp, AETH_NAK | NAK_REMOTE_ACCESS, cursor->psn);
	resp->fresh.at = resp->fresh.end;
	qp_error_event(qp, ORNIC_EVENT_QP_ACCESS_ERR);
}

/* All of the response has been sent. Only that to a READ counts, and once. */
static void ack_sent(struct qp *qp, struct resp_cursor *cursor)
{
	struct resp *resp = &qp->resp;

	if (receiver_counts(&qp->base) && cursor == &resp->fresh &&
	    ack_read(resp, cursor->at)->kind == OPCODE_READ)
		receiver_count(&qp->base, COMP_CNTR_REMOTE_READ, false);
	ack_next(resp, cursor);
}

/* Send the next response of a cursor */
static enum ack_result ack_send_next(struct qp *qp, struct resp_cursor *cursor)
{
	struct resp *resp = &qp->resp;
	const struct resp_read *read = ack_read(resp, cursor->at);
	enum ack_result result;

	if (read->kind == OPCODE_ATOMIC)
		result = ack_send_atomic(qp, cursor);
	else
		result = ack_send_read(qp, cursor);
	if (result == ACK_FAILED)
		ack_gone(qp, cursor);
	else if (result == ACK_SENT &&
		 psn_diff(cursor->psn, read->first) >=
		 (int32_t)psn_count(ack_length(resp, cursor), qp->mtu_shift))
		ack_sent(qp, cursor);
	return result;
}

static enum ack_result ack_send_owed(struct qp *qp)
{
	struct resp *resp = &qp->resp;
	struct packet pkt = {
		.opcode = OPCODE_RC_ACK,
		.dqpn = qp->attr.dest_qpn,
		.psn = resp->owed_psn,
		.npkts = 1,
		.syndrome = resp->syndrome,
		.msn = resp->msn,
	};
	struct frame *frame = roce_alloc_answer(qp);

	if (!frame)
		return ACK_NO_FRAME;
	resp->owe = false;
	roce_tx(qp, &qp->attr.av, frame, &pkt);
	return ACK_SENT;
}

bool ack_run(struct qp *qp, unsigned int budget)
{
	struct resp *resp = &qp->resp;
	const struct port *payer = ack_payer(qp);
	uint64_t sent = qp->base.tx_bytes;
	enum ack_result result;

	while (ack_pending(qp)) {
		if (!budget-- || ack_payer(qp) != payer)
			return true;
		if (!qp->leaving && qp_turn_over(qp, sent))
			return true;
		if (resp->again.at != resp->again.end)
			result = ack_send_next(qp, &resp->again);
		else if (resp->fresh.at != resp->fresh.end)
			result = ack_send_next(qp, &resp->fresh);
		else
			result = ack_send_owed(qp);
		if (result == ACK_NO_FRAME)
			return true;
	}
	return false;
}

/*
 * The flush frees the frames for the next QP that is destroyed. After it no
 * frame refers to a region that the next command may destroy ([ORNIC-OBJ-7]).
 */
void ack_settle(struct qp *qp)
{
	unsigned int rounds = ACK_SETTLE_ROUNDS, left;
	struct card *card = qp->base.card;
	uint64_t bytes = qp->base.tx_bytes;

	qp->leaving = true;
	while (rounds-- && ack_pending(qp) &&
	       qp->base.tx_bytes - bytes < ACK_SETTLE_BYTES) {
		left = ACK_SETTLE_FRAMES;
		while (left-- && ack_pending(qp) &&
		       qp->base.tx_bytes - bytes < ACK_SETTLE_BYTES)
			ack_run(qp, 1);
		card->budget.work += ACK_SETTLE_WORK;
		env_tx_flush(card->env);
		/* A link that takes nothing must not have to hold all */
		if (roce_is_full(qp, &qp->attr.av))
			break;
	}
	qp->leaving = false;
}

void ack_settle_reset(struct qp *qp)
{
	const struct resp *resp = &qp->resp;

	/* Earlier responses must go first, and they may need the host's memory */
	if (!resp->owe || resp->fresh.at != resp->fresh.end)
		return;
	qp->leaving = true;
	ack_send_owed(qp);
}
