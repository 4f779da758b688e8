/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Recovery of a device that has failed */
#ifndef ORNIC_RECOVERY_H
#define ORNIC_RECOVERY_H

struct ornic_core;

void ornic_recovery_init(struct ornic_core *core);
void ornic_recovery_allow(struct ornic_core *core);
void ornic_recovery_restart(struct ornic_core *core);

#endif /* ORNIC_RECOVERY_H */
