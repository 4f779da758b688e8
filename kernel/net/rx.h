/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive queues of the interface */
#ifndef ORNIC_RX_H
#define ORNIC_RX_H

#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/u64_stats_sync.h>
#include <net/page_pool/helpers.h>
#include <net/xdp.h>

#include "ornic_api.h"
#include "xdp.h"

struct ornic_config;
struct ornic_queue;

#define ORNIC_MTU_MAX		9000

#define ORNIC_RX_WQES_MIN	64
#define ORNIC_RX_WQES_DEFAULT	1024
#define ORNIC_RX_WQES_MAX	8192

#define ORNIC_RX_SGES_MAX	3
#define ORNIC_RX_HEADROOM	(NET_SKB_PAD + NET_IP_ALIGN)
#define ORNIC_RX_TAILROOM	SKB_DATA_ALIGN(sizeof(struct skb_shared_info))

/**
 * struct ornic_rx_buf - buffer for a received frame
 * @pages:	from the page pool; the first holds the headroom and the start
 *		of the frame
 * @offset:	offset of the first piece in its page
 * @size:	bytes of the first piece, with headroom and tailroom
 */
struct ornic_rx_buf {
	struct page *pages[ORNIC_RX_SGES_MAX];
	u32 offset;
	u32 size;
};

/**
 * struct ornic_rx_stats - counters of a receive queue
 * @syncp:	for the counters
 * @packets:	frames received
 * @bytes:	bytes of @packets
 * @errors:	frames of invalid length
 * @alloc_fail:	failed allocations
 * @xdp:	frames by enum ornic_xdp_stat
 */
struct ornic_rx_stats {
	struct u64_stats_sync syncp;
	u64_stats_t packets;
	u64_stats_t bytes;
	u64_stats_t errors;
	u64_stats_t alloc_fail;
	u64_stats_t xdp[ORNIC_XDP_STAT_COUNT];
};

/**
 * struct ornic_rxq - receive queue; owned by the NAPI poll
 * @pi:		producer index in WQEs
 * @ci:		consumer index in WQEs
 * @log_wqes:	log2 of the number of WQEs
 * @stride_shift: log2 of the bytes of a WQE
 * @sges:	pieces of a buffer
 * @headroom:	bytes before the frame in the first piece
 * @first_len:	bytes of the frame in the first piece
 * @xdp:	the buffers are laid out and mapped for XDP
 * @strip_vlan:	the device moves the tag of a frame to its completion
 * @ring:	receive WQEs
 * @bufs:	buffers, one entry per WQE
 * @pool:	source of their pages
 * @xdp_rxq:	description of the queue for XDP programs
 * @cq:		completion ring, 64-byte entries
 * @stats:	counters, which outlive the queue
 */
struct ornic_rxq {
	u32 pi;
	u32 ci;
	u8 log_wqes;
	u8 stride_shift;
	u8 sges;
	u32 headroom;
	u32 first_len;
	bool xdp;
	bool strip_vlan;
	void *ring;
	struct ornic_rx_buf *bufs;
	struct page_pool *pool;
	struct xdp_rxq_info xdp_rxq;
	struct ornic_cq_ring cq;
	struct ornic_rx_stats *stats;
};

u32 ornic_rx_max_mtu(u32 max_sge);
u32 ornic_rx_max_xdp_mtu(void);
void ornic_rx_layout(struct ornic_rxq *rx, const struct ornic_config *config);
int ornic_rx_init(struct ornic_queue *queue);
void ornic_rx_uninit(struct ornic_queue *queue);
int ornic_rx_fill(struct ornic_queue *queue, gfp_t gfp);
int ornic_rx_poll(struct ornic_queue *queue, int budget);

#endif /* ORNIC_RX_H */
