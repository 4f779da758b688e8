// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* CQs and EQs: rings, phases, arming, overruns (ORNIC-CQ-*, EQ-*, DB-14..18). */
#include "cq.h"
#include "eq.h"
#include "host.h"
#include "uctx.h"

#define LOG_CQ 3
#define LOG_EQ 2

struct world {
	struct host *host;
	uint32_t uctx;
	struct host_queue eq;
	struct host_queue cq;
	struct cq *dev_cq;
};

static int setup_world(void **state, bool shadow)
{
	struct world *w = calloc(1, sizeof(*w));

	w->host = host_create(shadow, 1);
	host_enable(w->host);
	w->uctx = host_uctx(w->host, ORNIC_UCTX_KERNEL, 0);
	host_eq(w->host, &w->eq, 1, LOG_EQ);
	host_cq(w->host, &w->cq, w->uctx, w->eq.num, LOG_CQ, 5);
	w->dev_cq = cq_find(w->host->nic, w->cq.num);
	*state = w;
	return 0;
}

static int setup(void **state)
{
	return setup_world(state, true);
}

static int setup_no_shadow(void **state)
{
	return setup_world(state, false);
}

static int teardown(void **state)
{
	struct world *w = *state;

	host_destroy(w->host);
	free(w);
	return 0;
}

static void post_status(struct world *w, uint64_t wr_id, unsigned int status,
			bool solicited)
{
	struct ornic_cqe cqe = { .wr_id = htole64(wr_id),
				 .status = htole32(status),
				 .qpn = htole32(0x123456) };

	cq_post(w->dev_cq, &cqe, NULL, solicited);
}

static void post(struct world *w, uint64_t wr_id)
{
	post_status(w, wr_id, ORNIC_WC_SUCCESS, false);
}

static void expect_cqe(struct world *w, uint64_t wr_id)
{
	const struct ornic_cqe *cqe = host_queue_peek(&w->cq);

	assert_non_null(cqe);
	assert_true(le64toh(cqe->wr_id) == wr_id);
	assert_int_equal(le32toh(cqe->qpn) & ORNIC_CQE_QPN, 0x123456);
	host_queue_consume(&w->cq);
}

static void expect_event(struct world *w, enum ornic_event type, uint32_t num)
{
	const struct ornic_eqe *eqe = host_queue_peek(&w->eq);

	assert_non_null(eqe);
	assert_int_equal(ORNIC_GET(ORNIC_EQE_TYPE, le32toh(eqe->ctl)), type);
	assert_int_equal(le32toh(eqe->num), num);
	host_queue_consume(&w->eq);
}

static void expect_no_event(struct world *w)
{
	assert_null(host_queue_peek(&w->eq));
}

/* Ask through memory, and without the shadow through the doorbell too. */
static void arm(struct world *w, struct host_queue *queue, unsigned int dbtype,
		unsigned int type)
{
	host_queue_arm(queue, type);
	host_doorbell(w->host, w->uctx, dbtype, queue->num,
		      queue->arm_seq | type);
}

static void arm_cq(struct world *w, unsigned int type)
{
	arm(w, &w->cq, ORNIC_DB_CQ, type);
}

static void arm_eq(struct world *w)
{
	arm(w, &w->eq, ORNIC_DB_EQ, ORNIC_ARM_NEXT);
}

static void test_cq_wraps_with_its_phase(void **state)
{
	struct world *w = *state;
	unsigned int i, j;

	for (i = 0; i < 20; i++) {
		for (j = 0; j < 1u << LOG_CQ; j++)
			post(w, i * 100 + j);
		for (j = 0; j < 1u << LOG_CQ; j++)
			expect_cqe(w, i * 100 + j);
		assert_null(host_queue_peek(&w->cq));
	}
	expect_no_event(w);
}

static void test_cq_of_one_entry(void **state)
{
	struct world *w = *state;
	unsigned int i;

	host_cq(w->host, &w->cq, w->uctx, w->eq.num, 0, 5);
	w->dev_cq = cq_find(w->host->nic, w->cq.num);
	for (i = 0; i < 5; i++) {
		post(w, i);
		expect_cqe(w, i);
	}
}

static void test_indexes_wrap_at_32_bits(void **state)
{
	struct world *w = *state;
	struct ornic_cq_dbr *dbr = host_ptr(w->host, w->cq.dbr);
	unsigned int i;

	/* As if 2^32 - 4 entries had been written and read */
	w->dev_cq->pi = -4U;
	w->dev_cq->ci = -4U;
	w->cq.ci = -4U;
	guest_store32(&dbr->ci, -4U);
	/* Position 4 with phase 0 is what a ring of zeros shows there. */
	memset(host_ptr(w->host, w->cq.ring), 0xff, 32u << LOG_CQ);
	for (i = 0; i < 1u << LOG_CQ; i++)
		post(w, i);
	assert_false(w->dev_cq->dead);
	for (i = 0; i < 1u << LOG_CQ; i++)
		expect_cqe(w, i);
}

static void test_cqe_ext_has_a_timestamp(void **state)
{
	struct world *w = *state;
	struct ornic_cqe_ext ext = { .rss_hash = htole32(0x1234),
				     .flags = htole16(ORNIC_CQE_EXT_RSS) };
	struct ornic_cqe cqe = {};
	const struct ornic_cqe *got;
	const struct ornic_cqe_ext *more;

	host_cq(w->host, &w->cq, w->uctx, w->eq.num, LOG_CQ, 6);
	w->dev_cq = cq_find(w->host->nic, w->cq.num);
	w->host->now_ns += 777;
	cq_post(w->dev_cq, &cqe, &ext, false);
	got = host_queue_peek(&w->cq);
	assert_non_null(got);
	more = (const void *)(got + 1);
	assert_int_equal(le64toh(more->timestamp), 777);
	assert_int_equal(le32toh(more->rss_hash), 0x1234);
	host_queue_consume(&w->cq);
	cq_post(w->dev_cq, &cqe, NULL, false);
	got = host_queue_peek(&w->cq);
	assert_non_null(got);
	more = (const void *)(got + 1);
	assert_int_equal(le64toh(more->timestamp), 777);
	assert_int_equal(more->flags, 0);
}

static void test_one_event_for_one_request(void **state)
{
	struct world *w = *state;

	post(w, 1);
	expect_no_event(w);
	expect_cqe(w, 1);
	arm_cq(w, ORNIC_ARM_NEXT);
	expect_no_event(w);
	post(w, 2);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	post(w, 3);
	expect_no_event(w);
	expect_cqe(w, 2);
	expect_cqe(w, 3);
	arm_cq(w, ORNIC_ARM_NEXT);
	post(w, 4);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	expect_no_event(w);
}

static void test_solicited(void **state)
{
	struct world *w = *state;

	arm_cq(w, ORNIC_ARM_SOLICITED);
	post(w, 1);
	post(w, 2);
	expect_no_event(w);
	post_status(w, 3, ORNIC_WC_SUCCESS, true);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	expect_cqe(w, 1);
	expect_cqe(w, 2);
	expect_cqe(w, 3);
	arm_cq(w, ORNIC_ARM_SOLICITED);
	post_status(w, 4, ORNIC_WC_WR_FLUSH_ERR, false);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	expect_cqe(w, 4);
	/* A newer request replaces one that was not answered. */
	arm_cq(w, ORNIC_ARM_SOLICITED);
	arm_cq(w, ORNIC_ARM_NEXT);
	post(w, 5);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	expect_cqe(w, 5);
	arm_cq(w, ORNIC_ARM_NEXT);
	arm_cq(w, ORNIC_ARM_NONE);
	post(w, 6);
	expect_no_event(w);
}

static void test_late_doorbell_is_answered_at_once(void **state)
{
	struct world *w = *state;

	post(w, 1);
	arm_cq(w, ORNIC_ARM_SOLICITED);
	expect_no_event(w);
	arm_cq(w, ORNIC_ARM_NEXT);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	post(w, 2);
	expect_no_event(w);
	post_status(w, 3, ORNIC_WC_SUCCESS, true);
	post(w, 4);
	arm_cq(w, ORNIC_ARM_SOLICITED);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	expect_cqe(w, 1);
	expect_cqe(w, 2);
	expect_cqe(w, 3);
	/* What is left is not solicited. */
	arm_cq(w, ORNIC_ARM_SOLICITED);
	expect_no_event(w);
}

static void test_word_in_memory_alone_asks_nothing_without_shadow(void **state)
{
	struct world *w = *state;

	host_queue_arm(&w->cq, ORNIC_ARM_NEXT);
	post(w, 1);
	expect_no_event(w);
}

static void test_interrupt_only_when_the_eq_is_armed(void **state)
{
	struct world *w = *state;

	arm_cq(w, ORNIC_ARM_NEXT);
	post(w, 1);
	assert_int_equal(w->host->irqs[1], 0);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	arm_eq(w);
	assert_int_equal(w->host->irqs[1], 0);
	arm_cq(w, ORNIC_ARM_NONE);
	expect_cqe(w, 1);
	arm_cq(w, ORNIC_ARM_NEXT);
	post(w, 2);
	assert_int_equal(w->host->irqs[1], 1);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	expect_cqe(w, 2);
	arm_cq(w, ORNIC_ARM_NEXT);
	post(w, 3);
	assert_int_equal(w->host->irqs[1], 1);
}

static void test_late_eq_doorbell_interrupts_at_once(void **state)
{
	struct world *w = *state;

	arm_cq(w, ORNIC_ARM_NEXT);
	post(w, 1);
	arm_eq(w);
	assert_int_equal(w->host->irqs[1], 1);
}

/* DB-18: a process that arms in a loop cannot overrun an EQ. */
static void test_one_event_per_cq_in_the_ring(void **state)
{
	struct world *w = *state;
	unsigned int i;

	for (i = 0; i < 50; i++) {
		arm_cq(w, ORNIC_ARM_NEXT);
		post(w, i);
		expect_cqe(w, i);
	}
	assert_int_equal(host_read(w->host, ORNIC_REG_STATUS, 4) &
			 ORNIC_STATUS_FATAL, 0);
	assert_non_null(host_queue_peek(&w->eq));
	/* The others wait, all in one, for this one to be consumed. */
	host_sleep(w->host, 1000000);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	expect_no_event(w);
	host_sleep(w->host, 1000000);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	host_sleep(w->host, 1000000);
	expect_no_event(w);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
}

static void test_waiting_cq_can_be_destroyed(void **state)
{
	struct world *w = *state;

	arm_cq(w, ORNIC_ARM_NEXT);
	post(w, 1);
	arm_cq(w, ORNIC_ARM_NEXT);
	post(w, 2);
	assert_int_equal(host_cmd_object(w->host, ORNIC_CMD_DESTROY_CQ,
					 w->cq.num), ORNIC_CMD_OK);
	expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	host_sleep(w->host, 1000000);
	expect_no_event(w);
}

static void test_cq_overrun(void **state)
{
	struct world *w = *state;
	struct ornic_cq_dbr *dbr = host_ptr(w->host, w->cq.dbr);
	unsigned int i;

	for (i = 0; i <= 1u << LOG_CQ; i++)
		post(w, i);
	assert_int_equal(host_device_stat(w->host,
					  ORNIC_DEVICE_STAT_cq_overruns), 1);
	expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	for (i = 0; i < 1u << LOG_CQ; i++)
		expect_cqe(w, i);
	assert_null(host_queue_peek(&w->cq));
	/* Dead for good, told once */
	post(w, 100);
	assert_null(host_queue_peek(&w->cq));
	host_run(w->host);
	expect_no_event(w);

	/* An index that cannot be */
	host_cq(w->host, &w->cq, w->uctx, w->eq.num, LOG_CQ, 5);
	w->dev_cq = cq_find(w->host->nic, w->cq.num);
	dbr = host_ptr(w->host, w->cq.dbr);
	for (i = 0; i < 1u << LOG_CQ; i++)
		post(w, i);
	guest_store32(&dbr->ci, (1u << LOG_CQ) + 1);
	post(w, i);
	expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	assert_int_equal(host_device_stat(w->host,
					  ORNIC_DEVICE_STAT_cq_overruns), 2);
}

static void test_ignored_overrun(void **state)
{
	struct world *w = *state;
	unsigned int i;

	w->dev_cq->ignore_overrun = true;
	for (i = 0; i < 5u << LOG_CQ; i++)
		post(w, i);
	assert_false(w->dev_cq->dead);
	expect_no_event(w);
}

static void test_cq_out_of_reach(void **state)
{
	struct world *w = *state;

	host_unmap(w->host, w->cq.ring, HOST_PAGE);
	post(w, 1);
	expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	assert_int_equal(host_device_stat(w->host,
					  ORNIC_DEVICE_STAT_dma_faults), 1);
	host_map(w->host, w->cq.ring, HOST_PAGE);
	post(w, 2);
	assert_null(host_queue_peek(&w->cq));
}

static void test_eq_wraps(void **state)
{
	struct world *w = *state;
	unsigned int i;

	for (i = 0; i < 5u << LOG_EQ; i++) {
		eq_async(w->host->nic, ORNIC_EVENT_QP_FATAL, i);
		expect_event(w, ORNIC_EVENT_QP_FATAL, i);
	}
}

static void test_eq_overrun_is_fatal(void **state)
{
	struct world *w = *state;
	unsigned int i;

	for (i = 0; i < 1u << LOG_EQ; i++)
		eq_async(w->host->nic, ORNIC_EVENT_QP_FATAL, i);
	assert_int_equal(host_read(w->host, ORNIC_REG_FATAL_CAUSE, 4), 0);
	eq_async(w->host->nic, ORNIC_EVENT_QP_FATAL, i);
	assert_int_equal(host_read(w->host, ORNIC_REG_FATAL_CAUSE, 4),
			 ORNIC_FATAL_EQ_OVERRUN);
	assert_int_equal(host_device_stat(w->host,
					  ORNIC_DEVICE_STAT_eq_overruns), 1);
	for (i = 0; i < 1u << LOG_EQ; i++)
		expect_event(w, ORNIC_EVENT_QP_FATAL, i);
	assert_false(nic_run(w->host->nic));
}

static void test_eq_out_of_reach_is_fatal_and_told_to_eq_0(void **state)
{
	struct world *w = *state;
	struct host_queue second;

	host_eq(w->host, &second, 2, LOG_EQ);
	host_cq(w->host, &w->cq, w->uctx, second.num, LOG_CQ, 5);
	w->dev_cq = cq_find(w->host->nic, w->cq.num);
	arm_cq(w, ORNIC_ARM_NEXT);
	host_unmap(w->host, second.ring, HOST_PAGE);
	post(w, 1);
	assert_int_equal(host_read(w->host, ORNIC_REG_FATAL_CAUSE, 4),
			 ORNIC_FATAL_EQ_DMA);
	expect_event(w, ORNIC_EVENT_DEVICE_FATAL, ORNIC_FATAL_EQ_DMA);
}

static void test_link_events(void **state)
{
	struct world *w = *state;

	nic_link_changed(w->host->nic, true);
	expect_no_event(w);
	nic_link_changed(w->host->nic, false);
	expect_event(w, ORNIC_EVENT_PORT_DOWN, 0);
	nic_link_changed(w->host->nic, true);
	expect_event(w, ORNIC_EVENT_PORT_UP, 0);
}

static void test_create_eq_refusals(void **state)
{
	struct world *w = *state;
	struct ornic_create_eq_in good = { .vector = htole32(1),
					   .log_size = 4 };
	struct ornic_create_eq_in in;
	struct ornic_object out;

	host_buf(&good.buf, host_alloc(w->host, HOST_PAGE, HOST_PAGE), 512);
	good.dbr_addr = htole64(host_alloc(w->host, 64, 64));
#define REFUSED(field, value, status) do {                                 \
		in = good;                                                  \
		in.field = value;                                           \
		assert_int_equal(host_cmd(w->host, ORNIC_CMD_CREATE_EQ,     \
					  &in, &out), status);              \
	} while (0)
	REFUSED(vector, htole32(HOST_VECTORS), ORNIC_CMD_BAD_PARAM);
	REFUSED(log_size, CORE_MAX_LOG_EQE + 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(log_size, 255, ORNIC_CMD_BAD_PARAM);
	REFUSED(log_size, 8, ORNIC_CMD_BAD_PARAM);	/* ring too small */
	REFUSED(rsvd[2], 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(dbr_addr, good.dbr_addr + htole64(8), ORNIC_CMD_BAD_PARAM);
	REFUSED(dbr_addr, htole64(HOST_NOWHERE), ORNIC_CMD_DMA_FAULT);
	REFUSED(buf.addr, htole64(HOST_NOWHERE), ORNIC_CMD_DMA_FAULT);
#undef REFUSED
	assert_int_equal(w->host->nic->eqs.count, 1);
	assert_int_equal(host_cmd_object(w->host, ORNIC_CMD_DESTROY_EQ,
					 w->eq.num), ORNIC_CMD_BUSY);
	assert_int_equal(host_cmd_object(w->host, ORNIC_CMD_DESTROY_EQ, 5),
			 ORNIC_CMD_BAD_OBJECT);
}

static void test_eq_gets_the_lowest_number(void **state)
{
	struct world *w = *state;
	struct host_queue eq;

	assert_int_equal(w->eq.num, 0);
	host_eq(w->host, &eq, 1, 1);
	assert_int_equal(eq.num, 1);
	host_eq(w->host, &eq, 1, 1);
	assert_int_equal(host_cmd_object(w->host, ORNIC_CMD_DESTROY_EQ, 1),
			 ORNIC_CMD_OK);
	host_eq(w->host, &eq, 1, 1);
	assert_int_equal(eq.num, 1);
}

static void test_create_cq_refusals(void **state)
{
	struct world *w = *state;
	struct ornic_create_cq_in good = { .uctx = htole32(w->uctx),
					   .eqn = htole32(w->eq.num),
					   .log_size = 4,
					   .log_cqe_size = 5 };
	struct ornic_create_cq_in in;
	struct ornic_object out;

	host_buf(&good.buf, host_alloc(w->host, HOST_PAGE, HOST_PAGE), 512);
	good.dbr_addr = htole64(host_alloc(w->host, 64, 64));
#define REFUSED(field, value, status) do {                                 \
		in = good;                                                  \
		in.field = value;                                           \
		assert_int_equal(host_cmd(w->host, ORNIC_CMD_CREATE_CQ,     \
					  &in, &out), status);              \
	} while (0)
	REFUSED(uctx, htole32(3), ORNIC_CMD_BAD_OBJECT);
	REFUSED(eqn, htole32(3), ORNIC_CMD_BAD_OBJECT);
	REFUSED(log_size, CORE_MAX_LOG_CQE + 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(log_size, 255, ORNIC_CMD_BAD_PARAM);
	REFUSED(log_cqe_size, 4, ORNIC_CMD_BAD_PARAM);
	REFUSED(log_cqe_size, 7, ORNIC_CMD_BAD_PARAM);
	REFUSED(rsvd[1], 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(flags, htole32(2), ORNIC_CMD_BAD_PARAM);
	REFUSED(dbr_addr, good.dbr_addr + htole64(4), ORNIC_CMD_BAD_PARAM);
	REFUSED(dbr_addr, htole64(HOST_NOWHERE), ORNIC_CMD_DMA_FAULT);
	REFUSED(buf.npages, 0, ORNIC_CMD_BAD_PARAM);
	REFUSED(buf.addr, htole64(HOST_NOWHERE), ORNIC_CMD_DMA_FAULT);
#undef REFUSED
	assert_int_equal(w->host->nic->cqs.count, 1);
	assert_int_equal(host_cmd_object(w->host, ORNIC_CMD_DESTROY_CQ, 77),
			 ORNIC_CMD_BAD_OBJECT);
}

static void test_uctx_refusals(void **state)
{
	struct world *w = *state;
	struct host *host = w->host;
	uint64_t board = host_alloc(host, HOST_PAGE, HOST_PAGE);
	struct ornic_alloc_uctx_in in = { .flags = htole32(2) };
	struct ornic_object out;
	uint32_t num;

	assert_int_equal(host_cmd(host, ORNIC_CMD_ALLOC_UCTX, &in, &out),
			 ORNIC_CMD_BAD_PARAM);
	in.flags = htole32(ORNIC_UCTX_KERNEL);
	assert_int_equal(host_cmd(host, ORNIC_CMD_ALLOC_UCTX, &in, &out),
			 ORNIC_CMD_NO_RESOURCES);
	in.flags = 0;
	in.rsvd = htole32(1);
	assert_int_equal(host_cmd(host, ORNIC_CMD_ALLOC_UCTX, &in, &out),
			 ORNIC_CMD_BAD_PARAM);
	in.rsvd = 0;
	in.board_addr = htole64(board + 64);
	assert_int_equal(host_cmd(host, ORNIC_CMD_ALLOC_UCTX, &in, &out),
			 ORNIC_CMD_BAD_PARAM);
	in.board_addr = htole64(HOST_NOWHERE);
	assert_int_equal(host_cmd(host, ORNIC_CMD_ALLOC_UCTX, &in, &out),
			 ORNIC_CMD_DMA_FAULT);
	num = host_uctx(host, 0, board);
	assert_int_not_equal(num, 0);
	assert_int_equal(host_cmd_object(host, ORNIC_CMD_FREE_UCTX, num),
			 ORNIC_CMD_OK);
	assert_int_equal(host_cmd_object(host, ORNIC_CMD_FREE_UCTX, num),
			 ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(host_cmd_object(host, ORNIC_CMD_FREE_UCTX, w->uctx),
			 ORNIC_CMD_BUSY);
}

static void test_as_many_uctx_as_pages(void **state)
{
	struct world *w = *state;
	struct ornic_alloc_uctx_in in = {};
	struct ornic_object out;
	unsigned int i;

	for (i = 1; i < NIC_DB_PAGES; i++)
		assert_true(host_uctx(w->host, 0, 0) < NIC_DB_PAGES);
	assert_int_equal(host_cmd(w->host, ORNIC_CMD_ALLOC_UCTX, &in, &out),
			 ORNIC_CMD_NO_RESOURCES);
}

static void test_doorbells_of_others_are_ignored(void **state)
{
	struct world *w = *state;
	struct host *host = w->host;
	uint32_t other = host_uctx(host, 0, 0);
	uint64_t bad = 0;

#define BAD(stat, page, type, num) do {                                  \
		host_doorbell(host, page, type, num, 5);                  \
		assert_int_equal(host_device_stat(host,                   \
					ORNIC_DEVICE_STAT_##stat), ++bad);\
	} while (0)
	BAD(bad_doorbell_queue, other, ORNIC_DB_CQ, w->cq.num);
	BAD(bad_doorbell_queue, other, ORNIC_DB_EQ, w->eq.num);
	BAD(bad_doorbell_queue, w->uctx, ORNIC_DB_CQ, w->cq.num + 1);
	BAD(bad_doorbell_queue, w->uctx, ORNIC_DB_CQ, 0xffffff);
	BAD(bad_doorbell_queue, w->uctx, ORNIC_DB_EQ, 63);
	BAD(bad_doorbell_queue, w->uctx, ORNIC_DB_SQ, 2);
	bad = 0;
	BAD(bad_doorbell_type, w->uctx, 3, w->cq.num);
	BAD(bad_doorbell_type, w->uctx, 255, w->cq.num);
	bad = 0;
	BAD(bad_doorbell_page, NIC_DB_PAGES - 1, ORNIC_DB_CQ, w->cq.num);
#undef BAD
	expect_no_event(w);
}

static void test_doorbell_sizes_and_offsets(void **state)
{
	struct world *w = *state;
	struct host *host = w->host;
	uint64_t bad, val = 1;

	nic_bar_write(host->nic, ORNIC_BAR_DB, 8, 8, val);
	nic_bar_write(host->nic, ORNIC_BAR_DB, 8, 4, val);
	nic_bar_write(host->nic, ORNIC_BAR_DB, 0, 2, val);
	nic_bar_write(host->nic, ORNIC_BAR_DB, 0, 1, val);
	nic_bar_write(host->nic, ORNIC_BAR_DB, 4088, 8, val);
	bad = host_device_stat(host, ORNIC_DEVICE_STAT_bad_doorbell_page);
	assert_int_equal(bad, 5);
	/* Two halves make one, with the high one. */
	nic_bar_write(host->nic, ORNIC_BAR_DB, 0, 4, ORNIC_ARM_NEXT);
	assert_int_equal(host_device_stat(host, ORNIC_DEVICE_STAT_doorbells),
			 0);
	nic_bar_write(host->nic, ORNIC_BAR_DB, 4, 4,
		      ORNIC_DB_CQ << 24 | w->cq.num);
	assert_int_equal(host_device_stat(host, ORNIC_DEVICE_STAT_doorbells),
			 1);
	nic_bar_read(host->nic, ORNIC_BAR_DB, 0, 8, &val);
	assert_int_equal(val, 0);
}

static void test_reset_frees_everything(void **state)
{
	struct world *w = *state;

	host_uctx(w->host, 0, 0);
	host_pd(w->host);
	arm_cq(w, ORNIC_ARM_NEXT);
	post(w, 1);
	arm_cq(w, ORNIC_ARM_NEXT);
	post(w, 2);
	nic_reset(w->host->nic);
	assert_int_equal(w->host->nic->cqs.count, 0);
	assert_int_equal(w->host->nic->eqs.count, 0);
	assert_int_equal(w->host->nic->uctxs.count, 0);
	assert_int_equal(w->host->nic->pds.count, 0);
	assert_int_equal(w->host->nic->budget.pages, 0);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define N(name) { #name " (no shadow)", name, setup_no_shadow, teardown, NULL }

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_cq_wraps_with_its_phase),
		T(test_cq_of_one_entry),
		T(test_indexes_wrap_at_32_bits),
		T(test_cqe_ext_has_a_timestamp),
		T(test_one_event_for_one_request),
		N(test_one_event_for_one_request),
		T(test_solicited),
		N(test_solicited),
		N(test_late_doorbell_is_answered_at_once),
		N(test_word_in_memory_alone_asks_nothing_without_shadow),
		T(test_interrupt_only_when_the_eq_is_armed),
		N(test_interrupt_only_when_the_eq_is_armed),
		N(test_late_eq_doorbell_interrupts_at_once),
		T(test_one_event_per_cq_in_the_ring),
		N(test_one_event_per_cq_in_the_ring),
		T(test_waiting_cq_can_be_destroyed),
		T(test_cq_overrun),
		T(test_ignored_overrun),
		T(test_cq_out_of_reach),
		T(test_eq_wraps),
		T(test_eq_overrun_is_fatal),
		T(test_eq_out_of_reach_is_fatal_and_told_to_eq_0),
		T(test_link_events),
		T(test_create_eq_refusals),
		T(test_eq_gets_the_lowest_number),
		T(test_create_cq_refusals),
		T(test_uctx_refusals),
		T(test_as_many_uctx_as_pages),
		T(test_doorbells_of_others_are_ignored),
		T(test_doorbell_sizes_and_offsets),
		T(test_reset_frees_everything),
		N(test_reset_frees_everything),
	};

	return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
