/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Configuration of the queue pairs */
#ifndef ORNIC_CONFIG_H
#define ORNIC_CONFIG_H

#include <linux/types.h>

#include "queue.h"

struct bpf_prog;
struct net_device;
struct netdev_bpf;
struct netlink_ext_ack;
struct ornic_netdev;

/**
 * struct ornic_config - configuration of the queue pairs
 * @num_queues:	number of queue pairs
 * @tx_slots:	slots of each send ring, a power of two
 * @rx_wqes:	WQEs of each receive ring, a power of two
 * @mtu:	MTU in bytes
 * @strip_vlan:	the device removes the tags of received frames
 * @xdp_prog:	XDP program, or NULL
 */
struct ornic_config {
	u32 num_queues;
	u32 tx_slots;
	u32 rx_wqes;
	u32 mtu;
	bool strip_vlan;
	struct bpf_prog *xdp_prog;
};

int ornic_config_change(struct ornic_netdev *nd, const struct ornic_config *to,
			struct netlink_ext_ack *extack);
int ornic_config_replace(struct ornic_netdev *nd, enum ornic_queue_side side);
int ornic_config_bpf(struct net_device *netdev, struct netdev_bpf *bpf);

#endif /* ORNIC_CONFIG_H */
