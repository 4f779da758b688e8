// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Shared receive queues */
#include <linux/slab.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ornic-abi.h>
#define UVERBS_MODULE_NAME ornic_ib
#include <rdma/uverbs_named_ioctl.h>

#include "cq.h"
#include "device.h"
#include "pd.h"
#include "recv_ring.h"
#include "ring.h"
#include "ringmem.h"
#include "slab.h"
#include "srq.h"
#include "uctx.h"
#include "xrcd.h"

static int ornic_srq_kernel_init(struct ornic_srq *srq)
{
	struct ornic_recvs *recvs = &srq->recvs;
	int err;

	err = ornic_ringmem_vmap(srq->ring.mem);
	if (err)
		return err;

	recvs->size = 1u << srq->ring.log_wqes;
	recvs->recvs = kvzalloc_objs(*recvs->recvs, recvs->size);
	if (!recvs->recvs)
		return -ENOMEM;

	ornic_recvs_init(recvs);
	return 0;
}

/* Called in hard interrupt context, as for a CQ */
static void ornic_srq_event(struct ornic_res *res, enum ornic_event event)
{
	struct ornic_srq *srq = container_of(res, struct ornic_srq, res);
	struct ib_event ibevent = {
		.device = srq->ibsrq.device,
		.element.srq = &srq->ibsrq,
	};

	switch (event) {
	case ORNIC_EVENT_SRQ_LIMIT:
		ibevent.event = IB_EVENT_SRQ_LIMIT_REACHED;
		break;
	case ORNIC_EVENT_SRQ_ERR:
		ibevent.event = IB_EVENT_SRQ_ERR;
		break;
	default:
		return;
	}
	if (ornic_due_take(&srq->due) && srq->ibsrq.event_handler)
		srq->ibsrq.event_handler(&ibevent, srq->ibsrq.srq_context);
}

static int ornic_srq_create(struct ornic_ib_dev *dev, struct ornic_srq *srq,
			    const struct ornic_ucontext *ctx)
{
	struct ib_srq *ibsrq = &srq->ibsrq;
	struct ornic_create_srq_in in = {
		.pdn = cpu_to_le32(to_ornic_pd(ibsrq->pd)->pdn),
		.flags = cpu_to_le32(ctx ? 0 : ORNIC_SRQ_KERNEL),
		.log_wqes = srq->ring.log_wqes,
		.stride_shift = srq->stride_shift,
		.uctx = cpu_to_le32(ctx ? ctx->uctx.num : 0),
		.buf = srq->ring.pbl.buf,
		.dbr_addr = cpu_to_le64(ornic_recv_ring_dbr_addr(&srq->ring)),
	};
	int err;

	if (ibsrq->srq_type == IB_SRQT_XRC) {
		in.flags |= cpu_to_le32(ORNIC_SRQ_XRC);
		in.xrcdn = cpu_to_le32(to_ornic_xrcd(ibsrq->ext.xrc.xrcd)->xrcdn);
		in.cqn = cpu_to_le32(to_ornic_cq(ibsrq->ext.cq)->res.num);
	}

	err = ornic_cmd_create(dev->odev, ORNIC_CMD_CREATE_SRQ, &in, sizeof(in), &srq->res.num);
	if (err)
		return err;

	srq->res.type = ORNIC_RES_SRQ;
	srq->res.event = ornic_srq_event;
	err = ornic_res_add(dev->odev, &srq->res);
	if (err)
		goto err_destroy_srq;

	if (ibsrq->srq_type == IB_SRQT_XRC)
		ibsrq->ext.xrc.srq_num = srq->res.num;
	return 0;

err_destroy_srq:
	ornic_cmd_release(dev->odev, ORNIC_CMD_DESTROY_SRQ, srq->res.num);
	return err;
}

/* Kernel consumers free what they posted and ignore the result */
static int ornic_srq_destroy(struct ornic_ib_dev *dev, struct ornic_srq *srq)
{
	if (!srq->ring.mem->slab) {
		ornic_ib_release(dev, ORNIC_CMD_DESTROY_SRQ, &srq->res);
		return 0;
	}

	ornic_res_remove(dev->odev, &srq->res);
	return ornic_cmd_destroy(dev->odev, ORNIC_CMD_DESTROY_SRQ, srq->res.num);
}

static int ornic_srq_respond(const struct ornic_srq *srq, struct ib_udata *udata)
{
	struct ornic_slab_place place = ornic_slab_locate(srq->ring.mem);
	struct ornic_create_srq_resp resp = {
		.srqn = srq->res.num,
		.map = place.map,
		.ring_offset = place.offset,
		.dbr_offset = place.offset + srq->ring.dbr_offset,
		.log_wqes = srq->ring.log_wqes,
		.stride_shift = srq->stride_shift,
	};

	return ib_respond_udata(udata, resp);
}

static bool ornic_srq_has_type(const struct ornic_ib_dev *dev, enum ib_srq_type type, bool user)
{
	switch (type) {
	case IB_SRQT_BASIC:
		return true;
	case IB_SRQT_XRC:
		/* Kernel work requests cannot name an XRC SRQ */
		return user && dev->odev->lim.features & ORNIC_FEAT_XRC;
	default:
		return false;
	}
}

static int ornic_srq_check(struct ornic_ib_dev *dev, const struct ib_srq_init_attr *init,
			   struct ib_udata *udata)
{
	struct ornic_create_srq_req req;
	int err;

	if (udata) {
		err = ib_copy_validate_udata_in_cm(udata, req, reserved_20, 0);
		if (err)
			return err;
		err = ornic_check_reserved(&dev->ibdev, "SRQ request", req.reserved_20,
					   sizeof(req.reserved_20));
		if (err)
			return err;
	}

	if (!ornic_srq_has_type(dev, init->srq_type, udata)) {
		ibdev_dbg_ratelimited(&dev->ibdev, "SRQ type %d is not supported\n",
				      init->srq_type);
		return -EOPNOTSUPP;
	}

	err = ornic_check_range(&dev->ibdev, "SRQ max_wr", init->attr.max_wr, 1, dev->max_srq_wr);
	if (err)
		return err;

	return ornic_check_range(&dev->ibdev, "SRQ max_sge", init->attr.max_sge, 0, dev->max_sge);
}

int ornic_ib_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
			struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibsrq->device);
	struct ornic_srq *srq = to_ornic_srq(ibsrq);
	struct ornic_ucontext *ctx;
	int err;

	err = ornic_srq_check(dev, init, udata);
	if (err)
		return err;

	mutex_init(&srq->modify_lock);
	spin_lock_init(&srq->lock);
	ornic_due_add(&srq->due, 1);
	srq->stride_shift = ornic_rq_shift(init->attr.max_sge);
	srq->max_sge = min(ornic_rq_sge(srq->stride_shift), dev->max_sge);
	ctx = rdma_udata_to_drv_context(udata, struct ornic_ucontext, ibuctx);
	err = ornic_recv_ring_alloc(dev, init->attr.max_wr, srq->stride_shift, ctx, &srq->ring);
	if (err)
		return err;

	if (!udata) {
		err = ornic_srq_kernel_init(srq);
		if (err)
			goto err_free_ring;
	}

	err = ornic_srq_create(dev, srq, ctx);
	if (err)
		goto err_free_recvs;

	if (udata) {
		err = ornic_srq_respond(srq, udata);
		if (err)
			goto err_release_srq;
	}

	init->attr.max_wr = srq->ring.max_wr;
	init->attr.max_sge = srq->max_sge;
	return 0;

err_release_srq:
	ornic_ib_release(dev, ORNIC_CMD_DESTROY_SRQ, &srq->res);
err_free_recvs:
	kvfree(srq->recvs.recvs);
err_free_ring:
	ornic_recv_ring_free(dev, &srq->ring);
	return err;
}

/*
 * Responds to the process before the command: if the response fails, nothing
 * has changed, while the device cannot return to its old ring.
 */
static int ornic_srq_resize(struct ornic_ib_dev *dev, struct ornic_srq *srq, u32 max_wr,
			    struct uverbs_attr_bundle *attrs)
{
	struct ornic_resize_in in = { .num = cpu_to_le32(srq->res.num) };
	struct ornic_resize_resp resp = {};
	struct ornic_slab_place place;
	struct ornic_recv_ring ring;
	int err;

	lockdep_assert_held(&srq->modify_lock);

	err = ornic_recv_ring_alloc(dev, max_wr, srq->stride_shift,
				    to_ornic_ucontext(attrs->context), &ring);
	if (err)
		return err;

	place = ornic_slab_locate(ring.mem);
	resp.map = place.map;
	resp.ring_offset = place.offset;
	resp.dbr_offset = place.offset + ring.dbr_offset;
	resp.log_size = ring.log_wqes;
	err = uverbs_copy_to_struct_or_zero(attrs, ORNIC_ATTR_SRQ_RESIZE_RESP, &resp,
					    sizeof(resp));
	if (err)
		goto out_free_ring;

	in.log_size = ring.log_wqes;
	in.buf = ring.pbl.buf;
	in.dbr_addr = cpu_to_le64(ornic_recv_ring_dbr_addr(&ring));
	/* Let no index of the old ring come later, [ORNIC-SRQ-11] */
	if (dev->odev->rq_doorbell)
		ornic_doorbell_flush(dev->odev);
	err = ornic_cmd_exec(dev->odev, ORNIC_CMD_RESIZE_SRQ, &in, sizeof(in), NULL, 0);
	if (!err)
		swap(ring, srq->ring);

out_free_ring:
	/* The old ring on success, else the new one */
	ornic_recv_ring_free(dev, &ring);
	return err;
}

static int UVERBS_HANDLER(ORNIC_METHOD_SRQ_RESIZE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_srq *ibsrq = uverbs_attr_get_obj(attrs, ORNIC_ATTR_SRQ_RESIZE_HANDLE);
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibsrq->device);
	struct ornic_srq *srq = to_ornic_srq(ibsrq);
	u32 max_wr;
	int err;

	if (!(dev->odev->lim.features & ORNIC_FEAT_RESIZE_SRQ)) {
		ibdev_dbg_ratelimited(&dev->ibdev, "the device cannot resize an SRQ\n");
		return -EOPNOTSUPP;
	}

	err = uverbs_copy_from(&max_wr, attrs, ORNIC_ATTR_SRQ_RESIZE_MAX_WR);
	if (err)
		return err;

	err = ornic_check_range(&dev->ibdev, "SRQ max_wr", max_wr, 1, dev->max_srq_wr);
	if (err)
		return err;

	mutex_lock(&srq->modify_lock);
	err = ornic_srq_resize(dev, srq, max_wr, attrs);
	mutex_unlock(&srq->modify_lock);
	return err;
}

int ornic_ib_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
			enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibsrq->device);
	struct ornic_srq *srq = to_ornic_srq(ibsrq);
	struct ornic_modify_srq_in in = {
		.srqn = cpu_to_le32(srq->res.num),
		.limit = cpu_to_le32(attr->srq_limit),
	};
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	/* Processes use ORNIC_METHOD_SRQ_RESIZE; the kernel never resizes */
	err = ornic_check_flags(&dev->ibdev, "SRQ mask", mask, IB_SRQ_LIMIT);
	if (err || !mask)
		return err;

	mutex_lock(&srq->modify_lock);
	err = ornic_check_range(&dev->ibdev, "SRQ srq_limit", attr->srq_limit, 0,
				srq->ring.max_wr);
	if (!err) {
		ornic_due_add(&srq->due, 1);
		err = ornic_cmd_exec(dev->odev, ORNIC_CMD_MODIFY_SRQ, &in, sizeof(in), NULL, 0);
	}
	mutex_unlock(&srq->modify_lock);
	return err;
}

int ornic_ib_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibsrq->device);
	struct ornic_srq *srq = to_ornic_srq(ibsrq);
	struct ornic_object in = { .num = cpu_to_le32(srq->res.num) };
	struct ornic_query_srq_out out;
	int err;

	mutex_lock(&srq->modify_lock);
	err = ornic_cmd_exec(dev->odev, ORNIC_CMD_QUERY_SRQ, &in, sizeof(in), &out, sizeof(out));
	if (!err) {
		attr->max_wr = srq->ring.max_wr;
		attr->max_sge = srq->max_sge;
		attr->srq_limit = min(le32_to_cpu(out.limit), attr->max_wr);
	}
	mutex_unlock(&srq->modify_lock);
	return err;
}

int ornic_ib_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibsrq->device);
	struct ornic_srq *srq = to_ornic_srq(ibsrq);
	int err;

	err = ornic_srq_destroy(dev, srq);
	if (err)
		return err;

	kvfree(srq->recvs.recvs);
	ornic_recv_ring_free(dev, &srq->ring);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(ORNIC_METHOD_SRQ_RESIZE,
			    UVERBS_ATTR_IDR(ORNIC_ATTR_SRQ_RESIZE_HANDLE,
					    UVERBS_OBJECT_SRQ,
					    UVERBS_ACCESS_READ,
					    UA_MANDATORY),
			    UVERBS_ATTR_PTR_IN(ORNIC_ATTR_SRQ_RESIZE_MAX_WR,
					       UVERBS_ATTR_TYPE(u32),
					       UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(ORNIC_ATTR_SRQ_RESIZE_RESP,
						UVERBS_ATTR_STRUCT(struct ornic_resize_resp,
								   reserved_128),
						UA_MANDATORY));

ADD_UVERBS_METHODS(ornic_ib_srq_methods,
		   UVERBS_OBJECT_SRQ,
		   &UVERBS_METHOD(ORNIC_METHOD_SRQ_RESIZE));

const struct uapi_definition ornic_ib_srq_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_SRQ, &ornic_ib_srq_methods),
	{}
};
