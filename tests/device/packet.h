/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * RoCEv2 packets: from frames to values in CPU order and back.
 *
 * Between cards of the same process a frame may stand for many packets with
 * consecutive PSNs: its payload is then longer than the path MTU, and @npkts of
 * struct packet, carried in the frame's meta, says how many there are. Its
 * opcode says what the whole of it is: "only" for a message in one piece, and so
 * on. Such a frame has neither pad nor ICRC.
 */
#ifndef ORNIC_DEVICE_PACKET_H
#define ORNIC_DEVICE_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "frame.h"
#include "gid.h"
#include "opcode.h"

#define ETH_LEN 14
#define VLAN_LEN 4
#define IPV4_LEN 20
#define IPV6_LEN 40
#define UDP_LEN 8
#define ROCE_UDP_PORT 4791
#define ROCE_UDP_SPORT_MIN 0xc000

/* The only partition there is on Ethernet. */
#define PKEY_DEFAULT 0xffff

/* Syndrome of an AETH (IBTA table 44): kind in 6:5, value in 4:0 */
#define AETH_KIND	0x60
#define AETH_ACK	0x00
#define AETH_RNR	0x20
#define AETH_NAK	0x60
#define AETH_VALUE	0x1f
/* ACK without end-to-end credits */
#define AETH_NO_CREDITS	0x1f

/* Values of a NAK (IBTA table 46) */
#define NAK_SEQUENCE		0
#define NAK_INVALID_REQUEST	1
#define NAK_REMOTE_ACCESS	2
#define NAK_REMOTE_OPERATION	3

/* Is that a FLUSH that there is (IBTA A19.4.1)? */
static inline bool packet_flush_valid(unsigned int type, unsigned int level)
{
	return type && !(type & ~(ORNIC_FLUSH_GLOBAL |
				  ORNIC_FLUSH_PERSISTENT)) &&
	       level <= ORNIC_FLUSH_REGION;
}

/**
 * struct packet - a packet, in CPU order but for @imm
 * @op: its opcode
 * @opcode: number of the opcode
 * @solicited: BTH: event wanted
 * @migrated: BTH: the sender uses the path that it has gone over to, or has but
 *	one
 * @ack_req: BTH: acknowledgement wanted
 * @pkey: BTH
 * @dqpn: BTH: destination
 * @psn: BTH: of the first packet
 * @npkts: packets it stands for, at least 1
 * @flush_type: FETH: what has to be reached
 * @flush_level: FETH: of which bytes
 * @va: RETH, AtomicETH: remote address
 * @rkey: RETH, AtomicETH: remote key
 * @dma_len: RETH: bytes of the whole message
 * @swap_add: AtomicETH
 * @compare: AtomicETH
 * @swap_add_mask: masks of an atomic, see struct ornic_atomic_mask
 * @compare_mask: the same
 * @syndrome: AETH
 * @msn: AETH
 * @original: AtomicAckETH
 * @qkey: DETH
 * @sqpn: DETH: sender
 * @imm: ImmDt, wire order
 * @inv_key: IETH
 * @xrc_srqn: XRCETH
 * @frame: where it came in; the payload is there
 * @payload: first byte of the payload in @frame
 * @payload_len: bytes without pad
 */
struct packet {
	const struct opcode *op;
	uint8_t opcode;
	bool solicited;
	bool migrated;
	bool ack_req;
	uint16_t pkey;
	uint32_t dqpn;
	uint32_t psn;
	uint32_t npkts;
	uint8_t flush_type;
	uint8_t flush_level;
	uint64_t va;
	uint32_t rkey;
	uint32_t dma_len;
	uint64_t swap_add;
	uint64_t compare;
	uint64_t swap_add_mask;
	uint64_t compare_mask;
	uint8_t syndrome;
	uint32_t msn;
	uint64_t original;
	uint32_t qkey;
	uint32_t sqpn;
	__be32 imm;
	uint32_t inv_key;
	uint32_t xrc_srqn;
	const struct frame *frame;
	uint32_t payload;
	uint32_t payload_len;
};

/**
 * enum packet_error - why a packet is dropped
 * @PACKET_OK: it is not
 * @PACKET_MALFORMED: too short, unknown opcode or version, lengths that
 *	contradict each other
 * @PACKET_BAD_ICRC: changed on its way
 */
enum packet_error {
	PACKET_OK,
	PACKET_MALFORMED,
	PACKET_BAD_ICRC,
};

/**
 * packet_parse - from a frame to values
 * @pkt: filled; refers to @frame
 * @frame: with correct headers up to UDP, all of them in @frame->hdr
 * @l3_offset: of the IP header
 * @bth_offset: of the first byte behind the UDP header
 *
 * The ICRC is checked unless the frame is FRAME_LOCAL.
 *
 * Return: enum packet_error.
 */
enum packet_error packet_parse(struct packet *pkt, const struct frame *frame,
			       unsigned int l3_offset, unsigned int bth_offset);

/**
 * packet_build - BTH and what follows it, from values
 * @pkt: @opcode and the values that its headers need
 * @pad: bytes of pad there will be
 * @buf: BTH_LEN + XRCETH_LEN + ATOMICETH_LEN + MASKETH_LEN bytes are enough
 *
 * Return: bytes written.
 */
unsigned int packet_build(const struct packet *pkt, unsigned int pad,
			  uint8_t *buf);

/**
 * struct packet_path - what the headers below the BTH are made of
 * @src: GID entry of the sender
 * @dgid: destination, GID_LEN bytes
 * @dmac: destination MAC
 * @tclass: type of service or traffic class, ECN included
 * @hop_limit: or time to live; 0 means 64
 * @flow_label: 20 bits
 * @priority: of the VLAN tag
 * @sport: UDP source port
 */
struct packet_path {
	const struct gid_entry *src;
	const uint8_t *dgid;
	const uint8_t *dmac;
	uint8_t tclass;
	uint8_t hop_limit;
	uint32_t flow_label;
	uint8_t priority;
	uint16_t sport;
};

/**
 * packet_finish - put all headers, pad and ICRC around a payload
 * @frame: payload only; FRAME_LOCAL or not
 * @path: where it goes
 * @pkt: what it is
 */
void packet_finish(struct frame *frame, const struct packet_path *path,
		   const struct packet *pkt);

/**
 * packet_sgid - source address of a packet
 * @frame: as for packet_parse()
 * @l3_offset: as for packet_parse()
 * @gid: GID_LEN bytes to fill, of IPv4 the mapped form
 */
void packet_sgid(const struct frame *frame, unsigned int l3_offset,
		 uint8_t *gid);

/**
 * packet_sport - UDP source port (IBTA A17.9.1, and as Linux does)
 * @flow_label: of the path, 0 for none
 * @lqpn: of the sender
 * @rqpn: of the receiver
 *
 * Return: ROCE_UDP_SPORT_MIN or above, the same for the same flow.
 */
uint16_t packet_sport(uint32_t flow_label, uint32_t lqpn, uint32_t rqpn);

#endif /* ORNIC_DEVICE_PACKET_H */
