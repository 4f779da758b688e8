// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receive queues: indexes of the rings of QPs and SRQs */
#include "card/card.h"
#include "pair.h"

#define IN_BOTH_QUEUES IN_PAIR_BOTH(pair_setup_rc), IN_PAIR_BOTH(pair_setup_rc_srq)

static uint32_t rq_ci(struct host_qp *queue)
{
	return le32toh(host_qp_dbr(queue)->rq_ci);
}

/* B receives into the queue that pair_post_recv() posts to */
static struct host_qp *queue_of(struct side *side)
{
	return side->srq.num ? &side->srq : &side->qp;
}

static void send(struct pair *pair, unsigned int count)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 8);

	while (count--) {
		wr.flags = count ? 0 : ORNIC_SEND_SIGNALED;
		pair_post(A(pair), &wr);
	}
	pair_ring(A(pair));
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
}

static uint64_t bad_rq_pi(struct pair *pair)
{
	return host_device_stat(B(pair)->host, ORNIC_DEVICE_STAT_bad_rq_pi);
}

/*
 * [ORNIC-ORD-6], [ORNIC-ORD-7] rq_ci lags as far as it may, and completions
 * free the WQEs that it has not passed: the whole ring is used in each lap.
 */
static void laps(struct pair *pair, uint32_t lag)
{
	struct host_qp *queue = queue_of(B(pair));
	uint32_t size = 1u << queue->log_rq_wqes;
	unsigned int lap, i;

	B(pair)->host->card->ci_lags = true;
	B(pair)->host->card->rq_ci_lag = lag;
	for (lap = 1; lap <= 5; lap++) {
		for (i = 0; i < size; i++)
			pair_post_recv(B(pair), i, B(pair)->addr, 8);
		for (i = 0; i < size; i += 4)
			send(pair, 4);
		for (i = 0; i < size; i++)
			pair_expect(B(pair), i, ORNIC_WC_SUCCESS);
		assert_int_equal(queue->rq_pi, lap * size);
		assert_int_equal(rq_ci(queue), lap * size < lag ? 0 :
				 lap * size - lag);
	}
	pair_post_recv(B(pair), 0, B(pair)->addr, 8);
	assert_int_equal(bad_rq_pi(pair), 0);
}

TEST(test_rq_ci_lags, struct pair *pair, IN_BOTH_QUEUES)
{
	laps(pair, 10);
}

TEST(test_rq_ci_lags_by_more_than_the_ring, struct pair *pair, IN_BOTH_QUEUES)
{
	laps(pair, 256);
}

/* [ORNIC-DB-16] One more than the ring holds beyond what is done */
TEST(test_ring_beyond_what_is_done, struct pair *pair, IN_BOTH_QUEUES)
{
	struct host_qp *queue = queue_of(B(pair));
	uint32_t size = 1u << queue->log_rq_wqes;

	B(pair)->host->card->rq_ci_lag = 3;
	pair_post_recv(B(pair), 1, B(pair)->addr, 8);
	pair_post_recv(B(pair), 2, B(pair)->addr, 8);
	send(pair, 2);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	pair_expect(B(pair), 2, ORNIC_WC_SUCCESS);
	assert_int_equal(rq_ci(queue), 0);
	guest_store32(&host_qp_dbr(queue)->rq_pi, size + 3);
	pair_send(A(pair), &(struct pair_wr){ .opcode = ORNIC_WR_SEND });
	assert_int_equal(bad_rq_pi(pair), 1);
}

/* ---- doorbells ---- */

static void ring_recv(struct side *side, uint32_t page)
{
	struct host_qp *queue = queue_of(side);

	host_doorbell(side->host, page, side->srq.num ? ORNIC_DB_SRQ :
						       ORNIC_DB_RQ,
		      queue->num, queue->rq_pi);
}

/* [ORNIC-DEV-4] */
TEST(test_needs_are_announced, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct host *host = B(pair)->host;
	struct ornic_query_device_out out;

	host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &out);
	assert_int_equal(le32toh(out.needs), 0);
	host->card->rq_doorbell = true;
	host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &out);
	assert_int_equal(le32toh(out.needs), ORNIC_NEEDS_RQ_DOORBELL);
}

/* [ORNIC-DB-12] A card that needs doorbells relies on them */
TEST(test_doorbell_needed, struct pair *pair, IN_BOTH_QUEUES)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 8);
	unsigned int i;

	B(pair)->host->card->rq_doorbell = true;
	for (i = 0; i < 3; i++) {
		pair_post_recv(B(pair), i, B(pair)->addr, 8);
		pair_send(A(pair), &wr);
		pair_poll_none(B(pair));
		ring_recv(B(pair), B(pair)->uctx);
		pair_sleep(pair, 2000 * 1000);
		pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
		pair_expect(B(pair), i, ORNIC_WC_SUCCESS);
	}
	assert_true(pair_stat(B(pair), ORNIC_RDMA_STAT_rnr_naks_sent) >= 3);
}

/* [ORNIC-DB-12] A doorbell covers all WQEs before its index */
TEST(test_doorbell_before_the_packets, struct pair *pair, IN_BOTH_QUEUES)
{
	unsigned int i;

	B(pair)->host->card->rq_doorbell = true;
	for (i = 0; i < 4; i++)
		pair_post_recv(B(pair), i, B(pair)->addr, 8);
	ring_recv(B(pair), B(pair)->uctx);
	send(pair, 4);
	for (i = 0; i < 4; i++)
		pair_expect(B(pair), i, ORNIC_WC_SUCCESS);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rnr_naks_sent, 0);
}

/* [ORNIC-DB-12], [ORNIC-QP-6] */
TEST(test_doorbell_in_err, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	B(pair)->host->card->rq_doorbell = true;
	pair_state(B(pair), ORNIC_QPS_ERR);
	pair_run(pair);
	pair_post_recv(B(pair), 7, B(pair)->addr, 8);
	ring_recv(B(pair), B(pair)->uctx);
	pair_run(pair);
	pair_expect(B(pair), 7, ORNIC_WC_WR_FLUSH_ERR);
}

/* [ORNIC-DB-7] */
TEST(test_doorbell_in_reset, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct side *b = B(pair);
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 8);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		b->host->card->rq_doorbell = true;
		pair_state(b, ORNIC_QPS_RESET);
		guest_store32(&host_qp_dbr(&b->qp)->rq_pi, 0);
		b->qp.rq_pi = 0;
		host_doorbell(b->host, b->uctx, ORNIC_DB_RQ, b->qp.num, 5);
		host_doorbell(b->host, b->uctx, ORNIC_DB_SQ, b->qp.num, 5);
		pair_again(pair);
		pair_send(A(pair), &wr);
		pair_poll_none(b);
		pair_post_recv(b, i, b->addr, 8);
		ring_recv(b, b->uctx);
		pair_sleep(pair, 2000 * 1000);
		pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
		pair_expect(b, i, ORNIC_WC_SUCCESS);
		pair_state_is(b, ORNIC_QPS_RTS);
	}
	host_device_stat_is(b->host, ORNIC_DEVICE_STAT_bad_sq_pi, 0);
	assert_int_equal(bad_rq_pi(pair), 0);
}

/* [ORNIC-DB-4] */
TEST(test_doorbell_of_another_page, struct pair *pair, IN_BOTH_QUEUES)
{
	struct host *host = B(pair)->host;
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 8);
	uint32_t page = host_uctx(host, 0, 0);

	host->card->rq_doorbell = true;
	pair_post_recv(B(pair), 1, B(pair)->addr, 8);
	ring_recv(B(pair), page);
	host_doorbell(host, B(pair)->uctx, ORNIC_DB_RQ, 0xabcdef, 1);
	host_doorbell(host, B(pair)->uctx, ORNIC_DB_SRQ, 0xabcdef, 1);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_bad_doorbell_queue, 3);
	pair_send(A(pair), &wr);
	pair_poll_none(B(pair));
}

/* [ORNIC-DB-3] Cards that need no such doorbells do not know them */
TEST(test_doorbell_not_needed, struct pair *pair, IN_BOTH_QUEUES)
{
	pair_post_recv(B(pair), 1, B(pair)->addr, 8);
	ring_recv(B(pair), B(pair)->uctx);
	host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_doorbell_type,
			    1);
	send(pair, 1);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
}

/* [ORNIC-DB-17] [ORNIC-DB-16] The responder tells its peer before it fails */
TEST(test_lost_queue, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc), IN_PAIR_BOTH(pair_setup_uc))
{
	struct side *b = B(pair);
	struct host *host = b->host;
	bool rc = pair_qp(b)->base.type == ORNIC_QPT_RC;
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 8);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		uint64_t gone = i == 1 ? b->qp.rq : b->qp.dbr;

		pair_post_recv(b, 1, b->addr, 8);
		if (i)
			host_unmap(host, gone, HOST_PAGE);
		else
			guest_store32(&host_qp_dbr(&b->qp)->rq_pi, 100);
		pair_send(A(pair), &wr);
		if (i)
			host_map(host, gone, HOST_PAGE);
		pair_expect(A(pair), wr.wr_id, rc ? ORNIC_WC_REM_OP_ERR : ORNIC_WC_SUCCESS);
		pair_state_is(b, ORNIC_QPS_ERR);
		assert_int_equal(pair_event(b), ORNIC_EVENT_QP_FATAL);
		assert_int_equal(bad_rq_pi(pair), 1);
		/* The send queue misses its record too */
		assert_in_range(host_device_stat(host, ORNIC_DEVICE_STAT_dma_faults), i, i + 1);
		pair_again(pair);
	}
}

/* [ORNIC-DB-17] The requester, and datagrams */
TEST(test_lost_record_of_a_sender, struct pair *pair,
     IN_PAIR_BOTH(pair_setup_rc), IN_PAIR_BOTH(pair_setup_ud))
{
	struct side *a = A(pair);
	struct pair_wr wr = pair_wr_data(a, ORNIC_WR_SEND, 0, 8);

	pair_post(a, &wr);
	host_unmap(a->host, a->qp.dbr, HOST_PAGE);
	pair_ring(a);
	pair_run(pair);
	host_map(a->host, a->qp.dbr, HOST_PAGE);
	pair_poll_none(a);
	pair_state_is(a, ORNIC_QPS_ERR);
	assert_int_equal(pair_event(a), ORNIC_EVENT_QP_FATAL);
	/* Each queue misses it */
	assert_in_range(host_device_stat(a->host, ORNIC_DEVICE_STAT_dma_faults), 1, 2);
}

/* [ORNIC-RQ-4] SGEs count as far as the message reaches */
TEST(test_sges_beyond_the_message, struct pair *pair, IN_BOTH_QUEUES)
{
	struct side *b = B(pair);
	const struct sge sge[] = {
		{ b->addr, 100, b->key },
		/* Its last 10 bytes are not of the region */
		{ b->addr + PAIR_BUF_SIZE - 50, 60, b->key },
		{ b->addr, 100, b->key + 1 },
	};
	static const struct {
		uint32_t len;
		bool good;
	} cases[] = { { 0, true }, { 100, true }, { 150, true }, { 151, false }, { 161, false } };
	struct pair_wr wr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(b->buf, 0xee, 100);
		pair_fill(A(pair)->buf, 200, i);
		pair_post_recv_sges(b, i, sge, ARRAY_SIZE(sge));
		wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, cases[i].len);
		pair_send(A(pair), &wr);
		pair_expect(A(pair), wr.wr_id, cases[i].good ? ORNIC_WC_SUCCESS :
							       ORNIC_WC_REM_OP_ERR);
		pair_expect(b, i, cases[i].good ? ORNIC_WC_SUCCESS : ORNIC_WC_LOC_PROT_ERR);
		if (cases[i].len)
			pair_check(b->buf, 100, i);
		if (!cases[i].good)
			pair_again(pair);
	}
	host_device_stat_is(b->host, ORNIC_DEVICE_STAT_bad_lkey, 2);
}

TEST_MAIN("rq")
