/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Statistics of the port */
#ifndef ORNIC_RDMA_STATS_H
#define ORNIC_RDMA_STATS_H

#include <linux/types.h>

#include "ornic_hw_cmd.h"

struct ib_device;
struct ornic_ib_dev;
struct rdma_counter;
struct rdma_hw_stats;

int ornic_stats_query(struct ornic_ib_dev *dev, bool urgent, enum ornic_stats_scope scope, u32 num,
		      u64 *values, u32 count);
struct rdma_hw_stats *ornic_ib_alloc_hw_port_stats(struct ib_device *ibdev, u32 port);
int ornic_ib_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
			  u32 port, int index);
struct rdma_hw_stats *ornic_ib_counter_alloc_stats(struct rdma_counter *counter);

#endif /* ORNIC_RDMA_STATS_H */
