// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * PTP hardware clock on top of the device counter that time stamps are taken
 * from, and the page from which processes convert time stamps (ORNIC
 * specification, section 2). The counter cannot be set: all corrections are
 * made in software.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/timekeeping.h>

#include "core.h"
#include "ornic_trace.h"

/* Well below the half minute for which readers of the page can extrapolate */
#define ORNIC_CLOCK_PERIOD	(4 * HZ)
#define ORNIC_CLOCK_MAX_PPB	100000000
#define ORNIC_CLOCK_TRIES	8

static struct ornic_core *ornic_clock_core(struct ptp_clock_info *info)
{
	return container_of(info, struct ornic_core, clock.info);
}

/*
 * The clock cannot go back, so a value that is far ahead needs a second read:
 * otherwise one that is nonsense would set it wrong until the next reset.
 */
static bool ornic_clock_verify(struct ornic_core *core, u64 cycles)
{
	struct ornic_clock *clock = &core->clock;
	u64 elapsed = ktime_get_boottime_ns() - clock->host_ns;

	return ornic_clock_plausible(&clock->time, cycles, elapsed) ||
	       ornic_clock_confirms(cycles, readq(core->regs + ORNIC_REG_CLOCK));
}

/* For a time before the clock runs, when no earlier value is known */
static u64 ornic_clock_settle(struct ornic_core *core)
{
	u64 cycles = readq(core->regs + ORNIC_REG_CLOCK), last;
	u32 tries = ORNIC_CLOCK_TRIES;

	do {
		last = cycles;
		cycles = readq(core->regs + ORNIC_REG_CLOCK);
	} while (!ornic_clock_confirms(last, cycles) && --tries);
	return cycles;
}

static int ornic_clock_read(struct ornic_core *core, struct ptp_system_timestamp *sts, u64 *cycles)
{
	struct ornic_clock *clock = &core->clock;
	u64 start = trace_ornic_clock_enabled() ? ktime_get_ns() : 0;
	u32 status;

	lockdep_assert_held(&clock->lock);

	if (!clock->running)
		return -EIO;

	ptp_read_system_prets(sts);
	*cycles = readq(core->regs + ORNIC_REG_CLOCK);
	ptp_read_system_postts(sts);
	if (start)
		trace_ornic_clock(ornic_device(core), *cycles, ktime_get_ns() - start);
	/* Check after the read: during a reset the value is undefined */
	status = readl(core->regs + ORNIC_REG_STATUS);
	if (status == ~0u || !(status & ORNIC_STATUS_ENABLED) ||
	    !ornic_clock_ahead(&clock->time, *cycles) || !ornic_clock_verify(core, *cycles))
		return -EIO;

	return 0;
}

/* Advances the clock to now, at its current rate */
static int ornic_clock_catch_up(struct ornic_core *core)
{
	u64 cycles;
	int err;

	err = ornic_clock_read(core, NULL, &cycles);
	if (!err)
		ornic_clock_advance(&core->clock.time, cycles);
	return err;
}

static void ornic_clock_update(struct ornic_clock *clock)
{
	lockdep_assert_held(&clock->lock);

	clock->host_ns = ktime_get_boottime_ns();
	ornic_clock_publish(clock->page, &clock->time);
}

/* Computes the current time without an update of clock->time */
static int ornic_clock_now(struct ptp_clock_info *info, struct ptp_system_timestamp *sts,
			   struct ornic_clock_time *now)
{
	struct ornic_core *core = ornic_clock_core(info);
	struct ornic_clock *clock = &core->clock;
	u64 cycles;
	int err;

	spin_lock(&clock->lock);
	err = ornic_clock_read(core, sts, &cycles);
	*now = clock->time;
	spin_unlock(&clock->lock);
	if (err)
		return err;

	ornic_clock_advance(now, cycles);
	return 0;
}

/* ---- PTP ----------------------------------------------------------------- */

static int ornic_clock_gettimex64(struct ptp_clock_info *info, struct timespec64 *ts,
				  struct ptp_system_timestamp *sts)
{
	struct ornic_clock_time now;
	int err;

	err = ornic_clock_now(info, sts, &now);
	if (!err)
		*ts = ns_to_timespec64(now.nsec);
	return err;
}

/* Raw counter, from which completions are time-stamped */
static int ornic_clock_getcyclesx64(struct ptp_clock_info *info, struct timespec64 *ts,
				    struct ptp_system_timestamp *sts)
{
	struct ornic_clock_time now;
	int err;

	err = ornic_clock_now(info, sts, &now);
	if (!err)
		*ts = ns_to_timespec64(now.cycles);
	return err;
}

static int ornic_clock_settime64(struct ptp_clock_info *info, const struct timespec64 *ts)
{
	struct ornic_core *core = ornic_clock_core(info);
	struct ornic_clock *clock = &core->clock;
	int err;

	spin_lock(&clock->lock);
	err = ornic_clock_catch_up(core);
	if (!err) {
		clock->time.nsec = timespec64_to_ns(ts);
		clock->time.frac = 0;
		ornic_clock_update(clock);
	}
	spin_unlock(&clock->lock);
	return err;
}

static int ornic_clock_adjtime(struct ptp_clock_info *info, s64 delta)
{
	struct ornic_clock *clock = &ornic_clock_core(info)->clock;

	spin_lock(&clock->lock);
	clock->time.nsec += delta;
	ornic_clock_publish(clock->page, &clock->time);
	spin_unlock(&clock->lock);
	return 0;
}

static int ornic_clock_adjfine(struct ptp_clock_info *info, long scaled_ppm)
{
	struct ornic_core *core = ornic_clock_core(info);
	struct ornic_clock *clock = &core->clock;
	int err;

	spin_lock(&clock->lock);
	err = ornic_clock_catch_up(core);
	if (!err) {
		clock->time.mult = adjust_by_scaled_ppm(ORNIC_CLOCK_MULT, scaled_ppm);
		ornic_clock_update(clock);
	}
	spin_unlock(&clock->lock);
	return err;
}

static long ornic_clock_do_aux_work(struct ptp_clock_info *info)
{
	struct ornic_core *core = ornic_clock_core(info);
	struct ornic_clock *clock = &core->clock;

	spin_lock(&clock->lock);
	if (!ornic_clock_catch_up(core))
		ornic_clock_update(clock);
	spin_unlock(&clock->lock);
	return ORNIC_CLOCK_PERIOD;
}

static const struct ptp_clock_info ornic_ptp_info = {
	.owner		= THIS_MODULE,
	.name		= "ornic",
	.max_adj	= ORNIC_CLOCK_MAX_PPB,
	.adjfine	= ornic_clock_adjfine,
	.adjtime	= ornic_clock_adjtime,
	.gettimex64	= ornic_clock_gettimex64,
	.settime64	= ornic_clock_settime64,
	.getcyclesx64	= ornic_clock_getcyclesx64,
	.do_aux_work	= ornic_clock_do_aux_work,
};

/* ---- Bringing up and down ------------------------------------------------ */

/**
 * ornic_clock_register - create the clock, once per probe
 * @core:	the device, running
 *
 * The device works without a clock: then core->clock.ptp is NULL, as it is in a
 * kernel without PTP.
 */
void ornic_clock_register(struct ornic_core *core)
{
	struct ornic_clock *clock = &core->clock;
	struct ptp_clock *ptp;
	int err;

	spin_lock_init(&clock->lock);
	clock->page = (void *)get_zeroed_page(GFP_KERNEL);
	if (!clock->page) {
		err = -ENOMEM;
		goto err_log;
	}

	clock->time = (struct ornic_clock_time) {
		.cycles = ornic_clock_settle(core),
		.nsec = ktime_get_real_ns(),
		.mult = ORNIC_CLOCK_MULT,
	};
	clock->host_ns = ktime_get_boottime_ns();
	ornic_clock_publish(clock->page, &clock->time);
	clock->running = true;

	clock->info = ornic_ptp_info;
	ptp = ptp_clock_register(&clock->info, ornic_device(core));
	if (IS_ERR_OR_NULL(ptp)) {
		err = PTR_ERR_OR_ZERO(ptp);
		goto err_free_page;
	}

	clock->ptp = ptp;
	core->odev.clock_page = virt_to_page(clock->page);
	ptp_schedule_worker(ptp, ORNIC_CLOCK_PERIOD);
	return;

err_free_page:
	free_page((unsigned long)clock->page);
	clock->page = NULL;
err_log:
	if (err)
		dev_err(ornic_device(core), "no PTP clock: error %d\n", err);
}

/**
 * ornic_clock_unregister - undo ornic_clock_register()
 * @core:	the device; it may have no clock. Processes that still map the
 *		page hold references to it.
 */
void ornic_clock_unregister(struct ornic_core *core)
{
	struct ornic_clock *clock = &core->clock;

	if (!clock->ptp)
		return;

	ptp_clock_unregister(clock->ptp);
	core->odev.clock_page = NULL;
	free_page((unsigned long)clock->page);
}

/**
 * ornic_clock_start - restart the clock after a reset
 * @core:	the device, running again; it may have no clock
 */
void ornic_clock_start(struct ornic_core *core)
{
	struct ornic_clock *clock = &core->clock;
	u64 elapsed;

	if (!clock->ptp)
		return;

	spin_lock(&clock->lock);
	elapsed = ktime_get_boottime_ns() - clock->host_ns;
	ornic_clock_resume(&clock->time, ornic_clock_settle(core), elapsed);
	ornic_clock_update(clock);
	clock->running = true;
	spin_unlock(&clock->lock);

	ptp_schedule_worker(clock->ptp, ORNIC_CLOCK_PERIOD);
}

/**
 * ornic_clock_stop - stop reading the counter
 * @core:	the device, about to be reset or removed; it may have no clock
 */
void ornic_clock_stop(struct ornic_core *core)
{
	struct ornic_clock *clock = &core->clock;

	if (!clock->ptp)
		return;

	ptp_cancel_worker_sync(clock->ptp);
	spin_lock(&clock->lock);
	clock->running = false;
	spin_unlock(&clock->lock);
}

u64 ornic_clock_cycles(struct ornic_dev *odev)
{
	return readq(to_ornic_core(odev)->regs + ORNIC_REG_CLOCK);
}
EXPORT_SYMBOL_NS_GPL(ornic_clock_cycles, "ORNIC");
