// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Reset of the card, in as many turns as it has objects to destroy */
#include <string.h>

#include "base/state.h"
#include "card/admin.h"
#include "card/lie_later.h"
#include "card/qp_cmd.h"
#include "card/qp_run.h"
#include "card/regs.h"
#include "card/reset.h"
#include "eth/ethport.h"
#include "eth/flow.h"
#include "eth/rwq_table.h"
#include "eth/wq.h"
#include "objects/counters.h"
#include "objects/cq.h"
#include "objects/eq.h"
#include "objects/mr.h"
#include "objects/pd.h"
#include "objects/srq.h"
#include "objects/uctx.h"
#include "objects/xrcd.h"
#include "roce/mcast.h"

/* Users before the objects that they use */
static void (*const reset_stages[])(struct card *card, struct obj_walk *walk) = {
	mcast_clear,
	flow_destroy_all,
	counters_destroy_all,
	qp_destroy_all,
	rwq_table_destroy_all,
	wq_destroy_all,
	srq_destroy_all,
	xrcd_destroy_all,
	mr_invalidate_all,
	mr_destroy_all,
	cq_destroy_all,
	eq_destroy_all,
	pd_destroy_all,
	uctx_destroy_all,
};

static void reset_finish(struct card *card)
{
	gid_clear(&card->gids);
	card->fatal = ORNIC_FATAL_NONE;
	regs_reset(card);
	stats_reset(&card->stats);
	card->reset.active = false;
}

void reset_run(struct card *card)
{
	struct reset *reset = &card->reset;

	reset->walk.left = RESET_OBJECTS;
	while (reset->stage < ARRAY_SIZE(reset_stages)) {
		reset_stages[reset->stage](card, &reset->walk);
		/* Maybe nothing is left; the next turn finds out */
		if (!reset->walk.left)
			return;
		reset->walk.index = 0;
		reset->stage++;
	}
	reset_finish(card);
}

void reset_begin(struct card *card)
{
	/* The reset that goes on does all that another one would do */
	if (card->reset.active)
		return;
	if (card_works(card))
		qp_settle_all(card);
	admin_disable(card);
	ethport_reset(card);
	memset(&card->reset, 0, sizeof(card->reset));
	card->reset.active = true;
	reset_run(card);
}

void reset_card(struct card *card)
{
	card->resets++;
	lie_reset(card);
	reset_begin(card);
	if (card->reset.active)
		env_mark_runnable(card->env);
}
