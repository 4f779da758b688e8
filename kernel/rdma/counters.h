/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Statistics of the port, counters of QPs, counters of flow rules */
#ifndef ORNIC_RDMA_COUNTERS_H
#define ORNIC_RDMA_COUNTERS_H

#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "ornic_hw_cmd.h"

struct ornic_ib_dev;
struct uverbs_attr_bundle;

/**
 * struct ornic_counter - counter that QPs are bound to
 * @counter:	of the RDMA core
 * @base:	of its set when it was given to this counter
 */
struct ornic_counter {
	struct rdma_counter counter;
	u64 base[ORNIC_QP_STAT_COUNT];
};

static inline struct ornic_counter *to_ornic_counter(struct rdma_counter *counter)
{
	return container_of(counter, struct ornic_counter, counter);
}

struct ornic_counters {
	struct ib_counters ibcounters;
	u32 num;
};

static inline struct ornic_counters *to_ornic_counters(struct ib_counters *ibcounters)
{
	return container_of(ibcounters, struct ornic_counters, ibcounters);
}

int ornic_stats_query(struct ornic_ib_dev *dev, bool urgent, enum ornic_stats_scope scope, u32 num,
		      u64 *values, u32 count);
struct rdma_hw_stats *ornic_ib_alloc_hw_port_stats(struct ib_device *ibdev, u32 port);
int ornic_ib_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
			  u32 port, int index);

struct rdma_hw_stats *ornic_ib_counter_alloc_stats(struct rdma_counter *counter);
void ornic_ib_counter_init(struct rdma_counter *counter);
int ornic_ib_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp, u32 port);
int ornic_ib_counter_unbind_qp(struct ib_qp *ibqp, u32 port);
int ornic_ib_counter_update_stats(struct rdma_counter *counter);
int ornic_ib_counter_dealloc(struct rdma_counter *counter);

int ornic_ib_create_counters(struct ib_counters *ibcounters, struct uverbs_attr_bundle *attrs);
int ornic_ib_destroy_counters(struct ib_counters *ibcounters);
int ornic_ib_read_counters(struct ib_counters *ibcounters, struct ib_counters_read_attr *attr,
			   struct uverbs_attr_bundle *attrs);

#endif /* ORNIC_RDMA_COUNTERS_H */
