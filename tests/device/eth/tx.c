// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The port of the card: sending */
#include "base/state.h"
#include "eth/ethport.h"
#include "eth/flow.h"
#include "eth/tx.h"

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
	/* A looped frame is shown once, when it returns ([ORNIC-FLOW-11]) */
	if (card->flow_table.sniffers && !(frame->flags & FRAME_LOOPED))
		flow_sniff(card, frame, headers);
	bounce_sent(&card->bounce, frame);
	/* As many as a wire would carry ([ORNIC-DEV-14]) */
	PORT_STAT_ADD(card, tx_frames, frame_packets(frame));
	PORT_STAT_ADD(card, tx_bytes, frame_wire_len(frame));
	env_tx(card->env, frame);
}
