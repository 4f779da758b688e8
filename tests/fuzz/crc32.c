// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* zlib's CRC-32, for MemorySanitizer, which must see all code */
#include <zlib.h>

uLong crc32_z(uLong crc, const Bytef *buf, z_size_t len)
{
	unsigned int bit;

	crc = ~crc & 0xffffffff;
	while (buf && len--) {
		crc ^= *buf++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc & 0xffffffff;
}

uLong crc32(uLong crc, const Bytef *buf, uInt len)
{
	return buf ? crc32_z(crc, buf, len) : 0;
}
