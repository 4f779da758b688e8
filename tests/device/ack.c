// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The answers that a responder owes. They go out in the order of their PSNs:
 * answers asked for again, then answers to the latest READs and atomics, then
 * one ACK for all the rest, or a NAK. An answer acknowledges all that came
 * before, so ACKs that were owed meanwhile merge into it.
 */
#include <string.h>

#include "packet.h"
#include "psn.h"
#include "qp.h"
#include "roce.h"
#include "xrcd.h"

#define READS_MASK (RESP_READS - 1)

/*
 * Answers that go out with the command that takes the QP away: frames, and bytes
 * after which no further one is begun. The command must not take long.
 */
#define ACK_SETTLE_FRAMES 16
#define ACK_SETTLE_BYTES 65536

_Static_assert(!(RESP_READS & READS_MASK), "a power of two");

/**
 * enum ack_result - how sending went
 * @ACK_SENT: a frame was sent
 * @ACK_NO_FRAME: try again in the next nic_run()
 * @ACK_FAILED: the memory to be read is gone
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

void ack_owe(struct qp *qp, uint8_t syndrome, uint32_t psn)
{
	struct resp *resp = &qp->resp;

	if (resp->owe && !ack_owes_ack(resp))
		return;
	resp->owe = true;
	resp->syndrome = syndrome;
	resp->nak_psn = psn;
	qp_ready(qp);
}

bool ack_room(const struct qp *qp)
{
	const struct resp_cursor *fresh = &qp->resp.fresh;

	return fresh->end - fresh->at < qp->attr.max_dest_rd_atomic;
}

/* Go to an entry's first packet. */
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
	qp_ready(qp);
}

bool ack_pending(const struct qp *qp)
{
	const struct resp *resp = &qp->resp;

	return resp->owe || resp->fresh.at != resp->fresh.end ||
	       resp->again.at != resp->again.end;
}

/* Go back to a packet of an answer that is being sent, if it was sent already. */
static void ack_rewind(struct resp_cursor *cursor, uint32_t psn)
{
	if (psn_diff(psn, cursor->psn) >= 0)
		return;
	cursor->first = psn;
	cursor->psn = psn;
}

/*
 * Does a duplicate ask for what was asked for, or for all the rest of it? Else it
 * is not the peer's, and a packet without data does not make the card send as
 * much as a READ may have.
 */
static bool ack_same_request(const struct qp *qp, const struct resp_read *read,
			     const struct packet *pkt)
{
	uint64_t done;

	if (read->kind != pkt->op->kind)
		return false;
	if (read->kind != OPCODE_READ)
		return true;
	done = (uint64_t)psn_diff(pkt->psn, read->first) << qp->mtu_shift;
	return pkt->va == read->va + done && pkt->rkey == read->rkey &&
	       pkt->dma_len == read->length - done &&
	       pkt->xrc_srqn == read->srqn;
}

bool ack_repeat(struct qp *qp, const struct packet *pkt)
{
	struct resp *resp = &qp->resp;
	struct resp_cursor *again = &resp->again;
	struct resp_cursor *fresh = &resp->fresh;
	uint32_t kept = qp->attr.max_dest_rd_atomic;
	struct resp_read *read = NULL;
	uint32_t at;

	if (kept > fresh->end)
		kept = fresh->end;
	for (at = fresh->end; kept--;) {
		read = ack_read(resp, --at);
		if (psn_in(pkt->psn, read->first, read->npkts))
			break;
		read = NULL;
	}
	if (!read || !ack_same_request(qp, read, pkt))
		return false;
	if ((int32_t)(at - fresh->at) > 0)
		return true;		/* will be answered anyway */
	if (at == fresh->at && at != fresh->end) {
		ack_rewind(fresh, pkt->psn);
		return true;
	}
	if (at - again->at < again->end - again->at) {
		if (at == again->at)
			ack_rewind(again, pkt->psn);
		return true;
	}
	/* Those that the peer asks for one after the other are one stretch. */
	if (again->at != again->end && again->end == at) {
		again->end++;
	} else {
		again->at = at;
		again->end = at + 1;
		again->first = pkt->psn;
		again->psn = pkt->psn;
	}
	qp_ready(qp);
	return true;
}

static uint8_t ack_read_opcode(bool start, bool end)
{
	if (start)
		return end ? OPCODE_RC_READ_RESP_ONLY : OPCODE_RC_READ_RESP_FIRST;
	return end ? OPCODE_RC_READ_RESP_LAST : OPCODE_RC_READ_RESP_MIDDLE;
}

/*
 * Make a frame refer to the next part of what is read. The key is checked each
 * time: the region may be gone by now.
 *
 * Return: bytes, or -1 when it is gone.
 */
static int64_t ack_read_payload(struct qp *qp, const struct resp_read *read,
				uint64_t offset, struct frame *frame)
{
	uint32_t mtu = 1u << qp->mtu_shift;
	uint32_t len = read->length - offset;
	uint32_t max = frame->flags & FRAME_LOCAL ? REQ_SEGMENT_MAX : mtu;
	struct mr *mr;
	int64_t got;
	bool open;

	if (!len)
		return 0;
	if (len > max)
		len = max;
	open = xrcd_select(qp, read->srqn) &&
	       mr_get(qp->nic, &qp->user, read->rkey, ORNIC_ACCESS_REMOTE_READ,
		      read->va + offset, len, &mr) == MR_OK;
	xrcd_release(qp);
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
	struct packet pkt = {
		.dqpn = qp->attr.dest_qpn,
		.psn = cursor->psn,
		.syndrome = AETH_ACK | AETH_NO_CREDITS,
		.msn = read->msn,
	};
	struct frame *frame;
	int64_t len;

	frame = roce_alloc(qp, &qp->attr.av);
	if (!frame)
		return ACK_NO_FRAME;
	len = ack_read_payload(qp, read, offset, frame);
	if (len < 0) {
		roce_free(qp, frame);
		return ACK_FAILED;
	}
	pkt.npkts = psn_count(len, qp->mtu_shift);
	pkt.opcode = ack_read_opcode(cursor->psn == cursor->first,
				     offset + len == read->length);
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
	struct frame *frame = roce_alloc(qp, &qp->attr.av);

	if (!frame)
		return ACK_NO_FRAME;
	roce_tx(qp, &qp->attr.av, frame, &pkt);
	cursor->psn = psn_add(cursor->psn, 1);
	return ACK_SENT;
}

/* Go on with the next entry. The latest answer says all that an ACK would. */
static void ack_next(struct resp *resp, struct resp_cursor *cursor)
{
	if (cursor->psn == resp->epsn && ack_owes_ack(resp))
		resp->owe = false;
	cursor->at++;
	ack_seek(resp, cursor);
}

/*
 * With what was answered before nothing is wrong: the wire may have kept a copy
 * of the request for longer than the peer needed the key.
 */
static void ack_gone(struct qp *qp, struct resp_cursor *cursor)
{
	struct resp *resp = &qp->resp;

	if (cursor == &resp->again) {
		ack_next(resp, cursor);
		return;
	}
	RDMA_STAT_INC(qp->nic, remote_access_errors);
	resp->owe = false;
	ack_owe(qp, AETH_NAK | NAK_REMOTE_ACCESS, cursor->psn);
	resp->fresh.at = resp->fresh.end;
	qp_error_event(qp, ORNIC_EVENT_QP_ACCESS_ERR);
}

/* Send the next answer of a cursor. */
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
		 psn_diff(cursor->psn, read->first) >= (int32_t)read->npkts)
		ack_next(resp, cursor);
	return result;
}

static enum ack_result ack_send_owed(struct qp *qp)
{
	struct resp *resp = &qp->resp;
	bool ack = ack_owes_ack(resp);
	struct packet pkt = {
		.opcode = OPCODE_RC_ACK,
		.dqpn = qp->attr.dest_qpn,
		.psn = ack ? psn_add(resp->epsn, PSN_MASK) : resp->nak_psn,
		.npkts = 1,
		.syndrome = resp->syndrome,
		.msn = resp->msn,
	};
	struct frame *frame = roce_alloc(qp, &qp->attr.av);

	if (!frame)
		return ACK_NO_FRAME;
	resp->owe = false;
	roce_tx(qp, &qp->attr.av, frame, &pkt);
	return ACK_SENT;
}

bool ack_run(struct qp *qp, unsigned int budget)
{
	struct resp *resp = &qp->resp;
	enum ack_result result;

	while (ack_pending(qp)) {
		if (!budget--)
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
 * The flush makes room for the frames of the next QP that goes, and a region
 * that is destroyed next is read no more ([ORNIC-OBJ-4]).
 */
void ack_settle(struct qp *qp)
{
	uint64_t bytes = qp->stats.tx_bytes;
	unsigned int left = ACK_SETTLE_FRAMES;

	if (!ack_pending(qp))
		return;
	qp->leaving = true;
	while (left-- && ack_pending(qp) &&
	       qp->stats.tx_bytes - bytes < ACK_SETTLE_BYTES)
		ack_run(qp, 1);
	qp->leaving = false;
	env_tx_flush(qp->nic->env);
}

void ack_settle_reset(struct qp *qp)
{
	const struct resp *resp = &qp->resp;

	/* Answers with data refer to memory that the host wants back. */
	if (!resp->owe || resp->fresh.at != resp->fresh.end)
		return;
	qp->leaving = true;
	ack_send_owed(qp);
}
