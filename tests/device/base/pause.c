// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Timers, interrupts and doorbells that wait for bus mastering */
#include <string.h>

#include "base/irq.h"
#include "base/pause.h"

_Static_assert(CARD_VECTORS_MAX <= 64, "a bit for each vector");

void pause_keep_irq(struct card *card, unsigned int vector)
{
	card->pause.irqs |= 1ULL << vector;
	card->pause.any = true;
}

void pause_keep_doorbell(struct card *card)
{
	card->pause.rung = true;
	card->pause.any = true;
}

void pause_keep_timer(struct card *card, struct timer *timer)
{
	timer_hold(card->env->timers, timer);
	card->pause.any = true;
}

void pause_end(struct card *card)
{
	struct pause *pause = &card->pause;
	uint64_t irqs = pause->irqs;

	pause->any = false;
	pause->irqs = 0;
	if (pause->rung) {
		/* A look that an earlier pause interrupted begins anew */
		pause->rung = false;
		pause->looking = true;
		pause->walk.index = 0;
	}
	timers_release(card->env->timers);
	for (; irqs; irqs &= irqs - 1)
		irq_raise(card, __builtin_ctzll(irqs));
}

void pause_forget(struct card *card)
{
	memset(&card->pause, 0, sizeof(card->pause));
}
