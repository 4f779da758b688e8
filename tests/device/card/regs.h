/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* BAR0: one table of registers (hardware interface, section 2) */
#ifndef ORNIC_DEVICE_REGS_H
#define ORNIC_DEVICE_REGS_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

struct card;

/* log2 of the most entries of either admin ring */
#define REGS_ADMIN_DEPTH_MAX 10
/* Units of 100 ms (reset.h) */
#define REGS_RESET_TIMEOUT 60
#define REGS_RESET_TIMEOUT_MAX 255

/**
 * regs_reset - set all registers to their reset values; the clock runs on
 * @card: the card
 */
void regs_reset(struct card *card);

/**
 * regs_read - read a register
 * @card: the card
 * @offset: inside BAR0, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 *
 * Return: the value; 0 for a hole, a write-only register or a wrong size.
 */
uint64_t regs_read(struct card *card, uint64_t offset, unsigned int size);

/**
 * regs_write - write a register
 * @card: the card
 * @offset: inside BAR0, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 * @val: the value
 */
void regs_write(struct card *card, uint64_t offset, unsigned int size,
		uint64_t val);

#endif /* ORNIC_DEVICE_REGS_H */
