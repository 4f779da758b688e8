// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Health of the device: its reset (ORNIC specification, section 2), the stop of
 * a device that has failed, checks of one that runs, and recovery, which takes
 * everything down, resets the device and brings it up again. Checks and
 * recovery are work items.
 */
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/random.h>
#include <net/devlink.h>

#include "core.h"
#include "devlink.h"
#include "eq.h"
#include "health.h"
#include "netdev.h"
#include "ornic_trace.h"
#include "res.h"
#include "start.h"

#define ORNIC_RESET_POLL_US		1000
#define ORNIC_DMA_TEST_TIMEOUT_US	(2 * USEC_PER_SEC)
#define ORNIC_RESET_TIMEOUT_UNIT_US	(100 * USEC_PER_MSEC)
/*
 * Writes of the device arrive within this time after bus mastering was
 * disabled.
 */
#define ORNIC_RESET_QUIET_MS		1

#define ORNIC_HEALTH_INTERVAL	(2 * HZ)

#define ORNIC_RECOVERY_INTERVAL	(600 * HZ)
#define ORNIC_RECOVERY_BURST	5
#define ORNIC_RECOVERY_RETRY	(10 * HZ)

/* ---- Reset --------------------------------------------------------------- */

/**
 * ornic_reset_is_gone - check whether the device answers on the bus
 * @core:	the device
 *
 * Return: true if the PCI channel is offline or the magic number is wrong, such
 * as all ones from an empty slot.
 */
bool ornic_reset_is_gone(struct ornic_core *core)
{
	return pci_channel_offline(core->odev.pdev) ||
	       readl(core->regs + ORNIC_REG_MAGIC) != ORNIC_MAGIC;
}

static int ornic_reset_identify(struct ornic_core *core)
{
	u32 magic, version;

	magic = readl(core->regs + ORNIC_REG_MAGIC);
	if (magic != ORNIC_MAGIC) {
		dev_err(ornic_device(core), "no ORNIC device: magic %#x\n", magic);
		return -ENODEV;
	}

	version = readl(core->regs + ORNIC_REG_VERSION);
	core->version = version;
	if (FIELD_GET(ORNIC_VERSION_MAJOR, version) !=
	    FIELD_GET(ORNIC_VERSION_MAJOR, ORNIC_VERSION)) {
		dev_err(ornic_device(core), "unknown hardware interface version %u.%u\n",
			FIELD_GET(ORNIC_VERSION_MAJOR, version),
			FIELD_GET(ORNIC_VERSION_MINOR, version));
		return -ENODEV;
	}

	return 0;
}

static int ornic_reset_and_wait(struct ornic_core *core)
{
	u32 caps, status;
	u64 timeout_us;

	/* Defined before the device is ready, too ([ORNIC-REG-7]) */
	caps = readl(core->regs + ORNIC_REG_CAPS);
	/* 0 means 1 s, which is the minimum here */
	timeout_us = max(FIELD_GET(ORNIC_CAPS_RESET_TIMEOUT, caps), 10) *
		     ORNIC_RESET_TIMEOUT_UNIT_US;

	/*
	 * A device that is not ready yet ignores this write and goes on with
	 * its reset. The first read cannot return the state before the reset
	 * ([ORNIC-RST-5]).
	 */
	writel(ORNIC_CTRL_RESET, core->regs + ORNIC_REG_CTRL);
	if (read_poll_timeout(readl, status,
			      status != ~0u && (status & ORNIC_STATUS_READY) &&
			      !(status & (ORNIC_STATUS_ENABLED | ORNIC_STATUS_FATAL)),
			      ORNIC_RESET_POLL_US, timeout_us, false,
			      core->regs + ORNIC_REG_STATUS)) {
		dev_err(ornic_device(core), "device is not ready after reset: status %#x\n",
			status);
		return -ETIMEDOUT;
	}

	return 0;
}

/**
 * ornic_reset - reset the device and wait until it is ready
 * @core:	the device, ready or not
 *
 * Return: 0, -ENODEV if the device is not supported, or -ETIMEDOUT.
 */
int ornic_reset(struct ornic_core *core)
{
	int err;

	err = ornic_reset_identify(core);
	if (!err)
		err = ornic_reset_and_wait(core);

	trace_ornic_reset(ornic_device(core), err);
	return err;
}

/**
 * ornic_reset_check_dma - check that the device accesses the memory of the host
 * @core:	the device, just reset, with bus mastering enabled
 *
 * Return: 0, -ENOMEM or -EIO.
 */
int ornic_reset_check_dma(struct ornic_core *core)
{
	struct ornic_dma_test *test;
	struct ornic_dbuf buf;
	__le64 answer;
	u64 nonce;
	int err;

	err = ornic_dbuf_alloc(&core->odev, &buf, sizeof(*test));
	if (err)
		return err;

	test = buf.addr;
	nonce = get_random_u64();
	test->nonce = cpu_to_le64(nonce);

	writeq(buf.dma, core->regs + ORNIC_REG_DMA_TEST);
	err = read_poll_timeout(READ_ONCE, answer, answer == cpu_to_le64(~nonce),
				ORNIC_RESET_POLL_US, ORNIC_DMA_TEST_TIMEOUT_US, false,
				test->answer);
	if (err) {
		/* Prevent a late answer from reaching freed memory */
		ornic_reset_halt(core);
		err = -EIO;
	}

	ornic_dbuf_free(&core->odev, &buf);
	return err;
}

/**
 * ornic_reset_halt - make sure that the device does not access memory any more
 * @core:	the device
 *
 * May be called in any context. The read waits for the start of the reset, not
 * for its end.
 */
void ornic_reset_halt(struct ornic_core *core)
{
	struct pci_dev *pdev = core->odev.pdev;
	bool answered = false;

	/* For devlink; registers behind a frozen channel are out of reach */
	core->fatal_status = ~0u;
	core->fatal_cause = ~0u;
	if (!pci_channel_offline(pdev)) {
		/* The reset clears them */
		core->fatal_status = readl(core->regs + ORNIC_REG_STATUS);
		core->fatal_cause = readl(core->regs + ORNIC_REG_FATAL_CAUSE);
		writel(ORNIC_CTRL_RESET, core->regs + ORNIC_REG_CTRL);
		/*
		 * The last write of the device is ahead of the answer
		 * ([ORNIC-RST-2]).
		 */
		answered = readl(core->regs + ORNIC_REG_STATUS) != ~0u;
	}

	pci_clear_master(pdev);

	/*
	 * All ones: the device does not answer. Its last writes may still be on
	 * their way ([ORNIC-PCI-6]), and callers may not be able to sleep.
	 */
	if (!answered)
		mdelay(ORNIC_RESET_QUIET_MS);
}

/* ---- Failure ------------------------------------------------------------- */

/**
 * ornic_fail - stop a device that failed, and start its recovery
 * @core:	the device
 * @fmt:	reason for the log, without a newline
 *
 * May be called in any context and more than once. Only the first call reports
 * and starts recovery.
 */
void ornic_fail(struct ornic_core *core, const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	if (!ornic_cmdq_kill(core))
		return;

	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	trace_ornic_fail(ornic_device(core), &vaf);
	scnprintf(core->reason, sizeof(core->reason), "%pV", &vaf);
	dev_err(ornic_device(core), "%s\n", core->reason);
	va_end(args);

	/*
	 * Pairs with ornic_recovery_work(), which may run already: the reason
	 * is written.
	 */
	smp_store_release(&core->failed, true);
	queue_delayed_work(system_dfl_long_wq, &core->recovery, 0);
}

void ornic_dev_fail(struct ornic_dev *odev, const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	ornic_fail(to_ornic_core(odev), "%pV", &vaf);
	va_end(args);
}
EXPORT_SYMBOL_NS_GPL(ornic_dev_fail, "ORNIC");

/* ---- Checks -------------------------------------------------------------- */

/*
 * Polls for failures that the device cannot report: a broken event queue, an
 * entry that it has left out, or its removal from the slot.
 */
static void ornic_health_check(struct work_struct *work)
{
	struct ornic_core *core = container_of(to_delayed_work(work), struct ornic_core, health);
	u32 status = readl(core->regs + ORNIC_REG_STATUS);

	if (ornic_reset_is_gone(core)) {
		ornic_fail(core, "device does not answer");
		return;
	}
	if (status & ORNIC_STATUS_FATAL) {
		ornic_fail(core, "device reports fatal error %u",
			   readl(core->regs + ORNIC_REG_FATAL_CAUSE));
		return;
	}
	if (!(status & ORNIC_STATUS_ENABLED)) {
		ornic_fail(core, "device was disabled, but not by the driver: status %#x", status);
		return;
	}

	ornic_eqs_check_rings(core);
	ornic_res_check_rings(core);
	queue_delayed_work(system_dfl_long_wq, &core->health, ORNIC_HEALTH_INTERVAL);
}

/**
 * ornic_health_init - initialise health checks, once per probe
 * @core:	the device
 */
void ornic_health_init(struct ornic_core *core)
{
	INIT_DELAYED_WORK(&core->health, ornic_health_check);
}

/**
 * ornic_health_start - start health checks
 * @core:	the device
 */
void ornic_health_start(struct ornic_core *core)
{
	queue_delayed_work(system_dfl_long_wq, &core->health, ORNIC_HEALTH_INTERVAL);
}

/**
 * ornic_health_stop - stop health checks
 * @core:	the device
 */
void ornic_health_stop(struct ornic_core *core)
{
	cancel_delayed_work_sync(&core->health);
}

/* ---- Recovery ------------------------------------------------------------ */

/**
 * ornic_recovery_restart - bring up a device after a failure or a reset
 * @core:	the device, stopped; devl_lock is held
 *
 * If memory is short, the recovery work tries again until the device runs.
 *
 * Return: 0 or a negative error number.
 */
int ornic_recovery_restart(struct ornic_core *core)
{
	bool starved = core->starved;
	int err;

	err = ornic_start(core);
	core->starved = err == -ENOMEM;
	if (core->starved)
		queue_delayed_work(system_dfl_long_wq, &core->recovery, ORNIC_RECOVERY_RETRY);

	/* One message for all attempts without memory */
	if (err && !(core->starved && starved))
		dev_err(ornic_device(core), "device does not come back from reset: error %d%s\n",
			err, core->starved ? ", trying again" : "");
	ornic_devlink_restarted(core, !err);
	return err;
}

static int ornic_recovery_reset(struct ornic_core *core)
{
	int err;

	ornic_stop(core);

	if (ornic_reset_is_gone(core)) {
		dev_err(ornic_device(core), "device is gone\n");
		return -ENODEV;
	}

	if (!__ratelimit(&core->recovery_limit)) {
		dev_err(ornic_device(core), "device fails too often, giving up\n");
		return -EBUSY;
	}

	err = ornic_recovery_restart(core);
	if (!err)
		dev_info(ornic_device(core), "device recovered\n");
	return err;
}

/**
 * ornic_recovery_run - take down a device that has failed, reset it, start it
 * @core:	the device; devl_lock is held
 * @asked:	by an administrator, for whom there is no limit
 *
 * Return: 0, also if the device works, or a negative error number.
 */
int ornic_recovery_run(struct ornic_core *core, bool asked)
{
	if (core->paused) {
		dev_dbg(ornic_device(core), "no recovery before a reset or a bus error is over\n");
		return -EBUSY;
	}

	if (core->started && ornic_cmdq_running(&core->cmdq))
		return 0;

	if (asked)
		ornic_recovery_allow(core);
	return ornic_recovery_reset(core);
}

/*
 * Takes down a device that devlink does not recover: it must not stay half
 * alive.
 */
static void ornic_recovery_forgo(struct ornic_core *core)
{
	devl_lock(priv_to_devlink(core));
	if (core->started && !ornic_cmdq_running(&core->cmdq)) {
		ornic_stop(core);
		dev_err(ornic_device(core), "device stays down until devlink recovers it\n");
	}
	devl_unlock(priv_to_devlink(core));
}

static void ornic_recovery_work(struct work_struct *work)
{
	struct ornic_core *core = container_of(to_delayed_work(work), struct ornic_core, recovery);
	bool up, running, tried = false;

	/* Waits for the end of probe, too */
	devl_lock(priv_to_devlink(core));
	/* Lack of memory is not a failure of the device: no limit applies */
	if (core->starved && !ornic_recovery_restart(core))
		dev_info(ornic_device(core), "device recovered\n");
	up = core->started;
	running = ornic_cmdq_running(&core->cmdq);
	devl_unlock(priv_to_devlink(core));

	/* Otherwise already taken down */
	if (!up)
		return;

	if (running) {
		ornic_queue_report(netdev_priv(core->odev.netdev));
		return;
	}

	/*
	 * A bus error has stopped the device, or ornic_fail() is about to queue
	 * this again.
	 */
	if (!smp_load_acquire(&core->failed))
		return;

	/*
	 * A device that was recovered and fails again has this work queued
	 * again.
	 */
	devlink_health_report(core->fw_reporter, core->reason, &tried);
	if (!tried)
		ornic_recovery_forgo(core);
}

/**
 * ornic_recovery_init - initialise recovery, once per probe
 * @core:	the device
 */
void ornic_recovery_init(struct ornic_core *core)
{
	INIT_DELAYED_WORK(&core->recovery, ornic_recovery_work);
	ornic_recovery_allow(core);
}

/**
 * ornic_recovery_allow - forget the failures so far
 * @core:	the device; the recovery work does not run, or devl_lock is held
 *
 * devlink's grace period forbids a recovery soon after another one, which an
 * administrator may want; by default a burst is allowed, because failures that
 * have one cause come together.
 */
void ornic_recovery_allow(struct ornic_core *core)
{
	ratelimit_state_init(&core->recovery_limit, ORNIC_RECOVERY_INTERVAL,
			     ORNIC_RECOVERY_BURST);
	/* ornic_recovery_reset() reports the limit itself */
	ratelimit_set_flags(&core->recovery_limit, RATELIMIT_MSG_ON_RELEASE);
}
