/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive side scaling: the Toeplitz hash over fields of a frame */
#ifndef ORNIC_DEVICE_RSS_H
#define ORNIC_DEVICE_RSS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/state.h"
#include "env/frame.h"
#include "eth/headers.h"

/* Longest input: two IPv6 addresses and two ports, bytes */
#define RSS_DATA_MAX 36

/**
 * rss_toeplitz - compute the Toeplitz hash
 * @key: RSS_KEY_LEN bytes
 * @data: addresses and ports, in wire byte order
 * @len: length of @data, at most RSS_DATA_MAX bytes
 *
 * Return: the hash.
 */
uint32_t rss_toeplitz(const uint8_t *key, const uint8_t *data,
		      unsigned int len);

/* Fields that rss_hash_fields() supports */
#define RSS_FIELDS                                                    \
	(ORNIC_RX_HASH_SRC_IPV4 | ORNIC_RX_HASH_DST_IPV4 |            \
	 ORNIC_RX_HASH_SRC_IPV6 | ORNIC_RX_HASH_DST_IPV6 |            \
	 ORNIC_RX_HASH_SRC_PORT_TCP | ORNIC_RX_HASH_DST_PORT_TCP |    \
	 ORNIC_RX_HASH_SRC_PORT_UDP | ORNIC_RX_HASH_DST_PORT_UDP |    \
	 ORNIC_RX_HASH_IPSEC_SPI | ORNIC_RX_HASH_INNER)

/**
 * rss_hash_fields - hash the selected fields that a frame has
 * @frame: a frame without FRAME_LOCAL
 * @headers: its headers
 * @fields: mask of RSS_FIELDS
 * @key: RSS_KEY_LEN bytes
 * @hash: set to the hash, or to 0 without one
 *
 * Return: ORNIC_CQE_EXT_RSS when the frame has any of the fields, with
 * ORNIC_CQE_EXT_RSS_L4 when it has ports or an SPI of them; or 0.
 */
uint16_t rss_hash_fields(const struct frame *frame, struct headers *headers,
			 uint32_t fields, const uint8_t *key, uint32_t *hash);

/**
 * rss_hash - hash a frame by its kind, for the queues of the port
 * @frame: the frame
 * @headers: its headers
 * @types: mask of ORNIC_HASH_*, the kinds of frames to hash
 * @key: RSS_KEY_LEN bytes
 * @hash: set to the hash, or to 0 without one
 *
 * Return: as rss_hash_fields().
 */
uint16_t rss_hash(const struct frame *frame, const struct headers *headers,
		  uint32_t types, const uint8_t *key, uint32_t *hash);

#endif /* ORNIC_DEVICE_RSS_H */
