/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Checks of a device that runs */
#ifndef ORNIC_HEALTH_H
#define ORNIC_HEALTH_H

struct ornic_core;

void ornic_health_init(struct ornic_core *core);
void ornic_health_start(struct ornic_core *core);
void ornic_health_stop(struct ornic_core *core);

#endif /* ORNIC_HEALTH_H */
