/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The pause while bus mastering is off ([ORNIC-PCI-7]). The card runs nothing
 * then, and keeps what falls due: timers, interrupts, and that a doorbell was
 * rung.
 */
#ifndef ORNIC_DEVICE_PAUSE_H
#define ORNIC_DEVICE_PAUSE_H

#include "base/state.h"

/**
 * pause_on - check whether bus mastering is off
 * @card: the card
 *
 * Return: true if the card must not access memory or raise interrupts.
 */
static inline bool pause_on(const struct card *card)
{
	return !card->guest.mem->enabled;
}

/**
 * pause_keep_irq - raise an interrupt after the pause
 * @card: the card
 * @vector: MSI-X vector
 */
void pause_keep_irq(struct card *card, unsigned int vector);

/**
 * pause_keep_doorbell - look at all QPs after the pause
 * @card: the card
 */
void pause_keep_doorbell(struct card *card);

/**
 * pause_keep_timer - call a timer again after the pause
 * @card: the card
 * @timer: timer that has just expired
 */
void pause_keep_timer(struct card *card, struct timer *timer);

/**
 * pause_waits - check whether something was kept and can be done now
 * @card: the card
 *
 * Return: true if pause_end() has something to do.
 */
static inline bool pause_waits(const struct card *card)
{
	return card->pause.any && !pause_on(card);
}

/**
 * pause_end - raise the interrupts and start the timers that were kept
 * @card: the card, after a pause
 */
void pause_end(struct card *card);

/**
 * pause_forget - forget all that was kept, because the card is reset
 * @card: the card
 *
 * Timers are cancelled by their owners.
 */
void pause_forget(struct card *card);

/**
 * pause_timer - keep a timer that expires during the pause
 * @card: the card
 * @timer: timer that has just expired; forgotten if the card has stopped
 *
 * Return: true if the owner must do nothing now.
 */
static inline bool pause_timer(struct card *card, struct timer *timer)
{
	/* Only a reset follows ([ORNIC-RST-5]) */
	if (card->fatal)
		return true;
	if (!pause_on(card))
		return false;
	pause_keep_timer(card, timer);
	return true;
}

#endif /* ORNIC_DEVICE_PAUSE_H */
