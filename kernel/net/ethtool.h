/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Operations of ethtool */
#ifndef ORNIC_ETHTOOL_H
#define ORNIC_ETHTOOL_H

#include <linux/ethtool.h>

#include "ornic_hw_cmd.h"

/* Counters of the device in ethtool -S: of the port, and with its own scope */
#define ORNIC_ETHTOOL_PORT_STATS	9
#define ORNIC_ETHTOOL_DEVICE_STATS	(ORNIC_ETHTOOL_PORT_STATS + ORNIC_DEVICE_STAT_COUNT)

extern const struct ethtool_ops ornic_ethtool_ops;

#endif /* ORNIC_ETHTOOL_H */
