// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows: bind, use, unbind, invalidate ([ORNIC-MW-1] to [ORNIC-MW-6]).
 * B owns the windows; A is the peer that uses them.
 */
#include "objects/pd.h"
#include "pair.h"

#define AT 0x5000	/* offset of a window in the memory of B */
#define LEN 9000
#define VARIANT 0xfe

static uint32_t create(struct side *side, unsigned int type, uint32_t pdn)
{
	struct ornic_create_mr_in in = {
		.pdn = htole32(pdn),
		.type = type,
		.variant = VARIANT,
	};

	return host_create_mr(side->host, &in);
}

static uint32_t region(struct side *side, uint32_t access)
{
	return host_mr(side->host, side->pdn, side->addr, PAIR_BUF_SIZE,
		       access);
}

static uint32_t bindable(struct side *side)
{
	return region(side, ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_MW_BIND);
}

static struct pair_wr bind_wr(struct side *side, uint32_t mw, uint32_t new_key,
			      uint32_t mr)
{
	struct pair_wr wr = {
		.wr_id = 0xb1,
		.opcode = ORNIC_WR_BIND_MW,
		.flags = ORNIC_SEND_SIGNALED,
		.bind = {
			.mw_key = htole32(mw),
			.new_key = htole32(new_key),
			.mr_key = htole32(mr),
			/* LOCAL_WRITE has no effect, but is often set */
			.access = htole32(ORNIC_ACCESS_REMOTE_WRITE |
					  ORNIC_ACCESS_REMOTE_READ |
					  ORNIC_ACCESS_LOCAL_WRITE),
			.addr = htole64(side->addr + AT),
			.length = htole64(LEN),
		},
	};

	return wr;
}

static void post_b(struct pair *pair, const struct pair_wr *wr,
		   unsigned int status)
{
	pair_send(B(pair), wr);
	pair_expect(B(pair), wr->wr_id, status);
}

/* A peer writes and reads the whole window */
static void use(struct pair *pair, uint32_t key, uint64_t addr)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, LEN);

	pair_fill(A(pair)->buf, LEN, key);
	memset(B(pair)->buf + AT, 0, LEN);
	wr.raddr = addr;
	wr.rkey = key;
	pair_one(pair, &wr);
	pair_check(B(pair)->buf + AT, LEN, key);
	memset(A(pair)->buf, 0, LEN);
	wr.opcode = ORNIC_WR_RDMA_READ;
	pair_one(pair, &wr);
	pair_check(A(pair)->buf, LEN, key);
}

static void use_fails(struct pair *pair, unsigned int opcode, uint32_t key,
		      uint64_t addr, uint32_t len)
{
	uint64_t before = host_device_stat(B(pair)->host,
					   ORNIC_DEVICE_STAT_bad_rkey);
	struct pair_wr wr = pair_wr_data(A(pair), opcode, 0, len);

	wr.raddr = addr;
	wr.rkey = key;
	pair_fails(pair, &wr, ORNIC_WC_REM_ACCESS_ERR);
	host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_rkey,
			    before + 1);
	pair_again(pair);
}

static unsigned int destroy(struct side *side, uint32_t key)
{
	return host_cmd_object(side->host, ORNIC_CMD_DESTROY_MR, key);
}

/* [ORNIC-OBJ-14] */
TEST(test_create_refusals, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct ornic_create_mr_in good = {
		.pdn = htole32(A(pair)->pdn),
		.type = ORNIC_MR_MW1,
	};
	struct ornic_create_mr_out out;

#define REFUSED(field, value, status) \
	host_refused(A(pair)->host, ORNIC_CMD_CREATE_MR, good, field, value, \
		     &out, status)
	REFUSED(pdn, htole32(PD_MAX), ORNIC_CMD_BAD_OBJECT);
	REFUSED(access, htole32(ORNIC_ACCESS_REMOTE_READ), ORNIC_CMD_BAD_PARAM);
	REFUSED(max_pages, htole32(1), ORNIC_CMD_BAD_PARAM);
	REFUSED(length, htole64(1), ORNIC_CMD_BAD_PARAM);
	REFUSED(buf.npages, htole32(1), ORNIC_CMD_BAD_PARAM);
#undef REFUSED
}

static void bound_and_used(struct pair *pair, unsigned int type)
{
	uint32_t mw = create(B(pair), type, B(pair)->pdn);
	uint32_t mr = bindable(B(pair));
	struct pair_wr wr = bind_wr(B(pair), mw, mw + 1, mr);
	uint64_t at = B(pair)->addr + AT;
	struct ornic_cqe cqe;

	use_fails(pair, ORNIC_WR_RDMA_READ, mw, at, 1);
	pair_send(B(pair), &wr);
	cqe = pair_poll(B(pair));
	assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe.opcode), ORNIC_WC_BIND_MW);
	use(pair, mw + 1, at);
	/* Another variant, the region itself, bytes around it, atomics */
	use_fails(pair, ORNIC_WR_RDMA_READ, mw, at, 1);
	use_fails(pair, ORNIC_WR_RDMA_READ, mr, at, 1);
	use_fails(pair, ORNIC_WR_RDMA_WRITE, mw + 1, at - 1, 2);
	use_fails(pair, ORNIC_WR_RDMA_WRITE, mw + 1, at + LEN - 1, 2);
	use_fails(pair, ORNIC_WR_RDMA_WRITE, mw + 1, 0, 1);
	use_fails(pair, ORNIC_WR_ATOMIC_FETCH_ADD, mw + 1, at, 8);
	use(pair, mw + 1, at);
	/* [ORNIC-OBJ-18] The index is enough */
	assert_int_equal(destroy(B(pair), mw), ORNIC_CMD_OK);
	use_fails(pair, ORNIC_WR_RDMA_READ, mw + 1, at, 1);
}

/* [ORNIC-MW-1] */
TEST(test_type1, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	bound_and_used(pair, ORNIC_MR_MW1);
}

TEST(test_type2, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	bound_and_used(pair, ORNIC_MR_MW2);
}

/* A window has the access rights of its bind, whatever those of the region */
TEST(test_access, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	uint32_t mw = create(B(pair), ORNIC_MR_MW1, B(pair)->pdn);
	uint32_t mr = region(B(pair), ORNIC_ACCESS_LOCAL_WRITE |
				      ORNIC_ACCESS_REMOTE_WRITE |
				      ORNIC_ACCESS_MW_BIND);
	struct pair_wr wr = bind_wr(B(pair), mw, mw, mr);
	uint64_t at = B(pair)->addr + AT;
	struct pair_wr op;

	wr.bind.access = htole32(ORNIC_ACCESS_LOCAL_WRITE);
	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	use_fails(pair, ORNIC_WR_RDMA_WRITE, mw, at, 1);
	wr.bind.access = htole32(ORNIC_ACCESS_REMOTE_ATOMIC);
	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	use_fails(pair, ORNIC_WR_RDMA_WRITE, mw, at, 1);
	op = pair_wr_data(A(pair), ORNIC_WR_ATOMIC_FETCH_ADD, AT, 8);
	op.rkey = mw;
	pair_one(pair, &op);
}

/* [ORNIC-MW-2] Not for local reads either */
TEST(test_no_local_key, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	uint32_t mw = create(B(pair), ORNIC_MR_MW1, B(pair)->pdn);
	struct pair_wr wr = bind_wr(B(pair), mw, mw, bindable(B(pair)));
	struct pair_wr op = pair_wr_data(B(pair), ORNIC_WR_RDMA_WRITE, AT, 8);

	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	op.sge[0].lkey = mw;
	post_b(pair, &op, ORNIC_WC_LOC_PROT_ERR);
	host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_lkey, 1);
}

/* [ORNIC-MW-3] A type 1 window can be bound again at any time, and unbound */
TEST(test_type1_again, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	uint32_t mw = create(B(pair), ORNIC_MR_MW1, B(pair)->pdn);
	uint32_t one = bindable(B(pair)), two = bindable(B(pair));
	struct pair_wr wr = bind_wr(B(pair), mw, mw + 1, one);

	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	assert_int_equal(destroy(B(pair), one), ORNIC_CMD_BUSY);
	wr = bind_wr(B(pair), mw + 1, mw, two);
	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	use(pair, mw, B(pair)->addr + AT);
	assert_int_equal(destroy(B(pair), one), ORNIC_CMD_OK);
	assert_int_equal(destroy(B(pair), two), ORNIC_CMD_BUSY);
	wr = bind_wr(B(pair), mw, mw + 1, two);
	wr.bind.length = 0;
	/* Not checked when the length is 0 */
	wr.bind.mr_key = htole32(one);
	wr.bind.addr = htole64(~0ULL);
	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	use_fails(pair, ORNIC_WR_RDMA_READ, mw, B(pair)->addr + AT, 1);
	use_fails(pair, ORNIC_WR_RDMA_READ, mw + 1, B(pair)->addr + AT, 1);
	assert_int_equal(destroy(B(pair), two), ORNIC_CMD_OK);
	assert_int_equal(destroy(B(pair), mw), ORNIC_CMD_OK);
}

/* [ORNIC-OBJ-28] A region with a bound window cannot be modified */
TEST(test_region_stays, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	uint32_t mw = create(B(pair), ORNIC_MR_MW1, B(pair)->pdn);
	uint32_t mr = bindable(B(pair));
	struct pair_wr wr = bind_wr(B(pair), mw, mw, mr);
	struct ornic_modify_mr_in in = {
		.key = htole32(mr),
		.pdn = htole32(B(pair)->pdn),
		.iova = htole64(B(pair)->addr),
		.length = htole64(1),
	};
	unsigned int mask;

	host_buf(&in.buf, B(pair)->addr, 1);
	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	for (mask = 1; mask < 8; mask++) {
		in.mask = htole32(mask);
		host_cmd_in_is(B(pair)->host, ORNIC_CMD_MODIFY_MR, &in,
			       ORNIC_CMD_BUSY);
	}
	use(pair, mw, B(pair)->addr + AT);
	assert_int_equal(destroy(B(pair), mw), ORNIC_CMD_OK);
	host_cmd_in_ok(B(pair)->host, ORNIC_CMD_MODIFY_MR, &in);
}

/* [ORNIC-MW-4] A type 2 window must be invalidated before it is bound again */
TEST(test_type2_again, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	uint32_t mw = create(B(pair), ORNIC_MR_MW2, B(pair)->pdn);
	uint32_t mr = bindable(B(pair));
	struct pair_wr wr = bind_wr(B(pair), mw, mw + 1, mr);
	struct pair_wr inv = pair_wr_inv(mw + 1);

	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	assert_int_equal(destroy(B(pair), mr), ORNIC_CMD_BUSY);
	wr = bind_wr(B(pair), mw + 1, mw, mr);
	post_b(pair, &wr, ORNIC_WC_MW_BIND_ERR);
	pair_again(pair);
	wr.bind.length = 0;
	post_b(pair, &wr, ORNIC_WC_MW_BIND_ERR);
	pair_again(pair);
	use(pair, mw + 1, B(pair)->addr + AT);
	post_b(pair, &inv, ORNIC_WC_SUCCESS);
	use_fails(pair, ORNIC_WR_RDMA_READ, mw + 1, B(pair)->addr + AT, 1);
	/* Never with length 0 */
	post_b(pair, &wr, ORNIC_WC_MW_BIND_ERR);
	pair_again(pair);
	wr = bind_wr(B(pair), mw + 1, mw, mr);
	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	use(pair, mw, B(pair)->addr + AT);
	inv.inv_key = mw;
	post_b(pair, &inv, ORNIC_WC_SUCCESS);
	assert_int_equal(destroy(B(pair), mr), ORNIC_CMD_OK);
}

TEST(test_type2_remote_invalidation, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	uint32_t mw = create(B(pair), ORNIC_MR_MW2, B(pair)->pdn);
	uint32_t mr = bindable(B(pair));
	struct pair_wr wr = bind_wr(B(pair), mw, mw, mr);
	struct pair_wr inv = pair_wr_data(A(pair), ORNIC_WR_SEND_WITH_INV, 0,
					  9);
	struct ornic_cqe cqe;

	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	inv.inv_key = mw;
	pair_post_recv(B(pair), 1, B(pair)->addr, 100);
	pair_one(pair, &inv);
	cqe = pair_poll(B(pair));
	assert_int_equal(ORNIC_GET(ORNIC_CQE_FLAGS, le32toh(cqe.qpn)),
			 ORNIC_WC_WITH_INV);
	assert_int_equal(le32toh(cqe.inv_key), mw);
	use_fails(pair, ORNIC_WR_RDMA_READ, mw, B(pair)->addr + AT, 1);
	assert_int_equal(destroy(B(pair), mr), ORNIC_CMD_OK);
	/* Not a second time, and never a type 1 window */
	pair_post_recv(B(pair), 1, B(pair)->addr, 100);
	pair_fails(pair, &inv, ORNIC_WC_REM_ACCESS_ERR);
	pair_again(pair);
	mw = create(B(pair), ORNIC_MR_MW1, B(pair)->pdn);
	wr = bind_wr(B(pair), mw, mw, bindable(B(pair)));
	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	inv.inv_key = mw;
	pair_post_recv(B(pair), 1, B(pair)->addr, 100);
	pair_fails(pair, &inv, ORNIC_WC_REM_ACCESS_ERR);
	pair_again(pair);
	use(pair, mw, B(pair)->addr + AT);
	/* [ORNIC-SQ-24] Nor by LOCAL_INV */
	inv = pair_wr_inv(mw);
	post_b(pair, &inv, ORNIC_WC_MW_BIND_ERR);
}

/* [ORNIC-MW-5] A window is bound to its QP, and free when that is destroyed */
TEST(test_type2_belongs_to_a_qp, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	uint32_t mw = create(B(pair), ORNIC_MR_MW2, B(pair)->pdn);
	uint32_t mr = bindable(B(pair));
	struct pair_wr wr = bind_wr(B(pair), mw, mw, mr);
	uint32_t one = create(B(pair), ORNIC_MR_MW1, B(pair)->pdn);
	struct pair_wr wr1 = bind_wr(B(pair), one, one, mr);
	struct pair_wr inv = pair_wr_inv(mw);
	struct host_qp first[2] = { A(pair)->qp, B(pair)->qp };

	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	post_b(pair, &wr1, ORNIC_WC_SUCCESS);
	pair_qps(pair, ORNIC_QPT_RC, 0);
	pair_connect(pair);
	use(pair, one, B(pair)->addr + AT);
	use_fails(pair, ORNIC_WR_RDMA_READ, mw, B(pair)->addr + AT, 1);
	post_b(pair, &inv, ORNIC_WC_MW_BIND_ERR);
	pair_again(pair);
	post_b(pair, &wr, ORNIC_WC_MW_BIND_ERR);
	pair_again(pair);
	/* Destroying the QP unbinds the window */
	host_cmd_object_ok(B(pair)->host, ORNIC_CMD_DESTROY_QP, first[1].num);
	assert_int_equal(destroy(B(pair), mr), ORNIC_CMD_BUSY);
	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	use(pair, mw, B(pair)->addr + AT);
	host_cmd_object_ok(A(pair)->host, ORNIC_CMD_DESTROY_QP, first[0].num);
}

TEST(test_zero_based, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	uint32_t mw = create(B(pair), ORNIC_MR_MW2, B(pair)->pdn);
	struct pair_wr wr = bind_wr(B(pair), mw, mw, bindable(B(pair)));

	wr.bind.access |= htole32(ORNIC_ACCESS_ZERO_BASED);
	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	use(pair, mw, 0);
	use_fails(pair, ORNIC_WR_RDMA_READ, mw, B(pair)->addr + AT, 1);
	use_fails(pair, ORNIC_WR_RDMA_READ, mw, 1, LEN);
}

TEST(test_zero_based_region, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	uint32_t mw = create(B(pair), ORNIC_MR_MW1, B(pair)->pdn);
	uint32_t mr = region(B(pair), ORNIC_ACCESS_LOCAL_WRITE |
				      ORNIC_ACCESS_MW_BIND |
				      ORNIC_ACCESS_ZERO_BASED);
	struct pair_wr wr = bind_wr(B(pair), mw, mw, mr);

	wr.bind.addr = htole64(AT);
	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	use(pair, mw, AT);
}

/* [ORNIC-MW-6] */
TEST(test_bind_refusals, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct host *host = B(pair)->host;
	uint32_t mw = create(B(pair), ORNIC_MR_MW1, B(pair)->pdn);
	uint32_t other_pd = host_pd(host);
	uint32_t other_mw = create(B(pair), ORNIC_MR_MW1, other_pd);
	uint32_t other_mr = host_mr(host, other_pd, B(pair)->addr,
				    PAIR_BUF_SIZE, ORNIC_ACCESS_LOCAL_WRITE |
						   ORNIC_ACCESS_MW_BIND);
	uint32_t mr = bindable(B(pair));
	struct pair_wr good = bind_wr(B(pair), mw, mw + 1, mr);
	uint64_t before;
	struct pair_wr wr;

#define REFUSED(field, value) do {                                          \
		wr = good;                                                  \
		wr.bind.field = value;                                      \
		before = host_device_stat(host, ORNIC_DEVICE_STAT_bad_lkey);\
		post_b(pair, &wr, ORNIC_WC_MW_BIND_ERR);                    \
		assert_int_equal(host_device_stat(host,                     \
				 ORNIC_DEVICE_STAT_bad_lkey), before + 1);  \
		pair_again(pair);                                           \
	} while (0)
	REFUSED(mw_key, htole32(mw + 1));
	REFUSED(mw_key, htole32(mr));
	REFUSED(mw_key, htole32(other_mw));
	REFUSED(new_key, htole32(mw + 0x100));
	REFUSED(mr_key, htole32(mr + 1));
	REFUSED(mr_key, htole32(mw));
	REFUSED(mr_key, htole32(other_mr));
	/* The pair's region lacks MW_BIND, this one LOCAL_WRITE */
	REFUSED(mr_key, htole32(B(pair)->key));
	REFUSED(mr_key, htole32(region(B(pair), ORNIC_ACCESS_MW_BIND)));
	REFUSED(access, htole32(ORNIC_ACCESS_MW_BIND));
	REFUSED(access, htole32(ORNIC_ACCESS_ZERO_BASED));
	REFUSED(access, htole32(1u << 30));
	REFUSED(addr, htole64(B(pair)->addr - 1));
	REFUSED(addr, htole64(B(pair)->addr + PAIR_BUF_SIZE - LEN + 1));
	REFUSED(length, htole64(PAIR_BUF_SIZE));
	REFUSED(length, htole64(~0ULL));
#undef REFUSED
	assert_int_equal(destroy(B(pair), mr), ORNIC_CMD_OK);
	good = bind_wr(B(pair), mw, mw + 1, bindable(B(pair)));
	post_b(pair, &good, ORNIC_WC_SUCCESS);
	/* One SGE too many */
	good.sges = 1;
	post_b(pair, &good, ORNIC_WC_LOC_QP_OP_ERR);
}

/* UC can bind too; a peer whose key has become invalid gets no error */
TEST(test_uc, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	uint32_t mw = create(B(pair), ORNIC_MR_MW2, B(pair)->pdn);
	struct pair_wr wr = bind_wr(B(pair), mw, mw + 1, bindable(B(pair)));
	struct pair_wr op = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, AT, 99);
	struct pair_wr inv = pair_wr_inv(mw + 1);

	post_b(pair, &wr, ORNIC_WC_SUCCESS);
	pair_fill(A(pair)->buf + AT, 99, 5);
	op.rkey = mw + 1;
	pair_one(pair, &op);
	pair_check(B(pair)->buf + AT, 99, 5);
	post_b(pair, &inv, ORNIC_WC_SUCCESS);
	pair_fill(A(pair)->buf + AT, 99, 6);
	pair_one(pair, &op);
	pair_check(B(pair)->buf + AT, 99, 5);
	/* [ORNIC-QP-8] A failed WQE stops the send queue only */
	post_b(pair, &wr, ORNIC_WC_MW_BIND_ERR);
	pair_state_is(B(pair), ORNIC_QPS_SQE);
}

/* A reset with bound windows frees everything; ASan checks that too */
TEST(test_reset_with_windows, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	uint32_t first = create(A(pair), ORNIC_MR_MW1, A(pair)->pdn);
	uint32_t mr = bindable(A(pair));
	uint32_t last = create(A(pair), ORNIC_MR_MW2, A(pair)->pdn);
	struct pair_wr wr;

	wr = bind_wr(A(pair), first, first, mr);
	pair_one(pair, &wr);
	wr = bind_wr(A(pair), last, last, mr);
	pair_one(pair, &wr);
	host_write(A(pair)->host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	assert_int_equal(A(pair)->host->card->mrs.count, 0);
	assert_int_equal(A(pair)->host->card->budget.pages, 0);
}

TEST_MAIN("mw")
