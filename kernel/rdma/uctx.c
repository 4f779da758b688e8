// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* User contexts */
#include <linux/mm.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ornic-abi.h>
#define UVERBS_MODULE_NAME ornic_ib
#include <rdma/uverbs_named_ioctl.h>

#include "device.h"
#include "mmap.h"
#include "uctx.h"

static bool ornic_ucontext_has_page(const struct ornic_ucontext *ctx, enum ornic_mmap_page page)
{
	switch (page) {
	case ORNIC_MMAP_DB:
		return true;
	case ORNIC_MMAP_PUSH:
		return ctx->uctx.push_phys;
	case ORNIC_MMAP_BOARD:
		return ctx->uctx.board;
	case ORNIC_MMAP_CLOCK:
		return to_ornic_ib_dev(ctx->ibuctx.device)->odev->clock_page;
	default:
		return false;
	}
}

static void ornic_ucontext_remove_pages(struct ornic_ucontext *ctx, u32 count)
{
	while (count--)
		if (ornic_ucontext_has_page(ctx, count))
			rdma_user_mmap_entry_remove(&ctx->pages[count]);
}

static int ornic_ucontext_insert_pages(struct ornic_ucontext *ctx)
{
	u32 i;
	int err;

	for (i = 0; i < ORNIC_MMAP_PAGES; i++) {
		if (!ornic_ucontext_has_page(ctx, i))
			continue;
		err = rdma_user_mmap_entry_insert_exact(&ctx->ibuctx, &ctx->pages[i], PAGE_SIZE,
							i);
		if (err) {
			ornic_ucontext_remove_pages(ctx, i);
			return err;
		}
	}
	return 0;
}

static struct ornic_mmap_place ornic_ucontext_locate(const struct ornic_ucontext *ctx,
						     enum ornic_mmap_page page)
{
	return ornic_mmap_locate(&ctx->pages[page], 0);
}

static void ornic_ucontext_fill_resp(struct ornic_ucontext *ctx,
				     struct ornic_alloc_ucontext_resp *resp)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ctx->ibuctx.device);
	const struct ornic_limits *lim = &dev->odev->lim;

	*resp = (struct ornic_alloc_ucontext_resp) {
		.send_ops = lim->send_ops[0],
		.db = ornic_ucontext_locate(ctx, ORNIC_MMAP_DB),
	};

	if (ornic_ucontext_has_page(ctx, ORNIC_MMAP_PUSH)) {
		resp->caps |= ORNIC_UCONTEXT_CAP_PUSH;
		resp->push = ornic_ucontext_locate(ctx, ORNIC_MMAP_PUSH);
	}
	if (ornic_ucontext_has_page(ctx, ORNIC_MMAP_BOARD)) {
		resp->caps |= ORNIC_UCONTEXT_CAP_SHADOW;
		resp->board = ornic_ucontext_locate(ctx, ORNIC_MMAP_BOARD);
	}
	if (ornic_ucontext_has_page(ctx, ORNIC_MMAP_CLOCK)) {
		resp->caps |= ORNIC_UCONTEXT_CAP_CLOCK;
		resp->clock = ornic_ucontext_locate(ctx, ORNIC_MMAP_CLOCK);
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

	err = ornic_ucontext_insert_pages(ctx);
	if (err)
		goto err_free_uctx;

	ornic_slabs_init(&ctx->slabs, ibuctx);
	ornic_ucontext_fill_resp(ctx, &resp);
	err = ib_respond_udata(udata, resp);
	if (err)
		goto err_remove_pages;

	return 0;

err_remove_pages:
	ornic_slabs_uninit(&ctx->slabs);
	ornic_ucontext_remove_pages(ctx, ORNIC_MMAP_PAGES);
err_free_uctx:
	ornic_uctx_free(dev->odev, &ctx->uctx);
	return err;
}

void ornic_ib_dealloc_ucontext(struct ib_ucontext *ibuctx)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibuctx->device);
	struct ornic_ucontext *ctx = to_ornic_ucontext(ibuctx);

	ornic_slabs_uninit(&ctx->slabs);
	ornic_ucontext_remove_pages(ctx, ORNIC_MMAP_PAGES);
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

static int ornic_ucontext_map_clock(struct ib_device *ibdev, struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE) {
		ibdev_dbg_ratelimited(ibdev, "mmap: the page at %#lx is read only\n",
				      vma->vm_pgoff << PAGE_SHIFT);
		return -EPERM;
	}
	/* Also prevents mprotect() from making it writable */
	vm_flags_clear(vma, VM_MAYWRITE);
	return vm_insert_page(vma, vma->vm_start, to_ornic_ib_dev(ibdev)->odev->clock_page);
}

static int ornic_ucontext_map(struct ornic_ucontext *ctx, struct rdma_user_mmap_entry *entry,
			      struct vm_area_struct *vma)
{
	const struct ornic_uctx *uctx = &ctx->uctx;

	switch (entry->start_pgoff) {
	case ORNIC_MMAP_DB:
		return rdma_user_mmap_io(&ctx->ibuctx, vma, PHYS_PFN(uctx->db_phys), PAGE_SIZE,
					 pgprot_noncached(vma->vm_page_prot), entry);
	case ORNIC_MMAP_PUSH:
		return rdma_user_mmap_io(&ctx->ibuctx, vma, PHYS_PFN(uctx->push_phys), PAGE_SIZE,
					 pgprot_writecombine(vma->vm_page_prot), entry);
	case ORNIC_MMAP_BOARD:
		return vm_insert_page(vma, vma->vm_start, uctx->board);
	case ORNIC_MMAP_CLOCK:
		return ornic_ucontext_map_clock(ctx->ibuctx.device, vma);
	default:
		return ornic_mmap_mem(entry, vma);
	}
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
	int err;

	entry = rdma_user_mmap_entry_get(ibuctx, vma);
	if (!entry) {
		ibdev_dbg_ratelimited(ibuctx->device, "mmap: nothing of %lu bytes at %#lx\n",
				      vma->vm_end - vma->vm_start, vma->vm_pgoff << PAGE_SHIFT);
		return -EINVAL;
	}

	err = ornic_ucontext_map(to_ornic_ucontext(ibuctx), entry, vma);
	rdma_user_mmap_entry_put(entry);
	return err;
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
