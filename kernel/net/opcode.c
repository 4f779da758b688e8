// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Table of the commands: names, and which answers of the device are legal */
#include <linux/array_size.h>
#include <linux/bits.h>

#include "opcode.h"

/**
 * struct ornic_opcode_info - one command
 * @name:	for log messages and trace events
 * @query:	changes nothing. A device of a lower minor version may answer
 *		less than the host asks for ([ORNIC-EXT-3]).
 * @refusals:	bits of enum ornic_cmd_status, for a command that offers the
 *		device memory in place of other memory; 0 for other commands
 */
struct ornic_opcode_info {
	const char *name;
	bool query;
	u32 refusals;
};

#define ORNIC_OPCODE(word, ...) \
	[ORNIC_CMD_##word] = { .name = #word, ##__VA_ARGS__ }

/* In the order of enum ornic_opcode */
static const struct ornic_opcode_info ornic_opcodes[] = {
	ORNIC_OPCODE(NOP),
	ORNIC_OPCODE(QUERY_DEVICE, .query = true),
	ORNIC_OPCODE(QUERY_STATS, .query = true),
	ORNIC_OPCODE(SET_HOST),
	ORNIC_OPCODE(QUERY_EFFECTS, .query = true),
	ORNIC_OPCODE(QUERY_LOG, .query = true),
	ORNIC_OPCODE(QUERY_PORT, .query = true),
	ORNIC_OPCODE(MODIFY_PORT),
	ORNIC_OPCODE(SET_RX_FILTER),
	ORNIC_OPCODE(SET_RX_QUEUES),
	ORNIC_OPCODE(SET_GID),
	ORNIC_OPCODE(ALLOC_UCTX),
	ORNIC_OPCODE(FREE_UCTX),
	ORNIC_OPCODE(CREATE_EQ),
	ORNIC_OPCODE(DESTROY_EQ),
	ORNIC_OPCODE(CREATE_MR),
	ORNIC_OPCODE(DESTROY_MR),
	/* The range is the choice of a process ([ORNIC-OBJ-28]) */
	ORNIC_OPCODE(MODIFY_MR, .refusals = BIT(ORNIC_CMD_BAD_PARAM) | BIT(ORNIC_CMD_BUSY)),
	ORNIC_OPCODE(CREATE_CQ),
	ORNIC_OPCODE(DESTROY_CQ),
	ORNIC_OPCODE(MODIFY_CQ),
	/* [ORNIC-CQ-20] */
	ORNIC_OPCODE(RESIZE_CQ, .refusals = BIT(ORNIC_CMD_BAD_PARAM) | BIT(ORNIC_CMD_BAD_OBJECT)),
	ORNIC_OPCODE(CREATE_QP),
	ORNIC_OPCODE(DESTROY_QP),
	ORNIC_OPCODE(MODIFY_QP),
	ORNIC_OPCODE(QUERY_QP, .query = true),
	ORNIC_OPCODE(ATTACH_MCAST),
	ORNIC_OPCODE(DETACH_MCAST),
	ORNIC_OPCODE(BIND_STATS),
	ORNIC_OPCODE(CREATE_SRQ),
	ORNIC_OPCODE(DESTROY_SRQ),
	ORNIC_OPCODE(MODIFY_SRQ),
	ORNIC_OPCODE(QUERY_SRQ, .query = true),
	/* [ORNIC-SRQ-10], [ORNIC-SRQ-7] */
	ORNIC_OPCODE(RESIZE_SRQ, .refusals = BIT(ORNIC_CMD_BAD_STATE)),
	ORNIC_OPCODE(ALLOC_XRCD),
	ORNIC_OPCODE(FREE_XRCD),
	ORNIC_OPCODE(CREATE_WQ),
	ORNIC_OPCODE(DESTROY_WQ),
	ORNIC_OPCODE(MODIFY_WQ),
	ORNIC_OPCODE(CREATE_RWQ_TABLE),
	ORNIC_OPCODE(DESTROY_RWQ_TABLE),
	ORNIC_OPCODE(CREATE_FLOW),
	ORNIC_OPCODE(DESTROY_FLOW),
	ORNIC_OPCODE(CREATE_COUNTERS),
	ORNIC_OPCODE(DESTROY_COUNTERS),
};

static const struct ornic_opcode_info *ornic_opcode_find(enum ornic_opcode opcode)
{
	static const struct ornic_opcode_info unknown = { .name = "unknown" };

	if (opcode >= ARRAY_SIZE(ornic_opcodes) || !ornic_opcodes[opcode].name)
		return &unknown;
	return &ornic_opcodes[opcode];
}

/**
 * ornic_opcode_name - get the name of a command for log messages
 * @opcode:	enum ornic_opcode
 *
 * Return: the name, or "unknown".
 */
const char *ornic_opcode_name(enum ornic_opcode opcode)
{
	return ornic_opcode_find(opcode)->name;
}

/**
 * ornic_opcode_is_query - check whether a command only asks for information
 * @opcode:	enum ornic_opcode
 *
 * Return: true for a query.
 */
bool ornic_opcode_is_query(enum ornic_opcode opcode)
{
	return ornic_opcode_find(opcode)->query;
}

/**
 * ornic_opcode_refusals - get the statuses with which a device may refuse
 * @opcode:	enum ornic_opcode
 *
 * A refused command has changed nothing, so the host frees the memory that it
 * offered in place of another. A device that refuses without a reason may have
 * taken it.
 *
 * Return: bits of enum ornic_cmd_status.
 */
u32 ornic_opcode_refusals(enum ornic_opcode opcode)
{
	const u32 any = BIT(ORNIC_CMD_NO_RESOURCES) | BIT(ORNIC_CMD_DMA_FAULT) |
			BIT(ORNIC_CMD_INTERNAL);
	u32 refusals = ornic_opcode_find(opcode)->refusals;

	return refusals ? any | refusals : GENMASK(ORNIC_CMD_INTERNAL, ORNIC_CMD_BAD_OPCODE);
}
