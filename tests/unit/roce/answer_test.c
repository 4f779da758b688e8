// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Wrong answers, and a WRITE_WITH_IMM that fails late ([ORNIC-WIRE-18],
 * [ORNIC-RQ-6])
 */
#include "objects/mr.h"
#include "pair.h"

#define LEN 3000		/* three packets */

/* B sends a request whose answer is lost */
static void request(struct pair *pair, unsigned int opcode, uint32_t len)
{
	struct pair_wr wr = pair_wr_data(B(pair), opcode, 0, len);

	wr.wr_id = 1;
	pair->fate = pair_fate_lose_all;
	pair_send(B(pair), &wr);
	pair_poll_none(B(pair));
}

/* Answer with @opcode and @syndrome at @ahead PSNs behind the request */
static void answer_with(struct pair *pair, unsigned int opcode, uint8_t syndrome,
			unsigned int ahead, uint32_t len)
{
	static const uint8_t data[1024];
	struct packet pkt = pair_packet(pair, opcode);

	pkt.psn = psn_add(pair_qp(B(pair))->req.una, ahead);
	pkt.syndrome = syndrome;
	pair_inject(pair, &pkt, data, len);
}

static void answer(struct pair *pair, unsigned int opcode, unsigned int ahead,
		   uint32_t len)
{
	answer_with(pair, opcode, AETH_ACK | AETH_NO_CREDITS, ahead, len);
}

static void expect_bad(struct pair *pair)
{
	pair_expect(B(pair), 1, ORNIC_WC_BAD_RESP_ERR);
	pair_state_is(B(pair), ORNIC_QPS_ERR);
	assert_int_equal(pair_event(B(pair)), 0);
}

/* An answer to another kind of request, or with another place in the message */
TEST(test_answer_to_another_request, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const struct {
		unsigned int request;
		uint32_t len;
		unsigned int answer;
		uint32_t answer_len;
	} cases[] = {
		{ ORNIC_WR_RDMA_READ, 8, OPCODE_RC_ATOMIC_ACK, 0 },
		{ ORNIC_WR_ATOMIC_FETCH_ADD, 8, OPCODE_RC_READ_RESP_ONLY, 8 },
		{ ORNIC_WR_SEND, 8, OPCODE_RC_READ_RESP_ONLY, 8 },
		{ ORNIC_WR_RDMA_READ, LEN, OPCODE_RC_READ_RESP_LAST, 512 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		request(pair, cases[i].request, cases[i].len);
		answer(pair, cases[i].answer, 0, cases[i].answer_len);
		expect_bad(pair);
		pair_again(pair);
	}
}

/* A response with data that is a NAK, an RNR NAK or reserved in its AETH */
TEST(test_answer_that_is_no_ack, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint8_t syndromes[] = {
		AETH_NAK | NAK_REMOTE_ACCESS, AETH_RNR | 1, 0x40,
	};
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(syndromes); i++) {
		request(pair, i & 1 ? ORNIC_WR_ATOMIC_FETCH_ADD : ORNIC_WR_RDMA_READ, 8);
		answer_with(pair, i & 1 ? OPCODE_RC_ATOMIC_ACK : OPCODE_RC_READ_RESP_ONLY,
			    syndromes[i / 2], 0, i & 1 ? 0 : 8);
		expect_bad(pair);
		pair_again(pair);
	}
}

/* Only the oldest request can fail: the answer to a later one is a lost packet */
TEST(test_answer_ahead_is_no_error, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	request(pair, ORNIC_WR_RDMA_READ, 8);
	request(pair, ORNIC_WR_RDMA_READ, 8);
	answer(pair, OPCODE_RC_ATOMIC_ACK, 1, 0);
	pair_poll_none(B(pair));
	pair_state_is(B(pair), ORNIC_QPS_RTS);
	pair->fate = NULL;
	pair_sleep(pair, 20 * 1000 * 1000);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
}

TEST(test_answer_to_nothing_is_no_error, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	answer(pair, OPCODE_RC_ATOMIC_ACK, 0, 0);
	answer(pair, OPCODE_RC_READ_RESP_ONLY, 0, 8);
	pair_poll_none(B(pair));
	pair_state_is(B(pair), ORNIC_QPS_RTS);
}

/* ---- WRITE_WITH_IMM ---- */

/* Take the region of B away before the last packet of the message */
static enum pair_fate fate_unmap(struct pair *pair, const struct packet *pkt)
{
	if (pkt->op->kind == OPCODE_WRITE && pkt->op->flags & OPCODE_END)
		host_unmap(B(pair)->host, B(pair)->addr, PAIR_BUF_SIZE);
	return PAIR_DELIVER;
}

static struct pair_wr imm_wr(struct pair *pair)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE_WITH_IMM,
					 0, LEN);

	wr.wr_id = 1;
	return wr;
}

static void write_imm(struct pair *pair, struct pair_wr *wr)
{
	pair_post_recv(B(pair), 7, B(pair)->addr, 8);
	pair->fate = fate_unmap;
	pair_send(A(pair), wr);
	host_map(B(pair)->host, B(pair)->addr, PAIR_BUF_SIZE);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_remote_access_errors, 1);
}

TEST(test_write_imm_fails_after_its_wqe, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = imm_wr(pair);

	write_imm(pair, &wr);
	pair_expect(B(pair), 7, ORNIC_WC_LOC_ACCESS_ERR);
	pair_poll_none(B(pair));
	pair_state_is(B(pair), ORNIC_QPS_ERR);
	assert_int_equal(pair_event(B(pair)), 0);
	pair_expect(A(pair), 1, ORNIC_WC_REM_ACCESS_ERR);
}

/* The key is wrong from the beginning, so no WQE is taken */
TEST(test_write_imm_fails_before_its_wqe, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = imm_wr(pair);

	wr.rkey ^= 1;
	write_imm(pair, &wr);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_ACCESS_ERR);
	pair_expect(B(pair), 7, ORNIC_WC_WR_FLUSH_ERR);
	pair_expect(A(pair), 1, ORNIC_WC_REM_ACCESS_ERR);
}

/* UC drops the message, and the next one gets the WQE */
TEST(test_write_imm_of_uc, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct pair_wr wr = imm_wr(pair);

	write_imm(pair, &wr);
	pair_poll_none(B(pair));
	pair_state_is(B(pair), ORNIC_QPS_RTS);
	pair->fate = NULL;
	pair_expect(A(pair), 1, ORNIC_WC_SUCCESS);
	pair_send(A(pair), &wr);
	pair_expect(B(pair), 7, ORNIC_WC_SUCCESS);
}

TEST_MAIN("answer")
