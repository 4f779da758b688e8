// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Header parser: finds the headers of a frame */
#include <string.h>

#include "flow.h"

#define FLOW_ETHERTYPE_OFFSET 12
#define FLOW_ETHERTYPE_IPV4 0x0800
#define FLOW_ETHERTYPE_IPV6 0x86dd
#define FLOW_ETHERTYPE_VLAN 0x8100
#define FLOW_TCP_LEN 20

/* More Fragments flag and fragment offset */
#define FLOW_IPV4_FRAGMENT 0x3fff

static void flow_l4(const struct frame *frame, struct flow *flow,
		    unsigned int proto, unsigned int offset)
{
	unsigned int len;

	if (proto == FLOW_PROTO_TCP)
		len = FLOW_TCP_LEN;
	else if (proto == FLOW_PROTO_UDP)
		len = FLOW_UDP_LEN;
	else
		return;
	if (offset + len > frame->hdr_len || offset + len > flow->l3_end)
		return;
	if (proto == FLOW_PROTO_UDP && !(frame->flags & FRAME_LOCAL) &&
	    flow_get16(frame->hdr + offset + 4) < FLOW_UDP_LEN)
		return;
	flow->l4 = proto;
	flow->l4_offset = offset;
}

/* The length fields of a FRAME_LOCAL frame have no meaning */
static bool flow_set_end(const struct frame *frame, struct flow *flow,
			 unsigned int len, unsigned int min)
{
	flow->l3_end = flow->l3_offset + len;
	if (frame->flags & FRAME_LOCAL) {
		flow->l3_end = frame_len(frame);
		return true;
	}
	return len >= min && flow->l3_end <= frame_len(frame);
}

static void flow_ipv4(const struct frame *frame, struct flow *flow)
{
	const uint8_t *ip = frame->hdr + flow->l3_offset;
	unsigned int ihl;

	if (flow->l3_offset + FLOW_IPV4_LEN > frame->hdr_len || ip[0] >> 4 != 4)
		return;
	ihl = (ip[0] & 0xf) * 4;
	if (ihl < FLOW_IPV4_LEN || flow->l3_offset + ihl > frame->hdr_len ||
	    !flow_set_end(frame, flow, flow_get16(ip + 2), ihl))
		return;
	flow->l3 = 4;
	flow->options = ihl > FLOW_IPV4_LEN;
	if (!(flow_get16(ip + 6) & FLOW_IPV4_FRAGMENT))
		flow_l4(frame, flow, ip[9], flow->l3_offset + ihl);
}

static void flow_ipv6(const struct frame *frame, struct flow *flow)
{
	const uint8_t *ip = frame->hdr + flow->l3_offset;

	if (flow->l3_offset + FLOW_IPV6_LEN > frame->hdr_len ||
	    ip[0] >> 4 != 6 ||
	    !flow_set_end(frame, flow, FLOW_IPV6_LEN + flow_get16(ip + 4),
			  FLOW_IPV6_LEN))
		return;
	flow->l3 = 6;
	/* L4 behind extension headers is not looked for */
	flow_l4(frame, flow, ip[6], flow->l3_offset + FLOW_IPV6_LEN);
}

void flow_dissect(const struct frame *frame, struct flow *flow)
{
	unsigned int offset = FLOW_ETHERTYPE_OFFSET;
	unsigned int type;

	memset(flow, 0, sizeof(*flow));
	type = flow_get16(frame->hdr + offset);
	if (type == FLOW_ETHERTYPE_VLAN &&
	    frame->hdr_len >= FLOW_ETH_LEN + FLOW_VLAN_LEN) {
		flow->tagged = true;
		flow->vlan_tci = flow_get16(frame->hdr + offset + 2);
		offset += FLOW_VLAN_LEN;
		type = flow_get16(frame->hdr + offset);
	}
	flow->l3_offset = offset + 2;
	if (type == FLOW_ETHERTYPE_IPV4)
		flow_ipv4(frame, flow);
	else if (type == FLOW_ETHERTYPE_IPV6)
		flow_ipv6(frame, flow);
}
