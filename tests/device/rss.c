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

/* Fields of a frame one behind the other */
struct rss_data {
	uint8_t bytes[RSS_DATA_MAX];
	unsigned int len;
};

static void rss_add(struct rss_data *data, const uint8_t *field,
		    unsigned int len, uint32_t wanted)
{
	if (!wanted)
		return;
	memcpy(data->bytes + data->len, field, len);
	data->len += len;
}

static void rss_add_l3(struct rss_data *data, const uint8_t *ip,
		       unsigned int l3, uint32_t fields)
{
	if (l3 == 4) {
		rss_add(data, ip + 12, 4, fields & ORNIC_RX_HASH_SRC_IPV4);
		rss_add(data, ip + 16, 4, fields & ORNIC_RX_HASH_DST_IPV4);
	} else if (l3 == 6) {
		rss_add(data, ip + 8, 16, fields & ORNIC_RX_HASH_SRC_IPV6);
		rss_add(data, ip + 24, 16, fields & ORNIC_RX_HASH_DST_IPV6);
	}
}

static void rss_add_l4(struct rss_data *data, const uint8_t *ports,
		       unsigned int l4, uint32_t fields)
{
	if (l4 == FLOW_PROTO_TCP) {
		rss_add(data, ports, 2, fields & ORNIC_RX_HASH_SRC_PORT_TCP);
		rss_add(data, ports + 2, 2,
			fields & ORNIC_RX_HASH_DST_PORT_TCP);
	} else if (l4 == FLOW_PROTO_UDP) {
		rss_add(data, ports, 2, fields & ORNIC_RX_HASH_SRC_PORT_UDP);
		rss_add(data, ports + 2, 2,
			fields & ORNIC_RX_HASH_DST_PORT_UDP);
	}
}

bool rss_hash_fields(const struct frame *frame, const struct flow *flow,
		     uint32_t fields, const uint8_t *key, uint32_t *hash)
{
	struct rss_data data = {};

	rss_add_l3(&data, frame->hdr + flow->l3_offset, flow->l3, fields);
	rss_add_l4(&data, frame->hdr + flow->l4_offset, flow->l4, fields);
	*hash = rss_toeplitz(key, data.bytes, data.len);
	return data.len;
}

/* No ports without addresses */
static uint32_t rss_type_fields(const struct flow *flow, uint32_t types)
{
	uint32_t fields;

	if (flow->l3 == 4 && types & ORNIC_HASH_IPV4)
		fields = ORNIC_RX_HASH_SRC_IPV4 | ORNIC_RX_HASH_DST_IPV4;
	else if (flow->l3 == 6 && types & ORNIC_HASH_IPV6)
		fields = ORNIC_RX_HASH_SRC_IPV6 | ORNIC_RX_HASH_DST_IPV6;
	else
		return 0;
	if (types & ORNIC_HASH_TCP)
		fields |= ORNIC_RX_HASH_SRC_PORT_TCP |
			  ORNIC_RX_HASH_DST_PORT_TCP;
	if (types & ORNIC_HASH_UDP)
		fields |= ORNIC_RX_HASH_SRC_PORT_UDP |
			  ORNIC_RX_HASH_DST_PORT_UDP;
	return fields;
}

bool rss_hash(const struct frame *frame, const struct flow *flow,
	      uint32_t types, const uint8_t *key, uint32_t *hash)
{
	return rss_hash_fields(frame, flow, rss_type_fields(flow, types), key,
			       hash);
}
