/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Send WQEs and the room for them in the ring (hardware.rst, section 6) */
#ifndef ORNIC_WQE_H
#define ORNIC_WQE_H

#include <endian.h>
#include <string.h>

#include <ccan/minmax.h>

#include "index.h"
#include "ornic.h"

/* Offset of SGEs or inline data in a send WQE (hardware.rst, section 6) */
#define ORNIC_DATA_RC \
	(sizeof(struct ornic_sq_hdr) + sizeof(struct ornic_route_rc))
#define ORNIC_DATA_ATOMIC \
	(ORNIC_DATA_RC + sizeof(struct ornic_atomic))
#define ORNIC_DATA_UD \
	(sizeof(struct ornic_sq_hdr) + sizeof(struct ornic_route_ud))
#define ORNIC_DATA_ETH \
	(sizeof(struct ornic_sq_hdr) + sizeof(struct ornic_route_eth))

/* RC and ETH WQEs share the code that depends on this offset */
static_assert(ORNIC_DATA_ETH == ORNIC_DATA_RC, "SGEs of frames are elsewhere");

/**
 * ornic_wqe_data_start() - offset of SGEs or inline data in a WQE
 * @kind: kind of the WQE, which is neither a TSO nor an atomic
 *
 * Return: bytes from the beginning of the WQE.
 */
static inline uint32_t ornic_wqe_data_start(enum ornic_wqe_kind kind)
{
	return kind == ORNIC_WQE_UD ? ORNIC_DATA_UD : ORNIC_DATA_RC;
}

/**
 * ornic_sq_takes() - check an opcode against a set
 * @ops: set of opcodes, such as those that the QP's type and state allow
 * @opcode: enum ibv_wr_opcode, less than 64
 *
 * Return: whether @opcode is in @ops.
 */
static inline bool ornic_sq_takes(uint64_t ops, uint32_t opcode)
{
	return ops >> opcode & 1;
}

/**
 * ornic_wqe_size() - bytes of the slots of a WQE
 * @length: bytes of the WQE
 *
 * Return: a multiple of the size of a slot.
 */
static inline size_t ornic_wqe_size(size_t length)
{
	return (length + ORNIC_SLOT_SIZE - 1) & -(size_t)ORNIC_SLOT_SIZE;
}

/**
 * ornic_sq_index() - producer index of a slot
 * @sq: send queue
 * @slot: a slot, or the end of the ring
 *
 * Return: the index, free-running.
 */
static inline uint32_t ornic_sq_index(const struct ornic_sq *sq,
				      const uint8_t *slot)
{
	return ((uintptr_t)slot - sq->origin) >> ORNIC_SLOT_SHIFT;
}

/**
 * ornic_sq_wrap() - the place in the ring where data continues
 * @sq: send queue
 * @at: end of data in the ring
 *
 * Return: @at, or the first slot if @at is the end of the ring.
 */
static inline void *ornic_sq_wrap(const struct ornic_sq *sq, void *at)
{
	return at == sq->end ? sq->ring : at;
}

/**
 * ornic_sq_reset() - empty a send queue
 * @sq: send queue, locked or not yet in use
 */
static inline void ornic_sq_reset(struct ornic_sq *sq)
{
	sq->next = sq->ring;
	sq->stop = sq->ring;
	sq->origin = (uintptr_t)sq->ring;
	sq->more = 0;
}

/* Places from now on are of the next pass */
static inline void ornic_sq_next_pass(struct ornic_sq *sq)
{
	sq->origin -= sq->end - sq->ring;
	sq->first -= sq->end - sq->ring;
}

/**
 * ornic_sq_claim() - slow path to slots, beyond @sq->stop
 * @sq: send queue
 * @next: where the slots are to begin
 * @length: bytes
 * @requests: 1 for a new request, 0 for more slots of one
 * @after: returns where the next slots begin; not changed on failure
 *
 * Reads the consumer index, and which requests are not outstanding any more.
 * One out of range is a device error. The queue then counts as full, because
 * the device may still read any slot of the ring.
 *
 * Each request has a slot at least, so as many slots as requests may be posted
 * are free until the next claim.
 *
 * Return: the first slot, from which the others may wrap; NULL without room.
 */
static inline uint8_t *ornic_sq_claim(struct ornic_sq *sq, uint8_t *next,
				      size_t length, uint32_t requests,
				      uint8_t **after)
{
	uint32_t pi = ornic_sq_index(sq, next);
	uint32_t used = pi - ornic_index_read(&sq->dbr->sq_ci);
	uint32_t wrs = pi - sq->more -
		       atomic_load_explicit(&sq->polled.count,
					    memory_order_acquire);
	size_t room, size = ornic_wqe_size(length);

	room = (size_t)(sq->slots - used) << ORNIC_SLOT_SHIFT;
	if (used > sq->slots || size > room || wrs > sq->max_wr ||
	    wrs + requests > sq->max_wr)
		return NULL;
	sq->more += (size >> ORNIC_SLOT_SHIFT) - requests;

	if (next == sq->end) {
		ornic_sq_next_pass(sq);
		next = sq->ring;
	}
	room = min_t(size_t, room - size,
		     (size_t)(sq->max_wr - wrs - requests) << ORNIC_SLOT_SHIFT);
	if (size <= (size_t)(sq->end - next)) {
		*after = next + size;
	} else {
		*after = sq->ring + (size - (sq->end - next));
		ornic_sq_next_pass(sq);
	}
	sq->stop = *after + min_t(size_t, room, sq->end - *after);
	return next;
}

/**
 * ornic_wqe_ctrl() - first word of a send WQE
 * @opcode: enum ornic_wr_opcode
 * @flags: enum ibv_send_flags
 * @length: bytes of the whole WQE, within the limits of the QP
 *
 * Return: the word.
 */
static inline __le32 ornic_wqe_ctrl(uint32_t opcode, uint8_t flags,
				    uint32_t length)
{
	return htole32(opcode * ORNIC_PREP(ORNIC_SQ_OPCODE, 1) +
		       length * ORNIC_PREP(ORNIC_SQ_LENGTH, 1) + flags);
}

/**
 * ornic_wqe_grow() - add to the first word of a send WQE
 * @hdr: its header
 * @flags: enum ibv_send_flags that it does not have
 * @bytes: length of the data that it gets
 */
static inline void ornic_wqe_grow(struct ornic_sq_hdr *hdr, uint8_t flags,
				  uint32_t bytes)
{
	hdr->ctrl = htole32(le32toh(hdr->ctrl) +
			    bytes * ORNIC_PREP(ORNIC_SQ_LENGTH, 1) + flags);
}

/**
 * ornic_wqe_put_sge() - write one SGE of a WQE
 * @dst: SGE in the ring, 16-byte aligned
 * @addr: address
 * @length: bytes
 * @lkey: local key
 */
static inline void ornic_wqe_put_sge(struct ornic_sge *dst, uint64_t addr,
				     uint32_t length, uint32_t lkey)
{
	dst->addr = htole64(addr);
	dst->length = htole32(length);
	dst->lkey = htole32(lkey);
}

/**
 * ornic_wqe_put_route_rc() - write the route of a connected transport
 * @dst: after the header
 * @raddr: remote address
 * @rkey: remote key
 *
 * The device ignores @raddr and @rkey of a SEND. xrc_srqn is not written,
 * because it is for XRC_SEND QPs only ([ORNIC-SQ-12]).
 */
static inline void ornic_wqe_put_route_rc(struct ornic_route_rc *dst,
					  uint64_t raddr, uint32_t rkey)
{
	dst->raddr = htole64(raddr);
	dst->rkey = htole32(rkey);
}

/**
 * ornic_wqe_put_route_ud() - write the route of a datagram
 * @dst: after the header
 * @ah: address handle of the destination
 * @qpn: number of the remote QP
 * @qkey: Q_Key of the remote QP; with the top bit set, the device uses that of
 *	the sending QP
 */
static inline void ornic_wqe_put_route_ud(struct ornic_route_ud *dst,
					  struct ibv_ah *ah, uint32_t qpn,
					  uint32_t qkey)
{
	dst->dqpn = htole32(qpn);
	dst->qkey = htole32(qkey);
	dst->rsvd = 0;
	dst->av = to_ornic_ah(ah)->av;
}

/**
 * ornic_wqe_put_route_eth() - write the route of an Ethernet frame
 * @dst: after the header
 * @mss: TSO: bytes of payload of a segment; else 0
 * @hdr_len: TSO: bytes of headers; else 0
 */
static inline void ornic_wqe_put_route_eth(struct ornic_route_eth *dst,
					   uint16_t mss, uint16_t hdr_len)
{
	memset(dst, 0, sizeof(*dst));
	dst->mss = htole16(mss);
	dst->hdr_len = htole16(hdr_len);
}

/**
 * ornic_wqe_tso_room() - room for the headers of a TSO in its WQE
 * @hdr_len: bytes of headers
 *
 * Return: bytes, a multiple of the size of the SGEs that follow.
 */
static inline uint32_t ornic_wqe_tso_room(uint32_t hdr_len)
{
	const uint32_t sge = sizeof(struct ornic_sge);

	return (hdr_len + sge - 1) / sge * sge;
}

/**
 * ornic_wqe_put_atomic() - write the operands of an atomic
 * @dst: after the route
 * @swap_add: value to swap in, or to add
 * @compare: CMP_SWP: value to compare with; else 0
 */
static inline void ornic_wqe_put_atomic(struct ornic_atomic *dst,
					uint64_t swap_add, uint64_t compare)
{
	dst->swap_add = htole64(swap_add);
	dst->compare = htole64(compare);
}

/**
 * ornic_wqe_put_bind() - write the operands of BIND_MW
 * @dst: after the route
 * @mw: memory window with its current key
 * @rkey: its new key
 * @info: region, range and access of the window
 */
static inline void ornic_wqe_put_bind(struct ornic_bind *dst,
				      const struct ibv_mw *mw, uint32_t rkey,
				      const struct ibv_mw_bind_info *info)
{
	dst->mw_key = htole32(mw->rkey);
	dst->new_key = htole32(rkey);
	/* Unbinding needs no region */
	dst->mr_key = info->mr ? htole32(info->mr->lkey) : 0;
	dst->access = htole32(info->mw_access_flags);
	dst->addr = htole64(info->addr);
	dst->length = htole64(info->length);
}

#endif /* ORNIC_WQE_H */
