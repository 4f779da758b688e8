/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Modification and query of QPs */
#ifndef ORNIC_RDMA_QP_MODIFY_H
#define ORNIC_RDMA_QP_MODIFY_H

struct ib_qp;
struct ib_qp_attr;
struct ib_qp_init_attr;
struct ib_udata;

int ornic_ib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata);
int ornic_ib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		      struct ib_qp_init_attr *init);

#endif /* ORNIC_RDMA_QP_MODIFY_H */
