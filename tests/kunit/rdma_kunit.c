// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pure parts of the verbs driver: sizes of rings, work requests that wrap, receives that complete
 * in any order, page lists, address vectors, checks of requests.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "../../kernel/rdma/ring.h"
#include "../../kernel/rdma/recv_ring.h"
#include "../../kernel/rdma/wqe.h"
/* The source itself, because the driver exports nothing */
#include "../../kernel/rdma/ah.c"
#include "../../kernel/rdma/check.c"
#include "../../kernel/rdma/pbl.c"

/* ---- Sizes of rings ------------------------------------------------------ */

static void ornic_test_wqe_slots(struct kunit *test)
{
	/* Header and route take 32 bytes, for UD 64 */
	KUNIT_EXPECT_EQ(test, ornic_wqe_slots(false, 0, 0), 1);
	KUNIT_EXPECT_EQ(test, ornic_wqe_slots(false, 2, 0), 1);
	KUNIT_EXPECT_EQ(test, ornic_wqe_slots(false, 3, 0), 2);
	KUNIT_EXPECT_EQ(test, ornic_wqe_slots(false, 1, 32), 1);
	KUNIT_EXPECT_EQ(test, ornic_wqe_slots(false, 1, 33), 2);
	KUNIT_EXPECT_EQ(test, ornic_wqe_slots(true, 0, 0), 1);
	KUNIT_EXPECT_EQ(test, ornic_wqe_slots(true, 1, 0), 2);
	KUNIT_EXPECT_EQ(test, ornic_wqe_slots(true, 4, 64), 2);
	KUNIT_EXPECT_EQ(test, ornic_wqe_slots(true, 5, 64), 3);
}

static void ornic_test_sq_log_is_the_smallest(struct kunit *test)
{
	u32 slots;

	for (slots = 1; slots <= ORNIC_MAX_RING; slots++) {
		u32 log = ornic_sq_log(slots);

		KUNIT_ASSERT_GE(test, 1u << log, slots);
		if (log > ORNIC_SQ_LOG_MIN)
			KUNIT_ASSERT_LT(test, 1u << (log - 1), slots);
		KUNIT_ASSERT_LE(test, 1u << log, ORNIC_MAX_RING);
	}
}

/* [ORNIC-ORD-7] Room for the lag of the record is not promised to a process */
static void ornic_test_ring_usable(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ornic_ring_usable(64, 0), 64);
	KUNIT_EXPECT_EQ(test, ornic_ring_usable(64, 8), 56);
	KUNIT_EXPECT_EQ(test, ornic_ring_usable(64, 64), 0);
	KUNIT_EXPECT_EQ(test, ornic_ring_usable(64, ORNIC_CI_LAG_MAX), 0);
}

static void ornic_test_rq_shift(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ornic_rq_shift(0), 5);
	KUNIT_EXPECT_EQ(test, ornic_rq_shift(1), 5);
	KUNIT_EXPECT_EQ(test, ornic_rq_shift(2), 6);
	KUNIT_EXPECT_EQ(test, ornic_rq_shift(3), 6);
	KUNIT_EXPECT_EQ(test, ornic_rq_shift(4), 7);
	KUNIT_EXPECT_EQ(test, ornic_rq_shift(15), 8);
	KUNIT_EXPECT_EQ(test, ornic_rq_shift(16), 9);
	KUNIT_EXPECT_EQ(test, ornic_rq_shift(ORNIC_MAX_SGE), 12);
}

static void ornic_test_rq_sge_fits(struct kunit *test)
{
	u32 sge;

	for (sge = 0; sge <= ORNIC_MAX_SGE; sge++) {
		u32 shift = ornic_rq_shift(sge);

		KUNIT_ASSERT_GE(test, ornic_rq_sge(shift), sge);
		if (shift > ORNIC_RQ_STRIDE_SHIFT_MIN)
			KUNIT_ASSERT_LT(test, ornic_rq_sge(shift - 1), sge);
	}
}

static void ornic_test_wqe_slots_min(struct kunit *test)
{
	/* 32 bytes, and 48 for REG_MR or for a masked atomic with its SGE */
	KUNIT_EXPECT_EQ(test, ornic_wqe_slots_min(), 2);
}

static void ornic_test_max_wr_fits_any_choice(struct kunit *test)
{
	u32 log, sge, inl;

	for (log = ORNIC_SQ_LOG_MIN; log <= ilog2(ORNIC_MAX_RING); log++)
		for (sge = 1; sge <= ORNIC_MAX_SGE; sge += 7)
			for (inl = 0; inl <= ORNIC_MAX_INLINE; inl += 93) {
				u32 wr = ornic_ring_max_wr(1u << log, 1u << log, sge, inl);

				if (!wr)
					continue;
				KUNIT_ASSERT_LE(test, ornic_sq_log(wr * ornic_wqe_slots(true, sge,
											inl)), log);
				KUNIT_ASSERT_LE(test, wr, 1u << log);
			}
}

/* ---- Work requests ------------------------------------------------------- */

#define TEST_SLOTS	8u

static void ornic_test_wqe_wraps_anywhere(struct kunit *test)
{
	u8 *ring = kunit_kzalloc(test, TEST_SLOTS * ORNIC_SLOT_SIZE, GFP_KERNEL);
	u32 len, pi, i;
	u8 data[200];

	KUNIT_ASSERT_NOT_NULL(test, ring);
	for (i = 0; i < sizeof(data); i++)
		data[i] = i + 1;

	/* Across the wrap of the index */
	for (pi = U32_MAX - 20; pi != 20; pi++)
		for (len = 1; len <= sizeof(data); len += 13) {
			struct ornic_wqe_writer w = ornic_wqe_begin(ring, TEST_SLOTS - 1, pi);

			/* In pieces of any length, as inline data is written */
			ornic_wqe_put(&w, data, len / 3);
			ornic_wqe_put(&w, data + len / 3, len - len / 3);
			KUNIT_ASSERT_EQ(test, ornic_wqe_end(&w, pi) - pi,
					DIV_ROUND_UP(len, ORNIC_SLOT_SIZE));
			for (i = 0; i < len; i++)
				KUNIT_ASSERT_EQ(test, data[i],
						ring[(pi * ORNIC_SLOT_SIZE + i) %
						     (TEST_SLOTS * ORNIC_SLOT_SIZE)]);
		}
}

static void ornic_test_wqe_keeps_its_neighbours(struct kunit *test)
{
	u8 *ring = kunit_kzalloc(test, TEST_SLOTS * ORNIC_SLOT_SIZE, GFP_KERNEL);
	struct ornic_wqe_writer w;
	u8 data[2 * ORNIC_SLOT_SIZE];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, ring);
	memset(data, 0xff, sizeof(data));
	w = ornic_wqe_begin(ring, TEST_SLOTS - 1, TEST_SLOTS - 1);
	ornic_wqe_put(&w, data, sizeof(data));
	for (i = 0; i < TEST_SLOTS * ORNIC_SLOT_SIZE; i++)
		KUNIT_ASSERT_EQ(test, ring[i], i / ORNIC_SLOT_SIZE % (TEST_SLOTS - 1) ? 0 : 0xff);
}

/* ---- Receives of an SRQ -------------------------------------------------- */

#define TEST_RECVS	8u

static void ornic_test_recvs_setup(struct kunit *test, struct ornic_recvs *recvs)
{
	recvs->size = TEST_RECVS;
	recvs->recvs = kunit_kcalloc(test, TEST_RECVS, sizeof(*recvs->recvs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, recvs->recvs);
	ornic_recvs_init(recvs);
}

static void ornic_test_recvs_complete_in_any_order(struct kunit *test)
{
	u32 number[TEST_RECVS], round, i, seen;
	struct ornic_recvs recvs;
	struct ornic_recv recv;

	ornic_test_recvs_setup(test, &recvs);
	for (round = 0; round < 3 * TEST_RECVS; round++) {
		for (i = 0, seen = 0; i < TEST_RECVS; i++) {
			KUNIT_ASSERT_TRUE(test, ornic_recvs_get(&recvs, 1000 * round + i, i,
								&number[i]));
			KUNIT_ASSERT_LT(test, number[i], TEST_RECVS);
			seen |= BIT(number[i]);
		}
		KUNIT_ASSERT_EQ(test, seen, GENMASK(TEST_RECVS - 1, 0));
		KUNIT_ASSERT_FALSE(test, ornic_recvs_get(&recvs, 0, 0, &i));

		/* An odd step visits all numbers below a power of two */
		for (i = 0; i < TEST_RECVS; i++) {
			u32 n = (i * (2 * round + 1) + round) % TEST_RECVS;

			KUNIT_ASSERT_TRUE(test, ornic_recvs_put(&recvs, number[n], &recv));
			KUNIT_ASSERT_EQ(test, recv.wr_id, 1000 * round + n);
			KUNIT_ASSERT_EQ(test, recv.room, n);
		}
	}
}

static void ornic_test_recvs_refuse_what_is_not_posted(struct kunit *test)
{
	struct ornic_recvs recvs;
	struct ornic_recv recv;
	u32 number, i;

	ornic_test_recvs_setup(test, &recvs);
	KUNIT_ASSERT_TRUE(test, ornic_recvs_get(&recvs, 1, 2, &number));
	for (i = 0; i < 3 * TEST_RECVS; i++)
		if (i != number)
			KUNIT_EXPECT_FALSE(test, ornic_recvs_put(&recvs, i, &recv));
	KUNIT_EXPECT_FALSE(test, ornic_recvs_put(&recvs, U32_MAX, &recv));

	KUNIT_EXPECT_TRUE(test, ornic_recvs_put(&recvs, number, &recv));
	/* Only once */
	KUNIT_EXPECT_FALSE(test, ornic_recvs_put(&recvs, number, &recv));
}

/* ---- Page lists ---------------------------------------------------------- */

static void ornic_test_pbl_levels(struct kunit *test)
{
	const u64 n = ORNIC_INDEX_ENTRIES;

	KUNIT_EXPECT_EQ(test, ornic_pbl_levels(1), 0);
	KUNIT_EXPECT_EQ(test, ornic_pbl_levels(2), 1);
	KUNIT_EXPECT_EQ(test, ornic_pbl_levels(ORNIC_PBL_FLAT_MAX), 1);
	KUNIT_EXPECT_EQ(test, ornic_pbl_levels(ORNIC_PBL_FLAT_MAX + 1), 2);
	KUNIT_EXPECT_EQ(test, ornic_pbl_levels(n * n), 2);
	KUNIT_EXPECT_EQ(test, ornic_pbl_levels(n * n + 1), 3);
	KUNIT_EXPECT_EQ(test, ornic_pbl_levels(n * n * n), 3);
	KUNIT_EXPECT_EQ(test, ornic_pbl_levels(n * n * n + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ornic_pbl_levels(U64_MAX), -EINVAL);
}

/* Walks the list as the device does. DMA addresses are kernel addresses of this virtual device. */
static u64 ornic_test_pbl_look(const struct ornic_buf *buf, u32 page)
{
	u64 addr = le64_to_cpu(buf->addr);
	int level;

	if (buf->levels == 1)
		return le64_to_cpup((__le64 *)(uintptr_t)addr + page);

	for (level = buf->levels - 1; level >= 0; level--)
		addr = le64_to_cpup((__le64 *)(uintptr_t)addr +
				    (page >> (9 * level)) % ORNIC_INDEX_ENTRIES);
	return addr;
}

static void ornic_test_pbl_of(struct kunit *test, u32 npages, bool flat)
{
	struct ib_device *ibdev = kunit_kzalloc(test, sizeof(*ibdev), GFP_KERNEL);
	struct ornic_pbl pbl;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, ibdev);
	KUNIT_ASSERT_EQ(test, ornic_pbl_alloc(&pbl, npages, 21, flat), 0);
	if (flat)
		KUNIT_EXPECT_EQ(test, pbl.buf.levels, npages > 1);
	for (i = 0; i < npages; i++)
		ornic_pbl_set(&pbl, i, (dma_addr_t)(i + 1) << 21);
	KUNIT_ASSERT_EQ(test, ornic_pbl_map(ibdev, &pbl), 0);

	KUNIT_EXPECT_EQ(test, le32_to_cpu(pbl.buf.npages), npages);
	KUNIT_EXPECT_EQ(test, pbl.buf.page_shift, 21);
	for (i = 0; i < npages; i++)
		if (ornic_test_pbl_look(&pbl.buf, i) != (u64)(i + 1) << 21)
			break;
	KUNIT_EXPECT_EQ(test, i, npages);

	ornic_pbl_free(ibdev, &pbl);
	/* A second call does nothing */
	ornic_pbl_free(ibdev, &pbl);
}

static void ornic_test_pbl_no_list(struct kunit *test)
{
	ornic_test_pbl_of(test, 1, false);
}

static void ornic_test_pbl_flat(struct kunit *test)
{
	ornic_test_pbl_of(test, 2, false);
	ornic_test_pbl_of(test, 513, false);
	ornic_test_pbl_of(test, ORNIC_PBL_FLAT_MAX, false);
	/* [ORNIC-BUF-2] Rings */
	ornic_test_pbl_of(test, 1, true);
	ornic_test_pbl_of(test, 2, true);
	ornic_test_pbl_of(test, 4 * ORNIC_PBL_FLAT_MAX + 1, true);
}

static void ornic_test_pbl_two_levels(struct kunit *test)
{
	ornic_test_pbl_of(test, ORNIC_PBL_FLAT_MAX + 1, false);
	ornic_test_pbl_of(test, 16 * ORNIC_INDEX_ENTRIES, false);
	ornic_test_pbl_of(test, 16 * ORNIC_INDEX_ENTRIES + 1, false);
}

static void ornic_test_pbl_three_levels(struct kunit *test)
{
	ornic_test_pbl_of(test, ORNIC_INDEX_ENTRIES * ORNIC_INDEX_ENTRIES, false);
	ornic_test_pbl_of(test, ORNIC_INDEX_ENTRIES * ORNIC_INDEX_ENTRIES + 1, false);
}

static void ornic_test_pbl_free_before_map(struct kunit *test)
{
	struct ornic_pbl pbl;

	KUNIT_ASSERT_EQ(test, ornic_pbl_alloc(&pbl, ORNIC_PBL_FLAT_MAX + 1, 12, false), 0);
	ornic_pbl_free(NULL, &pbl);
	KUNIT_EXPECT_NULL(test, pbl.chunks);
}

/* ---- Address vectors ----------------------------------------------------- */

static void ornic_test_av_round_trip(struct kunit *test)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_ROCE, .sl = 5, .port_num = 1 };
	struct rdma_ah_attr back;
	struct ornic_av av;

	rdma_ah_set_grh(&attr, NULL, 0xabcde, 200, 64, 0x68);
	memcpy(attr.grh.dgid.raw, "0123456789abcdef", 16);
	memcpy(attr.roce.dmac, "MACMAC", 6);

	ornic_av_from_attr(&attr, &av);
	KUNIT_EXPECT_MEMEQ(test, av.dgid, "0123456789abcdef", 16);
	KUNIT_EXPECT_MEMEQ(test, av.dmac, "MACMAC", 6);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(av.flow), 0x5abcde);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(av.sgid_index), 200);

	ornic_av_to_attr(&av, &back);
	KUNIT_EXPECT_EQ(test, back.type, attr.type);
	KUNIT_EXPECT_EQ(test, back.sl, attr.sl);
	KUNIT_EXPECT_EQ(test, back.port_num, attr.port_num);
	KUNIT_EXPECT_EQ(test, back.ah_flags, attr.ah_flags);
	KUNIT_EXPECT_MEMEQ(test, &back.grh, &attr.grh, sizeof(attr.grh));
	KUNIT_EXPECT_MEMEQ(test, back.roce.dmac, attr.roce.dmac, 6);

	/* A longer flow label does not change the SL next to it */
	attr.grh.flow_label = 0xffffffff;
	ornic_av_from_attr(&attr, &av);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(av.flow), 0x5fffff);
}

/* ---- Checks of requests -------------------------------------------------- */

static void ornic_test_check_range(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ornic_check_range(NULL, "test", 0, 1, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, ornic_check_range(NULL, "test", 1, 1, 3), 0);
	KUNIT_EXPECT_EQ(test, ornic_check_range(NULL, "test", 3, 1, 3), 0);
	KUNIT_EXPECT_EQ(test, ornic_check_range(NULL, "test", 4, 1, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, ornic_check_range(NULL, "test", U64_MAX, 0, U64_MAX), 0);
	/* Nothing is allowed on a device without the feature */
	KUNIT_EXPECT_EQ(test, ornic_check_range(NULL, "test", 1, 1, 0), -EINVAL);
}

static void ornic_test_check_flags(struct kunit *test)
{
	const u8 bytes[] = { 0, 0, 1 };

	KUNIT_EXPECT_EQ(test, ornic_check_flags(NULL, "test", 0, 0), 0);
	KUNIT_EXPECT_EQ(test, ornic_check_flags(NULL, "test", 5, 7), 0);
	KUNIT_EXPECT_EQ(test, ornic_check_flags(NULL, "test", 8, 7), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ornic_check_flags(NULL, "test", BIT_ULL(63), 7), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ornic_check_reserved(NULL, "test", bytes, 2), 0);
	KUNIT_EXPECT_EQ(test, ornic_check_reserved(NULL, "test", bytes, 3), -EOPNOTSUPP);
}

static struct kunit_case ornic_check_cases[] = {
	KUNIT_CASE(ornic_test_check_range),
	KUNIT_CASE(ornic_test_check_flags),
	{}
};

static struct kunit_case ornic_sizes_cases[] = {
	KUNIT_CASE(ornic_test_wqe_slots),
	KUNIT_CASE(ornic_test_sq_log_is_the_smallest),
	KUNIT_CASE(ornic_test_ring_usable),
	KUNIT_CASE(ornic_test_rq_shift),
	KUNIT_CASE(ornic_test_rq_sge_fits),
	KUNIT_CASE(ornic_test_wqe_slots_min),
	KUNIT_CASE(ornic_test_max_wr_fits_any_choice),
	{}
};

static struct kunit_case ornic_wqe_cases[] = {
	KUNIT_CASE(ornic_test_wqe_wraps_anywhere),
	KUNIT_CASE(ornic_test_wqe_keeps_its_neighbours),
	KUNIT_CASE(ornic_test_av_round_trip),
	{}
};

static struct kunit_case ornic_recvs_cases[] = {
	KUNIT_CASE(ornic_test_recvs_complete_in_any_order),
	KUNIT_CASE(ornic_test_recvs_refuse_what_is_not_posted),
	{}
};

static struct kunit_case ornic_pbl_cases[] = {
	KUNIT_CASE(ornic_test_pbl_levels),
	KUNIT_CASE(ornic_test_pbl_no_list),
	KUNIT_CASE(ornic_test_pbl_flat),
	KUNIT_CASE(ornic_test_pbl_two_levels),
	KUNIT_CASE_SLOW(ornic_test_pbl_three_levels),
	KUNIT_CASE(ornic_test_pbl_free_before_map),
	{}
};

static struct kunit_suite ornic_check_suite = {
	.name = "ornic_check",
	.test_cases = ornic_check_cases,
};

static struct kunit_suite ornic_sizes_suite = {
	.name = "ornic_sizes",
	.test_cases = ornic_sizes_cases,
};

static struct kunit_suite ornic_wqe_suite = {
	.name = "ornic_wqe",
	.test_cases = ornic_wqe_cases,
};

static struct kunit_suite ornic_recvs_suite = {
	.name = "ornic_recvs",
	.test_cases = ornic_recvs_cases,
};

static struct kunit_suite ornic_pbl_suite = {
	.name = "ornic_pbl",
	.test_cases = ornic_pbl_cases,
};

kunit_test_suites(&ornic_check_suite, &ornic_sizes_suite, &ornic_wqe_suite,
		  &ornic_recvs_suite, &ornic_pbl_suite);
