// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RoCE packets of all QPs: sending, and dispatch of received ones */
#include <endian.h>
#include <string.h>

#include "eq.h"
#include "path.h"
#include "qp.h"
#include "roce.h"
#include "ud.h"

bool roce_is_local(struct qp *qp, const struct ornic_av *av)
{
	/* With sniffers all packets are real wire bytes ([ORNIC-FLOW-11]) */
	return !(av->dmac[0] & 1) && !qp->nic->rules.sniffers &&
	       env_peer_is_local(qp->nic->env, av->dmac);
}

bool roce_is_full(struct qp *qp, const struct ornic_av *av)
{
	return !(av->dmac[0] & 1) && env_path_is_full(qp->nic->env, av->dmac);
}

struct frame *roce_alloc(struct qp *qp, const struct ornic_av *av)
{
	struct frame *frame;

	if (!qp->leaving && roce_is_full(qp, av)) {
		core_block(qp->nic, &qp->run);
		return NULL;
	}
	frame = env_frame_alloc(qp->nic->env);
	if (frame && roce_is_local(qp, av))
		frame->flags |= FRAME_LOCAL;
	return frame;
}

void roce_free(struct qp *qp, struct frame *frame)
{
	env_frame_free(qp->nic->env, frame);
}

void roce_trim(struct frame *frame, uint32_t len)
{
	while (frame->payload_len > len) {
		struct iovec *last = &frame->iov[frame->iov_count - 1];
		uint32_t excess = frame->payload_len - len;

		if (excess < last->iov_len) {
			last->iov_len -= excess;
			frame->payload_len = len;
		} else {
			frame->payload_len -= last->iov_len;
			frame->iov_count--;
		}
	}
}

static enum opcode_transport roce_transport(const struct qp *qp)
{
	switch (qp->type) {
	case ORNIC_QPT_UC:
		return OPCODE_UC;
	case ORNIC_QPT_UD:
	case ORNIC_QPT_GSI:
		return OPCODE_UD;
	case ORNIC_QPT_XRC_SEND:
	case ORNIC_QPT_XRC_RECV:
		return OPCODE_XRC;
	default:
		return OPCODE_RC;
	}
}

void roce_tx(struct qp *qp, const struct ornic_av *av, struct frame *frame,
	     struct packet *pkt)
{
	uint32_t flow = le32toh(av->flow);
	struct nic *nic = qp->nic;
	struct packet_path path = {
		.src = gid_get(nic, le16toh(av->sgid_index)),
		.dgid = av->dgid,
		.dmac = av->dmac,
		.tclass = av->tclass,
		.hop_limit = av->hop_limit,
		.flow_label = ORNIC_GET(ORNIC_AV_FLOW_LABEL, flow),
		/* Priorities have 3 bits, service levels 4 */
		.priority = ORNIC_GET(ORNIC_AV_SL, flow) & 7,
		.sport = le16toh(av->udp_sport),
	};

	if (!path.src) {
		roce_free(qp, frame);
		return;
	}
	if (path.sport < ROCE_UDP_SPORT_MIN)
		path.sport = packet_sport(path.flow_label, qp_wire_num(qp),
					  pkt->dqpn);
	pkt->opcode |= roce_transport(qp) << OPCODE_TRANSPORT_SHIFT;
	pkt->pkey = PKEY_DEFAULT;
	pkt->migrated = qp->attr.mig_state == ORNIC_MIG_MIGRATED;
	packet_finish(frame, &path, pkt);
	RDMA_STAT_ADD(nic, tx_packets, pkt->npkts);
	RDMA_STAT_ADD(nic, tx_bytes, frame->payload_len);
	qp->stats.tx_packets += pkt->npkts;
	qp->stats.tx_bytes += frame->payload_len;
	if (av->dmac[0] & 1)
		core_loop(nic, frame);
	core_tx(nic, frame);
}

/* Is the packet a response, that is, for the requester? */
static bool roce_is_answer(const struct packet *pkt)
{
	return pkt->op->kind == OPCODE_ACK || pkt->op->kind == OPCODE_READ_RESP ||
	       pkt->op->kind == OPCODE_ATOMIC_ACK;
}

/* Find the QP of a packet. Return: NULL when type or state do not fit. */
static struct qp *roce_find(struct nic *nic, const struct packet *pkt)
{
	struct qp *qp;

	if (pkt->dqpn == QP_GSI_QPN) {
		qp = nic->engine->gsi;
	} else {
		qp = qp_find(nic, pkt->dqpn);
		/* On the wire only QPN 1 names the GSI */
		if (qp && qp->type == ORNIC_QPT_GSI)
			return NULL;
	}
	if (!qp || !qp_receives(qp) || qp->type == ORNIC_QPT_RAW_PACKET ||
	    pkt->op->transport != roce_transport(qp))
		return NULL;
	/* XRC_RECV takes requests only, XRC_SEND responses ([ORNIC-XRC-3]) */
	if (qp->type == (roce_is_answer(pkt) ? ORNIC_QPT_XRC_RECV :
					       ORNIC_QPT_XRC_SEND))
		return NULL;
	return qp;
}

static void roce_rx_connected(struct qp *qp, const struct packet *pkt)
{
	if (roce_is_answer(pkt)) {
		if (qp_sends(qp))
			comp_rx(qp, pkt);
		return;
	}
	if (qp->state == ORNIC_QPS_RTR && !qp->comm_est) {
		qp->comm_est = true;
		eq_async(qp->nic, &qp->events, ORNIC_EVENT_QP_COMM_EST);
	}
	resp_rx(qp, pkt);
}

/* Parse and count. Return: whether the packet is valid. */
static bool roce_parse(struct nic *nic, struct packet *pkt,
		       const struct frame *frame, unsigned int l3_offset,
		       unsigned int bth_offset)
{
	switch (packet_parse(pkt, frame, l3_offset, bth_offset)) {
	case PACKET_OK:
		break;
	case PACKET_MALFORMED:
		RDMA_STAT_INC(nic, rx_malformed);
		return false;
	case PACKET_BAD_ICRC:
		RDMA_STAT_INC(nic, rx_icrc_errors);
		return false;
	}
	RDMA_STAT_ADD(nic, rx_packets, pkt->npkts);
	RDMA_STAT_ADD(nic, rx_bytes, pkt->payload_len);
	return true;
}

void roce_rx_mcast(struct nic *nic, const struct frame *frame,
		   const struct mcast_group *group, unsigned int l3_offset,
		   unsigned int bth_offset)
{
	const struct list_head *pos;
	struct packet pkt;
	struct qp *qp;

	if (!roce_parse(nic, &pkt, frame, l3_offset, bth_offset))
		return;
	if (pkt.dqpn != MCAST_QPN || pkt.op->transport != OPCODE_UD) {
		RDMA_STAT_INC(nic, rx_unknown_qp);
		return;
	}
	if (pkt.pkey != PKEY_DEFAULT) {
		RDMA_STAT_INC(nic, rx_wrong_path);
		return;
	}
	list_for_each(pos, &group->members) {
		qp = list_entry(pos, struct mcast_member, node)->qp;
		if (!qp_receives(qp))
			continue;
		qp->stats.rx_packets++;
		qp->stats.rx_bytes += pkt.payload_len;
		nic->budget.work += NIC_RUN_COPY;
		ud_rx(qp, &pkt, l3_offset);
	}
}

void roce_rx(struct nic *nic, const struct frame *frame,
	     unsigned int sgid_index, unsigned int l3_offset,
	     unsigned int bth_offset)
{
	struct packet pkt;
	struct qp *qp;

	if (!roce_parse(nic, &pkt, frame, l3_offset, bth_offset))
		return;
	qp = roce_find(nic, &pkt);
	if (!qp) {
		RDMA_STAT_INC(nic, rx_unknown_qp);
		return;
	}
	if (pkt.pkey != PKEY_DEFAULT ||
	    (qp_is_connected(qp) &&
	     !path_accept(qp, &pkt, sgid_index, l3_offset))) {
		RDMA_STAT_INC(nic, rx_wrong_path);
		return;
	}
	qp->stats.rx_packets += pkt.npkts;
	qp->stats.rx_bytes += pkt.payload_len;
	if (qp_is_connected(qp))
		roce_rx_connected(qp, &pkt);
	else
		ud_rx(qp, &pkt, l3_offset);
}
