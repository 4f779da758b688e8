// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The Internet checksum (RFC 1071) */
#include <endian.h>
#include <string.h>

#include "base/be.h"
#include "eth/csum.h"

#define CSUM_IPV4_OFFSET 10
#define CSUM_TCP_OFFSET 16
#define CSUM_UDP_OFFSET 6
#define CSUM_GOOD 0xffff

/*
 * Sum of 16-bit words in memory order; an odd last byte is the first byte of a
 * word. Byte order does not matter until the end (RFC 1071, 2 (B)).
 */
static uint64_t csum_words(const uint8_t *p, size_t len)
{
	uint64_t sum = 0;
	uint32_t word;
	uint16_t tail = 0;

	/* Cannot overflow: the sum has room for 2^32 words */
	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sum += word;
	}
	if (len >= sizeof(tail)) {
		memcpy(&tail, p, sizeof(tail));
		sum += tail;
		len -= sizeof(tail);
		p += sizeof(tail);
	}
	if (len) {
		tail = 0;
		memcpy(&tail, p, 1);
		sum += tail;
	}
	return sum;
}

static uint16_t csum_fold64(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

void csum_add(struct csum *csum, const void *data, size_t len)
{
	uint16_t part = csum_fold64(csum_words(data, len));

	if (csum->odd)
		part = __builtin_bswap16(part);
	csum->sum += part;
	csum->odd ^= len & 1;
}

uint16_t csum_fold(const struct csum *csum)
{
	return be16toh(csum_fold64(csum->sum));
}

bool csum_ip_ok(const struct frame *frame, const struct headers *headers)
{
	const uint8_t *ip = frame->hdr + headers->l3_offset;
	struct csum csum = {};

	if (headers->l3 != 4)
		return headers->l3 == 6;
	csum_add(&csum, ip, (ip[0] & 0xf) * 4);
	return csum_fold(&csum) == CSUM_GOOD && !headers->cut;
}

static void csum_pseudo(struct csum *csum, const struct frame *frame,
			const struct headers *headers, uint32_t l4_len)
{
	const uint8_t *ip = frame->hdr + headers->l3_offset;
	uint8_t tail[8] = { l4_len >> 24, l4_len >> 16, l4_len >> 8, l4_len,
			    0, 0, 0, headers->l4 };

	/* Zeros do not change the sum, so the longer tail of IPv6 serves both */
	if (headers->l3 == 4)
		csum_add(csum, ip + HEADERS_IPV4_SRC, 8);
	else
		csum_add(csum, ip + HEADERS_IPV6_SRC, 32);
	csum_add(csum, tail, sizeof(tail));
}

/*
 * Can the checksum of L4 be computed ([ORNIC-CQ-12])? Not when bytes are missing;
 * and behind extension headers the pseudo header may have another address.
 */
static bool csum_has_l4(const struct headers *headers)
{
	return headers->l4 && !headers->cut &&
	       !(headers->l3 == 6 && headers->options);
}

/* Does the length of UDP, if it is UDP, end where IP does? */
static bool csum_udp_fits(const struct frame *frame, const struct headers *headers)
{
	const uint8_t *udp = frame->hdr + headers->l4_offset;

	return headers->l4 != HEADERS_PROTO_UDP ||
	       headers->l4_offset + be_get16(udp + 4) == headers->l3_end;
}

/* Sum of pseudo header, L4 header and payload */
static bool csum_l4(const struct frame *frame, const struct headers *headers,
		    uint16_t *sum)
{
	uint64_t len = headers->l3_end - headers->l4_offset;
	struct iovec iov[FRAME_IOV_MAX + 2];
	struct csum csum = {};
	int count, i;

	count = frame_iov(frame, headers->l4_offset, len, iov, FRAME_IOV_MAX + 2);
	if (count < 0)
		return false;
	csum_pseudo(&csum, frame, headers, len);
	for (i = 0; i < count; i++)
		csum_add(&csum, iov[i].iov_base, iov[i].iov_len);
	*sum = csum_fold(&csum);
	return true;
}

static unsigned int csum_l4_field(const struct headers *headers)
{
	return headers->l4_offset + (headers->l4 == HEADERS_PROTO_UDP ?
					  CSUM_UDP_OFFSET : CSUM_TCP_OFFSET);
}

bool csum_l4_ok(const struct frame *frame, const struct headers *headers)
{
	uint16_t sum;

	if (!csum_has_l4(headers) || !csum_udp_fits(frame, headers))
		return false;
	/* RFC 768: 0 means that the sender computed no checksum */
	if (headers->l4 == HEADERS_PROTO_UDP &&
	    !be_get16(frame->hdr + csum_l4_field(headers)))
		return false;
	return csum_l4(frame, headers, &sum) && sum == CSUM_GOOD;
}

uint16_t csum_field(uint16_t sum)
{
	sum = ~sum;
	/* RFC 768: 0 would mean none; 0xffff is equal to it in one's complement */
	return sum ? sum : CSUM_GOOD;
}

static void csum_fill_ip(struct frame *frame, const struct headers *headers)
{
	uint8_t *ip = frame->hdr + headers->l3_offset;
	struct csum csum = {};

	be_put16(ip + CSUM_IPV4_OFFSET, 0);
	csum_add(&csum, ip, (ip[0] & 0xf) * 4);
	be_put16(ip + CSUM_IPV4_OFFSET, ~csum_fold(&csum));
}

void csum_fill(struct frame *frame, const struct headers *headers)
{
	uint16_t sum;

	if (headers->l3 == 4 && !headers->cut)
		csum_fill_ip(frame, headers);
	if (!csum_has_l4(headers))
		return;
	be_put16(frame->hdr + csum_l4_field(headers), 0);
	if (!csum_l4(frame, headers, &sum))
		return;
	/* Only UDP reserves 0 (RFC 768); TCP sends a checksum of 0 (RFC 1624) */
	be_put16(frame->hdr + csum_l4_field(headers),
		   headers->l4 == HEADERS_PROTO_UDP ? csum_field(sum) : ~sum);
}
