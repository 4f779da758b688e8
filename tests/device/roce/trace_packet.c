// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RoCE packets in a trace, as they are, whether or not they are valid */
#include <string.h>
#include <zlib.h>

#include "base/be.h"
#include "eth/headers.h"
#include "queues/qp.h"
#include "roce/icrc.h"
#include "roce/opcode.h"
#include "roce/trace_packet.h"

#define TRACE_24_BITS 0xffffff
/* BTH: byte 1 */
#define TRACE_PAD(bth) ((bth)[1] >> 4 & 3)

/* Bytes of payload, or those that a READ asks for; 0 in a packet that contradicts itself */
static uint32_t trace_len(const struct frame *frame, const struct opcode *op,
			  const uint8_t *bth)
{
	uint32_t from = bth - frame->hdr + op->len, end = frame_len(frame);

	if (op->kind == OPCODE_READ)
		/* The RETH is the last header, and the length is at its end */
		return be_get32(bth + op->len - 4);
	if (frame->flags & FRAME_LOCAL)
		end -= TRACE_PAD(bth);
	else
		end = bth - frame->hdr - HEADERS_UDP_LEN +
		      be_get16(bth - HEADERS_UDP_LEN + 4) - ICRC_LEN - TRACE_PAD(bth);
	return end > from ? end - from : 0;
}

/* Is a unicast frame for this card? The switch floods those to unknown stations. */
static bool trace_is_own(const struct card *card, const uint8_t *dmac)
{
	return dmac[0] & 1 || !memcmp(dmac, card->port.mac, MAC_LEN) ||
	       gid_has_smac(&card->gids, dmac);
}

/* On the wire QPN 1 names the GSI QP, which has a number of its own */
static uint32_t trace_own_qpn(const struct card *card, uint32_t qpn)
{
	return qpn == QP_GSI_QPN && card->gsi ? card->gsi->base.obj.num : qpn;
}

void trace_packet(struct card *card, const struct frame *frame, struct headers *headers,
		  enum trace_kind kind)
{
	struct trace_record record = { .kind = kind };
	uint32_t sender = card->trace.qpn, dqpn;
	const struct opcode *op;
	const uint8_t *bth;

	/* The stack of the host may send RoCE, too, by a QP that is not of RoCE */
	if (kind == TRACE_OUT)
		card->trace.qpn = 0;
	headers_need(frame, headers);
	if (!headers_is_roce(frame, headers) ||
	    (kind == TRACE_IN && !trace_is_own(card, frame->hdr)))
		return;
	bth = frame->hdr + headers->l4_offset + HEADERS_UDP_LEN;
	if (bth + BTH_LEN > frame->hdr + frame->hdr_len)
		return;
	op = opcode_get(bth[0]);
	if (!op || bth + op->len > frame->hdr + frame->hdr_len)
		return;
	record.op = bth[0];
	record.psn = be_get32(bth + 8) & TRACE_24_BITS;
	record.value = frame_packets(frame);
	record.len = trace_len(frame, op, bth);
	record.path = crc32_z(0, frame->hdr, 2 * MAC_LEN);
	if (op->flags & OPCODE_AETH)
		record.code = bth[BTH_LEN];
	dqpn = be_get32(bth + 4) & TRACE_24_BITS;
	if (kind == TRACE_IN)
		sender = 0;
	if (op->flags & OPCODE_DETH)
		sender = be_get32(bth + BTH_LEN + 4) & TRACE_24_BITS;
	record.qpn = trace_own_qpn(card, kind == TRACE_IN ? dqpn : sender);
	record.num = kind == TRACE_IN ? sender : dqpn;
	card_trace_add(card, record);
}
