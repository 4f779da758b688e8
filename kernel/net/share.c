// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shares of processes in the slots of the admin queue. Some slots are for
 * whoever comes, and of the others a process has few at a time: its threads
 * wait for each other before they wait for others. So one with a thousand
 * threads does not delay one with a single thread.
 *
 * A share belongs to a process and not to a user context, because readers of
 * statistics have no context, and a process may open many. A user may still
 * start many processes: urgent commands do not wait for them, because slots are
 * kept for these. Their callers hold a lock that the whole system waits for,
 * such as rtnl_lock.
 */
#include <linux/jhash.h>
#include <linux/minmax.h>
#include <linux/random.h>

#include "share.h"

/* Slots that processes may have together. The others, an eighth, are kept. */
static u32 ornic_shares_common(u32 slots)
{
	return slots > 1 ? slots - max(slots / 8, 1) : slots;
}

static void ornic_shares_set(struct semaphore *sem, u32 old, u32 new)
{
	for (; old < new; old++)
		up(sem);
	for (; old > new; old--)
		down(sem);
}

/**
 * ornic_shares_init - initialise the shares, with one slot
 * @shares:	the shares
 */
void ornic_shares_init(struct ornic_shares *shares)
{
	u32 i;

	shares->seed = get_random_u32();
	for (i = 0; i < ARRAY_SIZE(shares->process); i++)
		sema_init(&shares->process[i], ORNIC_SHARE_SLOTS);
	sema_init(&shares->open, ORNIC_SHARE_OPEN);
	sema_init(&shares->common, 1);
	sema_init(&shares->all, 1);
	shares->slots = 1;
}

/**
 * ornic_shares_resize - set the number of slots
 * @shares:	the shares; those who have or take a slot return it soon, and do
 *		not come again and again
 * @slots:	number of slots
 *
 * Waits for slots to be returned, if there are to be fewer.
 */
void ornic_shares_resize(struct ornic_shares *shares, u32 slots)
{
	ornic_shares_set(&shares->common, ornic_shares_common(shares->slots),
			 ornic_shares_common(slots));
	ornic_shares_set(&shares->all, shares->slots, slots);
	shares->slots = slots;
}

/**
 * ornic_shares_drain - wait until all slots have been returned
 * @shares:	the shares; as for ornic_shares_resize()
 */
void ornic_shares_drain(struct ornic_shares *shares)
{
	ornic_shares_set(&shares->all, shares->slots, 0);
	ornic_shares_set(&shares->all, 0, shares->slots);
}

/*
 * The seed keeps users from choosing processes that have the share of another
 * one.
 */
static struct semaphore *ornic_share_of(struct ornic_shares *shares, pid_t tgid)
{
	return &shares->process[jhash_1word(tgid, shares->seed) % ARRAY_SIZE(shares->process)];
}

static bool ornic_share_down(struct semaphore *sem, bool wait)
{
	if (wait) {
		down(sem);
		return true;
	}
	return !down_trylock(sem);
}

/**
 * ornic_share_take - take a slot
 * @shares:	the shares
 * @tgid:	the process that executes the command
 * @urgent:	it may be a slot that is kept from processes
 * @wait:	wait for a slot, in order of arrival. The caller must have none:
 *		callers that have some would wait for each other.
 *
 * Return: what the slot counts to, for ornic_share_give(), or NULL if there is
 * no slot and the caller does not wait.
 */
struct semaphore *ornic_share_take(struct ornic_shares *shares, pid_t tgid, bool urgent, bool wait)
{
	struct semaphore *share = &shares->open;

	if (urgent)
		return ornic_share_down(&shares->all, wait) ? &shares->all : NULL;

	if (down_trylock(share)) {
		share = ornic_share_of(shares, tgid);
		if (!ornic_share_down(share, wait))
			return NULL;
	}
	if (!ornic_share_down(&shares->common, wait))
		goto err_up_share;
	if (!ornic_share_down(&shares->all, wait))
		goto err_up_common;
	return share;

err_up_common:
	up(&shares->common);
err_up_share:
	up(share);
	return NULL;
}

/**
 * ornic_share_give - return a slot
 * @shares:	the shares
 * @share:	as ornic_share_take() has returned it
 */
void ornic_share_give(struct ornic_shares *shares, struct semaphore *share)
{
	if (share != &shares->all) {
		up(share);
		up(&shares->common);
	}
	/* The last: see ornic_shares_drain() */
	up(&shares->all);
}
