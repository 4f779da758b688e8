/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Shares of processes in the slots of the admin queue */
#ifndef ORNIC_SHARE_H
#define ORNIC_SHARE_H

#include <linux/semaphore.h>
#include <linux/types.h>

/* Shares; processes whose number has the same hash have one together */
#define ORNIC_SHARES			64
/* Slots of a process: enough that the device always has a next command */
#define ORNIC_SHARE_SLOTS		8
/*
 * Slots for whoever comes, so that threads of one process seldom wait for each
 * other.
 */
#define ORNIC_SHARE_OPEN		8

/**
 * struct ornic_shares - who may take a slot
 * @slots:	number of slots
 * @seed:	of the hash
 * @open:	slots for whoever comes that are free; no caller waits for them
 * @process:	further slots that the processes of each hash may take
 * @common:	slots that processes may still take together; the others are
 *		kept for urgent commands
 * @all:	slots that are free
 */
struct ornic_shares {
	u32 slots;
	u32 seed;
	struct semaphore open;
	struct semaphore process[ORNIC_SHARES];
	struct semaphore common;
	struct semaphore all;
};

void ornic_shares_init(struct ornic_shares *shares);
void ornic_shares_resize(struct ornic_shares *shares, u32 slots);
void ornic_shares_drain(struct ornic_shares *shares);
struct semaphore *ornic_share_take(struct ornic_shares *shares, pid_t tgid, bool urgent,
				   bool wait);
void ornic_share_give(struct ornic_shares *shares, struct semaphore *share);

#endif /* ORNIC_SHARE_H */
