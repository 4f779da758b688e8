// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Engine of RAW_PACKET QPs: what they send. */
#include <string.h>

#include "core.h"
#include "csum.h"
#include "eth.h"
#include "qp.h"

#define ETH_TPID_VLAN 0x8100
#define ETH_TX_FLAGS (ORNIC_ETH_TX_VLAN_INSERT | ORNIC_ETH_TX_L4_CSUM)

_Static_assert(ETH_OVERHEAD + ETHPORT_MTU_MAX <= BOUNCE_SIZE,
	       "a frame fits a bounce piece");

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
