// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XDP: programs that process frames before the network stack. XDP frames are
 * sent through the send queues of the network stack, under the same locks.
 */
#include <linux/bpf_trace.h>
#include <linux/filter.h>

#include "netdev.h"

static int ornic_xdp_tx(struct ornic_queue *queue, struct xdp_buff *xdp)
{
	struct netdev_queue *txq = netdev_get_tx_queue(queue->nd->netdev, queue->index);
	struct xdp_frame *xdpf = xdp_convert_buff_to_frame(xdp);
	int err;

	if (unlikely(!xdpf))
		return -EOVERFLOW;

	__netif_tx_lock(txq, smp_processor_id());
	err = ornic_tx_xdp(queue, xdpf, ORNIC_TX_XDP);
	if (!err)
		txq_trans_cond_update(txq);
	__netif_tx_unlock(txq);
	return err;
}

/**
 * ornic_xdp_run - run a program on a frame and carry out its action
 * @queue:	the queue pair, in its NAPI poll
 * @prog:	the program
 * @xdp:	the frame, which the program may change. The caller keeps it if
 *		the result is pass, drop or error.
 *
 * Return: the result.
 */
enum ornic_xdp_stat ornic_xdp_run(struct ornic_queue *queue, struct bpf_prog *prog,
				  struct xdp_buff *xdp)
{
	struct net_device *netdev = queue->nd->netdev;
	u32 act = bpf_prog_run_xdp(prog, xdp);

	switch (act) {
	case XDP_PASS:
		return ORNIC_XDP_STAT_PASS;
	case XDP_DROP:
		return ORNIC_XDP_STAT_DROP;
	case XDP_TX:
		if (!ornic_xdp_tx(queue, xdp))
			return ORNIC_XDP_STAT_TX;
		break;
	case XDP_REDIRECT:
		if (!xdp_do_redirect(netdev, xdp, prog))
			return ORNIC_XDP_STAT_REDIRECT;
		break;
	case XDP_ABORTED:
		break;
	default:
		bpf_warn_invalid_xdp_action(netdev, prog, act);
		break;
	}

	trace_xdp_exception(netdev, prog, act);
	return ORNIC_XDP_STAT_ERROR;
}

/**
 * ornic_xdp_flush - publish the frames that a poll has sent and redirected
 * @queue:	the queue pair, in its NAPI poll
 * @counts:	results of the poll, by enum ornic_xdp_stat
 */
void ornic_xdp_flush(struct ornic_queue *queue, const u32 *counts)
{
	struct netdev_queue *txq = netdev_get_tx_queue(queue->nd->netdev, queue->index);

	if (counts[ORNIC_XDP_STAT_REDIRECT])
		xdp_do_flush();

	if (counts[ORNIC_XDP_STAT_TX]) {
		__netif_tx_lock(txq, smp_processor_id());
		ornic_tx_publish(queue);
		__netif_tx_unlock(txq);
	}
}

/**
 * ornic_xdp_xmit - send frames that were redirected to the interface
 * @netdev:	the interface
 * @count:	number of @frames
 * @frames:	the frames; those that are sent belong to the interface
 * @flags:	XDP_XMIT_FLUSH
 *
 * Called in the NAPI poll of another interface, also while this one is down.
 *
 * Return: number of frames sent, or a negative error number.
 */
int ornic_xdp_xmit(struct net_device *netdev, int count, struct xdp_frame **frames, u32 flags)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	u32 cpu = smp_processor_id();
	u32 index = cpu % READ_ONCE(netdev->real_num_tx_queues);
	struct netdev_queue *txq = netdev_get_tx_queue(netdev, index);
	struct ornic_queue *queue;
	struct ornic_txq *tx;
	int sent = 0;

	if (unlikely(flags & ~XDP_XMIT_FLAGS_MASK))
		return -EINVAL;

	__netif_tx_lock(txq, cpu);
	/* Pairs with ornic_netdev_up(); the lock keeps the queue pair alive */
	if (unlikely(!smp_load_acquire(&nd->open) || !nd->queues[index])) {
		__netif_tx_unlock(txq);
		return -ENETDOWN;
	}

	queue = nd->queues[index];
	tx = &queue->tx;
	while (sent < count && !ornic_tx_xdp(queue, frames[sent], ORNIC_TX_XDP_REDIRECT))
		sent++;

	if (sent)
		txq_trans_cond_update(txq);
	if (flags & XDP_XMIT_FLUSH)
		ornic_tx_publish(queue);

	u64_stats_update_begin(&tx->stats->xmit_syncp);
	u64_stats_add(&tx->stats->xdp_xmit, sent);
	u64_stats_update_end(&tx->stats->xmit_syncp);
	__netif_tx_unlock(txq);

	return sent;
}
