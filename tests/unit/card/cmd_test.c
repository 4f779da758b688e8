// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The admin queue and rules of all commands ([ORNIC-ADM-1] ff.) */
#include "card/card.h"
#include "host.h"
#include "objects/mr.h"

static uint64_t refused(struct host *host)
{
	return host_device_stat(host, ORNIC_DEVICE_STAT_commands_refused);
}

static struct ornic_cmd_sqe *next_sqe(struct host *host)
{
	struct ornic_cmd_sqe *sqe = host_ptr(host, host->admin_sq);

	return &sqe[host->admin_pi++ & ((1u << HOST_ADMIN_LOG_DEPTH) - 1)];
}

static struct ornic_cmd_cqe *ring(struct host *host)
{
	struct ornic_cmd_cqe *cqe = host_ptr(host, host->admin_cq);

	host_write(host, ORNIC_REG_ADMIN_DB, 4, host->admin_pi);
	host_run(host);
	return &cqe[host->admin_ci++ & ((1u << HOST_ADMIN_LOG_DEPTH) - 1)];
}

static unsigned int one(struct host *host, const struct ornic_cmd_sqe *sqe)
{
	*next_sqe(host) = *sqe;
	return le16toh(ring(host)->status);
}

/* host_cmd_raw() checks phase, sq_ci and cmd_id of each completion */
static void test_rings_wrap(void **state)
{
	struct host *host = *state;
	unsigned int i, turns = 5u << HOST_ADMIN_LOG_DEPTH;

	for (i = 0; i < turns; i++)
		assert_int_equal(host_cmd_raw(host, ORNIC_CMD_NOP, NULL, 0,
					      NULL, 0), ORNIC_CMD_OK);
	assert_int_equal(host_device_stat(host, ORNIC_DEVICE_STAT_commands),
			 turns);
	assert_int_equal(host->irqs[0], turns);
}

/* [ORNIC-ADM-1], [ORNIC-ADM-3] */
static void test_full_ring_with_one_doorbell(void **state)
{
	struct host *host = *state;
	unsigned int i, depth = 1u << HOST_ADMIN_LOG_DEPTH;
	struct ornic_cmd_cqe *cqe = host_ptr(host, host->admin_cq);

	for (i = 0; i < depth; i++)
		*next_sqe(host) = (struct ornic_cmd_sqe){
			.cmd_id = htole16(0x100 + i) };
	ring(host);
	/* Frames underway are flushed first, once for all commands */
	assert_int_equal(host->flushes, 1);
	for (i = 0; i < depth; i++) {
		assert_int_equal(le16toh(cqe[i].cmd_id), 0x100 + i);
		assert_int_equal(le32toh(cqe[i].ctl),
				 ORNIC_CMD_CQE_PHASE | (i + 1));
	}
	assert_in_range(host->irqs[0], 1, depth);
}

static void test_unknown_opcodes(void **state)
{
	struct host *host = *state;
	static const uint16_t opcodes[] = {
		0x006, 0x00f, 0x100, 0xffff,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++)
		assert_int_equal(host_cmd_raw(host, opcodes[i], NULL, 0, NULL,
					      0), ORNIC_CMD_BAD_OPCODE);
	assert_int_equal(refused(host), ARRAY_SIZE(opcodes));
}

/* [ORNIC-GEN-3] */
static void test_reserved_field(void **state)
{
	struct host *host = *state;
	struct ornic_cmd_sqe sqe = { .rsvd = htole32(1) };

	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_PARAM);
}

/* [ORNIC-ADM-8], [ORNIC-ADM-9] */
static void test_lengths(void **state)
{
	struct host *host = *state;
	uint64_t at = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE);
	struct ornic_cmd_sqe sqe = {
		.opcode = htole16(ORNIC_CMD_FREE_XRCD),
		.in_addr = htole64(at),
		.in_len = htole32(3),
	};

	/* Too short for an object number */
	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_SIZE);
	sqe.in_len = 0;
	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_SIZE);
	/* The object number and nothing more */
	sqe.in_len = htole32(4);
	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_OBJECT);
	/* A tail of zeros up to the maximum */
	sqe.in_len = htole32(ORNIC_CMD_MAX_IN);
	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_OBJECT);
	sqe.in_len = htole32(ORNIC_CMD_MAX_IN + 1);
	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_SIZE);
	sqe.in_len = htole32(~0U);
	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_SIZE);
	/* A tail that is not zero */
	*(uint8_t *)host_ptr(host, at + 8) = 1;
	sqe.in_len = htole32(9);
	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_SIZE);
	sqe.in_len = htole32(8);
	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_OBJECT);
	sqe.out_len = htole32(ORNIC_CMD_MAX_OUT + 1);
	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_SIZE);
}

/* [ORNIC-ADM-8] */
static void test_addresses(void **state)
{
	struct host *host = *state;
	uint64_t at = host_alloc(host, HOST_PAGE, HOST_PAGE);
	struct ornic_cmd_sqe sqe = {
		.opcode = htole16(ORNIC_CMD_FREE_XRCD),
		.in_addr = htole64(at + 4),
		.in_len = htole32(4),
	};

	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_PARAM);
	sqe.in_addr = htole64(HOST_NOWHERE);
	assert_int_equal(one(host, &sqe), ORNIC_CMD_DMA_FAULT);
	sqe.in_addr = htole64(-8ULL);
	sqe.in_len = htole32(16);
	assert_int_equal(one(host, &sqe), ORNIC_CMD_DMA_FAULT);
	/* An address without a length is not checked */
	sqe = (struct ornic_cmd_sqe){ .in_addr = htole64(3),
				      .out_addr = htole64(HOST_NOWHERE + 5) };
	assert_int_equal(one(host, &sqe), ORNIC_CMD_OK);
}

/* [ORNIC-ADM-10] A command whose output cannot be written changes nothing */
static void test_answer_out_of_reach_creates_nothing(void **state)
{
	struct host *host = *state;
	struct ornic_cmd_sqe sqe = {
		.opcode = htole16(ORNIC_CMD_ALLOC_XRCD),
		.out_addr = htole64(HOST_NOWHERE),
		.out_len = htole32(8),
	};

	assert_int_equal(one(host, &sqe), ORNIC_CMD_DMA_FAULT);
	assert_int_equal(host->card->xrcds.count, 0);
	sqe.out_addr = htole64(HOST_RAM_BASE + 4);
	assert_int_equal(one(host, &sqe), ORNIC_CMD_BAD_PARAM);
	assert_int_equal(host->card->xrcds.count, 0);
}

/* [ORNIC-ADM-7] */
static void test_answer_is_cut_to_the_room(void **state)
{
	struct host *host = *state;
	struct ornic_query_device_out whole, part;
	unsigned int room = offsetof(struct ornic_query_device_out, max_pd);

	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_QUERY_DEVICE, NULL, 0,
				      &whole, sizeof(whole)), ORNIC_CMD_OK);
	assert_int_equal(host->out_len, sizeof(whole));
	memset(&part, 0xa5, sizeof(part));
	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_QUERY_DEVICE, NULL, 0,
				      &part, room), ORNIC_CMD_OK);
	assert_int_equal(host->out_len, room);
	assert_memory_equal(&part, &whole, room);
}

static void test_refusal_writes_no_answer(void **state)
{
	struct host *host = *state;
	struct ornic_query_stats_in in = { .scope = htole32(99) };
	uint64_t out[4];

	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_QUERY_STATS, &in,
				      sizeof(in), out, sizeof(out)),
			 ORNIC_CMD_BAD_PARAM);
	assert_int_equal(host->out_len, 0);
}

/*
 * [ORNIC-ADM-9] Every command that takes an input refuses one that is a
 * byte too short, and every command refuses a tail that is not zero. Sizes
 * are those of hardware.rst, sections 10 and 11.
 */
static void test_sizes_of_each_command(void **state)
{
	static const struct {
		uint16_t opcode;
		uint16_t min;
		uint16_t size;
	} cmds[] = {
		{ ORNIC_CMD_NOP, 0, 0 },
		{ ORNIC_CMD_QUERY_DEVICE, 0, 0 },
		{ ORNIC_CMD_QUERY_STATS, 4, 8 },
		{ ORNIC_CMD_SET_HOST, 16, 80 },
		{ ORNIC_CMD_QUERY_EFFECTS, 0, 0 },
		{ ORNIC_CMD_QUERY_LOG, 0, 8 },
		{ ORNIC_CMD_QUERY_PORT, 0, 0 },
		{ ORNIC_CMD_MODIFY_PORT, 4, 16 },
		{ ORNIC_CMD_SET_RX_FILTER, 8, 8 + 256 * 8 },
		{ ORNIC_CMD_SET_RX_QUEUES, 4, 560 },
		{ ORNIC_CMD_SET_GID, 4, 32 },
		{ ORNIC_CMD_ALLOC_UCTX, 0, 16 },
		{ ORNIC_CMD_FREE_UCTX, 4, 8 },
		{ ORNIC_CMD_CREATE_EQ, 32, 32 },
		{ ORNIC_CMD_DESTROY_EQ, 4, 8 },
		{ ORNIC_CMD_ALLOC_XRCD, 0, 0 },
		{ ORNIC_CMD_FREE_XRCD, 4, 8 },
		{ ORNIC_CMD_CREATE_MR, 12, 56 },
		{ ORNIC_CMD_DESTROY_MR, 4, 8 },
		{ ORNIC_CMD_CREATE_CQ, 40, 40 },
		{ ORNIC_CMD_DESTROY_CQ, 4, 8 },
		{ ORNIC_CMD_CREATE_QP, 72, 120 },
		{ ORNIC_CMD_DESTROY_QP, 4, 8 },
		{ ORNIC_CMD_MODIFY_QP, 8, 144 },
		{ ORNIC_CMD_QUERY_QP, 4, 8 },
		{ ORNIC_CMD_CREATE_WQ, 48, 48 },
		{ ORNIC_CMD_DESTROY_WQ, 4, 8 },
		{ ORNIC_CMD_MODIFY_WQ, 16, 16 },
		{ ORNIC_CMD_DESTROY_RWQ_TABLE, 4, 8 },
		{ ORNIC_CMD_CREATE_FLOW, 344, 344 },
		{ ORNIC_CMD_DESTROY_FLOW, 4, 8 },
		{ ORNIC_CMD_CREATE_COUNTERS, 0, 0 },
		{ ORNIC_CMD_DESTROY_COUNTERS, 4, 8 },
	};
	struct host *host = *state;
	uint8_t in[ORNIC_CMD_MAX_IN];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		memset(in, 0, sizeof(in));
		if (cmds[i].min)
			assert_int_equal(host_cmd_raw(host, cmds[i].opcode, in,
						      cmds[i].min - 1, NULL, 0),
					 ORNIC_CMD_BAD_SIZE);
		in[cmds[i].size] = 1;
		assert_int_equal(host_cmd_raw(host, cmds[i].opcode, in,
					      cmds[i].size + 1, NULL, 0),
				 ORNIC_CMD_BAD_SIZE);
		in[cmds[i].size] = 0;
		assert_int_not_equal(host_cmd_raw(host, cmds[i].opcode, in,
						  cmds[i].min, NULL, 0),
				     ORNIC_CMD_BAD_SIZE);
	}
}

static void test_query_device_tells_what_is_built(void **state)
{
	struct host *host = *state;
	struct ornic_query_device_out out;

	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_QUERY_DEVICE, NULL, 0,
				      &out, sizeof(out)), ORNIC_CMD_OK);
	assert_true(le64toh(out.features) == (ORNIC_FEAT_SRQ |
					      ORNIC_FEAT_XRC |
					      ORNIC_FEAT_MCAST |
					      ORNIC_FEAT_MW |
					      ORNIC_FEAT_REG_MR |
					      ORNIC_FEAT_MODIFY_MR |
					      ORNIC_FEAT_RESIZE_CQ |
					      ORNIC_FEAT_CQ_MODERATION |
					      ORNIC_FEAT_CQE_EXT |
					      ORNIC_FEAT_WQ |
					      ORNIC_FEAT_FLOW |
					      ORNIC_FEAT_TSO |
					      ORNIC_FEAT_RATE_LIMIT |
					      ORNIC_FEAT_PATH_MIG |
					      ORNIC_FEAT_NULL_MR |
					      ORNIC_FEAT_FLOW_COPY));
	assert_int_equal(le32toh(out.profiles), ORNIC_PROFILE_RDMA |
						ORNIC_PROFILE_ETHERNET |
						ORNIC_PROFILE_FULL);
	assert_int_equal(le32toh(out.max_log), 64);
	assert_true(le64toh(out.flow_fields) == 0xffffffffffULL);
	assert_true(out.flow_any_mask == out.flow_fields);
	assert_int_equal(le32toh(out.flow_types), 0xf);
	assert_int_equal(le32toh(out.flow_flags), 0xf);
	assert_int_equal(le32toh(out.flow_layers), 0xf);
	assert_int_equal(le32toh(out.max_flow_masks), 0);
	/* [ORNIC-DEV-16] */
	assert_true(le64toh(out.guid) == 0x000e1cfffe000001ULL);
	assert_true(le32toh(out.max_mr) >= 131071);
	assert_true(le32toh(out.max_qp) >= 16382);
	assert_true(le32toh(out.max_cq) >= 16384);
	assert_int_equal(le32toh(out.max_uctx), CARD_DB_PAGES);
	/* [ORNIC-OBJ-6] */
	assert_true(le32toh(out.max_eq) >= CARD_VECTORS_MAX);
	assert_int_equal(le32toh(out.max_cqe), 65536);
	assert_int_equal(le32toh(out.max_srq), 8191);
	assert_int_equal(le32toh(out.max_xrcd), 4096);
	assert_int_equal(le32toh(out.max_mcast_groups), 1024);
	assert_int_equal(le32toh(out.max_mcast_qps), 256);
	assert_true(le32toh(out.max_wq) >= 16382);
	assert_int_equal(le32toh(out.max_rwq_tables), 4096);
	assert_int_equal(le32toh(out.max_rwq_table_size), 512);
	assert_int_equal(le32toh(out.rx_hash_fields), 0x800001ff);
	assert_int_equal(le32toh(out.wq_flags), 0xf);
	assert_int_equal(le32toh(out.max_delay_drop), 1000000);
	assert_int_equal(le32toh(out.max_tso), 131072);
	assert_int_equal(le32toh(out.min_rate), 1);
	assert_int_equal(le32toh(out.max_rate), 100000000);
	assert_int_equal(le32toh(out.max_flows), 1024);
	assert_int_equal(le32toh(out.max_counters), 1024);
	assert_true(le32toh(out.max_mw) >= 131071);
	assert_int_equal(le32toh(out.max_reg_pages), MR_MAX_REG_PAGES);
	assert_true(le64toh(out.page_sizes) == 0xfffff000ULL);
}

static void check_ring(__le32 entries)
{
	uint32_t count = le32toh(entries);

	assert_true(count && !(count & (count - 1)));
	assert_true(count <= ORNIC_RING_MAX);
}

/* [ORNIC-DEV-18], [ORNIC-ORD-10] A card that lags as far as it may, too */
static void test_limits_of_rings(void **state)
{
	static const struct card_config configs[] = {
		{},
		{ .ci_lags = true, .ci_lag = ORNIC_CI_LAG_MAX },
	};
	struct ornic_query_device_out out;
	struct host *host;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		host = host_create_as(&configs[i], 1);
		host_enable(host);
		assert_int_equal(host_cmd_raw(host, ORNIC_CMD_QUERY_DEVICE, NULL,
					      0, &out, sizeof(out)),
				 ORNIC_CMD_OK);
		check_ring(out.max_eqe);
		check_ring(out.max_cqe);
		check_ring(out.max_sq_slots);
		check_ring(out.max_rq_wqes);
		check_ring(out.max_srq_wqes);
		check_ring(out.max_rwq_table_size);
		assert_true(le32toh(out.sq_ci_lag) <= ORNIC_CI_LAG_MAX);
		assert_true(le32toh(out.rq_ci_lag) <= ORNIC_CI_LAG_MAX);
		assert_true(le32toh(out.sq_ci_lag) <=
			    le32toh(out.max_sq_slots) / 4);
		assert_true(le32toh(out.rq_ci_lag) <=
			    le32toh(out.max_rq_wqes) / 4);
		assert_true(le32toh(out.rq_ci_lag) <=
			    le32toh(out.max_srq_wqes) / 4);
		assert_int_equal(le32toh(out.rq_ci_lag), configs[i].ci_lag);
		host_destroy(host);
	}
}

static void test_query_stats_each_scope(void **state)
{
	struct host *host = *state;
	struct ornic_query_stats_in in = {};
	uint64_t out[512];

	in.scope = htole32(ORNIC_STATS_PORT);
	assert_int_equal(host_cmd(host, ORNIC_CMD_QUERY_STATS, &in, &out),
			 ORNIC_CMD_OK);
	assert_int_equal(host->out_len, ORNIC_PORT_STAT_COUNT * 8);
	in.scope = htole32(ORNIC_STATS_RDMA);
	assert_int_equal(host_cmd(host, ORNIC_CMD_QUERY_STATS, &in, &out),
			 ORNIC_CMD_OK);
	assert_int_equal(host->out_len, ORNIC_RDMA_STAT_COUNT * 8);
	in.scope = htole32(ORNIC_STATS_DEVICE);
	assert_int_equal(host_cmd(host, ORNIC_CMD_QUERY_STATS, &in, &out),
			 ORNIC_CMD_OK);
	assert_int_equal(host->out_len, ORNIC_DEVICE_STAT_COUNT * 8);
	assert_true(le64toh(out[ORNIC_DEVICE_STAT_commands]) == 3);
	in.num = htole32(1);
	assert_int_equal(host_cmd(host, ORNIC_CMD_QUERY_STATS, &in, &out),
			 ORNIC_CMD_BAD_PARAM);
	in.scope = htole32(ORNIC_STATS_QP);
	assert_int_equal(host_cmd(host, ORNIC_CMD_QUERY_STATS, &in, &out),
			 ORNIC_CMD_BAD_OBJECT);
}

static void test_injected_stop_ends_with_a_reset(void **state)
{
	struct host *host = *state;

	card_stop(host->card);
	assert_int_equal(host_read(host, ORNIC_REG_FATAL_CAUSE, 4),
			 ORNIC_FATAL_INJECTED);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_enable(host);
	host_uctx(host, 0, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, host_setup, host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_rings_wrap),
		T(test_full_ring_with_one_doorbell),
		T(test_unknown_opcodes),
		T(test_reserved_field),
		T(test_lengths),
		T(test_addresses),
		T(test_answer_out_of_reach_creates_nothing),
		T(test_answer_is_cut_to_the_room),
		T(test_refusal_writes_no_answer),
		T(test_sizes_of_each_command),
		T(test_query_device_tells_what_is_built),
		T(test_limits_of_rings),
		T(test_query_stats_each_scope),
		T(test_injected_stop_ends_with_a_reset),
	};

	return cmocka_run_group_tests_name("cmd", tests, NULL, NULL);
}
