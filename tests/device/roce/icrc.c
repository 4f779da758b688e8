// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The invariant CRC of RoCEv2 */
#include <string.h>
#include <zlib.h>

#include "eth/headers.h"
#include "roce/icrc.h"
#include "roce/opcode.h"
#include "roce/packet.h"

/* Eight bytes of ones replace the LRH, which RoCEv2 does not have */
#define LRH_LEN 8

uint32_t icrc(const uint8_t *l3, const struct iovec *iov, int count)
{
	uint8_t hdr[LRH_LEN + HEADERS_IPV6_LEN + HEADERS_UDP_LEN + BTH_LEN];
	uint8_t *ip = hdr + LRH_LEN;
	unsigned int ip_len;
	uint8_t *bth;
	uint32_t crc;
	int i;

	ip_len = l3[0] >> 4 == 4 ? HEADERS_IPV4_LEN : HEADERS_IPV6_LEN;
	memset(hdr, 0xff, LRH_LEN);
	memcpy(ip, l3, ip_len + HEADERS_UDP_LEN + BTH_LEN);
	if (ip_len == HEADERS_IPV4_LEN) {
		ip[1] = 0xff;			/* type of service */
		ip[8] = 0xff;			/* time to live */
		memset(ip + 10, 0xff, 2);	/* checksum */
	} else {
		ip[0] |= 0x0f;			/* traffic class, flow label */
		memset(ip + 1, 0xff, 3);
		ip[7] = 0xff;			/* hop limit */
	}
	memset(ip + ip_len + 6, 0xff, 2);	/* UDP checksum */
	bth = ip + ip_len + HEADERS_UDP_LEN;
	bth[4] = 0xff;				/* FECN, BECN, reserved */

	crc = crc32(0, hdr, LRH_LEN + ip_len + HEADERS_UDP_LEN + BTH_LEN);
	for (i = 0; i < count; i++)
		crc = crc32_z(crc, iov[i].iov_base, iov[i].iov_len);
	return crc;
}
