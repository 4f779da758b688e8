// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* SRQs of kernel consumers, and refusals for their QPs */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/sizes.h>

#include "verbs_kunit.h"

#define TEST_BYTES	64u

/**
 * struct test_srq - an SRQ that two pairs of QPs use
 * @v:		the fixture
 * @srq:	SRQ of QP 1 of each pair
 * @pairs:	the second has its CQs swapped
 * @buf:	buffer of all sends and receives
 * @limit:	completed by the limit event
 */
struct test_srq {
	struct verbs *v;
	struct ib_srq *srq;
	struct verbs_pair pairs[2];
	struct verbs_buf buf;
	struct completion limit;
};

static void test_srq_event(struct ib_event *event, void *context)
{
	struct test_srq *ts = context;

	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		complete(&ts->limit);
}

static void test_srq_init(struct verbs *v, struct test_srq *ts)
{
	struct ib_srq_init_attr init = {
		.event_handler = test_srq_event,
		.srq_context = ts,
		.attr = { .max_wr = VERBS_WRS, .max_sge = 1 },
	};

	ts->v = v;
	init_completion(&ts->limit);
	ts->srq = ib_create_srq(v->pd, &init);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(v->test, ts->srq);
	KUNIT_ASSERT_EQ(v->test, init.attr.max_wr, VERBS_WRS);
	verbs_pair_init(v, &ts->pairs[0], IB_QPT_RC, ts->srq);
	swap(v->cqs[0], v->cqs[1]);
	verbs_pair_init(v, &ts->pairs[1], IB_QPT_RC, ts->srq);
	swap(v->cqs[0], v->cqs[1]);
	verbs_buf_init(v, &ts->buf, TEST_BYTES);
}

static void test_srq_exit(struct test_srq *ts)
{
	verbs_pair_exit(&ts->pairs[1]);
	verbs_pair_exit(&ts->pairs[0]);
	KUNIT_EXPECT_EQ(ts->v->test, ib_destroy_srq_user(ts->srq, NULL), 0);
	verbs_buf_exit(&ts->buf);
}

static int test_srq_post(struct test_srq *ts, struct verbs_wr *done)
{
	struct ib_sge sge = ts->buf.sge;
	struct ib_recv_wr wr = {
		.wr_cqe = verbs_wr_init(done),
		.sg_list = &sge,
		.num_sge = 1,
	};

	return ib_post_srq_recv(ts->srq, &wr, NULL);
}

/* Sends from QP 0 of a pair, which completes on the CQ with the number of the pair */
static void test_srq_send(struct test_srq *ts, u32 pair, u32 imm)
{
	struct ib_send_wr wr = {
		.wr_cqe = NULL,
		.opcode = IB_WR_SEND_WITH_IMM,
		.sg_list = &ts->buf.sge,
		.num_sge = 1,
		.ex.imm_data = cpu_to_be32(imm),
	};
	struct verbs_wr done;

	wr.wr_cqe = verbs_wr_init(&done);
	KUNIT_ASSERT_EQ(ts->v->test, ib_post_send(ts->pairs[pair].qps[0], &wr, NULL), 0);
	KUNIT_ASSERT_TRUE(ts->v->test, verbs_wait(ts->v, pair, &done));
	KUNIT_ASSERT_EQ(ts->v->test, done.wc.status, IB_WC_SUCCESS);
}

/*
 * The two QPs take receives in turn. They are polled in reverse order, and each QP has another CQ.
 */
static void ornic_test_srq_any_order(struct kunit *test)
{
	struct verbs_wr received[VERBS_WRS];
	struct verbs *v = test->priv;
	struct test_srq ts;
	u32 round, i;

	test_srq_init(v, &ts);
	for (round = 0; round < 5; round++) {
		for (i = 0; i < VERBS_WRS; i++)
			KUNIT_ASSERT_EQ(test, test_srq_post(&ts, &received[i]), 0);
		/* One more than the SRQ holds, though the device has taken none */
		KUNIT_ASSERT_EQ(test, test_srq_post(&ts, &received[0]), -ENOMEM);
		verbs_wr_init(&received[0]);

		for (i = 0; i < VERBS_WRS; i++)
			test_srq_send(&ts, i % 2, 100 * round + i);
		for (i = VERBS_WRS; i--;)
			KUNIT_ASSERT_TRUE(test, verbs_wait(v, !(i % 2), &received[i]));
		for (i = 0; i < VERBS_WRS; i++) {
			KUNIT_ASSERT_EQ(test, received[i].wc.status, IB_WC_SUCCESS);
			KUNIT_ASSERT_EQ(test, received[i].wc.byte_len, TEST_BYTES);
			KUNIT_ASSERT_EQ(test, be32_to_cpu(received[i].wc.ex.imm_data),
					100 * round + i);
			KUNIT_ASSERT_PTR_EQ(test, received[i].wc.qp, ts.pairs[i % 2].qps[1]);
		}
	}
	test_srq_exit(&ts);
}

static void ornic_test_srq_limit(struct kunit *test)
{
	struct ib_srq_attr attr = { .srq_limit = 3 };
	struct verbs_wr received[4];
	struct verbs *v = test->priv;
	struct test_srq ts;
	u32 i;

	test_srq_init(v, &ts);
	for (i = 0; i < ARRAY_SIZE(received); i++)
		KUNIT_ASSERT_EQ(test, test_srq_post(&ts, &received[i]), 0);
	KUNIT_ASSERT_EQ(test, ib_modify_srq(ts.srq, &attr, IB_SRQ_LIMIT), 0);
	KUNIT_ASSERT_EQ(test, ib_query_srq(ts.srq, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.srq_limit, 3);
	KUNIT_EXPECT_EQ(test, attr.max_wr, VERBS_WRS);

	test_srq_send(&ts, 0, 0);
	KUNIT_EXPECT_FALSE(test, completion_done(&ts.limit));
	test_srq_send(&ts, 0, 1);
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&ts.limit, VERBS_TIMEOUT), 0);
	/* Only once */
	test_srq_send(&ts, 0, 2);
	KUNIT_EXPECT_FALSE(test, completion_done(&ts.limit));
	KUNIT_ASSERT_EQ(test, ib_query_srq(ts.srq, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.srq_limit, 0);
	KUNIT_EXPECT_TRUE(test, verbs_wait(v, 1, &received[2]));

	attr.srq_limit = VERBS_WRS + 1;
	KUNIT_EXPECT_EQ(test, ib_modify_srq(ts.srq, &attr, IB_SRQ_LIMIT), -EINVAL);
	attr.max_wr = 2 * VERBS_WRS;
	KUNIT_EXPECT_EQ(test, ib_modify_srq(ts.srq, &attr, IB_SRQ_MAX_WR), -EOPNOTSUPP);
	test_srq_exit(&ts);
}

/* The last-WQE event ends draining, and receives that were not taken stay for the other QP */
static void ornic_test_srq_drain(struct kunit *test)
{
	struct verbs_wr received[2];
	struct verbs *v = test->priv;
	struct test_srq ts;
	unsigned long end;

	test_srq_init(v, &ts);
	KUNIT_ASSERT_EQ(test, test_srq_post(&ts, &received[0]), 0);
	KUNIT_ASSERT_EQ(test, test_srq_post(&ts, &received[1]), 0);
	test_srq_send(&ts, 0, 0);
	/* Without the event, draining would wait for a minute */
	end = jiffies + VERBS_TIMEOUT;
	ib_drain_qp(ts.pairs[0].qps[1]);
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, end));
	KUNIT_EXPECT_TRUE(test, received[0].done);

	test_srq_send(&ts, 1, 1);
	KUNIT_EXPECT_TRUE(test, verbs_wait(v, 0, &received[1]));
	KUNIT_EXPECT_EQ(test, received[1].wc.status, IB_WC_SUCCESS);
	test_srq_exit(&ts);
}

/* Unpolled receives of a QP can be posted again when the QP is destroyed */
static void ornic_test_srq_destroy_unpolled(struct kunit *test)
{
	struct verbs_wr received[VERBS_WRS];
	struct verbs *v = test->priv;
	struct test_srq ts;
	u32 i;

	test_srq_init(v, &ts);
	for (i = 0; i < VERBS_WRS; i++)
		KUNIT_ASSERT_EQ(test, test_srq_post(&ts, &received[i]), 0);
	for (i = 0; i < VERBS_WRS; i++)
		test_srq_send(&ts, 0, i);
	KUNIT_ASSERT_EQ(test, ib_destroy_qp(ts.pairs[0].qps[1]), 0);
	for (i = 0; i < VERBS_WRS; i++) {
		KUNIT_ASSERT_FALSE(test, received[i].done);
		KUNIT_ASSERT_EQ(test, test_srq_post(&ts, &received[i]), 0);
	}
	test_srq_send(&ts, 1, 0);
	KUNIT_EXPECT_TRUE(test, verbs_wait(v, 0, &received[0]));

	KUNIT_EXPECT_EQ(test, ib_destroy_qp(ts.pairs[0].qps[0]), 0);
	verbs_pair_exit(&ts.pairs[1]);
	KUNIT_EXPECT_EQ(test, ib_destroy_srq_user(ts.srq, NULL), 0);
	verbs_buf_exit(&ts.buf);
}

/*
 * Sends a message whose second half cannot be read. Its first half, which is as much as the device
 * may send at once, takes a receive, and the rest never comes.
 */
static void test_srq_send_half(struct test_srq *ts, const struct verbs_buf *buf)
{
	struct ib_sge sge[2] = { buf->sge, buf->sge };
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND,
		.sg_list = sge,
		.num_sge = ARRAY_SIZE(sge),
	};
	struct verbs_wr done;

	sge[0].length = buf->size / 2;
	sge[1].length = buf->size / 2;
	sge[1].lkey = ~ts->v->pd->local_dma_lkey;
	KUNIT_ASSERT_EQ(ts->v->test, verbs_send(&ts->pairs[0], 0, &wr, &done),
			IB_WC_LOC_PROT_ERR);
}

static void test_srq_reset(struct verbs *v, struct ib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RESET };

	KUNIT_ASSERT_EQ(v->test, ib_modify_qp(qp, &attr, IB_QP_STATE), 0);
}

static void test_srq_half_received(struct kunit *test, bool reset)
{
	struct verbs *v = test->priv;
	struct verbs_wr *received;
	struct verbs_buf big;
	struct test_srq ts;
	struct ib_sge sge;
	u32 i;

	received = kunit_kcalloc(test, VERBS_WRS, sizeof(*received), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, received);
	test_srq_init(v, &ts);
	verbs_buf_init(v, &big, SZ_2M);
	/* For test_srq_post() */
	sge = ts.buf.sge;
	ts.buf.sge = big.sge;
	for (i = 0; i < VERBS_WRS; i++)
		KUNIT_ASSERT_EQ(test, test_srq_post(&ts, &received[i]), 0);
	ts.buf.sge = sge;

	test_srq_send_half(&ts, &big);
	KUNIT_ASSERT_EQ(test, test_srq_post(&ts, &received[0]), -ENOMEM);
	if (reset)
		test_srq_reset(v, ts.pairs[0].qps[1]);
	else
		KUNIT_ASSERT_EQ(test, ib_destroy_qp(ts.pairs[0].qps[1]), 0);
	KUNIT_EXPECT_EQ(test, test_srq_post(&ts, &received[0]), 0);
	KUNIT_EXPECT_EQ(test, test_srq_post(&ts, &received[0]), -ENOMEM);

	verbs_wr_init(&received[0]);
	for (i = 0; i < VERBS_WRS; i++)
		test_srq_send(&ts, 1, i);
	for (i = 0; i < VERBS_WRS; i++)
		KUNIT_EXPECT_TRUE(test, verbs_wait(v, 0, &received[i]));

	KUNIT_EXPECT_EQ(test, ib_destroy_qp(ts.pairs[0].qps[0]), 0);
	if (reset)
		KUNIT_EXPECT_EQ(test, ib_destroy_qp(ts.pairs[0].qps[1]), 0);
	verbs_pair_exit(&ts.pairs[1]);
	KUNIT_EXPECT_EQ(test, ib_destroy_srq_user(ts.srq, NULL), 0);
	verbs_buf_exit(&big);
	verbs_buf_exit(&ts.buf);
}

/* Receives that a QP took and did not complete can be posted again when it is destroyed */
static void ornic_test_srq_destroy_half_received(struct kunit *test)
{
	test_srq_half_received(test, false);
}

/* The same if the QP is reset */
static void ornic_test_srq_reset_half_received(struct kunit *test)
{
	test_srq_half_received(test, true);
}

/* Members that query_qp() does not write show a process the kernel's memory */
static void ornic_test_query_qp_writes_all(struct kunit *test)
{
	struct query { struct ib_qp_attr attr; struct ib_qp_init_attr init; } *query[2];
	struct verbs *v = test->priv;
	struct verbs_pair pair;
	u32 i;

	verbs_pair_init(v, &pair, IB_QPT_RC, NULL);
	for (i = 0; i < ARRAY_SIZE(query); i++) {
		query[i] = kunit_kmalloc(test, sizeof(*query[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, query[i]);
		memset(query[i], i ? 0xff : 0, sizeof(*query[i]));
		KUNIT_EXPECT_EQ(test, ib_query_qp(pair.qps[0], &query[i]->attr, 0,
						  &query[i]->init), 0);
	}
	KUNIT_EXPECT_MEMEQ(test, &query[0]->attr, &query[1]->attr, sizeof(query[0]->attr));
	KUNIT_EXPECT_MEMEQ(test, &query[0]->init, &query[1]->init, sizeof(query[0]->init));
	verbs_pair_exit(&pair);
}

static void ornic_test_qp_refusals(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct ib_srq_init_attr srq_init = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ib_qp_init_attr init = {
		.send_cq = v->cqs[0],
		.recv_cq = v->cqs[0],
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
	};
	struct ib_qp_init_attr attr;
	struct ib_srq *srq;
	struct ib_qp *qp;

	srq = ib_create_srq(v->pd, &srq_init);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, srq);
	qp = verbs_create_qp(v, IB_QPT_UC, v->cqs[0], srq);
	KUNIT_EXPECT_EQ(test, PTR_ERR(qp), -EINVAL);
	qp = verbs_create_qp(v, IB_QPT_XRC_INI, v->cqs[0], NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(qp), -EOPNOTSUPP);

	attr = init;
	attr.create_flags = IB_QP_CREATE_IPOIB_UD_LSO;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_create_qp(v->pd, &attr)), -EOPNOTSUPP);
	attr = init;
	attr.cap.max_send_wr = v->ibdev->attrs.max_qp_wr + 1;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_create_qp(v->pd, &attr)), -EINVAL);

	/* With an SRQ the capabilities of a receive queue are ignored */
	attr = init;
	attr.srq = srq;
	attr.cap.max_recv_wr = v->ibdev->attrs.max_qp_wr + 1;
	attr.cap.max_recv_sge = U32_MAX;
	qp = ib_create_qp(v->pd, &attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, qp);
	KUNIT_EXPECT_GE(test, attr.cap.max_send_wr, 1);
	KUNIT_EXPECT_EQ(test, ib_destroy_srq_user(srq, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, ib_destroy_qp(qp), 0);
	KUNIT_EXPECT_EQ(test, ib_destroy_srq_user(srq, NULL), 0);

	srq_init.attr.max_wr = v->ibdev->attrs.max_srq_wr + 1;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_create_srq(v->pd, &srq_init)), -EINVAL);
	srq_init.attr.max_wr = 0;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_create_srq(v->pd, &srq_init)), -EINVAL);
}

static void ornic_test_mcast(struct kunit *test)
{
	struct verbs *v = test->priv;
	union ib_gid gid = { .raw = { [10] = 0xff, 0xff, 224, 1, 2, 3 } };
	struct ib_qp *qp;

	qp = verbs_create_qp(v, IB_QPT_UD, v->cqs[0], NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, qp);
	KUNIT_EXPECT_EQ(test, ib_attach_mcast(qp, &gid, 0), 0);
	KUNIT_EXPECT_EQ(test, ib_detach_mcast(qp, &gid, 0), 0);
	KUNIT_EXPECT_LT(test, ib_detach_mcast(qp, &gid, 0), 0);
	KUNIT_EXPECT_EQ(test, ib_destroy_qp(qp), 0);
}

static struct kunit_case ornic_srq_cases[] = {
	KUNIT_CASE(ornic_test_srq_any_order),
	KUNIT_CASE(ornic_test_srq_limit),
	KUNIT_CASE(ornic_test_srq_drain),
	KUNIT_CASE(ornic_test_srq_destroy_unpolled),
	KUNIT_CASE(ornic_test_srq_destroy_half_received),
	KUNIT_CASE(ornic_test_srq_reset_half_received),
	KUNIT_CASE(ornic_test_query_qp_writes_all),
	KUNIT_CASE(ornic_test_qp_refusals),
	KUNIT_CASE(ornic_test_mcast),
	{}
};

static struct kunit_suite ornic_srq_suite = {
	.name = "ornic_srq",
	.init = verbs_init,
	.exit = verbs_exit,
	.test_cases = ornic_srq_cases,
};

kunit_test_suite(ornic_srq_suite);
