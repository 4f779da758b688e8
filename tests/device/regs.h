/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * BAR0: one table of registers (hardware interface, section 2).
 */
#ifndef ORNIC_DEVICE_REGS_H
#define ORNIC_DEVICE_REGS_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

struct nic;

/* Both admin rings have up to 1 << 10 entries. */
#define REGS_ADMIN_DEPTH_MAX 10
/* Units of 100 ms; a reset here is over before the write returns. */
#define REGS_RESET_TIMEOUT 10

/**
 * struct regs - what the registers hold
 * @val: by offset / 4; what is not stored but computed stays 0 here
 * @clock_base_ns: env time at power-on
 * @clock_high: high half of ORNIC_REG_CLOCK, latched by reading the low one
 */
struct regs {
	uint32_t val[ORNIC_REG_END / 4];
	uint64_t clock_base_ns;
	uint32_t clock_high;
};

/**
 * regs_reset - put reset values everywhere; the clock runs on
 * @nic: the card
 */
void regs_reset(struct nic *nic);

/**
 * regs_read - the guest reads
 * @nic: the card
 * @offset: inside BAR0, a multiple of @size
 * @size: 1, 2, 4 or 8
 *
 * Return: the value; of a hole, or with a size the register does not take, 0.
 */
uint64_t regs_read(struct nic *nic, uint64_t offset, unsigned int size);

/**
 * regs_write - the guest writes
 * @nic: the card
 * @offset: inside BAR0, a multiple of @size
 * @size: 1, 2, 4 or 8
 * @val: the value
 */
void regs_write(struct nic *nic, uint64_t offset, unsigned int size,
		uint64_t val);

/**
 * regs_clock - the card's clock, that of time stamps
 * @nic: the card
 *
 * Return: ns since power-on.
 */
uint64_t regs_clock(struct nic *nic);

#endif /* ORNIC_DEVICE_REGS_H */
