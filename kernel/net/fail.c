// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A device that fails is stopped where the failure is found */
#include <linux/module.h>

#include "core.h"
#include "fail.h"
#include "ornic_trace.h"

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
	dev_err(ornic_device(core), "%pV\n", &vaf);
	va_end(args);

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
