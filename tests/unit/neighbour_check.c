// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Attacks as tests: the limits of turns and waits, on the clock of work.h */
#include "neighbour.h"

/*
 * The loop polls the sockets at intervals, so a read may take two turns and an
 * interval. The datagram may wait for a turn of all QPs of the card, and for the
 * delay that an attack injects.
 */
static void check_waits(struct neighbours *n)
{
	uint64_t few_ns = 2 * (n->turn_ns + LOOP_BUSY_POLL_NS);
	unsigned int what;

	for (what = 0; what < WAITS; what++)
		assert_int_not_equal(n->answers[what], 0);
	assert_true(n->wait_ns[WAIT_READ] <= few_ns);
	assert_true(n->wait_ns[WAIT_COMMAND] <= few_ns);
	assert_true(n->wait_ns[WAIT_DATAGRAM] <=
		    NEIGHBOUR_TURN_NS + FAULT_DELAY_NS);
}

static void run(void **state)
{
	struct neighbours *n = *state;
	const struct attack *attack = n->attack;
	unsigned int i;

	if (attack->begin)
		attack->begin(n);
	for (i = 0; i < attack->turns; i++) {
		if (attack->push)
			attack->push(n);
		neighbours_turn(n);
	}
	print_message("longest turn %llu us, waits %llu, %llu and %llu us\n",
		      (unsigned long long)n->turn_ns / 1000,
		      (unsigned long long)n->wait_ns[WAIT_READ] / 1000,
		      (unsigned long long)n->wait_ns[WAIT_COMMAND] / 1000,
		      (unsigned long long)n->wait_ns[WAIT_DATAGRAM] / 1000);
	assert_true(n->turn_ns <= (attack->most_ns ? attack->most_ns :
						     NEIGHBOUR_TURN_NS));
	check_waits(n);
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
