/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* DMA memory shared by host and device (ORNIC specification, section 3) */
#ifndef ORNIC_DBUF_H
#define ORNIC_DBUF_H

#include <linux/dma-mapping.h>

#include "ornic_api.h"

#define ORNIC_DBUF_MAX		(4u << 20)	/* bytes */

/**
 * struct ornic_dbuf - zeroed memory that host and device both read and write
 *
 * Coherent and contiguous for the device. It cannot be mapped to user space.
 *
 * @addr:	kernel address, NULL if not allocated
 * @dma:	DMA address
 * @size:	bytes, a multiple of PAGE_SIZE
 */
struct ornic_dbuf {
	void *addr;
	dma_addr_t dma;
	size_t size;
};

/**
 * ornic_dbuf_alloc - allocate memory shared with the device
 * @odev:	the device
 * @dbuf:	filled in
 * @size:	bytes, rounded up to whole pages
 *
 * Return: 0, -EINVAL for a @size of 0 or above ORNIC_DBUF_MAX, or -ENOMEM.
 */
static inline int ornic_dbuf_alloc(struct ornic_dev *odev, struct ornic_dbuf *dbuf, size_t size)
{
	if (!size || size > ORNIC_DBUF_MAX)
		return -EINVAL;

	dbuf->size = PAGE_ALIGN(size);
	dbuf->addr = dma_alloc_coherent(&odev->pdev->dev, dbuf->size, &dbuf->dma,
					GFP_KERNEL | __GFP_NOWARN);
	return dbuf->addr ? 0 : -ENOMEM;
}

/**
 * ornic_dbuf_free - free memory shared with the device
 * @odev:	the device
 * @dbuf:	may be zeroed or freed already
 */
static inline void ornic_dbuf_free(struct ornic_dev *odev, struct ornic_dbuf *dbuf)
{
	if (!dbuf->addr)
		return;

	dma_free_coherent(&odev->pdev->dev, dbuf->size, dbuf->addr, dbuf->dma);
	*dbuf = (struct ornic_dbuf) {};
}

/**
 * ornic_dbuf_describe - fill in the descriptor of a part of a buffer
 * @dbuf:	the buffer
 * @offset:	bytes, a multiple of 4096
 * @size:	bytes
 * @buf:	filled in, levels 0
 */
static inline void ornic_dbuf_describe(const struct ornic_dbuf *dbuf, size_t offset, size_t size,
				       struct ornic_buf *buf)
{
	*buf = (struct ornic_buf) {
		.addr = cpu_to_le64(dbuf->dma + offset),
		.npages = cpu_to_le32(DIV_ROUND_UP(size, 1u << ORNIC_INDEX_PAGE_SHIFT)),
		.page_shift = ORNIC_INDEX_PAGE_SHIFT,
	};
}

#endif /* ORNIC_DBUF_H */
