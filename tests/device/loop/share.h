/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fair shares of the event loop's time. Each card and each port has a share and
 * pays for the work it causes: its messages, its tasks, its timers, and the
 * delivery of the packets it sends. One that has no credit left is postponed,
 * but only while another one that has credit works. Then all get new credit.
 */
#ifndef ORNIC_DEVICE_SHARE_H
#define ORNIC_DEVICE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "env/list.h"

/* Most credit: time that one may work before others that wait, ns */
#define SHARE_CREDIT_NS 1000000
/* Most debt: a turn takes no longer, ns */
#define SHARE_DEBT_NS 5000000
/*
 * If no more than this passed, the process was running all the time. Otherwise
 * the clock of its CPU time is read, too, which takes a system call.
 */
#define SHARE_SURE_NS 100000

/*
 * Time after a moment without any work, in which no work has waited long, ns.
 * Turns that begin in it are free if several shares work, so that no clock is
 * read between them.
 */
#define SHARE_FREE_NS 20000

/**
 * struct share - one share
 * @node: in struct shares
 * @credit_ns: time left; below 0 is a debt
 * @turn: the latest turn in which there was work, even if it was postponed
 * @used_ns: time used so far
 */
struct share {
	struct list_head node;
	int64_t credit_ns;
	uint64_t turn;
	uint64_t used_ns;
};

/**
 * struct shares - all shares of a loop
 * @all: list of struct share
 * @payer: who pays for the time since @since_ns; NULL means that whoever comes
 *	next pays, so that the loop's own time is paid, too
 * @since_ns: the time before is paid; 0 means that the time until the next
 *	shares_settle() is free
 * @cpu_ns: CPU time of the thread when it was last read
 * @sure_ns: time since then, in steps of at most SHARE_SURE_NS
 * @free_ns: latest time without any work
 * @free: this turn is free if several shares work in it
 * @turn: number of the turn
 * @spent: a share may be without credit
 * @given: how often all got new credit
 */
struct shares {
	struct list_head all;
	struct share *payer;
	uint64_t since_ns;
	uint64_t cpu_ns;
	uint64_t sure_ns;
	uint64_t free_ns;
	bool free;
	uint64_t turn;
	bool spent;
	uint64_t given;
};

/**
 * shares_init - initialise an empty set
 * @shares: the set
 * @now_ns: current time, ns
 */
void shares_init(struct shares *shares, uint64_t now_ns);

/**
 * shares_add - add a share with all of its credit
 * @shares: the set
 * @share: the share
 */
void shares_add(struct shares *shares, struct share *share);

/**
 * shares_remove - remove a share
 * @shares: the set
 * @share: the share
 */
void shares_remove(struct shares *shares, struct share *share);

/**
 * shares_settle - charge the payer, if there is one, for the time until now
 * @shares: the set
 * @now_ns: current time, ns
 */
void shares_settle(struct shares *shares, uint64_t now_ns);

/**
 * shares_forget - make the time until the next shares_settle() free
 * @shares: the set
 */
void shares_forget(struct shares *shares);

/**
 * shares_idle - note that there is no work
 * @shares: the set
 * @now_ns: current time, ns
 *
 * Ignored while a share may be without credit, as its work waits.
 */
static inline void shares_idle(struct shares *shares, uint64_t now_ns)
{
	if (!shares->spent)
		shares->free_ns = now_ns;
}

/**
 * shares_turn - settle, and give new credit if all that have work need it
 * @shares: the set
 * @now_ns: current time, ns
 */
void shares_turn(struct shares *shares, uint64_t now_ns);

/**
 * shares_mixed - check whether shares_settle() must come before shares_pay()
 * @shares: the set
 * @share: is about to work; NULL if that shows only afterwards
 *
 * Return: true when another share pays and the turn is not free.
 */
static inline bool shares_mixed(const struct shares *shares,
				const struct share *share)
{
	return !shares->free && shares->payer && shares->payer != share;
}

/**
 * shares_allow - check whether a share may work now
 * @shares: the set
 * @share: has work; NULL may always work
 *
 * Return: false to postpone the work to a later turn.
 */
bool shares_allow(struct shares *shares, struct share *share);

/**
 * shares_pay - name the payer
 * @shares: the set, with no other payer unless the turn may be free
 * @share: does work; pays until the next shares_settle(). NULL is ignored.
 */
void shares_pay(struct shares *shares, struct share *share);

#endif /* ORNIC_DEVICE_SHARE_H */
