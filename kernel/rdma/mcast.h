/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Multicast groups */
#ifndef ORNIC_RDMA_MCAST_H
#define ORNIC_RDMA_MCAST_H

struct ib_qp;

union ib_gid;

int ornic_ib_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int ornic_ib_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

#endif /* ORNIC_RDMA_MCAST_H */
