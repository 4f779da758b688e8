/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Bound of the events that the core keeps for a process */
#ifndef ORNIC_RDMA_DUE_H
#define ORNIC_RDMA_DUE_H

#include <linux/atomic.h>

/* More events than this are not under way at a time */
#define ORNIC_DUE_MAX		64

/**
 * ornic_due_add - allow an object more events
 * @due:	number of events that may occur
 * @count:	number of events
 *
 * Their handlers see all members that the core has set before.
 */
static inline void ornic_due_add(atomic_t *due, int count)
{
	if (atomic_read(due) < ORNIC_DUE_MAX)
		atomic_add_return(count, due);
}

/**
 * ornic_due_take - check whether an event may occur
 * @due:	number of events that may occur
 *
 * The core keeps each event of a process until it is read, so a device that
 * sends events without a cause would use up the memory of the host.
 *
 * Return: true if the event may be delivered.
 */
static inline bool ornic_due_take(atomic_t *due)
{
	return atomic_dec_if_positive(due) >= 0;
}

#endif /* ORNIC_RDMA_DUE_H */
