// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The table of states and events of WQs ([ORNIC-WQ-10]): each cell of it, against
 * the card
 */
#include "eth/wq.h"
#include "objects/cq.h"
#include "table.h"
#include "rxq.h"

#define LABEL "**[ORNIC-WQ-10]**"
/* Values of struct word's @completion besides enum ornic_wc_status */
#define NONE (-1)
#define ANY (-2)

/**
 * struct cell - what a cell of the table is about
 * @w: the card
 * @wq: the WQ
 * @state: enum ornic_wq_state before the event
 * @status: of the command that is the event
 * @dropped: rx_dropped_no_wqe before the event
 */
struct cell {
	struct raw *w;
	struct host_qp wq;
	unsigned int state;
	unsigned int status;
	uint64_t dropped;
};

static const char *const states[] = {
	[ORNIC_WQS_RESET] = "RESET", [ORNIC_WQS_RDY] = "RDY",
	[ORNIC_WQS_ERR] = "ERR",
};

/* ---- what happens ---- */

static unsigned int modify(struct cell *c, uint32_t mask, unsigned int to)
{
	struct ornic_modify_wq_in in = {
		.wqn = htole32(c->wq.num),
		.mask = htole32(mask),
		.state = to,
		.cur_state = (c->state + 1) % ARRAY_SIZE(states),
	};

	return host_cmd_in(c->w->host, ORNIC_CMD_MODIFY_WQ, &in);
}

static void to_RESET(struct cell *c)
{
	c->status = modify(c, ORNIC_WQ_ATTR_STATE, ORNIC_WQS_RESET);
}

static void to_RDY(struct cell *c)
{
	c->status = modify(c, ORNIC_WQ_ATTR_STATE, ORNIC_WQS_RDY);
}

static void to_ERR(struct cell *c)
{
	c->status = modify(c, ORNIC_WQ_ATTR_STATE, ORNIC_WQS_ERR);
}

static void to_nothing(struct cell *c)
{
	c->status = modify(c, 0, ORNIC_WQS_RESET);
}

static void wrong_state(struct cell *c)
{
	c->status = modify(c, ORNIC_WQ_ATTR_CUR_STATE, ORNIC_WQS_RESET);
}

static void destroy(struct cell *c)
{
	c->status = host_cmd_object(c->w->host, ORNIC_CMD_DESTROY_WQ, c->wq.num);
}

static void receive(struct cell *c)
{
	raw_post(c->w, &c->wq, c->w->data, RAW_BUF_LEN);
	/* An idle queue is looked at within 20 ms ([ORNIC-QP-11]) */
	host_sleep(c->w->host, 20000000);
}

static void frame(struct cell *c)
{
	rxq_deliver_any(c->w, rxq_find(c->w, &c->wq));
}

/* WQEs in ERR are flushed */
static void frame_with_wqe(struct cell *c)
{
	if (c->state != ORNIC_WQS_ERR)
		raw_post(c->w, &c->wq, c->w->data, RAW_BUF_LEN);
	frame(c);
}

static void frame_with_bad_wqe(struct cell *c)
{
	uint32_t key = c->w->key;

	c->w->key ^= 1;
	frame_with_wqe(c);
	c->w->key = key;
}

static void frame_with_bad_rq_pi(struct cell *c)
{
	if (c->state != ORNIC_WQS_ERR)
		guest_store32(&host_qp_dbr(&c->wq)->rq_pi,
			      (1u << c->wq.log_rq_wqes) + 1);
	frame(c);
}

static int completion(struct cell *c)
{
	const struct ornic_cqe *cqe = host_queue_peek(&c->w->cq);

	if (!cqe)
		return NONE;
	host_queue_consume(&c->w->cq);
	return le32toh(cqe->status);
}

static void cq_fails(struct cell *c)
{
	struct cq *cq = cq_find(c->w->host->card, c->w->cq.num);
	struct ornic_cqe cqe = {};

	while (!cq->dead)
		cq_post(cq, &cqe, NULL, false);
	while (completion(c) != NONE)
		continue;
	host_run(c->w->host);
	rxq_expect_event(c->w, ORNIC_EVENT_CQ_ERR, c->w->cq.num);
}

static const struct event {
	const char *name;
	void (*happen)(struct cell *c);
} events[] = {
	{ "MODIFY_WQ to RESET", to_RESET },
	{ "MODIFY_WQ to RDY", to_RDY },
	{ "MODIFY_WQ to ERR", to_ERR },
	{ "MODIFY_WQ without STATE", to_nothing },
	{ "MODIFY_WQ, CUR_STATE wrong", wrong_state },
	{ "DESTROY_WQ", destroy },
	{ "receive WQE", receive },
	{ "frame", frame_with_wqe },
	{ "frame, no receive WQE", frame },
	{ "frame, receive WQE fails", frame_with_bad_wqe },
	{ "frame, rq_pi impossible", frame_with_bad_rq_pi },
	{ "its CQ fails", cq_fails },
};

/* ---- what becomes of it ---- */

/**
 * struct word - meaning of a cell
 * @name: its text
 * @state: state afterwards, or NONE for the state before
 * @completion: status of the first completion
 * @event: event of the WQ, or 0
 * @status: status of a command
 */
static const struct word {
	const char *name;
	int state;
	int completion;
	unsigned int event;
	unsigned int status;
} words[] = {
	{ "RESET", ORNIC_WQS_RESET, NONE, 0, ORNIC_CMD_OK },
	{ "RDY", ORNIC_WQS_RDY, NONE, 0, ORNIC_CMD_OK },
	{ "ERR", ORNIC_WQS_ERR, NONE, 0, ORNIC_CMD_OK },
	{ "no", NONE, NONE, 0, ORNIC_CMD_BAD_STATE },
	{ "gone", NONE, NONE, 0, ORNIC_CMD_OK },
	{ "--", NONE, NONE, 0, ORNIC_CMD_OK },
	{ "keep", NONE, NONE, 0, ORNIC_CMD_OK },
	{ "drop", NONE, NONE, 0, ORNIC_CMD_OK },
	{ "lost", NONE, NONE, 0, ORNIC_CMD_OK },
	{ "do", NONE, ORNIC_WC_SUCCESS, 0, ORNIC_CMD_OK },
	{ "flush", NONE, ORNIC_WC_WR_FLUSH_ERR, 0, ORNIC_CMD_OK },
	{ "fatal", ORNIC_WQS_ERR, ANY, ORNIC_EVENT_WQ_FATAL, ORNIC_CMD_OK },
};

/* WQEs that are kept are flushed when the WQ is in ERR */
static bool was_kept(struct cell *c)
{
	if (c->state == ORNIC_WQS_RESET)
		to_RDY(c);
	to_ERR(c);
	host_run(c->w->host);
	return completion(c) == ORNIC_WC_WR_FLUSH_ERR;
}

static unsigned int event_of(struct cell *c)
{
	const struct ornic_eqe *eqe = host_queue_peek(&c->w->eq);

	/* QPs that share the CQ fail with it */
	while (eqe && le32toh(eqe->num) != c->wq.num) {
		host_queue_consume(&c->w->eq);
		eqe = host_queue_peek(&c->w->eq);
	}
	if (!eqe)
		return 0;
	host_queue_consume(&c->w->eq);
	return ORNIC_GET(ORNIC_EQE_TYPE, le32toh(eqe->ctl));
}

/* The card has states of QPs, RTR for RDY */
static unsigned int state_of(const struct wq *wq)
{
	switch (wq->base.state) {
	case ORNIC_QPS_RESET:
		return ORNIC_WQS_RESET;
	case ORNIC_QPS_ERR:
		return ORNIC_WQS_ERR;
	default:
		return ORNIC_WQS_RDY;
	}
}

#define WRONG(c, name, fmt, ...) \
	fail_msg("%s, %s: " fmt, name, states[(c)->state], ##__VA_ARGS__)

static void check(struct cell *c, const char *name, const struct word *word)
{
	unsigned int state = word->state == NONE ? c->state : (unsigned int)word->state;
	const struct wq *wq = wq_find(c->w->host->card, c->wq.num);
	bool drop = !strcmp(word->name, "drop") || !strcmp(word->name, "lost");
	unsigned int event;
	int found;

	if (c->status != word->status)
		WRONG(c, name, "status %u", c->status);
	if (!wq != !strcmp(word->name, "gone"))
		WRONG(c, name, "gone");
	found = completion(c);
	if (word->completion != ANY && found != word->completion)
		WRONG(c, name, "completion %d", found);
	if (wq && state_of(wq) != state)
		WRONG(c, name, "state %s", states[state_of(wq)]);
	event = event_of(c);
	if (event != word->event)
		WRONG(c, name, "event %u", event);
	if (drop != (rxq_no_wqe(c->w) != c->dropped) && word->state != ORNIC_WQS_ERR)
		WRONG(c, name, "dropped frames");
	if (!strcmp(word->name, "keep") && !was_kept(c))
		WRONG(c, name, "not kept");
}

/* ---- the cells ---- */

static void try_cell(unsigned int state, const struct event *event,
		     const char *name, const struct word *word)
{
	struct cell c = { .state = state };
	void *w;

	raw_setup_process(&w);
	c.w = w;
	rxq_create_wq(c.w, &c.wq, 0, 0);
	if (state != ORNIC_WQS_RESET)
		assert_int_equal(rxq_modify(c.w, &c.wq, ORNIC_WQS_RDY),
				 ORNIC_CMD_OK);
	if (state == ORNIC_WQS_ERR)
		assert_int_equal(rxq_modify(c.w, &c.wq, state), ORNIC_CMD_OK);
	c.dropped = rxq_no_wqe(c.w);
	event->happen(&c);
	check(&c, name, word);
	raw_teardown(&w);
}

static void test_all_cells(void **state)
{
	struct table *table = calloc(1, sizeof(*table));
	unsigned int i, j;

	(void)state;
	table_read(table, LABEL);
	assert_int_equal(table->columns, 1 + ARRAY_SIZE(states));
	assert_int_equal(table->rows, 1 + ARRAY_SIZE(events));
	for (i = 1; i < table->rows; i++) {
		const struct event *event = TABLE_FIND(events, table->cell[i][0]);

		/* No event is twice, so none is missing */
		for (j = 1; j < i; j++)
			assert_string_not_equal(table->cell[i][0],
						table->cell[j][0]);
		for (j = 0; j < ARRAY_SIZE(states); j++)
			try_cell(j, event, event->name,
				 TABLE_FIND(words, table->cell[i][1 + j]));
	}
	for (j = 0; j < ARRAY_SIZE(states); j++)
		assert_string_equal(table->cell[0][1 + j], states[j]);
	free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_cells),
	};

	return cmocka_run_group_tests_name("wq_states", tests, NULL, NULL);
}
