/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Reset of the card. It begins in card_reset() and takes as many turns as there
 * are objects to destroy, and the time that the configuration asks for; until
 * then STATUS.READY is 0 ([ORNIC-RST-3]) and the card does nothing else.
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
 * reset_power_on - begin the reset of a new card
 * @card: the card, without objects
 */
void reset_power_on(struct card *card);

/**
 * reset_power_off - end the reset of a card that is destroyed
 * @card: the card
 */
void reset_power_off(struct card *card);

/**
 * reset_card - reset for any reason, as card_reset()
 * @card: the card
 */
void reset_card(struct card *card);

/**
 * reset_run - go on with a reset
 * @card: the card, being reset
 *
 * Return: false when nothing is left to do but to wait.
 */
bool reset_run(struct card *card);

/**
 * reset_waits - check whether a reset waits for the time of READY, or is held
 * @card: the card, being reset
 *
 * Return: true from a reset_run() that returned false until its time has come.
 */
bool reset_waits(const struct card *card);

/**
 * reset_late_begin - remember to write, if the card is one that writes late
 * @card: the card, not reset yet
 */
void reset_late_begin(struct card *card);

/**
 * reset_late_end - write for the last time, because a read is answered next
 * @card: the card
 */
void reset_late_end(struct card *card);

/**
 * reset_hold - as card_hold()
 * @card: the card
 * @hold: true to hold it in its resets
 */
void reset_hold(struct card *card, bool hold);

#endif /* ORNIC_DEVICE_RESET_H */
