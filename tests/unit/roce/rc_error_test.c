// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Errors of an RC connection: each gives the completion and the event of IBTA
 * 9.9.3 and 11.6, on the side named there, and affects no other QP.
 */
#include "pair.h"

static struct pair_wr wr_data(struct side *side, unsigned int opcode,
			      uint32_t len)
{
	struct pair_wr wr = pair_wr_data(side, opcode, 0, len);

	wr.wr_id = 1;
	return wr;
}

/*
 * Post two good WQEs, the one that fails and another good one. The first two
 * succeed, and the last one is flushed.
 */
static void rc_fails(struct pair *pair, struct pair_wr *wr, unsigned int status)
{
	struct pair_wr good = wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 10);

	good.wr_id = 100;
	good.flags = 0;
	pair_post(A(pair), &good);
	good.wr_id = 101;
	good.flags = ORNIC_SEND_SIGNALED;
	pair_post(A(pair), &good);
	wr->wr_id = 102;
	wr->flags &= ~ORNIC_SEND_SIGNALED;
	pair_post(A(pair), wr);
	good.wr_id = 103;
	good.flags = 0;
	pair_send(A(pair), &good);
	pair_expect(A(pair), 101, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), 102, status);
	pair_expect(A(pair), 103, ORNIC_WC_WR_FLUSH_ERR);
	pair_poll_none(A(pair));
	pair_state_is(A(pair), ORNIC_QPS_ERR);
	/* The requester gets a completion and so no event */
	assert_int_equal(pair_event(A(pair)), 0);
}

/* ---- errors of the requester ---- */

static void rc_fails_locally(struct pair *pair, struct pair_wr *wr,
			     unsigned int status, enum ornic_device_stat stat)
{
	uint64_t before = host_device_stat(A(pair)->host, stat);

	rc_fails(pair, wr, status);
	host_device_stat_is(A(pair)->host, stat, before + 1);
	pair_state_is(B(pair), ORNIC_QPS_RTS);
	assert_int_equal(pair_event(B(pair)), 0);
}

/* A test of a request that fails at the requester after the statements behind @stat */
#define FAILS_LOCALLY(name, opcode, len, status, stat, ...) \
	TEST(name, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc)) \
	{ \
		struct pair_wr wr = wr_data(A(pair), opcode, len); \
	\
		__VA_ARGS__; \
		rc_fails_locally(pair, &wr, ORNIC_WC_##status, ORNIC_DEVICE_STAT_##stat); \
	}

FAILS_LOCALLY(test_local_bad_lkey, ORNIC_WR_SEND, 9, LOC_PROT_ERR, bad_lkey,
	      wr.sge[0].lkey ^= 1)

FAILS_LOCALLY(test_local_out_of_range, ORNIC_WR_RDMA_WRITE, 9, LOC_PROT_ERR, bad_lkey,
	      wr.sge[0].addr += PAIR_BUF_SIZE - 8)

FAILS_LOCALLY(test_local_wrapped_length, ORNIC_WR_RDMA_WRITE, 0x7fffffff, LOC_PROT_ERR, bad_lkey,
	      wr.sge[0].addr = UINT64_MAX - 100)

FAILS_LOCALLY(test_local_foreign_pd, ORNIC_WR_RDMA_WRITE, 9, LOC_PROT_ERR, bad_lkey,
	      wr.sge[0].lkey = host_mr(A(pair)->host, host_pd(A(pair)->host), A(pair)->addr, 4096,
				       ORNIC_ACCESS_LOCAL_WRITE))

FAILS_LOCALLY(test_local_read_into_read_only, ORNIC_WR_RDMA_READ, 9, LOC_PROT_ERR, bad_lkey,
	      wr.sge[0].lkey = host_mr(A(pair)->host, A(pair)->pdn, A(pair)->addr, 4096, 0))

/* [ORNIC-SQ-7] */
FAILS_LOCALLY(test_local_inline_read, ORNIC_WR_RDMA_READ, 0, LOC_QP_OP_ERR, bad_wqe_opcode,
	      wr.flags |= ORNIC_SEND_INLINE)

/* [ORNIC-SQ-6] */
FAILS_LOCALLY(test_local_too_many_sges, ORNIC_WR_SEND, 1, LOC_QP_OP_ERR, bad_wqe_count,
	      wr.sges = CARD_MAX_SGE + 1)

/* [ORNIC-SQ-6] */
FAILS_LOCALLY(test_local_too_much_inline, ORNIC_WR_SEND, 1, LOC_QP_OP_ERR, bad_wqe_count,
	      static uint8_t data[CARD_MAX_INLINE + 1];
	      wr.flags |= ORNIC_SEND_INLINE; wr.data = data; wr.data_len = sizeof(data))

/* [ORNIC-SQ-13] */
FAILS_LOCALLY(test_local_atomic_of_other_size, ORNIC_WR_ATOMIC_FETCH_ADD, 16, LOC_QP_OP_ERR,
	      bad_wqe_count)

TEST(test_local_too_long, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_SEND, 0x80000000);

	wr.sges = 2;
	wr.sge[1] = wr.sge[0];
	rc_fails(pair, &wr, ORNIC_WC_LOC_LEN_ERR);
}

TEST(test_local_read_without_depth, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_RDMA_READ, 8);

	pair_qp(A(pair))->attr.max_rd_atomic = 0;
	rc_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
}

/* [ORNIC-SQ-3] A WQE that extends beyond the producer index */
TEST(test_local_wqe_beyond_pi, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_SEND, 8);

	wr.sges = 9;
	pair_post(A(pair), &wr);
	A(pair)->qp.sq_pi--;
	guest_store32(&host_qp_dbr(&A(pair)->qp)->sq_pi, A(pair)->qp.sq_pi);
	pair_ring(A(pair));
	pair_run(pair);
	pair_expect(A(pair), 1, ORNIC_WC_LOC_QP_OP_ERR);
	pair_poll_none(A(pair));
}

/*
 * [ORNIC-BAD-3] The host changes a WQE during its execution, which fails that
 * WQE
 */
static enum pair_fate fate_change_wqe(struct pair *pair,
				      const struct packet *pkt)
{
	struct ornic_sq_hdr *hdr = host_ptr(A(pair)->host, A(pair)->qp.sq);

	if (pair->packets == 1)
		hdr->ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_RDMA_READ, 0, 48));
	return PAIR_DROP;
}

TEST(test_local_wqe_changed_on_its_way, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_SEND, 100);

	pair->fate = fate_change_wqe;
	pair_send(A(pair), &wr);
	pair_sleep(pair, 20 * 1000 * 1000);
	pair_expect(A(pair), 1, ORNIC_WC_LOC_QP_OP_ERR);
}

/* Memory of a region is unmapped */
TEST(test_local_memory_unmapped, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_SEND, 100);

	wr.sge[0].addr += HOST_PAGE;
	host_unmap(A(pair)->host, wr.sge[0].addr, HOST_PAGE);
	rc_fails_locally(pair, &wr, ORNIC_WC_LOC_PROT_ERR, ORNIC_DEVICE_STAT_dma_faults);
	host_map(A(pair)->host, wr.sge[0].addr, HOST_PAGE);
}

TEST(test_local_ring_unmapped, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_SEND, 100);

	pair_post(A(pair), &wr);
	host_unmap(A(pair)->host, A(pair)->qp.sq, HOST_PAGE);
	pair_ring(A(pair));
	pair_run(pair);
	pair_expect(A(pair), 0, ORNIC_WC_LOC_PROT_ERR);
	pair_state_is(A(pair), ORNIC_QPS_ERR);
	host_map(A(pair)->host, A(pair)->qp.sq, HOST_PAGE);
}

/* [ORNIC-SQ-8] */
TEST(test_local_ring_unmapped_in_err, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_SEND, 100);

	pair_state(A(pair), ORNIC_QPS_ERR);
	pair_post(A(pair), &wr);
	pair_post(A(pair), &wr);
	host_unmap(A(pair)->host, A(pair)->qp.sq, HOST_PAGE);
	pair_ring(A(pair));
	pair_run(pair);
	host_map(A(pair)->host, A(pair)->qp.sq, HOST_PAGE);
	pair_expect(A(pair), 0, ORNIC_WC_LOC_PROT_ERR);
	pair_poll_none(A(pair));
	host_device_stat_is(A(pair)->host, ORNIC_DEVICE_STAT_dma_faults, 1);
	/* WQEs that are published later are flushed */
	pair_send(A(pair), &wr);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_WR_FLUSH_ERR);
}

/* ---- refusals by the responder ---- */

static void rc_fails_remotely(struct pair *pair, struct pair_wr *wr,
			      unsigned int status, unsigned int event)
{
	rc_fails(pair, wr, status);
	pair_state_is(B(pair), ORNIC_QPS_ERR);
	assert_int_equal(pair_event(B(pair)), event);
	assert_int_equal(pair_event(B(pair)), 0);
}

static uint64_t invalid_requests(struct pair *pair)
{
	return pair_stat(B(pair), ORNIC_RDMA_STAT_remote_invalid_requests);
}

/* A test of a request that has no access after the statements behind @len */
#define NO_ACCESS(name, opcode, len, ...) \
	TEST(name, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc)) \
	{ \
		struct pair_wr wr = wr_data(A(pair), opcode, len); \
	\
		__VA_ARGS__; \
		rc_fails_remotely(pair, &wr, ORNIC_WC_REM_ACCESS_ERR, ORNIC_EVENT_QP_ACCESS_ERR); \
		host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_rkey, 1); \
		pair_stat_is(B(pair), ORNIC_RDMA_STAT_remote_access_errors, 1); \
	}

NO_ACCESS(test_remote_bad_rkey, ORNIC_WR_RDMA_WRITE, 5000, wr.rkey ^= 0x100)

NO_ACCESS(test_remote_read_out_of_range, ORNIC_WR_RDMA_READ, 5000,
	  wr.raddr += PAIR_BUF_SIZE - 4999)

NO_ACCESS(test_remote_address_wraps, ORNIC_WR_RDMA_WRITE, 5000, wr.raddr = UINT64_MAX - 10)

NO_ACCESS(test_remote_foreign_pd, ORNIC_WR_RDMA_WRITE, 8,
	  wr.rkey = host_mr(B(pair)->host, host_pd(B(pair)->host), B(pair)->addr, 4096,
			    ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_REMOTE_WRITE))

/* The region, or the QP, lacks the permission @access */
static void remote_no_permission(struct pair *pair, unsigned int opcode,
				 uint32_t access, bool by_qp)
{
	struct pair_wr wr = wr_data(A(pair), opcode, 8);
	uint32_t all = ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_REMOTE_WRITE |
		       ORNIC_ACCESS_REMOTE_READ | ORNIC_ACCESS_REMOTE_ATOMIC;
	struct pair_wr good = wr_data(A(pair), ORNIC_WR_SEND, 8);
	uint64_t invalid = invalid_requests(pair);
	uint64_t bad = host_device_stat(B(pair)->host, ORNIC_DEVICE_STAT_bad_rkey);

	if (by_qp)
		pair_qp(B(pair))->attr.access &= ~access;
	else
		wr.rkey = host_mr(B(pair)->host, B(pair)->pdn, B(pair)->addr,
				  4096, all & ~access);
	/* Not rc_fails(), which starts with a WRITE */
	pair_post_recv(B(pair), 7, B(pair)->addr, 100);
	pair_post(A(pair), &good);
	pair_send(A(pair), &wr);
	pair_expect(A(pair), 1, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), 1, by_qp ? ORNIC_WC_REM_INV_REQ_ERR : ORNIC_WC_REM_ACCESS_ERR);
	pair_expect(B(pair), 7, ORNIC_WC_SUCCESS);
	assert_int_equal(pair_event(B(pair)), by_qp ? ORNIC_EVENT_QP_REQ_ERR :
						      ORNIC_EVENT_QP_ACCESS_ERR);
	assert_int_equal(invalid_requests(pair), invalid + by_qp);
	host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_rkey, bad + !by_qp);
}

/* [ORNIC-KEY-2], [ORNIC-WIRE-20] */
TEST(test_remote_not_allowed, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const struct {
		unsigned int opcode;
		uint32_t access;
	} cases[] = {
		{ ORNIC_WR_RDMA_WRITE, ORNIC_ACCESS_REMOTE_WRITE },
		{ ORNIC_WR_RDMA_READ, ORNIC_ACCESS_REMOTE_READ },
		{ ORNIC_WR_ATOMIC_CMP_SWP, ORNIC_ACCESS_REMOTE_ATOMIC },
		{ ORNIC_WR_ATOMIC_FETCH_ADD, ORNIC_ACCESS_REMOTE_ATOMIC },
	};
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		remote_no_permission(pair, cases[i / 2].opcode,
				     cases[i / 2].access, i & 1);
		pair_again(pair);
	}
}

/* [ORNIC-SQ-12] Without data no key is checked, but the access of the QP is */
TEST(test_no_data_not_allowed_by_qp, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const unsigned int opcodes[] = { ORNIC_WR_RDMA_WRITE, ORNIC_WR_RDMA_READ };
	struct pair_wr wr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		wr = wr_data(A(pair), opcodes[i], 0);
		wr.rkey = 0xdead00;
		pair_one(pair, &wr);
		pair_qp(B(pair))->attr.access = 0;
		pair_fails(pair, &wr, ORNIC_WC_REM_INV_REQ_ERR);
		assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_REQ_ERR);
		pair_again(pair);
	}
	host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_rkey, 0);
}

TEST(test_remote_atomic_unaligned, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_ATOMIC_FETCH_ADD, 8);

	wr.raddr += 4;
	rc_fails_remotely(pair, &wr, ORNIC_WC_REM_INV_REQ_ERR,
			  ORNIC_EVENT_QP_REQ_ERR);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_remote_invalid_requests, 1);
}

/* Peers with different path MTUs */
TEST(test_remote_other_mtu, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_SEND, 3000);

	pair_qp(B(pair))->mtu_shift++;
	pair_post_recv(B(pair), 7, B(pair)->addr, 8192);
	rc_fails_remotely(pair, &wr, ORNIC_WC_REM_INV_REQ_ERR,
			  ORNIC_EVENT_QP_REQ_ERR);
	pair_expect(B(pair), 7, ORNIC_WC_WR_FLUSH_ERR);
}

TEST(test_receive_too_short, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_SEND, 3000);

	pair_post_recv(B(pair), 7, B(pair)->addr, 2999);
	pair_post_recv(B(pair), 8, B(pair)->addr, 4096);
	rc_fails_remotely(pair, &wr, ORNIC_WC_REM_INV_REQ_ERR, 0);
	pair_expect(B(pair), 7, ORNIC_WC_LOC_LEN_ERR);
	pair_expect(B(pair), 8, ORNIC_WC_WR_FLUSH_ERR);
}

TEST(test_receive_bad_lkey, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_SEND, 3000);
	struct sge sge = { B(pair)->addr, 4096, B(pair)->key + 1 };

	pair_post_recv_sges(B(pair), 7, &sge, 1);
	rc_fails_remotely(pair, &wr, ORNIC_WC_REM_OP_ERR, 0);
	pair_expect(B(pair), 7, ORNIC_WC_LOC_PROT_ERR);
	host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_lkey, 1);
}

TEST(test_receive_into_read_only, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_SEND, 3000);
	struct sge sge = { B(pair)->addr, 4096, 0 };

	sge.lkey = host_mr(B(pair)->host, B(pair)->pdn, B(pair)->addr, 4096, 0);
	pair_post_recv_sges(B(pair), 7, &sge, 1);
	rc_fails_remotely(pair, &wr, ORNIC_WC_REM_OP_ERR, 0);
	pair_expect(B(pair), 7, ORNIC_WC_LOC_PROT_ERR);
}

/* [ORNIC-RQ-1] */
TEST(test_receive_too_many_sges, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_SEND, 3000);
	struct sge sge[CARD_MAX_SGE] = { };

	pair_post_recv_sges(B(pair), 7, sge, CARD_MAX_SGE + 1);
	rc_fails_remotely(pair, &wr, ORNIC_WC_REM_OP_ERR, 0);
	pair_expect(B(pair), 7, ORNIC_WC_LOC_QP_OP_ERR);
	host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_wqe_count, 1);
}

/* The region of a READ is destroyed between two packets of the response */
static enum pair_fate fate_destroy_mr(struct pair *pair,
				      const struct packet *pkt)
{
	if (pkt->op->kind == OPCODE_READ_RESP && !pair->arg) {
		pair->arg = 1;
		host_cmd_object_ok(B(pair)->host, ORNIC_CMD_DESTROY_MR,
				   B(pair)->key);
	}
	return PAIR_DELIVER;
}

/* With payload by reference all of it is underway at once */
TEST(test_remote_region_destroyed_during_read, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = wr_data(A(pair), ORNIC_WR_RDMA_READ, 4u << 20);

	pair->fate = fate_destroy_mr;
	pair_send(A(pair), &wr);
	pair_sleep(pair, 10 * 1000 * 1000);
	pair_expect(A(pair), 1, ORNIC_WC_REM_ACCESS_ERR);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_ACCESS_ERR);
}

/* ---- packets that the card itself does not send ---- */

static void refused(struct pair *pair, unsigned int opcode, uint32_t len)
{
	static const uint8_t payload[8192];
	struct packet pkt = pair_packet(pair, opcode);
	uint64_t before = invalid_requests(pair);

	pair_inject(pair, &pkt, payload, len);
	pair_state_is(B(pair), ORNIC_QPS_ERR);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_REQ_ERR);
	assert_int_equal(invalid_requests(pair), before + 1);
}

TEST(test_packets_out_of_place_or_length, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const struct {
		unsigned int opcode;
		uint32_t len;
	} cases[] = {
		/* Without a first packet */
		{ OPCODE_RC_SEND_MIDDLE, 1024 }, { OPCODE_RC_WRITE_LAST, 8 },
		/* Shorter and longer than the path MTU */
		{ OPCODE_RC_SEND_FIRST, 1020 }, { OPCODE_RC_SEND_ONLY, 1025 },
		/* Longer and shorter than the RETH says */
		{ OPCODE_RC_WRITE_ONLY, 12 }, { OPCODE_RC_WRITE_ONLY, 4 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		refused(pair, cases[i].opcode, cases[i].len);
		pair_again(pair);
	}
}

/* [ORNIC-WIRE-20] At the PSN expected; a duplicate is dropped */
TEST(test_reserved_opcodes, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint8_t opcodes[] = { 0x15, 0x18, 0x19, 0x1a, 0x1b, 0x1e, 0x1f };
	static const uint8_t payload[8];
	struct packet pkt;
	unsigned int i, sent;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		pkt = pair_packet(pair, opcodes[i]);
		pkt.psn = psn_add(pkt.psn, PSN_MASK);
		sent = pair->packets;
		pair_inject(pair, &pkt, payload, sizeof(payload));
		assert_int_equal(pair->packets, sent);
		pair_state_is(B(pair), ORNIC_QPS_RTS);
		pkt.psn = psn_add(pkt.psn, 1);
		pair_inject(pair, &pkt, payload, sizeof(payload));
		assert_int_equal(pair->packets, sent + 1);
		pair_state_is(B(pair), ORNIC_QPS_ERR);
		assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_REQ_ERR);
		assert_int_equal(invalid_requests(pair), i + 1);
		pair_again(pair);
	}
}

TEST(test_write_amid_send, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint8_t payload[1024];
	struct packet pkt = pair_packet(pair, OPCODE_RC_SEND_FIRST);

	pair_post_recv(B(pair), 9, B(pair)->addr, 8192);
	pair_inject(pair, &pkt, payload, sizeof(payload));
	pair_state_is(B(pair), ORNIC_QPS_RTS);
	refused(pair, OPCODE_RC_WRITE_ONLY, 8);
	pair_expect(B(pair), 9, ORNIC_WC_WR_FLUSH_ERR);
}

TEST(test_huge_dma_length, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct packet pkt = pair_packet(pair, OPCODE_RC_READ_REQUEST);

	pkt.dma_len = UINT32_MAX;
	pair_inject(pair, &pkt, NULL, 0);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_REQ_ERR);
}

TEST(test_datagram_to_rc_is_dropped, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct packet pkt = pair_packet(pair, OPCODE_UD_SEND_ONLY);

	pair_inject(pair, &pkt, "12345678", 8);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_unknown_qp, 1);
}

/* Responses without a request change nothing, whatever PSN and syndrome */
TEST(test_ghost_answers, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint8_t opcodes[] = {
		OPCODE_RC_ACK, OPCODE_RC_READ_RESP_ONLY, OPCODE_RC_ATOMIC_ACK,
		OPCODE_RC_READ_RESP_MIDDLE,
	};
	struct pair_wr wr = wr_data(B(pair), ORNIC_WR_RDMA_WRITE, 8);
	unsigned int i, syndrome;
	int delta;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		for (syndrome = 0; syndrome < 256; syndrome += 3) {
			for (delta = -2; delta < 3; delta++) {
				struct packet pkt = pair_packet(pair,
								opcodes[i]);

				pkt.psn = psn_add(pair_qp(B(pair))->req.una,
						  delta);
				pkt.syndrome = syndrome;
				pair_inject(pair, &pkt, NULL, 0);
			}
		}
	}
	pair_state_is(B(pair), ORNIC_QPS_RTS);
	pair_send(B(pair), &wr);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
}

/* A READ response with the wrong amount of data */
static enum pair_fate fate_drop_answers(struct pair *pair,
					const struct packet *pkt)
{
	return pkt->op->kind == OPCODE_READ_RESP ? PAIR_DROP : PAIR_DELIVER;
}

TEST(test_bad_read_response, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = wr_data(B(pair), ORNIC_WR_RDMA_READ, 100);
	struct packet pkt = pair_packet(pair, OPCODE_RC_READ_RESP_ONLY);

	pair->fate = fate_drop_answers;
	pair_send(B(pair), &wr);
	pkt.psn = pair_qp(B(pair))->req.una;
	pkt.syndrome = AETH_NO_CREDITS;
	pair_inject(pair, &pkt, "12345678", 8);
	pair_expect(B(pair), 1, ORNIC_WC_BAD_RESP_ERR);
	pair_state_is(B(pair), ORNIC_QPS_ERR);
}

TEST_MAIN("rc_error")
