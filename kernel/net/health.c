// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Checks of a device that runs, every few seconds */
#include "core.h"
#include "eq.h"
#include "fail.h"
#include "health.h"
#include "res.h"
#include "reset.h"

#define ORNIC_HEALTH_INTERVAL	(2 * HZ)

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
