// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* TCP segmentation offload: checks and headers of segments */
#include <string.h>

#include "base/be.h"
#include "eth/headers.h"
#include "eth/tso.h"

#define TSO_SEQ_OFFSET 4
#define TSO_DOFF_OFFSET 12
#define TSO_FLAGS_OFFSET 13
#define TSO_FIN 0x01
#define TSO_PSH 0x08
#define TSO_CWR 0x80

/* FRAME_LOCAL: the length fields of the headers are not valid yet */
static void tso_dissect(const uint8_t *hdr, unsigned int hdr_len,
			struct headers *headers)
{
	struct frame frame;

	frame.flags = FRAME_LOCAL;
	frame.hdr_len = hdr_len;
	frame.payload_len = 0;
	frame.trailer_len = 0;
	frame.iov_count = 0;
	memcpy(frame.hdr, hdr, hdr_len);
	headers_find(&frame, headers);
}

bool tso_valid(const uint8_t *hdr, unsigned int hdr_len)
{
	struct headers headers;

	if (hdr_len < HEADERS_ETH_LEN)
		return false;
	tso_dissect(hdr, hdr_len, &headers);
	return headers.l4 == HEADERS_PROTO_TCP && headers_is_plain(&headers) &&
	       (headers.l3 == 4 || !headers.options) &&
	       headers.l4_offset + (hdr[headers.l4_offset + TSO_DOFF_OFFSET] >> 4) *
				4u == hdr_len;
}

static void tso_patch_ip(uint8_t *ip, unsigned int l3, unsigned int len,
			 unsigned int index)
{
	if (l3 == 4) {
		be_put16(ip + 2, len);
		be_put16(ip + 4, be_get16(ip + 4) + index);
	} else {
		be_put16(ip + 4, len - HEADERS_IPV6_LEN);
	}
}

static void tso_patch_tcp(uint8_t *tcp, const struct tso_segment *segment)
{
	uint8_t *seq = tcp + TSO_SEQ_OFFSET;
	uint32_t val = (uint32_t)be_get16(seq) << 16 | be_get16(seq + 2);

	val += segment->offset;
	be_put16(seq, val >> 16);
	be_put16(seq + 2, val);
	if (segment->offset)
		tcp[TSO_FLAGS_OFFSET] &= ~TSO_CWR;
	if (segment->offset + segment->len < segment->total)
		tcp[TSO_FLAGS_OFFSET] &= ~(TSO_FIN | TSO_PSH);
}

void tso_patch(uint8_t *hdr, unsigned int hdr_len,
	       const struct tso_segment *segment)
{
	struct headers headers;

	tso_dissect(hdr, hdr_len, &headers);
	tso_patch_ip(hdr + headers.l3_offset, headers.l3,
		     hdr_len - headers.l3_offset + segment->len,
		     segment->offset / segment->mss);
	tso_patch_tcp(hdr + headers.l4_offset, segment);
}
