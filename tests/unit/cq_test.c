// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* CQs: rings, phases, events, overruns (ORNIC-CQ-*, DB-14 to 17). */
#include "cq.h"
#include "kit.h"

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
	/* Position 4 with phase 0 is what a ring of zeros shows there. */
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
	struct kit *w = *state;

	kit_post(w, 1);
	kit_expect_no_event(w);
	kit_expect_cqe(w, 1);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_expect_no_event(w);
	kit_post(w, 2);
	kit_expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	kit_post(w, 3);
	kit_expect_no_event(w);
	kit_expect_cqe(w, 2);
	kit_expect_cqe(w, 3);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 4);
	kit_expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
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
	kit_expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	kit_expect_cqe(w, 1);
	kit_expect_cqe(w, 2);
	kit_expect_cqe(w, 3);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_complete(w, 4, ORNIC_WC_WR_FLUSH_ERR, false);
	kit_expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	kit_expect_cqe(w, 4);
	/* A newer request replaces one that was not answered. */
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 5);
	kit_expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	kit_expect_cqe(w, 5);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_arm_cq(w, ORNIC_ARM_NONE);
	kit_post(w, 6);
	kit_expect_no_event(w);
}

static void test_late_doorbell_is_answered_at_once(void **state)
{
	struct kit *w = *state;

	kit_post(w, 1);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_expect_no_event(w);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	kit_post(w, 2);
	kit_expect_no_event(w);
	kit_complete(w, 3, ORNIC_WC_SUCCESS, true);
	kit_post(w, 4);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
	kit_expect_cqe(w, 1);
	kit_expect_cqe(w, 2);
	kit_expect_cqe(w, 3);
	/* What is left is not solicited. */
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

static void test_waiting_cq_can_be_destroyed(void **state)
{
	struct kit *w = *state;

	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 1);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 2);
	assert_int_equal(host_cmd_object(w->host, ORNIC_CMD_DESTROY_CQ,
					 w->cq.num), ORNIC_CMD_OK);
	kit_expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
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
	/* Dead for good, told once */
	kit_post(w, 100);
	assert_null(host_queue_peek(&w->cq));
	host_run(w->host);
	kit_expect_no_event(w);

	/* An index that cannot be */
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

static void test_create_cq_refusals(void **state)
{
	struct kit *w = *state;
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
		T(test_one_event_for_one_request),
		N(test_one_event_for_one_request),
		T(test_solicited),
		N(test_solicited),
		N(test_late_doorbell_is_answered_at_once),
		N(test_word_in_memory_alone_asks_nothing_without_shadow),
		T(test_waiting_cq_can_be_destroyed),
		T(test_cq_overrun),
		T(test_ignored_overrun),
		T(test_cq_out_of_reach),
		T(test_create_cq_refusals),
	};

	return cmocka_run_group_tests_name("cq", tests, NULL, NULL);
}
