/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The clock: arithmetic between the counter of the device and wall-clock time.
 * Not a struct timecounter, which is wrong for ever if nobody reads it for a
 * minute: a virtual machine may be stopped for longer, and the counter runs on.
 */
#ifndef ORNIC_CLOCK_H
#define ORNIC_CLOCK_H

#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/ptp_clock_kernel.h>
#include <linux/spinlock.h>
#include <rdma/ornic-abi.h>

/*
 * Steps of 4 ppb, and a product with half a minute's nanoseconds fits into 63
 * bits, which is what readers of the clock page compute with.
 */
#define ORNIC_CLOCK_SHIFT	28
#define ORNIC_CLOCK_MASK	(BIT_ULL(ORNIC_CLOCK_SHIFT) - 1)
/* The counter counts nanoseconds */
#define ORNIC_CLOCK_MULT	BIT(ORNIC_CLOCK_SHIFT)

/**
 * struct ornic_clock_time - a moment on both clocks, and how one follows the other
 * @cycles:	of the device's counter
 * @nsec:	wall-clock time then, since the epoch
 * @frac:	of a nanosecond, in units of 2 to the -ORNIC_CLOCK_SHIFT
 * @mult:	wall-clock nanoseconds of a cycle, in units of 2 to the
 *		-ORNIC_CLOCK_SHIFT
 */
struct ornic_clock_time {
	u64 cycles;
	u64 nsec;
	u64 frac;
	u32 mult;
};

/**
 * ornic_clock_advance - go to a later moment
 * @time:	on return that moment
 * @cycles:	what the counter says then; not less than @time->cycles
 */
static inline void ornic_clock_advance(struct ornic_clock_time *time, u64 cycles)
{
	u64 delta = cycles - time->cycles;
	/* The product may be of 96 bits, but its fraction is of the lowest ones */
	u64 frac = (delta * time->mult & ORNIC_CLOCK_MASK) + time->frac;

	time->nsec += mul_u64_u32_shr(delta, time->mult, ORNIC_CLOCK_SHIFT);
	time->nsec += frac >> ORNIC_CLOCK_SHIFT;
	time->frac = frac & ORNIC_CLOCK_MASK;
	time->cycles = cycles;
}

/**
 * ornic_clock_ahead - the counter did not run backwards
 * @time:	of the past
 * @cycles:	what the counter says
 *
 * Return: whether ornic_clock_advance() may be called.
 */
static inline bool ornic_clock_ahead(const struct ornic_clock_time *time, u64 cycles)
{
	return (s64)(cycles - time->cycles) >= 0;
}

/**
 * ornic_clock_resume - go on after a reset of the device
 * @time:	of the past; on return now
 * @cycles:	what the counter says now
 * @elapsed:	nanoseconds since @time, by the host's clock
 *
 * The counter is reset by power only. If that was so, the host's clock tells
 * how long it took.
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
 * @page:	read by processes at any time
 * @time:	what to write
 *
 * The caller serialises.
 */
static inline void ornic_clock_publish(struct ornic_clock_page *page,
				       const struct ornic_clock_time *time)
{
	WRITE_ONCE(page->seq, page->seq + 1);
	/* Odd before the rest is changed, and even not before it was */
	smp_wmb();
	WRITE_ONCE(page->mult, time->mult);
	WRITE_ONCE(page->shift, ORNIC_CLOCK_SHIFT);
	WRITE_ONCE(page->nsec, time->nsec);
	WRITE_ONCE(page->frac, time->frac);
	WRITE_ONCE(page->cycles, time->cycles);
	/* See above */
	smp_wmb();
	WRITE_ONCE(page->seq, page->seq + 1);
}

/**
 * struct ornic_clock - PTP hardware clock of a card
 * @lock:	protects @running, @time, @host_ns and writing of @page
 * @running:	the counter can be read
 * @time:	when somebody last looked
 * @host_ns:	of CLOCK_BOOTTIME at @time
 * @page:	@time for processes, NULL without a clock
 * @info:	operations
 * @ptp:	NULL without a clock
 */
struct ornic_clock {
	spinlock_t lock; /* see above */
	bool running;
	struct ornic_clock_time time;
	u64 host_ns;
	struct ornic_clock_page *page;
	struct ptp_clock_info info;
	struct ptp_clock *ptp;
};

struct ornic_core;

void ornic_clock_register(struct ornic_core *core);
void ornic_clock_unregister(struct ornic_core *core);
void ornic_clock_start(struct ornic_core *core);
void ornic_clock_stop(struct ornic_core *core);

#endif /* ORNIC_CLOCK_H */
