// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Fair shares of the event loop's time */
#include <time.h>

#include "loop/share.h"

static uint64_t cpu_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

void shares_init(struct shares *shares, uint64_t now_ns)
{
	list_init(&shares->all);
	shares->payer = NULL;
	shares->since_ns = now_ns;
	shares->cpu_ns = cpu_clock_ns();
	shares->sure_ns = 0;
	shares->free_ns = now_ns;
	shares->free = false;
	shares->turn = 1;
	shares->spent = false;
	shares->given = 0;
}

void shares_add(struct shares *shares, struct share *share)
{
	share->credit_ns = SHARE_CREDIT_NS;
	share->turn = 0;
	share->used_ns = 0;
	list_add_tail(&share->node, &shares->all);
}

void shares_remove(struct shares *shares, struct share *share)
{
	if (shares->payer == share)
		shares->payer = NULL;
	list_del_init(&share->node);
}

/*
 * How much of the @ns that passed the process was running. Another process that
 * took the CPU must not be charged to the one that happened to have its turn.
 */
static uint64_t running_ns(struct shares *shares, uint64_t ns)
{
	uint64_t cpu_ns, used_ns;

	if (ns <= SHARE_SURE_NS && shares->sure_ns <= SHARE_CREDIT_NS) {
		shares->sure_ns += ns;
		return ns;
	}
	cpu_ns = cpu_clock_ns();
	used_ns = cpu_ns - shares->cpu_ns;
	used_ns -= shares->sure_ns < used_ns ? shares->sure_ns : used_ns;
	shares->cpu_ns = cpu_ns;
	shares->sure_ns = 0;
	return used_ns < ns ? used_ns : ns;
}

void shares_settle(struct shares *shares, uint64_t now_ns)
{
	struct share *share = shares->payer;
	uint64_t ns;

	if (!shares->since_ns)
		shares->since_ns = now_ns;
	if (!share)
		return;
	ns = running_ns(shares, now_ns - shares->since_ns);
	shares->since_ns = now_ns;
	shares->payer = NULL;
	share->used_ns += ns;
	share->credit_ns -= ns;
	if (share->credit_ns > 0)
		return;
	shares->spent = true;
	if (share->credit_ns < -SHARE_DEBT_NS)
		share->credit_ns = -SHARE_DEBT_NS;
}

void shares_forget(struct shares *shares)
{
	shares->payer = NULL;
	shares->since_ns = 0;
}

/* Give all shares @ns more; none keeps more than the most */
static void give(struct shares *shares, int64_t ns)
{
	struct list_head *node;
	struct share *share;

	shares->spent = false;
	shares->given++;
	list_for_each(node, &shares->all) {
		share = list_entry(node, struct share, node);
		share->credit_ns += ns;
		if (share->credit_ns > SHARE_CREDIT_NS)
			share->credit_ns = SHARE_CREDIT_NS;
		if (share->credit_ns <= 0)
			shares->spent = true;
	}
}

void shares_turn(struct shares *shares, uint64_t now_ns)
{
	/* Without any work all debt is forgiven */
	int64_t most = -SHARE_DEBT_NS;
	struct list_head *node;
	struct share *share;

	shares_settle(shares, now_ns);
	shares->free = now_ns - shares->free_ns < SHARE_FREE_NS;
	if (shares->free)
		shares->since_ns = now_ns;
	shares->turn++;
	if (!shares->spent)
		return;
	list_for_each(node, &shares->all) {
		share = list_entry(node, struct share, node);
		if (share->turn == shares->turn - 1 && share->credit_ns > most)
			most = share->credit_ns;
	}
	if (most <= 0)
		give(shares, SHARE_CREDIT_NS - most);
}

bool shares_allow(struct shares *shares, struct share *share)
{
	if (!share || share->credit_ns > 0)
		return true;
	share->turn = shares->turn;
	return false;
}

void shares_pay(struct shares *shares, struct share *share)
{
	if (!share)
		return;
	share->turn = shares->turn;
	if (shares->free && shares->payer && shares->payer != share)
		shares_forget(shares);
	shares->payer = share;
}
