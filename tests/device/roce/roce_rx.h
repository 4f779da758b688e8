/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RoCE packets of all QPs: receiving */
#ifndef ORNIC_DEVICE_ROCE_RX_H
#define ORNIC_DEVICE_ROCE_RX_H

struct card;
struct frame;
struct headers;
struct mcast_group;

/**
 * roce_rx - receive a RoCEv2 packet to a GID of the card
 * @card: the card
 * @frame: Ethernet (with or without VLAN tag), IPv4 or IPv6 without extension
 *	headers, UDP to port 4791, to the port's MAC and an address and VLAN in
 *	the GID table; all of these headers are in @frame->hdr and consistent in
 *	length, unless it is FRAME_LOCAL. Everything behind UDP is unchecked
 * @headers: its headers
 * @sgid_index: GID table index of the destination
 */
void roce_rx(struct card *card, const struct frame *frame,
	     const struct headers *headers, unsigned int sgid_index);

/**
 * roce_rx_soon - begin to load the QP of a packet that roce_rx() gets soon
 * @card: the card
 * @frame: FRAME_LOCAL
 */
void roce_rx_soon(struct card *card, const struct frame *frame);

/**
 * roce_rx_mcast - receive a RoCEv2 packet to a multicast group
 * @card: the card
 * @frame: as for roce_rx(), but to the MAC and address of @group
 * @headers: its headers
 * @group: the group
 */
void roce_rx_mcast(struct card *card, const struct frame *frame,
		   const struct headers *headers,
		   const struct mcast_group *group);

#endif /* ORNIC_DEVICE_ROCE_RX_H */
