/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * BTH opcodes as data (IBTA table 38): the kind of packet, its place in the
 * message, and the headers that follow the BTH.
 */
#ifndef ORNIC_DEVICE_OPCODE_H
#define ORNIC_DEVICE_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

/* Bits 7:5 of an opcode are the transport, 4:0 the operation */
#define OPCODE_TRANSPORT_SHIFT	5
#define OPCODE_OPERATION	0x1f

/**
 * enum opcode_transport - transport of an opcode
 * @OPCODE_RC: reliable connected
 * @OPCODE_UC: unreliable connected
 * @OPCODE_UD: unreliable datagram, GSI included
 * @OPCODE_XRC: extended reliable connected
 */
enum opcode_transport {
	OPCODE_RC = 0,
	OPCODE_UC = 1,
	OPCODE_UD = 3,
	OPCODE_XRC = 5,
};

/*
 * Opcodes that the card sends. UC and XRC use the RC numbers here; roce_tx()
 * puts the bits of the transport in.
 */
enum opcode_num {
	OPCODE_RC_SEND_FIRST		= 0x00,
	OPCODE_RC_SEND_MIDDLE		= 0x01,
	OPCODE_RC_SEND_LAST		= 0x02,
	OPCODE_RC_SEND_LAST_IMM		= 0x03,
	OPCODE_RC_SEND_ONLY		= 0x04,
	OPCODE_RC_SEND_ONLY_IMM		= 0x05,
	OPCODE_RC_WRITE_FIRST		= 0x06,
	OPCODE_RC_WRITE_MIDDLE		= 0x07,
	OPCODE_RC_WRITE_LAST		= 0x08,
	OPCODE_RC_WRITE_LAST_IMM	= 0x09,
	OPCODE_RC_WRITE_ONLY		= 0x0a,
	OPCODE_RC_WRITE_ONLY_IMM	= 0x0b,
	OPCODE_RC_READ_REQUEST		= 0x0c,
	OPCODE_RC_READ_RESP_FIRST	= 0x0d,
	OPCODE_RC_READ_RESP_MIDDLE	= 0x0e,
	OPCODE_RC_READ_RESP_LAST	= 0x0f,
	OPCODE_RC_READ_RESP_ONLY	= 0x10,
	OPCODE_RC_ACK			= 0x11,
	OPCODE_RC_ATOMIC_ACK		= 0x12,
	OPCODE_RC_CMP_SWP		= 0x13,
	OPCODE_RC_FETCH_ADD		= 0x14,
	OPCODE_RC_SEND_LAST_INV		= 0x16,
	OPCODE_RC_SEND_ONLY_INV		= 0x17,
	OPCODE_RC_FLUSH			= 0x1c,
	OPCODE_RC_ATOMIC_WRITE		= 0x1d,
	/* Manufacturer specific: 110 in 7:5, 111 with XRC */
	OPCODE_RC_MASKED_CMP_SWP	= 0xd3,
	OPCODE_RC_MASKED_FETCH_ADD	= 0xd4,
	OPCODE_UD_SEND_ONLY		= 0x64,
	OPCODE_UD_SEND_ONLY_IMM		= 0x65,
	/* Not sent: congestion notification packet (IBTA A17.9.3) */
	OPCODE_CNP			= 0x81,
};

/**
 * enum opcode_kind - kind of packet
 * @OPCODE_SEND: data for a receive WQE
 * @OPCODE_WRITE: data for a remote address
 * @OPCODE_READ: request for data
 * @OPCODE_ATOMIC: request for an atomic operation
 * @OPCODE_FLUSH: request to make earlier writes visible or persistent
 * @OPCODE_ATOMIC_WRITE: 8 bytes for a remote address, written atomically
 * @OPCODE_RESERVED: opcode of RC without meaning: an invalid request
 * @OPCODE_ACK: response: ACK or NAK
 * @OPCODE_READ_RESP: response: data
 * @OPCODE_ATOMIC_ACK: response: value before the atomic operation
 * @OPCODE_NOTIFICATION: for no QP's requester or responder: a CNP
 */
enum opcode_kind {
	OPCODE_SEND,
	OPCODE_WRITE,
	OPCODE_READ,
	OPCODE_ATOMIC,
	OPCODE_FLUSH,
	OPCODE_ATOMIC_WRITE,
	OPCODE_RESERVED,
	OPCODE_ACK,
	OPCODE_READ_RESP,
	OPCODE_ATOMIC_ACK,
	OPCODE_NOTIFICATION,
};

/* Does a request have a response of its own? Others share a coalesced ACK. */
static inline bool opcode_is_answered(enum opcode_kind kind)
{
	return kind >= OPCODE_READ && kind <= OPCODE_ATOMIC_WRITE;
}

/* Flags of an opcode: place in the message, and headers in this order */
#define OPCODE_START		0x001
#define OPCODE_END		0x002
#define OPCODE_DATA		0x004	/* may have payload */
#define OPCODE_RETH		0x010
#define OPCODE_ATOMICETH	0x020
#define OPCODE_AETH		0x040
#define OPCODE_ATOMICACKETH	0x080
#define OPCODE_DETH		0x100
#define OPCODE_IMMDT		0x200
#define OPCODE_IETH		0x400
#define OPCODE_XRCETH		0x800	/* before all others */
#define OPCODE_FETH		0x1000	/* before RETH */
#define OPCODE_MASKETH		0x2000	/* after AtomicETH */

#define OPCODE_ONLY		(OPCODE_START | OPCODE_END)

/* Lengths of the headers, bytes */
#define BTH_LEN			12
#define RETH_LEN		16
#define ATOMICETH_LEN		28
#define AETH_LEN		4
#define ATOMICACKETH_LEN	8
#define DETH_LEN		8
#define IMMDT_LEN		4
#define IETH_LEN		4
#define XRCETH_LEN		4
#define FETH_LEN		4
#define MASKETH_LEN		16

/**
 * struct opcode - properties of an opcode
 * @name: as in IBTA; NULL for an unknown opcode
 * @transport: enum opcode_transport
 * @kind: enum opcode_kind
 * @len: length of the BTH and all headers behind it, bytes
 * @flags: OPCODE_START ... OPCODE_MASKETH
 */
struct opcode {
	const char *name;
	uint8_t transport;
	uint8_t kind;
	uint8_t len;
	uint16_t flags;
};

/**
 * opcode_get - look up an opcode
 * @num: opcode field of a BTH
 *
 * Return: its entry of the table, or NULL when the opcode is unknown.
 */
const struct opcode *opcode_get(uint8_t num);

#endif /* ORNIC_DEVICE_OPCODE_H */
