/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Differences between the rdma-core versions that this provider builds in, 65.0
 * and 56.1. A provider in the rdma-core tree has no such file.
 */
#ifndef ORNIC_COMPAT_H
#define ORNIC_COMPAT_H

#include <infiniband/driver.h>

#if IBVERBS_PABI_VERSION < 65

struct ibv_fd_arr;
struct verbs_create_cq_prov_attr;

/* Versions before 65.0 do not define the flag */
#define IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC 0

static inline int ornic_cmd_get_context(struct verbs_context *ctx,
					struct ibv_get_context *cmd,
					size_t cmd_size,
					struct ibv_fd_arr *fds,
					struct ib_uverbs_get_context_resp *resp,
					size_t resp_size)
{
	return ibv_cmd_get_context(ctx, cmd, cmd_size, resp, resp_size);
}

static inline int
ornic_cmd_create_cq_ex(struct ibv_context *ibctx,
		       const struct ibv_cq_init_attr_ex *attr,
		       struct verbs_create_cq_prov_attr *prov_attr,
		       struct verbs_cq *vcq, struct ibv_create_cq_ex *cmd,
		       size_t cmd_size,
		       struct ib_uverbs_ex_create_cq_resp *resp,
		       size_t resp_size, uint32_t cmd_flags)
{
	return ibv_cmd_create_cq_ex(ibctx, attr, vcq, cmd, cmd_size, resp,
				    resp_size, cmd_flags);
}

static inline int ornic_cmd_create_qp_ex2(struct ibv_context *ibctx,
					  struct verbs_qp *vqp,
					  struct ibv_qp_init_attr_ex *attr,
					  struct ibv_create_qp_ex *cmd,
					  size_t cmd_size,
					  struct ib_uverbs_ex_create_qp_resp *resp,
					  size_t resp_size,
					  struct ibv_command_buffer *driver)
{
	return ibv_cmd_create_qp_ex2(ibctx, vqp, attr, cmd, cmd_size, resp,
				     resp_size);
}

#define ibv_cmd_get_context ornic_cmd_get_context
#define ibv_cmd_create_cq_ex ornic_cmd_create_cq_ex
#define ibv_cmd_create_qp_ex2 ornic_cmd_create_qp_ex2

#else

#define ORNIC_HAVE_QUERY_PORT_SPEED 1

#endif

#endif /* ORNIC_COMPAT_H */
