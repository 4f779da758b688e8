// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Header parser: finds the headers of a frame, and reads their fields */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "base/be.h"
#include "eth/headers.h"

/* More Fragments flag and fragment offset */
#define HEADERS_IPV4_FRAGMENT 0x3fff
#define HEADERS_IPV4_FRAGMENT_OFFSET 0x1fff
#define HEADERS_IPV6_FRAGMENT_FIELD 0xfff9
#define HEADERS_IPV6_FRAGMENT_OFFSET 0xfff8

/* Extension headers of IPv6 (RFC 8200, RFC 4302, RFC 6275, RFC 7401, RFC 5533) */
#define HEADERS_IPV6_HOP_BY_HOP 0
#define HEADERS_IPV6_ROUTING 43
#define HEADERS_IPV6_FRAGMENT 44
#define HEADERS_IPV6_AUTHENTICATION 51
#define HEADERS_IPV6_DESTINATION 60
#define HEADERS_IPV6_MOBILITY 135
#define HEADERS_IPV6_HIP 139
#define HEADERS_IPV6_SHIM6 140

/* Room for the smallest of each, behind the headers that they follow */
const struct headers_bounds headers_bounds_full = {
	.bytes = FRAME_HDR_MAX,
	.tags = (FRAME_HDR_MAX - HEADERS_ETH_LEN) / HEADERS_VLAN_LEN,
	.exts = (FRAME_HDR_MAX - HEADERS_ETH_LEN - HEADERS_IPV6_LEN) / 8,
};

const struct headers_bounds headers_bounds_least = {
	.bytes = 128,
	.tags = 2,
	.exts = 1,
};

/* ---- reading, with all lengths checked ([ORNIC-FLOW-1]) ---- */

/**
 * struct reader - read position in the headers
 * @hdr: first byte of the frame
 * @at: next byte, at most @have
 * @have: bytes that can be read
 * @end: end of the packet according to the headers so far; may be beyond @have
 * @local: of a FRAME_LOCAL frame, whose length fields have no meaning
 * @cut: a length was more than there is
 * @stopped: headers go on behind @bounds
 * @inner_ports: the packet inside has ports
 * @bounds: bounds of the device
 */
struct reader {
	const uint8_t *hdr;
	unsigned int at;
	unsigned int have;
	uint64_t end;
	bool local;
	bool cut;
	bool stopped;
	bool inner_ports;
	const struct headers_bounds *bounds;
};

static struct reader reader_at(const struct frame *frame, unsigned int at,
			       uint64_t end, const struct headers_bounds *bounds)
{
	return (struct reader){
		.hdr = frame->hdr,
		.at = at,
		.have = frame->hdr_len < bounds->bytes ? frame->hdr_len : bounds->bytes,
		.end = end,
		.local = frame->flags & FRAME_LOCAL,
		.bounds = bounds,
	};
}

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
 * length beyond the current end does not move the end.
 */
static bool reader_believe(struct reader *r, unsigned int start,
			   unsigned int len, unsigned int min)
{
	if (r->local)
		return true;
	if (len < min)
		return false;
	if (start + len > r->end)
		r->cut = true;
	else
		r->end = start + len;
	return true;
}

/* Forget all but the fields, which are valid with @has_fields only */
static void headers_clear(struct headers *headers)
{
	memset(headers, 0, offsetof(struct headers, fields));
}

/* ---- Ethernet, IP, TCP and UDP, of the frame and of a packet in it ---- */

static bool is_tag(unsigned int type)
{
	return type == HEADERS_ETHERTYPE_VLAN || type == HEADERS_ETHERTYPE_S_VLAN;
}

/* Return: false when not even the MAC addresses are there */
static bool find_eth(struct reader *r, struct headers *h)
{
	const uint8_t *p = reader_take(r, HEADERS_ETH_LEN);

	if (!p)
		return false;
	h->ethertype = be_get16(p + HEADERS_ETH_LEN - 2);
	h->tagged = h->ethertype == HEADERS_ETHERTYPE_VLAN;
	while (is_tag(h->ethertype) && h->tags < r->bounds->tags) {
		p = reader_take(r, HEADERS_VLAN_LEN);
		if (!p)
			break;
		if (!h->tags++)
			h->vlan_tci = be_get16(p);
		h->ethertype = be_get16(p + 2);
	}
	/* A tag that is cut is none */
	h->tagged &= !!h->tags;
	return true;
}

/* Return: true when L4 follows */
static bool find_ipv4(struct reader *r, struct headers *h)
{
	unsigned int start = r->at;
	const uint8_t *p = reader_take(r, HEADERS_IPV4_LEN);
	unsigned int ihl;

	if (!p || p[0] >> 4 != 4)
		return false;
	ihl = (p[0] & 0xf) * 4;
	if (ihl < HEADERS_IPV4_LEN || !reader_take(r, ihl - HEADERS_IPV4_LEN) ||
	    !reader_believe(r, start, be_get16(p + 2), ihl))
		return false;
	h->l3 = 4;
	h->options = ihl > HEADERS_IPV4_LEN;
	h->frag = be_get16(p + 6) & HEADERS_IPV4_FRAGMENT;
	h->proto = p[9];
	return !h->frag;
}

/* Return: bytes of the extension header at @ext, or 0 when it is none */
static unsigned int ipv6_ext_len(unsigned int proto, const uint8_t *ext)
{
	switch (proto) {
	case HEADERS_IPV6_HOP_BY_HOP:
	case HEADERS_IPV6_ROUTING:
	case HEADERS_IPV6_DESTINATION:
	case HEADERS_IPV6_MOBILITY:
	case HEADERS_IPV6_HIP:
	case HEADERS_IPV6_SHIM6:
		return (ext[1] + 1) * 8;
	case HEADERS_IPV6_FRAGMENT:
		return 8;
	case HEADERS_IPV6_AUTHENTICATION:
		return (ext[1] + 2) * 4;
	default:
		return 0;
	}
}

/* Is the next header of IPv6 one that was not skipped? */
static bool ipv6_ext_is(unsigned int proto, unsigned int l3)
{
	static const uint8_t none[2];

	return l3 == 6 && ipv6_ext_len(proto, none);
}

/*
 * Skip extension headers, up to that of a fragment or to the bounds. The loop ends
 * because each of them consumes bytes of the frame.
 *
 * Return: true when all of them were there and no fragment.
 */
static bool find_ipv6_ext(struct reader *r, struct headers *h)
{
	const uint8_t *ext;
	unsigned int len;

	for (;;) {
		struct reader next = *r;

		ext = reader_take(&next, 2);
		len = ext ? ipv6_ext_len(h->proto, ext) : 0;
		if (!len)
			return true;
		if (h->exts == r->bounds->exts) {
			r->stopped = true;
			return false;
		}
		if (!reader_take(r, len))
			return false;
		h->exts++;
		h->options = true;
		if (h->proto == HEADERS_IPV6_FRAGMENT)
			h->frag = be_get16(ext + 2) & HEADERS_IPV6_FRAGMENT_FIELD;
		h->proto = ext[0];
		/* The data of a fragment need not begin with an L4 header */
		if (h->frag)
			return false;
	}
}

/* Return: true when L4 follows */
static bool find_ipv6(struct reader *r, struct headers *h)
{
	unsigned int start = r->at;
	const uint8_t *p = reader_take(r, HEADERS_IPV6_LEN);

	if (!p || p[0] >> 4 != 6 ||
	    !reader_believe(r, start, HEADERS_IPV6_LEN + be_get16(p + 4),
			    HEADERS_IPV6_LEN))
		return false;
	h->l3 = 6;
	h->proto = p[6];
	return find_ipv6_ext(r, h);
}

/* Find the L4 header, whose length UDP tells, too */
static void find_l4(struct reader *r, struct headers *h)
{
	unsigned int start = r->at;
	const uint8_t *p = NULL;

	if (h->proto == HEADERS_PROTO_TCP)
		p = reader_take(r, HEADERS_TCP_LEN);
	else if (h->proto == HEADERS_PROTO_UDP)
		p = reader_take(r, HEADERS_UDP_LEN);
	if (!p || (h->proto == HEADERS_PROTO_UDP &&
		   !reader_believe(r, start, be_get16(p + 4), HEADERS_UDP_LEN)))
		return;
	h->l4 = h->proto;
	h->l4_offset = start;
}

/*
 * Find IP and L4. Return: true when the reader is at what IP carries, behind the
 * header of UDP, if there is one.
 */
static bool find_ip(struct reader *r, struct headers *h, unsigned int type)
{
	bool whole = false;

	h->l3_offset = r->at;
	if (type == HEADERS_ETHERTYPE_IPV4)
		whole = find_ipv4(r, h);
	else if (type == HEADERS_ETHERTYPE_IPV6)
		whole = find_ipv6(r, h);
	h->l3_end = r->end;
	h->cut = r->cut;
	if (whole)
		find_l4(r, h);
	return whole;
}

void headers_find_bounded(const struct frame *frame, struct headers *headers)
{
	struct reader r = reader_at(frame, 0, frame_len(frame), headers->bounds);

	headers_clear(headers);
	headers->found = true;
	if (!find_eth(&r, headers))
		return;
	headers->whole = find_ip(&r, headers, headers->ethertype);
	headers->next = r.at;
	headers->end = r.end;
}

/*
 * Skip the extension headers of IPv6, those behind the header of a first fragment
 * too. Return: false when L4 is not behind them, or in a later fragment.
 */
static bool skip_ipv6_ext(struct reader *r, struct headers *h)
{
	while (!find_ipv6_ext(r, h)) {
		if (!h->frag || h->frag & HEADERS_IPV6_FRAGMENT_OFFSET)
			return false;
		h->frag = 0;
	}
	return true;
}

bool headers_may_reach_udp(const struct frame *frame, const struct headers *headers,
			   unsigned int port)
{
	struct reader r = reader_at(frame, headers->l3_offset, headers->l3_end,
				    headers->bounds);
	const uint8_t *p = frame->hdr + headers->l3_offset;
	struct headers rest = { .proto = headers->proto };
	/* Bytes that cannot be read may hold any header */
	bool unseen = r.have < r.end;

	if (is_tag(headers->ethertype))
		return unseen || headers->tags == headers->bounds->tags;
	if (headers->l3 == 4) {
		reader_take(&r, (p[0] & 0xf) * 4);
		if (headers->frag & HEADERS_IPV4_FRAGMENT_OFFSET)
			return false;
	} else if (headers->l3 == 6) {
		reader_take(&r, HEADERS_IPV6_LEN);
		rest.proto = p[6];
		if (!skip_ipv6_ext(&r, &rest))
			return (unseen || r.stopped) && !rest.frag;
	} else {
		return unseen &&
		       (headers->ethertype == HEADERS_ETHERTYPE_IPV4 ||
			headers->ethertype == HEADERS_ETHERTYPE_IPV6);
	}
	if (ipv6_ext_is(rest.proto, headers->l3))
		return unseen;
	if (rest.proto != HEADERS_PROTO_UDP)
		return false;
	p = reader_take(&r, HEADERS_UDP_LEN);
	return p ? be_get16(p + 2) == port : unseen;
}

/* ---- fields of the headers ---- */


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

/* RFC 2784, RFC 2890 */
#define KEY_GRE_CSUM 0x8000
#define KEY_GRE_ROUTING 0x4000
#define KEY_GRE_KEY 0x2000
#define KEY_GRE_SEQ 0x1000
#define KEY_GRE_VERSION 0x0007

static void key_eth(const uint8_t *p, const struct headers *headers,
		    struct ornic_flow_headers *h)
{
	memcpy(h->dmac, p, sizeof(h->dmac));
	memcpy(h->smac, p + sizeof(h->dmac), sizeof(h->smac));
	h->vlan = !!headers->tags;
	h->vlan_tci = htobe16(headers->vlan_tci);
	h->ethertype = htobe16(headers->ethertype);
}

static void key_ipv4(const uint8_t *ip, struct ornic_flow_headers *h)
{
	h->tos = ip[1];
	h->ip_flags = ip[6] >> 5;
	h->ttl = ip[8];
	memcpy(h->src_ip + 12, ip + HEADERS_IPV4_SRC, 4);
	memcpy(h->dst_ip + 12, ip + HEADERS_IPV4_DST, 4);
}

static void key_ipv6(const uint8_t *ip, struct ornic_flow_headers *h)
{
	uint32_t word;

	memcpy(&word, ip, sizeof(word));
	h->tos = be32toh(word) >> 20;
	h->flow_label = word & htobe32(0xfffff);
	h->ttl = ip[7];
	memcpy(h->src_ip, ip + HEADERS_IPV6_SRC, sizeof(h->src_ip));
	memcpy(h->dst_ip, ip + HEADERS_IPV6_DST, sizeof(h->dst_ip));
}

static void key_ip(const uint8_t *hdr, const struct headers *headers,
		   struct ornic_flow_headers *h)
{
	if (!headers->l3)
		return;
	h->l3 = headers->l3;
	h->frag = !!headers->frag;
	h->proto = headers->proto;
	if (headers->l3 == 4)
		key_ipv4(hdr + headers->l3_offset, h);
	else
		key_ipv6(hdr + headers->l3_offset, h);
	if (!headers->l4)
		return;
	memcpy(&h->src_port, hdr + headers->l4_offset, sizeof(h->src_port));
	memcpy(&h->dst_port, hdr + headers->l4_offset + 2, sizeof(h->dst_port));
}

/* Read an encapsulated packet. Encapsulation inside it is ignored. */
static void key_inner_ip(struct reader *r, struct ornic_flow_key *key,
			 struct headers *inner, unsigned int type)
{
	find_ip(r, inner, type);
	key_ip(r->hdr, inner, &key->inner);
	r->inner_ports = inner->l4;
}

static void key_inner(struct reader *r, struct ornic_flow_key *key,
		      unsigned int type)
{
	struct headers inner;

	headers_clear(&inner);
	key_inner_ip(r, key, &inner, type);
}

static void key_inner_eth(struct reader *r, struct ornic_flow_key *key)
{
	unsigned int start = r->at;
	struct headers inner;

	headers_clear(&inner);
	if (!find_eth(r, &inner))
		return;
	key_eth(r->hdr + start, &inner, &key->inner);
	key_inner_ip(r, key, &inner, inner.ethertype);
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
		key_inner(r, key, HEADERS_ETHERTYPE_IPV4);
	else if (label && label[0] >> 4 == 6)
		key_inner(r, key, HEADERS_ETHERTYPE_IPV6);
}

static void key_vxlan(struct reader *r, struct ornic_flow_key *key)
{
	const uint8_t *p = reader_take(r, KEY_VXLAN_LEN);

	if (!p || !(p[0] & KEY_VXLAN_VALID))
		return;
	key->layers |= htobe32(ORNIC_FLOW_LAYER_VXLAN);
	memcpy(&key->vni, p + 4, sizeof(key->vni));
	key->vni = htobe32(be32toh(key->vni) >> 8);
	key_inner_eth(r, key);
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
		key_inner_eth(r, key);
	else if (proto == KEY_ETHERTYPE_MPLS ||
		 proto == KEY_ETHERTYPE_MPLS_MCAST)
		key_mpls(r, key);
	else
		key_inner(r, key, proto);
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

unsigned int headers_key(const struct frame *frame, const struct headers *headers,
			 struct ornic_flow_key *key)
{
	struct reader r = reader_at(frame, headers->next, headers->end,
				    headers->bounds);
	unsigned int type = headers->ethertype;
	unsigned int ports = 0;

	memset(key, 0, sizeof(*key));
	if (frame->hdr_len < HEADERS_ETH_LEN)
		return 0;
	key_eth(frame->hdr, headers, &key->outer);
	key_ip(frame->hdr, headers, &key->outer);
	if (headers->l4)
		ports |= HEADERS_KEY_OUTER_PORTS;
	if (type == KEY_ETHERTYPE_MPLS || type == KEY_ETHERTYPE_MPLS_MCAST) {
		key_mpls(&r, key);
	} else if (headers->whole && headers->l4 == HEADERS_PROTO_UDP) {
		if (be16toh(key->outer.dst_port) == KEY_PORT_VXLAN)
			key_vxlan(&r, key);
		else if (be16toh(key->outer.dst_port) == KEY_PORT_MPLS)
			key_mpls(&r, key);
	} else if (headers->whole && headers->proto == KEY_PROTO_GRE) {
		key_gre(&r, key);
	} else if (headers->whole && headers->proto == KEY_PROTO_ESP) {
		key_esp(&r, key);
	}
	if (r.inner_ports)
		ports |= HEADERS_KEY_INNER_PORTS;
	return ports;
}
