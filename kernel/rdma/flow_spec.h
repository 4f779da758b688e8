/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a process says of a flow rule, made into what the device looks at.
 */
#ifndef ORNIC_RDMA_FLOW_SPEC_H
#define ORNIC_RDMA_FLOW_SPEC_H

struct ib_counters;
struct ib_flow_attr;
struct ornic_create_flow_in;

int ornic_flow_from_attr(const struct ib_flow_attr *attr, struct ornic_create_flow_in *in,
			 struct ib_counters **counters);

#endif /* ORNIC_RDMA_FLOW_SPEC_H */
