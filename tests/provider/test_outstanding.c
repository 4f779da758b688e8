// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A request is outstanding until its completion was polled: a queue takes no
 * more, and a CQ with room for all of its queues is not overrun
 */
#include "fixture.h"

#define CQES	64
#define WRS	8

/**
 * struct queue - a send queue, a receive queue or a WQ
 * @cq: its CQ
 * @qp: QP, or NULL
 * @wq: WQ, if @qp is NULL
 * @send: the send queue of @qp
 * @ex: post by ibv_wr_*
 * @sges: SGEs of a request
 * @from: @posted when the pattern of signaled requests began
 * @posted: requests that were accepted
 * @done: requests that the device is done with
 */
struct queue {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_wq *wq;
	bool send;
	bool ex;
	int sges;
	uint32_t from;
	uint32_t posted;
	uint32_t done;
};

static struct ibv_cq *create_cq(struct fixture *f)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = CQES };
	struct ibv_cq_ex *cq;

	cq = f->ops->create_cq_ex(f->ctx, &attr);
	assert_non_null(cq);
	return ibv_cq_ex_to_cq(cq);
}

static struct ibv_qp *create_qp(struct fixture *f, struct ibv_cq *cq)
{
	struct ibv_qp *qp;

	f->fake.log_sq_slots = 6;
	qp = fake_create_qp(&f->fake, IBV_QPT_RC, cq, WRS, WRS,
			    IBV_QP_EX_WITH_SEND);
	assert_non_null(qp);
	fake_to_state(qp, IBV_QPS_RTS);
	return qp;
}

static struct ibv_wq *create_wq(struct fixture *f, struct ibv_cq *cq)
{
	struct ibv_wq *wq = create_wq_in(f, f->rc->pd, cq, WRS);

	assert_non_null(wq);
	wq_to_state(f, wq, IBV_WQS_RDY);
	return wq;
}

static int post_ex(struct queue *q, const struct ibv_sge *sg, bool signaled)
{
	struct ibv_qp_ex *qp = ex(q->qp);

	ibv_wr_start(qp);
	qp->wr_id = q->posted;
	qp->wr_flags = signaled ? IBV_SEND_SIGNALED : 0;
	ibv_wr_send(qp);
	ibv_wr_set_sge_list(qp, q->sges, sg);
	return ibv_wr_complete(qp);
}

static int post_one(struct queue *q, bool signaled)
{
	struct ibv_sge sg[4] = {};
	struct ibv_recv_wr recv = {
		.wr_id = q->posted, .sg_list = sg, .num_sge = q->sges,
	};
	struct ibv_send_wr send = {
		.wr_id = q->posted, .sg_list = sg, .num_sge = q->sges,
		.opcode = IBV_WR_SEND,
		.send_flags = signaled ? IBV_SEND_SIGNALED : 0,
	};
	struct ibv_recv_wr *bad_recv;
	struct ibv_send_wr *bad_send;

	if (q->ex)
		return post_ex(q, sg, signaled);
	if (q->send)
		return ibv_post_send(q->qp, &send, &bad_send);
	if (q->qp)
		return ibv_post_recv(q->qp, &recv, &bad_recv);
	return ibv_post_wq_recv(q->wq, &recv, &bad_recv);
}

/* One of @every sends is signaled; returns how many requests were accepted */
static uint32_t post(struct queue *q, uint32_t every)
{
	uint32_t from = q->posted;
	int ret;

	while (!(ret = post_one(q, !((q->posted - q->from + 1) % every)))) {
		q->posted++;
		assert_in_range(q->posted - from, 1, WRS);
	}
	assert_int_equal(ret, ENOMEM);
	return q->posted - from;
}

/* The device executes and completes all requests */
static void complete(struct queue *q)
{
	struct fake_qp *queue = q->qp ? fake_qp(q->qp) : fake_wq(q->wq);
	struct ornic_cqe cqe = {};
	struct ornic_rq_hdr hdr;
	struct ornic_sge sge[4];
	struct fake_wqe wqe;

	while (q->send ? fake_take_send(queue, IBV_QPT_RC, &wqe) :
			 fake_take_recv(queue, &hdr, sge)) {
		cqe.wr_id = htole64(q->done++);
		cqe.qpn = htole32(queue->qpn);
		if (q->send) {
			fake_release_sends(queue);
			if (!(wqe.flags & ORNIC_SEND_SIGNALED))
				continue;
			cqe.sq_num = htole32(q->done);
			cqe.qpn |= htole32(ORNIC_PREP(ORNIC_CQE_FLAGS,
						      ORNIC_WC_SEND_QUEUE));
		}
		fake_complete(fake_cq(q->cq), &cqe);
	}
	assert_int_equal(q->done, q->posted);
}

static void poll_plain(struct ibv_cq *cq, int num)
{
	struct ibv_wc wc[CQES];

	assert_int_equal(ibv_poll_cq(cq, num, wc), num);
}

static void poll_single(struct ibv_cq *cq, int num)
{
	for (; num; num--)
		poll_plain(cq, 1);
}

static void poll_ex(struct ibv_cq *cq, int num)
{
	struct ibv_cq_ex *cq_ex = (struct ibv_cq_ex *)cq;
	struct ibv_poll_cq_attr attr = {};

	assert_int_equal(ibv_start_poll(cq_ex, &attr), 0);
	while (--num)
		assert_int_equal(ibv_next_poll(cq_ex), 0);
	ibv_end_poll(cq_ex);
}

typedef void (*poll_fn)(struct ibv_cq *cq, int num);

static const poll_fn polls[] = { poll_plain, poll_single, poll_ex };

/* [ORNIC-ORD-4] Each completion frees what it tells, and nothing does before it was polled */
static void check_queue(struct queue *q, uint32_t every, poll_fn poll)
{
	uint32_t i, n;

	q->from = q->posted;
	assert_int_equal(post(q, every), WRS);
	for (i = 0; i < 30; i++) {
		complete(q);
		assert_int_equal(post(q, every), 0);
		n = i % (WRS / every) + 1;
		poll(q->cq, n);
		assert_int_equal(post(q, every), n * every);
		complete(q);
		poll(q->cq, WRS / every);
		assert_int_equal(post(q, every), WRS);
	}
	complete(q);
	poll(q->cq, WRS / every);
}

TEST(sends_are_outstanding_until_polled, struct fixture *f, IN_OWN)
{
	struct ibv_cq *cq = create_cq(f);
	struct ibv_qp *qp = create_qp(f, cq);
	struct queue q = { .cq = cq, .qp = qp, .send = true };
	uint32_t every;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(polls); i++)
		for (q.ex = false; ; q.ex = true) {
			/* One or two slots each */
			for (q.sges = 1; q.sges < 4; q.sges += 2)
				for (every = 1; every <= 4; every *= 2)
					check_queue(&q, every, polls[i]);
			if (q.ex)
				break;
		}
}

TEST(receives_are_outstanding_until_polled, struct fixture *f, IN_OWN)
{
	struct ibv_cq *cq = create_cq(f);
	struct queue rq = { .cq = cq, .qp = create_qp(f, cq), .sges = 1 };
	struct queue wq = { .cq = cq, .wq = create_wq(f, cq), .sges = 1 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(polls); i++) {
		check_queue(&rq, 1, polls[i]);
		check_queue(&wq, 1, polls[i]);
	}
}

/* Unsignaled requests alone are outstanding until a completion follows */
TEST(unsignaled_sends_need_a_completion, struct fixture *f, IN_OWN)
{
	struct ibv_cq *cq = create_cq(f);
	struct ibv_qp *qp = create_qp(f, cq);
	struct queue q = { .cq = cq, .qp = qp, .send = true, .sges = 1 };
	uint32_t i;

	for (i = 0; i < WRS - 1; i++, q.posted++)
		assert_int_equal(post_one(&q, false), 0);
	complete(&q);
	assert_int_equal(post(&q, 1), 1);
	complete(&q);
	assert_int_equal(post(&q, 1), 0);
	poll_plain(cq, 1);
	assert_int_equal(post(&q, 1), WRS);
}

/* Completions of all queues in turn, polled in batches of any size */
TEST(queues_share_a_cq, struct fixture *f, IN_OWN)
{
	struct ibv_cq *cq = create_cq(f);
	struct ibv_qp *qps[] = { create_qp(f, cq), create_qp(f, cq) };
	struct queue queues[] = {
		{ .cq = cq, .qp = qps[0], .send = true, .sges = 1 },
		{ .cq = cq, .qp = qps[0], .sges = 1 },
		{ .cq = cq, .qp = qps[1], .send = true, .sges = 3 },
		{ .cq = cq, .qp = qps[1], .sges = 1 },
		{ .cq = cq, .wq = create_wq(f, cq), .sges = 1 },
	};
	uint32_t round, batch, i, n;
	struct queue *q;

	for (round = 0; round < 60; round++) {
		for (n = 0; n < WRS; n++)
			for (i = 0; i < ARRAY_SIZE(queues); i++) {
				q = &queues[i];
				assert_int_equal(post_one(q, true), 0);
				q->posted++;
				complete(q);
			}
		for (i = 0; i < ARRAY_SIZE(queues); i++)
			assert_int_equal(post(&queues[i], 1), 0);
		for (n = WRS * ARRAY_SIZE(queues); n; n -= batch) {
			batch = round % 7 + 1 < n ? round % 7 + 1 : n;
			polls[round % ARRAY_SIZE(polls)](cq, batch);
		}
	}
	for (i = 0; i < ARRAY_SIZE(queues); i++)
		assert_int_equal(post(&queues[i], 1), WRS);
}

/* Nothing is outstanding after RESET, and numbers begin anew */
TEST(reset_ends_all_requests, struct fixture *f, IN_OWN)
{
	struct ibv_cq *cq = create_cq(f);
	struct ibv_qp *qp = create_qp(f, cq);
	struct queue queues[] = {
		{ .cq = cq, .qp = qp, .send = true, .sges = 3 },
		{ .cq = cq, .qp = qp, .sges = 1 },
	};
	uint32_t i, round;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < ARRAY_SIZE(queues); i++) {
			assert_int_equal(post(&queues[i], 1), WRS);
			complete(&queues[i]);
			poll_plain(cq, 3);
			assert_int_equal(post(&queues[i], 1), 3);
			poll_plain(cq, WRS - 3);
		}
		fake_to_state(qp, IBV_QPS_RESET);
		fake_to_state(qp, IBV_QPS_RTS);
		for (i = 0; i < ARRAY_SIZE(queues); i++)
			queues[i].posted = queues[i].done = 0;
	}
	for (i = 0; i < ARRAY_SIZE(queues); i++)
		check_queue(&queues[i], 1, poll_plain);
}

/* A new QP with the number of an old one; the CQ may remember either */
TEST(a_number_is_used_again, struct fixture *f, IN_OWN)
{
	struct ibv_cq *cq = create_cq(f);
	uint32_t num = 0, round;
	struct queue q = { .cq = cq, .send = true, .sges = 1 };

	for (round = 0; round < 3; round++) {
		q.qp = create_qp(f, cq);
		assert_true(!round || q.qp->qp_num == num);
		num = q.qp->qp_num;
		q.posted = q.done = 0;
		check_queue(&q, 1, poll_plain);
		assert_int_equal(f->ops->destroy_qp(q.qp), 0);
	}
}

/* Neither a transaction that is taken back nor one that fails counts */
TEST(what_was_taken_back_is_not_outstanding, struct fixture *f, IN_OWN)
{
	struct ibv_cq *cq = create_cq(f);
	struct ibv_qp *qp = create_qp(f, cq);
	struct queue q = { .cq = cq, .qp = qp, .send = true, .sges = 3 };
	struct ibv_sge sg[4] = {};
	int i, n;

	for (i = 0; i < 40; i++) {
		ibv_wr_start(ex(qp));
		for (n = 0; n < i % (WRS + 3); n++) {
			ibv_wr_send(ex(qp));
			ibv_wr_set_sge_list(ex(qp), i % 5, sg);
		}
		if (i % 2)
			ibv_wr_abort(ex(qp));
		else if (n > WRS)
			assert_int_equal(ibv_wr_complete(ex(qp)), ENOMEM);
		else
			ibv_wr_abort(ex(qp));
		check_queue(&q, 1, poll_plain);
	}
}

/* Such a number is a device error; the queue counts as full */
TEST(a_number_from_nowhere_is_not_believed, struct fixture *f, IN_OWN)
{
	struct ibv_cq *cq = create_cq(f);
	struct ibv_qp *qp = create_qp(f, cq);
	struct queue q = { .cq = cq, .qp = qp, .send = true, .sges = 1 };
	struct ornic_cqe cqe = {
		.sq_num = htole32(WRS + 1),
		.qpn = htole32(qp->qp_num | ORNIC_PREP(ORNIC_CQE_FLAGS,
						       ORNIC_WC_SEND_QUEUE)),
	};

	assert_int_equal(post(&q, 1), WRS);
	complete(&q);
	fake_complete(fake_cq(cq), &cqe);
	poll_plain(cq, WRS + 1);
	assert_int_equal(post(&q, 1), 0);
}

TEST_MAIN("outstanding")
