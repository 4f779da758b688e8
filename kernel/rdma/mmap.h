/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory that processes may map */
#ifndef ORNIC_RDMA_MMAP_H
#define ORNIC_RDMA_MMAP_H

#include <rdma/ib_verbs.h>
#include <rdma/ornic-abi.h>

struct ornic_ringmem;

/*
 * Offsets for mmap(), in pages, of what a context has from its start; others
 * follow
 */
enum ornic_mmap_page {
	ORNIC_MMAP_DB,
	ORNIC_MMAP_PUSH,
	ORNIC_MMAP_BOARD,
	ORNIC_MMAP_CLOCK,
	ORNIC_MMAP_PAGES,
};

/**
 * struct ornic_mmap - rings that a process may map; freed by mmap_free
 * @entry:	of the RDMA core
 * @mem:	the rings, owned by this
 */
struct ornic_mmap {
	struct rdma_user_mmap_entry entry;
	struct ornic_ringmem *mem;
};

/**
 * ornic_mmap_locate - tell where a process finds an entry
 * @entry:	the entry
 * @id:		of memory that objects share, or 0
 *
 * Return: the place.
 */
static inline struct ornic_mmap_place ornic_mmap_locate(const struct rdma_user_mmap_entry *entry,
							u64 id)
{
	return (struct ornic_mmap_place) {
		.id = id,
		.offset = rdma_user_mmap_get_offset(entry),
		.length = (u64)entry->npages << PAGE_SHIFT,
	};
}

void ornic_ib_mmap_free(struct rdma_user_mmap_entry *entry);
struct ornic_mmap *ornic_mmap_add(struct ib_ucontext *ibuctx, struct ornic_ringmem *mem);
void ornic_mmap_remove(struct ornic_mmap *map);
int ornic_mmap_mem(const struct rdma_user_mmap_entry *entry, struct vm_area_struct *vma);

#endif /* ORNIC_RDMA_MMAP_H */
