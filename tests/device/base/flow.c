// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Header parser: finds the headers of a frame */
#include <string.h>

#include "base/flow.h"

#define FLOW_ETHERTYPE_OFFSET 12
#define FLOW_ETHERTYPE_IPV4 0x0800
#define FLOW_ETHERTYPE_IPV6 0x86dd
#define FLOW_ETHERTYPE_VLAN 0x8100
#define FLOW_TCP_LEN 20

/* More Fragments flag and fragment offset */
#define FLOW_IPV4_FRAGMENT 0x3fff
#define FLOW_IPV4_FRAGMENT_OFFSET 0x1fff
#define FLOW_IPV6_FRAGMENT_OFFSET 0xfff8

/* Extension headers of IPv6 (RFC 8200, RFC 4302) */
#define FLOW_IPV6_HOP_BY_HOP 0
#define FLOW_IPV6_ROUTING 43
#define FLOW_IPV6_FRAGMENT 44
#define FLOW_IPV6_AUTHENTICATION 51
#define FLOW_IPV6_NO_NEXT 59
#define FLOW_IPV6_DESTINATION 60

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

/*
 * Skip the extension headers of IPv6. Return: whether all of them were seen. The
 * header of @proto is then at @offset; in fragments but the first there is none.
 */
static bool flow_skip_extensions(const struct frame *frame, unsigned int *proto,
				 unsigned int *offset)
{
	const uint8_t *header = frame->hdr + *offset;

	for (; *offset + 8 <= frame->hdr_len; header = frame->hdr + *offset) {
		switch (*proto) {
		case FLOW_IPV6_HOP_BY_HOP:
		case FLOW_IPV6_ROUTING:
		case FLOW_IPV6_DESTINATION:
			*offset += (header[1] + 1) * 8;
			break;
		case FLOW_IPV6_AUTHENTICATION:
			*offset += (header[1] + 2) * 4;
			break;
		case FLOW_IPV6_FRAGMENT:
			if (flow_get16(header + 2) & FLOW_IPV6_FRAGMENT_OFFSET) {
				*proto = FLOW_IPV6_NO_NEXT;
				return true;
			}
			*offset += 8;
			break;
		default:
			return true;
		}
		*proto = header[0];
	}
	/* No UDP header fits behind the end of the frame */
	return *offset + 8 > frame_len(frame);
}

bool flow_may_reach_udp(const struct frame *frame, const struct flow *flow,
			unsigned int port)
{
	const uint8_t *ip = frame->hdr + flow->l3_offset;
	unsigned int offset = flow->l3_offset;
	unsigned int proto;

	if (flow->l3 == 4) {
		offset += (ip[0] & 0xf) * 4;
		proto = ip[9];
		if (flow_get16(ip + 6) & FLOW_IPV4_FRAGMENT_OFFSET)
			return false;
	} else if (flow->l3 == 6) {
		offset += FLOW_IPV6_LEN;
		proto = ip[6];
		if (!flow_skip_extensions(frame, &proto, &offset))
			return true;
	} else {
		return false;
	}
	return proto == FLOW_PROTO_UDP &&
	       offset + FLOW_UDP_LEN <= frame->hdr_len &&
	       flow_get16(frame->hdr + offset + 2) == port;
}
