// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Buffers ([ORNIC-BUF-1] ff.): levels 0 to 3, refusals, unmapped memory */
#include "base/buf.h"
#include "host.h"

#define RW (MEM_READ | MEM_WRITE)
#define SHIFT 12

static enum ornic_cmd_status make_ring(struct host *host, struct buf *buf,
				       const struct ornic_buf *desc,
				       uint64_t start, uint64_t len)
{
	return buf_init(buf, &host->card->guest, &host->card->budget, desc, start,
			len, RW);
}

static enum ornic_cmd_status make(struct host *host, struct buf *buf,
				  const struct ornic_buf *desc, uint64_t start,
				  uint64_t len)
{
	enum ornic_cmd_status status;

	status = buf_begin(buf, &host->card->guest, &host->card->budget, desc,
			   start, len, RW);
	if (status)
		return status;
	while (!buf_step(buf, &status))
		continue;
	if (status)
		buf_uninit(buf);
	return status;
}

/* Write an index at @addr that lists the pages in reverse order */
static void fill_index(struct host *host, uint64_t addr, uint64_t pages,
		       unsigned int count)
{
	__le64 *entry = host_ptr(host, addr);
	unsigned int i;

	for (i = 0; i < count; i++)
		entry[i] = htole64(pages + (uint64_t)(count - 1 - i) *
					   HOST_PAGE);
}

static void check_backwards(struct host *host, struct buf *buf, uint64_t pages,
			    unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		assert_ptr_equal(buf_slot(buf, (uint64_t)i * HOST_PAGE + 64,
					  64),
				 host_device_ptr(host, pages + (count - 1 - i) *
							HOST_PAGE + 64));
}

/* [ORNIC-BUF-2] */
TEST(test_levels_0_is_contiguous, struct host *host, IN_HOST)
{
	uint64_t at = host_alloc(host, 4 * HOST_PAGE, HOST_PAGE);
	struct ornic_buf desc;
	struct iovec iov[2];
	uint64_t len = 4 * HOST_PAGE - 10;
	struct buf buf;

	host_buf(&desc, at, 4 * HOST_PAGE);
	assert_int_equal(make(host, &buf, &desc, 0, 4 * HOST_PAGE), 0);
	assert_int_equal(host->card->budget.pages, 4);
	assert_ptr_equal(buf_slot(&buf, 3 * HOST_PAGE + 32, 32),
			 host_device_ptr(host, at + 3 * HOST_PAGE + 32));
	assert_int_equal(buf_iov(&buf, 5, &len, iov, 2), 1);
	assert_int_equal(len, 4 * HOST_PAGE - 10);
	assert_int_equal(iov[0].iov_len, len);
	buf_uninit(&buf);
	assert_int_equal(host->card->budget.pages, 0);
	buf_uninit(&buf);
}

TEST(test_levels_1_and_more_than_an_index_page, struct host *host, IN_HOST)
{
	unsigned int count = 600;
	uint64_t index = host_alloc(host, count * 8, 8) + 8;
	uint64_t pages = host_alloc(host, count * HOST_PAGE, HOST_PAGE);
	struct ornic_buf desc = { .page_shift = SHIFT, .levels = 1 };
	struct buf buf;

	fill_index(host, index, pages, count);
	desc.addr = htole64(index);
	desc.npages = htole32(count);
	assert_int_equal(make(host, &buf, &desc, 0, count * HOST_PAGE), 0);
	check_backwards(host, &buf, pages, count);
	buf_uninit(&buf);
}

/* [ORNIC-BUF-2] */
TEST(test_levels_2, struct host *host, IN_HOST)
{
	unsigned int count = 515;
	uint64_t top = host_alloc(host, HOST_PAGE, HOST_PAGE);
	uint64_t low = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE);
	uint64_t pages = host_alloc(host, count * HOST_PAGE, HOST_PAGE);
	struct ornic_buf desc = { .page_shift = SHIFT, .levels = 2 };
	__le64 *entry = host_ptr(host, top);
	struct buf buf;

	/* Both index pages of the lower level are adjacent */
	fill_index(host, low, pages, count);
	entry[0] = htole64(low);
	entry[1] = htole64(low + HOST_PAGE);
	/* An entry that is not needed and must not be read */
	entry[2] = htole64(HOST_NOWHERE);
	desc.addr = htole64(top);
	desc.npages = htole32(count);
	assert_int_equal(make(host, &buf, &desc, 0, count * HOST_PAGE), 0);
	check_backwards(host, &buf, pages, count);
	buf_uninit(&buf);
	/* Not for rings */
	assert_int_equal(make_ring(host, &buf, &desc, 0, count * HOST_PAGE),
			 ORNIC_CMD_BAD_PARAM);
	assert_int_equal(host->card->budget.pages, 0);
}

/* [ORNIC-BUF-2] */
TEST(test_levels_3, struct host *host, IN_HOST)
{
	uint64_t top = host_alloc(host, HOST_PAGE, HOST_PAGE);
	uint64_t mid = host_alloc(host, HOST_PAGE, HOST_PAGE);
	uint64_t low = host_alloc(host, HOST_PAGE, HOST_PAGE);
	uint64_t pages = host_alloc(host, 3 * HOST_PAGE, HOST_PAGE);
	struct ornic_buf desc = { .page_shift = SHIFT, .levels = 3 };
	struct buf buf;

	fill_index(host, low, pages, 3);
	*(__le64 *)host_ptr(host, top) = htole64(mid);
	*(__le64 *)host_ptr(host, mid) = htole64(low);
	desc.addr = htole64(top);
	desc.npages = htole32(3);
	assert_int_equal(make(host, &buf, &desc, 0, 3 * HOST_PAGE), 0);
	check_backwards(host, &buf, pages, 3);
	buf_uninit(&buf);
}

/* [ORNIC-BUF-8] Small rings begin within a page, other buffers do not */
TEST(test_small_ring, struct host *host, IN_HOST)
{
	static const struct {
		uint64_t offset;
		uint64_t len;
		bool good;
	} cases[] = {
		{ 64, 16, true },
		{ 64, 64, true },
		{ 4032, 64, true },
		{ 2048, 2048, true },
		{ 3584, 512, true },
		{ 32, 16, false },
		{ 64, 128, false },
		{ 1024, 2048, false },
		{ 2048, 4096, false },
	};
	uint64_t at = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE);
	enum ornic_cmd_status status;
	struct ornic_buf desc;
	struct buf buf;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		host_buf(&desc, at + cases[i].offset, 2 * HOST_PAGE);
		status = make_ring(host, &buf, &desc, 0, cases[i].len);
		assert_int_equal(status, cases[i].good ? ORNIC_CMD_OK : ORNIC_CMD_BAD_PARAM);
		if (!cases[i].good)
			continue;
		assert_ptr_equal(buf_slot(&buf, cases[i].len - 16, 16),
				 host_device_ptr(host, at + cases[i].offset + cases[i].len - 16));
		buf_uninit(&buf);
	}
	/* A region has its first byte elsewhere: first_offset */
	host_buf(&desc, at + 64, HOST_PAGE);
	assert_int_equal(make(host, &buf, &desc, 0, 64), ORNIC_CMD_BAD_PARAM);
	assert_int_equal(host->card->budget.pages, 0);
}

TEST(test_refuses_odd_values, struct host *host, IN_HOST)
{
	uint64_t at = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE);
	struct ornic_buf good, bad;
	struct buf buf;

	host_buf(&good, at, 2 * HOST_PAGE);
#define REFUSED(field, value, start, len) do {                         \
		bad = good;                                             \
		bad.field = value;                                      \
		assert_int_equal(make(host, &buf, &bad, start, len),    \
				 ORNIC_CMD_BAD_PARAM);                  \
	} while (0)
	REFUSED(page_shift, 11, 0, 1);
	REFUSED(page_shift, 32, 0, 1);
	REFUSED(levels, 4, 0, 1);
	REFUSED(rsvd[0], 1, 0, 1);
	REFUSED(rsvd[1], 1, 0, 1);
	REFUSED(npages, 0, 0, 1);
	REFUSED(npages, htole32(1), 0, HOST_PAGE + 1);
	REFUSED(npages, htole32(2), 1, 2 * HOST_PAGE);
	REFUSED(addr, htole64(at + 8), 0, 1);
	REFUSED(addr, htole64(-HOST_PAGE), 0, 2 * HOST_PAGE);
	REFUSED(npages, htole32(2), HOST_PAGE, 1);
	REFUSED(npages, htole32(2), 1, UINT64_MAX);
#undef REFUSED
	assert_int_equal(host->card->budget.pages, 0);
}

TEST(test_refuses_a_bad_index, struct host *host, IN_HOST)
{
	uint64_t index = host_alloc(host, HOST_PAGE, HOST_PAGE);
	uint64_t pages = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE);
	struct ornic_buf desc = { .page_shift = SHIFT, .levels = 1,
				  .npages = htole32(2) };
	__le64 *entry = host_ptr(host, index);
	struct buf buf;

	fill_index(host, index, pages, 2);
	desc.addr = htole64(index + 4);
	assert_int_equal(make(host, &buf, &desc, 0, 2 * HOST_PAGE),
			 ORNIC_CMD_BAD_PARAM);
	desc.addr = htole64(HOST_NOWHERE);
	assert_int_equal(make(host, &buf, &desc, 0, 2 * HOST_PAGE),
			 ORNIC_CMD_DMA_FAULT);
	desc.addr = htole64(index);
	entry[1] = htole64(pages + 2048);
	assert_int_equal(make(host, &buf, &desc, 0, 2 * HOST_PAGE),
			 ORNIC_CMD_BAD_PARAM);
	entry[1] = htole64(HOST_NOWHERE);
	assert_int_equal(make(host, &buf, &desc, 0, 2 * HOST_PAGE),
			 ORNIC_CMD_DMA_FAULT);
	/* This length does not need the second page */
	assert_int_equal(make(host, &buf, &desc, 0, HOST_PAGE), 0);
	buf_uninit(&buf);
	desc.levels = 2;
	desc.addr = htole64(index + 8);
	assert_int_equal(make(host, &buf, &desc, 0, HOST_PAGE),
			 ORNIC_CMD_BAD_PARAM);
	desc.addr = htole64(index);
	entry[0] = htole64(pages + 8);
	assert_int_equal(make(host, &buf, &desc, 0, HOST_PAGE),
			 ORNIC_CMD_BAD_PARAM);
	desc.npages = htole32(512 * 512 + 1);
	assert_int_equal(make(host, &buf, &desc, 0, HOST_PAGE),
			 ORNIC_CMD_BAD_PARAM);
}

TEST(test_refuses_more_than_the_budget, struct host *host, IN_HOST)
{
	uint64_t at = host_alloc(host, HOST_PAGE, HOST_PAGE);
	struct ornic_buf desc = { .page_shift = SHIFT,
				  .addr = htole64(at),
				  .npages = htole32(BUF_PAGES_MAX + 1) };
	struct buf buf;

	assert_int_equal(make(host, &buf, &desc, 0,
			      (BUF_PAGES_MAX + 1ULL) << SHIFT),
			 ORNIC_CMD_NO_RESOURCES);
}

/* [ORNIC-BUF-4] Only the bytes that are used need to be in reach */
TEST(test_large_page_of_which_only_a_part_is_there, struct host *host, IN_HOST)
{
	unsigned int shift = 21;
	uint64_t start = HOST_RAM_BASE & ((1ULL << shift) - 1);
	struct ornic_buf desc = {
		.page_shift = shift,
		.levels = 0,
		.addr = htole64(HOST_RAM_BASE - start),
		.npages = htole32(1),
	};
	struct buf buf;

	assert_true(start);
	assert_int_equal(make(host, &buf, &desc, start, HOST_PAGE), 0);
	assert_ptr_equal(buf_slot(&buf, start, 8),
			 host_device_ptr(host, HOST_RAM_BASE));
	buf_uninit(&buf);
	assert_int_equal(make(host, &buf, &desc, start - 1, HOST_PAGE),
			 ORNIC_CMD_DMA_FAULT);
}

TEST(test_unmapped_page_is_not_touched_and_comes_back, struct host *host, IN_HOST)
{
	uint64_t at = host_alloc(host, 4 * HOST_PAGE, HOST_PAGE);
	struct ornic_buf desc;
	uint64_t len = HOST_PAGE;
	struct iovec iov[4];
	struct buf buf;

	host_buf(&desc, at, 4 * HOST_PAGE);
	assert_int_equal(make(host, &buf, &desc, 0, 4 * HOST_PAGE), 0);
	host_unmap(host, at + HOST_PAGE, HOST_PAGE);
	assert_null(buf_slot(&buf, HOST_PAGE, 32));
	assert_int_equal(buf_iov(&buf, HOST_PAGE - 8, &len, iov, 4), -EFAULT);
	assert_non_null(buf_slot(&buf, 0, 32));
	assert_non_null(buf_slot(&buf, 2 * HOST_PAGE, 32));
	host_map(host, at + HOST_PAGE, HOST_PAGE);
	assert_non_null(buf_slot(&buf, HOST_PAGE, 32));
	buf_uninit(&buf);
}

TEST(test_behind_by_more_than_the_log, struct host *host, IN_HOST)
{
	uint64_t at = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE);
	struct ornic_buf desc;
	struct buf buf;
	unsigned int i;

	host_buf(&desc, at, HOST_PAGE);
	assert_int_equal(make(host, &buf, &desc, 0, HOST_PAGE), 0);
	host_unmap(host, at, HOST_PAGE);
	for (i = 0; i < 2 * GUEST_LOG_SIZE; i++) {
		host_unmap(host, at + HOST_PAGE, HOST_PAGE);
		host_map(host, at + HOST_PAGE, HOST_PAGE);
	}
	assert_null(buf_slot(&buf, 0, 32));
	buf_uninit(&buf);
}

TEST(test_whole_map_goes_and_comes, struct host *host, IN_HOST)
{
	uint64_t at = host_alloc(host, HOST_PAGE, HOST_PAGE);
	struct ornic_buf desc;
	struct guest_ref ref;
	struct buf buf;

	host_buf(&desc, at, HOST_PAGE);
	assert_int_equal(make(host, &buf, &desc, 0, HOST_PAGE), 0);
	assert_true(guest_ref_init(&ref, &host->card->guest, at, 8, RW));
	mem_enable(&host->mem, false);
	assert_null(buf_slot(&buf, 0, 32));
	assert_null(guest_ref_ptr(&ref));
	mem_enable(&host->mem, true);
	assert_non_null(buf_slot(&buf, 0, 32));
	assert_non_null(guest_ref_ptr(&ref));
	buf_uninit(&buf);
}

TEST(test_iov_stops_when_the_pieces_run_out, struct host *host, IN_HOST)
{
	uint64_t index = host_alloc(host, HOST_PAGE, HOST_PAGE);
	uint64_t pages = host_alloc(host, 8 * HOST_PAGE, HOST_PAGE);
	struct ornic_buf desc = { .page_shift = SHIFT, .levels = 1,
				  .npages = htole32(8),
				  .addr = htole64(index) };
	uint64_t len = 8 * HOST_PAGE - 100;
	struct iovec iov[3];
	struct buf buf;

	fill_index(host, index, pages, 8);
	assert_int_equal(make(host, &buf, &desc, 0, 8 * HOST_PAGE), 0);
	assert_int_equal(buf_iov(&buf, 100, &len, iov, 3), 3);
	assert_int_equal(len, 3 * HOST_PAGE - 100);
	assert_ptr_equal(iov[0].iov_base,
			 host_device_ptr(host, pages + 7 * HOST_PAGE + 100));
	assert_int_equal(iov[0].iov_len, HOST_PAGE - 100);
	assert_int_equal(iov[2].iov_len, HOST_PAGE);
	buf_uninit(&buf);
}

TEST(test_lost_ranges_at_the_ends_of_the_address_space, struct host *host, IN_HOST)
{
	struct guest *guest = &host->card->guest;
	uint64_t seq = guest->seq;

	guest->notifier.unmap(&guest->notifier, -HOST_PAGE, HOST_PAGE);
	assert_true(guest_lost(guest, seq, -1ULL, -1ULL));
	assert_true(guest_lost(guest, seq, -2 * HOST_PAGE, -HOST_PAGE));
	assert_true(guest_lost(guest, seq, 0, -1ULL));
	assert_false(guest_lost(guest, seq, -2 * HOST_PAGE, -HOST_PAGE - 1));
	assert_false(guest_lost(guest, seq, 0, HOST_PAGE - 1));
	guest->notifier.unmap(&guest->notifier, 0, UINT64_MAX);
	assert_true(guest_lost(guest, seq, 0, 0));
	assert_false(guest_lost(guest, guest->seq, 0, -1ULL));
}

TEST_MAIN("buf")
