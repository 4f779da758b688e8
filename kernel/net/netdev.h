/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The Ethernet interface: RAW_PACKET QPs, one per queue pair */
#ifndef ORNIC_NETDEV_H
#define ORNIC_NETDEV_H

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/u64_stats_sync.h>
#include <linux/xarray.h>
#include <net/page_pool/helpers.h>
#include <net/xdp.h>

#include "core.h"

#define ORNIC_MTU_MAX		9000
#define ORNIC_RSS_ENTRIES	128	/* as many as SET_RX_QUEUES takes */
#define ORNIC_RSS_KEY_LEN	40
#define ORNIC_FLOWS_MAX		1024

#define ORNIC_TX_SLOTS_MIN	64
#define ORNIC_TX_SLOTS_DEFAULT	1024
#define ORNIC_TX_SLOTS_MAX	8192
#define ORNIC_RX_WQES_MIN	64
#define ORNIC_RX_WQES_DEFAULT	1024
#define ORNIC_RX_WQES_MAX	8192

/* A slot is four units of 16 bytes: header, route and SGEs are one unit each */
#define ORNIC_UNIT_SIZE		16
#define ORNIC_SLOT_UNITS	(ORNIC_SLOT_SIZE / ORNIC_UNIT_SIZE)
#define ORNIC_TX_HDR_UNITS	2
#define ORNIC_TX_TSO_UNITS	DIV_ROUND_UP(ORNIC_TSO_HDR_MAX, ORNIC_UNIT_SIZE)
#define ORNIC_TX_SGES_MAX	(MAX_SKB_FRAGS + 1)
#define ORNIC_TX_PKT_SLOTS_MAX \
	DIV_ROUND_UP(ORNIC_TX_HDR_UNITS + ORNIC_TX_TSO_UNITS + ORNIC_TX_SGES_MAX, ORNIC_SLOT_UNITS)
#define ORNIC_TX_WAKE_SLOTS	(2 * ORNIC_TX_PKT_SLOTS_MAX)

#define ORNIC_RX_SGES_MAX	3
#define ORNIC_RX_HEADROOM	(NET_SKB_PAD + NET_IP_ALIGN)
#define ORNIC_RX_TAILROOM	SKB_DATA_ALIGN(sizeof(struct skb_shared_info))

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
	void *ring;
	struct ornic_rx_buf *bufs;
	struct page_pool *pool;
	struct xdp_rxq_info xdp_rxq;
	struct ornic_cq_ring cq;
	struct ornic_rx_stats *stats;
};

/**
 * struct ornic_queue_stats - counters of a queue pair, which outlive it
 * @tx:		send queue
 * @rx:		receive queue
 */
struct ornic_queue_stats {
	struct ornic_tx_stats tx;
	struct ornic_rx_stats rx;
};

/**
 * struct ornic_config - configuration of the queue pairs
 * @num_queues:	number of queue pairs
 * @tx_slots:	slots of each send ring, a power of two
 * @rx_wqes:	WQEs of each receive ring, a power of two
 * @mtu:	MTU in bytes
 * @xdp_prog:	XDP program, or NULL
 */
struct ornic_config {
	u32 num_queues;
	u32 tx_slots;
	u32 rx_wqes;
	u32 mtu;
	struct bpf_prog *xdp_prog;
};

/**
 * struct ornic_queue - queue pair of the interface
 * @nd:		the interface
 * @index:	index of the pair and of its completion vector
 * @retired:	replaced by another queue pair; only pending work is finished
 * @qpn:	number of the QP
 * @slot:	slot of the QP on the board
 * @dbr:	doorbell record of the QP
 * @napi:	polls both directions
 * @tx:		send queue
 * @rx:		receive queue
 * @tx_cq_res:	receives events of the send CQ
 * @rx_cq_res:	receives events of the receive CQ
 * @qp_res:	receives events of the QP
 * @sq_buf:	send ring
 * @rq_buf:	receive ring
 * @tx_cq_buf:	ring of the send CQ
 * @rx_cq_buf:	ring of the receive CQ
 * @dbr_buf:	doorbell records
 */
struct ornic_queue {
	struct ornic_netdev *nd;
	u32 index;
	bool retired;
	u32 qpn;
	u32 slot;
	struct ornic_qp_dbr *dbr;
	struct napi_struct napi;
	struct ornic_txq tx;
	struct ornic_rxq rx;
	struct ornic_res tx_cq_res;
	struct ornic_res rx_cq_res;
	struct ornic_res qp_res;
	struct ornic_dbuf sq_buf;
	struct ornic_dbuf rq_buf;
	struct ornic_dbuf tx_cq_buf;
	struct ornic_dbuf rx_cq_buf;
	struct ornic_dbuf dbr_buf;
};

/**
 * struct ornic_rss - how received frames are spread over the queues
 * @entries:	entries of @table in use, a power of two
 * @hash:	ORNIC_HASH_*, the fields that are hashed
 * @table:	index of the queue for each hash value
 * @key:	Toeplitz key
 */
struct ornic_rss {
	u32 entries;
	u32 hash;
	u32 table[ORNIC_RSS_ENTRIES];
	u8 key[ORNIC_RSS_KEY_LEN];
};

/**
 * struct ornic_netdev - the interface; netdev_priv(). Protected by rtnl_lock.
 * @netdev:	the interface
 * @core:	the device
 * @config:	configuration of the queue pairs, current or for the next open
 * @queues:	@config.num_queues queue pairs while @open
 * @stats:	their counters, @max_queues of them
 * @max_queues:	limit given by vectors and device
 * @open:	the queues exist; XDP redirect reads it under the lock of a send
 *		queue instead of rtnl_lock
 * @pdn:	protection domain of the queues
 * @lkey:	key for all DMA addresses
 * @link_work:	queries the state of the port
 * @speed:	Mb/s, as the port last reported
 * @rss:	receive side scaling
 * @max_mtu:	limit of the MTU without an XDP program, bytes
 * @max_flows:	number of rule locations, 0 if the device has no rules
 * @flows:	struct ornic_flow by location
 * @rx_filter:	buffer for the input of SET_RX_FILTER
 * @rx_filter_len: bytes of the input
 */
struct ornic_netdev {
	struct net_device *netdev;
	struct ornic_core *core;
	struct ornic_config config;
	struct ornic_queue *queues;
	struct ornic_queue_stats *stats;
	u32 max_queues;
	bool open;
	u32 pdn;
	u32 lkey;
	struct work_struct link_work;
	u32 speed;
	struct ornic_rss rss;
	u32 max_mtu;
	u32 max_flows;
	struct xarray flows;
	struct ornic_rx_filter_in *rx_filter;
	size_t rx_filter_len;
};

static inline struct ornic_dev *ornic_nd_dev(struct ornic_netdev *nd)
{
	return &nd->core->odev;
}

/* netdev.c */
int ornic_netdev_alloc(struct ornic_core *core);
void ornic_netdev_free(struct net_device *netdev);
int ornic_netdev_register(struct net_device *netdev);
void ornic_netdev_unregister(struct net_device *netdev);
int ornic_netdev_attach(struct net_device *netdev);
void ornic_netdev_detach(struct net_device *netdev);
int ornic_netdev_up(struct ornic_netdev *nd);
void ornic_netdev_down(struct ornic_netdev *nd);
int ornic_netdev_set_rss(struct ornic_netdev *nd);
void ornic_netdev_default_rss(struct ornic_rss *rss, u32 num_queues);
int ornic_port_modify_cmd(struct ornic_netdev *nd, u32 mask, u32 mtu, const u8 *mac, bool up);
int ornic_rx_queues_cmd(struct ornic_netdev *nd, const struct ornic_queue *queues,
			const struct ornic_rss *rss, u32 count);

/* config.c */
struct ornic_queue *ornic_queues_create(struct ornic_netdev *nd,
					const struct ornic_config *config);
void ornic_queues_destroy(struct ornic_queue *queues, u32 count);
int ornic_netdev_change(struct ornic_netdev *nd, const struct ornic_config *to);

/* flow.c */
int ornic_flow_insert(struct ornic_netdev *nd, const struct ethtool_rx_flow_spec *spec);
int ornic_flow_remove(struct ornic_netdev *nd, u32 location);
int ornic_flow_get(struct ornic_netdev *nd, struct ethtool_rx_flow_spec *spec);
int ornic_flow_list(struct ornic_netdev *nd, u32 *locations, u32 room);
int ornic_flows_create(struct ornic_netdev *nd);
int ornic_flows_move(struct ornic_netdev *nd, const struct ornic_queue *from,
		     const struct ornic_queue *to, u32 count);
void ornic_flows_destroy(struct ornic_netdev *nd);
void ornic_flows_free(struct ornic_netdev *nd);

/* ethtool.c */
extern const struct ethtool_ops ornic_ethtool_ops;

/* queue.c */
int ornic_queue_create(struct ornic_queue *queue, const struct ornic_config *config);
void ornic_queue_destroy(struct ornic_queue *queue);
void ornic_queue_enable(struct ornic_queue *queue);
void ornic_queue_disable(struct ornic_queue *queue);
void ornic_queue_finish(struct ornic_queue *queue);

/* tx.c */
int ornic_tx_init(struct ornic_queue *queue);
void ornic_tx_uninit(struct ornic_queue *queue);
bool ornic_tx_poll(struct ornic_queue *queue, int budget);
int ornic_tx_wait(struct ornic_queue *queue);
netdev_tx_t ornic_start_xmit(struct sk_buff *skb, struct net_device *netdev);
netdev_features_t ornic_features_check(struct sk_buff *skb, struct net_device *netdev,
				       netdev_features_t features);
int ornic_tx_xdp(struct ornic_queue *queue, struct xdp_frame *xdpf, enum ornic_tx_type type);
void ornic_tx_publish(struct ornic_queue *queue);

/* rx.c */
u32 ornic_rx_max_mtu(u32 max_sge);
u32 ornic_rx_max_xdp_mtu(void);
void ornic_rx_layout(struct ornic_rxq *rx, const struct ornic_config *config);
int ornic_rx_init(struct ornic_queue *queue);
void ornic_rx_uninit(struct ornic_queue *queue);
int ornic_rx_fill(struct ornic_queue *queue, gfp_t gfp);
int ornic_rx_poll(struct ornic_queue *queue, int budget);

/* xdp.c */
int ornic_bpf(struct net_device *netdev, struct netdev_bpf *bpf);
int ornic_xdp_xmit(struct net_device *netdev, int count, struct xdp_frame **frames, u32 flags);
enum ornic_xdp_stat ornic_xdp_run(struct ornic_queue *queue, struct bpf_prog *prog,
				  struct xdp_buff *xdp);
void ornic_xdp_flush(struct ornic_queue *queue, const u32 *counts);

#endif /* ORNIC_NETDEV_H */
