// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Resource tracking: driver attributes that the rdma tool shows, and the answers
 * of the device to QUERY_QP and QUERY_SRQ. It has no such commands for CQs and
 * MRs.
 */
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "cq.h"
#include "device.h"
#include "mr.h"
#include "qp.h"
#include "recv_ring.h"
#include "ringmem.h"
#include "slab.h"
#include "srq.h"

static struct nlattr *ornic_res_open(struct sk_buff *msg)
{
	return nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
}

static int ornic_res_close(struct sk_buff *msg, struct nlattr *table, bool full)
{
	if (!full) {
		nla_nest_end(msg, table);
		return 0;
	}

	if (table)
		nla_nest_cancel(msg, table);
	return -EMSGSIZE;
}

/* Not the key: the core shows it to CAP_NET_ADMIN only, and this to everyone */
int ornic_ib_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct nlattr *table = ornic_res_open(msg);
	const struct ornic_buf *buf = &to_ornic_mr(ibmr)->pbl.buf;

	return ornic_res_close(msg, table, !table ||
		rdma_nl_put_driver_u32(msg, "pages", le32_to_cpu(buf->npages)) ||
		rdma_nl_put_driver_u32(msg, "page_shift", buf->page_shift) ||
		rdma_nl_put_driver_u32(msg, "levels", buf->levels));
}

int ornic_ib_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct nlattr *table = ornic_res_open(msg);
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	struct ornic_cq_dbr dbr;
	u8 log_size;

	dbr = ornic_cq_get_dbr(cq, &log_size);
	return ornic_res_close(msg, table, !table ||
		rdma_nl_put_driver_u32(msg, "cqn", cq->res.num) ||
		rdma_nl_put_driver_u32(msg, "log_size", log_size) ||
		rdma_nl_put_driver_u32(msg, "log_cqe_size", cq->ring.log_cqe_size) ||
		rdma_nl_put_driver_u32(msg, "ci", le32_to_cpu(dbr.ci)) ||
		rdma_nl_put_driver_u32_hex(msg, "arm", le32_to_cpu(dbr.arm)));
}

int ornic_ib_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct nlattr *table = ornic_res_open(msg);
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	struct ornic_slab_record record;
	struct ornic_qp_dbr dbr = {};

	/* XRC targets and RSS QPs own no rings */
	if (qp->mem) {
		record = ornic_slab_record(qp->mem, qp->geo.dbr_offset);
		dbr = ornic_ringmem_get_qp_dbr(record.mem, record.offset);
	}

	return ornic_res_close(msg, table, !table ||
		rdma_nl_put_driver_u32(msg, "qpn", qp->res.num) ||
		(ibqp->rwq_ind_tbl &&
		 rdma_nl_put_driver_u32(msg, "rwq_table", ibqp->rwq_ind_tbl->ind_tbl_num)) ||
		rdma_nl_put_driver_u32(msg, "log_sq_slots", qp->geo.log_sq_slots) ||
		rdma_nl_put_driver_u32(msg, "log_rq_wqes", qp->geo.log_rq_wqes) ||
		rdma_nl_put_driver_u32(msg, "rq_stride_shift", qp->geo.rq_stride_shift) ||
		rdma_nl_put_driver_u32(msg, "sq_pi", le32_to_cpu(dbr.sq_pi)) ||
		rdma_nl_put_driver_u32(msg, "sq_ci", le32_to_cpu(dbr.sq_ci)) ||
		rdma_nl_put_driver_u32(msg, "rq_pi", le32_to_cpu(dbr.rq_pi)) ||
		rdma_nl_put_driver_u32(msg, "rq_ci", le32_to_cpu(dbr.rq_ci)));
}

int ornic_ib_fill_res_srq(struct sk_buff *msg, struct ib_srq *ibsrq)
{
	struct nlattr *table = ornic_res_open(msg);
	struct ornic_srq *srq = to_ornic_srq(ibsrq);
	struct ornic_qp_dbr dbr;
	u8 log_wqes;

	/* A resize replaces the ring */
	mutex_lock(&srq->modify_lock);
	dbr = ornic_recv_ring_get_dbr(&srq->ring);
	log_wqes = srq->ring.log_wqes;
	mutex_unlock(&srq->modify_lock);

	return ornic_res_close(msg, table, !table ||
		rdma_nl_put_driver_u32(msg, "srqn", srq->res.num) ||
		rdma_nl_put_driver_u32(msg, "log_wqes", log_wqes) ||
		rdma_nl_put_driver_u32(msg, "stride_shift", srq->stride_shift) ||
		rdma_nl_put_driver_u32(msg, "rq_pi", le32_to_cpu(dbr.rq_pi)) ||
		rdma_nl_put_driver_u32(msg, "rq_ci", le32_to_cpu(dbr.rq_ci)));
}

/* Adds what the device answers to a query of an object, as it is */
static int ornic_res_fill_raw(struct sk_buff *msg, struct ib_device *ibdev,
			      enum ornic_opcode opcode, u32 num, void *out, u32 len)
{
	struct ornic_object in = { .num = cpu_to_le32(num) };
	int err;

	err = ornic_cmd_exec(to_ornic_ib_dev(ibdev)->odev, opcode, &in, sizeof(in), out, len);
	return err ? err : nla_put(msg, RDMA_NLDEV_ATTR_RES_RAW, len, out);
}

int ornic_ib_fill_res_qp_raw(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct ornic_qp_attr attr;

	return ornic_res_fill_raw(msg, ibqp->device, ORNIC_CMD_QUERY_QP,
				  to_ornic_qp(ibqp)->res.num, &attr, sizeof(attr));
}

int ornic_ib_fill_res_srq_raw(struct sk_buff *msg, struct ib_srq *ibsrq)
{
	struct ornic_query_srq_out attr;

	return ornic_res_fill_raw(msg, ibsrq->device, ORNIC_CMD_QUERY_SRQ,
				  to_ornic_srq(ibsrq)->res.num, &attr, sizeof(attr));
}
