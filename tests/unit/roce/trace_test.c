// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The trace of messages: which events a message has at both ends, and in which order */
#include "base/trace.h"
#include "card/card.h"
#include "pair.h"

#define RING 1024
#define TEXT_LEN 4096

static struct trace ring;
static char text[TEXT_LEN];

static int setup_traced(void **state, CMFixtureFunction setup, uint32_t records)
{
	struct pair *pair;

	setup(state);
	pair = *state;
	assert_int_equal(trace_init(&ring, records), 0);
	card_trace(A(pair)->host->card, &ring, 0);
	if (!pair->loopback)
		card_trace(B(pair)->host->card, &ring, 1);
	return 0;
}

static int setup_rc(void **state)
{
	return setup_traced(state, pair_setup_rc, RING);
}

static int setup_ud(void **state)
{
	return setup_traced(state, pair_setup_ud, RING);
}

static int setup_small(void **state)
{
	return setup_traced(state, pair_setup_rc, TRACE_RECORDS_MIN);
}

static int teardown(void **state)
{
	trace_uninit(&ring);
	return pair_teardown(state);
}

#define IN_TRACED(_setup, _config) { \
		.name = "[" #_config "]", .setup = _setup, .teardown = teardown, \
		.state = &pair_config_##_config, \
	}

static const char *packet_name(const struct trace_record *record)
{
	if (record->op == OPCODE_RC_ACK && (record->code & AETH_KIND) == AETH_NAK)
		return "NAK";
	if (record->op == OPCODE_RC_ACK && (record->code & AETH_KIND) == AETH_RNR)
		return "RNR";
	return opcode_get(record->op)->name + 3;
}

/* Add "A:out SEND_ONLY+1": the PSN counts from the first one of A */
static void text_add(struct pair *pair, const struct trace_record *record)
{
	static const char *const names[] = { "lost", "bell", "wqe", "out", "in", "cqe", "irq" };
	size_t len = strlen(text);

	len += snprintf(text + len, TEXT_LEN - len, "%s%c:%s", len ? ", " : "",
			'A' + record->card, names[record->kind]);
	if (record->kind == TRACE_OUT || record->kind == TRACE_IN)
		snprintf(text + len, TEXT_LEN - len, " %s+%d", packet_name(record),
			 psn_diff(le32toh(record->psn), pair_qp(A(pair))->attr.sq_psn));
	else if (record->kind == TRACE_WQE && record->code)
		snprintf(text + len, TEXT_LEN - len, " again");
}

/* The events are these; their times do not go back, and their QPs are those of the pair */
static void trace_is(struct pair *pair, const char *expected)
{
	uint64_t ns[2] = { 0 };
	struct trace_record record;
	struct side *side;

	text[0] = '\0';
	while (trace_take(&ring, &record, 1)) {
		text_add(pair, &record);
		assert_true(le64toh(record.ns) > ns[record.card]);
		ns[record.card] = le64toh(record.ns);
		side = &pair->side[record.card];
		if (record.kind != TRACE_IRQ)
			assert_int_equal(le32toh(record.qpn), side->qp.num);
	}
	assert_string_equal(text, expected);
	assert_int_equal(ring.lost, 0);
}

static void send_one(struct pair *pair, uint32_t len)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, len);

	pair_post_recv(B(pair), 7, B(pair)->addr, 8192);
	pair_send(A(pair), &wr);
}

TEST(test_send, struct pair *pair, IN_TRACED(setup_rc, local), IN_TRACED(setup_rc, bytes))
{
	send_one(pair, 100);
	trace_is(pair, "A:bell, A:wqe, A:out SEND_ONLY+0, B:in SEND_ONLY+0, B:cqe, "
		       "B:out ACK+0, A:in ACK+0, A:cqe");
}

TEST(test_interrupt, struct pair *pair, IN_TRACED(setup_rc, local))
{
	host_queue_arm(&A(pair)->cq, ORNIC_ARM_NEXT);
	host_queue_arm(&A(pair)->eq, ORNIC_ARM_NEXT);
	send_one(pair, 100);
	trace_is(pair, "A:bell, A:wqe, A:out SEND_ONLY+0, B:in SEND_ONLY+0, B:cqe, "
		       "B:out ACK+0, A:in ACK+0, A:cqe, A:irq");
}

/* The numbers in the records of one message */
TEST(test_numbers, struct pair *pair, IN_TRACED(setup_rc, local), IN_TRACED(setup_rc, bytes))
{
	struct trace_record record[8];
	unsigned int i;

	send_one(pair, 100);
	assert_int_equal(trace_take(&ring, record, ARRAY_SIZE(record)), ARRAY_SIZE(record));
	for (i = 1; i < ARRAY_SIZE(record); i += 6)
		assert_int_equal(le64toh(record[i].wr_id), 0x1000);
	assert_int_equal(record[1].op, ORNIC_WR_SEND);
	assert_int_equal(le32toh(record[1].num), 1);
	/* The doorbell covers the WQE, and both ends have the same packet */
	assert_int_equal(le32toh(record[0].value), le32toh(record[1].value));
	assert_int_equal(record[2].path, record[3].path);
	assert_int_equal(le32toh(record[2].num), B(pair)->qp.num);
	assert_int_equal(le32toh(record[2].len), 100);
	assert_int_equal(le32toh(record[3].len), 100);
	assert_int_equal(le32toh(record[4].psn), 0);
	assert_int_equal(le64toh(record[4].wr_id), 7);
	assert_int_equal(le32toh(record[4].len), 100);
	assert_int_equal(le32toh(record[7].psn), 1);
	assert_int_equal(le32toh(record[7].num), 1);
}

/* The WQE is read again for each part of its response */
TEST(test_read, struct pair *pair, IN_TRACED(setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 3000);
	struct trace_record record[3];

	pair_qp(A(pair))->mtu_shift = 10;
	pair_qp(B(pair))->mtu_shift = 10;
	pair_send(A(pair), &wr);
	assert_int_equal(trace_take(&ring, record, 3), 3);
	assert_int_equal(le32toh(record[2].len), 3000);
	trace_is(pair, "B:in READ_REQUEST+0, B:out READ_RESP_FIRST+0, B:out READ_RESP_MIDDLE+1, "
		       "B:out READ_RESP_LAST+2, A:in READ_RESP_FIRST+0, A:wqe again, "
		       "A:in READ_RESP_MIDDLE+1, A:wqe again, A:in READ_RESP_LAST+2, A:wqe again, "
		       "A:cqe");
}

/* The first of three packets is lost: the receiver asks for it, and all are sent again */
TEST(test_lost_packet, struct pair *pair, IN_TRACED(setup_rc, local), IN_TRACED(setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 100);
	unsigned int i;

	pair->fate = pair_fate_lose_some;
	pair->arg = 1;
	for (i = 0; i < 3; i++)
		pair_post(A(pair), &wr);
	pair_ring(A(pair));
	pair_run(pair);
	trace_is(pair, "A:bell, A:wqe, A:out WRITE_ONLY+0, A:wqe, A:out WRITE_ONLY+1, A:wqe, "
		       "A:out WRITE_ONLY+2, B:in WRITE_ONLY+1, B:in WRITE_ONLY+2, B:out NAK+0, "
		       "A:in NAK+0, A:wqe again, A:out WRITE_ONLY+0, A:wqe again, "
		       "A:out WRITE_ONLY+1, A:wqe again, A:out WRITE_ONLY+2, B:in WRITE_ONLY+0, "
		       "B:in WRITE_ONLY+1, B:in WRITE_ONLY+2, B:out ACK+2, A:in ACK+2, A:cqe, "
		       "A:cqe, A:cqe");
}

/* The only packet is lost: it is sent again when the ACK has not come in time */
TEST(test_timeout, struct pair *pair, IN_TRACED(setup_rc, local))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 100);

	pair->fate = pair_fate_lose_some;
	pair->arg = 1;
	pair_send(A(pair), &wr);
	trace_is(pair, "A:bell, A:wqe, A:out WRITE_ONLY+0");
	pair_sleep(pair, 400 * 1000 * 1000);
	trace_is(pair, "A:wqe again, A:out WRITE_ONLY+0, B:in WRITE_ONLY+0, B:out ACK+0, "
		       "A:in ACK+0, A:cqe");
}

TEST(test_receiver_not_ready, struct pair *pair, IN_TRACED(setup_rc, local))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 100);

	pair_send(A(pair), &wr);
	trace_is(pair, "A:bell, A:wqe, A:out SEND_ONLY+0, B:in SEND_ONLY+0, B:out RNR+0, "
		       "A:in RNR+0");
}

/* The records of a datagram have the QP that sends at both ends */
TEST(test_datagram, struct pair *pair, IN_TRACED(setup_ud, local), IN_TRACED(setup_ud, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 100);
	struct trace_record record[6];

	pair_post_recv(B(pair), 7, B(pair)->addr, 8192);
	pair_send(A(pair), &wr);
	assert_int_equal(trace_take(&ring, record, ARRAY_SIZE(record)), ARRAY_SIZE(record));
	assert_int_equal(record[2].kind, TRACE_OUT);
	assert_int_equal(le32toh(record[2].qpn), A(pair)->qp.num);
	assert_int_equal(record[4].kind, TRACE_IN);
	assert_int_equal(le32toh(record[4].qpn), B(pair)->qp.num);
	assert_int_equal(le32toh(record[4].num), A(pair)->qp.num);
	assert_int_equal(record[5].kind, TRACE_CQE);
}

/* A WQE that the QP may not execute is refused with a trace, too, and no event of it */
TEST(test_refused, struct pair *pair, IN_TRACED(setup_rc, local))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_TSO, 0, 100);

	pair_send(A(pair), &wr);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_LOC_QP_OP_ERR);
	trace_is(pair, "A:bell, A:cqe");
}

/* Without a trace there are no events, and messages go the usual way again */
TEST(test_off, struct pair *pair, IN_TRACED(setup_rc, local))
{
	struct card *card = A(pair)->host->card;

	assert_int_not_equal(card->hooks, 0);
	card_trace(card, NULL, 0);
	card_trace(B(pair)->host->card, NULL, 0);
	assert_int_equal(card->hooks, 0);
	assert_true(card->plain_ops && card->plain_ops == card->host.send_ops);
	assert_true(card->watches.plain);
	send_one(pair, 100);
	trace_is(pair, "");
}

/* A reset does not end a trace */
TEST(test_reset, struct pair *pair, IN_TRACED(setup_rc, local))
{
	struct card *card = A(pair)->host->card;

	card_reset(card);
	assert_int_equal(card->hooks, CARD_TRACED);
	assert_int_equal(card->plain_ops, 0);
}

/* A full ring keeps the oldest events, and what is missing is told in its place */
TEST(test_overrun, struct pair *pair, IN_TRACED(setup_small, local))
{
	struct trace_record record[TRACE_RECORDS_MIN];
	unsigned int messages = 20, i;

	for (i = 0; i < messages; i++)
		send_one(pair, 100);
	assert_int_equal(ring.lost, messages * 8 - TRACE_RECORDS_MIN);
	assert_int_equal(trace_take(&ring, record, TRACE_RECORDS_MIN), TRACE_RECORDS_MIN);
	assert_int_equal(record[0].kind, TRACE_DOORBELL);
	send_one(pair, 100);
	assert_int_equal(trace_take(&ring, record, TRACE_RECORDS_MIN), 9);
	assert_int_equal(record[0].kind, TRACE_LOST);
	assert_int_equal(le32toh(record[0].value), messages * 8 - TRACE_RECORDS_MIN);
	assert_int_equal(record[1].kind, TRACE_DOORBELL);
	/* It is told once */
	send_one(pair, 100);
	assert_int_equal(trace_take(&ring, record, TRACE_RECORDS_MIN), 8);
}

TEST_MAIN("trace")
