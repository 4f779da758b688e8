// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A frame is one string of bytes, however it is split */
#include "env/frame.h"
#include "unit.h"

#define HDR 40
#define PAYLOAD 300
#define TRAILER 4
#define TOTAL (HDR + PAYLOAD + TRAILER)

static uint8_t payload[PAYLOAD];
static struct frame frame;

static uint8_t byte_at(unsigned int offset)
{
	return offset * 7 + 3;
}

static int setup(void **state)
{
	unsigned int i;

	memset(&frame, 0, sizeof(frame));
	frame.hdr_len = HDR;
	frame.trailer_len = TRAILER;
	for (i = 0; i < HDR; i++)
		frame.hdr[i] = byte_at(i);
	for (i = 0; i < PAYLOAD; i++)
		payload[i] = byte_at(HDR + i);
	for (i = 0; i < TRAILER; i++)
		frame.trailer[i] = byte_at(HDR + PAYLOAD + i);
	return 0;
}

/* Add the payload in pieces that do not follow each other in memory */
static void add_scattered(unsigned int piece)
{
	static uint8_t scattered[2 * PAYLOAD];
	unsigned int at, len;

	for (at = 0; at < PAYLOAD; at += piece) {
		len = PAYLOAD - at < piece ? PAYLOAD - at : piece;
		memcpy(scattered + 2 * at, payload + at, len);
		assert_int_equal(frame_add(&frame, scattered + 2 * at, len), 0);
	}
}

TEST_VOID(test_every_part_reads_the_same, IN(setup, NULL))
{
	uint8_t out[TOTAL];
	unsigned int offset, len, i;

	add_scattered(37);
	assert_int_equal(frame_len(&frame), TOTAL);
	for (offset = 0; offset <= TOTAL; offset++) {
		for (len = 0; offset + len <= TOTAL; len += 1 + len / 3) {
			assert_int_equal(frame_read(&frame, offset, out, len),
					 0);
			for (i = 0; i < len; i++)
				assert_int_equal(out[i], byte_at(offset + i));
		}
	}
}

TEST_VOID(test_parts_beyond_the_end_are_refused, IN(setup, NULL))
{
	uint8_t out[8];

	add_scattered(100);
	assert_int_equal(frame_read(&frame, TOTAL - 7, out, 8), -EINVAL);
	assert_int_equal(frame_read(&frame, TOTAL + 1, out, 0), -EINVAL);
	assert_int_equal(frame_read(&frame, UINT64_MAX, out, 2), -EINVAL);
	assert_int_equal(frame_read(&frame, 2, out, UINT64_MAX), -EINVAL);
}

TEST_VOID(test_too_many_pieces_are_refused, IN(setup, NULL))
{
	struct iovec iov[2];

	add_scattered(100);
	assert_int_equal(frame_iov(&frame, 0, TOTAL, iov, 2), -E2BIG);
	assert_int_equal(frame_iov(&frame, 0, HDR + 1, iov, 2), 2);
	assert_int_equal(frame_iov(&frame, HDR, 100, iov, 1), 1);
}

TEST_VOID(test_adding_merges_neighbours_and_stops_when_full, IN(setup, NULL))
{
	unsigned int i;

	assert_int_equal(frame_add(&frame, payload, 0), 0);
	assert_int_equal(frame.iov_count, 0);
	assert_int_equal(frame_add(&frame, payload, 10), 0);
	assert_int_equal(frame_add(&frame, payload + 10, 10), 0);
	assert_int_equal(frame.iov_count, 1);
	for (i = 1; i < FRAME_IOV_MAX; i++)
		assert_int_equal(frame_add(&frame, payload, 1), 0);
	assert_int_equal(frame_add(&frame, payload, 1), -E2BIG);
	assert_int_equal(frame.payload_len, 20 + FRAME_IOV_MAX - 1);
}

TEST_MAIN("frame")
