// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Negotiation between card and host: features, versions, profiles, and the
 * commands that there are (hardware.rst, sections 10.6, 10.7 and 17)
 */
#include "base/feature.h"
#include "card/card.h"
#include "host.h"
#include "raw.h"

static struct ornic_set_host_in good = {
	.version = ORNIC_VERSION,
	.page_shift = 12,
	.name = "driver Linux 7.3",
};

/* Reset the card and enable it again; it is told these features, or nothing */
static void restart(struct host *host, uint64_t features)
{
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_run(host);
	memset(host_ptr(host, host->admin_cq), 0, HOST_PAGE);
	host_start_rings(host);
	if (features)
		assert_int_equal(host_set_host(host, features), ORNIC_CMD_OK);
}

/* A card as @config says, enabled; nothing is told but what the test tells */
static struct host *start(const struct card_config *config, uint64_t features)
{
	struct host *host = host_create_as(config, 1);

	host_enable(host);
	restart(host, features);
	return host;
}

static struct host *start_plain(void)
{
	const struct card_config config = {};

	return start(&config, 0);
}

static void query(struct host *host, struct ornic_query_device_out *out)
{
	memset(out, 0, sizeof(*out));
	host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, out);
}

/* Commands that one feature brings, with the size of a valid input */
static const struct {
	uint64_t feature;
	uint16_t opcode;
	uint16_t size;
} commands[] = {
	{ ORNIC_FEAT_SRQ, ORNIC_CMD_CREATE_SRQ, 48 },
	{ ORNIC_FEAT_SRQ, ORNIC_CMD_DESTROY_SRQ, 8 },
	{ ORNIC_FEAT_SRQ, ORNIC_CMD_MODIFY_SRQ, 8 },
	{ ORNIC_FEAT_SRQ, ORNIC_CMD_QUERY_SRQ, 8 },
	{ ORNIC_FEAT_RESIZE_SRQ, ORNIC_CMD_RESIZE_SRQ, 32 },
	{ ORNIC_FEAT_XRC, ORNIC_CMD_ALLOC_XRCD, 0 },
	{ ORNIC_FEAT_XRC, ORNIC_CMD_FREE_XRCD, 8 },
	{ ORNIC_FEAT_MCAST, ORNIC_CMD_ATTACH_MCAST, 24 },
	{ ORNIC_FEAT_MCAST, ORNIC_CMD_DETACH_MCAST, 24 },
	{ ORNIC_FEAT_STAT_SETS, ORNIC_CMD_BIND_STATS, 8 },
	{ ORNIC_FEAT_COMP_CNTR, ORNIC_CMD_CREATE_COMP_CNTR, 8 },
	{ ORNIC_FEAT_COMP_CNTR, ORNIC_CMD_DESTROY_COMP_CNTR, 8 },
	{ ORNIC_FEAT_COMP_CNTR, ORNIC_CMD_MODIFY_COMP_CNTR, 16 },
	{ ORNIC_FEAT_COMP_CNTR, ORNIC_CMD_ATTACH_COMP_CNTR, 16 },
	{ ORNIC_FEAT_MODIFY_MR, ORNIC_CMD_MODIFY_MR, 56 },
	{ ORNIC_FEAT_RESIZE_CQ, ORNIC_CMD_RESIZE_CQ, 32 },
	{ ORNIC_FEAT_CQ_MODERATION, ORNIC_CMD_MODIFY_CQ, 8 },
	{ ORNIC_FEAT_WQ, ORNIC_CMD_CREATE_WQ, 48 },
	{ ORNIC_FEAT_WQ, ORNIC_CMD_DESTROY_WQ, 8 },
	{ ORNIC_FEAT_WQ, ORNIC_CMD_MODIFY_WQ, 16 },
	{ ORNIC_FEAT_WQ, ORNIC_CMD_CREATE_RWQ_TABLE, 8 },
	{ ORNIC_FEAT_WQ, ORNIC_CMD_DESTROY_RWQ_TABLE, 8 },
	{ ORNIC_FEAT_FLOW, ORNIC_CMD_CREATE_FLOW, 344 },
	{ ORNIC_FEAT_FLOW, ORNIC_CMD_DESTROY_FLOW, 8 },
	{ ORNIC_FEAT_FLOW, ORNIC_CMD_CREATE_COUNTERS, 0 },
	{ ORNIC_FEAT_FLOW, ORNIC_CMD_DESTROY_COUNTERS, 8 },
};

/* Are exactly the commands there that @features bring? */
static void check_commands(struct host *host, uint64_t features)
{
	uint8_t in[ORNIC_CMD_MAX_IN] = {};
	unsigned int i, status;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		status = host_cmd_raw(host, commands[i].opcode, in,
				      commands[i].size, NULL, 0);
		if (commands[i].feature & features)
			assert_int_not_equal(status, ORNIC_CMD_BAD_OPCODE);
		else
			assert_int_equal(status, ORNIC_CMD_BAD_OPCODE);
	}
}

static unsigned int create_mr(struct host *host, uint32_t pdn, uint8_t type)
{
	struct ornic_create_mr_in in = {
		.pdn = htole32(pdn),
		.type = type,
		.max_pages = htole32(type == ORNIC_MR_REG),
		.length = htole64(type == ORNIC_MR_NULL),
	};
	struct ornic_create_mr_out out;

	return host_cmd(host, ORNIC_CMD_CREATE_MR, &in, &out);
}

static unsigned int create_region(struct host *host, uint32_t pdn,
				  uint32_t access)
{
	uint64_t at = host_alloc(host, HOST_PAGE, HOST_PAGE);
	struct ornic_create_mr_in in = {
		.pdn = htole32(pdn),
		.type = ORNIC_MR_MEMORY,
		.access = htole32(access),
		.iova = htole64(at),
		.length = htole64(HOST_PAGE),
	};
	struct ornic_create_mr_out out;

	host_buf(&in.buf, at, HOST_PAGE);
	return host_cmd(host, ORNIC_CMD_CREATE_MR, &in, &out);
}

static unsigned int create_cq(struct host *host, uint8_t log_cqe_size)
{
	uint64_t at = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE);
	struct ornic_create_cq_in in = {
		.log_size = 4,
		.log_cqe_size = log_cqe_size,
		.dbr_addr = htole64(at + HOST_PAGE),
	};
	struct ornic_object out;

	host_buf(&in.buf, at, HOST_PAGE);
	return host_cmd(host, ORNIC_CMD_CREATE_CQ, &in, &out);
}

static unsigned int create_qp(struct host *host, uint32_t pdn, uint8_t type,
			      uint32_t flags)
{
	struct ornic_create_qp_in in = {
		.pdn = htole32(type == ORNIC_QPT_XRC_RECV ? 0 : pdn),
		.type = type,
		.flags = htole32(flags),
	};
	struct ornic_create_qp_out out;

	if (type != ORNIC_QPT_XRC_RECV && !(flags & ORNIC_QP_RSS))
		in.dbr_addr = htole64(host_alloc(host, 128, 64));
	return host_cmd(host, ORNIC_CMD_CREATE_QP, &in, &out);
}

#define assert_supported(features, bit, status) do {                   \
		if ((features) & (bit))                                \
			assert_int_not_equal(status,                   \
					     ORNIC_CMD_NOT_SUPPORTED); \
		else                                                   \
			assert_int_equal(status,                       \
					 ORNIC_CMD_NOT_SUPPORTED);     \
	} while (0)

/* Are exactly the types, sizes and flags there that @features bring? */
static void check_types(struct host *host, uint64_t features)
{
	struct host_queue eq;
	uint32_t pdn;

	host_uctx(host, ORNIC_UCTX_KERNEL, 0);
	host_eq(host, &eq, 0, 4);
	pdn = host_pd(host);
	assert_int_equal(create_mr(host, pdn, ORNIC_MR_DMA), ORNIC_CMD_OK);
	assert_supported(features, ORNIC_FEAT_REG_MR,
			 create_mr(host, pdn, ORNIC_MR_REG));
	assert_supported(features, ORNIC_FEAT_MW,
			 create_mr(host, pdn, ORNIC_MR_MW1));
	assert_supported(features, ORNIC_FEAT_MW,
			 create_mr(host, pdn, ORNIC_MR_MW2));
	/* [ORNIC-OBJ-16] */
	assert_int_equal(create_region(host, pdn, 0), ORNIC_CMD_OK);
	assert_supported(features, ORNIC_FEAT_MW,
			 create_region(host, pdn, ORNIC_ACCESS_MW_BIND));
	assert_supported(features, ORNIC_FEAT_NULL_MR,
			 create_mr(host, pdn, ORNIC_MR_NULL));
	assert_int_equal(create_cq(host, 5), ORNIC_CMD_OK);
	assert_supported(features, ORNIC_FEAT_CQE_EXT, create_cq(host, 6));
	assert_int_equal(create_qp(host, pdn, ORNIC_QPT_RC, 0), ORNIC_CMD_OK);
	assert_supported(features, ORNIC_FEAT_SRQ,
			 create_qp(host, pdn, ORNIC_QPT_RC, ORNIC_QP_SRQ));
	assert_supported(features, ORNIC_FEAT_XRC,
			 create_qp(host, pdn, ORNIC_QPT_XRC_SEND, 0));
	assert_supported(features, ORNIC_FEAT_XRC,
			 create_qp(host, pdn, ORNIC_QPT_XRC_RECV, 0));
	assert_supported(features, ORNIC_FEAT_WQ,
			 create_qp(host, pdn, ORNIC_QPT_RAW_PACKET,
				   ORNIC_QP_RSS));
}

/* [ORNIC-NEG-1] */
TEST_VOID(test_no_feature_before_set_host)
{
	struct host *host = start_plain();

	assert_null(card_host(host->card));
	check_commands(host, 0);
	check_types(host, 0);
	host_destroy(host);
}

/* [ORNIC-NEG-5] Each feature alone; one that needs another one, with it */
TEST_VOID(test_each_feature_alone)
{
	uint64_t features;
	struct host *host;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		host = start_plain();
		features = 1ULL << i;
		if (features & host->card->features) {
			if (feature_close(features) != features)
				features |= ORNIC_FEAT_SRQ | ORNIC_FEAT_FLOW;
			assert_int_equal(host_set_host(host, features),
					 ORNIC_CMD_OK);
			check_commands(host, features);
			restart(host, features);
			check_types(host, features);
		}
		host_destroy(host);
	}
}

/* [ORNIC-NEG-2] */
TEST_VOID(test_input_is_checked)
{
	struct host *host = start_plain();
	struct ornic_set_host_out out;
	struct ornic_set_host_in in;

	host_refused(host, ORNIC_CMD_SET_HOST, good, page_shift, 11, &out,
		     ORNIC_CMD_BAD_PARAM);
	host_refused(host, ORNIC_CMD_SET_HOST, good, page_shift, 32, &out,
		     ORNIC_CMD_BAD_PARAM);
	host_refused(host, ORNIC_CMD_SET_HOST, good, rsvd[2], 1, &out,
		     ORNIC_CMD_BAD_PARAM);
	host_refused(host, ORNIC_CMD_SET_HOST, good, name[0], '\n', &out,
		     ORNIC_CMD_BAD_PARAM);
	host_refused(host, ORNIC_CMD_SET_HOST, good, name[0], '\x7f', &out,
		     ORNIC_CMD_BAD_PARAM);
	/* Something behind the end, and no end */
	host_refused(host, ORNIC_CMD_SET_HOST, good, name[40], 'x', &out,
		     ORNIC_CMD_BAD_PARAM);
	in = good;
	memset(in.name, 'x', sizeof(in.name));
	host_cmd_is(host, ORNIC_CMD_SET_HOST, &in, &out, ORNIC_CMD_BAD_PARAM);
	assert_null(card_host(host->card));
	/* The name may be left out */
	host_cmd_raw_is(host, ORNIC_CMD_SET_HOST, &good, 16, &out, sizeof(out), ORNIC_CMD_OK);
	assert_string_equal(card_host(host->card)->name, "");
	host_destroy(host);
}

/* [ORNIC-NEG-3] [ORNIC-VER-2] The lower minor version is in force */
TEST_VOID(test_answer_tells_what_is_in_force)
{
	static const struct {
		uint32_t card;
		uint32_t host;
		uint32_t both;
	} versions[] = {
		{ 0x00010000, 0x00010000, 0x00010000 },
		{ 0x00010000, 0x00010007, 0x00010000 },
		{ 0x00010003, 0x00010000, 0x00010000 },
		{ 0x00010003, 0x00010002, 0x00010002 },
	};
	struct ornic_set_host_in in = good;
	struct ornic_set_host_out out;
	struct card_config config = {};
	struct host *host;
	unsigned int i;

	in.features = htole64(ORNIC_FEAT_SRQ | ORNIC_FEAT_XRC);
	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		config.version = versions[i].card;
		host = start(&config, 0);
		host_read_is(host, ORNIC_REG_VERSION, 4, versions[i].card);
		in.version = htole32(versions[i].host);
		host_cmd_ok(host, ORNIC_CMD_SET_HOST, &in, &out);
		assert_int_equal(le32toh(out.version), versions[i].both);
		assert_true(out.features == in.features);
		assert_string_equal(card_host(host->card)->name, good.name);
		assert_int_equal(card_host(host->card)->page_shift, 12);
		host_destroy(host);
	}
}

/* [ORNIC-NEG-3] */
TEST_VOID(test_what_the_card_lacks_is_refused)
{
	const struct card_config config = { .without = ORNIC_FEAT_MW };
	struct host *host = start(&config, 0);
	struct ornic_set_host_out out;

	host_refused(host, ORNIC_CMD_SET_HOST, good, version,
		     htole32(0x00020000), &out, ORNIC_CMD_NOT_SUPPORTED);
	host_refused(host, ORNIC_CMD_SET_HOST, good, version, 0, &out,
		     ORNIC_CMD_NOT_SUPPORTED);
	host_refused(host, ORNIC_CMD_SET_HOST, good, features,
		     htole64(ORNIC_FEAT_MW), &out, ORNIC_CMD_NOT_SUPPORTED);
	host_refused(host, ORNIC_CMD_SET_HOST, good, features,
		     htole64(1ULL << 63), &out, ORNIC_CMD_NOT_SUPPORTED);
	assert_null(card_host(host->card));
	host_destroy(host);
}

/* [ORNIC-NEG-4] */
TEST_VOID(test_set_host_needs_a_card_without_objects)
{
	struct host *host = start_plain();
	uint32_t uctx;

	assert_int_equal(host_set_host(host, ORNIC_FEAT_SRQ), ORNIC_CMD_OK);
	assert_int_equal(host_set_host(host, ORNIC_FEAT_MW), ORNIC_CMD_OK);
	assert_true(card_host(host->card)->features == ORNIC_FEAT_MW);
	uctx = host_uctx(host, 0, 0);
	assert_int_equal(host_set_host(host, ORNIC_FEAT_SRQ),
			 ORNIC_CMD_BAD_STATE);
	assert_true(card_host(host->card)->features == ORNIC_FEAT_MW);
	host_cmd_object_ok(host, ORNIC_CMD_FREE_UCTX, uctx);
	assert_int_equal(host_set_host(host, ORNIC_FEAT_SRQ), ORNIC_CMD_OK);
	/* It ends with a reset */
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	assert_null(card_host(host->card));
	host_destroy(host);
}

/* [ORNIC-NEG-6] */
TEST_VOID(test_a_feature_comes_with_what_it_needs)
{
	struct host *host = start_plain();

	assert_int_equal(host_set_host(host, ORNIC_FEAT_XRC),
			 ORNIC_CMD_BAD_PARAM);
	assert_int_equal(host_set_host(host, ORNIC_FEAT_FLOW_COPY),
			 ORNIC_CMD_BAD_PARAM);
	assert_true(feature_close(ORNIC_FEAT_XRC | ORNIC_FEAT_MW) ==
		    ORNIC_FEAT_MW);
	host_destroy(host);
}

/* [ORNIC-DEV-2] [ORNIC-DEV-5] A card without a feature tells nothing of it */
TEST_VOID(test_each_feature_off)
{
	struct ornic_query_device_out all, out;
	struct card_config config = {};
	struct host *host = start_plain();
	uint64_t features, left;
	unsigned int i;

	query(host, &all);
	features = le64toh(all.features);
	host_destroy(host);
	for (i = 0; i < 64; i++) {
		config.without = 1ULL << i;
		if (!(features & config.without))
			continue;
		left = feature_close(features & ~config.without);
		host = start(&config, left);
		query(host, &out);
		assert_true(le64toh(out.features) == left);
		assert_int_equal(!out.max_srq, !(left & ORNIC_FEAT_SRQ));
		assert_int_equal(!out.max_xrcd, !(left & ORNIC_FEAT_XRC));
		assert_int_equal(!out.max_mw, !(left & ORNIC_FEAT_MW));
		assert_int_equal(!(le32toh(out.access_flags) &
				   ORNIC_ACCESS_MW_BIND),
				 !(left & ORNIC_FEAT_MW));
		assert_int_equal(!out.max_wq, !(left & ORNIC_FEAT_WQ));
		assert_int_equal(!out.max_flows, !(left & ORNIC_FEAT_FLOW));
		assert_int_equal(!out.flow_fields, !(left & ORNIC_FEAT_FLOW));
		assert_int_equal(!out.max_tso, !(left & ORNIC_FEAT_TSO));
		assert_int_equal(!(le64toh(out.send_ops[0]) &
				   1ULL << ORNIC_WR_BIND_MW),
				 !(left & ORNIC_FEAT_MW));
		assert_true(!(le32toh(out.qp_types) &
			      1u << ORNIC_QPT_XRC_SEND) ==
			    !(left & ORNIC_FEAT_XRC));
		check_commands(host, left);
		restart(host, left);
		check_types(host, left);
		host_destroy(host);
	}
}

/* [ORNIC-NEG-5] A work request of a feature that is not in force */
TEST_VOID(test_work_requests_need_their_feature)
{
	struct host *host = start_plain();
	uint64_t ops = host->card->host.send_ops;

	assert_false(ops & (1ULL << ORNIC_WR_BIND_MW | 1ULL << ORNIC_WR_REG_MR |
			    1ULL << ORNIC_WR_LOCAL_INV | 1ULL << ORNIC_WR_TSO));
	assert_true(ops & 1ULL << ORNIC_WR_SEND);
	assert_int_equal(host_set_host(host, ORNIC_FEAT_MW), ORNIC_CMD_OK);
	ops = host->card->host.send_ops;
	assert_true(ops & 1ULL << ORNIC_WR_BIND_MW);
	assert_true(ops & 1ULL << ORNIC_WR_LOCAL_INV);
	assert_false(ops & 1ULL << ORNIC_WR_REG_MR);
	host_destroy(host);
}

/* [ORNIC-NEG-5] The opcode of a WQE becomes one of a feature that is missing */
TEST_VOID(test_work_request_without_its_feature)
{
	const struct card_config config = { .without = ORNIC_FEAT_TSO };
	struct ornic_sq_hdr *hdr;
	struct raw *w;
	void *state;

	raw_setup_config(&state, &config);
	w = state;
	raw_publish(w, 1, w->data, 60, NULL, ORNIC_SEND_SIGNALED);
	hdr = host_ptr(w->host, w->qp[1].sq);
	hdr->ctrl = htole32((le32toh(hdr->ctrl) & ~ORNIC_SQ_OPCODE) |
			    ORNIC_WR_TSO);
	host_run(w->host);
	raw_expect(w, ORNIC_WC_LOC_QP_OP_ERR);
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_bad_wqe_opcode, 1);
	raw_teardown(&state);
}

/* [ORNIC-EFF-1] QUERY_EFFECTS tells what happens */
static void check_effects(struct host *host)
{
	uint8_t effects[ORNIC_EFFECTS_MAX], in[ORNIC_CMD_MAX_IN] = {};
	unsigned int i, status;

	host_cmd_raw_is(host, ORNIC_CMD_QUERY_EFFECTS, NULL, 0, effects, sizeof(effects),
			ORNIC_CMD_OK);
	assert_int_equal(host->out_len, ORNIC_EFFECTS_MAX);
	for (i = 0; i < ORNIC_EFFECTS_MAX; i++) {
		status = host_cmd_raw(host, i, in, sizeof(in), NULL, 0);
		if (effects[i] & ORNIC_EFFECT_SUPPORTED) {
			assert_int_not_equal(status, ORNIC_CMD_BAD_OPCODE);
		} else {
			assert_int_equal(effects[i], 0);
			assert_int_equal(status, ORNIC_CMD_BAD_OPCODE);
		}
	}
	/* [ORNIC-EFF-2] */
	assert_int_equal(effects[ORNIC_CMD_NOP], ORNIC_EFFECT_SUPPORTED);
	assert_int_equal(effects[ORNIC_CMD_QUERY_QP], ORNIC_EFFECT_SUPPORTED);
	assert_true(effects[ORNIC_CMD_CREATE_MR] & ORNIC_EFFECT_SLOW);
	assert_true(effects[ORNIC_CMD_CREATE_MR] & ORNIC_EFFECT_CHANGES);
}

/* [ORNIC-FIELD-3] A card whose rules do not count has no counters */
TEST_VOID(test_effects)
{
	static const struct {
		uint64_t features;
		struct card_config config;
	} cards[] = {
		{ 0, {} },
		{ ORNIC_FEAT_SRQ | ORNIC_FEAT_RESIZE_SRQ, {} },
		{ ORNIC_FEAT_WQ | ORNIC_FEAT_MODIFY_MR, {} },
		{ ORNIC_FEAT_FLOW, {} },
		{ ORNIC_FEAT_FLOW, { .flow_basic = true } },
	};
	struct host *host;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cards); i++) {
		host = start(&cards[i].config, cards[i].features);
		check_effects(host);
		host_destroy(host);
	}
}

/* [ORNIC-PROF-1] [ORNIC-PROF-3] */
TEST_VOID(test_profiles)
{
#define P(name) ORNIC_PROFILE_##name
	static const struct {
		struct card_config config;
		uint32_t profiles;
		bool gid;
		bool frames;
	} cards[] = {
		{ {}, P(RDMA) | P(ETHERNET) | P(ULP) | P(FULL), true, true },
		{ { .profiles = P(RDMA) }, P(RDMA) | P(ULP), true, false },
		{ { .profiles = P(ETHERNET) }, P(ETHERNET), false, true },
		{ { .without = ORNIC_FEAT_CQE_EXT }, P(RDMA) | P(ULP), true,
		  true },
		{ { .without = ORNIC_FEAT_SRQ }, P(RDMA) | P(ETHERNET), true,
		  true },
		{ { .without = ORNIC_FEAT_TSO },
		  P(RDMA) | P(ETHERNET) | P(ULP), true, true },
		{ { .without = ORNIC_FEAT_FLOW_COPY | ORNIC_FEAT_RESIZE_SRQ },
		  P(RDMA) | P(ETHERNET) | P(ULP) | P(FULL), true, true },
		{ { .flow_basic = true },
		  P(RDMA) | P(ETHERNET) | P(ULP), true, true },
		{ { .parse_least = true },
		  P(RDMA) | P(ETHERNET) | P(ULP) | P(FULL), true, true },
#undef P
	};
	struct ornic_query_device_out out;
	uint8_t in[32] = {};
	struct host *host;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cards); i++) {
		host = start(&cards[i].config, 0);
		query(host, &out);
		assert_int_equal(le32toh(out.profiles), cards[i].profiles);
		/* [ORNIC-OBJ-11] */
		assert_true(le32toh(out.max_eq) >=
			    host_read(host, ORNIC_REG_VECTORS, 4));
		assert_int_equal(!out.max_gid, !cards[i].gid);
		assert_int_equal(!out.max_rx_queues, !cards[i].frames);
		/* [ORNIC-FLOW-2] */
		assert_int_equal(!out.parse_bytes, !cards[i].frames);
		assert_int_equal(!out.rx_hash_types, !cards[i].frames);
		if (cards[i].config.parse_least) {
			assert_int_equal(le32toh(out.parse_bytes), 128);
			assert_int_equal(le32toh(out.parse_tags), 2);
			assert_int_equal(le32toh(out.parse_exts), 1);
		}
		host_cmd_raw_is(host, ORNIC_CMD_SET_GID, in, sizeof(in), NULL, 0,
				cards[i].gid ? ORNIC_CMD_OK : ORNIC_CMD_BAD_OPCODE);
		host_cmd_raw_is(host, ORNIC_CMD_SET_RX_FILTER, in, 8, NULL, 0,
				cards[i].frames ? ORNIC_CMD_OK : ORNIC_CMD_BAD_OPCODE);
		host_destroy(host);
	}
}

/* [ORNIC-VER-1] [ORNIC-VER-3] A card of another minor version */
TEST_VOID(test_newer_and_older_answers)
{
	const struct card_config newer = { .version = 0x00010001 };
	const struct card_config older = { .without = ~0ULL };
	struct ornic_query_device_out out;
	struct host *host = start(&newer, 0);
	uint8_t room[2 * sizeof(out)];

	host_cmd_raw_is(host, ORNIC_CMD_QUERY_DEVICE, NULL, 0, room, sizeof(room), ORNIC_CMD_OK);
	assert_true(host->out_len > sizeof(out));
	/* A host that knows less gets what it knows */
	query(host, &out);
	assert_int_equal(host->out_len, sizeof(out));
	assert_memory_equal(room, &out, sizeof(out));
	assert_true(le64toh(out.features) & ~(ORNIC_FEAT_RESIZE_SRQ * 2 - 1));
	host_destroy(host);

	host = start(&older, 0);
	query(host, &out);
	assert_true(host->out_len < sizeof(out));
	assert_true(!out.features && !out.flow_fields);
	assert_int_equal(le32toh(out.profiles), ORNIC_PROFILE_RDMA);
	host_destroy(host);
}

TEST_MAIN("negotiate")
