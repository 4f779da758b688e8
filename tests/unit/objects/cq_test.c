// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs: rings, phases, events, overruns ([ORNIC-CQ-1] ff., [ORNIC-DB-20] ff.), and
 * how entries become visible ([ORNIC-GEN-6], [ORNIC-GEN-7])
 */
#include <pthread.h>
#include <sched.h>

#include "base/guest.h"
#include "card/card.h"
#include "kit.h"
#include "objects/cq.h"
#include "queues/qp.h"

/* [ORNIC-GEN-6], [ORNIC-GEN-9] */
TEST(test_cq_wraps_with_its_phase, struct kit *w, IN_KIT)
{
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

/* [ORNIC-GEN-6] The first entry of 64 bytes waits for the second, or for the end of the turn */
TEST(test_pairs, struct kit *w, IN_KIT_PAIRS)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		kit_post(w, 3 * i);
		assert_null(host_queue_peek(&w->cq));
		assert_false(card_sleep_prepare(w->host->card));
		kit_post(w, 3 * i + 1);
		kit_expect_cqes(w, 3 * i, 3 * i + 1);
		kit_post(w, 3 * i + 2);
		host_run(w->host);
		kit_expect_cqe(w, 3 * i + 2);
		/* The second half of 64 bytes waits for nothing */
		kit_post(w, 100);
		kit_expect_cqe(w, 100);
	}
}

/* Completions are there before an event that follows, and before a command completes */
TEST(test_pairs_before_others, struct kit *w, IN_KIT_PAIRS)
{
	struct eq_source source;

	eq_source_init(&source, KIT_QPN, false);
	kit_post(w, 0);
	eq_async(w->host->card, &source, ORNIC_EVENT_QP_LAST_WQE);
	kit_expect_cqe(w, 0);
	kit_post(w, 1);
	kit_expect_cqe(w, 1);
	kit_post(w, 2);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_CQ, w->cq.num);
	assert_non_null(host_queue_peek(&w->cq));
	eq_source_forget(&source);
}

TEST(test_cq_of_one_entry, struct kit *w, IN_KIT)
{
	unsigned int i;

	kit_cq(w, w->eq.num, 0, 5);
	for (i = 0; i < 5; i++) {
		kit_post(w, i);
		kit_expect_cqe(w, i);
	}
}

/* [ORNIC-GEN-5] */
TEST(test_indexes_wrap_at_32_bits, struct kit *w, IN_KIT)
{
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

TEST(test_cqe_ext_has_a_timestamp, struct kit *w, IN_KIT)
{
	struct ornic_cqe_ext ext = { .rss_hash = htole32(0x1234),
				     .flags = htole16(ORNIC_CQE_EXT_RSS) };
	struct ornic_cqe cqe = {};
	const struct ornic_cqe *got;
	const struct ornic_cqe_ext *more;

	kit_cq(w, w->eq.num, KIT_LOG_CQ, 6);
	w->host->clock_step_ns = 0;
	w->host->now_ns += 777 - card_clock(w->host->card);
	host_read_is(w->host, ORNIC_REG_CLOCK, 8, 777);
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
TEST(test_phase_is_in_the_last_word, struct kit *w, IN_KIT)
{
	struct ornic_cqe_ext ext = { .flow_tag = htole32(0x5678) };
	struct ornic_cqe cqe = { .wr_id = htole64(0x1234),
				 .qpn = htole32(KIT_QPN) };
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

/* ---- entries become visible ---- */

#define ENTRIES 20000

/*
 * The card writes one entry at a time; the host reads on another processor. The
 * reader gives up when an entry is @written and does not show it.
 */
struct reader {
	struct kit *kit;
	pthread_t thread;
	unsigned int wrong;
	_Atomic uint32_t written;
	_Atomic bool gave_up;
};

static uint32_t mixed(uint32_t i, uint32_t salt)
{
	return (i + salt) * 2654435761u;
}

static struct ornic_cqe made_cqe(uint32_t i)
{
	return (struct ornic_cqe){
		.wr_id = htole64((uint64_t)mixed(i, 1) << 32 | mixed(i, 2)),
		.opcode = htole32(mixed(i, 3)),
		.src_qp = htole32(mixed(i, 4)),
		.byte_len = htole32(mixed(i, 5)),
		.imm = mixed(i, 6),
		.qpn = htole32(mixed(i, 7) & ~ORNIC_CQE_PHASE),
	};
}

static struct ornic_cqe_ext made_ext(uint32_t i)
{
	return (struct ornic_cqe_ext){
		.flow_tag = htole32(mixed(i, 8)),
		.rss_hash = htole32(mixed(i, 9)),
		.vlan_tci = htole16(mixed(i, 10)),
		.smac = { mixed(i, 11), i, i >> 8, i >> 16, 5, 6 },
	};
}

static bool is_made(const struct host_queue *cq, const struct ornic_cqe *cqe,
		    uint32_t i)
{
	struct ornic_cqe_ext ext = made_ext(i);
	struct ornic_cqe want = made_cqe(i);

	want.qpn |= cqe->qpn & htole32(ORNIC_CQE_PHASE);
	if (memcmp(cqe, &want, sizeof(want)))
		return false;
	return cq->log_entry == 5 ||
	       !memcmp(&host_cqe_ext(cqe)->flow_tag, &ext.flow_tag,
		       sizeof(ext) - sizeof(ext.timestamp));
}

/* Return: NULL if the entry is written and does not show it */
static const struct ornic_cqe *wait_entry(struct reader *reader, uint32_t i)
{
	struct host_queue *cq = &reader->kit->cq;
	const struct ornic_cqe *cqe;

	while (!(cqe = host_queue_peek(cq))) {
		if (reader->written > i)
			return host_queue_peek(cq);
		sched_yield();
	}
	return cqe;
}

static void *read_entries(void *arg)
{
	struct reader *reader = arg;
	struct host_queue *cq = &reader->kit->cq;
	const struct ornic_cqe *cqe;
	uint32_t i;

	for (i = 0; i < ENTRIES; i++) {
		cqe = wait_entry(reader, i);
		if (!cqe) {
			reader->gave_up = true;
			return NULL;
		}
		if (!is_made(cq, cqe, i))
			reader->wrong++;
		host_queue_consume(cq);
	}
	return NULL;
}

static void write_entries(struct reader *reader)
{
	struct kit *w = reader->kit;
	struct ornic_cq_dbr *dbr = host_ptr(w->host, w->cq.dbr);
	struct ornic_cqe_ext ext;
	struct ornic_cqe cqe;
	uint32_t i;

	for (i = 0; i < ENTRIES; i++) {
		while (i - guest_load32(&dbr->ci) == 1u << KIT_LOG_CQ) {
			if (reader->gave_up)
				return;
			sched_yield();
		}
		cqe = made_cqe(i);
		ext = made_ext(i);
		cq_post(w->dev_cq, &cqe, &ext, false);
		reader->written = i + 1;
	}
}

TEST(test_phase_shows_the_whole_entry, struct kit *w, IN_KIT, IN_KIT_WHOLE)
{
	struct reader reader = { .kit = w };
	unsigned int log;

	for (log = 5; log <= 6; log++) {
		kit_cq(w, w->eq.num, KIT_LOG_CQ, log);
		reader.written = 0;
		assert_int_equal(pthread_create(&reader.thread, NULL,
						read_entries, &reader), 0);
		write_entries(&reader);
		assert_int_equal(pthread_join(reader.thread, NULL), 0);
		assert_false(reader.gave_up);
		assert_int_equal(reader.wrong, 0);
		assert_false(w->dev_cq->dead);
	}
}

/* Nothing is left of what the host has put into an entry */
TEST(test_all_bytes_are_written, struct kit *w, IN_KIT, IN_KIT_WHOLE)
{
	const struct ornic_cqe zero = {};
	const char *entry;
	unsigned int log;

	for (log = 5; log <= 6; log++) {
		kit_cq(w, w->eq.num, KIT_LOG_CQ, log);
		entry = memset(host_ptr(w->host, w->cq.ring), 0x7e, 1 << log);
		cq_post(w->dev_cq, &zero, NULL, false);
		assert_memory_equal(entry + (1 << log) - 32, &zero, 28);
		if (log == 6)
			assert_memory_equal(entry + 8, &zero, 24);
		assert_int_equal(guest_load32(entry + (1 << log) - 4),
				 ORNIC_CQE_PHASE);
	}
	entry = memset(host_ptr(w->host, w->eq.ring), 0x7e, 32);
	kit_arm_and_post(w, 1);
	assert_memory_equal(entry + 4, &zero, 24);
	kit_expect_comp(w);
}

/* Each size, and neither more nor less than the entry */
TEST_VOID(test_write_entry)
{
	_Alignas(64) uint8_t to[64 + 8], from[64];
	unsigned int size, whole, i;

	for (i = 0; i < sizeof(from); i++)
		from[i] = i + 1;
	for (size = 16; size <= 64; size *= 2) {
		for (whole = 0; whole < 2; whole++) {
			memset(to, 0, sizeof(to));
			guest_write_entry(to, from, size, whole);
			assert_memory_equal(to, from, size);
			for (i = size; i < size + 8; i++)
				assert_int_equal(to[i], 0);
		}
	}
}

/* ---- events ---- */

/* [ORNIC-DB-22] */
TEST(test_one_event_for_one_request, struct kit *w, IN_KIT, IN_KIT_NO_SHADOW)
{
	kit_post_silent(w, 1);
	kit_expect_cqe(w, 1);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_expect_no_event(w);
	kit_post_event(w, 2);
	kit_post_silent(w, 3);
	kit_expect_cqe(w, 2);
	kit_expect_cqe(w, 3);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post_event(w, 4);
	kit_expect_no_event(w);
}

TEST(test_solicited, struct kit *w, IN_KIT, IN_KIT_NO_SHADOW)
{
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_post(w, 1);
	kit_post_silent(w, 2);
	kit_complete(w, 3, ORNIC_WC_SUCCESS, true);
	kit_expect_comp(w);
	kit_expect_cqes(w, 1, 3);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_complete(w, 4, ORNIC_WC_WR_FLUSH_ERR, false);
	kit_expect_comp(w);
	kit_expect_cqe(w, 4);
	/* A newer request replaces one that was not answered */
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post_event(w, 5);
	kit_expect_cqe(w, 5);
}

TEST(test_arm_word_is_taken_back, struct kit *w, IN_KIT)
{
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_arm_cq(w, ORNIC_ARM_NONE);
	kit_post_silent(w, 6);
}

/* [ORNIC-DB-24] A SOLICITED replaces a NEXT of its own generation */
TEST(test_solicited_stands_for_an_unanswered_next, struct kit *w, IN_KIT, IN_KIT_NO_SHADOW)
{
	const uint32_t generation = ORNIC_ARM_GEN & -ORNIC_ARM_GEN;

	w->cq.arm_seq += generation;
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_expect_no_event(w);
	kit_post_event(w, 1);
	kit_expect_cqe(w, 1);

	/* That generation is answered, whichever word was answered */
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_post_silent(w, 2);
	kit_complete(w, 3, ORNIC_WC_SUCCESS, true);
	kit_expect_comp(w);
	kit_expect_cqes(w, 2, 3);

	w->cq.arm_seq += generation;
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post_event(w, 4);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_post_silent(w, 5);
	kit_expect_cqes(w, 4, 5);
}

TEST(test_late_doorbell_is_answered_at_once, struct kit *w, IN_KIT_NO_SHADOW)
{
	kit_post(w, 1);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_expect_no_event(w);
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_expect_comp(w);
	kit_post_silent(w, 2);
	kit_complete(w, 3, ORNIC_WC_SUCCESS, true);
	kit_post(w, 4);
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_expect_comp(w);
	kit_expect_cqes(w, 1, 3);
	/* The remaining entry is not solicited */
	kit_arm_cq(w, ORNIC_ARM_SOLICITED);
	kit_expect_no_event(w);
}

TEST(test_word_in_memory_alone_asks_nothing_without_shadow, struct kit *w, IN_KIT_NO_SHADOW)
{
	host_queue_arm(&w->cq, ORNIC_ARM_NEXT);
	kit_post_silent(w, 1);
}

/* [ORNIC-DB-21] Type 3 asks for what NEXT asks for */
static void arm_type_3(struct kit *w, bool late)
{
	kit_complete(w, 1, ORNIC_WC_SUCCESS, false);
	kit_expect_cqe(w, 1);
	if (late)
		kit_post(w, 2);
	kit_arm_cq(w, 3);
	if (!late) {
		host_run(w->host);
		kit_expect_no_event(w);
		kit_post(w, 2);
	}
	kit_expect_comp(w);
	kit_expect_no_event(w);
}

TEST(test_arm_type_3, struct kit *w, IN_KIT)
{
	arm_type_3(w, false);
}

/* Without the shadow the doorbell may come after the entry */
TEST(test_late_arm_type_3, struct kit *w, IN_KIT_NO_SHADOW)
{
	arm_type_3(w, true);
}

/* [ORNIC-EQ-5] */
TEST(test_waiting_cq_can_be_destroyed, struct kit *w, IN_KIT)
{
	kit_arm_and_post(w, 1);
	kit_arm_and_post(w, 2);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_CQ, w->cq.num);
	kit_expect_comp(w);
	host_sleep(w->host, 1000000);
	kit_expect_no_event(w);
}

TEST(test_cq_overrun, struct kit *w, IN_KIT)
{
	struct ornic_cq_dbr *dbr = host_ptr(w->host, w->cq.dbr);
	unsigned int i;

	kit_overrun(w);
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_cq_overruns, 1);
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
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_cq_overruns, 2);
}

/* [ORNIC-CQ-7] An overrun takes the QPs of the CQ, and no others */
TEST(test_overrun_takes_its_qps, struct kit *w, IN_KIT)
{
	static const unsigned int up[] = { ORNIC_QPS_INIT, ORNIC_QPS_RTR,
					   ORNIC_QPS_RTS };
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
	kit_overrun(w);
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

/* [ORNIC-CQ-9] */
TEST(test_ignored_overrun, struct kit *w, IN_KIT)
{
	unsigned int i;

	w->dev_cq->ignore_overrun = true;
	for (i = 0; i < 5u << KIT_LOG_CQ; i++)
		kit_post(w, i);
	assert_false(w->dev_cq->dead);
	kit_expect_no_event(w);
}

TEST(test_cq_out_of_reach, struct kit *w, IN_KIT)
{
	host_unmap(w->host, w->cq.ring, HOST_PAGE);
	kit_post(w, 1);
	kit_expect_event(w, ORNIC_EVENT_CQ_ERR, w->cq.num);
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_dma_faults, 1);
	host_map(w->host, w->cq.ring, HOST_PAGE);
	kit_post(w, 2);
	assert_null(host_queue_peek(&w->cq));
}

/* [ORNIC-CQ-8] */
TEST(test_overrun_cq_takes_no_user, struct kit *w, IN_KIT)
{
	uint32_t pdn = host_pd(w->host);
	struct ornic_create_wq_in wq = {
		.pdn = htole32(pdn), .cqn = htole32(w->cq.num), .log_wqes = 2,
		.stride_shift = 5,
		.dbr_addr = htole64(host_alloc(w->host, 128, 128)),
	};
	struct ornic_create_srq_in srq = {
		.pdn = htole32(pdn), .cqn = htole32(w->cq.num), .log_wqes = 2,
		.stride_shift = 5, .flags = htole32(ORNIC_SRQ_XRC),
		.dbr_addr = htole64(host_alloc(w->host, 128, 128)),
	};
	struct ornic_create_qp_in qp = {
		.uctx = htole32(w->uctx), .pdn = htole32(pdn),
		.send_cqn = htole32(w->cq.num), .flags = htole32(ORNIC_QP_SQ),
		.type = ORNIC_QPT_RC,
		.dbr_addr = htole64(host_alloc(w->host, 128, 128)),
	};
	struct ornic_modify_wq_in modify = {
		.mask = htole32(ORNIC_WQ_ATTR_STATE), .state = ORNIC_WQS_RDY,
	};
	struct ornic_create_qp_out qp_out;
	struct ornic_object out;
	struct host_qp old;

	host_buf(&wq.buf, host_alloc(w->host, HOST_PAGE, HOST_PAGE), HOST_PAGE);
	srq.buf = wq.buf;
	qp.sq = wq.buf;
	srq.xrcdn = htole32(host_create_object(w->host, ORNIC_CMD_ALLOC_XRCD,
					       NULL, 0));
	host_qp(w->host, &old, ORNIC_QPT_RAW_PACKET, w->uctx, pdn, &w->cq, 0);
	host_cmd_ok(w->host, ORNIC_CMD_CREATE_WQ, &wq, &out);
	modify.wqn = out.num;
	kit_overrun(w);
	host_run(w->host);
	host_cmd_is(w->host, ORNIC_CMD_CREATE_WQ, &wq, &out, ORNIC_CMD_BAD_OBJECT);
	host_cmd_is(w->host, ORNIC_CMD_CREATE_SRQ, &srq, &out, ORNIC_CMD_BAD_OBJECT);
	host_cmd_is(w->host, ORNIC_CMD_CREATE_QP, &qp, &qp_out, ORNIC_CMD_BAD_OBJECT);
	qp.send_cqn = 0;
	qp.recv_cqn = htole32(w->cq.num);
	qp.flags = htole32(ORNIC_QP_RQ);
	qp.rq = qp.sq;
	qp.rq_stride_shift = 5;
	memset(&qp.sq, 0, sizeof(qp.sq));
	host_cmd_is(w->host, ORNIC_CMD_CREATE_QP, &qp, &qp_out, ORNIC_CMD_BAD_OBJECT);
	/* A QP and a WQ that were in RESET before stay there */
	assert_int_equal(host_qp_modify(&old, ORNIC_QPS_INIT),
			 ORNIC_CMD_BAD_STATE);
	host_cmd_in_is(w->host, ORNIC_CMD_MODIFY_WQ, &modify, ORNIC_CMD_BAD_STATE);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_QP, old.num);
}

/* Number of QPs in ERR */
static unsigned int count_failed(struct host *host)
{
	unsigned int count = 0;
	struct obj *obj;
	uint32_t i = 0;

	while ((obj = obj_each(&host->card->qps, &i)))
		count += container_of(obj, struct qp, base.obj)->base.state ==
			 ORNIC_QPS_ERR;
	return count;
}

/* [ORNIC-ISO-4] A CQ with many users keeps no turn busy for long */
TEST(test_users_are_notified_in_turns, struct kit *w, IN_KIT)
{
	struct host *host = w->host;
	uint32_t pdn = host_pd(host);
	struct ornic_object last = {};
	struct host_qp qp;
	unsigned int i;
	uint64_t used;

	/* Each QP uses the CQ twice */
	for (i = 0; i < CQ_RUN_LINKS; i++) {
		used = host->used;
		host_qp(host, &qp, ORNIC_QPT_RAW_PACKET, w->uctx, pdn, &w->cq,
			0);
		host->used = used;
		assert_int_equal(host_qp_modify(&qp, ORNIC_QPS_INIT),
				 ORNIC_CMD_OK);
	}
	kit_overrun(w);
	assert_true(card_run(host->card));
	assert_int_equal(count_failed(host), CQ_RUN_LINKS / 2);
	assert_false(card_sleep_prepare(host->card));
	/* A QP that does not know yet may be destroyed */
	last.num = htole32(qp.num);
	host_submit(host, ORNIC_CMD_DESTROY_QP, &last, sizeof(last));
	host_run(host);
	assert_int_equal(host_completed(host), ORNIC_CMD_OK);
	assert_int_equal(host->card->qps.count, CQ_RUN_LINKS - 1);
	assert_int_equal(count_failed(host), CQ_RUN_LINKS - 1);
	assert_true(list_empty(&host->card->dead_cqs));
}

/* [ORNIC-OBJ-20] */
TEST(test_create_cq_refusals, struct kit *w, IN_KIT)
{
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
	host_cmd_object_is(w->host, ORNIC_CMD_DESTROY_CQ, 77, ORNIC_CMD_BAD_OBJECT);
}

TEST_MAIN("cq")
