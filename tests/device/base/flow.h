/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Header parser: finds the Ethernet, VLAN, IP and L4 headers of a frame, for
 * the receive path and checksums. flow_key.h reads the fields of headers.
 */
#ifndef ORNIC_DEVICE_FLOW_H
#define ORNIC_DEVICE_FLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/gid.h"
#include "env/frame.h"

#define FLOW_ETH_LEN 14
#define FLOW_VLAN_LEN 4
#define FLOW_IPV4_LEN 20
#define FLOW_IPV6_LEN 40
#define FLOW_UDP_LEN 8
#define FLOW_PROTO_TCP 6
#define FLOW_PROTO_UDP 17
#define FLOW_VLAN_ID 0x0fff
#define FLOW_ROCE_PORT 4791

/**
 * struct flow - locations of the headers of a frame
 * @tagged: the frame has a VLAN tag
 * @vlan_tci: the tag
 * @l3: 4 or 6; 0: not IP, or its lengths do not fit the frame
 * @l3_offset: offset of the IP header
 * @l3_end: end of the IP packet, which Ethernet may pad; with FRAME_LOCAL the
 *	end of the frame
 * @options: IPv4 header with options
 * @l4: FLOW_PROTO_*, or 0: another protocol, a fragment, an incomplete header
 *	or a UDP length that leaves no room for the header
 * @l4_offset: offset of the L4 header
 */
struct flow {
	bool tagged;
	uint16_t vlan_tci;
	uint8_t l3;
	uint16_t l3_offset;
	uint64_t l3_end;
	bool options;
	uint8_t l4;
	uint16_t l4_offset;
};

/**
 * flow_dissect - find the headers
 * @frame: at least FLOW_ETH_LEN bytes, in @frame->hdr
 * @flow: filled
 */
void flow_dissect(const struct frame *frame, struct flow *flow);

/**
 * flow_may_reach_udp - check for a UDP port as a host's IP stack would
 * @frame: the frame
 * @flow: its headers
 * @port: a destination port
 *
 * Looks behind options of IPv4 and extension headers of IPv6, and into the first
 * of several fragments, too.
 *
 * Return: whether the packet is for @port. True, too, if its extension headers
 * are longer than @frame->hdr.
 */
bool flow_may_reach_udp(const struct frame *frame, const struct flow *flow,
			unsigned int port);

/* Big-endian fields at any alignment */

static inline uint16_t flow_get16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static inline void flow_put16(uint8_t *p, uint16_t val)
{
	p[0] = val >> 8;
	p[1] = val;
}

/* Is the frame a RoCEv2 packet to a host that takes no IP options? */
static inline bool flow_is_roce(const struct frame *frame,
				const struct flow *flow)
{
	return flow->l4 == FLOW_PROTO_UDP && !flow->options &&
	       flow_get16(frame->hdr + flow->l4_offset + 2) == FLOW_ROCE_PORT;
}

/* VLAN ID 0 marks a priority tag, which names no VLAN */
static inline uint16_t flow_vlan_id(const struct flow *flow)
{
	uint16_t vlan_id = flow->vlan_tci & FLOW_VLAN_ID;

	return vlan_id ? vlan_id : GID_NO_VLAN;
}

/* The source or the destination of an IP packet as a GID */
static inline void flow_gid(const struct frame *frame, const struct flow *flow,
			    bool source, uint8_t *gid)
{
	const uint8_t *ip = frame->hdr + flow->l3_offset;

	if (flow->l3 == 4)
		gid_from_ipv4(gid, ip + (source ? 12 : 16));
	else
		memcpy(gid, ip + (source ? 8 : 24), GID_LEN);
}

#endif /* ORNIC_DEVICE_FLOW_H */
