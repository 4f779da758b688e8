// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Kernel verbs without memory: each allocation of a call fails once. The call returns -ENOMEM and
 * loses nothing, and the same call then works. The attributes of failslab and fail_page_alloc must
 * let allocations fail that may sleep (tests/e2e/guest/nomem.c, `ready`).
 */
#include <linux/sched.h>

#include "verbs_kunit.h"

/* More allocations than any of the calls makes */
#define TEST_ALLOCATIONS	1000u
#define TEST_CQES		128
#define TEST_PAGES		600	/* the page list has more than one page */

/* Returns whether an allocation has failed */
static bool test_fail(struct verbs *v, void *(*make)(struct verbs *v), u32 n, void **made)
{
	bool failed;

	current->fail_nth = n;
	*made = make(v);
	failed = !current->fail_nth;
	current->fail_nth = 0;
	return failed;
}

/* @drop: gets what @make has returned. Return: 0, or a negative error number. */
static void test_sweep(struct kunit *test, void *(*make)(struct verbs *v), int (*drop)(void *made))
{
	struct verbs *v = test->priv;
	u32 n = 0, refused = 0;
	bool failed;
	void *made;

	do {
		KUNIT_ASSERT_LT(test, ++n, TEST_ALLOCATIONS);
		failed = test_fail(v, make, n, &made);
		if (IS_ERR(made)) {
			KUNIT_EXPECT_TRUE(test, failed);
			KUNIT_EXPECT_EQ(test, PTR_ERR(made), -ENOMEM);
			refused++;
			made = make(v);
		}
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(made), "n = %u: %pe", n, made);
		KUNIT_EXPECT_EQ(test, drop(made), 0);
	} while (failed);
	KUNIT_EXPECT_GT(test, refused, 0u);
}

static void *test_make_cq(struct verbs *v)
{
	return ib_alloc_cq(v->ibdev, NULL, TEST_CQES, 0, IB_POLL_WORKQUEUE);
}

static int test_drop_cq(void *cq)
{
	ib_free_cq(cq);
	return 0;
}

static void ornic_test_nomem_alloc_cq(struct kunit *test)
{
	test_sweep(test, test_make_cq, test_drop_cq);
}

static void *test_make_qp(struct verbs *v)
{
	return verbs_create_qp(v, IB_QPT_RC, v->cqs[0], NULL);
}

static int test_drop_qp(void *qp)
{
	return ib_destroy_qp(qp);
}

static void ornic_test_nomem_create_qp(struct kunit *test)
{
	test_sweep(test, test_make_qp, test_drop_qp);
}

static void *test_make_srq(struct verbs *v)
{
	struct ib_srq_init_attr init = {
		.attr = { .max_wr = VERBS_WRS, .max_sge = 1 },
		.srq_type = IB_SRQT_BASIC,
	};

	return ib_create_srq(v->pd, &init);
}

static int test_drop_srq(void *srq)
{
	ib_destroy_srq(srq);
	return 0;
}

static void ornic_test_nomem_create_srq(struct kunit *test)
{
	test_sweep(test, test_make_srq, test_drop_srq);
}

static void *test_make_mr(struct verbs *v)
{
	return ib_alloc_mr(v->pd, IB_MR_TYPE_MEM_REG, TEST_PAGES);
}

static int test_drop_mr(void *mr)
{
	return ib_dereg_mr(mr);
}

static void ornic_test_nomem_alloc_mr(struct kunit *test)
{
	test_sweep(test, test_make_mr, test_drop_mr);
}

static struct kunit_case ornic_nomem_cases[] = {
	KUNIT_CASE(ornic_test_nomem_alloc_cq),
	KUNIT_CASE(ornic_test_nomem_create_qp),
	KUNIT_CASE(ornic_test_nomem_create_srq),
	KUNIT_CASE(ornic_test_nomem_alloc_mr),
	{}
};

static struct kunit_suite ornic_nomem_suite = {
	.name = "ornic_nomem",
	.init = verbs_init,
	.exit = verbs_exit,
	.test_cases = ornic_nomem_cases,
};

kunit_test_suite(ornic_nomem_suite);
