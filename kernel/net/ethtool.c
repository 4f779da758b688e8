// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The Ethernet interface: what ethtool calls. */
#include <linux/log2.h>

#include "netdev.h"

/* Counters of a scope that are asked for in one command */
#define ORNIC_STATS_MAX	32

#define ORNIC_STAT_NAME_PORT(name)	"port_" #name,
#define ORNIC_STAT_NAME_DEVICE(name)	"device_" #name,

static const char * const ornic_port_stat_names[] = {
	ORNIC_PORT_STATS(ORNIC_STAT_NAME_PORT)
};

static_assert(ARRAY_SIZE(ornic_port_stat_names) == ORNIC_PORT_STAT_COUNT);
static_assert(ARRAY_SIZE(ornic_port_stat_names) <= ORNIC_STATS_MAX);

static const char * const ornic_device_stat_names[] = {
	ORNIC_DEVICE_STATS(ORNIC_STAT_NAME_DEVICE)
};

static_assert(ARRAY_SIZE(ornic_device_stat_names) == ORNIC_DEVICE_STAT_COUNT);
static_assert(ARRAY_SIZE(ornic_device_stat_names) <= ORNIC_STATS_MAX);

static void ornic_get_drvinfo(struct net_device *netdev, struct ethtool_drvinfo *info)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	u32 version = nd->core->odev.lim.fw_version;

	strscpy(info->driver, KBUILD_MODNAME, sizeof(info->driver));
	strscpy(info->bus_info, pci_name(nd->core->odev.pdev), sizeof(info->bus_info));
	snprintf(info->fw_version, sizeof(info->fw_version), "%u.%u.%u", version >> 24,
		 (version >> 16) & 0xff, version & 0xffff);
}

static int ornic_get_link_ksettings(struct net_device *netdev, struct ethtool_link_ksettings *cmd)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	bool link = netif_carrier_ok(netdev);

	ethtool_link_ksettings_zero_link_mode(cmd, supported);
	ethtool_link_ksettings_zero_link_mode(cmd, advertising);
	cmd->base.speed = link ? READ_ONCE(nd->speed) : SPEED_UNKNOWN;
	cmd->base.duplex = link ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	cmd->base.autoneg = AUTONEG_DISABLE;
	cmd->base.port = PORT_OTHER;
	return 0;
}

/* ---- Queues -------------------------------------------------------------- */

/*
 * Queues are made anew. If there is not enough for the new ones there has just
 * been enough for the old ones.
 */
static int ornic_ethtool_resize(struct ornic_netdev *nd, u32 num_queues, u32 tx_slots, u32 rx_wqes)
{
	u32 old_num_queues = nd->num_queues;
	u32 old_tx_slots = nd->tx_slots;
	u32 old_rx_wqes = nd->rx_wqes;
	bool open = nd->open;
	int err;

	ornic_netdev_down(nd);

	nd->num_queues = num_queues;
	nd->tx_slots = tx_slots;
	nd->rx_wqes = rx_wqes;
	if (num_queues != old_num_queues && !netif_is_rxfh_configured(nd->netdev))
		ornic_netdev_default_rss(nd);
	if (!open)
		return netif_set_real_num_queues(nd->netdev, num_queues, num_queues);

	err = ornic_netdev_up(nd);
	if (!err)
		return 0;

	nd->num_queues = old_num_queues;
	nd->tx_slots = old_tx_slots;
	nd->rx_wqes = old_rx_wqes;
	if (num_queues != old_num_queues && !netif_is_rxfh_configured(nd->netdev))
		ornic_netdev_default_rss(nd);
	if (ornic_netdev_up(nd))
		netdev_err(nd->netdev, "no queues after a failed change of their sizes\n");
	return err;
}

static void ornic_get_ringparam(struct net_device *netdev, struct ethtool_ringparam *ring,
				struct kernel_ethtool_ringparam *kernel_ring,
				struct netlink_ext_ack *extack)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	const struct ornic_limits *lim = &nd->core->odev.lim;

	ring->tx_max_pending = min3(lim->max_sq_slots, lim->max_cqe, ORNIC_TX_SLOTS_MAX);
	ring->rx_max_pending = min3(lim->max_rq_wqes, lim->max_cqe, ORNIC_RX_WQES_MAX);
	ring->tx_pending = nd->tx_slots;
	ring->rx_pending = nd->rx_wqes;
}

static int ornic_set_ringparam(struct net_device *netdev, struct ethtool_ringparam *ring,
			       struct kernel_ethtool_ringparam *kernel_ring,
			       struct netlink_ext_ack *extack)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	if (!is_power_of_2(ring->tx_pending) || ring->tx_pending < ORNIC_TX_SLOTS_MIN ||
	    !is_power_of_2(ring->rx_pending) || ring->rx_pending < ORNIC_RX_WQES_MIN) {
		NL_SET_ERR_MSG_FMT_MOD(extack, "ring sizes are powers of two from %u tx, %u rx",
				       ORNIC_TX_SLOTS_MIN, ORNIC_RX_WQES_MIN);
		return -EINVAL;
	}

	if (ring->tx_pending == nd->tx_slots && ring->rx_pending == nd->rx_wqes)
		return 0;

	return ornic_ethtool_resize(nd, nd->num_queues, ring->tx_pending, ring->rx_pending);
}

static void ornic_get_channels(struct net_device *netdev, struct ethtool_channels *channels)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	channels->max_combined = nd->max_queues;
	channels->combined_count = nd->num_queues;
}

static int ornic_set_channels(struct net_device *netdev, struct ethtool_channels *channels)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	if (channels->combined_count == nd->num_queues)
		return 0;

	return ornic_ethtool_resize(nd, channels->combined_count, nd->tx_slots, nd->rx_wqes);
}

/* ---- Receive side scaling ------------------------------------------------ */

static u32 ornic_get_rx_ring_count(struct net_device *netdev)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	return nd->num_queues;
}

static u32 ornic_get_rxfh_key_size(struct net_device *netdev)
{
	return ORNIC_RSS_KEY_LEN;
}

static u32 ornic_get_rxfh_indir_size(struct net_device *netdev)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	return nd->rss_entries;
}

static int ornic_get_rxfh(struct net_device *netdev, struct ethtool_rxfh_param *rxfh)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	rxfh->hfunc = ETH_RSS_HASH_TOP;
	if (rxfh->indir)
		memcpy(rxfh->indir, nd->rss_table, nd->rss_entries * sizeof(*rxfh->indir));
	if (rxfh->key)
		memcpy(rxfh->key, nd->rss_key, sizeof(nd->rss_key));
	return 0;
}

static int ornic_set_rxfh(struct net_device *netdev, struct ethtool_rxfh_param *rxfh,
			  struct netlink_ext_ack *extack)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	if (rxfh->hfunc != ETH_RSS_HASH_NO_CHANGE && rxfh->hfunc != ETH_RSS_HASH_TOP) {
		NL_SET_ERR_MSG_MOD(extack, "only the Toeplitz hash is supported");
		return -EOPNOTSUPP;
	}

	if (rxfh->indir)
		memcpy(nd->rss_table, rxfh->indir, nd->rss_entries * sizeof(*rxfh->indir));
	if (rxfh->key)
		memcpy(nd->rss_key, rxfh->key, sizeof(nd->rss_key));
	return ornic_netdev_set_rss(nd);
}

static int ornic_get_rxfh_fields(struct net_device *netdev, struct ethtool_rxfh_fields *fields)
{
	switch (fields->flow_type) {
	case TCP_V4_FLOW:
	case UDP_V4_FLOW:
	case TCP_V6_FLOW:
	case UDP_V6_FLOW:
		fields->data = RXH_IP_SRC | RXH_IP_DST | RXH_L4_B_0_1 | RXH_L4_B_2_3;
		return 0;
	case IPV4_FLOW:
	case IPV6_FLOW:
		fields->data = RXH_IP_SRC | RXH_IP_DST;
		return 0;
	default:
		fields->data = 0;
		return 0;
	}
}

/* ---- Time stamps --------------------------------------------------------- */

/* Frames have none of the device, completions of verbs do */
static int ornic_get_ts_info(struct net_device *netdev, struct kernel_ethtool_ts_info *info)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	ethtool_op_get_ts_info(netdev, info);
	if (nd->core->clock.ptp)
		info->phc_index = ptp_clock_index(nd->core->clock.ptp);
	return 0;
}

/* ---- Counters ------------------------------------------------------------ */

static int ornic_get_sset_count(struct net_device *netdev, int sset)
{
	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;

	return ORNIC_PORT_STAT_COUNT + ORNIC_DEVICE_STAT_COUNT;
}

static void ornic_get_strings(struct net_device *netdev, u32 sset, u8 *data)
{
	u32 i;

	if (sset != ETH_SS_STATS)
		return;

	for (i = 0; i < ORNIC_PORT_STAT_COUNT; i++)
		ethtool_puts(&data, ornic_port_stat_names[i]);
	for (i = 0; i < ORNIC_DEVICE_STAT_COUNT; i++)
		ethtool_puts(&data, ornic_device_stat_names[i]);
}

/* A counter that the device does not have, or cannot tell now, is 0 */
static void ornic_query_stats(struct ornic_netdev *nd, enum ornic_stats_scope scope, u64 *data,
			      u32 count)
{
	struct ornic_query_stats_in in = { .scope = cpu_to_le32(scope) };
	__le64 out[ORNIC_STATS_MAX] = {};
	u32 i;

	if (ornic_cmd_exec(ornic_nd_dev(nd), ORNIC_CMD_QUERY_STATS, &in, sizeof(in), out,
			   count * sizeof(*out)))
		return;

	for (i = 0; i < count; i++)
		data[i] = le64_to_cpu(out[i]);
}

static void ornic_get_ethtool_stats(struct net_device *netdev, struct ethtool_stats *stats,
				    u64 *data)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	memset(data, 0, sizeof(*data) * (ORNIC_PORT_STAT_COUNT + ORNIC_DEVICE_STAT_COUNT));
	ornic_query_stats(nd, ORNIC_STATS_PORT, data, ORNIC_PORT_STAT_COUNT);
	ornic_query_stats(nd, ORNIC_STATS_DEVICE, data + ORNIC_PORT_STAT_COUNT,
			  ORNIC_DEVICE_STAT_COUNT);
}

const struct ethtool_ops ornic_ethtool_ops = {
	.get_drvinfo		= ornic_get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_link_ksettings	= ornic_get_link_ksettings,
	.get_ringparam		= ornic_get_ringparam,
	.set_ringparam		= ornic_set_ringparam,
	.get_channels		= ornic_get_channels,
	.set_channels		= ornic_set_channels,
	.get_rx_ring_count	= ornic_get_rx_ring_count,
	.get_rxfh_key_size	= ornic_get_rxfh_key_size,
	.get_rxfh_indir_size	= ornic_get_rxfh_indir_size,
	.get_rxfh		= ornic_get_rxfh,
	.set_rxfh		= ornic_set_rxfh,
	.get_rxfh_fields	= ornic_get_rxfh_fields,
	.get_sset_count		= ornic_get_sset_count,
	.get_strings		= ornic_get_strings,
	.get_ethtool_stats	= ornic_get_ethtool_stats,
	.get_ts_info		= ornic_get_ts_info,
};
