// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Ring of receive WQEs with its doorbell record, for SRQs and WQs */
#include "device.h"
#include "pbl.h"
#include "recv_ring.h"
#include "ring.h"
#include "ringmem.h"
#include "uctx.h"

/**
 * ornic_recv_ring_alloc - allocate a ring
 * @dev:	the device
 * @max_wr:	minimum number of WQEs that may be in use, not 0
 * @stride_shift: log2 of the bytes of a WQE
 * @ctx:	of the process that maps it, or NULL for the kernel
 * @ring:	filled in on success
 *
 * Return: 0 or -ENOMEM.
 */
int ornic_recv_ring_alloc(struct ornic_ib_dev *dev, u32 max_wr, u8 stride_shift,
			  struct ornic_ucontext *ctx, struct ornic_recv_ring *ring)
{
	/* The kernel goes by completions, a process by the record */
	u32 lag = ctx ? dev->odev->lim.rq_ci_lag : 0;
	u32 bytes;
	int err;

	*ring = (struct ornic_recv_ring) { .log_wqes = order_base_2(max_wr + lag) };
	ring->max_wr = ornic_ring_usable(1u << ring->log_wqes, lag);
	bytes = 1u << (ring->log_wqes + stride_shift);
	ring->dbr_offset = ALIGN(bytes, sizeof(struct ornic_qp_dbr));
	ring->size = PAGE_ALIGN(ring->dbr_offset + sizeof(struct ornic_qp_dbr));
	ring->mem = ornic_slab_alloc(&dev->ibdev, ctx ? &ctx->slabs : NULL, ring->size);
	if (IS_ERR(ring->mem))
		return PTR_ERR(ring->mem);

	err = ornic_ringmem_describe(&dev->ibdev, ring->mem, 0, bytes, &ring->pbl);
	if (err)
		goto err_free_mem;

	return 0;

err_free_mem:
	ornic_slab_free(&dev->ibdev, ring->mem);
	return err;
}

/**
 * ornic_recv_ring_free - free a ring
 * @dev:	the device, which does not use the ring
 * @ring:	the ring
 */
void ornic_recv_ring_free(struct ornic_ib_dev *dev, struct ornic_recv_ring *ring)
{
	ornic_pbl_free(&dev->ibdev, &ring->pbl);
	ornic_slab_free(&dev->ibdev, ring->mem);
}

/**
 * ornic_recv_ring_dbr_addr - get the address of the doorbell record
 * @ring:	the ring
 *
 * Return: DMA address.
 */
u64 ornic_recv_ring_dbr_addr(const struct ornic_recv_ring *ring)
{
	return ornic_ringmem_dma(ring->mem, ring->dbr_offset);
}

/**
 * ornic_recv_ring_get_dbr - read the doorbell record
 * @ring:	the ring; a process may be writing to it
 *
 * Return: a copy.
 */
struct ornic_qp_dbr ornic_recv_ring_get_dbr(const struct ornic_recv_ring *ring)
{
	return ornic_ringmem_get_qp_dbr(ring->mem, ring->dbr_offset);
}
