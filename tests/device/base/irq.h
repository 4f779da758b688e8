/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Interrupts of a card */
#ifndef ORNIC_DEVICE_IRQ_H
#define ORNIC_DEVICE_IRQ_H

struct card;

/**
 * irq_raise - raise an interrupt, which is lost without bus mastering
 * @card: the card
 * @vector: MSI-X vector
 */
void irq_raise(struct card *card, unsigned int vector);

#endif /* ORNIC_DEVICE_IRQ_H */
