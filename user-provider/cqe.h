/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Access to completions in the ring (hardware.rst, section 8) */
#ifndef ORNIC_CQE_H
#define ORNIC_CQE_H

#include "index.h"
#include "ornic.h"

static_assert((int)IBV_WC_SUCCESS == (int)ORNIC_WC_SUCCESS, "status");
static_assert((int)IBV_WC_WR_FLUSH_ERR == (int)ORNIC_WC_WR_FLUSH_ERR, "status");
static_assert((int)IBV_WC_RNR_RETRY_EXC_ERR ==
	      (int)ORNIC_WC_RNR_RETRY_EXC_ERR, "status");
static_assert((int)IBV_WC_GENERAL_ERR == (int)ORNIC_WC_GENERAL_ERR, "status");
static_assert((int)IBV_WC_FETCH_ADD == (int)ORNIC_WC_FETCH_ADD, "opcode");
static_assert((int)IBV_WC_RECV_RDMA_WITH_IMM ==
	      (int)ORNIC_WC_RECV_RDMA_WITH_IMM, "opcode");
static_assert((int)IBV_WC_GRH == ORNIC_WC_GRH, "flags");
static_assert((int)IBV_WC_WITH_IMM == ORNIC_WC_WITH_IMM, "flags");
static_assert((int)IBV_WC_IP_CSUM_OK == ORNIC_WC_IP_CSUM_OK, "flags");
static_assert((int)IBV_WC_WITH_INV == ORNIC_WC_WITH_INV, "flags");

#define ORNIC_LOG_CQE_SIZE	5	/* struct ornic_cqe */
#define ORNIC_LOG_CQE_EXT_SIZE	6	/* struct ornic_cqe_64 */

static_assert(sizeof(struct ornic_cqe) == 1 << ORNIC_LOG_CQE_SIZE, "CQE");
static_assert(sizeof(struct ornic_cqe_64) == 1 << ORNIC_LOG_CQE_EXT_SIZE,
	      "CQE");
static_assert(offsetof(struct ornic_cqe, qpn) + sizeof(__le32) ==
	      1 << ORNIC_LOG_CQE_SIZE, "phase");
static_assert(offsetof(struct ornic_cqe_64, cqe.qpn) + sizeof(__le32) ==
	      1 << ORNIC_LOG_CQE_EXT_SIZE, "phase");

/**
 * ornic_cqe_offset() - bytes of an entry in front of its struct ornic_cqe
 * @log_size: log2 of the bytes of an entry
 *
 * Return: 0, or the size of struct ornic_cqe_ext.
 */
static inline size_t ornic_cqe_offset(uint32_t log_size)
{
	return ((size_t)1 << log_size) - sizeof(struct ornic_cqe);
}

/**
 * ornic_cqe() - address of a completion
 * @cq: completion queue
 * @ci: index of the entry
 * @log_size: log2 of the bytes of an entry
 *
 * Return: the entry.
 */
static inline struct ornic_cqe *ornic_cqe(const struct ornic_cq *cq,
					  uint32_t ci, uint32_t log_size)
{
	return (void *)(cq->ring + ((size_t)(ci & cq->mask) << log_size));
}

/* Bits of the last word of an entry that tell the queue that completes */
#define ORNIC_CQE_SEND	ORNIC_PREP(ORNIC_CQE_FLAGS, ORNIC_WC_SEND_QUEUE)
#define ORNIC_CQE_KEY	(ORNIC_CQE_QPN | ORNIC_CQE_SEND)

/**
 * ornic_cq_phase() - phase of a valid entry
 * @cq: completion queue
 * @ci: index of the entry
 *
 * The device writes phase bit 1 on the first pass over the ring and inverts it
 * with each pass. So it differs from the bit of @ci that changes with each
 * pass.
 *
 * Return: ORNIC_CQE_PHASE or 0.
 */
static inline uint32_t ornic_cq_phase(const struct ornic_cq *cq, uint32_t ci)
{
	return ~(ci << cq->phase_shift) & ORNIC_CQE_PHASE;
}

/**
 * ornic_cq_peek() - look for a completion
 * @cq: completion queue, locked
 * @ci: index of the entry
 * @log_size: log2 of the bytes of an entry
 * @cqe: returns the entry
 * @qpn: returns the last word of the entry in CPU order
 *
 * Return: whether the entry is valid; then all of it is visible
 * ([ORNIC-GEN-8]).
 */
static inline bool ornic_cq_peek(const struct ornic_cq *cq, uint32_t ci,
				 uint32_t log_size,
				 const struct ornic_cqe **cqe, uint32_t *qpn)
{
	*cqe = ornic_cqe(cq, ci, log_size);
	*qpn = ornic_index_peek(&(*cqe)->qpn);
	if ((*qpn ^ ornic_cq_phase(cq, ci)) & ORNIC_CQE_PHASE)
		return false;

	ornic_index_barrier();
	return true;
}

/**
 * ornic_cqe_imm() - immediate data or invalidated key of a completion
 * @cqe: completion
 * @flags: ORNIC_WC_*
 *
 * Both are in one union of struct ibv_wc, but immediate data keeps its byte
 * order.
 *
 * Return: imm_data as received, or invalidated_rkey in CPU order.
 */
static inline __be32 ornic_cqe_imm(const struct ornic_cqe *cqe, uint32_t flags)
{
	if (flags & ORNIC_WC_WITH_INV)
		return (__force __be32)le32toh(cqe->inv_key);
	return cqe->imm;
}

/**
 * ornic_cqe_wc_flags() - flags of a completion
 * @qpn: last word of the entry
 *
 * Return: enum ibv_wc_flags.
 */
static inline unsigned int ornic_cqe_wc_flags(uint32_t qpn)
{
	return ORNIC_GET(ORNIC_CQE_FLAGS, qpn) &
	       (ORNIC_WC_GRH | ORNIC_WC_WITH_IMM | ORNIC_WC_IP_CSUM_OK |
		ORNIC_WC_WITH_INV);
}

/**
 * ornic_cqe_sl() - what stands in place of the service level
 * @qpn: last word of the entry
 *
 * RoCE has no service level on the wire. UCX expects the type of a datagram
 * here: 9 for UDP over IPv6, 10 for UDP over IPv4. A reply with
 * this service level has VLAN priority 0 ([ORNIC-SQ-17]).
 *
 * Return: the type, 0 for other completions.
 */
static inline uint8_t ornic_cqe_sl(uint32_t qpn)
{
	if (!(qpn & ORNIC_PREP(ORNIC_CQE_FLAGS, ORNIC_WC_GRH)))
		return 0;
	return qpn & ORNIC_PREP(ORNIC_CQE_FLAGS, ORNIC_WC_IPV4) ? 10 : 9;
}

/**
 * ornic_cq_consume() - give entries back to the device
 * @cq: completion queue, locked
 * @ci: index of the first entry to keep
 */
static inline void ornic_cq_consume(struct ornic_cq *cq, uint32_t ci)
{
	cq->ci = ci;
	cq->at = (uint8_t *)ornic_cqe(cq, ci, cq->log_cqe_size);
	cq->want = ornic_cq_phase(cq, ci) | cq->polled->key;
	ornic_index_write(&cq->dbr->ci, ci);
}

/**
 * ornic_polled_after() - count completions of a queue that are being polled
 * @polled: the queue
 * @key: its key, among other bits
 * @sq_num: that of the last one
 * @num: number of completions, at least 1
 *
 * Return: the count for ornic_polled_set(), once the entries are given back.
 */
static inline uint32_t ornic_polled_after(struct ornic_polled *polled,
					  uint32_t key, __le32 sq_num,
					  uint32_t num)
{
	if (key & ORNIC_CQE_SEND)
		return le32toh(sq_num);
	return atomic_load_explicit(&polled->count, memory_order_relaxed) + num;
}

/**
 * ornic_polled_set() - allow requests in place of those that were polled
 * @polled: the queue
 * @count: from ornic_polled_after()
 *
 * A thread that reads @count may post requests that complete in the entries
 * given back before.
 */
static inline void ornic_polled_set(struct ornic_polled *polled, uint32_t count)
{
	atomic_store_explicit(&polled->count, count, memory_order_release);
}

#endif /* ORNIC_CQE_H */
