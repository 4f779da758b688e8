// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Device clock: its current value, conversion of timestamps to wall time */

#include <errno.h>
#include <limits.h>

#include "check.h"
#include "index.h"
#include "ornic.h"
#include "ornic_abi.h"

/*
 * Copies the clock page. The kernel makes sign odd, changes the page, and makes
 * sign even again. A copy that overlaps with a change is repeated.
 */
static void ornic_clock_read(const struct ornic_clock_info *page,
			     struct ornic_clock_info *now)
{
	const void *sign = &page->sign;
	uint32_t before, after;

	do {
		before = atomic_load_explicit((_Atomic(uint32_t) *)sign,
					      memory_order_acquire);
		*now = *page;
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit((_Atomic(uint32_t) *)sign,
					     memory_order_relaxed);
	} while (before & 1 || before != after);
}

/*
 * Returns (cycles * mult + frac) >> shift. The result fits into 64 bits, but
 * the product has up to 96. @frac is less than 1 << shift.
 */
static uint64_t ornic_clock_scale(const struct ornic_clock_info *page,
				  uint64_t cycles, uint64_t frac)
{
	uint64_t low = (cycles & UINT32_MAX) * page->mult;
	uint64_t high = (cycles >> 32) * page->mult;
	uint32_t shift = page->shift;

	high += (low >> 32) + (frac >> 32);
	low = (low & UINT32_MAX) + (frac & UINT32_MAX);
	high += low >> 32;
	low &= UINT32_MAX;
	if (shift > 32)
		return high >> (shift - 32);
	return (high << (32 - shift)) + (low >> shift);
}

/**
 * ornic_clock_to_ns() - convert a timestamp to wall-clock time
 * @page: clock page
 * @timestamp: timestamp of the device
 *
 * The kernel may have written the page long before or after the timestamp was
 * taken.
 *
 * Return: nanoseconds since the epoch, by the PTP clock of the device.
 */
uint64_t ornic_clock_to_ns(const struct ornic_clock_info *page,
			   uint64_t timestamp)
{
	struct ornic_clock_info now;

	ornic_clock_read(page, &now);
	if (timestamp >= now.cycles)
		return now.nsec + ornic_clock_scale(&now,
						    timestamp - now.cycles,
						    now.frac);
	/* The result is rounded down, so the difference is rounded up */
	return now.nsec - ornic_clock_scale(&now, now.cycles - timestamp,
					    (1ULL << now.shift) - 1 - now.frac);
}

static struct timespec ornic_clock_raw(uint64_t clock)
{
	const uint64_t second = 1000000000;

	if (clock <= LONG_MAX)
		return (struct timespec){ .tv_nsec = clock };
	return (struct timespec){
		.tv_sec = clock / second, .tv_nsec = clock % second,
	};
}

/**
 * ornic_query_rt_values() - read the device's clock
 * @ibctx: context
 * @values: comp_mask selects the values, and returns which of them are valid
 *
 * The clock counts nanoseconds since power-on. Timestamps of completions are
 * values of it. raw_clock.tv_nsec holds the whole value if it fits into a long.
 *
 * Return: 0 or a positive errno; EOPNOTSUPP without a clock.
 */
int ornic_query_rt_values(struct ibv_context *ibctx,
			  struct ibv_values_ex *values)
{
	struct ornic_uquery_device_resp resp = {};
	size_t resp_size = sizeof(resp);
	struct ibv_device_attr_ex attr;
	uint32_t mask = 0;
	int ret;

	if (values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK) {
		ret = ibv_cmd_query_device_any(ibctx, NULL, &attr,
					       sizeof(attr), &resp.ibv_resp,
					       &resp_size);
		if (ret)
			return ret;
		if (!attr.hca_core_clock) {
			ornic_refuse(ibctx, "the device has no clock");
			return EOPNOTSUPP;
		}

		values->raw_clock = ornic_clock_raw(resp.clock);
		mask |= IBV_VALUES_MASK_RAW_CLOCK;
	}

	values->comp_mask = mask;
	return 0;
}
