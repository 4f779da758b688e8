// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* EQs: rings, interrupts, overruns, held-back events ([ORNIC-EQ-1] ff.) */
#include "card/card.h"
#include "kit.h"
#include "objects/cq.h"
#include "objects/eq.h"
#include "objects/uctx.h"

TEST(test_interrupt_only_when_the_eq_is_armed, struct kit *w, IN_KIT, IN_KIT_NO_SHADOW)
{
	kit_arm_and_post(w, 1);
	assert_int_equal(w->host->irqs[1], 0);
	kit_expect_comp(w);
	kit_arm_eq(w);
	assert_int_equal(w->host->irqs[1], 0);
	kit_arm_cq(w, ORNIC_ARM_NONE);
	kit_expect_cqe(w, 1);
	kit_arm_and_post(w, 2);
	assert_int_equal(w->host->irqs[1], 1);
	kit_expect_comp(w);
	kit_expect_cqe(w, 2);
	kit_arm_and_post(w, 3);
	assert_int_equal(w->host->irqs[1], 1);
}

TEST(test_late_eq_doorbell_interrupts_at_once, struct kit *w, IN_KIT_NO_SHADOW)
{
	kit_arm_and_post(w, 1);
	kit_arm_eq(w);
	assert_int_equal(w->host->irqs[1], 1);
}

/* [ORNIC-DB-33] A process that arms in a loop cannot overrun an EQ */
TEST(test_one_event_per_cq_in_the_ring, struct kit *w, IN_KIT)
{
	unsigned int i;

	for (i = 0; i < 50; i++) {
		kit_arm_and_post(w, i);
		kit_expect_cqe(w, i);
	}
	assert_int_equal(host_read(w->host, ORNIC_REG_STATUS, 4) &
			 ORNIC_STATUS_FATAL, 0);
	assert_non_null(host_queue_peek(&w->eq));
	/* One event for all others waits until this one is consumed */
	host_sleep(w->host, 1000000);
	kit_expect_comp(w);
	kit_expect_no_event(w);
	host_sleep(w->host, 1000000);
	kit_expect_comp(w);
	host_sleep(w->host, 1000000);
	kit_expect_no_event(w);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
}

/* [ORNIC-GEN-6] */
TEST(test_eq_wraps, struct kit *w, IN_KIT)
{
	struct eq_source source;
	unsigned int i;

	for (i = 0; i < 5u << KIT_LOG_EQ; i++) {
		eq_source_init(&source, i, false);
		eq_async(w->host->card, &source, ORNIC_EVENT_QP_FATAL);
		kit_expect_event(w, ORNIC_EVENT_QP_FATAL, i);
	}
}

/* [ORNIC-EQ-3] A full EQ is no overrun; an impossible ci is */
TEST(test_eq_overrun_is_fatal, struct kit *w, IN_KIT)
{
	struct ornic_cq_dbr *dbr = host_ptr(w->host, w->eq.dbr);
	struct eq_source source[(1u << KIT_LOG_EQ) + 1];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(source); i++) {
		eq_source_init(&source[i], i, false);
		eq_async(w->host->card, &source[i], ORNIC_EVENT_QP_FATAL);
	}
	host_sleep(w->host, 1000000);
	host_read_is(w->host, ORNIC_REG_FATAL_CAUSE, 4, 0);
	guest_store32(&dbr->ci, (1u << KIT_LOG_EQ) + 1);
	host_sleep(w->host, 1000000);
	host_read_is(w->host, ORNIC_REG_FATAL_CAUSE, 4, ORNIC_FATAL_EQ_OVERRUN);
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_eq_overruns, 1);
	for (i = 0; i < 1u << KIT_LOG_EQ; i++)
		kit_expect_event(w, ORNIC_EVENT_QP_FATAL, i);
	host_sleep(w->host, 1000000);
	kit_expect_no_event(w);
	assert_false(card_run(w->host->card));
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
	for (i = 0; i < ARRAY_SIZE(source); i++)
		eq_source_forget(&source[i]);
}

/* [ORNIC-EQ-6] A process with many QPs that all fail at once */
TEST(test_events_wait_for_room, struct kit *w, IN_KIT)
{
	struct host_qp qp[5u << KIT_LOG_EQ];
	uint32_t pdn = host_pd(w->host);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(qp); i++) {
		host_qp(w->host, &qp[i], ORNIC_QPT_RAW_PACKET, w->uctx, pdn,
			&w->cq, 0);
		assert_int_equal(host_qp_modify(&qp[i], ORNIC_QPS_INIT),
				 ORNIC_CMD_OK);
	}
	kit_overrun(w);
	host_run(w->host);
	host_sleep(w->host, 10000000);
	assert_int_equal(host_read(w->host, ORNIC_REG_STATUS, 4) &
			 ORNIC_STATUS_FATAL, 0);
	/* They come one by one; those whose QP is destroyed do not come */
	for (i = 0; i < 3; i++)
		host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_QP, qp[10 + i].num);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	for (i = 0; i < ARRAY_SIZE(qp); i++) {
		if (i >= 10 && i < 13)
			continue;
		if (!host_queue_peek(&w->eq))
			host_sleep(w->host, 1000000);
		kit_expect_event(w, ORNIC_EVENT_QP_FATAL, qp[i].num);
	}
	host_sleep(w->host, 1000000);
	kit_expect_no_event(w);
}

/* [ORNIC-EQ-6] Completion events of as many CQs wait too, and interrupt */
TEST(test_completion_events_wait_for_room, struct kit *w, IN_KIT)
{
	uint32_t first = w->cq.num;
	unsigned int i;

	for (i = 0; i < 3u << KIT_LOG_EQ; i++) {
		if (i)
			kit_cq(w, w->eq.num, KIT_LOG_CQ, 5);
		kit_arm_and_post(w, i);
	}
	for (i = 0; i < 3u << KIT_LOG_EQ; i++) {
		const struct ornic_eqe *eqe = host_queue_peek(&w->eq);

		if (!eqe) {
			kit_arm_eq(w);
			w->host->irqs[1] = 0;
			host_sleep(w->host, 1000000);
			assert_int_equal(w->host->irqs[1], 1);
			eqe = host_queue_peek(&w->eq);
		}
		assert_non_null(eqe);
		assert_int_equal(le32toh(eqe->num), first + i);
		host_queue_consume(&w->eq);
	}
	kit_expect_no_event(w);
}

#define WAITING_CQS 12

/* Create CQs whose second event waits until the first one is consumed */
static void let_wait(struct kit *w, struct host_queue *cq)
{
	unsigned int i;

	/* The EQ has room for the events of all CQs */
	host_eq(w->host, &w->eq, 1, 5);
	for (i = 0; i < WAITING_CQS; i++) {
		kit_cq(w, w->eq.num, KIT_LOG_CQ, 5);
		cq[i] = w->cq;
		kit_arm_and_post(w, 1);
		kit_arm_and_post(w, 2);
	}
}

/* Advance time from timer to timer; return the number of timers that expired */
static unsigned int wakes(struct host *host, uint64_t ns)
{
	uint64_t end = host->now_ns + ns;
	unsigned int count = 0;

	while (timers_next(&host->timers) <= end) {
		host->now_ns = timers_next(&host->timers);
		count += timers_run(&host->timers, host->now_ns);
	}
	host->now_ns = end;
	return count;
}

/*
 * [ORNIC-ISO-4] A host that consumes nothing costs a periodic read of one
 * index, however many objects wait.
 */
TEST(test_host_that_consumes_nothing, struct kit *w, IN_KIT)
{
	struct host_queue cq[WAITING_CQS];
	unsigned int i;
	struct eq *eq;

	let_wait(w, cq);
	eq = eq_find(w->host->card, w->eq.num);
	/* None of them is in the list that the timer walks */
	assert_true(list_empty(&eq->held));
	assert_in_range(wakes(w->host, 100000000), 1, 150);
	assert_true(list_empty(&eq->held));
	/* [ORNIC-DB-33] The next event of a CQ follows its first one */
	for (i = 0; i < WAITING_CQS; i++) {
		kit_expect_event(w, ORNIC_EVENT_COMP, cq[i].num);
		if (i % 3 == 2) {
			host_sleep(w->host, 1000000);
			assert_true(list_empty(&eq->held));
		}
	}
	for (i = 0; i < WAITING_CQS; i++)
		kit_expect_event(w, ORNIC_EVENT_COMP, cq[i].num);
	kit_expect_no_event(w);
	host_sleep(w->host, 1000000);
	kit_expect_no_event(w);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
}

TEST(test_waiting_cq_is_destroyed, struct kit *w, IN_KIT)
{
	struct host_queue cq[WAITING_CQS];
	unsigned int i;

	let_wait(w, cq);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_CQ, cq[3].num);
	for (i = 0; i < WAITING_CQS; i++)
		kit_expect_event(w, ORNIC_EVENT_COMP, cq[i].num);
	host_sleep(w->host, 1000000);
	for (i = 0; i < WAITING_CQS; i++)
		if (i != 3)
			kit_expect_event(w, ORNIC_EVENT_COMP, cq[i].num);
	kit_expect_no_event(w);
}

/* A ci that goes back repeats no event and stops none */
TEST(test_eq_index_goes_back, struct kit *w, IN_KIT)
{
	struct ornic_cq_dbr *dbr = host_ptr(w->host, w->eq.dbr);
	struct host_queue cq[WAITING_CQS];
	unsigned int i;

	let_wait(w, cq);
	for (i = 0; i < WAITING_CQS; i++)
		kit_expect_event(w, ORNIC_EVENT_COMP, cq[i].num);
	host_sleep(w->host, 1000000);
	guest_store32(&dbr->ci, WAITING_CQS - 2);
	host_sleep(w->host, 1000000);
	for (i = 0; i < WAITING_CQS; i++)
		kit_expect_event(w, ORNIC_EVENT_COMP, cq[i].num);
	host_sleep(w->host, 1000000);
	kit_expect_no_event(w);
	host_read_is(w->host, ORNIC_REG_FATAL_CAUSE, 4, 0);
}

/* [ORNIC-EQ-6] [ORNIC-ORD-12] Each kind once, in any order */
TEST(test_waiting_events_come_once, struct kit *w, IN_KIT)
{
	struct card *card = w->host->card;
	struct eq_source source, other;
	const struct ornic_eqe *eqe;
	unsigned int i, told = 0;

	eq_source_init(&source, 5, false);
	eq_source_init(&other, 6, false);
	for (i = 0; i < 1u << KIT_LOG_EQ; i++)
		eq_async(card, &other, ORNIC_EVENT_QP_REQ_ERR);
	eq_async(card, &source, ORNIC_EVENT_QP_COMM_EST);
	eq_async(card, &source, ORNIC_EVENT_QP_REQ_ERR);
	eq_async(card, &source, ORNIC_EVENT_QP_SQ_DRAINED);
	eq_async(card, &source, ORNIC_EVENT_QP_REQ_ERR);
	kit_expect_event(w, ORNIC_EVENT_QP_REQ_ERR, 6);
	/* There is room, but earlier events wait */
	eq_async(card, &source, ORNIC_EVENT_QP_FATAL);
	for (i = 1; i < 1u << KIT_LOG_EQ; i++)
		kit_expect_event(w, ORNIC_EVENT_QP_REQ_ERR, 6);
	kit_expect_no_event(w);
	host_sleep(w->host, 1000000);
	for (i = 0; i < 4; i++) {
		eqe = host_queue_peek(&w->eq);
		assert_non_null(eqe);
		assert_int_equal(le32toh(eqe->num), 5);
		told |= 1u << ORNIC_GET(ORNIC_EQE_TYPE, le32toh(eqe->ctl));
		host_queue_consume(&w->eq);
		kit_tell_eq(w);
	}
	assert_int_equal(told, 1u << ORNIC_EVENT_QP_COMM_EST |
			       1u << ORNIC_EVENT_QP_SQ_DRAINED |
			       1u << ORNIC_EVENT_QP_REQ_ERR |
			       1u << ORNIC_EVENT_QP_FATAL);
	kit_expect_no_event(w);
}

/* [ORNIC-EQ-5] An event of an SRQ that waits for room goes with the SRQ */
TEST(test_waiting_srq_is_destroyed, struct kit *w, IN_KIT)
{
	struct ornic_modify_srq_in in = { .limit = htole32(1) };
	struct host_qp srq;
	unsigned int i;

	host_srq(w->host, &srq, host_pd(w->host), 0, 0, 0);
	for (i = 0; i < 1u << KIT_LOG_EQ; i++)
		card_link_changed(w->host->card, i & 1);
	in.srqn = htole32(srq.num);
	host_cmd_in_ok(w->host, ORNIC_CMD_MODIFY_SRQ, &in);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_SRQ, srq.num);
	for (i = 0; i < 1u << KIT_LOG_EQ; i++)
		kit_expect_event(w, i & 1 ? ORNIC_EVENT_PORT_UP :
					    ORNIC_EVENT_PORT_DOWN, 0);
	host_sleep(w->host, 1000000);
	kit_expect_no_event(w);
}

/* Waiting events are dropped with their EQ */
TEST(test_eq_goes_with_events_waiting, struct kit *w, IN_KIT)
{
	unsigned int i;

	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_CQ, w->cq.num);
	for (i = 0; i < 2u << KIT_LOG_EQ; i++)
		card_link_changed(w->host->card, i & 1);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_EQ, w->eq.num);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
	card_link_changed(w->host->card, false);
	host_eq(w->host, &w->eq, 1, KIT_LOG_EQ);
	card_link_changed(w->host->card, true);
	kit_expect_event(w, ORNIC_EVENT_PORT_UP, 0);
	kit_expect_no_event(w);
}

TEST(test_eq_out_of_reach_is_fatal_and_told_to_eq_0, struct kit *w, IN_KIT)
{
	struct host_queue second;

	host_eq(w->host, &second, 2, KIT_LOG_EQ);
	kit_cq(w, second.num, KIT_LOG_CQ, 5);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	host_unmap(w->host, second.ring, HOST_PAGE);
	kit_post(w, 1);
	host_read_is(w->host, ORNIC_REG_FATAL_CAUSE, 4, ORNIC_FATAL_EQ_DMA);
	kit_expect_event(w, ORNIC_EVENT_DEVICE_FATAL, ORNIC_FATAL_EQ_DMA);
}

TEST(test_link_events, struct kit *w, IN_KIT)
{
	card_link_changed(w->host->card, true);
	kit_expect_no_event(w);
	card_link_changed(w->host->card, false);
	kit_expect_event(w, ORNIC_EVENT_PORT_DOWN, 0);
	card_link_changed(w->host->card, true);
	kit_expect_event(w, ORNIC_EVENT_PORT_UP, 0);
}

/* [ORNIC-OBJ-11] */
TEST(test_create_eq_refusals, struct kit *w, IN_KIT)
{
	struct ornic_create_eq_in good = { .vector = htole32(1),
					   .log_size = 4 };
	struct ornic_object out;

	host_buf(&good.buf, host_alloc(w->host, HOST_PAGE, HOST_PAGE), 512);
	good.dbr_addr = htole64(host_alloc(w->host, 64, 64));
#define REFUSED(field, value, status) \
	host_refused(w->host, ORNIC_CMD_CREATE_EQ, good, field, value, \
		     &out, status)
	REFUSED(vector, htole32(HOST_VECTORS), ORNIC_CMD_BAD_PARAM);
	REFUSED(log_size, CARD_MAX_LOG_EQE + 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(log_size, 255, ORNIC_CMD_BAD_PARAM);
	REFUSED(log_size, 8, ORNIC_CMD_BAD_PARAM);	/* ring too small */
	REFUSED(rsvd[2], 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(dbr_addr, good.dbr_addr + htole64(8), ORNIC_CMD_BAD_PARAM);
	REFUSED(dbr_addr, htole64(HOST_NOWHERE), ORNIC_CMD_DMA_FAULT);
	REFUSED(buf.addr, htole64(HOST_NOWHERE), ORNIC_CMD_DMA_FAULT);
#undef REFUSED
	assert_int_equal(w->host->card->eqs.count, 1);
	host_cmd_object_is(w->host, ORNIC_CMD_DESTROY_EQ, w->eq.num, ORNIC_CMD_BUSY);
	host_cmd_object_is(w->host, ORNIC_CMD_DESTROY_EQ, 5, ORNIC_CMD_BAD_OBJECT);
}

TEST(test_eq_gets_the_lowest_number, struct kit *w, IN_KIT)
{
	struct host_queue eq;

	assert_int_equal(w->eq.num, 0);
	host_eq(w->host, &eq, 1, 1);
	assert_int_equal(eq.num, 1);
	host_eq(w->host, &eq, 1, 1);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_EQ, 1);
	host_eq(w->host, &eq, 1, 1);
	assert_int_equal(eq.num, 1);
}

TEST(test_reset_frees_everything, struct kit *w, IN_KIT, IN_KIT_NO_SHADOW)
{
	host_uctx(w->host, 0, 0);
	kit_arm_and_post(w, 1);
	kit_arm_and_post(w, 2);
	card_reset(w->host->card);
	assert_int_equal(w->host->card->cqs.count, 0);
	assert_int_equal(w->host->card->eqs.count, 0);
	assert_int_equal(w->host->card->uctxs.count, 0);
	assert_int_equal(w->host->card->budget.pages, 0);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
}

TEST_MAIN("eq")
