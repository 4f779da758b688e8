// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receive side scaling. */
#include <string.h>

#include <ornic_hw_cmd.h>

#include "rss.h"

_Static_assert(RSS_KEY_LEN >= RSS_DATA_MAX + 4, "32 key bits behind each bit");

uint32_t rss_toeplitz(const uint8_t *key, const uint8_t *data, unsigned int len)
{
	/* The 32 bits of the key from that of the current data bit on, and
	 * behind them those that move in.
	 */
	uint64_t window = (uint64_t)key[0] << 56 | (uint64_t)key[1] << 48 |
			  (uint64_t)key[2] << 40 | (uint64_t)key[3] << 32;
	uint32_t hash = 0;
	unsigned int i, bit;

	for (i = 0; i < len; i++) {
		window |= (uint64_t)key[i + 4] << 24;
		for (bit = 0x80; bit; bit >>= 1) {
			if (data[i] & bit)
				hash ^= window >> 32;
			window <<= 1;
		}
	}
	return hash;
}

static uint32_t rss_l4_type(unsigned int l4)
{
	if (l4 == FLOW_PROTO_TCP)
		return ORNIC_HASH_TCP;
	return l4 == FLOW_PROTO_UDP ? ORNIC_HASH_UDP : 0;
}

bool rss_hash(const struct frame *frame, const struct flow *flow,
	      uint32_t types, const uint8_t *key, uint32_t *hash)
{
	const uint8_t *ip = frame->hdr + flow->l3_offset;
	uint8_t data[RSS_DATA_MAX];
	unsigned int len;

	*hash = 0;
	if (flow->l3 == 4 && types & ORNIC_HASH_IPV4) {
		len = 8;
		memcpy(data, ip + 12, len);
	} else if (flow->l3 == 6 && types & ORNIC_HASH_IPV6) {
		len = 32;
		memcpy(data, ip + 8, len);
	} else {
		return false;
	}
	if (types & rss_l4_type(flow->l4)) {
		memcpy(data + len, frame->hdr + flow->l4_offset, 4);
		len += 4;
	}
	*hash = rss_toeplitz(key, data, len);
	return true;
}
