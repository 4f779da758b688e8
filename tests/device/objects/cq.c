// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues */
#include <stdlib.h>
#include <string.h>

#include "base/lie_entry.h"
#include "base/state.h"
#include "objects/cq.h"
#include "objects/uctx.h"

/* A completion that waits for room; the arguments of cq_write() */
struct cq_held {
	struct list_head node;
	struct ornic_cqe cqe;
	struct ornic_cqe_ext ext;
	bool has_ext;
	bool solicited;
};

struct cq *cq_find(struct card *card, uint32_t cqn)
{
	struct obj *obj = obj_find(&card->cqs, cqn);

	return obj ? container_of(obj, struct cq, obj) : NULL;
}

struct cq *cq_find_working(struct card *card, uint32_t cqn)
{
	struct cq *cq = cq_find(card, cqn);

	return cq && !cq->dead ? cq : NULL;
}

void cq_attach(struct cq_link *link, struct cq *cq, void *owner,
	       void (*failed)(void *owner))
{
	link->cq = cq;
	link->owner = owner;
	link->failed = failed;
	list_add_tail(&link->node, &cq->links);
	obj_get(&cq->obj);
}

void cq_detach(struct cq_link *link)
{
	if (!link->cq)
		return;
	list_del_init(&link->node);
	obj_put(&link->cq->obj);
	link->cq = NULL;
}

/* Notify owners until @left is used up; @return: false if there are more */
static bool cq_notify(struct cq *cq, unsigned int *left)
{
	while (!list_empty(&cq->links)) {
		struct cq_link *link = list_first_entry(&cq->links,
							struct cq_link, node);

		if (!*left)
			return false;
		--*left;
		list_del_init(&link->node);
		list_add_tail(&link->node, &cq->notified);
		link->failed(link->owner);
	}
	return true;
}

bool cq_run_dead(struct card *card)
{
	bool any = !list_empty(&card->dead_cqs);
	unsigned int left = CQ_RUN_LINKS;

	while (left && !list_empty(&card->dead_cqs)) {
		struct cq *cq = list_first_entry(&card->dead_cqs, struct cq,
						 dead_node);

		if (!cq_notify(cq, &left))
			break;
		list_del_init(&cq->dead_node);
		/* A CQ without owners takes time too */
		if (left)
			left--;
	}
	return any;
}

struct ornic_cq_dbr *cq_record(struct cq *cq)
{
	return cq->card->watches.shadow ? guest_ref_ptr(&cq->dbr) : NULL;
}

bool cq_find_record(struct card *card, struct guest_ref *dbr, uint64_t addr)
{
	memset(dbr, 0, sizeof(*dbr));
	return !card->watches.shadow ||
	       guest_ref_init(dbr, &card->guest, addr,
			      sizeof(struct ornic_cq_dbr),
			      MEM_READ | MEM_WRITE);
}

static void cq_event(struct cq *cq)
{
	arm_answer(&cq->arm);
	cq->gathered = 0;
	env_timer_cancel(cq->card->env, &cq->timer);
	eq_tell(cq->eq, &cq->events, ORNIC_EVENT_COMP);
}

void cq_gather_end(struct cq *cq)
{
	if (cq->gathered)
		cq_event(cq);
}

static void cq_gather_timer(struct timer *timer)
{
	struct cq *cq = container_of(timer, struct cq, timer);

	if (!card_works(cq->card))
		return;
	/* A newer request covers only later entries than those gathered */
	arm_pending(&cq->arm, cq_record(cq));
	if (cq->gather_for == cq->arm.asked)
		cq_event(cq);
	else
		cq->gathered = 0;
}

/*
 * An entry matches the request: write the event, or wait for more entries. A
 * timer never fires early, so it is set one tick before the end of the period.
 */
static void cq_due(struct cq *cq)
{
	struct env *env = cq->card->env;

	if (cq->count <= 1 || !cq->period_ns) {
		cq_event(cq);
		return;
	}
	if (cq->gather_for != cq->arm.asked)
		cq->gathered = 0;
	if (!cq->gathered++) {
		cq->gather_for = cq->arm.asked;
		env_timer_arm(env, &cq->timer, env_now_ns(env) + cq->period_ns -
			      (1 << TIMER_TICK_SHIFT));
	}
	if (cq->gathered >= cq->count)
		cq_event(cq);
}

static struct cq_held *cq_take_held(struct cq *cq)
{
	struct cq_held *held = list_first_entry(&cq->held, struct cq_held, node);

	list_del_init(&held->node);
	cq->held_count--;
	if (list_empty(&cq->held))
		env_timer_cancel(cq->card->env, &cq->held_timer);
	return held;
}

static void cq_drop_held(struct cq *cq)
{
	while (!list_empty(&cq->held))
		free(cq_take_held(cq));
}

static void cq_die(struct cq *cq)
{
	cq_drop_held(cq);
	/* Report the entries that are in the ring already */
	cq_gather_end(cq);
	cq->dead = true;
	/* Deferred to card_run(), because the caller may be in the middle of a QP */
	list_add_tail(&cq->dead_node, &cq->card->dead_cqs);
	env_mark_runnable(cq->card->env);
	errlog_add(cq->card, ORNIC_LOG_EVENT, ORNIC_EVENT_CQ_ERR, cq->obj.num, 0);
	eq_tell(cq->eq, &cq->events, ORNIC_EVENT_CQ_ERR);
}

static void cq_overrun(struct cq *cq, uint32_t ci)
{
	DEVICE_VIOLATION(cq->card, cq_overruns, cq->obj.num, cq->pi,
			 "cq[%u]: full at pi %u, ci %u", cq->obj.num, cq->pi, ci);
	cq_die(cq);
}

bool cq_take_ci(struct cq *cq, uint32_t ci)
{
	/* An impossible index counts as a full ring ([ORNIC-CQ-7]) */
	if (cq->pi - ci > 1u << cq->log_size)
		return false;
	cq->ci = ci;
	return true;
}

static bool cq_has_room(struct cq *cq, struct ornic_cq_dbr *dbr)
{
	uint32_t size = 1u << cq->log_size;

	return cq->ignore_overrun || cq->pi - cq->ci < size ||
	       (dbr && cq_take_ci(cq, guest_load32(&dbr->ci)) &&
		cq->pi - cq->ci < size);
}

static void cq_arm_held(struct cq *cq)
{
	struct env *env = cq->card->env;

	env_timer_arm(env, &cq->held_timer, env_now_ns(env) + CQ_HELD_NS);
}

/*
 * The card reads indexes of queues from memory, but doorbells come through a
 * socket. So one that tells of room may still be there though the host rang it
 * before it stored the index of the WQE that completes ([ORNIC-CQ-7]). It tells
 * of a ring of entries at most.
 *
 * Return: false if the CQ is overrun, whatever is in the socket.
 */
static bool cq_hold(struct cq *cq, const struct ornic_cqe *cqe,
		    const struct ornic_cqe_ext *ext, bool solicited)
{
	struct cq_held *held;

	if (cq->card->watches.shadow || cq->held_count >= CQ_HELD_MAX ||
	    cq->held_count >= 1u << cq->log_size)
		return false;
	held = malloc(sizeof(*held));
	if (!held)
		return false;
	held->cqe = *cqe;
	held->has_ext = ext;
	if (ext)
		held->ext = *ext;
	held->solicited = solicited;
	if (list_empty(&cq->held)) {
		cq->held_looks = 0;
		cq_arm_held(cq);
	}
	list_add_tail(&held->node, &cq->held);
	cq->held_count++;
	return true;
}

void cq_write_held(struct cq *cq)
{
	while (!list_empty(&cq->held) && cq_has_room(cq, NULL)) {
		struct cq_held *held = cq_take_held(cq);

		cq_write(cq, &held->cqe, held->has_ext ? &held->ext : NULL,
			 held->solicited);
		free(held);
	}
}

static void cq_held_timer(struct timer *timer)
{
	struct cq *cq = container_of(timer, struct cq, held_timer);

	if (!card_works(cq->card))
		return;
	if (++cq->held_looks < CQ_HELD_LOOKS && env_unread(cq->card->env))
		cq_arm_held(cq);
	else
		cq_overrun(cq, cq->ci);
}

static CARD_RARE void cq_trace(struct cq *cq, const struct ornic_cqe *cqe)
{
	uint32_t word = le32toh(cqe->qpn);

	card_trace_add(cq->card, (struct trace_record){
		.kind = TRACE_CQE,
		.op = le32toh(cqe->opcode),
		.code = le32toh(cqe->status),
		.qpn = ORNIC_GET(ORNIC_CQE_QPN, word),
		.num = le32toh(cqe->sq_num),
		.psn = !!(ORNIC_GET(ORNIC_CQE_FLAGS, word) & ORNIC_WC_SEND_QUEUE),
		.wr_id = le64toh(cqe->wr_id),
		.len = le32toh(cqe->byte_len),
	});
}

static void cq_fill(struct cq *cq, void *slot, struct ornic_cqe_64 *entry,
		    const struct ornic_cqe_ext *ext)
{
	bool whole = cq->card->whole_entries;

	if (cq->log_cqe_size != CQ_LOG_CQE_EXT_SIZE) {
		guest_write_entry(slot, &entry->cqe, sizeof(entry->cqe), whole);
		return;
	}
	entry->ext = ext ? *ext : (struct ornic_cqe_ext){};
	entry->ext.timestamp = htole64(card_clock(cq->card));
	guest_write_entry(slot, entry, sizeof(*entry), whole);
}

void cq_write(struct cq *cq, const struct ornic_cqe *cqe,
	      const struct ornic_cqe_ext *ext, bool solicited)
{
	uint32_t pos = cq->pi & ((1u << cq->log_size) - 1);
	uint32_t phase = cq->pi >> cq->log_size & 1 ? 0 : ORNIC_CQE_PHASE;
	uint32_t size = 1u << cq->log_cqe_size;
	struct ornic_cqe_64 entry;
	struct ornic_cq_dbr *dbr;
	unsigned int type;
	void *slot;

	if (cq->dead)
		return;
	dbr = cq_record(cq);
	slot = buf_slot(&cq->ring, (uint64_t)pos << cq->log_cqe_size, size);
	if (!slot || (!dbr && cq->card->watches.shadow)) {
		DEVICE_VIOLATION(cq->card, dma_faults, cq->obj.num, 0,
				 "cq[%u]: ring is out of reach", cq->obj.num);
		cq_die(cq);
		return;
	}
	if (!cq_has_room(cq, dbr)) {
		if (cq_hold(cq, cqe, ext, solicited))
			return;
		cq_overrun(cq, dbr ? guest_load32(&dbr->ci) : cq->ci);
		return;
	}
	if (card_hooked(cq->card, CARD_TRACED))
		cq_trace(cq, cqe);
	entry.cqe = *cqe;
	entry.cqe.qpn ^= htole32(phase);
	cq_fill(cq, slot, &entry, ext);
	cq->pi++;
	solicited |= le32toh(cqe->status) != ORNIC_WC_SUCCESS;
	if (solicited)
		cq->solicited_pi = cq->pi;

	guest_fence();
	type = arm_pending(&cq->arm, dbr);
	if (type == ORNIC_ARM_SOLICITED ? solicited : type != ORNIC_ARM_NONE)
		cq_due(cq);
}

static CARD_RARE void cq_lie(struct cq *cq, const struct ornic_cqe *cqe,
			     const struct ornic_cqe_ext *ext, bool solicited)
{
	struct lie *lie = &cq->card->lie;
	struct ornic_cqe entry = *cqe;
	enum lie_kind kind = lie_completion(cq->card, &entry);

	lie_told(cq->card, kind, LIE_COMPLETION);
	if (kind == LIE_ORDER) {
		lie_hold_cqe(cq->card, cq->obj.num, &entry, ext, solicited);
		return;
	}
	if (kind != LIE_SILENCE)
		cq_write(cq, &entry, ext, solicited);
	if (kind == LIE_TWICE)
		cq_write(cq, &entry, ext, solicited);
	if (lie_cqe_due(cq->card, cq->obj.num))
		cq_write(cq, &lie->cqe, lie->has_ext ? &lie->ext : NULL,
			 lie->solicited);
}

static void cq_write_first(struct cq *cq)
{
	list_del_init(&cq->pair_node);
	cq_write(cq, &cq->first, NULL, cq->first_solicited);
}

void cq_write_pairs(struct card *card)
{
	while (!list_empty(&card->pairs))
		cq_write_first(list_first_entry(&card->pairs, struct cq,
						pair_node));
}

/*
 * The first entry of an aligned 64 bytes waits for the second one. Two ascending
 * copies are what one write of both is. Return: true if this one waits.
 */
static bool cq_pair(struct cq *cq, const struct ornic_cqe *cqe, bool solicited)
{
	if (!list_empty(&cq->pair_node)) {
		cq_write_first(cq);
		return false;
	}
	if (cq->pi & 1 || cq->log_cqe_size != CQ_LOG_CQE_SIZE ||
	    lie_on(cq->card))
		return false;
	cq->first = *cqe;
	cq->first_solicited = solicited;
	list_add_tail(&cq->pair_node, &cq->card->pairs);
	env_mark_runnable(cq->card->env);
	return true;
}

void cq_post(struct cq *cq, const struct ornic_cqe *cqe,
	     const struct ornic_cqe_ext *ext, bool solicited)
{
	if (cq->card->pairing && cq_pair(cq, cqe, solicited))
		return;
	if (lie_on(cq->card) && !cq->dead)
		cq_lie(cq, cqe, ext, solicited);
	else
		cq_write(cq, cqe, ext, solicited);
}

/* Does an entry that is not consumed match the request? */
static bool cq_late(const struct cq *cq, unsigned int type)
{
	if (type == ORNIC_ARM_SOLICITED)
		return (int32_t)(cq->solicited_pi - cq->ci) > 0;
	return cq->pi != cq->ci;
}

void cq_look(struct cq *cq, unsigned int type)
{
	if (type != ORNIC_ARM_NONE && cq_late(cq, type))
		cq_due(cq);
}

void cq_doorbell(struct cq *cq, uint32_t value)
{
	unsigned int type = ORNIC_GET(ORNIC_DB_ARM_TYPE, value);
	uint32_t ci = arm_ci(value, cq->pi);

	/* With ORNIC_CAPS_SHADOW only the words in memory count */
	if (cq->card->watches.shadow || cq->dead)
		return;
	if (!cq_take_ci(cq, ci)) {
		if (!cq->ignore_overrun) {
			cq_overrun(cq, ci);
			return;
		}
		cq->ci = cq->pi;
	}
	cq_write_held(cq);
	arm_request(&cq->arm, type);
	if (type != ORNIC_ARM_NONE)
		cq_look(cq, arm_pending(&cq->arm, NULL));
}

void cq_destroy(struct card *card, struct obj *obj)
{
	struct cq *cq = container_of(obj, struct cq, obj);

	env_timer_cancel(card->env, &cq->timer);
	obj_remove(&card->cqs, &cq->obj);
	eq_source_forget(&cq->events);
	list_del_init(&cq->pair_node);
	cq_drop_held(cq);
	list_del_init(&cq->dead_node);
	obj_put(&cq->eq->obj);
	obj_put(&cq->uctx->obj);
	buf_uninit(&cq->ring);
	free(cq);
}

static enum ornic_cmd_status
cq_init_memory(struct card *card, struct cq *cq,
	       const struct ornic_create_cq_in *in)
{
	if (!cq_find_record(card, &cq->dbr, le64toh(in->dbr_addr)))
		return ORNIC_CMD_DMA_FAULT;
	return buf_init(&cq->ring, &card->guest, &card->budget, &in->buf, 0,
			1ULL << (in->log_size + in->log_cqe_size),
			MEM_READ | MEM_WRITE);
}

enum ornic_cmd_status cq_cmd_create(struct card *card, struct cmd *cmd)
{
	const struct ornic_create_cq_in *in = cmd->in;
	uint32_t flags = le32toh(in->flags);
	struct ornic_object *out = cmd->out;
	enum ornic_cmd_status status;
	struct uctx *uctx;
	struct eq *eq;
	struct cq *cq;

	if (!CMD_RSVD_ZERO(in->rsvd) || flags & ~ORNIC_CQ_IGNORE_OVERRUN ||
	    in->log_size > CARD_MAX_LOG_CQE ||
	    in->log_cqe_size < CQ_LOG_CQE_SIZE ||
	    in->log_cqe_size > CQ_LOG_CQE_EXT_SIZE || le64toh(in->dbr_addr) & 7)
		return ORNIC_CMD_BAD_PARAM;
	if (in->log_cqe_size == CQ_LOG_CQE_EXT_SIZE &&
	    !card_uses(card, ORNIC_FEAT_CQE_EXT))
		return ORNIC_CMD_NOT_SUPPORTED;
	uctx = uctx_find(card, le32toh(in->uctx));
	eq = eq_find(card, le32toh(in->eqn));
	if (!uctx || !eq)
		return ORNIC_CMD_BAD_OBJECT;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return ORNIC_CMD_NO_RESOURCES;
	cq->card = card;
	cq->uctx = uctx;
	cq->eq = eq;
	cq->log_size = in->log_size;
	cq->log_cqe_size = in->log_cqe_size;
	cq->ignore_overrun = flags & ORNIC_CQ_IGNORE_OVERRUN;
	list_init(&cq->pair_node);
	list_init(&cq->held);
	list_init(&cq->dead_node);
	list_init(&cq->links);
	list_init(&cq->notified);
	timer_init(&cq->timer, cq_gather_timer);
	timer_init(&cq->held_timer, cq_held_timer);
	status = cq_init_memory(card, cq, in);
	if (status)
		goto err_free;
	status = ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&card->cqs, &cq->obj))
		goto err_ring;
	eq_source_init(&cq->events, cq->obj.num, true);
	obj_get(&uctx->obj);
	obj_get(&eq->obj);
	out->num = htole32(cq->obj.num);
	return ORNIC_CMD_OK;

err_ring:
	buf_uninit(&cq->ring);
err_free:
	free(cq);
	return status;
}

enum ornic_cmd_status cq_cmd_destroy(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&card->cqs, cmd, &obj);
	if (!status)
		cq_destroy(card, obj);
	return status;
}
