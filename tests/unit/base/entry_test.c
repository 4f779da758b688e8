// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* How entries of rings become visible ([ORNIC-GEN-5], [ORNIC-GEN-7]) */
#include <pthread.h>
#include <sched.h>

#include "base/guest.h"
#include "kit.h"
#include "objects/cq.h"

#define ENTRIES 20000

/* The card writes one entry at a time; the host reads on another processor */
struct reader {
	struct kit *kit;
	pthread_t thread;
	unsigned int wrong;
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

static void *read_entries(void *arg)
{
	struct reader *reader = arg;
	struct host_queue *cq = &reader->kit->cq;
	const struct ornic_cqe *cqe;
	uint32_t i;

	for (i = 0; i < ENTRIES; i++) {
		while (!(cqe = host_queue_peek(cq)))
			sched_yield();
		if (!is_made(cq, cqe, i))
			reader->wrong++;
		host_queue_consume(cq);
	}
	return NULL;
}

static void write_entries(struct kit *w)
{
	struct ornic_cq_dbr *dbr = host_ptr(w->host, w->cq.dbr);
	struct ornic_cqe_ext ext;
	struct ornic_cqe cqe;
	uint32_t i;

	for (i = 0; i < ENTRIES; i++) {
		while (i - guest_load32(&dbr->ci) == 1u << KIT_LOG_CQ)
			sched_yield();
		cqe = made_cqe(i);
		ext = made_ext(i);
		cq_post(w->dev_cq, &cqe, &ext, false);
	}
}

static void test_phase_shows_the_whole_entry(void **state)
{
	struct reader reader = { .kit = *state };
	struct kit *w = *state;
	unsigned int log;

	for (log = 5; log <= 6; log++) {
		kit_cq(w, w->eq.num, KIT_LOG_CQ, log);
		assert_int_equal(pthread_create(&reader.thread, NULL,
						read_entries, &reader), 0);
		write_entries(w);
		assert_int_equal(pthread_join(reader.thread, NULL), 0);
		assert_int_equal(reader.wrong, 0);
		assert_false(w->dev_cq->dead);
	}
}

/* Nothing is left of what the host has put into an entry */
static void test_all_bytes_are_written(void **state)
{
	const struct ornic_cqe zero = {};
	struct kit *w = *state;
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
	kit_arm_cq(w, ORNIC_ARM_NEXT);
	kit_post(w, 1);
	assert_memory_equal(entry + 4, &zero, 24);
	kit_expect_event(w, ORNIC_EVENT_COMP, w->cq.num);
}

/* Each size, and neither more nor less than the entry */
static void test_write_entry(void **state)
{
	_Alignas(64) uint8_t to[64 + 8], from[64];
	unsigned int size, whole, i;

	(void)state;
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

#define T(name) cmocka_unit_test_setup_teardown(name, kit_setup, \
						kit_teardown)
#define W(name) { #name " (whole)", name, kit_setup_whole, kit_teardown, NULL }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write_entry),
		T(test_phase_shows_the_whole_entry),
		W(test_phase_shows_the_whole_entry),
		T(test_all_bytes_are_written),
		W(test_all_bytes_are_written),
	};

	return cmocka_run_group_tests_name("entry", tests, NULL, NULL);
}
