/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Lies that are told later: held entries, late interrupts, writes after a reset */
#ifndef ORNIC_DEVICE_LIE_LATER_H
#define ORNIC_DEVICE_LIE_LATER_H

struct card;

/**
 * lie_init - initialise an honest card
 * @card: the card
 */
void lie_init(struct card *card);

/**
 * lie_uninit - end what lie_init() began
 * @card: the card, about to go
 */
void lie_uninit(struct card *card);

/**
 * lie_reset - part of a reset, while the objects still exist
 * @card: the card
 */
void lie_reset(struct card *card);

#endif /* ORNIC_DEVICE_LIE_LATER_H */
