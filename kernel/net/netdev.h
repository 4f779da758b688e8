/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The Ethernet interface: RAW_PACKET QPs, one per queue pair */
#ifndef ORNIC_NETDEV_H
#define ORNIC_NETDEV_H

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "config.h"
#include "core.h"
#include "ethtool.h"
#include "flow.h"
#include "queue.h"
#include "rss.h"

/**
 * struct ornic_port_total - total of a counter of the port
 * @read:	the counter as it was last read since the reset
 * @sum:	its total, also of the time before the reset
 */
struct ornic_port_total {
	u64 read;
	atomic64_t sum;
};

/**
 * struct ornic_netdev - the interface; netdev_priv(). Protected by rtnl_lock.
 * @netdev:	the interface
 * @core:	the device
 * @config:	configuration of the queue pairs, current or for the next open
 * @queues:	@config.num_queues queue pairs while @open, of @max_queues
 *		entries; the others are NULL. While @open an entry changes under
 *		the lock of its send queue, too
 * @stats:	their counters, @max_queues of them
 * @coalesce:	moderation of their interrupts, @max_queues of them
 * @max_queues:	limit given by vectors and device
 * @open:	the queues exist; XDP redirect reads it under the lock of a send
 *		queue instead of rtnl_lock, and ndo_tx_timeout() under
 *		tx_global_lock
 * @pdn:	protection domain of the queues
 * @lkey:	key for all DMA addresses
 * @link_work:	queries the state of the port
 * @speed:	Mb/s, as the port last reported
 * @port_stats_work: queries @rx_missed and @tx_errors
 * @rx_missed:	frames without a receive WQE
 * @tx_errors:	frames that the port could not send
 * @device_stats: counters of the device for ethtool -S as they were last read
 * @rss:	receive side scaling
 * @max_mtu:	limit of the MTU without an XDP program, bytes
 * @max_flows:	number of rule locations, 0 if the device has no rules
 * @flows:	struct ornic_flow by location
 * @rx_filter:	buffer for the input of SET_RX_FILTER
 * @rx_filter_len: bytes of the input
 */
struct ornic_netdev {
	struct net_device *netdev;
	struct ornic_core *core;
	struct ornic_config config;
	struct ornic_queue **queues;
	struct ornic_queue_stats *stats;
	struct ornic_coalesce *coalesce;
	u32 max_queues;
	bool open;
	u32 pdn;
	u32 lkey;
	struct work_struct link_work;
	u32 speed;
	struct delayed_work port_stats_work;
	struct ornic_port_total rx_missed;
	struct ornic_port_total tx_errors;
	u64 device_stats[ORNIC_ETHTOOL_DEVICE_STATS];
	struct ornic_rss rss;
	u32 max_mtu;
	u32 max_flows;
	struct xarray flows;
	struct ornic_rx_filter_in *rx_filter;
	size_t rx_filter_len;
};

static inline struct ornic_dev *ornic_nd_dev(struct ornic_netdev *nd)
{
	return &nd->core->odev;
}

/*
 * Node of the device, where its rings are too, and near which its interrupts
 * are handled.
 */
static inline int ornic_nd_node(struct ornic_netdev *nd)
{
	return dev_to_node(ornic_device(nd->core));
}

int ornic_netdev_alloc(struct ornic_core *core);
void ornic_netdev_free(struct net_device *netdev);
void ornic_netdev_port_event(struct net_device *netdev);
int ornic_netdev_register(struct net_device *netdev);
void ornic_netdev_unregister(struct net_device *netdev);
int ornic_netdev_attach(struct net_device *netdev);
void ornic_netdev_detach(struct net_device *netdev);

#endif /* ORNIC_NETDEV_H */
