/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Timers: a hierarchical wheel. Arming and cancelling are O(1) and allocate
 * nothing, so each QP may have its own and move it with every packet.
 *
 * The wheel has no clock: whoever drives it says what time it is. The event
 * loop passes CLOCK_MONOTONIC, a test passes what it likes.
 */
#ifndef ORNIC_DEVICE_TIMER_H
#define ORNIC_DEVICE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "list.h"

/* One tick is 4.096 us, the unit of IBTA's timeouts. */
#define TIMER_TICK_SHIFT 12
#define TIMER_LEVEL_SHIFT 6
#define TIMER_SLOTS (1 << TIMER_LEVEL_SHIFT)
/* 64^9 ticks are more than 2^64 ns, so no time is too far away. */
#define TIMER_LEVELS 9
/* timers_next() when nothing is armed */
#define TIMER_NEVER UINT64_MAX

/**
 * struct timer - embedded in what it belongs to
 * @fn: called once when the time has come, never early; the timer is no
 *	longer armed then and may be armed again from within
 * @node: owned by timer.c
 * @expires: in ticks, owned by timer.c
 * @level: owned by timer.c
 * @slot: owned by timer.c
 */
struct timer {
	void (*fn)(struct timer *timer);
	struct list_head node;
	uint64_t expires;
	uint8_t level;
	uint8_t slot;
};

/**
 * struct timers - the wheel
 * @now: ticks up to which everything has been run
 * @earliest: soonest tick that may be armed: @now, but while timers run the one
 *	after this run, so that a timer that rearms itself cannot go on for ever
 * @busy: per level, one bit for each slot that holds a timer
 * @slot: lists of timers
 * @due: timers of the tick being run
 */
struct timers {
	uint64_t now;
	uint64_t earliest;
	uint64_t busy[TIMER_LEVELS];
	struct list_head slot[TIMER_LEVELS][TIMER_SLOTS];
	struct list_head due;
};

/**
 * timers_init - make an empty wheel
 * @timers: the wheel
 * @now_ns: what time it is
 */
void timers_init(struct timers *timers, uint64_t now_ns);

/**
 * timer_init - make a timer that is not armed
 * @timer: the timer
 * @fn: what to call
 */
void timer_init(struct timer *timer, void (*fn)(struct timer *timer));

/**
 * timer_arm - call at a time, forgetting any earlier arming
 * @timers: the wheel
 * @timer: the timer
 * @expires_ns: when; a time in the past means the next timers_run()
 */
void timer_arm(struct timers *timers, struct timer *timer, uint64_t expires_ns);

/**
 * timer_cancel - do not call after all
 * @timers: the wheel
 * @timer: armed or not
 */
void timer_cancel(struct timers *timers, struct timer *timer);

/**
 * timer_armed - is a call outstanding
 * @timer: the timer
 *
 * Return: true from timer_arm() until the call or timer_cancel().
 */
static inline bool timer_armed(const struct timer *timer)
{
	return !list_empty(&timer->node);
}

/**
 * timers_run - call everything that is due
 * @timers: the wheel
 * @now_ns: what time it is; going backwards is ignored
 *
 * Return: how many were called.
 */
unsigned int timers_run(struct timers *timers, uint64_t now_ns);

/**
 * timers_next - when timers_run() will have something to do
 * @timers: the wheel
 *
 * For a distant timer this may be earlier than the timer itself, never later.
 *
 * Return: ns, or TIMER_NEVER.
 */
uint64_t timers_next(const struct timers *timers);

#endif /* ORNIC_DEVICE_TIMER_H */
