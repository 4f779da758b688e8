// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Two threads: one runs in the middle of a call of the other */
#include <sched.h>

#include "fixture.h"
#include "meanwhile.h"

/* The second thread and its objects */
static struct {
	struct meanwhile thread;
	enum meanwhile_end end;
	struct ibv_qp *qp;
	struct ibv_wq *wq;
	struct ibv_srq *srq;
	struct ibv_wc wc;
	void (*run)(void *arg);
} other;

#define SRQ_WRS	8

static void start_other(struct fake *fake)
{
	other.end = meanwhile_start(&other.thread, other.run,
				    container_of(fake, struct fixture, fake));
}

/* Calls @run in the second thread after the next command of the fake kernel */
static void run_meanwhile(struct fixture *f, void (*run)(void *arg))
{
	other.run = run;
	f->fake.then = start_other;
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
	return create_wq_in(f, f->rc->pd, f->cq, 4);
}

static struct ibv_srq *create_srq(struct fixture *f)
{
	struct ibv_srq *srq = create_srq_in(f, f->rc->pd, SRQ_WRS, RECV_SGES);

	assert_non_null(srq);
	return srq;
}

/* ---- numbers of QPs and WQs ------------------------------------------- */

/* The new QP gets the number that has become free, and completes at once */
static void create_qp_and_complete(void *arg)
{
	struct fixture *f = arg;

	other.qp = create_qp_in(f, f->rc->pd, f->cq);
	complete(f, other.qp->qp_num, 2);
}

static void create_wq_and_complete(void *arg)
{
	struct fixture *f = arg;

	other.wq = create_wq(f);
	complete(f, other.wq->wq_num, 2);
}

static void assert_completion_of(struct fixture *f, uint32_t num)
{
	struct ibv_wc wc;

	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
	assert_int_equal(wc.qp_num, num);
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 0);
}

TEST(a_new_qp_of_the_same_number_keeps_its_completions, struct fixture *f, IN_OWN)
{
	struct ibv_qp *qp = create_qp_in(f, f->rc->pd, f->cq);
	uint32_t num = qp->qp_num;

	complete(f, num, 1);
	run_meanwhile(f, create_qp_and_complete);
	assert_int_equal(f->ops->destroy_qp(qp), 0);
	meanwhile_finish(&other.thread);

	assert_int_equal(other.qp->qp_num, num);
	assert_completion_of(f, num);
	assert_int_equal(other.end, MEANWHILE_DONE);
}

TEST(a_new_wq_of_the_same_number_keeps_its_completions, struct fixture *f, IN_OWN)
{
	struct ibv_wq *wq = create_wq(f);
	uint32_t num = wq->wq_num;

	complete(f, num, 1);
	run_meanwhile(f, create_wq_and_complete);
	assert_int_equal(f->ops->destroy_wq(wq), 0);
	meanwhile_finish(&other.thread);

	assert_int_equal(other.wq->wq_num, num);
	assert_completion_of(f, num);
	assert_int_equal(other.end, MEANWHILE_DONE);
}

/* WQs and QPs share one space of numbers */
TEST(a_new_qp_waits_for_no_wq, struct fixture *f, IN_OWN)
{
	struct ibv_wq *wq = create_wq(f);

	run_meanwhile(f, create_qp_and_complete);
	assert_int_equal(f->ops->destroy_wq(wq), 0);
	meanwhile_finish(&other.thread);
	assert_int_equal(other.end, MEANWHILE_DONE);
	assert_completion_of(f, other.qp->qp_num);
}

static void destroy_qp(void *arg)
{
	struct fixture *f = arg;

	assert_int_equal(f->ops->destroy_qp(other.qp), 0);
}

static void destroy_or_create(void *arg)
{
	struct fixture *f = arg;
	struct ibv_qp *qp = create_qp_in(f, f->rc->pd, f->cq);
	struct ibv_wq *wq = create_wq(f);

	assert_int_equal(f->ops->destroy_wq(wq), 0);
	assert_int_equal(f->ops->destroy_qp(qp), 0);
	destroy_qp(f);
}

/*
 * ibv_cmd_destroy_qp() waits until all events of the QP are acknowledged. The
 * thread that has one may create and destroy other objects first.
 */
TEST(nobody_waits_for_the_command_of_another_thread, struct fixture *f, IN_OWN)
{
	struct ibv_qp *qp = create_qp_in(f, f->rc->pd, f->cq);

	other.qp = create_qp_in(f, f->rc->pd, f->cq);
	run_meanwhile(f, destroy_or_create);
	assert_int_equal(f->ops->destroy_qp(qp), 0);
	meanwhile_finish(&other.thread);
	assert_int_equal(other.end, MEANWHILE_DONE);
}

static void create_another(void *arg)
{
	struct fixture *f = arg;

	assert_int_equal(f->ops->destroy_wq(create_wq(f)), 0);
}

/* A thread after ibv_start_poll() has the lock of the CQ */
TEST(a_poller_may_create_while_completions_are_dropped, struct fixture *f, IN_OWN)
{
	struct ornic_lock *lock = &to_ornic_cq(f->cq)->lock;
	struct meanwhile poller;
	enum meanwhile_end end;

	other.qp = create_qp_in(f, f->rc->pd, f->cq);
	f->cq = f->ops->create_cq(f->ctx, 8, NULL, 0);
	assert_non_null(f->cq);
	pthread_spin_lock(&lock->spin);
	other.end = meanwhile_start(&other.thread, destroy_qp, f);
	end = meanwhile_start(&poller, create_another, f);
	pthread_spin_unlock(&lock->spin);
	meanwhile_finish(&poller);
	meanwhile_finish(&other.thread);
	assert_int_equal(other.end, MEANWHILE_SPINS);
	assert_int_equal(end, MEANWHILE_DONE);
}

/* ---- resizing a CQ ---------------------------------------------------- */

static void poll_one(void *arg)
{
	struct fixture *f = arg;

	assert_int_equal(ibv_poll_cq(f->cq, 1, &other.wc), 1);
}

static void start_poll_one(void *arg)
{
	struct ibv_poll_cq_attr attr = {};
	struct fixture *f = arg;
	struct ibv_cq_ex *cq = &to_ornic_cq(f->cq)->vcq.cq_ex;

	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	other.wc.wr_id = cq->wr_id;
	ibv_end_poll(cq);
}

static void arm(void *arg)
{
	struct fixture *f = arg;

	assert_int_equal(ibv_req_notify_cq(f->cq, 0), 0);
}

/* Resizes the CQ; calls @run in the second thread after the device resized it */
static void resize_while(struct fixture *f, void (*run)(void *arg), int ret)
{
	run_meanwhile(f, run);
	assert_int_equal(f->ops->resize_cq(f->cq, 32), ret);
	meanwhile_finish(&other.thread);
	/* The command may take long, so other threads must not spin */
	assert_int_equal(other.end, MEANWHILE_SLEEPS);
}

/* [ORNIC-EFF-3] */
TEST(polls_wait_for_the_new_ring, struct fixture *f, IN_OWN)
{
	complete(f, f->rc->qp_num, 7);
	complete(f, f->rc->qp_num, 8);
	resize_while(f, poll_one, 0);
	assert_int_equal(other.wc.wr_id, 7);
	assert_int_equal(le32toh(fake_cq(f->cq)->dbr->ci), 1);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &other.wc), 1);
	assert_int_equal(other.wc.wr_id, 8);
}

TEST(extended_polls_wait_for_the_new_ring, struct fixture *f, IN_OWN)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 8 };
	struct ibv_cq_ex *cq;

	cq = f->ops->create_cq_ex(f->ctx, &attr);
	assert_non_null(cq);
	f->cq = ibv_cq_ex_to_cq(cq);
	complete(f, f->rc->qp_num, 7);
	resize_while(f, start_poll_one, 0);
	assert_int_equal(other.wc.wr_id, 7);
	assert_int_equal(le32toh(fake_cq(f->cq)->dbr->ci), 1);
}

TEST(requests_wait_for_the_new_record, struct fixture *f, IN_OWN)
{
	resize_while(f, arm, 0);
	assert_int_equal(le32toh(fake_cq(f->cq)->dbr->arm) & ORNIC_ARM_TYPE,
			 ORNIC_ARM_NEXT);
}

TEST(completions_are_dropped_from_the_new_ring, struct fixture *f, IN_OWN)
{
	struct ibv_wc wc;

	other.qp = create_qp_in(f, f->rc->pd, f->cq);
	complete(f, other.qp->qp_num, 1);
	complete(f, f->rc->qp_num, 2);
	resize_while(f, destroy_qp, 0);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 0);
}

static void poll_nothing(void *arg)
{
	struct fixture *f = arg;

	assert_int_equal(ibv_poll_cq(f->cq, 1, &other.wc), -1);
}

/* The device has left the old ring, and so has the provider */
TEST(those_who_wait_see_that_the_ring_is_lost, struct fixture *f, IN_OWN)
{
	complete(f, f->rc->qp_num, 7);
	f->fake.bad_mmap = true;
	resize_while(f, poll_nothing, EINVAL);
}

/* ---- resizing an SRQ -------------------------------------------------- */

static int post_srq(struct fixture *f, uint64_t n)
{
	struct ibv_sge sg[2][RECV_SGES];
	struct ibv_recv_wr wrs[] = { recv_wr(n, sg[0]), recv_wr(n + 1, sg[1]) };
	struct ibv_recv_wr *bad = NULL;
	int ret;

	wrs[0].next = &wrs[1];
	ret = f->ops->post_srq_recv(other.srq, wrs, &bad);
	if (ret)
		assert_ptr_equal(bad, wrs);
	return ret;
}

static void post_two(void *arg)
{
	assert_int_equal(post_srq(arg, 2), 0);
}

static void post_to_closed(void *arg)
{
	assert_int_equal(post_srq(arg, 2), EINVAL);
}

/* As resize_while(), for an SRQ */
static void resize_srq_while(struct fixture *f, void (*run)(void *arg), int ret)
{
	struct ibv_srq_attr attr = { .max_wr = 4 * SRQ_WRS };

	run_meanwhile(f, run);
	assert_int_equal(f->ops->modify_srq(other.srq, &attr, IBV_SRQ_MAX_WR),
			 ret);
	meanwhile_finish(&other.thread);
	assert_int_equal(other.end, MEANWHILE_SLEEPS);
}

/* [ORNIC-EFF-3] */
TEST(receives_wait_for_the_new_ring, struct fixture *f, IN_OWN)
{
	uint64_t n;

	other.srq = create_srq(f);
	assert_int_equal(post_srq(f, 0), 0);
	resize_srq_while(f, post_two, 0);
	for (n = 0; n < 4; n++)
		take_recv(fake_srq(other.srq), n);
}

/* The device has left the old ring */
TEST(receives_that_wait_for_a_lost_ring_are_refused, struct fixture *f, IN_OWN)
{
	other.srq = create_srq(f);
	f->fake.bad_mmap = true;
	resize_srq_while(f, post_to_closed, EINVAL);
}

/* ---- states of queues ------------------------------------------------- */

static void qp_to_init(void *arg)
{
	fake_to_state(other.qp, IBV_QPS_INIT);
}

static void qp_to_rts(void *arg)
{
	fake_to_state(other.qp, IBV_QPS_RTS);
}

static void wq_to_rdy(void *arg)
{
	struct fixture *f = arg;
	struct ibv_wq_attr attr = {
		.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY,
	};

	assert_int_equal(f->ops->modify_wq(other.wq, &attr), 0);
}

/* The first thread holds @lock, as if it were posting */
static void assert_waits(struct fixture *f, struct ornic_lock *lock,
			 void (*run)(void *arg))
{
	enum meanwhile_end end;

	pthread_spin_lock(&lock->spin);
	end = meanwhile_start(&other.thread, run, f);
	pthread_spin_unlock(&lock->spin);
	meanwhile_finish(&other.thread);
	assert_int_equal(end, MEANWHILE_SPINS);
}

TEST(a_queue_does_not_open_while_it_is_used, struct fixture *f, IN_OWN)
{
	struct ornic_qp *qp;

	other.qp = create_qp_in(f, f->rc->pd, f->cq);
	qp = to_ornic_qp(other.qp);
	assert_waits(f, &qp->rq.lock, qp_to_init);
	assert_true(qp->rq.open);
	assert_waits(f, &qp->sq.lock, qp_to_rts);
	assert_int_equal(qp->sq.ops, qp->ops);
	fake_to_state(other.qp, IBV_QPS_RESET);
	assert_waits(f, &qp->rq.lock, qp_to_rts);
	assert_int_equal(f->ops->destroy_qp(other.qp), 0);

	other.wq = create_wq(f);
	assert_waits(f, &to_ornic_wq(other.wq)->rq.lock, wq_to_rdy);
	assert_true(to_ornic_wq(other.wq)->rq.open);
}

/* ---- concurrent threads, for ThreadSanitizer --------------------------- */

#define ROUNDS	100

/* Progress of the threads */
static atomic_int polled;
static atomic_bool finished;

static void *run_other(void *arg)
{
	other.run(arg);
	return NULL;
}

/* Data path only: the fake kernel is not thread-safe */
static void use_queues(void *arg)
{
	struct ibv_recv_wr recv = {}, *bad_recv;
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND }, *bad_send;
	struct fixture *f = arg;
	struct ibv_wc wc;
	bool last;

	do {
		last = atomic_load(&finished);
		while (ibv_poll_cq(f->cq, 1, &wc))
			if (wc.wr_id == 1)
				atomic_fetch_add(&polled, 1);
		ibv_req_notify_cq(f->cq, atomic_load(&polled) & 1);
		ibv_post_recv(f->rc, &recv, &bad_recv);
		f->ops->post_srq_recv(other.srq, &recv, &bad_recv);
		ibv_post_send(f->rc, &send, &bad_send);
	} while (!last);
}

TEST(threads_run_at_once, struct fixture *f, IN_OWN)
{
	struct ibv_srq_attr attr = { .max_wr = SRQ_WRS };
	struct ibv_qp *qp;
	pthread_t thread;
	int i;

	atomic_store(&polled, 0);
	atomic_store(&finished, false);
	other.run = use_queues;
	other.srq = create_srq(f);
	assert_int_equal(pthread_create(&thread, NULL, run_other, f), 0);
	for (i = 0; i < ROUNDS; i++) {
		fake_to_state(f->rc, IBV_QPS_RTS);
		qp = create_qp_in(f, f->rc->pd, f->cq);
		assert_non_null(qp);
		complete(f, qp->qp_num, 2);
		complete(f, f->rc->qp_num, 1);
		assert_int_equal(f->ops->resize_cq(f->cq, 8 << i % 3), 0);
		assert_int_equal(f->ops->modify_srq(other.srq, &attr,
						    IBV_SRQ_MAX_WR), 0);
		assert_int_equal(f->ops->destroy_qp(qp), 0);
		while (atomic_load(&polled) <= i)
			sched_yield();
	}
	atomic_store(&finished, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(atomic_load(&polled), ROUNDS);
}

TEST_MAIN("threads")
