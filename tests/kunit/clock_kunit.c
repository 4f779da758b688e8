// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Clock arithmetic, in the kernel and in a process with the clock page */
#include <kunit/test.h>
#include <linux/ptp_clock_kernel.h>

#include "../../kernel/net/clock.h"

#define TEST_CYCLES	0x123456789abcdefULL
#define TEST_NSEC	1800000000123456789ULL
/* Range for which the clock page is defined */
#define TEST_REACH	(30 * NSEC_PER_SEC)
/* 1 ppm in the units of adjfine */
#define TEST_PPM	65536

static struct ornic_clock_time ornic_test_time(long scaled_ppm)
{
	return (struct ornic_clock_time) {
		.cycles = TEST_CYCLES,
		.nsec = TEST_NSEC,
		.mult = adjust_by_scaled_ppm(ORNIC_CLOCK_MULT, scaled_ppm),
	};
}

static void ornic_test_clock_counts_nanoseconds(struct kunit *test)
{
	struct ornic_clock_time time = ornic_test_time(0);

	ornic_clock_advance(&time, TEST_CYCLES + 12345);
	KUNIT_EXPECT_EQ(test, time.nsec, TEST_NSEC + 12345);
	KUNIT_EXPECT_EQ(test, time.cycles, TEST_CYCLES + 12345);
	KUNIT_EXPECT_EQ(test, time.frac, 0);
}

static void ornic_test_clock_does_not_overflow(struct kunit *test)
{
	/* A virtual machine that was stopped for a year */
	const u64 year = 365ULL * 86400 * NSEC_PER_SEC;
	struct ornic_clock_time time = ornic_test_time(0);

	ornic_clock_advance(&time, TEST_CYCLES + year);
	KUNIT_EXPECT_EQ(test, time.nsec, TEST_NSEC + year);

	time = ornic_test_time(100 * TEST_PPM);
	ornic_clock_advance(&time, TEST_CYCLES + year);
	/* The rate has steps of 4 ppb and may be one step too low */
	KUNIT_EXPECT_LE(test, time.nsec, TEST_NSEC + year + year / 10000);
	KUNIT_EXPECT_GE(test, time.nsec, TEST_NSEC + year + year / 10000 - year / 250000000);
}

static void ornic_test_clock_counter_wraps(struct kunit *test)
{
	struct ornic_clock_time time = ornic_test_time(0);

	time.cycles = U64_MAX - 4;
	KUNIT_EXPECT_TRUE(test, ornic_clock_ahead(&time, 5));
	ornic_clock_advance(&time, 5);
	KUNIT_EXPECT_EQ(test, time.nsec, TEST_NSEC + 10);
}

static void ornic_test_clock_keeps_fractions(struct kunit *test)
{
	struct ornic_clock_time steps = ornic_test_time(12345 * TEST_PPM + 321);
	struct ornic_clock_time once = steps;
	u64 cycles = TEST_CYCLES;
	u32 i;

	/* The result does not depend on the number of steps */
	for (i = 0; i < 100000; i++) {
		cycles += i % 977;
		ornic_clock_advance(&steps, cycles);
	}
	ornic_clock_advance(&once, cycles);
	KUNIT_EXPECT_EQ(test, steps.nsec, once.nsec);
	KUNIT_EXPECT_EQ(test, steps.frac, once.frac);
}

static void ornic_test_clock_resumes_after_a_reset(struct kunit *test)
{
	struct ornic_clock_time time = ornic_test_time(0);

	/* The counter ran on, so it is used and not the clock of the host */
	ornic_clock_resume(&time, TEST_CYCLES + 1000, 900);
	KUNIT_EXPECT_EQ(test, time.nsec, TEST_NSEC + 1000);
}

static void ornic_test_clock_resumes_after_power_was_off(struct kunit *test)
{
	struct ornic_clock_time time = ornic_test_time(0);

	KUNIT_EXPECT_FALSE(test, ornic_clock_ahead(&time, 77));
	ornic_clock_resume(&time, 77, 900);
	KUNIT_EXPECT_EQ(test, time.nsec, TEST_NSEC + 900);
	KUNIT_EXPECT_EQ(test, time.cycles, 77);
}

static void ornic_test_clock_far_ahead_needs_a_second_read(struct kunit *test)
{
	struct ornic_clock_time time = ornic_test_time(0);
	const u64 elapsed = 4 * NSEC_PER_SEC;
	const u64 hour = 3600 * NSEC_PER_SEC;

	KUNIT_EXPECT_TRUE(test, ornic_clock_plausible(&time, TEST_CYCLES, 0));
	KUNIT_EXPECT_TRUE(test, ornic_clock_plausible(&time, TEST_CYCLES + elapsed, elapsed));
	/* The clock of the host may be slow */
	KUNIT_EXPECT_TRUE(test, ornic_clock_plausible(&time, TEST_CYCLES + hour + hour / 10, hour));
	KUNIT_EXPECT_FALSE(test, ornic_clock_plausible(&time, TEST_CYCLES + hour, elapsed));
	KUNIT_EXPECT_FALSE(test, ornic_clock_plausible(&time, TEST_CYCLES + S64_MAX, elapsed));

	/* A jump by a stop of the virtual machine is confirmed, an implausible one is not */
	KUNIT_EXPECT_TRUE(test, ornic_clock_confirms(TEST_CYCLES + hour, TEST_CYCLES + hour));
	KUNIT_EXPECT_TRUE(test, ornic_clock_confirms(TEST_CYCLES + hour, TEST_CYCLES + hour + 999));
	KUNIT_EXPECT_FALSE(test, ornic_clock_confirms(TEST_CYCLES + hour, TEST_CYCLES + elapsed));
	KUNIT_EXPECT_FALSE(test, ornic_clock_confirms(TEST_CYCLES + elapsed, TEST_CYCLES + hour));
	/* A device that does not answer */
	KUNIT_EXPECT_FALSE(test, ornic_clock_confirms(U64_MAX, U64_MAX));
}

/* Conversion by a process, in 64 bits, as ornic-abi.h defines it */
static u64 ornic_test_page_ns(const struct ornic_clock_info *page, u64 timestamp)
{
	s64 delta = timestamp - page->cycles;

	return page->nsec + ((s64)(delta * page->mult + page->frac) >> page->shift);
}

static void ornic_test_clock_page_of(struct kunit *test, long scaled_ppm)
{
	struct ornic_clock_info *page = kunit_kzalloc(test, sizeof(*page), GFP_KERNEL);
	struct ornic_clock_time time = ornic_test_time(scaled_ppm);
	struct ornic_clock_time later;
	u64 delta;

	KUNIT_ASSERT_NOT_NULL(test, page);
	ornic_clock_advance(&time, TEST_CYCLES + 1234567);
	ornic_clock_publish(page, &time);
	for (delta = 1; delta <= TEST_REACH; delta = delta * 3 + 1) {
		later = time;
		ornic_clock_advance(&later, time.cycles + delta);
		KUNIT_EXPECT_EQ(test, ornic_test_page_ns(page, time.cycles + delta), later.nsec);
	}

	/* A time stamp older than the page, as most are */
	later = time;
	ornic_clock_advance(&later, time.cycles + TEST_REACH);
	ornic_clock_publish(page, &later);
	KUNIT_EXPECT_EQ(test, ornic_test_page_ns(page, time.cycles), time.nsec);
	KUNIT_EXPECT_EQ(test, page->sign, 4);
	/* Readers rely on these two */
	KUNIT_EXPECT_EQ(test, page->overflow_period, TEST_REACH);
	KUNIT_EXPECT_EQ(test, page->mask, U64_MAX);
}

static void ornic_test_clock_page(struct kunit *test)
{
	ornic_test_clock_page_of(test, 0);
	ornic_test_clock_page_of(test, 1);
	ornic_test_clock_page_of(test, -1);
	ornic_test_clock_page_of(test, 100000L * TEST_PPM);
	ornic_test_clock_page_of(test, -100000L * TEST_PPM);
}

static struct kunit_case ornic_clock_cases[] = {
	KUNIT_CASE(ornic_test_clock_counts_nanoseconds),
	KUNIT_CASE(ornic_test_clock_does_not_overflow),
	KUNIT_CASE(ornic_test_clock_counter_wraps),
	KUNIT_CASE(ornic_test_clock_keeps_fractions),
	KUNIT_CASE(ornic_test_clock_resumes_after_a_reset),
	KUNIT_CASE(ornic_test_clock_resumes_after_power_was_off),
	KUNIT_CASE(ornic_test_clock_far_ahead_needs_a_second_read),
	KUNIT_CASE(ornic_test_clock_page),
	{}
};

static struct kunit_suite ornic_clock_suite = {
	.name = "ornic_clock",
	.test_cases = ornic_clock_cases,
};

kunit_test_suites(&ornic_clock_suite);
