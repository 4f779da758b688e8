// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* How long a task of the loop stays awake after work of two kinds */
#include <time.h>

#include "loop/loop.h"
#include "unit.h"

/* A spin time that does not end in a test, and a pause that is longer than the shortest */
#define LONG_NS 3600000000000ull
#define PAUSE_NS 50000
/* Longest spin time: only a host that stops the test for three times as long fails it */
#define MAX_US 100000000

struct world {
	struct loop loop;
	struct loop_task task;
	bool has_work;
	bool is_command;
	bool would_sleep;
};

static struct world *task_to_world(struct loop_task *task)
{
	return container_of(task, struct world, task);
}

static bool run(struct loop_task *task)
{
	struct world *w = task_to_world(task);
	bool any = w->has_work;

	task->commanded = any && w->is_command;
	w->has_work = false;
	return any;
}

/* The task stays awake, because a loop without awake tasks waits for events */
static bool sleep_prepare(struct loop_task *task)
{
	task_to_world(task)->would_sleep = true;
	return false;
}

static void wake(struct loop_task *task)
{
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->task.run = run;
	w->task.sleep_prepare = sleep_prepare;
	w->task.wake = wake;
	assert_int_equal(loop_init(&w->loop, MAX_US), 0);
	loop_task_add(&w->loop, &w->task);
	/* It has learned to spin for long after work of each kind, and others need the core */
	w->task.spin.ns = LONG_NS;
	w->task.command_spin.ns = LONG_NS;
	w->loop.crowded_ns = loop_clock_ns() + LONG_NS;
	w->task.spin.skip = SPIN_SKIP;
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	loop_task_remove(&w->task);
	loop_uninit(&w->loop);
	free(w);
	return 0;
}

/* Return: whether the task would sleep in the turn after work */
static bool sleeps_after(struct world *w, bool is_command)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS };

	w->has_work = true;
	w->is_command = is_command;
	loop_task_mark(&w->loop, &w->task);
	assert_int_equal(loop_turn(&w->loop), 0);
	assert_false(w->has_work || w->would_sleep);
	nanosleep(&pause, NULL);
	assert_int_equal(loop_turn(&w->loop), 0);
	return w->would_sleep;
}

TEST(test_others_shorten_the_spin_time, struct world *w, IN_OWN)
{
	w->task.command_spin.ns = SPIN_MIN_NS;
	assert_true(sleeps_after(w, false));
}

TEST(test_others_do_not_shorten_it_after_a_command, struct world *w, IN_OWN)
{
	assert_false(sleeps_after(w, true));
	/* Other work neither ends nor lengthens it */
	assert_false(sleeps_after(w, false));
	w->task.command_spin.ns = SPIN_MIN_NS;
	assert_true(sleeps_after(w, false));
}

/* A command teaches the time after commands only, which may be longer */
TEST(test_each_kind_of_work_teaches_its_own_time, struct world *w, IN_OWN)
{
	assert_int_equal(w->task.command_spin.max_ns, 5 * w->task.spin.max_ns);
	w->task.spin.ns = SPIN_START_NS;
	w->task.command_spin.ns = SPIN_START_NS;
	/* Later than the longest time after other work */
	w->task.spin.worked_ns -= 2 * w->task.spin.max_ns;
	w->task.command_spin.worked_ns -= 2 * w->task.spin.max_ns;
	w->task.spin.state = SPIN_ASLEEP;
	w->task.command_spin.state = SPIN_ASLEEP;
	sleeps_after(w, true);
	assert_int_equal(w->task.spin.ns, SPIN_START_NS);
	assert_true(w->task.command_spin.ns > 2 * w->task.spin.max_ns);
}

TEST_MAIN("loop")
