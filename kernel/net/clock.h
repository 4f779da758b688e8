/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Arithmetic between the device counter and wall-clock time. Not a struct
 * timecounter, which stays wrong after a minute without a read: a virtual
 * machine may be stopped for longer while the counter runs on.
 */
#ifndef ORNIC_CLOCK_H
#define ORNIC_CLOCK_H

#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/ptp_clock_kernel.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <rdma/ornic-abi.h>

/*
 * Steps of 4 ppb. The product with half a minute of nanoseconds fits into the
 * 63 bits with which readers of the clock page compute.
 */
#define ORNIC_CLOCK_SHIFT	28
#define ORNIC_CLOCK_MASK	(BIT_ULL(ORNIC_CLOCK_SHIFT) - 1)
/* For this time readers of the page need no more than 63 bits */
#define ORNIC_CLOCK_OVERFLOW_NS	(30ULL * NSEC_PER_SEC)
/* Nanoseconds for which the host may be busy between two reads */
#define ORNIC_CLOCK_SLACK	NSEC_PER_SEC
/* The counter counts nanoseconds */
#define ORNIC_CLOCK_MULT	BIT(ORNIC_CLOCK_SHIFT)

/**
 * struct ornic_clock_time - a moment on both clocks, and their relative rate
 * @cycles:	value of the device counter
 * @nsec:	wall-clock time at @cycles, since the epoch
 * @frac:	fraction of a nanosecond, in units of 2^-ORNIC_CLOCK_SHIFT
 * @mult:	wall-clock nanoseconds per cycle, in units of
 *		2^-ORNIC_CLOCK_SHIFT
 */
struct ornic_clock_time {
	u64 cycles;
	u64 nsec;
	u64 frac;
	u32 mult;
};

/**
 * ornic_clock_advance - advance to a later moment
 * @time:	updated to that moment
 * @cycles:	counter value at that moment; not less than @time->cycles
 */
static inline void ornic_clock_advance(struct ornic_clock_time *time, u64 cycles)
{
	u64 delta = cycles - time->cycles;
	/* The product may have 96 bits; its fraction is in the lowest ones */
	u64 frac = (delta * time->mult & ORNIC_CLOCK_MASK) + time->frac;

	time->nsec += mul_u64_u32_shr(delta, time->mult, ORNIC_CLOCK_SHIFT);
	time->nsec += frac >> ORNIC_CLOCK_SHIFT;
	time->frac = frac & ORNIC_CLOCK_MASK;
	time->cycles = cycles;
}

/**
 * ornic_clock_ahead - check that the counter did not run backwards
 * @time:	an earlier moment
 * @cycles:	current counter value
 *
 * Return: true if ornic_clock_advance() may be called.
 */
static inline bool ornic_clock_ahead(const struct ornic_clock_time *time, u64 cycles)
{
	return (s64)(cycles - time->cycles) >= 0;
}

/**
 * ornic_clock_plausible - check that the counter advanced as the host's clock
 * @time:	an earlier moment
 * @cycles:	current counter value, not less than @time->cycles
 * @elapsed:	nanoseconds since @time by the host's clock
 *
 * Return: false if the counter is far ahead, as after a virtual machine was
 * stopped, or if the device returned nonsense.
 */
static inline bool ornic_clock_plausible(const struct ornic_clock_time *time, u64 cycles,
					 u64 elapsed)
{
	return cycles - time->cycles <= elapsed + elapsed / 8 + ORNIC_CLOCK_SLACK;
}

/**
 * ornic_clock_confirms - check that two reads are from the same counter
 * @first:	counter value
 * @second:	counter value read directly after @first
 *
 * Return: true if the second read confirms the first; false for all ones, which
 * mean that the device does not answer.
 */
static inline bool ornic_clock_confirms(u64 first, u64 second)
{
	return second != U64_MAX && second - first <= ORNIC_CLOCK_SLACK;
}

/**
 * ornic_clock_resume - continue after a reset of the device
 * @time:	an earlier moment; updated to now
 * @cycles:	current counter value
 * @elapsed:	nanoseconds since @time by the host's clock
 *
 * Only a power cycle resets the counter. In that case the host's clock provides
 * the time that has passed.
 */
static inline void ornic_clock_resume(struct ornic_clock_time *time, u64 cycles, u64 elapsed)
{
	if (ornic_clock_ahead(time, cycles)) {
		ornic_clock_advance(time, cycles);
	} else {
		time->cycles = cycles;
		time->nsec += elapsed;
	}
}

/**
 * ornic_clock_publish - write the clock page
 * @page:	may be read by processes at any time
 * @time:	new contents
 *
 * The caller serialises calls.
 */
static inline void ornic_clock_publish(struct ornic_clock_info *page,
				       const struct ornic_clock_time *time)
{
	WRITE_ONCE(page->sign, page->sign + 1);
	/* The odd sign before the update */
	smp_wmb();
	WRITE_ONCE(page->nsec, time->nsec);
	WRITE_ONCE(page->cycles, time->cycles);
	WRITE_ONCE(page->frac, time->frac);
	WRITE_ONCE(page->mult, time->mult);
	WRITE_ONCE(page->shift, ORNIC_CLOCK_SHIFT);
	WRITE_ONCE(page->mask, U64_MAX);
	WRITE_ONCE(page->overflow_period, ORNIC_CLOCK_OVERFLOW_NS);
	/* The update before the even sign */
	smp_wmb();
	WRITE_ONCE(page->sign, page->sign + 1);
}

/**
 * struct ornic_clock - PTP hardware clock of a device
 * @lock:	protects @running, @time, @host_ns and writes to @page
 * @running:	the counter can be read
 * @time:	moment of the last update
 * @host_ns:	CLOCK_BOOTTIME at @time
 * @page:	@time for processes, NULL without a clock
 * @info:	PTP operations
 * @ptp:	NULL without a clock
 */
struct ornic_clock {
	spinlock_t lock; /* see above */
	bool running;
	struct ornic_clock_time time;
	u64 host_ns;
	struct ornic_clock_info *page;
	struct ptp_clock_info info;
	struct ptp_clock *ptp;
};

struct ornic_core;

void ornic_clock_register(struct ornic_core *core);
void ornic_clock_unregister(struct ornic_core *core);
void ornic_clock_start(struct ornic_core *core);
void ornic_clock_stop(struct ornic_core *core);

#endif /* ORNIC_CLOCK_H */
