// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Shared receive queues: order, limit, resize, errors */
#include "card/card.h"
#include "objects/pd.h"
#include "pair.h"

static struct ornic_qp_dbr *srq_dbr(struct side *side)
{
	return host_qp_dbr(&side->srq);
}

/* Create another pair of QPs, B's with the same SRQ; @first is the old one */
static void second_qps(struct pair *pair, struct host_qp first[2])
{
	first[0] = A(pair)->qp;
	first[1] = B(pair)->qp;
	pair_qps(pair, ORNIC_QPT_RC, 0);
	pair_connect(pair);
}

static void swap_qps(struct pair *pair, struct host_qp other[2])
{
	struct host_qp qp[2] = { A(pair)->qp, B(pair)->qp };

	A(pair)->qp = other[0];
	B(pair)->qp = other[1];
	other[0] = qp[0];
	other[1] = qp[1];
}

static struct pair_wr wr_send(struct pair *pair, uint32_t offset, uint32_t len)
{
	return pair_wr_data(A(pair), ORNIC_WR_SEND, offset, len);
}

static void start(struct pair *pair, uint32_t len)
{
	struct pair_wr wr = wr_send(pair, 0, len);

	pair_send(A(pair), &wr);
}

static unsigned int modify(struct side *side, uint32_t limit)
{
	struct ornic_modify_srq_in in = { .srqn = htole32(side->srq.num),
					  .limit = htole32(limit) };

	return host_cmd_in(side->host, ORNIC_CMD_MODIFY_SRQ, &in);
}

static uint32_t query_limit(struct side *side)
{
	struct ornic_object in = { .num = htole32(side->srq.num) };
	struct ornic_query_srq_out out = {};

	host_cmd_ok(side->host, ORNIC_CMD_QUERY_SRQ, &in, &out);
	return le32toh(out.limit);
}

/* ---- objects ---- */

#define REFUSED(_side, _status, ...) do { \
		struct ornic_create_srq_in in = create_in(_side); \
		struct ornic_object out; \
		__VA_ARGS__; \
		assert_int_equal(host_cmd((_side)->host, ORNIC_CMD_CREATE_SRQ, \
					  &in, &out), ORNIC_CMD_##_status); \
	} while (0)

static struct ornic_create_srq_in create_in(struct side *side)
{
	struct ornic_create_srq_in in = {
		.pdn = htole32(side->pdn),
		.log_wqes = 3,
		.stride_shift = 5,
		.dbr_addr = htole64(side->srq.dbr),
	};

	host_buf(&in.buf, side->srq.rq, HOST_PAGE);
	return in;
}

/* [ORNIC-SRQ-1] */
TEST(test_create_refusals, struct pair *pair, IN_PAIR(pair_setup_rc_srq, local))
{
	struct side *b = B(pair);
	uint32_t pages = b->host->card->budget.pages;
	uint32_t count = b->host->card->srqs.count;

	REFUSED(b, BAD_OBJECT, in.pdn = htole32(PD_MAX));
	REFUSED(b, BAD_OBJECT, in.uctx = htole32(999));
	REFUSED(b, BAD_PARAM, in.flags = htole32(4));
	REFUSED(b, BAD_PARAM, in.xrcdn = htole32(1));
	REFUSED(b, BAD_PARAM, in.cqn = htole32(1));
	REFUSED(b, BAD_PARAM, in.rsvd[1] = 1);
	REFUSED(b, BAD_PARAM, in.log_wqes = CARD_MAX_LOG_RQ_WQES + 1);
	REFUSED(b, BAD_PARAM, in.log_wqes = 255);
	REFUSED(b, BAD_PARAM, in.stride_shift = 4);
	REFUSED(b, BAD_PARAM, in.stride_shift = 10);
	REFUSED(b, BAD_PARAM, in.dbr_addr |= htole64(32));
	REFUSED(b, BAD_PARAM, in.buf.npages = 0);
	REFUSED(b, DMA_FAULT, in.dbr_addr = htole64(HOST_NOWHERE));
	REFUSED(b, DMA_FAULT, in.buf.addr = htole64(HOST_NOWHERE));
	assert_int_equal(b->host->card->budget.pages, pages);
	assert_int_equal(b->host->card->srqs.count, count);
}

/* [ORNIC-SRQ-2] */
TEST(test_is_used_by_qps, struct pair *pair, IN_PAIR(pair_setup_rc_srq, local))
{
	struct side *b = B(pair);

	host_cmd_object_is(b->host, ORNIC_CMD_DESTROY_SRQ, b->srq.num, ORNIC_CMD_BUSY);
	host_cmd_object_ok(b->host, ORNIC_CMD_DESTROY_QP, b->qp.num);
	host_cmd_object_ok(b->host, ORNIC_CMD_DESTROY_SRQ, b->srq.num);
	host_cmd_object_is(b->host, ORNIC_CMD_DESTROY_SRQ, b->srq.num, ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(modify(b, 1), ORNIC_CMD_BAD_OBJECT);
}

static unsigned int create_qp(struct side *side, unsigned int type,
			      uint32_t flags, uint32_t srqn)
{
	struct ornic_create_qp_in in = {
		.uctx = htole32(side->uctx),
		.pdn = htole32(side->pdn),
		.recv_cqn = htole32(side->cq.num),
		.srqn = htole32(srqn),
		.flags = htole32(flags),
		.type = type,
		.dbr_addr = htole64(side->qp.dbr),
	};
	struct ornic_create_qp_out out;

	return host_cmd(side->host, ORNIC_CMD_CREATE_QP, &in, &out);
}

/* [ORNIC-SRQ-2] */
TEST(test_qp_types, struct pair *pair, IN_PAIR(pair_setup_rc_srq, local))
{
	struct side *b = B(pair);
	uint32_t srqn = b->srq.num;

	assert_int_equal(create_qp(b, ORNIC_QPT_RC, ORNIC_QP_SRQ, srqn),
			 ORNIC_CMD_OK);
	assert_int_equal(create_qp(b, ORNIC_QPT_UD, ORNIC_QP_SRQ, srqn),
			 ORNIC_CMD_OK);
	assert_int_equal(create_qp(b, ORNIC_QPT_RC, ORNIC_QP_SRQ, srqn + 1),
			 ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(create_qp(b, ORNIC_QPT_RC, 0, srqn),
			 ORNIC_CMD_BAD_PARAM);
	assert_int_equal(create_qp(b, ORNIC_QPT_RC,
				   ORNIC_QP_SRQ | ORNIC_QP_RQ, srqn),
			 ORNIC_CMD_BAD_PARAM);
	assert_int_equal(create_qp(b, ORNIC_QPT_RAW_PACKET, ORNIC_QP_SRQ, srqn),
			 ORNIC_CMD_BAD_PARAM);
}

/* ---- receiving ---- */

/*
 * [ORNIC-SRQ-3] [ORNIC-SRQ-4] Each message takes the next WQE, whichever QP it
 * comes to, and frees its slot with the first packet.
 */
TEST(test_shared_in_order, struct pair *pair, IN_PAIR_ALL(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	struct host_qp other[2];
	struct pair_wr wr;
	unsigned int i;

	second_qps(pair, other);
	for (i = 0; i < 40; i++) {
		wr = wr_send(pair, i * 4096, 3000 + i);
		pair_fill(A(pair)->buf + i * 4096, 4096, i);
		pair_post_recv(b, 100 + i, b->addr + i * 4096, 4096);
		pair_one(pair, &wr);
		pair_expect(b, 100 + i, ORNIC_WC_SUCCESS);
		pair_check(b->buf + i * 4096, 3000 + i, i);
		assert_int_equal(guest_load32(&srq_dbr(b)->rq_ci), i + 1);
		swap_qps(pair, other);
	}
	assert_int_equal(guest_load32(&host_qp_dbr(&b->qp)->rq_ci), 0);
}

static enum pair_fate lose_end(struct pair *pair, const struct packet *pkt)
{
	return pkt->op->kind == OPCODE_SEND && pkt->op->flags & OPCODE_END ?
	       PAIR_DROP : PAIR_DELIVER;
}

/* Lose the end of a message; by reference it is one packet, which is lost as a whole */
static void send_half(struct pair *pair)
{
	pair->fate = lose_end;
	start(pair, 5000);
	pair->fate = NULL;
}

/* [ORNIC-SRQ-4] An unfinished message does not stall other QPs */
TEST(test_half_a_message_stalls_nobody, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	struct host_qp other[2];
	unsigned int i;

	second_qps(pair, other);
	for (i = 0; i < 16; i++)
		pair_post_recv(b, i, b->addr + i * 8192, 8192);
	send_half(pair);
	assert_int_equal(guest_load32(&srq_dbr(b)->rq_ci), pair->bytes);
	swap_qps(pair, other);
	for (i = pair->bytes; i < 16; i++) {
		struct pair_wr wr = wr_send(pair, 0, 10);

		pair_one(pair, &wr);
		pair_expect(b, i, ORNIC_WC_SUCCESS);
	}
	swap_qps(pair, other);
	pair_post_recv(b, 16, b->addr, 8192);
	pair_sleep(pair, 20000000);
	pair_expect(b, pair->bytes ? 0 : 16, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
}

/* [ORNIC-RQ-7] */
TEST(test_empty_is_not_ready, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);

	start(pair, 100);
	pair_poll_none(b);
	pair_stat_is(b, ORNIC_RDMA_STAT_rnr_naks_sent, 1);
	pair_post_recv(b, 7, b->addr, 100);
	pair_sleep(pair, 2000000);
	pair_expect(b, 7, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
}

/* [ORNIC-SRQ-5] */
TEST(test_keys_are_of_its_pd, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	uint32_t pdn = host_pd(b->host);
	uint32_t key = host_mr(b->host, pdn, b->addr, 4096,
			       ORNIC_ACCESS_LOCAL_WRITE);
	struct sge sge = { b->addr, 100, key };

	host_srq(b->host, &b->srq, pdn, 0, 0, 0);
	pair_qps(pair, ORNIC_QPT_RC, 0);
	pair_connect(pair);
	pair_post_recv_sges(b, 1, &sge, 1);
	start(pair, 100);
	pair_expect(b, 1, ORNIC_WC_SUCCESS);
	pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
	pair_post_recv(b, 2, b->addr, 100);
	start(pair, 100);
	pair_expect(b, 2, ORNIC_WC_LOC_PROT_ERR);
	pair_expect(A(pair), 0x1000, ORNIC_WC_REM_OP_ERR);
	host_device_stat_is(b->host, ORNIC_DEVICE_STAT_bad_lkey, 1);
}

/* [ORNIC-SRQ-5] */
TEST(test_dma_keys_are_the_kernels, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	struct ornic_create_mr_in in = {
		.pdn = htole32(b->pdn),
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
		.type = ORNIC_MR_DMA,
	};
	struct sge sge = { b->addr, 100, 0 };
	unsigned int kernel;

	sge.lkey = host_create_mr(b->host, &in);
	for (kernel = 2; kernel--;) {
		host_srq(b->host, &b->srq, b->pdn,
			 kernel ? ORNIC_SRQ_KERNEL : 0, 0, 0);
		pair_qps(pair, ORNIC_QPT_RC, 0);
		pair_connect(pair);
		pair_post_recv_sges(b, 1, &sge, 1);
		start(pair, 100);
		pair_expect(b, 1, kernel ? ORNIC_WC_SUCCESS :
					   ORNIC_WC_LOC_PROT_ERR);
		pair_poll(A(pair));
	}
}

TEST(test_datagrams, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud_srq))
{
	struct side *b = B(pair);
	struct pair_wr wr = wr_send(pair, 0, 100);

	pair_one(pair, &wr);
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_no_wqe, 1);
	pair_post_recv(b, 1, b->addr, 140);
	pair_one(pair, &wr);
	pair_expect(b, 1, ORNIC_WC_SUCCESS);
	/* [ORNIC-RQ-5] The SRQ has given the WQE away */
	pair_post_recv(b, 2, b->addr, 139);
	pair_post_recv(b, 3, b->addr, 140);
	pair_one(pair, &wr);
	pair_expect(b, 2, ORNIC_WC_LOC_LEN_ERR);
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_length_errors, 1);
	pair_one(pair, &wr);
	pair_expect(b, 3, ORNIC_WC_SUCCESS);
}

/* ---- the limit ---- */

/* [ORNIC-SRQ-6] */
TEST(test_limit, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	unsigned int i;

	for (i = 0; i < 6; i++)
		pair_post_recv(b, i, b->addr, 100);
	assert_int_equal(modify(b, 4), ORNIC_CMD_OK);
	assert_int_equal(query_limit(b), 4);
	for (i = 0; i < 2; i++) {
		start(pair, 10);
		assert_int_equal(host_event(&b->eq, b->srq.num), 0);
	}
	/* Three are fewer than four */
	start(pair, 10);
	assert_int_equal(host_event(&b->eq, b->srq.num), ORNIC_EVENT_SRQ_LIMIT);
	assert_int_equal(query_limit(b), 0);
	start(pair, 10);
	assert_int_equal(host_event(&b->eq, b->srq.num), 0);
	/* Already fewer */
	assert_int_equal(modify(b, 3), ORNIC_CMD_OK);
	assert_int_equal(host_event(&b->eq, b->srq.num), ORNIC_EVENT_SRQ_LIMIT);
	assert_int_equal(query_limit(b), 0);
	assert_int_equal(modify(b, 2), ORNIC_CMD_OK);
	assert_int_equal(modify(b, 0), ORNIC_CMD_OK);
	start(pair, 10);
	start(pair, 10);
	assert_int_equal(host_event(&b->eq, b->srq.num), 0);
	assert_int_equal(modify(b, 17), ORNIC_CMD_BAD_PARAM);
	assert_int_equal(modify(b, 16), ORNIC_CMD_OK);
}

/* WQEs that were published since the card read rq_pi count */
TEST(test_limit_counts_what_is_new, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	unsigned int i;

	pair_post_recv(b, 0, b->addr, 100);
	pair_post_recv(b, 1, b->addr, 100);
	assert_int_equal(modify(b, 2), ORNIC_CMD_OK);
	for (i = 0; i < 5; i++) {
		pair_post_recv(b, 2 + i, b->addr, 100);
		start(pair, 10);
		assert_int_equal(host_event(&b->eq, b->srq.num), 0);
	}
	start(pair, 10);
	assert_int_equal(host_event(&b->eq, b->srq.num), ORNIC_EVENT_SRQ_LIMIT);
}

/* ---- resize ---- */

static unsigned int resize(struct side *side, unsigned int log_size,
			   uint32_t *count)
{
	struct host *host = side->host;
	struct host_qp srq = side->srq;
	struct ornic_resize_in in = {
		.num = htole32(srq.num),
		.log_size = log_size,
	};
	struct ornic_resize_out out = {};
	unsigned int status;

	srq.log_rq_wqes = log_size;
	srq.rq = host_alloc(host, 512 << log_size, HOST_PAGE);
	srq.dbr = host_alloc(host, sizeof(struct ornic_qp_dbr), 128);
	host_buf(&in.buf, srq.rq, 512 << log_size);
	in.dbr_addr = htole64(srq.dbr);
	status = host_cmd(host, ORNIC_CMD_RESIZE_SRQ, &in, &out);
	if (status)
		return status;
	*count = le32toh(out.count);
	srq.rq_pi = *count;
	/* The old ring and record belong to the host again */
	memset(host_ptr(host, side->srq.rq), 0xff,
	       512 << side->srq.log_rq_wqes);
	memset(srq_dbr(side), 0xff, sizeof(struct ornic_qp_dbr));
	side->srq = srq;
	return status;
}

/* [ORNIC-SRQ-10] */
TEST(test_resize, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	uint32_t pages = b->host->card->budget.pages;
	unsigned int i, taken = 0, posted = 0;
	static const uint8_t sizes[] = { 6, 5, 3, 9, 4 };
	uint32_t count;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		while (posted - taken < 8)
			pair_post_recv(b, posted++, b->addr, 100);
		for (count = 0; count < 3; count++) {
			start(pair, 10);
			pair_expect(b, taken++, ORNIC_WC_SUCCESS);
			pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
		}
		assert_int_equal(modify(b, 5), ORNIC_CMD_OK);
		assert_int_equal(resize(b, sizes[i], &count), ORNIC_CMD_OK);
		assert_int_equal(count, posted - taken);
		assert_int_equal(guest_load32(&srq_dbr(b)->rq_pi), count);
		assert_int_equal(guest_load32(&srq_dbr(b)->rq_ci), 0);
		assert_int_equal(query_limit(b), 5);
	}
	while (taken < posted) {
		start(pair, 10);
		pair_expect(b, taken++, ORNIC_WC_SUCCESS);
	}
	assert_int_equal(host_event(&b->eq, b->srq.num), ORNIC_EVENT_SRQ_LIMIT);
	assert_int_equal(b->host->card->budget.pages, pages);
}

static void send_meanwhile(void *arg)
{
	struct pair *pair = arg;
	struct pair_wr wr = wr_send(pair, 0, 10);

	if (pair->arg == 3)
		return;
	pair->arg++;
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	card_run(A(pair)->host->card);
	pair_wire(pair);
}

/* [ORNIC-SRQ-10] A large ring moves in steps, and WQEs are taken between them */
TEST(test_resize_in_steps, struct pair *pair, IN_PAIR(pair_setup_rc_srq, local))
{
	const unsigned int log = 12;
	struct side *b = B(pair);
	unsigned int i;
	uint32_t count;

	assert_int_equal(resize(b, log, &count), ORNIC_CMD_OK);
	for (i = 0; i < 1u << log; i++)
		pair_post_recv(b, i, b->addr, 100);
	b->host->wire_run = send_meanwhile;
	b->host->wire_arg = pair;
	assert_int_equal(resize(b, log, &count), ORNIC_CMD_OK);
	b->host->wire_run = NULL;
	assert_int_equal(count, 1u << log);
	assert_int_equal(guest_load32(&srq_dbr(b)->rq_pi), count);
	assert_int_equal(guest_load32(&srq_dbr(b)->rq_ci), 3);
	pair_run(pair);
	for (i = 0; i < 3; i++) {
		pair_expect(b, i, ORNIC_WC_SUCCESS);
		pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
	}
	for (; i < 6; i++) {
		start(pair, 10);
		pair_expect(b, i, ORNIC_WC_SUCCESS);
		pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
	}
	assert_int_equal(guest_load32(&srq_dbr(b)->rq_ci), 6);
}

/* [ORNIC-SRQ-11] The host has rung before it asks: nothing else is copied */
TEST(test_resize_after_the_doorbell, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	unsigned int i;
	uint32_t count;

	b->host->card->rq_doorbell = true;
	for (i = 0; i < 2; i++)
		pair_post_recv(b, i, b->addr, 100);
	host_doorbell(b->host, b->uctx, ORNIC_DB_SRQ, b->srq.num, 2);
	assert_int_equal(resize(b, 5, &count), ORNIC_CMD_OK);
	assert_int_equal(count, 2);
	pair_post_recv(b, 9, b->addr, 100);
	assert_int_equal(resize(b, 4, &count), ORNIC_CMD_OK);
	assert_int_equal(count, 2);
	for (i = 0; i < 2; i++) {
		start(pair, 10);
		pair_expect(b, i, ORNIC_WC_SUCCESS);
		pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
	}
}

/* [ORNIC-SRQ-10] */
TEST(test_resize_refusals, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	uint32_t pages = b->host->card->budget.pages;
	unsigned int i;
	uint32_t count;

	for (i = 0; i < 9; i++)
		pair_post_recv(b, i, b->addr, 100);
	assert_int_equal(resize(b, 3, &count), ORNIC_CMD_BAD_STATE);
	assert_int_equal(resize(b, CARD_MAX_LOG_RQ_WQES + 1, &count),
			 ORNIC_CMD_BAD_PARAM);
	assert_int_equal(b->host->card->budget.pages, pages);
	for (i = 0; i < 9; i++) {
		start(pair, 10);
		pair_expect(b, i, ORNIC_WC_SUCCESS);
		pair_expect(A(pair), 0x1000, ORNIC_WC_SUCCESS);
	}
	assert_int_equal(resize(b, 3, &count), ORNIC_CMD_OK);
	assert_int_equal(count, 0);
}

/* ---- errors ---- */

/* [ORNIC-SRQ-7] The SRQ is lost: each QP fails when it needs a WQE */
TEST(test_broken, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	struct host_qp other[2];
	unsigned int i;
	uint32_t count;

	second_qps(pair, other);
	guest_store32(&srq_dbr(b)->rq_pi, 17);
	for (i = 0; i < 2; i++) {
		struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE,
						 0, 100);

		pair_one(pair, &wr);
		pair_state_is(b, ORNIC_QPS_RTS);
		start(pair, 10);
		pair_expect(A(pair), 0x1000, ORNIC_WC_REM_OP_ERR);
		pair_state_is(b, ORNIC_QPS_ERR);
		if (!i)
			assert_int_equal(host_event(&b->eq, b->srq.num),
					 ORNIC_EVENT_SRQ_ERR);
		assert_int_equal(host_event(&b->eq, b->qp.num), ORNIC_EVENT_QP_FATAL);
		assert_int_equal(host_event(&b->eq, b->qp.num), ORNIC_EVENT_QP_LAST_WQE);
		swap_qps(pair, other);
	}
	host_device_stat_is(b->host, ORNIC_DEVICE_STAT_bad_rq_pi, 1);
	assert_int_equal(modify(b, 1), ORNIC_CMD_BAD_STATE);
	assert_int_equal(resize(b, 5, &count), ORNIC_CMD_BAD_STATE);
}

/* [ORNIC-SRQ-7] */
TEST(test_ring_out_of_reach, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);

	pair_post_recv(b, 1, b->addr, 100);
	host_unmap(b->host, b->srq.rq, HOST_PAGE);
	start(pair, 10);
	pair_expect(A(pair), 0x1000, ORNIC_WC_REM_OP_ERR);
	assert_int_equal(host_event(&b->eq, b->srq.num), ORNIC_EVENT_SRQ_ERR);
	assert_int_equal(host_event(&b->eq, b->qp.num), ORNIC_EVENT_QP_FATAL);
	host_device_stat_is(b->host, ORNIC_DEVICE_STAT_dma_faults, 1);
}

TEST(test_bad_wqe, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	struct sge sge[CARD_MAX_SGE + 1] = {};

	pair_post_recv_sges(b, 1, sge, CARD_MAX_SGE + 1);
	pair_post_recv(b, 2, b->addr, 100);
	start(pair, 10);
	pair_expect(b, 1, ORNIC_WC_LOC_QP_OP_ERR);
	pair_poll_none(b);
	pair_expect(A(pair), 0x1000, ORNIC_WC_REM_OP_ERR);
	/* The SRQ still works */
	pair_qps(pair, ORNIC_QPT_RC, 0);
	pair_connect(pair);
	start(pair, 10);
	pair_expect(b, 2, ORNIC_WC_SUCCESS);
}

/* [ORNIC-SRQ-8] Only the WQE that the QP has taken is flushed */
TEST(test_last_wqe, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc_srq))
{
	struct side *b = B(pair);
	struct host_qp other[2];
	unsigned int i, taken = pair->bytes;

	second_qps(pair, other);
	for (i = 0; i < 3; i++)
		pair_post_recv(b, i, b->addr, 8192);
	send_half(pair);
	pair_state(b, ORNIC_QPS_ERR);
	pair_run(pair);
	if (taken)
		pair_expect(b, 0, ORNIC_WC_WR_FLUSH_ERR);
	pair_poll_none(b);
	assert_int_equal(host_event(&b->eq, b->qp.num), ORNIC_EVENT_QP_LAST_WQE);
	pair_state(b, ORNIC_QPS_ERR);
	pair_sleep(pair, 1000000);
	assert_int_equal(host_event(&b->eq, b->qp.num), 0);
	pair_state(b, ORNIC_QPS_RESET);
	/* The other QP goes on */
	swap_qps(pair, other);
	start(pair, 10);
	pair_expect(b, taken, ORNIC_WC_SUCCESS);
	/* The event is sent again after RESET */
	swap_qps(pair, other);
	pair_state(A(pair), ORNIC_QPS_RESET);
	pair_connect(pair);
	pair_state(b, ORNIC_QPS_ERR);
	pair_run(pair);
	assert_int_equal(host_event(&b->eq, b->qp.num), ORNIC_EVENT_QP_LAST_WQE);
}

static void reset_and_expect(struct side *side, bool took, uint64_t wr_id)
{
	struct ornic_modify_qp_in in = {
		.qpn = htole32(side->qp.num),
		.mask = htole32(ORNIC_QP_ATTR_STATE),
		.attr.state = ORNIC_QPS_RESET,
	};
	struct ornic_modify_qp_out out;

	memset(&out, 0xff, sizeof(out));
	host_cmd_ok(side->host, ORNIC_CMD_MODIFY_QP, &in, &out);
	assert_int_equal(le32toh(out.flags), took ? ORNIC_QP_TOOK_WQE : 0);
	assert_int_equal(out.rsvd, 0);
	assert_int_equal(le64toh(out.wr_id), wr_id);
}

/* [ORNIC-SRQ-9] RESET tells of no WQE that ERR has flushed */
TEST(test_wqe_of_a_qp_in_err, struct pair *pair, IN_PAIR(pair_setup_rc_srq, bytes))
{
	struct side *b = B(pair);

	pair_post_recv(b, 7, b->addr, 8192);
	send_half(pair);
	pair_state(b, ORNIC_QPS_ERR);
	pair_run(pair);
	pair_expect(b, 7, ORNIC_WC_WR_FLUSH_ERR);
	reset_and_expect(b, false, 0);
	reset_and_expect(A(pair), false, 0);
}

/* [ORNIC-ORD-7] A CQ that is overrun takes no completion; rq_ci tells of the WQE */
TEST(test_wqe_that_completes_nowhere, struct pair *pair, IN_PAIR(pair_setup_rc_srq, bytes))
{
	struct side *b = B(pair);

	pair_post_recv(b, 7, b->addr, 8192);
	send_half(pair);
	cq_find(b->host->card, b->cq.num)->pi += 1u << PAIR_CQ_LOG;
	pair_state(b, ORNIC_QPS_ERR);
	pair_run(pair);
	host_device_stat_is(b->host, ORNIC_DEVICE_STAT_cq_overruns, 1);
	assert_int_equal(guest_load32(&srq_dbr(b)->rq_ci), 1);
	reset_and_expect(b, false, 0);
}

/* [ORNIC-SRQ-9] RESET and DESTROY_QP take a WQE that the QP had */
TEST(test_wqe_of_a_qp_that_goes, struct pair *pair, IN_PAIR(pair_setup_rc_srq, bytes))
{
	struct side *b = B(pair);
	unsigned int how;

	for (how = 0; how < 2; how++) {
		pair_post_recv(b, how, b->addr, 8192);
		send_half(pair);
		assert_int_equal(guest_load32(&srq_dbr(b)->rq_ci), how + 1);
		if (how)
			host_cmd_object_ok(b->host, ORNIC_CMD_DESTROY_QP, b->qp.num);
		else
			reset_and_expect(b, true, how);
		pair_sleep(pair, 1000000);
		pair_poll_none(b);
		assert_int_equal(host_event(&b->eq, b->qp.num), 0);
		assert_int_equal(guest_load32(&srq_dbr(b)->rq_ci), how + 1);
		if (how)
			break;
		pair_again(pair);
	}
}

TEST_MAIN("srq")
