// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory that processes may map: rings, pages and doorbell pages */
#include <linux/mm.h>
#include <linux/slab.h>

#include "mmap.h"
#include "ringmem.h"

/**
 * ornic_mmap_add - add an entry that a process may map
 * @ibuctx:	context of the process
 * @what:	copied; on success the entry owns what it points to
 * @size:	bytes
 *
 * Return: the entry or an error pointer.
 */
struct ornic_mmap *ornic_mmap_add(struct ib_ucontext *ibuctx, const struct ornic_mmap *what,
				  size_t size)
{
	struct ornic_mmap *map;
	int err;

	map = kmemdup(what, sizeof(*what), GFP_KERNEL);
	if (!map)
		return ERR_PTR(-ENOMEM);

	err = rdma_user_mmap_entry_insert(ibuctx, &map->entry, size);
	if (err) {
		kfree(map);
		return ERR_PTR(err);
	}
	return map;
}

/**
 * ornic_mmap_remove - remove an entry
 * @map:	NULL or an entry. It is freed, with what it owns, when a
 *		concurrent mmap(), or the last mapping of a page of the device,
 *		has ended.
 */
void ornic_mmap_remove(struct ornic_mmap *map)
{
	if (map)
		rdma_user_mmap_entry_remove(&map->entry);
}

void ornic_ib_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct ornic_mmap *map = container_of(entry, struct ornic_mmap, entry);

	if (map->mem)
		ornic_ringmem_free(entry->ucontext->device, map->mem);
	kfree(map);
}

static int ornic_mmap_page(const struct ib_device *ibdev, struct vm_area_struct *vma,
			   const struct ornic_mmap *map)
{
	if (map->read_only) {
		if (vma->vm_flags & VM_WRITE) {
			ibdev_dbg_ratelimited(ibdev, "mmap: the page at %#lx is read only\n",
					      vma->vm_pgoff << PAGE_SHIFT);
			return -EPERM;
		}
		/* Also prevents mprotect() from making it writable */
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	return vm_insert_page(vma, vma->vm_start, map->page);
}

static int ornic_mmap_io(struct ib_ucontext *ibuctx, struct vm_area_struct *vma,
			 struct ornic_mmap *map)
{
	pgprot_t prot = map->combines ? pgprot_writecombine(vma->vm_page_prot) :
					pgprot_noncached(vma->vm_page_prot);

	return rdma_user_mmap_io(ibuctx, vma, PHYS_PFN(map->io), PAGE_SIZE, prot, &map->entry);
}

/*
 * When the device is removed, the core revokes the mappings of the doorbell page
 * and the push page, made by rdma_user_mmap_io(). Memory stays mapped: each page
 * lives as long as its mappings, and the process may go on polling a ring that
 * does not change any more.
 */
int ornic_ib_mmap(struct ib_ucontext *ibuctx, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	struct ornic_mmap *map;
	int err;

	entry = rdma_user_mmap_entry_get(ibuctx, vma);
	if (!entry) {
		ibdev_dbg_ratelimited(ibuctx->device, "mmap: nothing of %lu bytes at %#lx\n",
				      vma->vm_end - vma->vm_start, vma->vm_pgoff << PAGE_SHIFT);
		return -EINVAL;
	}

	map = container_of(entry, struct ornic_mmap, entry);
	if (map->mem)
		err = vm_map_pages_zero(vma, map->mem->pages, map->mem->npages);
	else if (map->page)
		err = ornic_mmap_page(ibuctx->device, vma, map);
	else
		err = ornic_mmap_io(ibuctx, vma, map);

	rdma_user_mmap_entry_put(entry);
	return err;
}
