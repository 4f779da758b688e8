// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* How long a task spins before it sleeps, with a clock that the test moves */
#include "loop/spin.h"
#include "unit.h"

#define US 1000ull
#define MAX_NS (200 * US)

struct world {
	struct spin spin;
	uint64_t now_ns;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->now_ns = 1;
	spin_init(&w->spin, MAX_NS, w->now_ns);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* Work comes after @ns. Until then the task spins, and sleeps when that is over. */
static enum spin_result wait_for(struct world *w, uint64_t ns)
{
	uint64_t spin_ns = w->spin.ns;

	if (ns >= spin_ns) {
		w->now_ns += spin_ns;
		assert_true(spin_is_over(&w->spin, w->now_ns, false));
		spin_sleep(&w->spin, false);
		w->now_ns += ns - spin_ns;
	} else {
		w->now_ns += ns;
		assert_false(spin_is_over(&w->spin, w->now_ns, false));
	}
	return spin_work(&w->spin, w->now_ns);
}

TEST(test_work_that_comes_at_once_teaches_nothing, struct world *w, IN_OWN)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		assert_int_equal(wait_for(w, SPIN_BUSY_NS), SPIN_BUSY);
	assert_int_equal(w->spin.ns, SPIN_START_NS);
}

/* Commands every 80 us: only the first finds the task asleep */
TEST(test_late_work_makes_it_spin_longer, struct world *w, IN_OWN)
{
	unsigned int i;

	assert_int_equal(wait_for(w, 80 * US), SPIN_LATE);
	for (i = 0; i < 1000; i++)
		assert_int_equal(wait_for(w, 80 * US), SPIN_HIT);
	assert_int_equal(w->spin.ns, 160 * US);
}

/* Hits near the end of the spin time leave room for slower ones */
TEST(test_hits_keep_twice_their_time, struct world *w, IN_OWN)
{
	assert_int_equal(wait_for(w, 15 * US), SPIN_HIT);
	assert_int_equal(w->spin.ns, 30 * US);
	assert_int_equal(wait_for(w, 25 * US), SPIN_HIT);
	assert_int_equal(w->spin.ns, 50 * US);
	assert_int_equal(wait_for(w, 10 * US), SPIN_HIT);
	assert_int_equal(w->spin.ns, 50 * US);
}

TEST(test_the_longest_time_is_kept, struct world *w, IN_OWN)
{
	assert_int_equal(wait_for(w, MAX_NS), SPIN_LATE);
	assert_int_equal(w->spin.ns, MAX_NS);
	assert_int_equal(wait_for(w, MAX_NS - 1), SPIN_HIT);
	assert_int_equal(w->spin.ns, MAX_NS);
}

/* Sparse work: the task spins no longer than it must */
TEST(test_far_work_makes_it_spin_less, struct world *w, IN_OWN)
{
	uint64_t spun_ns = 0;
	unsigned int i;

	wait_for(w, MAX_NS);
	for (i = 0; i < 100; i++) {
		spun_ns += w->spin.ns;
		assert_int_equal(wait_for(w, MAX_NS + 1), SPIN_FAR);
	}
	assert_int_equal(w->spin.ns, SPIN_MIN_NS);
	/* In the mean less than 5 us of 200 */
	assert_true(spun_ns < 100 * 5 * US);
	/* And it learns again */
	assert_int_equal(wait_for(w, 50 * US), SPIN_LATE);
	assert_int_equal(w->spin.ns, 100 * US);
}

/* A frame that brings no work wakes the task: it may sleep again at once */
TEST(test_waking_up_for_nothing_is_no_work, struct world *w, IN_OWN)
{
	w->now_ns += 30 * US;
	spin_sleep(&w->spin, false);
	w->now_ns += 30 * US;
	assert_true(spin_is_over(&w->spin, w->now_ns, false));
	spin_sleep(&w->spin, false);
	w->now_ns += 30 * US;
	assert_int_equal(spin_work(&w->spin, w->now_ns), SPIN_LATE);
	assert_int_equal(w->spin.ns, 180 * US);
}

/* How soon work comes after others needed the processor is no reason to spin */
TEST(test_a_cut_teaches_nothing, struct world *w, IN_OWN)
{
	wait_for(w, MAX_NS);
	spin_sleep(&w->spin, true);
	w->now_ns += 80 * US;
	assert_int_equal(spin_work(&w->spin, w->now_ns), SPIN_BUSY);
	assert_int_equal(w->spin.ns, MAX_NS);
	spin_sleep(&w->spin, true);
	w->now_ns += MAX_NS + 1;
	assert_int_equal(spin_work(&w->spin, w->now_ns), SPIN_FAR);
	assert_int_equal(w->spin.ns, MAX_NS / 2);
}

/*
 * Work comes after @ns, and others need the processor. Returns how long the task
 * spins.
 */
static uint64_t wait_in_a_crowd(struct world *w, uint64_t ns)
{
	uint64_t spun_ns = 0;

	while (spun_ns < ns && !spin_is_over(&w->spin, w->now_ns + spun_ns, true))
		spun_ns += US;
	w->now_ns += spun_ns;
	if (spun_ns < ns) {
		spin_sleep(&w->spin, false);
		w->now_ns += ns - spun_ns;
	}
	spin_work(&w->spin, w->now_ns);
	return spun_ns;
}

/* Where others need the processor, a message now and then leaves it to them */
TEST(test_messages_hardly_spin_in_a_crowd, struct world *w, IN_OWN)
{
	uint64_t spun_ns;
	unsigned int i;

	/* Two pieces of work each, and much time to spin */
	wait_for(w, 80 * US);
	for (i = 0; i < 10 * (SPIN_SKIP + 1); i++) {
		spun_ns = wait_in_a_crowd(w, 80 * US);
		wait_for(w, SPIN_BUSY_NS);
		assert_true(w->spin.ns > SPIN_START_NS);
		assert_int_equal(spun_ns,
				 (i + 1) % (SPIN_SKIP + 1) ? SPIN_MIN_NS
							   : SPIN_START_NS);
	}
}

/* A peer that answers soon keeps the task awake also there, until it pauses */
TEST(test_answers_spin_in_a_crowd, struct world *w, IN_OWN)
{
	unsigned int i;

	/* While the task sleeps, answers come late */
	wait_in_a_crowd(w, 80 * US);
	for (i = 0; i < SPIN_SKIP; i++)
		assert_int_equal(wait_in_a_crowd(w, 40 * US), SPIN_MIN_NS);
	for (i = 0; i < 1000; i++)
		assert_int_equal(wait_in_a_crowd(w, 8 * US), 8 * US);
	wait_in_a_crowd(w, 80 * US);
	assert_int_equal(wait_in_a_crowd(w, 8 * US), SPIN_MIN_NS);
}

/* A task that lost the processor while it spun leaves it to others */
TEST(test_a_cut_ends_spinning_in_a_crowd, struct world *w, IN_OWN)
{
	assert_int_equal(wait_in_a_crowd(w, 8 * US), 8 * US);
	w->now_ns += 8 * US;
	spin_sleep(&w->spin, true);
	w->now_ns += 2000 * US;
	spin_work(&w->spin, w->now_ns);
	assert_int_equal(wait_in_a_crowd(w, 8 * US), SPIN_MIN_NS);
}

/* A stream of work keeps the task awake also there, until pauses end the stream */
TEST(test_a_stream_spins_in_a_crowd, struct world *w, IN_OWN)
{
	unsigned int i;

	wait_for(w, 80 * US);
	for (i = 0; i < SPIN_STREAM; i++) {
		assert_true(spin_is_over(&w->spin, w->now_ns + SPIN_START_NS, true));
		wait_for(w, SPIN_BUSY_NS);
	}
	for (; i < 1000; i++)
		wait_for(w, SPIN_BUSY_NS);
	for (i = 0; i <= SPIN_STREAM / SPIN_STREAM_PAUSE; i++) {
		assert_false(spin_is_over(&w->spin, w->now_ns + 100 * US, true));
		wait_for(w, 80 * US);
	}
	assert_true(spin_is_over(&w->spin, w->now_ns + SPIN_START_NS, true));
}

TEST(test_postponed_work_teaches_nothing, struct world *w, IN_OWN)
{
	unsigned int i;

	for (i = 0; i < 100; i++) {
		w->now_ns += 10 * US;
		spin_wait(&w->spin, w->now_ns);
		assert_false(spin_is_over(&w->spin, w->now_ns, false));
	}
	assert_int_equal(w->spin.ns, SPIN_START_NS);
}

TEST(test_no_spinning, struct world *w, IN_OWN)
{
	spin_init(&w->spin, 0, w->now_ns);
	assert_true(spin_is_over(&w->spin, w->now_ns, false));
	spin_sleep(&w->spin, false);
	w->now_ns += 1;
	assert_int_equal(spin_work(&w->spin, w->now_ns), SPIN_FAR);
	assert_int_equal(w->spin.ns, 0);
}

TEST_MAIN("spin")
