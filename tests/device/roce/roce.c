// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RoCE packets of all QPs: sending */
#include <endian.h>
#include <string.h>

#include "base/run.h"
#include "eth/headers.h"
#include "eth/tx.h"
#include "queues/qp.h"
#include "roce/roce.h"

/* Are packets to this MAC looped back ([ORNIC-LOOP-5])? */
static bool roce_is_looped(const struct card *card, const uint8_t *dmac)
{
	return !memcmp(dmac, card->port.mac, MAC_LEN) ||
	       gid_has_smac(&card->gids, dmac);
}

/* The trace has the sender of the frame that comes. Return: whether frames may be local. */
static CARD_RARE bool roce_show(struct qp *qp)
{
	struct card *card = qp->base.card;

	card->trace.qpn = qp->base.obj.num;
	/* With sniffers all packets are real wire bytes ([ORNIC-FLOW-12]) */
	return !card_hooked(card, CARD_SNIFFERS);
}

/* roce_is_local(), inline in what each packet needs */
static inline bool roce_stays(struct qp *qp, const struct ornic_av *av)
{
	return !(av->dmac[0] & 1) &&
	       (!card_hooked(qp->base.card, CARD_SNIFFERS | CARD_TRACED) || roce_show(qp)) &&
	       env_peer_is_local(qp->base.card->env, av->dmac);
}

bool roce_is_local(struct qp *qp, const struct ornic_av *av)
{
	return roce_stays(qp, av);
}

bool roce_is_full(struct qp *qp, const struct ornic_av *av)
{
	return env_path_is_full(qp->base.card->env, av->dmac) &&
	       !roce_is_looped(qp->base.card, av->dmac);
}

static struct frame *roce_alloc_for(struct qp *qp, const struct ornic_av *av,
				    struct run_item *item)
{
	struct frame *frame;

	if (!qp->leaving && roce_is_full(qp, av)) {
		run_block(qp->base.card, item);
		return NULL;
	}
	frame = env_frame_alloc(qp->base.card->env);
	if (frame && roce_stays(qp, av))
		frame->flags |= FRAME_LOCAL;
	return frame;
}

struct frame *roce_alloc(struct qp *qp, const struct ornic_av *av)
{
	return roce_alloc_for(qp, av, &qp->base.run);
}

struct frame *roce_alloc_answer(struct qp *qp)
{
	return roce_alloc_for(qp, &qp->attr.av, &qp->answer);
}

void roce_free(struct qp *qp, struct frame *frame)
{
	env_frame_free(qp->base.card->env, frame);
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

/*
 * Copy the payload of a frame that may leave the process. Guests write to their
 * memory meanwhile, and the ICRC must be that of the bytes that leave.
 */
static void roce_copy(struct card *card, struct frame *frame)
{
	uint8_t *piece = bounce_take(&card->bounce);
	uint32_t len = frame->payload_len;

	if (frame->flags & FRAME_LOCAL || !len || frame->iov[0].iov_base == piece)
		return;
	frame_read(frame, 0, piece, len);
	frame->iov_count = 0;
	frame->payload_len = 0;
	frame_add(frame, piece, len);
}

void roce_tx(struct qp *qp, const struct ornic_av *av, struct frame *frame,
	     struct packet *pkt)
{
	uint32_t flow = le32toh(av->flow);
	unsigned int sl = ORNIC_GET(ORNIC_AV_SL, flow);
	struct card *card = qp->base.card;
	struct packet_path path = {
		.src = gid_get(&card->gids, le16toh(av->sgid_index)),
		.dgid = av->dgid,
		.dmac = av->dmac,
		.tclass = av->tclass,
		.hop_limit = av->hop_limit,
		.flow_label = ORNIC_GET(ORNIC_AV_FLOW_LABEL, flow),
		/* Priorities have 3 bits, service levels 4 ([ORNIC-SQ-17]) */
		.priority = sl < 8 ? sl : 0,
		.sport = le16toh(av->udp_sport),
	};
	struct headers headers;

	if (!path.src) {
		roce_free(qp, frame);
		return;
	}
	if (path.sport < ROCE_UDP_SPORT_MIN)
		path.sport = packet_sport(path.flow_label, qp_wire_num(qp),
					  pkt->dqpn);
	pkt->opcode |= roce_transport(qp) << OPCODE_TRANSPORT_SHIFT;
	pkt->pkey = PKEY_DEFAULT;
	roce_copy(card, frame);
	packet_finish(frame, &path, pkt);
	headers_init(&headers, card->parse);
	QP_STAT_ADD(qp, tx_packets, pkt->npkts);
	QP_STAT_ADD(qp, tx_bytes, frame->payload_len);
	qp->base.tx_bytes += frame->payload_len;
	if (av->dmac[0] & 1)
		card->loop_roce(card, frame, &headers);
	else if (roce_is_looped(card, av->dmac))
		frame->flags |= FRAME_LOOPED;
	tx_send(card, frame, &headers);
}
