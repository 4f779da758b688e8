// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The admin queue and the table of commands */
#include <string.h>

#include "base/irq.h"
#include "base/lie_entry.h"
#include "base/state.h"
#include "card/admin.h"
#include "card/effects.h"
#include "card/negotiate.h"
#include "card/qp_cmd.h"
#include "card/qp_modify.h"
#include "card/query.h"
#include "eth/ethport.h"
#include "eth/flow.h"
#include "eth/rwq_table.h"
#include "eth/wq.h"
#include "objects/comp_cntr.h"
#include "objects/counters.h"
#include "objects/cq.h"
#include "objects/eq.h"
#include "objects/mr.h"
#include "objects/srq.h"
#include "objects/uctx.h"
#include "objects/xrcd.h"
#include "roce/mcast.h"

/* Pages that an output of ORNIC_CMD_MAX_OUT bytes may span */
#define CMD_OUT_PIECES 2

/**
 * struct cmd_desc - an entry of the command table
 * @name: name for messages; NULL: no such command
 * @in_min: smallest accepted input, bytes
 * @in_size: known input, bytes; the tail of a longer input must be zero
 * @out_size: largest output, bytes
 * @handle: executes the command. It checks reserved fields and everything else
 *	first and changes nothing unless it returns ORNIC_CMD_OK.
 */
struct cmd_desc {
	const char *name;
	uint16_t in_min;
	uint16_t in_size;
	uint16_t out_size;
	enum ornic_cmd_status (*handle)(struct card *card, struct cmd *cmd);
};

static enum ornic_cmd_status cmd_nop(struct card *card, struct cmd *cmd)
{
	(void)card;
	(void)cmd;
	return ORNIC_CMD_OK;
}

#define CMD(name, min, in, out, handler) \
	[ORNIC_CMD_##name] = { #name, min, in, out, handler }
/* The whole input is required, or only the object number */
#define CMD_IN(name, type, out, handler) \
	CMD(name, sizeof(type), sizeof(type), out, handler)
#define CMD_OBJECT(name, out, handler) \
	CMD(name, sizeof(__le32), sizeof(struct ornic_object), out, handler)

#define OUT_OBJECT sizeof(struct ornic_object)
#define IN_RX_FILTER_MAX                       \
	(sizeof(struct ornic_rx_filter_in) +   \
	 ORNIC_RX_MACS_MAX *                   \
		 sizeof(((struct ornic_rx_filter_in *)0)->macs[0]))
#define IN_RWQ_TABLE_MAX                              \
	(sizeof(struct ornic_create_rwq_table_in) +   \
	 (sizeof(__le32) << CARD_MAX_LOG_RWQ_SIZE))

/* By enum ornic_opcode */
static const struct cmd_desc cmd_table[] = {
	CMD(NOP, 0, 0, 0, cmd_nop),
	CMD(QUERY_DEVICE, 0, 0,
	    sizeof(struct ornic_query_device_out) + QUERY_NEWER_BYTES,
	    query_cmd_device),
	CMD(QUERY_STATS, sizeof(__le32), sizeof(struct ornic_query_stats_in),
	    ORNIC_CMD_MAX_OUT, query_cmd_stats),
	CMD(SET_HOST, offsetof(struct ornic_set_host_in, name),
	    sizeof(struct ornic_set_host_in), sizeof(struct ornic_set_host_out),
	    negotiate_cmd_set_host),
	CMD(QUERY_EFFECTS, 0, 0, ORNIC_EFFECTS_MAX, effects_cmd_query),
	CMD(QUERY_LOG, 0, sizeof(struct ornic_query_log_in), ORNIC_CMD_MAX_OUT,
	    errlog_cmd_query),
	CMD(QUERY_PORT, 0, 0, sizeof(struct ornic_query_port_out),
	    ethport_cmd_query),
	CMD(MODIFY_PORT, sizeof(__le32), sizeof(struct ornic_modify_port_in), 0,
	    ethport_cmd_modify),
	CMD(SET_RX_FILTER, sizeof(struct ornic_rx_filter_in), IN_RX_FILTER_MAX,
	    0, ethport_cmd_set_rx_filter),
	CMD(SET_RX_QUEUES, sizeof(__le32), sizeof(struct ornic_rx_queues_in), 0,
	    ethport_cmd_set_rx_queues),
	CMD(SET_GID, sizeof(__le32), sizeof(struct ornic_set_gid_in), 0,
	    ethport_cmd_set_gid),
	CMD(ALLOC_UCTX, 0, sizeof(struct ornic_alloc_uctx_in), OUT_OBJECT,
	    uctx_cmd_alloc),
	CMD_OBJECT(FREE_UCTX, 0, uctx_cmd_free),
	CMD_IN(CREATE_EQ, struct ornic_create_eq_in, OUT_OBJECT, eq_cmd_create),
	CMD_OBJECT(DESTROY_EQ, 0, eq_cmd_destroy),
	CMD_IN(CREATE_COMP_CNTR, struct ornic_create_comp_cntr_in, OUT_OBJECT,
	       comp_cntr_cmd_create),
	CMD_OBJECT(DESTROY_COMP_CNTR, 0, comp_cntr_cmd_destroy),
	CMD_IN(MODIFY_COMP_CNTR, struct ornic_modify_comp_cntr_in, 0,
	       comp_cntr_cmd_modify),
	CMD(CREATE_MR, offsetof(struct ornic_create_mr_in, max_pages),
	    sizeof(struct ornic_create_mr_in),
	    sizeof(struct ornic_create_mr_out), mr_cmd_create),
	CMD_OBJECT(DESTROY_MR, 0, mr_cmd_destroy),
	CMD(MODIFY_MR, offsetof(struct ornic_modify_mr_in, pdn),
	    sizeof(struct ornic_modify_mr_in), 0, mr_cmd_modify),
	CMD_IN(CREATE_CQ, struct ornic_create_cq_in, OUT_OBJECT, cq_cmd_create),
	CMD_OBJECT(DESTROY_CQ, 0, cq_cmd_destroy),
	CMD(MODIFY_CQ, sizeof(__le32), sizeof(struct ornic_modify_cq_in), 0,
	    cq_cmd_modify),
	CMD_IN(RESIZE_CQ, struct ornic_resize_in,
	       sizeof(struct ornic_resize_out), cq_cmd_resize),
	CMD(CREATE_QP, offsetof(struct ornic_create_qp_in, rwq_table),
	    sizeof(struct ornic_create_qp_in),
	    sizeof(struct ornic_create_qp_out), qp_cmd_create),
	CMD_OBJECT(DESTROY_QP, 0, qp_cmd_destroy),
	CMD(MODIFY_QP, offsetof(struct ornic_modify_qp_in, attr),
	    sizeof(struct ornic_modify_qp_in),
	    sizeof(struct ornic_modify_qp_out), qp_cmd_modify),
	CMD_OBJECT(QUERY_QP, sizeof(struct ornic_qp_attr), qp_cmd_query),
	CMD_IN(ATTACH_MCAST, struct ornic_mcast_in, 0, mcast_cmd_attach),
	CMD_IN(DETACH_MCAST, struct ornic_mcast_in, 0, mcast_cmd_detach),
	CMD_IN(BIND_STATS, struct ornic_bind_stats_in, 0, qp_cmd_bind_stats),
	CMD_IN(ATTACH_COMP_CNTR, struct ornic_attach_comp_cntr_in, 0,
	       qp_cmd_attach_comp_cntr),
	CMD_IN(CREATE_SRQ, struct ornic_create_srq_in, OUT_OBJECT,
	       srq_cmd_create),
	CMD_OBJECT(DESTROY_SRQ, 0, srq_cmd_destroy),
	CMD_IN(MODIFY_SRQ, struct ornic_modify_srq_in, 0, srq_cmd_modify),
	CMD_OBJECT(QUERY_SRQ, sizeof(struct ornic_query_srq_out),
		   srq_cmd_query),
	CMD_IN(RESIZE_SRQ, struct ornic_resize_in,
	       sizeof(struct ornic_resize_out), srq_cmd_resize),
	CMD(ALLOC_XRCD, 0, 0, OUT_OBJECT, xrcd_cmd_alloc),
	CMD_OBJECT(FREE_XRCD, 0, xrcd_cmd_free),
	CMD_IN(CREATE_WQ, struct ornic_create_wq_in, OUT_OBJECT, wq_cmd_create),
	CMD_OBJECT(DESTROY_WQ, 0, wq_cmd_destroy),
	CMD_IN(MODIFY_WQ, struct ornic_modify_wq_in, 0, wq_cmd_modify),
	CMD(CREATE_RWQ_TABLE, sizeof(struct ornic_create_rwq_table_in),
	    IN_RWQ_TABLE_MAX, OUT_OBJECT, rwq_table_cmd_create),
	CMD_OBJECT(DESTROY_RWQ_TABLE, 0, rwq_table_cmd_destroy),
	CMD_IN(CREATE_FLOW, struct ornic_create_flow_in, OUT_OBJECT,
	       flow_cmd_create),
	CMD_OBJECT(DESTROY_FLOW, 0, flow_cmd_destroy),
	CMD(CREATE_COUNTERS, 0, 0, OUT_OBJECT, counters_cmd_create),
	CMD_OBJECT(DESTROY_COUNTERS, 0, counters_cmd_destroy),
};

static const struct cmd_desc *cmd_find(uint16_t opcode)
{
	if (opcode >= ARRAY_SIZE(cmd_table) || !cmd_table[opcode].name)
		return NULL;
	return &cmd_table[opcode];
}

/* Checks that need no access to guest memory, in the order of [ORNIC-ADM-14] */
static enum ornic_cmd_status cmd_check_sqe(const struct cmd_desc *desc,
					   const struct ornic_cmd_sqe *sqe)
{
	uint32_t in_len = le32toh(sqe->in_len);
	uint32_t out_len = le32toh(sqe->out_len);

	if (sqe->rsvd)
		return ORNIC_CMD_BAD_PARAM;
	if (in_len < desc->in_min || in_len > ORNIC_CMD_MAX_IN ||
	    out_len > ORNIC_CMD_MAX_OUT)
		return ORNIC_CMD_BAD_SIZE;
	if ((in_len && le64toh(sqe->in_addr) & 7) ||
	    (out_len && le64toh(sqe->out_addr) & 7))
		return ORNIC_CMD_BAD_PARAM;
	return ORNIC_CMD_OK;
}

/*
 * Check before execution that the output can be written. Otherwise a created
 * object could be lost, because the host never learns its number.
 */
static bool cmd_out_in_reach(struct card *card, const struct cmd_desc *desc,
			     const struct ornic_cmd_sqe *sqe)
{
	struct iovec iov[CMD_OUT_PIECES];
	uint32_t len = le32toh(sqe->out_len);

	if (len > desc->out_size)
		len = desc->out_size;
	return !len || mem_iov(card->guest.mem, le64toh(sqe->out_addr), len,
			       MEM_WRITE, iov, CMD_OUT_PIECES) > 0;
}

/*
 * Copy the input once. Bytes beyond the known input must be zero
 * ([ORNIC-ADM-11]).
 */
static enum ornic_cmd_status cmd_fetch(struct card *card,
				       const struct cmd_desc *desc,
				       const struct ornic_cmd_sqe *sqe,
				       uint8_t *in)
{
	uint32_t len = le32toh(sqe->in_len);

	if (len && mem_read(card->guest.mem, le64toh(sqe->in_addr), in, len))
		return ORNIC_CMD_DMA_FAULT;
	if (!cmd_out_in_reach(card, desc, sqe))
		return ORNIC_CMD_DMA_FAULT;
	if (len > desc->in_size &&
	    !cmd_is_zero(in + desc->in_size, len - desc->in_size))
		return ORNIC_CMD_BAD_SIZE;
	return ORNIC_CMD_OK;
}

/* @first: check and fetch a new command. @more: as in struct cmd. */
static enum ornic_cmd_status cmd_execute(struct card *card, bool first,
					 struct ornic_cmd_cqe *cqe, bool *more)
{
	const struct ornic_cmd_sqe *sqe = &card->admin.sqe;
	const struct cmd_desc *desc = cmd_find(le16toh(sqe->opcode));
	uint64_t out[ORNIC_CMD_MAX_OUT / 8];
	enum ornic_cmd_status status = ORNIC_CMD_OK;
	struct cmd cmd = { .in = card->admin.in, .out = out };
	uint32_t len;

	/* [ORNIC-NEG-5] */
	if (!desc || !effects_supports(card, le16toh(sqe->opcode)))
		return ORNIC_CMD_BAD_OPCODE;
	if (first) {
		memset(card->admin.in, 0, desc->in_size);
		status = cmd_check_sqe(desc, sqe);
		if (!status)
			status = cmd_fetch(card, desc, sqe,
					   (uint8_t *)card->admin.in);
	}
	if (status)
		return status;
	cmd.in_len = le32toh(sqe->in_len);
	if (cmd.in_len > desc->in_size)
		cmd.in_len = desc->in_size;
	cmd.out_len = desc->out_size;
	/* Most commands have a few bytes of input and output */
	memset(out, 0, desc->out_size);
	status = desc->handle(card, &cmd);
	*more = cmd.more;
	cqe->detail = htole32(cmd.detail);
	if (status)
		return status;
	len = le32toh(sqe->out_len);
	if (len > cmd.out_len)
		len = cmd.out_len;
	if (len && mem_write(card->guest.mem, le64toh(sqe->out_addr), out, len))
		return ORNIC_CMD_DMA_FAULT;
	cqe->out_len = htole32(len);
	return ORNIC_CMD_OK;
}

static void cmd_refused(struct card *card, const struct ornic_cmd_cqe *cqe,
			enum ornic_cmd_status status)
{
	uint16_t opcode = le16toh(card->admin.sqe.opcode);
	const struct cmd_desc *desc = cmd_find(opcode);

	errlog_add(card, ORNIC_LOG_COMMAND, status, opcode,
		   le32toh(cqe->detail));
	stats_violation(&card->stats, card->env,
			ORNIC_DEVICE_STAT_commands_refused,
			"%s (%#x): status %u", desc ? desc->name : "unknown",
			opcode, status);
}

void admin_enable(struct card *card, unsigned int log_depth, uint64_t sq_addr,
		  uint64_t cq_addr, uint64_t dbr_addr)
{
	struct admin *admin = &card->admin;

	if (!card->guest.mem->enabled) {
		eq_fatal(card, ORNIC_FATAL_BUS_MASTER);
		return;
	}
	memset(admin, 0, sizeof(*admin));
	/* [ORNIC-ADM-17] */
	admin->has_dbr = dbr_addr && card->watches.shadow;
	if (sq_addr % sizeof(struct ornic_cmd_sqe) ||
	    cq_addr % sizeof(struct ornic_cmd_cqe) ||
	    (admin->has_dbr && dbr_addr & 63)) {
		admin->has_dbr = false;
		eq_fatal(card, ORNIC_FATAL_ADMIN_DMA);
		return;
	}
	admin->depth = 1u << log_depth;
	admin->sq_addr = sq_addr;
	admin->cq_addr = cq_addr;
	card->enabled = true;
	if (!admin->has_dbr)
		return;
	/* One that is out of reach is found at its first use */
	guest_ref_init(&admin->dbr, &card->guest, dbr_addr,
		       sizeof(struct ornic_admin_dbr), MEM_READ | MEM_WRITE);
	if (card_works(card) && card->watches.awake)
		admin_watch(card, true);
	/* Only a card that runs may be awake */
	env_mark_runnable(card->env);
}

void admin_disable(struct card *card)
{
	mr_build_abort(card);
	memset(&card->admin, 0, sizeof(card->admin));
	card->enabled = false;
}

/* The record, or NULL: there is none, or the card has stopped */
static struct ornic_admin_dbr *admin_dbr(struct card *card)
{
	struct admin *admin = &card->admin;
	struct ornic_admin_dbr *dbr;

	if (!admin->has_dbr)
		return NULL;
	dbr = guest_ref_ptr(&admin->dbr);
	if (!dbr)
		eq_fatal(card, ORNIC_FATAL_ADMIN_DMA);
	return dbr;
}

void admin_watch(struct card *card, bool watched)
{
	struct ornic_admin_dbr *dbr = admin_dbr(card);

	if (dbr)
		guest_store32(&dbr->sq_watched, watched);
}

static void admin_set_pi(struct card *card, uint32_t pi)
{
	struct admin *admin = &card->admin;

	if (pi - admin->sq_ci > admin->depth)
		eq_fatal(card, ORNIC_FATAL_ADMIN_PI);
	else
		admin->sq_pi = pi;
}

bool admin_look(struct card *card)
{
	struct ornic_admin_dbr *dbr = admin_dbr(card);

	if (dbr)
		admin_set_pi(card, guest_load32(&dbr->sq_pi));
	return admin_pending(card);
}

void admin_ring(struct card *card, uint32_t pi)
{
	if (card->fatal)
		return;
	/* With a record the doorbell only wakes the card ([ORNIC-ADM-18]) */
	if (!card->admin.has_dbr)
		admin_set_pi(card, pi);
	env_mark_runnable(card->env);
}

/* Place of the completion behind those that are held back */
static struct ornic_cmd_cqe *admin_cqe_slot(struct card *card)
{
	struct admin *admin = &card->admin;
	uint32_t pos = (admin->cq_pi + admin->held_count) & (admin->depth - 1);

	return mem_ptr(card->guest.mem,
		       admin->cq_addr + pos * sizeof(struct ornic_cmd_cqe),
		       sizeof(struct ornic_cmd_cqe), MEM_WRITE);
}

static void admin_write(struct card *card, struct ornic_cmd_cqe *slot,
			const struct ornic_cmd_cqe *cqe)
{
	struct admin *admin = &card->admin;
	uint32_t phase = admin->cq_pi & admin->depth ? 0 : ORNIC_CMD_CQE_PHASE;
	struct ornic_cmd_cqe entry = *cqe;

	entry.ctl ^= htole32(phase);
	guest_write_entry(slot, &entry, sizeof(entry), card->whole_entries);
	admin->cq_pi++;
}

/* Replace the first word of the output, where a new object has its number */
static void admin_lie_number(struct card *card)
{
	uint64_t addr = le64toh(card->admin.sqe.out_addr);
	__le32 num;

	if (mem_read(card->guest.mem, addr, &num, sizeof(num)))
		return;
	num = htole32(lie_number(card, le32toh(num)));
	mem_write(card->guest.mem, addr, &num, sizeof(num));
}

static void admin_lie(struct card *card, struct ornic_cmd_cqe *slot,
		      struct ornic_cmd_cqe *cqe)
{
	bool has_output = le32toh(cqe->out_len) >= sizeof(__le32);
	enum lie_kind kind = lie_command(card, cqe, has_output);

	lie_told(card, kind, LIE_COMMAND);
	if (kind == LIE_SILENCE)
		return;
	if (kind == LIE_NUMBER)
		admin_lie_number(card);
	admin_write(card, slot, cqe);
	slot = admin_cqe_slot(card);
	if (kind == LIE_TWICE && slot)
		admin_write(card, slot, cqe);
}

/* The latest first. The rings may have gone out of reach meanwhile. */
static bool admin_release(struct card *card)
{
	struct admin *admin = &card->admin;
	struct ornic_cmd_cqe *slot;
	unsigned int count;

	for (count = admin->held_count; count; count--) {
		struct ornic_cmd_cqe *cqe = &admin->held[count - 1];

		admin->held_count = 0;
		slot = admin_cqe_slot(card);
		if (!slot) {
			eq_fatal(card, ORNIC_FATAL_ADMIN_DMA);
			return false;
		}
		cqe->ctl = htole32(admin->sq_ci & ORNIC_CMD_CQE_SQ_CI);
		admin_write(card, slot, cqe);
	}
	return true;
}

static void admin_complete(struct card *card, struct ornic_cmd_cqe *slot,
			   struct ornic_cmd_cqe *cqe,
			   enum ornic_cmd_status status)
{
	struct admin *admin = &card->admin;

	if (status)
		cmd_refused(card, cqe, status);
	cqe->cmd_id = admin->sqe.cmd_id;
	cqe->status = htole16(status);
	cqe->ctl = htole32(admin->sq_ci & ORNIC_CMD_CQE_SQ_CI);
	/* Completions held back fill the places before @slot */
	if (lie_on(card) && admin_release(card))
		admin_lie(card, slot, cqe);
	else if (card->commands_reverse)
		admin->held[admin->held_count++] = *cqe;
	else
		admin_write(card, slot, cqe);
}

/*
 * Execute one command or a part of a long one.
 *
 * Return: false when the queue has stopped.
 */
static bool admin_run_one(struct card *card)
{
	struct admin *admin = &card->admin;
	uint32_t pos = admin->sq_ci & (admin->depth - 1);
	struct ornic_cmd_cqe cqe = {};
	enum ornic_cmd_status status;
	struct ornic_cmd_cqe *slot;
	bool first = !admin->busy;

	slot = admin_cqe_slot(card);
	if (!slot || (first && mem_read(card->guest.mem, admin->sq_addr +
					pos * sizeof(admin->sqe), &admin->sqe,
					sizeof(admin->sqe)))) {
		eq_fatal(card, ORNIC_FATAL_ADMIN_DMA);
		return false;
	}
	if (first) {
		admin->sq_ci++;
		DEVICE_STAT_INC(card, commands);
	}
	admin->busy = false;
	status = cmd_execute(card, first, &cqe, &admin->busy);
	if (!admin->busy) {
		admin->moved = 0;
		admin_complete(card, slot, &cqe, status);
	}
	return true;
}

bool admin_pending(const struct card *card)
{
	return card->admin.busy || card->admin.sq_ci != card->admin.sq_pi;
}

/* One interrupt for all completions of a turn, if asked for ([ORNIC-ADM-20]) */
static void admin_interrupt(struct card *card)
{
	struct admin *admin = &card->admin;
	struct ornic_admin_dbr *dbr;
	uint32_t arm;

	if (!admin->has_dbr) {
		irq_raise(card, 0);
		return;
	}
	dbr = admin_dbr(card);
	if (!dbr)
		return;
	guest_fence();
	arm = guest_load32(&dbr->arm);
	if (arm == admin->answered || !(arm & ORNIC_ARM_TYPE))
		return;
	admin->answered = arm;
	irq_raise(card, 0);
}

bool admin_run(struct card *card, unsigned int budget)
{
	bool any = false, completed = false;
	uint64_t work;

	if (!admin_look(card))
		return false;
	/*
	 * A command may destroy memory that a frame in flight refers to.
	 * Nothing may access it after the completion ([ORNIC-OBJ-7]).
	 */
	env_tx_flush(card->env);
	/* Packets received meanwhile do not use up the budget of the commands */
	work = card->budget.work;
	while (card->enabled && !card->fatal && admin_pending(card) && budget-- &&
	       card->budget.work - work < CARD_RUN_PAGES &&
	       card->admin.held_count < ADMIN_HELD_MAX) {
		if (!admin_run_one(card))
			return true;
		any = true;
		completed |= !card->admin.busy;
	}
	if (!admin_release(card))
		return true;
	if (completed)
		admin_interrupt(card);
	return any;
}
