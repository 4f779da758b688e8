/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* XDP: programs that process frames before the network stack */
#ifndef ORNIC_XDP_H
#define ORNIC_XDP_H

#include <linux/types.h>

struct bpf_prog;
struct net_device;
struct ornic_queue;
struct xdp_buff;
struct xdp_frame;

/**
 * enum ornic_xdp_stat - results of running an XDP program on a frame
 * @ORNIC_XDP_STAT_PASS: passed to the network stack
 * @ORNIC_XDP_STAT_DROP: dropped
 * @ORNIC_XDP_STAT_TX:	sent
 * @ORNIC_XDP_STAT_REDIRECT: redirected to another interface, CPU or socket
 * @ORNIC_XDP_STAT_ERROR: the program or its action failed
 * @ORNIC_XDP_STAT_COUNT: number of results
 */
enum ornic_xdp_stat {
	ORNIC_XDP_STAT_PASS,
	ORNIC_XDP_STAT_DROP,
	ORNIC_XDP_STAT_TX,
	ORNIC_XDP_STAT_REDIRECT,
	ORNIC_XDP_STAT_ERROR,
	ORNIC_XDP_STAT_COUNT
};

int ornic_xdp_xmit(struct net_device *netdev, int count, struct xdp_frame **frames, u32 flags);
enum ornic_xdp_stat ornic_xdp_run(struct ornic_queue *queue, struct bpf_prog *prog,
				  struct xdp_buff *xdp);
void ornic_xdp_flush(struct ornic_queue *queue, const u32 *counts);

#endif /* ORNIC_XDP_H */
