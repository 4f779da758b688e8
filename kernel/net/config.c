// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reconfiguration of the queue pairs: number, ring sizes, MTU, VLAN tags and
 * XDP. While the interface is open, new queue pairs replace the old ones: RDMA
 * shares the port, which therefore stays up. Steps that can fail come first and
 * are undone on error; the old queue pairs run until then. A queue pair that
 * has failed is replaced alone in the same way.
 */
#include <linux/bpf.h>
#include <linux/delay.h>

#include "netdev.h"
#include "port.h"

/* Queue pairs that are replaced together get 100 to 200 ms to finish */
#define ORNIC_CONFIG_FINISH_US		500
#define ORNIC_CONFIG_FINISH_TRIES	200

/* Directs received frames to other queues; on error nothing changes */
static int ornic_config_switch_receive(struct ornic_netdev *nd, struct ornic_queue *const *queues,
				       const struct ornic_config *to, const struct ornic_rss *rss)
{
	int err;

	err = ornic_rss_cmd(nd, queues, rss, rss->entries);
	if (err)
		return err;

	err = ornic_flows_move(nd, nd->queues, queues, to->num_queues);
	if (err)
		ornic_rss_cmd(nd, nd->queues, &nd->rss, nd->rss.entries);
	return err;
}

/*
 * Undoing repeats commands that have succeeded before. They fail only if the
 * device is dead, and then it is reset.
 */
static void ornic_config_switch_receive_back(struct ornic_netdev *nd,
					     struct ornic_queue *const *queues)
{
	ornic_rss_cmd(nd, nd->queues, &nd->rss, nd->rss.entries);
	ornic_flows_move(nd, queues, nd->queues, nd->config.num_queues);
}

static int ornic_config_set_port_mtu(struct ornic_netdev *nd, u32 mtu)
{
	return ornic_port_modify_cmd(nd, ORNIC_PORT_MTU, mtu, nd->netdev->dev_addr, false);
}

/* A frame too long for the port stops the queue: send pending frames first */
static int ornic_config_lower_mtu(struct ornic_netdev *nd, u32 mtu)
{
	struct net_device *netdev = nd->netdev;
	int err = 0;
	u32 i;

	WRITE_ONCE(netdev->mtu, mtu);
	for (i = 0; i < nd->config.num_queues && !err; i++)
		err = ornic_tx_wait(nd->queues[i]);
	if (!err)
		err = ornic_config_set_port_mtu(nd, mtu);
	if (err)
		WRITE_ONCE(netdev->mtu, nd->config.mtu);
	return err;
}

static void ornic_config_raise_mtu_back(struct ornic_netdev *nd)
{
	ornic_config_set_port_mtu(nd, nd->config.mtu);
	WRITE_ONCE(nd->netdev->mtu, nd->config.mtu);
}

/* Restarts the watchdog: a queue that has been idle for long is not hung */
static void ornic_config_stop_locked(struct netdev_queue *txq)
{
	txq_trans_cond_update(txq);
	netif_tx_stop_queue(txq);
}

/* Keeps new queues stopped until their queue pairs are in place */
static int ornic_config_add_real_queues(struct ornic_netdev *nd, u32 count)
{
	struct net_device *netdev = nd->netdev;
	u32 i;

	for (i = nd->config.num_queues; i < count; i++) {
		struct netdev_queue *txq = netdev_get_tx_queue(netdev, i);

		__netif_tx_lock_bh(txq);
		ornic_config_stop_locked(txq);
		__netif_tx_unlock_bh(txq);
	}

	return count > nd->config.num_queues ? netif_set_real_num_queues(netdev, count, count) : 0;
}

/*
 * Removes queues @count to @from - 1, if there are any. The watchdog looks at
 * all queues that the netdev was allocated with, so none of them stays stopped.
 */
static void ornic_config_remove_real_queues(struct ornic_netdev *nd, u32 from, u32 count)
{
	struct net_device *netdev = nd->netdev;
	u32 i;

	if (count >= from)
		return;

	/* Reducing the number does not fail */
	netif_set_real_num_queues(netdev, count, count);
	for (i = count; i < from; i++)
		netif_tx_start_queue(netdev_get_tx_queue(netdev, i));
}

static int ornic_config_prepare_change(struct ornic_netdev *nd, struct ornic_queue *const *queues,
				       const struct ornic_config *to, const struct ornic_rss *rss)
{
	u32 old = nd->config.num_queues;
	int err;

	err = ornic_config_add_real_queues(nd, to->num_queues);
	if (err)
		goto err_remove_real_queues;

	if (to->mtu < nd->config.mtu) {
		err = ornic_config_lower_mtu(nd, to->mtu);
		if (err)
			goto err_remove_real_queues;
	}

	err = ornic_config_switch_receive(nd, queues, to, rss);
	if (err)
		goto err_restore_mtu;

	if (to->mtu > nd->config.mtu) {
		err = ornic_config_set_port_mtu(nd, to->mtu);
		if (err)
			goto err_switch_back;
	}

	return 0;

err_switch_back:
	ornic_config_switch_receive_back(nd, queues);
err_restore_mtu:
	if (to->mtu < nd->config.mtu)
		ornic_config_raise_mtu_back(nd);
err_remove_real_queues:
	ornic_config_remove_real_queues(nd, to->num_queues, old);
	return err;
}

/*
 * Puts a queue pair, or none, in the place of another one, or none, which is
 * returned. Frames that were posted to that are published. The network stack
 * posts to the new one when its queue is woken.
 */
static struct ornic_queue *ornic_config_swap_queue(struct ornic_netdev *nd, u32 index,
						   struct ornic_queue *queue)
{
	struct netdev_queue *txq = netdev_get_tx_queue(nd->netdev, index);
	struct ornic_queue *old = nd->queues[index];

	__netif_tx_lock_bh(txq);
	if (old) {
		ornic_config_stop_locked(txq);
		ornic_tx_publish(old);
		WRITE_ONCE(old->retired, true);
	}
	WRITE_ONCE(nd->queues[index], queue);
	__netif_tx_unlock_bh(txq);

	return old;
}

/*
 * Puts queue pairs in their places; @queues holds those that were there
 * afterwards. The device gives these no more frames. Pairs that were there
 * before go on running.
 */
static void ornic_config_swap_queues(struct ornic_netdev *nd, struct ornic_queue **queues)
{
	u32 i;

	for (i = 0; i < nd->max_queues; i++) {
		if (queues[i] != nd->queues[i] && nd->queues[i])
			ornic_queue_disable(nd->queues[i]);
	}

	/* Not before, because NAPI wakes queues */
	for (i = 0; i < nd->max_queues; i++) {
		if (queues[i] != nd->queues[i])
			queues[i] = ornic_config_swap_queue(nd, i, queues[i]);
	}
}

/*
 * Finishes the work of the queue pairs that were in their places before. They
 * have one time together, since rtnl_lock is held. Frames that are not sent in
 * time are lost.
 */
static void ornic_config_finish_queues(struct ornic_netdev *nd, struct ornic_queue **queues)
{
	u32 tries, i;
	bool busy;

	for (tries = 0; tries <= ORNIC_CONFIG_FINISH_TRIES; tries++) {
		for (i = 0; i < nd->max_queues; i++) {
			if (queues[i] != nd->queues[i] && queues[i])
				ornic_queue_begin_poll(queues[i]);
		}
		/* The first polls are for frames that GRO holds: no wait */
		if (tries)
			usleep_range(ORNIC_CONFIG_FINISH_US, 2 * ORNIC_CONFIG_FINISH_US);

		busy = false;
		for (i = 0; i < nd->max_queues; i++) {
			if (queues[i] != nd->queues[i] && queues[i])
				busy |= ornic_queue_end_poll(queues[i]);
		}
		if (!busy)
			break;
	}
}

/* Starts the queue pairs that are new in their places, destroys the old ones */
static void ornic_config_start_queues(struct ornic_netdev *nd, struct ornic_queue **queues)
{
	struct net_device *netdev = nd->netdev;
	u32 i;

	/* The old queue pairs finish first, because both share counters */
	ornic_config_finish_queues(nd, queues);

	synchronize_net();
	for (i = 0; i < nd->max_queues; i++) {
		if (queues[i] == nd->queues[i])
			continue;
		if (queues[i])
			ornic_queue_destroy(queues[i]);
		if (!nd->queues[i])
			continue;

		netdev_tx_reset_subqueue(netdev, i);
		ornic_queue_enable(nd->queues[i]);
		netif_tx_wake_queue(netdev_get_tx_queue(netdev, i));
	}
	kvfree(queues);
}

/* Frees queue pairs that were not put in their places */
static void ornic_config_free_queues(struct ornic_netdev *nd, struct ornic_queue **queues)
{
	u32 i;

	for (i = 0; i < nd->max_queues; i++) {
		if (queues[i] != nd->queues[i] && queues[i])
			ornic_queue_destroy(queues[i]);
	}
	kvfree(queues);
}

/*
 * Explains an error to users; some operations of the network stack have no
 * extack.
 */
static int ornic_config_error(struct ornic_netdev *nd, struct netlink_ext_ack *extack,
			      const char *what, int err)
{
	NL_SET_ERR_MSG_FMT_MOD(extack, "%s: error %d, nothing was changed", what, err);
	netdev_dbg(nd->netdev, "%s: error %d, nothing was changed\n", what, err);
	return err;
}

/**
 * ornic_config_change - change the configuration of the queue pairs
 * @nd:		the interface; rtnl_lock is held
 * @to:		the new configuration
 * @extack:	gets the reason of an error, or NULL
 *
 * Return: 0, or a negative error number, in which case nothing has changed.
 */
int ornic_config_change(struct ornic_netdev *nd, const struct ornic_config *to,
			struct netlink_ext_ack *extack)
{
	struct net_device *netdev = nd->netdev;
	u32 count = nd->config.num_queues;
	struct ornic_rss rss = nd->rss;
	struct ornic_queue **queues;
	int err;

	ASSERT_RTNL();

	if (to->num_queues != count && !netif_is_rxfh_configured(netdev))
		ornic_rss_init_table(&rss, to->num_queues);

	if (!nd->open) {
		err = netif_set_real_num_queues(netdev, to->num_queues, to->num_queues);
		if (err)
			return ornic_config_error(nd, extack, "number of queues", err);
		nd->config = *to;
		nd->rss = rss;
		WRITE_ONCE(netdev->mtu, to->mtu);
		return 0;
	}

	queues = kvzalloc_objs(*queues, nd->max_queues);
	if (!queues)
		return ornic_config_error(nd, extack, "no memory", -ENOMEM);

	err = ornic_queues_create(nd, to, queues);
	if (err) {
		ornic_config_free_queues(nd, queues);
		return ornic_config_error(nd, extack, "no new queues", err);
	}

	err = ornic_config_prepare_change(nd, queues, to, &rss);
	if (err) {
		ornic_config_free_queues(nd, queues);
		return ornic_config_error(nd, extack, "no change to new queues", err);
	}

	ornic_config_swap_queues(nd, queues);
	nd->config = *to;
	nd->rss = rss;
	WRITE_ONCE(netdev->mtu, to->mtu);
	ornic_config_remove_real_queues(nd, count, to->num_queues);
	ornic_config_start_queues(nd, queues);
	return 0;
}

static int ornic_config_replace_failed(struct ornic_netdev *nd, enum ornic_queue_side side)
{
	struct ornic_queue **queues;
	int err;
	u32 i;

	queues = kvzalloc_objs(*queues, nd->max_queues);
	if (!queues)
		return -ENOMEM;

	for (i = 0; i < nd->config.num_queues; i++) {
		if (test_bit(side, &nd->queues[i]->faults))
			netdev_info(nd->netdev, "replacing queue %u\n", i);
		else
			queues[i] = nd->queues[i];
	}

	err = ornic_queues_create(nd, &nd->config, queues);
	if (!err)
		err = ornic_config_switch_receive(nd, queues, &nd->config, &nd->rss);
	if (err) {
		ornic_config_free_queues(nd, queues);
		return err;
	}

	ornic_config_swap_queues(nd, queues);
	ornic_config_start_queues(nd, queues);
	return 0;
}

/**
 * ornic_config_replace - replace the queue pairs that have failed
 * @nd:		the interface; rtnl_lock is not held
 * @side:	the side that has failed
 *
 * The others go on running, and RDMA does not notice.
 *
 * Return: 0, also if there are none, or a negative error number.
 */
int ornic_config_replace(struct ornic_netdev *nd, enum ornic_queue_side side)
{
	int err = 0;

	rtnl_lock();
	if (nd->open)
		err = ornic_config_replace_failed(nd, side);
	rtnl_unlock();

	return err;
}

/*
 * XDP needs another buffer layout: attaching and detaching make new queues.
 * The network stack ignores an error of detaching, and the program is then
 * freed. If new queues cannot be made, the old ones run on without a program,
 * with the layout for XDP, until the next change of the configuration.
 */
static int ornic_config_xdp(struct ornic_netdev *nd, struct bpf_prog *prog,
			    struct netlink_ext_ack *extack)
{
	u32 max_mtu = min(nd->max_mtu, ornic_rx_max_xdp_mtu());
	struct net_device *netdev = nd->netdev;
	struct bpf_prog *old = nd->config.xdp_prog;
	struct ornic_config to = nd->config;
	int err;

	if (prog && netdev->mtu > max_mtu) {
		NL_SET_ERR_MSG_FMT_MOD(extack, "XDP is for an MTU of %u at most, which is %u",
				       max_mtu, netdev->mtu);
		return -EINVAL;
	}

	to.xdp_prog = prog;
	err = !prog == !old ? 0 : ornic_config_change(nd, &to, prog ? extack : NULL);
	if (err && prog)
		return err;
	WRITE_ONCE(nd->config.xdp_prog, prog);

	/* The network stack refuses a larger MTU */
	netdev->max_mtu = prog ? max_mtu : nd->max_mtu;
	if (old)
		bpf_prog_put(old);
	return 0;
}

/**
 * ornic_config_bpf - attach or detach an XDP program
 * @netdev:	the interface; rtnl_lock is held
 * @bpf:	the request
 *
 * Return: 0, or a negative error number, in which case nothing has changed.
 * Detaching succeeds.
 */
int ornic_config_bpf(struct net_device *netdev, struct netdev_bpf *bpf)
{
	switch (bpf->command) {
	case XDP_SETUP_PROG:
		return ornic_config_xdp(netdev_priv(netdev), bpf->prog, bpf->extack);
	default:
		return -EINVAL;
	}
}
