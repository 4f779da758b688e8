// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rate limit of messages that a guest causes: a burst, then one per interval */
#include "env/log.h"
#include "unit.h"

static unsigned int shown(struct log_limit *limit, uint64_t now_ns,
			  unsigned int asked)
{
	unsigned int count = 0;

	while (asked--)
		count += log_limit_allows(limit, now_ns);
	return count;
}

TEST_VOID(test_burst_then_one_at_a_time)
{
	uint64_t now_ns = 5 * LOG_REFILL_NS / 2;
	struct log_limit limit = {};

	assert_int_equal(shown(&limit, now_ns, 1000), LOG_BURST);
	assert_int_equal(limit.dropped, 1000 - LOG_BURST);
	assert_int_equal(shown(&limit, now_ns + LOG_REFILL_NS - 1, 10), 0);
	assert_int_equal(shown(&limit, now_ns + LOG_REFILL_NS, 10), 1);
	assert_int_equal(shown(&limit, now_ns + 4 * LOG_REFILL_NS, 10), 3);
}

TEST_VOID(test_long_silence_gives_one_burst)
{
	struct log_limit limit = {};

	assert_int_equal(shown(&limit, 0, 1), 1);
	assert_int_equal(shown(&limit, UINT64_MAX, 1000), LOG_BURST);
}

TEST_MAIN("log")
