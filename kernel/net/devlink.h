/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The devlink instance of the device */
#ifndef ORNIC_DEVLINK_H
#define ORNIC_DEVLINK_H

#include <linux/types.h>

struct ornic_core;
struct pci_dev;

struct ornic_core *ornic_devlink_alloc(struct pci_dev *pdev);
int ornic_devlink_init(struct ornic_core *core);
void ornic_devlink_uninit(struct ornic_core *core);
void ornic_devlink_restarted(struct ornic_core *core, bool works);

#endif /* ORNIC_DEVLINK_H */
