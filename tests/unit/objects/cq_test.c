// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* CQs: rings, phases, events, overruns ([ORNIC-CQ-1] ff., [ORNIC-DB-14] ff.) */
#include "eth/rss.h"
#include "kit.h"
#include "objects/cq.h"
#include "queues/qp.h"

static void expect_comp(struct kit *w)
{
	kit_expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
}

static void expect_cqes(struct kit *w, uint64_t first, uint64_t last)
{
	for (; first <= last; first++)
		kit_expect_cqe(w, first);
}

/* [ORNIC-GEN-5] */
static void test_cq_wraps_with_its_phase(void **state)
{
	struct kit *w = *state;
	unsigned int i, j;

	for (i = 0; i < 20; i++) {
		for (j = 0; j < 1u << KIT_LOG_CQ; j++)
			kit_post(w, i * 100 + j);
		for (j = 0; j < 1u << KIT_LOG_CQ; j++)
			kit_expect_cqe(w, i * 100 + j);
		assert_null(host_queue_peek(&w->cq));
	}
	kit_expect_no_event(w);
}

static void test_cq_of_one_entry(void **state)
{
	struct kit *w = *state;
	unsigned int i;

	kit_cq(w, w->eq.num, 0, 5);
	for (i = 0; i < 5; i++) {
		kit_post(w, i);
		kit_expect_cqe(w, i);
	}
}

/* [ORNIC-GEN-4] */
static void test_indexes_wrap_at_32_bits(void **state)
{
	struct kit *w = *state;
	struct ornic_cq_dbr *dbr = host_ptr(w->host, w->cq.dbr);
	unsigned int i;

	/* As if 2^32 - 4 entries had been written and read */
	w->dev_cq->pi = -4U;
	w->dev_cq->ci = -4U;
	w->cq.ci = -4U;
	guest_store32(&dbr->ci, -4U);
	/* Position 4 is due with phase 0, which a ring of zeros has already */
	memset(host_ptr(w->host, w->cq.ring), 0xff, 32u << KIT_LOG_CQ);
	for (i = 0; i < 1u << KIT_LOG_CQ; i++)
		kit_post(w, i);
	assert_false(w->dev_cq->dead);
	for (i = 0; i < 1u << KIT_LOG_CQ; i++)
		kit_expect_cqe(w, i);
}

static void test_cqe_ext_has_a_timestamp(void **state)
{
	struct kit *w = *state;
	struct ornic_cqe_ext ext = { .rss_hash = htole32(0x1234),
				     .flags = htole16(ORNIC_CQE_EXT_RSS) };
	struct ornic_cqe cqe = {};
	const struct ornic_cqe *got;
	const struct ornic_cqe_ext *more;

	kit_cq(w, w->eq.num, KIT_LOG_CQ, 6);
	w->host->clock_step_ns = 0;
	w->host->now_ns += 777 - card_clock(w->host->card);
	assert_int_equal(host_read(w->host, ORNIC_REG_CLOCK, 8), 777);
	cq_post(w->dev_cq, &cqe, &ext, false);
	/* The timestamp is that of the write, not of the read */
	w->host->now_ns += 1000;
	got = host_queue_peek(&w->cq);
	assert_non_null(got);
	more = host_cqe_ext(got);
	assert_int_equal(le64toh(more->timestamp), 777);
	assert_int_equal(le32toh(more->rss_hash), 0x1234);
	host_queue_consume(&w->cq);
	cq_post(w->dev_cq, &cqe, NULL, false);
	got = host_queue_peek(&w->cq);
	assert_non_null(got);
	more = host_cqe_ext(got);
	assert_int_equal(le64toh(more->timestamp), 1777);
	assert_int_equal(more->flags, 0);
}

/* [ORNIC-CQ-1] An entry of either size ends with the word that has the phase */
static void test_phase_is_in_the_last_word(void **state)
{
	struct ornic_cqe_ext ext = { .flow_tag = htole32(0x5678) };
	struct ornic_cqe cqe = { .wr_id = htole64(0x1234),
				 .qpn = htole32(KIT_QPN) };
	struct kit *w = *state;
	unsigned int log, pos;
	const char *entry;

	for (log = 5; log <= 6; log++) {
		kit_cq(w, w->eq.num, KIT_LOG_CQ, log);
		for (pos = 0; pos < 2u << KIT_LOG_CQ; pos++) {
			cq_post(w->dev_cq, &cqe, &ext, false);
			entry = host_ptr(w->host, w->cq.ring);
			entry += pos % (1u << KIT_LOG_CQ) << log;
			assert_memory_equal(entry + (1 << log) - 32, &cqe, 28);
			assert_int_equal(guest_load32(entry + (1 << log) - 4),
					 KIT_QPN | (pos >> KIT_LOG_CQ ?
						    0 : ORNIC_CQE_PHASE));
			if (log == 6)
				assert_memory_equal(entry + 8, &ext.flow_tag,
						    24);
			host_queue_consume(&w->cq);
		}
	}
}

static void test_one_event_for_one_request(void **state)
{
	struct kit *w = *state;

	kit_post(w, 1);
	kit_expect_no_event(w);
	kit_expect_cqe(w, 1);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_expect_no_event(w);
	kit_post(w, 2);
	expect_comp(w);
	kit_post(w, 3);
	kit_expect_no_event(w);
	kit_expect_cqe(w, 2);
	kit_expect_cqe(w, 3);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 4);
	expect_comp(w);
	kit_expect_no_event(w);
}

static void test_solicited(void **state)
{
	struct kit *w = *state;

	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_post(w, 1);
	kit_post(w, 2);
	kit_expect_no_event(w);
	kit_complete(w, 3, ORNIC_WC_SUCCESS, true);
	expect_comp(w);
	expect_cqes(w, 1, 3);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_complete(w, 4, ORNIC_WC_WR_FLUSH_ERR, false);
	expect_comp(w);
	kit_expect_cqe(w, 4);
	/* A newer request replaces one that was not answered */
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 5);
	expect_comp(w);
	kit_expect_cqe(w, 5);
}

static void test_arm_word_is_taken_back(void **state)
{
	struct kit *w = *state;

	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_arm_cq(w, ORNIC_ARM_NONE);
	kit_post(w, 6);
	kit_expect_no_event(w);
}

/* [ORNIC-DB-20] A SOLICITED replaces a NEXT of its own generation */
static void test_solicited_stands_for_an_unanswered_next(void **state)
{
	const uint32_t generation = ORNIC_ARM_GEN & -ORNIC_ARM_GEN;
	struct kit *w = *state;

	w->cq.arm_seq += generation;
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_expect_no_event(w);
	kit_post(w, 1);
	expect_comp(w);
	kit_expect_cqe(w, 1);

	/* That generation is answered, whichever word was answered */
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_post(w, 2);
	kit_expect_no_event(w);
	kit_complete(w, 3, ORNIC_WC_SUCCESS, true);
	expect_comp(w);
	expect_cqes(w, 2, 3);

	w->cq.arm_seq += generation;
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 4);
	expect_comp(w);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_post(w, 5);
	kit_expect_no_event(w);
	expect_cqes(w, 4, 5);
}

static void test_late_doorbell_is_answered_at_once(void **state)
{
	struct kit *w = *state;

	kit_post(w, 1);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_expect_no_event(w);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	expect_comp(w);
	kit_post(w, 2);
	kit_expect_no_event(w);
	kit_complete(w, 3, ORNIC_WC_SUCCESS, true);
	kit_post(w, 4);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	expect_comp(w);
	expect_cqes(w, 1, 3);
	/* The remaining entry is not solicited */
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_expect_no_event(w);
}

static void test_word_in_memory_alone_asks_nothing_without_shadow(void **state)
{
	struct kit *w = *state;

	host_queue_arm(&w->cq, ORNIC_ARM_NEXT);
	kit_post(w, 1);
	kit_expect_no_event(w);
}

/* [ORNIC-EQ-5] */
static void test_waiting_cq_can_be_destroyed(void **state)
{
	struct kit *w = *state;

	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 1);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 2);
	assert_int_equal(host_cmd_object(w->host, ORNIC_CMD_DESTROY_CQ,
					 w->cq.num), ORNIC_CMD_OK);
	expect_comp(w);
	host_sleep(w->host, 1000000);
	kit_expect_no_event(w);
}

static void test_cq_overrun(void **state)
{
	struct kit *w = *state;
	struct ornic_cq_dbr *dbr = host_ptr(w->host, w->cq.dbr);
	unsigned int i;

	for (i = 0; i <= 1u << KIT_LOG_CQ; i++)
		kit_post(w, i);
	assert_int_equal(host_device_stat(w->host,
					  ORNIC_DEVICE_STAT_cq_overruns), 1);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	for (i = 0; i < 1u << KIT_LOG_CQ; i++)
		kit_expect_cqe(w, i);
	assert_null(host_queue_peek(&w->cq));
	/* The CQ stays dead, and CQ_ERR is sent once */
	kit_post(w, 100);
	assert_null(host_queue_peek(&w->cq));
	host_run(w->host);
	kit_expect_no_event(w);

	/* An impossible ci */
	kit_cq(w, w->eq.num, KIT_LOG_CQ, 5);
	dbr = host_ptr(w->host, w->cq.dbr);
	for (i = 0; i < 1u << KIT_LOG_CQ; i++)
		kit_post(w, i);
	guest_store32(&dbr->ci, (1u << KIT_LOG_CQ) + 1);
	kit_post(w, i);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	assert_int_equal(host_device_stat(w->host,
					  ORNIC_DEVICE_STAT_cq_overruns), 2);
}

/* [ORNIC-CQ-4] An overrun takes the QPs of the CQ, and no others */
static void test_overrun_takes_its_qps(void **state)
{
	static const unsigned int up[] = { ORNIC_QPS_INIT, ORNIC_QPS_RTR,
					   ORNIC_QPS_RTS };
	struct kit *w = *state;
	uint32_t pdn = host_pd(w->host);
	struct host_queue spared;
	struct host_qp qp[3];
	unsigned int i, j;

	host_cq(w->host, &spared, w->uctx, w->eq.num, KIT_LOG_CQ, 5);
	/* One in RESET, one in RTS, one that completes elsewhere */
	for (i = 0; i < ARRAY_SIZE(qp); i++) {
		host_qp(w->host, &qp[i], ORNIC_QPT_RAW_PACKET, w->uctx, pdn,
			i == 2 ? &spared : &w->cq, 0);
		for (j = 0; i && j < ARRAY_SIZE(up); j++)
			assert_int_equal(host_qp_modify(&qp[i], up[j]),
					 ORNIC_CMD_OK);
	}
	for (i = 0; i <= 1u << KIT_LOG_CQ; i++)
		kit_post(w, i);
	host_run(w->host);
	assert_int_equal(qp_find(w->host->card, qp[0].num)->base.state,
			 ORNIC_QPS_RESET);
	assert_int_equal(qp_find(w->host->card, qp[1].num)->base.state,
			 ORNIC_QPS_ERR);
	assert_int_equal(qp_find(w->host->card, qp[2].num)->base.state,
			 ORNIC_QPS_RTS);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	kit_expect_event(w, ORNIC_EVENT_QP_FATAL, qp[1].num);
	kit_expect_no_event(w);
	w->dev_cq = cq_find(w->host->card, spared.num);
	w->cq = spared;
	kit_post(w, 7);
	kit_expect_cqe(w, 7);
}

/* [ORNIC-CQ-5] */
static void test_ignored_overrun(void **state)
{
	struct kit *w = *state;
	unsigned int i;

	w->dev_cq->ignore_overrun = true;
	for (i = 0; i < 5u << KIT_LOG_CQ; i++)
		kit_post(w, i);
	assert_false(w->dev_cq->dead);
	kit_expect_no_event(w);
}

static void test_cq_out_of_reach(void **state)
{
	struct kit *w = *state;

	host_unmap(w->host, w->cq.ring, HOST_PAGE);
	kit_post(w, 1);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	assert_int_equal(host_device_stat(w->host,
					  ORNIC_DEVICE_STAT_dma_faults), 1);
	host_map(w->host, w->cq.ring, HOST_PAGE);
	kit_post(w, 2);
	assert_null(host_queue_peek(&w->cq));
}

/* [ORNIC-OBJ-12] */
static void test_create_cq_refusals(void **state)
{
	struct kit *w = *state;
	struct ornic_create_cq_in good = { .uctx = htole32(w->uctx),
					   .eqn = htole32(w->eq.num),
					   .log_size = 4,
					   .log_cqe_size = 5 };
	struct ornic_object out;

	host_buf(&good.buf, host_alloc(w->host, HOST_PAGE, HOST_PAGE), 512);
	good.dbr_addr = htole64(host_alloc(w->host, 64, 64));
#define REFUSED(field, value, status) \
	host_refused(w->host, ORNIC_CMD_CREATE_CQ, good, field, value, \
		     &out, status)
	REFUSED(uctx, htole32(3), ORNIC_CMD_BAD_OBJECT);
	REFUSED(eqn, htole32(3), ORNIC_CMD_BAD_OBJECT);
	REFUSED(log_size, CARD_MAX_LOG_CQE + 1, ORNIC_CMD_BAD_PARAM);
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
	assert_int_equal(w->host->card->cqs.count, 1);
	assert_int_equal(host_cmd_object(w->host, ORNIC_CMD_DESTROY_CQ, 77),
			 ORNIC_CMD_BAD_OBJECT);
}

/* ---- MODIFY_CQ ---- */

static void moderate(struct kit *w, unsigned int count, unsigned int period)
{
	struct ornic_modify_cq_in in = {
		.cqn = htole32(w->cq.num),
		.count = htole16(count),
		.period = htole16(period),
	};

	assert_int_equal(host_cmd_in(w->host, ORNIC_CMD_MODIFY_CQ, &in),
			 ORNIC_CMD_OK);
}

/* [ORNIC-CQ-7] Count completions, or the period after the first of them */
static void test_event_waits_for_more(void **state)
{
	struct kit *w = *state;

	moderate(w, 3, 100);
	kit_post(w, 0);
	kit_expect_cqe(w, 0);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 1);
	kit_post(w, 2);
	kit_expect_no_event(w);
	kit_post(w, 3);
	expect_comp(w);
	kit_post(w, 4);
	host_sleep(w->host, 1000000);
	kit_expect_no_event(w);
	expect_cqes(w, 1, 4);

	kit_arm_cq(w, ORNIC_ARM_NEXT);
	host_sleep(w->host, 1000000);
	kit_post(w, 5);
	host_sleep(w->host, 90000);
	kit_expect_no_event(w);
	kit_post(w, 6);
	host_sleep(w->host, 10000);
	expect_comp(w);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
}

/* [ORNIC-CQ-7] */
static void test_no_moderation(void **state)
{
	static const struct {
		unsigned int count;
		unsigned int period;
	} none[] = { { 0, 0 }, { 0, 50 }, { 1, 50 }, { 4, 0 } };
	struct kit *w = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		moderate(w, 4, 50);
		moderate(w, none[i].count, none[i].period);
		kit_arm_cq(w, ORNIC_ARM_NEXT);
		kit_post(w, i);
		expect_comp(w);
		kit_expect_cqe(w, i);
	}
}

/* [ORNIC-CQ-8] Only solicited and failed completions count */
static void test_solicited_events_are_moderated(void **state)
{
	struct kit *w = *state;

	moderate(w, 2, 100);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_complete(w, 1, ORNIC_WC_SUCCESS, true);
	kit_post(w, 2);
	kit_post(w, 3);
	kit_expect_no_event(w);
	kit_complete(w, 4, ORNIC_WC_WR_FLUSH_ERR, false);
	expect_comp(w);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_complete(w, 5, ORNIC_WC_SUCCESS, true);
	expect_cqes(w, 1, 3);
	host_sleep(w->host, 100000);
	expect_comp(w);
}

/* [ORNIC-CQ-8] A newer request counts from its own first completion */
static void test_newer_request_begins_anew(void **state)
{
	struct kit *w = *state;

	moderate(w, 2, 100);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 1);
	kit_expect_cqe(w, 1);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	host_sleep(w->host, 90000);
	kit_post(w, 2);
	host_sleep(w->host, 50000);
	kit_expect_no_event(w);
	kit_post(w, 3);
	expect_comp(w);
	/* No request is outstanding any more */
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_expect_cqe(w, 2);
	kit_expect_cqe(w, 3);
	kit_post(w, 4);
	host_sleep(w->host, 200000);
	expect_comp(w);
	kit_arm_cq(w, ORNIC_ARM_NONE);
	host_sleep(w->host, 200000);
	kit_expect_no_event(w);
}

/* [ORNIC-CQ-9] A waiting event when the CQ is modified, overrun or destroyed */
static void test_waiting_event_is_not_lost(void **state)
{
	struct kit *w = *state;
	unsigned int i;

	moderate(w, 50, 60000);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 1);
	moderate(w, 40, 50000);
	expect_comp(w);
	kit_expect_cqe(w, 1);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	for (i = 0; i <= 1u << KIT_LOG_CQ; i++)
		kit_post(w, i);
	expect_comp(w);
	host_sleep(w->host, 1000000);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);

	/* DESTROY_CQ discards the waiting event */
	kit_cq(w, w->eq.num, KIT_LOG_CQ, 5);
	moderate(w, 50, 60000);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 1);
	assert_int_equal(host_cmd_object(w->host, ORNIC_CMD_DESTROY_CQ,
					 w->cq.num), ORNIC_CMD_OK);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
	kit_expect_no_event(w);
}

static void test_modify_cq_refusals(void **state)
{
	struct ornic_modify_cq_in in = { .cqn = htole32(99) };
	struct kit *w = *state;

	assert_int_equal(host_cmd_in(w->host, ORNIC_CMD_MODIFY_CQ, &in),
			 ORNIC_CMD_BAD_OBJECT);
}

/* ---- RESIZE_CQ ---- */

static struct ornic_resize_in resize_in(struct kit *w, struct host_queue *to,
					unsigned int log_size)
{
	struct ornic_resize_in in = {
		.num = htole32(w->cq.num),
		.log_size = log_size,
		.ci = htole32(w->cq.ci),
	};
	uint64_t len = 1ULL << (log_size + w->cq.log_entry);

	*to = w->cq;
	to->log_size = log_size;
	to->ring = host_alloc(w->host, len, HOST_PAGE);
	to->dbr = host_alloc(w->host, 64, 64);
	to->ci = 0;
	host_buf(&in.buf, to->ring, len);
	in.dbr_addr = htole64(to->dbr);
	return in;
}

/* Resize as a provider does, with the arm word in the new record */
static uint32_t resize(struct kit *w, unsigned int log_size)
{
	struct ornic_cq_dbr *old = host_ptr(w->host, w->cq.dbr);
	struct ornic_resize_out out;
	struct ornic_resize_in in;
	struct ornic_cq_dbr *dbr;
	struct host_queue to;

	in = resize_in(w, &to, log_size);
	dbr = host_ptr(w->host, to.dbr);
	dbr->arm = old->arm;
	assert_int_equal(host_cmd(w->host, ORNIC_CMD_RESIZE_CQ, &in, &out),
			 ORNIC_CMD_OK);
	/* The card no longer reads the old ring and record */
	memset(host_ptr(w->host, w->cq.ring), 0xff,
	       1ULL << (w->cq.log_size + w->cq.log_entry));
	guest_store32(&old->ci, 0x12345678);
	w->cq = to;
	return le32toh(out.count);
}

/* [ORNIC-CQ-10] Entries move from any position, and both rings wrap */
static void test_resize_moves_entries(void **state)
{
	struct kit *w = *state;
	unsigned int i, j, log, at = 0, end = 0;

	for (i = 0; i < 40; i++) {
		for (j = 0; j < i % 8; j++)
			kit_post(w, end++);
		log = 4 + i % 2;
		assert_int_equal(resize(w, log), end - at);
		assert_int_equal(w->dev_cq->pi, end - at);
		for (j = 0; j < 3; j++)
			kit_post(w, end++);
		while (end - at > 1)
			kit_expect_cqe(w, at++);
	}
	kit_expect_cqe(w, at++);
	assert_null(host_queue_peek(&w->cq));
	/* A ring that is exactly full */
	for (i = 0; i < 1u << w->cq.log_size; i++)
		kit_post(w, i);
	assert_int_equal(resize(w, w->cq.log_size), i);
	assert_false(w->dev_cq->dead);
	for (i = 0; i < 1u << w->cq.log_size; i++)
		kit_expect_cqe(w, i);
	kit_post(w, 77);
	kit_expect_cqe(w, 77);
}

/* [ORNIC-CQ-10] */
static void test_resize_moves_long_entries(void **state)
{
	struct kit *w = *state;
	const struct ornic_cqe *cqe;
	const struct ornic_cqe_ext *ext;

	kit_cq(w, w->eq.num, KIT_LOG_CQ, 6);
	w->host->clock_step_ns = 0;
	w->host->now_ns += 4711 - card_clock(w->host->card);
	kit_post(w, 1);
	w->host->now_ns += 1;
	assert_int_equal(resize(w, 5), 1);
	cqe = host_queue_peek(&w->cq);
	assert_non_null(cqe);
	ext = host_cqe_ext(cqe);
	assert_int_equal(le64toh(ext->timestamp), 4711);
	kit_expect_cqe(w, 1);
}

/* [ORNIC-CQ-11] A request is answered once, before, at or after the change */
static void test_resize_keeps_the_request(void **state)
{
	struct kit *w = *state;

	kit_arm_cq(w, ORNIC_ARM_NEXT);
	resize(w, 4);
	kit_expect_no_event(w);
	kit_post(w, 1);
	expect_comp(w);
	resize(w, 3);
	kit_post(w, 2);
	kit_expect_no_event(w);
	kit_expect_cqe(w, 1);
	kit_expect_cqe(w, 2);

	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_post(w, 3);
	resize(w, 4);
	kit_expect_no_event(w);
	kit_complete(w, 4, ORNIC_WC_SUCCESS, true);
	expect_comp(w);
}

/* [ORNIC-CQ-11] A request written to the new record in advance is seen */
static void test_request_in_the_new_record(void **state)
{
	struct kit *w = *state;
	struct ornic_resize_out out;
	struct ornic_resize_in in;
	struct ornic_cq_dbr *dbr;
	struct host_queue to;

	kit_post(w, 1);
	in = resize_in(w, &to, 4);
	dbr = host_ptr(w->host, to.dbr);
	guest_store32(&dbr->arm, ORNIC_ARM_TYPE + 1 + ORNIC_ARM_NEXT);
	assert_int_equal(host_cmd(w->host, ORNIC_CMD_RESIZE_CQ, &in, &out),
			 ORNIC_CMD_OK);
	expect_comp(w);
	w->cq = to;
	kit_expect_cqe(w, 1);
}

/* [ORNIC-CQ-12] A refused RESIZE_CQ changes nothing */
static void test_resize_refusals(void **state)
{
	struct kit *w = *state;
	uint32_t pages = w->host->card->budget.pages;
	struct ornic_resize_in good;
	struct ornic_resize_out out;
	struct host_queue to;
	unsigned int i;

	for (i = 0; i < 5; i++)
		kit_post(w, i);
	good = resize_in(w, &to, 3);
#define REFUSED(field, value, status) \
	host_refused(w->host, ORNIC_CMD_RESIZE_CQ, good, field, value, \
		     &out, status)
	REFUSED(num, htole32(99), ORNIC_CMD_BAD_OBJECT);
	REFUSED(log_size, 2, ORNIC_CMD_BAD_PARAM);
	assert_int_equal(w->host->detail, 5);
	REFUSED(log_size, CARD_MAX_LOG_CQE + 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(log_size, 255, ORNIC_CMD_BAD_PARAM);
	REFUSED(rsvd[1], 1, ORNIC_CMD_BAD_PARAM);
	REFUSED(dbr_addr, good.dbr_addr | htole64(4), ORNIC_CMD_BAD_PARAM);
	REFUSED(dbr_addr, htole64(HOST_NOWHERE), ORNIC_CMD_DMA_FAULT);
	REFUSED(buf.npages, 0, ORNIC_CMD_BAD_PARAM);
	REFUSED(buf.addr, htole64(HOST_NOWHERE), ORNIC_CMD_DMA_FAULT);
	REFUSED(rsvd2, htole32(1), ORNIC_CMD_BAD_PARAM);
	REFUSED(ci, htole32(6), ORNIC_CMD_BAD_OBJECT);
	REFUSED(ci, htole32(-4), ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(w->host->card->budget.pages, pages);
	for (i = 0; i < 5; i++)
		kit_expect_cqe(w, i);
	kit_post(w, 5);
	kit_expect_cqe(w, 5);

	/* A CQ that is overrun cannot be resized */
	for (i = 0; i <= 1u << KIT_LOG_CQ; i++)
		kit_post(w, i);
	REFUSED(log_size, 4, ORNIC_CMD_BAD_OBJECT);
#undef REFUSED
}

#define T(name) cmocka_unit_test_setup_teardown(name, kit_setup, \
						kit_teardown)
#define N(name) { #name " (no shadow)", name, kit_setup_no_shadow, \
		  kit_teardown, NULL }

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_cq_wraps_with_its_phase),
		T(test_cq_of_one_entry),
		T(test_indexes_wrap_at_32_bits),
		T(test_cqe_ext_has_a_timestamp),
		T(test_phase_is_in_the_last_word),
		T(test_one_event_for_one_request),
		N(test_one_event_for_one_request),
		T(test_solicited),
		N(test_solicited),
		T(test_arm_word_is_taken_back),
		T(test_solicited_stands_for_an_unanswered_next),
		N(test_solicited_stands_for_an_unanswered_next),
		N(test_late_doorbell_is_answered_at_once),
		N(test_word_in_memory_alone_asks_nothing_without_shadow),
		T(test_waiting_cq_can_be_destroyed),
		T(test_cq_overrun),
		T(test_overrun_takes_its_qps),
		T(test_ignored_overrun),
		T(test_cq_out_of_reach),
		T(test_create_cq_refusals),
		T(test_event_waits_for_more),
		N(test_event_waits_for_more),
		T(test_no_moderation),
		N(test_no_moderation),
		T(test_solicited_events_are_moderated),
		N(test_solicited_events_are_moderated),
		T(test_newer_request_begins_anew),
		T(test_waiting_event_is_not_lost),
		T(test_modify_cq_refusals),
		T(test_resize_moves_entries),
		N(test_resize_moves_entries),
		T(test_resize_moves_long_entries),
		T(test_resize_keeps_the_request),
		N(test_resize_keeps_the_request),
		T(test_request_in_the_new_record),
		T(test_resize_refusals),
	};

	return cmocka_run_group_tests_name("cq", tests, NULL, NULL);
}
