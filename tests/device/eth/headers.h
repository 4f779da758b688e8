/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Header parser, the only one ([ORNIC-FLOW-1]). It finds the Ethernet, VLAN, IP
 * and L4 headers of a frame, for the receive path, checksums and the hash of the
 * port. For rules and the hashes of RSS QPs it reads the fields of these headers
 * and of an encapsulated packet.
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
#define HEADERS_TCP_LEN 20
/* Offsets of the addresses in the IP header */
#define HEADERS_IPV4_SRC 12
#define HEADERS_IPV4_DST 16
#define HEADERS_IPV6_SRC 8
#define HEADERS_IPV6_DST 24
#define HEADERS_ETHERTYPE_IPV4 0x0800
#define HEADERS_ETHERTYPE_IPV6 0x86dd
#define HEADERS_ETHERTYPE_VLAN 0x8100
#define HEADERS_ETHERTYPE_S_VLAN 0x88a8
#define HEADERS_PROTO_TCP 6
#define HEADERS_PROTO_UDP 17
#define HEADERS_VLAN_ID 0x0fff
#define HEADERS_ROCE_PORT 4791

/**
 * struct headers_bounds - what a device finds ([ORNIC-FLOW-2])
 * @bytes: of a frame; headers behind them are not there
 * @tags: VLAN tags
 * @exts: extension headers of IPv6
 */
struct headers_bounds {
	unsigned int bytes;
	unsigned int tags;
	unsigned int exts;
};

/* All that struct frame has in @hdr, and the least that a device has */
extern const struct headers_bounds headers_bounds_full;
extern const struct headers_bounds headers_bounds_least;

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
 * struct headers - locations of the headers of a packet, as far as they are there
 *	([ORNIC-FLOW-1])
 * @found: the members up to @end are valid
 * @tagged: the outermost tag is of 802.1Q
 * @tags: number of VLAN tags that were found
 * @vlan_tci: the outermost tag
 * @ethertype: type behind the tags
 * @l3: 4 or 6; 0: not IP, or a length is less than its header
 * @l3_offset: offset of the IP header
 * @l3_end: end of the IP packet, which Ethernet may pad; with FRAME_LOCAL the
 *	end of the frame
 * @options: IPv4 header with options, or IPv6 with extension headers
 * @exts: number of extension headers of IPv6 that were found
 * @cut: the length of IP is more than the frame has
 * @frag: one of several fragments: the field with its offset, as in the header
 * @proto: protocol of IP, or the next header behind the extension headers
 * @whole: all extension headers are there, within the bounds, and no fragment
 * @l4: HEADERS_PROTO_*, or 0: another protocol, a fragment, an incomplete header
 *	or a UDP length that leaves no room for the header
 * @l4_offset: offset of the L4 header
 * @next: offset of what follows: behind UDP, else behind IP
 * @end: end of that
 * @has_fields: @fields and @ports are valid
 * @ports: enum headers_key_ports
 * @fields: from headers_key()
 * @bounds: bounds of the device
 */
struct headers {
	bool found;
	bool tagged;
	uint8_t tags;
	uint16_t vlan_tci;
	uint16_t ethertype;
	uint8_t l3;
	uint16_t l3_offset;
	uint64_t l3_end;
	bool options;
	uint8_t exts;
	bool cut;
	uint16_t frag;
	uint8_t proto;
	bool whole;
	uint8_t l4;
	uint16_t l4_offset;
	uint16_t next;
	uint64_t end;
	bool has_fields;
	unsigned int ports;
	union headers_fields fields;
	const struct headers_bounds *bounds;
};

/**
 * headers_init - prepare for headers_need()
 * @headers: filled when they are needed
 * @bounds: bounds of the device, valid as long as @headers
 */
static inline void headers_init(struct headers *headers,
				const struct headers_bounds *bounds)
{
	headers->bounds = bounds;
	headers->found = false;
	headers->has_fields = false;
}

/**
 * headers_find_bounded - find the headers within the bounds of a device
 * @frame: any; only headers in @frame->hdr are found
 * @headers: filled; its @bounds are valid
 */
void headers_find_bounded(const struct frame *frame, struct headers *headers);

/**
 * headers_find - find the headers within the widest bounds
 * @frame: as for headers_find_bounded()
 * @headers: filled
 */
static inline void headers_find(const struct frame *frame, struct headers *headers)
{
	headers->bounds = &headers_bounds_full;
	headers_find_bounded(frame, headers);
}

/**
 * headers_need - find the headers, unless this was done before
 * @frame: as for headers_find_bounded()
 * @headers: of this frame, from headers_init()
 */
static inline void headers_need(const struct frame *frame, struct headers *headers)
{
	if (!headers->found)
		headers_find_bounded(frame, headers);
}

/**
 * headers_key - read the header fields of a frame and of a packet in it
 * @frame: not FRAME_LOCAL; only headers in @frame->hdr are read
 * @headers: its headers, from headers_find()
 * @key: filled; may be the fields of @headers
 *
 * Return: mask of enum headers_key_ports.
 */
unsigned int headers_key(const struct frame *frame, const struct headers *headers,
			 struct ornic_flow_key *key);

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
		headers->ports = headers_key(frame, headers,
					     &headers->fields.key);
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
 * Return: whether the packet is for @port. True, too, if its headers go on behind
 * @frame->hdr or the bounds of the device.
 */
bool headers_may_reach_udp(const struct frame *frame, const struct headers *headers,
			   unsigned int port);

/* Has the frame no tag, or one of 802.1Q? */
static inline bool headers_is_plain(const struct headers *headers)
{
	return headers->tags == headers->tagged;
}

/* Is the frame a RoCEv2 packet, without options ([ORNIC-WIRE-1])? */
static inline bool headers_is_roce(const struct frame *frame,
				   const struct headers *headers)
{
	return headers->l4 == HEADERS_PROTO_UDP && !headers->options &&
	       headers_is_plain(headers) &&
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
