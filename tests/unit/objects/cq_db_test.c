// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* CQs and EQs that doorbells arm and tell ci ([ORNIC-DB-28], [ORNIC-DB-29] ff.) */
#include "card/card.h"
#include "kit.h"
#include "objects/cq.h"
#include "objects/eq.h"

#define SIZE (1u << KIT_LOG_CQ)
/* Time in which a CQ without room looks once for doorbells; a timer may be late */
#define LOOK_NS (CQ_HELD_NS + (1 << TIMER_TICK_SHIFT))

static uint64_t overruns(struct kit *w)
{
	return host_device_stat(w->host, ORNIC_DEVICE_STAT_cq_overruns);
}

static void ring_cq(struct kit *w, uint32_t ci, unsigned int type)
{
	host_doorbell(w->host, w->uctx, ORNIC_DB_CQ, w->cq.num,
		      ORNIC_PREP(ORNIC_DB_ARM_CI, ci) | type);
}

static void ring_eq(struct kit *w, uint32_t ci, unsigned int type)
{
	host_doorbell(w->host, w->uctx, ORNIC_DB_EQ, w->eq.num,
		      ORNIC_PREP(ORNIC_DB_ARM_CI, ci) | type);
}

/* Make the card and the host believe that @pi entries have passed */
static void move_to(struct kit *w, uint32_t pi)
{
	w->dev_cq->pi = pi;
	w->dev_cq->ci = pi;
	w->dev_cq->solicited_pi = pi;
	w->cq.ci = pi;
	memset(host_ptr(w->host, w->cq.ring),
	       pi >> KIT_LOG_CQ & 1 ? 0xff : 0, 32u << KIT_LOG_CQ);
}

/* [ORNIC-DB-28] Answered at once if an entry is beyond ci, else at the next */
TEST(test_ci_says_which_entries_are_late, struct kit *w, IN_KIT_NO_SHADOW)
{
	static const uint32_t starts[] = { 0, 0x3ffffffe, 0x7ffffffc,
					   0xfffffffe };
	unsigned int i;
	uint32_t at;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		/* At the start of a pass, so that stale phases are wrong */
		at = starts[i] & ~(SIZE - 1);
		move_to(w, at);
		kit_post(w, 1);
		kit_post(w, 2);
		ring_cq(w, at + 2, ORNIC_ARM_NEXT);
		kit_expect_no_event(w);
		kit_post_event(w, 3);
		ring_cq(w, at + 2, ORNIC_ARM_NEXT);
		kit_expect_comp(w);
		ring_cq(w, at + 2, ORNIC_ARM_SOLICITED);
		kit_expect_no_event(w);
		kit_complete(w, 4, ORNIC_WC_SUCCESS, true);
		kit_expect_comp(w);
		ring_cq(w, at + 3, ORNIC_ARM_SOLICITED);
		kit_expect_comp(w);
		ring_cq(w, at + 4, ORNIC_ARM_SOLICITED);
		kit_expect_no_event(w);
		assert_int_equal(w->dev_cq->ci, at + 4);
		ring_cq(w, at + 4, ORNIC_ARM_NEXT);
		kit_post_event(w, 5);
		assert_false(w->dev_cq->dead);
	}
}

/* [ORNIC-DB-2] The high half goes with the last low half of 4 bytes */
TEST(test_halves, struct kit *w, IN_KIT_NO_SHADOW)
{
	uint64_t page = (uint64_t)w->uctx * CARD_DB_PAGE_SIZE;
	uint32_t high = (uint32_t)ORNIC_DB_CQ << 24 | w->cq.num;

	card_bar_write(w->host->card, ORNIC_BAR_DB, page, 4, ORNIC_ARM_NEXT);
	/* One of 8 bytes is no low half */
	ring_cq(w, 0, ORNIC_ARM_NONE);
	card_bar_write(w->host->card, ORNIC_BAR_DB, page + 4, 4, high);
	kit_post_event(w, 1);
	kit_expect_no_event(w);
}

/* [ORNIC-DB-29] A doorbell of type NONE tells ci and nothing else */
TEST(test_none_requests_and_withdraws_nothing, struct kit *w, IN_KIT_NO_SHADOW)
{
	struct ornic_modify_cq_in in = { .cqn = htole32(0),
					 .count = htole16(2),
					 .period = htole16(100) };

	kit_post(w, 1);
	ring_cq(w, 0, ORNIC_ARM_NONE);
	kit_expect_no_event(w);
	ring_cq(w, 1, ORNIC_ARM_NEXT);
	ring_cq(w, 1, ORNIC_ARM_NONE);
	kit_expect_no_event(w);
	kit_post_event(w, 2);
	ring_cq(w, 0, ORNIC_ARM_NONE);
	kit_expect_no_event(w);

	/* Nor does it count as a completion where events are moderated */
	in.cqn = htole32(w->cq.num);
	host_cmd_in_ok(w->host, ORNIC_CMD_MODIFY_CQ, &in);
	ring_cq(w, 2, ORNIC_ARM_NEXT);
	kit_post(w, 3);
	ring_cq(w, 2, ORNIC_ARM_NONE);
	ring_cq(w, 2, ORNIC_ARM_NONE);
	kit_expect_no_event(w);
	kit_post_event(w, 4);
}

/* [ORNIC-DB-29] Each other doorbell is a request, however many there are */
TEST(test_requests_replace_each_other, struct kit *w, IN_KIT_NO_SHADOW)
{
	unsigned int i;

	for (i = 0; i < 5000; i++)
		ring_cq(w, 0, i % 3 ? ORNIC_ARM_SOLICITED : ORNIC_ARM_NEXT);
	kit_post_event(w, 1);
	kit_post_silent(w, 2);
	/* The NEXT is answered: what was one no longer counts */
	ring_cq(w, 2, ORNIC_ARM_SOLICITED);
	kit_post_silent(w, 3);
	ring_cq(w, 3, ORNIC_ARM_NEXT);
	ring_cq(w, 3, ORNIC_ARM_SOLICITED);
	kit_post_event(w, 4);
	for (i = 5; i < 3000; i++) {
		ring_cq(w, i - 1, ORNIC_ARM_NEXT);
		kit_post_event(w, i);
		kit_expect_no_event(w);
	}
}

/* [ORNIC-DB-30] No word in memory counts, and none need be in reach */
TEST(test_records_are_not_read, struct kit *w, IN_KIT_NO_SHADOW)
{
	struct ornic_cq_dbr *dbr = host_ptr(w->host, w->cq.dbr);
	struct ornic_create_cq_in cq = { .uctx = htole32(w->uctx),
					 .eqn = htole32(w->eq.num),
					 .log_size = KIT_LOG_CQ,
					 .log_cqe_size = 5,
					 .dbr_addr = htole64(HOST_NOWHERE) };
	struct ornic_create_eq_in eq = { .vector = htole32(2),
					 .log_size = KIT_LOG_EQ,
					 .dbr_addr = htole64(HOST_NOWHERE) };
	struct ornic_resize_in resize = { .log_size = KIT_LOG_CQ + 1,
					  .dbr_addr = htole64(HOST_NOWHERE) };
	struct ornic_resize_out out;

	guest_store32(&dbr->arm, ORNIC_ARM_TYPE + 1 + ORNIC_ARM_NEXT);
	guest_store32(&dbr->ci, 77);
	kit_post_silent(w, 1);
	kit_tell_cq(w);

	ring_cq(w, 1, ORNIC_ARM_NEXT);
	kit_post_event(w, 2);

	w->eq.ring = host_alloc(w->host, HOST_PAGE, HOST_PAGE);
	host_buf(&eq.buf, w->eq.ring, 32u << KIT_LOG_EQ);
	w->eq.num = host_create_object(w->host, ORNIC_CMD_CREATE_EQ, &eq,
				       sizeof(eq));
	w->eq.ci = 0;
	w->cq.ring = host_alloc(w->host, HOST_PAGE, HOST_PAGE);
	host_buf(&cq.buf, w->cq.ring, 32u << KIT_LOG_CQ);
	cq.eqn = htole32(w->eq.num);
	w->cq.num = host_create_object(w->host, ORNIC_CMD_CREATE_CQ, &cq,
				       sizeof(cq));
	w->cq.ci = 0;
	w->dev_cq = cq_find(w->host->card, w->cq.num);
	kit_arm_eq(w);
	ring_cq(w, 0, ORNIC_ARM_NEXT);
	kit_post(w, 1);
	assert_int_equal(w->host->irqs[2], 1);
	kit_expect_comp(w);

	resize.num = htole32(w->cq.num);
	w->cq.ring = host_alloc(w->host, HOST_PAGE, HOST_PAGE);
	host_buf(&resize.buf, w->cq.ring, 32u << resize.log_size);
	host_cmd_ok(w->host, ORNIC_CMD_RESIZE_CQ, &resize, &out);
	w->cq.log_size = resize.log_size;
	kit_expect_cqe(w, 1);
	cq.dbr_addr |= htole64(4);
	host_cmd_is(w->host, ORNIC_CMD_CREATE_CQ, &cq, &out, ORNIC_CMD_BAD_PARAM);
	eq.dbr_addr |= htole64(8);
	host_cmd_is(w->host, ORNIC_CMD_CREATE_EQ, &eq, &out, ORNIC_CMD_BAD_PARAM);
}

/* [ORNIC-DB-26] With SHADOW doorbells of CQs and EQs are ignored */
TEST(test_doorbells_are_ignored, struct kit *w, IN_KIT)
{
	ring_cq(w, 5, ORNIC_ARM_NEXT);
	kit_post_silent(w, 1);
	assert_false(w->dev_cq->dead);
	ring_eq(w, 5, ORNIC_ARM_NEXT);
	host_queue_arm(&w->cq, ORNIC_ARM_NEXT);
	kit_post_event(w, 2);
	assert_int_equal(w->host->irqs[1], 0);
	host_read_is(w->host, ORNIC_REG_FATAL_CAUSE, 4, 0);
}

/* [ORNIC-DB-31], [ORNIC-CQ-7] What counts is the ci that was told last */
TEST(test_room_is_what_was_told, struct kit *w, IN_KIT_NO_SHADOW)
{
	unsigned int i;

	/* A host with 7 of 8 entries outstanding may owe one */
	for (i = 0; i < SIZE - 1; i++)
		kit_post(w, i);
	for (i = SIZE - 1; i < 10 * SIZE; i++) {
		kit_post(w, i);
		assert_non_null(host_queue_peek(&w->cq));
		host_queue_consume(&w->cq);
		ring_cq(w, w->cq.ci, ORNIC_ARM_NONE);
	}
	assert_false(w->dev_cq->dead);
	/* Consumed, but not told */
	host_queue_consume(&w->cq);
	kit_post(w, i);
	assert_int_equal(overruns(w), 0);
	kit_post(w, i);
	host_sleep(w->host, LOOK_NS);
	assert_int_equal(overruns(w), 1);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
}

/* Publish send WQEs of one slot; their wr_id is the number of the slot */
static void publish(struct host_qp *qp, unsigned int count)
{
	struct ornic_sq_hdr hdr = {
		.ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_SEND, ORNIC_SEND_SIGNALED, 32)),
	};
	uint32_t mask = (1u << qp->log_sq_slots) - 1;

	while (count--) {
		hdr.wr_id = htole64(qp->sq_pi);
		memcpy(host_ptr(qp->host, qp->sq + (qp->sq_pi++ & mask) * 64),
		       &hdr, sizeof(hdr));
	}
	guest_store32(&host_qp_dbr(qp)->sq_pi, qp->sq_pi);
}

/*
 * [ORNIC-CQ-7] The host tells of room and publishes WQEs. The card finds these by
 * a doorbell that was rung before, while the one for the CQ is in the socket.
 */
TEST(test_doorbell_under_way, struct kit *w, IN_KIT_NO_SHADOW)
{
	unsigned int i, told, wr_id = 0;
	struct host_qp qp;

	/* In ERR, where each WQE completes at once */
	host_qp(w->host, &qp, ORNIC_QPT_RAW_PACKET, w->uctx, host_pd(w->host),
		&w->cq, 0);
	host_qp_to_rts(&qp);
	assert_int_equal(host_qp_modify(&qp, ORNIC_QPS_ERR), ORNIC_CMD_OK);
	publish(&qp, SIZE);
	host_doorbell(w->host, w->uctx, ORNIC_DB_SQ, qp.num, qp.sq_pi);
	host_run(w->host);
	for (told = SIZE; told < 5 * SIZE; told += SIZE) {
		for (i = 0; i < SIZE; i++) {
			const struct ornic_cqe *cqe = host_queue_peek(&w->cq);

			assert_non_null(cqe);
			assert_int_equal(le64toh(cqe->wr_id), wr_id++);
			host_queue_consume(&w->cq);
		}
		w->host->unread = true;
		publish(&qp, SIZE);
		host_doorbell(w->host, w->uctx, ORNIC_DB_SQ, qp.num, qp.sq_pi);
		host_run(w->host);
		assert_null(host_queue_peek(&w->cq));
		for (i = 1; i < CQ_HELD_LOOKS; i++)
			host_sleep(w->host, LOOK_NS);
		assert_int_equal(overruns(w), 0);
		/* The request finds the entries that get room with it */
		ring_cq(w, told - 3, ORNIC_ARM_NEXT);
		kit_expect_comp(w);
		ring_cq(w, told, ORNIC_ARM_NONE);
		w->host->unread = false;
		host_sleep(w->host, LOOK_NS);
		kit_expect_no_event(w);
		assert_false(w->dev_cq->dead);
		assert_false(timer_armed(&w->dev_cq->held_timer));
	}
}

/* A trace has a completion without room when it is written */
TEST(test_trace_of_a_held_completion, struct kit *w, IN_KIT_NO_SHADOW)
{
	struct trace_record record;
	struct trace trace;
	unsigned int i;

	assert_int_equal(trace_init(&trace, TRACE_RECORDS_MIN), 0);
	for (i = 0; i < SIZE; i++)
		kit_post(w, i);
	card_trace(w->host->card, &trace, 0);
	w->host->unread = true;
	kit_post(w, SIZE);
	assert_int_equal(trace_take(&trace, &record, 1), 0);
	ring_cq(w, 1, ORNIC_ARM_NONE);
	assert_int_equal(trace_take(&trace, &record, 1), 1);
	assert_int_equal(record.kind, TRACE_CQE);
	assert_int_equal(le64toh(record.wr_id), SIZE);
	card_trace(w->host->card, NULL, 0);
	trace_uninit(&trace);
}

/* [ORNIC-CQ-7] More than a ring without room is an overrun, whatever may come */
TEST(test_overrun_by_a_ring, struct kit *w, IN_KIT_NO_SHADOW)
{
	unsigned int i;

	w->host->unread = true;
	for (i = 0; i < 2 * SIZE; i++)
		kit_post(w, i);
	assert_int_equal(overruns(w), 0);
	kit_post(w, i);
	assert_int_equal(overruns(w), 1);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	ring_cq(w, SIZE, ORNIC_ARM_NEXT);
	kit_expect_no_event(w);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
	kit_expect_cqes(w, 0, SIZE - 1);
	assert_null(host_queue_peek(&w->cq));
}

/* [ORNIC-CQ-7] A host that rings all the time does not put an overrun off for ever */
TEST(test_overrun_in_a_second, struct kit *w, IN_KIT_NO_SHADOW)
{
	unsigned int i;

	w->host->unread = true;
	kit_overrun(w);
	for (i = 0; i < 1000000000 / LOOK_NS; i++) {
		ring_cq(w, 0, ORNIC_ARM_NONE);
		host_sleep(w->host, LOOK_NS);
	}
	assert_int_equal(overruns(w), 1);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
}

/* [ORNIC-DB-32] */
TEST(test_impossible_ci_of_a_cq, struct kit *w, IN_KIT_NO_SHADOW)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		kit_post(w, i);
	/* All that is possible, also what goes back */
	for (i = 0; i <= 3; i++)
		ring_cq(w, 3 - i, ORNIC_ARM_NONE);
	assert_int_equal(w->dev_cq->ci, 0);
	ring_cq(w, 3 - SIZE, ORNIC_ARM_NONE);
	assert_false(w->dev_cq->dead);
	ring_cq(w, 4, ORNIC_ARM_NONE);
	assert_true(w->dev_cq->dead);
	assert_int_equal(overruns(w), 1);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	ring_cq(w, 3, ORNIC_ARM_NEXT);
	kit_expect_no_event(w);

	kit_cq(w, w->eq.num, KIT_LOG_CQ, 5);
	kit_post(w, 1);
	ring_cq(w, 0U - SIZE, ORNIC_ARM_NEXT);
	assert_int_equal(overruns(w), 2);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	kit_expect_no_event(w);
}

/* [ORNIC-DB-32], [ORNIC-CQ-9] */
TEST(test_ci_of_a_cq_that_ignores_overruns, struct kit *w, IN_KIT_NO_SHADOW)
{
	unsigned int i;

	w->dev_cq->ignore_overrun = true;
	for (i = 0; i < 3 * SIZE; i++)
		kit_post(w, i);
	ring_cq(w, 0, ORNIC_ARM_NEXT);
	assert_false(w->dev_cq->dead);
	kit_expect_no_event(w);
	kit_post_event(w, i);
	assert_int_equal(overruns(w), 0);
}

/* [ORNIC-DB-32], [ORNIC-EQ-3] */
TEST(test_impossible_ci_of_an_eq, struct kit *w, IN_KIT_NO_SHADOW)
{
	ring_cq(w, 0, ORNIC_ARM_NEXT);
	kit_post(w, 1);
	ring_eq(w, 1, ORNIC_ARM_NONE);
	/* One that goes back is ignored, but not the request */
	ring_eq(w, 0, ORNIC_ARM_NEXT);
	assert_int_equal(w->host->irqs[1], 0);
	host_read_is(w->host, ORNIC_REG_FATAL_CAUSE, 4, 0);
	ring_eq(w, 2, ORNIC_ARM_NONE);
	host_read_is(w->host, ORNIC_REG_FATAL_CAUSE, 4, ORNIC_FATAL_EQ_OVERRUN);
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_eq_overruns, 1);
}

/* [ORNIC-DB-33], [ORNIC-DB-31] The next event of a CQ waits for a doorbell */
TEST(test_next_event_waits_for_the_doorbell, struct kit *w, IN_KIT_NO_SHADOW)
{
	unsigned int i;

	for (i = 1; i <= 5; i++) {
		ring_cq(w, i - 1, ORNIC_ARM_NEXT);
		kit_post(w, i);
	}
	host_sleep(w->host, 10000000);
	assert_non_null(host_queue_peek(&w->eq));
	host_queue_consume(&w->eq);
	host_sleep(w->host, 10000000);
	kit_expect_no_event(w);
	/* The device has no reason to wake up */
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
	kit_arm_eq(w);
	/* The turn after it writes the event */
	assert_false(card_sleep_prepare(w->host->card));
	host_run(w->host);
	assert_int_equal(w->host->irqs[1], 1);
	kit_expect_comp(w);
	kit_expect_no_event(w);
}

#define SOURCES 3000

/* [ORNIC-EQ-6], [ORNIC-DB-31] Held events are written when ci is told */
TEST(test_held_events_wait_for_the_doorbell, struct kit *w, IN_KIT_NO_SHADOW)
{
	static struct eq_source source[SOURCES];
	const struct ornic_eqe *eqe;
	unsigned int i, told = 0;

	/* This EQ is not EQ 0, so that the sources belong to it alone */
	host_eq(w->host, &w->eq, 1, 11);
	for (i = 0; i < SOURCES; i++) {
		eq_source_init(&source[i], i, false);
		eq_tell(eq_find(w->host->card, w->eq.num), &source[i],
			ORNIC_EVENT_QP_COMM_EST);
	}
	host_sleep(w->host, 10000000);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
	while (told < SOURCES) {
		for (i = 0; (eqe = host_queue_peek(&w->eq)); i++) {
			assert_int_equal(le32toh(eqe->num), told++);
			host_queue_consume(&w->eq);
		}
		/* More than one turn writes, without another doorbell */
		assert_int_equal(i, told == SOURCES ? SOURCES - 2048 : 2048);
		w->host->irqs[1] = 0;
		kit_arm_eq(w);
		/* [ORNIC-ISO-4] The write of the doorbell does no work */
		kit_expect_no_event(w);
		host_run(w->host);
		assert_int_equal(w->host->irqs[1], told < SOURCES);
	}
	kit_expect_no_event(w);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
}

/*
 * [ORNIC-ISO-4] One doorbell tells that the host has consumed a full ring, whose
 * sources have another event each: several turns look at them
 */
TEST(test_full_ring_is_consumed_in_turns, struct kit *w, IN_KIT_NO_SHADOW)
{
	const unsigned int log_size = 15, size = 1u << log_size;
	struct eq_source *source = calloc(size, sizeof(*source));
	struct card *card = w->host->card;
	unsigned int i, turns = 0;
	struct eq *eq;

	assert_non_null(source);
	host_eq(w->host, &w->eq, 1, log_size);
	eq = eq_find(card, w->eq.num);
	for (i = 0; i < size; i++) {
		eq_source_init(&source[i], i, true);
		eq_tell(eq, &source[i], ORNIC_EVENT_COMP);
	}
	for (i = 0; i < size; i++)
		eq_tell(eq, &source[i], ORNIC_EVENT_COMP);
	assert_int_equal(eq->waiters, size);
	ring_eq(w, size, ORNIC_ARM_NONE);
	assert_int_equal(eq->waiters, size);
	while (card_run(card)) {
		/* An entry that is written takes the place of one that is seen */
		assert_true(eq->pi - eq->seen <= size);
		turns++;
	}
	assert_in_range(turns, size / 1024, size / 1024 + 2);
	assert_int_equal(eq->pi, 2 * size);
	assert_int_equal(eq->waiters, 0);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
	for (i = 0; i < size; i++)
		eq_source_forget(&source[i]);
	free(source);
}

/* [ORNIC-CQ-18], [ORNIC-CQ-19] The command tells ci, and keeps the request */
TEST(test_resize_keeps_the_request, struct kit *w, IN_KIT_NO_SHADOW)
{
	struct ornic_resize_in in = { .num = htole32(w->cq.num),
				      .log_size = KIT_LOG_CQ + 1 };
	uint64_t ring = host_alloc(w->host, HOST_PAGE, HOST_PAGE);
	struct ornic_resize_out out;

	host_buf(&in.buf, ring, 32u << in.log_size);
	kit_post(w, 1);
	kit_post(w, 2);
	ring_cq(w, 2, ORNIC_ARM_NEXT);
	ring_cq(w, 0, ORNIC_ARM_NONE);
	/* A command that is refused has told nothing */
	in.ci = htole32(2);
	in.buf.npages = 0;
	host_cmd_is(w->host, ORNIC_CMD_RESIZE_CQ, &in, &out, ORNIC_CMD_BAD_PARAM);
	assert_int_equal(w->dev_cq->ci, 0);
	host_buf(&in.buf, ring, 32u << in.log_size);
	host_cmd_ok(w->host, ORNIC_CMD_RESIZE_CQ, &in, &out);
	assert_int_equal(le32toh(out.count), 0);
	w->cq.ring = ring;
	w->cq.log_size = in.log_size;
	w->cq.ci = 0;
	kit_expect_no_event(w);
	kit_post_event(w, 3);
	kit_expect_cqe(w, 3);
}

/* [ORNIC-CQ-18] Completions without room get it in the new ring, or go with the CQ */
TEST(test_resize_makes_room, struct kit *w, IN_KIT_NO_SHADOW)
{
	struct ornic_resize_in in = { .num = htole32(w->cq.num),
				      .log_size = KIT_LOG_CQ + 1,
				      .ci = htole32(1) };
	uint64_t ring = host_alloc(w->host, HOST_PAGE, HOST_PAGE);
	struct ornic_resize_out out;
	unsigned int i;

	host_buf(&in.buf, ring, 32u << in.log_size);
	for (i = 0; i < 2 * SIZE; i++)
		kit_post(w, i);
	host_cmd_ok(w->host, ORNIC_CMD_RESIZE_CQ, &in, &out);
	assert_int_equal(le32toh(out.count), SIZE - 1);
	w->cq.ring = ring;
	w->cq.log_size = in.log_size;
	w->cq.ci = 0;
	kit_expect_cqes(w, 1, 2 * SIZE - 1);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
	for (; i < 5 * SIZE; i++)
		kit_post(w, i);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_CQ, w->cq.num);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
	assert_int_equal(overruns(w), 0);
}

TEST_MAIN("cq_db")
