// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work queues, which are receive queues for frames, and the RSS indirection
 * tables by which a hash selects one
 */
#include <linux/slab.h>
#include <rdma/ornic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "cq.h"
#include "device.h"
#include "pd.h"
#include "recv_ring.h"
#include "ring.h"
#include "slab.h"
#include "uctx.h"
#include "wq.h"

static_assert((int)IB_WQ_FLAGS_CVLAN_STRIPPING == ORNIC_WQ_CVLAN_STRIPPING);
static_assert((int)IB_WQ_FLAGS_SCATTER_FCS == ORNIC_WQ_SCATTER_FCS);
static_assert((int)IB_WQ_FLAGS_DELAY_DROP == ORNIC_WQ_DELAY_DROP);
static_assert((int)IB_WQ_FLAGS_PCI_WRITE_END_PADDING == ORNIC_WQ_PAD_END);
static_assert((int)IB_WQ_STATE == ORNIC_WQ_ATTR_STATE);
static_assert((int)IB_WQ_CUR_STATE == ORNIC_WQ_ATTR_CUR_STATE);
static_assert((int)IB_WQ_FLAGS == ORNIC_WQ_ATTR_FLAGS);
static_assert((int)IB_WQS_RESET == (int)ORNIC_WQS_RESET);
static_assert((int)IB_WQS_RDY == (int)ORNIC_WQS_RDY);
static_assert((int)IB_WQS_ERR == (int)ORNIC_WQS_ERR);

static int ornic_wq_check(const struct ornic_ib_dev *dev, const struct ib_wq_init_attr *init,
			  struct ib_udata *udata)
{
	struct ornic_create_wq_req req;
	int err;

	err = ib_copy_validate_udata_in_cm(udata, req, reserved_20, 0);
	if (err)
		return err;

	err = ornic_check_reserved(&dev->ibdev, "WQ request", req.reserved_20,
				   sizeof(req.reserved_20));
	if (err)
		return err;

	if (init->wq_type != IB_WQT_RQ) {
		ibdev_dbg_ratelimited(&dev->ibdev, "WQ type %d is not supported\n", init->wq_type);
		return -EOPNOTSUPP;
	}

	err = ornic_check_flags(&dev->ibdev, "WQ create_flags", init->create_flags,
				dev->odev->lim.wq_flags);
	if (err)
		return err;

	err = ornic_check_range(&dev->ibdev, "WQ max_wr", init->max_wr, 1, dev->max_wq_wr);
	if (err)
		return err;

	return ornic_check_range(&dev->ibdev, "WQ max_sge", init->max_sge, 0, dev->max_sge);
}

/* Called in hard interrupt context, as for a CQ */
static void ornic_wq_event(struct ornic_res *res, enum ornic_event event)
{
	struct ornic_wq *wq = container_of(res, struct ornic_wq, res);
	struct ib_event ibevent = {
		.device = wq->ibwq.device,
		.element.wq = &wq->ibwq,
		.event = IB_EVENT_WQ_FATAL,
	};

	switch (event) {
	case ORNIC_EVENT_WQ_FATAL:
		if (ornic_due_take(&wq->due))
			wq->ibwq.event_handler(&ibevent, wq->ibwq.wq_context);
		break;
	case ORNIC_EVENT_WQ_DELAY_DROP:
		atomic64_inc(&to_ornic_ib_dev(wq->ibwq.device)->delay_drops);
		break;
	default:
		break;
	}
}

static int ornic_wq_create(struct ornic_ib_dev *dev, struct ornic_wq *wq, struct ib_pd *pd,
			   const struct ib_wq_init_attr *init, u32 uctx)
{
	struct ornic_create_wq_in in = {
		.pdn = cpu_to_le32(to_ornic_pd(pd)->pdn),
		.cqn = cpu_to_le32(to_ornic_cq(init->cq)->res.num),
		.flags = cpu_to_le32(init->create_flags),
		.log_wqes = wq->ring.log_wqes,
		.stride_shift = wq->stride_shift,
		.uctx = cpu_to_le32(uctx),
		.buf = wq->ring.pbl.buf,
		.dbr_addr = cpu_to_le64(ornic_recv_ring_dbr_addr(&wq->ring)),
	};
	int err;

	/* Only this WQ waits, so a long delay needs no privilege */
	if (init->create_flags & IB_WQ_FLAGS_DELAY_DROP)
		in.delay_drop = cpu_to_le32(dev->odev->lim.max_delay_drop);

	err = ornic_cmd_create(dev->odev, ORNIC_CMD_CREATE_WQ, &in, sizeof(in), &wq->res.num);
	if (err)
		return err;

	wq->res.type = ORNIC_RES_WQ;
	wq->res.event = ornic_wq_event;
	err = ornic_res_add(dev->odev, &wq->res);
	if (err)
		goto err_destroy_wq;

	return 0;

err_destroy_wq:
	ornic_cmd_release(dev->odev, ORNIC_CMD_DESTROY_WQ, wq->res.num);
	return err;
}

static int ornic_wq_respond(const struct ornic_wq *wq, struct ib_udata *udata)
{
	struct ornic_slab_place place = ornic_slab_locate(wq->ring.mem);
	struct ornic_create_wq_resp resp = {
		.map = place.map,
		.ring_offset = place.offset,
		.dbr_offset = place.offset + wq->ring.dbr_offset,
		.log_wqes = wq->ring.log_wqes,
		.stride_shift = wq->stride_shift,
	};

	return ib_respond_udata(udata, resp);
}

struct ib_wq *ornic_ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *init,
				 struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(pd->device);
	struct ornic_ucontext *ctx;
	struct ornic_wq *wq;
	int err;

	err = ornic_wq_check(dev, init, udata);
	if (err)
		return ERR_PTR(err);

	wq = kzalloc_obj(*wq);
	if (!wq)
		return ERR_PTR(-ENOMEM);

	/* The core sets the other members later */
	wq->ibwq.device = pd->device;
	wq->ibwq.event_handler = init->event_handler;
	wq->ibwq.wq_context = init->wq_context;
	wq->stride_shift = ornic_rq_shift(init->max_sge);
	ctx = rdma_udata_to_drv_context(udata, struct ornic_ucontext, ibuctx);
	err = ornic_recv_ring_alloc(dev, init->max_wr, wq->stride_shift, ctx, &wq->ring);
	if (err)
		goto err_free_wq;

	err = ornic_wq_create(dev, wq, pd, init, ctx->uctx.num);
	if (err)
		goto err_free_ring;

	err = ornic_wq_respond(wq, udata);
	if (err)
		goto err_release_wq;

	wq->ibwq.wq_num = wq->res.num;
	wq->ibwq.state = IB_WQS_RESET;
	init->max_wr = wq->ring.max_wr;
	init->max_sge = min(ornic_rq_sge(wq->stride_shift), dev->max_sge);
	return &wq->ibwq;

err_release_wq:
	ornic_ib_release(dev, ORNIC_CMD_DESTROY_WQ, &wq->res);
err_free_ring:
	ornic_recv_ring_free(dev, &wq->ring);
err_free_wq:
	kfree(wq);
	return ERR_PTR(err);
}

static int ornic_wq_check_flags(const struct ornic_ib_dev *dev, const struct ib_wq_attr *attr)
{
	int err;

	err = ornic_check_flags(&dev->ibdev, "WQ flags_mask", attr->flags_mask,
				dev->odev->lim.wq_flags & ORNIC_WQ_CVLAN_STRIPPING);
	if (err)
		return err;

	if (attr->flags & ~attr->flags_mask) {
		ibdev_dbg_ratelimited(&dev->ibdev, "WQ flags %#x are not in flags_mask %#x\n",
				      attr->flags, attr->flags_mask);
		return -EINVAL;
	}
	return 0;
}

/* The device checks transitions, because it may have gone to ERR by itself */
int ornic_ib_modify_wq(struct ib_wq *ibwq, struct ib_wq_attr *attr, u32 mask,
		       struct ib_udata *udata)
{
	struct ornic_wq *wq = container_of(ibwq, struct ornic_wq, ibwq);
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibwq->device);
	struct ornic_modify_wq_in in = {
		.wqn = cpu_to_le32(ibwq->wq_num),
		.state = attr->wq_state,
		.cur_state = attr->curr_wq_state,
	};
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	err = ornic_check_flags(&dev->ibdev, "WQ mask", mask,
				IB_WQ_STATE | IB_WQ_CUR_STATE | IB_WQ_FLAGS);
	if (err)
		return err;

	if (mask & IB_WQ_FLAGS) {
		err = ornic_wq_check_flags(dev, attr);
		if (err)
			return err;
		in.flags = cpu_to_le32(attr->flags);
		if (!attr->flags_mask)
			mask &= ~IB_WQ_FLAGS;
	}

	in.mask = cpu_to_le32(mask);
	ornic_due_add(&wq->due, 1);
	/* A doorbell that arrives after the reset tells an old index, [ORNIC-DB-8] */
	if (mask & IB_WQ_STATE && attr->wq_state == IB_WQS_RESET && dev->odev->rq_doorbell)
		ornic_doorbell_flush(dev->odev);
	err = ornic_cmd_exec(dev->odev, ORNIC_CMD_MODIFY_WQ, &in, sizeof(in), NULL, 0);
	/* A WQ of a dead device receives nothing, as in RESET or ERR */
	if (err == -EIO && mask & IB_WQ_STATE && attr->wq_state != IB_WQS_RDY)
		err = 0;
	if (!err && mask & IB_WQ_STATE)
		ibwq->state = attr->wq_state;
	return err;
}

int ornic_ib_destroy_wq(struct ib_wq *ibwq, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibwq->device);
	struct ornic_wq *wq = container_of(ibwq, struct ornic_wq, ibwq);
	int err;

	ornic_res_remove(dev->odev, &wq->res);
	err = ornic_cmd_destroy(dev->odev, ORNIC_CMD_DESTROY_WQ, wq->res.num);
	if (err)
		return err;

	ornic_recv_ring_free(dev, &wq->ring);
	kfree(wq);
	return 0;
}

int ornic_ib_create_rwq_ind_table(struct ib_rwq_ind_table *ibtable,
				  struct ib_rwq_ind_table_init_attr *init,
				  struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibtable->device);
	struct ornic_create_rwq_table_in *in;
	u32 i, size;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	/* The core limits log_ind_tbl_size, so that this does not overflow */
	size = 1u << init->log_ind_tbl_size;
	err = ornic_check_range(&dev->ibdev, "RWQ table size", size, 0, dev->max_rwq_table_size);
	if (err)
		return err;

	in = kzalloc_flex(*in, wqn, size);
	if (!in)
		return -ENOMEM;

	in->log_size = init->log_ind_tbl_size;
	for (i = 0; i < size; i++)
		in->wqn[i] = cpu_to_le32(init->ind_tbl[i]->wq_num);

	err = ornic_cmd_create(dev->odev, ORNIC_CMD_CREATE_RWQ_TABLE, in,
			       struct_size(in, wqn, size), &ibtable->ind_tbl_num);
	kfree(in);
	return err;
}

int ornic_ib_destroy_rwq_ind_table(struct ib_rwq_ind_table *ibtable)
{
	return ornic_cmd_destroy(to_ornic_ib_dev(ibtable->device)->odev,
				 ORNIC_CMD_DESTROY_RWQ_TABLE, ibtable->ind_tbl_num);
}
