/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * RoCEv2 packets: conversion between frames and values in CPU byte order.
 *
 * Between cards of the same process one frame may stand for many packets with
 * consecutive PSNs. Its payload may then exceed the path MTU, and @npkts of
 * struct packet, carried in the frame's meta, is the number of packets. Its
 * opcode describes the frame as a whole, for example "only" for a complete
 * message. Such a frame has neither pad nor ICRC.
 */
#ifndef ORNIC_DEVICE_PACKET_H
#define ORNIC_DEVICE_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "base/gid.h"
#include "env/frame.h"
#include "roce/opcode.h"

#define ROCE_UDP_SPORT_MIN 0xc000

/* The only P_Key on RoCE */
#define PKEY_DEFAULT 0xffff
#define PKEY_FULL 0x8000 /* full member of a partition */

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

/**
 * struct packet - a packet, in CPU byte order but for @imm
 * @op: properties of the opcode
 * @opcode: BTH: opcode
 * @solicited: BTH: solicited event
 * @ack_req: BTH: AckReq
 * @pkey: BTH: P_Key
 * @dqpn: BTH: destination QPN
 * @psn: BTH: PSN of the first packet
 * @npkts: number of packets that it stands for, at least 1
 * @flush_type: FETH: mask of ORNIC_FLUSH_GLOBAL and ORNIC_FLUSH_PERSISTENT
 * @flush_level: FETH: ORNIC_FLUSH_RANGE or ORNIC_FLUSH_REGION
 * @va: RETH, AtomicETH: remote address
 * @rkey: RETH, AtomicETH: remote key
 * @dma_len: RETH: length of the whole message, bytes
 * @swap_add: AtomicETH: value to swap in or to add
 * @compare: AtomicETH: value to compare with
 * @swap_add_mask: mask of a masked atomic, see struct ornic_atomic_mask
 * @compare_mask: mask of a masked atomic
 * @syndrome: AETH: ACK or NAK code
 * @msn: AETH: message sequence number
 * @original: AtomicAckETH: value before the atomic operation
 * @qkey: DETH: Q_Key
 * @sqpn: DETH: source QPN
 * @imm: ImmDt: immediate data, wire byte order
 * @inv_key: IETH: key to invalidate
 * @xrc_srqn: XRCETH: SRQ number
 * @frame: frame received; holds the payload
 * @payload: offset of the payload in @frame, bytes
 * @payload_len: length of the payload without pad, bytes
 */
struct packet {
	const struct opcode *op;
	uint8_t opcode;
	bool solicited;
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
 * enum packet_error - result of packet_parse()
 * @PACKET_OK: the packet is valid
 * @PACKET_MALFORMED: too short, unknown opcode or version, lengths that
 *	contradict each other
 * @PACKET_BAD_ICRC: the ICRC does not match
 */
enum packet_error {
	PACKET_OK,
	PACKET_MALFORMED,
	PACKET_BAD_ICRC,
};

/**
 * packet_parse - parse the headers of a frame
 * @pkt: packet to fill; refers to @frame
 * @frame: frame with correct headers up to UDP, all of them in @frame->hdr
 * @l3_offset: offset of the IP header in @frame->hdr
 * @bth_offset: offset of the BTH in @frame->hdr
 *
 * A FRAME_LOCAL frame has no ICRC; that of any other frame is checked.
 *
 * Return: enum packet_error.
 */
enum packet_error packet_parse(struct packet *pkt, const struct frame *frame,
			       unsigned int l3_offset, unsigned int bth_offset);

/**
 * packet_build - build the BTH and the extended headers
 * @pkt: packet with @opcode and the values of the headers of that opcode
 * @pad: pad behind the payload, bytes
 * @buf: buffer of at least BTH_LEN + XRCETH_LEN + ATOMICETH_LEN + MASKETH_LEN
 *	bytes
 *
 * Return: bytes written.
 */
unsigned int packet_build(const struct packet *pkt, unsigned int pad,
			  uint8_t *buf);

/**
 * struct packet_path - values of the headers in front of the BTH
 * @src: GID entry of the sender
 * @dgid: destination GID, GID_LEN bytes
 * @dmac: destination MAC
 * @tclass: type of service or traffic class, ECN included
 * @hop_limit: hop limit or time to live; 0 means 64
 * @flow_label: IPv6 flow label, 20 bits
 * @priority: priority in the VLAN tag
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
 * packet_finish - add all headers, pad and ICRC to a payload
 * @frame: frame with the payload only; a FRAME_LOCAL one gets no pad and no
 *	ICRC
 * @path: values of the outer headers
 * @pkt: values of the BTH and the extended headers
 */
void packet_finish(struct frame *frame, const struct packet_path *path,
		   const struct packet *pkt);

/**
 * packet_sport - compute the UDP source port (IBTA A17.9.1, and as Linux does)
 * @flow_label: flow label of the path, 0 for none
 * @lqpn: QPN of the sender
 * @rqpn: QPN of the receiver
 *
 * Return: a port of ROCE_UDP_SPORT_MIN or above, the same for the same flow.
 */
uint16_t packet_sport(uint32_t flow_label, uint32_t lqpn, uint32_t rqpn);

#endif /* ORNIC_DEVICE_PACKET_H */
