// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests that only the kernel posts (fast registration, invalidation, masked atomics), and
 * draining.
 */
#include <linux/module.h>
#include <linux/scatterlist.h>

#include "../../kernel/rdma/cq.h"
#include "../../kernel/rdma/device.h"
#include "verbs_kunit.h"

#define TEST_PAGES	4u
#define TEST_SIZE	(TEST_PAGES * PAGE_SIZE)
#define TEST_COMPARE	0x00000000ffff0000ull
#define TEST_WORD	0x1122334455667788ull

/* ---- Fast registration --------------------------------------------------- */

/**
 * struct test_mr - a fast registration and its memory
 * @v:		the fixture
 * @mr:		the region; valid after test_mr_register()
 * @pages:	whole pages that are not contiguous
 * @sg:		@pages, mapped for the device
 */
struct test_mr {
	struct verbs *v;
	struct ib_mr *mr;
	void *pages[TEST_PAGES];
	struct scatterlist sg[TEST_PAGES];
};

static void test_mr_init(struct verbs *v, struct test_mr *tm)
{
	unsigned int offset = 0;
	u32 i;

	tm->v = v;
	tm->mr = ib_alloc_mr(v->pd, IB_MR_TYPE_MEM_REG, TEST_PAGES);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(v->test, tm->mr);
	sg_init_table(tm->sg, TEST_PAGES);
	/* In reverse, so that contiguous pages are unlikely */
	for (i = TEST_PAGES; i--;) {
		tm->pages[i] = (void *)get_zeroed_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(v->test, tm->pages[i]);
		sg_set_buf(&tm->sg[i], tm->pages[i], PAGE_SIZE);
	}
	KUNIT_ASSERT_EQ(v->test, TEST_PAGES,
			ib_dma_map_sg(v->ibdev, tm->sg, TEST_PAGES, DMA_BIDIRECTIONAL));
	KUNIT_ASSERT_EQ(v->test, TEST_PAGES,
			ib_map_mr_sg(tm->mr, tm->sg, TEST_PAGES, &offset, PAGE_SIZE));
	KUNIT_ASSERT_EQ(v->test, tm->mr->length, TEST_SIZE);
}

static void test_mr_exit(struct test_mr *tm)
{
	u32 i;

	KUNIT_EXPECT_EQ(tm->v->test, ib_dereg_mr(tm->mr), 0);
	ib_dma_unmap_sg(tm->v->ibdev, tm->sg, TEST_PAGES, DMA_BIDIRECTIONAL);
	for (i = 0; i < TEST_PAGES; i++)
		free_page((unsigned long)tm->pages[i]);
}

/* Registers with a new key on QP 1, which is the target of QP 0 */
static enum ib_wc_status test_mr_register(struct test_mr *tm, struct verbs_pair *pair)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = tm->mr,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE,
	};
	struct verbs_wr done;
	enum ib_wc_status status;

	ib_update_fast_reg_key(tm->mr, ib_inc_rkey(tm->mr->rkey) & 0xff);
	wr.key = tm->mr->rkey;
	status = verbs_send(pair, 1, &wr.wr, &done);
	if (status == IB_WC_SUCCESS)
		KUNIT_EXPECT_EQ(tm->v->test, done.wc.opcode, IB_WC_REG_MR);
	return status;
}

static enum ib_wc_status test_rdma(struct verbs_pair *pair, enum ib_wr_opcode opcode,
				   const struct ib_sge *sge, u64 addr, u32 rkey)
{
	struct ib_sge copy = *sge;
	struct ib_rdma_wr wr = {
		.wr = { .opcode = opcode, .sg_list = &copy, .num_sge = 1 },
		.remote_addr = addr,
		.rkey = rkey,
	};
	struct verbs_wr done;

	return verbs_send(pair, 0, &wr.wr, &done);
}

static enum ib_wc_status test_local_inv(struct verbs_pair *pair, u32 rkey)
{
	struct ib_send_wr wr = { .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = rkey };
	enum ib_wc_status status;
	struct verbs_wr done;

	status = verbs_send(pair, 1, &wr, &done);
	if (status == IB_WC_SUCCESS)
		KUNIT_EXPECT_EQ(pair->v->test, done.wc.opcode, IB_WC_LOCAL_INV);
	return status;
}

static void ornic_test_reg_mr(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct verbs_pair pair;
	struct verbs_buf buf;
	struct test_mr tm;
	u32 round, i;

	verbs_pair_init(v, &pair, IB_QPT_RC, NULL);
	verbs_buf_init(v, &buf, TEST_SIZE);
	test_mr_init(v, &tm);

	/* More rounds than the ring has room for */
	for (round = 0; round < 2 * VERBS_WRS; round++) {
		KUNIT_ASSERT_EQ(test, test_mr_register(&tm, &pair), IB_WC_SUCCESS);
		memset(buf.data, round + 1, buf.size);
		KUNIT_ASSERT_EQ(test, test_rdma(&pair, IB_WR_RDMA_WRITE, &buf.sge, tm.mr->iova,
						tm.mr->rkey), IB_WC_SUCCESS);
		for (i = 0; i < TEST_PAGES; i++)
			KUNIT_ASSERT_EQ(test, memcmp(tm.pages[i], buf.data, PAGE_SIZE), 0);
		memset(buf.data, 0, buf.size);
		KUNIT_ASSERT_EQ(test, test_rdma(&pair, IB_WR_RDMA_READ, &buf.sge, tm.mr->iova,
						tm.mr->rkey), IB_WC_SUCCESS);
		KUNIT_ASSERT_NULL(test, memchr_inv(buf.data, round + 1, buf.size));
		KUNIT_ASSERT_EQ(test, test_local_inv(&pair, tm.mr->rkey), IB_WC_SUCCESS);
	}
	KUNIT_EXPECT_EQ(test, test_rdma(&pair, IB_WR_RDMA_WRITE, &buf.sge, tm.mr->iova,
					tm.mr->rkey), IB_WC_REM_ACCESS_ERR);

	test_mr_exit(&tm);
	verbs_buf_exit(&buf);
	verbs_pair_exit(&pair);
}

static void ornic_test_reg_mr_of_a_part(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct verbs_pair pair;
	struct verbs_buf buf;
	struct test_mr tm;
	unsigned int offset = 100;

	verbs_pair_init(v, &pair, IB_QPT_RC, NULL);
	verbs_buf_init(v, &buf, PAGE_SIZE);
	test_mr_init(v, &tm);

	/* A part of one page, not at its beginning or end */
	sg_dma_len(&tm.sg[1]) = 1000;
	KUNIT_ASSERT_EQ(test, 1, ib_map_mr_sg(tm.mr, &tm.sg[1], 1, &offset, PAGE_SIZE));
	sg_dma_len(&tm.sg[1]) = PAGE_SIZE;
	KUNIT_ASSERT_EQ(test, tm.mr->length, 900);
	KUNIT_ASSERT_EQ(test, test_mr_register(&tm, &pair), IB_WC_SUCCESS);

	memset(buf.data, 0x5a, buf.size);
	buf.sge.length = 900;
	KUNIT_EXPECT_EQ(test, test_rdma(&pair, IB_WR_RDMA_WRITE, &buf.sge, tm.mr->iova,
					tm.mr->rkey), IB_WC_SUCCESS);
	KUNIT_EXPECT_NULL(test, memchr_inv(tm.pages[1], 0, 100));
	KUNIT_EXPECT_NULL(test, memchr_inv(tm.pages[1] + 100, 0x5a, 900));
	KUNIT_EXPECT_NULL(test, memchr_inv(tm.pages[1] + 1000, 0, PAGE_SIZE - 1000));
	buf.sge.length = 901;
	KUNIT_EXPECT_EQ(test, test_rdma(&pair, IB_WR_RDMA_WRITE, &buf.sge, tm.mr->iova,
					tm.mr->rkey), IB_WC_REM_ACCESS_ERR);

	test_mr_exit(&tm);
	verbs_buf_exit(&buf);
	verbs_pair_exit(&pair);
}

static void ornic_test_reg_mr_twice_fails(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct verbs_pair pair;
	struct test_mr tm;

	verbs_pair_init(v, &pair, IB_QPT_RC, NULL);
	test_mr_init(v, &tm);
	KUNIT_EXPECT_EQ(test, test_mr_register(&tm, &pair), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, test_mr_register(&tm, &pair), IB_WC_MW_BIND_ERR);
	test_mr_exit(&tm);
	verbs_pair_exit(&pair);
}

static void ornic_test_send_with_inv(struct kunit *test)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND_WITH_INV, .num_sge = 1 };
	struct verbs *v = test->priv;
	struct verbs_wr sent, received;
	struct verbs_pair pair;
	struct verbs_buf buf;
	struct test_mr tm;

	verbs_pair_init(v, &pair, IB_QPT_RC, NULL);
	verbs_buf_init(v, &buf, PAGE_SIZE);
	test_mr_init(v, &tm);
	KUNIT_ASSERT_EQ(test, test_mr_register(&tm, &pair), IB_WC_SUCCESS);

	verbs_recv(&pair, 1, &buf, &received);
	wr.sg_list = &buf.sge;
	wr.ex.invalidate_rkey = tm.mr->rkey;
	KUNIT_ASSERT_EQ(test, verbs_send(&pair, 0, &wr, &sent), IB_WC_SUCCESS);
	KUNIT_ASSERT_TRUE(test, verbs_wait(v, 1, &received));
	KUNIT_EXPECT_EQ(test, received.wc.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, received.wc.wc_flags & IB_WC_WITH_INVALIDATE,
			IB_WC_WITH_INVALIDATE);
	KUNIT_EXPECT_EQ(test, received.wc.ex.invalidate_rkey, tm.mr->rkey);

	/* The key can be registered again, and gives no access otherwise */
	KUNIT_EXPECT_EQ(test, test_mr_register(&tm, &pair), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, test_local_inv(&pair, tm.mr->rkey), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, test_rdma(&pair, IB_WR_RDMA_WRITE, &buf.sge, tm.mr->iova,
					tm.mr->rkey), IB_WC_REM_ACCESS_ERR);

	test_mr_exit(&tm);
	verbs_buf_exit(&buf);
	verbs_pair_exit(&pair);
}

static void ornic_test_mr_refusals(struct kunit *test)
{
	struct verbs *v = test->priv;
	u32 max = v->ibdev->attrs.max_fast_reg_page_list_len;
	unsigned int offset = 0;
	struct test_mr tm;
	struct ib_mr *mr;

	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_alloc_mr(v->pd, IB_MR_TYPE_MEM_REG, max + 1)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_alloc_mr(v->pd, IB_MR_TYPE_SG_GAPS, 1)), -EOPNOTSUPP);
	mr = ib_alloc_mr(v->pd, IB_MR_TYPE_MEM_REG, max);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);

	test_mr_init(v, &tm);
	KUNIT_EXPECT_EQ(test, ib_map_mr_sg(tm.mr, tm.sg, 1, &offset, 2048), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_map_mr_sg(tm.mr, tm.sg, 1, &offset, 3 * PAGE_SIZE), -EINVAL);
	test_mr_exit(&tm);
}

/* ---- Atomics ------------------------------------------------------------- */

/**
 * struct test_atomics - a word, and the QPs that operate on it
 * @pair:	connected
 * @result:	previous value of the word
 * @mr:		registration of the word, for atomics and writes
 * @word:	target of the operations
 */
struct test_atomics {
	struct verbs_pair pair;
	struct verbs_buf result;
	struct ib_mr *mr;
	struct verbs_buf word;
};

static void test_atomics_init(struct verbs *v, struct test_atomics *ta)
{
	struct ib_reg_wr wr = { .wr.opcode = IB_WR_REG_MR };
	struct scatterlist sg;
	struct verbs_wr done;

	verbs_pair_init(v, &ta->pair, IB_QPT_RC, NULL);
	verbs_buf_init(v, &ta->word, PAGE_SIZE);
	verbs_buf_init(v, &ta->result, sizeof(u64));
	ta->mr = ib_alloc_mr(v->pd, IB_MR_TYPE_MEM_REG, 1);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(v->test, ta->mr);

	sg_init_one(&sg, ta->word.data, PAGE_SIZE);
	sg_dma_address(&sg) = ta->word.sge.addr;
	sg_dma_len(&sg) = PAGE_SIZE;
	KUNIT_ASSERT_EQ(v->test, 1, ib_map_mr_sg(ta->mr, &sg, 1, NULL, PAGE_SIZE));
	wr.mr = ta->mr;
	wr.key = ta->mr->rkey;
	wr.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_REMOTE_WRITE;
	KUNIT_ASSERT_EQ(v->test, verbs_send(&ta->pair, 1, &wr.wr, &done), IB_WC_SUCCESS);
}

static void test_atomics_exit(struct test_atomics *ta)
{
	KUNIT_EXPECT_EQ(ta->pair.v->test, ib_dereg_mr(ta->mr), 0);
	verbs_buf_exit(&ta->result);
	verbs_buf_exit(&ta->word);
	verbs_pair_exit(&ta->pair);
}

static void test_atomic(struct test_atomics *ta, struct ib_atomic_wr *wr,
			enum ib_wc_opcode opcode, u64 before, u64 after)
{
	struct kunit *test = ta->pair.v->test;
	struct verbs_wr done;

	wr->wr.sg_list = &ta->result.sge;
	wr->wr.num_sge = 1;
	wr->remote_addr = ta->mr->iova;
	wr->rkey = ta->mr->rkey;
	*(u64 *)ta->word.data = before;
	KUNIT_ASSERT_EQ(test, verbs_send(&ta->pair, 0, &wr->wr, &done), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, done.wc.opcode, opcode);
	KUNIT_EXPECT_EQ(test, *(u64 *)ta->result.data, before);
	KUNIT_EXPECT_EQ(test, *(u64 *)ta->word.data, after);
}

static void ornic_test_masked_cmp_swp(struct kunit *test)
{
	struct ib_atomic_wr wr = {
		.wr.opcode = IB_WR_MASKED_ATOMIC_CMP_AND_SWP,
		.compare_add = 0xaaaaaaaa5566aaaaull,
		.compare_add_mask = TEST_COMPARE,
		.swap = 0x00000000000000ffull,
		.swap_mask = 0xff000000000000ffull,
	};
	struct test_atomics ta;

	test_atomics_init(test->priv, &ta);
	/* The compared bits are equal, so both ends are swapped */
	test_atomic(&ta, &wr, IB_WC_MASKED_COMP_SWAP, TEST_WORD, 0x00223344556677ffull);
	wr.compare_add ^= 0x0000000000010000ull;
	test_atomic(&ta, &wr, IB_WC_MASKED_COMP_SWAP, TEST_WORD, TEST_WORD);
	test_atomics_exit(&ta);
}

static void ornic_test_masked_fetch_add(struct kunit *test)
{
	struct ib_atomic_wr wr = {
		.wr.opcode = IB_WR_MASKED_ATOMIC_FETCH_AND_ADD,
		.compare_add = 0x0000000100000001ull,
		.compare_add_mask = 0x8000000080000000ull,
	};
	struct test_atomics ta;

	test_atomics_init(test->priv, &ta);
	/* Two fields of 32 bits: no carry from one to the other */
	test_atomic(&ta, &wr, IB_WC_MASKED_FETCH_ADD, 0x00000007ffffffffull,
		    0x0000000800000000ull);
	/* One field of 64 bits */
	wr.compare_add_mask = 0;
	test_atomic(&ta, &wr, IB_WC_MASKED_FETCH_ADD, 0x00000007ffffffffull,
		    0x0000000900000000ull);
	test_atomics_exit(&ta);
}

static void ornic_test_atomic_write(struct kunit *test)
{
	struct test_atomics ta;

	test_atomics_init(test->priv, &ta);
	*(u64 *)ta.result.data = TEST_WORD;
	KUNIT_EXPECT_EQ(test, test_rdma(&ta.pair, IB_WR_ATOMIC_WRITE, &ta.result.sge,
					ta.mr->iova + 8, ta.mr->rkey), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, ((u64 *)ta.word.data)[1], TEST_WORD);
	test_atomics_exit(&ta);
}

/* ---- Others -------------------------------------------------------------- */

static void ornic_test_uc(struct kunit *test)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND_WITH_IMM, .num_sge = 1 };
	struct verbs *v = test->priv;
	struct verbs_wr sent, received;
	struct ib_rdma_wr read = {
		.wr = { .opcode = IB_WR_RDMA_READ },
	};
	struct verbs_buf from, to;
	struct verbs_pair pair;

	verbs_pair_init(v, &pair, IB_QPT_UC, NULL);
	verbs_buf_init(v, &from, TEST_SIZE);
	verbs_buf_init(v, &to, TEST_SIZE);
	memset(from.data, 0x3c, from.size);
	verbs_recv(&pair, 1, &to, &received);
	wr.sg_list = &from.sge;
	wr.ex.imm_data = cpu_to_be32(7);
	KUNIT_EXPECT_EQ(test, verbs_send(&pair, 0, &wr, &sent), IB_WC_SUCCESS);
	KUNIT_ASSERT_TRUE(test, verbs_wait(v, 1, &received));
	KUNIT_EXPECT_EQ(test, received.wc.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, received.wc.byte_len, TEST_SIZE);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(received.wc.ex.imm_data), 7);
	KUNIT_EXPECT_EQ(test, memcmp(from.data, to.data, TEST_SIZE), 0);

	KUNIT_EXPECT_EQ(test, ib_post_send(pair.qps[0], &read.wr, NULL), -EINVAL);
	verbs_buf_exit(&to);
	verbs_buf_exit(&from);
	verbs_pair_exit(&pair);
}

/* The device of this test sends no tags, so the completion gets one here */
static void ornic_test_vlan_of_a_receive(struct kunit *test)
{
	static const u16 tags[] = { 0x6000, 0x6005 };
	struct ib_send_wr wr = { .opcode = IB_WR_SEND, .num_sge = 1 };
	struct verbs *v = test->priv;
	struct verbs_wr sent, received;
	struct ornic_cq_ring *ring;
	struct ornic_cqe_ext *ext;
	struct verbs_pair pair;
	struct verbs_buf buf;
	struct ib_wc wc;
	u32 i;

	verbs_pair_init(v, &pair, IB_QPT_RC, NULL);
	verbs_buf_init(v, &buf, PAGE_SIZE);
	ring = &to_ornic_cq(v->cqs[1])->ring;
	wr.sg_list = &buf.sge;
	for (i = 0; i < ARRAY_SIZE(tags); i++) {
		verbs_recv(&pair, 1, &buf, &received);
		/* The acknowledgment comes after the completion of the receive */
		KUNIT_ASSERT_EQ(test, verbs_send(&pair, 0, &wr, &sent), IB_WC_SUCCESS);
		ext = (struct ornic_cqe_ext *)ornic_cqe_ext(ornic_cq_entry(ring, ring->ci));
		ext->flags |= cpu_to_le16(ORNIC_CQE_EXT_VLAN);
		ext->vlan_tci = cpu_to_le16(tags[i]);
		KUNIT_ASSERT_EQ(test, ib_poll_cq(v->cqs[1], 1, &wc), 1);
		KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
		/* VID 0 is no VLAN */
		KUNIT_EXPECT_EQ(test, !!(wc.wc_flags & IB_WC_WITH_VLAN), i);
		KUNIT_EXPECT_EQ(test, wc.vlan_id, i ? 5 : 0);
	}
	verbs_buf_exit(&buf);
	verbs_pair_exit(&pair);
}

static void ornic_test_drain(struct kunit *test)
{
	struct verbs *v = test->priv;
	struct verbs_wr received[VERBS_WRS - 1];
	struct verbs_pair pair;
	struct verbs_buf buf;
	u32 i;

	verbs_pair_init(v, &pair, IB_QPT_RC, NULL);
	verbs_buf_init(v, &buf, PAGE_SIZE);
	/* All receives but one, which draining needs */
	for (i = 0; i < ARRAY_SIZE(received); i++)
		verbs_recv(&pair, 1, &buf, &received[i]);
	ib_drain_qp(pair.qps[1]);
	for (i = 0; i < ARRAY_SIZE(received); i++) {
		KUNIT_EXPECT_TRUE(test, received[i].done);
		KUNIT_EXPECT_EQ(test, received[i].wc.status, IB_WC_WR_FLUSH_ERR);
	}
	ib_drain_qp(pair.qps[0]);
	verbs_buf_exit(&buf);
	verbs_pair_exit(&pair);
}

/* As many WRs as the ring has slots, which is more than it holds */
#define TEST_LIST		64u
/* Slots that are done with before, and that sq_ci of the card does not tell */
#define TEST_LAG		16u

static void test_list_init(struct ib_rdma_wr *wrs, struct verbs_wr *done)
{
	u32 i;

	for (i = 0; i < TEST_LIST; i++)
		wrs[i] = (struct ib_rdma_wr) {
			.wr = {
				.opcode = IB_WR_RDMA_WRITE,
				.wr_cqe = verbs_wr_init(&done[i]),
				.next = i + 1 < TEST_LIST ? &wrs[i + 1].wr : NULL,
			},
		};
}

/*
 * Completions free slots, and sq_ci may lag behind ([ORNIC-ORD-7]). WRITEs without data take one
 * slot each, and a list is published as a whole.
 */
static void ornic_test_full_ring(struct kunit *test)
{
	struct verbs *v = test->priv;
	const struct ib_send_wr *bad;
	struct ib_rdma_wr *wrs;
	struct verbs_wr *done;
	struct verbs_pair pair;
	u32 posted, i;

	wrs = kunit_kcalloc(test, TEST_LIST, sizeof(*wrs), GFP_KERNEL);
	done = kunit_kcalloc(test, TEST_LIST, sizeof(*done), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, wrs);
	KUNIT_ASSERT_NOT_NULL(test, done);
	verbs_pair_init(v, &pair, IB_QPT_RC, NULL);
	for (i = 0; i < TEST_LAG; i++) {
		struct ib_rdma_wr wr = { .wr.opcode = IB_WR_RDMA_WRITE };

		KUNIT_ASSERT_EQ(test, verbs_send(&pair, 0, &wr.wr, &done[0]), IB_WC_SUCCESS);
	}

	test_list_init(wrs, done);
	KUNIT_ASSERT_EQ(test, ib_post_send(pair.qps[0], &wrs[0].wr, &bad), -ENOMEM);
	posted = container_of(bad, struct ib_rdma_wr, wr) - wrs;
	KUNIT_EXPECT_GE(test, posted, VERBS_WRS);
	for (i = 0; i < posted; i++) {
		KUNIT_ASSERT_TRUE(test, verbs_wait(v, 0, &done[i]));
		KUNIT_ASSERT_EQ(test, done[i].wc.status, IB_WC_SUCCESS);
	}
	verbs_pair_exit(&pair);
}

/* The driver does not ask for a command that the device lacks ([ORNIC-EFF-1]) */
static void ornic_test_command_that_the_device_lacks(struct kunit *test)
{
	struct ornic_query_stats_in scope = { .scope = cpu_to_le32(ORNIC_STATS_DEVICE) };
	struct verbs *v = test->priv;
	struct ornic_dev *odev = to_ornic_ib_dev(v->ibdev)->odev;
	__le64 before[ORNIC_DEVICE_STAT_COUNT], after[ORNIC_DEVICE_STAT_COUNT];

	KUNIT_ASSERT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_QUERY_STATS, &scope, sizeof(scope),
					     before, sizeof(before)), 0);
	/* A number that version 1.0 keeps free ([ORNIC-ROOM-2]) */
	KUNIT_EXPECT_EQ(test, ornic_cmd_exec(odev, 0x0e0, NULL, 0, NULL, 0), -EOPNOTSUPP);
	KUNIT_ASSERT_EQ(test, ornic_cmd_exec(odev, ORNIC_CMD_QUERY_STATS, &scope, sizeof(scope),
					     after, sizeof(after)), 0);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(before[ORNIC_DEVICE_STAT_commands_refused]),
			le64_to_cpu(after[ORNIC_DEVICE_STAT_commands_refused]));
}

static struct kunit_case ornic_wr_cases[] = {
	KUNIT_CASE(ornic_test_reg_mr),
	KUNIT_CASE(ornic_test_reg_mr_of_a_part),
	KUNIT_CASE(ornic_test_reg_mr_twice_fails),
	KUNIT_CASE(ornic_test_send_with_inv),
	KUNIT_CASE(ornic_test_mr_refusals),
	KUNIT_CASE(ornic_test_masked_cmp_swp),
	KUNIT_CASE(ornic_test_masked_fetch_add),
	KUNIT_CASE(ornic_test_atomic_write),
	KUNIT_CASE(ornic_test_uc),
	KUNIT_CASE(ornic_test_vlan_of_a_receive),
	KUNIT_CASE(ornic_test_drain),
	KUNIT_CASE(ornic_test_full_ring),
	KUNIT_CASE(ornic_test_command_that_the_device_lacks),
	{}
};

static struct kunit_suite ornic_wr_suite = {
	.name = "ornic_wr",
	.init = verbs_init,
	.exit = verbs_exit,
	.test_cases = ornic_wr_cases,
};

kunit_test_suite(ornic_wr_suite);

MODULE_DESCRIPTION("Tests of the kernel verbs of an Open RDMA NIC");
MODULE_LICENSE("Dual BSD/GPL");
