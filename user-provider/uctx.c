// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Device contexts, their mapped pages, device and port attributes */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <infiniband/cmd_ioctl.h>
#include <util/util.h>

#include "check.h"
#include "compat.h"
#include "ornic.h"
#include "ornic_abi.h"

/*
 * Sets the capabilities that are not in the common part of the response.
 * @attr_size excludes those that the application was compiled without.
 */
static void
ornic_context_fill_raw_caps(struct ibv_device_attr_ex *attr, size_t attr_size,
			    const struct ornic_query_device_resp *resp)
{
	if (attr_size >= offsetofend(struct ibv_device_attr_ex, tso_caps) &&
	    resp->max_tso) {
		attr->tso_caps.max_tso = resp->max_tso;
		attr->tso_caps.supported_qpts = 1 << IBV_QPT_RAW_PACKET;
	}
	if (attr_size >= offsetofend(struct ibv_device_attr_ex, rss_caps)) {
		attr->rss_caps.rx_hash_fields_mask = resp->rx_hash_fields;
		attr->rss_caps.rx_hash_function = resp->rx_hash_functions;
	}
	if (attr_size >= offsetofend(struct ibv_device_attr_ex,
				     packet_pacing_caps) &&
	    resp->max_rate) {
		attr->packet_pacing_caps.qp_rate_limit_min = resp->min_rate;
		attr->packet_pacing_caps.qp_rate_limit_max = resp->max_rate;
		attr->packet_pacing_caps.supported_qpts =
			1 << IBV_QPT_RAW_PACKET;
	}
}

static int ornic_query_device_ex(struct ibv_context *ibctx,
				 const struct ibv_query_device_ex_input *input,
				 struct ibv_device_attr_ex *attr,
				 size_t attr_size)
{
	struct ornic_uquery_device_resp resp = {};
	size_t resp_size = sizeof(resp);
	uint64_t fw;
	int ret;

	ret = ibv_cmd_query_device_any(ibctx, input, attr, attr_size,
				       &resp.ibv_resp, &resp_size);
	if (ret)
		return ret;

	fw = resp.ibv_resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver),
		 "%u.%u.%u", (unsigned int)(fw >> 24) & 0xff,
		 (unsigned int)(fw >> 16) & 0xff, (unsigned int)fw & 0xffff);
	ornic_context_fill_raw_caps(attr, attr_size, &resp.drv_payload);
	return 0;
}

static int ornic_query_port(struct ibv_context *ibctx, uint8_t port,
			    struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd = {};

	return ibv_cmd_query_port(ibctx, port, attr, &cmd, sizeof(cmd));
}

static void ornic_context_unmap_pages(struct ornic_context *ctx)
{
	if (ctx->clock)
		munmap((void *)ctx->clock, ctx->pages.clock.length);
	if (ctx->push)
		munmap(ctx->push, ctx->pages.push.length);
	if (ctx->board)
		munmap(ctx->board, ctx->pages.board.length);
	if (ctx->db)
		munmap(ctx->db, ctx->pages.db.length);
}

/* Returns NULL with errno set */
static void *ornic_context_mmap(const struct ornic_context *ctx,
				const struct ornic_mmap_place *place, int prot)
{
	void *page;

	page = mmap(NULL, place->length, prot, MAP_SHARED,
		    ctx->vctx.context.cmd_fd, place->offset);
	return page == MAP_FAILED ? NULL : page;
}

/**
 * ornic_context_map_queues() - map the pages that queues use
 * @ctx: context that is about to have a CQ or an SRQ, and after that other
 *	queues
 *
 * Many processes only look at a device, as librdmacm does with each one, and
 * map nothing.
 *
 * Return: 0 or a positive errno.
 */
int ornic_context_map_queues(struct ornic_context *ctx)
{
	int ret = 0;

	pthread_mutex_lock(&ctx->pages_lock);
	if (!ctx->board && ctx->caps & ORNIC_UCONTEXT_CAP_SHADOW) {
		ctx->board = ornic_context_mmap(ctx, &ctx->pages.board,
						PROT_READ | PROT_WRITE);
		if (!ctx->board)
			ret = errno;
	}
	if (!ctx->push && !ret && ctx->caps & ORNIC_UCONTEXT_CAP_PUSH) {
		ctx->push = ornic_context_mmap(ctx, &ctx->pages.push,
					       PROT_WRITE);
		if (!ctx->push)
			ret = errno;
	}
	if (!ctx->db && !ret) {
		ctx->db = ornic_context_mmap(ctx, &ctx->pages.db, PROT_WRITE);
		if (!ctx->db)
			ret = errno;
	}
	pthread_mutex_unlock(&ctx->pages_lock);
	return ret;
}

/**
 * ornic_context_map_clock() - map the clock page
 * @ctx: context with ORNIC_UCONTEXT_CAP_CLOCK
 *
 * Return: 0 or a positive errno.
 */
int ornic_context_map_clock(struct ornic_context *ctx)
{
	int ret = 0;

	pthread_mutex_lock(&ctx->pages_lock);
	if (!ctx->clock) {
		ctx->clock = ornic_context_mmap(ctx, &ctx->pages.clock,
						PROT_READ);
		if (!ctx->clock)
			ret = errno;
	}
	pthread_mutex_unlock(&ctx->pages_lock);
	return ret;
}

static void ornic_free_context(struct ibv_context *ibctx)
{
	struct ornic_context *ctx = to_ornic_context(ibctx);

	ornic_context_unmap_pages(ctx);
	ornic_slabs_uninit(&ctx->slabs);
	ornic_nums_uninit(&ctx->nums);
	pthread_spin_destroy(&ctx->push_lock);
	pthread_mutex_destroy(&ctx->pages_lock);
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
}

/* In place of those below, with ORNIC_UCONTEXT_CAP_RQ_DOORBELL */
static const struct verbs_context_ops ornic_rq_doorbell_ops = {
	.post_recv = ornic_post_recv_bell,
	.post_srq_recv = ornic_post_srq_recv_bell,
};

static const struct verbs_context_ops ornic_context_ops = {
	.alloc_mw = ornic_alloc_mw,
	.alloc_null_mr = ornic_alloc_null_mr,
	.alloc_parent_domain = ornic_alloc_parent_domain,
	.alloc_pd = ornic_alloc_pd,
	.alloc_td = ornic_alloc_td,
	.attach_counters_point_flow = ornic_attach_counters_point_flow,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = ornic_bind_mw,
	.close_xrcd = ornic_close_xrcd,
	.create_ah = ornic_create_ah,
	.create_counters = ornic_create_counters,
	.create_cq = ornic_create_cq,
	.create_cq_ex = ornic_create_cq_ex,
	.create_flow = ornic_create_flow,
	.create_qp = ornic_create_qp,
	.create_qp_ex = ornic_create_qp_ex,
	.create_rwq_ind_table = ornic_create_rwq_table,
	.create_srq = ornic_create_srq,
	.create_srq_ex = ornic_create_srq_ex,
	.create_wq = ornic_create_wq,
	.dealloc_mw = ornic_dealloc_mw,
	.dealloc_pd = ornic_dealloc_pd,
	.dealloc_td = ornic_dealloc_td,
	.dereg_mr = ornic_dereg_mr,
	.destroy_ah = ornic_destroy_ah,
	.destroy_counters = ornic_destroy_counters,
	.destroy_cq = ornic_destroy_cq,
	.destroy_flow = ornic_destroy_flow,
	.destroy_qp = ornic_destroy_qp,
	.destroy_rwq_ind_table = ornic_destroy_rwq_table,
	.destroy_srq = ornic_destroy_srq,
	.destroy_wq = ornic_destroy_wq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = ornic_free_context,
	.get_srq_num = ornic_get_srq_num,
	.import_mr = ornic_import_mr,
	.import_pd = ornic_import_pd,
	.modify_cq = ornic_modify_cq,
	.modify_qp = ornic_modify_qp,
	.modify_qp_rate_limit = ornic_modify_qp_rate_limit,
	.modify_srq = ornic_modify_srq,
	.modify_wq = ornic_modify_wq,
	.open_qp = ornic_open_qp,
	.open_xrcd = ornic_open_xrcd,
	.poll_cq = ornic_poll_cq,
	.post_recv = ornic_post_recv,
	.post_send = ornic_post_send,
	.post_srq_recv = ornic_post_srq_recv,
	.query_device_ex = ornic_query_device_ex,
	.query_port = ornic_query_port,
#ifndef ORNIC_LACKS_PORT_SPEED
	.query_port_speed = ibv_cmd_query_port_speed,
#endif
	.query_qp = ornic_query_qp,
	.query_rt_values = ornic_query_rt_values,
	.query_srq = ornic_query_srq,
	.read_counters = ornic_read_counters,
	.reg_dmabuf_mr = ornic_reg_dmabuf_mr,
	.reg_mr = ornic_reg_mr,
	.req_notify_cq = ornic_req_notify_cq,
	.rereg_mr = ornic_rereg_mr,
	.resize_cq = ornic_resize_cq,
	.unimport_mr = ornic_unimport_mr,
	.unimport_pd = ornic_unimport_pd,
};

#ifndef ORNIC_LACKS_COMP_CNTR
/* For 64-bit programs, which read a counter in one piece ([ORNIC-CNTR-7]) */
static const struct verbs_context_ops ornic_comp_cntr_ops = {
	.create_comp_cntr = ornic_create_comp_cntr,
	.destroy_comp_cntr = ornic_destroy_comp_cntr,
	.inc_comp_cntr = ibv_cmd_inc_comp_cntr,
	.inc_err_comp_cntr = ibv_cmd_inc_err_comp_cntr,
	.qp_attach_comp_cntr = ornic_qp_attach_comp_cntr,
	.query_comp_cntr_caps = ornic_query_comp_cntr_caps,
	.read_comp_cntr = ornic_read_comp_cntr,
	.read_err_comp_cntr = ornic_read_err_comp_cntr,
	.set_comp_cntr = ibv_cmd_set_comp_cntr,
	.set_err_comp_cntr = ibv_cmd_set_err_comp_cntr,
};
#endif

static struct ornic_context *ornic_context_new(struct ibv_device *ibdev,
					       int cmd_fd)
{
	struct ornic_context *ctx;

	ctx = verbs_init_and_alloc_context(ibdev, cmd_fd, ctx, vctx,
					   to_ornic_device(ibdev)->driver_id);
	if (!ctx)
		return NULL;

	pthread_mutex_init(&ctx->pages_lock, NULL);
	pthread_spin_init(&ctx->push_lock, PTHREAD_PROCESS_PRIVATE);
	ornic_nums_init(&ctx->nums);
	ornic_slabs_init(&ctx->slabs);
	return ctx;
}

/*
 * Common end of ornic_alloc_context() and ornic_import_context(). @ret is the
 * result of the command that returned @resp.
 */
static struct verbs_context *
ornic_context_init(struct ornic_context *ctx,
		   const struct ornic_alloc_ucontext_resp *resp, int ret)
{
	if (ret)
		goto err_free_context;

	ctx->caps = resp->caps;
	ctx->send_ops = resp->send_ops;
	ctx->null_key = resp->null_key;
	ctx->pages = (struct ornic_context_pages){
		.db = resp->db,
		.board = resp->board,
		.clock = resp->clock,
		.push = resp->push,
	};
	/* The doorbell of a line is one write ([ORNIC-PUSH-3]) */
	if (sizeof(void *) < sizeof(uint64_t))
		ctx->caps &= ~ORNIC_UCONTEXT_CAP_PUSH;

	verbs_set_ops(&ctx->vctx, &ornic_context_ops);
#ifndef ORNIC_LACKS_COMP_CNTR
	if (sizeof(void *) >= sizeof(uint64_t))
		verbs_set_ops(&ctx->vctx, &ornic_comp_cntr_ops);
#endif
	if (ctx->caps & ORNIC_UCONTEXT_CAP_RQ_DOORBELL)
		verbs_set_ops(&ctx->vctx, &ornic_rq_doorbell_ops);
	return &ctx->vctx;

err_free_context:
	ornic_free_context(&ctx->vctx.context);
	errno = ret;
	return NULL;
}

/**
 * ornic_alloc_context() - open the device
 * @ibdev: device
 * @cmd_fd: file descriptor of its character device, owned by the caller
 * @private_data: not used
 *
 * Return: the context, to be freed with free_context; NULL with errno set.
 */
struct verbs_context *ornic_alloc_context(struct ibv_device *ibdev, int cmd_fd,
					  void *private_data)
{
	struct ornic_ualloc_ucontext_resp resp = {};
	struct ornic_ualloc_ucontext cmd = {};
	struct ornic_context *ctx;
	int ret;

	ctx = ornic_context_new(ibdev, cmd_fd);
	if (!ctx)
		return NULL;

	ret = ibv_cmd_get_context(&ctx->vctx, &cmd.ibv_cmd, sizeof(cmd), NULL,
				  &resp.ibv_resp, sizeof(resp));
	return ornic_context_init(ctx, &resp.drv_payload, ret);
}

/**
 * ornic_import_context() - import the context of an open device
 * @ibdev: device
 * @cmd_fd: file descriptor of the open context, owned by the caller
 *
 * Both contexts share the doorbell page and the board. These need no lock: a
 * doorbell is one write, and board bits are set by atomic operations. The push
 * page would need one, so only its first owner uses it ([ORNIC-PUSH-3]). On a
 * 32-bit host a doorbell may be two writes, which mmio_write64_le() serialises
 * in its process only ([ORNIC-DB-2]), so there is no import.
 *
 * Return: the context, to be freed with free_context; NULL with errno set,
 * EOPNOTSUPP on a 32-bit host.
 */
struct verbs_context *ornic_import_context(struct ibv_device *ibdev,
					   int cmd_fd)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DEVICE,
			       UVERBS_METHOD_QUERY_CONTEXT, 1);
	struct ornic_alloc_ucontext_resp resp = {};
	struct ornic_context *ctx;
	int ret;

	ctx = ornic_context_new(ibdev, cmd_fd);
	if (!ctx)
		return NULL;

	if (sizeof(void *) < sizeof(uint64_t)) {
		ornic_refuse(&ctx->vctx.context,
			     "32-bit hosts cannot import a context");
		ret = EOPNOTSUPP;
	} else {
		fill_attr_out_ptr(cmd, ORNIC_ATTR_QUERY_CONTEXT_RESP, &resp);
		ret = ibv_cmd_query_context(&ctx->vctx.context, cmd);
	}
	resp.caps &= ~ORNIC_UCONTEXT_CAP_PUSH;
	return ornic_context_init(ctx, &resp, ret);
}
