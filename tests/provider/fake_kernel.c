// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fake kernel: memory and all commands without queues. Functions with which
 * tests open the provider and find the device's side of its objects.
 */
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/cmd_ioctl.h>

#include "fake.h"

/* The open instance; libibverbs functions have no argument for it */
struct fake *fake_now;
const struct verbs_device_ops *fake_dev_ops;

/**
 * fake_alloc() - allocate zeroed memory of the kernel
 * @bytes: size
 *
 * Return: its offset in fake_now->mem.
 */
uint64_t fake_alloc(size_t bytes)
{
	uint64_t offset = fake_now->used;

	fake_now->used += (bytes + FAKE_PAGE - 1) / FAKE_PAGE * FAKE_PAGE;
	assert(fake_now->used <= FAKE_BYTES);
	memset(fake_now->mem + offset, 0, fake_now->used - offset);
	return offset;
}

/**
 * fake_fails() - count a command and get its result
 *
 * Return: 0, or the errno that the test set for this command.
 */
int fake_fails(void)
{
	int ret = fake_now->fail;

	fake_now->fail = fake_now->fail_next;
	fake_now->fail_next = 0;
	if (!ret)
		fake_now->commands++;
	return ret;
}

/**
 * fake_answered() - call the test's function before a command returns
 */
void fake_answered(void)
{
	void (*then)(struct fake *fake) = fake_now->then;

	fake_now->then = NULL;
	if (then)
		then(fake_now);
}

/**
 * fake_mmap_offset() - offset for the provider's mmap()
 * @offset: offset in the memory
 *
 * Return: @offset, or once after bad_mmap was set, one that cannot be mapped.
 */
uint64_t fake_mmap_offset(uint64_t offset)
{
	if (!fake_now->bad_mmap)
		return offset;
	fake_now->bad_mmap = false;
	return 1;
}

/**
 * fake_place() - allocate memory for the rings of an object
 * @bytes: size
 *
 * Small rings share slabs, which are never freed here.
 *
 * Return: the memory.
 */
struct fake_place fake_place(size_t bytes)
{
	size_t size = (bytes + FAKE_PAGE - 1) / FAKE_PAGE * FAKE_PAGE;
	struct fake_place place, *slab = &fake_now->slab;
	uint64_t offset;

	if (size > FAKE_OWN) {
		offset = fake_alloc(size);
		place.mem = fake_now->mem + offset;
		place.map.id = 0;
		place.map.offset = fake_mmap_offset(offset);
		place.map.length = size;
		place.base = 0;
		return place;
	}

	if (!slab->map.id || fake_now->new_slabs || fake_now->bad_mmap ||
	    fake_now->slab_used + size > slab->map.length) {
		offset = fake_alloc(FAKE_SLAB);
		slab->mem = fake_now->mem + offset;
		slab->map.id++;
		slab->map.offset = fake_mmap_offset(offset);
		slab->map.length = FAKE_SLAB;
		fake_now->slab_used = 0;
	}
	place = *slab;
	place.base = fake_now->slab_used;
	place.mem += place.base;
	fake_now->slab_used += size;
	/* A slab that cannot be mapped is not used again */
	if (slab->map.offset % FAKE_PAGE)
		fake_now->slab_used = slab->map.length;
	return place;
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
	if (!whole)
		return NULL;
	vctx->context.device = device;
	vctx->context.cmd_fd = cmd_fd;
	return whole;
}

void verbs_uninit_context(struct verbs_context *vctx)
{
}

__attribute__((format(printf, 3, 4)))
void __verbs_log(struct verbs_context *vctx, uint32_t level, const char *fmt,
		 ...)
{
	va_list args;

	assert(level == VERBS_LOG_ERR);
	va_start(args, fmt);
	vsnprintf(fake_now->said, sizeof(fake_now->said), fmt, args);
	va_end(args);
}

void verbs_set_ops(struct verbs_context *vctx,
		   const struct verbs_context_ops *ops)
{
	void **to = (void **)&fake_now->all_ops;
	void *const *from = (void *const *)ops;
	size_t i;

	/* As in libibverbs, an operation replaces that of an earlier call */
	for (i = 0; i < sizeof(*ops) / sizeof(*from); i++)
		if (from[i])
			to[i] = from[i];
	ops = &fake_now->all_ops;
	fake_now->ops = ops;
	vctx->context.ops.post_send = ops->post_send;
	vctx->context.ops.post_recv = ops->post_recv;
	vctx->context.ops.poll_cq = ops->poll_cq;
	vctx->context.ops.req_notify_cq = ops->req_notify_cq;
}

int ibv_cmd_get_context(struct verbs_context *context,
			struct ibv_get_context *cmd, size_t cmd_size,
#ifndef ORNIC_LACKS_FD_ARR
			struct ibv_fd_arr *fd_arr,
#endif
			struct ib_uverbs_get_context_resp *ibv_resp,
			size_t resp_size)
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
	resp->db.offset = fake_mmap_offset(offset);
	resp->db.length = FAKE_PAGE;
	if (fake_now->shadow) {
		offset = fake_alloc(FAKE_PAGE);
		fake_now->board = (void *)(fake_now->mem + offset);
		resp->caps = ORNIC_UCONTEXT_CAP_SHADOW;
		resp->board.offset = offset;
		resp->board.length = FAKE_PAGE;
	}
	if (fake_now->has_push) {
		offset = fake_alloc(FAKE_PAGE);
		fake_now->push = (void *)(fake_now->mem + offset);
		resp->caps |= ORNIC_UCONTEXT_CAP_PUSH;
		resp->push.offset = fake_mmap_offset(offset);
		resp->push.length = FAKE_PAGE;
	}
	resp->send_ops = 0xc7ff;
	resp->null_key = FAKE_NULL_KEY;
	offset = fake_alloc(FAKE_PAGE);
	fake_now->clock = (void *)(fake_now->mem + offset);
	resp->clock.offset = offset;
	resp->clock.length = FAKE_PAGE;
	resp->caps |= ORNIC_UCONTEXT_CAP_CQE_EXT | ORNIC_UCONTEXT_CAP_CLOCK |
		      ORNIC_UCONTEXT_CAP_NULL_MR;
	fake_now->ucontext = *resp;
	return 0;
}

#ifndef ORNIC_LACKS_PORT_SPEED
COMMAND(ibv_cmd_query_port_speed, struct ibv_context *context,
	uint32_t port_num, uint64_t *speed)
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
	assert(*resp_size == sizeof(*drv));
	if (attr_size > sizeof(attr->orig_attr)) {
		drv->drv_payload = fake_now->device;
		drv->clock = fake_now->clock_now;
	}
	if (attr_size == sizeof(*attr))
		attr->hca_core_clock = 1000000;
	return fake_fails();
}

COMMAND(ibv_cmd_query_port, struct ibv_context *context, uint8_t port_num,
	struct ibv_port_attr *port_attr, struct ibv_query_port *cmd,
	size_t cmd_size)

int ibv_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd,
		     struct ibv_alloc_pd *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size)
{
	pd->context = context;
	return fake_fails();
}

COMMAND(ibv_cmd_dealloc_pd, struct ibv_pd *pd)
COMMAND(ibv_cmd_reg_mr, struct ibv_pd *pd, void *addr, size_t length,
	uint64_t hca_va, int access, struct verbs_mr *vmr,
	struct ibv_reg_mr *cmd, size_t cmd_size,
	struct ib_uverbs_reg_mr_resp *resp, size_t resp_size)

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

COMMAND(ibv_cmd_dealloc_mw, struct ibv_mw *mw)

int ibv_cmd_open_xrcd(struct ibv_context *context, struct verbs_xrcd *xrcd,
		      int vxrcd_size, struct ibv_xrcd_init_attr *attr,
		      struct ibv_open_xrcd *cmd, size_t cmd_size,
		      struct ib_uverbs_open_xrcd_resp *resp, size_t resp_size)
{
	xrcd->xrcd.context = context;
	return fake_fails();
}

COMMAND(ibv_cmd_close_xrcd, struct verbs_xrcd *xrcd)
COMMAND(ibv_cmd_attach_mcast, struct ibv_qp *qp, const union ibv_gid *gid,
	uint16_t lid)
COMMAND(ibv_cmd_detach_mcast, struct ibv_qp *qp, const union ibv_gid *gid,
	uint16_t lid)

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

COMMAND(ibv_cmd_dereg_mr, struct verbs_mr *vmr)

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

COMMAND(ibv_cmd_destroy_ah, struct ibv_ah *ah)

/* ---- functions for tests ---------------------------------------------- */

/**
 * fake_open() - open the provider's device
 * @fake: filled in
 * @shadow: the device has ORNIC_CAPS_SHADOW
 * @push: the device has ORNIC_FEAT_PUSH
 */
void fake_open(struct fake *fake, bool shadow, bool push)
{
	memset(fake, 0, sizeof(*fake));
	fake->shadow = shadow;
	fake->has_push = push;
	fake->clock_now = FAKE_CLOCK;
	fake->fd = memfd_create("ornic", 0);
	assert(fake->fd >= 0);
	assert(!ftruncate(fake->fd, FAKE_BYTES));
	fake->mem = mmap(NULL, FAKE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			 fake->fd, 0);
	assert(fake->mem != MAP_FAILED);

	fake_now = fake;
	fake->dev = fake_alloc_device();
	fake->dev->ops = fake_dev_ops;
	fake->ctx = fake_alloc_context(fake);
	assert(fake->ctx);
}

/* Others may use a CQ */
static void fake_destroy_objects(struct fake *fake)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < FAKE_QPS; i++)
		if (fake->qps[i].qpn)
			ret |= fake->ops->destroy_qp(fake->qps[i].object);
	for (i = 0; i < FAKE_SRQS; i++)
		if (fake->srqs[i].qpn)
			ret |= fake->ops->destroy_srq(fake->srqs[i].object);
	for (i = 0; i < FAKE_WQS; i++)
		if (fake->wqs[i].qpn)
			ret |= fake->ops->destroy_wq(fake->wqs[i].object);
	for (i = 0; i < FAKE_CQS; i++)
		if (fake->cqs[i].cqn)
			ret |= fake->ops->destroy_cq(fake->cqs[i].object);
	assert(!ret);
}

/**
 * fake_close() - close the provider's device
 * @fake: device; its QPs, SRQs, WQs and CQs are destroyed, which must succeed
 */
void fake_close(struct fake *fake)
{
	fake_destroy_objects(fake);
	fake->ops->free_context(&fake->ctx->context);
	fake_dev_ops->uninit_device(fake->dev);
	munmap(fake->mem, FAKE_BYTES);
	close(fake->fd);
	fake_now = NULL;
}

/**
 * fake_objects() - count the queues that exist in the kernel
 * @fake: device
 *
 * Return: the number of QPs, CQs, SRQs and WQs.
 */
unsigned int fake_objects(const struct fake *fake)
{
	unsigned int count = 0, i;

	for (i = 0; i < FAKE_QPS; i++)
		count += !!fake->qps[i].qpn;
	for (i = 0; i < FAKE_CQS; i++)
		count += !!fake->cqs[i].cqn;
	for (i = 0; i < FAKE_SRQS; i++)
		count += !!fake->srqs[i].qpn;
	for (i = 0; i < FAKE_WQS; i++)
		count += !!fake->wqs[i].qpn;
	return count;
}

/**
 * fake_create_qp() - create a QP with 4 SGEs and 200 bytes of inline data
 * @fake: device
 * @type: type
 * @cq: CQ for sends and receives
 * @send_wr: send work requests
 * @recv_wr: receive work requests
 * @send_ops: IBV_QP_EX_WITH_*; 0: an ordinary QP
 *
 * All these QPs share one static protection domain.
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
 * fake_to_state() - modify a QP to a state
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
