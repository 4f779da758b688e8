/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Slabs: memory that small rings of one process share, so that the process maps
 * it once and not for each ring.
 */
#ifndef ORNIC_RDMA_SLAB_H
#define ORNIC_RDMA_SLAB_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <rdma/ornic-abi.h>

struct ib_device;
struct ib_ucontext;
struct ornic_mmap;
struct ornic_ringmem;
struct ornic_slabs;

/*
 * Pages of a slab: as many as the slabs of the process have, within bounds. The
 * first one is charged to a process for a single small ring, so large pages
 * need lower bounds.
 */
#define ORNIC_SLAB_PAGES_MIN	MAX(SZ_64K >> PAGE_SHIFT, 4)
#define ORNIC_SLAB_PAGES_MAX	MAX(SZ_256K >> PAGE_SHIFT, 16)
/* Rings of more pages have memory of their own */
#define ORNIC_SLAB_PART_MAX	ORNIC_SLAB_PAGES_MIN
/* Slabs that are searched for free pages before another one is allocated */
#define ORNIC_SLAB_TRIES	8

/**
 * struct ornic_slab - memory that a process maps as a whole
 * @slabs:	of the process
 * @entry:	in @roomy, while the slab is shared and has free pages
 * @mem:	the memory, owned by @mmap
 * @mmap:	entry by which the process maps it
 * @id:		identifies the memory in the life of the context; 0: the memory
 *		of one object, which no other object gets
 * @nrecords:	number of pages of records, which come first
 * @nused:	number of pages in use by objects
 * @used:	pages in use, those of records included
 * @dirty:	pages that have been in use; changed without a lock, atomically
 */
struct ornic_slab {
	struct ornic_slabs *slabs;
	struct list_head entry;
	struct ornic_ringmem *mem;
	struct ornic_mmap *mmap;
	u64 id;
	u32 nrecords;
	u32 nused;
	DECLARE_BITMAP(used, ORNIC_SLAB_PAGES_MAX);
	DECLARE_BITMAP(dirty, ORNIC_SLAB_PAGES_MAX);
};

/**
 * struct ornic_slabs - slabs of a process
 * @ibuctx:	its context
 * @lock:	protects the other members, and the members of shared slabs
 * @roomy:	shared slabs with free pages
 * @spare:	the one empty slab that is kept, or NULL; it is in @roomy
 * @last_id:	of the slab allocated last
 * @npages:	of all shared slabs
 */
struct ornic_slabs {
	struct ib_ucontext *ibuctx;
	struct mutex lock; /* see above */
	struct list_head roomy;
	struct ornic_slab *spare;
	u64 last_id;
	u32 npages;
};

/**
 * struct ornic_slab_place - place of the memory of an object for its process
 * @map:	mapping that holds it; its id is that of the slab
 * @offset:	bytes from the start of the mapping
 */
struct ornic_slab_place {
	struct ornic_mmap_place map;
	u32 offset;
};

/**
 * struct ornic_slab_record - place of a doorbell record
 * @mem:	memory that holds it
 * @offset:	bytes from the start of @mem, and of the mapping of a process
 */
struct ornic_slab_record {
	const struct ornic_ringmem *mem;
	u32 offset;
};

void ornic_slabs_init(struct ornic_slabs *slabs, struct ib_ucontext *ibuctx);
void ornic_slabs_uninit(struct ornic_slabs *slabs);
struct ornic_ringmem *ornic_slab_alloc(struct ib_device *ibdev, struct ornic_slabs *slabs,
				       size_t size);
void ornic_slab_free(struct ib_device *ibdev, struct ornic_ringmem *mem);
struct ornic_slab_place ornic_slab_locate(const struct ornic_ringmem *mem);
struct ornic_slab_record ornic_slab_record(const struct ornic_ringmem *mem, u32 offset);

#endif /* ORNIC_RDMA_SLAB_H */
