// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Send path of a RAW_PACKET QP (ORNIC specification, sections 6 and 19.2) */
#include <linux/dma-mapping.h>
#include <linux/iopoll.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/netdev_queues.h>
#include <net/xdp.h>

#include "netdev.h"

#define ORNIC_TX_WAIT_US		1000
#define ORNIC_TX_WAIT_TIMEOUT_US	USEC_PER_SEC

static u32 ornic_tx_free_slots(const struct ornic_txq *tx)
{
	/*
	 * Senders update pi, the NAPI poll updates ci, and both count the free
	 * slots, on different CPUs. Completions free slots, [ORNIC-ORD-7].
	 */
	return (1u << tx->log_slots) - (READ_ONCE(tx->pi) - READ_ONCE(tx->ci));
}

static u32 ornic_tx_pos(const struct ornic_txq *tx, u32 index)
{
	return index & ((1u << tx->log_slots) - 1);
}

/* Gets a 16-byte unit of the WQE that begins at tx->pi and may wrap */
static void *ornic_tx_unit(const struct ornic_txq *tx, u32 unit)
{
	u32 units = ORNIC_SLOT_UNITS << tx->log_slots;

	return tx->ring + ((tx->pi * ORNIC_SLOT_UNITS + unit) & (units - 1)) * ORNIC_UNIT_SIZE;
}

static struct ornic_tx_map *ornic_tx_map(const struct ornic_txq *tx, u32 index, u32 map)
{
	u32 maps = ORNIC_SLOT_UNITS << tx->log_slots;

	return &tx->maps[(index * ORNIC_SLOT_UNITS + map) & (maps - 1)];
}

static void ornic_tx_unmap(struct ornic_queue *queue, u32 index, u32 maps, bool single)
{
	struct device *dev = ornic_device(queue->nd->core);
	u32 i;

	for (i = 0; i < maps; i++) {
		const struct ornic_tx_map *map = ornic_tx_map(&queue->tx, index, i);

		if (!i && single)
			dma_unmap_single(dev, map->addr, map->len, DMA_TO_DEVICE);
		else
			dma_unmap_page(dev, map->addr, map->len, DMA_TO_DEVICE);
	}
}

/* Maps the pieces of a frame after @hdr_len; pkt->maps is their number */
static int ornic_tx_map_skb(struct ornic_queue *queue, struct sk_buff *skb, u32 hdr_len,
			    struct ornic_tx_pkt *pkt)
{
	struct device *dev = ornic_device(queue->nd->core);
	struct ornic_txq *tx = &queue->tx;
	struct ornic_tx_map *map;
	u32 i;

	pkt->maps = 0;
	pkt->single = skb_headlen(skb) > hdr_len;
	if (pkt->single) {
		map = ornic_tx_map(tx, tx->pi, pkt->maps);
		map->len = skb_headlen(skb) - hdr_len;
		map->addr = dma_map_single(dev, skb->data + hdr_len, map->len, DMA_TO_DEVICE);
		if (dma_mapping_error(dev, map->addr))
			return -ENOMEM;
		pkt->maps++;
	}

	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		map = ornic_tx_map(tx, tx->pi, pkt->maps);
		map->len = skb_frag_size(frag);
		map->addr = skb_frag_dma_map(dev, frag, 0, map->len, DMA_TO_DEVICE);
		if (dma_mapping_error(dev, map->addr)) {
			ornic_tx_unmap(queue, tx->pi, pkt->maps, pkt->single);
			return -ENOMEM;
		}
		pkt->maps++;
	}

	return 0;
}

/* Copies TSO headers into the WQE, which may wrap; zero-pads the last unit */
static u32 ornic_tx_write_headers(const struct ornic_txq *tx, const void *headers, u32 len)
{
	u32 unit = ORNIC_TX_HDR_UNITS;
	u32 done, piece;

	for (done = 0; done < len; done += piece) {
		void *to = ornic_tx_unit(tx, unit++);

		piece = min(len - done, ORNIC_UNIT_SIZE);
		memcpy(to, headers + done, piece);
		memset(to + piece, 0, ORNIC_UNIT_SIZE - piece);
	}

	return unit;
}

/* The caller fills in the route, and ornic_tx_end_wqe() the length */
static struct ornic_route_eth *ornic_tx_begin_wqe(struct ornic_txq *tx,
						  enum ornic_wr_opcode opcode)
{
	struct ornic_sq_hdr *hdr = ornic_tx_unit(tx, 0);
	struct ornic_route_eth *route = ornic_tx_unit(tx, 1);

	hdr->ctrl = cpu_to_le32(FIELD_PREP(ORNIC_SQ_OPCODE, opcode));
	hdr->inv_key = 0;
	hdr->wr_id = cpu_to_le64(tx->pi);
	*route = (struct ornic_route_eth) {};
	tx->last = hdr;
	return route;
}

/* Writes the SGEs from a unit on; returns the number of slots of the WQE */
static u32 ornic_tx_end_wqe(struct ornic_queue *queue, u32 unit, u32 maps)
{
	struct ornic_txq *tx = &queue->tx;
	u32 i;

	for (i = 0; i < maps; i++, unit++) {
		const struct ornic_tx_map *map = ornic_tx_map(tx, tx->pi, i);
		struct ornic_sge *sge = ornic_tx_unit(tx, unit);

		sge->addr = cpu_to_le64(map->addr);
		sge->length = cpu_to_le32(map->len);
		sge->lkey = cpu_to_le32(queue->nd->lkey);
	}

	tx->last->ctrl |= cpu_to_le32(FIELD_PREP(ORNIC_SQ_LENGTH, unit * ORNIC_UNIT_SIZE));
	return DIV_ROUND_UP(unit, ORNIC_SLOT_UNITS);
}

/* Returns the number of slots of the WQE; hdr_len is 0 without TSO */
static u32 ornic_tx_write_wqe(struct ornic_queue *queue, const struct sk_buff *skb, u32 hdr_len,
			      u32 maps)
{
	struct ornic_txq *tx = &queue->tx;
	struct ornic_route_eth *route;
	u16 flags = 0;

	route = ornic_tx_begin_wqe(tx, hdr_len ? ORNIC_WR_TSO : ORNIC_WR_SEND);
	if (skb_vlan_tag_present(skb)) {
		flags |= ORNIC_ETH_TX_VLAN_INSERT;
		route->vlan_tci = cpu_to_le16(skb_vlan_tag_get(skb));
	}
	if (hdr_len) {
		/* The device computes the checksums of all segments */
		route->mss = cpu_to_le16(skb_shinfo(skb)->gso_size);
		route->hdr_len = cpu_to_le16(hdr_len);
	} else if (skb->ip_summed == CHECKSUM_PARTIAL) {
		flags |= ORNIC_ETH_TX_L4_CSUM;
		route->csum_start = cpu_to_le16(skb_checksum_start_offset(skb));
		route->csum_offset = cpu_to_le16(skb->csum_offset);
	}
	route->flags = cpu_to_le16(flags);

	return ornic_tx_end_wqe(queue, ornic_tx_write_headers(tx, skb->data, hdr_len), maps);
}

/**
 * ornic_tx_publish - publish the WQEs since the last call to the device
 * @queue:	the queue pair; the lock of its send queue is held
 *
 * Only the last WQE of a batch requests a completion, which covers the others,
 * too.
 */
void ornic_tx_publish(struct ornic_queue *queue)
{
	struct ornic_txq *tx = &queue->tx;

	if (tx->published == tx->pi)
		return;

	tx->last->ctrl |= cpu_to_le32(FIELD_PREP(ORNIC_SQ_FLAGS, ORNIC_SEND_SIGNALED));
	/*
	 * Before the doorbell: the completion may be polled at once. After
	 * pkts are filled in: a completion may come too early.
	 */
	smp_store_release(&tx->published, tx->pi);
	ornic_ring_sq(ornic_nd_dev(queue->nd), queue->dbr, queue->qpn, queue->slot, tx->pi);
}

static void ornic_tx_drop(struct ornic_queue *queue, struct sk_buff *skb)
{
	struct ornic_txq *tx = &queue->tx;

	u64_stats_update_begin(&tx->stats->xmit_syncp);
	u64_stats_inc(&tx->stats->dropped);
	u64_stats_update_end(&tx->stats->xmit_syncp);
	dev_kfree_skb_any(skb);

	/* Earlier frames may depend on this one to be published */
	if (!netdev_xmit_more())
		ornic_tx_publish(queue);
}

/*
 * Longest frame without a VLAN tag. Frames that were queued before the MTU was
 * lowered may be longer.
 */
static u32 ornic_tx_max_len(const struct ornic_netdev *nd)
{
	return READ_ONCE(nd->netdev->mtu) + ETH_HLEN;
}

/* Length of the headers that TSO repeats, or 0 if the device cannot do it */
static u32 ornic_tx_tso_hdr_len(const struct ornic_netdev *nd, const struct sk_buff *skb)
{
	int l3 = skb_network_offset(skb), l4 = skb_transport_offset(skb), len;
	const void *frame = skb->data;
	const __be16 *type = frame + l3 - sizeof(*type);
	const struct ipv6hdr *ip6 = frame + l3;
	const struct iphdr *ip4 = frame + l3;

	if (l3 != ETH_HLEN &&
	    (l3 != VLAN_ETH_HLEN || eth_hdr(skb)->h_proto != htons(ETH_P_8021Q)))
		return 0;
	if (l4 < l3 + (int)sizeof(*ip4) ||
	    (int)skb_headlen(skb) < l4 + (int)sizeof(struct tcphdr))
		return 0;

	/* No fragments, and no IPv6 extension headers */
	if (skb_shinfo(skb)->gso_type & SKB_GSO_TCPV4) {
		if (*type != htons(ETH_P_IP) || ip4->version != 4 || l4 != l3 + ip4->ihl * 4 ||
		    ip4->protocol != IPPROTO_TCP || ip_is_fragment(ip4))
			return 0;
	} else if (skb_shinfo(skb)->gso_type & SKB_GSO_TCPV6) {
		if (*type != htons(ETH_P_IPV6) || ip6->version != 6 ||
		    l4 != l3 + (int)sizeof(*ip6) || ip6->nexthdr != IPPROTO_TCP)
			return 0;
	} else {
		return 0;
	}

	len = skb_tcp_all_headers(skb);
	if (len < l4 + (int)sizeof(struct tcphdr) || len > ORNIC_TSO_HDR_MAX ||
	    len > (int)skb_headlen(skb) || len == (int)skb->len)
		return 0;
	return skb_shinfo(skb)->nr_frags + 1 > nd->core->odev.lim.max_sge ? 0 : len;
}

/*
 * Checks a frame, since an invalid one makes the device stop the queue, and raw
 * sockets can send any. Returns the length of the headers that TSO repeats, 0
 * without TSO, or a negative error number.
 */
static int ornic_tx_prepare(struct ornic_netdev *nd, struct sk_buff *skb)
{
	u32 hdr_len = 0, len = skb->len, max = ornic_tx_max_len(nd);

	/* The MTU does not include a tag, be it in the frame or inserted */
	if (!skb_vlan_tag_present(skb))
		max += VLAN_HLEN;

	if (skb_is_gso(skb)) {
		hdr_len = ornic_tx_tso_hdr_len(nd, skb);
		if (!hdr_len)
			return -EINVAL;
		len = hdr_len + skb_shinfo(skb)->gso_size;
	}
	if (len < ETH_HLEN || len > max)
		return -EINVAL;

	if (hdr_len)
		return hdr_len;

	if (skb->ip_summed == CHECKSUM_PARTIAL && skb_checksum_start_offset(skb) < ETH_HLEN &&
	    skb_checksum_help(skb))
		return -EINVAL;

	if (skb_shinfo(skb)->nr_frags + 1 > ornic_nd_dev(nd)->lim.max_sge)
		return skb_linearize(skb);

	return 0;
}

/**
 * ornic_tx_features_check - get the offloads that the device has for a frame
 * @skb:	the frame
 * @netdev:	the interface
 * @features:	offloads of the interface
 *
 * Return: those of @features that the device can apply to the frame.
 */
netdev_features_t ornic_tx_features_check(struct sk_buff *skb, struct net_device *netdev,
					  netdev_features_t features)
{
	if (skb_is_gso(skb) && !ornic_tx_tso_hdr_len(netdev_priv(netdev), skb))
		features &= ~NETIF_F_GSO_MASK;

	return vlan_features_check(skb, features);
}

/**
 * ornic_tx_start_xmit - send a frame
 * @skb:	the frame
 * @netdev:	the interface
 *
 * Return: NETDEV_TX_OK, or NETDEV_TX_BUSY if the queue is full.
 */
netdev_tx_t ornic_tx_start_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	struct ornic_netdev *nd = netdev_priv(netdev);
	struct ornic_queue *queue = nd->queues[skb_get_queue_mapping(skb)];
	struct ornic_txq *tx = &queue->tx;
	struct netdev_queue *txq = netdev_get_tx_queue(netdev, queue->index);
	bool more = netdev_xmit_more();
	struct ornic_tx_pkt *pkt;
	int hdr_len;

	/* A wake-up may be spurious, see netif_txq_completed_wake() */
	if (unlikely(!netif_txq_maybe_stop(txq, ornic_tx_free_slots(tx), ORNIC_TX_PKT_SLOTS_MAX,
					   ORNIC_TX_WAKE_SLOTS))) {
		ornic_tx_publish(queue);
		return NETDEV_TX_BUSY;
	}

	pkt = &tx->pkts[ornic_tx_pos(tx, tx->pi)];
	hdr_len = ornic_tx_prepare(nd, skb);
	if (unlikely(hdr_len < 0 || ornic_tx_map_skb(queue, skb, hdr_len, pkt))) {
		ornic_tx_drop(queue, skb);
		return NETDEV_TX_OK;
	}

	pkt->slots = ornic_tx_write_wqe(queue, skb, hdr_len, pkt->maps);
	pkt->segs = hdr_len ? DIV_ROUND_UP(skb->len - hdr_len, skb_shinfo(skb)->gso_size) : 1;
	pkt->bytes = skb->len + (pkt->segs - 1) * hdr_len;
	pkt->type = ORNIC_TX_SKB;
	pkt->skb = skb;
	skb_tx_timestamp(skb);
	WRITE_ONCE(tx->pi, tx->pi + pkt->slots);

	if (!netif_txq_maybe_stop(txq, ornic_tx_free_slots(tx), ORNIC_TX_PKT_SLOTS_MAX,
				  ORNIC_TX_WAKE_SLOTS)) {
		u64_stats_update_begin(&tx->stats->xmit_syncp);
		u64_stats_inc(&tx->stats->stop);
		u64_stats_update_end(&tx->stats->xmit_syncp);
		more = false;
	}

	if (__netdev_tx_sent_queue(txq, pkt->bytes, more))
		ornic_tx_publish(queue);

	return NETDEV_TX_OK;
}

static bool ornic_tx_map_xdp(struct ornic_queue *queue, struct xdp_frame *xdpf,
			     enum ornic_tx_type type, struct ornic_tx_map *map)
{
	struct device *dev = ornic_device(queue->nd->core);

	map->len = xdpf->len;
	if (type == ORNIC_TX_XDP) {
		map->addr = page_pool_get_dma_addr(virt_to_page(xdpf->data)) +
			    offset_in_page(xdpf->data);
		dma_sync_single_for_device(dev, map->addr, map->len, DMA_BIDIRECTIONAL);
		return true;
	}

	map->addr = dma_map_single(dev, xdpf->data, map->len, DMA_TO_DEVICE);
	return !dma_mapping_error(dev, map->addr);
}

/**
 * ornic_tx_xdp - post an XDP frame, which the caller publishes later
 * @queue:	the queue pair; the lock of its send queue is held
 * @xdpf:	the frame, of one piece; on success the queue owns it
 * @type:	ORNIC_TX_XDP or ORNIC_TX_XDP_REDIRECT
 *
 * Return: 0 or a negative error number.
 */
int ornic_tx_xdp(struct ornic_queue *queue, struct xdp_frame *xdpf, enum ornic_tx_type type)
{
	struct ornic_txq *tx = &queue->tx;
	struct ornic_tx_pkt *pkt = &tx->pkts[ornic_tx_pos(tx, tx->pi)];

	if (xdpf->len < ETH_HLEN || xdpf->len > ornic_tx_max_len(queue->nd) + VLAN_HLEN)
		return -EINVAL;
	if (!ornic_tx_free_slots(tx))
		return -EBUSY;
	if (!ornic_tx_map_xdp(queue, xdpf, type, ornic_tx_map(tx, tx->pi, 0)))
		return -ENOMEM;

	ornic_tx_begin_wqe(tx, ORNIC_WR_SEND);
	*pkt = (struct ornic_tx_pkt) {
		.xdpf = xdpf,
		.bytes = xdpf->len,
		.segs = 1,
		.slots = ornic_tx_end_wqe(queue, ORNIC_TX_HDR_UNITS, 1),
		.maps = type == ORNIC_TX_XDP ? 0 : 1,
		.single = true,
		.type = type,
	};
	WRITE_ONCE(tx->pi, tx->pi + pkt->slots);
	WRITE_ONCE(tx->xdp_posted, tx->xdp_posted + 1);
	return 0;
}

/* Totals of one poll, named as in struct ornic_tx_stats */
struct ornic_tx_done {
	u32 packets;
	u32 bytes;
	u32 skb_bytes;
	u32 gso_packets;
	u32 gso_bytes;
	u32 gso_segs;
	u32 gso_seg_bytes;
};

/* Returns the slots of the frame */
static u32 ornic_tx_free_pkt(struct ornic_queue *queue, u32 index, int budget)
{
	struct ornic_tx_pkt *pkt = &queue->tx.pkts[ornic_tx_pos(&queue->tx, index)];
	u32 slots = pkt->slots;

	ornic_tx_unmap(queue, index, pkt->maps, pkt->single);
	if (pkt->type == ORNIC_TX_SKB)
		napi_consume_skb(pkt->skb, budget);
	else if (pkt->type == ORNIC_TX_XDP && budget)
		xdp_return_frame_rx_napi(pkt->xdpf);
	else
		xdp_return_frame(pkt->xdpf);
	pkt->slots = 0;
	return slots;
}

/* Frees the frames from @ci on, up to and with the one that begins at @last */
static bool ornic_tx_complete(struct ornic_queue *queue, u32 *ci, u32 last, int budget,
			      struct ornic_tx_done *done)
{
	struct ornic_txq *tx = &queue->tx;
	/* Pairs with the release in ornic_tx_publish() */
	u32 published = smp_load_acquire(&tx->published);
	bool found;

	/* The device may be using all frames if it does not name one of them */
	if (unlikely(last - *ci >= published - *ci || !tx->pkts[ornic_tx_pos(tx, last)].slots))
		return false;

	do {
		const struct ornic_tx_pkt *pkt = &tx->pkts[ornic_tx_pos(tx, *ci)];

		found = *ci == last;
		done->packets += pkt->segs;
		done->bytes += pkt->bytes;
		if (pkt->type != ORNIC_TX_SKB) {
			tx->xdp_done++;
		} else {
			done->skb_bytes += pkt->bytes;
			if (skb_is_gso(pkt->skb)) {
				done->gso_packets++;
				done->gso_bytes += pkt->skb->len;
				done->gso_segs += pkt->segs;
				done->gso_seg_bytes += pkt->bytes;
			}
		}
		*ci += ornic_tx_free_pkt(queue, *ci, budget);
	} while (!found);

	return true;
}

/**
 * ornic_tx_poll - free the frames that were sent
 * @queue:	the queue pair
 * @budget:	NAPI budget
 *
 * Return: true if there is more to do.
 */
bool ornic_tx_poll(struct ornic_queue *queue, int budget)
{
	struct net_device *netdev = queue->nd->netdev;
	struct netdev_queue *txq = netdev_get_tx_queue(netdev, queue->index);
	struct ornic_txq *tx = &queue->tx;
	struct ornic_tx_done done = {};
	struct ornic_cqe *cqe;
	u32 ci = tx->ci;
	u32 cqes = 0;

	/* netpoll runs in interrupt context, which page pools do not support */
	if (!budget && READ_ONCE(tx->xdp_posted) != tx->xdp_done)
		return false;

	while (!(cqes >> tx->log_slots) && (cqe = ornic_cq_peek(&tx->cq))) {
		u32 status = le32_to_cpu(READ_ONCE(cqe->status));
		u32 index = le64_to_cpu(READ_ONCE(cqe->wr_id));

		tx->cq.ci++;
		cqes++;
		if (unlikely(status != ORNIC_WC_SUCCESS)) {
			ornic_queue_fail(queue, ORNIC_QUEUE_TX, "send %u failed with status %u",
					 index, status);
			break;
		}
		if (unlikely(!ornic_tx_complete(queue, &ci, index, budget, &done))) {
			ornic_queue_fail(queue, ORNIC_QUEUE_TX, "completion of send %u, ci %u",
					 index, ci);
			break;
		}
	}

	if (!done.packets)
		return false;

	/*
	 * The CQ has an entry per slot. ndo_start_xmit() on another CPU must
	 * not see free slots before they are unmapped, and before the device
	 * knows that the CQ has room for completions of what is posted to them.
	 */
	ornic_cq_publish(&tx->cq);
	/* Pairs with the control dependency on ornic_tx_free_slots() */
	smp_store_release(&tx->ci, ci);

	u64_stats_update_begin(&tx->stats->syncp);
	u64_stats_add(&tx->stats->packets, done.packets);
	u64_stats_add(&tx->stats->bytes, done.bytes);
	u64_stats_add(&tx->stats->gso_packets, done.gso_packets);
	u64_stats_add(&tx->stats->gso_bytes, done.gso_bytes);
	u64_stats_add(&tx->stats->gso_segs, done.gso_segs);
	u64_stats_add(&tx->stats->gso_seg_bytes, done.gso_seg_bytes);
	u64_stats_update_end(&tx->stats->syncp);

	/* The netdev_queue now belongs to the queue pair that replaced this */
	if (queue->retired)
		return cqes >> tx->log_slots;

	if (!done.skb_bytes) {
		/* netif_txq_completed_wake() has a barrier only with bytes */
		smp_mb();
	}
	if (!netif_txq_completed_wake(txq, done.packets, done.skb_bytes, ornic_tx_free_slots(tx),
				      ORNIC_TX_WAKE_SLOTS)) {
		u64_stats_update_begin(&tx->stats->syncp);
		u64_stats_inc(&tx->stats->wake);
		u64_stats_update_end(&tx->stats->syncp);
	}

	return cqes >> tx->log_slots;
}

/**
 * ornic_tx_wait - wait until the frames posted so far are sent
 * @queue:	the queue pair, which is polled
 *
 * Return: 0 or -ETIMEDOUT.
 */
int ornic_tx_wait(struct ornic_queue *queue)
{
	struct netdev_queue *txq = netdev_get_tx_queue(queue->nd->netdev, queue->index);
	struct ornic_txq *tx = &queue->tx;
	u32 ci, pi;

	__netif_tx_lock_bh(txq);
	ornic_tx_publish(queue);
	pi = tx->pi;
	__netif_tx_unlock_bh(txq);

	return read_poll_timeout(READ_ONCE, ci, (s32)(ci - pi) >= 0, ORNIC_TX_WAIT_US,
				 ORNIC_TX_WAIT_TIMEOUT_US, false, tx->ci);
}

/**
 * ornic_tx_init - prepare the host side of a send queue
 * @queue:	the queue pair; its rings are allocated
 *
 * Return: 0 or -ENOMEM.
 */
int ornic_tx_init(struct ornic_queue *queue)
{
	struct ornic_txq *tx = &queue->tx;
	u32 slots = 1u << tx->log_slots;
	int node = ornic_nd_node(queue->nd);

	tx->pi = 0;
	tx->published = 0;
	tx->ci = 0;
	tx->xdp_posted = 0;
	tx->xdp_done = 0;
	tx->ring = queue->sq_buf.addr;

	tx->pkts = kvcalloc_node(slots, sizeof(*tx->pkts), GFP_KERNEL, node);
	if (!tx->pkts)
		return -ENOMEM;

	tx->maps = kvcalloc_node(slots * ORNIC_SLOT_UNITS, sizeof(*tx->maps), GFP_KERNEL, node);
	if (!tx->maps) {
		kvfree(tx->pkts);
		return -ENOMEM;
	}

	return 0;
}

/**
 * ornic_tx_uninit - free the frames that were not sent
 * @queue:	the queue pair; its QP is destroyed
 */
void ornic_tx_uninit(struct ornic_queue *queue)
{
	struct ornic_txq *tx = &queue->tx;

	while (tx->ci != tx->pi)
		tx->ci += ornic_tx_free_pkt(queue, tx->ci, 0);

	kvfree(tx->maps);
	kvfree(tx->pkts);
}
