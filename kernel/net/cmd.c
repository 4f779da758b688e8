// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Admin queue: many commands in flight, each in a slot with its own input and
 * output buffer. The first command that times out stops the queue
 * (hardware.rst, section 4).
 */
#include <linux/module.h>
#include <linux/timekeeping.h>

#include "core.h"
#include "opcode.h"
#include "ornic_trace.h"

#define ORNIC_CMD_TIMEOUT_MS	10000
#define ORNIC_CMD_SLOT_BYTES	(ORNIC_CMD_MAX_IN + ORNIC_CMD_MAX_OUT)

static size_t ornic_cmd_in_offset(const struct ornic_cmdq *cmdq, u32 slot)
{
	return cmdq->data_offset + (size_t)slot * ORNIC_CMD_SLOT_BYTES;
}

static size_t ornic_cmd_out_offset(const struct ornic_cmdq *cmdq, u32 slot)
{
	return ornic_cmd_in_offset(cmdq, slot) + ORNIC_CMD_MAX_IN;
}

/**
 * ornic_cmdq_init - initialise the admin queue, once per probe
 * @core:	the device
 */
void ornic_cmdq_init(struct ornic_core *core)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	u32 i;

	spin_lock_init(&cmdq->lock);
	init_waitqueue_head(&cmdq->wait);
	for (i = 0; i < ORNIC_CMD_SLOTS; i++) {
		init_completion(&cmdq->slots[i].done);
		cmdq->slots[i].cmd_id = ornic_cmd_id(i, 0);
	}
}

/**
 * ornic_cmdq_alloc - allocate the rings
 * @core:	the device
 * @log_depth_max: log2 of the largest depth that the device supports
 *
 * Return: 0 or -ENOMEM.
 */
int ornic_cmdq_alloc(struct ornic_core *core, u8 log_depth_max)
{
	u8 log_depth = min(log_depth_max, ORNIC_CMD_LOG_DEPTH_MAX);
	struct ornic_cmdq *cmdq = &core->cmdq;
	u32 depth = 1u << log_depth;
	size_t sq_size, cq_size;
	int err;

	sq_size = ALIGN(depth * sizeof(*cmdq->sq), ORNIC_CMD_MAX_IN);
	cq_size = ALIGN(depth * sizeof(*cmdq->cq), ORNIC_CMD_MAX_IN);

	cmdq->data_offset = sq_size + cq_size;
	err = ornic_dbuf_alloc(&core->odev, &cmdq->buf, ornic_cmd_in_offset(cmdq, depth));
	if (err)
		return err;

	/* Interrupts and callers that find the queue dead take the lock */
	spin_lock_irq(&cmdq->lock);
	cmdq->log_depth = log_depth;
	cmdq->sq = cmdq->buf.addr;
	cmdq->cq = cmdq->buf.addr + sq_size;
	cmdq->pi = 0;
	cmdq->ci = 0;
	spin_unlock_irq(&cmdq->lock);
	return 0;
}

static bool ornic_cmdq_is_unused(struct ornic_cmdq *cmdq)
{
	bool unused;

	spin_lock_irq(&cmdq->lock);
	unused = bitmap_empty(cmdq->in_use, ORNIC_CMD_SLOTS);
	spin_unlock_irq(&cmdq->lock);

	return unused;
}

/**
 * ornic_cmdq_free - free the rings after the last caller has left
 * @core:	the device; the queue was killed and the device does not use it
 */
void ornic_cmdq_free(struct ornic_core *core)
{
	struct ornic_cmdq *cmdq = &core->cmdq;

	wait_event(cmdq->wait, ornic_cmdq_is_unused(cmdq));
	spin_lock_irq(&cmdq->lock);
	cmdq->sq = NULL;
	cmdq->cq = NULL;
	spin_unlock_irq(&cmdq->lock);
	ornic_dbuf_free(&core->odev, &cmdq->buf);
}

/**
 * ornic_cmdq_run - accept commands from now on
 * @core:	the device; its admin queue is enabled
 */
void ornic_cmdq_run(struct ornic_core *core)
{
	struct ornic_cmdq *cmdq = &core->cmdq;

	spin_lock_irq(&cmdq->lock);
	WRITE_ONCE(cmdq->running, true);
	spin_unlock_irq(&cmdq->lock);
}

/**
 * ornic_cmdq_kill - stop the device, fail all pending and later commands
 * @core:	the device
 *
 * May be called in any context.
 *
 * Return: true if the queue was running.
 */
bool ornic_cmdq_kill(struct ornic_core *core)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&cmdq->lock, flags);
	if (!cmdq->running) {
		spin_unlock_irqrestore(&cmdq->lock, flags);
		return false;
	}

	/*
	 * With the lock held: callers that find the queue dead may free memory
	 * at once, so the device must be off the bus by then.
	 */
	ornic_halt(core);
	WRITE_ONCE(cmdq->running, false);
	for_each_set_bit(i, cmdq->in_use, ORNIC_CMD_SLOTS) {
		struct ornic_cmd_slot *slot = &cmdq->slots[i];

		if (!slot->pending)
			continue;
		slot->pending = false;
		slot->dead = true;
		complete(&slot->done);
	}
	spin_unlock_irqrestore(&cmdq->lock, flags);

	wake_up_all(&cmdq->wait);
	atomic_notifier_call_chain(&core->odev.death, 0, NULL);
	return true;
}

/*
 * Returns a negative number, or the id of a completion that matches no pending
 * command. A device that sends one is broken: the command that it should have
 * completed would never complete.
 */
static int ornic_cmdq_poll_locked(struct ornic_core *core)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	u32 mask = (1u << cmdq->log_depth) - 1;

	lockdep_assert_held(&cmdq->lock);

	while (cmdq->running) {
		struct ornic_cmd_cqe *cqe = &cmdq->cq[cmdq->ci & mask];
		u32 ctl = le32_to_cpu(READ_ONCE(cqe->ctl));
		struct ornic_cmd_slot *slot;
		u16 cmd_id;

		if ((ctl & ORNIC_CMD_CQE_PHASE) !=
		    ornic_ring_phase(cmdq->ci, cmdq->log_depth, ORNIC_CMD_CQE_PHASE))
			break;

		/* Read the phase before the other words of the entry */
		dma_rmb();
		cmdq->ci++;
		cmd_id = le16_to_cpu(READ_ONCE(cqe->cmd_id));
		slot = &cmdq->slots[ORNIC_GET(ORNIC_CMD_ID_SLOT, cmd_id)];
		if (!slot->pending || slot->cmd_id != cmd_id)
			return cmd_id;

		slot->cqe = *cqe;
		slot->pending = false;
		complete(&slot->done);
	}
	return -1;
}

/**
 * ornic_cmdq_poll - take completions from the ring
 * @core:	the device
 *
 * Called by the interrupt handler of vector 0.
 */
void ornic_cmdq_poll(struct ornic_core *core)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	unsigned long flags;
	int stray;

	spin_lock_irqsave(&cmdq->lock, flags);
	stray = ornic_cmdq_poll_locked(core);
	spin_unlock_irqrestore(&cmdq->lock, flags);

	if (stray >= 0)
		ornic_fail(core, "device completes command id %#x, which is not pending", stray);
}

/* Returns a slot, -EIO if the queue is dead, -EAGAIN if none is free */
static int ornic_cmd_get_slot(struct ornic_cmdq *cmdq)
{
	u32 depth, i;
	int ret;

	spin_lock_irq(&cmdq->lock);
	depth = 1u << cmdq->log_depth;
	i = find_first_zero_bit(cmdq->in_use, depth);
	if (!cmdq->running) {
		ret = -EIO;
	} else if (i >= depth) {
		ret = -EAGAIN;
	} else {
		__set_bit(i, cmdq->in_use);
		ret = i;
	}
	spin_unlock_irq(&cmdq->lock);

	return ret;
}

static void ornic_cmd_put_slot(struct ornic_cmdq *cmdq, u32 i)
{
	spin_lock_irq(&cmdq->lock);
	__clear_bit(i, cmdq->in_use);
	/* Under the lock: the queue may be freed as soon as it is released */
	wake_up_all(&cmdq->wait);
	spin_unlock_irq(&cmdq->lock);
}

static int ornic_cmd_submit(struct ornic_core *core, u32 i, enum ornic_opcode opcode,
			    size_t in_len, size_t out_len)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	struct ornic_cmd_slot *slot = &cmdq->slots[i];
	struct ornic_cmd_sqe sqe = {
		.opcode = cpu_to_le16(opcode),
		.in_len = cpu_to_le32(in_len),
		.out_len = cpu_to_le32(out_len),
	};
	int ret = -EIO;

	if (in_len)
		sqe.in_addr = cpu_to_le64(cmdq->buf.dma + ornic_cmd_in_offset(cmdq, i));
	if (out_len)
		sqe.out_addr = cpu_to_le64(cmdq->buf.dma + ornic_cmd_out_offset(cmdq, i));

	spin_lock_irq(&cmdq->lock);
	if (cmdq->running) {
		reinit_completion(&slot->done);
		slot->cmd_id = ornic_cmd_id(i, ORNIC_GET(ORNIC_CMD_ID_GEN, slot->cmd_id) + 1);
		slot->pending = true;
		slot->dead = false;

		sqe.cmd_id = cpu_to_le16(slot->cmd_id);
		cmdq->sq[cmdq->pi++ & ((1u << cmdq->log_depth) - 1)] = sqe;
		/* writel() orders entry and input before the doorbell */
		writel(cmdq->pi, core->regs + ORNIC_REG_ADMIN_DB);
		ret = 0;
	}
	spin_unlock_irq(&cmdq->lock);

	return ret;
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

	ornic_fail(core, "command %s timed out, %s (pi %u, ci %u)", ornic_opcode_name(opcode),
		   pending ? "no completion" : "completed without an interrupt", pi, ci);
}

/* Outputs that create or resize, in version 1; later fields may be absent */
#define ORNIC_CMD_OUT_MIN	8

static size_t ornic_cmd_out_min(enum ornic_opcode opcode, size_t out_len)
{
	return ornic_opcode_is_query(opcode) ? 0 : min(out_len, ORNIC_CMD_OUT_MIN);
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
	if (err && (status > ORNIC_CMD_INTERNAL || !(ornic_opcode_refusals(opcode) & BIT(status)))) {
		ornic_fail(core, "command %s failed with status %u", ornic_opcode_name(opcode),
			   status);
		return -EIO;
	}
	if (err) {
		dev_dbg_ratelimited(ornic_device(core), "command %s: status %u, detail %#x\n",
				    ornic_opcode_name(opcode), status, le32_to_cpu(cqe->detail));
		return err;
	}

	/* An object without a number could not be destroyed ([ORNIC-OBJ-22]) */
	if (len > out_len || len < ornic_cmd_out_min(opcode, out_len)) {
		ornic_fail(core, "command %s answered %u bytes in room for %zu",
			   ornic_opcode_name(opcode), len, out_len);
		return -EIO;
	}

	if (out_len) {
		memcpy(out, cmdq->buf.addr + ornic_cmd_out_offset(cmdq, i), len);
		memset(out + len, 0, out_len - len);
	}
	return 0;
}

static void ornic_cmd_trace(struct ornic_core *core, const struct ornic_cmd_slot *slot,
			    enum ornic_opcode opcode, u64 start)
{
	int status = slot->dead ? -1 : le16_to_cpu(slot->cqe.status);

	trace_ornic_cmd(ornic_device(core), opcode, slot->cmd_id, status, ktime_get_ns() - start);
}

int ornic_cmd_exec(struct ornic_dev *odev, enum ornic_opcode opcode,
		   const void *in, size_t in_len, void *out, size_t out_len)
{
	struct ornic_core *core = to_ornic_core(odev);
	struct ornic_cmdq *cmdq = &core->cmdq;
	int i, err;
	u64 start;

	if (WARN_ON_ONCE(in_len > ORNIC_CMD_MAX_IN || out_len > ORNIC_CMD_MAX_OUT))
		return -EINVAL;

	if (pci_channel_offline(odev->pdev))
		ornic_fail(core, "device is off the bus");

	wait_event(cmdq->wait, (i = ornic_cmd_get_slot(cmdq)) != -EAGAIN);
	if (i < 0)
		return i;

	if (in_len)
		memcpy(cmdq->buf.addr + ornic_cmd_in_offset(cmdq, i), in, in_len);

	start = ktime_get_ns();
	err = ornic_cmd_submit(core, i, opcode, in_len, out_len);
	if (err)
		goto out_put_slot;

	if (!wait_for_completion_timeout(&cmdq->slots[i].done,
					 msecs_to_jiffies(ORNIC_CMD_TIMEOUT_MS))) {
		ornic_cmd_timed_out(core, i, opcode);
		/* pending is clear by now; done is completed along with it */
		wait_for_completion(&cmdq->slots[i].done);
	}

	ornic_cmd_trace(core, &cmdq->slots[i], opcode, start);
	if (cmdq->slots[i].dead)
		err = -EIO;
	else
		err = ornic_cmd_result(core, i, opcode, out, out_len);

out_put_slot:
	ornic_cmd_put_slot(cmdq, i);
	return err;
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_exec, "ORNIC");

static_assert(sizeof(struct ornic_create_mr_out) == sizeof(struct ornic_object));
static_assert(offsetof(struct ornic_create_mr_out, key) == offsetof(struct ornic_object, num));

int ornic_cmd_create(struct ornic_dev *odev, enum ornic_opcode opcode,
		     const void *in, size_t in_len, u32 *num)
{
	struct ornic_object out;
	int err;

	err = ornic_cmd_exec(odev, opcode, in, in_len, &out, sizeof(out));
	if (err)
		return err;

	*num = le32_to_cpu(out.num);
	return ornic_num_add(to_ornic_core(odev), opcode, *num);
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_create, "ORNIC");

int ornic_cmd_destroy(struct ornic_dev *odev, enum ornic_opcode opcode, u32 num)
{
	struct ornic_object in = { .num = cpu_to_le32(num) };
	struct ornic_core *core = to_ornic_core(odev);
	bool refused;
	int err;

	ornic_num_remove_begin(core, opcode, num);
	err = ornic_cmd_exec(odev, opcode, &in, sizeof(in), NULL, 0);
	/* A process may have bound windows to the region unseen */
	refused = err == -EBUSY && opcode == ORNIC_CMD_DESTROY_MR;
	ornic_num_remove_end(core, opcode, num, refused);
	if (refused)
		return err;

	/*
	 * The core destroys only what exists and is not in use. If it is
	 * refused that at the end of a process, it warns and leaks the object.
	 */
	if (err && err != -EIO)
		ornic_fail(core, "command %s %#x failed: %d", ornic_opcode_name(opcode), num, err);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_destroy, "ORNIC");

void ornic_cmd_release(struct ornic_dev *odev, enum ornic_opcode opcode, u32 num)
{
	int err = ornic_cmd_destroy(odev, opcode, num);

	if (err)
		ornic_dev_fail(odev, "command %s %#x failed: %d", ornic_opcode_name(opcode), num,
			       err);
}
EXPORT_SYMBOL_NS_GPL(ornic_cmd_release, "ORNIC");
