// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Slabs: memory that small rings of one process share
 *
 * mmap() and munmap() cost a process more than the rest of creating a small
 * object. So it maps a slab once, for all objects whose rings are in it. A slab
 * is known by a number that is not used again, never by its offset for mmap():
 * a later slab may have the offset of one that the process still has mapped.
 *
 * The first pages of a slab hold doorbell records, one for each page of it. An
 * object has the one of its first page. Thousands of records at the ends of as
 * many rings would each need a page in the TLBs of processor and device, and
 * lines of the same few sets of their caches.
 *
 * Pages return to the slab when the device has stopped using them, and the next
 * object gets them zeroed. Its process must not use them after it has destroyed
 * the object, but can harm no other process if it does.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "mmap.h"
#include "ornic_hw.h"
#include "ringmem.h"
#include "slab.h"

/**
 * ornic_slabs_init - prepare the slabs of a process
 * @slabs:	zeroed
 * @ibuctx:	context of the process
 */
void ornic_slabs_init(struct ornic_slabs *slabs, struct ib_ucontext *ibuctx)
{
	slabs->ibuctx = ibuctx;
	mutex_init(&slabs->lock);
	INIT_LIST_HEAD(&slabs->roomy);
}

static struct ornic_slab *ornic_slab_create(struct ornic_slabs *slabs, u32 npages)
{
	struct ornic_slab *slab;
	int err;

	slab = kzalloc_obj(*slab);
	if (!slab)
		return ERR_PTR(-ENOMEM);

	slab->slabs = slabs;
	INIT_LIST_HEAD(&slab->entry);
	slab->mem = ornic_ringmem_alloc(slabs->ibuctx->device, (size_t)npages << PAGE_SHIFT);
	if (IS_ERR(slab->mem)) {
		err = PTR_ERR(slab->mem);
		goto err_free_slab;
	}

	slab->mmap = ornic_mmap_add(slabs->ibuctx, slab->mem);
	if (IS_ERR(slab->mmap)) {
		err = PTR_ERR(slab->mmap);
		goto err_free_mem;
	}
	return slab;

err_free_mem:
	ornic_ringmem_free(slabs->ibuctx->device, slab->mem);
err_free_slab:
	kfree(slab);
	return ERR_PTR(err);
}

/* While the process is mapping the slab, its mmap entry keeps the memory */
static void ornic_slab_destroy(struct ornic_slab *slab)
{
	ornic_mmap_remove(slab->mmap);
	kfree(slab);
}

/* @part: pages that it must have room for, besides records */
static struct ornic_slab *ornic_slab_create_shared(struct ornic_slabs *slabs, u32 part)
{
	u32 least = max(slabs->npages, part) + 1;
	u32 npages = clamp_t(u32, roundup_pow_of_two(least), ORNIC_SLAB_PAGES_MIN,
			     ORNIC_SLAB_PAGES_MAX);
	struct ornic_slab *slab;

	lockdep_assert_held(&slabs->lock);

	slab = ornic_slab_create(slabs, npages);
	if (IS_ERR(slab))
		return slab;

	slab->id = ++slabs->last_id;
	slab->nrecords = DIV_ROUND_UP(npages * sizeof(struct ornic_qp_dbr), PAGE_SIZE);
	bitmap_set(slab->used, 0, slab->nrecords);
	slabs->npages += npages;
	list_add(&slab->entry, &slabs->roomy);
	return slab;
}

/* Returns whether the slab had as many contiguous pages: they are in use now */
static bool ornic_slab_take(struct ornic_slab *slab, u32 npages, u32 *first)
{
	u32 size = slab->mem->npages;

	*first = bitmap_find_next_zero_area(slab->used, size, 0, npages, 0);
	if (*first >= size)
		return false;

	bitmap_set(slab->used, *first, npages);
	slab->nused += npages;
	return true;
}

/*
 * The slab used last comes first. Those without room go to the end, so that the
 * next search finds others within its bound.
 */
static struct ornic_slab *ornic_slab_search(struct ornic_slabs *slabs, u32 npages, u32 *first)
{
	struct ornic_slab *slab = NULL, *last;
	u32 tries;

	lockdep_assert_held(&slabs->lock);

	last = list_empty(&slabs->roomy) ?
	       NULL : list_last_entry(&slabs->roomy, struct ornic_slab, entry);
	for (tries = 0; slab != last && tries < ORNIC_SLAB_TRIES; tries++) {
		slab = list_first_entry(&slabs->roomy, struct ornic_slab, entry);
		if (ornic_slab_take(slab, npages, first))
			return slab;
		list_move_tail(&slab->entry, &slabs->roomy);
	}

	slab = ornic_slab_create_shared(slabs, npages);
	if (!IS_ERR(slab))
		ornic_slab_take(slab, npages, first);
	return slab;
}

static struct ornic_slab *ornic_slab_take_shared(struct ornic_slabs *slabs, u32 npages,
						 u32 *first)
{
	struct ornic_slab *slab;

	mutex_lock(&slabs->lock);
	slab = ornic_slab_search(slabs, npages, first);
	if (!IS_ERR(slab)) {
		if (slabs->spare == slab)
			slabs->spare = NULL;
		if (slab->nused == slab->mem->npages - slab->nrecords)
			list_del_init(&slab->entry);
	}
	mutex_unlock(&slabs->lock);
	return slab;
}

/* The record of the object whose memory begins with a page of a shared slab */
static u32 ornic_slab_record_offset(u32 page)
{
	return page * sizeof(struct ornic_qp_dbr);
}

static void ornic_slab_clear_record(struct ornic_slab *slab, u32 page)
{
	u32 offset = ornic_slab_record_offset(page);

	memset(page_address(slab->mem->pages[offset >> PAGE_SHIFT]) + offset_in_page(offset), 0,
	       sizeof(struct ornic_qp_dbr));
}

/*
 * Nothing of an earlier ring stays: phase bits and indexes begin at 0. Pages
 * without one are zero since their allocation, unless the process wrote where
 * it has no ring.
 */
static void ornic_slab_clear(struct ornic_slab *slab, u32 first, u32 npages)
{
	u32 i;

	for (i = first; i < first + npages; i++)
		if (test_and_set_bit(i, slab->dirty))
			clear_page(page_address(slab->mem->pages[i]));
	ornic_slab_clear_record(slab, first);
}

static struct ornic_ringmem *ornic_slab_alloc_part(struct ornic_slabs *slabs, size_t size)
{
	u32 npages = DIV_ROUND_UP(size, PAGE_SIZE), first = 0;
	struct ornic_ringmem *mem;
	struct ornic_slab *slab;

	mem = kzalloc_obj(*mem);
	if (!mem)
		return ERR_PTR(-ENOMEM);

	if (npages > ORNIC_SLAB_PART_MAX)
		slab = ornic_slab_create(slabs, npages);
	else
		slab = ornic_slab_take_shared(slabs, npages, &first);
	if (IS_ERR(slab)) {
		kfree(mem);
		return ERR_CAST(slab);
	}

	mem->slab = slab;
	mem->pages = &slab->mem->pages[first];
	mem->dma = &slab->mem->dma[first];
	mem->npages = npages;
	if (slab->id)
		ornic_slab_clear(slab, first, npages);
	return mem;
}

/**
 * ornic_slab_alloc - allocate memory of rings
 * @ibdev:	the device
 * @slabs:	of the process that maps it, or NULL for the kernel
 * @size:	bytes, not 0, rounded up to whole pages
 *
 * Return: zeroed memory or an error pointer, as ornic_ringmem_alloc().
 */
struct ornic_ringmem *ornic_slab_alloc(struct ib_device *ibdev, struct ornic_slabs *slabs,
				       size_t size)
{
	return slabs ? ornic_slab_alloc_part(slabs, size) : ornic_ringmem_alloc(ibdev, size);
}

/* Returns the slab to destroy after the lock was released, or NULL */
static struct ornic_slab *ornic_slab_give(struct ornic_slab *slab,
					  const struct ornic_ringmem *mem)
{
	struct ornic_slabs *slabs = slab->slabs;
	struct ornic_slab *old;

	lockdep_assert_held(&slabs->lock);

	bitmap_clear(slab->used, mem->pages - slab->mem->pages, mem->npages);
	slab->nused -= mem->npages;
	list_move(&slab->entry, &slabs->roomy);
	if (slab->nused)
		return NULL;

	/* The process keeps the one that was emptied last, too */
	old = slabs->spare;
	slabs->spare = slab;
	if (old) {
		list_del(&old->entry);
		slabs->npages -= old->mem->npages;
	}
	return old;
}

static void ornic_slab_free_part(struct ornic_ringmem *mem)
{
	struct ornic_slab *slab = mem->slab, *gone = slab;
	struct ornic_slabs *slabs = slab->slabs;

	if (slab->id) {
		mutex_lock(&slabs->lock);
		gone = ornic_slab_give(slab, mem);
		mutex_unlock(&slabs->lock);
	}

	kfree(mem);
	if (gone)
		ornic_slab_destroy(gone);
}

/**
 * ornic_slab_free - free memory of rings
 * @ibdev:	the device
 * @mem:	from ornic_slab_alloc(); the device does not use it
 */
void ornic_slab_free(struct ib_device *ibdev, struct ornic_ringmem *mem)
{
	if (mem->slab)
		ornic_slab_free_part(mem);
	else
		ornic_ringmem_free(ibdev, mem);
}

/**
 * ornic_slab_locate - tell where a process finds memory of rings
 * @mem:	of a process, from ornic_slab_alloc()
 *
 * Return: the place.
 */
struct ornic_slab_place ornic_slab_locate(const struct ornic_ringmem *mem)
{
	const struct ornic_slab *slab = mem->slab;

	return (struct ornic_slab_place) {
		.map = ornic_mmap_locate(&slab->mmap->entry, slab->id),
		.offset = (mem->pages - slab->mem->pages) << PAGE_SHIFT,
	};
}

/**
 * ornic_slab_record - tell where the doorbell record of a QP is
 * @mem:	memory of its rings, from ornic_slab_alloc()
 * @offset:	bytes from the start of @mem, where it is if @mem is not in a
 *		shared slab
 *
 * Return: the place, whose offset counts from the start of the mapping.
 */
struct ornic_slab_record ornic_slab_record(const struct ornic_ringmem *mem, u32 offset)
{
	const struct ornic_slab *slab = mem->slab;

	if (!slab || !slab->id)
		return (struct ornic_slab_record) { .mem = mem, .offset = offset };

	return (struct ornic_slab_record) {
		.mem = slab->mem,
		.offset = ornic_slab_record_offset(mem->pages - slab->mem->pages),
	};
}

/**
 * ornic_slabs_uninit - free the slabs of a process
 * @slabs:	initialised; no object has memory any more
 */
void ornic_slabs_uninit(struct ornic_slabs *slabs)
{
	if (slabs->spare)
		ornic_slab_destroy(slabs->spare);
	mutex_destroy(&slabs->lock);
}
