/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive work requests of kernel consumers */
#ifndef ORNIC_RDMA_WR_RECV_H
#define ORNIC_RDMA_WR_RECV_H

#include <rdma/ib_verbs.h>

int ornic_ib_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad_wr);
int ornic_ib_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			   const struct ib_recv_wr **bad_wr);

#endif /* ORNIC_RDMA_WR_RECV_H */
