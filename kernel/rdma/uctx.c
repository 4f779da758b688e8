// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* User contexts */
#include <linux/mm.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ornic-abi.h>
#define UVERBS_MODULE_NAME ornic_ib
#include <rdma/uverbs_named_ioctl.h>

#include "device.h"
#include "mmap.h"
#include "ringmem.h"
#include "uctx.h"

static void ornic_ucontext_fill_resp(struct ornic_ucontext *ctx,
				     struct ornic_alloc_ucontext_resp *resp)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ctx->ibuctx.device);
	const struct ornic_limits *lim = &dev->odev->lim;

	*resp = (struct ornic_alloc_ucontext_resp) {
		.send_ops = lim->send_ops[0],
		.db = ornic_mmap_locate_page(ORNIC_MMAP_DB),
	};

	if (ctx->uctx.push_phys) {
		resp->caps |= ORNIC_UCONTEXT_CAP_PUSH;
		resp->push = ornic_mmap_locate_page(ORNIC_MMAP_PUSH);
	}
	if (ctx->uctx.board) {
		resp->caps |= ORNIC_UCONTEXT_CAP_SHADOW;
		resp->board = ornic_mmap_locate_page(ORNIC_MMAP_BOARD);
	}
	if (dev->odev->clock_page) {
		resp->caps |= ORNIC_UCONTEXT_CAP_CLOCK;
		resp->clock = ornic_mmap_locate_page(ORNIC_MMAP_CLOCK);
	}
	if (dev->odev->rq_doorbell)
		resp->caps |= ORNIC_UCONTEXT_CAP_RQ_DOORBELL;
	if (lim->features & ORNIC_FEAT_CQE_EXT)
		resp->caps |= ORNIC_UCONTEXT_CAP_CQE_EXT;
	if (lim->features & ORNIC_FEAT_NULL_MR) {
		resp->caps |= ORNIC_UCONTEXT_CAP_NULL_MR;
		resp->null_key = dev->null_key;
	}
}

int ornic_ib_alloc_ucontext(struct ib_ucontext *ibuctx, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibuctx->device);
	struct ornic_ucontext *ctx = to_ornic_ucontext(ibuctx);
	struct ornic_alloc_ucontext_resp resp;
	struct ornic_alloc_ucontext_req req;
	int err;

	err = ib_copy_validate_udata_in_cm(udata, req, reserved_20, 0);
	if (err)
		return err;

	err = ornic_check_reserved(&dev->ibdev, "context request", req.reserved_20,
				   sizeof(req.reserved_20));
	if (err)
		return err;

	err = ornic_uctx_alloc(dev->odev, &ctx->uctx);
	if (err) {
		ibdev_dbg_ratelimited(&dev->ibdev, "no doorbell page of %u for a process: %d\n",
				      dev->odev->lim.max_uctx, err);
		return err;
	}

	ornic_slabs_init(&ctx->slabs, ibuctx);
	ornic_ucontext_fill_resp(ctx, &resp);
	err = ib_respond_udata(udata, resp);
	if (err)
		ornic_ib_dealloc_ucontext(ibuctx);
	return err;
}

void ornic_ib_dealloc_ucontext(struct ib_ucontext *ibuctx)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibuctx->device);
	struct ornic_ucontext *ctx = to_ornic_ucontext(ibuctx);

	ornic_slabs_uninit(&ctx->slabs);
	ornic_uctx_free(dev->odev, &ctx->uctx);
}

/* For a process that imports the context of another one */
int ornic_ib_query_ucontext(struct ib_ucontext *ibuctx, struct uverbs_attr_bundle *attrs)
{
	struct ornic_alloc_ucontext_resp resp;

	ornic_ucontext_fill_resp(to_ornic_ucontext(ibuctx), &resp);
	return uverbs_copy_to_struct_or_zero(attrs, ORNIC_ATTR_QUERY_CONTEXT_RESP, &resp,
					     sizeof(resp));
}

static int ornic_ucontext_map_page(const struct ib_device *ibdev, struct vm_area_struct *vma,
				   struct page *page)
{
	return page ? vm_insert_page(vma, vma->vm_start, page) : ornic_mmap_refuse(ibdev, vma);
}

static int ornic_ucontext_map_clock(struct ib_device *ibdev, struct vm_area_struct *vma)
{
	struct page *page = to_ornic_ib_dev(ibdev)->odev->clock_page;

	if (page && vma->vm_flags & VM_WRITE) {
		ibdev_dbg_ratelimited(ibdev, "mmap: the page at %#lx is read only\n",
				      vma->vm_pgoff << PAGE_SHIFT);
		return -EPERM;
	}
	/* Also prevents mprotect() from making it writable */
	vm_flags_clear(vma, VM_MAYWRITE);
	return ornic_ucontext_map_page(ibdev, vma, page);
}

/* A mapping keeps the context open, and so the page, until the core revokes it */
static int ornic_ucontext_map_io(struct ib_ucontext *ibuctx, struct vm_area_struct *vma,
				 phys_addr_t io, pgprot_t prot)
{
	if (!io)
		return ornic_mmap_refuse(ibuctx->device, vma);

	return rdma_user_mmap_io(ibuctx, vma, PHYS_PFN(io), PAGE_SIZE, prot, NULL);
}

/*
 * When the device is removed, the core revokes the mappings of the doorbell page
 * and the push page, made by rdma_user_mmap_io(). Memory stays mapped: each page
 * lives as long as its mappings, and the process may go on polling a ring that
 * does not change any more.
 */
int ornic_ib_mmap(struct ib_ucontext *ibuctx, struct vm_area_struct *vma)
{
	const struct ornic_uctx *uctx = &to_ornic_ucontext(ibuctx)->uctx;

	if (vma->vm_pgoff < ORNIC_MMAP_PAGES &&
	    (vma_pages(vma) != 1 || !(vma->vm_flags & VM_SHARED)))
		return ornic_mmap_refuse(ibuctx->device, vma);

	switch (vma->vm_pgoff) {
	case ORNIC_MMAP_DB:
		return ornic_ucontext_map_io(ibuctx, vma, uctx->db_phys,
					     pgprot_noncached(vma->vm_page_prot));
	case ORNIC_MMAP_PUSH:
		return ornic_ucontext_map_io(ibuctx, vma, uctx->push_phys,
					     pgprot_writecombine(vma->vm_page_prot));
	case ORNIC_MMAP_BOARD:
		return ornic_ucontext_map_page(ibuctx->device, vma, uctx->board);
	case ORNIC_MMAP_CLOCK:
		return ornic_ucontext_map_clock(ibuctx->device, vma);
	default:
		return ornic_mmap_mem(ibuctx, vma);
	}
}

/*
 * Empty, but present: it allows the core to remove the device while processes
 * use it.
 */
void ornic_ib_disassociate_ucontext(struct ib_ucontext *ibuctx)
{
}

#define ORNIC_UCONTEXT_RESP	UVERBS_ATTR_STRUCT(struct ornic_alloc_ucontext_resp, reserved_3a0)

ADD_UVERBS_ATTRIBUTES_SIMPLE(ornic_ib_query_context,
			     UVERBS_OBJECT_DEVICE,
			     UVERBS_METHOD_QUERY_CONTEXT,
			     UVERBS_ATTR_PTR_OUT(ORNIC_ATTR_QUERY_CONTEXT_RESP,
						 ORNIC_UCONTEXT_RESP,
						 UA_MANDATORY));

const struct uapi_definition ornic_ib_ucontext_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &ornic_ib_query_context),
	{}
};
