// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Reset of the card, in as many turns as it has objects to destroy */
#include <string.h>

#include "core.h"
#include "counters.h"
#include "cq.h"
#include "engine.h"
#include "eq.h"
#include "lie.h"
#include "mr.h"
#include "pd.h"
#include "rwq.h"
#include "srq.h"
#include "uctx.h"
#include "wq.h"
#include "xrcd.h"

/* Users before the objects that they use */
static void (*const reset_stages[])(struct nic *nic, struct obj_walk *walk) = {
	mcast_clear,
	rule_destroy_all,
	counters_destroy_all,
	qp_destroy_all,
	rwq_destroy_all,
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

static void reset_finish(struct nic *nic)
{
	gid_clear(nic);
	nic->fatal = ORNIC_FATAL_NONE;
	regs_reset(nic);
	stats_reset(nic);
	nic->reset.active = false;
}

void reset_run(struct nic *nic)
{
	struct reset *reset = &nic->reset;

	reset->walk.left = RESET_OBJECTS;
	while (reset->stage < ARRAY_SIZE(reset_stages)) {
		reset_stages[reset->stage](nic, &reset->walk);
		/* Maybe nothing is left; the next turn finds out */
		if (!reset->walk.left)
			return;
		reset->walk.index = 0;
		reset->stage++;
	}
	reset_finish(nic);
}

void reset_begin(struct nic *nic)
{
	/* The reset that goes on does all that another one would do */
	if (nic->reset.active)
		return;
	if (nic_works(nic))
		qp_settle_all(nic);
	admin_disable(nic);
	ethport_reset(nic);
	memset(&nic->reset, 0, sizeof(nic->reset));
	nic->reset.active = true;
	reset_run(nic);
}

void nic_reset(struct nic *nic)
{
	nic->resets++;
	lie_reset(nic);
	reset_begin(nic);
	if (nic->reset.active)
		env_mark_runnable(nic->env);
}
