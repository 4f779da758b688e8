// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rings that processes may map */
#include <linux/mm.h>
#include <linux/slab.h>

#include "mmap.h"
#include "ringmem.h"

/**
 * ornic_mmap_add - add rings that a process may map
 * @ibuctx:	context of the process
 * @mem:	the rings; on success the entry owns them
 *
 * Return: the entry or an error pointer.
 */
struct ornic_mmap *ornic_mmap_add(struct ib_ucontext *ibuctx, struct ornic_ringmem *mem)
{
	struct ornic_mmap *map;
	int err;

	map = kzalloc_obj(*map);
	if (!map)
		return ERR_PTR(-ENOMEM);

	map->mem = mem;
	err = rdma_user_mmap_entry_insert_range(ibuctx, &map->entry,
						(size_t)mem->npages << PAGE_SHIFT,
						ORNIC_MMAP_PAGES, U32_MAX);
	if (err) {
		kfree(map);
		return ERR_PTR(err);
	}
	return map;
}

/**
 * ornic_mmap_remove - remove an entry
 * @map:	the entry. It is freed, with its rings, when a concurrent mmap() has
 *		ended.
 */
void ornic_mmap_remove(struct ornic_mmap *map)
{
	rdma_user_mmap_entry_remove(&map->entry);
}

void ornic_ib_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct ornic_mmap *map = container_of(entry, struct ornic_mmap, entry);

	/* Part of its context */
	if (entry->start_pgoff < ORNIC_MMAP_PAGES)
		return;

	ornic_ringmem_free(entry->ucontext->device, map->mem);
	kfree(map);
}

/**
 * ornic_mmap_mem - map rings
 * @entry:	of the rings
 * @vma:	where, as large as the rings
 *
 * Return: 0 or a negative error number.
 */
int ornic_mmap_mem(const struct rdma_user_mmap_entry *entry, struct vm_area_struct *vma)
{
	const struct ornic_ringmem *mem = container_of(entry, struct ornic_mmap, entry)->mem;

	return vm_map_pages_zero(vma, mem->pages, mem->npages);
}
