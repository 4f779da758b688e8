// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receive path of a RAW_PACKET QP (ORNIC specification, sections 7, 19.3) */
#include "netdev.h"

/* Longest frame that the port delivers, which has two VLAN tags */
#define ORNIC_RX_FRAME_LEN(mtu)	((mtu) + ETH_HLEN + 2 * VLAN_HLEN)

/* Frame bytes in the first piece if it has a page of its own */
#define ORNIC_RX_FIRST_MAX(headroom) \
	((u32)(PAGE_SIZE - (headroom) - ORNIC_RX_TAILROOM))

static u32 ornic_rx_bytes(u32 sges)
{
	return ORNIC_RX_FIRST_MAX(ORNIC_RX_HEADROOM) + (sges - 1) * (u32)PAGE_SIZE;
}

/**
 * ornic_rx_max_mtu - get the largest MTU that fits a buffer
 * @max_sge:	SGEs of a WQE that the device supports, at least 1
 *
 * Return: the MTU in bytes.
 */
u32 ornic_rx_max_mtu(u32 max_sge)
{
	return min(ornic_rx_bytes(min(max_sge, ORNIC_RX_SGES_MAX)) - ORNIC_RX_FRAME_LEN(0),
		   ORNIC_MTU_MAX);
}

/**
 * ornic_rx_max_xdp_mtu - get the largest MTU that XDP supports
 *
 * Return: the MTU in bytes, at which a frame fits into one piece.
 */
u32 ornic_rx_max_xdp_mtu(void)
{
	return ORNIC_RX_FIRST_MAX(XDP_PACKET_HEADROOM) - ORNIC_RX_FRAME_LEN(0);
}

/**
 * ornic_rx_layout - choose the buffer layout for MTU and XDP
 * @rx:		the receive queue
 * @config:	its configuration
 */
void ornic_rx_layout(struct ornic_rxq *rx, const struct ornic_config *config)
{
	u32 len = ORNIC_RX_FRAME_LEN(config->mtu);

	rx->xdp = config->xdp_prog;
	/*
	 * Programs see frames as they were sent, and XDP_TX must not lose the
	 * tag.
	 */
	rx->strip_vlan = config->strip_vlan && !rx->xdp;
	rx->headroom = rx->xdp ? XDP_PACKET_HEADROOM : ORNIC_RX_HEADROOM;
	rx->first_len = min(len, ORNIC_RX_FIRST_MAX(rx->headroom));
	rx->sges = 1 + DIV_ROUND_UP(len - rx->first_len, (u32)PAGE_SIZE);
	rx->stride_shift = max(order_base_2(sizeof(struct ornic_rq_hdr) +
					    rx->sges * sizeof(struct ornic_sge)),
			       ORNIC_RQ_STRIDE_SHIFT_MIN);
}

static struct ornic_rx_buf *ornic_rx_buf(const struct ornic_rxq *rx, u32 index)
{
	return &rx->bufs[index & ((1u << rx->log_wqes) - 1)];
}

static void ornic_rx_free_buf(struct ornic_rxq *rx, struct ornic_rx_buf *buf, u32 first,
			      bool direct)
{
	u32 i;

	for (i = first; i < rx->sges; i++) {
		if (buf->pages[i])
			page_pool_put_full_page(rx->pool, buf->pages[i], direct);
		buf->pages[i] = NULL;
	}
}

static int ornic_rx_alloc_buf(struct ornic_rxq *rx, struct ornic_rx_buf *buf, gfp_t gfp)
{
	u32 i;

	buf->size = SKB_DATA_ALIGN(rx->headroom + rx->first_len) + ORNIC_RX_TAILROOM;
	buf->pages[0] = page_pool_alloc(rx->pool, &buf->offset, &buf->size, gfp);
	if (!buf->pages[0])
		return -ENOMEM;

	for (i = 1; i < rx->sges; i++) {
		buf->pages[i] = page_pool_alloc_pages(rx->pool, gfp);
		if (!buf->pages[i]) {
			ornic_rx_free_buf(rx, buf, 0, false);
			return -ENOMEM;
		}
	}

	return 0;
}

static void ornic_rx_write_wqe(struct ornic_queue *queue, const struct ornic_rx_buf *buf)
{
	struct ornic_rxq *rx = &queue->rx;
	u32 pos = rx->pi & ((1u << rx->log_wqes) - 1);
	struct ornic_rq_hdr *hdr = rx->ring + ((size_t)pos << rx->stride_shift);
	struct ornic_sge *sge = (struct ornic_sge *)(hdr + 1);
	u32 i;

	hdr->ctrl = cpu_to_le32(FIELD_PREP(ORNIC_RQ_COUNT, rx->sges));
	hdr->rsvd = 0;
	hdr->wr_id = cpu_to_le64(rx->pi);

	for (i = 0; i < rx->sges; i++) {
		dma_addr_t addr = page_pool_get_dma_addr(buf->pages[i]);

		if (!i)
			addr += buf->offset + rx->headroom;
		sge[i].addr = cpu_to_le64(addr);
		sge[i].length = cpu_to_le32(i ? PAGE_SIZE : rx->first_len);
		sge[i].lkey = cpu_to_le32(queue->nd->lkey);
	}
}

static void ornic_rx_count_alloc_fail(struct ornic_rxq *rx)
{
	u64_stats_update_begin(&rx->stats->syncp);
	u64_stats_inc(&rx->stats->alloc_fail);
	u64_stats_update_end(&rx->stats->syncp);
}

/**
 * ornic_rx_fill - post buffers until the ring is full
 * @queue:	the queue pair
 * @gfp:	allocation flags
 *
 * Return: 0, or -ENOMEM if the ring is not full.
 */
int ornic_rx_fill(struct ornic_queue *queue, gfp_t gfp)
{
	struct ornic_rxq *rx = &queue->rx;
	u32 end = rx->ci + (1u << rx->log_wqes);
	int err = 0;

	if (rx->pi == end)
		return 0;

	while (rx->pi != end) {
		struct ornic_rx_buf *buf = ornic_rx_buf(rx, rx->pi);

		err = ornic_rx_alloc_buf(rx, buf, gfp);
		if (err) {
			ornic_rx_count_alloc_fail(rx);
			break;
		}
		ornic_rx_write_wqe(queue, buf);
		rx->pi++;
	}

	ornic_publish_rq(ornic_nd_dev(queue->nd), queue->dbr, ORNIC_DB_RQ, queue->qpn, rx->pi);
	return err;
}

static void *ornic_rx_start(const struct ornic_rx_buf *buf)
{
	return page_address(buf->pages[0]) + buf->offset;
}

/*
 * Consumes a buffer and builds an skb from @len bytes of the first piece and
 * @rest bytes of the others. Pages that the skb owns are cleared in the buffer.
 */
static struct sk_buff *ornic_rx_build_skb(struct ornic_rxq *rx, struct ornic_rx_buf *buf,
					  u32 headroom, u32 len, u32 rest)
{
	struct sk_buff *skb;
	u32 i, piece;

	skb = napi_build_skb(ornic_rx_start(buf), buf->size);
	if (unlikely(!skb)) {
		ornic_rx_count_alloc_fail(rx);
		ornic_rx_free_buf(rx, buf, 0, true);
		return NULL;
	}

	buf->pages[0] = NULL;
	skb_mark_for_recycle(skb);
	skb_reserve(skb, headroom);
	__skb_put(skb, len);

	for (i = 1; rest; i++, rest -= piece) {
		piece = min(rest, PAGE_SIZE);
		page_pool_dma_sync_for_cpu(rx->pool, buf->pages[i], 0, piece);
		skb_add_rx_frag(skb, i - 1, buf->pages[i], 0, piece, PAGE_SIZE);
		buf->pages[i] = NULL;
	}
	ornic_rx_free_buf(rx, buf, i, true);

	return skb;
}

/* Returns the frame for the network stack, or NULL if there is none */
static struct sk_buff *ornic_rx_run_xdp(struct ornic_queue *queue, struct bpf_prog *prog,
					struct ornic_rx_buf *buf, u32 len, u32 *counts)
{
	struct ornic_rxq *rx = &queue->rx;
	enum ornic_xdp_stat result;
	struct sk_buff *skb;
	struct xdp_buff xdp;
	u32 metasize;

	xdp_init_buff(&xdp, buf->size, &rx->xdp_rxq);
	xdp_prepare_buff(&xdp, ornic_rx_start(buf), rx->headroom, len, true);
	result = ornic_xdp_run(queue, prog, &xdp);
	counts[result]++;

	switch (result) {
	case ORNIC_XDP_STAT_PASS:
		break;
	case ORNIC_XDP_STAT_TX:
	case ORNIC_XDP_STAT_REDIRECT:
		buf->pages[0] = NULL;
		return NULL;
	default:
		ornic_rx_free_buf(rx, buf, 0, true);
		return NULL;
	}

	skb = ornic_rx_build_skb(rx, buf, xdp.data - xdp.data_hard_start, xdp.data_end - xdp.data,
				 0);
	metasize = xdp.data - xdp.data_meta;
	if (skb && metasize)
		skb_metadata_set(skb, metasize);
	return skb;
}

static void ornic_rx_set_metadata(struct ornic_queue *queue, struct sk_buff *skb,
				  const struct ornic_cqe_ext *ext)
{
	struct net_device *netdev = queue->nd->netdev;
	u16 flags = le16_to_cpu(READ_ONCE(ext->flags));

	skb_record_rx_queue(skb, queue->index);
	skb->protocol = eth_type_trans(skb, netdev);

	if ((flags & ORNIC_CQE_EXT_L4_CSUM_OK) && (netdev->features & NETIF_F_RXCSUM))
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	if ((flags & ORNIC_CQE_EXT_RSS) && (netdev->features & NETIF_F_RXHASH))
		skb_set_hash(skb, le32_to_cpu(READ_ONCE(ext->rss_hash)),
			     flags & ORNIC_CQE_EXT_RSS_L4 ? PKT_HASH_TYPE_L4 : PKT_HASH_TYPE_L3);
	if (flags & ORNIC_CQE_EXT_VLAN)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q),
				       le16_to_cpu(READ_ONCE(ext->vlan_tci)));
}

static bool ornic_rx_completion_ok(struct ornic_queue *queue, const struct ornic_cqe *cqe)
{
	struct ornic_rxq *rx = &queue->rx;
	u32 status = le32_to_cpu(READ_ONCE(cqe->status));
	u32 index = le64_to_cpu(READ_ONCE(cqe->wr_id));

	if (unlikely(status != ORNIC_WC_SUCCESS)) {
		ornic_queue_fail(queue, ORNIC_QUEUE_RX, "receive %u failed with status %u", index,
				 status);
		return false;
	}
	/* Receives complete in order, and only if they were posted */
	if (unlikely(index != rx->ci || rx->ci == rx->pi)) {
		ornic_queue_fail(queue, ORNIC_QUEUE_RX, "completion of receive %u, ci %u, pi %u",
				 index, rx->ci, rx->pi);
		return false;
	}
	return true;
}

/**
 * ornic_rx_poll - receive frames
 * @queue:	the queue pair
 * @budget:	NAPI budget
 *
 * Return: number of frames, or @budget to be polled again.
 */
int ornic_rx_poll(struct ornic_queue *queue, int budget)
{
	struct ornic_rxq *rx = &queue->rx;
	u32 capacity = rx->first_len + (rx->sges - 1) * (u32)PAGE_SIZE;
	/* A queue without XDP buffers is being replaced: it runs no program */
	struct bpf_prog *prog = rx->xdp ? READ_ONCE(queue->nd->config.xdp_prog) : NULL;
	u32 packets = 0, bytes = 0, errors = 0;
	u32 xdp[ORNIC_XDP_STAT_COUNT] = {};
	struct ornic_cqe *cqe;
	int done = 0;
	u32 i;

	while (done < budget && (cqe = ornic_cq_peek(&rx->cq))) {
		u32 len = le32_to_cpu(READ_ONCE(cqe->byte_len));
		u32 first = min(len, rx->first_len);
		struct ornic_rx_buf *buf;
		struct sk_buff *skb;

		if (!ornic_rx_completion_ok(queue, cqe))
			break;

		buf = ornic_rx_buf(rx, rx->ci);
		rx->cq.ci++;
		rx->ci++;
		done++;

		if (unlikely(len < ETH_HLEN || len > capacity)) {
			ornic_rx_free_buf(rx, buf, 0, true);
			errors++;
			continue;
		}

		packets++;
		bytes += len;
		page_pool_dma_sync_for_cpu(rx->pool, buf->pages[0], buf->offset + rx->headroom,
					   first);
		if (prog)
			skb = ornic_rx_run_xdp(queue, prog, buf, len, xdp);
		else
			skb = ornic_rx_build_skb(rx, buf, rx->headroom, first, len - first);
		if (!skb)
			continue;

		ornic_rx_set_metadata(queue, skb, ornic_cqe_ext(cqe));
		napi_gro_receive(&queue->napi, skb);
	}

	if (done)
		ornic_cq_publish(&rx->cq);

	u64_stats_update_begin(&rx->stats->syncp);
	u64_stats_add(&rx->stats->packets, packets);
	u64_stats_add(&rx->stats->bytes, bytes);
	u64_stats_add(&rx->stats->errors, errors);
	if (prog) {
		for (i = 0; i < ORNIC_XDP_STAT_COUNT; i++)
			u64_stats_add(&rx->stats->xdp[i], xdp[i]);
	}
	u64_stats_update_end(&rx->stats->syncp);

	if (prog)
		ornic_xdp_flush(queue, xdp);

	/* Without any buffer no event would trigger another try */
	if (ornic_rx_fill(queue, GFP_ATOMIC | __GFP_NOWARN) && rx->pi == rx->ci)
		return budget;

	return done;
}

/**
 * ornic_rx_init - prepare the host side of a receive queue
 * @queue:	the queue pair; its rings are allocated and its NAPI is added
 *
 * Return: 0 or a negative error number.
 */
int ornic_rx_init(struct ornic_queue *queue)
{
	struct ornic_rxq *rx = &queue->rx;
	u32 wqes = 1u << rx->log_wqes;
	struct page_pool_params params = {
		.flags = PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV,
		.pool_size = wqes * rx->sges,
		.nid = NUMA_NO_NODE,
		.dev = ornic_device(queue->nd->core),
		.napi = &queue->napi,
		.dma_dir = rx->xdp ? DMA_BIDIRECTIONAL : DMA_FROM_DEVICE,
		.max_len = PAGE_SIZE,
		.netdev = queue->nd->netdev,
		.queue_idx = queue->index,
	};
	int err;

	rx->pi = 0;
	rx->ci = 0;
	rx->ring = queue->rq_buf.addr;

	rx->bufs = kvcalloc_node(wqes, sizeof(*rx->bufs), GFP_KERNEL, ornic_nd_node(queue->nd));
	if (!rx->bufs)
		return -ENOMEM;

	rx->pool = page_pool_create(&params);
	if (IS_ERR(rx->pool)) {
		err = PTR_ERR(rx->pool);
		goto err_free_bufs;
	}

	err = xdp_rxq_info_reg(&rx->xdp_rxq, queue->nd->netdev, queue->index,
			       queue->napi.napi_id);
	if (err)
		goto err_destroy_pool;

	err = xdp_rxq_info_reg_mem_model(&rx->xdp_rxq, MEM_TYPE_PAGE_POOL, rx->pool);
	if (err)
		goto err_unreg_xdp_rxq;

	return 0;

err_unreg_xdp_rxq:
	xdp_rxq_info_unreg(&rx->xdp_rxq);
err_destroy_pool:
	page_pool_destroy(rx->pool);
err_free_bufs:
	kvfree(rx->bufs);
	return err;
}

/**
 * ornic_rx_uninit - free the buffers of a receive queue
 * @queue:	the queue pair; its QP is destroyed
 */
void ornic_rx_uninit(struct ornic_queue *queue)
{
	struct ornic_rxq *rx = &queue->rx;

	while (rx->ci != rx->pi)
		ornic_rx_free_buf(rx, ornic_rx_buf(rx, rx->ci++), 0, false);

	xdp_rxq_info_unreg(&rx->xdp_rxq);
	page_pool_destroy(rx->pool);
	kvfree(rx->bufs);
}
