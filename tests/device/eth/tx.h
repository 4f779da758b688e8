/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The port of the card: sending */
#ifndef ORNIC_DEVICE_TX_H
#define ORNIC_DEVICE_TX_H

struct card;
struct frame;
struct headers;

/**
 * tx_send - send a frame
 * @card: the card
 * @frame: consumed. The frame is counted, or dropped when the port is down.
 * @headers: its headers, from headers_init()
 */
void tx_send(struct card *card, struct frame *frame, struct headers *headers);

#endif /* ORNIC_DEVICE_TX_H */
