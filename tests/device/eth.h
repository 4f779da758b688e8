/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Engine of RAW_PACKET QPs: whole Ethernet frames, for the netdev and for
 * packet verbs.
 */
#ifndef ORNIC_DEVICE_ETH_H
#define ORNIC_DEVICE_ETH_H

#include <stdbool.h>

#include <ornic_hw.h>

#include "flow.h"
#include "frame.h"
#include "port.h"

struct nic;
struct qp;

#define ETH_MACS_LEN (2 * MAC_LEN)
/* Bytes of a frame besides the payload */
#define ETH_OVERHEAD (FLOW_ETH_LEN + FLOW_VLAN_LEN)
/* Bytes of the frame check sequence */
#define ETH_FCS_LEN 4
/* Bytes of the line that ORNIC_WQ_PAD_END fills up */
#define ETH_LINE 64

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

/**
 * eth_valid - check whether a queue of frames can take a frame
 * @nic: the card
 * @frame: from the wire
 *
 * Return: false when the frame is longer than the MTU allows, or is
 * FRAME_LOCAL.
 */
bool eth_valid(const struct nic *nic, const struct frame *frame);

/**
 * eth_deliver - deliver a frame to a QP
 * @qp: RAW_PACKET QP
 * @frame: passed eth_valid()
 * @flow: its headers
 * @tag: flow_tag for the completion
 *
 * Drops and counts a frame that the QP cannot take. The state of the QP may
 * change.
 */
void eth_deliver(struct qp *qp, const struct frame *frame,
		 const struct flow *flow, uint32_t tag);

/**
 * eth_receive - write a frame to the next WQE of a queue
 * @qp: RAW_PACKET QP with a receive queue, or WQ, in a state to receive
 * @frame: passed eth_valid()
 * @flow: its headers
 * @ext: completion data of the frame; the data of the queue is added
 *
 * Drops and counts a frame that the WQE cannot take. The state of the QP may
 * change.
 *
 * Return: false when there is no WQE, and nothing was done.
 */
bool eth_receive(struct qp *qp, const struct frame *frame,
		 const struct flow *flow, struct ornic_cqe_ext *ext);

/**
 * eth_rx - deliver a frame to a receive queue of the port, by its hash
 * @nic: the card
 * @frame: passed the filter and eth_valid()
 * @flow: its headers
 */
void eth_rx(struct nic *nic, const struct frame *frame,
	    const struct flow *flow);

#endif /* ORNIC_DEVICE_ETH_H */
