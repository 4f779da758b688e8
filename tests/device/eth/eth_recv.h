/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Frames written to the WQEs of a QP or a WQ */
#ifndef ORNIC_DEVICE_ETH_RECV_H
#define ORNIC_DEVICE_ETH_RECV_H

#include <stdbool.h>

#include <ornic_hw.h>

#include "env/frame.h"
#include "eth/headers.h"

struct card;
struct receiver;

/**
 * enum eth_result - what became of a frame
 * @ETH_NO_WQE: there is no WQE, and nothing was done
 * @ETH_DROPPED: the WQE cannot take the frame, which was counted
 * @ETH_RECEIVED: it is in the memory of the WQE, which is complete
 */
enum eth_result {
	ETH_NO_WQE,
	ETH_DROPPED,
	ETH_RECEIVED,
};

/**
 * eth_valid - check whether a queue of frames can take a frame
 * @card: the card
 * @frame: from the wire
 *
 * Return: false when the frame is longer than the MTU allows, or is
 * FRAME_LOCAL.
 */
bool eth_valid(const struct card *card, const struct frame *frame);

/**
 * eth_receive - write a frame to the next WQE of a queue
 * @receiver: RAW_PACKET QP with a receive queue, or WQ, in a state to receive
 * @frame: passed eth_valid()
 * @headers: its headers
 * @ext: completion data of the frame; the data of the queue is added
 *
 * Drops and counts a frame that the WQE cannot take. The state may
 * change.
 *
 * Return: enum eth_result.
 */
enum eth_result eth_receive(struct receiver *receiver, const struct frame *frame,
		 const struct headers *headers, struct ornic_cqe_ext *ext);

#endif /* ORNIC_DEVICE_ETH_RECV_H */
