/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory of rings and doorbell records, which the device and the kernel or a
 * process read and write.
 */
#ifndef ORNIC_RDMA_RINGMEM_H
#define ORNIC_RDMA_RINGMEM_H

#include <linux/scatterlist.h>
#include <linux/types.h>

struct ib_device;
struct ornic_pbl;
struct ornic_slab;

/**
 * struct ornic_ringmem - zeroed pages, not necessarily contiguous
 * @slab:	of a process: the slab that owns @pages and @dma, in which these
 *		are the first of this part; else NULL
 * @pages:	each has its own reference, so that mappings of a process may
 *		outlive the object
 * @dma:	DMA address of each page
 * @npages:	number of pages
 * @sgt:	DMA mapping, without @slab
 * @addr:	kernel address, after ornic_ringmem_vmap()
 */
struct ornic_ringmem {
	struct ornic_slab *slab;
	struct page **pages;
	dma_addr_t *dma;
	u32 npages;
	struct sg_table sgt;
	void *addr;
};

struct ornic_ringmem *ornic_ringmem_alloc(struct ib_device *ibdev, size_t size);
int ornic_ringmem_vmap(struct ornic_ringmem *mem);
void ornic_ringmem_free(struct ib_device *ibdev, struct ornic_ringmem *mem);
int ornic_ringmem_describe(struct ib_device *ibdev, const struct ornic_ringmem *mem,
			   size_t offset, size_t size, struct ornic_pbl *pbl);
void *ornic_ringmem_peek(const struct ornic_ringmem *mem, size_t offset);
struct ornic_qp_dbr ornic_ringmem_get_qp_dbr(const struct ornic_ringmem *mem, size_t offset);
dma_addr_t ornic_ringmem_dma(const struct ornic_ringmem *mem, size_t offset);

#endif /* ORNIC_RDMA_RINGMEM_H */
