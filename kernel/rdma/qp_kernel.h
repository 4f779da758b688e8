/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* QPs of kernel consumers */
#ifndef ORNIC_RDMA_QP_KERNEL_H
#define ORNIC_RDMA_QP_KERNEL_H

struct ornic_ib_dev;
struct ornic_qp;

int ornic_qp_kernel_init(struct ornic_qp *qp);
void ornic_qp_kernel_uninit(struct ornic_qp *qp);
int ornic_qp_attach(struct ornic_ib_dev *dev, struct ornic_qp *qp);
void ornic_qp_detach(struct ornic_ib_dev *dev, struct ornic_qp *qp);
void ornic_qp_forget(struct ornic_qp *qp);

#endif /* ORNIC_RDMA_QP_KERNEL_H */
