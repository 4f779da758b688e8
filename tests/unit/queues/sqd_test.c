// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Draining send queues, and attributes in SQD ([ORNIC-QP-1], [ORNIC-QP-12]) */
#include "card/card.h"
#include "pair.h"
#include "roce/comp.h"

#define M(name) ORNIC_QP_ATTR_##name
/* Local ACK timeout of a pair */
#define TIMEOUT_NS (4096ULL << 8)

static void drain(struct side *side, bool notify)
{
	struct ornic_qp_attr attr = {
		.state = ORNIC_QPS_SQD,
		.en_sqd_async_notify = notify,
	};

	pair_modify_ok(side, M(STATE) | M(EN_SQD_ASYNC), &attr);
}

static bool draining(struct side *side)
{
	struct ornic_qp_attr attr;

	pair_query(side, &attr);
	assert_int_equal(attr.state, ORNIC_QPS_SQD);
	return attr.sq_draining;
}

TEST(test_drains_and_goes_on, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 10);
	struct ornic_qp_attr attr;

	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	/* One WQE is on the wire when the command comes */
	card_run(A(pair)->host->card);
	drain(A(pair), true);
	assert_true(draining(A(pair)));
	wr.wr_id = 2;
	pair_send(A(pair), &wr);
	pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
	pair_poll_none(A(pair));
	assert_int_equal(pair_event(A(pair)), ORNIC_EVENT_QP_SQ_DRAINED);
	assert_int_equal(pair_event(A(pair)), 0);
	assert_false(draining(A(pair)));
	pair_query(A(pair), &attr);
	assert_int_equal(attr.en_sqd_async_notify, 1);
	pair_state(A(pair), ORNIC_QPS_RTS);
	pair_run(pair);
	pair_expect(A(pair), 2, ORNIC_WC_SUCCESS);
	/* The event was not requested for this stay in SQD */
	pair_state(A(pair), ORNIC_QPS_SQD);
	assert_int_equal(pair_event(A(pair)), 0);
	pair_query(A(pair), &attr);
	assert_int_equal(attr.en_sqd_async_notify, 0);
	assert_int_equal(attr.sq_draining, 0);
}

/* An idle send queue: new WQEs wait, and packets are received */
TEST(test_drained_at_once, struct pair *pair,
     IN_PAIR_BOTH(pair_setup_rc), IN_PAIR_BOTH(pair_setup_uc), IN_PAIR_BOTH(pair_setup_ud))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 10);

	drain(A(pair), true);
	assert_false(draining(A(pair)));
	assert_int_equal(pair_event(A(pair)), ORNIC_EVENT_QP_SQ_DRAINED);
	pair_post_recv(B(pair), 1, B(pair)->addr, 100);
	pair_post_recv(A(pair), 2, A(pair)->addr, 100);
	pair_send(A(pair), &wr);
	pair_poll_none(A(pair));
	pair_poll_none(B(pair));

	wr = pair_wr_data(B(pair), ORNIC_WR_SEND, 0, 10);
	pair_send(B(pair), &wr);
	pair_expect(B(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), 2, ORNIC_WC_SUCCESS);

	pair_state(A(pair), ORNIC_QPS_RTS);
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	assert_int_equal(pair_event(A(pair)), 0);
}

/* A message that has begun is sent completely */
TEST(test_drains_long_message, struct pair *pair,
     IN_PAIR(pair_setup_rc, bytes), IN_PAIR(pair_setup_uc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0,
					 100000);

	pair_fill(A(pair)->buf, 100000, 5);
	pair_post(A(pair), &wr);
	wr.wr_id = 2;
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	card_run(A(pair)->host->card);
	drain(A(pair), true);
	pair_run(pair);
	pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
	pair_poll_none(A(pair));
	pair_check(B(pair)->buf, 100000, 5);
	assert_int_equal(pair_event(A(pair)), ORNIC_EVENT_QP_SQ_DRAINED);
	pair_state(A(pair), ORNIC_QPS_RTS);
	pair_run(pair);
	pair_expect(A(pair), 2, ORNIC_WC_SUCCESS);
}

/* A peer without a receive WQE delays the end of draining */
TEST(test_drains_through_rnr, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 3000);

	pair_send(A(pair), &wr);
	drain(A(pair), true);
	pair_run(pair);
	assert_true(draining(A(pair)));
	assert_int_equal(pair_event(A(pair)), 0);
	pair_post_recv(B(pair), 1, B(pair)->addr, 4096);
	pair_sleep(pair, 2 * rnr_ns(12));
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	assert_int_equal(pair_event(A(pair)), ORNIC_EVENT_QP_SQ_DRAINED);
	assert_false(draining(A(pair)));
}

/* The outstanding WQE fails: the QP leaves SQD without SQ_DRAINED */
TEST(test_failure_while_draining, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 10);

	wr.rkey ^= 0x100;
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	card_run(A(pair)->host->card);
	drain(A(pair), true);
	wr.wr_id = 2;
	pair_send(A(pair), &wr);
	pair_expect(A(pair), 0x1000, ORNIC_WC_REM_ACCESS_ERR);
	pair_expect(A(pair), 2, ORNIC_WC_WR_FLUSH_ERR);
	pair_state_is(A(pair), ORNIC_QPS_ERR);
	assert_int_equal(pair_event(A(pair)), 0);
}

/* Both ends change attributes in SQD and go on */
TEST(test_new_attributes, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct ornic_qp_attr attr = pair_attr(A(pair), B(pair)), got;
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 4000);
	uint8_t gid[GID_LEN];

	/* B gets another address */
	memcpy(gid, B(pair)->gid, GID_LEN);
	gid[14] = 0x55;
	host_set_gid(B(pair)->host, 11, gid, B(pair)->host->mac, 0);
	pair_one(pair, &wr);
	drain(A(pair), false);
	drain(B(pair), false);
	memcpy(attr.av.dgid, gid, GID_LEN);
	attr.timeout = 9;
	attr.retry_cnt = 1;
	attr.rnr_retry = 2;
	attr.max_rd_atomic = 2;
	attr.max_dest_rd_atomic = 1;
	attr.min_rnr_timer = 5;
	attr.access = htole32(ORNIC_ACCESS_REMOTE_READ |
			      ORNIC_ACCESS_FLUSH_GLOBAL);
	pair_modify_ok(A(pair),
		       M(AV) | M(TIMEOUT) | M(RETRY_CNT) | M(RNR_RETRY) |
		       M(MAX_RD_ATOMIC) | M(MAX_DEST_RD_ATOMIC) |
		       M(MIN_RNR_TIMER) | M(ACCESS),
		       &attr);
	pair_query(A(pair), &got);
	assert_memory_equal(&got.av, &attr.av, sizeof(got.av));
	assert_int_equal(got.timeout, 9);
	assert_int_equal(got.retry_cnt, 1);
	assert_int_equal(got.rnr_retry, 2);
	assert_int_equal(got.max_rd_atomic, 2);
	assert_int_equal(got.max_dest_rd_atomic, 1);
	assert_int_equal(got.min_rnr_timer, 5);
	assert_int_equal(got.access, attr.access);
	attr = pair_attr(B(pair), A(pair));
	attr.av.sgid_index = htole16(11);
	pair_modify_ok(B(pair), M(AV), &attr);
	pair_state(A(pair), ORNIC_QPS_RTS);
	pair_state(B(pair), ORNIC_QPS_RTS);
	pair_one(pair, &wr);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_wrong_path, 0);
}

/* Modify one attribute in SQD and go on */
static void change(struct side *side, uint32_t mask, const struct ornic_qp_attr *attr)
{
	drain(side, false);
	pair_modify_ok(side, mask, attr);
	pair_state(side, ORNIC_QPS_RTS);
}

/* New limits count at once, and not only behind the next progress */
TEST(test_new_retries_take_effect, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct ornic_qp_attr attr = pair_attr(A(pair), B(pair));
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 10);

	attr.rnr_retry = 0;
	change(A(pair), M(RNR_RETRY), &attr);
	pair_fails(pair, &wr, ORNIC_WC_RNR_RETRY_EXC_ERR);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rnr_naks_sent, 1);
	pair_again(pair);

	attr.retry_cnt = 0;
	change(A(pair), M(RETRY_CNT), &attr);
	pair->fate = pair_fate_lose_all;
	pair_send(A(pair), &wr);
	pair_sleep(pair, 2 * TIMEOUT_NS);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_RETRY_EXC_ERR);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_ack_timeouts, 1);
}

/* A WQE that is under way waits for the new timeout: longer, for ever, and again the first one */
TEST(test_new_timeout_takes_effect, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint8_t timeouts[] = { 14, 0, 8 };
	struct ornic_qp_attr attr = pair_attr(A(pair), B(pair));
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 10);
	unsigned int i;

	pair->fate = pair_fate_lose_all;
	pair_send(A(pair), &wr);
	for (i = 0; i < ARRAY_SIZE(timeouts); i++) {
		attr.timeout = timeouts[i];
		change(A(pair), M(TIMEOUT), &attr);
		pair_sleep(pair, 2 * TIMEOUT_NS);
		pair_stat_is(A(pair), ORNIC_RDMA_STAT_ack_timeouts, i == 2);
	}
	pair->fate = NULL;
	pair_sleep(pair, 8 * TIMEOUT_NS);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
}

/* [ORNIC-OBJ-26] Current PSNs; a READ takes one for each response packet */
TEST(test_psns_are_live, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 4000);
	struct ornic_qp_attr attr;

	pair_one(pair, &wr);
	wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 1);
	pair_one(pair, &wr);
	pair_query(A(pair), &attr);
	assert_int_equal(le32toh(attr.sq_psn), 3);
	assert_int_equal(le32toh(attr.rq_psn), 0xfffffe);
	pair_query(B(pair), &attr);
	assert_int_equal(le32toh(attr.sq_psn), 0xfffffe);
	assert_int_equal(le32toh(attr.rq_psn), 3);
}

TEST_MAIN("sqd")
