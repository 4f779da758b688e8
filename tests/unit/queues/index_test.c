// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Producer indexes that go back ([ORNIC-DB-18]) or come late ([ORNIC-QP-7]) */
#include "pair.h"

static void sends(struct pair *pair, unsigned int count)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8);

	while (count--)
		pair_one(pair, &wr);
}

TEST(test_sq_pi_goes_back, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct ornic_qp_dbr *dbr = host_qp_dbr(&A(pair)->qp);

	sends(pair, 3);
	guest_store32(&dbr->sq_pi, 2);
	pair_ring(A(pair));
	pair_run(pair);
	pair_state_is(A(pair), ORNIC_QPS_ERR);
	assert_int_equal(pair_event(A(pair)), ORNIC_EVENT_QP_FATAL);
	host_device_stat_is(A(pair)->host, ORNIC_DEVICE_STAT_bad_sq_pi, 1);
	pair_poll_none(A(pair));
}

/* WQEs that are published and not processed cannot be taken back either */
TEST(test_sq_pi_goes_back_less_far, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8);
	struct ornic_qp_dbr *dbr = host_qp_dbr(&A(pair)->qp);

	pair_post(A(pair), &wr);
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	guest_store32(&dbr->sq_pi, 1);
	pair_ring(A(pair));
	pair_state_is(A(pair), ORNIC_QPS_ERR);
	host_device_stat_is(A(pair)->host, ORNIC_DEVICE_STAT_bad_sq_pi, 1);
}

static void receive(struct pair *pair)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 8);

	pair_send(A(pair), &wr);
	pair_poll(B(pair));
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
}

TEST(test_rq_pi_goes_back, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 8);
	struct ornic_qp_dbr *dbr = host_qp_dbr(&B(pair)->qp);

	pair_post_recv(B(pair), 1, B(pair)->addr, 8);
	pair_post_recv(B(pair), 2, B(pair)->addr, 8);
	receive(pair);
	receive(pair);
	guest_store32(&dbr->rq_pi, 1);
	pair_send(A(pair), &wr);
	pair_state_is(B(pair), ORNIC_QPS_ERR);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_FATAL);
	host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_rq_pi, 1);
	pair_poll_none(B(pair));
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_REM_OP_ERR);
}

/* WQEs that are not taken may be withdrawn; the device may have seen them */
TEST(test_rq_pi_goes_back_less_far, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct ornic_qp_dbr *dbr = host_qp_dbr(&B(pair)->qp);

	pair_post_recv(B(pair), 1, B(pair)->addr, 8);
	pair_post_recv(B(pair), 2, B(pair)->addr, 8);
	receive(pair);
	guest_store32(&dbr->rq_pi, 1);
	pair_run(pair);
	pair_state_is(B(pair), ORNIC_QPS_RTS);
	guest_store32(&dbr->rq_pi, 2);
	receive(pair);
	pair_state_is(B(pair), ORNIC_QPS_RTS);
}

/* ---- receive WQEs that are published in ERR ---- */

/* [ORNIC-QP-7] Flushed within 20 ms, or when the host asks for ERR again */
TEST(test_err_looks_again, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	unsigned int i;

	pair_state(B(pair), ORNIC_QPS_ERR);
	pair_sleep(pair, 1000000000);
	for (i = 0; i < 10; i++) {
		pair_sleep(pair, 1700000);
		pair_post_recv(B(pair), i, B(pair)->addr, 8);
		pair_sleep(pair, 20000000);
		pair_expect(B(pair), i, ORNIC_WC_WR_FLUSH_ERR);
	}
	pair_post_recv(B(pair), i, B(pair)->addr, 8);
	pair_run(pair);
	pair_poll_none(B(pair));
	pair_state(B(pair), ORNIC_QPS_ERR);
	pair_run(pair);
	pair_expect(B(pair), i, ORNIC_WC_WR_FLUSH_ERR);
}

TEST_MAIN("index")
