// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Regions that work requests register and invalidate: REG_MR, LOCAL_INV,
 * SEND_WITH_INV ([ORNIC-SQ-26], [ORNIC-SQ-23] to [ORNIC-SQ-25]).
 */
#include "pair.h"

#define PAGES 8
#define AT 0x3000		/* offset in the memory of a side */
#define LIST 0x8000		/* offset of the page list */
#define IOVA 0x7123456000ULL
#define LEN (3 * HOST_PAGE)
#define RIGHTS (ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_REMOTE_WRITE | \
		ORNIC_ACCESS_REMOTE_READ)

static uint32_t create(struct side *side, uint32_t pdn, uint8_t variant)
{
	struct ornic_create_mr_in in = {
		.pdn = htole32(pdn),
		.type = ORNIC_MR_REG,
		.variant = variant,
		.max_pages = htole32(PAGES),
	};

	return host_create_mr(side->host, &in);
}

/* Register three pages of a side in reverse order, from IOVA + 100 on */
static struct pair_wr reg_wr(struct side *side, uint32_t key)
{
	struct pair_wr wr = {
		.wr_id = 0xe0,
		.opcode = ORNIC_WR_REG_MR,
		.flags = ORNIC_SEND_SIGNALED,
		.reg = {
			.key = htole32(key),
			.access = htole32(RIGHTS),
			.iova = htole64(IOVA + 100),
			.length = htole64(LEN - 100),
			.buf = {
				.addr = htole64(side->addr + LIST),
				.npages = htole32(3),
				.page_shift = 12,
				.levels = 1,
			},
		},
	};
	unsigned int i;

	for (i = 0; i < 3; i++)
		*pair_word(side, LIST + 8 * i) =
			htole64(side->addr + AT + (2 - i) * HOST_PAGE);
	return wr;
}

static enum mr_error get(struct side *side, uint32_t key, uint64_t addr,
			 uint64_t len)
{
	struct mr *mr;

	return mr_get(side->host->card, &pair_qp(side)->base.user, key, 0, addr, len,
		      &mr);
}

static uint64_t bad_lkey(struct side *side)
{
	return host_device_stat(side->host, ORNIC_DEVICE_STAT_bad_lkey);
}

static uint64_t bad_rkey(struct side *side)
{
	return host_device_stat(side->host, ORNIC_DEVICE_STAT_bad_rkey);
}

/* Execute a work request at B, for tests that use the key from A */
static void reg_at_b(struct pair *pair, const struct pair_wr *wr)
{
	pair_send(B(pair), wr);
	pair_expect(B(pair), wr->wr_id, ORNIC_WC_SUCCESS);
}

/* ---- the command ---- */

TEST(test_create_refusals, struct pair *pair, IN_PAIR(pair_setup_rc_kernel, local))
{
	struct host *host = A(pair)->host;
	struct ornic_create_mr_in good = {
		.pdn = htole32(A(pair)->pdn),
		.type = ORNIC_MR_REG,
		.max_pages = htole32(MR_MAX_REG_PAGES),
	};
	uint32_t pages = host->card->budget.pages;
	struct ornic_create_mr_out out;

	/* [ORNIC-OBJ-14] */
#define REFUSED(field, value) \
	host_refused(host, ORNIC_CMD_CREATE_MR, good, field, value, \
		     &out, ORNIC_CMD_BAD_PARAM)
	REFUSED(max_pages, 0);
	REFUSED(max_pages, htole32(MR_MAX_REG_PAGES + 1));
	REFUSED(access, htole32(ORNIC_ACCESS_LOCAL_WRITE));
	REFUSED(iova, htole64(1));
	REFUSED(length, htole64(1));
	REFUSED(first_offset, htole64(1));
	REFUSED(buf.npages, htole32(1));
#undef REFUSED
	assert_int_equal(host->card->budget.pages, pages);
	host_cmd_ok(host, ORNIC_CMD_CREATE_MR, &good, &out);
	assert_int_equal(host->card->budget.pages, pages + MR_MAX_REG_PAGES);
	host_cmd_object_ok(host, ORNIC_CMD_DESTROY_MR, le32toh(out.key));
	assert_int_equal(host->card->budget.pages, pages);
}

/* [ORNIC-OBJ-18] A driver need not know which REG_MR were executed */
TEST(test_destroy_by_index, struct pair *pair, IN_PAIR(pair_setup_rc_kernel, local))
{
	uint32_t key = create(A(pair), A(pair)->pdn, 7);
	struct pair_wr wr = reg_wr(A(pair), key + 1);

	pair_one(pair, &wr);
	assert_int_equal(get(A(pair), key + 1, IOVA + 100, 1), MR_OK);
	host_cmd_object_is(A(pair)->host, ORNIC_CMD_DESTROY_MR, key + 0x100, ORNIC_CMD_BAD_OBJECT);
	host_cmd_object_ok(A(pair)->host, ORNIC_CMD_DESTROY_MR, key);
	assert_int_equal(get(A(pair), key + 1, IOVA + 100, 1), MR_BAD_KEY);
}

/* ---- REG_MR and LOCAL_INV ---- */

/* [ORNIC-SQ-23] */
TEST(test_reg, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	uint32_t key = create(B(pair), B(pair)->pdn, 5);
	struct pair_wr reg = reg_wr(B(pair), key + 1);
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8192);
	struct ornic_cqe cqe;

	assert_int_equal(get(B(pair), key, IOVA + 100, 1), MR_BAD_KEY);
	pair_send(B(pair), &reg);
	cqe = pair_poll(B(pair));
	assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe.opcode), ORNIC_WC_REG_MR);
	assert_int_equal(get(B(pair), key, IOVA + 100, 1), MR_BAD_KEY);
	assert_int_equal(get(B(pair), key + 1, IOVA + 100, LEN - 100), MR_OK);
	assert_int_equal(get(B(pair), key + 1, IOVA + 99, 1), MR_BAD_RANGE);
	assert_int_equal(get(B(pair), key + 1, IOVA + 100, LEN - 99),
			 MR_BAD_RANGE);

	/* Across all three pages */
	pair_fill(A(pair)->buf, 8192, 3);
	wr.raddr = IOVA + 4000;
	wr.rkey = key + 1;
	pair_one(pair, &wr);
	pair_check(B(pair)->buf + AT + 2 * HOST_PAGE + 4000, 96, 3);
	assert_memory_equal(B(pair)->buf + AT + HOST_PAGE, A(pair)->buf + 96,
			    4096);
	assert_memory_equal(B(pair)->buf + AT, A(pair)->buf + 96 + 4096, 4000);
	wr.opcode = ORNIC_WR_RDMA_READ;
	pair_one(pair, &wr);
	pair_check(A(pair)->buf, 8192, 3);
}

TEST(test_reg_contiguous_and_zero_based, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	uint32_t key = create(A(pair), A(pair)->pdn, 0);
	struct pair_wr wr = reg_wr(A(pair), key);
	struct iovec iov;
	uint64_t len = 50;
	struct mr *mr;

	wr.reg.buf.addr = htole64(A(pair)->addr + AT);
	wr.reg.buf.levels = 0;
	wr.reg.access = htole32(ORNIC_ACCESS_ZERO_BASED);
	/* Reserved, so ignored in a work request */
	wr.reg.buf.rsvd[1] = 1;
	wr.reg.rsvd = htole64(1);
	pair_one(pair, &wr);
	assert_int_equal(get(A(pair), key, IOVA + 100, 1), MR_BAD_RANGE);
	assert_int_equal(mr_get(A(pair)->host->card, &pair_qp(A(pair))->base.user,
				key, 0, 10, 50, &mr), MR_OK);
	assert_int_equal(mr_iov(mr, 10, &len, MEM_READ, &iov, 1), 1);
	assert_ptr_equal(iov.iov_base,
			 host_device_ptr(A(pair)->host,
					 A(pair)->addr + AT + 110));
}

TEST(test_reg_refusals, struct pair *pair, IN_PAIR(pair_setup_rc_kernel, local))
{
	uint32_t key = create(A(pair), A(pair)->pdn, 0);
	uint32_t other = create(A(pair), host_pd(A(pair)->host), 0);
	struct pair_wr good = reg_wr(A(pair), key);
	struct pair_wr wr;
	uint64_t before;

	/* Each takes the QP to ERR, so each needs a new connection */
#define REFUSED(field, value) do {                                         \
		wr = good;                                                 \
		wr.reg.field = value;                                      \
		before = bad_lkey(A(pair));                                \
		pair_fails(pair, &wr, ORNIC_WC_MW_BIND_ERR);               \
		assert_int_equal(bad_lkey(A(pair)), before + 1);           \
		pair_state_is(A(pair), ORNIC_QPS_ERR); \
		pair_again(pair);                                          \
	} while (0)
	REFUSED(key, htole32(key + 0x100000));
	REFUSED(key, htole32(A(pair)->key));
	REFUSED(key, htole32(other));
	REFUSED(access, htole32(ORNIC_ACCESS_REMOTE_WRITE));
	REFUSED(access, htole32(1u << 31));
	REFUSED(length, 0);
	REFUSED(length, htole64(LEN - 99));
	REFUSED(length, htole64(~0ULL));
	REFUSED(iova, htole64(-100ULL));
	REFUSED(buf.page_shift, 11);
	REFUSED(buf.page_shift, 255);
	REFUSED(buf.levels, 2);
	REFUSED(buf.addr, htole64(A(pair)->addr + LIST + 4));
	REFUSED(buf.addr, htole64(HOST_NOWHERE));
	REFUSED(buf.npages, htole32(2));
#undef REFUSED
	/* More than max_pages */
	wr = good;
	wr.reg.buf.addr = htole64(A(pair)->addr);
	wr.reg.buf.levels = 0;
	wr.reg.buf.npages = htole32(PAGES + 1);
	wr.reg.length = htole64((PAGES + 1) * HOST_PAGE - 100);
	pair_fails(pair, &wr, ORNIC_WC_MW_BIND_ERR);
	pair_again(pair);
	/* Nothing has changed; pages beyond the length are ignored */
	wr.reg.length = htole64(PAGES * HOST_PAGE - 100);
	pair_one(pair, &wr);
	/* Already valid */
	pair_fails(pair, &wr, ORNIC_WC_MW_BIND_ERR);
}

/* [ORNIC-SQ-9], [ORNIC-SQ-10] */
TEST(test_reg_is_for_the_kernel, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct pair_wr wr = reg_wr(A(pair), create(A(pair), A(pair)->pdn, 0));

	pair_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
	host_device_stat_is(A(pair)->host, ORNIC_DEVICE_STAT_bad_wqe_opcode, 1);
}

TEST(test_takes_no_data, struct pair *pair, IN_PAIR(pair_setup_rc_kernel, local))
{
	struct pair_wr wr = reg_wr(A(pair), create(A(pair), A(pair)->pdn, 0));

	wr.sges = 1;
	pair_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
	pair_again(pair);
	wr = pair_wr_inv(0);
	wr.sges = 1;
	pair_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
	host_device_stat_is(A(pair)->host, ORNIC_DEVICE_STAT_bad_wqe_count, 2);
}

/* [ORNIC-SQ-24] */
TEST(test_local_inv, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	uint32_t key = create(A(pair), A(pair)->pdn, 0);
	struct pair_wr reg = reg_wr(A(pair), key);
	struct pair_wr inv = pair_wr_inv(key);

	pair_one(pair, &inv);
	pair_one(pair, &reg);
	pair_one(pair, &inv);
	assert_int_equal(get(A(pair), key, IOVA + 100, 1), MR_BAD_KEY);
	/* A second invalidation is no error, and the key can be reused */
	pair_one(pair, &inv);
	reg.reg.key = htole32(key + 9);
	pair_one(pair, &reg);
	assert_int_equal(get(A(pair), key + 9, IOVA + 100, 1), MR_OK);
	inv.inv_key = key + 8;
	pair_fails(pair, &inv, ORNIC_WC_MW_BIND_ERR);
	assert_int_equal(get(A(pair), key + 9, IOVA + 100, 1), MR_OK);
}

TEST(test_local_inv_refusals, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	uint32_t other = create(A(pair), host_pd(A(pair)->host), 0);
	struct pair_wr wr = pair_wr_inv(other);

	pair_fails(pair, &wr, ORNIC_WC_MW_BIND_ERR);
	pair_again(pair);
	wr.inv_key = A(pair)->key;
	pair_fails(pair, &wr, ORNIC_WC_MW_BIND_ERR);
	pair_again(pair);
	wr.inv_key = 0;
	pair_fails(pair, &wr, ORNIC_WC_MW_BIND_ERR);
	assert_int_equal(bad_lkey(A(pair)), 3);
	assert_int_equal(get(A(pair), A(pair)->key, A(pair)->addr, 1), MR_OK);
}

/* ---- in the order of the queue ---- */

/*
 * [ORNIC-SQ-26] Register a region, use it, invalidate it, register it elsewhere
 * and use it again: posted at once, with and without losses.
 */
static void in_order(struct pair *pair, unsigned int lost)
{
	uint32_t key = create(A(pair), A(pair)->pdn, 0);
	struct pair_wr reg = reg_wr(A(pair), key);
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 5000);
	struct pair_wr inv = pair_wr_inv(key);
	unsigned int i;

	pair->fate = pair_fate_lose_some;
	pair->arg = lost;
	pair_fill(A(pair)->buf + AT, LEN, 9);
	reg.flags = 0;
	wr.flags = 0;
	wr.sge[0].addr = IOVA + 200;
	wr.sge[0].lkey = key;
	pair_post(A(pair), &reg);
	pair_post(A(pair), &wr);
	inv.flags = 0;
	pair_post(A(pair), &inv);
	reg.reg.key = htole32(key + 1);
	reg.reg.buf.addr = htole64(A(pair)->addr + 0x10000);
	reg.reg.buf.levels = 0;
	pair_post(A(pair), &reg);
	wr.opcode = ORNIC_WR_RDMA_READ;
	wr.sge[0].lkey = key + 1;
	pair_post(A(pair), &wr);
	inv.inv_key = key + 1;
	inv.flags = ORNIC_SEND_SIGNALED;
	pair_post(A(pair), &inv);
	pair_ring(A(pair));
	for (i = 0; i < 30; i++)
		pair_sleep(pair, 1000000);
	pair_expect(A(pair), inv.wr_id, ORNIC_WC_SUCCESS);
	pair_poll_none(A(pair));
	assert_memory_equal(B(pair)->buf,
			    A(pair)->buf + AT + 2 * HOST_PAGE + 200, 3896);
	assert_memory_equal(B(pair)->buf + 3896, A(pair)->buf + AT + HOST_PAGE,
			    5000 - 3896);
	assert_memory_equal(A(pair)->buf + 0x10000 + 200, B(pair)->buf, 5000);
	assert_int_equal(get(A(pair), key + 1, IOVA + 200, 1), MR_BAD_KEY);
}

TEST(test_in_order, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	in_order(pair, 0);
}

TEST(test_in_order_with_losses, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	unsigned int lost;

	for (lost = 1; lost < 15; lost++) {
		in_order(pair, lost);
		pair_again(pair);
	}
}

/* An operation that fails completes in its turn */
TEST(test_failure_in_order, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 100);
	struct pair_wr inv = pair_wr_inv(1);

	pair_post(A(pair), &wr);
	pair_post(A(pair), &inv);
	wr.wr_id = 5;
	pair_send(A(pair), &wr);
	pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), inv.wr_id, ORNIC_WC_MW_BIND_ERR);
	pair_expect(A(pair), 5, ORNIC_WC_WR_FLUSH_ERR);
}

/* Queues without other operations must not wait for a packet */
TEST(test_many_in_a_row, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	uint32_t key = create(A(pair), A(pair)->pdn, 0);
	struct pair_wr reg = reg_wr(A(pair), key);
	struct pair_wr inv = pair_wr_inv(key);
	unsigned int i, n;

	for (i = 0; i < 50; i++) {
		for (n = 0; n < 8; n++) {
			reg.flags = n == 7 ? ORNIC_SEND_SIGNALED : 0;
			inv.flags = reg.flags;
			pair_post(A(pair), &reg);
			pair_post(A(pair), &inv);
		}
		pair_ring(A(pair));
		pair_run(pair);
		pair_expect(A(pair), reg.wr_id, ORNIC_WC_SUCCESS);
		pair_expect(A(pair), inv.wr_id, ORNIC_WC_SUCCESS);
	}
	assert_int_equal(pair->packets, 0);
}

/* SQD waits for the operations that have begun */
TEST(test_sqd_waits_for_it, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 100);
	uint32_t key = create(A(pair), A(pair)->pdn, 0);
	struct pair_wr inv = pair_wr_inv(key);
	struct ornic_qp_attr attr;

	pair->fate = pair_fate_lose_some;
	pair->arg = 1;
	pair_post(A(pair), &wr);
	pair_send(A(pair), &inv);
	pair_state(A(pair), ORNIC_QPS_SQD);
	pair_query(A(pair), &attr);
	assert_int_equal(attr.sq_draining, 1);
	pair_sleep(pair, 20000000);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), inv.wr_id, ORNIC_WC_SUCCESS);
	pair_query(A(pair), &attr);
	assert_int_equal(attr.sq_draining, 0);
}

/* ---- by the peer ---- */

/* [ORNIC-SQ-25] */
TEST(test_send_with_inv, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	uint32_t key = create(B(pair), B(pair)->pdn, 0);
	struct pair_wr reg = reg_wr(B(pair), key);
	static const uint32_t len[] = { 0, 100, 5000 };
	struct ornic_cqe cqe;
	struct pair_wr wr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(len); i++) {
		reg_at_b(pair, &reg);
		pair_fill(A(pair)->buf, len[i], i);
		pair_post_recv(B(pair), 20 + i, B(pair)->addr, 8192);
		wr = pair_wr_data(A(pair), ORNIC_WR_SEND_WITH_INV, 0, len[i]);
		wr.inv_key = key;
		pair_one(pair, &wr);
		cqe = pair_poll(B(pair));
		assert_int_equal(le64toh(cqe.wr_id), 20 + i);
		assert_int_equal(le32toh(cqe.opcode), ORNIC_WC_RECV);
		assert_int_equal(le32toh(cqe.byte_len), len[i]);
		assert_int_equal(ORNIC_GET(ORNIC_CQE_FLAGS, le32toh(cqe.qpn)),
				 ORNIC_WC_WITH_INV);
		assert_int_equal(le32toh(cqe.inv_key), key);
		pair_check(B(pair)->buf, len[i], i);
		assert_int_equal(get(B(pair), key, IOVA + 100, 1), MR_BAD_KEY);
	}
}

/* A duplicate is not executed again, since the key may be valid again */
TEST(test_send_with_inv_once, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	uint32_t key = create(B(pair), B(pair)->pdn, 0);
	struct pair_wr reg = reg_wr(B(pair), key);
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND_WITH_INV, 0, 9);

	reg_at_b(pair, &reg);
	pair->fate = pair_fate_lose_acks;
	pair->arg = 1;
	wr.inv_key = key;
	pair_post_recv(B(pair), 1, B(pair)->addr, 100);
	pair_send(A(pair), &wr);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	pair_poll_none(A(pair));
	reg_at_b(pair, &reg);
	pair_sleep(pair, 20000000);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	assert_int_equal(get(B(pair), key, IOVA + 100, 1), MR_OK);
}

static void inv_refused(struct pair *pair, uint32_t key)
{
	uint64_t errors = pair_stat(B(pair),
				    ORNIC_RDMA_STAT_remote_access_errors);
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND_WITH_INV, 0, 9);
	uint64_t before = bad_rkey(B(pair));

	wr.inv_key = key;
	pair_post_recv(B(pair), 1, B(pair)->addr, 100);
	pair_fails(pair, &wr, ORNIC_WC_REM_ACCESS_ERR);
	pair_expect(B(pair), 1, ORNIC_WC_REM_INV_REQ_ERR);
	assert_int_equal(bad_rkey(B(pair)), before + 1);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_remote_access_errors, errors + 1);
	pair_state_is(B(pair), ORNIC_QPS_ERR);
	pair_again(pair);
}

TEST(test_send_with_inv_refusals, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_kernel))
{
	uint32_t key = create(B(pair), B(pair)->pdn, 0);
	struct pair_wr reg = reg_wr(B(pair), key);
	struct pair_wr inv = pair_wr_inv(key);

	inv_refused(pair, 0);
	inv_refused(pair, B(pair)->key);
	/* Not registered; another variant; no remote access */
	inv_refused(pair, key);
	reg_at_b(pair, &reg);
	inv_refused(pair, key + 1);
	assert_int_equal(get(B(pair), key, IOVA + 100, 1), MR_OK);
	reg_at_b(pair, &inv);
	reg.reg.access = htole32(ORNIC_ACCESS_LOCAL_WRITE);
	reg_at_b(pair, &reg);
	inv_refused(pair, key);
	assert_int_equal(get(B(pair), key, IOVA + 100, 1), MR_OK);
}

/* ---- null regions ---- */

/* [ORNIC-OBJ-27] Reads give zero and writes vanish, at both ends */
TEST(test_null, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct ornic_create_mr_in in = {
		.pdn = htole32(host_pd(A(pair)->host)),
		.type = ORNIC_MR_NULL,
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
		.length = htole64(~0ULL),
	};
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0,
					 30000);
	static const uint8_t zeroes[30000];
	uint32_t key;

	key = host_create_mr(A(pair)->host, &in);
	memset(B(pair)->buf, 0xaa, 30000);
	wr.sge[0].lkey = key;
	pair_one(pair, &wr);
	assert_memory_equal(B(pair)->buf, zeroes, 30000);
	pair_fill(B(pair)->buf, 30000, 1);
	wr.opcode = ORNIC_WR_RDMA_READ;
	pair_one(pair, &wr);
	wr.opcode = ORNIC_WR_ATOMIC_FETCH_ADD;
	wr.sge[0].length = 8;
	pair_one(pair, &wr);
	/* Discard a part of a message */
	wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 10000);
	wr.sge[1] = wr.sge[0];
	wr.sge[0].lkey = key;
	wr.sge[0].addr = 0x123;
	wr.sge[1].length = 20000;
	wr.sges = 2;
	pair_fill(B(pair)->buf, 30000, 1);
	pair_one(pair, &wr);
	assert_memory_equal(A(pair)->buf, B(pair)->buf + 10000, 20000);
	/* Not for remote access */
	wr = pair_wr_data(B(pair), ORNIC_WR_RDMA_READ, 0, 8);
	wr.rkey = key;
	pair_send(B(pair), &wr);
	pair_expect(B(pair), wr.wr_id, ORNIC_WC_REM_ACCESS_ERR);
}

TEST_MAIN("reg")
