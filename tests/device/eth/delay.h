/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Frames that wait for a receive WQE of a WQ for a bounded time
 * (ORNIC_WQ_DELAY_DROP). They are copies, so other queues do not wait. WQEs are
 * posted without a doorbell: while frames wait, a timer of the WQ looks for
 * WQEs.
 */
#ifndef ORNIC_DEVICE_DELAY_H
#define ORNIC_DEVICE_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "env/frame.h"
#include "env/list.h"

struct receiver;

/* Limits for the waiting frames of one WQ and of a card */
#define DELAY_FRAMES 64
#define DELAY_CARD_FRAMES 4096

/**
 * struct delay - waiting frames of a WQ
 * @wq: the WQ
 * @delay_ns: longest wait of a frame
 * @poll_ns: time until the next look for WQEs
 * @frames: struct delay_frame list, oldest first
 * @count: length of @frames
 * @told: ORNIC_EVENT_WQ_DELAY_DROP was sent, and the WQ has not received since
 */
struct delay {
	struct receiver *wq;
	uint64_t delay_ns;
	uint64_t poll_ns;
	struct list_head frames;
	unsigned int count;
	bool told;
};

/**
 * delay_create - allocate the delay state of a WQ
 * @wq: the WQ
 * @us: longest wait of a frame, us
 *
 * Return: @delay of the WQ, or NULL when out of memory.
 */
struct delay *delay_create(struct receiver *wq, uint32_t us);

/**
 * delay_destroy - undo delay_create()
 * @delay: delay state of a WQ, or NULL
 */
void delay_destroy(struct delay *delay);

/**
 * delay_add - delay a frame that found no WQE
 * @delay: delay state of a WQ
 * @frame: copied; dropped and counted when too many frames wait
 * @ext: completion data of the frame
 */
void delay_add(struct delay *delay, const struct frame *frame,
	       const struct ornic_cqe_ext *ext);

/**
 * delay_run - deliver waiting frames and drop expired ones
 * @delay: delay state of a WQ in RDY, whose state may change
 *
 * Return: true when any frame still waits.
 */
bool delay_run(struct delay *delay);

/**
 * delay_timer - look for WQEs when the timer fires
 * @delay: delay state of a WQ in RDY, whose state may change
 */
void delay_timer(struct delay *delay);

/**
 * delay_clear - drop the waiting frames of a WQ and count them
 * @delay: delay state of a WQ, or NULL
 */
void delay_clear(struct delay *delay);

#endif /* ORNIC_DEVICE_DELAY_H */
