/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The Internet checksum (RFC 1071), over pieces of any length */
#ifndef ORNIC_DEVICE_CSUM_H
#define ORNIC_DEVICE_CSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "env/frame.h"
#include "eth/headers.h"

/**
 * struct csum - a checksum in progress; all zero at first
 * @sum: one's complement sum, not yet folded
 * @odd: the number of bytes added so far is odd
 */
struct csum {
	uint64_t sum;
	bool odd;
};

/**
 * csum_add - add bytes to a sum
 * @csum: the sum
 * @data: the bytes
 * @len: number of bytes
 */
void csum_add(struct csum *csum, const void *data, size_t len);

/**
 * csum_fold - fold a sum to 16 bits
 * @csum: the sum
 *
 * Return: one's complement sum in CPU order; intact data sums up to 0xffff.
 */
uint16_t csum_fold(const struct csum *csum);

/**
 * csum_field - make a checksum field that is valid for UDP too
 * @sum: sum of pseudo header, L4 header with 0 in the field, and payload
 *
 * Return: complement of @sum, never 0.
 */
uint16_t csum_field(uint16_t sum);

/**
 * csum_ip_ok - check the IP header checksum
 * @frame: the frame
 * @headers: its headers
 *
 * Return: true for IPv4 with a good checksum, and for IPv6, which has none.
 */
bool csum_ip_ok(const struct frame *frame, const struct headers *headers);

/**
 * csum_l4_ok - check the TCP or UDP checksum
 * @frame: the frame
 * @headers: its headers
 *
 * Return: true when it is correct; false also without a checksum or for another
 * protocol.
 */
bool csum_l4_ok(const struct frame *frame, const struct headers *headers);

/**
 * csum_fill - fill in the IPv4 header checksum and the TCP or UDP checksum
 * @frame: frame of this card, with its headers in @frame->hdr
 * @headers: its headers
 *
 * Other protocols are left unchanged.
 */
void csum_fill(struct frame *frame, const struct headers *headers);

#endif /* ORNIC_DEVICE_CSUM_H */
