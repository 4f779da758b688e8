// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The Ethernet interface: operations called by the network stack */
#include <linux/log2.h>
#include <linux/rtnetlink.h>
#include <net/netdev_queues.h>

#include "cmd.h"
#include "ethtool.h"
#include "netdev.h"
#include "port.h"
#include "profile.h"

#define ORNIC_TX_TIMEOUT	(15 * HZ)

/* The device sets CWR in the first segment only, as NETIF_F_TSO_ECN requires */
#define ORNIC_TSO_FEATURES	(NETIF_F_TSO | NETIF_F_TSO6 | NETIF_F_TSO_ECN)

/* ---- Link ---------------------------------------------------------------- */

static void ornic_netdev_update_link(struct ornic_netdev *nd)
{
	struct ornic_query_port_out port;

	/* A dead device is reported where it is found */
	if (ornic_port_query_cmd(nd, &port))
		return;

	WRITE_ONCE(nd->speed, le32_to_cpu(port.speed));
	if (port.link)
		netif_carrier_on(nd->netdev);
	else
		netif_carrier_off(nd->netdev);
}

static void ornic_netdev_link_work(struct work_struct *work)
{
	struct ornic_netdev *nd = container_of(work, struct ornic_netdev, link_work);

	rtnl_lock();
	/* A stale event must not set the carrier of a closed interface */
	if (nd->open)
		ornic_netdev_update_link(nd);
	rtnl_unlock();
}

/**
 * ornic_netdev_port_event - the link of the port has changed
 * @netdev:	the interface; it exists while there are event queues
 *
 * Called in hard interrupt context.
 */
void ornic_netdev_port_event(struct net_device *netdev)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	queue_work(system_dfl_wq, &nd->link_work);
}

/* ---- Up and down --------------------------------------------------------- */

static int ornic_netdev_alloc_keys(struct ornic_netdev *nd)
{
	struct ornic_dev *odev = ornic_nd_dev(nd);
	struct ornic_create_mr_in in;
	int err;

	err = ornic_pd_alloc(odev, &nd->pdn);
	if (err)
		return err;

	in = (struct ornic_create_mr_in) {
		.pdn = cpu_to_le32(nd->pdn),
		.access = cpu_to_le32(ORNIC_ACCESS_LOCAL_WRITE),
		.type = ORNIC_MR_DMA,
	};
	err = ornic_cmd_create_as(odev, true, ORNIC_CMD_CREATE_MR, &in, sizeof(in), &nd->lkey);
	if (err)
		goto err_free_pd;

	return 0;

err_free_pd:
	ornic_pd_free(odev, nd->pdn);
	return err;
}

static void ornic_netdev_free_keys(struct ornic_netdev *nd)
{
	struct ornic_dev *odev = ornic_nd_dev(nd);

	ornic_cmd_release_as(odev, true, ORNIC_CMD_DESTROY_MR, nd->lkey);
	ornic_pd_free(odev, nd->pdn);
}

static void ornic_netdev_filter_fill(struct ornic_netdev *nd, struct netdev_hw_addr_list *uc,
				     struct netdev_hw_addr_list *mc)
{
	struct ornic_rx_filter_in *filter = nd->rx_filter;
	struct net_device *netdev = nd->netdev;
	struct netdev_hw_addr *ha;
	u32 flags = 0, count = 0;

	if (netdev->flags & IFF_PROMISC || netdev_hw_addr_list_count(uc) > ORNIC_RX_MACS_MAX)
		flags |= ORNIC_RX_PROMISC;
	if (netdev->flags & IFF_ALLMULTI ||
	    netdev_hw_addr_list_count(uc) + netdev_hw_addr_list_count(mc) > ORNIC_RX_MACS_MAX)
		flags |= ORNIC_RX_ALLMULTI;

	memset(filter, 0, struct_size(filter, macs, ORNIC_RX_MACS_MAX));
	if (!(flags & ORNIC_RX_PROMISC)) {
		netdev_hw_addr_list_for_each(ha, uc)
			ether_addr_copy(filter->macs[count++].mac, ha->addr);
	}
	if (!(flags & (ORNIC_RX_PROMISC | ORNIC_RX_ALLMULTI))) {
		netdev_hw_addr_list_for_each(ha, mc)
			ether_addr_copy(filter->macs[count++].mac, ha->addr);
	}

	filter->flags = cpu_to_le32(flags);
	filter->count = cpu_to_le32(count);
	nd->rx_filter_len = struct_size(filter, macs, count);
}

static int ornic_netdev_filter_cmd(struct ornic_netdev *nd)
{
	return ornic_cmd_exec_urgent(ornic_nd_dev(nd), ORNIC_CMD_SET_RX_FILTER, nd->rx_filter,
				     nd->rx_filter_len, NULL, 0);
}

/*
 * The network stack does not set the receive mode of a detached interface, nor
 * when the interface is attached again.
 */
static int ornic_netdev_filter_restore(struct ornic_netdev *nd)
{
	struct net_device *netdev = nd->netdev;

	netif_addr_lock_bh(netdev);
	ornic_netdev_filter_fill(nd, &netdev->uc, &netdev->mc);
	netif_addr_unlock_bh(netdev);

	return ornic_netdev_filter_cmd(nd);
}

/**
 * ornic_netdev_up - create the queues and open the port
 * @nd:		the interface
 *
 * Return: 0 or a negative error number.
 */
static int ornic_netdev_up(struct ornic_netdev *nd)
{
	struct net_device *netdev = nd->netdev;
	u32 count = nd->config.num_queues, i;
	int err;

	ASSERT_RTNL();

	err = ornic_netdev_alloc_keys(nd);
	if (err)
		return err;

	err = ornic_queues_create(nd, &nd->config, nd->queues);
	if (err)
		goto err_destroy_queues;

	err = ornic_netdev_filter_restore(nd);
	if (err)
		goto err_destroy_queues;

	err = ornic_rss_cmd(nd, nd->queues, &nd->rss, nd->rss.entries);
	if (err)
		goto err_destroy_queues;

	err = ornic_flows_create(nd);
	if (err)
		goto err_unset_rx_queues;

	err = ornic_port_modify_cmd(nd, ORNIC_PORT_MTU | ORNIC_PORT_MAC | ORNIC_PORT_UP,
				    netdev->mtu, netdev->dev_addr, true);
	if (err)
		goto err_destroy_flows;

	for (i = 0; i < count; i++) {
		netdev_tx_reset_subqueue(netdev, i);
		ornic_queue_enable(nd->queues[i]);
	}
	/* For XDP redirect and ndo_tx_timeout(), which load and acquire it */
	smp_store_release(&nd->open, true);
	netif_tx_start_all_queues(netdev);
	ornic_netdev_update_link(nd);
	return 0;

err_destroy_flows:
	ornic_flows_destroy(nd);
err_unset_rx_queues:
	ornic_rss_cmd(nd, nd->queues, &nd->rss, 0);
err_destroy_queues:
	ornic_queues_destroy(nd->queues, count);
	ornic_netdev_free_keys(nd);
	return err;
}

/**
 * ornic_netdev_down - close the port and destroy the queues
 * @nd:		the interface; it may be down already
 */
static void ornic_netdev_down(struct ornic_netdev *nd)
{
	struct net_device *netdev = nd->netdev;
	u32 i;

	ASSERT_RTNL();

	if (!nd->open)
		return;

	WRITE_ONCE(nd->open, false);
	netif_carrier_off(netdev);

	/* These fail only if the device is dead, and then it does no DMA */
	ornic_port_modify_cmd(nd, ORNIC_PORT_UP, 0, netdev->dev_addr, false);
	ornic_flows_destroy(nd);
	ornic_rss_cmd(nd, nd->queues, &nd->rss, 0);

	for (i = 0; i < nd->config.num_queues; i++)
		ornic_queue_disable(nd->queues[i]);

	/*
	 * Not before, because NAPI wakes queues. Holders of the locks of the
	 * queues, and ndo_tx_timeout(), may still see that the port is open;
	 * later takers cannot.
	 */
	netif_tx_disable(netdev);
	ornic_queues_destroy(nd->queues, nd->config.num_queues);
	ornic_netdev_free_keys(nd);
}

static int ornic_netdev_open(struct net_device *netdev)
{
	return ornic_netdev_up(netdev_priv(netdev));
}

static int ornic_netdev_close(struct net_device *netdev)
{
	ornic_netdev_down(netdev_priv(netdev));
	return 0;
}

/* ---- Settings ------------------------------------------------------------ */

static int ornic_netdev_set_rx_mode(struct net_device *netdev, struct netdev_hw_addr_list *uc,
				    struct netdev_hw_addr_list *mc)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	if (!nd->open)
		return 0;

	ornic_netdev_filter_fill(nd, uc, mc);
	return ornic_netdev_filter_cmd(nd);
}

static int ornic_netdev_set_mac_address(struct net_device *netdev, void *p)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	struct sockaddr *addr = p;
	int err;

	err = eth_prepare_mac_addr_change(netdev, p);
	if (err)
		return err;

	err = ornic_port_modify_cmd(nd, ORNIC_PORT_MAC, 0, addr->sa_data, false);
	if (err)
		return err;

	eth_commit_mac_addr_change(netdev, p);
	return 0;
}

static int ornic_netdev_change_mtu(struct net_device *netdev, int mtu)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	struct ornic_config to = nd->config;

	to.mtu = mtu;
	return ornic_config_change(nd, &to, NULL);
}

static int ornic_netdev_set_features(struct net_device *netdev, netdev_features_t features)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	struct ornic_config to = nd->config;

	to.strip_vlan = features & NETIF_F_HW_VLAN_CTAG_RX;
	return to.strip_vlan == nd->config.strip_vlan ? 0 : ornic_config_change(nd, &to, NULL);
}

static void ornic_netdev_tx_timeout(struct net_device *netdev, unsigned int txqueue)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	struct ornic_queue *queue;

	/*
	 * Stopped for long, but by close or reconfiguration; pairs with
	 * ornic_netdev_up().
	 */
	if (!smp_load_acquire(&nd->open))
		return;
	queue = READ_ONCE(nd->queues[txqueue]);
	if (!queue)
		return;

	ornic_queue_fail(queue, ORNIC_QUEUE_TX, "no send was completed for %u ms (pi %u, ci %u)",
			 netif_xmit_timeout_ms(netdev_get_tx_queue(netdev, txqueue)),
			 READ_ONCE(queue->tx.published), READ_ONCE(queue->tx.ci));
}

/* ---- Counters ------------------------------------------------------------ */

static void ornic_netdev_read_tx_stats(const struct ornic_tx_stats *tx,
				       struct netdev_queue_stats_tx *stats, u64 *dropped)
{
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&tx->syncp);
		stats->packets = u64_stats_read(&tx->packets);
		stats->bytes = u64_stats_read(&tx->bytes);
		stats->hw_gso_packets = u64_stats_read(&tx->gso_packets);
		stats->hw_gso_bytes = u64_stats_read(&tx->gso_bytes);
		stats->hw_gso_wire_packets = u64_stats_read(&tx->gso_segs);
		stats->hw_gso_wire_bytes = u64_stats_read(&tx->gso_seg_bytes);
		stats->wake = u64_stats_read(&tx->wake);
	} while (u64_stats_fetch_retry(&tx->syncp, start));

	do {
		start = u64_stats_fetch_begin(&tx->xmit_syncp);
		stats->stop = u64_stats_read(&tx->stop);
		*dropped = u64_stats_read(&tx->dropped);
	} while (u64_stats_fetch_retry(&tx->xmit_syncp, start));
}

static void ornic_netdev_read_rx_stats(const struct ornic_rx_stats *rx,
				       struct netdev_queue_stats_rx *stats, u64 *errors)
{
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&rx->syncp);
		stats->packets = u64_stats_read(&rx->packets);
		stats->bytes = u64_stats_read(&rx->bytes);
		stats->alloc_fail = u64_stats_read(&rx->alloc_fail);
		*errors = u64_stats_read(&rx->errors);
	} while (u64_stats_fetch_retry(&rx->syncp, start));
}

static void ornic_netdev_update_total(struct ornic_port_total *total, __le64 stat)
{
	u64 now = le64_to_cpu(stat);

	atomic64_add(now - total->read, &total->sum);
	total->read = now;
}

static void ornic_netdev_port_stats_work(struct work_struct *work)
{
	struct ornic_netdev *nd = container_of(to_delayed_work(work), struct ornic_netdev,
					       port_stats_work);
	__le64 stats[ORNIC_PORT_STAT_COUNT];

	if (ornic_port_query_stats_cmd(nd, stats))
		return;

	ornic_netdev_update_total(&nd->rx_missed, stats[ORNIC_PORT_STAT_rx_dropped_no_wqe]);
	ornic_netdev_update_total(&nd->tx_errors, stats[ORNIC_PORT_STAT_tx_errors]);
}

static void ornic_netdev_get_stats64(struct net_device *netdev, struct rtnl_link_stats64 *stats)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	u32 i;

	for (i = 0; i < nd->max_queues; i++) {
		struct netdev_queue_stats_tx tx;
		struct netdev_queue_stats_rx rx;
		u64 dropped, errors;

		ornic_netdev_read_tx_stats(&nd->stats[i].tx, &tx, &dropped);
		ornic_netdev_read_rx_stats(&nd->stats[i].rx, &rx, &errors);
		stats->tx_packets += tx.packets;
		stats->tx_bytes += tx.bytes;
		stats->tx_dropped += dropped;
		stats->rx_packets += rx.packets;
		stats->rx_bytes += rx.bytes;
		stats->rx_errors += errors;
	}

	/*
	 * Commands sleep: each read asks for what the next one reports, once
	 * per second at most.
	 */
	stats->rx_missed_errors = atomic64_read(&nd->rx_missed.sum);
	stats->tx_errors = atomic64_read(&nd->tx_errors.sum);
	queue_delayed_work(system_dfl_wq, &nd->port_stats_work, HZ);
}

static void ornic_netdev_get_queue_stats_rx(struct net_device *netdev, int idx,
					    struct netdev_queue_stats_rx *stats)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	u64 errors;

	ornic_netdev_read_rx_stats(&nd->stats[idx].rx, stats, &errors);
}

static void ornic_netdev_get_queue_stats_tx(struct net_device *netdev, int idx,
					    struct netdev_queue_stats_tx *stats)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	u64 dropped;

	ornic_netdev_read_tx_stats(&nd->stats[idx].tx, stats, &dropped);
}

/*
 * Sums up the counters of queues that are not in use. Members that no queue has
 * stay as they are: the core reports only those that are set here.
 */
static void ornic_netdev_get_base_stats(struct net_device *netdev, struct netdev_queue_stats_rx *rx,
					struct netdev_queue_stats_tx *tx)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	u32 i;

	rx->packets = 0;
	rx->bytes = 0;
	rx->alloc_fail = 0;
	tx->packets = 0;
	tx->bytes = 0;
	tx->hw_gso_packets = 0;
	tx->hw_gso_bytes = 0;
	tx->hw_gso_wire_packets = 0;
	tx->hw_gso_wire_bytes = 0;
	tx->stop = 0;
	tx->wake = 0;
	for (i = netdev->real_num_rx_queues; i < nd->max_queues; i++) {
		struct netdev_queue_stats_rx queue_rx;
		struct netdev_queue_stats_tx queue_tx;
		u64 ignored;

		ornic_netdev_read_rx_stats(&nd->stats[i].rx, &queue_rx, &ignored);
		rx->packets += queue_rx.packets;
		rx->bytes += queue_rx.bytes;
		rx->alloc_fail += queue_rx.alloc_fail;

		ornic_netdev_read_tx_stats(&nd->stats[i].tx, &queue_tx, &ignored);
		tx->packets += queue_tx.packets;
		tx->bytes += queue_tx.bytes;
		tx->hw_gso_packets += queue_tx.hw_gso_packets;
		tx->hw_gso_bytes += queue_tx.hw_gso_bytes;
		tx->hw_gso_wire_packets += queue_tx.hw_gso_wire_packets;
		tx->hw_gso_wire_bytes += queue_tx.hw_gso_wire_bytes;
		tx->stop += queue_tx.stop;
		tx->wake += queue_tx.wake;
	}
}

static const struct netdev_stat_ops ornic_stat_ops = {
	.get_queue_stats_rx	= ornic_netdev_get_queue_stats_rx,
	.get_queue_stats_tx	= ornic_netdev_get_queue_stats_tx,
	.get_base_stats		= ornic_netdev_get_base_stats,
};

static const struct net_device_ops ornic_netdev_ops = {
	.ndo_open		= ornic_netdev_open,
	.ndo_stop		= ornic_netdev_close,
	.ndo_start_xmit		= ornic_tx_start_xmit,
	.ndo_features_check	= ornic_tx_features_check,
	.ndo_set_rx_mode_async	= ornic_netdev_set_rx_mode,
	.ndo_set_mac_address	= ornic_netdev_set_mac_address,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_change_mtu		= ornic_netdev_change_mtu,
	.ndo_set_features	= ornic_netdev_set_features,
	.ndo_tx_timeout		= ornic_netdev_tx_timeout,
	.ndo_get_stats64	= ornic_netdev_get_stats64,
	.ndo_bpf		= ornic_config_bpf,
	.ndo_xdp_xmit		= ornic_xdp_xmit,
};

/* ---- Lifetime ------------------------------------------------------------ */

/**
 * ornic_netdev_alloc - allocate the interface
 * @core:	the device; it has interrupts, but commands do not work yet
 *
 * Return: 0 or -ENOMEM.
 */
int ornic_netdev_alloc(struct ornic_core *core)
{
	u32 queues = core->odev.num_comp_vectors;
	struct net_device *netdev;
	struct ornic_netdev *nd;
	u32 i;

	netdev = alloc_etherdev_mqs(sizeof(*nd), queues, queues);
	if (!netdev)
		return -ENOMEM;

	SET_NETDEV_DEV(netdev, ornic_device(core));
	nd = netdev_priv(netdev);
	nd->netdev = netdev;
	nd->core = core;
	INIT_WORK(&nd->link_work, ornic_netdev_link_work);
	INIT_DELAYED_WORK(&nd->port_stats_work, ornic_netdev_port_stats_work);
	xa_init(&nd->flows);

	nd->rx_filter = kzalloc_flex(*nd->rx_filter, macs, ORNIC_RX_MACS_MAX);
	if (!nd->rx_filter)
		goto err_free_netdev;

	nd->max_queues = queues;
	nd->stats = kvzalloc_objs(*nd->stats, queues);
	if (!nd->stats)
		goto err_free_rx_filter;

	nd->coalesce = kvzalloc_objs(*nd->coalesce, queues);
	if (!nd->coalesce)
		goto err_free_stats;

	nd->queues = kvzalloc_objs(*nd->queues, queues);
	if (!nd->queues)
		goto err_free_coalesce;

	for (i = 0; i < queues; i++) {
		u64_stats_init(&nd->stats[i].tx.syncp);
		u64_stats_init(&nd->stats[i].tx.xmit_syncp);
		u64_stats_init(&nd->stats[i].rx.syncp);
	}

	core->odev.netdev = netdev;
	return 0;

err_free_coalesce:
	kvfree(nd->coalesce);
err_free_stats:
	kvfree(nd->stats);
err_free_rx_filter:
	kfree(nd->rx_filter);
err_free_netdev:
	free_netdev(netdev);
	return -ENOMEM;
}

/**
 * ornic_netdev_free - free the interface
 * @netdev:	the interface, not registered; events do not arrive any more
 */
void ornic_netdev_free(struct net_device *netdev)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	disable_work_sync(&nd->link_work);
	disable_delayed_work_sync(&nd->port_stats_work);
	ornic_flows_free(nd);
	kvfree(nd->queues);
	kvfree(nd->coalesce);
	kvfree(nd->stats);
	kfree(nd->rx_filter);
	free_netdev(netdev);
}

static int ornic_netdev_init(struct ornic_netdev *nd)
{
	const struct ornic_limits *lim = &nd->core->odev.lim;
	struct net_device *netdev = nd->netdev;
	struct ornic_query_port_out port;
	int err;

	/*
	 * [ORNIC-PROF-2]. RoCE has the addresses of an interface: without one
	 * there is no RDMA device either.
	 */
	if (!(nd->core->profiles & ORNIC_PROFILE_ETHERNET)) {
		dev_err(ornic_device(nd->core),
			"no interface, and no RDMA device: the Ethernet profile is %s\n",
			ornic_profile_lack(nd->core, ORNIC_PROFILE_ETHERNET));
		return -ENODEV;
	}

	err = ornic_port_query_cmd(nd, &port);
	if (err) {
		dev_err(ornic_device(nd->core), "QUERY_PORT failed: error %d\n",
			err);
		return err;
	}

	if (is_valid_ether_addr(port.mac))
		eth_hw_addr_set(netdev, port.mac);
	else
		eth_hw_addr_random(netdev);

	nd->rss.entries = rounddown_pow_of_two(min(lim->max_rx_queues, ORNIC_RSS_ENTRIES));
	nd->max_queues = min(nd->max_queues, nd->rss.entries);
	nd->config = (struct ornic_config) {
		.num_queues = min_t(u32, nd->max_queues,
				    netif_get_num_default_rss_queues()),
		.tx_slots = min3(lim->max_sq_slots, lim->max_cqe, ORNIC_TX_SLOTS_DEFAULT),
		.rx_wqes = min3(lim->max_rq_wqes, lim->max_cqe, ORNIC_RX_WQES_DEFAULT),
		.mtu = netdev->mtu,
		.strip_vlan = lim->wq_flags & ORNIC_WQ_CVLAN_STRIPPING,
	};
	nd->rss.hash = lim->rx_hash_types &
		       (ORNIC_HASH_IPV4 | ORNIC_HASH_IPV6 | ORNIC_HASH_TCP | ORNIC_HASH_UDP);
	netdev_rss_key_fill(nd->rss.key, sizeof(nd->rss.key));
	ornic_rss_init_table(&nd->rss, nd->config.num_queues);

	if (lim->features & ORNIC_FEAT_FLOW)
		nd->max_flows = min(lim->max_flows, ORNIC_FLOWS_MAX);

	netdev->min_mtu = ETH_MIN_MTU;
	nd->max_mtu = min(le32_to_cpu(port.max_mtu), ornic_rx_max_mtu(lim->max_sge));
	netdev->max_mtu = nd->max_mtu;
	if (netdev->max_mtu < ETH_DATA_LEN) {
		dev_err(ornic_device(nd->core), "MTU of %u at most is too small\n",
			netdev->max_mtu);
		return -ENODEV;
	}

	return 0;
}

/**
 * ornic_netdev_register - register the interface with the network stack
 * @netdev:	the interface; commands work
 *
 * Return: 0 or a negative error number.
 */
int ornic_netdev_register(struct net_device *netdev)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	const struct ornic_limits *lim = &nd->core->odev.lim;
	int err;

	err = ornic_netdev_init(nd);
	if (err)
		return err;

	netdev->netdev_ops = &ornic_netdev_ops;
	netdev->ethtool_ops = &ornic_ethtool_ops;
	netdev->stat_ops = &ornic_stat_ops;
	netdev->watchdog_timeo = ORNIC_TX_TIMEOUT;
	netdev->priv_flags |= IFF_UNICAST_FLT | IFF_LIVE_ADDR_CHANGE;
	netdev->hw_features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_RXCSUM | NETIF_F_RXHASH |
			      NETIF_F_HW_VLAN_CTAG_TX;
	if (nd->config.strip_vlan)
		netdev->hw_features |= NETIF_F_HW_VLAN_CTAG_RX;
	netdev->vlan_features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_HIGHDMA;
	if (lim->features & ORNIC_FEAT_TSO) {
		netdev->hw_features |= ORNIC_TSO_FEATURES;
		netdev->vlan_features |= ORNIC_TSO_FEATURES;
		netif_set_tso_max_size(netdev, lim->max_tso);
	}
	netdev->features = netdev->hw_features | NETIF_F_HIGHDMA;
	/* Always on: users who want no rules delete them */
	if (nd->max_flows)
		netdev->features |= NETIF_F_NTUPLE;

	netdev->xdp_features = NETDEV_XDP_ACT_BASIC | NETDEV_XDP_ACT_REDIRECT |
			       NETDEV_XDP_ACT_NDO_XMIT;

	/* register_netdev() sets the node too late */
	set_dev_node(&netdev->dev, dev_to_node(ornic_device(nd->core)));
	netif_set_affinity_auto(netdev);

	err = netif_set_real_num_queues(netdev, nd->config.num_queues,
					nd->config.num_queues);
	if (err)
		return err;

	netif_carrier_off(netdev);
	return register_netdev(netdev);
}

/**
 * ornic_netdev_unregister - unregister the interface
 * @netdev:	the interface
 */
void ornic_netdev_unregister(struct net_device *netdev)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	/* Events may still arrive, but the link must not change any more */
	disable_work_sync(&nd->link_work);
	unregister_netdev(netdev);
	disable_delayed_work_sync(&nd->port_stats_work);
}

/**
 * ornic_netdev_attach - resume operation after a reset
 * @netdev:	the interface; commands work
 *
 * Return: 0 or a negative error number.
 */
int ornic_netdev_attach(struct net_device *netdev)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	int err = 0;

	rtnl_lock();
	if (netif_running(netdev))
		err = ornic_netdev_up(nd);
	if (!err) {
		/* Counters of the device begin with 0 again */
		nd->rx_missed.read = 0;
		nd->tx_errors.read = 0;
		enable_delayed_work(&nd->port_stats_work);
		netif_device_attach(netdev);
	}
	rtnl_unlock();

	return err;
}

/**
 * ornic_netdev_detach - detach the interface, destroy its queues for a reset
 * @netdev:	the interface
 */
void ornic_netdev_detach(struct net_device *netdev)
{
	struct ornic_netdev *nd = netdev_priv(netdev);

	rtnl_lock();
	netif_device_detach(netdev);
	ornic_netdev_down(nd);
	rtnl_unlock();
	disable_delayed_work_sync(&nd->port_stats_work);
}
