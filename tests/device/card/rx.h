/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The port of the card: receiving */
#ifndef ORNIC_DEVICE_RX_H
#define ORNIC_DEVICE_RX_H

#include <stdbool.h>

struct frame;
struct card;

/**
 * rx_init - set @loop_roce and @loop_eth of a card
 * @card: the card
 */
void rx_init(struct card *card);

/**
 * rx_frame - receive a frame from the wire
 * @card: the card
 * @frame: as for card_rx()
 *
 * Return: whether the frame has a receiver.
 */
bool rx_frame(struct card *card, const struct frame *frame);

#endif /* ORNIC_DEVICE_RX_H */
