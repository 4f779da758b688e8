// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue of the admin commands: slots with an input and an output buffer each,
 * and the rings (ORNIC specification, section 4).
 */
#include <linux/iopoll.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "core.h"
#include "health.h"

#define ORNIC_CMD_SLOT_BYTES		(ORNIC_CMD_MAX_IN + ORNIC_CMD_MAX_OUT)
#define ORNIC_CMDQ_POLL_US		1000
#define ORNIC_CMDQ_START_TIMEOUT_US	(5 * USEC_PER_SEC)

static size_t ornic_cmdq_in_offset(const struct ornic_cmdq *cmdq, u32 slot)
{
	return cmdq->data_offset + (size_t)slot * ORNIC_CMD_SLOT_BYTES;
}

static size_t ornic_cmdq_out_offset(const struct ornic_cmdq *cmdq, u32 slot)
{
	return ornic_cmdq_in_offset(cmdq, slot) + ORNIC_CMD_MAX_IN;
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
	ornic_shares_init(&cmdq->shares);
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

	/* The record is on cache lines of its own */
	sq_size = ALIGN(depth * sizeof(*cmdq->sq), ORNIC_DBR_ALIGN);
	cq_size = ALIGN(depth * sizeof(*cmdq->cq), ORNIC_DBR_ALIGN);

	cmdq->data_offset = ALIGN(sq_size + cq_size + sizeof(*cmdq->dbr), ORNIC_CMD_MAX_IN);
	err = ornic_dbuf_alloc(&core->odev, &cmdq->buf, ornic_cmdq_in_offset(cmdq, depth));
	if (err)
		return err;

	/* Interrupts and callers that find the queue dead take the lock */
	spin_lock_irq(&cmdq->lock);
	cmdq->log_depth = log_depth;
	cmdq->sq = cmdq->buf.addr;
	cmdq->cq = cmdq->buf.addr + sq_size;
	cmdq->dbr = core->odev.shadow ? cmdq->buf.addr + sq_size + cq_size : NULL;
	cmdq->pi = 0;
	cmdq->ci = 0;
	cmdq->taken = 0;
	cmdq->arm_seq = 0;
	spin_unlock_irq(&cmdq->lock);
	ornic_shares_resize(&cmdq->shares, depth);
	return 0;
}

/**
 * ornic_cmdq_free - free the rings after the last caller has left
 * @core:	the device; the queue was killed and the device does not use it
 */
void ornic_cmdq_free(struct ornic_core *core)
{
	struct ornic_cmdq *cmdq = &core->cmdq;

	/* Its users, who would take slots again and again, have gone before */
	ornic_shares_drain(&cmdq->shares);
	spin_lock_irq(&cmdq->lock);
	cmdq->sq = NULL;
	cmdq->cq = NULL;
	cmdq->dbr = NULL;
	spin_unlock_irq(&cmdq->lock);
	ornic_dbuf_free(&core->odev, &cmdq->buf);
}

/**
 * ornic_cmdq_start - enable the admin queue and accept commands
 * @core:	the device, just reset; its rings are allocated
 *
 * Return: 0 or -ETIMEDOUT.
 */
int ornic_cmdq_start(struct ornic_core *core)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	u32 status;

	writel(cmdq->log_depth, core->regs + ORNIC_REG_ADMIN_DEPTH);
	writeq(cmdq->buf.dma, core->regs + ORNIC_REG_ADMIN_SQ);
	writeq(cmdq->buf.dma + ((void *)cmdq->cq - cmdq->buf.addr),
	       core->regs + ORNIC_REG_ADMIN_CQ);
	if (cmdq->dbr)
		writeq(cmdq->buf.dma + ((void *)cmdq->dbr - cmdq->buf.addr),
		       core->regs + ORNIC_REG_ADMIN_DBR);
	writel(ORNIC_CTRL_ENABLE, core->regs + ORNIC_REG_CTRL);
	if (read_poll_timeout(readl, status, status & (ORNIC_STATUS_ENABLED | ORNIC_STATUS_FATAL),
			      ORNIC_CMDQ_POLL_US, ORNIC_CMDQ_START_TIMEOUT_US, false,
			      core->regs + ORNIC_REG_STATUS) ||
	    (status & ORNIC_STATUS_FATAL)) {
		dev_err(ornic_device(core), "admin queue does not start: status %#x, cause %u\n",
			status, readl(core->regs + ORNIC_REG_FATAL_CAUSE));
		return -ETIMEDOUT;
	}

	spin_lock_irq(&cmdq->lock);
	WRITE_ONCE(cmdq->running, true);
	spin_unlock_irq(&cmdq->lock);
	return 0;
}

/*
 * Its caller sleeps or is about to, or looks at the slot. It keeps the slot
 * until the lock is released, because ornic_cmdq_put_slot() takes it.
 */
static void ornic_cmdq_complete(struct ornic_cmdq *cmdq, struct ornic_cmd_slot *slot)
{
	struct ornic_cmd_note *note = &cmdq->notes[slot->index % ORNIC_CMD_NOTES];

	lockdep_assert_held(&cmdq->lock);

	/* Later commands may have overwritten it */
	if (cmdq->pi - slot->index <= ORNIC_CMD_NOTES) {
		note->duration = ktime_get_ns() - note->start;
		if (!slot->dead)
			note->status = le16_to_cpu(slot->cqe.status);
	}

	if (slot->asleep) {
		cmdq->sleepers--;
		slot->asleep = false;
		complete(&slot->done);
	}
	/* Pairs with ornic_cmd_is_done(): the slot has the answer */
	smp_store_release(&slot->pending, false);
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
	ornic_reset_halt(core);
	WRITE_ONCE(cmdq->running, false);
	for_each_set_bit(i, cmdq->in_use, ORNIC_CMD_SLOTS) {
		struct ornic_cmd_slot *slot = &cmdq->slots[i];

		if (!slot->pending)
			continue;
		slot->dead = true;
		ornic_cmdq_complete(cmdq, slot);
	}
	spin_unlock_irqrestore(&cmdq->lock, flags);

	atomic_notifier_call_chain(&core->odev.death, 0, NULL);
	return true;
}

/**
 * ornic_cmdq_poll_locked - take completions from the ring
 * @core:	the device; the lock of its queue is held
 *
 * A device that completes what is not pending is broken: the command that it
 * should have completed would never complete.
 *
 * Return: a negative number, or the id of a completion that matches no pending
 * command.
 */
int ornic_cmdq_poll_locked(struct ornic_core *core)
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
		WRITE_ONCE(cmdq->ci, cmdq->ci + 1);
		WRITE_ONCE(cmdq->taken, ornic_cmdq_taken(cmdq, ctl));
		cmd_id = le16_to_cpu(READ_ONCE(cqe->cmd_id));
		slot = &cmdq->slots[FIELD_GET(ORNIC_CMD_ID_SLOT, cmd_id)];
		if (!slot->pending || slot->cmd_id != cmd_id)
			return cmd_id;

		slot->cqe = *cqe;
		ornic_cmdq_complete(cmdq, slot);
	}
	return -1;
}

/**
 * ornic_cmdq_poll - take completions from the ring
 * @core:	the device
 *
 * Return: as ornic_cmdq_poll_locked().
 */
int ornic_cmdq_poll(struct ornic_core *core)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	unsigned long flags;
	int stray;

	spin_lock_irqsave(&cmdq->lock, flags);
	stray = ornic_cmdq_poll_locked(core);
	spin_unlock_irqrestore(&cmdq->lock, flags);

	return stray;
}

/* Asks for an interrupt, and takes completions that came too early for it */
static int ornic_cmdq_arm_locked(struct ornic_core *core)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	u32 arm;

	lockdep_assert_held(&cmdq->lock);

	/* Without a record each completion has an interrupt ([ORNIC-ADM-8]) */
	if (!cmdq->dbr)
		return -1;

	cmdq->arm_seq++;
	arm = FIELD_PREP(ORNIC_ARM_SEQ, cmdq->arm_seq & FIELD_MAX(ORNIC_ARM_SEQ)) | ORNIC_ARM_NEXT;
	WRITE_ONCE(cmdq->dbr->arm, cpu_to_le32(arm));
	/* Store arm before reading the ring; the device does the reverse */
	mb();
	return ornic_cmdq_poll_locked(core);
}

/**
 * ornic_cmdq_interrupt - take completions after an interrupt
 * @core:	the device
 *
 * The interrupt answered a request, and callers that still sleep need another.
 *
 * Return: as ornic_cmdq_poll_locked().
 */
int ornic_cmdq_interrupt(struct ornic_core *core)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	unsigned long flags;
	int stray;

	spin_lock_irqsave(&cmdq->lock, flags);
	stray = ornic_cmdq_poll_locked(core);
	if (stray < 0 && cmdq->sleepers)
		stray = ornic_cmdq_arm_locked(core);
	spin_unlock_irqrestore(&cmdq->lock, flags);

	return stray;
}

/**
 * ornic_cmdq_begin_sleep - have the completion of a command interrupt
 * @core:	the device
 * @i:		its slot; the caller waits for its @done next, unless
 *		ornic_cmd_is_done()
 *
 * Return: as ornic_cmdq_poll_locked().
 */
int ornic_cmdq_begin_sleep(struct ornic_core *core, u32 i)
{
	struct ornic_cmdq *cmdq = &core->cmdq;
	struct ornic_cmd_slot *slot = &cmdq->slots[i];
	int stray = -1;

	spin_lock_irq(&cmdq->lock);
	if (slot->pending) {
		slot->asleep = true;
		cmdq->sleepers++;
		stray = ornic_cmdq_arm_locked(core);
	}
	spin_unlock_irq(&cmdq->lock);

	return stray;
}

/**
 * ornic_cmdq_get_slot - take a slot
 * @cmdq:	the queue
 * @urgent:	the command may have a slot that is kept from processes, see
 *		struct ornic_cmd_req
 * @wait:	wait until a slot is free; the caller must own none
 *
 * Other commands count to the process that executes them.
 *
 * Return: number of the slot, -EAGAIN if none is free, or -EIO if the queue is
 * dead. Callers that wait when it dies get their -EIO one after the other.
 */
int ornic_cmdq_get_slot(struct ornic_cmdq *cmdq, bool urgent, bool wait)
{
	struct semaphore *share = ornic_share_take(&cmdq->shares, current->tgid, urgent, wait);
	int i = -EIO;

	if (!share)
		return -EAGAIN;

	spin_lock_irq(&cmdq->lock);
	/* A caller that has a share of the slots finds one */
	if (cmdq->running) {
		i = find_first_zero_bit(cmdq->in_use, 1u << cmdq->log_depth);
		__set_bit(i, cmdq->in_use);
		cmdq->slots[i].share = share;
	}
	spin_unlock_irq(&cmdq->lock);

	if (i < 0)
		ornic_share_give(&cmdq->shares, share);
	return i;
}

/**
 * ornic_cmdq_put_slot - return a slot
 * @cmdq:	the queue
 * @i:		the slot; its command has completed or was never submitted
 */
void ornic_cmdq_put_slot(struct ornic_cmdq *cmdq, u32 i)
{
	struct semaphore *share = cmdq->slots[i].share;

	spin_lock_irq(&cmdq->lock);
	__clear_bit(i, cmdq->in_use);
	spin_unlock_irq(&cmdq->lock);

	/* From now on ornic_cmdq_free() may free the rings */
	ornic_share_give(&cmdq->shares, share);
}

/**
 * ornic_cmdq_in - get the input buffer of a slot
 * @cmdq:	the queue
 * @slot:	owned by the caller
 *
 * Return: room for ORNIC_CMD_MAX_IN bytes.
 */
void *ornic_cmdq_in(const struct ornic_cmdq *cmdq, u32 slot)
{
	return cmdq->buf.addr + ornic_cmdq_in_offset(cmdq, slot);
}

/**
 * ornic_cmdq_out - get the output buffer of a slot
 * @cmdq:	the queue
 * @slot:	owned by the caller
 *
 * Return: room for ORNIC_CMD_MAX_OUT bytes.
 */
void *ornic_cmdq_out(const struct ornic_cmdq *cmdq, u32 slot)
{
	return cmdq->buf.addr + ornic_cmdq_out_offset(cmdq, slot);
}

/**
 * ornic_cmdq_submit - give the command of a slot to the device
 * @core:	the device
 * @i:		the slot, with its input
 * @opcode:	enum ornic_opcode
 * @in_len:	bytes of input
 * @out_len:	room for output, bytes
 *
 * The slot completes when the device has answered or died.
 *
 * Return: 0, or -EIO if the queue is dead.
 */
int ornic_cmdq_submit(struct ornic_core *core, u32 i, enum ornic_opcode opcode, size_t in_len,
		      size_t out_len)
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
		sqe.in_addr = cpu_to_le64(cmdq->buf.dma + ornic_cmdq_in_offset(cmdq, i));
	if (out_len)
		sqe.out_addr = cpu_to_le64(cmdq->buf.dma + ornic_cmdq_out_offset(cmdq, i));

	spin_lock_irq(&cmdq->lock);
	if (cmdq->running) {
		reinit_completion(&slot->done);
		slot->cmd_id = ornic_cmd_id(i, FIELD_GET(ORNIC_CMD_ID_GEN, slot->cmd_id) + 1);
		slot->pending = true;
		slot->asleep = false;
		slot->dead = false;

		sqe.cmd_id = cpu_to_le16(slot->cmd_id);
		slot->index = cmdq->pi++;
		cmdq->notes[slot->index % ORNIC_CMD_NOTES] = (struct ornic_cmd_note) {
			.start = ktime_get_ns(),
			.opcode = opcode,
			.cmd_id = slot->cmd_id,
			.status = -1,
		};
		cmdq->sq[slot->index & ((1u << cmdq->log_depth) - 1)] = sqe;
		/* writel() orders entry and input before the doorbell */
		if (ornic_cmdq_publish(cmdq))
			writel(cmdq->pi, core->regs + ORNIC_REG_ADMIN_DB);
		ret = 0;
	}
	spin_unlock_irq(&cmdq->lock);

	return ret;
}
