// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Reset of the card, in as many turns as it has objects to destroy */
#include <stddef.h>
#include <string.h>

#include "base/state.h"
#include "card/admin.h"
#include "card/lie_later.h"
#include "card/negotiate.h"
#include "card/push.h"
#include "card/qp_cmd.h"
#include "card/qp_run.h"
#include "card/regs.h"
#include "card/reset.h"
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

/**
 * struct reset_stage - a kind of object to destroy
 * @each: called for each object of a table
 * @table: offset of the table in struct card
 * @all: instead of both; may end early when @walk has nothing left
 */
struct reset_stage {
	void (*each)(struct card *card, struct obj *obj);
	size_t table;
	void (*all)(struct card *card, struct obj_walk *walk);
};

#define EACH(table, each) { each, offsetof(struct card, table), NULL }
#define ALL(all) { NULL, 0, all }

/* Users before the objects that they use */
static const struct reset_stage reset_stages[] = {
	ALL(mcast_clear),
	EACH(flows, flow_destroy),
	EACH(counters, counters_destroy),
	EACH(qps, qp_discard),
	ALL(rwq_table_destroy_all),
	/* The QPs are gone, so only WQs are left in the table */
	EACH(qps, wq_destroy),
	EACH(srqs, srq_destroy),
	EACH(xrcds, xrcd_destroy),
	EACH(mrs, mr_unbind),
	EACH(mrs, mr_destroy),
	EACH(cqs, cq_destroy),
	EACH(comp_cntrs, comp_cntr_destroy),
	EACH(eqs, eq_destroy),
	EACH(uctxs, uctx_destroy),
};

static void reset_stage_run(struct card *card, const struct reset_stage *stage,
			    struct obj_walk *walk)
{
	const struct obj_table *table = (void *)((char *)card + stage->table);
	struct obj *obj;

	if (stage->all) {
		stage->all(card, walk);
		return;
	}
	while ((obj = obj_walk_next(table, walk)))
		stage->each(card, obj);
}

static void reset_finish(struct card *card)
{
	gid_clear(&card->gids);
	card->fatal = ORNIC_FATAL_NONE;
	regs_reset(card);
	stats_reset(&card->stats);
	negotiate_reset(card);
	card->reset.active = false;
}

/* Return: false when the time of READY has not come */
static bool reset_is_due(struct card *card)
{
	struct reset *reset = &card->reset;

	if (reset->held)
		return false;
	if (!reset->ready_ns || env_now_ns(card->env) >= reset->ready_ns)
		return true;
	env_timer_arm(card->env, &reset->timer, reset->ready_ns);
	return false;
}

static void reset_timer(struct timer *timer)
{
	struct card *card = container_of(timer, struct card, reset.timer);

	env_mark_runnable(card->env);
}

bool reset_run(struct card *card)
{
	struct reset *reset = &card->reset;

	reset->walk.left = RESET_OBJECTS;
	while (reset->stage < ARRAY_SIZE(reset_stages)) {
		reset_stage_run(card, &reset_stages[reset->stage], &reset->walk);
		/* Maybe nothing is left; the next turn finds out */
		if (!reset->walk.left)
			return true;
		reset->walk.index = 0;
		reset->stage++;
	}
	if (!reset_is_due(card))
		return false;
	reset_finish(card);
	return true;
}

bool reset_waits(const struct card *card)
{
	const struct reset *reset = &card->reset;

	return timer_armed(&reset->timer) ||
	       (reset->held && reset->stage == ARRAY_SIZE(reset_stages));
}

void reset_hold(struct card *card, bool hold)
{
	card->reset.held = hold;
	if (!hold && card->reset.active)
		env_mark_runnable(card->env);
}

void reset_late_begin(struct card *card)
{
	if (card->late_writes && card->enabled && !card->fatal)
		card->reset.late_addr = card->admin.cq_addr;
}

/* The same value: a host that still has the memory there does not mind */
void reset_late_end(struct card *card)
{
	struct reset *reset = &card->reset;
	uint64_t *word;

	if (!reset->late_addr)
		return;
	word = mem_ptr(card->guest.mem, reset->late_addr, sizeof(*word),
		       MEM_READ | MEM_WRITE);
	reset->late_addr = 0;
	reset->late_writes++;
	if (word)
		guest_store64(word, guest_load64(word));
	else
		reset->late_faults++;
}

static void reset_start(struct card *card)
{
	struct reset *reset = &card->reset;

	push_forget(card);
	reset->active = true;
	reset->stage = 0;
	reset->walk = (struct obj_walk){};
	reset->ready_ns = 0;
	if (card->ready_ms)
		reset->ready_ns = env_now_ns(card->env) +
				  card->ready_ms * 1000000ULL;
	reset_run(card);
}

static void reset_begin(struct card *card)
{
	/* The reset that goes on does all that another one would do */
	if (card->reset.active)
		return;
	if (card_works(card))
		qp_settle_all(card);
	admin_disable(card);
	ethport_reset(card);
	reset_start(card);
}

void reset_power_on(struct card *card)
{
	timer_init(&card->reset.timer, reset_timer);
	reset_start(card);
}

void reset_power_off(struct card *card)
{
	reset_begin(card);
	card->reset.ready_ns = 0;
	card->reset.held = false;
	while (card->reset.active)
		reset_run(card);
	env_timer_cancel(card->env, &card->reset.timer);
}

void reset_card(struct card *card)
{
	card->resets++;
	lie_reset(card);
	reset_begin(card);
	if (card->reset.active)
		env_mark_runnable(card->env);
}
