// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pure parts of the core driver: arithmetic of rings and phases, doorbells, boards, command ids and
 * queue, error numbers. Each ring test wraps.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "ornic_api.h"
#include "../../kernel/net/cmd.h"
#include "../../kernel/net/cmdq.h"
#include "../../kernel/net/dbuf.h"
#include "../../kernel/net/res.h"
#include "../../kernel/net/start.h"

#define TEST_LOG_SIZE	3
#define TEST_SIZE	8u
#define TEST_PASSES	5

/* ---- Rings and phases --------------------------------------------------- */

static void ornic_test_phase_flips_each_pass(struct kunit *test)
{
	u32 index;

	for (index = 0; index < TEST_PASSES * TEST_SIZE; index++)
		KUNIT_EXPECT_EQ(test, ornic_ring_phase(index, TEST_LOG_SIZE, BIT(31)),
				index / TEST_SIZE % 2 ? 0 : BIT(31));
}

static void ornic_test_phase_goes_on_where_indexes_wrap(struct kunit *test)
{
	/* 2^32 is an even number of passes, so that pass 0 follows an odd one */
	KUNIT_EXPECT_EQ(test, ornic_ring_phase(U32_MAX, TEST_LOG_SIZE, BIT(31)), 0);
	KUNIT_EXPECT_EQ(test, ornic_ring_phase(U32_MAX + 1, TEST_LOG_SIZE, BIT(31)), BIT(31));
}

struct test_cq {
	struct ornic_cq_ring ring;
	struct ornic_cq_dbr dbr;
	__le64 doorbell;
	u32 pi;
	struct ornic_cqe_64 entries[TEST_SIZE] __aligned(64);
};

static struct test_cq *ornic_test_cq(struct kunit *test, u8 log_cqe_size, u32 start)
{
	struct test_cq *cq = kunit_kzalloc(test, sizeof(*cq), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, cq);
	cq->ring.buf = cq->entries;
	cq->ring.dbr = &cq->dbr;
	cq->ring.log_size = TEST_LOG_SIZE;
	cq->ring.log_cqe_size = log_cqe_size;
	cq->ring.ci = start;
	cq->pi = start;

	/* As the previous pass has left it, or zeroed before the first one */
	for (i = 0; i < TEST_SIZE; i++) {
		struct ornic_cqe *cqe = ornic_cq_entry(&cq->ring, i);

		cqe->qpn = 0;
		if (start)
			cqe->qpn = cpu_to_le32(ornic_ring_phase(start - TEST_SIZE + i,
								TEST_LOG_SIZE, ORNIC_CQE_PHASE));
	}
	return cq;
}

static void ornic_test_cq_write(struct test_cq *cq)
{
	struct ornic_cqe *cqe = ornic_cq_entry(&cq->ring, cq->pi);

	cqe->wr_id = cpu_to_le64(cq->pi);
	cqe->qpn = cpu_to_le32(ornic_ring_phase(cq->pi, TEST_LOG_SIZE, ORNIC_CQE_PHASE));
	cq->pi++;
}

/* Writes and polls in batches of every size, through several passes */
static void ornic_test_cq_run(struct kunit *test, u8 log_cqe_size, u32 start)
{
	struct test_cq *cq = ornic_test_cq(test, log_cqe_size, start);
	u32 batch, pass, i;

	for (batch = 1; batch <= TEST_SIZE; batch++) {
		for (pass = 0; pass < TEST_PASSES; pass++) {
			KUNIT_ASSERT_NULL(test, ornic_cq_peek(&cq->ring));
			for (i = 0; i < batch; i++)
				ornic_test_cq_write(cq);
			for (i = 0; i < batch; i++) {
				struct ornic_cqe *cqe = ornic_cq_peek(&cq->ring);

				KUNIT_ASSERT_NOT_NULL(test, cqe);
				KUNIT_ASSERT_EQ(test, (u32)le64_to_cpu(cqe->wr_id), cq->ring.ci);
				cq->ring.ci++;
			}
			KUNIT_ASSERT_NULL(test, ornic_cq_peek(&cq->ring));
			ornic_cq_publish(&cq->ring);
			KUNIT_ASSERT_EQ(test, le32_to_cpu(cq->dbr.ci), cq->pi);
		}
	}
}

static void ornic_test_cq_of_32_bytes(struct kunit *test)
{
	ornic_test_cq_run(test, 5, 0);
}

static void ornic_test_cq_of_64_bytes(struct kunit *test)
{
	ornic_test_cq_run(test, 6, 0);
}

static void ornic_test_cq_where_indexes_wrap(struct kunit *test)
{
	ornic_test_cq_run(test, 5, 0U - 3 * TEST_SIZE);
}

/* [ORNIC-DB-23], [ORNIC-DB-27] */
static void ornic_test_cq_arm(struct kunit *test)
{
	struct test_cq *cq = ornic_test_cq(test, 5, 0);
	u32 first, second, third;

	KUNIT_EXPECT_FALSE(test, ornic_cq_arm(&cq->ring, ORNIC_ARM_SOLICITED));
	first = le32_to_cpu(cq->dbr.arm);
	KUNIT_EXPECT_EQ(test, FIELD_GET(ORNIC_ARM_TYPE, first), ORNIC_ARM_SOLICITED);

	ornic_test_cq_write(cq);
	KUNIT_EXPECT_TRUE(test, ornic_cq_arm(&cq->ring, ORNIC_ARM_NEXT));
	second = le32_to_cpu(cq->dbr.arm);
	KUNIT_EXPECT_EQ(test, FIELD_GET(ORNIC_ARM_TYPE, second), ORNIC_ARM_NEXT);
	KUNIT_EXPECT_EQ(test, FIELD_GET(ORNIC_ARM_GEN, second),
			FIELD_GET(ORNIC_ARM_GEN, first) + 1);

	/* [ORNIC-DB-25]: same generation as the NEXT that it replaces */
	ornic_cq_arm(&cq->ring, ORNIC_ARM_SOLICITED);
	third = le32_to_cpu(cq->dbr.arm);
	KUNIT_EXPECT_EQ(test, FIELD_GET(ORNIC_ARM_TYPE, third), ORNIC_ARM_SOLICITED);
	KUNIT_EXPECT_EQ(test, FIELD_GET(ORNIC_ARM_GEN, third), FIELD_GET(ORNIC_ARM_GEN, second));
	KUNIT_EXPECT_EQ(test, FIELD_GET(ORNIC_ARM_SEQ, third),
			FIELD_GET(ORNIC_ARM_SEQ, second) + 1);
}

static void ornic_test_cq_arm_sequence_wraps(struct kunit *test)
{
	struct test_cq *cq = ornic_test_cq(test, 5, 0);

	cq->ring.arm_seq = FIELD_GET(ORNIC_ARM_SEQ, U32_MAX);
	ornic_cq_arm(&cq->ring, ORNIC_ARM_NEXT);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(cq->dbr.arm), ORNIC_ARM_NEXT);
}

static struct test_cq *ornic_test_cq_with_doorbell(struct kunit *test, u32 start)
{
	struct test_cq *cq = ornic_test_cq(test, 6, start);

	cq->ring.db = (void __force __iomem *)&cq->doorbell;
	cq->ring.cqn = 0x123;
	cq->ring.told = start;
	cq->ring.lag = TEST_SIZE / 8;
	return cq;
}

static u64 ornic_test_cq_doorbell(u32 ci, enum ornic_arm_type type)
{
	return ornic_db_value(ORNIC_DB_CQ, 0x123, ornic_db_arm(ci, type));
}

static void ornic_test_doorbell_arm_value(struct kunit *test)
{
	u32 ci = U32_MAX;

	KUNIT_EXPECT_EQ(test, ornic_db_arm(0, ORNIC_ARM_NONE), 0);
	KUNIT_EXPECT_EQ(test, ornic_db_arm(1, ORNIC_ARM_NEXT), 6);
	/* FIELD_PREP() cuts only what the compiler does not know */
	OPTIMIZER_HIDE_VAR(ci);
	KUNIT_EXPECT_EQ(test, ornic_db_arm(ci, ORNIC_ARM_SOLICITED), 0xfffffffd);
}

/* [ORNIC-DB-28] The doorbell tells how far the ring has been read, and requests */
static void ornic_test_cq_arm_by_doorbell(struct kunit *test)
{
	struct test_cq *cq = ornic_test_cq_with_doorbell(test, 0);

	ornic_cq_arm(&cq->ring, ORNIC_ARM_NEXT);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(cq->doorbell), ornic_test_cq_doorbell(0, ORNIC_ARM_NEXT));

	ornic_test_cq_write(cq);
	KUNIT_ASSERT_NOT_NULL(test, ornic_cq_peek(&cq->ring));
	cq->ring.ci++;
	ornic_cq_publish(&cq->ring);
	KUNIT_EXPECT_FALSE(test, ornic_cq_arm(&cq->ring, ORNIC_ARM_SOLICITED));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(cq->doorbell),
			ornic_test_cq_doorbell(1, ORNIC_ARM_SOLICITED));
	KUNIT_EXPECT_EQ(test, cq->ring.told, 1);
}

/* [ORNIC-DB-31] Never more than the lag is consumed and not told */
static void ornic_test_cq_is_told_in_time(struct kunit *test)
{
	struct test_cq *cq = ornic_test_cq_with_doorbell(test, 0U - 2 * TEST_SIZE);
	u32 told = cq->ring.told, i;

	for (i = 0; i < TEST_PASSES * TEST_SIZE; i++) {
		ornic_test_cq_write(cq);
		KUNIT_ASSERT_NOT_NULL(test, ornic_cq_peek(&cq->ring));
		cq->ring.ci++;
		cq->doorbell = 0;
		ornic_cq_publish(&cq->ring);
		KUNIT_ASSERT_EQ(test, le32_to_cpu(cq->dbr.ci), cq->ring.ci);
		if (cq->ring.ci - told > cq->ring.lag) {
			told = cq->ring.ci;
			KUNIT_ASSERT_EQ(test, le64_to_cpu(cq->doorbell),
					ornic_test_cq_doorbell(told, ORNIC_ARM_NONE));
		} else {
			KUNIT_ASSERT_EQ(test, le64_to_cpu(cq->doorbell), 0);
		}
	}
}

static void ornic_test_cq_lag(struct kunit *test)
{
	struct ornic_dev *odev = kunit_kzalloc(test, sizeof(*odev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, odev);
	KUNIT_EXPECT_EQ(test, ornic_cq_lag(odev, 64), 8);
	KUNIT_EXPECT_EQ(test, ornic_cq_lag(odev, 4), 0);
	odev->shadow = true;
	KUNIT_EXPECT_EQ(test, ornic_cq_lag(odev, 64), 0);
}

static bool ornic_test_cq_has_gap(const struct test_cq *cq)
{
	const struct ornic_cqe *first = ornic_cq_entry(&cq->ring, 0);

	return ornic_gap_at(&first->qpn, cq->ring.log_cqe_size, TEST_LOG_SIZE, ORNIC_CQE_PHASE,
			    cq->ring.ci);
}

/* [ORNIC-GEN-10] At each place of the ring, in several passes, behind each number of entries */
static void ornic_test_gap_is_found(struct kunit *test)
{
	struct test_cq *cq = ornic_test_cq(test, 6, 0U - 2 * TEST_SIZE);
	u32 step, behind;

	for (step = 0; step < TEST_PASSES * TEST_SIZE; step++) {
		behind = 1 + step % (TEST_SIZE - 1);
		KUNIT_ASSERT_FALSE(test, ornic_test_cq_has_gap(cq));
		cq->pi += behind;
		ornic_test_cq_write(cq);
		KUNIT_ASSERT_TRUE(test, ornic_test_cq_has_gap(cq));

		/* Late, but there */
		cq->pi -= behind + 1;
		while (behind--)
			ornic_test_cq_write(cq);
		KUNIT_ASSERT_FALSE(test, ornic_test_cq_has_gap(cq));
		cq->pi++;
		cq->ring.ci = cq->pi;
	}
}

static void ornic_test_full_ring_has_no_gap(struct kunit *test)
{
	struct test_cq *cq = ornic_test_cq(test, 5, 0);
	u32 i;

	for (i = 0; i < TEST_PASSES * TEST_SIZE; i++) {
		ornic_test_cq_write(cq);
		KUNIT_ASSERT_FALSE(test, ornic_test_cq_has_gap(cq));
		/* The consumer is a whole ring behind */
		if (i >= TEST_SIZE - 1)
			cq->ring.ci++;
	}
}

/* Both phases are those of the only entry */
static void ornic_test_ring_of_one_entry_has_no_gap(struct kunit *test)
{
	__le32 word = 0;

	KUNIT_EXPECT_FALSE(test, ornic_gap_at(&word, 2, 0, ORNIC_CQE_PHASE, 0));
	KUNIT_EXPECT_FALSE(test, ornic_gap_at(&word, 2, 0, ORNIC_CQE_PHASE, 1));
}

static void ornic_test_gap_must_stay(struct kunit *test)
{
	struct ornic_gap gap = {};

	KUNIT_EXPECT_FALSE(test, ornic_gap_stays(&gap, true, 0));
	KUNIT_EXPECT_TRUE(test, ornic_gap_stays(&gap, true, 0));
	/* The consumer goes on, or the entry arrives */
	KUNIT_EXPECT_FALSE(test, ornic_gap_stays(&gap, true, 1));
	KUNIT_EXPECT_FALSE(test, ornic_gap_stays(&gap, false, 1));
	KUNIT_EXPECT_FALSE(test, ornic_gap_stays(&gap, true, 1));
}

/* ---- Limits that the device reports ------------------------------------- */

/* [ORNIC-DEV-6], [ORNIC-VER-4] */
static void ornic_test_ring_sizes(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, ornic_limits_ring_valid(0));
	KUNIT_EXPECT_TRUE(test, ornic_limits_ring_valid(1));
	KUNIT_EXPECT_TRUE(test, ornic_limits_ring_valid(65536));
	KUNIT_EXPECT_FALSE(test, ornic_limits_ring_valid(65535));
	KUNIT_EXPECT_TRUE(test, ornic_limits_ring_valid(ORNIC_RING_MAX));
	KUNIT_EXPECT_FALSE(test, ornic_limits_ring_valid(2 * ORNIC_RING_MAX));
	KUNIT_EXPECT_FALSE(test, ornic_limits_ring_valid(U32_MAX));
	/* The index in a doorbell tells a full ring from an empty one, and more */
	KUNIT_EXPECT_LE(test, 2 * ORNIC_RING_MAX, FIELD_GET(ORNIC_DB_ARM_CI, U32_MAX));
}

/* [ORNIC-ORD-8], [ORNIC-VER-4] The shortest of the longest rings that a profile has still works */
static void ornic_test_lags(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ornic_limits_max_lag(0), 0);
	KUNIT_EXPECT_EQ(test, ornic_limits_max_lag(2), 0);
	KUNIT_EXPECT_EQ(test, ornic_limits_max_lag(64), 16);
	KUNIT_EXPECT_EQ(test, ornic_limits_max_lag(1024), 256);
	KUNIT_EXPECT_EQ(test, ornic_limits_max_lag(ORNIC_RING_MAX), ORNIC_CI_LAG_MAX);
}

/* ---- Doorbells and boards ----------------------------------------------- */

static void ornic_test_doorbell_value(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ornic_db_value(ORNIC_DB_SQ, 0, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, ornic_db_value(ORNIC_DB_CQ, 0x123456, 0x89abcdef),
			0x0112345689abcdefULL);
	KUNIT_EXPECT_EQ(test, ornic_db_value(ORNIC_DB_EQ, 0xffffff, U32_MAX),
			0x02ffffffffffffffULL);
}

static void ornic_test_doorbell_number_stays_in_its_field(struct kunit *test)
{
	u32 num = 0x01000001;

	OPTIMIZER_HIDE_VAR(num);
	KUNIT_EXPECT_EQ(test, ornic_db_value(ORNIC_DB_SQ, num, 7), 0x0000000100000007ULL);
}

/* [ORNIC-DB-37] */
static void ornic_test_board_marks(struct kunit *test)
{
	static const u32 slots[] = { 0, 1, 63, 64, 4095, ORNIC_BOARD_SLOTS - 1 };
	struct ornic_board *board = kunit_kzalloc(test, sizeof(*board), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, board);
	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		u32 slot = slots[i];

		ornic_board_mark(board->bits, slot);
		ornic_board_mark(board->summary, slot / 64);
		KUNIT_EXPECT_TRUE(test, le64_to_cpu(board->bits[slot / 64]) & BIT_ULL(slot % 64));
		KUNIT_EXPECT_TRUE(test, le64_to_cpu(board->summary[slot / 64 / 64]) &
					BIT_ULL(slot / 64 % 64));
	}
	/* Bits that were set before are still set */
	KUNIT_EXPECT_EQ(test, le64_to_cpu(board->bits[0]), BIT_ULL(63) | 3);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(board->bits[1]), 1ULL);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(board->summary[0]), BIT_ULL(63) | 3);
}

static struct ornic_dev *ornic_test_dev(struct kunit *test, bool board)
{
	struct ornic_dev *odev = kunit_kzalloc(test, sizeof(*odev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, odev);
	if (board) {
		odev->board = kunit_kzalloc(test, sizeof(*odev->board), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, odev->board);
	}
	/* Ordinary memory takes the doorbells */
	odev->db = (void __iomem *)kunit_kzalloc(test, sizeof(u64), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, (__force void *)odev->db);
	return odev;
}

static u64 ornic_test_rung(struct ornic_dev *odev)
{
	return *(__force u64 *)odev->db;
}

/* [ORNIC-DB-10] */
static void ornic_test_ring_without_board(struct kunit *test)
{
	struct ornic_dev *odev = ornic_test_dev(test, false);
	struct ornic_qp_dbr dbr = {};

	ornic_ring_sq(odev, &dbr, 5, ORNIC_BOARD_NO_SLOT, 9);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(dbr.sq_pi), 9);
	KUNIT_EXPECT_EQ(test, ornic_test_rung(odev), ornic_db_value(ORNIC_DB_SQ, 5, 9));
}

static void ornic_test_ring_while_watched(struct kunit *test)
{
	struct ornic_dev *odev = ornic_test_dev(test, true);
	struct ornic_qp_dbr dbr = { .sq_watched = cpu_to_le32(1) };

	ornic_ring_sq(odev, &dbr, 5, 3, 9);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(dbr.sq_pi), 9);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(odev->board->bits[0]), 0ULL);
	KUNIT_EXPECT_EQ(test, ornic_test_rung(odev), 0ULL);
}

static void ornic_test_ring_while_awake(struct kunit *test)
{
	struct ornic_dev *odev = ornic_test_dev(test, true);
	struct ornic_qp_dbr dbr = {};

	odev->board->awake = cpu_to_le32(1);
	ornic_ring_sq(odev, &dbr, 5, 70, 9);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(odev->board->bits[1]), BIT_ULL(6));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(odev->board->summary[0]), BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, ornic_test_rung(odev), 0ULL);
}

static void ornic_test_ring_while_asleep(struct kunit *test)
{
	struct ornic_dev *odev = ornic_test_dev(test, true);
	struct ornic_qp_dbr dbr = {};

	ornic_ring_sq(odev, &dbr, 5, 70, 9);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(odev->board->bits[1]), BIT_ULL(6));
	KUNIT_EXPECT_EQ(test, ornic_test_rung(odev), ornic_db_value(ORNIC_DB_SQ, 5, 9));
}

static void ornic_test_ring_with_slot_off_the_board(struct kunit *test)
{
	struct ornic_dev *odev = ornic_test_dev(test, true);
	struct ornic_qp_dbr dbr = {};

	odev->board->awake = cpu_to_le32(1);
	ornic_ring_sq(odev, &dbr, 5, ORNIC_BOARD_SLOTS, 9);
	KUNIT_EXPECT_EQ(test, ornic_test_rung(odev), ornic_db_value(ORNIC_DB_SQ, 5, 9));
}

/* [ORNIC-DB-10], [ORNIC-DB-13] */
static void ornic_test_receives_ring_if_needed(struct kunit *test)
{
	struct ornic_dev *odev = ornic_test_dev(test, true);
	struct ornic_qp_dbr dbr = {};

	ornic_publish_rq(odev, &dbr, ORNIC_DB_RQ, 5, 9);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(dbr.rq_pi), 9);
	KUNIT_EXPECT_EQ(test, ornic_test_rung(odev), 0ULL);
	odev->rq_doorbell = true;
	ornic_publish_rq(odev, &dbr, ORNIC_DB_SRQ, 5, 10);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(dbr.rq_pi), 10);
	KUNIT_EXPECT_EQ(test, ornic_test_rung(odev), ornic_db_value(ORNIC_DB_SRQ, 5, 10));
}

static void ornic_test_dbuf_is_described(struct kunit *test)
{
	struct ornic_dbuf dbuf = { .dma = 0x123450000ULL, .size = 0x10000 };
	struct ornic_buf buf;

	ornic_dbuf_describe(&dbuf, 0x3000, 0x1001, &buf);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(buf.addr), 0x123453000ULL);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(buf.npages), 2);
	KUNIT_EXPECT_EQ(test, buf.page_shift, 12);
	KUNIT_EXPECT_EQ(test, buf.levels, 0);
}

/* ---- Commands ----------------------------------------------------------- */

/* [ORNIC-ADM-7] */
static void ornic_test_cmd_id_holds_slot_and_generation(struct kunit *test)
{
	u32 slot, gen;

	for (slot = 0; slot < ORNIC_CMD_SLOTS; slot++) {
		for (gen = 0; gen <= FIELD_MAX(ORNIC_CMD_ID_GEN); gen++) {
			u16 id = ornic_cmd_id(slot, gen);

			KUNIT_ASSERT_EQ(test, FIELD_GET(ORNIC_CMD_ID_SLOT, id), slot);
			KUNIT_ASSERT_EQ(test, FIELD_GET(ORNIC_CMD_ID_GEN, id), gen);
		}
	}
}

static void ornic_test_cmd_generation_wraps_in_its_field(struct kunit *test)
{
	u32 gen = FIELD_MAX(ORNIC_CMD_ID_GEN) + 1;

	OPTIMIZER_HIDE_VAR(gen);
	KUNIT_EXPECT_EQ(test, ornic_cmd_id(7, gen), ornic_cmd_id(7, 0));
}

static struct ornic_cmdq *ornic_test_cmdq(struct kunit *test)
{
	struct ornic_cmdq *cmdq = kunit_kzalloc(test, sizeof(*cmdq), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, cmdq);
	cmdq->log_depth = TEST_LOG_SIZE;
	cmdq->cq = kunit_kcalloc(test, TEST_SIZE, sizeof(*cmdq->cq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cmdq->cq);
	return cmdq;
}

/* [ORNIC-ADM-19] */
static void ornic_test_cmdq_rings_a_device_that_sleeps(struct kunit *test)
{
	struct ornic_cmdq *cmdq = ornic_test_cmdq(test);
	struct ornic_admin_dbr dbr = {};

	cmdq->pi = 9;
	KUNIT_EXPECT_TRUE(test, ornic_cmdq_publish(cmdq));

	cmdq->dbr = &dbr;
	KUNIT_EXPECT_TRUE(test, ornic_cmdq_publish(cmdq));
	KUNIT_EXPECT_EQ(test, le32_to_cpu(dbr.sq_pi), 9);

	dbr.sq_watched = cpu_to_le32(1);
	cmdq->pi = 10;
	KUNIT_EXPECT_FALSE(test, ornic_cmdq_publish(cmdq));
	KUNIT_EXPECT_EQ(test, le32_to_cpu(dbr.sq_pi), 10);
}

static void ornic_test_cmdq_sees_each_completion(struct kunit *test)
{
	struct ornic_cmdq *cmdq = ornic_test_cmdq(test);
	u32 i;

	/* Both over the end of the ring and over the end of the index */
	cmdq->ci = -2 * TEST_SIZE;
	for (i = 0; i < TEST_SIZE; i++)
		cmdq->cq[i].ctl = cpu_to_le32(ornic_ring_phase(cmdq->ci - TEST_SIZE, TEST_LOG_SIZE,
							       ORNIC_CMD_CQE_PHASE));
	for (i = 0; i < TEST_PASSES * TEST_SIZE; i++) {
		KUNIT_EXPECT_FALSE(test, ornic_cmdq_has_entry(cmdq));
		cmdq->cq[cmdq->ci % TEST_SIZE].ctl =
			cpu_to_le32(ornic_ring_phase(cmdq->ci, TEST_LOG_SIZE,
						     ORNIC_CMD_CQE_PHASE));
		KUNIT_EXPECT_TRUE(test, ornic_cmdq_has_entry(cmdq));
		cmdq->ci++;
	}
}

/* [ORNIC-ADM-16] Over the end of the 16 bits of a completion, and of the index */
static void ornic_test_cmdq_counts_commands_ahead(struct kunit *test)
{
	static const u32 starts[] = { 0, 0xfffe, 0xfffffffe };
	struct ornic_cmdq *cmdq = ornic_test_cmdq(test);
	u32 i, start;

	cmdq->log_depth = 3;
	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		start = starts[i];
		cmdq->taken = start;
		cmdq->pi = start + 6;
		cmdq->slots[3].index = start + 4;
		KUNIT_EXPECT_EQ(test, ornic_cmdq_ahead(cmdq, 3), 5);
		cmdq->taken = ornic_cmdq_taken(cmdq, (u16)(start + 4));
		KUNIT_EXPECT_EQ(test, ornic_cmdq_ahead(cmdq, 3), 1);
		/* Back, and beyond what was submitted */
		KUNIT_EXPECT_EQ(test, ornic_cmdq_taken(cmdq, (u16)(start + 3)), start + 4);
		KUNIT_EXPECT_EQ(test, ornic_cmdq_taken(cmdq, (u16)(start + 7)), start + 4);
		cmdq->taken = ornic_cmdq_taken(cmdq, (u16)(start + 6));
		KUNIT_EXPECT_EQ(test, ornic_cmdq_ahead(cmdq, 3), 0);
		/* A device that never says what it has taken */
		cmdq->slots[3].index = start + 1000;
		KUNIT_EXPECT_EQ(test, ornic_cmdq_ahead(cmdq, 3), 8);
	}
}

static void ornic_test_cmd_errno(struct kunit *test)
{
	static const struct {
		u32 status;
		int err;
	} cases[] = {
		{ ORNIC_CMD_OK, 0 },
		{ ORNIC_CMD_BAD_OPCODE, -EOPNOTSUPP },
		{ ORNIC_CMD_BAD_SIZE, -EINVAL },
		{ ORNIC_CMD_BAD_PARAM, -EINVAL },
		{ ORNIC_CMD_BAD_OBJECT, -ENOENT },
		{ ORNIC_CMD_BUSY, -EBUSY },
		{ ORNIC_CMD_NO_RESOURCES, -ENOMEM },
		{ ORNIC_CMD_BAD_STATE, -EINVAL },
		{ ORNIC_CMD_DMA_FAULT, -EFAULT },
		{ ORNIC_CMD_NOT_SUPPORTED, -EOPNOTSUPP },
		{ ORNIC_CMD_INTERNAL, -EREMOTEIO },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test, ornic_cmd_errno(cases[i].status), cases[i].err);
}

static void ornic_test_cmd_errno_of_unknown_status(struct kunit *test)
{
	u32 status;

	/* Any other status is an error, but never -EIO, which means a dead device */
	for (status = ORNIC_CMD_INTERNAL + 1; status <= U16_MAX; status++)
		KUNIT_ASSERT_EQ(test, ornic_cmd_errno(status), -EREMOTEIO);
}

static struct kunit_case ornic_ring_cases[] = {
	KUNIT_CASE(ornic_test_phase_flips_each_pass),
	KUNIT_CASE(ornic_test_phase_goes_on_where_indexes_wrap),
	KUNIT_CASE(ornic_test_cq_of_32_bytes),
	KUNIT_CASE(ornic_test_cq_of_64_bytes),
	KUNIT_CASE(ornic_test_cq_where_indexes_wrap),
	KUNIT_CASE(ornic_test_cq_arm),
	KUNIT_CASE(ornic_test_cq_arm_sequence_wraps),
	KUNIT_CASE(ornic_test_doorbell_arm_value),
	KUNIT_CASE(ornic_test_cq_arm_by_doorbell),
	KUNIT_CASE(ornic_test_cq_is_told_in_time),
	KUNIT_CASE(ornic_test_cq_lag),
	KUNIT_CASE(ornic_test_gap_is_found),
	KUNIT_CASE(ornic_test_full_ring_has_no_gap),
	KUNIT_CASE(ornic_test_ring_of_one_entry_has_no_gap),
	KUNIT_CASE(ornic_test_gap_must_stay),
	KUNIT_CASE(ornic_test_ring_sizes),
	KUNIT_CASE(ornic_test_lags),
	{}
};

static struct kunit_case ornic_doorbell_cases[] = {
	KUNIT_CASE(ornic_test_doorbell_value),
	KUNIT_CASE(ornic_test_doorbell_number_stays_in_its_field),
	KUNIT_CASE(ornic_test_board_marks),
	KUNIT_CASE(ornic_test_ring_without_board),
	KUNIT_CASE(ornic_test_ring_while_watched),
	KUNIT_CASE(ornic_test_ring_while_awake),
	KUNIT_CASE(ornic_test_ring_while_asleep),
	KUNIT_CASE(ornic_test_ring_with_slot_off_the_board),
	KUNIT_CASE(ornic_test_receives_ring_if_needed),
	KUNIT_CASE(ornic_test_dbuf_is_described),
	{}
};

static struct kunit_case ornic_cmd_cases[] = {
	KUNIT_CASE(ornic_test_cmd_id_holds_slot_and_generation),
	KUNIT_CASE(ornic_test_cmd_generation_wraps_in_its_field),
	KUNIT_CASE(ornic_test_cmdq_rings_a_device_that_sleeps),
	KUNIT_CASE(ornic_test_cmdq_sees_each_completion),
	KUNIT_CASE(ornic_test_cmdq_counts_commands_ahead),
	KUNIT_CASE(ornic_test_cmd_errno),
	KUNIT_CASE(ornic_test_cmd_errno_of_unknown_status),
	{}
};

static struct kunit_suite ornic_ring_suite = {
	.name = "ornic_ring",
	.test_cases = ornic_ring_cases,
};

static struct kunit_suite ornic_doorbell_suite = {
	.name = "ornic_doorbell",
	.test_cases = ornic_doorbell_cases,
};

static struct kunit_suite ornic_cmd_suite = {
	.name = "ornic_cmd",
	.test_cases = ornic_cmd_cases,
};

kunit_test_suites(&ornic_ring_suite, &ornic_doorbell_suite, &ornic_cmd_suite);

MODULE_DESCRIPTION("Tests of the Open RDMA NIC drivers' pure parts");
MODULE_LICENSE("Dual BSD/GPL");
