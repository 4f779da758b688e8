// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The responder: executes requests in the order of their PSNs and refuses them
 * as IBTA 9.7.5.2 and 9.9.3 require. UC sends no response (9.8.2).
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "objects/eq.h"
#include "objects/wqe.h"
#include "objects/xrcd.h"
#include "queues/qp.h"
#include "queues/sge.h"
#include "roce/ack.h"
#include "roce/packet.h"
#include "roce/psn.h"
#include "roce/resp.h"
#include "roce/xrc.h"

void resp_reset(struct qp *qp)
{
	memset(&qp->resp, 0, sizeof(qp->resp));
	qp->resp.epsn = qp->attr.rq_psn;
}

void resp_flush(struct qp *qp)
{
	struct resp *resp = &qp->resp;

	if (!resp->wqe_taken)
		return;
	resp->wqe_taken = false;
	/* The completion goes to the CQ of the SRQ, which may be gone */
	if (xrc_select(qp, resp->srqn))
		receiver_fail(&qp->base, resp->wqe.wr_id, ORNIC_WC_WR_FLUSH_ERR);
	xrc_release(qp);
}

bool resp_has_srq_wqe(const struct qp *qp, uint64_t *wr_id)
{
	*wr_id = qp->resp.wqe.wr_id;
	return qp->resp.wqe_taken && !receiver_has_rq(&qp->base);
}

/* ---- refusing ---- */

static bool resp_is_uc(const struct qp *qp)
{
	return qp->base.type == ORNIC_QPT_UC;
}

static void resp_nak(struct qp *qp, unsigned int code)
{
	if (resp_is_uc(qp))
		return;
	ack_owe(qp, AETH_NAK | code, qp->resp.epsn);
}

/* The request is invalid: send a NAK and an event; no WQE completes */
static bool resp_invalid(struct qp *qp)
{
	RDMA_STAT_INC(qp->base.card, remote_invalid_requests);
	if (resp_is_uc(qp))
		return false;
	resp_nak(qp, NAK_INVALID_REQUEST);
	qp_error_event(qp, ORNIC_EVENT_QP_REQ_ERR);
	return false;
}

static bool resp_no_access(struct qp *qp)
{
	RDMA_STAT_INC(qp->base.card, remote_access_errors);
	if (resp_is_uc(qp))
		return false;
	resp_nak(qp, NAK_REMOTE_ACCESS);
	qp_error_event(qp, ORNIC_EVENT_QP_ACCESS_ERR);
	return false;
}

/* The receive WQE fails: complete it with @status, send a NAK, go to ERR */
static bool resp_wqe_failed(struct qp *qp, enum ornic_wc_status status)
{
	switch (status) {
	case ORNIC_WC_LOC_LEN_ERR:
		RDMA_STAT_INC(qp->base.card, remote_invalid_requests);
		resp_nak(qp, NAK_INVALID_REQUEST);
		break;
	case ORNIC_WC_REM_INV_REQ_ERR:
		RDMA_STAT_INC(qp->base.card, remote_access_errors);
		resp_nak(qp, NAK_REMOTE_ACCESS);
		break;
	case ORNIC_WC_LOC_ACCESS_ERR:
		RDMA_STAT_INC(qp->base.card, remote_access_errors);
		resp_nak(qp, NAK_REMOTE_ACCESS);
		break;
	default:
		resp_nak(qp, NAK_REMOTE_OPERATION);
		break;
	}
	qp->resp.wqe_taken = false;
	receiver_fail(&qp->base, qp->resp.wqe.wr_id, status);
	qp_error(qp);
	return false;
}

/* UC drops the message, and its WQE serves the next one (IBTA 9.9.3.2, class D) */
static bool resp_too_long(struct qp *qp)
{
	if (!resp_is_uc(qp))
		return resp_wqe_failed(qp, ORNIC_WC_LOC_LEN_ERR);
	RDMA_STAT_INC(qp->base.card, rx_length_errors);
	return false;
}

static bool resp_not_ready(struct qp *qp)
{
	if (resp_is_uc(qp)) {
		RDMA_STAT_INC(qp->base.card, rx_no_wqe);
		return false;
	}
	qp->events.rnr_naks_sent++;
	RDMA_STAT_INC(qp->base.card, rnr_naks_sent);
	ack_owe(qp, AETH_RNR | qp->attr.min_rnr_timer, qp->resp.epsn);
	qp->resp.nak_sent = true;
	return false;
}

/* ---- executing ---- */

static bool resp_take_wqe(struct qp *qp)
{
	struct resp *resp = &qp->resp;
	int err;

	/* Reuse the WQE of a message that UC dropped (IBTA 9.9.3.2, class D) */
	if (resp->wqe_taken) {
		resp->offset = 0;
		return true;
	}
	err = receiver_take(&qp->base, &resp->wqe);
	if (err == -EAGAIN)
		return resp_not_ready(qp);
	if (err == -EIO) {
		resp_nak(qp, NAK_REMOTE_OPERATION);
		qp_error_event(qp, ORNIC_EVENT_QP_FATAL);
		return false;
	}
	resp->wqe_taken = true;
	resp->offset = 0;
	return err ? resp_wqe_failed(qp, ORNIC_WC_LOC_QP_OP_ERR) : true;
}

static void resp_complete(struct qp *qp, const struct packet *pkt,
			  enum ornic_wc_opcode opcode, uint32_t byte_len)
{
	struct resp *resp = &qp->resp;
	struct ornic_cqe cqe = {
		.opcode = htole32(opcode),
		.byte_len = htole32(byte_len),
	};

	if (pkt->op->flags & OPCODE_IMMDT) {
		cqe.imm = pkt->imm;
		cqe.qpn = htole32(ORNIC_PREP(ORNIC_CQE_FLAGS,
					     ORNIC_WC_WITH_IMM));
	} else if (pkt->op->flags & OPCODE_IETH) {
		cqe.inv_key = htole32(pkt->inv_key);
		cqe.qpn = htole32(ORNIC_PREP(ORNIC_CQE_FLAGS,
					     ORNIC_WC_WITH_INV));
	}
	resp->wqe_taken = false;
	receiver_complete(&qp->base, &cqe, resp->wqe.wr_id, NULL, pkt->solicited);
}

/* Invalidate the key of a SEND_WITH_INV after its data (IBTA 9.4.1.1.3) */
static bool resp_invalidate(struct qp *qp, uint32_t key)
{
	enum mr_error err = mr_remote_inv(qp->base.card, &qp->base.user, key);

	if (!err)
		return true;
	DEVICE_VIOLATION(qp->base.card, bad_rkey, qp->base.obj.num, key,
			 "qp[%u]: invalidation of %#x: %s",
			 qp->base.obj.num, key, mr_error_name(err));
	return resp_wqe_failed(qp, ORNIC_WC_REM_INV_REQ_ERR);
}

static bool resp_send(struct qp *qp, const struct packet *pkt)
{
	struct resp *resp = &qp->resp;
	struct iovec iov[FRAME_IOV_MAX + 2];
	int count;

	if (pkt->op->flags & OPCODE_START && !resp_take_wqe(qp))
		return false;
	if (resp->offset + pkt->payload_len > resp->wqe.length)
		return resp_too_long(qp);
	count = frame_iov(pkt->frame, pkt->payload, pkt->payload_len, iov,
			  ARRAY_SIZE(iov));
	if (count < 0 || sge_write_wqe(&qp->base, &resp->wqe, resp->offset, iov, count))
		return resp_wqe_failed(qp, ORNIC_WC_LOC_PROT_ERR);
	resp->offset += pkt->payload_len;
	resp->message = RESP_SEND;
	if (pkt->op->flags & OPCODE_IETH && !resp_invalidate(qp, pkt->inv_key))
		return false;
	if (pkt->op->flags & OPCODE_END) {
		RDMA_STAT_INC(qp->base.card, rx_sends);
		resp_complete(qp, pkt, ORNIC_WC_RECV, resp->offset);
	}
	return true;
}

/* Return: the region, or NULL when the key forbids the access, counted */
static struct mr *resp_mr(struct qp *qp, uint32_t rkey, uint32_t access,
			  uint64_t va, uint64_t len)
{
	struct mr *mr;

	if (mr_get(qp->base.card, &qp->base.user, rkey, access, va, len, &mr) == MR_OK)
		return mr;
	DEVICE_VIOLATION(qp->base.card, bad_rkey, qp->base.obj.num, rkey,
			 "qp[%u]: key %#x at %#llx+%llu, access %#x",
			 qp->base.obj.num, rkey, (unsigned long long)va,
			 (unsigned long long)len, access);
	return NULL;
}

/* First packet of a WRITE: check access to the whole range */
static bool resp_write_start(struct qp *qp, const struct packet *pkt)
{
	struct resp *resp = &qp->resp;

	if (pkt->dma_len > CARD_MAX_MSG_SIZE)
		return resp_invalid(qp);
	/* The key of an empty WRITE is not checked */
	if (pkt->dma_len && !resp_mr(qp, pkt->rkey, ORNIC_ACCESS_REMOTE_WRITE,
				     pkt->va, pkt->dma_len))
		return resp_no_access(qp);
	resp->va = pkt->va;
	resp->rkey = pkt->rkey;
	resp->left = pkt->dma_len;
	resp->offset = 0;
	return true;
}

/*
 * A WRITE_WITH_IMM that fails after it took its WQE completes it, which replaces
 * the event ([ORNIC-RQ-6]). UC keeps the WQE for the next message.
 */
static bool resp_write_failed(struct qp *qp)
{
	if (!qp->resp.wqe_taken || resp_is_uc(qp))
		return resp_no_access(qp);
	return resp_wqe_failed(qp, ORNIC_WC_LOC_ACCESS_ERR);
}

static bool resp_write_data(struct qp *qp, const struct packet *pkt)
{
	struct resp *resp = &qp->resp;
	struct iovec iov[FRAME_IOV_MAX + 2];
	struct mr *mr;
	int count;

	if (!pkt->payload_len)
		return true;
	mr = resp_mr(qp, resp->rkey, ORNIC_ACCESS_REMOTE_WRITE, resp->va,
		     pkt->payload_len);
	if (!mr)
		return resp_write_failed(qp);
	count = frame_iov(pkt->frame, pkt->payload, pkt->payload_len, iov,
			  ARRAY_SIZE(iov));
	if (count < 0 || mr_write(mr, resp->va, iov, count))
		return resp_write_failed(qp);
	resp->va += pkt->payload_len;
	resp->left -= pkt->payload_len;
	return true;
}

static bool resp_write(struct qp *qp, const struct packet *pkt)
{
	struct resp *resp = &qp->resp;
	uint64_t length;
	bool end = pkt->op->flags & OPCODE_END;
	bool all;

	if (pkt->op->flags & OPCODE_START && !resp_write_start(qp, pkt))
		return false;
	all = pkt->payload_len == resp->left;
	if (pkt->payload_len > resp->left || end != all)
		return resp_invalid(qp);
	/* Take the WQE before the data is written: an RNR NAK has no effect */
	length = resp->offset + pkt->payload_len;
	if (pkt->op->flags & OPCODE_IMMDT && !resp_take_wqe(qp))
		return false;
	if (!resp_write_data(qp, pkt))
		return false;
	resp->offset = length;
	resp->message = RESP_WRITE;
	if (!end)
		return true;
	RDMA_STAT_INC(qp->base.card, rx_write_requests);
	if (receiver_counts(&qp->base))
		receiver_count(&qp->base, COMP_CNTR_REMOTE_WRITE, false);
	if (pkt->op->flags & OPCODE_IMMDT)
		resp_complete(qp, pkt, ORNIC_WC_RECV_RDMA_WITH_IMM, length);
	return true;
}

static bool resp_read(struct qp *qp, const struct packet *pkt)
{
	struct resp *resp = &qp->resp;
	struct resp_read read = {
		.kind = OPCODE_READ,
		.first = pkt->psn,
		.npkts = psn_count(pkt->dma_len, qp->mtu_shift),
		.va = pkt->va,
		.length = pkt->dma_len,
		.rkey = pkt->rkey,
		.msn = psn_add(resp->msn, 1),
		.srqn = pkt->xrc_srqn,
		.payer = pkt->frame->src,
	};

	if (!ack_room(qp) || pkt->dma_len > CARD_MAX_MSG_SIZE ||
	    read.npkts > PSN_SPAN_MAX)
		return resp_invalid(qp);
	if (pkt->dma_len && !resp_mr(qp, pkt->rkey, ORNIC_ACCESS_REMOTE_READ,
				     pkt->va, pkt->dma_len))
		return resp_no_access(qp);
	RDMA_STAT_INC(qp->base.card, rx_read_requests);
	ack_add(qp, &read);
	return true;
}

/*
 * Compute the result of an atomic ([ORNIC-SQ-27]). Without masks all bits are
 * compared and swapped, and the sum has one field.
 */
static uint64_t resp_atomic_result(uint64_t found, const struct packet *pkt)
{
	bool masked = pkt->op->flags & OPCODE_MASKETH;
	uint64_t mask, top;

	if ((pkt->opcode & OPCODE_OPERATION) == OPCODE_RC_CMP_SWP) {
		mask = masked ? pkt->compare_mask : ~0ULL;
		if ((found ^ pkt->compare) & mask)
			return found;
		mask = masked ? pkt->swap_add_mask : ~0ULL;
		return (found & ~mask) | (pkt->swap_add & mask);
	}
	/* Add the highest bit of each field without its carry */
	top = masked ? pkt->swap_add_mask : 0;
	return ((found & ~top) + (pkt->swap_add & ~top)) ^
	       ((found ^ pkt->swap_add) & top);
}

/*
 * One 8-byte operation that is atomic for all accesses to this memory, those of
 * the guest's CPUs included (IBTA 9.4.5, IBV_ATOMIC_GLOB).
 *
 * Return: the value before the operation.
 */
static uint64_t resp_atomic_execute(uint64_t *word, const struct packet *pkt)
{
	uint64_t found = __atomic_load_n(word, __ATOMIC_RELAXED);
	uint64_t want;

	do
		want = htole64(resp_atomic_result(le64toh(found), pkt));
	while (!__atomic_compare_exchange_n(word, &found, want, false,
					    __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST));
	return le64toh(found);
}

/*
 * Find the word that an atomic request names.
 *
 * Return: the word, or NULL when the request was refused.
 */
static uint64_t *resp_word(struct qp *qp, const struct packet *pkt,
			   uint32_t access)
{
	uint64_t len = sizeof(uint64_t);
	struct iovec iov;
	struct mr *mr;

	if (!ack_room(qp) || pkt->va % sizeof(uint64_t)) {
		resp_invalid(qp);
		return NULL;
	}
	mr = resp_mr(qp, pkt->rkey, access, pkt->va, len);
	if (!mr ||
	    mr_iov(mr, pkt->va, &len, MEM_READ | MEM_WRITE, &iov, 1) < 0) {
		resp_no_access(qp);
		return NULL;
	}
	/* A region may start at any byte; then its words are not aligned */
	if (len < sizeof(uint64_t) ||
	    (uintptr_t)iov.iov_base % sizeof(uint64_t)) {
		resp_invalid(qp);
		return NULL;
	}
	RDMA_STAT_INC(qp->base.card, rx_atomic_requests);
	return iov.iov_base;
}

/* Queue a response without payload, or that of an atomic */
static void resp_answer(struct qp *qp, const struct packet *pkt,
			uint64_t original)
{
	struct resp_read read = {
		.kind = pkt->op->kind,
		.first = pkt->psn,
		.npkts = 1,
		.msn = psn_add(qp->resp.msn, 1),
		.original = original,
		.payer = pkt->frame->src,
	};

	ack_add(qp, &read);
}

static bool resp_atomic(struct qp *qp, const struct packet *pkt)
{
	uint64_t *word = resp_word(qp, pkt, ORNIC_ACCESS_REMOTE_ATOMIC);

	if (!word)
		return false;
	resp_answer(qp, pkt, resp_atomic_execute(word, pkt));
	return true;
}

/* Store the 8 bytes of the payload atomically (IBTA A19.4.2) */
static bool resp_atomic_write(struct qp *qp, const struct packet *pkt)
{
	uint64_t value, *word;

	if (pkt->dma_len != sizeof(value) || pkt->payload_len != sizeof(value))
		return resp_invalid(qp);
	word = resp_word(qp, pkt, ORNIC_ACCESS_REMOTE_WRITE);
	if (!word)
		return false;
	frame_read(pkt->frame, pkt->payload, &value, sizeof(value));
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
	resp_answer(qp, pkt, 0);
	return true;
}

static uint32_t resp_flush_access(const struct packet *pkt)
{
	uint32_t access = 0;

	if (pkt->flush_type & ORNIC_FLUSH_GLOBAL)
		access |= ORNIC_ACCESS_FLUSH_GLOBAL;
	if (pkt->flush_type & ORNIC_FLUSH_PERSISTENT)
		access |= ORNIC_ACCESS_FLUSH_PERSISTENT;
	return access;
}

/*
 * Earlier requests have written guest memory, where the CPUs see the data. So
 * only the access rights remain to be checked (IBTA A19.4.1).
 */
static bool resp_flush_request(struct qp *qp, const struct packet *pkt)
{
	uint64_t va = pkt->va, len = pkt->dma_len;
	uint32_t access = resp_flush_access(pkt);
	struct mr *mr;

	if (!ack_room(qp) || !wqe_flush_valid(pkt->flush_type, pkt->flush_level))
		return resp_invalid(qp);
	if (pkt->flush_level == ORNIC_FLUSH_REGION) {
		mr = mr_find(qp->base.card, pkt->rkey);
		va = mr ? mr_base(mr) : 0;
		len = mr ? mr->length : 0;
	}
	if (!resp_mr(qp, pkt->rkey, access, va, len))
		return resp_no_access(qp);
	if ((qp->attr.access & access) != access)
		return resp_invalid(qp);
	guest_fence();
	resp_answer(qp, pkt, 0);
	return true;
}

/* ---- order and dispatch ---- */

/* Does the packet continue the current message (IBTA 9.7.4.1.2)? */
static bool resp_in_sequence(const struct qp *qp, const struct packet *pkt)
{
	bool start = pkt->op->flags & OPCODE_START;

	switch (qp->resp.message) {
	case RESP_SEND:
		return !start && pkt->op->kind == OPCODE_SEND;
	case RESP_WRITE:
		return !start && pkt->op->kind == OPCODE_WRITE;
	default:
		return start;
	}
}

/* Does the payload length fit the place in the message (IBTA 9.7.4.1.6)? */
static bool resp_length_valid(const struct qp *qp, const struct packet *pkt)
{
	uint64_t max = (uint64_t)pkt->npkts << qp->mtu_shift;

	if (!(pkt->op->flags & OPCODE_DATA))
		return pkt->npkts == 1;
	if (!(pkt->op->flags & OPCODE_END))
		return pkt->payload_len == max;
	if (!pkt->payload_len)
		return pkt->npkts == 1 && pkt->op->flags & OPCODE_START;
	return pkt->payload_len <= max &&
	       pkt->payload_len > max - (1u << qp->mtu_shift);
}

/*
 * Does the QP allow the request, whatever its key allows (IBTA 9.7.4.1.3)? For a
 * FLUSH the key comes first: rdma-core's tests expect that.
 */
static bool resp_allowed(const struct qp *qp, const struct packet *pkt)
{
	uint32_t access;

	switch (pkt->op->kind) {
	case OPCODE_WRITE:
	case OPCODE_ATOMIC_WRITE:
		access = ORNIC_ACCESS_REMOTE_WRITE;
		break;
	case OPCODE_READ:
		access = ORNIC_ACCESS_REMOTE_READ;
		break;
	case OPCODE_ATOMIC:
		access = ORNIC_ACCESS_REMOTE_ATOMIC;
		break;
	default:
		return true;
	}
	return (qp->attr.access & access) == access;
}

/*
 * The ACK of a duplicate has its PSN and not that of the latest request. That one
 * may be a READ or an atomic, and its response may be lost: rdma_rxe takes the ACK
 * for the response. A peer that retransmits sets AckReq in its last packet. An ACK
 * must not cover packets that it has not sent again yet: rdma_rxe does not check
 * its timer any more after such an ACK.
 */
static void resp_duplicate(struct qp *qp, const struct packet *pkt)
{
	uint32_t end = psn_add(pkt->psn, pkt->npkts);

	RDMA_STAT_INC(qp->base.card, rx_duplicate_requests);
	if (opcode_is_answered(pkt->op->kind)) {
		ack_repeat(qp, pkt);
		return;
	}
	if (!pkt->ack_req || pkt->op->kind == OPCODE_RESERVED)
		return;
	/* The end of a large frame may be new */
	if (psn_diff(end, qp->resp.epsn) > 0)
		end = qp->resp.epsn;
	ack_owe(qp, AETH_ACK | AETH_NO_CREDITS, psn_add(end, PSN_MASK));
}

/*
 * All packets of an XRC message name the same SRQ, which must belong to the
 * XRCD. Otherwise the request is invalid (IBTA A14).
 */
static bool resp_select(struct qp *qp, const struct packet *pkt)
{
	struct resp *resp = &qp->resp;

	if (qp->base.type != ORNIC_QPT_XRC_RECV)
		return true;
	if (pkt->op->flags & OPCODE_START)
		resp->srqn = pkt->xrc_srqn;
	return pkt->xrc_srqn == resp->srqn && xrc_select(qp, resp->srqn);
}

static bool resp_execute(struct qp *qp, const struct packet *pkt)
{
	switch (pkt->op->kind) {
	case OPCODE_SEND:
		return resp_send(qp, pkt);
	case OPCODE_WRITE:
		return resp_write(qp, pkt);
	case OPCODE_READ:
		return resp_read(qp, pkt);
	case OPCODE_FLUSH:
		return resp_flush_request(qp, pkt);
	case OPCODE_ATOMIC_WRITE:
		return resp_atomic_write(qp, pkt);
	case OPCODE_ATOMIC:
		return resp_atomic(qp, pkt);
	default:
		return resp_invalid(qp);
	}
}

static void resp_end(struct resp *resp, const struct packet *pkt)
{
	if (!(pkt->op->flags & OPCODE_END))
		return;
	resp->message = RESP_NONE;
	resp->msn = psn_add(resp->msn, 1);
}

/* A request that is not dropped has come: tell it in RTR (IBTA 11.6.3.1) */
static void resp_established(struct qp *qp)
{
	if (qp->base.state != ORNIC_QPS_RTR || qp->comm_est)
		return;
	qp->comm_est = true;
	eq_async(qp->base.card, &qp->base.events, ORNIC_EVENT_QP_COMM_EST);
}

/*
 * UC drops a message with a gap or an error up to the first packet of the next
 * message, whatever PSN that one has.
 */
static void resp_rx_uc(struct qp *qp, const struct packet *pkt)
{
	struct resp *resp = &qp->resp;

	resp_established(qp);
	if (pkt->psn != resp->epsn)
		RDMA_STAT_INC(qp->base.card, rx_out_of_sequence);
	if (pkt->psn != resp->epsn || pkt->op->flags & OPCODE_START)
		resp->message = RESP_NONE;
	resp->epsn = psn_add(pkt->psn, pkt->npkts);
	if (!resp_in_sequence(qp, pkt)) {
		resp->message = RESP_NONE;
		return;
	}
	if (!resp_length_valid(qp, pkt) || !resp_allowed(qp, pkt)) {
		resp->message = RESP_NONE;
		resp_invalid(qp);
		return;
	}
	if (resp_execute(qp, pkt))
		resp_end(resp, pkt);
	else
		resp->message = RESP_NONE;
}

void resp_rx(struct qp *qp, const struct packet *pkt)
{
	struct resp *resp = &qp->resp;
	int32_t ahead = psn_diff(pkt->psn, resp->epsn);
	uint32_t npkts = pkt->npkts;
	bool done;

	if (resp_is_uc(qp)) {
		resp_rx_uc(qp, pkt);
		return;
	}
	/* The port that has demanded what is owed pays for it, whatever comes meanwhile */
	if (!resp->owe)
		resp->payer = pkt->frame->src;
	if (ahead < 0) {
		resp_duplicate(qp, pkt);
		return;
	}
	if (ahead > 0) {
		RDMA_STAT_INC(qp->base.card, rx_out_of_sequence);
		/* Send one NAK per gap (IBTA 9.7.5.1.2) */
		if (resp->nak_sent)
			return;
		resp->nak_sent = true;
		resp->ahead = pkt->psn;
		RDMA_STAT_INC(qp->base.card, seq_naks_sent);
		resp_nak(qp, NAK_SEQUENCE);
		return;
	}
	resp_established(qp);
	resp->nak_sent = false;
	if (!resp_in_sequence(qp, pkt) || !resp_length_valid(qp, pkt) ||
	    !resp_allowed(qp, pkt) || !resp_select(qp, pkt)) {
		resp_invalid(qp);
		return;
	}
	done = resp_execute(qp, pkt);
	xrc_release(qp);
	if (!done)
		return;

	if (pkt->op->kind == OPCODE_READ)
		npkts = psn_count(pkt->dma_len, qp->mtu_shift);
	resp->epsn = psn_add(resp->epsn, npkts);
	resp_end(resp, pkt);
	resp->nak_sent = ack_still_missing(qp);
	/* An ACK that is owed already covers this packet, too */
	if ((pkt->ack_req || resp->owe) && !opcode_is_answered(pkt->op->kind))
		ack_owe(qp, AETH_ACK | AETH_NO_CREDITS, psn_add(resp->epsn, PSN_MASK));
}
