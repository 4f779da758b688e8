// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/cmd_ioctl.h>

#include "fake.h"

#define FAKE_PAGE	4096u

/* The one that is open; libibverbs' own entry points carry no such thing. */
static struct fake *fake_now;
static const struct verbs_device_ops *fake_dev_ops;

static uint64_t fake_alloc(size_t bytes)
{
	uint64_t offset = fake_now->used;

	fake_now->used += (bytes + FAKE_PAGE - 1) / FAKE_PAGE * FAKE_PAGE;
	assert(fake_now->used <= FAKE_BYTES);
	memset(fake_now->mem + offset, 0, fake_now->used - offset);
	return offset;
}

static int fake_fails(void)
{
	int ret = fake_now->fail;

	fake_now->fail = 0;
	if (!ret)
		fake_now->commands++;
	return ret;
}

static uint64_t fake_mmap_offset(uint64_t offset)
{
	if (!fake_now->bad_mmap)
		return offset;
	fake_now->bad_mmap = false;
	return 1;
}

static uint8_t fake_log2(uint32_t n)
{
	uint8_t log = 0;

	while (1u << log < n)
		log++;
	return log;
}

/* ---- libibverbs ------------------------------------------------------- */

void verbs_register_driver(const struct verbs_device_ops *ops)
{
	fake_dev_ops = ops;
}

void *_verbs_init_and_alloc_context(struct ibv_device *device, int cmd_fd,
				    size_t alloc_size,
				    struct verbs_context *context_offset,
				    uint32_t driver_id)
{
	uint8_t *whole = calloc(1, alloc_size);
	struct verbs_context *vctx = (void *)(whole + (uintptr_t)context_offset);

	assert(driver_id == FAKE_DRIVER_ID);
	vctx->context.device = device;
	vctx->context.cmd_fd = cmd_fd;
	return whole;
}

void verbs_uninit_context(struct verbs_context *vctx)
{
}

void verbs_set_ops(struct verbs_context *vctx,
		   const struct verbs_context_ops *ops)
{
	fake_now->ops = ops;
	vctx->context.ops.post_send = ops->post_send;
	vctx->context.ops.post_recv = ops->post_recv;
	vctx->context.ops.poll_cq = ops->poll_cq;
	vctx->context.ops.req_notify_cq = ops->req_notify_cq;
}

static int fake_get_context(struct ib_uverbs_get_context_resp *ibv_resp)
{
	struct ornic_alloc_ucontext_resp *resp =
		&container_of(ibv_resp, struct ornic_ualloc_ucontext_resp,
			      ibv_resp)->drv_payload;
	uint64_t offset;

	if (fake_fails())
		return ENODEV;

	offset = fake_alloc(FAKE_PAGE);
	fake_now->doorbell = (void *)(fake_now->mem + offset);
	*fake_now->doorbell = ~0ULL;
	resp->db_offset = fake_mmap_offset(offset);
	resp->db_length = FAKE_PAGE;
	if (fake_now->shadow) {
		offset = fake_alloc(FAKE_PAGE);
		fake_now->board = (void *)(fake_now->mem + offset);
		resp->caps = ORNIC_UCONTEXT_CAP_SHADOW;
		resp->board_offset = offset;
		resp->board_length = FAKE_PAGE;
	}
	resp->send_ops = 0xc3ff;
	resp->null_key = FAKE_NULL_KEY;
	offset = fake_alloc(FAKE_PAGE);
	fake_now->clock = (void *)(fake_now->mem + offset);
	resp->clock_offset = offset;
	resp->clock_length = FAKE_PAGE;
	resp->caps |= ORNIC_UCONTEXT_CAP_CQE_EXT | ORNIC_UCONTEXT_CAP_CLOCK |
		      ORNIC_UCONTEXT_CAP_NULL_MR;
	fake_now->ucontext = *resp;
	return 0;
}

#if IBVERBS_PABI_VERSION < 65
int ibv_cmd_get_context(struct verbs_context *context,
			struct ibv_get_context *cmd, size_t cmd_size,
			struct ib_uverbs_get_context_resp *resp,
			size_t resp_size)
{
	return fake_get_context(resp);
}
#else
int ibv_cmd_get_context(struct verbs_context *context,
			struct ibv_get_context *cmd, size_t cmd_size,
			struct ibv_fd_arr *fd_arr,
			struct ib_uverbs_get_context_resp *resp,
			size_t resp_size)
{
	return fake_get_context(resp);
}

int ibv_cmd_query_port_speed(struct ibv_context *context, uint32_t port_num,
			     uint64_t *speed)
{
	return fake_fails();
}
#endif

int ibv_cmd_query_device_any(struct ibv_context *context,
			     const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size,
			     struct ib_uverbs_ex_query_device_resp *resp,
			     size_t *resp_size)
{
	struct ornic_uquery_device_resp *drv =
		container_of(resp, struct ornic_uquery_device_resp, ibv_resp);

	memset(attr, 0, attr_size);
	resp->base.fw_ver = 0x01020003;
	if (*resp_size == sizeof(*drv)) {
		attr->hca_core_clock = 1000000;
		drv->clock = FAKE_CLOCK;
	}
	return fake_fails();
}

int ibv_cmd_query_port(struct ibv_context *context, uint8_t port_num,
		       struct ibv_port_attr *port_attr,
		       struct ibv_query_port *cmd, size_t cmd_size)
{
	return fake_fails();
}

int ibv_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd,
		     struct ibv_alloc_pd *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size)
{
	pd->context = context;
	return fake_fails();
}

int ibv_cmd_dealloc_pd(struct ibv_pd *pd)
{
	return fake_fails();
}

int ibv_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		   uint64_t hca_va, int access, struct verbs_mr *vmr,
		   struct ibv_reg_mr *cmd, size_t cmd_size,
		   struct ib_uverbs_reg_mr_resp *resp, size_t resp_size)
{
	return fake_fails();
}

int ibv_cmd_rereg_mr(struct verbs_mr *vmr, uint32_t flags, void *addr,
		     size_t length, uint64_t hca_va, int access,
		     struct ibv_pd *pd, struct ibv_rereg_mr *cmd,
		     size_t cmd_sz, struct ib_uverbs_rereg_mr_resp *resp,
		     size_t resp_sz)
{
	assert(hca_va == (uintptr_t)addr);
	fake_now->last_access = access;
	return fake_fails();
}

int ibv_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			  uint64_t iova, int fd, int access,
			  struct verbs_mr *vmr,
			  struct ibv_command_buffer *driver)
{
	vmr->mr_type = IBV_MR_TYPE_DMABUF_MR;
	return fake_fails();
}

int ibv_cmd_query_mr(struct ibv_pd *pd, struct verbs_mr *vmr,
		     uint32_t mr_handle)
{
	vmr->ibv_mr.handle = mr_handle;
	vmr->ibv_mr.context = pd->context;
	vmr->ibv_mr.lkey = FAKE_KEY;
	return fake_fails();
}

int ibv_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		     struct ibv_mw *mw, struct ibv_alloc_mw *cmd,
		     size_t cmd_size, struct ib_uverbs_alloc_mw_resp *resp,
		     size_t resp_size)
{
	mw->context = pd->context;
	mw->pd = pd;
	mw->type = type;
	mw->rkey = FAKE_KEY + 0xff;
	return fake_fails();
}

int ibv_cmd_dealloc_mw(struct ibv_mw *mw)
{
	return fake_fails();
}

int ibv_cmd_open_xrcd(struct ibv_context *context, struct verbs_xrcd *xrcd,
		      int vxrcd_size, struct ibv_xrcd_init_attr *attr,
		      struct ibv_open_xrcd *cmd, size_t cmd_size,
		      struct ib_uverbs_open_xrcd_resp *resp, size_t resp_size)
{
	xrcd->xrcd.context = context;
	return fake_fails();
}

int ibv_cmd_close_xrcd(struct verbs_xrcd *xrcd)
{
	return fake_fails();
}

int ibv_cmd_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			 uint16_t lid)
{
	return fake_fails();
}

int ibv_cmd_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
			 uint16_t lid)
{
	return fake_fails();
}

int ibv_cmd_query_context(struct ibv_context *context,
			  struct ibv_command_buffer *driver)
{
	struct ib_uverbs_attr *attr = driver->next_attr - 1;
	int ret = fake_fails();

	assert(attr->attr_id == ORNIC_ATTR_QUERY_CONTEXT_RESP);
	assert(attr->len == sizeof(fake_now->ucontext));
	if (!ret)
		memcpy((void *)(uintptr_t)attr->data, &fake_now->ucontext,
		       sizeof(fake_now->ucontext));
	return ret;
}

int ibv_cmd_dereg_mr(struct verbs_mr *vmr)
{
	return fake_fails();
}

int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
		      struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *ibv_resp,
		      size_t resp_size)
{
	struct ornic_ucreate_ah_resp *resp =
		container_of(ibv_resp, struct ornic_ucreate_ah_resp, ibv_resp);

	memcpy(resp->av, &fake_now->av, sizeof(resp->av));
	return fake_fails();
}

int ibv_cmd_destroy_ah(struct ibv_ah *ah)
{
	return fake_fails();
}

static uint64_t fake_place_cq(struct fake_cq *cq, uint8_t log_size)
{
	uint32_t ring = 1u << (log_size + cq->log_cqe_size);
	uint64_t offset = fake_alloc(ring + FAKE_PAGE);

	cq->ring = fake_now->mem + offset;
	cq->dbr = (void *)(cq->ring + ring);
	cq->log_size = log_size;
	return offset;
}

static int fake_create_cq(struct ibv_context *context,
			  const struct ibv_cq_init_attr_ex *attr,
			  struct ibv_cq *ibcq, struct ibv_create_cq_ex *ibv_cmd,
			  struct ib_uverbs_ex_create_cq_resp *ibv_resp)
{
	struct ornic_ucreate_cq_resp *resp =
		container_of(ibv_resp, struct ornic_ucreate_cq_resp, ibv_resp);
	struct ornic_ucreate_cq *cmd =
		container_of(ibv_cmd, struct ornic_ucreate_cq, ibv_cmd);
	uint8_t log_size = fake_log2(attr->cqe);
	struct fake_cq *cq;
	uint64_t offset;
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
		.log_cqe_size = cmd->flags & ORNIC_CREATE_CQ_EXT ? 6 : 5,
	};
	offset = fake_place_cq(cq, log_size);

	ibcq->context = context;
	ibcq->handle = cqn;
	ibcq->cqe = 1 << log_size;
	resp->cqn = cqn;
	resp->mmap_offset = fake_mmap_offset(offset);
	resp->dbr_offset = (uint8_t *)cq->dbr - cq->ring;
	resp->mmap_length = resp->dbr_offset + FAKE_PAGE;
	resp->log_size = log_size;
	resp->log_cqe_size = fake_now->log_cqe_size ?: cq->log_cqe_size;
	return 0;
}

#if IBVERBS_PABI_VERSION < 65
int ibv_cmd_create_cq_ex(struct ibv_context *context,
			 const struct ibv_cq_init_attr_ex *attr,
			 struct verbs_cq *cq, struct ibv_create_cq_ex *cmd,
			 size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp,
			 size_t resp_size, uint32_t cmd_flags)
{
	return fake_create_cq(context, attr, &cq->cq, cmd, resp);
}
#else
int ibv_cmd_create_cq_ex(struct ibv_context *context,
			 const struct ibv_cq_init_attr_ex *attr,
			 struct verbs_create_cq_prov_attr *prov_attr,
			 struct verbs_cq *cq, struct ibv_create_cq_ex *cmd,
			 size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp,
			 size_t resp_size, uint32_t cmd_flags)
{
	return fake_create_cq(context, attr, &cq->cq, cmd, resp);
}
#endif

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
	uint64_t offset;
	uint32_t ci;
	int ret;

	ret = fake_fails();
	if (ret)
		return ret;

	offset = fake_place_cq(cq, fake_log2(cqe));
	cq->dbr->arm = old.dbr->arm;
	cq->pi = 0;
	for (ci = le32toh(old.dbr->ci); ci != old.pi; ci++) {
		memcpy(cq->ring + (cq->pi << cq->log_cqe_size) + 32,
		       old.ring + ((ci & mask) << cq->log_cqe_size) + 32,
		       (1 << cq->log_cqe_size) - 32);
		fake_complete(cq, (void *)(old.ring + ((ci & mask) <<
						       cq->log_cqe_size)));
	}

	ibcq->cqe = 1 << cq->log_size;
	resp->count = cq->pi;
	resp->mmap_offset = fake_mmap_offset(offset);
	resp->dbr_offset = (uint8_t *)cq->dbr - cq->ring;
	resp->mmap_length = resp->dbr_offset + FAKE_PAGE;
	resp->log_size = cq->log_size;
	return 0;
}

int ibv_cmd_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr,
		      struct ibv_modify_cq *cmd, size_t cmd_size)
{
	fake_now->last_moderation = attr->moderate;
	return fake_fails();
}

static uint64_t fake_place_srq(struct fake_qp *srq, uint8_t log_wqes)
{
	uint32_t ring = 1u << (log_wqes + srq->stride_shift);
	uint64_t offset = fake_alloc(ring + FAKE_PAGE);

	srq->rq = fake_now->mem + offset;
	srq->dbr = (void *)(srq->rq + ring);
	srq->rq_wqes = 1u << log_wqes;
	return offset;
}

static int fake_create_srq(struct ibv_srq *ibsrq, struct ibv_pd *pd,
			   struct ibv_srq_attr *attr,
			   struct ornic_create_srq_resp *resp)
{
	struct fake_qp *srq;
	uint64_t offset;
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
		.stride_shift = fake_log2(16 + 16 * attr->max_sge),
	};
	offset = fake_place_srq(srq, fake_log2(attr->max_wr));

	attr->max_wr = srq->rq_wqes;
	ibsrq->context = pd->context;
	ibsrq->handle = n;
	resp->srqn = srq->qpn;
	resp->mmap_offset = fake_mmap_offset(offset);
	resp->dbr_offset = (uint8_t *)srq->dbr - srq->rq;
	resp->mmap_length = resp->dbr_offset + FAKE_PAGE;
	resp->log_wqes = fake_log2(srq->rq_wqes);
	resp->stride_shift = srq->stride_shift;
	return 0;
}

int ibv_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq,
		       struct ibv_srq_init_attr *attr,
		       struct ibv_create_srq *cmd, size_t cmd_size,
		       struct ib_uverbs_create_srq_resp *resp, size_t resp_size)
{
	return fake_create_srq(srq, pd, &attr->attr,
			       &container_of(resp,
					     struct ornic_ucreate_srq_resp,
					     ibv_resp)->drv_payload);
}

int ibv_cmd_create_srq_ex(struct ibv_context *context, struct verbs_srq *vsrq,
			  struct ibv_srq_init_attr_ex *attr,
			  struct ibv_create_xsrq *cmd, size_t cmd_size,
			  struct ib_uverbs_create_srq_resp *resp,
			  size_t resp_size)
{
	vsrq->srq_type = attr->srq_type;
	vsrq->srq_num = 0x777;
	return fake_create_srq(&vsrq->srq, attr->pd, &attr->attr,
			       &container_of(resp,
					     struct ornic_ucreate_xsrq_resp,
					     ibv_resp)->drv_payload);
}

int ibv_cmd_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		       int attr_mask, struct ibv_modify_srq *ibv_cmd,
		       size_t cmd_size)
{
	struct ornic_umodify_srq *cmd =
		container_of(ibv_cmd, struct ornic_umodify_srq, ibv_cmd);
	struct ornic_resize_resp *resp = (void *)(uintptr_t)cmd->resp_addr;
	struct fake_qp *srq = fake_srq(ibsrq);
	struct fake_qp old = *srq;
	uint64_t offset;
	uint32_t i;
	int ret;

	assert(!resp == !(attr_mask & IBV_SRQ_MAX_WR));
	if (attr->srq_limit > attr->max_wr) {
		/* Resized, and then the limit is refused */
		ret = EIO;
	} else {
		ret = fake_fails();
		if (ret)
			return ret;
	}
	if (!resp)
		return ret;

	offset = fake_place_srq(srq, fake_log2(attr->max_wr));
	srq->rq_ci = 0;
	for (i = 0; old.rq_ci != le32toh(old.dbr->rq_pi); i++, old.rq_ci++)
		memcpy(srq->rq + (i << srq->stride_shift),
		       old.rq + ((old.rq_ci & (old.rq_wqes - 1)) <<
				 srq->stride_shift), 1u << srq->stride_shift);

	srq->dbr->rq_pi = htole32(i);
	resp->count = i;
	resp->mmap_offset = fake_mmap_offset(offset);
	resp->dbr_offset = (uint8_t *)srq->dbr - srq->rq;
	resp->mmap_length = resp->dbr_offset + FAKE_PAGE;
	resp->log_size = fake_log2(srq->rq_wqes);
	return ret;
}

int ibv_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		      struct ibv_query_srq *cmd, size_t cmd_size)
{
	return fake_fails();
}

int ibv_cmd_destroy_srq(struct ibv_srq *srq)
{
	int ret = fake_fails();

	if (!ret)
		fake_srq(srq)->qpn = 0;
	return ret;
}

int ibv_cmd_open_qp(struct ibv_context *context, struct verbs_qp *vqp,
		    int vqp_sz, struct ibv_qp_open_attr *attr,
		    struct ibv_open_qp *cmd, size_t cmd_size,
		    struct ib_uverbs_create_qp_resp *resp, size_t resp_size)
{
	vqp->qp.context = context;
	vqp->qp.qp_num = attr->qp_num;
	vqp->qp.handle = attr->qp_num - FAKE_FIRST_QPN;
	return fake_fails();
}

int ibv_cmd_destroy_cq(struct ibv_cq *ibcq)
{
	int ret = fake_fails();

	if (!ret)
		fake_cq(ibcq)->cqn = 0;
	return ret;
}

int ibv_cmd_create_qp_ex(struct ibv_context *context, struct verbs_qp *vqp,
			 struct ibv_qp_init_attr_ex *attr,
			 struct ibv_create_qp *cmd, size_t cmd_size,
			 struct ib_uverbs_create_qp_resp *ibv_resp,
			 size_t resp_size)
{
	struct ornic_ucreate_qp_resp *resp =
		container_of(ibv_resp, struct ornic_ucreate_qp_resp, ibv_resp);
	uint32_t sq_bytes, rq_bytes, wqe, n;
	uint8_t log_sq, log_rq, stride;
	struct fake_qp *qp;
	uint64_t offset;
	int ret;

	fake_now->last_attr = *attr;
	ret = fake_fails();
	if (ret)
		return ret;

	for (n = 0; fake_now->qps[n].qpn; n++)
		assert(n < FAKE_QPS - 1);
	qp = &fake_now->qps[n];
	vqp->qp.context = context;
	vqp->qp.qp_num = FAKE_FIRST_QPN + n;
	vqp->qp.handle = n;
	vqp->qp.send_cq = attr->send_cq;
	vqp->qp.recv_cq = attr->recv_cq;
	vqp->qp.srq = attr->srq;
	vqp->qp.qp_type = attr->qp_type;
	resp->qpn = vqp->qp.qp_num;
	if (attr->qp_type == IBV_QPT_XRC_RECV) {
		*qp = (struct fake_qp){ .qpn = vqp->qp.qp_num };
		return 0;
	}

	wqe = 64 + 16 * attr->cap.max_send_sge;
	if (64 + attr->cap.max_inline_data > wqe)
		wqe = 64 + attr->cap.max_inline_data;
	log_sq = fake_now->log_sq_slots;
	if (!log_sq)
		log_sq = fake_log2(attr->cap.max_send_wr * ((wqe + 63) / 64));
	log_rq = fake_log2(attr->cap.max_recv_wr);
	stride = fake_log2(16 + 16 * attr->cap.max_recv_sge);
	if (stride < ORNIC_RQ_STRIDE_SHIFT_MIN)
		stride = ORNIC_RQ_STRIDE_SHIFT_MIN;
	sq_bytes = attr->cap.max_send_wr ? 64u << log_sq : 0;
	rq_bytes = attr->cap.max_recv_wr ? 1u << (stride + log_rq) : 0;

	offset = fake_alloc(sq_bytes + rq_bytes + FAKE_PAGE);
	*qp = (struct fake_qp){
		.qpn = vqp->qp.qp_num,
		.sq = fake_now->mem + offset,
		.rq = fake_now->mem + offset + sq_bytes,
		.dbr = (void *)(fake_now->mem + offset + sq_bytes + rq_bytes),
		.sq_slots = 1u << log_sq,
		.rq_wqes = 1u << log_rq,
		.stride_shift = stride,
	};

	resp->mmap_offset = fake_mmap_offset(offset);
	resp->mmap_length = sq_bytes + rq_bytes + FAKE_PAGE;
	resp->sq_offset = 0;
	resp->rq_offset = sq_bytes;
	resp->dbr_offset = sq_bytes + rq_bytes;
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
	return ret;
}

int ibv_cmd_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		      int attr_mask, struct ibv_modify_qp *cmd,
		      size_t cmd_size)
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

int ibv_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		     int attr_mask, struct ibv_qp_init_attr *init_attr,
		     struct ibv_query_qp *cmd, size_t cmd_size)
{
	return fake_fails();
}

/* ---- the test's side -------------------------------------------------- */

/**
 * fake_open() - open the provider's device
 * @fake: filled in
 * @shadow: the device looks for work by itself
 */
void fake_open(struct fake *fake, bool shadow)
{
	struct verbs_sysfs_dev sysfs = { .driver_id = FAKE_DRIVER_ID };

	memset(fake, 0, sizeof(*fake));
	fake->shadow = shadow;
	fake->fd = memfd_create("ornic", 0);
	assert(fake->fd >= 0);
	assert(!ftruncate(fake->fd, FAKE_BYTES));
	fake->mem = mmap(NULL, FAKE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			 fake->fd, 0);
	assert(fake->mem != MAP_FAILED);

	fake_now = fake;
	fake->dev = fake_dev_ops->alloc_device(&sysfs);
	fake->dev->ops = fake_dev_ops;
	fake->ctx = fake_dev_ops->alloc_context(&fake->dev->device, fake->fd,
						NULL);
	assert(fake->ctx);
}

/**
 * fake_import() - open it a second time, by its file descriptor
 * @fake: device
 *
 * Return: the context, or NULL with errno set.
 */
struct verbs_context *fake_import(struct fake *fake)
{
	return fake_dev_ops->import_context(&fake->dev->device, fake->fd);
}

/**
 * fake_close() - close it again
 * @fake: all its objects were destroyed
 */
void fake_close(struct fake *fake)
{
	fake->ops->free_context(&fake->ctx->context);
	fake_dev_ops->uninit_device(fake->dev);
	munmap(fake->mem, FAKE_BYTES);
	close(fake->fd);
	fake_now = NULL;
}

/**
 * fake_qp() - the device's side of a QP
 * @ibqp: queue pair
 *
 * Return: the QP.
 */
struct fake_qp *fake_qp(struct ibv_qp *ibqp)
{
	return &fake_now->qps[ibqp->handle];
}

/**
 * fake_cq() - the device's side of a CQ
 * @ibcq: completion queue
 *
 * Return: the CQ.
 */
struct fake_cq *fake_cq(struct ibv_cq *ibcq)
{
	return &fake_now->cqs[ibcq->handle - 1];
}

/**
 * fake_srq() - the device's side of an SRQ
 * @ibsrq: shared receive queue
 *
 * Return: the SRQ.
 */
struct fake_qp *fake_srq(struct ibv_srq *ibsrq)
{
	return &fake_now->srqs[ibsrq->handle];
}

/**
 * fake_create_qp() - a QP with 4 SGEs and 200 bytes of inline data
 * @fake: device
 * @type: type
 * @cq: both CQs
 * @send_wr: send work requests
 * @recv_wr: receive work requests
 * @send_ops: IBV_QP_EX_WITH_*; 0: an ordinary QP
 *
 * Its protection domain is the QP's own context pointer.
 *
 * Return: the QP in RESET, or NULL.
 */
struct ibv_qp *fake_create_qp(struct fake *fake, enum ibv_qp_type type,
			      struct ibv_cq *cq, uint32_t send_wr,
			      uint32_t recv_wr, uint64_t send_ops)
{
	static struct ornic_pd pd;
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = send_wr,
			.max_recv_wr = recv_wr,
			.max_send_sge = 4,
			.max_recv_sge = 4,
			.max_inline_data = 200,
		},
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &pd.ibv_pd,
		.send_ops_flags = send_ops,
	};

	pd.ibv_pd.context = &fake->ctx->context;
	if (send_ops)
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	return fake->ops->create_qp_ex(&fake->ctx->context, &attr);
}

/**
 * fake_to_state() - bring a QP to a state
 * @ibqp: queue pair
 * @state: state
 */
void fake_to_state(struct ibv_qp *ibqp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int ret;

	ret = fake_now->ops->modify_qp(ibqp, &attr, IBV_QP_STATE);
	assert(!ret);
}
