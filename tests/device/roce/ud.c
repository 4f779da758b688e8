// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Unreliable datagrams: sending and receiving */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "eth/headers.h"
#include "queues/qp.h"
#include "queues/sge.h"
#include "queues/sq.h"
#include "roce/packet.h"
#include "roce/path.h"
#include "roce/psn.h"
#include "roce/roce.h"
#include "roce/ud.h"

#define UD_MTU_MIN 256
#define UD_MTU_MAX 4096
/* Bit of the Q_Key in a WQE that means the Q_Key of the QP (IBTA C10-15) */
#define UD_QKEY_OWN 0x80000000u

_Static_assert(UD_MTU_MAX <= BOUNCE_SIZE, "a datagram fits a bounce piece");

/* Largest datagram: the largest IBTA MTU that fits the port's MTU, bytes */
static uint32_t ud_mtu(const struct card *card)
{
	uint32_t mtu = UD_MTU_MAX;

	while (mtu > UD_MTU_MIN && mtu + ROCE_OVERHEAD > card->port.mtu)
		mtu >>= 1;
	return mtu;
}

static enum ornic_wc_status ud_check(struct qp *qp, const struct send_wqe *wqe)
{
	if (wqe->length > ud_mtu(qp->base.card))
		return ORNIC_WC_LOC_LEN_ERR;
	/* Without a valid GID entry the packet is lost ([ORNIC-SQ-17]) */
	if (gid_get(&qp->base.card->gids, le16toh(wqe->av.sgid_index)) &&
	    !path_valid(qp->base.card, &wqe->av))
		return ORNIC_WC_LOC_QP_OP_ERR;
	return ORNIC_WC_SUCCESS;
}

/* Copy the payload, as the guest may reuse it after the completion */
static enum ornic_wc_status ud_payload(struct qp *qp,
				       const struct send_wqe *wqe,
				       struct frame *frame)
{
	uint8_t *piece = bounce_take(&qp->base.card->bounce);

	if (wqe->flags & ORNIC_SEND_INLINE)
		memcpy(piece, wqe->data, wqe->length);
	else if (sge_read(&qp->base, wqe->sge, wqe->sge_count, 0, piece, wqe->length))
		return ORNIC_WC_LOC_PROT_ERR;
	frame_add(frame, piece, wqe->length);
	return ORNIC_WC_SUCCESS;
}

static void ud_tx(struct qp *qp, const struct send_wqe *wqe,
		  struct frame *frame)
{
	bool imm = wqe->opcode == ORNIC_WR_SEND_WITH_IMM;
	struct packet pkt = {
		.opcode = imm ? OPCODE_UD_SEND_ONLY_IMM : OPCODE_UD_SEND_ONLY,
		.solicited = wqe->flags & ORNIC_SEND_SOLICITED,
		.dqpn = wqe->dqpn,
		.psn = qp->req.next,
		.npkts = 1,
		.qkey = wqe->qkey & UD_QKEY_OWN ? qp->attr.qkey : wqe->qkey,
		.sqpn = qp_wire_num(qp),
		.imm = wqe->imm,
	};

	qp->req.next = psn_add(qp->req.next, 1);
	roce_tx(qp, &wqe->av, frame, &pkt);
}

bool ud_run(struct qp *qp, unsigned int budget)
{
	uint64_t sent = qp->base.tx_bytes;
	enum ornic_wc_status status;
	struct frame *frame;
	struct send_wqe wqe;

	/* The loopback of a multicast packet may move the QP itself to ERR */
	while (!sq_empty(&qp->sq) && qp_sends(qp)) {
		if (!budget-- || qp_turn_over(qp, sent))
			return true;
		frame = NULL;
		status = sq_read(qp, qp->sq.next, &wqe);
		if (!status)
			status = ud_check(qp, &wqe);
		if (!status) {
			frame = roce_alloc(qp, &wqe.av);
			if (!frame)
				return true;
			status = ud_payload(qp, &wqe, frame);
		}
		qp->sq.next += wqe.slots;
		if (status) {
			if (frame)
				roce_free(qp, frame);
			sq_complete(qp, &wqe, status, 0);
			qp_send_error(qp);
			return false;
		}
		ud_tx(qp, &wqe, frame);
		sq_complete(qp, &wqe, ORNIC_WC_SUCCESS, 0);
	}
	return false;
}

static void ud_fill_ext(struct ornic_cqe_ext *ext, const struct frame *frame,
			const struct headers *headers)
{
	memcpy(ext->smac, frame->hdr + 6, sizeof(ext->smac));
	ext->flags = htole16(ORNIC_CQE_EXT_SMAC);
	if (headers->tagged) {
		ext->vlan_tci = htole16(headers->vlan_tci);
		ext->flags |= htole16(ORNIC_CQE_EXT_VLAN);
		ext->sl = headers->vlan_tci >> 13;
	}
}

/* Write the GRH and the payload behind it */
static int ud_write(struct qp *qp, const struct recv_wqe *wqe,
		    const struct packet *pkt, const struct headers *headers)
{
	struct iovec iov[1 + FRAME_IOV_MAX + 2];
	const uint8_t *ip = pkt->frame->hdr + headers->l3_offset;
	uint8_t grh[ORNIC_GRH_SIZE] = {};
	int count;

	if (headers->l3 == 4)
		memcpy(grh + ORNIC_GRH_SIZE - HEADERS_IPV4_LEN, ip, HEADERS_IPV4_LEN);
	else
		memcpy(grh, ip, HEADERS_IPV6_LEN);
	iov[0].iov_base = grh;
	iov[0].iov_len = sizeof(grh);
	count = frame_iov(pkt->frame, pkt->payload, pkt->payload_len, iov + 1,
			  FRAME_IOV_MAX + 2);
	if (count < 0)
		return count;
	return sge_write_wqe(&qp->base, wqe, 0, iov, 1 + count);
}

/*
 * A datagram longer than its receive is dropped silently (IBTA class D). An SRQ
 * has given the WQE away, so it completes (class E). The QP goes on either way.
 */
static void ud_too_long(struct qp *qp, const struct recv_wqe *wqe)
{
	RDMA_STAT_INC(qp->base.card, rx_length_errors);
	if (receiver_has_rq(&qp->base))
		qp->base.rq.next--;
	else
		receiver_fail(&qp->base, wqe->wr_id, ORNIC_WC_LOC_LEN_ERR);
}

void ud_rx(struct qp *qp, const struct packet *pkt, const struct headers *headers)
{
	uint32_t qkey = qp->base.type == ORNIC_QPT_GSI ? QP_GSI_QKEY : qp->attr.qkey;
	unsigned int flags = ORNIC_WC_GRH;
	struct ornic_cqe_ext ext = {};
	struct ornic_cqe cqe = {};
	struct recv_wqe wqe;
	int err;

	/* A wrong Q_Key is dropped silently (IBTA 10.2.5) */
	if (pkt->qkey != qkey) {
		RDMA_STAT_INC(qp->base.card, rx_qkey_errors);
		return;
	}
	err = receiver_take(&qp->base, &wqe);
	if (err == -EAGAIN) {
		RDMA_STAT_INC(qp->base.card, rx_no_wqe);
		return;
	}
	if (err == -EIO) {
		qp_error_event(qp, ORNIC_EVENT_QP_FATAL);
		return;
	}
	if (!err && ORNIC_GRH_SIZE + (uint64_t)pkt->payload_len > wqe.length) {
		ud_too_long(qp, &wqe);
		return;
	}
	if (err)
		err = ORNIC_WC_LOC_QP_OP_ERR;
	else if (ud_write(qp, &wqe, pkt, headers))
		err = ORNIC_WC_LOC_PROT_ERR;
	if (err) {
		receiver_fail(&qp->base, wqe.wr_id, err);
		qp_error(qp);
		return;
	}

	RDMA_STAT_INC(qp->base.card, rx_sends);
	if (headers->l3 == 4)
		flags |= ORNIC_WC_IPV4;
	if (pkt->op->flags & OPCODE_IMMDT) {
		flags |= ORNIC_WC_WITH_IMM;
		cqe.imm = pkt->imm;
	}
	cqe.opcode = htole32(ORNIC_WC_RECV);
	cqe.src_qp = htole32(pkt->sqpn);
	cqe.byte_len = htole32(ORNIC_GRH_SIZE + pkt->payload_len);
	cqe.qpn = htole32(ORNIC_PREP(ORNIC_CQE_FLAGS, flags));
	ud_fill_ext(&ext, pkt->frame, headers);
	receiver_complete(&qp->base, &cqe, wqe.wr_id, &ext, pkt->solicited);
}
