/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Bringing a device up and taking it down */
#ifndef ORNIC_START_H
#define ORNIC_START_H

struct ornic_core;

int ornic_start_device(struct ornic_core *core);
void ornic_stop_device(struct ornic_core *core);
int ornic_start(struct ornic_core *core);
void ornic_stop(struct ornic_core *core);

#endif /* ORNIC_START_H */
