// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The port of the card: sending */
#include "base/state.h"
#include "eth/ethport.h"
#include "eth/flow.h"
#include "eth/tx.h"

/* Show a frame to those who look: a looped one once, when it returns ([ORNIC-FLOW-11]) */
static CARD_RARE void tx_show(struct card *card, const struct frame *frame, struct headers *headers)
{
	if (card_hooked(card, CARD_TRACED))
		card->trace_packet(card, frame, headers, TRACE_OUT);
	if (card_hooked(card, CARD_SNIFFERS) && !(frame->flags & FRAME_LOOPED))
		flow_sniff(card, frame, headers);
}

void tx_send(struct card *card, struct frame *frame, struct headers *headers)
{
	if (!ethport_running(card)) {
		env_frame_free(card->env, frame);
		return;
	}
	if (!(frame->flags & FRAME_LOOPED) &&
	    !ethport_may_send(card, frame->hdr + MAC_LEN)) {
		PORT_STAT_INC(card, tx_dropped_spoofed);
		env_frame_free(card->env, frame);
		return;
	}
	if (card_hooked(card, CARD_SNIFFERS | CARD_TRACED))
		tx_show(card, frame, headers);
	bounce_sent(&card->bounce, frame);
	/* As many as a wire would carry ([ORNIC-DEV-14]) */
	PORT_STAT_ADD(card, tx_frames, frame_packets(frame));
	PORT_STAT_ADD(card, tx_bytes, frame_wire_len(frame));
	env_tx(card->env, frame);
}
