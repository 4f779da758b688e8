/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packet sequence numbers: 24 bits that wrap (IBTA 9.7.1). A PSN is later than
 * another one if it is less than half the number space ahead, so a QP never has
 * more than PSN_SPAN_MAX packets outstanding.
 */
#ifndef ORNIC_DEVICE_PSN_H
#define ORNIC_DEVICE_PSN_H

#include <stdbool.h>
#include <stdint.h>

#define PSN_MASK 0xffffffu
#define PSN_SPAN_MAX 0x7fffffu

static inline uint32_t psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & PSN_MASK;
}

/* Distance from @b to @a; negative when @a is behind */
static inline int32_t psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

/* Is @psn one of the @n PSNs that begin with @first? */
static inline bool psn_in(uint32_t psn, uint32_t first, uint32_t n)
{
	return ((psn - first) & PSN_MASK) < n;
}

/* Number of packets of a message of @len bytes; 1 for an empty message */
static inline uint32_t psn_count(uint32_t len, unsigned int mtu_shift)
{
	uint64_t mtu = 1ULL << mtu_shift;

	return len ? (len + mtu - 1) >> mtu_shift : 1;
}

#endif /* ORNIC_DEVICE_PSN_H */
