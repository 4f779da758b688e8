// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RAW_PACKET engine: transmit */
#include <errno.h>
#include <string.h>

#include "base/be.h"
#include "base/run.h"
#include "base/state.h"
#include "eth/csum.h"
#include "eth/eth.h"
#include "eth/eth_tx.h"
#include "eth/ethport.h"
#include "eth/flow.h"
#include "eth/tso.h"
#include "eth/tx.h"
#include "queues/qp.h"
#include "queues/sge.h"
#include "queues/sq.h"

_Static_assert(ETH_OVERHEAD + ETHPORT_MTU_MAX <= BOUNCE_SIZE,
	       "a frame fits a bounce piece");

/* Largest data of a frame, bytes; an inserted VLAN tag is not part of the data */
static uint32_t eth_tx_max(const struct card *card, const struct send_wqe *wqe)
{
	uint32_t max = card->port.mtu + ETH_OVERHEAD;

	if (le16toh(wqe->eth.flags) & ORNIC_ETH_TX_VLAN_INSERT)
		max -= HEADERS_VLAN_LEN;
	return max;
}

static enum ornic_wc_status eth_check_frame(const struct card *card,
					    const struct send_wqe *wqe)
{
	unsigned int flags = le16toh(wqe->eth.flags);
	unsigned int start = le16toh(wqe->eth.csum_start);
	unsigned int field = start + le16toh(wqe->eth.csum_offset);

	if (wqe->length < HEADERS_ETH_LEN || wqe->length > eth_tx_max(card, wqe))
		return ORNIC_WC_LOC_LEN_ERR;
	if (flags & ORNIC_ETH_TX_L4_CSUM && field + 2 > wqe->length)
		return ORNIC_WC_LOC_QP_OP_ERR;
	return ORNIC_WC_SUCCESS;
}

static enum ornic_wc_status eth_check_tso(const struct card *card,
					  const struct send_wqe *wqe)
{
	unsigned int hdr_len = le16toh(wqe->eth.hdr_len);
	unsigned int mss = le16toh(wqe->eth.mss);

	if (!mss || !tso_valid(wqe->data, hdr_len))
		return ORNIC_WC_LOC_QP_OP_ERR;
	if (!wqe->length || wqe->length > CARD_MAX_TSO ||
	    hdr_len + mss > eth_tx_max(card, wqe))
		return ORNIC_WC_LOC_LEN_ERR;
	return ORNIC_WC_SUCCESS;
}

static bool eth_is_tso(const struct send_wqe *wqe)
{
	return wqe->opcode == ORNIC_WR_TSO;
}

static enum ornic_wc_status eth_check(const struct card *card,
				      const struct send_wqe *wqe)
{
	return eth_is_tso(wqe) ? eth_check_tso(card, wqe) :
				 eth_check_frame(card, wqe);
}

/**
 * struct eth_part - part of a WQE that the next frame carries
 * @hdr_len: TSO: bytes of the headers, which are in the WQE; otherwise 0
 * @segment: payload of the frame; without TSO, all data of the WQE
 */
struct eth_part {
	uint32_t hdr_len;
	struct tso_segment segment;
};

/* Return: false when no part is left, because the host has shortened the WQE */
static bool eth_next_part(const struct qp *qp, const struct send_wqe *wqe,
			  struct eth_part *part)
{
	struct tso_segment *segment = &part->segment;

	part->hdr_len = 0;
	segment->offset = 0;
	segment->total = wqe->length;
	segment->mss = wqe->length;
	if (eth_is_tso(wqe)) {
		part->hdr_len = le16toh(wqe->eth.hdr_len);
		segment->offset = qp->tso_sent;
		segment->mss = le16toh(wqe->eth.mss);
	}
	if (segment->offset >= segment->total)
		return false;
	segment->len = segment->total - segment->offset;
	if (segment->len > segment->mss)
		segment->len = segment->mss;
	return true;
}

/* The host has put the sum of the pseudo header into the field ([ORNIC-SQ-21]) */
static void eth_tx_csum(const struct send_wqe *wqe, uint8_t *packet)
{
	unsigned int start = le16toh(wqe->eth.csum_start);
	struct csum csum = {};

	csum_add(&csum, packet + start, wqe->length - start);
	be_put16(packet + start + le16toh(wqe->eth.csum_offset),
		   csum_field(csum_fold(&csum)));
}

/*
 * Lay out the packet in the frame: the first bytes in hdr, the rest as payload
 * in the bounce piece.
 */
static void eth_tx_frame(struct frame *frame, const struct send_wqe *wqe,
			 const uint8_t *packet, uint32_t len)
{
	uint32_t room = FRAME_HDR_MAX;
	uint8_t *hdr = frame->hdr;

	if (le16toh(wqe->eth.flags) & ORNIC_ETH_TX_VLAN_INSERT) {
		memcpy(hdr, packet, ETH_MACS_LEN);
		be_put16(hdr + ETH_MACS_LEN, HEADERS_ETHERTYPE_VLAN);
		be_put16(hdr + ETH_MACS_LEN + 2, le16toh(wqe->eth.vlan_tci));
		hdr += ETH_MACS_LEN + HEADERS_VLAN_LEN;
		room -= ETH_MACS_LEN + HEADERS_VLAN_LEN;
		packet += ETH_MACS_LEN;
		len -= ETH_MACS_LEN;
	}
	if (room > len)
		room = len;
	memcpy(hdr, packet, room);
	frame->hdr_len = hdr + room - frame->hdr;
	/* Cannot fail: one piece always has room */
	frame_add(frame, packet + room, len - room);
}

/* Build the frame for a part of a WQE */
static enum ornic_wc_status eth_tx_part(struct qp *qp,
					const struct send_wqe *wqe,
					const struct eth_part *part,
					struct frame *frame,
					struct headers *headers)
{
	const struct tso_segment *segment = &part->segment;
	bool tso = eth_is_tso(wqe);
	uint8_t *packet;

	/* Copy, because the guest may reuse its buffer when it sees the completion */
	packet = bounce_take(&qp->base.card->bounce);
	if (wqe->flags & ORNIC_SEND_INLINE)
		memcpy(packet, wqe->data, wqe->length);
	else if (sge_read(&qp->base, wqe->sge, wqe->sge_count, segment->offset,
			  packet + part->hdr_len, segment->len))
		return ORNIC_WC_LOC_PROT_ERR;
	if (tso) {
		memcpy(packet, wqe->data, part->hdr_len);
		tso_patch(packet, part->hdr_len, segment);
	} else if (le16toh(wqe->eth.flags) & ORNIC_ETH_TX_L4_CSUM) {
		eth_tx_csum(wqe, packet);
	}
	eth_tx_frame(frame, wqe, packet, part->hdr_len + segment->len);
	if (tso || wqe->flags & ORNIC_SEND_IP_CSUM) {
		headers_need(frame, headers);
		csum_fill(frame, headers);
	}
	return ORNIC_WC_SUCCESS;
}

/* Return: true when the QP must wait; its timer then makes it ready */
static bool eth_paced(struct qp *qp, const struct send_wqe *wqe,
		      const struct eth_part *part)
{
	uint32_t bytes = part->hdr_len + part->segment.len;
	struct env *env = qp->base.card->env;
	uint64_t wait_ns;

	if (!qp->pace.rate)
		return false;
	if (le16toh(wqe->eth.flags) & ORNIC_ETH_TX_VLAN_INSERT)
		bytes += HEADERS_VLAN_LEN;
	wait_ns = pace_wait(&qp->pace, bytes, env_now_ns(env));
	if (wait_ns)
		env_timer_arm(env, &qp->base.timer, env_now_ns(env) + wait_ns);
	return wait_ns;
}

/*
 * Does a frame loop back to QPs of its own port? Frames of the host's network
 * stack (kernel QPs) loop back to flow rules only ([ORNIC-LOOP-3]).
 */
static bool eth_tx_loops(const struct qp *qp, const uint8_t *dmac)
{
	const struct card *card = qp->base.card;
	bool stack = qp_is_kernel(qp);

	if (stack && !card->flow_table.ingress)
		return false;
	return dmac[0] & 1 ||
	       (!stack && !memcmp(dmac, card->port.mac, MAC_LEN)) ||
	       (card->flow_table.ingress && flow_has_mac(card, dmac, stack));
}

/*
 * Would receivers take the frame for a RoCE packet whose source is not in the
 * GID table, although sources are checked ([ORNIC-DEV-19])?
 */
static bool eth_forges_roce(const struct card *card, const struct frame *frame,
			    struct headers *headers)
{
	uint8_t gid[GID_LEN];

	if (!card->spoofcheck.on)
		return false;
	headers_need(frame, headers);
	/* Other receivers than this card take it with options and after reassembly */
	if (!headers_may_reach_udp(frame, headers, HEADERS_ROCE_PORT))
		return false;
	/* RoCE has at most one tag, and may have no fragment ([ORNIC-WIRE-1]) */
	if (!headers_is_plain(headers) || !headers->l3)
		return true;
	headers_gid(frame, headers, true, gid);
	return gid_find(&card->gids, gid, headers_vlan_id(headers)) < 0;
}

/* Every frame of a RAW_PACKET QP leaves through here. QP states may change. */
static void eth_send(struct qp *qp, struct frame *frame, struct headers *headers)
{
	struct card *card = qp->base.card;

	if (eth_forges_roce(card, frame, headers)) {
		PORT_STAT_INC(card, tx_dropped_spoofed);
		env_frame_free(card->env, frame);
		return;
	}
	if (card->flow_table.egress && flow_tx(qp, frame, headers)) {
		env_frame_free(card->env, frame);
		return;
	}
	if (qp->pace.rate)
		pace_take(&qp->pace, frame_len(frame), env_now_ns(card->env));
	if (eth_tx_loops(qp, frame->hdr) && ethport_running(card)) {
		card->loop_eth(card, frame, headers, qp_is_kernel(qp));
		/* A unicast frame that was looped back is not sent ([ORNIC-LOOP-1]) */
		if (!(frame->hdr[0] & 1)) {
			if (card->flow_table.sniffers)
				flow_sniff(card, frame, headers);
			env_frame_free(card->env, frame);
			return;
		}
	}
	tx_send(card, frame, headers);
}

/* Finish a WQE. A failure affects only this WQE ([ORNIC-QP-8], [ORNIC-SQ-20]). */
static void eth_tx_done(struct qp *qp, const struct send_wqe *wqe,
			enum ornic_wc_status status)
{
	if (status)
		PORT_STAT_INC(qp->base.card, tx_errors);
	qp->tso_sent = 0;
	qp->sq.next += wqe->slots;
	sq_complete(qp, wqe, status, 0);
}

/*
 * Send the next frame.
 *
 * Return: 0; -EAGAIN when no frame is free; -EBUSY when the rate limit or a
 * full port delays the frame.
 */
static int eth_tx_one(struct qp *qp)
{
	enum ornic_wc_status status;
	struct send_wqe wqe;
	struct headers headers;
	struct eth_part part;
	struct frame *frame;

	status = sq_read(qp, qp->sq.next, &wqe);
	if (!status)
		status = eth_check(qp->base.card, &wqe);
	if (status || !eth_next_part(qp, &wqe, &part)) {
		eth_tx_done(qp, &wqe, status);
		return 0;
	}
	if (eth_paced(qp, &wqe, &part))
		return -EBUSY;
	frame = env_frame_alloc(qp->base.card->env);
	if (!frame)
		return -EAGAIN;
	headers_init(&headers, qp->base.card->parse);
	status = eth_tx_part(qp, &wqe, &part, frame, &headers);
	if (status) {
		env_frame_free(qp->base.card->env, frame);
		eth_tx_done(qp, &wqe, status);
		return 0;
	}
	/* A frame waits before a full port ([ORNIC-WIRE-6]) */
	if (env_path_is_full(qp->base.card->env, frame->hdr)) {
		env_frame_free(qp->base.card->env, frame);
		run_block(qp->base.card, &qp->base.run);
		return -EBUSY;
	}
	eth_send(qp, frame, &headers);
	qp->tso_sent = part.segment.offset + part.segment.len;
	if (qp->tso_sent == part.segment.total)
		eth_tx_done(qp, &wqe, ORNIC_WC_SUCCESS);
	return 0;
}

/*
 * Checked for each frame: a frame that loops back may change the QP's state. In
 * SQD only a WQE that has begun continues ([ORNIC-SQ-32]).
 */
static bool eth_has_work(const struct qp *qp)
{
	return !sq_empty(&qp->sq) &&
	       (qp->base.state == ORNIC_QPS_RTS ||
		(qp->base.state == ORNIC_QPS_SQD && qp->tso_sent));
}

bool eth_tx(struct qp *qp, unsigned int budget)
{
	uint64_t sent = qp->base.tx_bytes;

	while (eth_has_work(qp)) {
		if (!budget-- || qp_turn_over(qp, sent))
			return true;
		switch (eth_tx_one(qp)) {
		case -EAGAIN:
			return true;
		case -EBUSY:
			return false;
		}
	}
	if (qp->base.state == ORNIC_QPS_SQD)
		qp_drained(qp);
	return false;
}
