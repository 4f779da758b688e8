// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Shares of processes in the slots of the admin queue */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>

/* The source itself, because the driver exports nothing */
#include "../../kernel/net/share.c"

#define TEST_SLOTS	32
#define TEST_KEPT	(TEST_SLOTS / 8)
#define TEST_PROCESSES	8
#define TEST_TIMEOUT_MS	10000
/* Slots that the processes of a test may have together, if there are enough */
#define TEST_PARTS	(ORNIC_SHARE_OPEN + TEST_PROCESSES * ORNIC_SHARE_SLOTS)

static struct ornic_shares *test_shares(struct kunit *test, u32 slots)
{
	struct ornic_shares *shares = kunit_kzalloc(test, sizeof(*shares), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, shares);
	ornic_shares_init(shares);
	ornic_shares_resize(shares, slots);
	return shares;
}

/* Finds processes that have different shares */
static void test_find_processes(struct ornic_shares *shares, pid_t *tgid, u32 count)
{
	u32 found, i;
	pid_t next;

	for (found = 0, next = 1; found < count; next++) {
		for (i = 0; i < found; i++)
			if (ornic_share_of(shares, tgid[i]) == ornic_share_of(shares, next))
				break;
		if (i == found)
			tgid[found++] = next;
	}
}

/**
 * struct test_taken - slots that a process has
 * @count:	their number
 * @share:	what they count to
 */
struct test_taken {
	u32 count;
	struct semaphore *share[TEST_SLOTS];
};

/* For all processes, and for urgent commands */
static struct test_taken *test_taken(struct kunit *test)
{
	struct test_taken *taken = kunit_kcalloc(test, TEST_PROCESSES + 1, sizeof(*taken),
						 GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, taken);
	return taken;
}

/* Takes as many slots as it may have */
static u32 test_take_all(struct ornic_shares *shares, struct test_taken *taken, pid_t tgid,
			 bool urgent)
{
	struct semaphore *share;

	for (taken->count = 0; taken->count < TEST_SLOTS; taken->count++) {
		share = ornic_share_take(shares, tgid, urgent, false);
		if (!share)
			break;
		taken->share[taken->count] = share;
	}
	return taken->count;
}

static void test_give(struct ornic_shares *shares, struct test_taken *taken)
{
	while (taken->count)
		ornic_share_give(shares, taken->share[--taken->count]);
}

/* A process has few slots, all together do not have all, and refusals take nothing */
static void ornic_test_processes_have_parts(struct kunit *test)
{
	struct ornic_shares *shares = test_shares(test, TEST_SLOTS);
	struct test_taken *taken = test_taken(test), *urgent = taken + TEST_PROCESSES;
	u32 round, left, part, i;
	pid_t tgid[TEST_PROCESSES];

	test_find_processes(shares, tgid, TEST_PROCESSES);
	for (round = 0; round < 2; round++) {
		left = TEST_SLOTS - TEST_KEPT;
		for (i = 0; i < TEST_PROCESSES; i++) {
			part = ORNIC_SHARE_SLOTS + (i ? 0 : ORNIC_SHARE_OPEN);
			KUNIT_EXPECT_EQ(test, test_take_all(shares, &taken[i], tgid[i], false),
					min(left, part));
			left -= taken[i].count;
		}
		KUNIT_EXPECT_EQ(test, test_take_all(shares, urgent, tgid[0], true),
				left + TEST_KEPT);

		test_give(shares, urgent);
		for (i = 0; i < TEST_PROCESSES; i++)
			test_give(shares, &taken[i]);
	}
	/* Urgent commands may have what the others do not need */
	KUNIT_EXPECT_EQ(test, test_take_all(shares, urgent, tgid[0], true), TEST_SLOTS);
	KUNIT_EXPECT_EQ(test, test_take_all(shares, &taken[0], tgid[0], false), 0);
}

/* For devices with fewer slots, too; one that has only one gives it to all */
static void ornic_test_shares_are_resized(struct kunit *test)
{
	static const struct {
		u32 slots;
		u32 common;
	} cases[] = { { 1, 1 }, { 2, 1 }, { 4, 3 }, { 8, 7 }, { 16, 14 }, { 32, 28 }, { 4, 3 } };
	struct ornic_shares *shares = test_shares(test, TEST_SLOTS);
	struct test_taken *taken = test_taken(test), *urgent = taken + TEST_PROCESSES;
	pid_t tgid[TEST_PROCESSES];
	u32 n, i, sum;

	test_find_processes(shares, tgid, TEST_PROCESSES);
	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		ornic_shares_resize(shares, cases[n].slots);
		for (i = 0, sum = 0; i < TEST_PROCESSES; i++)
			sum += test_take_all(shares, &taken[i], tgid[i], false);
		KUNIT_EXPECT_EQ(test, sum, min(cases[n].common, TEST_PARTS));
		for (i = 0; i < TEST_PROCESSES; i++)
			test_give(shares, &taken[i]);

		KUNIT_EXPECT_EQ(test, test_take_all(shares, urgent, tgid[0], true),
				cases[n].slots);
		test_give(shares, urgent);
	}
}

/**
 * struct test_waiter - a thread that waits for a slot
 * @shares:	the shares
 * @tgid:	the process that the slot counts to
 * @urgent:	it may be a slot that is kept from processes
 * @got:	it has one
 * @task:	the thread
 */
struct test_waiter {
	struct ornic_shares *shares;
	pid_t tgid;
	bool urgent;
	struct completion got;
	struct task_struct *task;
};

static int test_waiter_run(void *arg)
{
	struct test_waiter *waiter = arg;
	struct semaphore *share;

	share = ornic_share_take(waiter->shares, waiter->tgid, waiter->urgent, true);
	complete(&waiter->got);
	ornic_share_give(waiter->shares, share);
	return 0;
}

/* A semaphore has no function that tells whether a thread waits for it */
static void test_wait_for_waiter(struct kunit *test, struct semaphore *sem)
{
	unsigned long flags;
	bool waits = false;
	u32 ms;

	for (ms = 0; ms < TEST_TIMEOUT_MS && !waits; ms++) {
		raw_spin_lock_irqsave(&sem->lock, flags);
		waits = sem->first_waiter;
		raw_spin_unlock_irqrestore(&sem->lock, flags);
		msleep(1);
	}
	KUNIT_EXPECT_TRUE(test, waits);
}

static void test_waiter_start(struct kunit *test, struct test_waiter *waiter,
			      struct ornic_shares *shares, pid_t tgid, bool urgent)
{
	waiter->shares = shares;
	waiter->tgid = tgid;
	waiter->urgent = urgent;
	init_completion(&waiter->got);
	waiter->task = kthread_create(test_waiter_run, waiter, "ornic_waiter");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, waiter->task);
	get_task_struct(waiter->task);
	wake_up_process(waiter->task);
}

static void test_waiter_end(struct test_waiter *waiter)
{
	wait_for_completion(&waiter->got);
	kthread_stop(waiter->task);
	put_task_struct(waiter->task);
}

/* Waiters for their own process, for others, and urgent ones go on when a slot is returned */
static void ornic_test_waiters_go_on(struct kunit *test)
{
	struct ornic_shares *shares = test_shares(test, TEST_SLOTS);
	struct test_taken *taken = test_taken(test), *more = taken + 1, *urgent = taken + 2;
	struct test_waiter own = {}, other = {}, now = {};
	pid_t tgid[4];

	test_find_processes(shares, tgid, ARRAY_SIZE(tgid));
	test_take_all(shares, taken, tgid[0], false);
	test_waiter_start(test, &own, shares, tgid[0], false);
	test_wait_for_waiter(test, ornic_share_of(shares, tgid[0]));

	test_take_all(shares, more, tgid[1], false);
	KUNIT_EXPECT_EQ(test, test_take_all(shares, urgent, tgid[2], false),
			TEST_SLOTS - TEST_KEPT - taken->count - more->count);
	test_waiter_start(test, &other, shares, tgid[3], false);
	test_wait_for_waiter(test, &shares->common);
	test_give(shares, urgent);
	test_waiter_end(&other);

	test_take_all(shares, urgent, tgid[0], true);
	test_waiter_start(test, &now, shares, tgid[0], true);
	test_wait_for_waiter(test, &shares->all);
	test_give(shares, urgent);
	test_waiter_end(&now);

	/* A waiter for its own process gets no slot that others return */
	test_give(shares, more);
	test_wait_for_waiter(test, ornic_share_of(shares, tgid[0]));
	test_give(shares, taken);
	test_waiter_end(&own);
	ornic_shares_drain(shares);
	KUNIT_EXPECT_EQ(test, test_take_all(shares, taken, tgid[0], true), TEST_SLOTS);
}

static struct kunit_case ornic_share_cases[] = {
	KUNIT_CASE(ornic_test_processes_have_parts),
	KUNIT_CASE(ornic_test_shares_are_resized),
	KUNIT_CASE(ornic_test_waiters_go_on),
	{}
};

static struct kunit_suite ornic_share_suite = {
	.name = "ornic_share",
	.test_cases = ornic_share_cases,
};

kunit_test_suite(ornic_share_suite);
