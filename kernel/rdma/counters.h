/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Counters of flow rules */
#ifndef ORNIC_RDMA_COUNTERS_H
#define ORNIC_RDMA_COUNTERS_H

#include <rdma/ib_verbs.h>

struct uverbs_attr_bundle;

struct ornic_counters {
	struct ib_counters ibcounters;
	u32 num;
};

static inline struct ornic_counters *to_ornic_counters(struct ib_counters *ibcounters)
{
	return container_of(ibcounters, struct ornic_counters, ibcounters);
}

int ornic_ib_create_counters(struct ib_counters *ibcounters, struct uverbs_attr_bundle *attrs);
int ornic_ib_destroy_counters(struct ib_counters *ibcounters);
int ornic_ib_read_counters(struct ib_counters *ibcounters, struct ib_counters_read_attr *attr,
			   struct uverbs_attr_bundle *attrs);

#endif /* ORNIC_RDMA_COUNTERS_H */
