// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Masked atomics ([ORNIC-SQ-27], [ORNIC-WIRE-27]) */
#include "pair.h"

#define AT 0x6000

static struct pair_wr masked(struct side *side, unsigned int opcode)
{
	return pair_wr_data(side, opcode, AT, 8);
}

/* Execute one. B has @found before and @left afterwards; A receives @found. */
static void executes(struct pair *pair, const struct pair_wr *wr,
		     uint64_t found, uint64_t left)
{
	struct ornic_cqe cqe;

	*pair_word(B(pair), AT) = htole64(found);
	*pair_word(A(pair), AT) = 0;
	pair_send(A(pair), wr);
	cqe = pair_poll(A(pair));
	assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe.opcode),
			 wr->opcode == ORNIC_WR_MASKED_CMP_SWP ?
			 ORNIC_WC_MASKED_COMP_SWAP :
			 ORNIC_WC_MASKED_FETCH_ADD);
	assert_int_equal(le32toh(cqe.byte_len), 8);
	assert_true(*pair_word(A(pair), AT) == htole64(found));
	assert_true(*pair_word(B(pair), AT) == htole64(left));
}

TEST(test_masked_cmp_swp, struct pair *pair,
     IN_PAIR_ALL(pair_setup_rc), IN_PAIR_BOTH(pair_setup_xrc))
{
	struct pair_wr wr = masked(A(pair), ORNIC_WR_MASKED_CMP_SWP);
	uint64_t found = 0x1122334455667788ULL;

	/* Compare one byte and swap another one */
	wr.compare = 0xaaaaaaaaaa66aaaaULL;
	wr.mask.compare_mask = htole64(0x0000000000ff0000ULL);
	wr.swap_add = 0xbbbbbbbbbbbbbbbbULL;
	wr.mask.swap_add_mask = htole64(0x00ff000000000000ULL);
	executes(pair, &wr, found, 0x11bb334455667788ULL);
	/* The byte that is compared differs */
	wr.compare ^= 0x10000;
	executes(pair, &wr, found, found);
	/* Compare nothing and swap all; then compare all and swap nothing */
	wr.mask.compare_mask = 0;
	wr.mask.swap_add_mask = ~0ULL;
	executes(pair, &wr, found, wr.swap_add);
	wr.compare = found;
	wr.mask.compare_mask = ~0ULL;
	wr.mask.swap_add_mask = 0;
	executes(pair, &wr, found, found);
}

TEST(test_masked_fetch_add, struct pair *pair,
     IN_PAIR_ALL(pair_setup_rc), IN_PAIR_BOTH(pair_setup_xrc))
{
	struct pair_wr wr = masked(A(pair), ORNIC_WR_MASKED_FETCH_ADD);

	/* Two fields of 32 bits: the carry of the low one is lost */
	wr.mask.swap_add_mask = htole64(0x8000000080000000ULL);
	wr.swap_add = 0x0000000100000002ULL;
	executes(pair, &wr, 0x7fffffffffffffffULL, 0x8000000000000001ULL);
	executes(pair, &wr, 0xffffffff7fffffffULL, 0x0000000080000001ULL);
	/* Eight fields of 8 bits */
	wr.mask.swap_add_mask = htole64(0x8080808080808080ULL);
	wr.swap_add = 0x0101010101010101ULL;
	executes(pair, &wr, 0xff7f00ff0180feffULL, 0x008001000281ff00ULL);
	/* One field of 64 bits, without and with its highest bit in the mask */
	wr.mask.swap_add_mask = 0;
	wr.swap_add = 1;
	executes(pair, &wr, 0x00000000ffffffffULL, 0x0000000100000000ULL);
	executes(pair, &wr, ~0ULL, 0);
	wr.mask.swap_add_mask = htole64(1ULL << 63);
	executes(pair, &wr, ~0ULL, 0);
	/* 64 fields of one bit: exclusive or */
	wr.mask.swap_add_mask = ~0ULL;
	wr.swap_add = 0xff00;
	executes(pair, &wr, 0x0ff0, 0xf0f0);
}

TEST(test_refusals, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = masked(A(pair), ORNIC_WR_MASKED_FETCH_ADD);

	wr.raddr += 4;
	pair_fails(pair, &wr, ORNIC_WC_REM_INV_REQ_ERR);
	pair_again(pair);
	wr = masked(A(pair), ORNIC_WR_MASKED_CMP_SWP);
	wr.rkey = host_mr(B(pair)->host, B(pair)->pdn, B(pair)->addr,
			  PAIR_BUF_SIZE, ORNIC_ACCESS_LOCAL_WRITE |
					 ORNIC_ACCESS_REMOTE_WRITE);
	pair_fails(pair, &wr, ORNIC_WC_REM_ACCESS_ERR);
	pair_again(pair);
	wr.sges = 0;
	pair_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
	pair_again(pair);
	wr = masked(A(pair), ORNIC_WR_MASKED_CMP_SWP);
	wr.sge[0].length = 4;
	pair_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
}

/* [ORNIC-SQ-15] An address that is aligned, in a region that is not */
TEST(test_region_that_is_not_aligned, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const unsigned int opcodes[] = {
		ORNIC_WR_ATOMIC_FETCH_ADD, ORNIC_WR_MASKED_CMP_SWP,
		ORNIC_WR_ATOMIC_WRITE,
	};
	struct side *b = B(pair);
	struct ornic_create_mr_in in = {
		.pdn = htole32(b->pdn),
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE |
				  ORNIC_ACCESS_REMOTE_WRITE |
				  ORNIC_ACCESS_REMOTE_ATOMIC),
		.type = ORNIC_MR_MEMORY,
		.iova = htole64(b->addr),
		.length = htole64(4096),
		.first_offset = htole64(4),
	};
	struct ornic_create_mr_out out;
	unsigned int i;

	host_buf(&in.buf, b->addr, 2 * HOST_PAGE);
	host_cmd_ok(b->host, ORNIC_CMD_CREATE_MR, &in, &out);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct pair_wr wr = pair_wr_data(A(pair), opcodes[i], 0, 8);

		wr.rkey = le32toh(out.key);
		pair_fails(pair, &wr, ORNIC_WC_REM_INV_REQ_ERR);
		assert_int_equal(pair_event(b), ORNIC_EVENT_QP_REQ_ERR);
		pair_again(pair);
		/* A wrong key comes first */
		wr.rkey ^= 1;
		pair_fails(pair, &wr, ORNIC_WC_REM_ACCESS_ERR);
		pair_again(pair);
	}
}

/* The card executes a duplicate once and answers it each time */
TEST(test_duplicates, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = masked(A(pair), ORNIC_WR_MASKED_FETCH_ADD);

	*pair_word(B(pair), AT) = htole64(5);
	wr.swap_add = 1;
	pair->fate = pair_fate_lose_acks;
	pair->arg = 2;
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	pair_sleep(pair, 30000000);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	assert_true(*pair_word(A(pair), AT) == htole64(5));
	assert_true(*pair_word(B(pair), AT) == htole64(6));
}

TEST_MAIN("atomic")
