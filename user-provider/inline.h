/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Inline data and TSO headers. Both are copied into the WQE when it is posted,
 * so the caller's buffer can be reused at once and needs no lkey.
 */
#ifndef ORNIC_INLINE_H
#define ORNIC_INLINE_H

#include "wqe.h"

/* Bytes that fit into the first slot, after the route of an RC or ETH WQE */
#define ORNIC_INLINE_SMALL	(ORNIC_SLOT_SIZE - ORNIC_DATA_RC)

/**
 * ornic_inline_copy_small() - copy up to ORNIC_INLINE_SMALL bytes
 * @dst: destination, within a slot
 * @src: source, any alignment
 * @length: bytes
 *
 * Most inline messages are that short, and a call of memcpy() costs as much as
 * the rest of the WQE. Two overlapping copies make a loop unnecessary.
 */
static inline void ornic_inline_copy_small(uint8_t *dst, const uint8_t *src,
					   uint32_t length)
{
	struct { uint64_t w[2]; } a16, b16;
	uint64_t a8, b8;
	uint32_t a4, b4;

	if (length >= 16) {
		memcpy(&a16, src, 16);
		memcpy(&b16, src + length - 16, 16);
		memcpy(dst, &a16, 16);
		memcpy(dst + length - 16, &b16, 16);
	} else if (length >= 8) {
		memcpy(&a8, src, 8);
		memcpy(&b8, src + length - 8, 8);
		memcpy(dst, &a8, 8);
		memcpy(dst + length - 8, &b8, 8);
	} else if (length >= 4) {
		memcpy(&a4, src, 4);
		memcpy(&b4, src + length - 4, 4);
		memcpy(dst, &a4, 4);
		memcpy(dst + length - 4, &b4, 4);
	} else if (length) {
		dst[0] = src[0];
		dst[length / 2] = src[length / 2];
		dst[length - 1] = src[length - 1];
	}
}

/**
 * ornic_inline_put() - copy inline data to the ring
 * @sq: send queue
 * @dst: destination in the ring
 * @src: data
 * @length: bytes; the ring has room for them
 *
 * Return: the byte after the copy, which may be the ring's end.
 */
static inline uint8_t *ornic_inline_put(struct ornic_sq *sq, uint8_t *dst,
					const void *src, size_t length)
{
	size_t room = sq->end - dst;

	/* @src may be NULL, which is invalid for memcpy() even with 0 bytes */
	if (!length)
		return dst;
	if (unlikely(length > room)) {
		memcpy(dst, src, room);
		src += room;
		length -= room;
		dst = sq->ring;
	}
	memcpy(dst, src, length);
	return dst + length;
}

/**
 * ornic_tso_takes() - check the arguments of a TSO
 * @sq: send queue
 * @hdr_len: bytes of headers
 * @mss: bytes of payload of a segment
 *
 * Return: whether it may be sent.
 */
static inline bool ornic_tso_takes(const struct ornic_sq *sq, uint32_t hdr_len,
				   uint32_t mss)
{
	return hdr_len && hdr_len <= sq->max_tso_header && mss;
}

/**
 * ornic_tso_put() - write the route and the headers of a TSO
 * @sq: send queue
 * @hdr: header of the WQE; the ring has room for the rest
 * @headers: Ethernet, IP and TCP headers
 * @hdr_len: bytes of @headers
 * @mss: bytes of payload of a segment
 *
 * Return: the address of the SGEs in the ring.
 */
static inline void *ornic_tso_put(struct ornic_sq *sq,
				  struct ornic_sq_hdr *hdr,
				  const void *headers, uint16_t hdr_len,
				  uint16_t mss)
{
	uint32_t rest = ornic_wqe_tso_room(hdr_len) - hdr_len;
	uint8_t *dst;

	ornic_wqe_put_route_eth((void *)(hdr + 1), mss, hdr_len);
	dst = ornic_inline_put(sq, (uint8_t *)hdr + ORNIC_DATA_ETH, headers,
			       hdr_len);
	memset(dst, 0, rest);
	dst += rest;
	return dst == sq->end ? sq->ring : dst;
}

/**
 * ornic_inline_length() - check the inline data of a work request
 * @sq: send queue
 * @sg: list of buffers; their lkeys are ignored
 * @num: entries of @sg
 * @length: returns the bytes of all buffers
 *
 * Return: whether the data may be sent inline.
 */
static inline bool ornic_inline_length(struct ornic_sq *sq,
				       const struct ibv_sge *sg, int num,
				       uint32_t *length)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < num; i++)
		sum += sg[i].length;

	*length = sum;
	return num >= 0 && sum <= sq->max_inline;
}

#endif /* ORNIC_INLINE_H */
