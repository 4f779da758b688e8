// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Send queues: opcodes and lengths of WQEs, and indexes of the ring */
#include "card/card.h"
#include "pair.h"

/* ---- WQEs ---- */

/* [ORNIC-SQ-9] Each of the 256 opcodes that is not in send_ops is refused */
TEST(test_opcodes_not_announced, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct ornic_query_device_out out;
	unsigned int opcode, refused = 0;
	struct pair_wr wr;

	host_cmd_out_ok(A(pair)->host, ORNIC_CMD_QUERY_DEVICE, &out);
	for (opcode = 0; opcode < 256; opcode++) {
		if (le64toh(out.send_ops[opcode / 64]) >> opcode % 64 & 1)
			continue;
		wr = pair_wr_data(A(pair), opcode, 0, 8);
		pair_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
		host_device_stat_is(A(pair)->host, ORNIC_DEVICE_STAT_bad_wqe_opcode, ++refused);
		pair_again(pair);
	}
	assert_int_equal(refused, 256 - 16);
}

/* [ORNIC-SQ-5] A length that does not fit the opcode; the slots are right */
TEST(test_bad_lengths, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const struct {
		uint8_t opcode;
		unsigned int sges;
		int longer;
	} rows[] = {
		{ ORNIC_WR_SEND, 0, -32 }, { ORNIC_WR_SEND, 0, -31 },
		{ ORNIC_WR_SEND, 0, -1 }, { ORNIC_WR_SEND, 1, -1 },
		{ ORNIC_WR_SEND, 1, 1 }, { ORNIC_WR_SEND, 2, -8 },
		{ ORNIC_WR_LOCAL_INV, 0, 16 }, { ORNIC_WR_LOCAL_INV, 0, -1 },
		{ ORNIC_WR_BIND_MW, 0, -16 }, { ORNIC_WR_FLUSH, 0, -16 },
		{ ORNIC_WR_FLUSH, 0, 16 }, { ORNIC_WR_ATOMIC_CMP_SWP, 0, -1 },
		{ ORNIC_WR_ATOMIC_CMP_SWP, 0, 0 },
		{ ORNIC_WR_ATOMIC_CMP_SWP, 1, -16 },
		{ ORNIC_WR_ATOMIC_WRITE, 2, 0 }, { ORNIC_WR_SEND, 3, -1 },
	};
	struct pair_wr wr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		wr = pair_wr_data(A(pair), rows[i].opcode, 0, 8);
		wr.sges = rows[i].sges;
		wr.sge[1] = wr.sge[2] = wr.sge[0];
		wr.longer = rows[i].longer;
		pair_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
		host_device_stat_is(A(pair)->host,
				    ORNIC_DEVICE_STAT_bad_wqe_count, i + 1);
		pair_again(pair);
	}
}

/* [ORNIC-SQ-4] Slots of WQEs that the card cannot interpret */
TEST(test_flush_by_length, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), 0xee, 0, 8);
	unsigned int i;

	pair_state(A(pair), ORNIC_QPS_ERR);
	for (i = 0; i < 9; i++) {
		wr.opcode = i % 3 ? 0xee : ORNIC_WR_RDMA_READ;
		wr.flags = i % 4 ? ORNIC_SEND_INLINE : ORNIC_SEND_RSVD;
		wr.data = wr.sge;
		wr.data_len = 16 * i;
		wr.sges = i;
		wr.wr_id = 50 + i;
		pair_post(A(pair), &wr);
	}
	/* No length at all is one slot */
	wr.flags = 0;
	wr.sges = 0;
	wr.longer = -32;
	pair_send(A(pair), &wr);
	for (i = 0; i < 9; i++)
		pair_expect(A(pair), 50 + i, ORNIC_WC_WR_FLUSH_ERR);
	pair_expect(A(pair), 58, ORNIC_WC_WR_FLUSH_ERR);
	pair_poll_none(A(pair));
}

/* ---- indexes ---- */

static uint32_t sq_ci(struct side *side)
{
	return le32toh(host_qp_dbr(&side->qp)->sq_ci);
}

static void send_one(struct pair *pair, unsigned int flags)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 8);

	wr.flags = flags;
	pair_post_recv(B(pair), 1, B(pair)->addr, 8);
	pair_send(A(pair), &wr);
	pair_run(pair);
	if (flags & ORNIC_SEND_SIGNALED)
		pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
}

static uint64_t bad_sq_pi(struct pair *pair)
{
	return host_device_stat(A(pair)->host, ORNIC_DEVICE_STAT_bad_sq_pi);
}

/* [ORNIC-DB-16] What is done with counts, and not what sq_ci tells */
TEST(test_ring_beyond_what_is_done, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	unsigned int i;

	/* Fewer than sq_ci may lag behind, and no completion */
	for (i = 0; i < CARD_SQ_CI_LAG; i++)
		send_one(pair, 0);
	assert_int_equal(sq_ci(A(pair)), 0);
	guest_store32(&host_qp_dbr(&A(pair)->qp)->sq_pi, CARD_SQ_CI_LAG + 65);
	pair_ring(A(pair));
	pair_run(pair);
	assert_int_equal(bad_sq_pi(pair), 1);
}

/*
 * [ORNIC-ORD-5], [ORNIC-ORD-7] sq_ci lags as far as it may, and a completion
 * frees the slots that it has not passed. So the whole ring is used in each lap.
 */
TEST(test_sq_ci_lags, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint32_t lags[] = { 0, 1, 7, 63, 64, 256 };
	unsigned int i, n, lap;
	struct pair_wr wr;

	for (i = 0; i < ARRAY_SIZE(lags); i++) {
		pair_again(pair);
		A(pair)->host->card->ci_lags = true;
		A(pair)->host->card->sq_ci_lag = lags[i];
		for (n = 1; n <= 100; n++) {
			send_one(pair, n & 1 ? ORNIC_SEND_SIGNALED : 0);
			assert_int_equal(A(pair)->qp.sq_pi, n);
			assert_int_equal(sq_ci(A(pair)),
					 n < lags[i] ? 0 : n - lags[i]);
		}
		for (lap = 0; lap < 3; lap++) {
			for (n = 0; n < 64; n++) {
				wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE,
						  0, 8);
				wr.wr_id = n;
				wr.flags = n == 63 ? ORNIC_SEND_SIGNALED : 0;
				pair_post(A(pair), &wr);
			}
			pair_ring(A(pair));
			pair_run(pair);
			pair_expect(A(pair), 63, ORNIC_WC_SUCCESS);
		}
	}
	assert_int_equal(bad_sq_pi(pair), 0);
}

/* [ORNIC-ORD-5] A host that goes by sq_ci needs no completion to go on */
TEST(test_sq_ci_alone, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	unsigned int i, n, posted = 0;
	struct pair_wr wr;

	A(pair)->host->card->ci_lags = true;
	A(pair)->host->card->sq_ci_lag = 40;
	wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8);
	wr.flags = 0;
	for (i = 0; i < 20; i++) {
		for (n = 0; n < 64 - 40; n++, posted++) {
			assert_true(posted + 1 - sq_ci(A(pair)) <= 64);
			pair_post(A(pair), &wr);
		}
		pair_ring(A(pair));
		pair_run(pair);
	}
	pair_poll_none(A(pair));
	assert_int_equal(sq_ci(A(pair)), posted - 40);
	assert_int_equal(bad_sq_pi(pair), 0);
}

/* [ORNIC-CQ-3] Signaled or not, of one or two slots, failed or flushed */
TEST(test_completions_number_wqes, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct ornic_cqe cqe;
	unsigned int lap, i;
	struct pair_wr wr;

	for (lap = 0; lap < 3; lap++) {
		for (i = 1; i <= 9; i++) {
			wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8);
			wr.flags = i % 3 ? 0 : ORNIC_SEND_SIGNALED;
			wr.sges = i & 1 ? 1 : 3;
			wr.sge[1] = wr.sge[2] = wr.sge[0];
			wr.rkey ^= i == 8 ? 1 : 0;
			pair_send(A(pair), &wr);
			if (i % 3 && i != 8)
				continue;
			cqe = pair_poll(A(pair));
			assert_int_equal(le32toh(cqe.status),
					 i < 8 ? ORNIC_WC_SUCCESS :
					 i == 8 ? ORNIC_WC_REM_ACCESS_ERR :
						  ORNIC_WC_WR_FLUSH_ERR);
			assert_int_equal(ORNIC_GET(ORNIC_CQE_FLAGS,
						   le32toh(cqe.qpn)),
					 ORNIC_WC_SEND_QUEUE);
			assert_int_equal(le32toh(cqe.sq_num), i);
		}
		pair_poll_none(A(pair));
		pair_again(pair);
	}
}

TEST_MAIN("sq")
