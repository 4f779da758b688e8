// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: creation, state transitions, destruction */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ccan/minmax.h>

#include "check.h"
#include "compat.h"
#include "cqe.h"
#include "inline.h"
#include "ornic_abi.h"

#define ORNIC_OP(name) (1ULL << IBV_WR_##name)

#define ORNIC_UD_OPS (ORNIC_OP(SEND) | ORNIC_OP(SEND_WITH_IMM))
#define ORNIC_UC_OPS (ORNIC_UD_OPS | ORNIC_OP(RDMA_WRITE) | \
		      ORNIC_OP(RDMA_WRITE_WITH_IMM) | ORNIC_OP(LOCAL_INV) | \
		      ORNIC_OP(BIND_MW))
#define ORNIC_RC_OPS (ORNIC_UC_OPS | ORNIC_OP(RDMA_READ) | \
		      ORNIC_OP(ATOMIC_CMP_AND_SWP) | \
		      ORNIC_OP(ATOMIC_FETCH_AND_ADD) | \
		      ORNIC_OP(SEND_WITH_INV) | ORNIC_OP(FLUSH) | \
		      ORNIC_OP(ATOMIC_WRITE))
#define ORNIC_RAW_OPS (ORNIC_OP(SEND) | ORNIC_OP(TSO))

/* Attributes of RAW_PACKET QPs only */
#define ORNIC_RAW_ATTRS (IBV_QP_INIT_ATTR_MAX_TSO_HEADER | \
			 IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH)
#define ORNIC_RX_HASH_KEY_LEN \
	sizeof(((struct ornic_create_qp_req *)0)->rx_hash_key)
#define ORNIC_RAW_FLAGS (IBV_QP_CREATE_SCATTER_FCS | \
			 IBV_QP_CREATE_CVLAN_STRIPPING | \
			 IBV_QP_CREATE_PCI_WRITE_END_PADDING)

/* Send opcodes of a QP type (hardware.rst, section 6.1) */
static uint64_t ornic_qp_type_ops(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
	case IBV_QPT_XRC_SEND:
		return ORNIC_RC_OPS;
	case IBV_QPT_UC:
		return ORNIC_UC_OPS;
	case IBV_QPT_UD:
		return ORNIC_UD_OPS;
	case IBV_QPT_RAW_PACKET:
		return ORNIC_RAW_OPS;
	default:
		return 0;
	}
}

static enum ornic_wqe_kind ornic_qp_type_kind(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_UD:
		return ORNIC_WQE_UD;
	case IBV_QPT_RAW_PACKET:
		return ORNIC_WQE_ETH;
	default:
		return ORNIC_WQE_RC;
	}
}

static void ornic_qp_init_sq(struct ornic_qp *qp, struct ornic_context *ctx,
			     const struct ornic_create_qp_resp *resp,
			     const struct ibv_qp_cap *cap)
{
	struct ornic_sq *sq = &qp->sq;

	sq->ctx = ctx;
	sq->slot = resp->slot;
	sq->dbr = qp->mem.map + resp->dbr_offset;
	sq->max_sge = cap->max_send_sge;
	sq->max_inline = cap->max_inline_data;
	sq->small_inline = min_t(size_t, sq->max_inline, ORNIC_INLINE_SMALL);
	if (!cap->max_send_wr)
		return;

	sq->slots = 1u << resp->log_sq_slots;
	sq->max_wr = cap->max_send_wr;
	sq->ring = qp->mem.map + resp->sq_offset;
	sq->end = sq->ring + ((size_t)sq->slots << ORNIC_SLOT_SHIFT);
	ornic_sq_reset(sq);
}

static void ornic_qp_init_rq(struct ornic_qp *qp,
			     const struct ornic_create_qp_resp *resp,
			     const struct ibv_qp_cap *cap)
{
	struct ornic_rq *rq = &qp->rq;

	rq->dbr = qp->mem.map + resp->dbr_offset;
	rq->max_sge = cap->max_recv_sge;
	if (!cap->max_recv_wr)
		return;

	rq->max_wr = cap->max_recv_wr;
	rq->mask = (1u << resp->log_rq_wqes) - 1;
	rq->stride_shift = resp->rq_stride_shift;
	rq->ring = qp->mem.map + resp->rq_offset;
}

static int ornic_qp_init(struct ornic_qp *qp, struct ornic_context *ctx,
			 const struct ornic_create_qp_resp *resp,
			 const struct ibv_qp_cap *cap)
{
	int ret;

	qp->qpn = resp->qpn;
	if (!resp->map.length)
		return 0;

	ret = ornic_slab_map(ctx, &resp->map, &qp->mem);
	if (ret)
		return ret;

	ornic_qp_init_sq(qp, ctx, resp, cap);
	ornic_qp_init_rq(qp, resp, cap);
	return 0;
}

/* An RSS QP distributes frames over WQs; it has no rings and cannot send */
static int ornic_qp_check_rss_attr(struct ibv_context *ibctx,
				   const struct ibv_qp_init_attr_ex *attr)
{
	const uint32_t both = IBV_QP_INIT_ATTR_IND_TABLE |
			      IBV_QP_INIT_ATTR_RX_HASH;

	if (!(attr->comp_mask & both))
		return 0;
	if ((attr->comp_mask & both) != both) {
		ornic_refuse(ibctx, "an RSS QP needs rwq_ind_tbl and rx_hash_conf");
		return EINVAL;
	}
	if (attr->cap.max_send_wr) {
		ornic_refuse(ibctx, "an RSS QP cannot send: max_send_wr %u",
			     attr->cap.max_send_wr);
		return EINVAL;
	}
	if (attr->rx_hash_conf.rx_hash_key_len != ORNIC_RX_HASH_KEY_LEN) {
		ornic_refuse(ibctx, "rx_hash_key_len %u is not %zu",
			     attr->rx_hash_conf.rx_hash_key_len,
			     ORNIC_RX_HASH_KEY_LEN);
		return EINVAL;
	}
	return 0;
}

/* These types receive without an SRQ */
static int ornic_qp_check_no_srq(struct ibv_context *ibctx,
				 const struct ibv_qp_init_attr_ex *attr)
{
	if (!attr->srq)
		return 0;

	ornic_refuse(ibctx, "QP type %u has no SRQ", attr->qp_type);
	return EINVAL;
}

static int ornic_qp_check_raw_attr(struct ibv_context *ibctx,
				   const struct ibv_qp_init_attr_ex *attr)
{
	int ret;

	ret = ornic_qp_check_no_srq(ibctx, attr);
	if (ret)
		return ret;

	if (attr->comp_mask & IBV_QP_INIT_ATTR_MAX_TSO_HEADER) {
		if (!(to_ornic_context(ibctx)->send_ops & ORNIC_OP(TSO))) {
			ornic_refuse(ibctx, "the device has no TSO");
			return EOPNOTSUPP;
		}
		if (attr->max_tso_header > ORNIC_TSO_HDR_MAX) {
			ornic_refuse(ibctx, "max_tso_header %u exceeds %u",
				     attr->max_tso_header, ORNIC_TSO_HDR_MAX);
			return EINVAL;
		}
	}
	return ornic_qp_check_rss_attr(ibctx, attr);
}

static int ornic_qp_check_type(struct ibv_context *ibctx,
			       const struct ibv_qp_init_attr_ex *attr)
{
	switch (attr->qp_type) {
	case IBV_QPT_UC:
		return ornic_qp_check_no_srq(ibctx, attr);
	case IBV_QPT_RC:
	case IBV_QPT_UD:
	case IBV_QPT_XRC_SEND:
		return 0;
	case IBV_QPT_XRC_RECV:
		if (attr->comp_mask & IBV_QP_INIT_ATTR_XRCD)
			return 0;
		ornic_refuse(ibctx, "an XRC_RECV QP needs an xrcd");
		return EINVAL;
	case IBV_QPT_RAW_PACKET:
		return ornic_qp_check_raw_attr(ibctx, attr);
	default:
		ornic_refuse(ibctx, "QP type %u is not supported",
			     attr->qp_type);
		return EOPNOTSUPP;
	}
}

static int ornic_qp_check_attr(struct ibv_context *ibctx,
			       const struct ibv_qp_init_attr_ex *attr)
{
	bool raw = attr->qp_type == IBV_QPT_RAW_PACKET;
	int ret;

	if (!ornic_check_bits(ibctx, "QP comp_mask", attr->comp_mask,
			      IBV_QP_INIT_ATTR_PD |
			      IBV_QP_INIT_ATTR_XRCD |
			      IBV_QP_INIT_ATTR_CREATE_FLAGS |
			      IBV_QP_INIT_ATTR_SEND_OPS_FLAGS |
			      (raw ? ORNIC_RAW_ATTRS : 0)))
		return EOPNOTSUPP;

	if (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS &&
	    !ornic_check_bits(ibctx, "QP create_flags", attr->create_flags,
			      raw ? ORNIC_RAW_FLAGS : 0))
		return EOPNOTSUPP;

	ret = ornic_qp_check_type(ibctx, attr);
	if (ret || attr->qp_type == IBV_QPT_XRC_RECV ||
	    attr->comp_mask & IBV_QP_INIT_ATTR_PD)
		return ret;

	ornic_refuse(ibctx, "QP type %u needs a pd", attr->qp_type);
	return EINVAL;
}

/* Maximum bytes of headers of a TSO; 0: no TSO */
static uint32_t ornic_qp_tso_header(const struct ibv_qp_init_attr_ex *attr)
{
	return attr->comp_mask & IBV_QP_INIT_ATTR_MAX_TSO_HEADER ?
	       attr->max_tso_header : 0;
}

/* Removes attributes that the QP type ignores from the request to the kernel */
static void ornic_qp_kernel_attr(struct ibv_qp_init_attr_ex *attr)
{
	/* No flags: omit the field, so that the kernel need not support it */
	if (!attr->create_flags)
		attr->comp_mask &= ~IBV_QP_INIT_ATTR_CREATE_FLAGS;
	if (attr->qp_type != IBV_QPT_XRC_RECV)
		attr->comp_mask &= ~IBV_QP_INIT_ATTR_XRCD;

	switch (attr->qp_type) {
	case IBV_QPT_XRC_RECV:
		/* Each packet names an SRQ, which determines CQ and PD */
		memset(&attr->cap, 0, sizeof(attr->cap));
		attr->comp_mask &= ~IBV_QP_INIT_ATTR_PD;
		attr->pd = NULL;
		attr->send_cq = NULL;
		attr->recv_cq = NULL;
		attr->srq = NULL;
		break;
	case IBV_QPT_XRC_SEND:
		attr->recv_cq = NULL;
		attr->srq = NULL;
		break;
	case IBV_QPT_RAW_PACKET:
		/* RSS QPs accept a send CQ, but never send */
		if (attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE)
			attr->send_cq = NULL;
		break;
	default:
		if (attr->srq) {
			attr->cap.max_recv_wr = 0;
			attr->cap.max_recv_sge = 0;
		}
		break;
	}
}

static void ornic_qp_put_rx_hash(struct ornic_create_qp_req *req,
				 const struct ibv_rx_hash_conf *conf)
{
	req->rx_hash_function = conf->rx_hash_function;
	req->rx_hash_key_len = conf->rx_hash_key_len;
	req->rx_hash_fields = conf->rx_hash_fields_mask;
	memcpy(req->rx_hash_key, conf->rx_hash_key, conf->rx_hash_key_len);
}

static void ornic_qp_free(struct ornic_qp *qp)
{
	struct ornic_owner owner = qp->owner;

	ornic_object_free(&owner, qp, ORNIC_RESOURCE_QP);
}

static void ornic_qp_set_type(struct ornic_qp *qp,
			      const struct ornic_context *ctx,
			      const struct ibv_qp_init_attr_ex *attr)
{
	qp->kind = ornic_qp_type_kind(attr->qp_type);
	ornic_qp_choose_post_send(qp, ctx->board);
	/* RSS QPs only receive */
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE))
		qp->ops = ctx->send_ops & ornic_qp_type_ops(attr->qp_type);
	qp->sq.max_tso_header = ornic_qp_tso_header(attr);
}

static int ornic_qp_create_cmd(struct ibv_context *ibctx, struct ornic_qp *qp,
			       struct ibv_qp_init_attr_ex *attr)
{
	struct ornic_context *ctx = to_ornic_context(ibctx);
	struct ornic_ucreate_qp_resp resp = {};
	struct ornic_ucreate_qp cmd = {};
	int ret;

	cmd.max_tso_header = qp->sq.max_tso_header;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_RX_HASH)
		ornic_qp_put_rx_hash(&cmd.drv_payload, &attr->rx_hash_conf);
	ret = ibv_cmd_create_qp_ex2(ibctx, &qp->vqp, attr, &cmd.ibv_cmd,
				    sizeof(cmd), &resp.ibv_resp, sizeof(resp),
				    NULL);
	if (ret)
		return ret;

	ornic_num_take(&ctx->nums, resp.drv_payload.qpn);
	ret = ornic_qp_init(qp, ctx, &resp.drv_payload, &attr->cap);
	if (ret)
		ibv_cmd_destroy_qp(&qp->vqp.qp);
	return ret;
}

static struct ornic_qp *ornic_qp_new(struct ibv_context *ibctx,
				     struct ibv_qp_init_attr_ex *attr)
{
	struct ornic_context *ctx = to_ornic_context(ibctx);
	struct ibv_qp_init_attr_ex kattr = *attr;
	struct ornic_owner owner;
	struct ornic_qp *qp;
	bool need_lock;
	int ret;

	ret = ornic_qp_check_attr(ibctx, attr);
	if (ret)
		goto err;

	ornic_qp_kernel_attr(&kattr);
	qp = ornic_object_alloc(&owner, kattr.pd, sizeof(*qp),
				ORNIC_RESOURCE_QP);
	if (!qp) {
		ret = ENOMEM;
		goto err;
	}
	qp->owner = owner;

	ornic_qp_set_type(qp, ctx, attr);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		ret = ornic_qp_fill_pfns(ibctx, qp, attr, ctx->board);
		if (ret)
			goto err_free_qp;
	}

	ret = ornic_qp_create_cmd(ibctx, qp, &kattr);
	if (ret)
		goto err_free_qp;

	ornic_cq_attach(kattr.send_cq, &qp->sq.polled,
			qp->qpn | ORNIC_CQE_SEND);
	ornic_cq_attach(kattr.recv_cq, &qp->rq.polled, qp->qpn);
	need_lock = !ornic_owner_is_one_thread(&qp->owner);
	ornic_lock_init(&qp->sq.lock, need_lock);
	ornic_lock_init(&qp->rq.lock, need_lock);

	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		qp->vqp.comp_mask |= VERBS_QP_EX;
	attr->cap = kattr.cap;
	return qp;

err_free_qp:
	ornic_qp_free(qp);
err:
	errno = ret;
	return NULL;
}

/**
 * ornic_create_qp() - create a queue pair
 * @ibpd: protection or parent domain
 * @attr: attributes; returns the actual capabilities
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

	qp = ornic_qp_new(ibpd->context, &attr_ex);
	if (!qp)
		return NULL;

	attr->cap = attr_ex.cap;
	return &qp->vqp.qp;
}

/**
 * ornic_create_qp_ex() - create a queue pair that may have the ibv_wr_* calls
 * @ibctx: context
 * @attr: attributes; returns the actual capabilities
 *
 * Return: the QP in RESET; NULL with errno set, EOPNOTSUPP for an unsupported
 * option.
 */
struct ibv_qp *ornic_create_qp_ex(struct ibv_context *ibctx,
				  struct ibv_qp_init_attr_ex *attr)
{
	struct ornic_qp *qp = ornic_qp_new(ibctx, attr);

	return qp ? &qp->vqp.qp : NULL;
}

/*
 * Indexes begin at 0 again. The device zeroes its half of the doorbell record
 * in the transition.
 */
static void ornic_qp_reset_rings(struct ornic_qp *qp)
{
	ornic_lock(&qp->sq.lock);
	qp->sq.ops = 0;
	ornic_sq_reset(&qp->sq);
	ornic_index_write(&qp->sq.dbr->sq_pi, 0);
	ornic_unlock(&qp->sq.lock);

	ornic_lock(&qp->rq.lock);
	qp->rq.open = false;
	qp->rq.pi = 0;
	qp->rq.limit = 0;
	ornic_index_write(&qp->rq.dbr->rq_pi, 0);
	ornic_unlock(&qp->rq.lock);
}

static void ornic_qp_enter_state(struct ornic_qp *qp, enum ibv_qp_state state)
{
	if (!qp->mem.map)
		return;

	switch (state) {
	case IBV_QPS_RESET:
		ornic_qp_reset_rings(qp);
		ornic_cqs_clean(qp->vqp.qp.send_cq, qp->vqp.qp.recv_cq,
				qp->qpn);
		break;
	case IBV_QPS_INIT:
	case IBV_QPS_RTR:
		ornic_rq_open(&qp->rq, !qp->vqp.qp.srq);
		break;
	default:
		/* ERR and SQE accept work requests, which are flushed */
		ornic_rq_open(&qp->rq, !qp->vqp.qp.srq);
		ornic_lock(&qp->sq.lock);
		qp->sq.ops = qp->ops;
		ornic_unlock(&qp->sq.lock);
		break;
	}
}

/* Only the extended command has a rate; it takes other attributes too */
static int ornic_qp_modify_cmd(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
			       int attr_mask,
			       const struct ibv_qp_rate_limit_attr *rate)
{
	struct ornic_umodify_qp_resp resp = {};
	struct ornic_umodify_qp cmd = {};

	cmd.max_burst_size = rate->max_burst_sz;
	cmd.typical_packet_size = rate->typical_pkt_sz;
	return ibv_cmd_modify_qp_ex(ibqp, attr, attr_mask, &cmd.ibv_cmd,
				    sizeof(cmd), &resp.ibv_resp, sizeof(resp));
}

/**
 * ornic_modify_qp() - change attributes of a QP
 * @ibqp: queue pair
 * @attr: new values
 * @attr_mask: enum ibv_qp_attr_mask: valid members of @attr
 *
 * Return: 0 or a positive errno.
 */
int ornic_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		    int attr_mask)
{
	const struct ibv_qp_rate_limit_attr rate = {};
	struct ibv_modify_qp cmd = {};
	int ret;

	if (attr_mask & IBV_QP_RATE_LIMIT)
		ret = ornic_qp_modify_cmd(ibqp, attr, attr_mask, &rate);
	else
		ret = ibv_cmd_modify_qp(ibqp, attr, attr_mask, &cmd,
					sizeof(cmd));
	if (ret)
		return ret;

	if (attr_mask & IBV_QP_STATE)
		ornic_qp_enter_state(to_ornic_qp(ibqp), attr->qp_state);
	return 0;
}

/**
 * ornic_modify_qp_rate_limit() - set the packet pacing of a QP
 * @ibqp: queue pair of type RAW_PACKET, in RTS
 * @attr: rate in kb/s, 0 for no limit; bytes of a burst and of a typical
 *	packet, 0 for the choice of the device
 *
 * Return: 0 or a positive errno.
 */
int ornic_modify_qp_rate_limit(struct ibv_qp *ibqp,
			       struct ibv_qp_rate_limit_attr *attr)
{
	struct ibv_qp_attr qp_attr = { .rate_limit = attr->rate_limit };

	if (!ornic_check_bits(ibqp->context, "rate limit comp_mask",
			      attr->comp_mask, 0))
		return EINVAL;

	return ornic_qp_modify_cmd(ibqp, &qp_attr, IBV_QP_RATE_LIMIT, attr);
}

/**
 * ornic_query_qp() - read attributes of a QP
 * @ibqp: queue pair
 * @attr: returns the current values
 * @attr_mask: enum ibv_qp_attr_mask: members of @attr to return
 * @init_attr: returns the attributes of its creation
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
 * ornic_open_qp() - open an XRC_RECV QP of another process
 * @ibctx: context
 * @attr: number, type and domain of the QP
 *
 * Return: the QP; NULL with errno set.
 */
struct ibv_qp *ornic_open_qp(struct ibv_context *ibctx,
			     struct ibv_qp_open_attr *attr)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ibv_open_qp cmd = {};
	struct ornic_qp *qp;
	int ret;

	qp = ornic_lines_zalloc(sizeof(*qp));
	if (!qp) {
		errno = ENOMEM;
		return NULL;
	}

	ret = ibv_cmd_open_qp(ibctx, &qp->vqp, sizeof(qp->vqp), attr, &cmd,
			      sizeof(cmd), &resp, sizeof(resp));
	if (ret) {
		free(qp);
		errno = ret;
		return NULL;
	}
	ornic_qp_choose_post_send(qp, true);
	ornic_lock_init(&qp->sq.lock, true);
	ornic_lock_init(&qp->rq.lock, true);
	return &qp->vqp.qp;
}

/**
 * ornic_destroy_qp() - destroy a queue pair
 * @ibqp: queue pair, freed on success
 *
 * Completions of the QP that were not polled are dropped; see num.c.
 *
 * Return: 0 or a positive errno.
 */
int ornic_destroy_qp(struct ibv_qp *ibqp)
{
	struct ornic_context *ctx = to_ornic_context(ibqp->context);
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	struct ornic_leaver leaver = {
		.num = qp->qpn,
		.send_cq = ibqp->send_cq,
		.recv_cq = ibqp->recv_cq,
	};
	int ret;

	ornic_num_leave(&ctx->nums, &leaver);
	ret = ibv_cmd_destroy_qp(ibqp);
	ornic_num_left(&ctx->nums, &leaver, !ret);
	if (ret)
		return ret;

	ornic_cq_detach(&qp->sq.polled);
	ornic_cq_detach(&qp->rq.polled);
	ornic_slab_unmap(ctx, &qp->mem);
	ornic_lock_destroy(&qp->rq.lock);
	ornic_lock_destroy(&qp->sq.lock);
	ornic_qp_free(qp);
	return 0;
}
