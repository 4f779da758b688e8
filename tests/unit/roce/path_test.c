// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The alternate path: load, arm, migrate ([ORNIC-MIG-1] ff., IBTA 17.2.8) */
#include "eth/headers.h"
#include "pair.h"

#define M(name) ORNIC_QP_ATTR_##name

/* GIDs of the alternate paths: index, and the byte that marks them */
#define ALT_INDEX 9
#define ALT_BYTE 14
#define ALT_MARK 0x77

/* ---- the alternate GID of each side ---- */

static void alt_gid(struct side *side, uint16_t flags)
{
	struct ornic_set_gid_in in = {
		.index = htole16(ALT_INDEX + side->sgid_index),
		.flags = htole16(flags),
	};

	if (flags) {
		memcpy(in.gid, side->gid, GID_LEN);
		in.gid[ALT_BYTE] = ALT_MARK;
		memcpy(in.smac, side->host->mac, MAC_LEN);
	}
	host_cmd_in_ok(side->host, ORNIC_CMD_SET_GID, &in);
}

static int setup_type(void **state, unsigned int type)
{
	struct pair *pair = pair_create(*state);

	alt_gid(A(pair), ORNIC_GID_VALID);
	alt_gid(B(pair), ORNIC_GID_VALID);
	pair_qps(pair, type, 0);
	pair_connect(pair);
	*state = pair;
	return 0;
}

static int setup(void **state)
{
	return setup_type(state, ORNIC_QPT_RC);
}

static int setup_uc(void **state)
{
	return setup_type(state, ORNIC_QPT_UC);
}

static struct side *peer(struct side *side)
{
	return side == A(side->pair) ? B(side->pair) : A(side->pair);
}

static struct ornic_av alt_av(struct side *side)
{
	struct ornic_av av = pair_attr(side, peer(side)).av;

	av.dgid[ALT_BYTE] = ALT_MARK;
	av.sgid_index = htole16(ALT_INDEX + side->sgid_index);
	return av;
}

/* Load the alternate path and request REARM */
static void rearm(struct side *side)
{
	struct ornic_qp_attr attr = {
		.alt_av = alt_av(side),
		.alt_timeout = 7,
		.path_mig_state = ORNIC_MIG_REARM,
	};

	pair_modify_ok(side, M(ALT_PATH) | M(PATH_MIG_STATE), &attr);
}

static unsigned int migrate(struct side *side)
{
	struct ornic_qp_attr attr = { .path_mig_state = ORNIC_MIG_MIGRATED };

	return pair_modify(side, M(PATH_MIG_STATE), &attr);
}

static unsigned int mig_state(struct side *side)
{
	struct ornic_qp_attr attr;

	pair_query(side, &attr);
	return attr.path_mig_state;
}

static void expect_states(struct pair *pair, unsigned int a, unsigned int b)
{
	assert_int_equal(mig_state(A(pair)), a);
	assert_int_equal(mig_state(B(pair)), b);
}

/* WRITE from one side, and expect success */
static void talk(struct side *side)
{
	struct pair_wr wr = pair_wr_data(side, ORNIC_WR_RDMA_WRITE, 0, 3000);

	pair_send(side, &wr);
	pair_expect(side, wr.wr_id, ORNIC_WC_SUCCESS);
}

static void arm_both(struct pair *pair)
{
	rearm(A(pair));
	rearm(B(pair));
	talk(A(pair));
	expect_states(pair, ORNIC_MIG_ARMED, ORNIC_MIG_ARMED);
}

/* Return true if a packet travels on the alternate path */
static bool on_alt(const struct packet *pkt)
{
	uint8_t gid[GID_LEN];
	struct headers headers;

	headers_find(pkt->frame, &headers);
	headers_gid(pkt->frame, &headers, true, gid);
	return gid[ALT_BYTE] == ALT_MARK;
}

/* Drop packets of the first path and count those of the alternate one */
static enum pair_fate fate_cut_first(struct pair *pair,
				     const struct packet *pkt)
{
	if (!on_alt(pkt))
		return PAIR_DROP;
	assert_true(pkt->migrated);
	pair->arg++;
	return PAIR_DELIVER;
}

static enum pair_fate fate_all_migrated(struct pair *pair,
					const struct packet *pkt)
{
	assert_true(pkt->migrated);
	return PAIR_DELIVER;
}

static enum pair_fate fate_none_migrated(struct pair *pair,
					 const struct packet *pkt)
{
	assert_false(pkt->migrated);
	return PAIR_DELIVER;
}

/* ---- the source of packets ---- */

/* [ORNIC-WIRE-8] Any entry with the same GID and VLAN will do */
static void test_same_gid_twice(void **state)
{
	static const unsigned int index[] = { 0, 20 };
	struct pair *pair = *state;
	struct side *b = B(pair);
	struct ornic_set_gid_in in = {
		.flags = htole16(ORNIC_GID_VALID),
	};
	struct ornic_qp_attr attr = pair_attr(b, A(pair));
	unsigned int i;

	memcpy(in.gid, b->gid, GID_LEN);
	memcpy(in.smac, b->host->mac, MAC_LEN);
	/* Before and behind the entry that the path names */
	for (i = 0; i < ARRAY_SIZE(index); i++) {
		in.index = htole16(index[i]);
		host_cmd_in_ok(b->host, ORNIC_CMD_SET_GID, &in);
		talk(A(pair));
		pair_again(pair);
		pair_state(b, ORNIC_QPS_RESET);
		attr.av.sgid_index = in.index;
		pair_connect_side(b, &attr);
		talk(A(pair));
		talk(b);
		pair_again(pair);
	}
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_wrong_path, 0);
}

/* [ORNIC-WIRE-8] The same GID in another VLAN is another source */
static void test_same_gid_of_another_vlan(void **state)
{
	struct pair *pair = *state;
	struct side *b = B(pair);
	struct ornic_set_gid_in in = {
		.index = htole16(20),
		.flags = htole16(ORNIC_GID_VALID | ORNIC_GID_VLAN),
		.vlan_id = htole16(5),
	};
	struct ornic_qp_attr attr = pair_attr(b, A(pair));
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 10);

	memcpy(in.gid, b->gid, GID_LEN);
	memcpy(in.smac, b->host->mac, MAC_LEN);
	host_cmd_in_ok(b->host, ORNIC_CMD_SET_GID, &in);
	pair_state(b, ORNIC_QPS_RESET);
	attr.av.sgid_index = in.index;
	pair_connect_side(b, &attr);
	pair_send(A(pair), &wr);
	pair_poll_none(A(pair));
	assert_true(pair_stat(b, ORNIC_RDMA_STAT_rx_wrong_path) > 0);
}

/* ---- arming ---- */

/* [ORNIC-MIG-1] [ORNIC-MIG-2] Both hosts arm; each side sees it by MigReq */
static void test_both_arm(void **state)
{
	struct pair *pair = *state;
	struct ornic_qp_attr attr;
	struct ornic_av av;

	pair->fate = fate_all_migrated;
	expect_states(pair, ORNIC_MIG_MIGRATED, ORNIC_MIG_MIGRATED);
	talk(A(pair));
	pair->fate = NULL;
	rearm(A(pair));
	talk(A(pair));
	talk(B(pair));
	expect_states(pair, ORNIC_MIG_REARM, ORNIC_MIG_MIGRATED);
	rearm(B(pair));
	pair->fate = fate_none_migrated;
	talk(A(pair));
	expect_states(pair, ORNIC_MIG_ARMED, ORNIC_MIG_ARMED);
	talk(B(pair));
	assert_int_equal(pair_event(A(pair)), 0);
	assert_int_equal(pair_event(B(pair)), 0);
	/* [ORNIC-OBJ-18] */
	pair_query(A(pair), &attr);
	av = alt_av(A(pair));
	assert_memory_equal(&attr.alt_av, &av, sizeof(av));
	assert_int_equal(attr.alt_timeout, 7);
	assert_int_equal(attr.timeout, 8);
}

/* [ORNIC-MIG-2] The host disarms, and the alternate path stays */
static void test_disarm(void **state)
{
	struct pair *pair = *state;
	struct ornic_qp_attr attr;

	rearm(A(pair));
	assert_int_equal(migrate(A(pair)), ORNIC_CMD_OK);
	pair_query(A(pair), &attr);
	assert_int_equal(attr.path_mig_state, ORNIC_MIG_MIGRATED);
	assert_int_equal(le16toh(attr.av.sgid_index), A(pair)->sgid_index);
	assert_int_equal(pair_event(A(pair)), 0);
	talk(A(pair));
}

/* ---- migrating ---- */

/* [ORNIC-MIG-3] [ORNIC-MIG-4] A QP migrates when its retries are spent */
static void test_dead_path(void **state)
{
	struct pair *pair = *state;
	struct ornic_qp_attr attr;
	struct ornic_av av;
	struct pair_wr wr;
	unsigned int i;

	arm_both(pair);
	pair->fate = fate_cut_first;
	pair_fill(A(pair)->buf, 4 * 30000, 3);
	for (i = 0; i < 4; i++) {
		wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, i * 30000,
				  30000);
		pair_post(A(pair), &wr);
	}
	pair_ring(A(pair));
	pair_sleep(pair, 100 * 1000 * 1000);
	for (i = 0; i < 4; i++)
		pair_expect(A(pair), 0x1000 + i * 30000, ORNIC_WC_SUCCESS);
	pair_check(B(pair)->buf, 4 * 30000, 3);
	assert_true(pair->arg > 0);
	expect_states(pair, ORNIC_MIG_MIGRATED, ORNIC_MIG_MIGRATED);
	assert_int_equal(pair_event(A(pair)), ORNIC_EVENT_QP_PATH_MIG);
	assert_int_equal(pair_event(A(pair)), 0);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_PATH_MIG);
	assert_int_equal(pair_event(B(pair)), 0);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_retries_exceeded, 0);
	/* Both paths and both timeouts have changed places */
	pair_query(A(pair), &attr);
	av = alt_av(A(pair));
	assert_memory_equal(&attr.av, &av, sizeof(av));
	av = pair_attr(A(pair), B(pair)).av;
	assert_memory_equal(&attr.alt_av, &av, sizeof(av));
	assert_int_equal(attr.timeout, 7);
	assert_int_equal(attr.alt_timeout, 8);
	/* The other direction: READ responses come back */
	wr = pair_wr_data(B(pair), ORNIC_WR_RDMA_READ, 0, 5000);
	pair_send(B(pair), &wr);
	pair_expect(B(pair), wr.wr_id, ORNIC_WC_SUCCESS);
}

/* Expect that A's request fails when its retries are spent */
static void gives_up(struct pair *pair)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 9);

	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	pair_sleep(pair, 200 * 1000 * 1000);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_RETRY_EXC_ERR);
}

/* [ORNIC-MIG-3] A QP migrates once, unless it is armed again */
static void test_dead_paths(void **state)
{
	struct pair *pair = *state;

	arm_both(pair);
	pair->fate = pair_fate_lose_all;
	gives_up(pair);
	assert_int_equal(pair_event(A(pair)), ORNIC_EVENT_QP_PATH_MIG);
	assert_int_equal(pair_event(A(pair)), 0);
}

/* [ORNIC-MIG-3] A QP in REARM does not migrate */
static void test_rearm_is_not_armed(void **state)
{
	struct pair *pair = *state;

	rearm(A(pair));
	pair->fate = fate_cut_first;
	gives_up(pair);
	assert_int_equal(pair_event(A(pair)), 0);
}

/* [ORNIC-MIG-3] [ORNIC-MIG-4] The host migrates, and the peer follows */
static void test_host_migrates(void **state)
{
	const struct ornic_qp_attr rearm = { .path_mig_state = ORNIC_MIG_REARM };
	struct pair *pair = *state;

	arm_both(pair);
	assert_int_equal(migrate(A(pair)), ORNIC_CMD_OK);
	expect_states(pair, ORNIC_MIG_MIGRATED, ORNIC_MIG_ARMED);
	assert_int_equal(pair_event(A(pair)), ORNIC_EVENT_QP_PATH_MIG);
	pair->fate = fate_cut_first;
	talk(A(pair));
	expect_states(pair, ORNIC_MIG_MIGRATED, ORNIC_MIG_MIGRATED);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_PATH_MIG);
	talk(B(pair));
	/* And back: the former path is the alternate one now */
	pair->fate = NULL;
	pair_modify_ok(A(pair), M(PATH_MIG_STATE), &rearm);
	pair_modify_ok(B(pair), M(PATH_MIG_STATE), &rearm);
	talk(A(pair));
	expect_states(pair, ORNIC_MIG_ARMED, ORNIC_MIG_ARMED);
	assert_int_equal(migrate(B(pair)), ORNIC_CMD_OK);
	talk(B(pair));
	expect_states(pair, ORNIC_MIG_MIGRATED, ORNIC_MIG_MIGRATED);
	assert_int_equal(le16toh(pair_qp(A(pair))->attr.av.sgid_index),
			 A(pair)->sgid_index);
}

/* [ORNIC-MIG-5] Packets of a peer that has not migrated yet are accepted */
static void test_former_path_is_heard(void **state)
{
	struct pair *pair = *state;

	arm_both(pair);
	assert_int_equal(migrate(A(pair)), ORNIC_CMD_OK);
	talk(B(pair));
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_rx_wrong_path, 0);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_ack_timeouts, 0);
	expect_states(pair, ORNIC_MIG_MIGRATED, ORNIC_MIG_MIGRATED);
}

/* [ORNIC-MIG-2] [ORNIC-MIG-3] Without responses each side must send one */
static void test_unreliable(void **state)
{
	struct pair *pair = *state;

	rearm(A(pair));
	rearm(B(pair));
	talk(A(pair));
	expect_states(pair, ORNIC_MIG_REARM, ORNIC_MIG_ARMED);
	talk(B(pair));
	expect_states(pair, ORNIC_MIG_ARMED, ORNIC_MIG_ARMED);
	assert_int_equal(migrate(A(pair)), ORNIC_CMD_OK);
	pair->fate = fate_cut_first;
	pair_fill(A(pair)->buf, 3000, 6);
	talk(A(pair));
	pair_check(B(pair)->buf, 3000, 6);
	expect_states(pair, ORNIC_MIG_MIGRATED, ORNIC_MIG_MIGRATED);
	talk(B(pair));
}

/* ---- refusals ---- */

/* [ORNIC-MIG-6] The peer sets MigReq on a path that is not the alternate one */
static void test_wrong_way(void **state)
{
	struct pair *pair = *state;
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 9);

	arm_both(pair);
	pair_qp(A(pair))->attr.mig_state = ORNIC_MIG_MIGRATED;
	pair_send(A(pair), &wr);
	pair_poll_none(A(pair));
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_wrong_path, 1);
	pair_sleep(pair, 4096 << 9);
	assert_true(pair_stat(B(pair), ORNIC_RDMA_STAT_rx_wrong_path) > 1);
	/* [ORNIC-EQ-2] The event is sent once */
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_PATH_MIG_ERR);
	assert_int_equal(pair_event(B(pair)), 0);
	assert_int_equal(mig_state(B(pair)), ORNIC_MIG_ARMED);
}

/* [ORNIC-MIG-6] The GID of the alternate path is cleared */
static void test_no_address_any_more(void **state)
{
	struct pair *pair = *state;

	arm_both(pair);
	alt_gid(A(pair), 0);
	assert_int_equal(migrate(A(pair)), ORNIC_CMD_BAD_PARAM);
	assert_int_equal(mig_state(A(pair)), ORNIC_MIG_ARMED);
	pair->fate = pair_fate_lose_all;
	gives_up(pair);
	assert_int_equal(pair_event(A(pair)), ORNIC_EVENT_QP_PATH_MIG_ERR);
	assert_int_equal(pair_event(A(pair)), 0);
}

/* [ORNIC-QP-6] RESET clears the alternate path */
static void test_reset_forgets(void **state)
{
	struct pair *pair = *state;
	struct ornic_qp_attr attr;
	static const struct ornic_av none;

	arm_both(pair);
	pair_state(A(pair), ORNIC_QPS_RESET);
	pair_query(A(pair), &attr);
	assert_int_equal(attr.path_mig_state, ORNIC_MIG_MIGRATED);
	assert_memory_equal(&attr.alt_av, &none, sizeof(none));
	assert_int_equal(attr.alt_timeout, 0);
}

UNIT_MAIN("path",
	PAIR_TEST(test_same_gid_twice, setup, bytes),
	PAIR_TEST(test_same_gid_twice, setup, local),
	PAIR_TEST(test_same_gid_of_another_vlan, setup, bytes),
	PAIR_BOTH(test_both_arm, setup),
	PAIR_BOTH(test_disarm, setup),
	PAIR_BOTH(test_dead_path, setup),
	PAIR_BOTH(test_dead_paths, setup),
	PAIR_BOTH(test_rearm_is_not_armed, setup),
	PAIR_BOTH(test_host_migrates, setup),
	PAIR_BOTH(test_former_path_is_heard, setup),
	PAIR_BOTH(test_unreliable, setup_uc),
	PAIR_BOTH(test_wrong_way, setup),
	PAIR_BOTH(test_no_address_any_more, setup),
	PAIR_BOTH(test_reset_forgets, setup),
)
