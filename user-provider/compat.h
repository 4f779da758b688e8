/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Replacements for things that scripts/package/rdma-core-probe does not find. A
 * provider in the rdma-core tree has neither this file nor ORNIC_LACKS_*.
 */
#ifndef ORNIC_COMPAT_H
#define ORNIC_COMPAT_H

#include <infiniband/driver.h>

#ifdef ORNIC_LACKS_FLUSH
#define IBV_WR_FLUSH ORNIC_WR_FLUSH
#define IBV_WR_ATOMIC_WRITE ORNIC_WR_ATOMIC_WRITE
/* No bits: a QP supports neither */
#define IBV_QP_EX_WITH_FLUSH 0
#define IBV_QP_EX_WITH_ATOMIC_WRITE 0
#endif

#ifdef ORNIC_LACKS_DMABUF_DRIVER
#define ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, vmr, drv) \
	ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, vmr)
#endif

#ifdef ORNIC_LACKS_FD_ARR
#define ibv_cmd_get_context(ctx, cmd, cmd_size, fds, resp, resp_size) \
	ibv_cmd_get_context(ctx, cmd, cmd_size, resp, resp_size)
#endif

#ifdef ORNIC_LACKS_CQ_PROV_ATTR
#define ibv_cmd_create_cq_ex(ctx, attr, prov, cq, cmd, cmd_size, resp, size, \
			     flags) \
	ibv_cmd_create_cq_ex(ctx, attr, cq, cmd, cmd_size, resp, size, flags)
#endif

#ifdef ORNIC_LACKS_QP_DRIVER
#define ibv_cmd_create_qp_ex2(ctx, qp, attr, cmd, cmd_size, resp, size, drv) \
	ibv_cmd_create_qp_ex2(ctx, qp, attr, cmd, cmd_size, resp, size)
#endif

#ifdef ORNIC_LACKS_CC_UNPROTECTED
#define IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC 0
#endif

#endif /* ORNIC_COMPAT_H */
