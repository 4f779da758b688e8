/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Rules of ethtool */
#ifndef ORNIC_FLOW_H
#define ORNIC_FLOW_H

#include <linux/types.h>

struct ethtool_rx_flow_spec;
struct ornic_netdev;
struct ornic_queue;

#define ORNIC_FLOWS_MAX	1024

int ornic_flow_insert(struct ornic_netdev *nd, const struct ethtool_rx_flow_spec *spec);
int ornic_flow_remove(struct ornic_netdev *nd, u32 location);
int ornic_flow_get(struct ornic_netdev *nd, struct ethtool_rx_flow_spec *spec);
int ornic_flow_list(struct ornic_netdev *nd, u32 *locations, u32 room);
int ornic_flows_create(struct ornic_netdev *nd);
int ornic_flows_move(struct ornic_netdev *nd, struct ornic_queue *const *from,
		     struct ornic_queue *const *to, u32 count);
void ornic_flows_destroy(struct ornic_netdev *nd);
void ornic_flows_free(struct ornic_netdev *nd);

#endif /* ORNIC_FLOW_H */
