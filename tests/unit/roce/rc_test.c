// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RC traffic between two cards: all operations and lengths, and the states of a
 * QP. Each test runs with payload by reference and with bytes.
 */
#include "card/card.h"
#include "pair.h"

static const uint32_t lengths[] = {
	0, 1, 3, 4, 1023, 1024, 1025, 2048, 4097, 65536, 300000, 1 << 20,
	(3 << 20) + 5,
};

/* Also with an immediate */
static void all_lengths(struct pair *pair, unsigned int opcode, unsigned int with_imm)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		pair_message(pair, opcode, lengths[i], i);
		pair_message(pair, with_imm, lengths[i], i);
	}
	pair_poll_none(A(pair));
	pair_poll_none(B(pair));
}

TEST(test_send_all_lengths, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	all_lengths(pair, ORNIC_WR_SEND, ORNIC_WR_SEND_WITH_IMM);
}

TEST(test_write_all_lengths, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	all_lengths(pair, ORNIC_WR_RDMA_WRITE, ORNIC_WR_RDMA_WRITE_WITH_IMM);
}

TEST(test_read_all_lengths, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	struct ornic_cqe cqe;
	struct pair_wr wr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		memset(A(pair)->buf, 0xee, lengths[i] + 1);
		pair_fill(B(pair)->buf, lengths[i], i);
		wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, lengths[i]);
		pair_send(A(pair), &wr);
		cqe = pair_poll(A(pair));
		assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
		assert_int_equal(le32toh(cqe.opcode), ORNIC_WC_RDMA_READ);
		assert_int_equal(le32toh(cqe.byte_len), lengths[i]);
		pair_check(A(pair)->buf, lengths[i], i);
		assert_int_equal(A(pair)->buf[lengths[i]], 0xee);
	}
}

TEST(test_atomics, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_ATOMIC_FETCH_ADD, 64, 8);
	struct ornic_cqe cqe;

	*pair_word(B(pair), 64) = htole64(0xfffffffffffffffe);
	wr.swap_add = 3;
	pair_post(A(pair), &wr);
	wr.opcode = ORNIC_WR_ATOMIC_CMP_SWP;
	wr.sge[0].addr += 8;
	wr.compare = 1;
	wr.swap_add = 0x1122334455667788;
	pair_post(A(pair), &wr);
	wr.sge[0].addr += 8;
	wr.swap_add = 5;
	pair_send(A(pair), &wr);
	cqe = pair_poll(A(pair));
	assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe.opcode), ORNIC_WC_FETCH_ADD);
	assert_int_equal(le32toh(cqe.byte_len), 8);
	cqe = pair_poll(A(pair));
	assert_int_equal(le32toh(cqe.opcode), ORNIC_WC_COMP_SWAP);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	assert_int_equal(le64toh(*pair_word(A(pair), 64)), 0xfffffffffffffffe);
	assert_int_equal(le64toh(*pair_word(A(pair), 72)), 1);
	assert_int_equal(le64toh(*pair_word(A(pair), 80)), 0x1122334455667788);
	assert_int_equal(le64toh(*pair_word(B(pair), 64)), 0x1122334455667788);
}

TEST(test_inline, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	uint8_t data[CARD_MAX_INLINE];
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 0);

	pair_fill(data, sizeof(data), 9);
	wr.flags |= ORNIC_SEND_INLINE;
	wr.data = data;
	for (wr.data_len = 0; wr.data_len <= CARD_MAX_INLINE;
	     wr.data_len += 73) {
		memset(B(pair)->buf, 0, CARD_MAX_INLINE);
		pair_one(pair, &wr);
		pair_check(B(pair)->buf, wr.data_len, 9);
	}
	wr.data_len = CARD_MAX_INLINE;
	pair_one(pair, &wr);
	pair_check(B(pair)->buf, wr.data_len, 9);
}

/* Pieces of odd lengths on both sides, also empty ones */
TEST(test_scatter_gather, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 0);
	struct sge to[CARD_MAX_SGE];
	uint32_t at = 0, len;
	unsigned int i;

	wr.sges = CARD_MAX_SGE;
	pair_fill(A(pair)->buf, 1 << 20, 77);
	for (i = 0; i < CARD_MAX_SGE; i++) {
		len = i % 5 == 3 ? 0 : 501 * i + 1;
		wr.sge[i] = (struct sge){ A(pair)->addr + at, len,
					  len ? A(pair)->key : 0xdead };
		at += len;
	}
	for (i = 0; i < CARD_MAX_SGE; i++)
		to[i] = (struct sge){ B(pair)->addr + i * 8192, 7000,
				      B(pair)->key };
	pair_post_recv_sges(B(pair), 1, to, CARD_MAX_SGE);
	pair_one(pair, &wr);
	assert_int_equal(le32toh(pair_poll(B(pair)).byte_len), at);
	/* Gather the scattered pieces */
	for (i = 0; i < CARD_MAX_SGE; i++)
		memmove(B(pair)->buf + i * 7000, B(pair)->buf + i * 8192, 7000);
	pair_check(B(pair)->buf, at, 77);
}

/* [ORNIC-SQ-1], [ORNIC-GEN-5], [ORNIC-ORD-6] */
TEST(test_many_messages_wrap_the_rings, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr;
	unsigned int i, j;

	for (i = 0; i < 400; i++) {
		/* WQEs of one and two slots in turn, one of three unsignaled */
		for (j = 0; j < 8; j++) {
			wr = pair_wr_data(A(pair), ORNIC_WR_SEND, j * 64, 64);
			wr.wr_id = i * 8 + j;
			wr.flags = j % 3 == 2 ? 0 : ORNIC_SEND_SIGNALED;
			if (j & 1) {
				wr.sges = 3;
				wr.sge[1] = wr.sge[2] = wr.sge[0];
			}
			pair_fill(A(pair)->buf + j * 64, 64, i + j);
			pair_post(A(pair), &wr);
			pair_post_recv(B(pair), wr.wr_id,
				       B(pair)->addr + j * 256, 256);
		}
		pair_ring(A(pair));
		pair_run(pair);
		for (j = 0; j < 8; j++) {
			if (j % 3 != 2)
				pair_expect(A(pair), i * 8 + j,
					    ORNIC_WC_SUCCESS);
			pair_expect(B(pair), i * 8 + j, ORNIC_WC_SUCCESS);
			pair_check(B(pair)->buf + j * 256, 64, i + j);
		}
		assert_in_range(A(pair)->qp.sq_pi -
				le32toh(host_qp_dbr(&A(pair)->qp)->sq_ci), 0, 8);
		assert_int_equal(le32toh(host_qp_dbr(&B(pair)->qp)->rq_ci),
				 B(pair)->qp.rq_pi);
	}
	pair_poll_none(A(pair));
}

TEST(test_solicited, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 3000);
	struct host *host = B(pair)->host;
	unsigned int irqs;

	host_queue_arm(&B(pair)->eq, ORNIC_ARM_NEXT);
	host_queue_arm(&B(pair)->cq, ORNIC_ARM_SOLICITED);
	pair_post_recv(B(pair), 1, B(pair)->addr, 4096);
	pair_post_recv(B(pair), 2, B(pair)->addr, 4096);
	irqs = host->irqs[0];
	pair_one(pair, &wr);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	assert_int_equal(host->irqs[0], irqs);
	wr.flags |= ORNIC_SEND_SOLICITED;
	pair_one(pair, &wr);
	pair_expect(B(pair), 2, ORNIC_WC_SUCCESS);
	assert_int_equal(host->irqs[0], irqs + 1);
}

static enum pair_fate fate_count_acks(struct pair *pair,
				      const struct packet *pkt)
{
	pair->arg += pkt->op->kind == OPCODE_ACK;
	return PAIR_DELIVER;
}

/* The response of a READ or an atomic acknowledges all earlier requests */
TEST(test_answer_is_the_ack, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr write = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 9);
	struct pair_wr read = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 9);
	struct pair_wr add = pair_wr_data(A(pair), ORNIC_WR_ATOMIC_FETCH_ADD, 0,
					  8);

	pair->fate = fate_count_acks;
	pair_post(A(pair), &write);
	pair_one(pair, &read);
	pair_expect(A(pair), write.wr_id, ORNIC_WC_SUCCESS);
	pair_post(A(pair), &write);
	pair_one(pair, &add);
	pair_expect(A(pair), write.wr_id, ORNIC_WC_SUCCESS);
	assert_int_equal(pair->arg, 0);

	/* The WRITE follows the READ, so it needs an ACK */
	pair_post(A(pair), &read);
	pair_one(pair, &write);
	pair_expect(A(pair), read.wr_id, ORNIC_WC_SUCCESS);
	assert_int_equal(pair->arg, 1);
}

/* Two READs may be outstanding, and the fence holds a WRITE back */
static unsigned int reads_seen, reads_open_max;

static enum pair_fate fate_count_reads(struct pair *pair,
				       const struct packet *pkt)
{
	if (pkt->op->kind == OPCODE_READ)
		reads_seen++;
	if (pkt->op->kind == OPCODE_READ_RESP && pkt->op->flags & OPCODE_END)
		pair->arg++;
	if (pkt->op->kind == OPCODE_WRITE)
		assert_int_equal(pair->arg, 7);
	if (reads_seen - pair->arg > reads_open_max)
		reads_open_max = reads_seen - pair->arg;
	return PAIR_DELIVER;
}

TEST(test_read_depth_and_fence, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct ornic_qp_attr attr = { .max_rd_atomic = 2 };
	struct pair_wr wr;
	unsigned int i;

	pair_state(A(pair), ORNIC_QPS_SQD);
	pair_modify_ok(A(pair), ORNIC_QP_ATTR_MAX_RD_ATOMIC, &attr);
	pair_state(A(pair), ORNIC_QPS_RTS);
	reads_seen = 0;
	reads_open_max = 0;
	pair->fate = fate_count_reads;
	for (i = 0; i < 7; i++) {
		wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, i * 4096, 4096);
		pair_post(A(pair), &wr);
	}
	wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 10);
	wr.flags |= ORNIC_SEND_FENCE;
	pair_send(A(pair), &wr);
	for (i = 0; i < 7; i++)
		pair_expect(A(pair), 0x1000 + i * 4096, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
	assert_int_equal(reads_seen, 7);
	assert_int_equal(reads_open_max, 2);
}

/* ---- paths ---- */

TEST(test_path_mtu, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr;
	unsigned int mtu;

	for (mtu = 1; mtu <= 5; mtu++) {
		pair_qps_of_mtu(pair, mtu);
		pair->packets = 0;
		pair_fill(A(pair)->buf, 20000, mtu);
		pair_post_recv(B(pair), 1, B(pair)->addr, 20000);
		wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 20000);
		pair_one(pair, &wr);
		pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
		pair_check(B(pair)->buf, 20000, mtu);
		if (pair->bytes)
			assert_true(pair->packets > 20000u >> (7 + mtu));
		else
			assert_int_equal(pair->packets, 2);
	}
}

/* ---- states ---- */

TEST(test_comm_established, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 10);

	struct packet ahead = pair_packet(pair, OPCODE_RC_WRITE_ONLY);

	pair_qp(B(pair))->base.state = ORNIC_QPS_RTR;
	/* A packet that is dropped establishes nothing */
	ahead.psn = psn_add(ahead.psn, 1);
	pair_inject(pair, &ahead, "12345678", 8);
	assert_int_equal(pair_event(B(pair)), 0);
	pair_one(pair, &wr);
	pair_one(pair, &wr);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_COMM_EST);
	assert_int_equal(pair_event(B(pair)), 0);
}

/* [ORNIC-QP-6], [ORNIC-QP-11] */
TEST(test_error_flushes_all, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 10);
	unsigned int i;

	pair->fate = pair_fate_lose_all;
	for (i = 0; i < 10; i++) {
		wr.wr_id = i;
		wr.flags = i & 1 ? ORNIC_SEND_SIGNALED : 0;
		pair_post(A(pair), &wr);
	}
	for (i = 0; i < 5; i++)
		pair_post_recv(A(pair), 100 + i, A(pair)->addr, 10);
	pair_ring(A(pair));
	pair_run(pair);
	pair_state(A(pair), ORNIC_QPS_ERR);
	pair_run(pair);
	for (i = 0; i < 10; i++)
		pair_expect(A(pair), i, ORNIC_WC_WR_FLUSH_ERR);
	for (i = 0; i < 5; i++)
		pair_expect(A(pair), 100 + i, ORNIC_WC_WR_FLUSH_ERR);
	/* WQEs posted in ERR: the send with a doorbell, the receive without */
	wr.wr_id = 50;
	pair_send(A(pair), &wr);
	pair_expect(A(pair), 50, ORNIC_WC_WR_FLUSH_ERR);
	pair_post_recv(A(pair), 200, A(pair)->addr, 10);
	pair_sleep(pair, 20 * 1000 * 1000);
	pair_expect(A(pair), 200, ORNIC_WC_WR_FLUSH_ERR);
	assert_int_equal(le32toh(host_qp_dbr(&A(pair)->qp)->sq_ci),
			 A(pair)->qp.sq_pi);
	assert_int_equal(le32toh(host_qp_dbr(&A(pair)->qp)->rq_ci),
			 A(pair)->qp.rq_pi);
	pair_state(A(pair), ORNIC_QPS_RESET);
	assert_int_equal(le32toh(host_qp_dbr(&A(pair)->qp)->sq_ci), 0);
}

/* [ORNIC-DEV-13] Bytes of RoCE are payload, however the packets are cut */
TEST(test_bytes_are_payload, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 3001);

	pair_one(pair, &wr);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_tx_bytes, 3001);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_bytes, 3001);
	wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 500);
	pair_one(pair, &wr);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_tx_bytes, 3001);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_rx_bytes, 500);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_tx_bytes, 500);
}

TEST_MAIN("rc")
