/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Received frames: choice of the queue */
#ifndef ORNIC_DEVICE_ETH_RX_H
#define ORNIC_DEVICE_ETH_RX_H

#include <stdint.h>

#include "env/frame.h"
#include "eth/headers.h"

struct card;
struct qp;

/**
 * eth_deliver - deliver a frame to a QP
 * @qp: RAW_PACKET QP
 * @frame: passed eth_valid()
 * @headers: its headers
 * @tag: flow_tag for the completion
 *
 * Drops and counts a frame that the QP cannot take. The state of the QP may
 * change.
 */
void eth_deliver(struct qp *qp, const struct frame *frame,
		 struct headers *headers, uint32_t tag);

/**
 * eth_rx - deliver a frame to a receive queue of the port, by its hash
 * @card: the card
 * @frame: passed the filter and eth_valid()
 * @headers: its headers
 */
void eth_rx(struct card *card, const struct frame *frame,
	    const struct headers *headers);

#endif /* ORNIC_DEVICE_ETH_RX_H */
