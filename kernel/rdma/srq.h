/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the kernel remembers of the receives that it posted to an SRQ. They
 * complete in any order, on the CQs of all QPs that share the SRQ.
 */
#ifndef ORNIC_RDMA_SRQ_H
#define ORNIC_RDMA_SRQ_H

#include <linux/types.h>

/* In the place of the next free number: this one is posted */
#define ORNIC_RECV_POSTED	(~0u)

/**
 * struct ornic_recv - a receive
 * @wr_id:	the consumer's. The device gets the number of the receive in its
 *		place, as it does of those in struct ornic_wr.
 * @room:	bytes that it holds
 * @next:	ORNIC_RECV_POSTED, or the next free number, or @size for none
 */
struct ornic_recv {
	u64 wr_id;
	u32 room;
	u32 next;
};

/**
 * struct ornic_recvs - receives by their numbers
 * @recvs:	@size of them
 * @size:	of the ring. No more is ever posted than that, so there is a place
 *		in the ring as long as there is a number: the device takes WQEs
 *		in order, and those that have completed were taken.
 * @free:	first number that is free, or @size
 */
struct ornic_recvs {
	struct ornic_recv *recvs;
	u32 size;
	u32 free;
};

/**
 * ornic_recvs_init - make all numbers free
 * @recvs:	its array and size are set
 */
static inline void ornic_recvs_init(struct ornic_recvs *recvs)
{
	u32 i;

	for (i = 0; i < recvs->size; i++)
		recvs->recvs[i].next = i + 1;
	recvs->free = 0;
}

/**
 * ornic_recvs_get - note a receive
 * @recvs:	locked
 * @wr_id:	the consumer's
 * @room:	bytes that it holds
 * @number:	what the device is to call it
 *
 * Return: false if all are posted.
 */
static inline bool ornic_recvs_get(struct ornic_recvs *recvs, u64 wr_id, u32 room, u32 *number)
{
	struct ornic_recv *recv;

	if (recvs->free >= recvs->size)
		return false;

	*number = recvs->free;
	recv = &recvs->recvs[*number];
	recvs->free = recv->next;
	*recv = (struct ornic_recv) { .wr_id = wr_id, .room = room, .next = ORNIC_RECV_POSTED };
	return true;
}

/**
 * ornic_recvs_put - a receive has completed
 * @recvs:	locked
 * @number:	what the device called it, which may be anything
 * @recv:	what was noted
 *
 * Return: false if it is not posted.
 */
static inline bool ornic_recvs_put(struct ornic_recvs *recvs, u32 number, struct ornic_recv *recv)
{
	if (number >= recvs->size || recvs->recvs[number].next != ORNIC_RECV_POSTED)
		return false;

	*recv = recvs->recvs[number];
	recvs->recvs[number].next = recvs->free;
	recvs->free = number;
	return true;
}

#endif /* ORNIC_RDMA_SRQ_H */
