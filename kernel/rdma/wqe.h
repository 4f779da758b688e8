/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Writing send WQEs into a ring (ORNIC specification, section 6) */
#ifndef ORNIC_RDMA_WQE_H
#define ORNIC_RDMA_WQE_H

#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "ornic_hw.h"

/**
 * struct ornic_wqe_writer - write position in a send WQE
 * @ring:	first byte of the ring
 * @mask:	bytes of the ring, minus one
 * @pos:	bytes from the start of the ring, free running
 */
struct ornic_wqe_writer {
	void *ring;
	u32 mask;
	u32 pos;
};

/**
 * ornic_wqe_begin - start to write a send WQE
 * @ring:	first byte of the ring
 * @slot_mask:	slots of the ring, minus one
 * @pi:		first slot of the WQE, free running
 *
 * Return: the writer.
 */
static inline struct ornic_wqe_writer ornic_wqe_begin(void *ring, u32 slot_mask, u32 pi)
{
	return (struct ornic_wqe_writer) {
		.ring = ring,
		.mask = slot_mask * ORNIC_SLOT_SIZE + ORNIC_SLOT_SIZE - 1,
		.pos = pi * ORNIC_SLOT_SIZE,
	};
}

/**
 * ornic_wqe_put - append to a send WQE, which wraps at the end of the ring
 * @w:		the writer
 * @data:	bytes to append
 * @len:	bytes
 */
static inline void ornic_wqe_put(struct ornic_wqe_writer *w, const void *data, u32 len)
{
	while (len) {
		u32 at = w->pos & w->mask;
		u32 n = min(len, w->mask + 1 - at);

		memcpy(w->ring + at, data, n);
		w->pos += n;
		data += n;
		len -= n;
	}
}

/**
 * ornic_wqe_length - get the bytes of a send WQE
 * @w:		the writer, after the last byte
 * @pi:		first slot of this WQE
 *
 * Return: bytes, for its header.
 */
static inline u32 ornic_wqe_length(const struct ornic_wqe_writer *w, u32 pi)
{
	return w->pos - pi * ORNIC_SLOT_SIZE;
}

/**
 * ornic_wqe_end - get the slot in which the next send WQE begins
 * @w:		the writer, after the last byte
 * @pi:		first slot of this WQE
 *
 * Return: producer index after the WQE.
 */
static inline u32 ornic_wqe_end(const struct ornic_wqe_writer *w, u32 pi)
{
	return pi + DIV_ROUND_UP(ornic_wqe_length(w, pi), ORNIC_SLOT_SIZE);
}

/**
 * ornic_sge_make - make an SGE in the format of the device
 * @addr:	address in the memory region
 * @length:	bytes
 * @lkey:	key of the memory region
 *
 * Return: the SGE.
 */
static inline struct ornic_sge ornic_sge_make(u64 addr, u32 length, u32 lkey)
{
	return (struct ornic_sge) {
		.addr = cpu_to_le64(addr),
		.length = cpu_to_le32(length),
		.lkey = cpu_to_le32(lkey),
	};
}

#endif /* ORNIC_RDMA_WQE_H */
