// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RoCE packets of all QPs: dispatch of received ones */
#include "base/be.h"
#include "eth/csum.h"
#include "eth/headers.h"
#include "roce/comp.h"
#include "roce/mcast.h"
#include "roce/path.h"
#include "roce/resp.h"
#include "roce/roce.h"
#include "roce/roce_rx.h"
#include "roce/ud.h"

/* Is the packet a response, that is, for the requester? */
static bool roce_is_answer(const struct packet *pkt)
{
	return pkt->op->kind == OPCODE_ACK || pkt->op->kind == OPCODE_READ_RESP ||
	       pkt->op->kind == OPCODE_ATOMIC_ACK;
}

/* This card is a full member of the default partition, the peer perhaps not (IBTA 10.9.3) */
static bool roce_pkey_matches(const struct packet *pkt)
{
	return (pkt->pkey | PKEY_FULL) == PKEY_DEFAULT;
}

/* Find the QP of a packet. Return: NULL when type or state do not fit. */
static struct qp *roce_find(struct card *card, const struct packet *pkt)
{
	struct qp *qp;

	if (pkt->dqpn == QP_GSI_QPN) {
		qp = card->gsi;
	} else {
		qp = qp_find(card, pkt->dqpn);
		/* On the wire only QPN 1 names the GSI */
		if (qp && qp->base.type == ORNIC_QPT_GSI)
			return NULL;
	}
	if (!qp || !receiver_receives(&qp->base) || qp->base.type == ORNIC_QPT_RAW_PACKET ||
	    pkt->op->transport != roce_transport(qp))
		return NULL;
	/* XRC_RECV takes requests only, XRC_SEND responses ([ORNIC-XRC-3]) */
	if (qp->base.type == (roce_is_answer(pkt) ? ORNIC_QPT_XRC_RECV :
					       ORNIC_QPT_XRC_SEND))
		return NULL;
	return qp;
}

static void roce_rx_connected(struct qp *qp, const struct packet *pkt)
{
	if (roce_is_answer(pkt)) {
		if (qp_sends(qp))
			comp_rx(qp, pkt);
		return;
	}
	resp_rx(qp, pkt);
}

/*
 * Do the lengths of Ethernet, IP and UDP fit each other ([ORNIC-WIRE-11]), and is
 * the checksum of the IPv4 header right ([ORNIC-WIRE-12])?
 */
static bool roce_is_whole(const struct frame *frame,
			  const struct headers *headers)
{
	const uint8_t *udp = frame->hdr + headers->l4_offset;

	return frame->flags & FRAME_LOCAL ||
	       (csum_ip_ok(frame, headers) && !headers->cut &&
		headers->l4_offset + be_get16(udp + 4) == headers->l3_end);
}

/* Parse, and count what is invalid. Return: whether the packet is valid. */
static bool roce_parse(struct card *card, struct packet *pkt,
		       const struct frame *frame,
		       const struct headers *headers)
{
	if (!roce_is_whole(frame, headers)) {
		RDMA_STAT_INC(card, rx_malformed);
		return false;
	}
	switch (packet_parse(pkt, frame, headers->l3_offset,
			     headers->l4_offset + HEADERS_UDP_LEN)) {
	case PACKET_OK:
		break;
	case PACKET_MALFORMED:
		RDMA_STAT_INC(card, rx_malformed);
		return false;
	case PACKET_BAD_ICRC:
		RDMA_STAT_INC(card, rx_icrc_errors);
		return false;
	}
	/* The peer's congestion control asks for a lower rate; this card has none */
	if (pkt->op->kind == OPCODE_NOTIFICATION) {
		RDMA_STAT_INC(card, rx_cnps);
		return false;
	}
	return true;
}

/* Count a valid packet. @set: of its QP, or 0 if it has none, or several ([ORNIC-DEV-20]) */
static void roce_count(struct card *card, const struct packet *pkt, uint32_t set)
{
	SET_STAT_ADD(card, set, rx_packets, pkt->npkts);
	SET_STAT_ADD(card, set, rx_bytes, pkt->payload_len);
}

void roce_rx_soon(struct card *card, const struct frame *frame)
{
	/* The number is not compared: that would wait for the object */
	const struct obj *obj = obj_at(&card->qps, frame->hint);

	if (obj)
		qp_prefetch_receive(container_of(obj, struct qp, base.obj));
}

void roce_rx_mcast(struct card *card, const struct frame *frame,
		   const struct headers *headers,
		   const struct mcast_group *group)
{
	const struct list_head *pos;
	struct packet pkt;
	struct qp *qp;

	if (!roce_parse(card, &pkt, frame, headers))
		return;
	roce_count(card, &pkt, 0);
	if (pkt.dqpn != MCAST_QPN || pkt.op->transport != OPCODE_UD) {
		RDMA_STAT_INC(card, rx_unknown_qp);
		return;
	}
	if (!roce_pkey_matches(&pkt)) {
		RDMA_STAT_INC(card, rx_wrong_path);
		return;
	}
	list_for_each(pos, &group->members) {
		qp = list_entry(pos, struct mcast_member, node)->qp;
		if (!receiver_receives(&qp->base))
			continue;
		card->budget.work += CARD_RUN_COPY;
		ud_rx(qp, &pkt, headers);
	}
}

void roce_rx(struct card *card, const struct frame *frame,
	     const struct headers *headers, unsigned int sgid_index)
{
	struct packet pkt;
	struct qp *qp;

	if (!roce_parse(card, &pkt, frame, headers))
		return;
	qp = roce_find(card, &pkt);
	if (!qp) {
		roce_count(card, &pkt, 0);
		RDMA_STAT_INC(card, rx_unknown_qp);
		return;
	}
	if (!roce_pkey_matches(&pkt) ||
	    (qp_is_connected(qp) &&
	     !path_accept(qp, &pkt, headers, sgid_index))) {
		roce_count(card, &pkt, 0);
		RDMA_STAT_INC(card, rx_wrong_path);
		return;
	}
	roce_count(card, &pkt, qp->base.stat_set);
	if (qp_is_connected(qp))
		roce_rx_connected(qp, &pkt);
	else
		ud_rx(qp, &pkt, headers);
}
