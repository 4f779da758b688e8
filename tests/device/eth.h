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
/* What a frame has beside its payload */
#define ETH_OVERHEAD (FLOW_ETH_LEN + FLOW_VLAN_LEN)
/* The 32 bits behind each frame on a wire */
#define ETH_FCS_LEN 4
/* Bytes of a line, for ORNIC_WQ_PAD_END */
#define ETH_LINE 64

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
 * eth_valid - can a queue of frames take this at all
 * @nic: the card
 * @frame: from the wire
 *
 * Return: false for what is longer than the MTU allows, and for what exists
 * inside this process only (FRAME_LOCAL).
 */
bool eth_valid(const struct nic *nic, const struct frame *frame);

/**
 * eth_deliver - give a frame to a certain QP
 * @qp: RAW_PACKET
 * @frame: passed eth_valid()
 * @flow: its headers
 * @tag: flow_tag of the completion
 *
 * A frame that the QP cannot take is dropped, counted. The state of the QP may
 * change.
 */
void eth_deliver(struct qp *qp, const struct frame *frame,
		 const struct flow *flow, uint32_t tag);

/**
 * eth_receive - put a frame into the next WQE of a queue
 * @qp: RAW_PACKET QP with a receive queue, or WQ, that may receive
 * @frame: passed eth_valid()
 * @flow: its headers
 * @ext: what is known of the frame; what the queue finds out is added
 *
 * A frame that the WQE cannot take is dropped, counted. The state of the QP may
 * change.
 *
 * Return: false when there is no WQE, and nothing was done.
 */
bool eth_receive(struct qp *qp, const struct frame *frame,
		 const struct flow *flow, struct ornic_cqe_ext *ext);

/**
 * eth_rx - spread a frame over the queues of the port
 * @nic: the card
 * @frame: passed the filter and eth_valid()
 * @flow: its headers
 */
void eth_rx(struct nic *nic, const struct frame *frame,
	    const struct flow *flow);

#endif /* ORNIC_DEVICE_ETH_H */
