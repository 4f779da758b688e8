/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How large the rings of a QP are (hardware.rst, sections 5 to 7). Pure
 * arithmetic on bounded numbers: nothing here overflows 32 bits.
 */
#ifndef ORNIC_RDMA_RING_H
#define ORNIC_RDMA_RING_H

#include <linux/align.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include "ornic_api.h"

/* What an SGE count and an inline length fit into in a WQE's first word */
#define ORNIC_MAX_SGE		(ORNIC_RQ_COUNT)
#define ORNIC_MAX_INLINE	(ORNIC_GET(ORNIC_SQ_COUNT, ORNIC_SQ_COUNT))
/* Bounds of what the device may claim, so that all sizes fit into 32 bits */
#define ORNIC_MAX_RING		262144
#define ORNIC_MAX_CQE		4194304
/* So that an eighth is at least a slot */
#define ORNIC_SQ_LOG_MIN	3

/**
 * ornic_wqe_head - bytes of a send WQE before its SGEs or inline data
 * @ud:		a UD or GSI QP
 *
 * Return: header and route.
 */
static inline u32 ornic_wqe_head(bool ud)
{
	return sizeof(struct ornic_sq_hdr) +
	       (ud ? sizeof(struct ornic_route_ud) : sizeof(struct ornic_route_rc));
}

/**
 * ornic_wqe_slots - slots that the largest send WQE of a QP takes
 * @ud:		a UD or GSI QP
 * @sge:	SGEs, at most ORNIC_MAX_SGE
 * @inl:	inline bytes, at most ORNIC_MAX_INLINE
 *
 * What a process posts without SGEs or inline data fits into one: atomics have
 * 16 bytes and an SGE after the route, and a bind 32 bytes.
 *
 * Return: slots.
 */
static inline u32 ornic_wqe_slots(bool ud, u32 sge, u32 inl)
{
	return DIV_ROUND_UP(ornic_wqe_head(ud) +
			    max_t(u32, sge * sizeof(struct ornic_sge), inl),
			    ORNIC_SLOT_SIZE);
}

/**
 * ornic_wqe_tso_head - bytes of a TSO before its SGEs
 * @header:	bytes of the frame's headers, at most ORNIC_TSO_HDR_MAX
 *
 * Return: header, route, and the frame's headers, filled up.
 */
static inline u32 ornic_wqe_tso_head(u32 header)
{
	return ornic_wqe_head(false) + ALIGN(header, sizeof(struct ornic_sge));
}

/**
 * ornic_wqe_slots_min - slots that a send WQE of a kernel consumer may take
 * without SGEs or inline data
 *
 * A connected QP may post REG_MR, and masked atomics, which have 32 bytes and an
 * SGE after the route.
 *
 * Return: slots.
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
 * ornic_sq_log - size of a send ring
 * @slots:	that must be usable, at most ORNIC_MAX_RING
 *
 * Return: log2 of the ring's slots.
 */
static inline u32 ornic_sq_log(u32 slots)
{
	u32 log = max_t(u32, order_base_2(slots), ORNIC_SQ_LOG_MIN);

	return ornic_sq_usable(1u << log) < slots ? log + 1 : log;
}

/**
 * ornic_rq_shift - size of a receive WQE
 * @sge:	SGEs, at most ORNIC_MAX_SGE
 *
 * Return: log2 of its bytes.
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
 * Return: SGEs that it has room for.
 */
static inline u32 ornic_rq_sge(u32 shift)
{
	return ((1u << shift) - sizeof(struct ornic_rq_hdr)) / sizeof(struct ornic_sge);
}

/**
 * ornic_max_wr - work requests that any legal QP can be given
 * @sq_slots:	of the largest send ring, a power of two
 * @rq_wqes:	of the largest receive ring, a power of two
 * @sge:	most SGEs
 * @inl:	most inline bytes
 *
 * Return: work requests of each of its queues.
 */
static inline u32 ornic_max_wr(u32 sq_slots, u32 rq_wqes, u32 sge, u32 inl)
{
	return min(ornic_sq_usable(sq_slots) / ornic_wqe_slots(true, sge, inl), rq_wqes);
}

#endif /* ORNIC_RDMA_RING_H */
