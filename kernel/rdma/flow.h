/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Flow rules */
#ifndef ORNIC_RDMA_FLOW_H
#define ORNIC_RDMA_FLOW_H

#include <rdma/ib_verbs.h>

struct ib_flow *ornic_ib_create_flow(struct ib_qp *ibqp, struct ib_flow_attr *attr,
				     struct ib_udata *udata);
int ornic_ib_destroy_flow(struct ib_flow *ibflow);

#endif /* ORNIC_RDMA_FLOW_H */
