// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The Ethernet interface: ethtool operations */
#include <linux/log2.h>

#include "ethtool.h"
#include "netdev.h"
#include "port.h"

#define ORNIC_STAT_NAME_DEVICE(name)	"device_" #name,
#define ORNIC_STAT_PORT(name)		{ "port_" #name, ORNIC_PORT_STAT_##name }

/* Without those that ndo_get_stats64() and get_eth_mac_stats() report */
static const struct {
	const char *name;
	enum ornic_port_stat stat;
} ornic_port_stats[] = {
	ORNIC_STAT_PORT(rx_dropped_filter),
	ORNIC_STAT_PORT(rx_dropped_malformed),
	ORNIC_STAT_PORT(rx_steered),
	ORNIC_STAT_PORT(rx_dropped_rule),
	ORNIC_STAT_PORT(rx_delayed),
	ORNIC_STAT_PORT(rx_delay_dropped),
	ORNIC_STAT_PORT(tx_dropped_rule),
	ORNIC_STAT_PORT(tx_looped),
	ORNIC_STAT_PORT(tx_dropped_spoofed),
};

static_assert(ARRAY_SIZE(ornic_port_stats) == ORNIC_ETHTOOL_PORT_STATS);

static const char * const ornic_device_stat_names[] = {
	ORNIC_DEVICE_STATS(ORNIC_STAT_NAME_DEVICE)
};

static_assert(ARRAY_SIZE(ornic_device_stat_names) == ORNIC_DEVICE_STAT_COUNT);

static const char * const ornic_xdp_stat_names[] = {
	[ORNIC_XDP_STAT_PASS]		= "xdp_pass",
	[ORNIC_XDP_STAT_DROP]		= "xdp_drop",
	[ORNIC_XDP_STAT_TX]		= "xdp_tx",
	[ORNIC_XDP_STAT_REDIRECT]	= "xdp_redirect",
	[ORNIC_XDP_STAT_ERROR]		= "xdp_error",
	[ORNIC_XDP_STAT_COUNT]		= "xdp_xmit",
};

static void ornic_ethtool_get_drvinfo(struct net_device *netdev, struct ethtool_drvinfo *info)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	ornic_fw_version(&nd->core->odev.lim, info->fw_version, sizeof(info->fw_version));
}

static int ornic_ethtool_get_link_ksettings(struct net_device *netdev,
					    struct ethtool_link_ksettings *cmd)
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

static void ornic_ethtool_get_ringparam(struct net_device *netdev, struct ethtool_ringparam *ring,
					struct kernel_ethtool_ringparam *kernel_ring,
					struct netlink_ext_ack *extack)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	const struct ornic_limits *lim = &nd->core->odev.lim;

	ring->tx_max_pending = min3(lim->max_sq_slots, lim->max_cqe, ORNIC_TX_SLOTS_MAX);
	ring->rx_max_pending = min3(lim->max_rq_wqes, lim->max_cqe, ORNIC_RX_WQES_MAX);
	ring->tx_pending = nd->config.tx_slots;
	ring->rx_pending = nd->config.rx_wqes;
}

static int ornic_ethtool_set_ringparam(struct net_device *netdev, struct ethtool_ringparam *ring,
				       struct kernel_ethtool_ringparam *kernel_ring,
				       struct netlink_ext_ack *extack)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	struct ornic_config to = nd->config;

	if (!is_power_of_2(ring->tx_pending) || ring->tx_pending < ORNIC_TX_SLOTS_MIN ||
	    !is_power_of_2(ring->rx_pending) || ring->rx_pending < ORNIC_RX_WQES_MIN) {
		NL_SET_ERR_MSG_FMT_MOD(extack, "%u tx, %u rx: powers of two from %u tx, %u rx",
				       ring->tx_pending, ring->rx_pending, ORNIC_TX_SLOTS_MIN,
				       ORNIC_RX_WQES_MIN);
		return -EINVAL;
	}

	if (ring->tx_pending == to.tx_slots && ring->rx_pending == to.rx_wqes)
		return 0;

	to.tx_slots = ring->tx_pending;
	to.rx_wqes = ring->rx_pending;
	return ornic_config_change(nd, &to, extack);
}

static void ornic_ethtool_get_channels(struct net_device *netdev, struct ethtool_channels *channels)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	channels->max_combined = nd->max_queues;
	channels->combined_count = nd->config.num_queues;
}

static int ornic_ethtool_set_channels(struct net_device *netdev, struct ethtool_channels *channels)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	struct ornic_config to = nd->config;

	if (channels->combined_count == to.num_queues)
		return 0;

	to.num_queues = channels->combined_count;
	return ornic_config_change(nd, &to, NULL);
}

/* ---- Interrupt moderation ------------------------------------------------ */

static int ornic_ethtool_read_coalesce(struct ornic_netdev *nd, u32 queue,
				       struct ethtool_coalesce *values,
				       struct netlink_ext_ack *extack)
{
	const struct ornic_coalesce *coalesce = &nd->coalesce[queue];

	if (!(nd->core->odev.lim.features & ORNIC_FEAT_CQ_MODERATION)) {
		NL_SET_ERR_MSG_MOD(extack, "the device does not moderate interrupts");
		return -EOPNOTSUPP;
	}

	values->rx_coalesce_usecs = coalesce->rx.usecs;
	values->rx_max_coalesced_frames = coalesce->rx.frames;
	values->tx_coalesce_usecs = coalesce->tx.usecs;
	values->tx_max_coalesced_frames = coalesce->tx.frames;
	return 0;
}

/* The device does not wait for completions without a limit of the time */
static bool ornic_ethtool_moderation_valid(u32 usecs, u32 frames)
{
	return usecs <= U16_MAX && frames <= U16_MAX && (usecs || frames <= 1);
}

/*
 * Sets queues @from to @to - 1, or none of them; those that do not exist get
 * the values when they are created. The network stack has read the values
 * before, so the device has FEAT_CQ_MODERATION.
 */
static int ornic_ethtool_write_coalesce(struct ornic_netdev *nd, u32 from, u32 to,
					const struct ethtool_coalesce *values,
					struct netlink_ext_ack *extack)
{
	const struct ornic_coalesce coalesce = {
		.rx = { values->rx_coalesce_usecs, values->rx_max_coalesced_frames },
		.tx = { values->tx_coalesce_usecs, values->tx_max_coalesced_frames },
	};
	u32 live = nd->open ? min(to, nd->config.num_queues) : 0;
	u32 i;
	int err;

	if (!ornic_ethtool_moderation_valid(values->rx_coalesce_usecs,
					    values->rx_max_coalesced_frames) ||
	    !ornic_ethtool_moderation_valid(values->tx_coalesce_usecs,
					    values->tx_max_coalesced_frames)) {
		NL_SET_ERR_MSG_FMT_MOD(extack,
				       "times and frames are %u at most, and frames need a time",
				       U16_MAX);
		return -EINVAL;
	}

	for (i = from; i < live; i++) {
		err = ornic_queue_moderate(nd->queues[i], &coalesce);
		if (err) {
			NL_SET_ERR_MSG_FMT_MOD(extack, "queue %u: MODIFY_CQ failed", i);
			goto err_restore;
		}
	}

	for (i = from; i < to; i++)
		nd->coalesce[i] = coalesce;
	return 0;

err_restore:
	/* Also of queue i, whose receives may have the new values */
	do {
		ornic_queue_moderate(nd->queues[i], &nd->coalesce[i]);
	} while (i-- > from);
	return err;
}

static int ornic_ethtool_get_coalesce(struct net_device *netdev, struct ethtool_coalesce *values,
				      struct kernel_ethtool_coalesce *kernel_values,
				      struct netlink_ext_ack *extack)
{
	return ornic_ethtool_read_coalesce(netdev_priv(netdev), 0, values, extack);
}

static int ornic_ethtool_set_coalesce(struct net_device *netdev, struct ethtool_coalesce *values,
				      struct kernel_ethtool_coalesce *kernel_values,
				      struct netlink_ext_ack *extack)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	return ornic_ethtool_write_coalesce(nd, 0, nd->max_queues, values, extack);
}

static bool ornic_ethtool_has_queue(struct ornic_netdev *nd, u32 queue)
{
	if (queue < nd->config.num_queues)
		return true;

	netdev_dbg(nd->netdev, "queue %u of %u\n", queue, nd->config.num_queues);
	return false;
}

static int ornic_ethtool_get_queue_coalesce(struct net_device *netdev, u32 queue,
					    struct ethtool_coalesce *values)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	if (!ornic_ethtool_has_queue(nd, queue))
		return -EINVAL;

	return ornic_ethtool_read_coalesce(nd, queue, values, NULL);
}

static int ornic_ethtool_set_queue_coalesce(struct net_device *netdev, u32 queue,
					    struct ethtool_coalesce *values)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	if (!ornic_ethtool_has_queue(nd, queue))
		return -EINVAL;

	return ornic_ethtool_write_coalesce(nd, queue, queue + 1, values, NULL);
}

/* ---- Receive side scaling ------------------------------------------------ */

static u32 ornic_ethtool_get_rx_ring_count(struct net_device *netdev)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	return nd->config.num_queues;
}

static u32 ornic_ethtool_get_rxfh_key_size(struct net_device *netdev)
{
	return ORNIC_RSS_KEY_LEN;
}

static u32 ornic_ethtool_get_rxfh_indir_size(struct net_device *netdev)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	return nd->rss.entries;
}

static int ornic_ethtool_get_rxfh(struct net_device *netdev, struct ethtool_rxfh_param *rxfh)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	rxfh->hfunc = ETH_RSS_HASH_TOP;
	if (rxfh->indir)
		memcpy(rxfh->indir, nd->rss.table, nd->rss.entries * sizeof(*rxfh->indir));
	if (rxfh->key)
		memcpy(rxfh->key, nd->rss.key, sizeof(nd->rss.key));
	return 0;
}

/* Restores @old if the device refuses the new nd->rss */
static int ornic_ethtool_apply_rss(struct ornic_netdev *nd, const struct ornic_rss *old,
				   struct netlink_ext_ack *extack)
{
	int err = ornic_rss_apply(nd);

	if (err) {
		NL_SET_ERR_MSG_MOD(extack, "the device refused command SET_RX_QUEUES");
		nd->rss = *old;
	}
	return err;
}

static int ornic_ethtool_set_rxfh(struct net_device *netdev, struct ethtool_rxfh_param *rxfh,
				  struct netlink_ext_ack *extack)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	struct ornic_rss old = nd->rss;

	if (rxfh->hfunc != ETH_RSS_HASH_NO_CHANGE && rxfh->hfunc != ETH_RSS_HASH_TOP) {
		NL_SET_ERR_MSG_FMT_MOD(extack, "hash function %#x: only Toeplitz is supported",
				       rxfh->hfunc);
		return -EOPNOTSUPP;
	}

	if (rxfh->indir)
		memcpy(nd->rss.table, rxfh->indir, nd->rss.entries * sizeof(*rxfh->indir));
	if (rxfh->key)
		memcpy(nd->rss.key, rxfh->key, sizeof(nd->rss.key));
	return ornic_ethtool_apply_rss(nd, &old, extack);
}

#define ORNIC_RXH_ADDRS	(RXH_IP_SRC | RXH_IP_DST)
#define ORNIC_RXH_PORTS	(RXH_L4_B_0_1 | RXH_L4_B_2_3)

/* Gets the SET_RX_QUEUES bits of a flow type; ports is 0 if it has none */
static int ornic_ethtool_rxfh_bits(u32 flow_type, u32 *addrs, u32 *ports)
{
	*ports = 0;
	switch (flow_type) {
	case TCP_V4_FLOW:
	case TCP_V6_FLOW:
		*ports = ORNIC_HASH_TCP;
		break;
	case UDP_V4_FLOW:
	case UDP_V6_FLOW:
		*ports = ORNIC_HASH_UDP;
		break;
	}

	switch (flow_type) {
	case TCP_V4_FLOW:
	case UDP_V4_FLOW:
	case IPV4_FLOW:
		*addrs = ORNIC_HASH_IPV4;
		return 0;
	case TCP_V6_FLOW:
	case UDP_V6_FLOW:
	case IPV6_FLOW:
		*addrs = ORNIC_HASH_IPV6;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int ornic_ethtool_get_rxfh_fields(struct net_device *netdev,
					 struct ethtool_rxfh_fields *fields)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	u32 addrs, ports;

	fields->data = 0;
	/* Other packets are not hashed */
	if (ornic_ethtool_rxfh_bits(fields->flow_type, &addrs, &ports) || !(nd->rss.hash & addrs))
		return 0;

	fields->data = ORNIC_RXH_ADDRS;
	if (nd->rss.hash & ports)
		fields->data |= ORNIC_RXH_PORTS;
	return 0;
}

/*
 * The device hashes the addresses of all IPv4 packets or of none, and likewise
 * for IPv6. It hashes both ports of TCP, or of UDP, or none. It may be unable
 * to hash some of these ([ORNIC-DEV-17]).
 */
static int ornic_ethtool_set_rxfh_fields(struct net_device *netdev,
					 const struct ethtool_rxfh_fields *fields,
					 struct netlink_ext_ack *extack)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	struct ornic_rss old = nd->rss;
	u32 addrs, ports, lacks;

	if (ornic_ethtool_rxfh_bits(fields->flow_type, &addrs, &ports)) {
		NL_SET_ERR_MSG_FMT_MOD(extack,
				       "flow type %#x: only IPv4, IPv6, TCP and UDP are hashed",
				       fields->flow_type);
		return -EOPNOTSUPP;
	}

	switch (fields->data) {
	case 0:
		if (ports) {
			NL_SET_ERR_MSG_MOD(extack, "addresses are hashed of all packets or none");
			return -EOPNOTSUPP;
		}
		nd->rss.hash &= ~addrs;
		break;
	case ORNIC_RXH_ADDRS:
		if (ports && !(nd->rss.hash & addrs)) {
			NL_SET_ERR_MSG_MOD(extack, "addresses are hashed of all packets or none");
			return -EOPNOTSUPP;
		}
		nd->rss.hash |= addrs;
		nd->rss.hash &= ~ports;
		break;
	case ORNIC_RXH_ADDRS | ORNIC_RXH_PORTS:
		if (!ports || !(nd->rss.hash & addrs)) {
			NL_SET_ERR_MSG_MOD(extack, "ports are hashed with addresses");
			return -EOPNOTSUPP;
		}
		nd->rss.hash |= ports;
		break;
	default:
		NL_SET_ERR_MSG_MOD(extack, "addresses and ports are hashed in pairs, and no more");
		return -EOPNOTSUPP;
	}

	lacks = nd->rss.hash & ~nd->core->odev.lim.rx_hash_types;
	if (lacks) {
		nd->rss = old;
		NL_SET_ERR_MSG_FMT_MOD(extack, "the device cannot hash %s",
				       lacks & addrs ? "these addresses" : "these ports");
		return -EOPNOTSUPP;
	}

	return ornic_ethtool_apply_rss(nd, &old, extack);
}

/* ---- Rules --------------------------------------------------------------- */

static int ornic_ethtool_get_rxnfc(struct net_device *netdev,
				   struct ethtool_rxnfc *info, u32 *locations)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	int count;

	if (!nd->max_flows)
		return -EOPNOTSUPP;

	switch (info->cmd) {
	case ETHTOOL_GRXCLSRLCNT:
		info->rule_cnt = ornic_flow_list(nd, NULL, 0);
		info->data = nd->max_flows;
		return 0;
	case ETHTOOL_GRXCLSRULE:
		return ornic_flow_get(nd, &info->fs);
	case ETHTOOL_GRXCLSRLALL:
		count = ornic_flow_list(nd, locations, info->rule_cnt);
		if (count < 0)
			return count;
		info->rule_cnt = count;
		info->data = nd->max_flows;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int ornic_ethtool_set_rxnfc(struct net_device *netdev, struct ethtool_rxnfc *info)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	if (!nd->max_flows)
		return -EOPNOTSUPP;

	switch (info->cmd) {
	case ETHTOOL_SRXCLSRLINS:
		return ornic_flow_insert(nd, &info->fs);
	case ETHTOOL_SRXCLSRLDEL:
		return ornic_flow_remove(nd, info->fs.location);
	default:
		return -EOPNOTSUPP;
	}
}

/* ---- Time stamps --------------------------------------------------------- */

/* Only completions of verbs have hardware time stamps, frames have none */
static int ornic_ethtool_get_ts_info(struct net_device *netdev, struct kernel_ethtool_ts_info *info)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	ethtool_op_get_ts_info(netdev, info);
	if (nd->core->clock.ptp)
		info->phc_index = ptp_clock_index(nd->core->clock.ptp);
	return 0;
}

/* ---- Counters ------------------------------------------------------------ */

static int ornic_ethtool_get_sset_count(struct net_device *netdev, int sset)
{
	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;

	return ORNIC_ETHTOOL_DEVICE_STATS + ARRAY_SIZE(ornic_xdp_stat_names);
}

static void ornic_ethtool_get_strings(struct net_device *netdev, u32 sset, u8 *data)
{
	u32 i;

	if (sset != ETH_SS_STATS)
		return;

	for (i = 0; i < ARRAY_SIZE(ornic_port_stats); i++)
		ethtool_puts(&data, ornic_port_stats[i].name);
	for (i = 0; i < ORNIC_DEVICE_STAT_COUNT; i++)
		ethtool_puts(&data, ornic_device_stat_names[i]);
	for (i = 0; i < ARRAY_SIZE(ornic_xdp_stat_names); i++)
		ethtool_puts(&data, ornic_xdp_stat_names[i]);
}

/* Counters that the device cannot report now stay as they were read last */
static void ornic_ethtool_query_stats(struct ornic_netdev *nd)
{
	const struct ornic_query_stats_in in[] = {
		{ .scope = cpu_to_le32(ORNIC_STATS_PORT) },
		{ .scope = cpu_to_le32(ORNIC_STATS_DEVICE) },
	};
	__le64 port[ORNIC_PORT_STAT_COUNT], device[ORNIC_DEVICE_STAT_COUNT];
	struct ornic_cmd_req reqs[] = {
		{
			.opcode = ORNIC_CMD_QUERY_STATS,
			.in = &in[0],
			.in_len = sizeof(in[0]),
			.out = port,
			.out_len = sizeof(port),
			.urgent = true,
		}, {
			.opcode = ORNIC_CMD_QUERY_STATS,
			.in = &in[1],
			.in_len = sizeof(in[1]),
			.out = device,
			.out_len = sizeof(device),
			.urgent = true,
		},
	};
	u64 *data = nd->device_stats;
	u32 i;

	ornic_cmd_exec_all(ornic_nd_dev(nd), reqs, ARRAY_SIZE(reqs));
	for (i = 0; i < ARRAY_SIZE(ornic_port_stats) && !reqs[0].err; i++)
		data[i] = le64_to_cpu(port[ornic_port_stats[i].stat]);
	for (i = 0; i < ORNIC_DEVICE_STAT_COUNT && !reqs[1].err; i++)
		data[ARRAY_SIZE(ornic_port_stats) + i] = le64_to_cpu(device[i]);
}

/* Sums over all queues, in the order of ornic_xdp_stat_names */
static void ornic_ethtool_sum_xdp_stats(const struct ornic_netdev *nd, u64 *data)
{
	u64 counts[ORNIC_XDP_STAT_COUNT], xmit;
	unsigned int start;
	u32 queue, i;

	for (queue = 0; queue < nd->max_queues; queue++) {
		const struct ornic_rx_stats *rx = &nd->stats[queue].rx;
		const struct ornic_tx_stats *tx = &nd->stats[queue].tx;

		do {
			start = u64_stats_fetch_begin(&rx->syncp);
			for (i = 0; i < ORNIC_XDP_STAT_COUNT; i++)
				counts[i] = u64_stats_read(&rx->xdp[i]);
		} while (u64_stats_fetch_retry(&rx->syncp, start));

		do {
			start = u64_stats_fetch_begin(&tx->xmit_syncp);
			xmit = u64_stats_read(&tx->xdp_xmit);
		} while (u64_stats_fetch_retry(&tx->xmit_syncp, start));

		for (i = 0; i < ORNIC_XDP_STAT_COUNT; i++)
			data[i] += counts[i];
		data[i] += xmit;
	}
}

static void ornic_ethtool_get_stats(struct net_device *netdev, struct ethtool_stats *stats,
				    u64 *data)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	ornic_ethtool_query_stats(nd);
	memcpy(data, nd->device_stats, sizeof(nd->device_stats));
	data += ORNIC_ETHTOOL_DEVICE_STATS;
	memset(data, 0, sizeof(*data) * ARRAY_SIZE(ornic_xdp_stat_names));
	ornic_ethtool_sum_xdp_stats(nd, data);
}

/* The frames of RDMA are among them */
static void ornic_ethtool_get_eth_mac_stats(struct net_device *netdev,
					    struct ethtool_eth_mac_stats *stats)
{
	__le64 port[ORNIC_PORT_STAT_COUNT];

	if (ornic_port_query_stats_cmd(netdev_priv(netdev), port))
		return;

	stats->FramesTransmittedOK = le64_to_cpu(port[ORNIC_PORT_STAT_tx_frames]);
	stats->OctetsTransmittedOK = le64_to_cpu(port[ORNIC_PORT_STAT_tx_bytes]);
	stats->FramesReceivedOK = le64_to_cpu(port[ORNIC_PORT_STAT_rx_frames]);
	stats->OctetsReceivedOK = le64_to_cpu(port[ORNIC_PORT_STAT_rx_bytes]);
	stats->MulticastFramesReceivedOK = le64_to_cpu(port[ORNIC_PORT_STAT_rx_multicast]);
	stats->BroadcastFramesReceivedOK = le64_to_cpu(port[ORNIC_PORT_STAT_rx_broadcast]);
}

const struct ethtool_ops ornic_ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_USECS | ETHTOOL_COALESCE_MAX_FRAMES,
	.get_drvinfo		= ornic_ethtool_get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_link_ksettings	= ornic_ethtool_get_link_ksettings,
	.get_coalesce		= ornic_ethtool_get_coalesce,
	.set_coalesce		= ornic_ethtool_set_coalesce,
	.get_per_queue_coalesce	= ornic_ethtool_get_queue_coalesce,
	.set_per_queue_coalesce	= ornic_ethtool_set_queue_coalesce,
	.get_ringparam		= ornic_ethtool_get_ringparam,
	.set_ringparam		= ornic_ethtool_set_ringparam,
	.get_channels		= ornic_ethtool_get_channels,
	.set_channels		= ornic_ethtool_set_channels,
	.get_rxnfc		= ornic_ethtool_get_rxnfc,
	.set_rxnfc		= ornic_ethtool_set_rxnfc,
	.get_rx_ring_count	= ornic_ethtool_get_rx_ring_count,
	.get_rxfh_key_size	= ornic_ethtool_get_rxfh_key_size,
	.get_rxfh_indir_size	= ornic_ethtool_get_rxfh_indir_size,
	.get_rxfh		= ornic_ethtool_get_rxfh,
	.set_rxfh		= ornic_ethtool_set_rxfh,
	.get_rxfh_fields	= ornic_ethtool_get_rxfh_fields,
	.set_rxfh_fields	= ornic_ethtool_set_rxfh_fields,
	.get_sset_count		= ornic_ethtool_get_sset_count,
	.get_strings		= ornic_ethtool_get_strings,
	.get_ethtool_stats	= ornic_ethtool_get_stats,
	.get_eth_mac_stats	= ornic_ethtool_get_eth_mac_stats,
	.get_ts_info		= ornic_ethtool_get_ts_info,
};
