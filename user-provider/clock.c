// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <errno.h>

#include "ornic_abi.h"
#include "ring.h"

/*
 * The kernel makes seq odd, changes the page, and makes it even again. What
 * was read while it did so is read once more.
 */
static void ornic_clock_read(const struct ornic_clock_page *page,
			     struct ornic_clock_page *now)
{
	const void *seq = &page->seq;
	uint32_t before, after;

	do {
		before = atomic_load_explicit((_Atomic(uint32_t) *)seq,
					      memory_order_acquire);
		*now = *page;
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit((_Atomic(uint32_t) *)seq,
					     memory_order_relaxed);
	} while (before & 1 || before != after);
}

/**
 * ornic_clock_to_ns() - when was that?
 * @page: clock page
 * @timestamp: of the device
 *
 * The page may have been written after the timestamp was taken.
 *
 * Return: nanoseconds since the epoch, of the device's PTP clock.
 */
uint64_t ornic_clock_to_ns(const struct ornic_clock_page *page,
			   uint64_t timestamp)
{
	struct ornic_clock_page now;

	ornic_clock_read(page, &now);
	if (timestamp >= now.cycles)
		return now.nsec + (((timestamp - now.cycles) * now.mult +
				    now.frac) >> now.shift);
	return now.nsec + ((int64_t)(now.frac - (now.cycles - timestamp) *
				     now.mult) >> now.shift);
}

/**
 * ornic_query_rt_values() - read the device's clock
 * @ibctx: context
 * @values: comp_mask: what is wanted, then what there is
 *
 * The clock runs free and does not know seconds: it is in raw_clock.tv_nsec
 * whole, comparable to the timestamps of completions.
 *
 * Return: 0; EOPNOTSUPP without a clock; else what the kernel says.
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
		if (!attr.hca_core_clock)
			return EOPNOTSUPP;

		values->raw_clock.tv_sec = 0;
		values->raw_clock.tv_nsec = resp.clock;
		mask |= IBV_VALUES_MASK_RAW_CLOCK;
	}

	values->comp_mask = mask;
	return 0;
}
