// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rules of all commands ([ORNIC-ADM-6] ff.): sizes, addresses, answers, and in
 * which order they are checked. The limits and counters of QUERY_DEVICE and
 * QUERY_STATS, and how structures grow.
 */
#include "card/card.h"
#include "kit.h"
#include "objects/mr.h"

#define GARBAGE 0xa5

static uint64_t refused(struct host *host)
{
	return host_device_stat(host, ORNIC_DEVICE_STAT_commands_refused);
}

/* Submit one entry as it is, and return its completion */
static struct ornic_cmd_cqe execute(struct host *host,
				    const struct ornic_cmd_sqe *sqe)
{
	uint32_t mask = (1u << HOST_ADMIN_LOG_DEPTH) - 1;
	struct ornic_cmd_sqe *sq = host_ptr(host, host->admin_sq);
	struct ornic_cmd_cqe *cq = host_ptr(host, host->admin_cq);

	sq[host->admin_pi++ & mask] = *sqe;
	host_write(host, ORNIC_REG_ADMIN_DB, 4, host->admin_pi);
	host_run(host);
	return cq[host->admin_ci++ & mask];
}

static unsigned int status_of(struct host *host,
			      const struct ornic_cmd_sqe *sqe)
{
	return le16toh(execute(host, sqe).status);
}

TEST(test_unknown_opcodes, struct host *host, IN_HOST)
{
	static const uint16_t opcodes[] = {
		0x006, 0x00f, 0x100, 0xffff,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++)
		host_cmd_raw_is(host, opcodes[i], NULL, 0, NULL, 0, ORNIC_CMD_BAD_OPCODE);
	assert_int_equal(refused(host), ARRAY_SIZE(opcodes));
}

/* [ORNIC-ADM-10], [ORNIC-ADM-11] */
TEST(test_lengths, struct host *host, IN_HOST)
{
	uint64_t at = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE);
	struct ornic_cmd_sqe sqe = {
		.opcode = htole16(ORNIC_CMD_FREE_XRCD),
		.in_addr = htole64(at),
		.in_len = htole32(3),
	};

	/* Too short for an object number */
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_SIZE);
	sqe.in_len = 0;
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_SIZE);
	/* The object number and nothing more */
	sqe.in_len = htole32(4);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_OBJECT);
	/* A tail of zeros up to the maximum */
	sqe.in_len = htole32(ORNIC_CMD_MAX_IN);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_OBJECT);
	sqe.in_len = htole32(ORNIC_CMD_MAX_IN + 1);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_SIZE);
	sqe.in_len = htole32(~0U);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_SIZE);
	/* A tail that is not zero */
	*(uint8_t *)host_ptr(host, at + 8) = 1;
	sqe.in_len = htole32(9);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_SIZE);
	sqe.in_len = htole32(8);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_OBJECT);
	sqe.out_len = htole32(ORNIC_CMD_MAX_OUT + 1);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_SIZE);
	*(uint8_t *)host_ptr(host, at + 8) = 0;
	sqe = (struct ornic_cmd_sqe){
		.in_addr = htole64(at), .in_len = htole32(ORNIC_CMD_MAX_IN),
		.out_addr = htole64(at), .out_len = htole32(ORNIC_CMD_MAX_OUT),
	};
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_OK);
}

/* [ORNIC-ADM-10] */
TEST(test_addresses, struct host *host, IN_HOST)
{
	uint64_t at = host_alloc(host, HOST_PAGE, HOST_PAGE);
	struct ornic_cmd_sqe sqe = {
		.opcode = htole16(ORNIC_CMD_FREE_XRCD),
		.in_addr = htole64(at + 4),
		.in_len = htole32(4),
	};
	unsigned int i;

	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_PARAM);
	sqe.in_addr = htole64(HOST_NOWHERE);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_DMA_FAULT);
	sqe.in_addr = htole64(-8ULL);
	sqe.in_len = htole32(16);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_DMA_FAULT);
	/* An address without a length is not checked */
	sqe = (struct ornic_cmd_sqe){ .in_addr = htole64(3),
				      .out_addr = htole64(HOST_NOWHERE + 5) };
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_OK);
	for (i = 1; i < 8; i++) {
		sqe = (struct ornic_cmd_sqe){ .in_addr = htole64(at + i),
					      .in_len = htole32(8) };
		assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_PARAM);
		sqe.in_len = 0;
		assert_int_equal(status_of(host, &sqe), ORNIC_CMD_OK);
		sqe = (struct ornic_cmd_sqe){ .out_addr = htole64(at + i),
					      .out_len = htole32(8) };
		assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_PARAM);
		sqe.out_len = 0;
		assert_int_equal(status_of(host, &sqe), ORNIC_CMD_OK);
	}
}

/* [ORNIC-ADM-6] The host may give all commands the same cmd_id, or any */
TEST(test_cmd_id_is_returned, struct host *host, IN_HOST)
{
	static const uint16_t ids[] = { 0, 0, 0xffff, 0xffff, 1, 0x8000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		struct ornic_cmd_sqe sqe = {
			/* Refused or not */
			.opcode = htole16(i & 1 ? 0xffff : ORNIC_CMD_NOP),
			.cmd_id = htole16(ids[i]),
		};
		struct ornic_cmd_cqe cqe = execute(host, &sqe);

		assert_int_equal(le16toh(cqe.cmd_id), ids[i]);
	}
}

/* [ORNIC-ADM-12] A command whose output cannot be written changes nothing */
TEST(test_answer_out_of_reach_creates_nothing, struct host *host, IN_HOST)
{
	struct ornic_cmd_sqe sqe = {
		.opcode = htole16(ORNIC_CMD_ALLOC_XRCD),
		.out_addr = htole64(HOST_NOWHERE),
		.out_len = htole32(8),
	};

	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_DMA_FAULT);
	assert_int_equal(host->card->xrcds.count, 0);
	sqe.out_addr = htole64(HOST_RAM_BASE + 4);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_PARAM);
	assert_int_equal(host->card->xrcds.count, 0);
}

/* [ORNIC-ADM-9] The answer is cut; nothing beyond it or beyond the room is written */
TEST(test_only_the_answer_is_written, struct host *host, IN_HOST)
{
	uint64_t at = host_alloc(host, 4096, 8);
	uint8_t *out = host_ptr(host, at);
	struct ornic_cmd_sqe sqe = {
		.opcode = htole16(ORNIC_CMD_QUERY_PORT),
		.out_addr = htole64(at),
	};
	struct ornic_query_port_out whole;
	struct ornic_cmd_cqe cqe;
	uint32_t room, i, len;

	host_cmd_out_ok(host, ORNIC_CMD_QUERY_PORT, &whole);
	for (room = 0; room < 2 * sizeof(struct ornic_query_port_out); room++) {
		memset(out, GARBAGE, 4096);
		sqe.out_len = htole32(room);
		cqe = execute(host, &sqe);
		assert_int_equal(cqe.status, 0);
		len = le32toh(cqe.out_len);
		assert_int_equal(len, room <
				 sizeof(struct ornic_query_port_out) ? room :
				 sizeof(struct ornic_query_port_out));
		assert_memory_equal(out, &whole, len);
		for (i = len; i < 4096; i++)
			assert_int_equal(out[i], GARBAGE);
	}
	/* A command that is refused writes nothing */
	memset(out, GARBAGE, 4096);
	sqe.opcode = htole16(ORNIC_CMD_QUERY_STATS);
	sqe.in_addr = htole64(at);
	sqe.in_len = htole32(4);
	cqe = execute(host, &sqe);
	assert_int_equal(le16toh(cqe.status), ORNIC_CMD_BAD_PARAM);
	assert_int_equal(cqe.out_len, 0);
	for (i = 0; i < 4096; i++)
		assert_int_equal(out[i], GARBAGE);
}

/*
 * [ORNIC-ADM-11] Every command that takes an input refuses one that is a
 * byte too short, and every command refuses a tail that is not zero. Sizes
 * are those of hardware.rst, section 10.
 */
TEST(test_sizes_of_each_command, struct host *host, IN_HOST)
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
		{ ORNIC_CMD_BIND_STATS, 8, 8 },
		{ ORNIC_CMD_CREATE_WQ, 48, 48 },
		{ ORNIC_CMD_DESTROY_WQ, 4, 8 },
		{ ORNIC_CMD_MODIFY_WQ, 16, 16 },
		{ ORNIC_CMD_DESTROY_RWQ_TABLE, 4, 8 },
		{ ORNIC_CMD_CREATE_FLOW, 344, 344 },
		{ ORNIC_CMD_DESTROY_FLOW, 4, 8 },
		{ ORNIC_CMD_CREATE_COUNTERS, 0, 0 },
		{ ORNIC_CMD_DESTROY_COUNTERS, 4, 8 },
	};
	uint8_t in[ORNIC_CMD_MAX_IN];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		memset(in, 0, sizeof(in));
		if (cmds[i].min)
			host_cmd_raw_is(host, cmds[i].opcode, in, cmds[i].min - 1, NULL, 0,
					ORNIC_CMD_BAD_SIZE);
		in[cmds[i].size] = 1;
		host_cmd_raw_is(host, cmds[i].opcode, in, cmds[i].size + 1, NULL, 0,
				ORNIC_CMD_BAD_SIZE);
		in[cmds[i].size] = 0;
		assert_int_not_equal(host_cmd_raw(host, cmds[i].opcode, in,
						  cmds[i].min, NULL, 0),
				     ORNIC_CMD_BAD_SIZE);
	}
}

/*
 * [ORNIC-ADM-11], [ORNIC-EXT-3] What an older host leaves out is zero: SET_GID
 * of the index alone clears the entry, MODIFY_CQ of the number alone ends
 * moderation
 */
TEST(test_short_input_is_extended_with_zeros, struct kit *kit, IN_KIT)
{
	struct host *host = kit->host;
	struct ornic_set_gid_in gid = {
		.flags = htole16(ORNIC_GID_VALID),
		.smac = { 2, 1, 1, 1, 1, 1 },
		.gid = { 0xfd, [15] = 1 },
	};
	struct ornic_modify_cq_in cq = {
		.cqn = htole32(kit->cq.num),
		.count = htole16(9),
		.period = htole16(1000),
	};

	host_cmd_in_ok(host, ORNIC_CMD_SET_GID, &gid);
	assert_non_null(gid_get(&host->card->gids, 0));
	gid.flags = 0;
	host_cmd_raw_is(host, ORNIC_CMD_SET_GID, &gid, 4, NULL, 0, ORNIC_CMD_OK);
	assert_null(gid_get(&host->card->gids, 0));

	host_cmd_in_ok(host, ORNIC_CMD_MODIFY_CQ, &cq);
	host_cmd_raw_is(host, ORNIC_CMD_MODIFY_CQ, &cq, 4, NULL, 0, ORNIC_CMD_OK);
	kit_arm_cq(kit, ORNIC_ARM_NEXT);
	kit_post_event(kit, 1);
}

/*
 * [ORNIC-ADM-14], [ORNIC-GEN-3] An entry in which everything is wrong, and is put right thing
 * by thing: each status shows the next check
 */
TEST(test_order_of_checks, struct host *host, IN_HOST)
{
	uint64_t at = host_alloc(host, HOST_PAGE, HOST_PAGE);
	uint8_t *in = host_ptr(host, at);
	struct ornic_cmd_sqe sqe = {
		.opcode = 0xffff,
		.rsvd = htole32(1),
		.in_len = htole32(ORNIC_CMD_MAX_IN + 1),
		.out_len = htole32(ORNIC_CMD_MAX_OUT + 1),
		.in_addr = htole64(HOST_NOWHERE + 4),
		.out_addr = htole64(HOST_NOWHERE + 4),
	};

	memset(in, 0xff, HOST_PAGE);
#define EXPECT(expected) \
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_##expected)
	EXPECT(BAD_OPCODE);
	sqe.opcode = htole16(ORNIC_CMD_QUERY_STATS);
	EXPECT(BAD_PARAM);
	sqe.rsvd = 0;
	EXPECT(BAD_SIZE);
	sqe.in_len = htole32(16);
	EXPECT(BAD_SIZE);
	sqe.out_len = htole32(8);
	EXPECT(BAD_PARAM);
	sqe.in_addr = htole64(HOST_NOWHERE);
	EXPECT(BAD_PARAM);
	sqe.out_addr = htole64(HOST_NOWHERE);
	EXPECT(DMA_FAULT);
	/* The input has a tail that is not zero */
	sqe.in_addr = htole64(at);
	EXPECT(DMA_FAULT);
	sqe.out_addr = htole64(at + 64);
	EXPECT(BAD_SIZE);
	memset(in + 8, 0, 8);
	EXPECT(BAD_PARAM);
	memset(in, 0, 8);
	EXPECT(OK);
#undef EXPECT
}

/*
 * [ORNIC-EXT-3] An input of zeros in all that 1.0 does not need
 * means the plain object: CREATE_QP without what follows dbr_addr
 */
TEST(test_zero_means_the_old_behaviour, struct kit *kit, IN_KIT)
{
	struct host *host = kit->host;
	struct ornic_create_qp_in in = {
		.uctx = htole32(kit->uctx),
		.pdn = htole32(host_pd(host)),
		.send_cqn = htole32(kit->cq.num),
		.recv_cqn = htole32(kit->cq.num),
		.type = ORNIC_QPT_RC,
		.dbr_addr = htole64(host_alloc(host, 128, 128)),
	};
	struct ornic_create_qp_out out;

	host_cmd_raw_is(host, ORNIC_CMD_CREATE_QP, &in,
			offsetof(struct ornic_create_qp_in, rwq_table), &out, sizeof(out),
			ORNIC_CMD_OK);
	host_cmd_object_ok(host, ORNIC_CMD_DESTROY_QP, le32toh(out.qpn));
	host_cmd_ok(host, ORNIC_CMD_CREATE_QP, &in, &out);
}

/* ---- QUERY_DEVICE, QUERY_STATS ---- */

TEST(test_query_device_tells_what_is_built, struct host *host, IN_HOST)
{
	struct ornic_query_device_out out;

	host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &out);
	assert_true(le64toh(out.features) == (ORNIC_FEAT_SRQ |
					      ORNIC_FEAT_RESIZE_SRQ |
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
					      ORNIC_FEAT_STAT_SETS |
					      ORNIC_FEAT_TSO |
					      ORNIC_FEAT_RATE_LIMIT |
					      ORNIC_FEAT_NULL_MR |
					      ORNIC_FEAT_FLOW_COPY |
					      ORNIC_FEAT_COMP_CNTR));
	assert_int_equal(le32toh(out.profiles), ORNIC_PROFILE_RDMA |
						ORNIC_PROFILE_ETHERNET |
						ORNIC_PROFILE_FULL |
						ORNIC_PROFILE_ULP);
	assert_int_equal(le32toh(out.max_log), 64);
	assert_true(le64toh(out.flow_fields) == 0xffffffffffULL);
	assert_true(out.flow_any_mask == out.flow_fields);
	assert_int_equal(le32toh(out.flow_types), 0xf);
	assert_int_equal(le32toh(out.flow_flags), 0xf);
	assert_int_equal(le32toh(out.flow_layers), 0xf);
	assert_int_equal(le32toh(out.max_flow_masks), 0);
	/* [ORNIC-DEV-3] */
	assert_true(le64toh(out.guid) == 0x000e1cfffe000001ULL);
	assert_true(le32toh(out.max_mr) >= 131071);
	assert_true(le32toh(out.max_qp) >= 16382);
	assert_true(le32toh(out.max_cq) >= 16384);
	assert_int_equal(le32toh(out.max_uctx), CARD_DB_PAGES);
	/* [ORNIC-OBJ-11] */
	assert_true(le32toh(out.max_eq) >= CARD_VECTORS_MAX);
	/* libfabric's verbs;ofi_rxm asks for that many */
	assert_int_equal(le32toh(out.max_cqe), 262144);
	assert_int_equal(le32toh(out.max_srq), 8191);
	assert_int_equal(le32toh(out.max_xrcd), 4096);
	assert_int_equal(le32toh(out.max_mcast_groups), 1024);
	assert_int_equal(le32toh(out.max_mcast_qps), 16);
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
	assert_int_equal(le32toh(out.max_stat_sets), 1024);
	assert_int_equal(le32toh(out.max_comp_cntrs), 1024);
	/* [ORNIC-FLOW-2] 60 tags, or 25 extension headers, fill what is looked at */
	assert_int_equal(le32toh(out.parse_bytes), 256);
	assert_int_equal(le32toh(out.parse_tags), 60);
	assert_int_equal(le32toh(out.parse_exts), 25);
	assert_int_equal(le32toh(out.rx_hash_types), 0xf);
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

/* [ORNIC-DEV-6], [ORNIC-ORD-8] A card that lags as far as it may, too */
TEST_VOID(test_limits_of_rings, IN_HOST)
{
	static const struct card_config configs[] = {
		{},
		{ .ci_lags = true, .ci_lag = ORNIC_CI_LAG_MAX },
	};
	struct ornic_query_device_out out;
	struct host *host;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		host = host_create_as(&configs[i], 1);
		host_enable(host);
		host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &out);
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

/* [ORNIC-DEV-2] The answer stays, whatever the host does */
TEST(test_answer_does_not_change, struct kit *kit, IN_KIT)
{
	struct host *host = kit->host;
	struct ornic_query_device_out first, later;
	struct ornic_modify_port_in port = {
		.mask = htole32(ORNIC_PORT_MTU | ORNIC_PORT_MAC | ORNIC_PORT_UP),
		.mtu = htole32(9000),
		.mac = { 2, 9, 9, 9, 9, 9 },
		.up = 1,
	};

	host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &first);
	host_cmd_in_ok(host, ORNIC_CMD_MODIFY_PORT, &port);
	host_uctx(host, 0, 0);
	kit_post(kit, 1);
	host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &later);
	assert_memory_equal(&first, &later, sizeof(first));
}

/*
 * [ORNIC-DEV-5], [ORNIC-EXT-1] So many counters as the card promises, and not
 * one more
 */
TEST(test_maximum_is_what_may_be_created, struct host *host, IN_HOST)
{
	struct ornic_query_device_out limits;
	struct ornic_object out;
	uint32_t i;

	host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &limits);
	for (i = 0; i < le32toh(limits.max_counters); i++)
		host_cmd_out_ok(host, ORNIC_CMD_CREATE_COUNTERS, &out);
	host_cmd_out_is(host, ORNIC_CMD_CREATE_COUNTERS, &out,
			ORNIC_CMD_NO_RESOURCES);
	for (i = 0; i < le32toh(limits.max_xrcd); i++)
		host_cmd_out_ok(host, ORNIC_CMD_ALLOC_XRCD, &out);
	host_cmd_out_is(host, ORNIC_CMD_ALLOC_XRCD, &out,
			ORNIC_CMD_NO_RESOURCES);
}

/* [ORNIC-DEV-10] The host's own `up` tells no event */
TEST(test_up_is_no_event, struct kit *kit, IN_KIT)
{
	struct ornic_modify_port_in in = { .mask = htole32(ORNIC_PORT_UP) };
	struct ornic_query_port_out out;

	for (in.up = 0; in.up < 2; in.up++) {
		host_cmd_in_ok(kit->host, ORNIC_CMD_MODIFY_PORT, &in);
		kit_expect_no_event(kit);
		host_cmd_raw(kit->host, ORNIC_CMD_QUERY_PORT, NULL, 0, &out,
			     sizeof(out));
		assert_int_equal(out.link, 1);
	}
	card_link_changed(kit->host->card, false);
	kit_expect_event(kit, ORNIC_EVENT_PORT_DOWN, 0);
}

TEST(test_query_stats_each_scope, struct host *host, IN_HOST)
{
	struct ornic_query_stats_in in = {};
	uint64_t out[512];

	in.scope = htole32(ORNIC_STATS_PORT);
	host_cmd_ok(host, ORNIC_CMD_QUERY_STATS, &in, &out);
	assert_int_equal(host->out_len, ORNIC_PORT_STAT_COUNT * 8);
	in.scope = htole32(ORNIC_STATS_RDMA);
	host_cmd_ok(host, ORNIC_CMD_QUERY_STATS, &in, &out);
	assert_int_equal(host->out_len, ORNIC_RDMA_STAT_COUNT * 8);
	in.scope = htole32(ORNIC_STATS_DEVICE);
	host_cmd_ok(host, ORNIC_CMD_QUERY_STATS, &in, &out);
	assert_int_equal(host->out_len, ORNIC_DEVICE_STAT_COUNT * 8);
	assert_true(le64toh(out[ORNIC_DEVICE_STAT_commands]) == 3);
	in.num = htole32(1);
	host_cmd_is(host, ORNIC_CMD_QUERY_STATS, &in, &out, ORNIC_CMD_BAD_PARAM);
	in.scope = htole32(ORNIC_STATS_SET);
	in.num = htole32(STATS_SETS - 1);
	host_cmd_ok(host, ORNIC_CMD_QUERY_STATS, &in, &out);
	assert_int_equal(host->out_len, ORNIC_QP_STAT_COUNT * 8);
	in.num = htole32(STATS_SETS);
	host_cmd_is(host, ORNIC_CMD_QUERY_STATS, &in, &out, ORNIC_CMD_BAD_OBJECT);
}

/*
 * [ORNIC-DEV-13] An older host asks for fewer counters and gets these; all
 * begin with 0 at reset and only grow
 */
TEST(test_counters_grow_and_are_cut, struct host *host, IN_HOST)
{
	struct ornic_query_stats_in in = {
		.scope = htole32(ORNIC_STATS_DEVICE),
	};
	uint64_t last[ORNIC_DEVICE_STAT_COUNT] = {}, now[2 * ARRAY_SIZE(last)];
	unsigned int i, count, turn;

	for (turn = 0; turn < 3; turn++) {
		host_cmd_raw(host, 0xffff, NULL, 0, NULL, 0);
		host_cmd_ok(host, ORNIC_CMD_QUERY_STATS, &in, &now);
		assert_int_equal(host->out_len, sizeof(last));
		for (i = 0; i < ARRAY_SIZE(last); i++)
			assert_true(le64toh(now[i]) >= last[i]);
		memcpy(last, now, sizeof(last));
		assert_int_equal(last[ORNIC_DEVICE_STAT_commands_refused],
				 turn + 1);
	}
	for (count = 0; count < ARRAY_SIZE(last); count++) {
		memset(now, GARBAGE, sizeof(now));
		host_cmd_raw_is(host, ORNIC_CMD_QUERY_STATS, &in, sizeof(in), now, count * 8,
				ORNIC_CMD_OK);
		assert_int_equal(host->out_len, count * 8);
	}
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_enable(host);
	host_cmd_ok(host, ORNIC_CMD_QUERY_STATS, &in, &now);
	for (i = 0; i < ARRAY_SIZE(last); i++)
		if (i != ORNIC_DEVICE_STAT_commands &&
		    i != ORNIC_DEVICE_STAT_interrupts)
			assert_int_equal(now[i], 0);
}

TEST_MAIN("cmd")
