// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of BTH opcodes */
#include <stddef.h>

#include "roce/opcode.h"

#define OPCODE_LEN(f) \
	(BTH_LEN + \
	 ((f) & OPCODE_XRCETH ? XRCETH_LEN : 0) + \
	 ((f) & OPCODE_FETH ? FETH_LEN : 0) + \
	 ((f) & OPCODE_RETH ? RETH_LEN : 0) + \
	 ((f) & OPCODE_ATOMICETH ? ATOMICETH_LEN : 0) + \
	 ((f) & OPCODE_MASKETH ? MASKETH_LEN : 0) + \
	 ((f) & OPCODE_AETH ? AETH_LEN : 0) + \
	 ((f) & OPCODE_ATOMICACKETH ? ATOMICACKETH_LEN : 0) + \
	 ((f) & OPCODE_DETH ? DETH_LEN : 0) + \
	 ((f) & OPCODE_IMMDT ? IMMDT_LEN : 0) + \
	 ((f) & OPCODE_IETH ? IETH_LEN : 0))

#define OP(_transport, _name, _kind, _flags) \
	[OPCODE_ ## _transport << OPCODE_TRANSPORT_SHIFT | \
	 OPCODE_RC_ ## _name] = { \
		.name = #_transport "_" #_name, \
		.transport = OPCODE_ ## _transport, \
		.kind = OPCODE_ ## _kind, \
		.len = OPCODE_LEN(_flags), \
		.flags = (_flags), \
	}

#define START	OPCODE_START
#define END	OPCODE_END
#define ONLY	OPCODE_ONLY
#define DATA	OPCODE_DATA

/* Opcodes of all connected transports; those of XRC also have an XRCETH */
#define OPS_SEND_WRITE(_transport, _more) \
	OP(_transport, SEND_FIRST, SEND, START | DATA | (_more)), \
	OP(_transport, SEND_MIDDLE, SEND, DATA | (_more)), \
	OP(_transport, SEND_LAST, SEND, END | DATA | (_more)), \
	OP(_transport, SEND_LAST_IMM, SEND, \
	   END | DATA | OPCODE_IMMDT | (_more)), \
	OP(_transport, SEND_ONLY, SEND, ONLY | DATA | (_more)), \
	OP(_transport, SEND_ONLY_IMM, SEND, \
	   ONLY | DATA | OPCODE_IMMDT | (_more)), \
	OP(_transport, WRITE_FIRST, WRITE, \
	   START | DATA | OPCODE_RETH | (_more)), \
	OP(_transport, WRITE_MIDDLE, WRITE, DATA | (_more)), \
	OP(_transport, WRITE_LAST, WRITE, END | DATA | (_more)), \
	OP(_transport, WRITE_LAST_IMM, WRITE, \
	   END | DATA | OPCODE_IMMDT | (_more)), \
	OP(_transport, WRITE_ONLY, WRITE, \
	   ONLY | DATA | OPCODE_RETH | (_more)), \
	OP(_transport, WRITE_ONLY_IMM, WRITE, \
	   ONLY | DATA | OPCODE_RETH | OPCODE_IMMDT | (_more))

/* Further opcodes of the reliable transports */
#define OPS_RELIABLE(_transport, _more) \
	OP(_transport, READ_REQUEST, READ, ONLY | OPCODE_RETH | (_more)), \
	OP(_transport, READ_RESP_FIRST, READ_RESP, \
	   START | DATA | OPCODE_AETH), \
	OP(_transport, READ_RESP_MIDDLE, READ_RESP, DATA), \
	OP(_transport, READ_RESP_LAST, READ_RESP, END | DATA | OPCODE_AETH), \
	OP(_transport, READ_RESP_ONLY, READ_RESP, \
	   ONLY | DATA | OPCODE_AETH), \
	OP(_transport, ACK, ACK, ONLY | OPCODE_AETH), \
	OP(_transport, ATOMIC_ACK, ATOMIC_ACK, \
	   ONLY | OPCODE_AETH | OPCODE_ATOMICACKETH), \
	OP(_transport, CMP_SWP, ATOMIC, ONLY | OPCODE_ATOMICETH | (_more)), \
	OP(_transport, FETCH_ADD, ATOMIC, \
	   ONLY | OPCODE_ATOMICETH | (_more)), \
	OP(_transport, SEND_LAST_INV, SEND, \
	   END | DATA | OPCODE_IETH | (_more)), \
	OP(_transport, SEND_ONLY_INV, SEND, \
	   ONLY | DATA | OPCODE_IETH | (_more)), \
	OP(_transport, FLUSH, FLUSH, \
	   ONLY | OPCODE_FETH | OPCODE_RETH | (_more)), \
	OP(_transport, ATOMIC_WRITE, ATOMIC_WRITE, \
	   ONLY | DATA | OPCODE_RETH | (_more)), \
	OP(_transport, MASKED_CMP_SWP, ATOMIC, \
	   ONLY | OPCODE_ATOMICETH | OPCODE_MASKETH | (_more)), \
	OP(_transport, MASKED_FETCH_ADD, ATOMIC, \
	   ONLY | OPCODE_ATOMICETH | OPCODE_MASKETH | (_more))

/* The headers behind the BTH are unknown, so all that follows the BTH is payload */
#define OP_RESERVED(_num) \
	[_num] = { \
		.name = "RC_RESERVED", \
		.transport = OPCODE_RC, \
		.kind = OPCODE_RESERVED, \
		.len = BTH_LEN, \
		.flags = ONLY | DATA, \
	}

static const struct opcode opcode_table[256] = {
	OPS_SEND_WRITE(RC, 0),
	OPS_RELIABLE(RC, 0),
	OP_RESERVED(0x15),
	OP_RESERVED(0x18),
	OP_RESERVED(0x19),
	OP_RESERVED(0x1a),
	OP_RESERVED(0x1b),
	OP_RESERVED(0x1e),
	OP_RESERVED(0x1f),
	OPS_SEND_WRITE(UC, 0),
	OPS_SEND_WRITE(XRC, OPCODE_XRCETH),
	OPS_RELIABLE(XRC, OPCODE_XRCETH),
	OP(UD, SEND_ONLY, SEND, ONLY | DATA | OPCODE_DETH),
	OP(UD, SEND_ONLY_IMM, SEND, ONLY | DATA | OPCODE_DETH | OPCODE_IMMDT),
	/* Its 16 reserved bytes are payload here */
	[OPCODE_CNP] = {
		.name = "CNP",
		.transport = OPCODE_CNP >> OPCODE_TRANSPORT_SHIFT,
		.kind = OPCODE_NOTIFICATION,
		.len = BTH_LEN,
		.flags = ONLY | DATA,
	},
};

const struct opcode *opcode_get(uint8_t num)
{
	const struct opcode *op = &opcode_table[num];

	return op->name ? op : NULL;
}
