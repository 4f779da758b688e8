/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Commands of the port */
#ifndef ORNIC_PORT_H
#define ORNIC_PORT_H

#include <linux/types.h>

struct ornic_netdev;
struct ornic_query_port_out;

int ornic_port_modify_cmd(struct ornic_netdev *nd, u32 mask, u32 mtu, const u8 *mac, bool up);
int ornic_port_query_cmd(struct ornic_netdev *nd, struct ornic_query_port_out *out);
int ornic_port_query_stats_cmd(struct ornic_netdev *nd, __le64 *stats);

#endif /* ORNIC_PORT_H */
