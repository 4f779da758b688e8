/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Frames that wait for a receive WQE of a WQ (ORNIC_WQ_DELAY_DROP), for a bounded
 * time. They are copies, so nobody but the WQ waits. WQEs are posted without a
 * doorbell: while frames wait, the WQ looks for them by its timer.
 */
#ifndef ORNIC_DEVICE_DELAY_H
#define ORNIC_DEVICE_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "frame.h"
#include "list.h"

struct qp;

/* Frames that wait at one WQ, and at all of a card */
#define DELAY_FRAMES 64
#define DELAY_CARD_FRAMES 4096

/**
 * struct delay - the frames of a WQ
 * @delay_ns: how long each may wait
 * @poll_ns: time until the next look
 * @frames: struct delay_frame list, in order
 * @count: length of @frames
 * @told: ORNIC_EVENT_WQ_DELAY_DROP was sent since the WQ last received
 */
struct delay {
	uint64_t delay_ns;
	uint64_t poll_ns;
	struct list_head frames;
	unsigned int count;
	bool told;
};

/**
 * delay_create - let frames of a WQ wait
 * @us: how long
 *
 * Return: @delay of the WQ, or NULL when there is no memory.
 */
struct delay *delay_create(uint32_t us);

/**
 * delay_destroy - end of delay_create()
 * @wq: the WQ, or a QP, with @delay or without
 */
void delay_destroy(struct qp *wq);

/**
 * delay_add - a frame found no WQE
 * @wq: with @delay
 * @frame: copied; dropped, counted, when too many wait
 * @ext: what is known of the frame
 */
void delay_add(struct qp *wq, const struct frame *frame,
	       const struct ornic_cqe_ext *ext);

/**
 * delay_run - give those that wait to the WQ, and drop those whose time is up
 * @wq: with @delay, in RDY; its state may change
 *
 * Return: whether any still waits.
 */
bool delay_run(struct qp *wq);

/**
 * delay_timer - it is time to look for WQEs
 * @wq: in RDY; its state may change
 */
void delay_timer(struct qp *wq);

/**
 * delay_clear - drop those that wait, counted: the WQ does not receive any more
 * @wq: the WQ, or a QP, with @delay or without
 */
void delay_clear(struct qp *wq);

#endif /* ORNIC_DEVICE_DELAY_H */
