// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Arithmetic of packet sequence numbers, also where they wrap */
#include "unit.h"

#include "roce/psn.h"

TEST_VOID(test_psn_add_wraps)
{
	assert_int_equal(psn_add(0, 1), 1);
	assert_int_equal(psn_add(PSN_MASK, 1), 0);
	assert_int_equal(psn_add(0xfffff0, 0x20), 0x10);
	/* Adding PSN_MASK subtracts one */
	assert_int_equal(psn_add(0, PSN_MASK), PSN_MASK);
}

TEST_VOID(test_psn_diff_is_signed)
{
	assert_int_equal(psn_diff(5, 5), 0);
	assert_int_equal(psn_diff(6, 5), 1);
	assert_int_equal(psn_diff(5, 6), -1);
	assert_int_equal(psn_diff(0, PSN_MASK), 1);
	assert_int_equal(psn_diff(PSN_MASK, 0), -1);
	assert_int_equal(psn_diff(PSN_SPAN_MAX, 0), PSN_SPAN_MAX);
	assert_int_equal(psn_diff(0, PSN_SPAN_MAX), -(int)PSN_SPAN_MAX);
	assert_int_equal(psn_diff(psn_add(0xffff00, PSN_SPAN_MAX), 0xffff00),
			 PSN_SPAN_MAX);
}

TEST_VOID(test_psn_in_wraps)
{
	assert_true(psn_in(5, 5, 1));
	assert_false(psn_in(6, 5, 1));
	assert_false(psn_in(4, 5, 1));
	assert_true(psn_in(0, PSN_MASK, 2));
	assert_false(psn_in(1, PSN_MASK, 2));
	assert_false(psn_in(7, 7, 0));
}

TEST_VOID(test_psn_count_rounds_up)
{
	assert_int_equal(psn_count(0, 8), 1);
	assert_int_equal(psn_count(1, 8), 1);
	assert_int_equal(psn_count(256, 8), 1);
	assert_int_equal(psn_count(257, 8), 2);
	assert_int_equal(psn_count(0x80000000u, 12), 0x80000);
	assert_int_equal(psn_count(UINT32_MAX, 8), 1 << 24);
}

TEST_MAIN("psn")
