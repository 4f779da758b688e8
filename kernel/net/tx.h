/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Send queues of the interface */
#ifndef ORNIC_TX_H
#define ORNIC_TX_H

#include <linux/bitops.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/u64_stats_sync.h>

#include "ornic_api.h"

struct ornic_queue;
struct xdp_frame;

#define ORNIC_TX_SLOTS_MIN	64
#define ORNIC_TX_SLOTS_DEFAULT	1024
#define ORNIC_TX_SLOTS_MAX	8192

/* A slot is four units of 16 bytes: header, route and SGEs are one unit each */
#define ORNIC_UNIT_SIZE		16
#define ORNIC_SLOT_UNITS	(ORNIC_SLOT_SIZE / ORNIC_UNIT_SIZE)
#define ORNIC_TX_HDR_UNITS	2
#define ORNIC_TX_TSO_UNITS	DIV_ROUND_UP(ORNIC_TSO_HDR_MAX, ORNIC_UNIT_SIZE)
#define ORNIC_TX_SGES_MAX	(MAX_SKB_FRAGS + 1)
#define ORNIC_TX_PKT_SLOTS_MAX \
	DIV_ROUND_UP(ORNIC_TX_HDR_UNITS + ORNIC_TX_TSO_UNITS + ORNIC_TX_SGES_MAX, ORNIC_SLOT_UNITS)
#define ORNIC_TX_WAKE_SLOTS	(2 * ORNIC_TX_PKT_SLOTS_MAX)

/**
 * struct ornic_tx_map - DMA-mapped piece of a frame
 * @addr:	DMA address
 * @len:	bytes
 */
struct ornic_tx_map {
	dma_addr_t addr;
	u32 len;
};

/**
 * enum ornic_tx_type - origin of a frame in the send queue
 * @ORNIC_TX_SKB:	network stack
 * @ORNIC_TX_XDP:	received by the same queue, mapped by its page pool
 * @ORNIC_TX_XDP_REDIRECT: received by another interface
 */
enum ornic_tx_type {
	ORNIC_TX_SKB,
	ORNIC_TX_XDP,
	ORNIC_TX_XDP_REDIRECT,
};

/**
 * struct ornic_tx_pkt - frame in the send queue, at the position of its WQE
 * @skb:	the frame, of ORNIC_TX_SKB
 * @xdpf:	the frame, of the other types
 * @bytes:	bytes on the wire, of all segments
 * @segs:	number of frames on the wire
 * @slots:	number of slots of the WQE; 0 where none begins
 * @maps:	number of mapped pieces
 * @single:	the first piece was mapped by dma_map_single()
 * @type:	enum ornic_tx_type
 */
struct ornic_tx_pkt {
	union {
		struct sk_buff *skb;
		struct xdp_frame *xdpf;
	};
	u32 bytes;
	u32 segs;
	u8 slots;
	u8 maps;
	bool single;
	u8 type;
};

/**
 * struct ornic_tx_stats - counters of a send queue
 * @syncp:	for the counters that the NAPI poll updates
 * @packets:	frames sent; each segment counts as one
 * @bytes:	bytes of @packets
 * @gso_packets: frames that the device segmented
 * @gso_bytes:	bytes of @gso_packets
 * @gso_segs:	segments of @gso_packets
 * @gso_seg_bytes: bytes of @gso_segs
 * @wake:	times the queue was woken
 * @xmit_syncp:	for the counters below, updated under the lock of the queue
 * @dropped:	frames that could not be sent
 * @stop:	times the queue was stopped
 * @xdp_xmit:	frames redirected to this interface
 */
struct ornic_tx_stats {
	struct u64_stats_sync syncp;
	u64_stats_t packets;
	u64_stats_t bytes;
	u64_stats_t gso_packets;
	u64_stats_t gso_bytes;
	u64_stats_t gso_segs;
	u64_stats_t gso_seg_bytes;
	u64_stats_t wake;

	struct u64_stats_sync xmit_syncp;
	u64_stats_t dropped;
	u64_stats_t stop;
	u64_stats_t xdp_xmit;
};

/**
 * struct ornic_txq - send queue
 * @pi:		producer index in slots; under the lock of the queue
 * @published:	producer index that was published to the device
 * @last:	header of the last WQE after @published, to request a completion
 * @ci:		consumer index in slots; written by the NAPI poll
 * @log_slots:	log2 of the number of slots
 * @ring:	send WQEs
 * @pkts:	frames, one entry per slot
 * @maps:	mapped pieces, ORNIC_SLOT_UNITS entries per slot
 * @cq:		completion ring, 32-byte entries
 * @xdp_posted:	XDP frames posted; under the lock of the queue
 * @xdp_done:	XDP frames completed; written by the NAPI poll
 * @stats:	counters, which outlive the queue
 */
struct ornic_txq {
	u32 pi;
	u32 published;
	struct ornic_sq_hdr *last;
	u32 ci;
	u8 log_slots;
	void *ring;
	struct ornic_tx_pkt *pkts;
	struct ornic_tx_map *maps;
	struct ornic_cq_ring cq;
	u32 xdp_posted;
	u32 xdp_done;
	struct ornic_tx_stats *stats;
};

int ornic_tx_init(struct ornic_queue *queue);
void ornic_tx_uninit(struct ornic_queue *queue);
bool ornic_tx_poll(struct ornic_queue *queue, int budget);
int ornic_tx_wait(struct ornic_queue *queue);
netdev_tx_t ornic_tx_start_xmit(struct sk_buff *skb, struct net_device *netdev);
netdev_features_t ornic_tx_features_check(struct sk_buff *skb, struct net_device *netdev,
					  netdev_features_t features);
int ornic_tx_xdp(struct ornic_queue *queue, struct xdp_frame *xdpf, enum ornic_tx_type type);
void ornic_tx_publish(struct ornic_queue *queue);

#endif /* ORNIC_TX_H */
