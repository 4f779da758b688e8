/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Page lists, which describe a buffer that is not contiguous to the device
 * (ORNIC specification, section 3).
 */
#ifndef ORNIC_RDMA_PBL_H
#define ORNIC_RDMA_PBL_H

#include <linux/types.h>

#include "ornic_hw.h"

struct ib_device;

/* Up to this many entries a list of an MR is one contiguous array, of at most 32 KiB */
#define ORNIC_PBL_FLAT_MAX	4096
/* Most pages of a list, with three levels */
#define ORNIC_PBL_MAX \
	((u64)ORNIC_INDEX_ENTRIES * ORNIC_INDEX_ENTRIES * ORNIC_INDEX_ENTRIES)

/**
 * struct ornic_pbl_chunk - contiguous part of a page list
 * @entries:	DMA addresses of pages, or of chunks of the level below
 * @dma:	DMA address of the chunk
 */
struct ornic_pbl_chunk {
	__le64 *entries;
	dma_addr_t dma;
};

/**
 * struct ornic_pbl - a page list
 * @buf:	description for the device
 * @chunks:	lowest level first; NULL without a list
 * @nchunks:	number of chunks
 * @leaves:	number of chunks of the lowest level
 * @shift:	log2 of the entries of a chunk
 * @size:	bytes of a chunk
 * @nmapped:	number of chunks mapped for DMA
 */
struct ornic_pbl {
	struct ornic_buf buf;
	struct ornic_pbl_chunk *chunks;
	u32 nchunks;
	u32 leaves;
	u32 shift;
	size_t size;
	u32 nmapped;
};

/**
 * ornic_pbl_levels - get the number of index levels for a number of pages
 * @npages:	not 0
 *
 * Return: 0 to 3, or -EINVAL if the pages exceed three levels.
 */
static inline int ornic_pbl_levels(u64 npages)
{
	if (npages == 1)
		return 0;
	if (npages <= ORNIC_PBL_FLAT_MAX)
		return 1;
	if (npages <= (u64)ORNIC_INDEX_ENTRIES * ORNIC_INDEX_ENTRIES)
		return 2;
	if (npages <= ORNIC_PBL_MAX)
		return 3;
	return -EINVAL;
}

int ornic_pbl_alloc(struct ornic_pbl *pbl, u64 npages, u8 page_shift, bool flat);
void ornic_pbl_set(struct ornic_pbl *pbl, u32 i, dma_addr_t page);
int ornic_pbl_map(struct ib_device *ibdev, struct ornic_pbl *pbl);
void ornic_pbl_sync_for_cpu(struct ib_device *ibdev, struct ornic_pbl *pbl);
void ornic_pbl_sync_for_device(struct ib_device *ibdev, struct ornic_pbl *pbl);
void ornic_pbl_free(struct ib_device *ibdev, struct ornic_pbl *pbl);

#endif /* ORNIC_RDMA_PBL_H */
