/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Auxiliary device that the verbs driver binds to */
#ifndef ORNIC_CORE_ADEV_H
#define ORNIC_CORE_ADEV_H

struct ornic_core;

int ornic_adev_add(struct ornic_core *core);
void ornic_adev_remove(struct ornic_core *core);

#endif /* ORNIC_CORE_ADEV_H */
