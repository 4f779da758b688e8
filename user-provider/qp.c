// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "ornic_abi.h"
#include "ring.h"

#define ORNIC_OP(name) (1ULL << IBV_WR_##name)

#define ORNIC_UD_OPS (ORNIC_OP(SEND) | ORNIC_OP(SEND_WITH_IMM))
#define ORNIC_RC_OPS (ORNIC_UD_OPS | ORNIC_OP(RDMA_WRITE) | \
		      ORNIC_OP(RDMA_WRITE_WITH_IMM) | ORNIC_OP(RDMA_READ) | \
		      ORNIC_OP(ATOMIC_CMP_AND_SWP) | \
		      ORNIC_OP(ATOMIC_FETCH_AND_ADD))

static void ornic_init_sq(struct ornic_qp *qp, struct ornic_context *ctx,
			  const struct ornic_create_qp_resp *resp,
			  const struct ibv_qp_cap *cap)
{
	struct ornic_sq *sq = &qp->sq;

	sq->ctx = ctx;
	sq->slot = resp->slot;
	sq->dbr = qp->map + resp->dbr_offset;
	sq->max_sge = cap->max_send_sge;
	sq->max_inline = cap->max_inline_data;
	if (!cap->max_send_wr)
		return;

	sq->slots = 1u << resp->log_sq_slots;
	sq->mask = sq->slots - 1;
	sq->ring = qp->map + resp->sq_offset;
	sq->end = sq->ring + ((size_t)sq->slots << ORNIC_SLOT_SHIFT);
}

static void ornic_init_rq(struct ornic_qp *qp,
			  const struct ornic_create_qp_resp *resp,
			  const struct ibv_qp_cap *cap)
{
	struct ornic_rq *rq = &qp->rq;

	rq->dbr = qp->map + resp->dbr_offset;
	rq->max_sge = cap->max_recv_sge;
	if (!cap->max_recv_wr)
		return;

	rq->max_wr = cap->max_recv_wr;
	rq->mask = (1u << resp->log_rq_wqes) - 1;
	rq->stride_shift = resp->rq_stride_shift;
	rq->ring = qp->map + resp->rq_offset;
}

static int ornic_init_qp(struct ornic_qp *qp, struct ornic_context *ctx,
			 const struct ornic_create_qp_resp *resp,
			 const struct ibv_qp_cap *cap)
{
	void *map;

	map = mmap(NULL, resp->mmap_length, PROT_READ | PROT_WRITE, MAP_SHARED,
		   ctx->vctx.context.cmd_fd, resp->mmap_offset);
	if (map == MAP_FAILED)
		return errno;

	qp->map = map;
	qp->map_length = resp->mmap_length;
	qp->qpn = resp->qpn;
	ornic_init_sq(qp, ctx, resp, cap);
	ornic_init_rq(qp, resp, cap);
	return 0;
}

static int ornic_check_qp_attr(const struct ibv_qp_init_attr_ex *attr)
{
	if (!check_comp_mask(attr->comp_mask,
			     IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_CREATE_FLAGS |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return EOPNOTSUPP;

	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD))
		return EINVAL;

	if (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS &&
	    attr->create_flags)
		return EOPNOTSUPP;

	switch (attr->qp_type) {
	case IBV_QPT_RC:
	case IBV_QPT_UD:
		return 0;
	default:
		return EOPNOTSUPP;
	}
}

static struct ornic_qp *ornic_new_qp(struct ibv_context *ibctx,
				     struct ibv_qp_init_attr_ex *attr)
{
	struct ornic_context *ctx = to_ornic_context(ibctx);
	struct ibv_qp_init_attr_ex kattr = *attr;
	struct ornic_ucreate_qp_resp resp = {};
	struct ornic_ucreate_qp cmd = {};
	struct ornic_qp *qp;
	bool need_lock;
	int ret;

	ret = ornic_check_qp_attr(attr);
	if (ret)
		goto err;

	qp = calloc(1, sizeof(*qp));
	if (!qp) {
		ret = ENOMEM;
		goto err;
	}

	qp->ud = attr->qp_type == IBV_QPT_UD;
	qp->ops = ctx->send_ops & (qp->ud ? ORNIC_UD_OPS : ORNIC_RC_OPS);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		ret = ornic_qp_fill_pfns(qp, attr->send_ops_flags);
		if (ret)
			goto err_free_qp;
	}

	/* Without flags the kernel need not know that there could be some */
	kattr.comp_mask &= ~IBV_QP_INIT_ATTR_CREATE_FLAGS;
	ret = ibv_cmd_create_qp_ex(ibctx, &qp->vqp, &kattr, &cmd.ibv_cmd,
				   sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (ret)
		goto err_free_qp;

	ret = ornic_init_qp(qp, ctx, &resp.drv_payload, &kattr.cap);
	if (ret)
		goto err_destroy_qp;

	qp->pd = ornic_get_parent_domain(attr->pd);
	need_lock = !(qp->pd && qp->pd->td);
	ornic_lock_init(&qp->sq.lock, need_lock);
	ornic_lock_init(&qp->rq.lock, need_lock);

	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		qp->vqp.comp_mask |= VERBS_QP_EX;
	attr->cap = kattr.cap;
	return qp;

err_destroy_qp:
	ibv_cmd_destroy_qp(&qp->vqp.qp);
err_free_qp:
	free(qp);
err:
	errno = ret;
	return NULL;
}

/**
 * ornic_create_qp() - create a queue pair
 * @ibpd: protection or parent domain
 * @attr: attributes; the capabilities become what the QP really has
 *
 * Return: the QP in RESET; NULL with errno set.
 */
struct ibv_qp *ornic_create_qp(struct ibv_pd *ibpd,
			       struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex attr_ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = ibpd,
	};
	struct ornic_qp *qp;

	qp = ornic_new_qp(ibpd->context, &attr_ex);
	if (!qp)
		return NULL;

	attr->cap = attr_ex.cap;
	return &qp->vqp.qp;
}

/**
 * ornic_create_qp_ex() - create a queue pair that may have the ibv_wr_* calls
 * @ibctx: context
 * @attr: attributes; the capabilities become what the QP really has
 *
 * Return: the QP in RESET; NULL with errno set, EOPNOTSUPP for what we do not
 * have.
 */
struct ibv_qp *ornic_create_qp_ex(struct ibv_context *ibctx,
				  struct ibv_qp_init_attr_ex *attr)
{
	struct ornic_qp *qp = ornic_new_qp(ibctx, attr);

	return qp ? &qp->vqp.qp : NULL;
}

static void ornic_clean_cqs(struct ornic_qp *qp)
{
	struct ibv_cq *send_cq = qp->vqp.qp.send_cq;
	struct ibv_cq *recv_cq = qp->vqp.qp.recv_cq;

	ornic_cq_clean(to_ornic_cq(recv_cq), qp->qpn);
	if (send_cq != recv_cq)
		ornic_cq_clean(to_ornic_cq(send_cq), qp->qpn);
}

/*
 * The rings begin again at 0, for the device as well: it zeroes its half of
 * the doorbell record with the transition.
 */
static void ornic_reset_rings(struct ornic_qp *qp)
{
	ornic_lock(&qp->sq.lock);
	qp->sq.ops = 0;
	qp->sq.wr_ops = 0;
	qp->sq.pi = 0;
	qp->sq.limit = 0;
	ornic_write_index(&qp->sq.dbr->sq_pi, 0);
	ornic_unlock(&qp->sq.lock);

	ornic_lock(&qp->rq.lock);
	qp->rq.open = false;
	qp->rq.pi = 0;
	qp->rq.limit = 0;
	ornic_write_index(&qp->rq.dbr->rq_pi, 0);
	ornic_unlock(&qp->rq.lock);
}

static void ornic_enter_state(struct ornic_qp *qp, enum ibv_qp_state state)
{
	switch (state) {
	case IBV_QPS_RESET:
		ornic_reset_rings(qp);
		ornic_clean_cqs(qp);
		break;
	case IBV_QPS_INIT:
	case IBV_QPS_RTR:
		qp->rq.open = true;
		break;
	default:
		/* In ERR and SQE work requests are taken and flushed */
		qp->rq.open = true;
		qp->sq.ops = qp->ops;
		qp->sq.wr_ops = qp->ops;
		break;
	}
}

/**
 * ornic_modify_qp() - change attributes of a QP
 * @ibqp: queue pair
 * @attr: new values
 * @attr_mask: which of them are there
 *
 * Return: 0 or a positive errno.
 */
int ornic_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		    int attr_mask)
{
	struct ibv_modify_qp cmd = {};
	int ret;

	ret = ibv_cmd_modify_qp(ibqp, attr, attr_mask, &cmd, sizeof(cmd));
	if (ret)
		return ret;

	if (attr_mask & IBV_QP_STATE)
		ornic_enter_state(to_ornic_qp(ibqp), attr->qp_state);
	return 0;
}

/**
 * ornic_query_qp() - read attributes of a QP
 * @ibqp: queue pair
 * @attr: values, as they are now
 * @attr_mask: which of them are wanted
 * @init_attr: those of its creation
 *
 * Return: 0 or a positive errno.
 */
int ornic_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		   int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd = {};

	return ibv_cmd_query_qp(ibqp, attr, attr_mask, init_attr, &cmd,
				sizeof(cmd));
}

/**
 * ornic_destroy_qp() - destroy a queue pair
 * @ibqp: queue pair, freed on success
 *
 * Its completions that nobody polled vanish: the number may be another QP's
 * soon.
 *
 * Return: 0 or a positive errno.
 */
int ornic_destroy_qp(struct ibv_qp *ibqp)
{
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	int ret;

	ret = ibv_cmd_destroy_qp(ibqp);
	if (ret)
		return ret;

	ornic_clean_cqs(qp);
	munmap(qp->map, qp->map_length);
	ornic_put_parent_domain(qp->pd);
	ornic_lock_destroy(&qp->rq.lock);
	ornic_lock_destroy(&qp->sq.lock);
	free(qp);
	return 0;
}
