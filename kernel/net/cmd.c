// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Table and execution of admin commands, and what is done about their answers.
 * The first command that times out stops the device (ORNIC specification,
 * section 4).
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/timekeeping.h>

#include "cmd.h"
#include "core.h"
#include "health.h"
#include "ornic_trace.h"
#include "res.h"

#define ORNIC_CMD_TIMEOUT_MS	10000

/*
 * Time to look for a completion before the caller sleeps. A device that is
 * awake answers in a few us; an interrupt and a wake-up cost tens of them.
 */
#define ORNIC_CMD_SPIN_NS	(50 * NSEC_PER_USEC)

/* ---- Table of the commands ----------------------------------------------- */

/**
 * struct ornic_cmd_info - one command
 * @name:	for messages
 * @query:	changes nothing. A device of a lower minor version may answer
 *		less than the host asks for ([ORNIC-EXT-3]).
 * @refusals:	bits of enum ornic_cmd_status, for a command that offers the
 *		device memory in place of other memory; 0 for other commands
 */
struct ornic_cmd_info {
	const char *name;
	bool query;
	u32 refusals;
};

#define ORNIC_OPCODE(word, ...) \
	[ORNIC_CMD_##word] = { .name = #word, ##__VA_ARGS__ }

/* In the order of enum ornic_opcode */
static const struct ornic_cmd_info ornic_cmds[] = {
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
	ORNIC_OPCODE(CREATE_COMP_CNTR),
	ORNIC_OPCODE(DESTROY_COMP_CNTR),
	ORNIC_OPCODE(MODIFY_COMP_CNTR),
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
	ORNIC_OPCODE(ATTACH_COMP_CNTR),
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

static const struct ornic_cmd_info *ornic_cmd_find(enum ornic_opcode opcode)
{
	static const struct ornic_cmd_info unknown = { .name = "unknown" };

	if (opcode >= ARRAY_SIZE(ornic_cmds) || !ornic_cmds[opcode].name)
		return &unknown;
	return &ornic_cmds[opcode];
}

/**
 * ornic_cmd_name - get the name of a command for log messages
 * @opcode:	enum ornic_opcode
 *
 * Return: the name, or "unknown".
 */
const char *ornic_cmd_name(enum ornic_opcode opcode)
{
	return ornic_cmd_find(opcode)->name;
}

/**
 * ornic_cmd_supported - check whether the device supports a command
 * @core:	the device; its effects are known
 * @opcode:	enum ornic_opcode
 *
 * Return: true if it does, with the features in force.
 */
bool ornic_cmd_supported(const struct ornic_core *core, enum ornic_opcode opcode)
{
	return opcode < ORNIC_EFFECTS_MAX && core->effects[opcode] & ORNIC_EFFECT_SUPPORTED;
}

/*
 * Returns bits of enum ornic_cmd_status. A refused command has changed nothing,
 * so the host frees the memory that it offered in place of another. A device
 * that refuses without a reason may have taken it.
 */
static u32 ornic_cmd_refusals(enum ornic_opcode opcode)
{
	const u32 any = BIT(ORNIC_CMD_NO_RESOURCES) | BIT(ORNIC_CMD_DMA_FAULT) |
			BIT(ORNIC_CMD_INTERNAL);
	u32 refusals = ornic_cmd_find(opcode)->refusals;

	return refusals ? any | refusals : GENMASK(ORNIC_CMD_INTERNAL, ORNIC_CMD_BAD_OPCODE);
}

/* ---- Execution ----------------------------------------------------------- */

/* Stops a device whose command would never complete, because another one did */
static void ornic_cmd_check_stray(struct ornic_core *core, int stray)
{
	if (stray >= 0)
		ornic_fail(core, "device completes command id %#x, which is not pending", stray);
}

/**
 * ornic_cmd_interrupt - complete the commands that the device has answered
 * @core:	the device
 *
 * Called by the interrupt handler of vector 0.
 */
void ornic_cmd_interrupt(struct ornic_core *core)
{
	ornic_cmd_check_stray(core, ornic_cmdq_interrupt(core));
}

/* Returns true if the command has completed, or the device has died */
static bool ornic_cmd_spin(struct ornic_core *core, u32 i)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	u64 start = local_clock();

	do {
		if (ornic_cmdq_has_entry(cmdq))
			ornic_cmd_check_stray(core, ornic_cmdq_poll(core));
		if (ornic_cmd_is_done(&cmdq->slots[i]))
			return true;
		cpu_relax();
		/* Another CPU's clock may be behind: then this ends early */
	} while (!need_resched() && local_clock() - start < ORNIC_CMD_SPIN_NS);

	return false;
}

/* No completion in time: find out why, and fail the device */
static void ornic_cmd_timed_out(struct ornic_core *core, u32 i, enum ornic_opcode opcode)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	struct ornic_cmd_slot *slot = &cmdq->slots[i];
	bool pending;
	u32 pi, ci;

	spin_lock_irq(&cmdq->lock);
	if (!slot->pending) {
		/* Completed at the last moment */
		spin_unlock_irq(&cmdq->lock);
		return;
	}
	ornic_cmdq_poll_locked(core);
	pending = slot->pending;
	pi = cmdq->pi;
	ci = cmdq->ci;
	spin_unlock_irq(&cmdq->lock);

	ornic_fail(core, "command %s timed out, %s (pi %u, ci %u)", ornic_cmd_name(opcode),
		   pending ? "no completion" : "completed without an interrupt", pi, ci);
}

static void ornic_cmd_await(struct ornic_core *core, u32 i, enum ornic_opcode opcode)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	struct ornic_cmd_slot *slot = &cmdq->slots[i];
	u32 ahead, next;

	if (ornic_cmd_spin(core, i))
		return;

	ornic_cmd_check_stray(core, ornic_cmdq_begin_sleep(core, i));
	if (ornic_cmd_is_done(slot))
		return;

	/*
	 * Others that are slow may be ahead of it: the device gets the time for
	 * each of them.
	 */
	next = ornic_cmdq_ahead(cmdq, i);
	do {
		if (wait_for_completion_timeout(&slot->done,
						msecs_to_jiffies(ORNIC_CMD_TIMEOUT_MS)))
			return;
		ahead = next;
		next = ornic_cmdq_ahead(cmdq, i);
	} while (next < ahead);

	ornic_cmd_timed_out(core, i, opcode);
	/* It was asleep: done is completed before pending is clear */
	wait_for_completion(&slot->done);
}

/* Outputs that create or resize, in version 1; later fields may be absent */
#define ORNIC_CMD_OUT_MIN	8

static size_t ornic_cmd_out_min(enum ornic_opcode opcode, size_t out_len)
{
	return ornic_cmd_find(opcode)->query ? 0 : min(out_len, ORNIC_CMD_OUT_MIN);
}

static int ornic_cmd_result(struct ornic_core *core, u32 i, enum ornic_opcode opcode,
			    void *out, size_t out_len)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	const struct ornic_cmd_cqe *cqe = &cmdq->slots[i].cqe;
	u32 status = le16_to_cpu(cqe->status);
	u32 len = le32_to_cpu(cqe->out_len);
	int err;

	err = ornic_cmd_errno(status);
	if (err && (status > ORNIC_CMD_INTERNAL ||
		    !(ornic_cmd_refusals(opcode) & BIT(status)))) {
		ornic_fail(core, "command %s failed with status %u", ornic_cmd_name(opcode),
			   status);
		return -EIO;
	}
	if (err) {
		dev_dbg_ratelimited(ornic_device(core), "command %s: status %u, detail %#x\n",
				    ornic_cmd_name(opcode), status, le32_to_cpu(cqe->detail));
		return err;
	}

	/* An object without a number could not be destroyed ([ORNIC-OBJ-3]) */
	if (len > out_len || len < ornic_cmd_out_min(opcode, out_len)) {
		ornic_fail(core, "command %s answered %u bytes in room for %zu",
			   ornic_cmd_name(opcode), len, out_len);
		return -EIO;
	}

	if (out_len) {
		memcpy(out, ornic_cmdq_out(cmdq, i), len);
		memset(out + len, 0, out_len - len);
	}
	return 0;
}

static void ornic_cmd_trace(struct ornic_core *core, const struct ornic_cmd_slot *slot,
			    enum ornic_opcode opcode, u64 start)
{
	int status = slot->dead ? -1 : le16_to_cpu(slot->cqe.status);

	/* The event was disabled when the command began, or is now */
	if (!start || !trace_ornic_cmd_enabled())
		return;

	trace_ornic_cmd(ornic_device(core), ornic_cmd_name(opcode), opcode, slot->cmd_id, status,
			ktime_get_ns() - start);
}

/*
 * Returns false if no slot is free. A caller that has commands in flight does
 * not wait for one: several such callers would wait for each other.
 */
static bool ornic_cmd_start(struct ornic_core *core, struct ornic_cmd_req *req, bool wait)
{
	struct ornic_cmdq *cmdq = &core->cmdq;

	req->slot = -1;
	req->err = -EINVAL;
	if (WARN_ON_ONCE(req->in_len > ORNIC_CMD_MAX_IN || req->out_len > ORNIC_CMD_MAX_OUT))
		return true;

	/* A device without the command would refuse it ([ORNIC-EFF-1]) */
	if (core->has_effects && !ornic_cmd_supported(core, req->opcode)) {
		dev_dbg_ratelimited(ornic_device(core), "command %s: not supported by the device\n",
				    ornic_cmd_name(req->opcode));
		req->err = -EOPNOTSUPP;
		return true;
	}

	if (pci_channel_offline(core->odev.pdev))
		ornic_fail(core, "device is off the bus");

	req->err = ornic_cmdq_get_slot(cmdq, req->urgent, wait);
	if (req->err == -EAGAIN)
		return false;
	if (req->err < 0)
		return true;

	req->slot = req->err;
	if (req->in_len)
		memcpy(ornic_cmdq_in(cmdq, req->slot), req->in, req->in_len);

	req->start = trace_ornic_cmd_enabled() ? ktime_get_ns() : 0;
	req->err = ornic_cmdq_submit(core, req->slot, req->opcode, req->in_len, req->out_len);
	return true;
}

static void ornic_cmd_finish(struct ornic_core *core, struct ornic_cmd_req *req)
{
	const struct ornic_cmd_slot *slot;

	if (req->slot < 0)
		return;
	if (req->err)
		goto out_put_slot;

	ornic_cmd_await(core, req->slot, req->opcode);
	slot = &core->cmdq.slots[req->slot];
	ornic_cmd_trace(core, slot, req->opcode, req->start);
	if (slot->dead)
		req->err = -EIO;
	else
		req->err = ornic_cmd_result(core, req->slot, req->opcode, req->out, req->out_len);

out_put_slot:
	ornic_cmdq_put_slot(&core->cmdq, req->slot);
}

void ornic_cmd_exec_all(struct ornic_dev *odev, struct ornic_cmd_req *reqs, u32 count)
{
	struct ornic_core *core = to_ornic_core(odev);
	u32 started = 0, i;

	for (i = 0; i < count; i++) {
		while (started < count &&
		       ornic_cmd_start(core, &reqs[started], started == i))
			started++;
		ornic_cmd_finish(core, &reqs[i]);
	}
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_exec_all, "ORNIC");

static int ornic_cmd_exec_as(struct ornic_dev *odev, bool urgent, enum ornic_opcode opcode,
			     const void *in, size_t in_len, void *out, size_t out_len)
{
	struct ornic_cmd_req req = {
		.opcode = opcode,
		.in = in,
		.in_len = in_len,
		.out = out,
		.out_len = out_len,
		.urgent = urgent,
	};

	ornic_cmd_exec_all(odev, &req, 1);
	return req.err;
}

int ornic_cmd_exec(struct ornic_dev *odev, enum ornic_opcode opcode,
		   const void *in, size_t in_len, void *out, size_t out_len)
{
	return ornic_cmd_exec_as(odev, false, opcode, in, in_len, out, out_len);
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_exec, "ORNIC");

int ornic_cmd_exec_urgent(struct ornic_dev *odev, enum ornic_opcode opcode,
			  const void *in, size_t in_len, void *out, size_t out_len)
{
	return ornic_cmd_exec_as(odev, true, opcode, in, in_len, out, out_len);
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_exec_urgent, "ORNIC");

static_assert(sizeof(struct ornic_create_mr_out) == sizeof(struct ornic_object));
static_assert(offsetof(struct ornic_create_mr_out, key) == offsetof(struct ornic_object, num));

/* Destruction would hit the object that had the number first */
static int ornic_cmd_add_num(struct ornic_core *core, enum ornic_opcode opcode, u32 num, gfp_t gfp)
{
	int err = ornic_res_num_add(core, opcode, num, gfp);

	if (err == -EBUSY) {
		ornic_fail(core, "command %s gave the number %#x twice", ornic_cmd_name(opcode),
			   num);
		err = -EIO;
	}
	return err;
}

int ornic_cmd_create_as(struct ornic_dev *odev, bool urgent, enum ornic_opcode opcode,
			const void *in, size_t in_len, u32 *num)
{
	struct ornic_core *core = to_ornic_core(odev);
	struct ornic_object out;
	int err;

	err = ornic_cmd_exec_as(odev, urgent, opcode, in, in_len, &out, sizeof(out));
	if (err)
		return err;

	*num = le32_to_cpu(out.num);
	err = ornic_cmd_add_num(core, opcode, *num, GFP_KERNEL);
	if (err == -ENOMEM)
		ornic_cmd_release_as(odev, urgent, ornic_res_num_destroy(opcode), *num);
	return err;
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_create_as, "ORNIC");

int ornic_cmd_create(struct ornic_dev *odev, enum ornic_opcode opcode,
		     const void *in, size_t in_len, u32 *num)
{
	return ornic_cmd_create_as(odev, false, opcode, in, in_len, num);
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_create, "ORNIC");

int ornic_cmd_destroy_as(struct ornic_dev *odev, bool urgent, enum ornic_opcode opcode, u32 num)
{
	struct ornic_object in = { .num = cpu_to_le32(num) };
	struct ornic_core *core = to_ornic_core(odev);
	int err;

	ornic_res_num_remove(core, opcode, num);
	err = ornic_cmd_exec_as(odev, urgent, opcode, &in, sizeof(in), NULL, 0);
	/* A process may have bound windows unseen: the region still exists */
	if (err == -EBUSY && opcode == ORNIC_CMD_DESTROY_MR) {
		ornic_cmd_add_num(core, opcode, num, GFP_KERNEL | __GFP_NOFAIL);
		return err;
	}

	/*
	 * The core destroys only what exists and is not in use. If it is
	 * refused that at the end of a process, it warns and leaks the object.
	 */
	if (err && err != -EIO)
		ornic_fail(core, "command %s %#x failed: %d", ornic_cmd_name(opcode), num, err);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_destroy_as, "ORNIC");

int ornic_cmd_destroy(struct ornic_dev *odev, enum ornic_opcode opcode, u32 num)
{
	return ornic_cmd_destroy_as(odev, false, opcode, num);
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_destroy, "ORNIC");

/**
 * ornic_cmd_release_as - ornic_cmd_release() for netdev, too
 * @odev:	the device
 * @urgent:	see struct ornic_cmd_req
 * @opcode:	enum ornic_opcode, of a command that takes struct ornic_object
 * @num:	number of the object
 */
void ornic_cmd_release_as(struct ornic_dev *odev, bool urgent, enum ornic_opcode opcode, u32 num)
{
	int err = ornic_cmd_destroy_as(odev, urgent, opcode, num);

	if (err)
		ornic_dev_fail(odev, "command %s %#x failed: %d", ornic_cmd_name(opcode), num,
			       err);
}

void ornic_cmd_release(struct ornic_dev *odev, enum ornic_opcode opcode, u32 num)
{
	ornic_cmd_release_as(odev, false, opcode, num);
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_release, "ORNIC");
