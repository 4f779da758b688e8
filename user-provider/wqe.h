/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Send WQEs and the room for them in the ring (hardware.rst, section 6) */
#ifndef ORNIC_WQE_H
#define ORNIC_WQE_H

#include <endian.h>
#include <string.h>

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
 * ornic_sq_slot() - address of a slot of the send queue
 * @sq: send queue
 * @index: producer index
 *
 * Return: the slot.
 */
static inline void *ornic_sq_slot(const struct ornic_sq *sq, uint32_t index)
{
	return sq->ring + ((size_t)(index & sq->mask) << ORNIC_SLOT_SHIFT);
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
	return ops & (1ULL << opcode);
}

/**
 * ornic_wqe_slots() - slots of a WQE
 * @bytes: length of the WQE
 *
 * Return: the number of slots.
 */
static inline uint32_t ornic_wqe_slots(uint32_t bytes)
{
	return (bytes + ORNIC_SLOT_SIZE - 1) >> ORNIC_SLOT_SHIFT;
}

/**
 * ornic_wqe_sge_slots() - slots of a WQE with SGEs
 * @start: offset of the SGEs, a multiple of their size
 * @count: number of SGEs, at most the max_sge of the queue
 *
 * Return: the number of slots.
 */
static inline uint32_t ornic_wqe_sge_slots(uint32_t start, uint32_t count)
{
	const uint32_t sge = sizeof(struct ornic_sge);
	const uint32_t sges = ORNIC_SLOT_SIZE / sge;

	return (start / sge + count + sges - 1) / sges;
}

/**
 * ornic_sq_refresh() - read the consumer index and check for room
 * @sq: send queue
 * @end: producer index after the request
 *
 * A consumer index out of range is a device error. The queue then counts as
 * full, because the device may still read any slot of the ring.
 *
 * Return: whether there is room up to @end.
 */
static inline bool ornic_sq_refresh(struct ornic_sq *sq, uint32_t end)
{
	uint32_t ci = ornic_index_read(&sq->dbr->sq_ci);

	if (unlikely(sq->pi - ci > sq->slots))
		return false;
	sq->limit = ci + sq->slots;
	return (int32_t)(sq->limit - end) >= 0;
}

/**
 * ornic_sq_has_room() - check for room in the send queue
 * @sq: send queue
 * @end: producer index after the request
 *
 * The consumer index is read again only if its last known value leaves no room.
 *
 * Return: whether there is room up to @end.
 */
static inline bool ornic_sq_has_room(struct ornic_sq *sq, uint32_t end)
{
	return likely((int32_t)(sq->limit - end) >= 0) ||
	       ornic_sq_refresh(sq, end);
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
 * because it is for XRC_SEND QPs only ([ORNIC-SQ-8]).
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
