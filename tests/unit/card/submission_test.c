// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The admin queue as section 4 of the hardware interface has it: who owns what
 * at which time, and in which order commands are checked. The limits and
 * counters of QUERY_DEVICE and QUERY_STATS, and how structures grow.
 */
#include "card/card.h"
#include "kit.h"

#define DEPTH (1u << HOST_ADMIN_LOG_DEPTH)
#define GARBAGE 0xa5

static struct ornic_cmd_sqe *sqe_at(struct host *host, uint32_t index)
{
	struct ornic_cmd_sqe *ring = host_ptr(host, host->admin_sq);

	return ring + (index & (DEPTH - 1));
}

static struct ornic_cmd_cqe *cqe_at(struct host *host, uint32_t index)
{
	struct ornic_cmd_cqe *ring = host_ptr(host, host->admin_cq);

	return ring + (index & (DEPTH - 1));
}

/* Submit one entry as it is, and return its completion */
static struct ornic_cmd_cqe execute(struct host *host,
				    const struct ornic_cmd_sqe *sqe)
{
	*sqe_at(host, host->admin_pi++) = *sqe;
	host_write(host, ORNIC_REG_ADMIN_DB, 4, host->admin_pi);
	host_run(host);
	return *cqe_at(host, host->admin_ci++);
}

static unsigned int status_of(struct host *host,
			      const struct ornic_cmd_sqe *sqe)
{
	return le16toh(execute(host, sqe).status);
}

/*
 * [ORNIC-ADM-2] The card copies an entry once. When a completion says that it
 * has, the host may overwrite it.
 */
static void test_entries_are_copied_once(void **state)
{
	struct host *host = *state;
	uint64_t out = host_alloc(host, DEPTH * 8, 8);
	unsigned int i, created = 0;

	for (i = 0; i < DEPTH; i++)
		*sqe_at(host, host->admin_pi + i) = (struct ornic_cmd_sqe){
			.opcode = htole16(ORNIC_CMD_CREATE_COUNTERS),
			.cmd_id = htole16(i),
			.out_len = htole32(8),
			.out_addr = htole64(out + 8 * i),
		};
	host->admin_pi += DEPTH;
	host_write(host, ORNIC_REG_ADMIN_DB, 4, host->admin_pi);
	while (card_run(host->card)) {
		struct ornic_cmd_cqe *cqe;
		uint32_t ctl;

		for (; created < DEPTH; created++) {
			cqe = cqe_at(host, created);
			ctl = guest_load32(&cqe->ctl);
			if (!(ctl & ORNIC_CMD_CQE_PHASE))
				break;
			/* sq_ci has passed this entry at least */
			assert_true((ctl & ORNIC_CMD_CQE_SQ_CI) > created);
			assert_int_equal(cqe->status, 0);
			memset(sqe_at(host, created), GARBAGE,
			       sizeof(struct ornic_cmd_sqe));
		}
	}
	assert_int_equal(created, DEPTH);
	assert_int_equal(host_device_stat(host,
				ORNIC_DEVICE_STAT_commands_refused), 0);
}

/*
 * [ORNIC-ADM-3] There is room for the completion of each command, though the
 * host reads none before the last: on each pass of the ring
 */
static void test_completions_always_have_room(void **state)
{
	struct host *host = *state;
	unsigned int i, pass;

	for (pass = 0; pass < 4; pass++) {
		for (i = 0; i < DEPTH; i++)
			host_submit(host, ORNIC_CMD_NOP, NULL, 0);
		host_run(host);
		for (i = 0; i < DEPTH; i++)
			assert_int_equal(host_completed(host), ORNIC_CMD_OK);
		assert_false(host_has_completed(host));
	}
}

/* [ORNIC-ADM-4] Nothing is executed, and only a reset helps */
static void test_index_beyond_the_ring(void **state)
{
	struct host *host = *state;
	uint64_t commands = host_device_stat(host, ORNIC_DEVICE_STAT_commands);

	host_write(host, ORNIC_REG_ADMIN_DB, 4, host->admin_pi + DEPTH + 1);
	host_run(host);
	assert_int_equal(host_read(host, ORNIC_REG_FATAL_CAUSE, 4),
			 ORNIC_FATAL_ADMIN_PI);
	assert_true(host_read(host, ORNIC_REG_STATUS, 4) &
		    ORNIC_STATUS_FATAL);
	host_write(host, ORNIC_REG_ADMIN_DB, 4, host->admin_pi + 1);
	host_run(host);
	assert_int_equal(host_device_stat(host, ORNIC_DEVICE_STAT_commands),
			 commands);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_enable(host);
	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_NOP, NULL, 0, NULL, 0),
			 ORNIC_CMD_OK);
}

/* [ORNIC-ADM-5] The host may give all commands the same cmd_id, or any */
static void test_cmd_id_is_returned(void **state)
{
	static const uint16_t ids[] = { 0, 0, 0xffff, 0xffff, 1, 0x8000 };
	struct host *host = *state;
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

/* [ORNIC-ADM-7] Nothing beyond the answer or beyond the room is written */
static void test_only_the_answer_is_written(void **state)
{
	struct host *host = *state;
	uint64_t at = host_alloc(host, 4096, 8);
	uint8_t *out = host_ptr(host, at);
	struct ornic_cmd_sqe sqe = {
		.opcode = htole16(ORNIC_CMD_QUERY_PORT),
		.out_addr = htole64(at),
	};
	struct ornic_cmd_cqe cqe;
	uint32_t room, i, len;

	for (room = 0; room < 2 * sizeof(struct ornic_query_port_out); room++) {
		memset(out, GARBAGE, 4096);
		sqe.out_len = htole32(room);
		cqe = execute(host, &sqe);
		assert_int_equal(cqe.status, 0);
		len = le32toh(cqe.out_len);
		assert_int_equal(len, room <
				 sizeof(struct ornic_query_port_out) ? room :
				 sizeof(struct ornic_query_port_out));
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

/* [ORNIC-ADM-8] */
static void test_alignment_and_lengths(void **state)
{
	struct host *host = *state;
	uint64_t at = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE);
	struct ornic_cmd_sqe sqe;
	unsigned int i;

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
	sqe = (struct ornic_cmd_sqe){
		.in_addr = htole64(at), .in_len = htole32(ORNIC_CMD_MAX_IN),
		.out_addr = htole64(at), .out_len = htole32(ORNIC_CMD_MAX_OUT),
	};
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_OK);
	sqe.in_len = htole32(ORNIC_CMD_MAX_IN + 1);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_SIZE);
	sqe.in_len = 0;
	sqe.out_len = htole32(ORNIC_CMD_MAX_OUT + 1);
	assert_int_equal(status_of(host, &sqe), ORNIC_CMD_BAD_SIZE);
}

/*
 * [ORNIC-ADM-9], [ORNIC-EXT-3] What an older host leaves out is zero: SET_GID
 * of the index alone clears the entry, MODIFY_CQ of the number alone ends
 * moderation
 */
static void test_short_input_is_extended_with_zeros(void **state)
{
	struct kit *kit = *state;
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

	assert_int_equal(host_cmd_in(host, ORNIC_CMD_SET_GID, &gid),
			 ORNIC_CMD_OK);
	assert_non_null(gid_get(&host->card->gids, 0));
	gid.flags = 0;
	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_SET_GID, &gid, 4, NULL,
				      0), ORNIC_CMD_OK);
	assert_null(gid_get(&host->card->gids, 0));

	assert_int_equal(host_cmd_in(host, ORNIC_CMD_MODIFY_CQ, &cq),
			 ORNIC_CMD_OK);
	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_MODIFY_CQ, &cq, 4, NULL,
				      0), ORNIC_CMD_OK);
	kit_arm_cq(kit, ORNIC_ARM_NEXT);
	kit_post(kit, 1);
	kit_expect_event(kit, ORNIC_EVENT_COMP, kit->cq.num);
}

/*
 * [ORNIC-ADM-11] An entry in which everything is wrong, and is put right thing
 * by thing: each status shows the next check
 */
static void test_order_of_checks(void **state)
{
	struct host *host = *state;
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

/* ---- QUERY_DEVICE, QUERY_STATS ---- */

/* [ORNIC-DEV-2] The answer stays, whatever the host does */
static void test_answer_does_not_change(void **state)
{
	struct kit *kit = *state;
	struct host *host = kit->host;
	struct ornic_query_device_out first, later;
	struct ornic_modify_port_in port = {
		.mask = htole32(ORNIC_PORT_MTU | ORNIC_PORT_MAC | ORNIC_PORT_UP),
		.mtu = htole32(9000),
		.mac = { 2, 9, 9, 9, 9, 9 },
		.up = 1,
	};

	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_QUERY_DEVICE, NULL, 0,
				      &first, sizeof(first)), ORNIC_CMD_OK);
	assert_int_equal(host_cmd_in(host, ORNIC_CMD_MODIFY_PORT, &port),
			 ORNIC_CMD_OK);
	host_uctx(host, 0, 0);
	kit_post(kit, 1);
	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_QUERY_DEVICE, NULL, 0,
				      &later, sizeof(later)), ORNIC_CMD_OK);
	assert_memory_equal(&first, &later, sizeof(first));
}

/*
 * [ORNIC-DEV-3], [ORNIC-EXT-2] So many counters as the card promises, and not
 * one more
 */
static void test_maximum_is_what_may_be_created(void **state)
{
	struct host *host = *state;
	struct ornic_query_device_out limits;
	struct ornic_object out;
	uint32_t i;

	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_QUERY_DEVICE, NULL, 0,
				      &limits, sizeof(limits)), ORNIC_CMD_OK);
	for (i = 0; i < le32toh(limits.max_counters); i++)
		assert_int_equal(host_cmd_raw(host, ORNIC_CMD_CREATE_COUNTERS,
					      NULL, 0, &out, sizeof(out)),
				 ORNIC_CMD_OK);
	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_CREATE_COUNTERS, NULL, 0,
				      &out, sizeof(out)),
			 ORNIC_CMD_NO_RESOURCES);
	for (i = 0; i < le32toh(limits.max_xrcd); i++)
		assert_int_equal(host_cmd_raw(host, ORNIC_CMD_ALLOC_XRCD, NULL,
					      0, &out, sizeof(out)),
				 ORNIC_CMD_OK);
	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_ALLOC_XRCD, NULL, 0,
				      &out, sizeof(out)),
			 ORNIC_CMD_NO_RESOURCES);
}

/* [ORNIC-DEV-6] The host's own `up` tells no event */
static void test_up_is_no_event(void **state)
{
	struct kit *kit = *state;
	struct ornic_modify_port_in in = { .mask = htole32(ORNIC_PORT_UP) };
	struct ornic_query_port_out out;

	for (in.up = 0; in.up < 2; in.up++) {
		assert_int_equal(host_cmd_in(kit->host, ORNIC_CMD_MODIFY_PORT,
					     &in), ORNIC_CMD_OK);
		kit_expect_no_event(kit);
		host_cmd_raw(kit->host, ORNIC_CMD_QUERY_PORT, NULL, 0, &out,
			     sizeof(out));
		assert_int_equal(out.link, 1);
	}
	card_link_changed(kit->host->card, false);
	kit_expect_event(kit, ORNIC_EVENT_PORT_DOWN, 0);
}

/*
 * [ORNIC-DEV-13] An older host asks for fewer counters and gets these; all
 * begin with 0 at reset and only grow
 */
static void test_counters_grow_and_are_cut(void **state)
{
	struct host *host = *state;
	struct ornic_query_stats_in in = {
		.scope = htole32(ORNIC_STATS_DEVICE),
	};
	uint64_t last[ORNIC_DEVICE_STAT_COUNT] = {}, now[2 * ARRAY_SIZE(last)];
	unsigned int i, count, turn;

	for (turn = 0; turn < 3; turn++) {
		host_cmd_raw(host, 0xffff, NULL, 0, NULL, 0);
		assert_int_equal(host_cmd(host, ORNIC_CMD_QUERY_STATS, &in,
					  &now), ORNIC_CMD_OK);
		assert_int_equal(host->out_len, sizeof(last));
		for (i = 0; i < ARRAY_SIZE(last); i++)
			assert_true(le64toh(now[i]) >= last[i]);
		memcpy(last, now, sizeof(last));
		assert_int_equal(last[ORNIC_DEVICE_STAT_commands_refused],
				 turn + 1);
	}
	for (count = 0; count < ARRAY_SIZE(last); count++) {
		memset(now, GARBAGE, sizeof(now));
		assert_int_equal(host_cmd_raw(host, ORNIC_CMD_QUERY_STATS, &in,
					      sizeof(in), now, count * 8),
				 ORNIC_CMD_OK);
		assert_int_equal(host->out_len, count * 8);
	}
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_enable(host);
	assert_int_equal(host_cmd(host, ORNIC_CMD_QUERY_STATS, &in, &now),
			 ORNIC_CMD_OK);
	for (i = 0; i < ARRAY_SIZE(last); i++)
		if (i != ORNIC_DEVICE_STAT_commands &&
		    i != ORNIC_DEVICE_STAT_interrupts)
			assert_int_equal(now[i], 0);
}

/*
 * [ORNIC-EXT-1], [ORNIC-EXT-4] An input of zeros in all that 1.0 does not need
 * means the plain object: CREATE_QP without what follows dbr_addr
 */
static void test_zero_means_the_old_behaviour(void **state)
{
	struct kit *kit = *state;
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

	assert_int_equal(host_cmd_raw(host, ORNIC_CMD_CREATE_QP, &in,
				      offsetof(struct ornic_create_qp_in,
					       rwq_table), &out, sizeof(out)),
			 ORNIC_CMD_OK);
	assert_int_equal(host_cmd_object(host, ORNIC_CMD_DESTROY_QP,
					 le32toh(out.qpn)), ORNIC_CMD_OK);
	assert_int_equal(host_cmd(host, ORNIC_CMD_CREATE_QP, &in, &out),
			 ORNIC_CMD_OK);
}

#define T(name) cmocka_unit_test_setup_teardown(name, host_setup, host_teardown)
#define K(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_entries_are_copied_once),
		T(test_completions_always_have_room),
		T(test_index_beyond_the_ring),
		T(test_cmd_id_is_returned),
		T(test_only_the_answer_is_written),
		T(test_alignment_and_lengths),
		K(test_short_input_is_extended_with_zeros),
		T(test_order_of_checks),
		K(test_answer_does_not_change),
		T(test_maximum_is_what_may_be_created),
		K(test_up_is_no_event),
		T(test_counters_grow_and_are_cut),
		K(test_zero_means_the_old_behaviour),
	};

	return cmocka_run_group_tests_name("submission", tests, NULL, NULL);
}
