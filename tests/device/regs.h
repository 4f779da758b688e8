/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* BAR0: one table of registers (hardware interface, section 2) */
#ifndef ORNIC_DEVICE_REGS_H
#define ORNIC_DEVICE_REGS_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

struct nic;

/* log2 of the most entries of either admin ring */
#define REGS_ADMIN_DEPTH_MAX 10
/* Units of 100 ms (reset.h) */
#define REGS_RESET_TIMEOUT 60

/**
 * struct regs - values of the registers
 * @val: stored values, by offset / 4; 0 for computed ones
 * @clock_base_ns: time of the environment at power-on, ns
 * @clock_high: high half of ORNIC_REG_CLOCK, latched by a read of the low half
 */
struct regs {
	uint32_t val[ORNIC_REG_END / 4];
	uint64_t clock_base_ns;
	uint32_t clock_high;
};

/**
 * regs_reset - set all registers to their reset values; the clock runs on
 * @nic: the card
 */
void regs_reset(struct nic *nic);

/**
 * regs_read - read a register
 * @nic: the card
 * @offset: inside BAR0, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 *
 * Return: the value; 0 for a hole, a write-only register or a wrong size.
 */
uint64_t regs_read(struct nic *nic, uint64_t offset, unsigned int size);

/**
 * regs_write - write a register
 * @nic: the card
 * @offset: inside BAR0, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 * @val: the value
 */
void regs_write(struct nic *nic, uint64_t offset, unsigned int size,
		uint64_t val);

/**
 * regs_clock - read ORNIC_REG_CLOCK, the clock of time stamps
 * @nic: the card
 *
 * Return: ns since power-on.
 */
uint64_t regs_clock(struct nic *nic);

#endif /* ORNIC_DEVICE_REGS_H */
