/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Conversion of a flow rule of verbs to a rule of the device */
#ifndef ORNIC_RDMA_FLOW_SPEC_H
#define ORNIC_RDMA_FLOW_SPEC_H

struct ib_counters;
struct ib_device;
struct ib_flow_attr;
struct ornic_create_flow_in;

int ornic_flow_from_attr(const struct ib_device *ibdev, const struct ib_flow_attr *attr,
			 struct ornic_create_flow_in *in, struct ib_counters **counters);

#endif /* ORNIC_RDMA_FLOW_SPEC_H */
