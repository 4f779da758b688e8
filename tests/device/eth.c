// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Engine of RAW_PACKET QPs. */
#include <errno.h>
#include <string.h>

#include "core.h"
#include "csum.h"
#include "eth.h"
#include "qp.h"
#include "rss.h"

#define ETH_MACS_LEN (2 * MAC_LEN)
#define ETH_TPID_VLAN 0x8100
#define ETH_OVERHEAD (FLOW_ETH_LEN + FLOW_VLAN_LEN)
#define ETH_TX_FLAGS (ORNIC_ETH_TX_VLAN_INSERT | ORNIC_ETH_TX_L4_CSUM)

_Static_assert(ETH_OVERHEAD + ETHPORT_MTU_MAX <= BOUNCE_SIZE,
	       "a frame fits a bounce piece");

/* ---- transmit ---- */

static enum ornic_wc_status eth_tx_check(const struct nic *nic,
					 const struct send_wqe *wqe)
{
	unsigned int flags = le16toh(wqe->eth.flags);
	unsigned int start = le16toh(wqe->eth.csum_start);
	unsigned int field = start + le16toh(wqe->eth.csum_offset);
	uint64_t max = nic->port.mtu + ETH_OVERHEAD;

	if (flags & ORNIC_ETH_TX_VLAN_INSERT)
		max -= FLOW_VLAN_LEN;
	if (wqe->length < FLOW_ETH_LEN || wqe->length > max)
		return ORNIC_WC_LOC_LEN_ERR;
	if (flags & ~ETH_TX_FLAGS)
		return ORNIC_WC_LOC_QP_OP_ERR;
	if (flags & ORNIC_ETH_TX_L4_CSUM && field + 2 > wqe->length)
		return ORNIC_WC_LOC_QP_OP_ERR;
	return ORNIC_WC_SUCCESS;
}

/* The field holds the sum of the pseudo header, as Linux leaves it. */
static void eth_tx_csum(const struct send_wqe *wqe, uint8_t *packet)
{
	unsigned int start = le16toh(wqe->eth.csum_start);
	struct csum csum = {};

	csum_add(&csum, packet + start, wqe->length - start);
	flow_put16(packet + start + le16toh(wqe->eth.csum_offset),
		   csum_field(csum_fold(&csum)));
}

/* Lay the packet out in the frame: what headers can be in hdr, the rest behind
 * it in the piece it was copied to.
 */
static void eth_tx_frame(struct frame *frame, const struct send_wqe *wqe,
			 const uint8_t *packet)
{
	uint32_t len = wqe->length;
	uint32_t room = FRAME_HDR_MAX;
	uint8_t *hdr = frame->hdr;

	if (le16toh(wqe->eth.flags) & ORNIC_ETH_TX_VLAN_INSERT) {
		memcpy(hdr, packet, ETH_MACS_LEN);
		flow_put16(hdr + ETH_MACS_LEN, ETH_TPID_VLAN);
		flow_put16(hdr + ETH_MACS_LEN + 2, le16toh(wqe->eth.vlan_tci));
		hdr += ETH_MACS_LEN + FLOW_VLAN_LEN;
		room -= ETH_MACS_LEN + FLOW_VLAN_LEN;
		packet += ETH_MACS_LEN;
		len -= ETH_MACS_LEN;
	}
	if (room > len)
		room = len;
	memcpy(hdr, packet, room);
	frame->hdr_len = hdr + room - frame->hdr;
	/* One piece: cannot run out of them. */
	frame_add(frame, packet + room, len - room);
}

/* Make one frame of one WQE. */
static enum ornic_wc_status eth_tx_one(struct qp *qp,
				       const struct send_wqe *wqe,
				       struct frame *frame)
{
	enum ornic_wc_status status;
	struct flow flow;
	uint8_t *packet;

	status = eth_tx_check(qp->nic, wqe);
	if (status)
		return status;
	/* The guest may reuse its buffer as soon as it sees the completion. */
	packet = bounce_take(&qp->nic->bounce);
	if (wqe->flags & ORNIC_SEND_INLINE)
		memcpy(packet, wqe->data, wqe->length);
	else if (sge_read(qp, wqe->sge, wqe->sge_count, 0, packet,
			  wqe->length))
		return ORNIC_WC_LOC_PROT_ERR;
	if (le16toh(wqe->eth.flags) & ORNIC_ETH_TX_L4_CSUM)
		eth_tx_csum(wqe, packet);
	eth_tx_frame(frame, wqe, packet);
	if (wqe->flags & ORNIC_SEND_IP_CSUM) {
		flow_dissect(frame, &flow);
		csum_fill(frame, &flow);
	}
	return ORNIC_WC_SUCCESS;
}

/* Every frame of a RAW_PACKET QP leaves here. */
static void eth_send(struct qp *qp, struct frame *frame)
{
	core_tx(qp->nic, frame);
}

bool eth_tx(struct qp *qp, unsigned int budget)
{
	struct nic *nic = qp->nic;
	enum ornic_wc_status status;
	struct frame *frame;
	struct send_wqe wqe;

	while (!sq_empty(&qp->sq)) {
		if (!budget--)
			return true;
		frame = env_frame_alloc(nic->env);
		if (!frame)
			return true;
		status = sq_take(qp, &wqe);
		if (!status)
			status = eth_tx_one(qp, &wqe, frame);
		if (!status) {
			eth_send(qp, frame);
		} else {
			/* It fails alone ([ORNIC-QP-5]). */
			env_frame_free(nic->env, frame);
			PORT_STAT_INC(nic, tx_errors);
		}
		sq_complete(qp, &wqe, status, 0);
	}
	return false;
}

/* ---- receive ---- */

static void eth_rx_flags(const struct frame *frame, const struct flow *flow,
			 struct ornic_cqe *cqe, struct ornic_cqe_ext *ext)
{
	if (!flow->l4)
		return;
	if (!(frame->flags & FRAME_CSUM_OK) &&
	    !(csum_ip_ok(frame, flow) && csum_l4_ok(frame, flow)))
		return;
	ext->flags |= htole16(ORNIC_CQE_EXT_L4_CSUM_OK);
	if (flow->l3 == 4)
		cqe->qpn |= htole32(ORNIC_PREP(ORNIC_CQE_FLAGS,
					       ORNIC_WC_IP_CSUM_OK));
}

static void eth_rx_one(struct qp *qp, const struct frame *frame,
		       struct ornic_cqe *cqe, const struct ornic_cqe_ext *ext)
{
	struct nic *nic = qp->nic;
	struct iovec iov[FRAME_IOV_MAX + 2];
	uint64_t len = frame_len(frame);
	struct recv_wqe wqe;
	int ret;

	ret = rq_take(qp, &wqe);
	if (ret == -EINVAL) {
		rq_fail(qp, wqe.wr_id, ORNIC_WC_LOC_QP_OP_ERR);
		qp_error(qp);
		return;
	}
	if (ret) {
		PORT_STAT_INC(nic, rx_dropped_no_wqe);
		if (ret == -EIO)
			qp_error(qp);
		return;
	}
	if (len > wqe.length) {
		/* The WQE stays for the next one ([ORNIC-RQ-4]). */
		qp->rq.next--;
		PORT_STAT_INC(nic, rx_dropped_malformed);
		return;
	}
	ret = frame_iov(frame, 0, len, iov, FRAME_IOV_MAX + 2);
	if (ret < 0 || rq_write(qp, &wqe, 0, iov, ret)) {
		rq_fail(qp, wqe.wr_id, ORNIC_WC_LOC_PROT_ERR);
		qp_error(qp);
		return;
	}
	rq_complete(qp, cqe, wqe.wr_id, ext, false);
}

bool eth_valid(const struct nic *nic, const struct frame *frame)
{
	return !(frame->flags & FRAME_LOCAL) &&
	       frame_len(frame) <= nic->port.mtu + ETH_OVERHEAD;
}

/* @ext: with what the way to the queue tells about the frame */
static void eth_rx_queue(struct qp *qp, const struct frame *frame,
			 const struct flow *flow, struct ornic_cqe_ext *ext)
{
	struct ornic_cqe cqe = {
		.opcode = htole32(ORNIC_WC_RECV),
		.byte_len = htole32(frame_len(frame)),
	};

	if (!qp_receives(qp)) {
		PORT_STAT_INC(qp->nic, rx_dropped_no_wqe);
		return;
	}
	eth_rx_flags(frame, flow, &cqe, ext);
	eth_rx_one(qp, frame, &cqe, ext);
}

void eth_deliver(struct qp *qp, const struct frame *frame,
		 const struct flow *flow, uint32_t tag)
{
	struct ornic_cqe_ext ext = { .flow_tag = htole32(tag) };

	eth_rx_queue(qp, frame, flow, &ext);
}

void eth_rx(struct nic *nic, const struct frame *frame, const struct flow *flow)
{
	struct ornic_cqe_ext ext = {};
	uint32_t hash;
	struct qp *qp;

	if (rss_hash(frame, flow, nic->port.hash, nic->port.key, &hash)) {
		ext.rss_hash = htole32(hash);
		ext.flags |= htole16(ORNIC_CQE_EXT_RSS);
	}
	qp = ethport_queue(nic, hash);
	if (qp)
		eth_rx_queue(qp, frame, flow, &ext);
	else
		PORT_STAT_INC(nic, rx_dropped_no_wqe);
}
