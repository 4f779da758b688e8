// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Numbers in options and requests */
#include "env/number.h"
#include "unit.h"

TEST_VOID(test_numbers_in_range)
{
	uint64_t value;

	assert_true(number_parse("1", 1, 5, &value));
	assert_int_equal(value, 1);
	assert_true(number_parse("05", 1, 5, &value));
	assert_int_equal(value, 5);
	assert_true(number_parse("18446744073709551615", 0, UINT64_MAX, &value));
	assert_true(value == UINT64_MAX);
}

TEST_VOID(test_other_text)
{
	static const char *const text[] = {
		"", " ", " 3", "3 ", "+3", "-3", "-18446744073709551613", "0x3", "3x",
		"0", "6", "18446744073709551616", "18446744073709551619",
	};
	uint64_t value = 4;
	unsigned int i;

	for (i = 0; i < sizeof(text) / sizeof(*text); i++)
		assert_false(number_parse(text[i], 1, 5, &value));
	assert_int_equal(value, 4);
}

TEST_MAIN("number")
