// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The table of states and events of QPs ([ORNIC-QP-12]): each cell of it, against
 * the card, also while a message is on its way ([ORNIC-QP-13])
 */
#include "base/be.h"
#include "card/card.h"
#include "objects/cq.h"
#include "pair.h"
#include "table.h"

#define LABEL "**[ORNIC-QP-12]**"
#define FIRST_STATE 2		/* columns: event, types, states */
#define RECV_ID 7
#define RECV_LEN 512
#define FRAME_LEN 60
#define UNKNOWN_OPCODE 0xee
#define LONG_NS 200000000ULL

/* Values of struct word's @completion besides enum ornic_wc_status */
#define NONE (-1)
#define ANY (-2)
#define FAILURE (-3)

/**
 * struct cell - what a cell of the table is about
 * @pair: B has the QP, A its peer
 * @type: enum ornic_qp_type
 * @state: state of the QP before the event
 * @recv: the event is about a receive WQE, or something that B receives
 * @request: B receives a message or a request
 * @status: of the command that is the event
 * @gone: the event destroyed the QP
 * @dropped: counters of what is dropped because of the state, before the event
 * @rnr: rnr_naks_sent before the event
 */
struct cell {
	struct pair *pair;
	unsigned int type;
	unsigned int state;
	bool recv;
	bool request;
	unsigned int status;
	bool gone;
	uint64_t dropped;
	uint64_t rnr;
};

static const struct {
	const char *name;
	unsigned int type;
} types[] = {
	{ "RC", ORNIC_QPT_RC }, { "UC", ORNIC_QPT_UC },
	{ "UD", ORNIC_QPT_UD }, { "RAW", ORNIC_QPT_RAW_PACKET },
};

/* Consume the next completion of B; return its status, or NONE */
static int completion(struct cell *c)
{
	struct host_queue *cq = &B(c->pair)->cq;
	const struct ornic_cqe *cqe = host_queue_peek(cq);

	if (!cqe)
		return NONE;
	host_queue_consume(cq);
	return le32toh(cqe->status);
}

/* ---- what happens ---- */

static unsigned int modify(struct cell *c, uint32_t mask, unsigned int to)
{
	struct ornic_qp_attr attr = pair_attr(B(c->pair), A(c->pair));

	attr.state = to;
	attr.cur_state = (c->state + 1) % ORNIC_QPS_ERR;
	attr.en_sqd_async_notify = 1;
	return pair_modify(B(c->pair), mask, &attr);
}

/* MODIFY_QP with the attributes that the transition needs */
static unsigned int modify_to(struct cell *c, unsigned int from, unsigned int to)
{
	uint32_t mask = ORNIC_QP_ATTR_STATE;

	if (to == from + 1 && to <= ORNIC_QPS_RTS)
		mask |= pair_mask(c->type, to);
	if (from == ORNIC_QPS_RTS && to == ORNIC_QPS_SQD)
		mask |= ORNIC_QP_ATTR_EN_SQD_ASYNC;
	return modify(c, mask, to);
}

#define TO(name) \
	static void to_ ## name(struct cell *c) \
	{ \
		c->status = modify_to(c, c->state, ORNIC_QPS_ ## name); \
	}
TO(RESET)
TO(INIT)
TO(RTR)
TO(RTS)
TO(SQD)
TO(SQE)
TO(ERR)

static void to_nothing(struct cell *c)
{
	c->status = modify(c, 0, ORNIC_QPS_RESET);
}

static void wrong_state(struct cell *c)
{
	c->status = modify(c, ORNIC_QP_ATTR_CUR_STATE, ORNIC_QPS_RESET);
}

static void destroy(struct cell *c)
{
	c->status = host_cmd_object(B(c->pair)->host, ORNIC_CMD_DESTROY_QP,
				    B(c->pair)->qp.num);
	c->gone = true;
}

/* Publish @slots slots and ring, and let the cards run */
static void publish(struct cell *c, const void *wqe, unsigned int slots)
{
	struct side *b = B(c->pair);
	uint32_t at = b->qp.sq_pi & ((1u << b->qp.log_sq_slots) - 1);

	memcpy(host_ptr(b->host, b->qp.sq + at * 64), wqe, slots * 64);
	b->qp.sq_pi += slots;
	guest_store32(&host_qp_dbr(&b->qp)->sq_pi, b->qp.sq_pi);
	pair_ring(b);
	pair_run(c->pair);
}

static void send_bad(struct cell *c)
{
	struct {
		struct ornic_sq_hdr hdr;
		uint8_t rest[48];
	} wqe = { .hdr.ctrl = htole32(ORNIC_SQ_CTRL(UNKNOWN_OPCODE, 0, 64)) };

	publish(c, &wqe, 1);
}

/* A frame to the port's own address, which loops back */
static void send_frame(struct cell *c)
{
	struct {
		struct ornic_sq_hdr hdr;
		struct ornic_route_eth route;
		uint8_t data[96];
	} wqe = {
		.hdr.ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_SEND,
						  ORNIC_SEND_SIGNALED | ORNIC_SEND_INLINE,
						  32 + FRAME_LEN)),
	};

	memcpy(wqe.data, B(c->pair)->host->mac, MAC_LEN);
	publish(c, &wqe, 2);
}

static struct pair_wr message_of(struct side *side, struct side *peer)
{
	struct pair_wr wr = pair_wr_data(side, ORNIC_WR_SEND, 0, 8);

	wr.dqpn = peer->qp.num;
	wr.qkey = PAIR_QKEY;
	return wr;
}

static void send(struct cell *c)
{
	struct pair_wr wr = message_of(B(c->pair), A(c->pair));

	if (c->type == ORNIC_QPT_RAW_PACKET) {
		send_frame(c);
		return;
	}
	/* A WRITE of RC needs no receive WQE */
	if (c->type == ORNIC_QPT_RC)
		wr.opcode = ORNIC_WR_RDMA_WRITE;
	pair_send(B(c->pair), &wr);
}

static void bad_sq_pi(struct cell *c)
{
	struct side *b = B(c->pair);

	guest_store32(&host_qp_dbr(&b->qp)->sq_pi,
		      b->qp.sq_pi + (1u << b->qp.log_sq_slots) + 1);
	pair_ring(b);
	pair_run(c->pair);
}

/* Something comes from the peer */
static void message(struct cell *c)
{
	struct pair_wr wr = message_of(A(c->pair), B(c->pair));
	struct frame frame = { .hdr_len = FRAME_LEN };

	c->recv = true;
	c->request = true;
	if (c->type != ORNIC_QPT_RAW_PACKET) {
		pair_send(A(c->pair), &wr);
		return;
	}
	memcpy(frame.hdr, B(c->pair)->host->mac, MAC_LEN);
	card_rx(B(c->pair)->host->card, &frame);
	pair_run(c->pair);
}

/* Receive WQEs in RESET are not looked at; in ERR they are flushed */
static bool may_receive(const struct cell *c)
{
	return c->state != ORNIC_QPS_RESET && c->state != ORNIC_QPS_ERR;
}

static void message_with_wqe(struct cell *c)
{
	if (may_receive(c))
		pair_post_recv(B(c->pair), RECV_ID, B(c->pair)->addr, RECV_LEN);
	message(c);
}

static void message_with_bad_wqe(struct cell *c)
{
	struct sge sge = { .addr = B(c->pair)->addr, .length = RECV_LEN,
			   .lkey = B(c->pair)->key ^ 1 };

	if (may_receive(c))
		pair_post_recv_sges(B(c->pair), RECV_ID, &sge, 1);
	message(c);
}

static void message_with_bad_rq_pi(struct cell *c)
{
	struct host_qp *qp = &B(c->pair)->qp;

	if (may_receive(c))
		guest_store32(&host_qp_dbr(qp)->rq_pi,
			      (1u << qp->log_rq_wqes) + 1);
	message(c);
}

static void receive(struct cell *c)
{
	c->recv = true;
	pair_post_recv(B(c->pair), RECV_ID, B(c->pair)->addr, RECV_LEN);
	/* An idle queue is looked at within 20 ms ([ORNIC-QP-11]) */
	pair_sleep(c->pair, 20000000);
}

static void nonsense(struct cell *c)
{
	unsigned int transport = c->type == ORNIC_QPT_RC ? OPCODE_RC : OPCODE_UC;
	struct packet pkt = pair_packet(c->pair, transport <<
					OPCODE_TRANSPORT_SHIFT |
					OPCODE_RC_SEND_MIDDLE);

	c->recv = true;
	c->request = true;
	pair_inject(c->pair, &pkt, "12345678", 8);
}

static void bad_rkey(struct cell *c)
{
	struct pair_wr wr = pair_wr_data(A(c->pair), ORNIC_WR_RDMA_WRITE, 0, 8);

	c->recv = true;
	c->request = true;
	wr.rkey ^= 1;
	pair_send(A(c->pair), &wr);
}

static void inject_answer(struct cell *c, unsigned int syndrome)
{
	struct packet pkt = pair_packet(c->pair, OPCODE_RC_ACK);

	c->recv = true;
	c->pair->fate = NULL;
	pkt.psn = pair_qp(B(c->pair))->req.una;
	pkt.syndrome = syndrome;
	pair_inject(c->pair, &pkt, NULL, 0);
}

static void answer(struct cell *c)
{
	inject_answer(c, AETH_ACK | AETH_NO_CREDITS);
}

static void nak(struct cell *c)
{
	inject_answer(c, AETH_NAK | NAK_REMOTE_ACCESS);
}

static void silence(struct cell *c)
{
	pair_sleep(c->pair, LONG_NS);
}

/* Consume the next event, of whatever object; return its type */
static unsigned int host_event(struct side *side)
{
	const struct ornic_eqe *eqe = host_queue_peek(&side->eq);

	assert_non_null(eqe);
	host_queue_consume(&side->eq);
	return ORNIC_GET(ORNIC_EQE_TYPE, le32toh(eqe->ctl));
}

static void cq_fails(struct cell *c)
{
	struct side *b = B(c->pair);
	struct cq *cq = cq_find(b->host->card, b->cq.num);
	struct ornic_cqe cqe = {};

	while (!cq->dead)
		cq_post(cq, &cqe, NULL, false);
	while (completion(c) != NONE)
		continue;
	pair_run(c->pair);
	/* CQ_ERR comes first */
	assert_int_equal(host_event(b), ORNIC_EVENT_CQ_ERR);
}

/* @begun: a send WQE of RC has begun and its answer is lost */
static const struct event {
	const char *name;
	void (*happen)(struct cell *c);
	bool begun;
} events[] = {
	{ "MODIFY_QP to RESET", to_RESET, false },
	{ "MODIFY_QP to INIT", to_INIT, false },
	{ "MODIFY_QP to RTR", to_RTR, false },
	{ "MODIFY_QP to RTS", to_RTS, false },
	{ "MODIFY_QP to SQD", to_SQD, false },
	{ "MODIFY_QP to SQE", to_SQE, false },
	{ "MODIFY_QP to ERR", to_ERR, false },
	{ "MODIFY_QP without STATE", to_nothing, false },
	{ "MODIFY_QP, CUR_STATE wrong", wrong_state, false },
	{ "DESTROY_QP", destroy, false },
	{ "send WQE", send, false },
	{ "send WQE that fails", send_bad, false },
	{ "sq_pi impossible", bad_sq_pi, false },
	{ "answer to a WQE", answer, true },
	{ "NAK of a WQE", nak, true },
	{ "retries of a WQE spent", silence, true },
	{ "receive WQE", receive, false },
	{ "message", message_with_wqe, false },
	{ "message, no receive WQE", message, false },
	{ "message, receive WQE fails", message_with_bad_wqe, false },
	{ "message, rq_pi impossible", message_with_bad_rq_pi, false },
	{ "request that makes no sense", nonsense, false },
	{ "request, remote key fails", bad_rkey, false },
	{ "its CQ fails", cq_fails, false },
};

/* ---- what becomes of it ---- */

/**
 * struct word - meaning of a cell
 * @name: its text
 * @state: state afterwards, or NONE for the state before
 * @completion: status of the first completion
 * @event: event of the QP, or 0
 * @status: status of a command
 */
static const struct word {
	const char *name;
	int state;
	int completion;
	unsigned int event;
	unsigned int status;
} words[] = {
	{ "RESET", ORNIC_QPS_RESET, NONE, 0, ORNIC_CMD_OK },
	{ "INIT", ORNIC_QPS_INIT, NONE, 0, ORNIC_CMD_OK },
	{ "RTR", ORNIC_QPS_RTR, NONE, 0, ORNIC_CMD_OK },
	{ "RTS", ORNIC_QPS_RTS, NONE, 0, ORNIC_CMD_OK },
	{ "SQD", ORNIC_QPS_SQD, NONE, ANY, ORNIC_CMD_OK },
	{ "ERR", ORNIC_QPS_ERR, NONE, 0, ORNIC_CMD_OK },
	{ "no", NONE, NONE, 0, ORNIC_CMD_BAD_STATE },
	{ "gone", NONE, NONE, 0, ORNIC_CMD_OK },
	{ "--", NONE, NONE, 0, ORNIC_CMD_OK },
	{ "keep", NONE, NONE, 0, ORNIC_CMD_OK },
	{ "drop", NONE, NONE, 0, ORNIC_CMD_OK },
	{ "lost", NONE, NONE, 0, ORNIC_CMD_OK },
	{ "rnr", NONE, NONE, 0, ORNIC_CMD_OK },
	{ "do", NONE, ORNIC_WC_SUCCESS, 0, ORNIC_CMD_OK },
	{ "drain", NONE, ORNIC_WC_SUCCESS, ORNIC_EVENT_QP_SQ_DRAINED,
	  ORNIC_CMD_OK },
	{ "flush", NONE, ORNIC_WC_WR_FLUSH_ERR, 0, ORNIC_CMD_OK },
	{ "alone", NONE, FAILURE, 0, ORNIC_CMD_OK },
	{ "SQE", ORNIC_QPS_SQE, FAILURE, 0, ORNIC_CMD_OK },
	{ "fail", ORNIC_QPS_ERR, FAILURE, 0, ORNIC_CMD_OK },
	{ "fatal", ORNIC_QPS_ERR, ANY, ORNIC_EVENT_QP_FATAL, ORNIC_CMD_OK },
	{ "req", ORNIC_QPS_ERR, ANY, ORNIC_EVENT_QP_REQ_ERR, ORNIC_CMD_OK },
	{ "access", ORNIC_QPS_ERR, ANY, ORNIC_EVENT_QP_ACCESS_ERR,
	  ORNIC_CMD_OK },
};

static uint64_t dropped(struct cell *c)
{
	struct host *host = B(c->pair)->host;

	if (c->type == ORNIC_QPT_RAW_PACKET)
		return host->card->stats.STAT_PORT(rx_dropped_no_wqe);
	return pair_stat(B(c->pair), ORNIC_RDMA_STAT_rx_unknown_qp);
}

/* [ORNIC-EQ-2] */
static bool first_request(const struct cell *c)
{
	return c->request && c->state == ORNIC_QPS_RTR &&
	       (c->type == ORNIC_QPT_RC || c->type == ORNIC_QPT_UC);
}

/* A WQE that is kept is processed, or flushed, in a later state */
static bool was_kept(struct cell *c)
{
	unsigned int state = c->state;

	if (c->recv) {
		assert_int_equal(modify_to(c, state, ORNIC_QPS_ERR), ORNIC_CMD_OK);
		pair_run(c->pair);
		return completion(c) == ORNIC_WC_WR_FLUSH_ERR;
	}
	while (state < ORNIC_QPS_RTS) {
		assert_int_equal(modify_to(c, state, state + 1), ORNIC_CMD_OK);
		state++;
	}
	if (state != ORNIC_QPS_RTS)
		assert_int_equal(modify_to(c, state, ORNIC_QPS_RTS), ORNIC_CMD_OK);
	pair_run(c->pair);
	return completion(c) != NONE;
}

static bool fits(int wanted, int found)
{
	if (wanted == FAILURE)
		return found != NONE && found != ORNIC_WC_SUCCESS &&
		       found != ORNIC_WC_WR_FLUSH_ERR;
	return wanted == ANY || found == wanted;
}

#define WRONG(c, row, fmt, ...) \
	fail_msg("%s, %s, %s: " fmt, row[0], row[1], table_qp_states[(c)->state], \
		 ##__VA_ARGS__)

static void check(struct cell *c, char row[][TABLE_CELL], const struct word *word)
{
	struct side *b = B(c->pair);
	unsigned int state = word->state == NONE ? c->state : (unsigned int)word->state;
	bool gone = !strcmp(word->name, "gone");
	bool drop = !strcmp(word->name, "drop");
	struct qp *qp = qp_find(b->host->card, b->qp.num);
	unsigned int event = 0;
	int found;

	if (c->status != word->status)
		WRONG(c, row, "status %u", c->status);
	if (c->gone != gone || !qp != gone)
		WRONG(c, row, "gone");
	found = completion(c);
	if (!fits(word->completion, found))
		WRONG(c, row, "completion %d", found);
	if (qp && qp->base.state != state)
		WRONG(c, row, "state %s", table_qp_states[qp->base.state]);
	if (first_request(c) && pair_event(b) != ORNIC_EVENT_QP_COMM_EST)
		WRONG(c, row, "no QP_COMM_EST");
	if (!gone)
		event = pair_event(b);
	if (!fits(word->event, event))
		WRONG(c, row, "event %u", event);
	if (drop && dropped(c) == c->dropped)
		WRONG(c, row, "not dropped");
	if (!drop && c->type != ORNIC_QPT_RAW_PACKET && dropped(c) != c->dropped)
		WRONG(c, row, "dropped");
	if (!strcmp(word->name, "rnr") !=
	    (pair_stat(b, ORNIC_RDMA_STAT_rnr_naks_sent) != c->rnr))
		WRONG(c, row, "RNR NAKs");
	if (!strcmp(word->name, "keep") && !was_kept(c))
		WRONG(c, row, "not kept");
}

/* ---- the cells ---- */

static void begin(struct cell *c)
{
	c->pair->fate = pair_fate_lose_all;
	send(c);
}

static void receive_frames(struct side *side)
{
	struct ornic_rx_queues_in in = { .count = htole32(1),
					 .qpn[0] = htole32(side->qp.num) };

	assert_int_equal(host_cmd_in(side->host, ORNIC_CMD_SET_RX_QUEUES, &in),
			 ORNIC_CMD_OK);
}

static void bring(struct cell *c, const struct event *event)
{
	unsigned int last = c->state < ORNIC_QPS_RTS ? c->state : ORNIC_QPS_RTS;
	unsigned int state;

	for (state = ORNIC_QPS_RESET; state < last; state++)
		assert_int_equal(modify_to(c, state, state + 1), ORNIC_CMD_OK);
	if (event->begun && (c->state == ORNIC_QPS_RTS ||
			     c->state == ORNIC_QPS_SQD))
		begin(c);
	if (c->state == ORNIC_QPS_SQE)
		send_bad(c);
	else if (c->state > ORNIC_QPS_RTS)
		assert_int_equal(modify_to(c, ORNIC_QPS_RTS, c->state),
				 ORNIC_CMD_OK);
	pair_run(c->pair);
	while (completion(c) != NONE || pair_event(B(c->pair)))
		continue;
	assert_int_equal(pair_qp(B(c->pair))->base.state, c->state);
}

static void try_cell(unsigned int type, unsigned int state,
		     const struct event *event, char row[][TABLE_CELL],
		     const struct word *word)
{
	struct cell c = { .type = type, .state = state };
	struct ornic_qp_attr attr;

	c.pair = pair_create(&pair_config_bytes);
	pair_qps(c.pair, type, 0);
	attr = pair_attr(A(c.pair), B(c.pair));
	pair_connect_side(A(c.pair), &attr);
	bring(&c, event);
	if (type == ORNIC_QPT_RAW_PACKET && event->happen != destroy)
		receive_frames(B(c.pair));
	c.dropped = dropped(&c);
	c.rnr = pair_stat(B(c.pair), ORNIC_RDMA_STAT_rnr_naks_sent);
	event->happen(&c);
	check(&c, row, word);
	pair_destroy(c.pair);
}

/* Only UC, UD and the GSI have SQE ([ORNIC-QP-5]) */
static bool has_sqe(unsigned int type)
{
	return type == ORNIC_QPT_UC || type == ORNIC_QPT_UD;
}

static void try_row(char row[][TABLE_CELL], unsigned int *cells)
{
	const struct event *event = TABLE_FIND(events, row[0]);
	unsigned int i, state;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (!table_has_word(row[1], types[i].name))
			continue;
		for (state = 0; state < TABLE_QP_STATES; state++) {
			const char *text = row[FIRST_STATE + state];

			if (state == ORNIC_QPS_SQE && !has_sqe(types[i].type)) {
				assert_string_equal(text, "x");
				continue;
			}
			try_cell(types[i].type, state, event, row,
				 TABLE_FIND(words, text));
			(*cells)++;
		}
	}
}

static void test_all_cells(void **state)
{
	struct table *table = calloc(1, sizeof(*table));
	unsigned int i, j, cells = 0;

	(void)state;
	table_read(table, LABEL);
	assert_int_equal(table->columns, FIRST_STATE + TABLE_QP_STATES);
	for (i = 0; i < TABLE_QP_STATES; i++)
		assert_string_equal(table->cell[0][FIRST_STATE + i], table_qp_states[i]);
	for (i = 1; i < table->rows; i++)
		try_row(table->cell[i], &cells);
	assert_true(cells > 400);
	/* No event is missing */
	for (j = 0; j < ARRAY_SIZE(events); j++) {
		for (i = 1; i < table->rows; i++)
			if (!strcmp(table->cell[i][0], events[j].name))
				break;
		assert_true(i < table->rows);
	}
	free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_cells),
	};

	return cmocka_run_group_tests_name("states", tests, NULL, NULL);
}
