/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The Internet checksum (RFC 1071), over pieces of any length. */
#ifndef ORNIC_DEVICE_CSUM_H
#define ORNIC_DEVICE_CSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow.h"
#include "frame.h"

/**
 * struct csum - a sum being made; all zero to begin
 * @sum: one's complement sum, not yet folded
 * @odd: an odd number of bytes was added so far
 */
struct csum {
	uint64_t sum;
	bool odd;
};

/**
 * csum_add - add bytes
 * @csum: the sum
 * @data: the bytes
 * @len: how many
 */
void csum_add(struct csum *csum, const void *data, size_t len);

/**
 * csum_fold - the sum in 16 bits
 * @csum: the sum
 *
 * Return: one's complement sum in CPU order; what is intact sums up to 0xffff.
 */
uint16_t csum_fold(const struct csum *csum);

/**
 * csum_field - what goes into a header that may be of UDP
 * @sum: of pseudo header, L4 header with 0 in the field, and payload
 *
 * Return: its complement, never 0.
 */
uint16_t csum_field(uint16_t sum);

/**
 * csum_ip_ok - is the IP header intact
 * @frame: the frame
 * @flow: its headers
 *
 * Return: true for IPv4 with a good checksum, and for IPv6, which has none.
 */
bool csum_ip_ok(const struct frame *frame, const struct flow *flow);

/**
 * csum_l4_ok - are TCP or UDP header and payload intact
 * @frame: the frame
 * @flow: its headers
 *
 * Return: false also when there is no checksum or nobody knows how to check it.
 */
bool csum_l4_ok(const struct frame *frame, const struct flow *flow);

/**
 * csum_fill - put the checksums of IPv4 header and TCP or UDP in
 * @frame: ours; its headers are in @frame->hdr
 * @flow: its headers
 *
 * What it is not known for is left as it is.
 */
void csum_fill(struct frame *frame, const struct flow *flow);

#endif /* ORNIC_DEVICE_CSUM_H */
