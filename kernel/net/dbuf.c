// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* DMA memory shared by host and device (hardware.rst, section 3) */
#include <linux/dma-mapping.h>
#include <linux/module.h>

#include "ornic_api.h"

int ornic_dbuf_alloc(struct ornic_dev *odev, struct ornic_dbuf *dbuf, size_t size)
{
	if (!size || size > ORNIC_DBUF_MAX)
		return -EINVAL;

	dbuf->size = PAGE_ALIGN(size);
	dbuf->addr = dma_alloc_coherent(&odev->pdev->dev, dbuf->size, &dbuf->dma,
					GFP_KERNEL | __GFP_NOWARN);
	return dbuf->addr ? 0 : -ENOMEM;
}
EXPORT_SYMBOL_NS_GPL(ornic_dbuf_alloc, "ORNIC");

void ornic_dbuf_free(struct ornic_dev *odev, struct ornic_dbuf *dbuf)
{
	if (!dbuf->addr)
		return;

	dma_free_coherent(&odev->pdev->dev, dbuf->size, dbuf->addr, dbuf->dma);
	*dbuf = (struct ornic_dbuf) {};
}
EXPORT_SYMBOL_NS_GPL(ornic_dbuf_free, "ORNIC");
