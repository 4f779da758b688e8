// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Commands of the port (ORNIC specification, section 10) */
#include "netdev.h"
#include "port.h"

/**
 * ornic_port_modify_cmd - change attributes of the port
 * @nd:		the interface
 * @mask:	ORNIC_PORT_*, the attributes to change
 * @mtu:	with ORNIC_PORT_MTU
 * @mac:	with ORNIC_PORT_MAC; must be valid in any case
 * @up:		with ORNIC_PORT_UP
 *
 * Return: 0 or a negative error number.
 */
int ornic_port_modify_cmd(struct ornic_netdev *nd, u32 mask, u32 mtu, const u8 *mac, bool up)
{
	struct ornic_modify_port_in in = {
		.mask = cpu_to_le32(mask),
		.mtu = cpu_to_le32(mtu),
		.up = up,
	};

	ether_addr_copy(in.mac, mac);
	return ornic_cmd_exec_urgent(ornic_nd_dev(nd), ORNIC_CMD_MODIFY_PORT, &in, sizeof(in),
				     NULL, 0);
}

/**
 * ornic_port_query_cmd - get state and limits of the port
 * @nd:		the interface
 * @out:	filled in
 *
 * Return: 0 or a negative error number.
 */
int ornic_port_query_cmd(struct ornic_netdev *nd, struct ornic_query_port_out *out)
{
	return ornic_cmd_exec_urgent(ornic_nd_dev(nd), ORNIC_CMD_QUERY_PORT, NULL, 0, out,
				     sizeof(*out));
}

/**
 * ornic_port_query_stats_cmd - get the counters of the port
 * @nd:		the interface
 * @stats:	ORNIC_PORT_STAT_COUNT counters, filled in
 *
 * Return: 0 or a negative error number.
 */
int ornic_port_query_stats_cmd(struct ornic_netdev *nd, __le64 *stats)
{
	const struct ornic_query_stats_in in = { .scope = cpu_to_le32(ORNIC_STATS_PORT) };

	return ornic_cmd_exec_urgent(ornic_nd_dev(nd), ORNIC_CMD_QUERY_STATS, &in, sizeof(in),
				     stats, ORNIC_PORT_STAT_COUNT * sizeof(*stats));
}
