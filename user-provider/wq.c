// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Work queues: receive queues for Ethernet frames */

#include <errno.h>

#include "check.h"
#include "index.h"
#include "ornic.h"
#include "ornic_abi.h"

static int ornic_wq_init(struct ornic_wq *wq, struct ornic_context *ctx,
			 const struct ornic_create_wq_resp *resp,
			 const struct ibv_wq_init_attr *attr)
{
	struct ornic_rq *rq = &wq->rq;
	int ret;

	ret = ornic_slab_map(ctx, &resp->map, &wq->mem);
	if (ret)
		return ret;

	rq->ring = wq->mem.map + resp->ring_offset;
	rq->dbr = wq->mem.map + resp->dbr_offset;
	rq->max_wr = attr->max_wr;
	rq->mask = (1u << resp->log_wqes) - 1;
	rq->stride_shift = resp->stride_shift;
	rq->max_sge = attr->max_sge;
	ornic_lock_init(&rq->lock, !ornic_owner_is_one_thread(&wq->owner));
	return 0;
}

static int ornic_wq_check_attr(struct ibv_context *ibctx,
			       const struct ibv_wq_init_attr *attr)
{
	if (!ornic_check_bits(ibctx, "WQ comp_mask", attr->comp_mask,
			      IBV_WQ_INIT_ATTR_FLAGS))
		return EOPNOTSUPP;

	if (attr->wq_type != IBV_WQT_RQ) {
		ornic_refuse(ibctx, "WQ type %u is not supported",
			     attr->wq_type);
		return EINVAL;
	}
	return 0;
}

static void ornic_wq_free(struct ornic_wq *wq)
{
	struct ornic_owner owner = wq->owner;

	ornic_object_free(&owner, wq, ORNIC_RESOURCE_WQ);
}

/**
 * ornic_create_wq() - create a work queue
 * @ibctx: context
 * @attr: attributes; returns the actual max_wr and max_sge
 *
 * WQs and QPs share one space of numbers, so one CQ may have completions of
 * both.
 *
 * Return: the WQ in RESET; NULL with errno set, EOPNOTSUPP for an unsupported
 * option.
 */
struct ibv_wq *ornic_create_wq(struct ibv_context *ibctx,
			       struct ibv_wq_init_attr *attr)
{
	struct ornic_context *ctx = to_ornic_context(ibctx);
	struct ibv_wq_init_attr kattr = *attr;
	struct ornic_ucreate_wq_resp resp = {};
	struct ornic_ucreate_wq cmd = {};
	struct ornic_owner owner;
	struct ornic_wq *wq;
	int ret;

	ret = ornic_wq_check_attr(ibctx, attr);
	if (ret)
		goto err;

	wq = ornic_object_alloc(&owner, attr->pd, sizeof(*wq),
				ORNIC_RESOURCE_WQ);
	if (!wq) {
		ret = ENOMEM;
		goto err;
	}
	wq->owner = owner;

	ret = ibv_cmd_create_wq(ibctx, &kattr, &wq->ibv_wq, &cmd.ibv_cmd,
				sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (ret)
		goto err_free_wq;

	ornic_num_take(&ctx->nums, wq->ibv_wq.wq_num);
	ret = ornic_wq_init(wq, ctx, &resp.drv_payload, &kattr);
	if (ret)
		goto err_destroy_wq;

	ornic_cq_attach(attr->cq, &wq->rq.polled, wq->ibv_wq.wq_num);
	wq->ibv_wq.post_recv = ctx->caps & ORNIC_UCONTEXT_CAP_RQ_DOORBELL ?
			       ornic_post_wq_recv_bell : ornic_post_wq_recv;
	attr->max_wr = kattr.max_wr;
	attr->max_sge = kattr.max_sge;
	return &wq->ibv_wq;

err_destroy_wq:
	ibv_cmd_destroy_wq(&wq->ibv_wq);
err_free_wq:
	ornic_wq_free(wq);
err:
	errno = ret;
	return NULL;
}

/* The device zeroes its half of the doorbell record in the transition */
static void ornic_wq_reset(struct ornic_wq *wq)
{
	ornic_lock(&wq->rq.lock);
	wq->rq.open = false;
	wq->rq.pi = 0;
	wq->rq.limit = 0;
	ornic_index_write(&wq->rq.dbr->rq_pi, 0);
	ornic_unlock(&wq->rq.lock);

	ornic_cq_clean(to_ornic_cq(wq->ibv_wq.cq), wq->ibv_wq.wq_num);
}

/**
 * ornic_modify_wq() - change the state or the flags of a WQ
 * @ibwq: work queue
 * @attr: new values; attr_mask selects them
 *
 * RDY and ERR accept work requests. In ERR they are flushed.
 *
 * Return: 0 or a positive errno.
 */
int ornic_modify_wq(struct ibv_wq *ibwq, struct ibv_wq_attr *attr)
{
	struct ornic_wq *wq = to_ornic_wq(ibwq);
	struct ibv_modify_wq cmd = {};
	int ret;

	/* Linux refuses them too, but up to 7.3 leaks a reference to the WQ */
	if ((attr->attr_mask & IBV_WQ_ATTR_STATE &&
	     attr->wq_state > IBV_WQS_ERR) ||
	    (attr->attr_mask & IBV_WQ_ATTR_CURR_STATE &&
	     attr->curr_wq_state > IBV_WQS_ERR)) {
		ornic_refuse(ibwq->context,
			     "WQ %#x: unknown state %u or %u (curr_wq_state)",
			     ibwq->wq_num, attr->wq_state, attr->curr_wq_state);
		return EINVAL;
	}

	ret = ibv_cmd_modify_wq(ibwq, attr, &cmd, sizeof(cmd));
	if (ret || !(attr->attr_mask & IBV_WQ_ATTR_STATE))
		return ret;

	if (attr->wq_state == IBV_WQS_RESET)
		ornic_wq_reset(wq);
	else
		ornic_rq_open(&wq->rq, true);
	return 0;
}

/**
 * ornic_destroy_wq() - destroy a work queue
 * @ibwq: work queue, freed on success
 *
 * Completions that were not polled are dropped; see ornic_destroy_qp().
 *
 * Return: 0 or a positive errno, EBUSY while an indirection table uses it.
 */
int ornic_destroy_wq(struct ibv_wq *ibwq)
{
	struct ornic_context *ctx = to_ornic_context(ibwq->context);
	struct ornic_wq *wq = to_ornic_wq(ibwq);
	struct ornic_leaver leaver = {
		.num = ibwq->wq_num,
		.recv_cq = ibwq->cq,
	};
	int ret;

	ornic_num_leave(&ctx->nums, &leaver);
	ret = ibv_cmd_destroy_wq(ibwq);
	ornic_num_left(&ctx->nums, &leaver, !ret);
	if (ret)
		return ret;

	ornic_cq_detach(&wq->rq.polled);
	ornic_slab_unmap(ctx, &wq->mem);
	ornic_lock_destroy(&wq->rq.lock);
	ornic_wq_free(wq);
	return 0;
}
