// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The clock of the device: conversion of timestamps, current value */
#include <limits.h>

#include "fixture.h"

TEST(timestamps_become_time, struct fixture *f, IN_OWN)
{
	struct ornic_clock_info *clock = f->fake.clock;
	struct ibv_values_ex values = { .comp_mask = 0xff };

	/* 1.5 ns per cycle, and a remainder of 1/8 ns */
	clock->mult = 12;
	clock->shift = 3;
	clock->frac = 1;
	clock->nsec = 1000;
	clock->cycles = 500;
	assert_int_equal(ornic_clock_to_ns(clock, 500), 1000);
	assert_int_equal(ornic_clock_to_ns(clock, 502), 1003);
	assert_int_equal(ornic_clock_to_ns(clock, 503), 1004);
	assert_int_equal(ornic_clock_to_ns(clock, 499), 998);
	assert_int_equal(ornic_clock_to_ns(clock, 400), 850);
	/* Seconds after the page was written */
	clock->mult = 1u << 31;
	clock->shift = 31;
	clock->frac = 0;
	assert_true(ornic_clock_to_ns(clock, 8000000500ULL) == 8000001000ULL);

	assert_int_equal(f->ops->query_rt_values(f->ctx, &values), 0);
	assert_int_equal(values.comp_mask, IBV_VALUES_MASK_RAW_CLOCK);
	assert_int_equal(values.raw_clock.tv_sec, 0);
	assert_true(values.raw_clock.tv_nsec == FAKE_CLOCK);
	values.comp_mask = 0;
	assert_int_equal(f->ops->query_rt_values(f->ctx, &values), 0);
	assert_int_equal(values.comp_mask, 0);
}

/* The formula of struct ornic_clock_info, in 128-bit arithmetic */
static uint64_t clock_ns(const struct ornic_clock_info *page, uint64_t timestamp)
{
	__int128 cycles = (__int128)timestamp - page->cycles;

	return page->nsec + (uint64_t)((cycles * page->mult +
					(__int128)page->frac) >> page->shift);
}

/* A timestamp may be hours older or newer than the clock page */
TEST(old_timestamps_become_time, struct fixture *f, IN_OWN)
{
	static const uint64_t seconds[] = { 0, 1, 29, 31, 60, 3600, 1000000 };
	static const uint32_t shifts[] = { 1, 8, 28, 31, 32, 33, 60 };
	static const uint32_t mults[] = { 1, 3, 0x7fffffff, 0xffffffff };
	struct ornic_clock_info *clock = f->fake.clock;
	size_t i, j, k;
	int odd;

	clock->nsec = 1ULL << 62;
	clock->cycles = 1ULL << 60;
	for (i = 0; i < ARRAY_SIZE(seconds); i++) {
		for (j = 0; j < ARRAY_SIZE(shifts); j++) {
			for (k = 0; k < ARRAY_SIZE(mults); k++) {
				uint64_t away = seconds[i] * 1000000000;

				clock->shift = shifts[j];
				clock->mult = mults[k];
				clock->frac = (1ULL << shifts[j]) / 3;
				for (odd = 0; odd < 3; odd++) {
					uint64_t t = clock->cycles + odd;

					assert_true(ornic_clock_to_ns(clock, t + away) ==
						    clock_ns(clock, t + away));
					assert_true(ornic_clock_to_ns(clock, t - away) ==
						    clock_ns(clock, t - away));
				}
			}
		}
	}
}

/* The clock exceeds a 32-bit long after two seconds */
TEST(a_clock_beyond_tv_nsec_is_not_cut, struct fixture *f, IN_OWN)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

	f->fake.clock_now = (uint64_t)LONG_MAX + 5;
	assert_int_equal(f->ops->query_rt_values(f->ctx, &values), 0);
	assert_in_range(values.raw_clock.tv_nsec, 0, 999999999);
	assert_true(values.raw_clock.tv_sec * 1000000000ULL +
		    values.raw_clock.tv_nsec == f->fake.clock_now);
}

TEST_MAIN("clock")
