/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Uverbs commands with the driver-specific parts of the ORNIC kernel ABI */
#ifndef ORNIC_ABI_H
#define ORNIC_ABI_H

#include <infiniband/kern-abi.h>
#include <rdma/ornic-abi.h>
#include <kernel-abi/ornic-abi.h>

DECLARE_DRV_CMD(ornic_ualloc_ucontext, IB_USER_VERBS_CMD_GET_CONTEXT,
		ornic_alloc_ucontext_req, ornic_alloc_ucontext_resp);
DECLARE_DRV_CMD(ornic_uquery_device, IB_USER_VERBS_EX_CMD_QUERY_DEVICE,
		empty, ornic_query_device_resp);
DECLARE_DRV_CMD(ornic_ucreate_cq, IB_USER_VERBS_EX_CMD_CREATE_CQ,
		ornic_create_cq_req, ornic_create_cq_resp);
DECLARE_DRV_CMD(ornic_uresize_cq, IB_USER_VERBS_CMD_RESIZE_CQ,
		empty, ornic_resize_resp);
DECLARE_DRV_CMD(ornic_ucreate_srq, IB_USER_VERBS_CMD_CREATE_XSRQ,
		ornic_create_srq_req, ornic_create_srq_resp);
DECLARE_DRV_CMD(ornic_ucreate_qp, IB_USER_VERBS_EX_CMD_CREATE_QP,
		ornic_create_qp_req, ornic_create_qp_resp);
DECLARE_DRV_CMD(ornic_umodify_qp, IB_USER_VERBS_EX_CMD_MODIFY_QP,
		ornic_modify_qp_req, empty);
DECLARE_DRV_CMD(ornic_ucreate_wq, IB_USER_VERBS_EX_CMD_CREATE_WQ,
		ornic_create_wq_req, ornic_create_wq_resp);
DECLARE_DRV_CMD(ornic_ucreate_ah, IB_USER_VERBS_CMD_CREATE_AH,
		empty, ornic_create_ah_resp);

#endif /* ORNIC_ABI_H */
