// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * FLUSH and ATOMIC_WRITE (IBTA annex A19; [ORNIC-SQ-28], [ORNIC-SQ-29],
 * [ORNIC-WIRE-28], [ORNIC-WIRE-29]).
 */
#include "pair.h"

#define AT 0x4000
#define LEN 5000

static uint32_t region(struct side *side, uint32_t access)
{
	return host_mr(side->host, side->pdn, side->addr + AT, LEN, access);
}

static struct pair_wr flush_wr(struct side *side, uint32_t rkey)
{
	struct pair_wr wr = pair_wr_data(side, ORNIC_WR_FLUSH, AT, 0);

	wr.rkey = rkey;
	wr.sges = 0;
	wr.flush.length = htole32(LEN);
	wr.flush.type = ORNIC_FLUSH_GLOBAL;
	wr.flush.level = ORNIC_FLUSH_RANGE;
	/* Reserved, so ignored in a work request */
	wr.flush.rsvd[0] = 1;
	return wr;
}

static struct pair_wr write_wr(struct pair *pair, uint64_t value)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_ATOMIC_WRITE, AT, 8);

	*pair_word(A(pair), AT) = value;
	return wr;
}

/* Operations on the wire, in order */
static uint8_t seen[32];
static unsigned int seen_count;

static enum pair_fate fate_see(struct pair *pair, const struct packet *pkt)
{
	assert_true(seen_count < ARRAY_SIZE(seen));
	seen[seen_count++] = pkt->opcode & OPCODE_OPERATION;
	if (pkt->op->kind == OPCODE_READ_RESP)
		assert_int_equal(pkt->payload_len, 0);
	return PAIR_DELIVER;
}

static void see(struct pair *pair)
{
	seen_count = 0;
	pair->fate = fate_see;
}

/* Send one request; an empty READ response answers it */
static void expect_seen(struct pair *pair, const struct pair_wr *wr,
			unsigned int wc_opcode, unsigned int operation)
{
	struct ornic_cqe cqe;

	see(pair);
	pair_send(A(pair), wr);
	cqe = pair_poll(A(pair));
	assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe.opcode), wc_opcode);
	assert_int_equal(seen_count, 2);
	assert_int_equal(seen[0], operation);
	assert_int_equal(seen[1], OPCODE_RC_READ_RESP_ONLY);
}

/* ---- FLUSH ---- */

TEST(test_flush, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc), IN_PAIR_BOTH(pair_setup_xrc))
{
	uint32_t key = region(B(pair), ORNIC_ACCESS_FLUSH_GLOBAL);
	struct pair_wr wr = flush_wr(A(pair), key);

	expect_seen(pair, &wr, ORNIC_WC_FLUSH, OPCODE_RC_FLUSH);
	/* One byte, and a length of 0 */
	wr.raddr += LEN - 1;
	wr.flush.length = htole32(1);
	pair_one(pair, &wr);
	wr.flush.length = 0;
	pair_one(pair, &wr);
	/* The whole region, whatever the range */
	wr.flush.level = ORNIC_FLUSH_REGION;
	wr.raddr = 12345;
	wr.flush.length = htole32(12345678);
	pair_one(pair, &wr);
	pair_poll_none(B(pair));
}

/* [ORNIC-MW-1] A window can be flushed as a region can */
TEST(test_flush_window, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	uint32_t mr = region(B(pair), ORNIC_ACCESS_MW_BIND);
	struct ornic_create_mr_in in = {
		.pdn = htole32(B(pair)->pdn),
		.type = ORNIC_MR_MW1,
	};
	struct pair_wr bind = {
		.opcode = ORNIC_WR_BIND_MW,
		.flags = ORNIC_SEND_SIGNALED,
		.bind = {
			.mr_key = htole32(mr),
			.access = htole32(ORNIC_ACCESS_FLUSH_GLOBAL),
			.addr = htole64(B(pair)->addr + AT + 10),
			.length = htole64(20),
		},
	};
	struct ornic_create_mr_out out;
	struct pair_wr wr;

	host_cmd_ok(B(pair)->host, ORNIC_CMD_CREATE_MR, &in, &out);
	bind.bind.mw_key = out.key;
	bind.bind.new_key = out.key;
	pair_send(B(pair), &bind);
	pair_expect(B(pair), 0, ORNIC_WC_SUCCESS);
	wr = flush_wr(A(pair), le32toh(out.key));
	wr.flush.level = ORNIC_FLUSH_REGION;
	pair_one(pair, &wr);
	wr.flush.level = ORNIC_FLUSH_RANGE;
	pair_fails(pair, &wr, ORNIC_WC_REM_ACCESS_ERR);
}

/* [ORNIC-SQ-28] An invalid WQE is not sent */
TEST(test_flush_bad_wqe, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct pair_wr good = flush_wr(A(pair), B(pair)->key);
	struct pair_wr wr;

	see(pair);
#define REFUSED(field, value) do {                                         \
		wr = good;                                                 \
		wr.field = value;                                          \
		pair_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);             \
		pair_again(pair);                                          \
	} while (0)
	REFUSED(flush.type, 0);
	REFUSED(flush.type, 4);
	REFUSED(flush.type, 0x11);
	REFUSED(flush.level, 2);
	REFUSED(sges, 1);
	REFUSED(flags, ORNIC_SEND_INLINE);
#undef REFUSED
	assert_int_equal(seen_count, 0);
}

static void flush_refused(struct pair *pair, const struct pair_wr *wr)
{
	uint64_t before = host_device_stat(B(pair)->host,
					   ORNIC_DEVICE_STAT_bad_rkey);

	pair_fails(pair, wr, ORNIC_WC_REM_ACCESS_ERR);
	host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_rkey,
			    before + 1);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_ACCESS_ERR);
	pair_again(pair);
}

/* [ORNIC-WIRE-28] */
TEST(test_flush_refusals, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	uint32_t key = region(B(pair), ORNIC_ACCESS_FLUSH_GLOBAL);
	struct pair_wr good = flush_wr(A(pair), key);
	struct ornic_qp_attr attr = pair_attr(B(pair), A(pair));
	struct pair_wr wr;

	/* The key of the pair lacks the access right */
	wr = good;
	wr.rkey = B(pair)->key;
	flush_refused(pair, &wr);
	wr.flush.level = ORNIC_FLUSH_REGION;
	flush_refused(pair, &wr);
	/* A key that does not exist, and a range beyond the region */
	wr = good;
	wr.rkey ^= 1;
	flush_refused(pair, &wr);
	wr.flush.level = ORNIC_FLUSH_REGION;
	flush_refused(pair, &wr);
	wr = good;
	wr.flush.length = htole32(LEN + 1);
	flush_refused(pair, &wr);
	/* The card has no persistent memory */
	wr = good;
	wr.flush.type = ORNIC_FLUSH_PERSISTENT;
	flush_refused(pair, &wr);
	wr.flush.type |= ORNIC_FLUSH_GLOBAL;
	flush_refused(pair, &wr);
	/* The QP lacks the access right */
	attr.access = htole32(ORNIC_ACCESS_REMOTE_WRITE |
			      ORNIC_ACCESS_FLUSH_PERSISTENT);
	pair_modify_ok(B(pair), ORNIC_QP_ATTR_ACCESS, &attr);
	pair_fails(pair, &good, ORNIC_WC_REM_INV_REQ_ERR);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_REQ_ERR);
	pair_again(pair);
	pair_one(pair, &good);
}

/* [ORNIC-OBJ-16] */
TEST(test_nothing_persists, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct ornic_create_mr_in in = {
		.pdn = htole32(A(pair)->pdn),
		.access = htole32(ORNIC_ACCESS_FLUSH_PERSISTENT),
		.iova = htole64(A(pair)->addr),
		.length = htole64(1),
	};
	struct ornic_create_mr_out out;

	host_buf(&in.buf, A(pair)->addr, 1);
	host_cmd_is(A(pair)->host, ORNIC_CMD_CREATE_MR, &in, &out, ORNIC_CMD_BAD_PARAM);
}

/* ---- ATOMIC_WRITE ---- */

TEST(test_atomic_write, struct pair *pair, IN_PAIR_ALL(pair_setup_rc), IN_PAIR_BOTH(pair_setup_xrc))
{
	struct pair_wr wr = write_wr(pair, 0x1122334455667788ULL);

	expect_seen(pair, &wr, ORNIC_WC_ATOMIC_WRITE, OPCODE_RC_ATOMIC_WRITE);
	/* The bytes are unchanged, whatever the host's byte order */
	assert_true(*pair_word(B(pair), AT) == 0x1122334455667788ULL);
	wr.flags |= ORNIC_SEND_INLINE;
	wr.data = "inlines!";
	wr.data_len = 8;
	pair_one(pair, &wr);
	assert_memory_equal(pair_word(B(pair), AT), "inlines!", 8);
	/* The source MR needs no access flag */
	wr = write_wr(pair, 77);
	wr.sge[0].lkey = host_mr(A(pair)->host, A(pair)->pdn, A(pair)->addr,
				 PAIR_BUF_SIZE, 0);
	pair_one(pair, &wr);
	assert_true(*pair_word(B(pair), AT) == 77);
	pair_poll_none(B(pair));
}

/* [ORNIC-SQ-29] */
TEST(test_atomic_write_bad_wqe, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct pair_wr good = write_wr(pair, 1);
	struct pair_wr wr;

#define REFUSED(field, value, status) do {                                 \
		wr = good;                                                 \
		wr.field = value;                                          \
		pair_fails(pair, &wr, ORNIC_WC_##status);                  \
		pair_again(pair);                                          \
	} while (0)
	REFUSED(sges, 0, LOC_QP_OP_ERR);
	REFUSED(sge[0].length, 7, LOC_QP_OP_ERR);
	REFUSED(sge[0].length, 9, LOC_QP_OP_ERR);
	REFUSED(sge[0].lkey, 0, LOC_PROT_ERR);
	good.sge[1] = good.sge[0];
	good.sge[1].length = 4;
	good.sges = 2;
	REFUSED(sge[0].length, 4, LOC_QP_OP_ERR);
	good.flags |= ORNIC_SEND_INLINE;
	good.data = "four";
	REFUSED(data_len, 4, LOC_QP_OP_ERR);
#undef REFUSED
}

/* [ORNIC-WIRE-29] */
TEST(test_atomic_write_refusals, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = write_wr(pair, 1);

	*pair_word(B(pair), AT) = 0;
	wr.raddr += 4;
	pair_fails(pair, &wr, ORNIC_WC_REM_INV_REQ_ERR);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_REQ_ERR);
	pair_again(pair);
	wr = write_wr(pair, 1);
	wr.rkey = host_mr(B(pair)->host, B(pair)->pdn, B(pair)->addr,
			  PAIR_BUF_SIZE, ORNIC_ACCESS_LOCAL_WRITE |
					 ORNIC_ACCESS_REMOTE_ATOMIC);
	pair_fails(pair, &wr, ORNIC_WC_REM_ACCESS_ERR);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_ACCESS_ERR);
	pair_again(pair);
	wr.rkey = B(pair)->key;
	wr.raddr = B(pair)->addr + PAIR_BUF_SIZE;
	pair_fails(pair, &wr, ORNIC_WC_REM_ACCESS_ERR);
	assert_true(!*pair_word(B(pair), AT));
}

/* ---- both ---- */

/* [ORNIC-SQ-11] Both need max_rd_atomic and max_dest_rd_atomic */
TEST(test_no_resources, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct ornic_qp_attr attr = pair_attr(A(pair), B(pair));
	uint32_t key = region(B(pair), ORNIC_ACCESS_FLUSH_GLOBAL);
	struct pair_wr wr = flush_wr(A(pair), key);

	pair_state(A(pair), ORNIC_QPS_RESET);
	attr.max_rd_atomic = 0;
	pair_connect_side(A(pair), &attr);
	pair_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
	pair_again(pair);
	pair_state(B(pair), ORNIC_QPS_RESET);
	attr = pair_attr(B(pair), A(pair));
	attr.max_dest_rd_atomic = 0;
	pair_connect_side(B(pair), &attr);
	pair_fails(pair, &wr, ORNIC_WC_REM_INV_REQ_ERR);
}

/*
 * Losses: each request is executed once. A duplicate of an ATOMIC_WRITE must
 * not undo what B has written since.
 */
TEST(test_losses, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	uint32_t key = region(B(pair), ORNIC_ACCESS_FLUSH_GLOBAL);
	struct pair_wr flush = flush_wr(A(pair), key);
	struct pair_wr write = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0,
					    3000);
	struct pair_wr word = write_wr(pair, 5);
	struct pair_wr read = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0x9000,
					   3000);
	unsigned int lost, i;

	pair->fate = pair_fate_lose_some;
	flush.flags = 0;
	write.flags = 0;
	word.flags = 0;
	for (lost = 0; lost < 15; lost++) {
		pair->arg = lost;
		pair_fill(A(pair)->buf, 3000, lost);
		*pair_word(A(pair), AT) = lost;
		pair_post(A(pair), &write);
		pair_post(A(pair), &flush);
		pair_post(A(pair), &word);
		pair_post(A(pair), &flush);
		pair_post(A(pair), &word);
		pair_post(A(pair), &read);
		pair_ring(A(pair));
		for (i = 0; i < 20; i++)
			pair_sleep(pair, 1000000);
		pair_expect(A(pair), read.wr_id, ORNIC_WC_SUCCESS);
		pair_poll_none(A(pair));
		pair_check(B(pair)->buf, 3000, lost);
		assert_true(*pair_word(B(pair), AT) == lost);
		pair_again(pair);
	}

	/* The response is lost, B writes, and the duplicate changes nothing */
	*pair_word(A(pair), AT) = 1;
	pair->arg = 2;
	word.flags = ORNIC_SEND_SIGNALED;
	pair_send(A(pair), &word);
	pair_poll_none(A(pair));
	assert_true(*pair_word(B(pair), AT) == 1);
	*pair_word(B(pair), AT) = 2;
	pair_sleep(pair, 20000000);
	pair_expect(A(pair), word.wr_id, ORNIC_WC_SUCCESS);
	assert_true(*pair_word(B(pair), AT) == 2);
	assert_true(pair_stat(B(pair),
			      ORNIC_RDMA_STAT_rx_duplicate_requests) > 0);
}

TEST_MAIN("flush")
