// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers of objects in use: processes that got the same number would share an
 * object, such as a doorbell page ([ORNIC-OBJ-3]). Objects with events are
 * in the tables of their receivers instead, see ornic_res_add().
 */
#include "core.h"
#include "num.h"

static const struct {
	enum ornic_opcode create;
	enum ornic_opcode destroy;
} ornic_num_kinds[ORNIC_NUM_KINDS] = {
	{ ORNIC_CMD_ALLOC_UCTX, ORNIC_CMD_FREE_UCTX },
	{ ORNIC_CMD_CREATE_EQ, ORNIC_CMD_DESTROY_EQ },
	{ ORNIC_CMD_CREATE_MR, ORNIC_CMD_DESTROY_MR },
	{ ORNIC_CMD_ALLOC_XRCD, ORNIC_CMD_FREE_XRCD },
	{ ORNIC_CMD_CREATE_RWQ_TABLE, ORNIC_CMD_DESTROY_RWQ_TABLE },
	{ ORNIC_CMD_CREATE_FLOW, ORNIC_CMD_DESTROY_FLOW },
	{ ORNIC_CMD_CREATE_COUNTERS, ORNIC_CMD_DESTROY_COUNTERS },
};

/* Returns ORNIC_NUM_KINDS for an object that is not here */
static u32 ornic_num_kind(enum ornic_opcode opcode)
{
	u32 kind;

	for (kind = 0; kind < ORNIC_NUM_KINDS; kind++)
		if (opcode == ornic_num_kinds[kind].create ||
		    opcode == ornic_num_kinds[kind].destroy)
			break;
	return kind;
}

/* The variant of a key is the host's choice and changes */
static u32 ornic_num_index(enum ornic_opcode opcode, u32 num)
{
	switch (opcode) {
	case ORNIC_CMD_CREATE_MR:
	case ORNIC_CMD_DESTROY_MR:
		return ORNIC_GET(ORNIC_KEY_INDEX, num);
	default:
		return num;
	}
}

/**
 * ornic_nums_init - initialise the tables of numbers, once per probe
 * @core:	the device
 */
void ornic_nums_init(struct ornic_core *core)
{
	u32 i;

	ida_init(&core->pdns);
	for (i = 0; i < ORNIC_NUM_KINDS; i++)
		xa_init(&core->nums[i]);
}

/**
 * ornic_nums_clear - forget all numbers
 * @core:	the device, without objects
 */
void ornic_nums_clear(struct ornic_core *core)
{
	u32 i;

	for (i = 0; i < ORNIC_NUM_KINDS; i++)
		xa_destroy(&core->nums[i]);
	ida_destroy(&core->pdns);
}

/**
 * ornic_num_destroy - get the command that destroys an object
 * @create:	the command that created it, and took its number into use
 *
 * Return: enum ornic_opcode.
 */
enum ornic_opcode ornic_num_destroy(enum ornic_opcode create)
{
	return ornic_num_kinds[ornic_num_kind(create)].destroy;
}

/**
 * ornic_num_add - take the number of an object into use
 * @core:	the device
 * @opcode:	the command that created it, or that has not destroyed it
 * @num:	its number
 * @gfp:	how to allocate memory
 *
 * Return: 0, -EBUSY if another object has the number, or -ENOMEM.
 */
int ornic_num_add(struct ornic_core *core, enum ornic_opcode opcode, u32 num, gfp_t gfp)
{
	u32 kind = ornic_num_kind(opcode);

	if (kind == ORNIC_NUM_KINDS)
		return 0;

	return xa_insert(&core->nums[kind], ornic_num_index(opcode, num), xa_mk_value(0), gfp);
}

/**
 * ornic_num_remove - allow the device to give a number again
 * @core:	the device
 * @destroy:	the command that is going to destroy the object: the device may
 *		give the number again before it completes
 * @num:	number of the object
 */
void ornic_num_remove(struct ornic_core *core, enum ornic_opcode destroy, u32 num)
{
	u32 kind = ornic_num_kind(destroy);

	if (kind < ORNIC_NUM_KINDS)
		xa_erase(&core->nums[kind], ornic_num_index(destroy, num));
}
