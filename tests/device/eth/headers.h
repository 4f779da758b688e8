/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Header parser. It finds the Ethernet, VLAN, IP and L4 headers of a frame, for
 * the receive path and checksums. For rules and the hashes of RSS QPs it reads
 * the fields of these headers and of an encapsulated packet.
 *
 * A frame has one struct headers, from where it is built or received to where it
 * leaves the card. Each part is read once, when it is first needed.
 */
#ifndef ORNIC_DEVICE_HEADERS_H
#define ORNIC_DEVICE_HEADERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <ornic_hw_cmd.h>

#include "base/be.h"
#include "base/gid.h"
#include "env/frame.h"

#define HEADERS_ETH_LEN 14
#define HEADERS_VLAN_LEN 4
#define HEADERS_IPV4_LEN 20
#define HEADERS_IPV6_LEN 40
#define HEADERS_UDP_LEN 8
/* Offsets of the addresses in the IP header */
#define HEADERS_IPV4_SRC 12
#define HEADERS_IPV4_DST 16
#define HEADERS_IPV6_SRC 8
#define HEADERS_IPV6_DST 24
#define HEADERS_ETHERTYPE_IPV4 0x0800
#define HEADERS_ETHERTYPE_IPV6 0x86dd
#define HEADERS_ETHERTYPE_VLAN 0x8100
#define HEADERS_PROTO_TCP 6
#define HEADERS_PROTO_UDP 17
#define HEADERS_VLAN_ID 0x0fff
#define HEADERS_ROCE_PORT 4791

#define HEADERS_WORDS (sizeof(struct ornic_flow_key) / sizeof(uint64_t))

/**
 * enum headers_key_ports - headers of a key that have ports, which may be 0
 * @HEADERS_KEY_OUTER_PORTS: struct ornic_flow_key's @outer
 * @HEADERS_KEY_INNER_PORTS: struct ornic_flow_key's @inner
 */
enum headers_key_ports {
	HEADERS_KEY_OUTER_PORTS = 1 << 0,
	HEADERS_KEY_INNER_PORTS = 1 << 1,
};

/* Fields of the headers, and as words to compare */
union headers_fields {
	struct ornic_flow_key key;
	uint64_t word[HEADERS_WORDS];
};

/**
 * struct headers - locations of the headers of a frame
 * @found: the members up to @l4_offset are valid
 * @tagged: the frame has a VLAN tag
 * @vlan_tci: the tag
 * @l3: 4 or 6; 0: not IP, or its lengths do not fit the frame
 * @l3_offset: offset of the IP header
 * @l3_end: end of the IP packet, which Ethernet may pad; with FRAME_LOCAL the
 *	end of the frame
 * @options: IPv4 header with options
 * @l4: HEADERS_PROTO_*, or 0: another protocol, a fragment, an incomplete header
 *	or a UDP length that leaves no room for the header
 * @l4_offset: offset of the L4 header
 * @has_fields: @fields and @ports are valid
 * @ports: enum headers_key_ports
 * @fields: from headers_key()
 */
struct headers {
	bool found;
	bool tagged;
	uint16_t vlan_tci;
	uint8_t l3;
	uint16_t l3_offset;
	uint64_t l3_end;
	bool options;
	uint8_t l4;
	uint16_t l4_offset;
	bool has_fields;
	unsigned int ports;
	union headers_fields fields;
};

/**
 * headers_init - prepare for headers_need()
 * @headers: filled when they are needed
 */
static inline void headers_init(struct headers *headers)
{
	headers->found = false;
	headers->has_fields = false;
}

/**
 * headers_find - find the headers
 * @frame: at least HEADERS_ETH_LEN bytes, in @frame->hdr
 * @headers: filled
 */
void headers_find(const struct frame *frame, struct headers *headers);

/**
 * headers_need - find the headers, unless this was done before
 * @frame: as for headers_find()
 * @headers: of this frame, from headers_init()
 */
static inline void headers_need(const struct frame *frame, struct headers *headers)
{
	if (!headers->found)
		headers_find(frame, headers);
}

/**
 * headers_key - read the header fields of a frame
 * @frame: not FRAME_LOCAL; only headers in @frame->hdr are read
 * @key: filled; a header that is truncated or has an invalid length counts as
 *	absent
 *
 * Return: mask of enum headers_key_ports.
 */
unsigned int headers_key(const struct frame *frame, struct ornic_flow_key *key);

/**
 * headers_fields - get the header fields of a frame
 * @frame: as for headers_key()
 * @headers: its headers; finds them if necessary, and keeps the fields
 *
 * Return: the fields.
 */
static inline const union headers_fields *headers_fields(const struct frame *frame,
						   struct headers *headers)
{
	/* First, because headers_find() forgets the fields */
	headers_need(frame, headers);
	if (!headers->has_fields) {
		headers->ports = headers_key(frame, &headers->fields.key);
		headers->has_fields = true;
	}
	return &headers->fields;
}

/**
 * headers_may_reach_udp - check for a UDP port as a host's IP stack would
 * @frame: the frame
 * @headers: its headers
 * @port: a destination port
 *
 * Looks behind options of IPv4 and extension headers of IPv6, and into the first
 * of several fragments, too.
 *
 * Return: whether the packet is for @port. True, too, if its extension headers
 * are longer than @frame->hdr.
 */
bool headers_may_reach_udp(const struct frame *frame, const struct headers *headers,
			   unsigned int port);

/* Is the frame a RoCEv2 packet to a host that takes no IP options? */
static inline bool headers_is_roce(const struct frame *frame,
				   const struct headers *headers)
{
	return headers->l4 == HEADERS_PROTO_UDP && !headers->options &&
	       be_get16(frame->hdr + headers->l4_offset + 2) == HEADERS_ROCE_PORT;
}

/* VLAN ID 0 marks a priority tag, which names no VLAN */
static inline uint16_t headers_vlan_id(const struct headers *headers)
{
	uint16_t vlan_id = headers->vlan_tci & HEADERS_VLAN_ID;

	return vlan_id ? vlan_id : GID_NO_VLAN;
}

/* The source or the destination of an IP packet as a GID */
static inline void headers_gid(const struct frame *frame, const struct headers *headers,
			       bool source, uint8_t *gid)
{
	const uint8_t *ip = frame->hdr + headers->l3_offset;

	if (headers->l3 == 4)
		gid_from_ipv4(gid, ip + (source ? HEADERS_IPV4_SRC : HEADERS_IPV4_DST));
	else
		memcpy(gid, ip + (source ? HEADERS_IPV6_SRC : HEADERS_IPV6_DST), GID_LEN);
}

#endif /* ORNIC_DEVICE_HEADERS_H */
