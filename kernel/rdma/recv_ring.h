/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rings of receive WQEs with their doorbell records, for SRQs and WQs, and
 * records of what the kernel posted to an SRQ
 */
#ifndef ORNIC_RDMA_RECV_RING_H
#define ORNIC_RDMA_RECV_RING_H

#include <linux/types.h>

#include "ornic_hw.h"
#include "pbl.h"

struct ornic_ib_dev;
struct ornic_ringmem;
struct ornic_ucontext;

/**
 * struct ornic_recv_ring - ring of an SRQ or a WQ
 * @mem:	WQEs, followed by the doorbell record
 * @pbl:	page list of the WQEs
 * @log_wqes:	log2 of the number of WQEs
 * @max_wr:	WQEs that may be in use
 * @dbr_offset:	bytes from the start of @mem
 * @size:	total bytes
 */
struct ornic_recv_ring {
	struct ornic_ringmem *mem;
	struct ornic_pbl pbl;
	u8 log_wqes;
	u32 max_wr;
	u32 dbr_offset;
	u32 size;
};

/* Value of next for a receive that is posted */
#define ORNIC_RECV_POSTED	(~0u)

/**
 * struct ornic_recv - record of a receive
 * @wr_id:	the consumer's. The device gets the number of the receive
 *		instead, see struct ornic_wr.
 * @room:	bytes that it can hold
 * @next:	ORNIC_RECV_POSTED, or the next free number, or the size of the
 *		table for none
 */
struct ornic_recv {
	u64 wr_id;
	u32 room;
	u32 next;
};

/**
 * struct ornic_recvs - receives that the kernel posted to an SRQ, by number
 * @recvs:	records, @size of them
 * @size:	WQEs of the ring. A free number implies a free WQE: the device
 *		takes WQEs in order, and a receive that has completed was taken
 *		([ORNIC-ORD-7]).
 * @free:	first free number, or @size
 *
 * They complete in any order, on the CQs of all QPs that share the SRQ.
 */
struct ornic_recvs {
	struct ornic_recv *recvs;
	u32 size;
	u32 free;
};

/**
 * ornic_recvs_init - mark all numbers as free
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
 * ornic_recvs_get - allocate the record of a receive
 * @recvs:	locked
 * @wr_id:	the consumer's
 * @room:	bytes that it can hold
 * @number:	set to the number for the device
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
 * ornic_recvs_put - free the record of a receive that has completed
 * @recvs:	locked
 * @number:	from the device, not trusted
 * @recv:	set to the record
 *
 * Return: false if the number is not posted.
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

int ornic_recv_ring_alloc(struct ornic_ib_dev *dev, u32 max_wr, u8 stride_shift,
			  struct ornic_ucontext *ctx, struct ornic_recv_ring *ring);
void ornic_recv_ring_free(struct ornic_ib_dev *dev, struct ornic_recv_ring *ring);
u64 ornic_recv_ring_dbr_addr(const struct ornic_recv_ring *ring);
struct ornic_qp_dbr ornic_recv_ring_get_dbr(const struct ornic_recv_ring *ring);

#endif /* ORNIC_RDMA_RECV_RING_H */
