// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receive side scaling: how received frames are spread over the queues */
#include "netdev.h"

/**
 * ornic_rss_init_table - spread hash values evenly over the queues
 * @rss:	its table is filled in
 * @num_queues:	number of queues
 */
void ornic_rss_init_table(struct ornic_rss *rss, u32 num_queues)
{
	u32 i;

	for (i = 0; i < rss->entries; i++)
		rss->table[i] = ethtool_rxfh_indir_default(i, num_queues);
}

/**
 * ornic_rss_cmd - set the queues for frames that match no rule
 * @nd:		the interface
 * @queues:	the queues
 * @rss:	how frames are spread over them
 * @count:	entries of its table; 0: no queue gets frames
 *
 * Return: 0 or a negative error number.
 */
int ornic_rss_cmd(struct ornic_netdev *nd, struct ornic_queue *const *queues,
		  const struct ornic_rss *rss, u32 count)
{
	struct ornic_rx_queues_in in = {
		.count = cpu_to_le32(count),
		.hash = cpu_to_le32(rss->hash),
	};
	u32 i;

	memcpy(in.key, rss->key, sizeof(in.key));
	for (i = 0; i < count; i++)
		in.qpn[i] = cpu_to_le32(queues[rss->table[i]]->qpn);

	return ornic_cmd_exec_urgent(ornic_nd_dev(nd), ORNIC_CMD_SET_RX_QUEUES, &in, sizeof(in),
				     NULL, 0);
}

/**
 * ornic_rss_apply - apply nd->rss to the device
 * @nd:		the interface; if closed, ornic_netdev_up() applies nd->rss
 *
 * Return: 0 or a negative error number.
 */
int ornic_rss_apply(struct ornic_netdev *nd)
{
	return nd->open ? ornic_rss_cmd(nd, nd->queues, &nd->rss, nd->rss.entries) : 0;
}
