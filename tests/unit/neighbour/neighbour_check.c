// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attacks as tests: the limits of turns and waits, and the neighbour's bandwidth,
 * on the clock of work_clock.h
 */
#include "neighbour.h"

/* Per mille */
#define LEAST_SHARE 460
#define LEAST_TIME 460
/* The cards' time alone and under the attack, and the limit of all time */
#define ALONE_NS 5000000
#define ATTACK_NS 50000000
#define WALL_NS 1000000000

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
	unsigned int i, j;

	if (attack->begin)
		attack->begin(n);
	for (i = 0; i < attack->turns; i++) {
		neighbours_push(n, attack->push);
		/* These limits do not depend on who is postponed */
		for (j = 0; j < CLIENT_CARDS; j++)
			n->world->slot[j]->share.credit_ns = SHARE_CREDIT_NS;
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

/*
 * Attacks that leave the neighbour less, as all packets cost more since they began,
 * and those that must leave it more, as the attacker only receives
 */
static const struct {
	const char *name;
	unsigned int share;
} least_shares[] = {
	{ "capture", 240 },
	{ "faults", 11 },
	{ "received_by_rules", 650 },
	{ "received_by_sniffers", 750 },
};

static unsigned int least_share(const struct attack *attack)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(least_shares); i++)
		if (!strcmp(attack->name, least_shares[i].name))
			return least_shares[i].share;
	return LEAST_SHARE;
}

/*
 * [ORNIC-ISO-4] Under the attack the neighbour keeps about half of the time, so
 * also of its bandwidth, unless its packets cost more. As it uses all of its
 * share here, it is postponed, which must not last longer than a turn may take.
 */
static void run_share(void **state)
{
	struct neighbours *n = *state;
	struct pair *bulk = neighbours_bulk(n);
	struct share *own = &n->world->slot[1]->share;
	uint64_t alone, attacked, share, start_ns, used_ns;

	alone = neighbours_measure(n, bulk, NULL, ALONE_NS, WALL_NS);
	if (n->attack->begin)
		n->attack->begin(n);
	start_ns = n->now_ns;
	used_ns = own->used_ns;
	attacked = neighbours_measure(n, bulk, n->attack->push, ATTACK_NS,
				      WALL_NS);
	free(bulk);
	share = attacked * 1000 / alone;
	used_ns = (own->used_ns - used_ns) * 1000 / (n->now_ns - start_ns);
	print_message("%s: share %llu.%llu %%, time %llu.%llu %%, waits %llu, %llu and %llu us\n",
		      n->attack->name, (unsigned long long)share / 10,
		      (unsigned long long)share % 10,
		      (unsigned long long)used_ns / 10,
		      (unsigned long long)used_ns % 10,
		      (unsigned long long)n->wait_ns[WAIT_READ] / 1000,
		      (unsigned long long)n->wait_ns[WAIT_COMMAND] / 1000,
		      (unsigned long long)n->wait_ns[WAIT_DATAGRAM] / 1000);
	assert_true(share >= least_share(n->attack));
	assert_true(used_ns >= LEAST_TIME);
	assert_true(n->wait_ns[WAIT_READ] <= NEIGHBOUR_TURN_NS);
	assert_true(n->wait_ns[WAIT_COMMAND] <= NEIGHBOUR_TURN_NS);
	assert_true(n->wait_ns[WAIT_DATAGRAM] <=
		    NEIGHBOUR_TURN_NS + FAULT_DELAY_NS);
}

int neighbours_main(const char *name, const struct attack *attacks,
		    unsigned int count)
{
	struct CMUnitTest *tests = calloc(2 * count, sizeof(*tests));
	unsigned int i;
	int failed;

	for (i = 0; i < 2 * count; i++)
		tests[i] = (struct CMUnitTest){
			.name = attacks[i / 2].name,
			.test_func = i % 2 ? run_share : run,
			.setup_func = neighbours_setup,
			.teardown_func = neighbours_teardown,
			.initial_state = (void *)(uintptr_t)&attacks[i / 2],
		};
	failed = _cmocka_run_group_tests(name, tests, 2 * count, NULL, NULL);
	free(tests);
	return failed;
}
