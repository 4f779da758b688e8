/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Reset of the card. It begins in card_reset() and takes as many turns as there
 * are objects to destroy; until then STATUS.READY is 0 ([ORNIC-RST-3]) and the
 * card does nothing else.
 */
#ifndef ORNIC_DEVICE_RESET_H
#define ORNIC_DEVICE_RESET_H

#include <stdbool.h>

#include "base/obj.h"

/*
 * Objects that one turn destroys, about 0.5 ms. Full tables take 200 turns. The
 * card has 1 ms in a round of all cards (share.h), so beside 63 busy ones that
 * is 6 s, which is RESET_TIMEOUT.
 */
#define RESET_OBJECTS 2048

struct card;

/**
 * reset_card - reset for any reason, as card_reset()
 * @card: the card
 */
void reset_card(struct card *card);

/**
 * reset_begin - begin a reset, and end it if there are few objects
 * @card: the card
 */
void reset_begin(struct card *card);

/**
 * reset_run - go on with a reset
 * @card: the card, being reset
 */
void reset_run(struct card *card);

#endif /* ORNIC_DEVICE_RESET_H */
