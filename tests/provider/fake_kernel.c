// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
	struct ornic_ualloc_ucontext_resp *resp =
		container_of(ibv_resp, struct ornic_ualloc_ucontext_resp,
			     ibv_resp);
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
	resp->send_ops = 0x7f;
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
	resp->base.fw_ver = 0x01020003;
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

int ibv_cmd_create_cq(struct ibv_context *context, int cqe,
		      struct ibv_comp_channel *channel, int comp_vector,
		      struct ibv_cq *ibcq, struct ibv_create_cq *cmd,
		      size_t cmd_size,
		      struct ib_uverbs_create_cq_resp *ibv_resp,
		      size_t resp_size)
{
	struct ornic_ucreate_cq_resp *resp =
		container_of(ibv_resp, struct ornic_ucreate_cq_resp, ibv_resp);
	uint8_t log_size = fake_log2(cqe);
	uint32_t ring = 32u << log_size;
	struct fake_cq *cq;
	uint64_t offset;
	uint32_t cqn;
	int ret;

	ret = fake_fails();
	if (ret)
		return ret;

	for (cqn = 1; fake_now->cqs[cqn - 1].cqn; cqn++)
		assert(cqn < FAKE_CQS);
	cq = &fake_now->cqs[cqn - 1];
	offset = fake_alloc(ring + FAKE_PAGE);
	*cq = (struct fake_cq){
		.cqn = cqn,
		.ring = (void *)(fake_now->mem + offset),
		.dbr = (void *)(fake_now->mem + offset + ring),
		.log_size = log_size,
	};

	ibcq->context = context;
	ibcq->handle = cqn;
	ibcq->cqe = 1 << log_size;
	resp->cqn = cqn;
	resp->mmap_offset = fake_mmap_offset(offset);
	resp->mmap_length = ring + FAKE_PAGE;
	resp->dbr_offset = ring;
	resp->log_size = log_size;
	resp->log_cqe_size = fake_now->log_cqe_size;
	return 0;
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

	for (n = 0; fake_now->qps[n].qpn; n++)
		assert(n < FAKE_QPS - 1);
	qp = &fake_now->qps[n];
	offset = fake_alloc(sq_bytes + rq_bytes + FAKE_PAGE);
	*qp = (struct fake_qp){
		.qpn = FAKE_FIRST_QPN + n,
		.sq = fake_now->mem + offset,
		.rq = fake_now->mem + offset + sq_bytes,
		.dbr = (void *)(fake_now->mem + offset + sq_bytes + rq_bytes),
		.sq_slots = 1u << log_sq,
		.rq_wqes = 1u << log_rq,
		.stride_shift = stride,
	};

	vqp->qp.context = context;
	vqp->qp.qp_num = qp->qpn;
	vqp->qp.handle = n;
	vqp->qp.send_cq = attr->send_cq;
	vqp->qp.recv_cq = attr->recv_cq;
	vqp->qp.qp_type = attr->qp_type;
	resp->qpn = qp->qpn;
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
	if (qp->state == IBV_QPS_RESET) {
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
	fake->log_cqe_size = 5;
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
