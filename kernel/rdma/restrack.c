// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "ornic_rdma.h"

int ornic_ib_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct ornic_mr *mr = to_ornic_mr(ibmr);
	struct nlattr *table;

	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	if (!table)
		return -EMSGSIZE;

	if (rdma_nl_put_driver_u32_hex(msg, "key", ibmr->lkey) ||
	    rdma_nl_put_driver_u32(msg, "pages", le32_to_cpu(mr->pbl.buf.npages)) ||
	    rdma_nl_put_driver_u32(msg, "page_shift", mr->pbl.buf.page_shift) ||
	    rdma_nl_put_driver_u32(msg, "levels", mr->pbl.buf.levels))
		goto err_cancel;

	nla_nest_end(msg, table);
	return 0;

err_cancel:
	nla_nest_cancel(msg, table);
	return -EMSGSIZE;
}

int ornic_ib_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	struct nlattr *table;

	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	if (!table)
		return -EMSGSIZE;

	if (rdma_nl_put_driver_u32(msg, "cqn", cq->res.num) ||
	    rdma_nl_put_driver_u32(msg, "log_size", cq->ring.log_size) ||
	    rdma_nl_put_driver_u32(msg, "log_cqe_size", cq->ring.log_cqe_size))
		goto err_cancel;

	nla_nest_end(msg, table);
	return 0;

err_cancel:
	nla_nest_cancel(msg, table);
	return -EMSGSIZE;
}

int ornic_ib_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	struct nlattr *table;

	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	if (!table)
		return -EMSGSIZE;

	if (rdma_nl_put_driver_u32(msg, "qpn", qp->res.num) ||
	    rdma_nl_put_driver_u32(msg, "log_sq_slots", qp->geo.log_sq_slots) ||
	    rdma_nl_put_driver_u32(msg, "log_rq_wqes", qp->geo.log_rq_wqes) ||
	    rdma_nl_put_driver_u32(msg, "rq_stride_shift", qp->geo.rq_stride_shift))
		goto err_cancel;

	nla_nest_end(msg, table);
	return 0;

err_cancel:
	nla_nest_cancel(msg, table);
	return -EMSGSIZE;
}
