/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What differs between the rdma-core versions that this provider builds in,
 * 65.0 and 56.1. In rdma-core itself this file does not exist.
 */
#ifndef ORNIC_COMPAT_H
#define ORNIC_COMPAT_H

#include <infiniband/driver.h>

#if IBVERBS_PABI_VERSION < 65

struct ibv_fd_arr;

static inline int ornic_cmd_get_context(struct verbs_context *ctx,
					struct ibv_get_context *cmd,
					size_t cmd_size,
					struct ibv_fd_arr *fds,
					struct ib_uverbs_get_context_resp *resp,
					size_t resp_size)
{
	return ibv_cmd_get_context(ctx, cmd, cmd_size, resp, resp_size);
}

#define ibv_cmd_get_context ornic_cmd_get_context

#else

#define ORNIC_HAVE_QUERY_PORT_SPEED 1

#endif

#endif /* ORNIC_COMPAT_H */
