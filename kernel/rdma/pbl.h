/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Page lists: how a buffer that is not contiguous is described to the device
 * (hardware.rst, section 3).
 */
#ifndef ORNIC_RDMA_PBL_H
#define ORNIC_RDMA_PBL_H

#include <linux/types.h>

#include "ornic_hw.h"

struct ib_device;

/* Entries up to which a list is one contiguous array: 32 KiB of it */
#define ORNIC_PBL_FLAT_MAX	4096

/**
 * struct ornic_pbl_chunk - a piece of a page list
 * @entries:	bus addresses of pages, or of the chunks of the level below
 * @dma:	bus address of the piece
 */
struct ornic_pbl_chunk {
	__le64 *entries;
	dma_addr_t dma;
};

/**
 * struct ornic_pbl - a page list
 * @buf:	what the device is told
 * @chunks:	the pieces, the lowest level first; NULL without a list
 * @nchunks:	their number
 * @leaves:	how many of them are of the lowest level
 * @shift:	log2 of the entries of a piece
 * @size:	bytes of a piece
 * @nmapped:	pieces that are mapped for DMA
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
 * ornic_pbl_levels - levels of index that a number of pages takes
 * @npages:	not 0
 *
 * Return: 0 to 3, or -EINVAL for more than three levels hold.
 */
static inline int ornic_pbl_levels(u64 npages)
{
	if (npages == 1)
		return 0;
	if (npages <= ORNIC_PBL_FLAT_MAX)
		return 1;
	if (npages <= (u64)ORNIC_INDEX_ENTRIES * ORNIC_INDEX_ENTRIES)
		return 2;
	if (npages <= (u64)ORNIC_INDEX_ENTRIES * ORNIC_INDEX_ENTRIES * ORNIC_INDEX_ENTRIES)
		return 3;
	return -EINVAL;
}

int ornic_pbl_alloc(struct ornic_pbl *pbl, u64 npages, u8 page_shift);
void ornic_pbl_set(struct ornic_pbl *pbl, u32 i, dma_addr_t page);
int ornic_pbl_map(struct ib_device *ibdev, struct ornic_pbl *pbl);
void ornic_pbl_sync_for_cpu(struct ib_device *ibdev, struct ornic_pbl *pbl);
void ornic_pbl_sync_for_device(struct ib_device *ibdev, struct ornic_pbl *pbl);
void ornic_pbl_free(struct ib_device *ibdev, struct ornic_pbl *pbl);

#endif /* ORNIC_RDMA_PBL_H */
