/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RAW_PACKET QPs: sending whole Ethernet frames */
#ifndef ORNIC_DEVICE_ETH_TX_H
#define ORNIC_DEVICE_ETH_TX_H

#include <stdbool.h>

struct qp;

/**
 * eth_tx - send from the send queue of a RAW_PACKET QP
 * @qp: QP in RTS or SQD
 * @budget: largest number of frames
 *
 * qp_run() calls it.
 *
 * Return: true when there is more to do.
 */
bool eth_tx(struct qp *qp, unsigned int budget);

#endif /* ORNIC_DEVICE_ETH_TX_H */
