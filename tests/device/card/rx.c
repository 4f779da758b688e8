// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The port of the card: receiving, from the wire and from its own QPs */
#include <errno.h>
#include <string.h>

#include "base/be.h"
#include "base/gid.h"
#include "base/state.h"
#include "card/rx.h"
#include "eth/eth_recv.h"
#include "eth/eth_rx.h"
#include "eth/ethport.h"
#include "eth/flow.h"
#include "eth/headers.h"
#include "roce/mcast.h"
#include "roce/roce_rx.h"
#include "roce/trace_packet.h"

/*
 * Process a RoCEv2 packet to one of the card's GIDs or groups ([ORNIC-WIRE-9]).
 * accepted: the port's filter passes the frame. Return: whether the frame is one.
 */
static bool rx_roce(struct card *card, const struct frame *frame,
		    const struct headers *headers, bool accepted)
{
	uint16_t vlan_id = headers_vlan_id(headers);
	const struct mcast_group *group;
	uint8_t gid[GID_LEN];
	int index;

	if (!headers_is_roce(frame, headers))
		return false;
	headers_gid(frame, headers, false, gid);
	if (frame->hdr[0] & 1) {
		group = mcast_find(card, gid, frame->hdr);
		if (!group || !gid_has_vlan(&card->gids, vlan_id))
			return false;
		roce_rx_mcast(card, frame, headers, group);
		return true;
	}
	if (!memcmp(frame->hdr, card->port.mac, MAC_LEN))
		index = gid_find(&card->gids, gid, vlan_id);
	else if (accepted)
		index = gid_find_smac(&card->gids, gid, vlan_id, frame->hdr);
	else
		index = -ENOENT;
	if (index < 0)
		return false;
	roce_rx(card, frame, headers, index);
	return true;
}

static void rx_count(struct card *card, const struct frame *frame)
{
	static const uint8_t broadcast[MAC_LEN] = { 0xff, 0xff, 0xff,
						    0xff, 0xff, 0xff };

	PORT_STAT_ADD(card, rx_frames, frame_packets(frame));
	PORT_STAT_ADD(card, rx_bytes, frame_wire_len(frame));
	if (!memcmp(frame->hdr, broadcast, MAC_LEN))
		PORT_STAT_INC(card, rx_broadcast);
	else if (frame->hdr[0] & 1)
		PORT_STAT_INC(card, rx_multicast);
}

/*
 * Offer a frame that is not RoCE for this card to the flow rules, then to the
 * port's own queues. accepted: the port's filter passes the frame. stack: the
 * host's network stack sent it.
 *
 * Return: whether the frame has a receiver.
 */
static bool rx_eth(struct card *card, const struct frame *frame,
		   struct headers *headers, bool accepted, bool stack)
{
	enum flow_verdict verdict = FLOW_PASSED;

	if (!eth_valid(card, frame)) {
		if (accepted)
			PORT_STAT_INC(card, rx_dropped_malformed);
		return accepted;
	}
	if (card->flow_table.ingress)
		verdict = flow_rx(card, frame, headers, stack);
	if (verdict == FLOW_TOOK)
		return true;
	if (accepted)
		eth_rx(card, frame, headers);
	return accepted || verdict == FLOW_COPIED;
}

static CARD_RARE void rx_show(struct card *card, const struct frame *frame, struct headers *headers)
{
	if (card_hooked(card, CARD_TRACED))
		trace_packet(card, frame, headers, TRACE_IN);
	if (card_hooked(card, CARD_SNIFFERS))
		flow_sniff(card, frame, headers);
}

bool rx_frame(struct card *card, const struct frame *frame)
{
	struct headers headers;
	bool accepted;

	if (!card_works(card) || !ethport_running(card))
		return false;
	if (frame->hdr_len < HEADERS_ETH_LEN) {
		PORT_STAT_INC(card, rx_dropped_malformed);
		return false;
	}
	headers_init(&headers, card->parse);
	if (card_hooked(card, CARD_SNIFFERS | CARD_TRACED))
		rx_show(card, frame, &headers);
	accepted = ethport_accepts(card, frame->hdr);
	if (!accepted && !mcast_accepts(card, frame->hdr) &&
	    !card->flow_table.ingress) {
		PORT_STAT_INC(card, rx_dropped_filter);
		return false;
	}
	headers_need(frame, &headers);
	if (rx_roce(card, frame, &headers, accepted) ||
	    rx_eth(card, frame, &headers, accepted, false)) {
		rx_count(card, frame);
		return true;
	}
	PORT_STAT_INC(card, rx_dropped_filter);
	return false;
}

static void rx_loop_roce(struct card *card, const struct frame *frame,
			 struct headers *headers)
{
	if (!ethport_running(card))
		return;
	headers_need(frame, headers);
	rx_roce(card, frame, headers, false);
}

static void rx_loop_eth(struct card *card, const struct frame *frame,
			struct headers *headers, bool stack)
{
	bool accepted = !stack && ethport_accepts(card, frame->hdr);

	headers_need(frame, headers);
	if ((!stack && rx_roce(card, frame, headers, accepted)) ||
	    rx_eth(card, frame, headers, accepted, stack)) {
		rx_count(card, frame);
		PORT_STAT_INC(card, tx_looped);
	}
}

void rx_init(struct card *card)
{
	card->loop_roce = rx_loop_roce;
	card->loop_eth = rx_loop_eth;
	card->trace_packet = trace_packet;
}
