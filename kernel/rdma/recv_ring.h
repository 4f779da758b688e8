/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ring of receive WQEs with its doorbell record, for SRQs and WQs */
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

int ornic_recv_ring_alloc(struct ornic_ib_dev *dev, u32 max_wr, u8 stride_shift,
			  struct ornic_ucontext *ctx, struct ornic_recv_ring *ring);
void ornic_recv_ring_free(struct ornic_ib_dev *dev, struct ornic_recv_ring *ring);
u64 ornic_recv_ring_dbr_addr(const struct ornic_recv_ring *ring);
struct ornic_qp_dbr ornic_recv_ring_get_dbr(const struct ornic_recv_ring *ring);

#endif /* ORNIC_RDMA_RECV_RING_H */
