/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Sizes of the rings of a QP (ORNIC specification, sections 5 to 7). Inputs are
 * bounded, so that nothing here overflows 32 bits.
 */
#ifndef ORNIC_RDMA_RING_H
#define ORNIC_RDMA_RING_H

#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include "ornic_api.h"

/* Maxima of the fields in the first words of WQEs */
#define ORNIC_MAX_SGE		(ORNIC_RQ_COUNT)
#define ORNIC_MAX_WQE		(ORNIC_GET(ORNIC_SQ_LENGTH, ORNIC_SQ_LENGTH))
#define ORNIC_MAX_INLINE	1023
/* Limits of the values that the device reports, so that sizes fit into u32 */
#define ORNIC_MAX_RING		262144
#define ORNIC_MAX_CQE		4194304
/* A shorter ring saves no memory */
#define ORNIC_SQ_LOG_MIN	3

/**
 * ornic_wqe_head - bytes of a send WQE before its SGEs or inline data
 * @ud:		a UD or GSI QP
 *
 * Return: bytes of header and route.
 */
static inline u32 ornic_wqe_head(bool ud)
{
	return sizeof(struct ornic_sq_hdr) +
	       (ud ? sizeof(struct ornic_route_ud) : sizeof(struct ornic_route_rc));
}

/**
 * ornic_wqe_slots - get the slots of the largest send WQE of a QP
 * @ud:		a UD or GSI QP
 * @sge:	SGEs, at most ORNIC_MAX_SGE
 * @inl:	inline bytes, at most ORNIC_MAX_INLINE
 *
 * Other WQEs of a process fit into one slot: atomics have 16 bytes and an SGE
 * after the route, and a bind has 32 bytes.
 *
 * Return: number of slots.
 */
static inline u32 ornic_wqe_slots(bool ud, u32 sge, u32 inl)
{
	return DIV_ROUND_UP(ornic_wqe_head(ud) +
			    max_t(u32, sge * sizeof(struct ornic_sge), inl),
			    ORNIC_SLOT_SIZE);
}

/**
 * ornic_wqe_tso_head - bytes of a TSO WQE before its SGEs
 * @header:	bytes of the headers of the frame, at most ORNIC_TSO_HDR_MAX
 *
 * Return: bytes of header, route and padded headers of the frame.
 */
static inline u32 ornic_wqe_tso_head(u32 header)
{
	return ornic_wqe_head(false) + ALIGN(header, sizeof(struct ornic_sge));
}

/* Both kinds of data fit behind the longest beginning of a WQE */
static_assert(sizeof(struct ornic_sq_hdr) + sizeof(struct ornic_route_ud) + ORNIC_TSO_HDR_MAX +
	      ORNIC_MAX_SGE * sizeof(struct ornic_sge) <= ORNIC_MAX_WQE);
static_assert(sizeof(struct ornic_sq_hdr) + sizeof(struct ornic_route_ud) + ORNIC_MAX_INLINE <=
	      ORNIC_MAX_WQE);

/**
 * ornic_wqe_slots_min - get the slots of WQEs that only kernel consumers post
 *
 * A connected QP may post REG_MR, and masked atomics, which have 32 bytes and
 * an SGE after the route.
 *
 * Return: number of slots.
 */
static inline u32 ornic_wqe_slots_min(void)
{
	return DIV_ROUND_UP(ornic_wqe_head(false) +
			    max(sizeof(struct ornic_reg_mr),
				sizeof(struct ornic_atomic) + sizeof(struct ornic_atomic_mask) +
				sizeof(struct ornic_sge)),
			    ORNIC_SLOT_SIZE);
}

/**
 * ornic_ring_usable - entries of a ring that may be in use
 * @entries:	size of the ring, or of the largest one
 * @lag:	entries by which the record of the device may lag behind; 0 for
 *		queues that the kernel posts to, because completions tell it
 *		which entries are free ([ORNIC-ORD-7])
 *
 * Return: number of entries.
 */
static inline u32 ornic_ring_usable(u32 entries, u32 lag)
{
	return entries > lag ? entries - lag : 0;
}

/**
 * ornic_sq_log - get the size of a send ring
 * @slots:	slots, with those for the lag of the record
 *
 * Return: log2 of the ring's slots.
 */
static inline u32 ornic_sq_log(u32 slots)
{
	return max_t(u32, order_base_2(slots), ORNIC_SQ_LOG_MIN);
}

/**
 * ornic_rq_shift - get the size of a receive WQE
 * @sge:	SGEs, at most ORNIC_MAX_SGE
 *
 * Return: log2 of the bytes.
 */
static inline u32 ornic_rq_shift(u32 sge)
{
	u32 bytes = sizeof(struct ornic_rq_hdr) + max(sge, 1u) * sizeof(struct ornic_sge);

	return max_t(u32, order_base_2(bytes), ORNIC_RQ_STRIDE_SHIFT_MIN);
}

/**
 * ornic_rq_sge - the reverse of ornic_rq_shift()
 * @shift:	log2 of the bytes of a receive WQE
 *
 * Return: SGEs that fit.
 */
static inline u32 ornic_rq_sge(u32 shift)
{
	return ((1u << shift) - sizeof(struct ornic_rq_hdr)) / sizeof(struct ornic_sge);
}

/**
 * ornic_ring_max_wr - get the number of work requests that each QP can have
 * @sq_slots:	usable slots of the largest send ring
 * @rq_wqes:	usable WQEs of the largest receive ring
 * @sge:	maximum of SGEs
 * @inl:	maximum of inline bytes
 *
 * Return: work requests of each queue.
 */
static inline u32 ornic_ring_max_wr(u32 sq_slots, u32 rq_wqes, u32 sge, u32 inl)
{
	return min(sq_slots / ornic_wqe_slots(true, sge, inl), rq_wqes);
}

#endif /* ORNIC_RDMA_RING_H */
