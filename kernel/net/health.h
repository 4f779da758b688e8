/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Health of the device: reset, failure, checks and recovery */
#ifndef ORNIC_HEALTH_H
#define ORNIC_HEALTH_H

#include <linux/compiler_attributes.h>
#include <linux/types.h>

struct ornic_core;

bool ornic_reset_is_gone(struct ornic_core *core);
int ornic_reset(struct ornic_core *core);
int ornic_reset_check_dma(struct ornic_core *core);
void ornic_reset_halt(struct ornic_core *core);

__printf(2, 3) void ornic_fail(struct ornic_core *core, const char *fmt, ...);

void ornic_health_init(struct ornic_core *core);
void ornic_health_start(struct ornic_core *core);
void ornic_health_stop(struct ornic_core *core);

void ornic_recovery_init(struct ornic_core *core);
void ornic_recovery_allow(struct ornic_core *core);
int ornic_recovery_restart(struct ornic_core *core);
int ornic_recovery_run(struct ornic_core *core, bool asked);

#endif /* ORNIC_HEALTH_H */
