/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User contexts */
#ifndef ORNIC_RDMA_UCTX_H
#define ORNIC_RDMA_UCTX_H

#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "mmap.h"
#include "ornic_api.h"
#include "slab.h"

struct uverbs_attr_bundle;

/**
 * struct ornic_ucontext - user context
 * @ibuctx:	of the RDMA core
 * @uctx:	doorbell page, push page and board
 * @pages:	entries by which the process maps these and the clock page
 * @slabs:	memory of its rings
 */
struct ornic_ucontext {
	struct ib_ucontext ibuctx;
	struct ornic_uctx uctx;
	struct rdma_user_mmap_entry pages[ORNIC_MMAP_PAGES];
	struct ornic_slabs slabs;
};

static inline struct ornic_ucontext *to_ornic_ucontext(struct ib_ucontext *ibuctx)
{
	return container_of(ibuctx, struct ornic_ucontext, ibuctx);
}

int ornic_ib_alloc_ucontext(struct ib_ucontext *ibuctx, struct ib_udata *udata);
void ornic_ib_dealloc_ucontext(struct ib_ucontext *ibuctx);
int ornic_ib_mmap(struct ib_ucontext *ibuctx, struct vm_area_struct *vma);
int ornic_ib_query_ucontext(struct ib_ucontext *ibuctx, struct uverbs_attr_bundle *attrs);
void ornic_ib_disassociate_ucontext(struct ib_ucontext *ibuctx);
extern const struct uapi_definition ornic_ib_ucontext_defs[];

#endif /* ORNIC_RDMA_UCTX_H */
