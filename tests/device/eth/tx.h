/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The port of the card: sending */
#ifndef ORNIC_DEVICE_TX_H
#define ORNIC_DEVICE_TX_H

struct frame;
struct card;

/**
 * tx_send - send a frame
 * @card: the card
 * @frame: consumed. The frame is counted, or dropped when the port is down.
 */
void tx_send(struct card *card, struct frame *frame);

#endif /* ORNIC_DEVICE_TX_H */
