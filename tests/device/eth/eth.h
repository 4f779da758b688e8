/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Sizes of Ethernet frames */
#ifndef ORNIC_DEVICE_ETH_H
#define ORNIC_DEVICE_ETH_H

#include "env/port.h"
#include "eth/headers.h"

#define ETH_MACS_LEN (2 * MAC_LEN)
/* Bytes of a frame besides the payload */
#define ETH_OVERHEAD (HEADERS_ETH_LEN + HEADERS_VLAN_LEN)
/* Bytes of the frame check sequence */
#define ETH_FCS_LEN 4
/* Bytes of the line that ORNIC_WQ_PAD_END fills up */
#define ETH_LINE 64

#endif /* ORNIC_DEVICE_ETH_H */
