/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* TCP segmentation: one WQE with headers and much payload, many frames. */
#ifndef ORNIC_DEVICE_TSO_H
#define ORNIC_DEVICE_TSO_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct tso_segment - which part of the payload a frame has
 * @offset: of its first byte
 * @len: bytes
 * @mss: bytes of all but the last
 * @total: bytes of all
 */
struct tso_segment {
	uint32_t offset;
	uint32_t len;
	uint32_t mss;
	uint32_t total;
};

/**
 * tso_valid - can segments be made with these headers
 * @hdr: Ethernet, IP, TCP; nothing in them but their lengths is looked at
 * @hdr_len: bytes, at most FRAME_HDR_MAX
 *
 * Return: whether they are these, without fragment, and end where they say.
 */
bool tso_valid(const uint8_t *hdr, unsigned int hdr_len);

/**
 * tso_patch - make the headers those of a segment, but for the checksums
 * @hdr: passed tso_valid(), as the host gave them
 * @hdr_len: bytes
 * @segment: the segment
 */
void tso_patch(uint8_t *hdr, unsigned int hdr_len,
	       const struct tso_segment *segment);

#endif /* ORNIC_DEVICE_TSO_H */
