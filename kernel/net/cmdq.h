/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The queue of the admin commands (ORNIC specification, section 4) */
#ifndef ORNIC_CMDQ_H
#define ORNIC_CMDQ_H

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/spinlock.h>

#include "ornic_api.h"
#include "dbuf.h"
#include "share.h"

#define ORNIC_CMD_LOG_DEPTH_MAX	5
#define ORNIC_CMD_SLOTS		BIT(ORNIC_CMD_LOG_DEPTH_MAX)

/*
 * cmd_id holds the slot and a generation of the slot, so that a late completion
 * of an abandoned command is recognised.
 */
#define ORNIC_CMD_ID_SLOT	0x001f
#define ORNIC_CMD_ID_GEN	0xffe0

static inline u16 ornic_cmd_id(u32 slot, u32 gen)
{
	return FIELD_PREP(ORNIC_CMD_ID_SLOT, slot) | FIELD_PREP(ORNIC_CMD_ID_GEN, gen);
}

/**
 * struct ornic_cmd_slot - slot of a command in flight
 * @done:	the command completed, or the device died, while its caller was
 *		asleep
 * @cmd_id:	of the current or the last command; its generation increases
 * @pending:	the device has not completed the command yet; cleared last. May
 *		be read without the lock, see ornic_cmd_is_done().
 * @asleep:	@pending, and its caller waits for an interrupt
 * @index:	of its entry in the submission ring, free running
 * @share:	that the slot counts to
 * @dead:	the device died before it completed the command
 * @cqe:	copy of the completion
 */
struct ornic_cmd_slot {
	struct completion done;
	u16 cmd_id;
	bool pending;
	bool asleep;
	bool dead;
	u32 index;
	struct semaphore *share;
	struct ornic_cmd_cqe cqe;
};

/* Commands that are remembered */
#define ORNIC_CMD_NOTES		32

/**
 * struct ornic_cmd_note - one of the latest commands, for those who debug
 * @start:	when it was submitted, ns
 * @duration:	until it completed or the device died, ns; 0 before
 * @opcode:	enum ornic_opcode
 * @cmd_id:	its id
 * @status:	enum ornic_cmd_status, -1 without a completion
 */
struct ornic_cmd_note {
	u64 start;
	u64 duration;
	u16 opcode;
	u16 cmd_id;
	int status;
};

/**
 * ornic_cmd_is_done - check whether a command has completed, without the lock
 * @slot:	its slot, owned by the caller
 *
 * Return: true if it has, or the device has died; then the slot tells which.
 */
static inline bool ornic_cmd_is_done(const struct ornic_cmd_slot *slot)
{
	/* Pairs with ornic_cmdq_complete() */
	return !smp_load_acquire(&slot->pending);
}

/**
 * struct ornic_cmdq - admin queue
 * @shares:	who may take a slot
 * @lock:	protects everything below; taken in interrupt context
 * @running:	commands are accepted; cleared by ornic_cmdq_kill(). May be read
 *		without @lock where a stale value does no harm.
 * @buf:	both rings, the record, then the input and output buffers of all
 *		slots
 * @sq:		submission ring
 * @cq:		completion ring
 * @dbr:	record, NULL if the device does not look at it
 * @data_offset: offset of the first input buffer in @buf
 * @log_depth:	log2 of the number of slots, and of the entries of each ring
 * @pi:		producer index of the submission ring
 * @ci:		consumer index of the completion ring. May be read without
 *		@lock where a stale value does no harm.
 * @taken:	entries of the submission ring that the device has taken, free
 *		running, as its completions said. May be read without @lock.
 * @arm_seq:	number of the last request for an interrupt
 * @sleepers:	number of slots that are asleep
 * @in_use:	slots that have an owner
 * @slots:	the slots
 * @notes:	the latest commands, by their index in the submission ring
 */
struct ornic_cmdq {
	struct ornic_shares shares;
	spinlock_t lock; /* see above */
	bool running;
	struct ornic_dbuf buf;
	struct ornic_cmd_sqe *sq;
	struct ornic_cmd_cqe *cq;
	struct ornic_admin_dbr *dbr;
	size_t data_offset;
	u8 log_depth;
	u32 pi;
	u32 ci;
	u32 taken;
	u32 arm_seq;
	u32 sleepers;
	DECLARE_BITMAP(in_use, ORNIC_CMD_SLOTS);
	struct ornic_cmd_slot slots[ORNIC_CMD_SLOTS];
	struct ornic_cmd_note notes[ORNIC_CMD_NOTES];
};

struct ornic_core;

void ornic_cmdq_init(struct ornic_core *core);
int ornic_cmdq_alloc(struct ornic_core *core, u8 log_depth_max);
void ornic_cmdq_free(struct ornic_core *core);
int ornic_cmdq_start(struct ornic_core *core);
bool ornic_cmdq_kill(struct ornic_core *core);
int ornic_cmdq_poll(struct ornic_core *core);
int ornic_cmdq_poll_locked(struct ornic_core *core);
int ornic_cmdq_interrupt(struct ornic_core *core);
int ornic_cmdq_begin_sleep(struct ornic_core *core, u32 i);
int ornic_cmdq_get_slot(struct ornic_cmdq *cmdq, bool urgent, bool wait);
void ornic_cmdq_put_slot(struct ornic_cmdq *cmdq, u32 i);
void *ornic_cmdq_in(const struct ornic_cmdq *cmdq, u32 slot);
void *ornic_cmdq_out(const struct ornic_cmdq *cmdq, u32 slot);
int ornic_cmdq_submit(struct ornic_core *core, u32 i, enum ornic_opcode opcode, size_t in_len,
		      size_t out_len);

/**
 * ornic_cmdq_publish - give the entries before @cmdq->pi to the device
 * @cmdq:	the queue; its lock is held
 *
 * Return: true if the device does not look at the record, so that the doorbell
 * must be rung.
 */
static inline bool ornic_cmdq_publish(const struct ornic_cmdq *cmdq)
{
	struct ornic_admin_dbr *dbr = cmdq->dbr;

	if (!dbr)
		return true;

	/* Entry and input before the index that hands them over */
	dma_wmb();
	WRITE_ONCE(dbr->sq_pi, cpu_to_le32(cmdq->pi));
	/* Publish the index before reading sq_watched, see [ORNIC-ADM-19] */
	mb();
	return !READ_ONCE(dbr->sq_watched);
}

/**
 * ornic_cmdq_has_entry - look for a completion without the lock
 * @cmdq:	the queue; the caller owns a slot, so its rings exist
 *
 * Return: true if there seems to be one.
 */
static inline bool ornic_cmdq_has_entry(const struct ornic_cmdq *cmdq)
{
	u32 ci = READ_ONCE(cmdq->ci);
	const struct ornic_cmd_cqe *cqe = &cmdq->cq[ci & ((1u << cmdq->log_depth) - 1)];

	return ornic_ring_written(&cqe->ctl, ci, cmdq->log_depth, ORNIC_CMD_CQE_PHASE);
}

/**
 * ornic_cmdq_taken - get the new value of @cmdq->taken
 * @cmdq:	the queue
 * @ctl:	of a completion, which has the low 16 bits
 *
 * Return: the value. It does not fall, as completions may come in any order,
 * and does not exceed what was submitted.
 */
static inline u32 ornic_cmdq_taken(const struct ornic_cmdq *cmdq, u32 ctl)
{
	u16 step = FIELD_GET(ORNIC_CMD_CQE_SQ_CI, ctl) - cmdq->taken;

	return step <= cmdq->pi - cmdq->taken ? cmdq->taken + step : cmdq->taken;
}

/**
 * ornic_cmdq_ahead - count the commands that the device takes before a slot's
 * @cmdq:	the queue
 * @i:		the slot, owned by the caller
 *
 * Return: their number and 1, or 0 if the device has taken the slot's own. At
 * most the number of slots.
 */
static inline u32 ornic_cmdq_ahead(const struct ornic_cmdq *cmdq, u32 i)
{
	s32 ahead = cmdq->slots[i].index + 1 - READ_ONCE(cmdq->taken);

	return clamp(ahead, 0, 1 << cmdq->log_depth);
}

static inline bool ornic_cmdq_running(const struct ornic_cmdq *cmdq)
{
	return READ_ONCE(cmdq->running);
}

#endif /* ORNIC_CMDQ_H */
