/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* TCP segmentation offload: one WQE with headers and payload, many frames */
#ifndef ORNIC_DEVICE_TSO_H
#define ORNIC_DEVICE_TSO_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct tso_segment - a part of the payload that is one frame
 * @offset: offset of its first byte in the payload
 * @len: length of the segment, bytes
 * @mss: length of every segment but the last, bytes
 * @total: length of the payload, bytes
 */
struct tso_segment {
	uint32_t offset;
	uint32_t len;
	uint32_t mss;
	uint32_t total;
};

/**
 * tso_valid - check headers for segmentation
 * @hdr: headers: Ethernet, at most one 802.1Q tag, IP, TCP
 * @hdr_len: length of @hdr, at most FRAME_HDR_MAX bytes
 *
 * Return: true when these are the headers, the packet is no fragment, and TCP
 * ends at @hdr_len ([ORNIC-SQ-31]).
 */
bool tso_valid(const uint8_t *hdr, unsigned int hdr_len);

/**
 * tso_patch - set the fields of a segment in the headers, except checksums
 * @hdr: headers from the host that passed tso_valid()
 * @hdr_len: length of @hdr, bytes
 * @segment: the segment
 */
void tso_patch(uint8_t *hdr, unsigned int hdr_len,
	       const struct tso_segment *segment);

#endif /* ORNIC_DEVICE_TSO_H */
