// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The tables of states and events of QPs ([ORNIC-QP-14]) and WQs ([ORNIC-WQ-11]):
 * each cell of them, against the card, also while a message is on its way
 * ([ORNIC-QP-15]), or in a state in which no packet is taken ([ORNIC-QP-5])
 */
#include "base/be.h"
#include "card/card.h"
#include "eth/wq.h"
#include "objects/cq.h"
#include "pair.h"
#include "rxq.h"
#include "table.h"

#define RECV_ID 7
#define RECV_LEN 512
#define FRAME_LEN 60
#define UNKNOWN_OPCODE 0xee
#define LONG_NS 200000000ULL
/* An idle queue is looked at within this time ([ORNIC-QP-7]) */
#define LOOK_NS 20000000
/* Value of struct cell's @type besides enum ornic_qp_type */
#define WQ 0x100

/* Values of struct word's @completion besides enum ornic_wc_status */
#define NONE (-1)
#define ANY (-2)
#define FAILURE (-3)

/**
 * struct cell - what a cell of a table is about
 * @type: enum ornic_qp_type, or WQ
 * @state: state of the queue before the event
 * @before: name of @state
 * @pair: B has the QP, A its peer; NULL for a WQ
 * @raw: the card of the WQ; NULL for a QP
 * @host: the host that has the queue
 * @cq: CQ of the queue
 * @eq: EQ of @cq
 * @num: number of the queue
 * @recv: the event is about a receive WQE, or something that is received
 * @request: B receives a message or a request
 * @status: of the command that is the event
 * @dropped: counters of what is dropped because of the state, before the event
 * @rnr: rnr_naks_sent before the event
 */
struct cell {
	unsigned int type;
	unsigned int state;
	const char *before;
	struct pair *pair;
	struct raw *raw;
	struct host *host;
	struct host_queue *cq;
	struct host_queue *eq;
	uint32_t num;
	bool recv;
	bool request;
	unsigned int status;
	uint64_t dropped;
	uint64_t rnr;
};

static const struct {
	const char *name;
	unsigned int type;
} types[] = {
	{ "RC", ORNIC_QPT_RC }, { "UC", ORNIC_QPT_UC },
	{ "UD", ORNIC_QPT_UD }, { "RAW", ORNIC_QPT_RAW_PACKET },
	{ "WQ", WQ },
};

static const char *const wq_states[] = {
	[ORNIC_WQS_RESET] = "RESET", [ORNIC_WQS_RDY] = "RDY",
	[ORNIC_WQS_ERR] = "ERR",
};

static void run(struct cell *c)
{
	if (c->raw)
		host_run(c->host);
	else
		pair_run(c->pair);
}

/* Return the name of the state, or NULL if the queue is gone */
static const char *state_name(struct cell *c)
{
	/* A WQ in RDY is to the card what a QP in RTR is */
	static const unsigned int wq_state[] = {
		[ORNIC_QPS_RTR] = ORNIC_WQS_RDY, [ORNIC_QPS_ERR] = ORNIC_WQS_ERR,
	};
	struct qp *qp;
	struct wq *wq;

	if (!c->raw) {
		qp = qp_find(c->host->card, c->num);
		return qp ? table_qp_states[qp->base.state] : NULL;
	}
	wq = wq_find(c->host->card, c->num);
	return wq ? wq_states[wq_state[wq->base.state]] : NULL;
}

/* Consume the next completion; return its status, or NONE */
static int completion(struct cell *c)
{
	const struct ornic_cqe *cqe = host_queue_peek(c->cq);

	if (!cqe)
		return NONE;
	host_queue_consume(c->cq);
	return le32toh(cqe->status);
}

/*
 * Consume events up to the next one of the queue, and return its type, or 0. QPs
 * that share the CQ of a WQ fail with it.
 */
static unsigned int next_event(struct cell *c)
{
	const struct ornic_eqe *eqe;
	unsigned int type;

	while ((eqe = host_queue_peek(c->eq))) {
		host_queue_consume(c->eq);
		type = ORNIC_GET(ORNIC_EQE_TYPE, le32toh(eqe->ctl));
		if (type != ORNIC_EVENT_COMP && le32toh(eqe->num) == c->num)
			return type;
	}
	return 0;
}

/* ---- what happens ---- */

static unsigned int modify_wq(struct cell *c, uint32_t mask, unsigned int to)
{
	struct ornic_modify_wq_in in = {
		.wqn = htole32(c->num),
		.mask = htole32(mask),
		.state = to,
		.cur_state = (c->state + 1) % ARRAY_SIZE(wq_states),
	};

	return host_cmd_in(c->host, ORNIC_CMD_MODIFY_WQ, &in);
}

static unsigned int modify_qp(struct cell *c, uint32_t mask, unsigned int to)
{
	struct ornic_qp_attr attr = pair_attr(B(c->pair), A(c->pair));

	attr.state = to;
	attr.cur_state = (c->state + 1) % ORNIC_QPS_ERR;
	attr.en_sqd_async_notify = 1;
	return pair_modify(B(c->pair), mask, &attr);
}

/* Modify with the attributes that the transition needs */
static unsigned int modify_to(struct cell *c, unsigned int from, unsigned int to)
{
	uint32_t mask = ORNIC_QP_ATTR_STATE;

	if (c->raw)
		return modify_wq(c, ORNIC_WQ_ATTR_STATE, to);
	if (to == from + 1 && to <= ORNIC_QPS_RTS)
		mask |= pair_mask(c->type, to);
	if (from == ORNIC_QPS_RTS && to == ORNIC_QPS_SQD)
		mask |= ORNIC_QP_ATTR_EN_SQD_ASYNC;
	return modify_qp(c, mask, to);
}

/* Go through each state in between */
static void bring(struct cell *c, unsigned int from, unsigned int to)
{
	for (; from < to; from++)
		assert_int_equal(modify_to(c, from, from + 1), ORNIC_CMD_OK);
}

#define COMMAND(name, of_qp, of_wq) \
	static void name(struct cell *c) \
	{ \
		c->status = c->raw ? (of_wq) : (of_qp); \
	}
#define TO(name, qp_state, wq_state) \
	COMMAND(name, modify_to(c, c->state, qp_state), modify_to(c, c->state, wq_state))
TO(to_RESET, ORNIC_QPS_RESET, ORNIC_WQS_RESET)
TO(to_ERR, ORNIC_QPS_ERR, ORNIC_WQS_ERR)
TO(to_INIT, ORNIC_QPS_INIT, 0)
TO(to_RTR, ORNIC_QPS_RTR, 0)
TO(to_RTS, ORNIC_QPS_RTS, 0)
TO(to_SQD, ORNIC_QPS_SQD, 0)
TO(to_SQE, ORNIC_QPS_SQE, 0)
TO(to_RDY, 0, ORNIC_WQS_RDY)
COMMAND(to_nothing, modify_qp(c, 0, ORNIC_QPS_RESET), modify_wq(c, 0, ORNIC_WQS_RESET))
COMMAND(wrong_state, modify_qp(c, ORNIC_QP_ATTR_CUR_STATE, ORNIC_QPS_RESET),
	modify_wq(c, ORNIC_WQ_ATTR_CUR_STATE, ORNIC_WQS_RESET))
COMMAND(destroy, host_cmd_object(c->host, ORNIC_CMD_DESTROY_QP, c->num),
	host_cmd_object(c->host, ORNIC_CMD_DESTROY_WQ, c->num))

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

	memcpy(wqe.data, c->host->mac, MAC_LEN);
	publish(c, &wqe, 2);
}

static void send(struct cell *c)
{
	struct pair_wr wr = pair_wr_data(B(c->pair), ORNIC_WR_SEND, 0, 8);

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
	struct pair_wr wr = pair_wr_data(A(c->pair), ORNIC_WR_SEND, 0, 8);
	struct frame frame = { .hdr_len = FRAME_LEN };

	c->recv = true;
	c->request = true;
	if (c->type != ORNIC_QPT_RAW_PACKET) {
		pair_send(A(c->pair), &wr);
		return;
	}
	memcpy(frame.hdr, c->host->mac, MAC_LEN);
	card_rx(c->host->card, &frame);
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

/* Shorter than a message of any type */
static void message_with_short_wqe(struct cell *c)
{
	if (may_receive(c))
		pair_post_recv(B(c->pair), RECV_ID, B(c->pair)->addr, 7);
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
	if (c->raw) {
		raw_post(c->raw, &c->raw->wq[0], c->raw->data, RAW_BUF_LEN);
		host_sleep(c->host, LOOK_NS);
	} else {
		pair_post_recv(B(c->pair), RECV_ID, B(c->pair)->addr, RECV_LEN);
		pair_sleep(c->pair, LOOK_NS);
	}
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

static void frame(struct cell *c)
{
	rxq_deliver_any(c->raw, rxq_find(c->raw, &c->raw->wq[0]));
}

/* WQEs in ERR are flushed */
static void frame_with_wqe(struct cell *c)
{
	if (c->state != ORNIC_WQS_ERR)
		raw_post(c->raw, &c->raw->wq[0], c->raw->data, RAW_BUF_LEN);
	frame(c);
}

static void frame_with_bad_wqe(struct cell *c)
{
	uint32_t key = c->raw->key;

	c->raw->key ^= 1;
	frame_with_wqe(c);
	c->raw->key = key;
}

static void frame_with_bad_rq_pi(struct cell *c)
{
	struct host_qp *wq = &c->raw->wq[0];

	if (c->state != ORNIC_WQS_ERR)
		guest_store32(&host_qp_dbr(wq)->rq_pi, (1u << wq->log_rq_wqes) + 1);
	frame(c);
}

static void cq_fails(struct cell *c)
{
	struct cq *cq = cq_find(c->host->card, c->cq->num);
	struct ornic_cqe cqe = {};

	while (!cq->dead)
		cq_post(cq, &cqe, NULL, false);
	while (completion(c) != NONE)
		continue;
	run(c);
	/* CQ_ERR comes first */
	assert_int_equal(host_event(c->eq, c->cq->num), ORNIC_EVENT_CQ_ERR);
}

/* @begun: a send WQE of RC has begun and its answer is lost */
struct event {
	const char *name;
	void (*happen)(struct cell *c);
	bool begun;
};

static const struct event qp_events[] = {
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
	{ "message longer than its WQE", message_with_short_wqe, false },
	{ "message, rq_pi impossible", message_with_bad_rq_pi, false },
	{ "request that makes no sense", nonsense, false },
	{ "request, remote key fails", bad_rkey, false },
	{ "its CQ fails", cq_fails, false },
};

static const struct event wq_events[] = {
	{ "MODIFY_WQ to RESET", to_RESET, false },
	{ "MODIFY_WQ to RDY", to_RDY, false },
	{ "MODIFY_WQ to ERR", to_ERR, false },
	{ "MODIFY_WQ without STATE", to_nothing, false },
	{ "MODIFY_WQ, CUR_STATE wrong", wrong_state, false },
	{ "DESTROY_WQ", destroy, false },
	{ "receive WQE", receive, false },
	{ "frame", frame_with_wqe, false },
	{ "frame, no receive WQE", frame, false },
	{ "frame, receive WQE fails", frame_with_bad_wqe, false },
	{ "frame, rq_pi impossible", frame_with_bad_rq_pi, false },
	{ "its CQ fails", cq_fails, false },
};

/* ---- what becomes of it ---- */

/**
 * struct word - meaning of a cell
 * @name: its text
 * @state: state afterwards, or NULL for the state before
 * @completion: status of the first completion
 * @event: event of the queue, or 0; of a WQ WQ_FATAL stands for QP_FATAL
 * @status: status of a command
 */
static const struct word {
	const char *name;
	const char *state;
	int completion;
	int event;
	unsigned int status;
} words[] = {
	{ "RESET", "RESET", NONE, 0, ORNIC_CMD_OK },
	{ "INIT", "INIT", NONE, 0, ORNIC_CMD_OK },
	{ "RTR", "RTR", NONE, 0, ORNIC_CMD_OK },
	{ "RTS", "RTS", NONE, 0, ORNIC_CMD_OK },
	{ "RDY", "RDY", NONE, 0, ORNIC_CMD_OK },
	{ "SQD", "SQD", NONE, ANY, ORNIC_CMD_OK },
	{ "ERR", "ERR", NONE, 0, ORNIC_CMD_OK },
	{ "no", NULL, NONE, 0, ORNIC_CMD_BAD_STATE },
	{ "gone", NULL, NONE, 0, ORNIC_CMD_OK },
	{ "--", NULL, NONE, 0, ORNIC_CMD_OK },
	{ "keep", NULL, NONE, 0, ORNIC_CMD_OK },
	{ "drop", NULL, NONE, 0, ORNIC_CMD_OK },
	{ "lost", NULL, NONE, 0, ORNIC_CMD_OK },
	{ "rnr", NULL, NONE, 0, ORNIC_CMD_OK },
	{ "do", NULL, ORNIC_WC_SUCCESS, 0, ORNIC_CMD_OK },
	{ "drain", NULL, ORNIC_WC_SUCCESS, ORNIC_EVENT_QP_SQ_DRAINED, ORNIC_CMD_OK },
	{ "flush", NULL, ORNIC_WC_WR_FLUSH_ERR, 0, ORNIC_CMD_OK },
	{ "alone", NULL, FAILURE, 0, ORNIC_CMD_OK },
	{ "SQE", "SQE", FAILURE, 0, ORNIC_CMD_OK },
	{ "fail", "ERR", FAILURE, 0, ORNIC_CMD_OK },
	{ "fatal", "ERR", ANY, ORNIC_EVENT_QP_FATAL, ORNIC_CMD_OK },
	{ "req", "ERR", ANY, ORNIC_EVENT_QP_REQ_ERR, ORNIC_CMD_OK },
	{ "access", "ERR", ANY, ORNIC_EVENT_QP_ACCESS_ERR, ORNIC_CMD_OK },
};

/* Is the queue for frames? Their counter has those of other queues, too. */
static bool has_frames(const struct cell *c)
{
	return c->type == ORNIC_QPT_RAW_PACKET || c->raw;
}

static uint64_t dropped(struct cell *c)
{
	if (has_frames(c))
		return c->host->card->stats.STAT_PORT(rx_dropped_no_wqe);
	return c->host->card->stats.rdma[ORNIC_RDMA_STAT_rx_unknown_qp];
}

static uint64_t rnr_naks(struct cell *c)
{
	return c->host->card->stats.rdma[ORNIC_RDMA_STAT_rnr_naks_sent];
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
		if (c->raw && state == ORNIC_WQS_RESET)
			to_RDY(c);
		to_ERR(c);
		assert_int_equal(c->status, ORNIC_CMD_OK);
		run(c);
		return completion(c) == ORNIC_WC_WR_FLUSH_ERR;
	}
	bring(c, state, ORNIC_QPS_RTS);
	if (state > ORNIC_QPS_RTS)
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
	fail_msg("%s, type %#x, %s: " fmt, row[0], (c)->type, (c)->before, ##__VA_ARGS__)

static void check_dropped(struct cell *c, char row[][TABLE_CELL], const struct word *word)
{
	bool lost = !strcmp(word->name, "lost");
	bool must = !strcmp(word->name, "drop") || (c->raw && lost);
	bool may = has_frames(c) && (!c->raw || word->event == ORNIC_EVENT_QP_FATAL);

	if (must && dropped(c) == c->dropped)
		WRONG(c, row, "not dropped");
	if (!must && !may && dropped(c) != c->dropped)
		WRONG(c, row, "dropped");
}

static void check(struct cell *c, char row[][TABLE_CELL], const struct word *word)
{
	const char *state = state_name(c);
	bool gone = !strcmp(word->name, "gone");
	int event = word->event, found;

	if (c->status != word->status)
		WRONG(c, row, "status %u", c->status);
	if (!state != gone)
		WRONG(c, row, "gone");
	found = completion(c);
	if (!fits(word->completion, found))
		WRONG(c, row, "completion %d", found);
	if (state && strcmp(state, word->state ? word->state : c->before))
		WRONG(c, row, "state %s", state);
	if (first_request(c) && next_event(c) != ORNIC_EVENT_QP_COMM_EST)
		WRONG(c, row, "no QP_COMM_EST");
	if (c->raw && event == ORNIC_EVENT_QP_FATAL)
		event = ORNIC_EVENT_WQ_FATAL;
	found = next_event(c);
	if (!fits(event, found))
		WRONG(c, row, "event %d", found);
	check_dropped(c, row, word);
	if (!strcmp(word->name, "rnr") != (rnr_naks(c) != c->rnr))
		WRONG(c, row, "RNR NAKs");
	if (!strcmp(word->name, "keep") && !was_kept(c))
		WRONG(c, row, "not kept");
}

/* ---- the cells ---- */

static void receive_frames(struct side *side)
{
	struct ornic_rx_queues_in in = { .count = htole32(1),
					 .qpn[0] = htole32(side->qp.num) };

	host_cmd_in_ok(side->host, ORNIC_CMD_SET_RX_QUEUES, &in);
}

static void bring_qp(struct cell *c, const struct event *event)
{
	unsigned int last = c->state < ORNIC_QPS_RTS ? c->state : ORNIC_QPS_RTS;
	struct ornic_qp_attr attr;

	c->pair = pair_create(&pair_config_bytes);
	pair_qps(c->pair, c->type, 0);
	attr = pair_attr(A(c->pair), B(c->pair));
	pair_connect_side(A(c->pair), &attr);
	c->host = B(c->pair)->host;
	c->cq = &B(c->pair)->cq;
	c->eq = &B(c->pair)->eq;
	c->num = B(c->pair)->qp.num;
	bring(c, ORNIC_QPS_RESET, last);
	if (event->begun && (c->state == ORNIC_QPS_RTS ||
			     c->state == ORNIC_QPS_SQD)) {
		c->pair->fate = pair_fate_lose_all;
		send(c);
	}
	if (c->state == ORNIC_QPS_SQE)
		send_bad(c);
	else if (c->state > ORNIC_QPS_RTS)
		assert_int_equal(modify_to(c, ORNIC_QPS_RTS, c->state),
				 ORNIC_CMD_OK);
	pair_run(c->pair);
	while (completion(c) != NONE || next_event(c))
		continue;
	if (c->type == ORNIC_QPT_RAW_PACKET && event->happen != destroy)
		receive_frames(B(c->pair));
}

static void bring_wq(struct cell *c)
{
	void *raw;

	raw_setup_process(&raw);
	c->raw = raw;
	rxq_create_wq(c->raw, &c->raw->wq[0], 0, 0);
	c->host = c->raw->host;
	c->cq = &c->raw->cq;
	c->eq = &c->raw->eq;
	c->num = c->raw->wq[0].num;
	bring(c, ORNIC_WQS_RESET, c->state);
}

static void try_cell(struct cell c, const struct event *event, char row[][TABLE_CELL],
		     const struct word *word)
{
	void *raw;

	if (c.type == WQ)
		bring_wq(&c);
	else
		bring_qp(&c, event);
	assert_string_equal(state_name(&c), c.before);
	c.dropped = dropped(&c);
	c.rnr = rnr_naks(&c);
	event->happen(&c);
	check(&c, row, word);
	raw = c.raw;
	if (raw)
		raw_teardown(&raw);
	else
		pair_destroy(c.pair);
}

/**
 * struct rows - how a table is read
 * @label: its label in hardware.rst
 * @of_wq: it has no column of types, because all is about WQs
 * @states: names of the states, which are the last columns
 * @state_count: number of states
 * @events: names in the first column
 * @event_count: number of events
 */
struct rows {
	const char *label;
	bool of_wq;
	const char *const *states;
	unsigned int state_count;
	const struct event *events;
	unsigned int event_count;
};

/* Return the number of cells */
static unsigned int try_row(const struct rows *rows, char row[][TABLE_CELL])
{
	const struct event *event = table_find(rows->events, sizeof(*event), rows->event_count,
					       row[0]);
	char (*cell)[TABLE_CELL] = row + (rows->of_wq ? 1 : 2);
	const char *of = rows->of_wq ? "WQ" : strcmp(row[1], "all") ? row[1] : "RC UC UD RAW";
	unsigned int i, state, cells = 0;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (!table_has_word(of, types[i].name))
			continue;
		for (state = 0; state < rows->state_count; state++) {
			struct cell c = { .type = types[i].type, .state = state,
					  .before = rows->states[state] };

			/* Only UC, UD and the GSI have SQE ([ORNIC-QP-8]) */
			if (state == ORNIC_QPS_SQE && c.type != ORNIC_QPT_UC &&
			    c.type != ORNIC_QPT_UD) {
				if (!table_has_word(of, "UC") && !table_has_word(of, "UD"))
					assert_string_equal(cell[state], "x");
				continue;
			}
			try_cell(c, event, row, TABLE_FIND(words, cell[state]));
			cells++;
		}
	}
	return cells;
}

/* Return the number of cells */
static unsigned int try_table(const struct rows *rows)
{
	struct table *table = calloc(1, sizeof(*table));
	unsigned int i, j, first = rows->of_wq ? 1 : 2, cells = 0;

	table_read(table, rows->label);
	assert_int_equal(table->columns, first + rows->state_count);
	for (i = 0; i < rows->state_count; i++)
		assert_string_equal(table->cell[0][first + i], rows->states[i]);
	for (i = 1; i < table->rows; i++)
		cells += try_row(rows, table->cell[i]);
	/* No event is missing */
	for (j = 0; j < rows->event_count; j++) {
		for (i = 1; i < table->rows; i++)
			if (!strcmp(table->cell[i][0], rows->events[j].name))
				break;
		assert_true(i < table->rows);
	}
	free(table);
	return cells;
}

TEST_VOID(test_all_cells_of_qps)
{
	static const struct rows rows = {
		"**[ORNIC-QP-14]**", false, table_qp_states, TABLE_QP_STATES,
		qp_events, ARRAY_SIZE(qp_events),
	};

	assert_true(try_table(&rows) > 400);
}

TEST_VOID(test_all_cells_of_wqs)
{
	static const struct rows rows = {
		"**[ORNIC-WQ-11]**", true, wq_states, ARRAY_SIZE(wq_states),
		wq_events, ARRAY_SIZE(wq_events),
	};

	/* No event is there twice */
	assert_int_equal(try_table(&rows), ARRAY_SIZE(wq_events) * ARRAY_SIZE(wq_states));
}

TEST_MAIN("states")
