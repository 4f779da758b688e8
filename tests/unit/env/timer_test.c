// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Timers with injected time: small, huge and random values */
#include <stdio.h>

#include "env/timer.h"
#include "unit.h"

#define TICK_NS (1ULL << TIMER_TICK_SHIFT)

struct probe {
	struct timer timer;
	struct timers *timers;
	uint64_t rearm_ns;
	struct timer *victim;
	unsigned int calls;
};

static uint64_t now_ns;

static void probe_fire(struct timer *timer)
{
	struct probe *probe = container_of(timer, struct probe, timer);

	probe->calls++;
	assert_false(timer_armed(timer));
	if (probe->victim)
		timer_cancel(probe->timers, probe->victim);
	if (probe->rearm_ns != TIMER_NEVER)
		timer_arm(probe->timers, timer, probe->rearm_ns);
}

static void probe_init(struct probe *probe, struct timers *timers)
{
	memset(probe, 0, sizeof(*probe));
	timer_init(&probe->timer, probe_fire);
	probe->timers = timers;
	probe->rearm_ns = TIMER_NEVER;
}

static int setup(void **state)
{
	struct timers *timers = malloc(sizeof(*timers));

	now_ns = 1000 * TICK_NS;
	timers_init(timers, now_ns);
	*state = timers;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

TEST(test_empty_has_no_next, struct timers *timers, IN_OWN)
{
	assert_int_equal(timers_next(timers), TIMER_NEVER);
	assert_int_equal(timers_run(timers, UINT64_MAX), 0);
}

TEST(test_never_early_at_any_distance, struct timers *timers, IN_OWN)
{
	struct probe probe;
	unsigned int bit;
	uint64_t when;

	for (bit = 0; bit < 63; bit++) {
		timers_init(timers, now_ns);
		probe_init(&probe, timers);
		when = now_ns + (1ULL << bit);
		timer_arm(timers, &probe.timer, when);
		timers_run(timers, when - 1);
		assert_int_equal(probe.calls, 0);
		timers_run(timers, when + TICK_NS);
		assert_int_equal(probe.calls, 1);
		assert_int_equal(timers_next(timers), TIMER_NEVER);
	}
}

/* A loop that sleeps until timers_next() must not find the same time again */
TEST(test_each_wakeup_makes_progress, struct timers *timers, IN_OWN)
{
	unsigned int bit, wakeups;
	struct probe probe;
	uint64_t at_ns;

	for (bit = 12; bit < 63; bit++) {
		timers_init(timers, now_ns);
		probe_init(&probe, timers);
		timer_arm(timers, &probe.timer, now_ns + (1ULL << bit));
		for (wakeups = 0; !probe.calls; wakeups++) {
			at_ns = timers_next(timers);
			assert_true(wakeups <= TIMER_LEVELS);
			timers_run(timers, at_ns);
			assert_true(timers_next(timers) > at_ns);
		}
	}
}

TEST(test_nothing_is_due_before_the_first, struct timers *timers, IN_OWN)
{
	struct probe probe;

	assert_true(timers_pass(timers, UINT64_MAX - TICK_NS));
	timers_init(timers, now_ns);
	probe_init(&probe, timers);
	timer_arm(timers, &probe.timer, now_ns + 60 * TICK_NS);
	assert_true(timers_pass(timers, now_ns + 20 * TICK_NS));
	/* Relative to the time that has passed, this one is close */
	timer_arm(timers, &probe.timer, now_ns + 22 * TICK_NS);
	assert_true(timers_pass(timers, now_ns + 21 * TICK_NS));
	assert_false(timers_pass(timers, now_ns + 22 * TICK_NS));
	assert_int_equal(timers_run(timers, now_ns + 22 * TICK_NS), 1);
	assert_true(timers_pass(timers, now_ns + (1ULL << 62)));
}

TEST(test_end_of_time_does_not_wrap, struct timers *timers, IN_OWN)
{
	struct probe probe;

	probe_init(&probe, timers);
	timer_arm(timers, &probe.timer, UINT64_MAX);
	assert_int_equal(timers_next(timers) > now_ns, 1);
	timers_run(timers, now_ns + (1ULL << 62));
	assert_int_equal(probe.calls, 0);
	timer_cancel(timers, &probe.timer);
	assert_int_equal(timers_next(timers), TIMER_NEVER);
}

TEST(test_past_fires_at_once, struct timers *timers, IN_OWN)
{
	struct probe probe;

	probe_init(&probe, timers);
	timer_arm(timers, &probe.timer, 0);
	assert_int_equal(timers_next(timers), now_ns);
	assert_int_equal(timers_run(timers, now_ns), 1);
	assert_int_equal(probe.calls, 1);
}

TEST(test_rearming_itself_for_the_past_ends, struct timers *timers, IN_OWN)
{
	struct probe probe;

	probe_init(&probe, timers);
	probe.rearm_ns = 0;
	timer_arm(timers, &probe.timer, now_ns);
	assert_int_equal(timers_run(timers, now_ns + 1000000 * TICK_NS), 1);
	assert_true(timer_armed(&probe.timer));
	timer_cancel(timers, &probe.timer);
}

TEST(test_cancel_of_a_neighbour_in_the_same_tick, struct timers *timers, IN_OWN)
{
	struct probe first, second;

	probe_init(&first, timers);
	probe_init(&second, timers);
	first.victim = &second.timer;
	timer_arm(timers, &first.timer, now_ns + 5 * TICK_NS);
	timer_arm(timers, &second.timer, now_ns + 5 * TICK_NS);
	assert_int_equal(timers_run(timers, now_ns + 9 * TICK_NS), 1);
	assert_int_equal(second.calls, 0);
	assert_int_equal(timers_next(timers), TIMER_NEVER);
}

TEST(test_moving_forgets_the_old_time, struct timers *timers, IN_OWN)
{
	struct probe probe;

	probe_init(&probe, timers);
	timer_arm(timers, &probe.timer, now_ns + 10 * TICK_NS);
	timer_arm(timers, &probe.timer, now_ns + 5000 * TICK_NS);
	assert_int_equal(timers_run(timers, now_ns + 100 * TICK_NS), 0);
	timer_arm(timers, &probe.timer, now_ns + 200 * TICK_NS);
	assert_int_equal(timers_run(timers, now_ns + 200 * TICK_NS), 1);
}

TEST(test_time_going_backwards_is_ignored, struct timers *timers, IN_OWN)
{
	struct probe probe;

	probe_init(&probe, timers);
	timer_arm(timers, &probe.timer, now_ns);
	assert_int_equal(timers_run(timers, now_ns - 10 * TICK_NS), 0);
	assert_int_equal(timers_run(timers, now_ns), 1);
}

#define MANY 500

static void random_step(struct timers *timers, struct probe *probe,
			uint64_t *when)
{
	unsigned int i = rand() % MANY;
	uint64_t delta;

	if (rand() % 4 == 0) {
		timer_cancel(timers, &probe[i].timer);
		when[i] = TIMER_NEVER;
		return;
	}
	delta = 1ULL << rand() % 40;
	when[i] = now_ns + delta + (uint64_t)rand() % delta;
	timer_arm(timers, &probe[i].timer, when[i]);
}

/* Every timer fires once, in the first run at or after its time */
TEST(test_random_against_a_list, struct timers *timers, IN_OWN)
{
	struct probe *probe = calloc(MANY, sizeof(*probe));
	uint64_t *when = calloc(MANY, sizeof(*when));
	unsigned int i, step, due;
	uint64_t next, first;

	srand(unit_seed());
	for (i = 0; i < MANY; i++) {
		probe_init(&probe[i], timers);
		when[i] = TIMER_NEVER;
	}
	for (step = 0; step < 20000; step++) {
		for (i = 0; i < 5; i++)
			random_step(timers, probe, when);
		first = TIMER_NEVER;
		for (i = 0; i < MANY; i++)
			if (when[i] < first)
				first = when[i];
		next = timers_next(timers);
		if (first == TIMER_NEVER)
			assert_int_equal(next, TIMER_NEVER);
		else
			assert_true(next < first + TICK_NS);
		now_ns += 1ULL << rand() % 36;
		timers_run(timers, now_ns);
		due = 0;
		for (i = 0; i < MANY; i++) {
			if (when[i] == TIMER_NEVER)
				continue;
			if (when[i] + TICK_NS <= now_ns)
				assert_false(timer_armed(&probe[i].timer));
			if (when[i] > now_ns)
				assert_true(timer_armed(&probe[i].timer));
			if (!timer_armed(&probe[i].timer)) {
				assert_int_equal(probe[i].calls, 1);
				probe[i].calls = 0;
				when[i] = TIMER_NEVER;
				due++;
			}
		}
		assert_true(due <= MANY);
	}
	free(probe);
	free(when);
}

TEST_MAIN("timer")
