// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receivers of events: the objects of the device, by type and number */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "core.h"
#include "fail.h"
#include "gap.h"
#include "res.h"

/* Receivers with a ring */
#define ORNIC_RES_RING XA_MARK_0

/**
 * ornic_res_init - initialise the tables of event receivers
 * @core:	the device
 */
void ornic_res_init(struct ornic_core *core)
{
	u32 i;

	for (i = 0; i < ORNIC_RES_TYPES; i++)
		xa_init_flags(&core->res[i], XA_FLAGS_LOCK_IRQ);
}

/**
 * ornic_res_uninit - destroy the tables of event receivers
 * @core:	the device; the tables are empty and not used any more
 */
void ornic_res_uninit(struct ornic_core *core)
{
	u32 i;

	for (i = 0; i < ORNIC_RES_TYPES; i++) {
		WARN_ON(!xa_empty(&core->res[i]));
		xa_destroy(&core->res[i]);
	}
}

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
	if (!err && res->ring)
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
	const struct ornic_cq_ring *ring = res->ring;
	const struct ornic_cqe *first = ornic_cq_entry(ring, 0);
	/* As published: the consumer's own copy is under its lock */
	u32 ci = le32_to_cpu(READ_ONCE(ring->dbr->ci));
	bool found;

	found = ornic_gap_at(&first->qpn, ring->log_cqe_size, ring->log_size, ORNIC_CQE_PHASE, ci);
	if (ornic_gap_stays(&res->gap, found, ci))
		ornic_fail(core, "completion queue %#x lacks entry %u", res->num, ci);
}

/**
 * ornic_res_check_rings - stop a device that leaves out entries of rings
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
