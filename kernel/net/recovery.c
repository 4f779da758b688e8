// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Recovery of a device that has failed: a work item takes everything down,
 * resets the device and brings it up again.
 */
#include "core.h"
#include "recovery.h"
#include "reset.h"
#include "start.h"

#define ORNIC_RECOVERY_INTERVAL	(600 * HZ)
#define ORNIC_RECOVERY_BURST	5
#define ORNIC_RECOVERY_RETRY	(10 * HZ)

/**
 * ornic_recovery_restart - bring up a device after a failure or a reset
 * @core:	the device, stopped; state_lock is held
 *
 * If memory is short, the recovery work tries again until the device runs.
 */
void ornic_recovery_restart(struct ornic_core *core)
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
}

static void ornic_recovery_work(struct work_struct *work)
{
	struct ornic_core *core = container_of(to_delayed_work(work), struct ornic_core, recovery);

	mutex_lock(&core->state_lock);
	/* Lack of memory is not a failure of the device: no limit applies */
	if (core->starved) {
		ornic_recovery_restart(core);
		goto out_unlock;
	}

	/* Already taken down, or brought up again */
	if (!core->up || ornic_cmdq_running(&core->cmdq))
		goto out_unlock;

	ornic_stop(core);

	if (ornic_reset_is_gone(core)) {
		dev_err(ornic_device(core), "device is gone\n");
		goto out_unlock;
	}

	if (!__ratelimit(&core->recovery_limit)) {
		dev_err(ornic_device(core), "device fails too often, giving up\n");
		goto out_unlock;
	}

	ornic_recovery_restart(core);

out_unlock:
	mutex_unlock(&core->state_lock);
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
 * @core:	the device; the recovery work does not run
 */
void ornic_recovery_allow(struct ornic_core *core)
{
	ratelimit_state_init(&core->recovery_limit, ORNIC_RECOVERY_INTERVAL,
			     ORNIC_RECOVERY_BURST);
	/* ornic_recovery_work() reports the limit itself */
	ratelimit_set_flags(&core->recovery_limit, RATELIMIT_MSG_ON_RELEASE);
}
