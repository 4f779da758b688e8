// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rate limits. The level of a bucket is stored as the time when it is full. */
#include "queues/pace.h"

/* ns per bit at 1 kb/s */
#define PACE_BIT_NS 1000000

/* Rounded up, to never exceed the limit; 32 bits of bytes cannot overflow */
static uint64_t pace_ns(uint32_t rate, uint32_t bytes)
{
	return (bytes * 8ULL * PACE_BIT_NS + rate - 1) / rate;
}

void pace_set(struct pace *pace, uint32_t rate, uint32_t burst,
	      uint64_t now_ns)
{
	pace->rate = rate;
	pace->burst_ns = rate ? pace_ns(rate, burst) : 0;
	pace->full_ns = now_ns;
}

uint64_t pace_wait(const struct pace *pace, uint32_t bytes, uint64_t now_ns)
{
	uint64_t need_ns = pace_ns(pace->rate, bytes);
	uint64_t ready_ns;

	if (need_ns > pace->burst_ns)
		need_ns = pace->burst_ns;
	/* Ready while at most burst_ns - need_ns is missing; no sum can wrap */
	ready_ns = pace->full_ns + need_ns;
	if (ready_ns <= now_ns + pace->burst_ns)
		return 0;
	return ready_ns - now_ns - pace->burst_ns;
}

void pace_take(struct pace *pace, uint32_t bytes, uint64_t now_ns)
{
	if (pace->full_ns < now_ns)
		pace->full_ns = now_ns;
	pace->full_ns += pace_ns(pace->rate, bytes);
}
