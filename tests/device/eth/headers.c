// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Header parser: finds the headers of a frame, and reads their fields */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "base/be.h"
#include "eth/headers.h"

#define HEADERS_ETHERTYPE_OFFSET 12
#define HEADERS_TCP_LEN 20

/* More Fragments flag and fragment offset */
#define HEADERS_IPV4_FRAGMENT 0x3fff
#define HEADERS_IPV4_FRAGMENT_OFFSET 0x1fff
#define HEADERS_IPV6_FRAGMENT_OFFSET 0xfff8

/* Extension headers of IPv6 (RFC 8200, RFC 4302) */
#define HEADERS_IPV6_HOP_BY_HOP 0
#define HEADERS_IPV6_ROUTING 43
#define HEADERS_IPV6_FRAGMENT 44
#define HEADERS_IPV6_AUTHENTICATION 51
#define HEADERS_IPV6_NO_NEXT 59
#define HEADERS_IPV6_DESTINATION 60

static void headers_l4(const struct frame *frame, struct headers *headers,
		       unsigned int proto, unsigned int offset)
{
	unsigned int len;

	if (proto == HEADERS_PROTO_TCP)
		len = HEADERS_TCP_LEN;
	else if (proto == HEADERS_PROTO_UDP)
		len = HEADERS_UDP_LEN;
	else
		return;
	if (offset + len > frame->hdr_len || offset + len > headers->l3_end)
		return;
	if (proto == HEADERS_PROTO_UDP && !(frame->flags & FRAME_LOCAL) &&
	    be_get16(frame->hdr + offset + 4) < HEADERS_UDP_LEN)
		return;
	headers->l4 = proto;
	headers->l4_offset = offset;
}

/* The length fields of a FRAME_LOCAL frame have no meaning */
static bool headers_set_end(const struct frame *frame, struct headers *headers,
			    unsigned int len, unsigned int min)
{
	headers->l3_end = headers->l3_offset + len;
	if (frame->flags & FRAME_LOCAL) {
		headers->l3_end = frame_len(frame);
		return true;
	}
	return len >= min && headers->l3_end <= frame_len(frame);
}

static void headers_ipv4(const struct frame *frame, struct headers *headers)
{
	const uint8_t *ip = frame->hdr + headers->l3_offset;
	unsigned int ihl;

	if (headers->l3_offset + HEADERS_IPV4_LEN > frame->hdr_len || ip[0] >> 4 != 4)
		return;
	ihl = (ip[0] & 0xf) * 4;
	if (ihl < HEADERS_IPV4_LEN || headers->l3_offset + ihl > frame->hdr_len ||
	    !headers_set_end(frame, headers, be_get16(ip + 2), ihl))
		return;
	headers->l3 = 4;
	headers->options = ihl > HEADERS_IPV4_LEN;
	if (!(be_get16(ip + 6) & HEADERS_IPV4_FRAGMENT))
		headers_l4(frame, headers, ip[9], headers->l3_offset + ihl);
}

static void headers_ipv6(const struct frame *frame, struct headers *headers)
{
	const uint8_t *ip = frame->hdr + headers->l3_offset;

	if (headers->l3_offset + HEADERS_IPV6_LEN > frame->hdr_len ||
	    ip[0] >> 4 != 6 ||
	    !headers_set_end(frame, headers, HEADERS_IPV6_LEN + be_get16(ip + 4),
			  HEADERS_IPV6_LEN))
		return;
	headers->l3 = 6;
	/* L4 behind extension headers is not looked for */
	headers_l4(frame, headers, ip[6], headers->l3_offset + HEADERS_IPV6_LEN);
}

void headers_find(const struct frame *frame, struct headers *headers)
{
	unsigned int offset = HEADERS_ETHERTYPE_OFFSET;
	unsigned int type;

	memset(headers, 0, offsetof(struct headers, fields));
	headers->found = true;
	type = be_get16(frame->hdr + offset);
	if (type == HEADERS_ETHERTYPE_VLAN &&
	    frame->hdr_len >= HEADERS_ETH_LEN + HEADERS_VLAN_LEN) {
		headers->tagged = true;
		headers->vlan_tci = be_get16(frame->hdr + offset + 2);
		offset += HEADERS_VLAN_LEN;
		type = be_get16(frame->hdr + offset);
	}
	headers->l3_offset = offset + 2;
	if (type == HEADERS_ETHERTYPE_IPV4)
		headers_ipv4(frame, headers);
	else if (type == HEADERS_ETHERTYPE_IPV6)
		headers_ipv6(frame, headers);
}

/*
 * Skip the extension headers of IPv6. Return: whether all of them were seen. The
 * header of @proto is then at @offset; in fragments but the first there is none.
 */
static bool headers_skip_extensions(const struct frame *frame, unsigned int *proto,
				    unsigned int *offset)
{
	const uint8_t *header = frame->hdr + *offset;

	for (; *offset + 8 <= frame->hdr_len; header = frame->hdr + *offset) {
		switch (*proto) {
		case HEADERS_IPV6_HOP_BY_HOP:
		case HEADERS_IPV6_ROUTING:
		case HEADERS_IPV6_DESTINATION:
			*offset += (header[1] + 1) * 8;
			break;
		case HEADERS_IPV6_AUTHENTICATION:
			*offset += (header[1] + 2) * 4;
			break;
		case HEADERS_IPV6_FRAGMENT:
			if (be_get16(header + 2) & HEADERS_IPV6_FRAGMENT_OFFSET) {
				*proto = HEADERS_IPV6_NO_NEXT;
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

bool headers_may_reach_udp(const struct frame *frame, const struct headers *headers,
			   unsigned int port)
{
	const uint8_t *ip = frame->hdr + headers->l3_offset;
	unsigned int offset = headers->l3_offset;
	unsigned int proto;

	if (headers->l3 == 4) {
		offset += (ip[0] & 0xf) * 4;
		proto = ip[9];
		if (be_get16(ip + 6) & HEADERS_IPV4_FRAGMENT_OFFSET)
			return false;
	} else if (headers->l3 == 6) {
		offset += HEADERS_IPV6_LEN;
		proto = ip[6];
		if (!headers_skip_extensions(frame, &proto, &offset))
			return true;
	} else {
		return false;
	}
	return proto == HEADERS_PROTO_UDP &&
	       offset + HEADERS_UDP_LEN <= frame->hdr_len &&
	       be_get16(frame->hdr + offset + 2) == port;
}

/* ---- fields of the headers ---- */

#define KEY_TPID_S 0x88a8
#define KEY_ETHERTYPE_MPLS 0x8847
#define KEY_ETHERTYPE_MPLS_MCAST 0x8848
#define KEY_ETHERTYPE_ETH 0x6558	/* RFC 1701: Ethernet in GRE */

#define KEY_PROTO_GRE 47
#define KEY_PROTO_ESP 50

#define KEY_PORT_VXLAN 4789	/* RFC 7348 */
#define KEY_PORT_MPLS 6635	/* RFC 7510 */

#define KEY_VXLAN_LEN 8
#define KEY_VXLAN_VALID 0x08
#define KEY_MPLS_LEN 4
#define KEY_MPLS_BOTTOM 0x01	/* in the third byte */
#define KEY_ESP_LEN 8

#define KEY_IPV6_FRAGMENT 0xfff9

/* RFC 2784, RFC 2890 */
#define KEY_GRE_CSUM 0x8000
#define KEY_GRE_ROUTING 0x4000
#define KEY_GRE_KEY 0x2000
#define KEY_GRE_SEQ 0x1000
#define KEY_GRE_VERSION 0x0007

/**
 * struct reader - read position in the headers
 * @hdr: first byte of the frame
 * @at: next byte, at most @have
 * @have: bytes that can be read
 * @end: end of the packet according to the headers so far; may be beyond @have
 * @ports: enum headers_key_ports read so far
 */
struct reader {
	const uint8_t *hdr;
	unsigned int at;
	unsigned int have;
	uint64_t end;
	unsigned int ports;
};

/* Consume @len bytes. Return: their start, or NULL if not all are there. */
static const uint8_t *reader_take(struct reader *r, unsigned int len)
{
	const uint8_t *p = r->hdr + r->at;

	if (len > r->have - r->at || r->at + len > r->end)
		return NULL;
	r->at += len;
	return p;
}

/*
 * Apply the length @len of the header at @start, which must be at least @min. A
 * length beyond the current end does not move the end ([ORNIC-FLOW-1]).
 */
static bool reader_believe(struct reader *r, unsigned int start,
			   unsigned int len, unsigned int min)
{
	if (len < min)
		return false;
	if (start + len < r->end)
		r->end = start + len;
	return true;
}

/* Return: the Ethertype behind the tags, or 0 */
static unsigned int key_eth(struct reader *r, struct ornic_flow_headers *h)
{
	const uint8_t *p = reader_take(r, HEADERS_ETH_LEN);
	unsigned int type;

	if (!p)
		return 0;
	memcpy(h->dmac, p, sizeof(h->dmac));
	memcpy(h->smac, p + sizeof(h->dmac), sizeof(h->smac));
	type = be_get16(p + HEADERS_ETH_LEN - 2);
	while (type == HEADERS_ETHERTYPE_VLAN || type == KEY_TPID_S) {
		p = reader_take(r, HEADERS_VLAN_LEN);
		if (!p)
			break;
		if (!h->vlan)
			memcpy(&h->vlan_tci, p, sizeof(h->vlan_tci));
		h->vlan = 1;
		type = be_get16(p + 2);
	}
	h->ethertype = htobe16(type);
	return type;
}

/* Return: true when L4 follows */
static bool key_ipv4(struct reader *r, struct ornic_flow_headers *h)
{
	unsigned int start = r->at;
	const uint8_t *ip = reader_take(r, HEADERS_IPV4_LEN);
	unsigned int ihl;

	if (!ip || ip[0] >> 4 != 4)
		return false;
	ihl = (ip[0] & 0xf) * 4;
	if (ihl < HEADERS_IPV4_LEN || !reader_take(r, ihl - HEADERS_IPV4_LEN) ||
	    !reader_believe(r, start, be_get16(ip + 2), ihl))
		return false;
	h->l3 = 4;
	h->tos = ip[1];
	h->ip_flags = ip[6] >> 5;
	h->frag = !!(be_get16(ip + 6) & HEADERS_IPV4_FRAGMENT);
	h->ttl = ip[8];
	h->proto = ip[9];
	memcpy(h->src_ip + 12, ip + HEADERS_IPV4_SRC, 4);
	memcpy(h->dst_ip + 12, ip + HEADERS_IPV4_DST, 4);
	return !h->frag;
}

/* Return: bytes of the extension header at @ext, or 0 when it is none */
static unsigned int key_ipv6_ext_len(unsigned int proto, const uint8_t *ext)
{
	switch (proto) {
	case HEADERS_IPV6_HOP_BY_HOP:
	case HEADERS_IPV6_ROUTING:
	case HEADERS_IPV6_DESTINATION:
	case 135:	/* mobility */
	case 139:	/* HIP */
	case 140:	/* SHIM6 */
		return (ext[1] + 1) * 8;
	case HEADERS_IPV6_FRAGMENT:
		return 8;
	case HEADERS_IPV6_AUTHENTICATION:
		return (ext[1] + 2) * 4;
	default:
		return 0;
	}
}

/* Return: true when L4 follows */
static bool key_ipv6_ext(struct reader *r, struct ornic_flow_headers *h)
{
	const uint8_t *ext;
	unsigned int len;

	/* The loop ends because each extension header consumes bytes of the frame */
	for (;;) {
		struct reader next = *r;

		ext = reader_take(&next, 2);
		len = ext ? key_ipv6_ext_len(h->proto, ext) : 0;
		if (!len)
			return true;
		if (!reader_take(r, len))
			return false;
		if (h->proto == HEADERS_IPV6_FRAGMENT)
			h->frag = !!(be_get16(ext + 2) & KEY_IPV6_FRAGMENT);
		h->proto = ext[0];
		/* The data of a fragment need not begin with an L4 header */
		if (h->frag)
			return false;
	}
}

/* Return: true when L4 follows */
static bool key_ipv6(struct reader *r, struct ornic_flow_headers *h)
{
	unsigned int start = r->at;
	const uint8_t *ip = reader_take(r, HEADERS_IPV6_LEN);
	uint32_t word;

	if (!ip || ip[0] >> 4 != 6 ||
	    !reader_believe(r, start, HEADERS_IPV6_LEN + be_get16(ip + 4),
			    HEADERS_IPV6_LEN))
		return false;
	memcpy(&word, ip, sizeof(word));
	h->l3 = 6;
	h->tos = be32toh(word) >> 20;
	h->flow_label = word & htobe32(0xfffff);
	h->proto = ip[6];
	h->ttl = ip[7];
	memcpy(h->src_ip, ip + HEADERS_IPV6_SRC, sizeof(h->src_ip));
	memcpy(h->dst_ip, ip + HEADERS_IPV6_DST, sizeof(h->dst_ip));
	return key_ipv6_ext(r, h);
}

/* Return: true when L4 follows */
static bool key_ip(struct reader *r, struct ornic_flow_headers *h,
		   unsigned int type)
{
	if (type == HEADERS_ETHERTYPE_IPV4)
		return key_ipv4(r, h);
	return type == HEADERS_ETHERTYPE_IPV6 && key_ipv6(r, h);
}

/*
 * Read the ports of @h, which is @which, and apply the length of UDP.
 *
 * Return: true for UDP with a complete header and a valid length.
 */
static bool key_ports(struct reader *r, struct ornic_flow_headers *h,
		      enum headers_key_ports which)
{
	unsigned int start = r->at;
	const uint8_t *p = NULL;

	if (h->proto == HEADERS_PROTO_TCP)
		p = reader_take(r, HEADERS_TCP_LEN);
	else if (h->proto == HEADERS_PROTO_UDP)
		p = reader_take(r, HEADERS_UDP_LEN);
	if (!p || (h->proto == HEADERS_PROTO_UDP &&
		   !reader_believe(r, start, be_get16(p + 4), HEADERS_UDP_LEN)))
		return false;
	r->ports |= which;
	memcpy(&h->src_port, p, sizeof(h->src_port));
	memcpy(&h->dst_port, p + 2, sizeof(h->dst_port));
	return h->proto == HEADERS_PROTO_UDP;
}

/* Read an encapsulated packet. Encapsulation inside it is ignored. */
static void key_inner(struct reader *r, struct ornic_flow_headers *h,
		      unsigned int type)
{
	if (key_ip(r, h, type))
		key_ports(r, h, HEADERS_KEY_INNER_PORTS);
}

static void key_inner_eth(struct reader *r, struct ornic_flow_headers *h)
{
	key_inner(r, h, key_eth(r, h));
}

static void key_mpls(struct reader *r, struct ornic_flow_key *key)
{
	const uint8_t *label = reader_take(r, KEY_MPLS_LEN);
	struct reader next;

	if (!label)
		return;
	key->layers |= htobe32(ORNIC_FLOW_LAYER_MPLS);
	memcpy(&key->mpls, label, sizeof(key->mpls));
	while (!(label[2] & KEY_MPLS_BOTTOM)) {
		label = reader_take(r, KEY_MPLS_LEN);
		if (!label)
			return;
	}
	/* RFC 4928: the version in the first nibble identifies IP */
	next = *r;
	label = reader_take(&next, 1);
	if (label && label[0] >> 4 == 4)
		key_inner(r, &key->inner, HEADERS_ETHERTYPE_IPV4);
	else if (label && label[0] >> 4 == 6)
		key_inner(r, &key->inner, HEADERS_ETHERTYPE_IPV6);
}

static void key_vxlan(struct reader *r, struct ornic_flow_key *key)
{
	const uint8_t *p = reader_take(r, KEY_VXLAN_LEN);

	if (!p || !(p[0] & KEY_VXLAN_VALID))
		return;
	key->layers |= htobe32(ORNIC_FLOW_LAYER_VXLAN);
	memcpy(&key->vni, p + 4, sizeof(key->vni));
	key->vni = htobe32(be32toh(key->vni) >> 8);
	key_inner_eth(r, &key->inner);
}

static void key_gre(struct reader *r, struct ornic_flow_key *key)
{
	const uint8_t *p = reader_take(r, 4);
	unsigned int flags, proto;

	if (!p)
		return;
	key->layers |= htobe32(ORNIC_FLOW_LAYER_GRE);
	flags = be_get16(p);
	proto = be_get16(p + 2);
	key->gre_flags = htobe16(flags);
	key->gre_proto = htobe16(proto);
	/* Version 1 (RFC 2637) uses the key differently */
	if (flags & (KEY_GRE_ROUTING | KEY_GRE_VERSION) ||
	    (flags & KEY_GRE_CSUM && !reader_take(r, 4)))
		return;
	if (flags & KEY_GRE_KEY) {
		p = reader_take(r, sizeof(key->gre_key));
		if (!p)
			return;
		memcpy(&key->gre_key, p, sizeof(key->gre_key));
	}
	if (flags & KEY_GRE_SEQ && !reader_take(r, 4))
		return;
	if (proto == KEY_ETHERTYPE_ETH)
		key_inner_eth(r, &key->inner);
	else if (proto == KEY_ETHERTYPE_MPLS ||
		 proto == KEY_ETHERTYPE_MPLS_MCAST)
		key_mpls(r, key);
	else
		key_inner(r, &key->inner, proto);
}

static void key_esp(struct reader *r, struct ornic_flow_key *key)
{
	const uint8_t *p = reader_take(r, KEY_ESP_LEN);

	if (!p)
		return;
	key->layers |= htobe32(ORNIC_FLOW_LAYER_ESP);
	memcpy(&key->esp_spi, p, sizeof(key->esp_spi));
	memcpy(&key->esp_seq, p + 4, sizeof(key->esp_seq));
}

unsigned int headers_key(const struct frame *frame, struct ornic_flow_key *key)
{
	struct reader r = {
		.hdr = frame->hdr,
		.have = frame->hdr_len,
		.end = frame_len(frame),
	};
	struct ornic_flow_headers *outer = &key->outer;
	unsigned int type;

	memset(key, 0, sizeof(*key));
	type = key_eth(&r, outer);
	if (type == KEY_ETHERTYPE_MPLS || type == KEY_ETHERTYPE_MPLS_MCAST)
		key_mpls(&r, key);
	if (!key_ip(&r, outer, type))
		return r.ports;
	if (key_ports(&r, outer, HEADERS_KEY_OUTER_PORTS)) {
		if (be16toh(outer->dst_port) == KEY_PORT_VXLAN)
			key_vxlan(&r, key);
		else if (be16toh(outer->dst_port) == KEY_PORT_MPLS)
			key_mpls(&r, key);
	} else if (outer->proto == KEY_PROTO_GRE) {
		key_gre(&r, key);
	} else if (outer->proto == KEY_PROTO_ESP) {
		key_esp(&r, key);
	}
	return r.ports;
}
