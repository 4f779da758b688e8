// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The fake kernel: CQs, SRQs, QPs */
#include <assert.h>
#include <endian.h>
#include <string.h>

#include <infiniband/cmd_ioctl.h>

#include "fake.h"

/**
 * fake_log2() - logarithm
 * @n: number
 *
 * Return: the logarithm to base 2, rounded up.
 */
uint8_t fake_log2(uint32_t n)
{
	uint8_t log = 0;

	while (1u << log < n)
		log++;
	return log;
}

/**
 * fake_stride() - size of the WQEs of a receive ring
 * @max_sge: SGEs that each has room for
 *
 * Return: log2 of the bytes.
 */
uint8_t fake_stride(uint32_t max_sge)
{
	uint8_t log = fake_log2(16 + 16 * max_sge);

	return log < ORNIC_RQ_STRIDE_SHIFT_MIN ? ORNIC_RQ_STRIDE_SHIFT_MIN : log;
}

/* Entries of a ring that can be in use */
static uint32_t fake_cq_room(uint8_t log_size)
{
	uint32_t size = 1u << log_size;

	return fake_now->shadow ? size : size - size / 8;
}

static uint8_t fake_cq_log_size(uint32_t cqe)
{
	uint8_t log_size = fake_log2(cqe);

	return fake_cq_room(log_size) < cqe ? log_size + 1 : log_size;
}

static struct fake_place fake_place_cq(struct fake_cq *cq, uint8_t log_size)
{
	uint32_t ring = 1u << (log_size + cq->log_cqe_size);
	struct fake_place place = fake_place(ring + FAKE_PAGE);

	cq->ring = place.mem;
	cq->dbr = (void *)(cq->ring + ring);
	cq->log_size = log_size;
	return place;
}

int ibv_cmd_create_cq_ex(struct ibv_context *context,
			 const struct ibv_cq_init_attr_ex *attr,
#ifndef ORNIC_LACKS_CQ_PROV_ATTR
			 struct verbs_create_cq_prov_attr *prov_attr,
#endif
			 struct verbs_cq *vcq, struct ibv_create_cq_ex *ibv_cmd,
			 size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *ibv_resp,
			 size_t resp_size, uint32_t cmd_flags)
{
	struct ornic_ucreate_cq_resp *resp =
		container_of(ibv_resp, struct ornic_ucreate_cq_resp, ibv_resp);
	struct ornic_ucreate_cq *cmd =
		container_of(ibv_cmd, struct ornic_ucreate_cq, ibv_cmd);
	uint8_t log_size = fake_cq_log_size(attr->cqe);
	struct fake_cq *cq;
	struct fake_place place;
	uint32_t cqn;
	int ret;

	fake_now->last_cq_attr = *attr;
	ret = fake_fails();
	if (ret)
		return ret;

	for (cqn = 1; fake_now->cqs[cqn - 1].cqn; cqn++)
		assert(cqn < FAKE_CQS);
	cq = &fake_now->cqs[cqn - 1];
	*cq = (struct fake_cq){
		.cqn = cqn,
		.object = &vcq->cq,
		.log_cqe_size = cmd->flags & ORNIC_CREATE_CQ_EXT ? 6 : 5,
	};
	place = fake_place_cq(cq, log_size);

	vcq->cq.context = context;
	vcq->cq.handle = cqn;
	vcq->cq.cqe = fake_cq_room(log_size);
	resp->cqn = cqn;
	resp->map = place.map;
	resp->ring_offset = place.base;
	resp->dbr_offset = place.base + ((uint8_t *)cq->dbr - cq->ring);
	resp->log_size = log_size;
	resp->log_cqe_size = fake_now->log_cqe_size ?: cq->log_cqe_size;
	return 0;
}

int ibv_cmd_resize_cq(struct ibv_cq *ibcq, int cqe, struct ibv_resize_cq *cmd,
		      size_t cmd_size,
		      struct ib_uverbs_resize_cq_resp *ibv_resp,
		      size_t resp_size)
{
	struct ornic_uresize_cq_resp *resp =
		container_of(ibv_resp, struct ornic_uresize_cq_resp, ibv_resp);
	struct fake_cq *cq = fake_cq(ibcq);
	struct fake_cq old = *cq;
	uint32_t mask = (1u << old.log_size) - 1;
	struct fake_place place;
	uint32_t ci;
	int ret;

	ret = fake_fails();
	if (ret)
		return ret;

	place = fake_place_cq(cq, fake_cq_log_size(cqe));
	cq->dbr->arm = old.dbr->arm;
	cq->pi = 0;
	cq->told = 0;
	for (ci = le32toh(old.dbr->ci); ci != old.pi; ci++) {
		memcpy(cq->ring + (cq->pi << cq->log_cqe_size),
		       old.ring + ((ci & mask) << cq->log_cqe_size),
		       (1 << cq->log_cqe_size) - 32);
		fake_complete(cq, fake_cqe(&old, ci & mask));
	}

	ibcq->cqe = fake_cq_room(cq->log_size);
	resp->map = place.map;
	resp->ring_offset = place.base;
	resp->dbr_offset = place.base + ((uint8_t *)cq->dbr - cq->ring);
	resp->log_size = cq->log_size;
	fake_answered();
	return 0;
}

int ibv_cmd_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr,
		      struct ibv_modify_cq *cmd, size_t cmd_size)
{
	fake_now->last_moderation = attr->moderate;
	return fake_fails();
}

static struct fake_place fake_place_srq(struct fake_qp *srq, uint8_t log_wqes)
{
	uint32_t ring = 1u << (log_wqes + srq->stride_shift);
	struct fake_place place = fake_place(ring + FAKE_PAGE);

	srq->rq = place.mem;
	srq->dbr = (void *)(srq->rq + ring);
	srq->rq_wqes = 1u << log_wqes;
	return place;
}

int ibv_cmd_create_srq_ex(struct ibv_context *context, struct verbs_srq *vsrq,
			  struct ibv_srq_init_attr_ex *attr_ex,
			  struct ibv_create_xsrq *cmd, size_t cmd_size,
			  struct ib_uverbs_create_srq_resp *ibv_resp,
			  size_t resp_size)
{
	struct ornic_create_srq_resp *resp =
		&container_of(ibv_resp, struct ornic_ucreate_srq_resp,
			      ibv_resp)->drv_payload;
	struct ibv_srq_attr *attr = &attr_ex->attr;
	struct fake_qp *srq;
	struct fake_place place;
	uint32_t n;
	int ret;

	ret = fake_fails();
	if (ret)
		return ret;

	for (n = 0; fake_now->srqs[n].qpn; n++)
		assert(n < FAKE_SRQS - 1);
	srq = &fake_now->srqs[n];
	*srq = (struct fake_qp){
		.qpn = n + 1,
		.object = &vsrq->srq,
		.stride_shift = fake_log2(16 + 16 * attr->max_sge),
	};
	place = fake_place_srq(srq, fake_log2(attr->max_wr));

	attr->max_wr = srq->rq_wqes;
	vsrq->srq_type = attr_ex->srq_type;
	vsrq->srq_num = 0x777;
	vsrq->srq.context = context;
	vsrq->srq.handle = n;
	resp->srqn = srq->qpn;
	resp->map = place.map;
	resp->ring_offset = place.base;
	resp->dbr_offset = place.base + ((uint8_t *)srq->dbr - srq->rq);
	resp->log_wqes = fake_log2(srq->rq_wqes);
	resp->stride_shift = srq->stride_shift;
	return 0;
}

int ibv_cmd_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		       int attr_mask, struct ibv_modify_srq *ibv_cmd,
		       size_t cmd_size)
{
	assert(!(attr_mask & IBV_SRQ_MAX_WR));
	assert(cmd_size == sizeof(*ibv_cmd));
	return fake_fails();
}

int execute_ioctl(struct ibv_context *context, struct ibv_command_buffer *cmd)
{
	const struct ib_uverbs_attr *attrs = cmd->hdr.attrs;
	struct ornic_resize_resp *resp = (void *)(uintptr_t)attrs[2].data;
	struct ibv_srq ibsrq = { .context = context, .handle = attrs[0].data };
	struct fake_qp *srq = fake_srq(&ibsrq);
	struct fake_qp old = *srq;
	struct fake_place place;
	uint32_t max_wr, i;
	int ret;

	assert(cmd->hdr.object_id == UVERBS_OBJECT_SRQ);
	assert(cmd->hdr.method_id == ORNIC_METHOD_SRQ_RESIZE);
	assert(cmd->next_attr == attrs + 3);
	assert(attrs[0].attr_id == ORNIC_ATTR_SRQ_RESIZE_HANDLE);
	assert(attrs[1].attr_id == ORNIC_ATTR_SRQ_RESIZE_MAX_WR);
	assert(attrs[2].attr_id == ORNIC_ATTR_SRQ_RESIZE_RESP);
	assert(attrs[1].len == sizeof(uint32_t));
	assert(attrs[2].len == sizeof(*resp));
	ret = fake_fails();
	if (ret)
		return ret;

	/* A short value is in the first bytes of the attribute */
	memcpy(&max_wr, &attrs[1].data, sizeof(max_wr));
	place = fake_place_srq(srq, fake_log2(max_wr));
	srq->rq_ci = 0;
	for (i = 0; old.rq_ci != le32toh(old.dbr->rq_pi); i++, old.rq_ci++)
		memcpy(srq->rq + (i << srq->stride_shift),
		       old.rq + ((old.rq_ci & (old.rq_wqes - 1)) <<
				 srq->stride_shift), 1u << srq->stride_shift);

	srq->dbr->rq_pi = htole32(i);
	resp->map = place.map;
	resp->ring_offset = place.base;
	resp->dbr_offset = place.base + ((uint8_t *)srq->dbr - srq->rq);
	resp->log_size = fake_log2(srq->rq_wqes);
	fake_answered();
	return 0;
}

COMMAND(ibv_cmd_query_srq, struct ibv_srq *srq, struct ibv_srq_attr *attr,
	struct ibv_query_srq *cmd, size_t cmd_size)

int ibv_cmd_destroy_srq(struct ibv_srq *srq)
{
	int ret = fake_fails();

	if (!ret)
		fake_srq(srq)->qpn = 0;
	return ret;
}

/* Returns the index of a free QP */
static uint32_t fake_new_qp(void)
{
	uint32_t n;

	for (n = 0; fake_now->qps[n].qpn; n++)
		assert(n < FAKE_QPS - 1);
	return n;
}

int ibv_cmd_open_qp(struct ibv_context *context, struct verbs_qp *vqp,
		    int vqp_sz, struct ibv_qp_open_attr *attr,
		    struct ibv_open_qp *cmd, size_t cmd_size,
		    struct ib_uverbs_create_qp_resp *resp, size_t resp_size)
{
	uint32_t n = fake_new_qp();
	int ret = fake_fails();

	if (ret)
		return ret;

	/* A second handle of the same QP */
	fake_now->qps[n] = (struct fake_qp){
		.qpn = attr->qp_num, .object = &vqp->qp,
	};
	vqp->qp.context = context;
	vqp->qp.qp_num = attr->qp_num;
	vqp->qp.handle = n;
	return 0;
}

int ibv_cmd_destroy_cq(struct ibv_cq *ibcq)
{
	int ret = fake_fails();

	if (!ret)
		fake_cq(ibcq)->cqn = 0;
	return ret;
}

int ibv_cmd_create_qp_ex2(struct ibv_context *context, struct verbs_qp *vqp,
			  struct ibv_qp_init_attr_ex *attr,
			  struct ibv_create_qp_ex *ibv_cmd, size_t cmd_size,
			  struct ib_uverbs_ex_create_qp_resp *ibv_resp,
#ifdef ORNIC_LACKS_QP_DRIVER
			  size_t resp_size)
#else
			  size_t resp_size, struct ibv_command_buffer *driver)
#endif
{
	struct ornic_ucreate_qp_resp *resp =
		container_of(ibv_resp, struct ornic_ucreate_qp_resp, ibv_resp);
	uint32_t sq_bytes, rq_bytes, wqe, n;
	uint8_t log_sq, log_rq, stride;
	struct fake_qp *qp;
	struct fake_place place;
	int ret;

	fake_now->last_attr = *attr;
	fake_now->last_qp_req = container_of(ibv_cmd, struct ornic_ucreate_qp,
					     ibv_cmd)->drv_payload;
	ret = fake_fails();
	if (ret)
		return ret;

	n = fake_new_qp();
	qp = &fake_now->qps[n];
	vqp->qp.context = context;
	vqp->qp.qp_num = FAKE_FIRST_QPN + n;
	vqp->qp.handle = n;
	vqp->qp.send_cq = attr->send_cq;
	vqp->qp.recv_cq = attr->recv_cq;
	vqp->qp.srq = attr->srq;
	vqp->qp.qp_type = attr->qp_type;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_PD)
		vqp->qp.pd = attr->pd;
	resp->qpn = vqp->qp.qp_num;
	if (attr->qp_type == IBV_QPT_XRC_RECV ||
	    attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE) {
		*qp = (struct fake_qp){
			.qpn = vqp->qp.qp_num, .object = &vqp->qp,
		};
		return 0;
	}

	wqe = 64 + 16 * attr->cap.max_send_sge;
	if (64 + attr->cap.max_inline_data > wqe)
		wqe = 64 + attr->cap.max_inline_data;
	log_sq = fake_now->log_sq_slots;
	if (!log_sq)
		log_sq = fake_log2(attr->cap.max_send_wr * ((wqe + 63) / 64));
	log_rq = fake_log2(attr->cap.max_recv_wr);
	stride = fake_stride(attr->cap.max_recv_sge);
	sq_bytes = attr->cap.max_send_wr ? 64u << log_sq : 0;
	rq_bytes = attr->cap.max_recv_wr ? 1u << (stride + log_rq) : 0;

	place = fake_place(sq_bytes + rq_bytes + FAKE_PAGE);
	*qp = (struct fake_qp){
		.qpn = vqp->qp.qp_num,
		.object = &vqp->qp,
		.sq = place.mem,
		.rq = place.mem + sq_bytes,
		.dbr = (void *)(place.mem + sq_bytes + rq_bytes),
		.sq_slots = 1u << log_sq,
		.rq_wqes = 1u << log_rq,
		.stride_shift = stride,
	};

	resp->map = place.map;
	resp->sq_offset = place.base;
	resp->rq_offset = place.base + sq_bytes;
	resp->dbr_offset = place.base + sq_bytes + rq_bytes;
	resp->slot = fake_now->no_slot ? ORNIC_BOARD_NO_SLOT : 65 + n;
	resp->log_sq_slots = log_sq;
	resp->log_rq_wqes = log_rq;
	resp->rq_stride_shift = stride;
	return 0;
}

int ibv_cmd_destroy_qp(struct ibv_qp *ibqp)
{
	int ret = fake_fails();

	if (!ret)
		fake_qp(ibqp)->qpn = 0;
	fake_answered();
	return ret;
}

static int fake_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
			  int attr_mask)
{
	struct fake_qp *qp = fake_qp(ibqp);
	int ret = fake_fails();

	if (ret || !(attr_mask & IBV_QP_STATE))
		return ret;

	qp->state = attr->qp_state;
	if (qp->state == IBV_QPS_RESET && qp->dbr) {
		qp->sq_ci = 0;
		qp->rq_ci = 0;
		qp->dbr->sq_ci = 0;
		qp->dbr->rq_ci = 0;
	}
	return 0;
}

int ibv_cmd_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		      int attr_mask, struct ibv_modify_qp *cmd,
		      size_t cmd_size)
{
	assert(attr_mask < IBV_QP_RATE_LIMIT);
	return fake_modify_qp(ibqp, attr, attr_mask);
}

int ibv_cmd_modify_qp_ex(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
			 int attr_mask, struct ibv_modify_qp_ex *ibv_cmd,
			 size_t cmd_size,
			 struct ib_uverbs_ex_modify_qp_resp *resp,
			 size_t resp_size)
{
	struct ornic_umodify_qp *cmd =
		container_of(ibv_cmd, struct ornic_umodify_qp, ibv_cmd);

	assert(cmd_size == sizeof(*cmd));
	assert(attr_mask & IBV_QP_RATE_LIMIT);
	fake_now->last_rate = attr->rate_limit;
	fake_now->last_modify_req = cmd->drv_payload;
	return fake_modify_qp(ibqp, attr, attr_mask);
}

COMMAND(ibv_cmd_query_qp, struct ibv_qp *qp, struct ibv_qp_attr *attr,
	int attr_mask, struct ibv_qp_init_attr *init_attr,
	struct ibv_query_qp *cmd, size_t cmd_size)
