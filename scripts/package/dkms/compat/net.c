// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Replacements of compat.h for ornic.ko */
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#ifdef ORNIC_LACKS_RX_RING_COUNT
int ornic_compat_get_rxnfc(struct net_device *netdev, struct ethtool_rxnfc *info, u32 *rules)
{
	const struct ethtool_ops *ops = netdev->ethtool_ops;

	if (info->cmd != ETHTOOL_GRXRINGS)
		return ops->ornic_get_rxnfc(netdev, info, rules);

	info->data = ops->get_rx_ring_count(netdev);
	return 0;
}
#endif

#ifdef ORNIC_LACKS_SET_RX_MODE_ASYNC
/* As often as newer cores; the time doubles */
#define ORNIC_COMPAT_RETRIES	4

/* Follows the private data of the interface */
struct ornic_compat_netdev {
	struct delayed_work work;
	struct net_device *netdev;
	unsigned int retries;	/* protected by the RTNL */
};

static struct ornic_compat_netdev *ornic_compat_of(struct net_device *netdev)
{
	return netdev_priv(netdev) + netdev->priv_len - sizeof(struct ornic_compat_netdev);
}

static void ornic_compat_free_list(struct netdev_hw_addr_list *list)
{
	struct netdev_hw_addr *ha, *next;

	list_for_each_entry_safe(ha, next, &list->list, list)
		kfree(ha);
}

/* The driver reads the addresses only */
static int ornic_compat_copy_list(struct netdev_hw_addr_list *to, struct netdev_hw_addr_list *from)
{
	struct netdev_hw_addr *ha, *copy;

	netdev_hw_addr_list_for_each(ha, from) {
		copy = kzalloc(sizeof(*copy), GFP_ATOMIC);
		if (!copy)
			return -ENOMEM;

		memcpy(copy->addr, ha->addr, sizeof(copy->addr));
		copy->type = ha->type;
		list_add_tail(&copy->list, &to->list);
		to->count++;
	}
	return 0;
}

static int ornic_compat_run_rx_mode(struct net_device *netdev)
{
	const struct ornic_compat_net_device_ops *ops;
	struct netdev_hw_addr_list uc, mc;
	int err;

	__hw_addr_init(&uc);
	__hw_addr_init(&mc);

	/* Addresses change without the RTNL, too */
	netif_addr_lock_bh(netdev);
	err = ornic_compat_copy_list(&uc, &netdev->uc);
	if (!err)
		err = ornic_compat_copy_list(&mc, &netdev->mc);
	netif_addr_unlock_bh(netdev);

	if (!err) {
		ops = (const struct ornic_compat_net_device_ops *)netdev->netdev_ops;
		err = ops->ndo_set_rx_mode_async(netdev, &uc, &mc);
	}
	ornic_compat_free_list(&uc);
	ornic_compat_free_list(&mc);
	return err;
}

static void ornic_compat_rx_mode_work(struct work_struct *work)
{
	struct ornic_compat_netdev *compat = container_of(to_delayed_work(work),
							  struct ornic_compat_netdev, work);
	struct net_device *netdev = compat->netdev;
	int err = 0;

	rtnl_lock();
	if (netdev->flags & IFF_UP && netif_device_present(netdev))
		err = ornic_compat_run_rx_mode(netdev);

	if (!err)
		compat->retries = 0;
	else if (compat->retries < ORNIC_COMPAT_RETRIES)
		schedule_delayed_work(&compat->work, HZ << compat->retries++);
	rtnl_unlock();
}

void ornic_compat_set_rx_mode(struct net_device *netdev)
{
	mod_delayed_work(system_wq, &ornic_compat_of(netdev)->work, 0);
}

struct net_device *ornic_compat_alloc_netdev(int size, unsigned int txqs, unsigned int rxqs)
{
	struct ornic_compat_netdev *compat;
	struct net_device *netdev;

	size = ALIGN(size, __alignof__(*compat)) + sizeof(*compat);
	netdev = alloc_etherdev_mqs(size, txqs, rxqs);
	if (!netdev)
		return NULL;

	compat = ornic_compat_of(netdev);
	compat->netdev = netdev;
	INIT_DELAYED_WORK(&compat->work, ornic_compat_rx_mode_work);
	return netdev;
}

void ornic_compat_unregister_netdev(struct net_device *netdev)
{
	unregister_netdev(netdev);
	cancel_delayed_work_sync(&ornic_compat_of(netdev)->work);
}
#endif
