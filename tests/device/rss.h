/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive side scaling: the Toeplitz hash. */
#ifndef ORNIC_DEVICE_RSS_H
#define ORNIC_DEVICE_RSS_H

#include <stdbool.h>
#include <stdint.h>

#include "flow.h"
#include "frame.h"

#define RSS_KEY_LEN 40
/* Two IPv6 addresses and two ports */
#define RSS_DATA_MAX 36

/**
 * rss_toeplitz - the hash
 * @key: RSS_KEY_LEN bytes
 * @data: addresses and ports in wire order
 * @len: bytes, at most RSS_DATA_MAX
 *
 * Return: the hash.
 */
uint32_t rss_toeplitz(const uint8_t *key, const uint8_t *data,
		      unsigned int len);

/* What rss_hash_fields() knows */
#define RSS_FIELDS                                                    \
	(ORNIC_RX_HASH_SRC_IPV4 | ORNIC_RX_HASH_DST_IPV4 |            \
	 ORNIC_RX_HASH_SRC_IPV6 | ORNIC_RX_HASH_DST_IPV6 |            \
	 ORNIC_RX_HASH_SRC_PORT_TCP | ORNIC_RX_HASH_DST_PORT_TCP |    \
	 ORNIC_RX_HASH_SRC_PORT_UDP | ORNIC_RX_HASH_DST_PORT_UDP |    \
	 ORNIC_RX_HASH_IPSEC_SPI | ORNIC_RX_HASH_INNER)

/**
 * rss_hash_fields - the hash over those fields that a frame has
 * @frame: not FRAME_LOCAL
 * @fields: of RSS_FIELDS
 * @key: RSS_KEY_LEN bytes
 * @hash: the hash, 0 when there is none
 *
 * Return: whether there is one: the frame has any of the fields.
 */
bool rss_hash_fields(const struct frame *frame, uint32_t fields,
		     const uint8_t *key, uint32_t *hash);

/**
 * rss_hash - the hash of a frame by what kind of frame it is
 * @frame: the frame
 * @flow: its headers
 * @types: ORNIC_HASH_*: which kinds of frames have one
 * @key: RSS_KEY_LEN bytes
 * @hash: the hash, 0 when there is none
 *
 * Return: whether there is one.
 */
bool rss_hash(const struct frame *frame, const struct flow *flow,
	      uint32_t types, const uint8_t *key, uint32_t *hash);

#endif /* ORNIC_DEVICE_RSS_H */
