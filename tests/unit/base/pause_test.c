// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Bus mastering off is a pause: nothing is done, lost or broken ([ORNIC-PCI-7]) */
#include "card/card.h"
#include "card/doorbell.h"
#include "kit.h"
#include "pair.h"

/* Longer than all retries of a request, and the periods of all timers */
#define LONG_NS 30000000000ULL
#define SHORT_NS 5000000ULL

static void pause_begin(struct host *host)
{
	mem_enable(&host->mem, false);
}

/* As the transport does */
static void pause_over(struct host *host)
{
	mem_enable(&host->mem, true);
	host_run(host);
}

/* Check that the card does nothing in any turn, and no work keeps it awake */
static void pause_check(struct host *host)
{
	assert_false(card_run(host->card));
	assert_true(card_sleep_prepare(host->card));
	host_device_stat_is(host, ORNIC_DEVICE_STAT_dma_faults, 0);
	host_read_is(host, ORNIC_REG_FATAL_CAUSE, 4, ORNIC_FATAL_NONE);
}

/* ---- doorbells ---- */

static void test_send_doorbell_is_remembered(void **state)
{
	struct pair *pair = *state;
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 64);
	struct host *host = A(pair)->host;

	/* Asleep, so that nothing but the doorbell tells of the work */
	pair_run(pair);
	assert_true(card_sleep_prepare(host->card));
	pause_begin(host);
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	pause_check(host);
	pair_poll_none(A(pair));
	pause_over(host);
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
}

static void test_bad_doorbell_is_counted(void **state)
{
	struct kit *kit = *state;
	struct host *host = kit->host;

	pause_begin(host);
	host_doorbell(host, kit->uctx, 7, kit->cq.num, 0);
	host_doorbell(host, kit->uctx, ORNIC_DB_CQ, kit->cq.num + 1, 0);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_bad_doorbell_type, 1);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_bad_doorbell_queue, 1);
	pause_check(host);
	pause_over(host);
}

/* [ORNIC-PCI-9] This card loses nothing when a pause begins, so it does not stop */
static void test_work_under_way(void **state)
{
	struct kit *kit = *state;
	struct host *host = kit->host;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		kit_arm_cq(kit, ORNIC_ARM_NEXT);
		kit_arm_eq(kit);
		kit_post(kit, i);
		if (i & 1)
			card_run(host->card);
		pause_begin(host);
		assert_int_equal(host_read(host, ORNIC_REG_STATUS, 4) & ORNIC_STATUS_FATAL, 0);
		pause_over(host);
		host_sleep(host, SHORT_NS);
		kit_expect_cqe(kit, i);
		kit_expect_comp(kit);
	}
}

static void test_arm_of_cq_is_remembered(void **state)
{
	struct kit *kit = *state;

	kit_post(kit, 1);
	pause_begin(kit->host);
	kit_arm_cq(kit, ORNIC_ARM_NEXT);
	pause_check(kit->host);
	kit_expect_no_event(kit);
	pause_over(kit->host);
	host_sleep(kit->host, SHORT_NS);
	kit_expect_comp(kit);
	kit_expect_no_event(kit);
}

static void test_arm_of_eq_is_remembered(void **state)
{
	struct kit *kit = *state;
	unsigned int vector = 1, before = kit->host->irqs[1];

	kit_arm_and_post(kit, 1);
	assert_int_equal(kit->host->irqs[vector], before);
	pause_begin(kit->host);
	kit_arm_eq(kit);
	pause_check(kit->host);
	assert_int_equal(kit->host->irqs[vector], before);
	pause_over(kit->host);
	assert_int_equal(kit->host->irqs[vector], before + 1);
	kit_expect_comp(kit);
}

/* An EQ whose doorbell comes during the pause writes what waits for it */
static void test_event_that_waits_for_a_doorbell(void **state)
{
	struct kit *kit = *state;
	unsigned int i;

	for (i = 0; i < 2; i++)
		kit_arm_and_post(kit, i);
	pause_begin(kit->host);
	kit_expect_comp(kit);
	kit_arm_eq(kit);
	assert_false(card_run(kit->host->card));
	kit_expect_no_event(kit);
	pause_over(kit->host);
	kit_expect_comp(kit);
	assert_int_equal(kit->host->irqs[1], 1);
	kit_expect_no_event(kit);
}

/*
 * Only doorbells tell ci. A card that made one up at the end of the pause would
 * find it impossible after more requests than entries, and stop.
 */
static void test_look_tells_no_index(void **state)
{
	struct kit *kit = *state;
	struct host *host = kit->host;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		kit_arm_cq(kit, ORNIC_ARM_NEXT);
		kit_arm_eq(kit);
	}
	pause_begin(host);
	kit_arm_cq(kit, ORNIC_ARM_NEXT);
	kit_arm_eq(kit);
	pause_check(host);
	pause_over(host);
	host_read_is(host, ORNIC_REG_FATAL_CAUSE, 4, ORNIC_FATAL_NONE);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_cq_overruns, 0);
	kit_post_event(kit, 1);
	kit_expect_cqe(kit, 1);
}

/* The looks at all queues take several turns, and a pause may interrupt them */
static void test_many_queues_are_looked_at_in_turns(void **state)
{
	struct kit *kit = *state;
	struct host *host = kit->host;
	uint32_t pdn = host_pd(host);
	unsigned int i, turns = 0;
	struct host_qp qp;
	uint64_t used;

	host_qp(host, &qp, ORNIC_QPT_UD, kit->uctx, pdn, &kit->cq, 0);
	used = host->used;
	for (i = 0; i < DOORBELL_LOOK_MAX; i++) {
		host_qp(host, &qp, ORNIC_QPT_UD, kit->uctx, pdn, &kit->cq, 0);
		host->used = used;
	}
	pause_begin(host);
	host_doorbell(host, kit->uctx, ORNIC_DB_SQ, qp.num, 0);
	mem_enable(&host->mem, true);
	assert_true(card_run(host->card));
	assert_true(host->card->pause.looking);
	assert_false(card_sleep_prepare(host->card));
	pause_begin(host);
	pause_check(host);
	mem_enable(&host->mem, true);
	while (host->card->pause.looking) {
		assert_true(card_run(host->card));
		assert_true(turns++ < 4);
	}
	assert_false(card_run(host->card));
	assert_true(card_sleep_prepare(host->card));
}

/* ---- events, interrupts, faults ---- */

static void test_events_wait(void **state)
{
	struct kit *kit = *state;
	struct host *host = kit->host;

	pause_begin(host);
	card_link_changed(host->card, false);
	pause_check(host);
	host->now_ns += LONG_NS;
	timers_run(&host->timers, host->now_ns);
	assert_true(timers_next(&host->timers) == TIMER_NEVER);
	pause_check(host);
	pause_over(host);
	host_sleep(host, SHORT_NS);
	kit_expect_event(kit, ORNIC_EVENT_PORT_DOWN, 0);
	kit_expect_no_event(kit);
}

static void test_interrupts_wait(void **state)
{
	struct kit *kit = *state;
	struct host *host = kit->host;
	unsigned int before = host->irqs[2];
	uint64_t counted = host_device_stat(host, ORNIC_DEVICE_STAT_interrupts);

	pause_begin(host);
	host_write(host, ORNIC_REG_IRQ_TEST, 4, 2);
	host_write(host, ORNIC_REG_IRQ_TEST, 4, 2);
	pause_check(host);
	assert_int_equal(host->irqs[2], before);
	/* The card does not go to sleep before it has raised it */
	mem_enable(&host->mem, true);
	assert_false(card_sleep_prepare(host->card));
	host_run(host);
	assert_true(card_sleep_prepare(host->card));
	assert_int_equal(host->irqs[2], before + 1);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_interrupts, counted + 1);
}

static void test_fatal_error_tells_by_interrupt(void **state)
{
	struct kit *kit = *state;
	struct host *host = kit->host;
	unsigned int before = host->irqs[0];

	pause_begin(host);
	card_stop(host->card);
	host_read_is(host, ORNIC_REG_FATAL_CAUSE, 4, ORNIC_FATAL_INJECTED);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_dma_faults, 0);
	assert_int_equal(host->irqs[0], before);
	pause_over(host);
	assert_int_equal(host->irqs[0], before + 1);
	kit_expect_no_event(kit);
}

static void test_reset_forgets(void **state)
{
	struct kit *kit = *state;
	struct host *host = kit->host;
	unsigned int before = host->irqs[2];

	pause_begin(host);
	host_write(host, ORNIC_REG_IRQ_TEST, 4, 2);
	kit_arm_cq(kit, ORNIC_ARM_NEXT);
	card_link_changed(host->card, false);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_read_is(host, ORNIC_REG_STATUS, 4, ORNIC_STATUS_READY);
	pause_over(host);
	assert_int_equal(host->irqs[2], before);
	assert_true(timers_next(&host->timers) == TIMER_NEVER);
	card_link_changed(host->card, true);
}

/* ---- packets and timeouts ---- */

static void test_timeouts_of_requests_wait(void **state)
{
	struct pair *pair = *state;
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 64);
	struct host *host = A(pair)->host;

	pair->fate = pair_fate_lose_all;
	pair_send(A(pair), &wr);
	pause_begin(host);
	host->now_ns += LONG_NS;
	timers_run(&host->timers, host->now_ns);
	pause_check(host);
	host->now_ns += LONG_NS;
	timers_run(&host->timers, host->now_ns);
	pause_check(host);
	pair_poll_none(A(pair));
	pair->fate = NULL;
	pause_over(host);
	pair_sleep(pair, SHORT_NS);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
}

/* [ORNIC-RST-5] A card that has stopped completes nothing, however late */
static void test_timeouts_after_a_fatal_error(void **state)
{
	struct pair *pair = *state;
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 64);
	struct host *host = A(pair)->host;

	pair->fate = pair_fate_lose_all;
	pair_send(A(pair), &wr);
	/* The next timeout would fail the request at once */
	pair_qp(A(pair))->req.retry = 0;
	card_stop(host->card);
	host->now_ns += LONG_NS;
	timers_run(&host->timers, host->now_ns);
	host_run(host);
	pair_poll_none(A(pair));
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_retries_exceeded, 0);
}

static void test_packets_are_lost(void **state)
{
	struct pair *pair = *state;
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 64);
	struct host *host = B(pair)->host;

	pause_begin(host);
	pair_send(A(pair), &wr);
	pause_check(host);
	pair_poll_none(A(pair));
	pause_over(host);
	pair_sleep(pair, LONG_NS / 30);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
}

#define PLAIN(fn) \
	cmocka_unit_test_setup_teardown(fn, kit_setup_no_shadow, kit_teardown)
#define CQ_DB(fn) \
	cmocka_unit_test_setup_teardown(fn, kit_setup_cq_db, kit_teardown)

UNIT_MAIN("pause",
	KIT_TEST(test_work_under_way),
	PAIR_BOTH(test_send_doorbell_is_remembered, pair_setup_rc),
	KIT_TEST(test_bad_doorbell_is_counted),
	PLAIN(test_arm_of_cq_is_remembered),
	PLAIN(test_arm_of_eq_is_remembered),
	PLAIN(test_event_that_waits_for_a_doorbell),
	CQ_DB(test_event_that_waits_for_a_doorbell),
	PLAIN(test_look_tells_no_index),
	CQ_DB(test_look_tells_no_index),
	PLAIN(test_many_queues_are_looked_at_in_turns),
	KIT_TEST(test_events_wait),
	PLAIN(test_events_wait),
	CQ_DB(test_events_wait),
	KIT_TEST(test_interrupts_wait),
	KIT_TEST(test_fatal_error_tells_by_interrupt),
	PLAIN(test_reset_forgets),
	PAIR_BOTH(test_timeouts_of_requests_wait, pair_setup_rc),
	PAIR_BOTH(test_timeouts_after_a_fatal_error, pair_setup_rc),
	PAIR_BOTH(test_packets_are_lost, pair_setup_rc),
)
