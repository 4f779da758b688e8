/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The ring of a send queue; sq.h has the work requests in it */
#ifndef ORNIC_DEVICE_SQ_RING_H
#define ORNIC_DEVICE_SQ_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "base/buf.h"

/**
 * struct sq - a send queue; indexes count slots and run free
 * @log_slots: log2 of the number of slots
 * @broken: sq_pi was invalid or out of reach; it is not read any more
 * @pushed: the host has pushed a WQE, see struct sq_pushed
 * @pi: producer index as last read from the doorbell record and checked
 * @next: first slot of the next WQE to take
 * @ci: consumer index: the slots before it are done with
 * @ci_told: value of sq_ci in the doorbell record
 * @num: number of the last WQE that is done with ([ORNIC-CQ-3])
 * @ring: buffer of the ring; the part that buf_slot() needs is in the same cache line
 */
struct sq {
	uint8_t log_slots;
	bool broken;
	bool pushed;
	uint32_t pi;
	uint32_t next;
	uint32_t ci;
	uint32_t ci_told;
	uint32_t num;
	struct buf ring;
};

/**
 * struct sq_pushed - copy of the next WQE that the host has pushed, if
 *	@pushed of the queue says so
 * @index: its slot
 * @wqe: its first bytes; it has no more
 */
struct sq_pushed {
	uint32_t index;
	uint8_t wqe[ORNIC_PUSH_WQE];
};

/**
 * sq_empty - check for WQEs to take
 * @sq: the queue
 *
 * Return: true when all known WQEs have been taken.
 */
static inline bool sq_empty(const struct sq *sq)
{
	return sq->next == sq->pi;
}

#endif /* ORNIC_DEVICE_SQ_RING_H */
