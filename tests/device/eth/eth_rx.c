// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Received frames: choice of the queue */
#include <endian.h>

#include "base/state.h"
#include "eth/eth_recv.h"
#include "eth/eth_rx.h"
#include "eth/ethport.h"
#include "eth/rss.h"
#include "eth/rwq_table.h"
#include "eth/wq.h"
#include "queues/qp.h"

static void eth_rx_qp(struct qp *qp, const struct frame *frame,
		      const struct headers *headers, struct ornic_cqe_ext *ext)
{
	if (!receiver_receives(&qp->base) ||
	    eth_receive(&qp->base, frame, headers, ext) == ETH_NO_WQE)
		PORT_STAT_INC(qp->base.card, rx_dropped_no_wqe);
}

void eth_deliver(struct qp *qp, const struct frame *frame,
		 struct headers *headers, uint32_t tag)
{
	struct ornic_cqe_ext ext = { .flow_tag = htole32(tag) };
	uint32_t hash;

	if (qp->rwq_table) {
		ext.flags = htole16(rss_hash_fields(frame, headers, qp->rx_hash.fields,
						    qp->rx_hash.key, &hash));
		ext.rss_hash = htole32(hash);
		wq_receive(rwq_table_get(qp->rwq_table, hash), frame, headers, &ext);
		return;
	}
	eth_rx_qp(qp, frame, headers, &ext);
}

void eth_rx(struct card *card, const struct frame *frame, const struct headers *headers)
{
	struct ornic_cqe_ext ext = {};
	uint32_t hash;
	struct qp *qp;

	ext.flags = htole16(rss_hash(frame, headers, card->port.hash, card->port.key, &hash));
	ext.rss_hash = htole32(hash);
	qp = ethport_queue(card, hash);
	if (qp)
		eth_rx_qp(qp, frame, headers, &ext);
	else
		PORT_STAT_INC(card, rx_dropped_no_wqe);
}
