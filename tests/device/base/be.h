/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Big-endian fields at any alignment */
#ifndef ORNIC_DEVICE_BE_H
#define ORNIC_DEVICE_BE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t be_get16(const uint8_t *p)
{
	uint16_t val;

	memcpy(&val, p, sizeof(val));
	return be16toh(val);
}

static inline uint32_t be_get32(const uint8_t *p)
{
	uint32_t val;

	memcpy(&val, p, sizeof(val));
	return be32toh(val);
}

static inline uint64_t be_get64(const uint8_t *p)
{
	uint64_t val;

	memcpy(&val, p, sizeof(val));
	return be64toh(val);
}

/* These return the next byte */

static inline uint8_t *be_put16(uint8_t *p, uint16_t val)
{
	val = htobe16(val);
	memcpy(p, &val, sizeof(val));
	return p + sizeof(val);
}

static inline uint8_t *be_put32(uint8_t *p, uint32_t val)
{
	val = htobe32(val);
	memcpy(p, &val, sizeof(val));
	return p + sizeof(val);
}

static inline uint8_t *be_put64(uint8_t *p, uint64_t val)
{
	val = htobe64(val);
	memcpy(p, &val, sizeof(val));
	return p + sizeof(val);
}

#endif /* ORNIC_DEVICE_BE_H */
