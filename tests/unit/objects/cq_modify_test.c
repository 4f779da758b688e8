// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* MODIFY_CQ and RESIZE_CQ ([ORNIC-CQ-14] ff.) */
#include "kit.h"
#include "objects/cq.h"

/* ---- MODIFY_CQ ---- */

static void moderate(struct kit *w, unsigned int count, unsigned int period)
{
	struct ornic_modify_cq_in in = {
		.cqn = htole32(w->cq.num),
		.count = htole16(count),
		.period = htole16(period),
	};

	host_cmd_in_ok(w->host, ORNIC_CMD_MODIFY_CQ, &in);
}

/* [ORNIC-CQ-14] Count completions, or the period after the first of them */
TEST(test_event_waits_for_more, struct kit *w, IN_KIT, IN_KIT_NO_SHADOW)
{
	moderate(w, 3, 100);
	kit_post(w, 0);
	kit_expect_cqe(w, 0);
	kit_arm_and_post(w, 1);
	kit_post_silent(w, 2);
	kit_post_event(w, 3);
	kit_post(w, 4);
	host_sleep(w->host, 1000000);
	kit_expect_no_event(w);
	kit_expect_cqes(w, 1, 4);

	kit_arm_cq(w, ORNIC_ARM_NEXT);
	host_sleep(w->host, 1000000);
	kit_post(w, 5);
	host_sleep(w->host, 90000);
	kit_expect_no_event(w);
	kit_post(w, 6);
	host_sleep(w->host, 10000);
	kit_expect_comp(w);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
}

/* [ORNIC-CQ-14] */
TEST(test_no_moderation, struct kit *w, IN_KIT, IN_KIT_NO_SHADOW)
{
	static const struct {
		unsigned int count;
		unsigned int period;
	} none[] = { { 0, 0 }, { 0, 50 }, { 1, 50 }, { 4, 0 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		moderate(w, 4, 50);
		moderate(w, none[i].count, none[i].period);
		kit_arm_cq(w, ORNIC_ARM_NEXT);
		kit_post_event(w, i);
		kit_expect_cqe(w, i);
	}
}

/* [ORNIC-CQ-15] Only solicited and failed completions count */
TEST(test_solicited_events_are_moderated, struct kit *w, IN_KIT, IN_KIT_NO_SHADOW)
{
	moderate(w, 2, 100);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_complete(w, 1, ORNIC_WC_SUCCESS, true);
	kit_post(w, 2);
	kit_post_silent(w, 3);
	kit_complete(w, 4, ORNIC_WC_WR_FLUSH_ERR, false);
	kit_expect_comp(w);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_complete(w, 5, ORNIC_WC_SUCCESS, true);
	kit_expect_cqes(w, 1, 3);
	host_sleep(w->host, 100000);
	kit_expect_comp(w);
}

/* [ORNIC-CQ-15] A newer request counts from its own first completion */
TEST(test_newer_request_begins_anew, struct kit *w, IN_KIT)
{
	moderate(w, 2, 100);
	kit_arm_and_post(w, 1);
	kit_expect_cqe(w, 1);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	host_sleep(w->host, 90000);
	kit_post(w, 2);
	host_sleep(w->host, 50000);
	kit_expect_no_event(w);
	kit_post_event(w, 3);
	/* No request is outstanding any more */
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_expect_cqe(w, 2);
	kit_expect_cqe(w, 3);
	kit_post(w, 4);
	host_sleep(w->host, 200000);
	kit_expect_comp(w);
	kit_arm_cq(w, ORNIC_ARM_NONE);
	host_sleep(w->host, 200000);
	kit_expect_no_event(w);
}

/* [ORNIC-CQ-16] A waiting event when the CQ is modified, overrun or destroyed */
TEST(test_waiting_event_is_not_lost, struct kit *w, IN_KIT)
{
	moderate(w, 50, 60000);
	kit_arm_and_post(w, 1);
	moderate(w, 40, 50000);
	kit_expect_comp(w);
	kit_expect_cqe(w, 1);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_overrun(w);
	kit_expect_comp(w);
	host_sleep(w->host, 1000000);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);

	/* DESTROY_CQ discards the waiting event */
	kit_cq(w, w->eq.num, KIT_LOG_CQ, 5);
	moderate(w, 50, 60000);
	kit_arm_and_post(w, 1);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_CQ, w->cq.num);
	assert_true(timers_next(&w->host->timers) == TIMER_NEVER);
	kit_expect_no_event(w);
}

TEST(test_modify_cq_refusals, struct kit *w, IN_KIT)
{
	struct ornic_modify_cq_in in = { .cqn = htole32(99) };

	host_cmd_in_is(w->host, ORNIC_CMD_MODIFY_CQ, &in, ORNIC_CMD_BAD_OBJECT);
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
	host_cmd_ok(w->host, ORNIC_CMD_RESIZE_CQ, &in, &out);
	/* The card no longer reads the old ring and record */
	memset(host_ptr(w->host, w->cq.ring), 0xff,
	       1ULL << (w->cq.log_size + w->cq.log_entry));
	guest_store32(&old->ci, 0x12345678);
	w->cq = to;
	return le32toh(out.count);
}

/* [ORNIC-CQ-18] Entries move from any position, and both rings wrap */
TEST(test_resize_moves_entries, struct kit *w, IN_KIT, IN_KIT_NO_SHADOW)
{
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

/* [ORNIC-CQ-18] */
TEST(test_resize_moves_long_entries, struct kit *w, IN_KIT)
{
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

/* [ORNIC-CQ-18] Entries in many pages move, which begin anywhere in a page of the old ring */
TEST(test_resize_moves_pages, struct kit *w, IN_KIT)
{
	unsigned int i, log;

	for (log = 5; log < 7; log++) {
		kit_cq(w, w->eq.num, 8, log);
		for (i = 0; i < 37; i++) {
			kit_post(w, i);
			kit_expect_cqe(w, i);
		}
		for (i = 0; i < 256; i++)
			kit_post(w, i);
		assert_int_equal(resize(w, 9), 256);
		for (i = 0; i < 100; i++)
			kit_expect_cqe(w, i);
		assert_int_equal(resize(w, 8), 156);
		for (; i < 256; i++)
			kit_expect_cqe(w, i);
		assert_null(host_queue_peek(&w->cq));
	}
}

/* Entries that the CQ gets between two steps of a command */
struct meanwhile {
	struct kit *kit;
	unsigned int next;
};

static void post_meanwhile(void *arg)
{
	struct meanwhile *meanwhile = arg;

	kit_post(meanwhile->kit, meanwhile->next++);
}

/* [ORNIC-CQ-18] A large ring moves in steps, and entries are added between them */
TEST(test_resize_in_steps, struct kit *w, IN_KIT, IN_KIT_NO_SHADOW)
{
	struct meanwhile meanwhile = { .kit = w };
	const unsigned int log = 14, first = 100;
	unsigned int last, moved;

	kit_cq(w, w->eq.num, log, 6);
	while (meanwhile.next < first) {
		post_meanwhile(&meanwhile);
		kit_expect_cqe(w, meanwhile.next - 1);
	}
	while (meanwhile.next < 1u << log)
		post_meanwhile(&meanwhile);
	last = meanwhile.next;
	w->host->wire_run = post_meanwhile;
	w->host->wire_arg = &meanwhile;
	moved = resize(w, log);
	w->host->wire_run = NULL;
	assert_in_range(moved, last - first + 3, meanwhile.next - first);
	kit_expect_cqes(w, first, meanwhile.next - 1);
	assert_null(host_queue_peek(&w->cq));
	/* The next command begins anew */
	kit_post(w, 7);
	assert_int_equal(resize(w, 4), 1);
	kit_expect_cqe(w, 7);
}

/* [ORNIC-CQ-20] The entries do not fit any more when the last step comes */
TEST(test_resize_becomes_too_small, struct kit *w, IN_KIT)
{
	struct meanwhile meanwhile = { .kit = w };
	const unsigned int log = 13;
	struct ornic_resize_in in;
	struct host_queue to;

	kit_cq(w, w->eq.num, log + 1, 6);
	while (meanwhile.next < 1u << log)
		post_meanwhile(&meanwhile);
	in = resize_in(w, &to, log);
	w->host->wire_run = post_meanwhile;
	w->host->wire_arg = &meanwhile;
	host_cmd_in_is(w->host, ORNIC_CMD_RESIZE_CQ, &in, ORNIC_CMD_BAD_PARAM);
	w->host->wire_run = NULL;
	assert_in_range(w->host->detail, (1u << log) + 1, meanwhile.next);
	kit_expect_cqes(w, 0, meanwhile.next - 1);
}

/* [ORNIC-CQ-19] A request is answered once, before, at or after the change */
TEST(test_resize_keeps_the_request, struct kit *w, IN_KIT, IN_KIT_NO_SHADOW)
{
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	resize(w, 4);
	kit_expect_no_event(w);
	kit_post_event(w, 1);
	resize(w, 3);
	kit_post_silent(w, 2);
	kit_expect_cqe(w, 1);
	kit_expect_cqe(w, 2);

	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_post(w, 3);
	resize(w, 4);
	kit_expect_no_event(w);
	kit_complete(w, 4, ORNIC_WC_SUCCESS, true);
	kit_expect_comp(w);
}

/* [ORNIC-CQ-19] A request written to the new record in advance is seen */
TEST(test_request_in_the_new_record, struct kit *w, IN_KIT)
{
	struct ornic_resize_out out;
	struct ornic_resize_in in;
	struct ornic_cq_dbr *dbr;
	struct host_queue to;

	kit_post(w, 1);
	in = resize_in(w, &to, 4);
	dbr = host_ptr(w->host, to.dbr);
	guest_store32(&dbr->arm, ORNIC_ARM_TYPE + 1 + ORNIC_ARM_NEXT);
	host_cmd_ok(w->host, ORNIC_CMD_RESIZE_CQ, &in, &out);
	kit_expect_comp(w);
	w->cq = to;
	kit_expect_cqe(w, 1);
}

/* [ORNIC-CQ-20] A refused RESIZE_CQ changes nothing */
TEST(test_resize_refusals, struct kit *w, IN_KIT)
{
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
	kit_overrun(w);
	REFUSED(log_size, 4, ORNIC_CMD_BAD_OBJECT);
#undef REFUSED
}

TEST_MAIN("cq_modify")
