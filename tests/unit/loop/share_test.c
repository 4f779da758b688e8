// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Fair shares of the loop's time, with a clock that the test moves */
#include "loop/share.h"
#include "unit.h"

/* Less than SHARE_SURE_NS: the CPU time of the test plays no role */
#define SMALL_NS 50000

struct world {
	struct shares shares;
	struct share share[2];
	uint64_t now_ns;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	unsigned int i;

	assert_non_null(w);
	w->now_ns = 1;
	shares_init(&w->shares, w->now_ns);
	for (i = 0; i < 2; i++)
		shares_add(&w->shares, &w->share[i]);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* Work for @ns in steps, if it may. Return: whether it did. */
static bool work(struct world *w, unsigned int i, uint64_t ns)
{
	uint64_t step;

	if (!shares_allow(&w->shares, &w->share[i]))
		return false;
	for (; ns; ns -= step) {
		step = ns < SMALL_NS ? ns : SMALL_NS;
		shares_pay(&w->shares, &w->share[i]);
		w->now_ns += step;
		/* All of it is CPU time */
		w->shares.sure_ns = 0;
		shares_settle(&w->shares, w->now_ns);
	}
	return true;
}

static void turn(struct world *w)
{
	shares_turn(&w->shares, w->now_ns);
}

TEST(test_one_alone_never_waits, struct world *w, IN_OWN)
{
	unsigned int i;

	for (i = 0; i < 100; i++) {
		turn(w);
		assert_true(work(w, 0, 3 * SHARE_CREDIT_NS));
	}
	assert_true(w->share[0].used_ns == 300ULL * SHARE_CREDIT_NS);
}

/* Turns of one are 60 times as long */
TEST(test_two_get_the_same, struct world *w, IN_OWN)
{
	unsigned int i;

	for (i = 0; i < 10000; i++) {
		turn(w);
		work(w, 0, 60 * SMALL_NS);
		work(w, 1, SMALL_NS);
	}
	assert_true(w->share[1].used_ns >= w->now_ns * 48 / 100);
	assert_true(w->share[0].used_ns >= w->now_ns * 48 / 100);
}

TEST(test_idle_turn_forgives, struct world *w, IN_OWN)
{
	turn(w);
	work(w, 0, 2 * SHARE_DEBT_NS);
	work(w, 1, SMALL_NS);
	turn(w);
	assert_false(shares_allow(&w->shares, &w->share[0]));
	/* The other one has nothing to do in this turn */
	turn(w);
	assert_true(shares_allow(&w->shares, &w->share[0]));
}

/* Soon after a moment without work, no clock is read between two shares */
TEST(test_mixed_turn_may_be_free, struct world *w, IN_OWN)
{
	unsigned int i;

	w->now_ns += 2 * SHARE_FREE_NS;
	shares_forget(&w->shares);
	for (i = 0; i < 3; i++) {
		if (i == 1)
			shares_idle(&w->shares, w->now_ns);
		turn(w);
		shares_pay(&w->shares, &w->share[0]);
		if (shares_mixed(&w->shares, &w->share[1]))
			shares_settle(&w->shares, w->now_ns);
		shares_pay(&w->shares, &w->share[1]);
		w->now_ns += SMALL_NS;
	}
	turn(w);
	/* The second turn began at the idle moment */
	assert_true(w->share[0].used_ns == 0);
	assert_true(w->share[1].used_ns == 2 * SMALL_NS);
}

/* A share that works alone pays, so a long piece of work is never free */
TEST(test_one_pays_in_any_turn, struct world *w, IN_OWN)
{
	shares_idle(&w->shares, w->now_ns);
	turn(w);
	assert_true(w->shares.free);
	shares_pay(&w->shares, &w->share[0]);
	shares_pay(&w->shares, &w->share[0]);
	w->now_ns += SMALL_NS;
	turn(w);
	assert_true(w->share[0].used_ns == SMALL_NS);
}

TEST(test_debt_has_a_bound, struct world *w, IN_OWN)
{
	uint64_t before;

	turn(w);
	work(w, 0, 100 * SHARE_DEBT_NS);
	before = w->now_ns;
	do {
		work(w, 1, SMALL_NS);
		turn(w);
	} while (!shares_allow(&w->shares, &w->share[0]));
	assert_in_range(w->now_ns - before, SHARE_DEBT_NS,
			SHARE_DEBT_NS + 2 * SHARE_CREDIT_NS);
}

/* The clock jumps, but the process did not run */
TEST(test_other_processes_are_not_charged, struct world *w, IN_OWN)
{
	turn(w);
	w->now_ns += 1000000000000;
	shares_pay(&w->shares, &w->share[0]);
	shares_settle(&w->shares, w->now_ns);
	assert_true(w->share[0].used_ns < 100000000000);
}

TEST(test_forgotten_time_is_nobodys, struct world *w, IN_OWN)
{
	turn(w);
	shares_forget(&w->shares);
	w->now_ns += SMALL_NS;
	turn(w);
	work(w, 0, SMALL_NS);
	assert_true(w->share[0].used_ns == SMALL_NS);
	/* Otherwise the next one pays */
	w->now_ns += SMALL_NS / 2;
	turn(w);
	work(w, 1, SMALL_NS / 2);
	assert_true(w->share[1].used_ns == SMALL_NS);
}

TEST_MAIN("share")
