// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Shared receive queues */

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include <infiniband/cmd_ioctl.h>

#include "check.h"
#include "ornic.h"
#include "ornic_abi.h"

/**
 * struct ornic_srq_place - location of the ring of an SRQ
 * @slab: mapping
 * @ring_offset: offset of the ring in the mapping
 * @dbr_offset: offset of the doorbell record in the mapping
 * @log_wqes: log2 of the WQEs
 */
struct ornic_srq_place {
	struct ornic_mmap_place slab;
	uint32_t ring_offset;
	uint32_t dbr_offset;
	uint8_t log_wqes;
};

/*
 * The device copies a WQE when a QP takes it, so its place can be reused as
 * soon as the consumer index has passed it. An SRQ needs no free list. The
 * doorbell record holds the first producer index: 0, or after a resize the
 * number of WQEs that the device moved.
 *
 * Called with rq->lock held, or while the SRQ is created.
 */
static void ornic_srq_use_ring(struct ornic_srq *srq,
			       const struct ornic_ringmem *mem,
			       const struct ornic_srq_place *from)
{
	struct ornic_rq *rq = &srq->rq;

	srq->mem = *mem;
	rq->ring = mem->map + from->ring_offset;
	rq->dbr = mem->map + from->dbr_offset;
	rq->max_wr = 1u << from->log_wqes;
	rq->mask = rq->max_wr - 1;
	rq->pi = le32toh(rq->dbr->rq_pi);
	rq->limit = rq->pi;
}

static int ornic_srq_init(struct ornic_srq *srq, struct ornic_context *ctx,
			  const struct ornic_create_srq_resp *resp,
			  uint32_t max_sge)
{
	struct ornic_srq_place from = {
		.slab = resp->map,
		.ring_offset = resp->ring_offset,
		.dbr_offset = resp->dbr_offset,
		.log_wqes = resp->log_wqes,
	};
	struct ornic_ringmem mem;
	int ret;

	ret = ornic_slab_map(ctx, &from.slab, &mem);
	if (ret)
		return ret;

	ornic_srq_use_ring(srq, &mem, &from);
	srq->srqn = resp->srqn;
	srq->rq.stride_shift = resp->stride_shift;
	srq->rq.max_sge = max_sge;
	srq->rq.open = true;
	srq->rq.shared = true;
	ornic_lock_init(&srq->rq.lock, !ornic_owner_is_one_thread(&srq->owner));
	pthread_mutex_init(&srq->resize_lock, NULL);
	return 0;
}

static void ornic_srq_free(struct ornic_srq *srq)
{
	struct ornic_owner owner = srq->owner;

	ornic_object_free(&owner, srq, ORNIC_RESOURCE_SRQ);
}

static int ornic_srq_check_attr(struct ibv_context *ibctx,
				const struct ibv_srq_init_attr_ex *attr)
{
	if (!ornic_check_bits(ibctx, "SRQ comp_mask", attr->comp_mask,
			      IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			      IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ))
		return EOPNOTSUPP;

	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD)) {
		ornic_refuse(ibctx, "an SRQ needs a pd");
		return EINVAL;
	}

	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE))
		return 0;

	switch (attr->srq_type) {
	case IBV_SRQT_BASIC:
	case IBV_SRQT_XRC:
		return 0;
	default:
		ornic_refuse(ibctx, "SRQ type %u is not supported",
			     attr->srq_type);
		return EOPNOTSUPP;
	}
}

static struct ornic_srq *ornic_srq_new(struct ibv_context *ibctx,
				       struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq_init_attr_ex kattr = *attr;
	struct ornic_ucreate_srq_resp resp = {};
	struct ornic_ucreate_srq cmd = {};
	struct ornic_owner owner;
	struct ornic_srq *srq;
	int ret;

	ret = ornic_srq_check_attr(ibctx, attr);
	if (ret)
		goto err;

	ret = ornic_context_map_queues(to_ornic_context(ibctx));
	if (ret)
		goto err;

	srq = ornic_object_alloc(&owner, attr->pd, sizeof(*srq),
				 ORNIC_RESOURCE_SRQ);
	if (!srq) {
		ret = ENOMEM;
		goto err;
	}
	srq->owner = owner;

	if (!(kattr.comp_mask & IBV_SRQ_INIT_ATTR_TYPE))
		kattr.srq_type = IBV_SRQT_BASIC;
	ret = ibv_cmd_create_srq_ex(ibctx, &srq->vsrq, &kattr, &cmd.ibv_cmd,
				    sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (ret)
		goto err_free_srq;

	ret = ornic_srq_init(srq, to_ornic_context(ibctx), &resp.drv_payload,
			     kattr.attr.max_sge);
	if (ret)
		goto err_destroy_srq;

	attr->attr = kattr.attr;
	return srq;

err_destroy_srq:
	ibv_cmd_destroy_srq(&srq->vsrq.srq);
err_free_srq:
	ornic_srq_free(srq);
err:
	errno = ret;
	return NULL;
}

/**
 * ornic_create_srq() - create a shared receive queue
 * @ibpd: protection or parent domain
 * @attr: attributes; returns the actual capabilities
 *
 * Return: the SRQ; NULL with errno set.
 */
struct ibv_srq *ornic_create_srq(struct ibv_pd *ibpd,
				 struct ibv_srq_init_attr *attr)
{
	struct ibv_srq_init_attr_ex attr_ex = {
		.srq_context = attr->srq_context,
		.attr = attr->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = ibpd,
	};
	struct ornic_srq *srq;

	srq = ornic_srq_new(ibpd->context, &attr_ex);
	if (!srq)
		return NULL;

	attr->attr = attr_ex.attr;
	return &srq->vsrq.srq;
}

/**
 * ornic_create_srq_ex() - create a shared receive queue of a type
 * @ibctx: context
 * @attr: attributes; returns the actual capabilities
 *
 * Return: the SRQ; NULL with errno set, EOPNOTSUPP for an unsupported option.
 */
struct ibv_srq *ornic_create_srq_ex(struct ibv_context *ibctx,
				    struct ibv_srq_init_attr_ex *attr)
{
	struct ornic_srq *srq = ornic_srq_new(ibctx, attr);

	return srq ? &srq->vsrq.srq : NULL;
}

/**
 * ornic_srq_wait() - wait until a resize of an SRQ ends
 * @srq: shared receive queue, not locked
 */
void ornic_srq_wait(struct ornic_srq *srq)
{
	pthread_mutex_lock(&srq->resize_lock);
	pthread_mutex_unlock(&srq->resize_lock);
}

static int ornic_srq_resize_cmd(struct ibv_srq *ibsrq, uint32_t max_wr,
				struct ornic_srq_place *to)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_SRQ, ORNIC_METHOD_SRQ_RESIZE,
			       3);
	struct ornic_resize_resp resp = {};
	int ret;

	fill_attr_in_obj(cmd, ORNIC_ATTR_SRQ_RESIZE_HANDLE, ibsrq->handle);
	fill_attr_in_uint32(cmd, ORNIC_ATTR_SRQ_RESIZE_MAX_WR, max_wr);
	fill_attr_out_ptr(cmd, ORNIC_ATTR_SRQ_RESIZE_RESP, &resp);
	ret = execute_ioctl(ibsrq->context, cmd);
	if (ret)
		return ret;

	to->slab = resp.map;
	to->ring_offset = resp.ring_offset;
	to->dbr_offset = resp.dbr_offset;
	to->log_wqes = resp.log_size;
	return 0;
}

/* Called with srq->resize_lock held, while rq->resizing is set */
static int ornic_srq_do_resize(struct ornic_srq *srq, uint32_t max_wr)
{
	struct ibv_srq *ibsrq = &srq->vsrq.srq;
	struct ornic_context *ctx = to_ornic_context(ibsrq->context);
	struct ornic_ringmem mem, old = srq->mem;
	struct ornic_srq_place to;
	int ret;

	ret = ornic_srq_resize_cmd(ibsrq, max_wr, &to);
	if (ret)
		return ret;

	ret = ornic_slab_map(ctx, &to.slab, &mem);
	if (ret) {
		ornic_rq_open(&srq->rq, false);
		srq->mem = (struct ornic_ringmem){};
	} else {
		ornic_lock(&srq->rq.lock);
		ornic_srq_use_ring(srq, &mem, &to);
		ornic_unlock(&srq->rq.lock);
	}
	/* Another object may have its ring there by now */
	ornic_slab_unmap(ctx, &old);
	return ret;
}

/* Sends the next thread that posts to the slow path, which sees the change */
static void ornic_srq_set_resizing(struct ornic_rq *rq, bool resizing)
{
	ornic_lock(&rq->lock);
	rq->resizing = resizing;
	rq->limit = rq->pi;
	ornic_unlock(&rq->lock);
}

/*
 * During the command no thread may post to the ring that the device leaves.
 * Other threads sleep, because the command may take long. If the new ring
 * cannot be mapped, the SRQ is closed and can only be destroyed.
 */
static int ornic_srq_resize(struct ornic_srq *srq, uint32_t max_wr)
{
	int ret;

	pthread_mutex_lock(&srq->resize_lock);
	ornic_srq_set_resizing(&srq->rq, true);
	ret = ornic_srq_do_resize(srq, max_wr);
	ornic_srq_set_resizing(&srq->rq, false);
	pthread_mutex_unlock(&srq->resize_lock);
	return ret;
}

/**
 * ornic_modify_srq() - change the size of an SRQ, or request its limit event
 * @ibsrq: shared receive queue
 * @attr: new values
 * @attr_mask: enum ibv_srq_attr_mask: valid members of @attr
 *
 * The size is changed first. It stays changed if the limit is refused.
 *
 * Return: 0 or a positive errno.
 */
int ornic_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		     int attr_mask)
{
	struct ibv_modify_srq cmd = {};
	int ret;

	if (attr_mask & IBV_SRQ_MAX_WR) {
		if (attr_mask & IBV_SRQ_LIMIT &&
		    attr->srq_limit > attr->max_wr) {
			ornic_refuse(ibsrq->context,
				     "srq_limit %u exceeds max_wr %u",
				     attr->srq_limit, attr->max_wr);
			return EINVAL;
		}

		ret = ornic_srq_resize(to_ornic_srq(ibsrq), attr->max_wr);
		attr_mask &= ~IBV_SRQ_MAX_WR;
		if (ret || !attr_mask)
			return ret;
	}

	return ibv_cmd_modify_srq(ibsrq, attr, attr_mask, &cmd, sizeof(cmd));
}

/**
 * ornic_query_srq() - read the attributes of an SRQ
 * @ibsrq: shared receive queue
 * @attr: returns the current values
 *
 * Return: 0 or a positive errno.
 */
int ornic_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd = {};

	return ibv_cmd_query_srq(ibsrq, attr, &cmd, sizeof(cmd));
}

/**
 * ornic_get_srq_num() - read the number of an SRQ, for XRC senders
 * @ibsrq: shared receive queue of type XRC
 * @srq_num: returns the number
 *
 * Return: 0, or EINVAL for an SRQ of another type.
 */
int ornic_get_srq_num(struct ibv_srq *ibsrq, uint32_t *srq_num)
{
	struct ornic_srq *srq = to_ornic_srq(ibsrq);

	if (srq->vsrq.srq_type != IBV_SRQT_XRC) {
		ornic_refuse(ibsrq->context, "an SRQ of type %u has no number",
			     srq->vsrq.srq_type);
		return EINVAL;
	}

	*srq_num = srq->vsrq.srq_num;
	return 0;
}

/**
 * ornic_destroy_srq() - destroy a shared receive queue
 * @ibsrq: shared receive queue, freed on success
 *
 * Return: 0 or a positive errno, EBUSY while QPs use it.
 */
int ornic_destroy_srq(struct ibv_srq *ibsrq)
{
	struct ornic_context *ctx = to_ornic_context(ibsrq->context);
	struct ornic_srq *srq = to_ornic_srq(ibsrq);
	int ret;

	ret = ibv_cmd_destroy_srq(ibsrq);
	if (ret)
		return ret;

	ornic_slab_unmap(ctx, &srq->mem);
	pthread_mutex_destroy(&srq->resize_lock);
	ornic_lock_destroy(&srq->rq.lock);
	ornic_srq_free(srq);
	return 0;
}
