// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receive side scaling: the Toeplitz hash over fields of a frame */
#include <endian.h>
#include <string.h>

#include <ornic_hw_cmd.h>

#include "eth/headers.h"
#include "eth/rss.h"

_Static_assert(RSS_KEY_LEN >= RSS_DATA_MAX + 4, "32 key bits behind each bit");

uint32_t rss_toeplitz(const uint8_t *key, const uint8_t *data, unsigned int len)
{
	/*
	 * High half: the 32 bits of the key from the current bit on. Low half:
	 * the bits that move in next.
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

/* Input of the hash: fields of a frame, concatenated */
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

/**
 * struct rss_packet - the fields of a packet that can be hashed
 * @l3: 4, 6 or 0
 * @l4: HEADERS_PROTO_TCP, HEADERS_PROTO_UDP or 0
 * @src: source address
 * @dst: destination address
 * @ports: source and destination port, valid with @l4
 * @spi: SPI of ESP, or NULL
 */
struct rss_packet {
	unsigned int l3;
	unsigned int l4;
	const uint8_t *src;
	const uint8_t *dst;
	const uint8_t *ports;
	const uint8_t *spi;
};

static void rss_add_l3(struct rss_data *data, const struct rss_packet *packet,
		       uint32_t fields)
{
	if (packet->l3 == 4) {
		rss_add(data, packet->src, 4, fields & ORNIC_RX_HASH_SRC_IPV4);
		rss_add(data, packet->dst, 4, fields & ORNIC_RX_HASH_DST_IPV4);
	} else if (packet->l3 == 6) {
		rss_add(data, packet->src, 16, fields & ORNIC_RX_HASH_SRC_IPV6);
		rss_add(data, packet->dst, 16, fields & ORNIC_RX_HASH_DST_IPV6);
	}
}

static void rss_add_l4(struct rss_data *data, const struct rss_packet *packet,
		       uint32_t fields)
{
	const uint8_t *ports = packet->ports;

	if (packet->l4 == HEADERS_PROTO_TCP) {
		rss_add(data, ports, 2, fields & ORNIC_RX_HASH_SRC_PORT_TCP);
		rss_add(data, ports + 2, 2,
			fields & ORNIC_RX_HASH_DST_PORT_TCP);
	} else if (packet->l4 == HEADERS_PROTO_UDP) {
		rss_add(data, ports, 2, fields & ORNIC_RX_HASH_SRC_PORT_UDP);
		rss_add(data, ports + 2, 2,
			fields & ORNIC_RX_HASH_DST_PORT_UDP);
	} else if (packet->spi) {
		rss_add(data, packet->spi, 4, fields & ORNIC_RX_HASH_IPSEC_SPI);
	}
}

static uint16_t rss_hash_packet(const struct rss_packet *packet, uint32_t fields,
				const uint8_t *key, uint32_t *hash)
{
	struct rss_data data = {};
	unsigned int l3_len;

	rss_add_l3(&data, packet, fields);
	l3_len = data.len;
	rss_add_l4(&data, packet, fields);
	*hash = rss_toeplitz(key, data.bytes, data.len);
	return (data.len ? ORNIC_CQE_EXT_RSS : 0) |
	       (data.len > l3_len ? ORNIC_CQE_EXT_RSS_L4 : 0);
}

/* ---- hash of RSS QPs ---- */

/* @ports: @headers have ports, which may be 0 */
static struct rss_packet rss_packet_of(const struct ornic_flow_headers *headers,
				       bool ports)
{
	/* IPv4 addresses are in the last 4 bytes */
	unsigned int skip = headers->l3 == 4 ? 12 : 0;

	return (struct rss_packet){
		.l3 = headers->l3,
		.l4 = ports ? headers->proto : 0,
		.src = headers->src_ip + skip,
		.dst = headers->dst_ip + skip,
		.ports = (const uint8_t *)&headers->src_port,
	};
}

uint16_t rss_hash_fields(const struct frame *frame, struct headers *headers,
			 uint32_t fields, const uint8_t *key, uint32_t *hash)
{
	const struct ornic_flow_key *all = &headers_fields(frame, headers)->key;
	struct rss_packet packet;

	if (fields & ORNIC_RX_HASH_INNER)
		packet = rss_packet_of(&all->inner,
				       headers->ports & HEADERS_KEY_INNER_PORTS);
	else
		packet = rss_packet_of(&all->outer,
				       headers->ports & HEADERS_KEY_OUTER_PORTS);
	if (all->layers & htobe32(ORNIC_FLOW_LAYER_ESP) &&
	    !(fields & ORNIC_RX_HASH_INNER))
		packet.spi = (const uint8_t *)&all->esp_spi;
	return rss_hash_packet(&packet, fields, key, hash);
}

/* ---- hash of the port ---- */

/* Ports are hashed only together with the addresses ([ORNIC-DEV-17]) */
static uint32_t rss_type_fields(const struct headers *headers, uint32_t types)
{
	uint32_t fields;

	if (headers->l3 == 4 && types & ORNIC_HASH_IPV4)
		fields = ORNIC_RX_HASH_SRC_IPV4 | ORNIC_RX_HASH_DST_IPV4;
	else if (headers->l3 == 6 && types & ORNIC_HASH_IPV6)
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

uint16_t rss_hash(const struct frame *frame, const struct headers *headers,
		  uint32_t types, const uint8_t *key, uint32_t *hash)
{
	const uint8_t *ip = frame->hdr + headers->l3_offset;
	const struct rss_packet packet = {
		.l3 = headers->l3,
		.l4 = headers->l4,
		.src = ip + (headers->l3 == 4 ? 12 : 8),
		.dst = ip + (headers->l3 == 4 ? 16 : 24),
		.ports = frame->hdr + headers->l4_offset,
	};

	return rss_hash_packet(&packet, rss_type_fields(headers, types), key,
			       hash);
}
