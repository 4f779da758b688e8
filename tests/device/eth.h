/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Engine of RAW_PACKET QPs: whole Ethernet frames, for the netdev and for
 * packet verbs.
 */
#ifndef ORNIC_DEVICE_ETH_H
#define ORNIC_DEVICE_ETH_H

#include <stdbool.h>

#include "flow.h"
#include "frame.h"

struct nic;
struct qp;

/**
 * eth_tx - send what is in the send queue of a RAW_PACKET QP
 * @qp: in RTS
 * @budget: WQEs at most
 *
 * Called by qp_run().
 *
 * Return: whether there is more to do.
 */
bool eth_tx(struct qp *qp, unsigned int budget);

/**
 * eth_rx - take a frame from the wire that is not RoCE for us
 * @nic: the card
 * @frame: passed the filter
 * @flow: its headers
 */
void eth_rx(struct nic *nic, const struct frame *frame,
	    const struct flow *flow);

#endif /* ORNIC_DEVICE_ETH_H */
