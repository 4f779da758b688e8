/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory that processes may map */
#ifndef ORNIC_RDMA_MMAP_H
#define ORNIC_RDMA_MMAP_H

#include <rdma/ib_verbs.h>
#include <rdma/ornic-abi.h>

struct ornic_ringmem;

/**
 * struct ornic_mmap - memory that a process may map; freed by mmap_free
 * @entry:	of the RDMA core
 * @mem:	rings, owned by this, or
 * @page:	one page of memory, or
 * @io:		physical address of the doorbell page or the push page, if the others
 *		are NULL
 * @combines:	@io is mapped write-combining
 * @read_only:	the process must not write to @page
 */
struct ornic_mmap {
	struct rdma_user_mmap_entry entry;
	struct ornic_ringmem *mem;
	struct page *page;
	phys_addr_t io;
	bool combines;
	bool read_only;
};

/**
 * ornic_mmap_locate - tell where a process finds an entry
 * @map:	the entry
 * @id:		of memory that objects share, or 0
 *
 * Return: the place.
 */
static inline struct ornic_mmap_place ornic_mmap_locate(const struct ornic_mmap *map, u64 id)
{
	return (struct ornic_mmap_place) {
		.id = id,
		.offset = rdma_user_mmap_get_offset(&map->entry),
		.length = (u64)map->entry.npages << PAGE_SHIFT,
	};
}

int ornic_ib_mmap(struct ib_ucontext *ibuctx, struct vm_area_struct *vma);
void ornic_ib_mmap_free(struct rdma_user_mmap_entry *entry);
struct ornic_mmap *ornic_mmap_add(struct ib_ucontext *ibuctx, const struct ornic_mmap *what,
				  size_t size);
void ornic_mmap_remove(struct ornic_mmap *map);

#endif /* ORNIC_RDMA_MMAP_H */
