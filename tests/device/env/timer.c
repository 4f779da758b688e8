// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A hierarchical timer wheel. A time in ticks is a number with digits of six
 * bits. A timer lives at the level of the highest digit in which its time
 * differs from now, in the slot of that digit. So every timer of a level is due
 * before those of higher levels, and the slots of a level are due in order: the
 * next one is the lowest bit of the lowest level that has any. When now reaches
 * a slot above level 0, its timers agree with now in that digit and move down.
 */
#include <stddef.h>

#include "env/timer.h"

/* Level of timers in @due, the list of the tick that runs now */
#define LEVEL_DUE TIMER_LEVELS

static unsigned int digit(uint64_t ticks, unsigned int level)
{
	return (ticks >> (level * TIMER_LEVEL_SHIFT)) & (TIMER_SLOTS - 1);
}

static void place(struct timers *timers, struct timer *timer)
{
	uint64_t diff = timer->expires ^ timers->now;
	unsigned int shift;
	uint64_t tick;

	timer->level = diff ? (63 - __builtin_clzll(diff)) / TIMER_LEVEL_SHIFT :
			      0;
	timer->slot = digit(timer->expires, timer->level);
	list_add_tail(&timer->node, &timers->slot[timer->level][timer->slot]);
	timers->busy[timer->level] |= 1ULL << timer->slot;
	shift = timer->level * TIMER_LEVEL_SHIFT;
	tick = timer->expires >> shift << shift;
	if (tick < timers->first)
		timers->first = tick;
}

/* Tick and level of the slot that is due first, or TIMER_NEVER */
static uint64_t next_tick(const struct timers *timers, unsigned int *level)
{
	unsigned int shift;
	uint64_t above;

	for (*level = 0; *level < TIMER_LEVELS; ++*level) {
		if (!timers->busy[*level])
			continue;
		shift = *level * TIMER_LEVEL_SHIFT;
		above = timers->now >> shift >> TIMER_LEVEL_SHIFT;
		return ((above << TIMER_LEVEL_SHIFT) +
			__builtin_ctzll(timers->busy[*level])) << shift;
	}
	return TIMER_NEVER;
}

void timers_init(struct timers *timers, uint64_t now_ns)
{
	unsigned int level, slot;

	timers->now = now_ns >> TIMER_TICK_SHIFT;
	timers->earliest = timers->now;
	timers->first = TIMER_NEVER;
	for (level = 0; level < TIMER_LEVELS; level++) {
		timers->busy[level] = 0;
		for (slot = 0; slot < TIMER_SLOTS; slot++)
			list_init(&timers->slot[level][slot]);
	}
	list_init(&timers->due);
}

void timer_init(struct timer *timer, void (*fn)(struct timer *timer))
{
	timer->fn = fn;
	timer->expires = 0;
	timer->level = 0;
	timer->slot = 0;
	list_init(&timer->node);
}

void timer_arm(struct timers *timers, struct timer *timer, uint64_t expires_ns)
{
	timer_cancel(timers, timer);
	/* Round up, as a timer never fires early */
	timer->expires = expires_ns >> TIMER_TICK_SHIFT;
	if (expires_ns & ((1 << TIMER_TICK_SHIFT) - 1))
		timer->expires++;
	if (timer->expires < timers->earliest)
		timer->expires = timers->earliest;
	place(timers, timer);
}

void timer_cancel(struct timers *timers, struct timer *timer)
{
	if (!timer_armed(timer))
		return;
	list_del_init(&timer->node);
	if (timer->level == LEVEL_DUE)
		return;
	if (list_empty(&timers->slot[timer->level][timer->slot]))
		timers->busy[timer->level] &= ~(1ULL << timer->slot);
}

static unsigned int run_due(struct timers *timers)
{
	struct list_head *node;
	struct timer *timer;
	unsigned int count = 0;

	list_for_each(node, &timers->due)
		list_entry(node, struct timer, node)->level = LEVEL_DUE;
	/* Always take the first, as a call may cancel other timers */
	while (!list_empty(&timers->due)) {
		timer = list_first_entry(&timers->due, struct timer, node);
		list_del_init(&timer->node);
		timer->fn(timer);
		count++;
	}
	return count;
}

static void move_down(struct timers *timers, unsigned int level,
		      unsigned int slot)
{
	struct list_head moved;
	struct timer *timer;

	list_init(&moved);
	list_splice_tail_init(&timers->slot[level][slot], &moved);
	timers->busy[level] &= ~(1ULL << slot);
	while (!list_empty(&moved)) {
		timer = list_first_entry(&moved, struct timer, node);
		list_del_init(&timer->node);
		place(timers, timer);
	}
}

unsigned int timers_run(struct timers *timers, uint64_t now_ns)
{
	uint64_t target = now_ns >> TIMER_TICK_SHIFT;
	unsigned int level, slot, count = 0;
	uint64_t tick;

	if (timers_pass(timers, now_ns))
		return 0;
	timers->earliest = target + 1;
	for (;;) {
		tick = next_tick(timers, &level);
		if (tick > target)
			break;
		timers->now = tick;
		slot = digit(tick, level);
		if (level) {
			move_down(timers, level, slot);
			continue;
		}
		list_splice_tail_init(&timers->slot[0][slot], &timers->due);
		timers->busy[0] &= ~(1ULL << slot);
		count += run_due(timers);
	}
	timers->now = target;
	timers->earliest = target;
	timers->first = tick;
	return count;
}

uint64_t timers_next(const struct timers *timers)
{
	unsigned int level;
	uint64_t tick = next_tick(timers, &level);

	/* A tick beyond the range of ns must not wrap */
	if (tick > UINT64_MAX >> TIMER_TICK_SHIFT)
		return TIMER_NEVER;
	return tick << TIMER_TICK_SHIFT;
}
