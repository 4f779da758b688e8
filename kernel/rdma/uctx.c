// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* User contexts */
#include <linux/mm.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ornic-abi.h>
#define UVERBS_MODULE_NAME ornic_ib
#include <rdma/uverbs_named_ioctl.h>

#include "check.h"
#include "device.h"
#include "mmap.h"
#include "ringmem.h"
#include "uctx.h"

static struct ornic_mmap *ornic_ucontext_map_page(struct ornic_ucontext *ctx, struct page *page,
						  bool read_only)
{
	struct ornic_mmap what = { .page = page, .read_only = read_only };

	/* A device may have no board, and a kernel no clock */
	return page ? ornic_mmap_add(&ctx->ibuctx, &what, PAGE_SIZE) : NULL;
}

static struct ornic_mmap *ornic_ucontext_map_push(struct ornic_ucontext *ctx)
{
	struct ornic_mmap what = { .io = ctx->uctx.push_phys, .combines = true };

	return what.io ? ornic_mmap_add(&ctx->ibuctx, &what, PAGE_SIZE) : NULL;
}

static void ornic_ucontext_fill_resp(struct ornic_ucontext *ctx,
				     struct ornic_alloc_ucontext_resp *resp)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ctx->ibuctx.device);
	const struct ornic_limits *lim = &dev->odev->lim;

	*resp = (struct ornic_alloc_ucontext_resp) {
		.send_ops = lim->send_ops[0],
		.db = ornic_mmap_locate(ctx->db_mmap, 0),
	};

	if (ctx->push_mmap) {
		resp->caps |= ORNIC_UCONTEXT_CAP_PUSH;
		resp->push = ornic_mmap_locate(ctx->push_mmap, 0);
	}
	if (ctx->board_mmap) {
		resp->caps |= ORNIC_UCONTEXT_CAP_SHADOW;
		resp->board = ornic_mmap_locate(ctx->board_mmap, 0);
	}
	if (ctx->clock_mmap) {
		resp->caps |= ORNIC_UCONTEXT_CAP_CLOCK;
		resp->clock = ornic_mmap_locate(ctx->clock_mmap, 0);
	}
	if (dev->odev->cq_db)
		resp->caps |= ORNIC_UCONTEXT_CAP_CQ_DB;
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

	ctx->db_mmap = ornic_mmap_add(ibuctx, &(struct ornic_mmap) { .io = ctx->uctx.db_phys },
				      PAGE_SIZE);
	if (IS_ERR(ctx->db_mmap)) {
		err = PTR_ERR(ctx->db_mmap);
		goto err_free_uctx;
	}

	ctx->push_mmap = ornic_ucontext_map_push(ctx);
	if (IS_ERR(ctx->push_mmap)) {
		err = PTR_ERR(ctx->push_mmap);
		goto err_remove_db;
	}

	ctx->board_mmap = ornic_ucontext_map_page(ctx, ctx->uctx.board, false);
	if (IS_ERR(ctx->board_mmap)) {
		err = PTR_ERR(ctx->board_mmap);
		goto err_remove_push;
	}

	ctx->clock_mmap = ornic_ucontext_map_page(ctx, dev->odev->clock_page, true);
	if (IS_ERR(ctx->clock_mmap)) {
		err = PTR_ERR(ctx->clock_mmap);
		goto err_remove_board;
	}

	ornic_slabs_init(&ctx->slabs, ibuctx);
	ornic_ucontext_fill_resp(ctx, &resp);
	err = ib_respond_udata(udata, resp);
	if (err)
		goto err_uninit_slabs;

	return 0;

err_uninit_slabs:
	ornic_slabs_uninit(&ctx->slabs);
	ornic_mmap_remove(ctx->clock_mmap);
err_remove_board:
	ornic_mmap_remove(ctx->board_mmap);
err_remove_push:
	ornic_mmap_remove(ctx->push_mmap);
err_remove_db:
	ornic_mmap_remove(ctx->db_mmap);
err_free_uctx:
	ornic_uctx_free(dev->odev, &ctx->uctx);
	return err;
}

void ornic_ib_dealloc_ucontext(struct ib_ucontext *ibuctx)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibuctx->device);
	struct ornic_ucontext *ctx = to_ornic_ucontext(ibuctx);

	ornic_slabs_uninit(&ctx->slabs);
	ornic_mmap_remove(ctx->clock_mmap);
	ornic_mmap_remove(ctx->board_mmap);
	ornic_mmap_remove(ctx->push_mmap);
	ornic_mmap_remove(ctx->db_mmap);
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
