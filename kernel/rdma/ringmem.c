// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory of rings: allocation and DMA mapping */
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/ib_verbs.h>

#include "pbl.h"
#include "ringmem.h"

/* Both sides access rings at any time: no bounce buffers, no cache flushes */
#define ORNIC_RINGMEM_ATTRS	DMA_ATTR_REQUIRE_COHERENT

static void ornic_ringmem_free_pages(struct ornic_ringmem *mem, u32 npages)
{
	while (npages--)
		__free_page(mem->pages[npages]);
}

/* Tries large orders without effort: contiguous rings need no page list */
static int ornic_ringmem_alloc_pages(struct ornic_ringmem *mem)
{
	unsigned int order = min_t(unsigned int, ilog2(mem->npages), MAX_PAGE_ORDER);
	u32 done = 0, i;

	while (done < mem->npages) {
		gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO;
		struct page *page;

		order = min_t(unsigned int, order, ilog2(mem->npages - done));
		if (order)
			gfp |= __GFP_NOWARN | __GFP_NORETRY;
		page = alloc_pages(gfp, order);
		if (!page && order) {
			order--;
			continue;
		}
		if (!page) {
			ornic_ringmem_free_pages(mem, done);
			return -ENOMEM;
		}
		/* vm_map_pages() needs a reference for each page */
		split_page(page, order);
		for (i = 0; i < 1u << order; i++)
			mem->pages[done++] = page + i;
	}
	return 0;
}

/**
 * ornic_ringmem_alloc - allocate memory for rings
 * @ibdev:	the device
 * @size:	bytes, not 0, rounded up to whole pages
 *
 * Return: the memory or an error pointer: -ENOMEM, or an error of the DMA
 * layer, for example if the device is not coherent.
 */
struct ornic_ringmem *ornic_ringmem_alloc(struct ib_device *ibdev, size_t size)
{
	struct sg_dma_page_iter iter;
	struct ornic_ringmem *mem;
	u32 i = 0;
	int err;

	mem = kzalloc_obj(*mem);
	if (!mem)
		return ERR_PTR(-ENOMEM);

	mem->npages = DIV_ROUND_UP(size, PAGE_SIZE);
	mem->pages = kvzalloc_objs(*mem->pages, mem->npages);
	if (!mem->pages) {
		err = -ENOMEM;
		goto err_free_mem;
	}

	mem->dma = kvzalloc_objs(*mem->dma, mem->npages);
	if (!mem->dma) {
		err = -ENOMEM;
		goto err_free_array;
	}

	err = ornic_ringmem_alloc_pages(mem);
	if (err)
		goto err_free_dma;

	err = sg_alloc_table_from_pages_segment(&mem->sgt, mem->pages, mem->npages, 0,
						(size_t)mem->npages << PAGE_SHIFT,
						ib_dma_max_seg_size(ibdev), GFP_KERNEL);
	if (err)
		goto err_free_pages;

	err = ib_dma_map_sgtable_attrs(ibdev, &mem->sgt, DMA_BIDIRECTIONAL, ORNIC_RINGMEM_ATTRS);
	if (err)
		goto err_free_table;

	for_each_sgtable_dma_page(&mem->sgt, &iter, 0)
		mem->dma[i++] = sg_page_iter_dma_address(&iter);

	return mem;

err_free_table:
	sg_free_table(&mem->sgt);
err_free_pages:
	ornic_ringmem_free_pages(mem, mem->npages);
err_free_dma:
	kvfree(mem->dma);
err_free_array:
	kvfree(mem->pages);
err_free_mem:
	kfree(mem);
	return ERR_PTR(err);
}

/**
 * ornic_ringmem_vmap - map the memory contiguously into the kernel
 * @mem:	from ornic_ringmem_alloc()
 *
 * Return: 0 or -ENOMEM.
 */
int ornic_ringmem_vmap(struct ornic_ringmem *mem)
{
	mem->addr = vmap(mem->pages, mem->npages, VM_MAP, PAGE_KERNEL);
	return mem->addr ? 0 : -ENOMEM;
}

/**
 * ornic_ringmem_free - free memory of rings
 * @ibdev:	the device
 * @mem:	from ornic_ringmem_alloc(), not in use by the device
 */
void ornic_ringmem_free(struct ib_device *ibdev, struct ornic_ringmem *mem)
{
	vunmap(mem->addr);
	ib_dma_unmap_sgtable_attrs(ibdev, &mem->sgt, DMA_BIDIRECTIONAL, ORNIC_RINGMEM_ATTRS);
	sg_free_table(&mem->sgt);
	ornic_ringmem_free_pages(mem, mem->npages);
	kvfree(mem->dma);
	kvfree(mem->pages);
	kfree(mem);
}

/**
 * ornic_ringmem_dma - get the DMA address of a byte
 * @mem:	allocated
 * @offset:	bytes
 *
 * Return: the address, valid up to the end of the page.
 */
dma_addr_t ornic_ringmem_dma(const struct ornic_ringmem *mem, size_t offset)
{
	return mem->dma[offset >> PAGE_SHIFT] + offset_in_page(offset);
}

/**
 * ornic_ringmem_peek - get the address of a doorbell record without a vmap
 * @mem:	allocated
 * @offset:	bytes; the record must not straddle a page
 *
 * Return: kernel address, valid up to the end of the page.
 */
void *ornic_ringmem_peek(const struct ornic_ringmem *mem, size_t offset)
{
	return page_address(mem->pages[offset >> PAGE_SHIFT]) + offset_in_page(offset);
}

/**
 * ornic_ringmem_get_qp_dbr - read the doorbell record of a QP, SRQ or WQ
 * @mem:	allocated
 * @offset:	bytes; the record must not straddle a page
 *
 * The owner of the ring and the device may be writing to the record, so each
 * index is read once.
 *
 * Return: a copy of the indices.
 */
struct ornic_qp_dbr ornic_ringmem_get_qp_dbr(const struct ornic_ringmem *mem, size_t offset)
{
	const struct ornic_qp_dbr *dbr = ornic_ringmem_peek(mem, offset);

	return (struct ornic_qp_dbr) {
		.sq_pi = READ_ONCE(dbr->sq_pi),
		.rq_pi = READ_ONCE(dbr->rq_pi),
		.sq_ci = READ_ONCE(dbr->sq_ci),
		.rq_ci = READ_ONCE(dbr->rq_ci),
	};
}

/**
 * ornic_ringmem_describe - describe a part of the memory to the device
 * @ibdev:	the device
 * @mem:	allocated
 * @offset:	bytes, a multiple of PAGE_SIZE, or of a small ring that does not
 *		straddle a page
 * @size:	bytes, not 0
 * @pbl:	filled in; free it when the device has stopped using the memory
 *
 * Return: 0 or -ENOMEM.
 */
int ornic_ringmem_describe(struct ib_device *ibdev, const struct ornic_ringmem *mem,
			   size_t offset, size_t size, struct ornic_pbl *pbl)
{
	const dma_addr_t *dma = &mem->dma[offset >> PAGE_SHIFT];
	u32 npages = DIV_ROUND_UP(size, PAGE_SIZE), i;
	int err;

	for (i = 1; i < npages; i++)
		if (dma[i] != dma[i - 1] + PAGE_SIZE)
			break;
	if (i == npages) {
		*pbl = (struct ornic_pbl) {
			.buf = {
				.addr = cpu_to_le64(dma[0] + offset_in_page(offset)),
				.npages = cpu_to_le32(npages),
				.page_shift = PAGE_SHIFT,
			},
		};
		return 0;
	}

	err = ornic_pbl_alloc(pbl, npages, PAGE_SHIFT, true);
	if (err)
		return err;
	for (i = 0; i < npages; i++)
		ornic_pbl_set(pbl, i, dma[i]);
	err = ornic_pbl_map(ibdev, pbl);
	if (err)
		ornic_pbl_free(ibdev, pbl);
	return err;
}
