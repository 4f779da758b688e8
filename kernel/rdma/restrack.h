/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Objects in the output of "rdma resource" */
#ifndef ORNIC_RDMA_RESTRACK_H
#define ORNIC_RDMA_RESTRACK_H

struct ib_cq;
struct ib_mr;
struct ib_qp;
struct ib_srq;
struct sk_buff;

int ornic_ib_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr);
int ornic_ib_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq);
int ornic_ib_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp);
int ornic_ib_fill_res_srq(struct sk_buff *msg, struct ib_srq *ibsrq);

#endif /* ORNIC_RDMA_RESTRACK_H */
