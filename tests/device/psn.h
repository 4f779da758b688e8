/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packet sequence numbers: 24 bits that run in a circle (IBTA 9.7.1). Of two of
 * them the later one is less than half a circle ahead, so nobody may have more
 * than PSN_SPAN_MAX packets between its oldest and its newest.
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

/* How far @a is ahead of @b; negative when it is behind. */
static inline int32_t psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

/* Is @psn one of the @n that begin with @first? */
static inline bool psn_in(uint32_t psn, uint32_t first, uint32_t n)
{
	return ((psn - first) & PSN_MASK) < n;
}

/* Packets of a message of @len bytes; an empty message is one packet. */
static inline uint32_t psn_count(uint32_t len, unsigned int mtu_shift)
{
	uint64_t mtu = 1ULL << mtu_shift;

	return len ? (len + mtu - 1) >> mtu_shift : 1;
}

#endif /* ORNIC_DEVICE_PSN_H */
