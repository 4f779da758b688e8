// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The rings of the admin queue ([ORNIC-ADM-1] ff.), and its record ([ORNIC-ADM-17] ff.) */
#include "card/card.h"
#include "host.h"

#define DEPTH (1u << HOST_ADMIN_LOG_DEPTH)

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

/* With a record that the card of a fixture has not seen: the queue starts anew */
static struct ornic_admin_dbr *give_record(struct host *host, uint64_t offset)
{
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	memset(host_ptr(host, host->admin_sq), 0, HOST_PAGE);
	memset(host_ptr(host, host->admin_cq), 0, HOST_PAGE);
	host->admin_dbr = host_alloc(host, HOST_PAGE, HOST_PAGE) + offset;
	host_start_rings(host);
	host->irqs[0] = 0;
	return host_ptr(host, host->admin_dbr);
}

static struct ornic_admin_dbr *awake(struct host *host)
{
	struct ornic_admin_dbr *dbr = give_record(host, 0);

	host_run(host);
	assert_int_equal(guest_load32(&dbr->sq_watched), 1);
	return dbr;
}

static void arm(struct ornic_admin_dbr *dbr, unsigned int seq,
		unsigned int type)
{
	guest_store32(&dbr->arm, ORNIC_PREP(ORNIC_ARM_SEQ, seq) | type);
}

static void nops(struct host *host, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		host_submit(host, ORNIC_CMD_NOP, NULL, 0);
	host_run(host);
	for (i = 0; i < count; i++)
		assert_int_equal(host_completed(host), ORNIC_CMD_OK);
}

static uint32_t cause(struct host *host)
{
	return host_read(host, ORNIC_REG_FATAL_CAUSE, 4);
}

/* ---- the rings ---- */

/* host_cmd_raw() checks phase, sq_ci and cmd_id of each completion */
TEST(test_rings_wrap, struct host *host, IN_HOST)
{
	unsigned int i, turns = 5 * DEPTH;

	for (i = 0; i < turns; i++)
		host_cmd_raw_is(host, ORNIC_CMD_NOP, NULL, 0, NULL, 0, ORNIC_CMD_OK);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_commands, turns);
	assert_int_equal(host->irqs[0], turns);
}

/* [ORNIC-ADM-1], [ORNIC-ADM-4] */
TEST(test_full_ring_with_one_doorbell, struct host *host, IN_HOST)
{
	unsigned int i;
	struct ornic_cmd_cqe *cqe = host_ptr(host, host->admin_cq);

	for (i = 0; i < DEPTH; i++)
		*sqe_at(host, i) = (struct ornic_cmd_sqe){
			.cmd_id = htole16(0x100 + i) };
	host->admin_pi += DEPTH;
	host_write(host, ORNIC_REG_ADMIN_DB, 4, host->admin_pi);
	host_run(host);
	/* Frames underway are flushed first, once for all commands */
	assert_int_equal(host->flushes, 1);
	for (i = 0; i < DEPTH; i++) {
		assert_int_equal(le16toh(cqe[i].cmd_id), 0x100 + i);
		assert_int_equal(le32toh(cqe[i].ctl),
				 ORNIC_CMD_CQE_PHASE | (i + 1));
	}
	assert_in_range(host->irqs[0], 1, DEPTH);
}

/*
 * [ORNIC-ADM-2] The card copies an entry once. When a completion says that it
 * has, the host may overwrite it.
 */
TEST(test_entries_are_copied_once, struct host *host, IN_HOST)
{
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
			memset(sqe_at(host, created), 0xa5, sizeof(struct ornic_cmd_sqe));
		}
	}
	assert_int_equal(created, DEPTH);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_commands_refused, 0);
}

/*
 * [ORNIC-ADM-4] There is room for the completion of each command, though the
 * host reads none before the last: on each pass of the ring
 */
TEST(test_completions_always_have_room, struct host *host, IN_HOST)
{
	unsigned int pass;

	for (pass = 0; pass < 4; pass++) {
		nops(host, DEPTH);
		assert_false(host_has_completed(host));
	}
}

/* ---- the record ---- */

/* [ORNIC-ADM-18], and more commands than the ring has entries */
TEST(test_card_that_is_awake_needs_no_doorbell, struct host *host, IN_HOST)
{
	unsigned int i, runnable;

	awake(host);
	runnable = host->runnable;
	for (i = 0; i < 5; i++)
		nops(host, DEPTH);
	assert_int_equal(host->runnable, runnable);
	assert_int_equal(host->irqs[0], 0);
}

/* [ORNIC-ADM-18] */
TEST(test_card_that_sleeps_needs_one, struct host *host, IN_HOST)
{
	struct ornic_admin_dbr *dbr = awake(host);
	unsigned int runnable = host->runnable;

	assert_true(card_sleep_prepare(host->card));
	assert_int_equal(guest_load32(&dbr->sq_watched), 0);
	host_submit(host, ORNIC_CMD_NOP, NULL, 0);
	assert_int_equal(host->runnable, runnable + 1);
	card_wake(host->card);
	assert_int_equal(guest_load32(&dbr->sq_watched), 1);
	host_run(host);
	assert_int_equal(host_completed(host), ORNIC_CMD_OK);
}

/* [ORNIC-ADM-18] The host saw sq_watched 1, then the card went to sleep */
TEST(test_no_command_is_lost_on_the_way_to_sleep, struct host *host, IN_HOST)
{
	struct ornic_admin_dbr *dbr = awake(host);

	host_submit(host, ORNIC_CMD_NOP, NULL, 0);
	assert_false(card_sleep_prepare(host->card));
	assert_int_equal(guest_load32(&dbr->sq_watched), 1);
	host_run(host);
	assert_int_equal(host_completed(host), ORNIC_CMD_OK);
	assert_true(card_sleep_prepare(host->card));
}

/* [ORNIC-ADM-18] */
TEST(test_value_of_the_doorbell_may_be_old, struct host *host, IN_HOST)
{
	awake(host);
	nops(host, 3);
	host_write(host, ORNIC_REG_ADMIN_DB, 4, 1);
	host_run(host);
	host_write(host, ORNIC_REG_ADMIN_DB, 4, 1000000);
	host_run(host);
	assert_int_equal(cause(host), 0);
	nops(host, 3);
}

/* [ORNIC-ADM-20] Each request is answered once, by the next completion */
TEST(test_interrupt_comes_when_asked_for, struct host *host, IN_HOST)
{
	struct ornic_admin_dbr *dbr = awake(host);

	nops(host, 1);
	assert_int_equal(host->irqs[0], 0);
	arm(dbr, 1, ORNIC_ARM_NEXT);
	host_run(host);
	assert_int_equal(host->irqs[0], 0);
	/* One for several completions */
	nops(host, 5);
	assert_int_equal(host->irqs[0], 1);
	nops(host, 5);
	assert_int_equal(host->irqs[0], 1);
	arm(dbr, 2, ORNIC_ARM_SOLICITED);
	nops(host, 1);
	assert_int_equal(host->irqs[0], 2);
	arm(dbr, 3, ORNIC_ARM_NONE);
	nops(host, 1);
	assert_int_equal(host->irqs[0], 2);
	arm(dbr, 2, ORNIC_ARM_SOLICITED);
	nops(host, 1);
	assert_int_equal(host->irqs[0], 2);
}

/* [ORNIC-ADM-20] The word of an earlier life of the queue is forgotten */
TEST(test_request_after_a_reset, struct host *host, IN_HOST)
{
	struct ornic_admin_dbr *dbr = awake(host);

	arm(dbr, 1, ORNIC_ARM_NEXT);
	nops(host, 1);
	assert_int_equal(host->irqs[0], 1);
	dbr = awake(host);
	arm(dbr, 1, ORNIC_ARM_NEXT);
	nops(host, 1);
	assert_int_equal(host->irqs[0], 1);
}

/* [ORNIC-RST-7] The interrupt comes unasked */
TEST(test_injected_stop_ends_with_a_reset, struct host *host, IN_HOST)
{
	awake(host);
	card_stop(host->card);
	assert_int_equal(host->irqs[0], 1);
	assert_int_equal(cause(host), ORNIC_FATAL_INJECTED);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_enable(host);
	host_uctx(host, 0, 0);
}

/* [ORNIC-ADM-5] Nothing is executed, and only a reset helps */
TEST(test_index_beyond_the_ring, struct host *host, IN_HOST)
{
	struct ornic_admin_dbr *dbr;
	uint64_t commands = host_device_stat(host, ORNIC_DEVICE_STAT_commands);

	host_write(host, ORNIC_REG_ADMIN_DB, 4, host->admin_pi + DEPTH + 1);
	host_run(host);
	assert_int_equal(cause(host), ORNIC_FATAL_ADMIN_PI);
	assert_true(host_read(host, ORNIC_REG_STATUS, 4) &
		    ORNIC_STATUS_FATAL);
	host_write(host, ORNIC_REG_ADMIN_DB, 4, host->admin_pi + 1);
	host_run(host);
	assert_int_equal(host->irqs[0], 1);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_commands, commands);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_enable(host);
	host_cmd_raw_is(host, ORNIC_CMD_NOP, NULL, 0, NULL, 0, ORNIC_CMD_OK);

	/* The same in the record */
	dbr = awake(host);
	guest_store32(&dbr->sq_pi, DEPTH);
	host_run(host);
	assert_int_equal(cause(host), 0);
	guest_store32(&dbr->sq_pi, 2 * DEPTH + 1);
	host_run(host);
	assert_int_equal(cause(host), ORNIC_FATAL_ADMIN_PI);
	assert_true(card_sleep_prepare(host->card));
	/* An index that goes back is one far ahead */
	dbr = awake(host);
	nops(host, 2);
	guest_store32(&dbr->sq_pi, 1);
	host_run(host);
	assert_int_equal(cause(host), ORNIC_FATAL_ADMIN_PI);
}

/* [ORNIC-ADM-17], [ORNIC-RST-9] */
TEST(test_record_that_cannot_be_used, struct host *host, IN_HOST)
{
	give_record(host, 32);
	assert_int_equal(cause(host), ORNIC_FATAL_ADMIN_DMA);
	assert_false(card_run(host->card));
	awake(host);
	host_unmap(host, host->admin_dbr, HOST_PAGE);
	host_run(host);
	assert_int_equal(cause(host), ORNIC_FATAL_ADMIN_DMA);
	host_map(host, host->admin_dbr, HOST_PAGE);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host->admin_dbr = HOST_NOWHERE & -HOST_PAGE;
	host_start_rings(host);
	host_run(host);
	assert_int_equal(cause(host), ORNIC_FATAL_ADMIN_DMA);
}

/* [ORNIC-ADM-6], with more commands than the card holds back in a turn */
TEST(test_latest_command_completes_first, struct host *host, IN_HOST)
{
	struct ornic_cmd_cqe *cqe = host_ptr(host, host->admin_cq);
	bool done[2 * ADMIN_HELD_MAX + 3] = {};
	unsigned int i, ordered = 0;
	uint16_t id;

	host->card->commands_reverse = true;
	for (i = 0; i < ARRAY_SIZE(done); i++)
		host_submit(host, ORNIC_CMD_NOP, NULL, 0);
	host_run(host);
	for (i = 0; i < ARRAY_SIZE(done); i++) {
		assert_true(le32toh(cqe[i].ctl) & ORNIC_CMD_CQE_PHASE);
		id = le16toh(cqe[i].cmd_id);
		assert_int_equal(id % 7, 0);
		assert_in_range(id / 7, 0, ARRAY_SIZE(done) - 1);
		assert_false(done[id / 7]);
		done[id / 7] = true;
		ordered += id / 7 == i;
		/* The device has fetched this command at least */
		assert_true((le32toh(cqe[i].ctl) & ORNIC_CMD_CQE_SQ_CI) >
			    id / 7);
	}
	assert_int_equal(le16toh(cqe[0].cmd_id), 7 * (ADMIN_HELD_MAX - 1));
	assert_in_range(ordered, 0, 3);
	assert_int_equal(cqe[i].ctl, 0);
	/* A single one is not held back */
	host->admin_ci = host->admin_pi;
	host_cmd_raw_is(host, ORNIC_CMD_NOP, NULL, 0, NULL, 0, ORNIC_CMD_OK);
}

/* [ORNIC-ADM-17] As silicon may */
TEST(test_device_without_shadow_ignores_the_record, struct host *host,
     IN(host_setup_no_shadow, host_teardown))
{
	struct ornic_admin_dbr *dbr = give_record(host, 0);

	host_run(host);
	guest_store32(&dbr->sq_pi, 1);
	host_run(host);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_commands, 0);
	nops(host, 2);
	assert_in_range(host->irqs[0], 1, 2);
	assert_int_equal(guest_load32(&dbr->sq_watched), 0);
	/* Not even the alignment is looked at ([ORNIC-RST-9]) */
	give_record(host, 8);
	assert_int_equal(cause(host), 0);
	nops(host, 1);
}

TEST_MAIN("admin")
