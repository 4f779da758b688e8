// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Unreliable connections: received messages are correct, lost ones are dropped
 * silently, and the next message starts anew.
 */
#include "card/card.h"
#include "pair.h"

#define UC(operation) (OPCODE_UC << OPCODE_TRANSPORT_SHIFT | \
		       OPCODE_RC_ ## operation)

static const uint32_t lengths[] = {
	0, 1, 3, 1023, 1024, 1025, 2048, 4097, 8192, 65536, 300001,
};

/* All packets go from A to B */
static enum pair_fate only_requests(struct pair *pair, const struct packet *pkt)
{
	assert_int_equal(pkt->op->transport, OPCODE_UC);
	assert_false(pkt->ack_req);
	assert_int_equal(pkt->dqpn, B(pair)->qp.num);
	return PAIR_DELIVER;
}

/* [ORNIC-UC-1] */
TEST(test_all_operations, struct pair *pair, IN_PAIR_ALL(pair_setup_uc))
{
	unsigned int i, op;

	pair->fate = only_requests;
	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		for (op = ORNIC_WR_RDMA_WRITE; op <= ORNIC_WR_SEND_WITH_IMM; op++)
			pair_message(pair, op, lengths[i], i + op);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_out_of_sequence, 0);
	pair_poll_none(A(pair));
	pair_poll_none(B(pair));
	assert_int_equal(pair_event(A(pair)), 0);
	assert_int_equal(pair_event(B(pair)), 0);
}

/* [ORNIC-UC-1] A full ring, with inline data, SGEs and unsignaled WQEs */
TEST(test_many, struct pair *pair, IN_PAIR_ALL(pair_setup_uc))
{
	struct pair_wr wr;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		pair_fill(A(pair)->buf + i * 8192, 8192, i);
		pair_post_recv(B(pair), i, B(pair)->addr + i * 8192, 8192);
		wr = pair_wr_data(A(pair), ORNIC_WR_SEND, i * 8192, 8000);
		wr.flags = i == 15 ? ORNIC_SEND_SIGNALED : 0;
		wr.sge[0].length = 3000;
		wr.sge[1] = wr.sge[0];
		wr.sge[1].addr += 3000;
		wr.sge[1].length = 5000;
		wr.sges = 2;
		if (i % 3 == 2) {
			wr.flags |= ORNIC_SEND_INLINE;
			wr.data = A(pair)->buf + i * 8192;
			wr.data_len = 100;
		}
		pair_post(A(pair), &wr);
	}
	pair_ring(A(pair));
	pair_run(pair);
	pair_expect(A(pair), 0x1000 + 15 * 8192, ORNIC_WC_SUCCESS);
	pair_poll_none(A(pair));
	for (i = 0; i < 16; i++) {
		pair_expect(B(pair), i, ORNIC_WC_SUCCESS);
		pair_check(B(pair)->buf + i * 8192, i % 3 == 2 ? 100 : 8000, i);
	}
}

/* [ORNIC-UC-2] The buffer may be reused when the completion is visible */
TEST(test_payload_is_a_copy, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 20000);
	unsigned int turns = 0;

	pair_fill(A(pair)->buf, 20000, 4);
	pair_post_recv(B(pair), 9, B(pair)->addr, 20000);
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	while (!host_queue_peek(&A(pair)->cq)) {
		card_run(A(pair)->host->card);
		assert_true(turns++ < 100);
	}
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_poll_none(B(pair));
	memset(A(pair)->buf, 0, 20000);
	pair_run(pair);
	pair_expect(B(pair), 9, ORNIC_WC_SUCCESS);
	pair_check(B(pair)->buf, 20000, 4);
}

/* ---- losses ---- */

/* Drop packet number @arg of the pair, counted from 1 */
static enum pair_fate lose_one(struct pair *pair, const struct packet *pkt)
{
	return pair->arg && !--pair->arg ? PAIR_DROP : PAIR_DELIVER;
}

/*
 * [ORNIC-WIRE-23], [ORNIC-UC-3] The loss of any packet loses the whole
 * message. Its receive WQE serves the next message, and both sides go on.
 */
TEST(test_loss, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct pair_wr wr;
	unsigned int lost;

	pair->fate = lose_one;
	for (lost = 1; lost <= 3; lost++) {
		memset(B(pair)->buf, 0, 20000);
		pair_fill(A(pair)->buf, 20000, lost);
		pair_post_recv(B(pair), lost, B(pair)->addr, 20000);
		wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 20000);
		pair->arg = lost;
		pair_one(pair, &wr);
		pair_poll_none(B(pair));
		pair_one(pair, &wr);
		pair_expect(B(pair), lost, ORNIC_WC_SUCCESS);
		pair_check(B(pair)->buf, 20000, lost);
		assert_int_equal(pair_qp(B(pair))->resp.epsn,
				 pair_qp(A(pair))->req.psn);
	}
	assert_true(pair_stat(B(pair), ORNIC_RDMA_STAT_rx_out_of_sequence) > 0);
	assert_int_equal(pair_event(B(pair)), 0);
	pair_state_is(B(pair), ORNIC_QPS_RTS);
}

/* [ORNIC-UC-3] The receive WQE of a dropped SEND serves a WRITE */
TEST(test_loss_then_write, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 20000);
	struct ornic_cqe cqe;

	pair->fate = lose_one;
	pair->arg = 3;
	pair_post_recv(B(pair), 7, B(pair)->addr, 20000);
	pair_one(pair, &wr);
	wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE_WITH_IMM, 0, 20000);
	pair_one(pair, &wr);
	cqe = pair_poll(B(pair));
	assert_int_equal(le64toh(cqe.wr_id), 7);
	assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe.byte_len), 20000);
}

/* A completed receive holds one whole message, whatever the wire does */
TEST(test_bad_wire, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	unsigned int i, received = 0;
	struct pair_wr wr;

	pair->fate = pair_fate_disorder;
	for (i = 0; i < 10; i++)
		pair_post_recv(B(pair), i, B(pair)->addr + i * 4096, 4096);
	for (i = 0; i < 200 && received < 10; i++) {
		pair_fill(A(pair)->buf, 2500, i);
		wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 2500);
		pair_one(pair, &wr);
		while (host_queue_peek(&B(pair)->cq)) {
			const uint8_t *buf = B(pair)->buf + received * 4096;

			pair_expect(B(pair), received++, ORNIC_WC_SUCCESS);
			pair_check(buf, 2500, buf[0]);
		}
	}
	assert_int_equal(received, 10);
}

/* [ORNIC-RQ-7] */
TEST(test_no_receive_wqe_is_a_loss, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 20000);

	pair_one(pair, &wr);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_no_wqe, 1);
	wr.opcode = ORNIC_WR_RDMA_WRITE_WITH_IMM;
	pair_one(pair, &wr);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_no_wqe, 2);
	pair_post_recv(B(pair), 1, B(pair)->addr, 20000);
	pair_one(pair, &wr);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
}

/* ---- refusals by the responder ---- */

static void dropped(struct pair *pair, struct packet *pkt, uint32_t len)
{
	static const uint8_t payload[8192];

	pair_inject(pair, pkt, payload, len);
	pair_poll_none(B(pair));
	assert_int_equal(pair_event(B(pair)), 0);
	pair_state_is(B(pair), ORNIC_QPS_RTS);
	assert_int_equal(pair->packets, 0);
}

static void opcode_dropped(struct pair *pair, unsigned int opcode, uint32_t len)
{
	struct packet pkt = pair_packet(pair, opcode);

	dropped(pair, &pkt, len);
}

/* [ORNIC-UC-4] */
TEST(test_invalid_requests_are_dropped, struct pair *pair, IN_PAIR(pair_setup_uc, bytes))
{
	struct packet pkt;

	pair_post_recv(B(pair), 1, B(pair)->addr, 8192);
	opcode_dropped(pair, UC(SEND_MIDDLE), 1024);
	opcode_dropped(pair, UC(WRITE_LAST), 8);
	opcode_dropped(pair, UC(SEND_FIRST), 1020);
	opcode_dropped(pair, UC(SEND_ONLY), 1028);
	opcode_dropped(pair, UC(WRITE_ONLY), 12);
	opcode_dropped(pair, UC(WRITE_ONLY), 4);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_remote_invalid_requests, 4);
	/* A message that changes its opcode, and the end of the first one */
	opcode_dropped(pair, UC(SEND_FIRST), 1024);
	opcode_dropped(pair, UC(WRITE_LAST), 8);
	opcode_dropped(pair, UC(SEND_LAST), 8);
	/* A message that starts within another one replaces it */
	opcode_dropped(pair, UC(SEND_FIRST), 1024);
	pkt = pair_packet(pair, UC(SEND_ONLY));
	pair_inject(pair, &pkt, "hello", 5);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	assert_memory_equal(B(pair)->buf, "hello", 5);
}

/* [ORNIC-UC-4] [ORNIC-KEY-2] */
TEST(test_bad_rkeys_are_dropped, struct pair *pair, IN_PAIR(pair_setup_uc, bytes))
{
	struct packet pkt;

	pkt = pair_packet(pair, UC(WRITE_ONLY));
	pkt.rkey++;
	dropped(pair, &pkt, 8);
	pkt = pair_packet(pair, UC(WRITE_ONLY));
	pkt.va += PAIR_BUF_SIZE;
	dropped(pair, &pkt, 8);
	pair_qp(B(pair))->attr.access = 0;
	opcode_dropped(pair, UC(WRITE_ONLY), 8);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_remote_access_errors, 2);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_remote_invalid_requests, 1);
	host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_rkey, 2);
}

/* Opcodes of other transports and opcodes that need a response */
TEST(test_other_opcodes_are_unknown, struct pair *pair, IN_PAIR(pair_setup_uc, bytes))
{
	pair_post_recv(B(pair), 1, B(pair)->addr, 8192);
	opcode_dropped(pair, OPCODE_RC_SEND_ONLY, 8);
	opcode_dropped(pair, OPCODE_UD_SEND_ONLY, 8);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_unknown_qp, 2);
	assert_null(opcode_get(UC(READ_REQUEST)));
	assert_null(opcode_get(UC(SEND_ONLY_INV)));
	assert_null(opcode_get(UC(CMP_SWP)));
	assert_null(opcode_get(UC(ACK)));
}

/* [ORNIC-RQ-5] [ORNIC-UC-3] The WQE serves the next message that fits */
TEST(test_receive_too_short, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct side *b = B(pair);
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 3000);
	struct ornic_cqe cqe;

	pair_post_recv(b, 1, b->addr, 2999);
	pair_one(pair, &wr);
	wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 20000);
	pair_one(pair, &wr);
	pair_poll_none(b);
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_length_errors, 2);
	pair_stat_is(b, ORNIC_RDMA_STAT_remote_invalid_requests, 0);
	pair_fill(A(pair)->buf, 2999, 6);
	wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 2999);
	pair_one(pair, &wr);
	cqe = pair_poll(b);
	assert_int_equal(le64toh(cqe.wr_id), 1);
	assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe.byte_len), 2999);
	pair_check(b->buf, 2999, 6);
	pair_state_is(b, ORNIC_QPS_RTS);
	assert_int_equal(pair_event(b), 0);
}

/* [ORNIC-RQ-3] An error of the receive WQE takes the QP to ERR */
TEST(test_receive_bad_lkey, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 3000);
	struct sge sge = { B(pair)->addr, 8192, B(pair)->key + 1 };

	pair_post_recv_sges(B(pair), 1, &sge, 1);
	pair_post_recv(B(pair), 2, B(pair)->addr, 8192);
	pair_one(pair, &wr);
	pair_expect(B(pair), 1, ORNIC_WC_LOC_PROT_ERR);
	pair_expect(B(pair), 2, ORNIC_WC_WR_FLUSH_ERR);
	pair_state_is(B(pair), ORNIC_QPS_ERR);
	assert_int_equal(pair_event(B(pair)), 0);
	pair_one(pair, &wr);
}

/* ---- errors of the requester, and states ---- */

/*
 * [ORNIC-UC-5] [ORNIC-QP-8] A WQE that fails stops the send queue only, until
 * MODIFY_QP to RTS; the next message is complete.
 */
static void send_fails(struct pair *pair, struct pair_wr *wr,
		       unsigned int status)
{
	struct pair_wr good = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 10);
	struct ornic_qp_attr attr = {
		.state = ORNIC_QPS_RTS,
		.cur_state = ORNIC_QPS_SQE,
		.access = htole32(ORNIC_ACCESS_REMOTE_WRITE),
	};

	good.wr_id = 1;
	pair_post(A(pair), &good);
	wr->wr_id = 2;
	wr->flags &= ~ORNIC_SEND_SIGNALED;
	pair_post(A(pair), wr);
	good.wr_id = 3;
	good.flags = 0;
	pair_send(A(pair), &good);
	pair_expect(A(pair), 1, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), 2, status);
	pair_expect(A(pair), 3, ORNIC_WC_WR_FLUSH_ERR);
	pair_state_is(A(pair), ORNIC_QPS_SQE);
	good.wr_id = 4;
	pair_send(A(pair), &good);
	pair_expect(A(pair), 4, ORNIC_WC_WR_FLUSH_ERR);
	/* The responder goes on */
	assert_true(receiver_receives(&pair_qp(A(pair))->base));
	pair_modify_ok(A(pair),
		       ORNIC_QP_ATTR_STATE | ORNIC_QP_ATTR_CUR_STATE |
		       ORNIC_QP_ATTR_ACCESS,
		       &attr);
	good = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 10000);
	pair_fill(A(pair)->buf, 10000, 8);
	pair_post_recv(B(pair), 9, B(pair)->addr, 10000);
	pair_one(pair, &good);
	pair_expect(B(pair), 9, ORNIC_WC_SUCCESS);
	pair_check(B(pair)->buf, 10000, 8);
	assert_int_equal(pair_event(A(pair)), 0);
}

TEST(test_send_bad_lkey, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 10);

	wr.sge[0].lkey++;
	send_fails(pair, &wr, ORNIC_WC_LOC_PROT_ERR);
}

/* The key of the second SGE is wrong, after the first packets were sent */
TEST(test_send_bad_lkey_in_the_middle, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 20000);

	wr.sge[1] = wr.sge[0];
	wr.sge[1].lkey++;
	wr.sges = 2;
	send_fails(pair, &wr, ORNIC_WC_LOC_PROT_ERR);
}

TEST(test_send_bad_opcode, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 10);

	send_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
	host_device_stat_is(A(pair)->host, ORNIC_DEVICE_STAT_bad_wqe_opcode, 1);
}

TEST(test_error_flushes, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 20000);

	pair->fate = lose_one;
	pair->arg = 3;
	pair_post_recv(B(pair), 1, B(pair)->addr, 20000);
	pair_post_recv(B(pair), 2, B(pair)->addr, 20000);
	pair_one(pair, &wr);
	/* The receive WQE kept for the next message is flushed first */
	pair_state(B(pair), ORNIC_QPS_ERR);
	pair_state(A(pair), ORNIC_QPS_ERR);
	pair_send(A(pair), &wr);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_WR_FLUSH_ERR);
	pair_expect(B(pair), 1, ORNIC_WC_WR_FLUSH_ERR);
	pair_expect(B(pair), 2, ORNIC_WC_WR_FLUSH_ERR);
	pair_poll_none(B(pair));
}

TEST_MAIN("uc")
