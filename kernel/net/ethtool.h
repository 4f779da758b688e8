/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Operations of ethtool */
#ifndef ORNIC_ETHTOOL_H
#define ORNIC_ETHTOOL_H

#include <linux/ethtool.h>

extern const struct ethtool_ops ornic_ethtool_ops;

#endif /* ORNIC_ETHTOOL_H */
