/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Timers: a hierarchical wheel. Arming and cancelling are O(1) and allocate
 * nothing, so each QP may have its own and move it with every packet.
 *
 * The wheel has no clock: its caller passes the time. The event loop passes
 * CLOCK_MONOTONIC, a test any time.
 */
#ifndef ORNIC_DEVICE_TIMER_H
#define ORNIC_DEVICE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "env/list.h"

/* log2 of ns per tick: 4.096 us, the unit of IBTA timeouts */
#define TIMER_TICK_SHIFT 12
#define TIMER_LEVEL_SHIFT 6
#define TIMER_SLOTS (1 << TIMER_LEVEL_SHIFT)
/* 64^9 ticks exceed 2^64 ns, so any time fits */
#define TIMER_LEVELS 9
/* Result of timers_next() when no timer is armed */
#define TIMER_NEVER UINT64_MAX

/**
 * struct timer - a timer, embedded in its owner
 * @fn: called once when the time has come, never early; the timer is not armed
 *	then, and @fn may arm it again
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
 * @now: tick up to which all timers have run
 * @earliest: earliest tick for new timers: @now, but while timers run the tick
 *	behind this run, so that a timer that rearms itself cannot run for ever
 * @first: no slot is due before this tick
 * @busy: per level, a bit for each slot that has a timer
 * @slot: lists of timers
 * @due: timers of the tick that runs now
 */
struct timers {
	uint64_t now;
	uint64_t earliest;
	uint64_t first;
	uint64_t busy[TIMER_LEVELS];
	struct list_head slot[TIMER_LEVELS][TIMER_SLOTS];
	struct list_head due;
};

/**
 * timers_init - initialise an empty wheel
 * @timers: the wheel
 * @now_ns: current time, ns
 */
void timers_init(struct timers *timers, uint64_t now_ns);

/**
 * timer_init - initialise a timer that is not armed
 * @timer: the timer
 * @fn: function to call
 */
void timer_init(struct timer *timer, void (*fn)(struct timer *timer));

/**
 * timer_arm - arm a timer, or rearm it for another time
 * @timers: the wheel
 * @timer: the timer
 * @expires_ns: expiry, ns; a time in the past means the next timers_run()
 */
void timer_arm(struct timers *timers, struct timer *timer, uint64_t expires_ns);

/**
 * timer_cancel - disarm a timer
 * @timers: the wheel
 * @timer: armed or not
 */
void timer_cancel(struct timers *timers, struct timer *timer);

/**
 * timer_armed - check whether a timer is armed
 * @timer: the timer
 *
 * Return: true from timer_arm() until the call or timer_cancel().
 */
static inline bool timer_armed(const struct timer *timer)
{
	return !list_empty(&timer->node);
}

/**
 * timers_pass - let time pass in which no timer is due
 * @timers: the wheel
 * @now_ns: current time, ns; a time before the last one is ignored
 *
 * Return: false when timers_run() must be called instead. It may find that the
 * timer was cancelled.
 */
static inline bool timers_pass(struct timers *timers, uint64_t now_ns)
{
	uint64_t now = now_ns >> TIMER_TICK_SHIFT;

	if (now >= timers->first)
		return false;
	if (now > timers->now) {
		timers->now = now;
		timers->earliest = now;
	}
	return true;
}

/**
 * timers_run - call all timers that are due
 * @timers: the wheel
 * @now_ns: current time, ns; a time before the last one is ignored
 *
 * Return: number of calls.
 */
unsigned int timers_run(struct timers *timers, uint64_t now_ns);

/**
 * timers_next - time of the next necessary timers_run()
 * @timers: the wheel
 *
 * For a distant timer this may be earlier than its expiry, never later.
 *
 * Return: ns, or TIMER_NEVER.
 */
uint64_t timers_next(const struct timers *timers);

#endif /* ORNIC_DEVICE_TIMER_H */
