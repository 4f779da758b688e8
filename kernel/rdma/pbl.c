// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Page lists: allocation, filling and DMA mapping */
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "pbl.h"

/**
 * ornic_pbl_alloc - allocate a page list
 * @pbl:	filled in
 * @npages:	pages of the buffer, not 0
 * @page_shift:	log2 of the bytes of a page, 12 to 31
 * @flat:	one contiguous list of any length, as rings and REG_MR demand
 *
 * Set each entry, then call ornic_pbl_map(). Call ornic_pbl_free() at any time.
 *
 * Return: 0, -EINVAL for too many pages, or -ENOMEM.
 */
int ornic_pbl_alloc(struct ornic_pbl *pbl, u64 npages, u8 page_shift, bool flat)
{
	int levels = ornic_pbl_levels(npages);
	u32 n, level, i;

	*pbl = (struct ornic_pbl) {};
	if (levels < 0)
		return levels;
	if (flat && levels)
		levels = 1;

	pbl->buf.npages = cpu_to_le32(npages);
	pbl->buf.page_shift = page_shift;
	pbl->buf.levels = levels;
	switch (levels) {
	case 0:
		return 0;
	case 1:
		/* One chunk of any size, which may be too large for kzalloc() */
		pbl->shift = order_base_2(npages);
		pbl->size = npages * sizeof(__le64);
		pbl->leaves = 1;
		pbl->nchunks = 1;
		break;
	default:
		pbl->shift = ilog2(ORNIC_INDEX_ENTRIES);
		pbl->size = 1u << ORNIC_INDEX_PAGE_SHIFT;
		pbl->leaves = DIV_ROUND_UP_ULL(npages, ORNIC_INDEX_ENTRIES);
		for (level = 0, n = pbl->leaves; level < levels; level++) {
			pbl->nchunks += n;
			n = DIV_ROUND_UP(n, ORNIC_INDEX_ENTRIES);
		}
	}

	pbl->chunks = kvzalloc_objs(*pbl->chunks, pbl->nchunks);
	if (!pbl->chunks)
		return -ENOMEM;

	for (i = 0; i < pbl->nchunks; i++) {
		/* kmalloc() aligns sizes that are powers of two to the size */
		pbl->chunks[i].entries = kzalloc(pbl->size,
						 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!pbl->chunks[i].entries) {
			ornic_pbl_free(NULL, pbl);
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * ornic_pbl_set - set the address of a page
 * @pbl:	allocated, not yet mapped, or synced for the CPU
 * @i:		index of the page, below npages
 * @page:	DMA address of the page
 */
void ornic_pbl_set(struct ornic_pbl *pbl, u32 i, dma_addr_t page)
{
	if (!pbl->chunks)
		pbl->buf.addr = cpu_to_le64(page);
	else
		pbl->chunks[i >> pbl->shift].entries[i & ((1u << pbl->shift) - 1)] =
			cpu_to_le64(page);
}

/**
 * ornic_pbl_map - map a complete page list for the device
 * @ibdev:	the device
 * @pbl:	all entries are set
 *
 * Return: 0 or -ENOMEM; the caller frees the list in either case.
 */
int ornic_pbl_map(struct ib_device *ibdev, struct ornic_pbl *pbl)
{
	u32 base = 0, n = pbl->leaves, i;

	while (pbl->nmapped < pbl->nchunks) {
		for (i = 0; i < n; i++) {
			struct ornic_pbl_chunk *chunk = &pbl->chunks[base + i];
			dma_addr_t dma;

			dma = ib_dma_map_single(ibdev, chunk->entries, pbl->size, DMA_TO_DEVICE);
			if (ib_dma_mapping_error(ibdev, dma))
				return -ENOMEM;
			chunk->dma = dma;
			pbl->nmapped++;
			if (pbl->nmapped == pbl->nchunks) {
				pbl->buf.addr = cpu_to_le64(dma);
				return 0;
			}
			/* The level above is not mapped yet */
			pbl->chunks[base + n + (i >> pbl->shift)]
				.entries[i & ((1u << pbl->shift) - 1)] = cpu_to_le64(dma);
		}
		base += n;
		n = DIV_ROUND_UP(n, 1u << pbl->shift);
	}
	return 0;
}

/**
 * ornic_pbl_sync_for_cpu - prepare a mapped list of one level for new entries
 * @ibdev:	the device
 * @pbl:	not in use by the device
 */
void ornic_pbl_sync_for_cpu(struct ib_device *ibdev, struct ornic_pbl *pbl)
{
	ib_dma_sync_single_for_cpu(ibdev, pbl->chunks->dma, pbl->size, DMA_TO_DEVICE);
}

/**
 * ornic_pbl_sync_for_device - return the list to the device
 * @ibdev:	the device
 * @pbl:	its entries are set
 */
void ornic_pbl_sync_for_device(struct ib_device *ibdev, struct ornic_pbl *pbl)
{
	ib_dma_sync_single_for_device(ibdev, pbl->chunks->dma, pbl->size, DMA_TO_DEVICE);
}

/**
 * ornic_pbl_free - free a page list
 * @ibdev:	the device; may be NULL if the list was not mapped
 * @pbl:	not in use by the device; may be zeroed or freed already
 */
void ornic_pbl_free(struct ib_device *ibdev, struct ornic_pbl *pbl)
{
	u32 i;

	if (!pbl->chunks)
		return;

	for (i = 0; i < pbl->nchunks; i++) {
		if (i < pbl->nmapped)
			ib_dma_unmap_single(ibdev, pbl->chunks[i].dma, pbl->size, DMA_TO_DEVICE);
		kfree(pbl->chunks[i].entries);
	}
	kvfree(pbl->chunks);
	pbl->chunks = NULL;
}
