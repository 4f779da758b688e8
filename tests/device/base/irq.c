// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Interrupts of a card */
#include "base/irq.h"
#include "base/lie_entry.h"
#include "base/state.h"

static CARD_RARE void irq_show(struct card *card, unsigned int vector)
{
	if (card_hooked(card, CARD_TRACED))
		card_trace_add(card, (struct trace_record){ .kind = TRACE_IRQ, .num = vector });
	if (lie_on(card))
		lie_irq(card, vector);
	else
		env_irq_raise(card->env, vector);
}

void irq_raise(struct card *card, unsigned int vector)
{
	/* Lost, as [ORNIC-PCI-6] says */
	if (!card->guest.mem->enabled)
		return;
	DEVICE_STAT_INC(card, interrupts);
	if (card_hooked(card, CARD_LIES | CARD_TRACED))
		irq_show(card, vector);
	else
		env_irq_raise(card->env, vector);
}
