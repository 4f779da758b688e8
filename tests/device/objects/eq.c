// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Event queues */
#include <stdlib.h>
#include <string.h>

#include "base/irq.h"
#include "base/lie_entry.h"
#include "base/state.h"
#include "objects/cq.h"
#include "objects/eq.h"

#define EQ_ENTRY_SHIFT 5
/*
 * Intervals between looks at the consumer index while events wait: at first
 * about the latency of an interrupt, doubled after each look without progress,
 * within the limit of [ORNIC-EQ-6].
 */
#define EQ_RETRY_NS 50000
#define EQ_RETRY_MAX_NS 800000
/* Limits of one eq_run(): held events written, consumed entries looked at */
#define EQ_RUN_EVENTS 1024
#define EQ_RUN_ENTRIES 16384

_Static_assert(sizeof(struct ornic_eqe) == 1 << EQ_ENTRY_SHIFT,
	       "size and shift of an event");

struct eq *eq_find(struct card *card, uint32_t eqn)
{
	struct obj *obj = obj_find(&card->eqs, eqn);

	return obj ? container_of(obj, struct eq, obj) : NULL;
}

static void eq_die(struct eq *eq, enum ornic_fatal_cause cause)
{
	eq->dead = true;
	eq_fatal(eq->card, cause);
}

/* Slot of the source that waits until its event at @index is consumed */
static struct eq_source **eq_waiter(struct eq *eq, uint32_t index)
{
	return &eq->waiting[index & ((1u << eq->log_size) - 1)];
}

static void eq_wait(struct eq *eq, struct eq_source *source)
{
	*eq_waiter(eq, source->index) = source;
	source->waits_in = eq;
	eq->waiters++;
}

static void eq_wait_end(struct eq_source *source)
{
	struct eq *eq = source->waits_in;

	*eq_waiter(eq, source->index) = NULL;
	source->waits_in = NULL;
	eq->waiters--;
}

/* The host has consumed the entry at @seen: its source may write again */
static void eq_see(struct eq *eq)
{
	struct eq_source *source = *eq_waiter(eq, eq->seen++);

	if (!source)
		return;
	eq_wait_end(source);
	list_add_tail(&source->node, &eq->held);
}

/* Let eq_run() write what waits for entries that the host has consumed */
static void eq_soon(struct eq *eq)
{
	if (!list_empty(&eq->run_node))
		return;
	list_add_tail(&eq->run_node, &eq->card->run_eqs);
	env_mark_runnable(eq->card->env);
}

/* The doorbell record; NULL if out of reach, or without ORNIC_CAPS_SHADOW */
static struct ornic_cq_dbr *eq_record(struct eq *eq)
{
	return eq->card->watches.shadow ? guest_ref_ptr(&eq->dbr) : NULL;
}

/*
 * Update eq->ci. An index that goes back within the ring is ignored. The sources
 * that wait are left to eq_run(), because there may be as many as entries.
 *
 * Return: false when the index is impossible; the device then stops.
 */
static bool eq_take_ci(struct eq *eq, uint32_t ci)
{
	if (eq->pi - ci > 1u << eq->log_size) {
		DEVICE_VIOLATION(eq->card, eq_overruns, eq->obj.num, ci,
				 "eq[%u]: ci %u at pi %u", eq->obj.num, ci,
				 eq->pi);
		eq_die(eq, ORNIC_FATAL_EQ_OVERRUN);
		return false;
	}
	if (ci - eq->ci <= eq->pi - eq->ci)
		eq->ci = ci;
	return true;
}

static bool eq_read_ci(struct eq *eq, const struct ornic_cq_dbr *dbr)
{
	return eq_take_ci(eq, guest_load32(&dbr->ci));
}

static bool eq_has_room(struct eq *eq, const struct ornic_cq_dbr *dbr)
{
	uint32_t size = 1u << eq->log_size;

	return eq->pi - eq->ci < size ||
	       (dbr && eq_read_ci(eq, dbr) && eq->pi - eq->ci < size);
}

static void eq_irq(struct eq *eq)
{
	arm_answer(&eq->arm);
	irq_raise(eq->card, eq->vector);
}

bool eq_write(struct eq *eq, const struct ornic_eqe *event)
{
	uint32_t pos = eq->pi & ((1u << eq->log_size) - 1);
	uint32_t phase = eq->pi >> eq->log_size & 1 ? 0 : ORNIC_EQE_PHASE;
	struct ornic_cq_dbr *dbr = eq_record(eq);
	struct ornic_eqe entry = *event;
	struct ornic_eqe *slot;

	slot = buf_slot(&eq->ring, (uint64_t)pos << EQ_ENTRY_SHIFT,
			sizeof(*slot));
	if (!slot || (!dbr && eq->card->watches.shadow)) {
		DEVICE_VIOLATION(eq->card, dma_faults, eq->obj.num, 0,
				 "eq[%u]: ring is out of reach", eq->obj.num);
		eq_die(eq, ORNIC_FATAL_EQ_DMA);
		return false;
	}
	if (!eq_has_room(eq, dbr))
		return false;
	/* The place must not belong to a source that waits */
	if (eq->pi - eq->seen == 1u << eq->log_size)
		eq_see(eq);
	entry.ctl ^= htole32(phase);
	guest_write_entry(slot, &entry, sizeof(entry), eq->card->whole_entries);
	eq->pi++;
	guest_fence();
	if (arm_pending(&eq->arm, dbr))
		eq_irq(eq);
	return true;
}

static bool eq_lie(struct eq *eq, struct ornic_eqe *event)
{
	struct card *card = eq->card;
	enum lie_kind kind = lie_event(card, event);
	bool written = true;

	if (kind == LIE_ORDER)
		lie_hold_eqe(card, eq->obj.num, event);
	else if (kind != LIE_SILENCE)
		written = eq_write(eq, event);
	if (written && kind == LIE_SPURIOUS)
		lie_spurious_event(card, event);
	if (written && (kind == LIE_SPURIOUS || kind == LIE_TWICE))
		written = eq_write(eq, event);
	if (written)
		lie_told(card, kind, LIE_EVENT);
	if (kind != LIE_ORDER && lie_eqe_due(card, eq->obj.num))
		eq_write(eq, &card->lie.eqe);
	return written;
}

/* Return: false when the ring is full or out of reach */
static bool eq_push(struct eq *eq, enum ornic_event type, uint32_t num)
{
	struct ornic_eqe event = {
		.num = htole32(num),
		.ctl = htole32(type),
	};

	return lie_on(eq->card) ? eq_lie(eq, &event) : eq_write(eq, &event);
}

/* Has the host consumed the entry at @index? */
static bool eq_consumed(struct eq *eq, uint32_t index)
{
	struct ornic_cq_dbr *dbr;

	/* Entries from ci to pi are not consumed; @index is before pi */
	if (eq->pi - index > eq->pi - eq->ci)
		return true;
	dbr = eq_record(eq);
	return dbr && eq_read_ci(eq, dbr) && eq->pi - index > eq->pi - eq->ci;
}

/* ---- event sources ---- */

void eq_source_init(struct eq_source *source, uint32_t num, bool once)
{
	memset(source, 0, sizeof(*source));
	source->num = num;
	source->once = once;
	list_init(&source->node);
}

void eq_source_forget(struct eq_source *source)
{
	if (source->waits_in)
		eq_wait_end(source);
	list_del_init(&source->node);
	source->pending = 0;
	source->told = false;
}

/* Is the previous event, which must be consumed first, still in the ring? */
static bool eq_source_waits(struct eq *eq, const struct eq_source *source)
{
	return source->once && source->told && !eq_consumed(eq, source->index);
}

static bool eq_tell_now(struct eq *eq, struct eq_source *source,
			enum ornic_event type)
{
	if (eq->dead || eq_source_waits(eq, source) ||
	    !eq_push(eq, type, source->num))
		return false;
	source->told = true;
	source->index = eq->pi - 1;
	return true;
}

static void eq_arm_timer(struct eq *eq)
{
	env_timer_arm(eq->card->env, &eq->timer,
		      env_now_ns(eq->card->env) + eq->retry_ns);
}

/* Queue a source that cannot write its event now, by what it waits for */
static void eq_queue(struct eq *eq, struct eq_source *source)
{
	if (!eq->dead && eq_source_waits(eq, source))
		eq_wait(eq, source);
	else
		list_add_tail(&source->node, &eq->held);
	/* Without ORNIC_CAPS_SHADOW a doorbell tells when to go on */
	if (eq->card->watches.shadow && !timer_armed(&eq->timer)) {
		eq->retry_ns = EQ_RETRY_NS;
		eq_arm_timer(eq);
	}
}

static void eq_hold(struct eq *eq, struct eq_source *source,
		    enum ornic_event type)
{
	source->pending |= 1ULL << type;
	if (list_empty(&source->node) && !source->waits_in)
		eq_queue(eq, source);
}

void eq_tell(struct eq *eq, struct eq_source *source, enum ornic_event type)
{
	if (eq->card->fatal)
		return;
	if (source->pending || !eq_tell_now(eq, source, type))
		eq_hold(eq, source, type);
}

/* Write an event of the first held source. Return: true when it was written. */
static bool eq_release(struct eq *eq)
{
	struct eq_source *source = list_first_entry(&eq->held, struct eq_source,
						    node);

	if (!eq_tell_now(eq, source, __builtin_ctzll(source->pending)))
		return false;
	source->pending &= source->pending - 1;
	/* A source that waits until this event is consumed is no longer held */
	if (!source->pending || source->once)
		list_del_init(&source->node);
	if (source->pending && source->once)
		eq_wait(eq, source);
	return true;
}

/* Does anything wait for the host to consume entries? */
static bool eq_waits(const struct eq *eq)
{
	return !list_empty(&eq->held) || eq->waiters;
}

static void eq_retry(struct timer *timer)
{
	struct eq *eq = container_of(timer, struct eq, timer);
	struct ornic_cq_dbr *dbr = eq_record(eq);
	uint32_t ci = eq->ci;

	if (!card_works(eq->card))
		return;
	if (dbr && !eq_read_ci(eq, dbr))
		return;
	if (eq->ci != ci)
		eq->retry_ns = EQ_RETRY_NS;
	else if (eq->retry_ns < EQ_RETRY_MAX_NS)
		eq->retry_ns *= 2;
	eq_soon(eq);
	if (eq->card->watches.shadow)
		eq_arm_timer(eq);
}

/*
 * Look at the sources whose events are consumed, and write held events, until
 * the limits are used up. Return: false if there is more to do now.
 */
static bool eq_catch_up(struct eq *eq, unsigned int *entries,
			unsigned int *events)
{
	for (; eq->seen != eq->ci; --*entries) {
		if (!*entries)
			return false;
		eq_see(eq);
	}
	for (; !list_empty(&eq->held) && !eq->card->fatal; --*events) {
		if (!*events)
			return false;
		if (!eq_release(eq))
			break;
	}
	if (!eq_waits(eq))
		env_timer_cancel(eq->card->env, &eq->timer);
	return true;
}

bool eq_run(struct card *card)
{
	unsigned int entries = EQ_RUN_ENTRIES, events = EQ_RUN_EVENTS;
	bool any = !list_empty(&card->run_eqs);

	while (!list_empty(&card->run_eqs)) {
		struct eq *eq = list_first_entry(&card->run_eqs, struct eq,
						 run_node);

		list_del_init(&eq->run_node);
		if (eq_catch_up(eq, &entries, &events))
			continue;
		/* The others go first in the next turn */
		list_add_tail(&eq->run_node, &card->run_eqs);
		break;
	}
	return any;
}

/* Events that tell of an error */
static bool eq_is_error(enum ornic_event type)
{
	switch (type) {
	case ORNIC_EVENT_QP_FATAL:
	case ORNIC_EVENT_QP_REQ_ERR:
	case ORNIC_EVENT_QP_ACCESS_ERR:
	case ORNIC_EVENT_SRQ_ERR:
	case ORNIC_EVENT_WQ_FATAL:
	case ORNIC_EVENT_WQ_DELAY_DROP:
		return true;
	default:
		return false;
	}
}

void eq_async(struct card *card, struct eq_source *source, enum ornic_event type)
{
	struct eq *eq = eq_find(card, 0);

	/* Earlier completions are visible before the event */
	cq_write_pairs(card);
	if (eq_is_error(type))
		errlog_add(card, ORNIC_LOG_EVENT, type, source->num, 0);
	if (eq)
		eq_tell(eq, source, type);
}

void eq_fatal(struct card *card, enum ornic_fatal_cause cause)
{
	struct eq *eq;

	if (card->fatal || card->reset.active)
		return;
	card->fatal = cause;
	errlog_add(card, ORNIC_LOG_FATAL, cause, 0, 0);
	if (cause == ORNIC_FATAL_BUS_MASTER) {
		/* As by QEMU before it resets a virtual machine */
		env_log(card->env, ENV_LOG_INFO,
			"stopped: the host has disabled bus mastering");
		return;
	}
	env_log(card->env, ENV_LOG_ERR, "stopped, cause %u", cause);
	eq = eq_find(card, 0);
	if (eq && !eq->dead)
		eq_push(eq, ORNIC_EVENT_DEVICE_FATAL, cause);
	irq_raise(card, 0);
}

void eq_doorbell(struct eq *eq, uint32_t value)
{
	/* With ORNIC_CAPS_SHADOW only the words in memory count */
	if (eq->card->watches.shadow || eq->dead || eq->card->fatal ||
	    !eq_take_ci(eq, arm_ci(value, eq->pi)))
		return;
	arm_request(&eq->arm, ORNIC_GET(ORNIC_DB_ARM_TYPE, value));
	if (eq->ci != eq->pi && arm_pending(&eq->arm, NULL))
		eq_irq(eq);
	if (eq_waits(eq))
		eq_soon(eq);
}

void eq_destroy(struct card *card, struct obj *obj)
{
	struct eq *eq = container_of(obj, struct eq, obj);
	uint32_t i;

	while (!list_empty(&eq->held))
		eq_source_forget(list_first_entry(&eq->held, struct eq_source,
						  node));
	for (i = 0; eq->waiters; i++)
		if (*eq_waiter(eq, i))
			eq_source_forget(*eq_waiter(eq, i));
	env_timer_cancel(card->env, &eq->timer);
	list_del_init(&eq->run_node);
	obj_remove(&card->eqs, &eq->obj);
	buf_uninit(&eq->ring);
	free(eq->waiting);
	free(eq);
}

/* Take the lowest free number ([ORNIC-OBJ-1]); EQ 0 gets asynchronous events */
static int eq_add(struct card *card, struct eq *eq)
{
	uint32_t i;

	for (i = 0; i < card->eqs.size; i++)
		if (!obj_add_at(&card->eqs, &eq->obj, i))
			return 0;
	return -1;
}

enum ornic_cmd_status eq_cmd_create(struct card *card, struct cmd *cmd)
{
	const struct ornic_create_eq_in *in = cmd->in;
	uint64_t dbr_addr = le64toh(in->dbr_addr);
	struct ornic_object *out = cmd->out;
	enum ornic_cmd_status status;
	struct eq *eq;

	if (!CMD_RSVD_ZERO(in->rsvd) || le32toh(in->vector) >= card->vectors ||
	    in->log_size > CARD_MAX_LOG_EQE || dbr_addr & 63)
		return ORNIC_CMD_BAD_PARAM;
	eq = calloc(1, sizeof(*eq));
	if (!eq)
		return ORNIC_CMD_NO_RESOURCES;
	eq->card = card;
	eq->vector = le32toh(in->vector);
	eq->log_size = in->log_size;
	list_init(&eq->held);
	list_init(&eq->run_node);
	timer_init(&eq->timer, eq_retry);
	status = ORNIC_CMD_DMA_FAULT;
	if (card->watches.shadow &&
	    !guest_ref_init(&eq->dbr, &card->guest, dbr_addr,
			    sizeof(struct ornic_cq_dbr), MEM_READ | MEM_WRITE))
		goto err_free;
	status = buf_init(&eq->ring, &card->guest, &card->budget, &in->buf, 0,
			  1ULL << (in->log_size + EQ_ENTRY_SHIFT),
			  MEM_READ | MEM_WRITE);
	if (status)
		goto err_free;
	status = ORNIC_CMD_NO_RESOURCES;
	eq->waiting = calloc(1u << eq->log_size, sizeof(struct eq_source *));
	if (!eq->waiting)
		goto err_ring;
	if (eq_add(card, eq))
		goto err_waiting;
	out->num = htole32(eq->obj.num);
	return ORNIC_CMD_OK;

err_waiting:
	free(eq->waiting);
err_ring:
	buf_uninit(&eq->ring);
err_free:
	free(eq);
	return status;
}

enum ornic_cmd_status eq_cmd_destroy(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&card->eqs, cmd, &obj);
	if (!status)
		eq_destroy(card, obj);
	return status;
}
