// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two threads: one comes in the middle of what the other does.
 */
#include <sched.h>

#include "fixture.h"
#include "meanwhile.h"

/* The second thread, and what it is to work on */
static struct {
	struct meanwhile thread;
	enum meanwhile_end end;
	struct ibv_qp *qp;
	struct ibv_wq *wq;
	struct ibv_wc wc;
	void (*run)(void *arg);
} other;

static struct fixture *fixture_of(struct fake *fake)
{
	return container_of(fake, struct fixture, fake);
}

static struct ibv_pd *pd_of(struct fixture *f)
{
	static struct ornic_pd pd;

	pd.ibv_pd.context = &f->fake.ctx->context;
	return &pd.ibv_pd;
}

static void complete(struct fixture *f, uint32_t num, uint64_t wr_id)
{
	struct ornic_cqe cqe = {
		.wr_id = htole64(wr_id), .qpn = htole32(num),
	};

	fake_complete(fake_cq(f->cq), &cqe);
}

static struct ibv_wq *create_wq(struct fixture *f)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = 4, .max_sge = 1,
		.pd = pd_of(f), .cq = f->cq,
	};

	return f->fake.ops->create_wq(&f->fake.ctx->context, &attr);
}

/* ---- numbers of QPs and WQs ------------------------------------------- */

/* Gets the number that has just become free, and completes at once. */
static void create_qp_and_complete(void *arg)
{
	struct fixture *f = arg;

	other.qp = create_qp_in(f, pd_of(f), f->cq);
	complete(f, other.qp->qp_num, 2);
}

static void create_wq_and_complete(void *arg)
{
	struct fixture *f = arg;

	other.wq = create_wq(f);
	complete(f, other.wq->wq_num, 2);
}

static void while_qp_is_destroyed(struct fake *fake)
{
	other.end = meanwhile_start(&other.thread, create_qp_and_complete,
				    fixture_of(fake));
}

static void while_wq_is_destroyed(struct fake *fake)
{
	other.end = meanwhile_start(&other.thread, create_wq_and_complete,
				    fixture_of(fake));
}

static void assert_completion_of(struct fixture *f, uint32_t num)
{
	struct ibv_wc wc;

	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
	assert_int_equal(wc.qp_num, num);
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 0);
}

static void a_new_qp_of_the_same_number_keeps_its_completions(void **state)
{
	struct fixture *f = *state;
	struct ibv_qp *qp = create_qp_in(f, pd_of(f), f->cq);
	uint32_t num = qp->qp_num;

	complete(f, num, 1);
	f->fake.then = while_qp_is_destroyed;
	assert_int_equal(f->fake.ops->destroy_qp(qp), 0);
	meanwhile_finish(&other.thread);

	assert_int_equal(other.qp->qp_num, num);
	assert_completion_of(f, num);
	assert_int_equal(other.end, MEANWHILE_SLEEPS);
	assert_int_equal(f->fake.ops->destroy_qp(other.qp), 0);
}

static void a_new_wq_of_the_same_number_keeps_its_completions(void **state)
{
	struct fixture *f = *state;
	struct ibv_wq *wq = create_wq(f);
	uint32_t num = wq->wq_num;

	complete(f, num, 1);
	f->fake.then = while_wq_is_destroyed;
	assert_int_equal(f->fake.ops->destroy_wq(wq), 0);
	meanwhile_finish(&other.thread);

	assert_int_equal(other.wq->wq_num, num);
	assert_completion_of(f, num);
	assert_int_equal(other.end, MEANWHILE_SLEEPS);
	assert_int_equal(f->fake.ops->destroy_wq(other.wq), 0);
}

/* WQs and QPs have their numbers from one space. */
static void a_new_qp_waits_for_a_wq(void **state)
{
	struct fixture *f = *state;
	struct ibv_wq *wq = create_wq(f);

	f->fake.then = while_qp_is_destroyed;
	assert_int_equal(f->fake.ops->destroy_wq(wq), 0);
	meanwhile_finish(&other.thread);
	assert_int_equal(other.end, MEANWHILE_SLEEPS);
	assert_completion_of(f, other.qp->qp_num);
	assert_int_equal(f->fake.ops->destroy_qp(other.qp), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_case(a_new_qp_of_the_same_number_keeps_its_completions),
		test_case(a_new_wq_of_the_same_number_keeps_its_completions),
		test_case(a_new_qp_waits_for_a_wq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
