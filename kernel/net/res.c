// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects of the device: their numbers, and the receivers of their events by
 * type and number.
 */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "core.h"
#include "health.h"
#include "res.h"

/* Receivers with a ring */
#define ORNIC_RES_RING XA_MARK_0

/**
 * ornic_res_clear_nums - forget all numbers
 * @core:	the device, without objects
 */
void ornic_res_clear_nums(struct ornic_core *core)
{
	u32 i;

	for (i = 0; i < ORNIC_NUM_KINDS; i++)
		xa_destroy(&core->nums[i]);
	ida_destroy(&core->pdns);
}

/**
 * ornic_res_init - initialise the tables of objects, once per probe
 * @core:	the device
 */
void ornic_res_init(struct ornic_core *core)
{
	static struct lock_class_key receivers;
	u32 i;

	ida_init(&core->pdns);
	for (i = 0; i < ORNIC_NUM_KINDS; i++)
		xa_init(&core->nums[i]);
	for (i = 0; i < ORNIC_RES_TYPES; i++) {
		xa_init_flags(&core->res[i], XA_FLAGS_LOCK_IRQ);
		/*
		 * Interrupts take it. All xarrays of a file are of one class
		 * otherwise.
		 */
		lockdep_set_class(&core->res[i].xa_lock, &receivers);
	}
}

/**
 * ornic_res_uninit - destroy the tables of objects
 * @core:	the device, without objects
 */
void ornic_res_uninit(struct ornic_core *core)
{
	u32 i;

	for (i = 0; i < ORNIC_RES_TYPES; i++) {
		WARN_ON(!xa_empty(&core->res[i]));
		xa_destroy(&core->res[i]);
	}
	ornic_res_clear_nums(core);
}

/* ---- Numbers in use ------------------------------------------------------ */

/*
 * Processes that got the same number would share an object, such as a doorbell
 * page ([ORNIC-OBJ-3]). Objects with events are in the tables of their
 * receivers instead, see ornic_res_add().
 */
static const struct {
	enum ornic_opcode create;
	enum ornic_opcode destroy;
} ornic_res_num_kinds[ORNIC_NUM_KINDS] = {
	{ ORNIC_CMD_ALLOC_UCTX, ORNIC_CMD_FREE_UCTX },
	{ ORNIC_CMD_CREATE_EQ, ORNIC_CMD_DESTROY_EQ },
	{ ORNIC_CMD_CREATE_MR, ORNIC_CMD_DESTROY_MR },
	{ ORNIC_CMD_ALLOC_XRCD, ORNIC_CMD_FREE_XRCD },
	{ ORNIC_CMD_CREATE_RWQ_TABLE, ORNIC_CMD_DESTROY_RWQ_TABLE },
	{ ORNIC_CMD_CREATE_FLOW, ORNIC_CMD_DESTROY_FLOW },
	{ ORNIC_CMD_CREATE_COUNTERS, ORNIC_CMD_DESTROY_COUNTERS },
	{ ORNIC_CMD_CREATE_COMP_CNTR, ORNIC_CMD_DESTROY_COMP_CNTR },
};

/* Returns ORNIC_NUM_KINDS for an object that is not here */
static u32 ornic_res_num_kind(enum ornic_opcode opcode)
{
	u32 kind;

	for (kind = 0; kind < ORNIC_NUM_KINDS; kind++)
		if (opcode == ornic_res_num_kinds[kind].create ||
		    opcode == ornic_res_num_kinds[kind].destroy)
			break;
	return kind;
}

/* The variant of a key is the host's choice and changes */
static u32 ornic_res_num_index(enum ornic_opcode opcode, u32 num)
{
	switch (opcode) {
	case ORNIC_CMD_CREATE_MR:
	case ORNIC_CMD_DESTROY_MR:
		return FIELD_GET(ORNIC_KEY_INDEX, num);
	default:
		return num;
	}
}

/**
 * ornic_res_num_destroy - get the command that destroys an object
 * @create:	the command that created it, and took its number into use
 *
 * Return: enum ornic_opcode.
 */
enum ornic_opcode ornic_res_num_destroy(enum ornic_opcode create)
{
	return ornic_res_num_kinds[ornic_res_num_kind(create)].destroy;
}

/**
 * ornic_res_num_add - take the number of an object into use
 * @core:	the device
 * @opcode:	the command that created it, or that has not destroyed it
 * @num:	its number
 * @gfp:	how to allocate memory
 *
 * Return: 0, -EBUSY if another object has the number, or -ENOMEM.
 */
int ornic_res_num_add(struct ornic_core *core, enum ornic_opcode opcode, u32 num, gfp_t gfp)
{
	u32 kind = ornic_res_num_kind(opcode);

	if (kind == ORNIC_NUM_KINDS)
		return 0;

	return xa_insert(&core->nums[kind], ornic_res_num_index(opcode, num), xa_mk_value(0), gfp);
}

/**
 * ornic_res_num_remove - allow the device to give a number again
 * @core:	the device
 * @destroy:	the command that is going to destroy the object: the device may
 *		give the number again before it completes
 * @num:	number of the object
 */
void ornic_res_num_remove(struct ornic_core *core, enum ornic_opcode destroy, u32 num)
{
	u32 kind = ornic_res_num_kind(destroy);

	if (kind < ORNIC_NUM_KINDS)
		xa_erase(&core->nums[kind], ornic_res_num_index(destroy, num));
}

/* ---- Protection domains -------------------------------------------------- */

/*
 * The host chooses the numbers ([ORNIC-OBJ-12]), so they cost no command: the
 * device learns a number from the objects that are in the domain.
 */
int ornic_pd_alloc(struct ornic_dev *odev, u32 *pdn)
{
	u32 max = min(odev->lim.max_pd, INT_MAX);
	int ret;

	if (!max)
		return -ENOMEM;

	ret = ida_alloc_max(&to_ornic_core(odev)->pdns, max - 1, GFP_KERNEL);
	if (ret < 0)
		return -ENOMEM;

	*pdn = ret;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(ornic_pd_alloc, "ORNIC");

void ornic_pd_free(struct ornic_dev *odev, u32 pdn)
{
	ida_free(&to_ornic_core(odev)->pdns, pdn);
}
EXPORT_SYMBOL_NS_GPL(ornic_pd_free, "ORNIC");

/* ---- Receivers of events ------------------------------------------------- */

int ornic_res_add(struct ornic_dev *odev, struct ornic_res *res)
{
	struct ornic_core *core = to_ornic_core(odev);
	struct xarray *xa = &core->res[res->type];
	int err;

	refcount_set(&res->refs, 1);
	init_completion(&res->unused);
	res->gap = (struct ornic_gap) {};
	xa_lock_irq(xa);
	err = __xa_insert(xa, res->num, res, GFP_KERNEL);
	if (!err && res->polled)
		__xa_set_mark(xa, res->num, ORNIC_RES_RING);
	xa_unlock_irq(xa);
	if (!err)
		return 0;

	refcount_set(&res->refs, 0);
	/* The caller destroys its number, which another object uses */
	if (err == -EBUSY)
		ornic_fail(core, "two objects of type %u have the number %#x", res->type,
			   res->num);
	return err;
}
EXPORT_SYMBOL_NS_GPL(ornic_res_add, "ORNIC");

static void ornic_res_put(struct ornic_res *res)
{
	if (refcount_dec_and_test(&res->refs))
		complete(&res->unused);
}

void ornic_res_remove(struct ornic_dev *odev, struct ornic_res *res)
{
	struct ornic_core *core = to_ornic_core(odev);

	if (!refcount_read(&res->refs))
		return;

	xa_erase_irq(&core->res[res->type], res->num);
	ornic_res_put(res);
	wait_for_completion(&res->unused);
}
EXPORT_SYMBOL_NS_GPL(ornic_res_remove, "ORNIC");

/**
 * ornic_res_event - pass an event to its receiver
 * @core:	the device
 * @type:	type of the object
 * @num:	number of the object, which may have been destroyed since the
 *		device wrote the event
 * @event:	the event
 */
void ornic_res_event(struct ornic_core *core, enum ornic_res_type type, u32 num,
		     enum ornic_event event)
{
	struct xarray *xa = &core->res[type];
	struct ornic_res *res;
	unsigned long flags;

	xa_lock_irqsave(xa, flags);
	res = xa_load(xa, num);
	if (res)
		refcount_inc(&res->refs);
	xa_unlock_irqrestore(xa, flags);

	if (!res)
		return;

	res->event(res, event);
	ornic_res_put(res);
}

/* Returns the next receiver with a ring, for ornic_res_put(), or NULL */
static struct ornic_res *ornic_res_next_ring(struct ornic_core *core, unsigned long *num)
{
	struct xarray *xa = &core->res[ORNIC_RES_CQ];
	struct ornic_res *res;

	xa_lock_irq(xa);
	res = xa_find(xa, num, ULONG_MAX, ORNIC_RES_RING);
	if (res)
		refcount_inc(&res->refs);
	xa_unlock_irq(xa);
	return res;
}

static void ornic_res_check_ring(struct ornic_core *core, struct ornic_res *res)
{
	const struct ornic_cq_ring *ring = res->polled;
	const struct ornic_cqe *first = ornic_cq_entry(ring, 0);
	/* As published: the consumer's own copy is under its lock */
	u32 ci = le32_to_cpu(READ_ONCE(ring->dbr->ci));
	bool found;

	found = ornic_gap_at(&first->qpn, ring->log_cqe_size, ring->log_size, ORNIC_CQE_PHASE, ci);
	if (!ornic_gap_stays(&res->gap, found, ci))
		return;

	if (res->gap_found)
		res->gap_found(res, ci);
	else
		ornic_fail(core, "completion queue %#x lacks entry %u", res->num, ci);
}

/**
 * ornic_res_check_rings - find rings in which the device has left out entries
 * @core:	the device; called every few seconds, and not concurrently
 */
void ornic_res_check_rings(struct ornic_core *core)
{
	struct ornic_res *res;
	unsigned long num;

	for (num = 0; (res = ornic_res_next_ring(core, &num)); num++) {
		ornic_res_check_ring(core, res);
		ornic_res_put(res);
		cond_resched();
	}
}
