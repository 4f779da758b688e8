// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RC over a wire that drops, repeats and reorders, and to a receiver that is
 * not ready. Every message arrives once and in order, or fails as specified.
 */
#include "card/card.h"
#include "pair.h"

/* A generator that gives the same numbers on every machine */
static uint32_t rc_random(struct pair *pair)
{
	pair->arg = pair->arg * 6364136223846793005ULL + 1442695040888963407ULL;
	return pair->arg >> 33;
}

static enum pair_fate fate_random(struct pair *pair, const struct packet *pkt)
{
	switch (rc_random(pair) % 16) {
	case 0:
		return PAIR_DROP;
	case 1:
		return PAIR_TWICE;
	case 2:
		return PAIR_LATE;
	default:
		return PAIR_DELIVER;
	}
}

static struct pair_wr script_wr(struct pair *pair, unsigned int i)
{
	static const uint8_t opcodes[] = {
		ORNIC_WR_SEND, ORNIC_WR_RDMA_WRITE, ORNIC_WR_RDMA_READ,
		ORNIC_WR_ATOMIC_FETCH_ADD, ORNIC_WR_SEND_WITH_IMM,
		ORNIC_WR_RDMA_WRITE_WITH_IMM,
	};
	unsigned int opcode = opcodes[i % ARRAY_SIZE(opcodes)];
	uint32_t at = i * 8192;
	struct pair_wr wr = pair_wr_data(A(pair), opcode, at,
				    opcode == ORNIC_WR_ATOMIC_FETCH_ADD ?
				    8 : i * 613 % 6000);

	wr.wr_id = i;
	wr.swap_add = i;
	if (opcode == ORNIC_WR_ATOMIC_FETCH_ADD)
		wr.raddr = B(pair)->addr + (3 << 20);
	return wr;
}

#define SCRIPT_LEN 24

/* Execute all operations once and in order, whatever the wire does */
static void rc_script(struct pair *pair, unsigned int seed)
{
	uint64_t sum = 0;
	struct pair_wr wr;
	unsigned int i;

	*pair_word(B(pair), 3 << 20) = 0;
	for (i = 0; i < SCRIPT_LEN; i++) {
		wr = script_wr(pair, i);
		pair_fill(A(pair)->buf + i * 8192, 6000, seed + i);
		pair_fill(B(pair)->buf + i * 8192, 6000,
			  wr.opcode == ORNIC_WR_RDMA_READ ? seed + 99 + i : 1);
		if (wr.opcode == ORNIC_WR_SEND ||
		    wr.opcode == ORNIC_WR_SEND_WITH_IMM ||
		    wr.opcode == ORNIC_WR_RDMA_WRITE_WITH_IMM)
			pair_post_recv(B(pair), i, B(pair)->addr + i * 8192,
				       8192);
		pair_post(A(pair), &wr);
	}
	pair_ring(A(pair));
	pair_run(pair);
	pair_sleep(pair, 400 * 1000 * 1000);
	for (i = 0; i < SCRIPT_LEN; i++) {
		wr = script_wr(pair, i);
		pair_expect(A(pair), i, ORNIC_WC_SUCCESS);
		switch (wr.opcode) {
		case ORNIC_WR_RDMA_READ:
			pair_check(A(pair)->buf + i * 8192, wr.sge[0].length,
				   seed + 99 + i);
			continue;
		case ORNIC_WR_ATOMIC_FETCH_ADD:
			assert_int_equal(le64toh(*pair_word(A(pair), i * 8192)),
					 sum);
			sum += i;
			continue;
		case ORNIC_WR_RDMA_WRITE:
			break;
		default:
			pair_expect(B(pair), i, ORNIC_WC_SUCCESS);
		}
		pair_check(B(pair)->buf + i * 8192, wr.sge[0].length, seed + i);
	}
	assert_int_equal(le64toh(*pair_word(B(pair), 3 << 20)), sum);
	pair_poll_none(A(pair));
	pair_poll_none(B(pair));
}

static void set_retries(struct side *side, uint8_t retry_cnt, uint8_t rnr_retry)
{
	struct ornic_qp_attr attr = { .retry_cnt = retry_cnt, .rnr_retry = rnr_retry };

	pair_state(side, ORNIC_QPS_SQD);
	pair_modify_ok(side, ORNIC_QP_ATTR_RETRY_CNT | ORNIC_QP_ATTR_RNR_RETRY, &attr);
	pair_state(side, ORNIC_QPS_RTS);
}

TEST(test_random_loss_duplication_reordering, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	unsigned int seed;
	uint64_t first = unit_seed();

	/* Enough retries that only a bug uses them all */
	set_retries(A(pair), 7, 3);
	pair->fate = fate_random;
	for (seed = 1; seed <= 30; seed++) {
		pair->arg = (first << 8 | seed) * 0x9e3779b97f4a7c15ULL;
		rc_script(pair, seed);
	}
	assert_true(pair_stat(A(pair), ORNIC_RDMA_STAT_retransmits) > 0);
	assert_true(pair_stat(A(pair), ORNIC_RDMA_STAT_seq_naks_received) > 0);
	assert_true(pair_stat(B(pair),
			      ORNIC_RDMA_STAT_rx_duplicate_requests) > 0);
}

/* Number of the packet that is lost, repeated or delayed */
static unsigned int nth;
static enum pair_fate fate_of_nth;

static enum pair_fate fate_nth(struct pair *pair, const struct packet *pkt)
{
	return pair->arg++ == nth ? fate_of_nth : PAIR_DELIVER;
}

static void rc_each_packet(struct pair *pair, enum pair_fate fate)
{
	pair->fate = fate_nth;
	fate_of_nth = fate;
	for (nth = 0; nth < 120; nth++) {
		pair->arg = 0;
		rc_script(pair, nth);
		if (pair->arg < nth)
			break;
	}
}

/* [ORNIC-WIRE-14] */
TEST(test_lose_each_packet, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	rc_each_packet(pair, PAIR_DROP);
}

TEST(test_repeat_each_packet, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	rc_each_packet(pair, PAIR_TWICE);
}

TEST(test_delay_each_packet, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	rc_each_packet(pair, PAIR_LATE);
}

/* [ORNIC-WIRE-15] */
TEST(test_retries_exceeded, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 100);
	uint64_t timeout_ns = 4096 << 8;

	pair->fate = pair_fate_lose_all;
	pair_post(A(pair), &wr);
	wr.wr_id = 2;
	pair_send(A(pair), &wr);
	/* Sent four times, with timeouts of 1, 2, 4 and 4 times the first */
	pair_sleep(pair, timeout_ns * 109 / 10);
	pair_poll_none(A(pair));
	pair_sleep(pair, timeout_ns);
	pair_expect(A(pair), 0x1000, ORNIC_WC_RETRY_EXC_ERR);
	pair_expect(A(pair), 2, ORNIC_WC_WR_FLUSH_ERR);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_ack_timeouts, 4);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_retries_exceeded, 1);
	pair_state_is(A(pair), ORNIC_QPS_ERR);
	assert_int_equal(pair_event(A(pair)), 0);
}

/* [ORNIC-WIRE-15] */
TEST(test_timeout_0_waits_for_ever, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 100);

	pair_qp(A(pair))->attr.timeout = 0;
	pair->fate = pair_fate_lose_all;
	pair_send(A(pair), &wr);
	pair_sleep(pair, 1000 * 1000 * 1000);
	pair_poll_none(A(pair));
	assert_int_equal(pair->packets, 1);
}

/*
 * A receiver that has room for ten packets at a time. After a few losses the
 * requester sends no more than that.
 */
#define ROOM 10

static enum pair_fate fate_little_room(struct pair *pair,
				       const struct packet *pkt)
{
	uint32_t una = pair_qp(A(pair))->req.una;

	return pkt->op->kind == OPCODE_WRITE &&
	       psn_diff(pkt->psn, una) >= ROOM ? PAIR_DROP : PAIR_DELIVER;
}

/* Frames between cards of one process are not lost */
TEST(test_window_follows_the_wire, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0,
					 2 << 20);
	uint32_t packets = wr.sge[0].length / 1024;

	pair->fate = fate_little_room;
	pair_fill(A(pair)->buf, wr.sge[0].length, 5);
	pair_send(A(pair), &wr);
	pair_sleep(pair, 100 * 1000 * 1000);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_check(B(pair)->buf, wr.sge[0].length, 5);
	assert_true(pair_stat(A(pair), ORNIC_RDMA_STAT_retransmits) <
		    packets / 4);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_ack_timeouts, 0);
}

/* ---- repeated READ requests ---- */

/* A copy of the request of A's next READ */
static struct packet read_packet(struct pair *pair, const struct pair_wr *wr)
{
	struct packet pkt = pair_packet(pair, OPCODE_RC_READ_REQUEST);

	pkt.va = wr->raddr;
	pkt.rkey = wr->rkey;
	pkt.dma_len = wr->sge[0].length;
	return pkt;
}

#define READS_LEN (1 << 20)

/* Post the maximum number of READs; the response of the first one is long */
static void post_reads(struct pair *pair)
{
	unsigned int i;

	for (i = 0; i < CARD_MAX_RD_ATOMIC; i++) {
		struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ,
						 i << 16,
						 i ? 3000 + 613 * i : READS_LEN);

		wr.wr_id = i;
		pair_post(A(pair), &wr);
	}
	pair_ring(A(pair));
}

static void expect_reads(struct pair *pair, unsigned int seed)
{
	unsigned int i;

	for (i = 0; i < CARD_MAX_RD_ATOMIC; i++)
		pair_expect(A(pair), i, ORNIC_WC_SUCCESS);
	pair_check(A(pair)->buf, READS_LEN, seed);
}

/*
 * [ORNIC-WIRE-20] While B repeats the response of the oldest READ, it accepts
 * the maximum number of new ones.
 */
TEST(test_new_reads_while_one_is_repeated, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0,
					 READS_LEN);
	struct packet pkt;

	pair_qp(A(pair))->attr.max_rd_atomic = CARD_MAX_RD_ATOMIC;
	pair_qp(B(pair))->attr.max_dest_rd_atomic = CARD_MAX_RD_ATOMIC;
	pair_fill(B(pair)->buf, READS_LEN, 1);
	pkt = read_packet(pair, &wr);
	post_reads(pair);
	pair_run(pair);
	expect_reads(pair, 1);

	pair_fill(B(pair)->buf, READS_LEN, 2);
	post_reads(pair);
	pair_inject(pair, &pkt, NULL, 0);
	expect_reads(pair, 2);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_retransmits, 0);
}

/* [ORNIC-WIRE-20] Only requests whose response is not sent yet count against the limit */
TEST(test_more_reads_than_the_limit, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 5000);
	unsigned int i;

	pair_qp(B(pair))->attr.max_dest_rd_atomic = 2;
	for (i = 0; i < 5; i++)
		pair_one(pair, &wr);
	pair_qp(A(pair))->attr.max_rd_atomic = 3;
	for (i = 0; i < 3; i++) {
		wr.wr_id = i;
		pair_post(A(pair), &wr);
	}
	pair_ring(A(pair));
	pair_run(pair);
	pair_expect(A(pair), 0, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), 1, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), 2, ORNIC_WC_REM_INV_REQ_ERR);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_remote_invalid_requests, 1);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_REQ_ERR);
}

/*
 * [ORNIC-WIRE-19] A forged duplicate must not make the card repeat a response
 * of up to 2 GiB: it has to match the original request.
 */
TEST(test_duplicate_read_of_something_else, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0,
					 READS_LEN);
	struct packet good, bad;
	unsigned int i;

	pair_fill(B(pair)->buf, READS_LEN, 1);
	good = read_packet(pair, &wr);
	pair_one(pair, &wr);
	for (i = 0; i < 6; i++) {
		bad = good;
		switch (i) {
		case 0:
			bad.va++;
			break;
		case 1:
			bad.rkey++;
			break;
		case 2:
			bad.dma_len++;
			break;
		case 3:
			bad.dma_len = 0;
			break;
		case 4:
			/* One byte more than the rest */
			bad.psn = psn_add(bad.psn, 1);
			bad.va += 1024;
			bad.dma_len -= 1023;
			break;
		default:
			/* First address with the PSN of the second packet */
			bad.psn = psn_add(bad.psn, 1);
		}
		pair->packets = 0;
		pair_inject(pair, &bad, NULL, 0);
		assert_int_equal(pair->packets, 0);
		pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_duplicate_requests, i + 1);
	}
	pair_inject(pair, &good, NULL, 0);
	assert_true(pair->packets > 0);
	pair_one(pair, &wr);
	pair_check(A(pair)->buf, READS_LEN, 1);
}

/* The READ responses of B: data by place in the READ, first and last PSN, number of ends */
static struct parts {
	uint8_t data[8 * 1024];
	uint32_t start;
	uint32_t first;
	uint32_t end;
	unsigned int lasts;
} parts;

static enum pair_fate fate_parts(struct pair *pair, const struct packet *pkt)
{
	uint32_t at = psn_diff(pkt->psn, parts.start) * 1024;

	assert_int_equal(pkt->op->kind, OPCODE_READ_RESP);
	assert_in_range(at + pkt->payload_len, 1, sizeof(parts.data));
	assert_int_equal(frame_read(pkt->frame, pkt->payload, parts.data + at, pkt->payload_len),
			 0);
	if (pkt->op->flags & OPCODE_START)
		parts.first = pkt->psn;
	if (pkt->op->flags & OPCODE_END) {
		parts.end = at + pkt->payload_len;
		parts.lasts++;
	}
	return PAIR_DROP;
}

/* B gets a duplicate for a part of the READ @pkt */
static void ask_part(struct pair *pair, const struct packet *pkt, unsigned int at, uint32_t len)
{
	struct packet part = *pkt;

	part.psn = psn_add(pkt->psn, at);
	part.va += at * 1024;
	part.dma_len = len;
	pair_rx(pair, &part, NULL, 0);
}

static void expect_part(struct pair *pair, unsigned int at, uint32_t end)
{
	memset(parts.data, 0, sizeof(parts.data));
	parts.lasts = 0;
	pair_run(pair);
	assert_int_equal(parts.lasts, 1);
	assert_int_equal(parts.first, psn_add(parts.start, at));
	assert_int_equal(parts.end, end);
	assert_memory_equal(parts.data + at * 1024, B(pair)->buf + at * 1024, end - at * 1024);
}

/* [ORNIC-WIRE-19] Any part that begins with a packet of the response */
TEST(test_parts_of_a_read, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, sizeof(parts.data) - 100);
	struct packet pkt = read_packet(pair, &wr);

	pair_fill(B(pair)->buf, sizeof(parts.data), 1);
	pair_one(pair, &wr);
	parts.start = pkt.psn;
	pair->fate = fate_parts;
	ask_part(pair, &pkt, 0, 1024);
	expect_part(pair, 0, 1024);
	ask_part(pair, &pkt, 3, 2048);
	expect_part(pair, 3, 5 * 1024);
	ask_part(pair, &pkt, 2, 1);
	expect_part(pair, 2, 2 * 1024 + 1);
	/* Two at a time, and one with all behind it */
	ask_part(pair, &pkt, 5, 1024);
	ask_part(pair, &pkt, 2, 1024);
	expect_part(pair, 2, 6 * 1024);
	ask_part(pair, &pkt, 2, 1024);
	ask_part(pair, &pkt, 5, 1024);
	expect_part(pair, 2, 6 * 1024);
	ask_part(pair, &pkt, 4, 1024);
	ask_part(pair, &pkt, 6, sizeof(parts.data) - 100 - 6 * 1024);
	expect_part(pair, 4, sizeof(parts.data) - 100);
	ask_part(pair, &pkt, 0, wr.sge[0].length);
	expect_part(pair, 0, sizeof(parts.data) - 100);
}

/* Copies of a request do not restart the response that is being sent */
TEST(test_copies_of_a_read_in_a_row, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0,
					 READS_LEN);
	struct resp_cursor *again = &pair_qp(B(pair))->resp.again;
	struct packet pkt, rest;
	unsigned int mtu = 1u << pair_qp(B(pair))->mtu_shift;
	uint32_t psn;

	pkt = read_packet(pair, &wr);
	pair_one(pair, &wr);
	/* The whole READ, then its last packet, which is being sent anyway */
	rest = pkt;
	rest.psn = psn_add(pkt.psn, READS_LEN / mtu - 1);
	rest.va += (uint64_t)(READS_LEN / mtu - 1) * mtu;
	rest.dma_len -= (READS_LEN / mtu - 1) * mtu;
	pair_rx(pair, &pkt, NULL, 0);
	psn = again->psn;
	assert_int_equal(psn, pkt.psn);
	pair_rx(pair, &rest, NULL, 0);
	assert_int_equal(again->psn, psn);
	assert_int_equal(again->end - again->at, 1);
	card_run(B(pair)->host->card);
	psn = again->psn;
	pair_rx(pair, &rest, NULL, 0);
	assert_int_equal(again->psn, psn);
	pair_run(pair);
	assert_int_equal(again->at, again->end);
}

/*
 * [ORNIC-WIRE-19] A READ that the wire delayed until its key was destroyed. No
 * peer waits for the response, so it is no error.
 */
TEST(test_old_read_of_what_is_gone, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 5000);
	struct packet pkt;

	wr.rkey = host_mr(B(pair)->host, B(pair)->pdn, B(pair)->addr,
			  PAIR_BUF_SIZE, ORNIC_ACCESS_REMOTE_READ);
	pkt = read_packet(pair, &wr);
	pair_one(pair, &wr);
	host_cmd_object_ok(B(pair)->host, ORNIC_CMD_DESTROY_MR, wr.rkey);
	pair->packets = 0;
	pair_inject(pair, &pkt, NULL, 0);
	assert_int_equal(pair->packets, 0);
	assert_int_equal(pair_event(B(pair)), 0);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_duplicate_requests, 1);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_remote_access_errors, 0);
	pair_state_is(B(pair), ORNIC_QPS_RTS);

	wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 5000);
	pair_one(pair, &wr);
}

/* ---- several packets before the card answers ---- */

/* The ACKs and NAKs of B: the latest, which A does not get, and their number */
static struct packet answer;
static unsigned int answers;

static enum pair_fate fate_answer(struct pair *pair, const struct packet *pkt)
{
	if (pkt->op->kind == OPCODE_ACK) {
		answer = *pkt;
		answers++;
	}
	return PAIR_DROP;
}

static void expect_answer(struct pair *pair, uint8_t syndrome, uint32_t psn)
{
	answers = 0;
	pair->fate = fate_answer;
	pair_run(pair);
	assert_int_equal(answers, 1);
	assert_int_equal(answer.syndrome, syndrome);
	assert_int_equal(answer.psn, psn);
}

/* B gets a packet @ahead PSNs behind the one that it expects at first, and owes what it demands */
static void arrives(struct pair *pair, unsigned int opcode, unsigned int ahead)
{
	static const uint8_t data[1024];
	struct packet pkt = pair_packet(pair, opcode);

	pkt.psn = psn_add(pair_attr(B(pair), A(pair)).rq_psn, ahead);
	pair_rx(pair, &pkt, data, opcode == OPCODE_RC_SEND_MIDDLE ? 1024 :
				  opcode == OPCODE_RC_READ_REQUEST ? 0 : 8);
}

/* [ORNIC-WIRE-19] A NAK of a gap, or an RNR NAK, does not hide that the connection has failed */
TEST(test_error_behind_another_nak, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct packet pkt;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		if (i & 1)
			arrives(pair, OPCODE_RC_WRITE_ONLY, 1);
		else
			arrives(pair, OPCODE_RC_SEND_ONLY, 0);
		switch (i / 2) {
		case 0:
			pkt = pair_packet(pair, OPCODE_RC_READ_REQUEST);
			pkt.rkey ^= 1;
			pair_rx(pair, &pkt, NULL, 0);
			expect_answer(pair, AETH_NAK | NAK_REMOTE_ACCESS, pkt.psn);
			break;
		case 1:
			arrives(pair, OPCODE_RC_SEND_MIDDLE, 0);
			expect_answer(pair, AETH_NAK | NAK_INVALID_REQUEST, 0xfffffe);
			break;
		default:
			pair_post_recv(B(pair), 1, HOST_NOWHERE, 8);
			arrives(pair, OPCODE_RC_SEND_ONLY, 0);
			expect_answer(pair, AETH_NAK | NAK_REMOTE_OPERATION, 0xfffffe);
		}
		pair->fate = NULL;
		pair_again(pair);
	}
}

/* The packet that showed the gap was dropped, so it is missing when the gap is closed */
TEST(test_late_packet_closes_the_gap, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	arrives(pair, OPCODE_RC_WRITE_ONLY, 2);
	arrives(pair, OPCODE_RC_WRITE_ONLY, 0);
	arrives(pair, OPCODE_RC_WRITE_ONLY, 1);
	expect_answer(pair, AETH_NAK | NAK_SEQUENCE, 0);
	pair->fate = NULL;
	pair_again(pair);

	arrives(pair, OPCODE_RC_WRITE_ONLY, 1);
	arrives(pair, OPCODE_RC_WRITE_ONLY, 0);
	arrives(pair, OPCODE_RC_WRITE_ONLY, 1);
	expect_answer(pair, AETH_ACK | AETH_NO_CREDITS, 0xffffff);
}

TEST(test_ready_before_the_rnr_nak, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	arrives(pair, OPCODE_RC_SEND_ONLY, 0);
	pair_post_recv(B(pair), 1, B(pair)->addr, 8);
	arrives(pair, OPCODE_RC_SEND_ONLY, 0);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	expect_answer(pair, AETH_ACK | AETH_NO_CREDITS, 0xfffffe);
}

/* [ORNIC-WIRE-21] The NAK of a READ has the number of before, whatever came behind the READ */
TEST(test_message_number_of_a_failed_read, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	arrives(pair, OPCODE_RC_WRITE_ONLY, 0);
	pair_run(pair);
	arrives(pair, OPCODE_RC_READ_REQUEST, 1);
	arrives(pair, OPCODE_RC_WRITE_ONLY, 2);
	host_unmap(B(pair)->host, B(pair)->addr, PAIR_BUF_SIZE);
	expect_answer(pair, AETH_NAK | NAK_REMOTE_ACCESS, 0xffffff);
	assert_int_equal(answer.msn, 1);
	host_map(B(pair)->host, B(pair)->addr, PAIR_BUF_SIZE);
}

/* ---- receiver not ready ---- */

/* [ORNIC-WIRE-16] */
TEST(test_rnr_then_ready, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 5000);

	pair_fill(A(pair)->buf, 5000, 3);
	pair_send(A(pair), &wr);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_rnr_naks_received, 1);
	pair_post_recv(B(pair), 1, B(pair)->addr, 8192);
	/* Code 12 is 640 us */
	pair_sleep(pair, 500000);
	pair_poll_none(B(pair));
	pair_sleep(pair, 300000);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	pair_check(B(pair)->buf, 5000, 3);
}

/* WRITE with immediate in several packets: only the last one needs a WQE */
TEST(test_rnr_of_write_with_imm, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE_WITH_IMM, 0,
				    5000);

	pair_fill(A(pair)->buf, 5000, 3);
	pair_send(A(pair), &wr);
	pair_post_recv(B(pair), 1, 0, 0);
	pair_sleep(pair, 800000);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(pair_poll(B(pair)).byte_len), 5000);
	pair_check(B(pair)->buf, 5000, 3);
}

/* [ORNIC-WIRE-16] */
TEST(test_rnr_retries_exceeded, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 10);

	pair_send(A(pair), &wr);
	pair_sleep(pair, 100 * 1000 * 1000);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_RNR_RETRY_EXC_ERR);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rnr_naks_sent, 4);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_rnr_retries_exceeded, 1);
}

/* [ORNIC-WIRE-16] */
TEST(test_rnr_for_ever, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 10);

	set_retries(A(pair), 3, REQ_RNR_FOREVER);
	pair_send(A(pair), &wr);
	pair_sleep(pair, 100 * 1000 * 1000);
	pair_poll_none(A(pair));
	assert_true(pair_stat(B(pair), ORNIC_RDMA_STAT_rnr_naks_sent) > 100);
	pair_post_recv(B(pair), 1, B(pair)->addr, 10);
	pair_sleep(pair, 1000 * 1000);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
}

/* [ORNIC-WIRE-16] Progress gives the RNR retries back */
TEST(test_rnr_retries_are_given_back, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 10);
	unsigned int i;

	set_retries(A(pair), 3, 1);
	for (i = 1; i <= 3; i++) {
		pair_post(A(pair), &wr);
		pair_ring(A(pair));
		pair_run(pair);
		pair_stat_is(A(pair), ORNIC_RDMA_STAT_rnr_naks_received, i);
		pair_post_recv(B(pair), i, B(pair)->addr, 10);
		pair_sleep(pair, 100 * 1000 * 1000);
		pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
		pair_expect(B(pair), i, ORNIC_WC_SUCCESS);
	}
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_rnr_retries_exceeded, 0);
}

TEST_MAIN("rc_wire")
