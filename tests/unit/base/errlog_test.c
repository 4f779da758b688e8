// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The log of errors (hardware.rst, section 10.8) */
#include "base/errlog.h"
#include "card/card.h"
#include "host.h"

struct log_out {
	struct ornic_query_log_out head;
	struct ornic_log_entry entries[ERRLOG_ENTRIES];
};

static void query_log(struct host *host, uint64_t first, struct log_out *out)
{
	struct ornic_query_log_in in = { .first = htole64(first) };

	memset(out, 0, sizeof(*out));
	host_cmd_ok(host, ORNIC_CMD_QUERY_LOG, &in, out);
	assert_int_equal(host->out_len,
			 sizeof(out->head) + le32toh(out->head.count) *
						     sizeof(*out->entries));
}

/* DESTROY_EQ of a number that does not exist: one entry */
static void fail_once(struct host *host, unsigned int opcode)
{
	host_cmd_object_is(host, opcode, 77, ORNIC_CMD_BAD_OBJECT);
}

static void check_entry(const struct ornic_log_entry *entry, unsigned int kind,
			unsigned int code, uint32_t num, uint32_t count)
{
	assert_int_equal(le16toh(entry->kind), kind);
	assert_int_equal(le16toh(entry->code), code);
	assert_int_equal(le32toh(entry->num), num);
	assert_int_equal(le32toh(entry->count), count);
	assert_int_equal(entry->rsvd, 0);
}

/* [ORNIC-LOG-1] [ORNIC-LOG-2] Each kind of error has its entry */
TEST(test_each_kind, struct host *host, IN_HOST)
{
	struct log_out out;

	query_log(host, 0, &out);
	assert_int_equal(le32toh(out.head.count), 0);
	fail_once(host, ORNIC_CMD_DESTROY_EQ);
	host_write(host, ORNIC_REG_FATAL_CAUSE, 4, 1);
	query_log(host, 0, &out);
	assert_int_equal(le32toh(out.head.count), 2);
	assert_true(le64toh(out.head.next) == 2);
	check_entry(&out.entries[0], ORNIC_LOG_COMMAND, ORNIC_CMD_BAD_OBJECT,
		    ORNIC_CMD_DESTROY_EQ, 1);
	check_entry(&out.entries[1], ORNIC_LOG_VIOLATION,
		    ORNIC_DEVICE_STAT_bad_register_access, 0, 1);
	assert_true(le64toh(out.entries[1].value) == ORNIC_REG_FATAL_CAUSE);
	assert_true(le64toh(out.entries[0].time) <
		    le64toh(out.entries[1].time));
	assert_true(le64toh(out.entries[1].time) < le64toh(out.head.time));
}

/* [ORNIC-LOG-1] An event that tells of an error, with its object */
TEST(test_event_of_an_object, struct host *host, IN_HOST)
{
	struct host_queue eq, cq;
	struct log_out out;
	struct host_qp qp;
	uint32_t pdn;

	host_uctx(host, ORNIC_UCTX_KERNEL, 0);
	host_eq(host, &eq, 0, 4);
	host_cq(host, &cq, 0, eq.num, 4, 5);
	pdn = host_pd(host);
	host_qp(host, &qp, ORNIC_QPT_RAW_PACKET, 0, pdn, &cq, 0);
	host_qp_to_rts(&qp);
	guest_store32(&host_qp_dbr(&qp)->sq_pi, 1u << 30);
	host_doorbell(host, 0, ORNIC_DB_SQ, qp.num, 1u << 30);
	host_run(host);
	query_log(host, 0, &out);
	assert_int_equal(le32toh(out.head.count), 2);
	check_entry(&out.entries[0], ORNIC_LOG_VIOLATION,
		    ORNIC_DEVICE_STAT_bad_sq_pi, qp.num, 1);
	assert_true(le64toh(out.entries[0].value) == 1u << 30);
	check_entry(&out.entries[1], ORNIC_LOG_EVENT, ORNIC_EVENT_QP_FATAL,
		    qp.num, 1);
}

/* [ORNIC-LOG-3] */
TEST(test_repeated_error_has_one_entry, struct host *host, IN_HOST)
{
	struct log_out out, later;
	unsigned int i;

	for (i = 0; i < 3; i++)
		fail_once(host, ORNIC_CMD_DESTROY_EQ);
	query_log(host, 0, &out);
	assert_int_equal(le32toh(out.head.count), 1);
	check_entry(&out.entries[0], ORNIC_LOG_COMMAND, ORNIC_CMD_BAD_OBJECT,
		    ORNIC_CMD_DESTROY_EQ, 3);
	fail_once(host, ORNIC_CMD_DESTROY_EQ);
	query_log(host, 0, &later);
	assert_true(le64toh(later.entries[0].time) >
		    le64toh(out.entries[0].time));
	fail_once(host, ORNIC_CMD_DESTROY_CQ);
	fail_once(host, ORNIC_CMD_DESTROY_EQ);
	query_log(host, 0, &out);
	assert_int_equal(le32toh(out.head.count), 3);
	/* The number of times does not wrap */
	host->card->errlog.entry[2].count = htole32(UINT32_MAX);
	fail_once(host, ORNIC_CMD_DESTROY_EQ);
	query_log(host, 2, &out);
	check_entry(&out.entries[0], ORNIC_LOG_COMMAND, ORNIC_CMD_BAD_OBJECT,
		    ORNIC_CMD_DESTROY_EQ, UINT32_MAX);
}

/* [ORNIC-LOG-4] */
TEST(test_ring_wraps, struct host *host, IN_HOST)
{
	struct log_out out;
	unsigned int i;

	for (i = 0; i < 3 * ERRLOG_ENTRIES; i++)
		fail_once(host, i & 1 ? ORNIC_CMD_DESTROY_EQ :
					ORNIC_CMD_DESTROY_CQ);
	query_log(host, 0, &out);
	assert_int_equal(le32toh(out.head.count), ERRLOG_ENTRIES);
	assert_true(le64toh(out.head.first) == 2 * ERRLOG_ENTRIES);
	assert_true(le64toh(out.head.next) == 3 * ERRLOG_ENTRIES);
	check_entry(&out.entries[0], ORNIC_LOG_COMMAND, ORNIC_CMD_BAD_OBJECT,
		    ORNIC_CMD_DESTROY_CQ, 1);
	query_log(host, 3 * ERRLOG_ENTRIES - 1, &out);
	assert_int_equal(le32toh(out.head.count), 1);
	check_entry(&out.entries[0], ORNIC_LOG_COMMAND, ORNIC_CMD_BAD_OBJECT,
		    ORNIC_CMD_DESTROY_EQ, 1);
	query_log(host, ~0ULL, &out);
	assert_int_equal(le32toh(out.head.count), 0);
}

/* [ORNIC-LOG-5] The next driver reads why the device was reset */
TEST(test_log_and_resets, struct host *host, IN_HOST)
{
	struct log_out out;

	card_stop(host->card);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_enable(host);
	query_log(host, 0, &out);
	assert_int_equal(le32toh(out.head.count), 1);
	check_entry(&out.entries[0], ORNIC_LOG_FATAL, ORNIC_FATAL_INJECTED, 0,
		    1);
	/* After FLR the function may be another host's */
	card_reset(host->card);
	host_enable(host);
	query_log(host, 0, &out);
	assert_int_equal(le32toh(out.head.count), 0);
	assert_true(!out.head.next);
}

TEST_MAIN("errlog")
