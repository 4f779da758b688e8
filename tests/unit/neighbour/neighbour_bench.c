// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attacks as a benchmark, in CPU time of the thread that runs the cards: other
 * processes do not disturb it.
 *
 * NEIGHBOUR_ROWS: file to append a line to for each of them: name, longest
 * register read (ns), bytes per ms alone and under the attack.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "env/reaper.h"
#include "neighbour.h"
#include "work_clock.h"

#define ALONE_NS 50000000
#define ATTACK_NS 200000000
/* The attacker's own time has a limit, too */
#define ATTACK_WALL_NS 4000000000

static const struct timespec *to_timespec(uint64_t ns, struct timespec *ts)
{
	ts->tv_sec = ns / 1000000000;
	ts->tv_nsec = ns % 1000000000;
	return ts;
}

uint64_t work_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

void work_sleep(uint64_t ns)
{
	struct timespec ts;

	nanosleep(to_timespec(ns, &ts), NULL);
}

static void run(void **state)
{
	struct neighbours *n = *state;
	struct pair *bulk = neighbours_bulk(n);
	uint64_t alone, attacked;
	FILE *rows;

	reaper_start();
	alone = neighbours_measure(n, bulk, NULL, ALONE_NS, ATTACK_WALL_NS);
	if (n->attack->begin)
		n->attack->begin(n);
	attacked = neighbours_measure(n, bulk, n->attack->push, ATTACK_NS,
				      ATTACK_WALL_NS);
	reaper_stop();
	rows = fopen(getenv("NEIGHBOUR_ROWS"), "a");
	assert_non_null(rows);
	fprintf(rows, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		n->attack->name, n->wait_ns[WAIT_READ], alone, attacked);
	fclose(rows);
	free(bulk);
}

int neighbours_main(const char *name, const struct attack *attacks,
		    unsigned int count)
{
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));
	unsigned int i;
	int failed;

	for (i = 0; i < count; i++)
		tests[i] = (struct CMUnitTest){
			.name = attacks[i].name,
			.test_func = run,
			.setup_func = neighbours_setup,
			.teardown_func = neighbours_teardown,
			.initial_state = (void *)(uintptr_t)&attacks[i],
		};
	failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
	free(tests);
	return failed;
}
