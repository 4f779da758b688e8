// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* XRC: requests to one QP use the SRQ that they name, with its PD and CQ */
#include "card/card.h"
#include "pair.h"

#define XRC(operation) (OPCODE_XRC << OPCODE_TRANSPORT_SHIFT | \
			OPCODE_RC_ ## operation)

/* Another SRQ of B, with another PD and another CQ */
struct other {
	uint32_t pdn;
	uint32_t key;
	struct host_queue cq;
	struct host_qp srq;
};

static void other_srq(struct pair *pair, struct other *other, uint32_t xrcdn)
{
	struct side *b = B(pair);

	other->pdn = host_pd(b->host);
	other->key = host_mr(b->host, other->pdn, b->addr, PAIR_BUF_SIZE,
			     ORNIC_ACCESS_LOCAL_WRITE |
			     ORNIC_ACCESS_REMOTE_WRITE |
			     ORNIC_ACCESS_REMOTE_READ |
			     ORNIC_ACCESS_REMOTE_ATOMIC);
	host_cq(b->host, &other->cq, b->uctx, b->eq.num, 6, 5);
	host_srq(b->host, &other->srq, other->pdn, ORNIC_SRQ_XRC, xrcdn,
		 other->cq.num);
}

/* Exchange the SRQ of B with its PD, key and CQ */
static void swap(struct pair *pair, struct other *other)
{
	struct side *b = B(pair);
	struct other now = { b->pdn, b->key, b->cq, b->srq };

	b->pdn = other->pdn;
	b->key = other->key;
	b->cq = other->cq;
	b->srq = other->srq;
	*other = now;
}

static void fails(struct pair *pair, const struct pair_wr *wr,
		  unsigned int status, unsigned int event)
{
	pair_send(A(pair), wr);
	pair_sleep(pair, 20000000);
	pair_expect(A(pair), wr->wr_id, status);
	assert_int_equal(pair_event(B(pair)), event);
	pair_state_is(B(pair), ORNIC_QPS_ERR);
}

/* [ORNIC-XRC-3] Requests name the SRQ; responses do not */
static enum pair_fate xrc_only(struct pair *pair, const struct packet *pkt)
{
	bool request = pkt->dqpn == B(pair)->qp.num &&
		       pkt->op->flags & OPCODE_XRCETH;

	assert_int_equal(pkt->op->transport, OPCODE_XRC);
	if (request)
		assert_int_equal(pkt->xrc_srqn, B(pair)->srq.num);
	else
		assert_int_equal(pkt->dqpn, A(pair)->qp.num);
	return PAIR_DELIVER;
}

/* [ORNIC-XRC-3] [ORNIC-XRC-4] Two independent SRQs behind one QP */
TEST(test_all_operations, struct pair *pair, IN_PAIR_ALL(pair_setup_xrc))
{
	static const uint32_t lengths[] = { 0, 1, 1024, 5000, 300001 };
	struct side *b = B(pair);
	struct other other;
	struct pair_wr wr;
	unsigned int i, op;

	other_srq(pair, &other, b->xrcdn);
	pair->fate = xrc_only;
	for (i = 0; i < ARRAY_SIZE(lengths); i++, swap(pair, &other)) {
		for (op = ORNIC_WR_RDMA_WRITE; op <= ORNIC_WR_SEND_WITH_IMM; op++)
			pair_message(pair, op, lengths[i], i + op);
		pair_fill(b->buf, lengths[i], i);
		wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, lengths[i]);
		pair_one(pair, &wr);
		pair_check(A(pair)->buf, lengths[i], i);
		*pair_word(b, 64) = htole64(40);
		wr = pair_wr_data(A(pair), ORNIC_WR_ATOMIC_FETCH_ADD, 64, 8);
		wr.swap_add = 2;
		pair_one(pair, &wr);
		wr.opcode = ORNIC_WR_ATOMIC_CMP_SWP;
		wr.compare = 42;
		wr.swap_add = 7;
		pair_one(pair, &wr);
		assert_int_equal(le64toh(*pair_word(A(pair), 64)), 42);
		assert_int_equal(le64toh(*pair_word(b, 64)), 7);
	}
	assert_int_equal(pair_event(A(pair)), 0);
	assert_int_equal(pair_event(b), 0);
}

/* Reliable as RC, whichever SRQ is named */
TEST(test_bad_wire, struct pair *pair, IN_PAIR_BOTH(pair_setup_xrc))
{
	struct side *b = B(pair);
	struct other other;
	struct pair_wr wr;
	unsigned int i;

	other_srq(pair, &other, b->xrcdn);
	pair->fate = pair_fate_disorder;
	for (i = 0; i < 30; i++, swap(pair, &other)) {
		wr = pair_wr_data(A(pair), i % 3 ? ORNIC_WR_SEND :
				  ORNIC_WR_RDMA_READ, 0, 7000);
		pair_fill(i % 3 ? A(pair)->buf : b->buf, 7000, i);
		if (i % 3)
			pair_post_recv(b, i, b->addr, 7000);
		pair_send(A(pair), &wr);
		pair_sleep(pair, 20000000);
		pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
		if (i % 3)
			pair_expect(b, i, ORNIC_WC_SUCCESS);
		pair_check(i % 3 ? b->buf : A(pair)->buf, 7000, i);
	}
}

/* ---- objects ---- */

/* [ORNIC-XRC-1] [ORNIC-XRC-2] */
TEST(test_objects, struct pair *pair, IN_PAIR(pair_setup_xrc, local))
{
	struct side *b = B(pair);
	struct ornic_create_srq_in srq = {
		.pdn = htole32(b->pdn),
		.flags = htole32(ORNIC_SRQ_XRC),
		.xrcdn = htole32(b->xrcdn),
		.cqn = htole32(b->cq.num),
		.stride_shift = 5,
		.dbr_addr = htole64(b->srq.dbr),
	};
	struct ornic_object out;

	host_buf(&srq.buf, b->srq.rq, HOST_PAGE);
	srq.cqn = htole32(99);
	host_cmd_is(b->host, ORNIC_CMD_CREATE_SRQ, &srq, &out, ORNIC_CMD_BAD_OBJECT);
	srq.cqn = htole32(b->cq.num);
	srq.xrcdn = htole32(b->xrcdn + 1);
	host_cmd_is(b->host, ORNIC_CMD_CREATE_SRQ, &srq, &out, ORNIC_CMD_BAD_OBJECT);

	assert_int_equal(host_card_stat(b->host, "objects.srq"), 1);
	assert_int_equal(host_card_stat(b->host, "objects.xrcd"), 1);
	host_cmd_object_is(b->host, ORNIC_CMD_FREE_XRCD, b->xrcdn, ORNIC_CMD_BUSY);
	/* An XRC_RECV QP does not use the SRQs that requests name */
	host_cmd_object_is(b->host, ORNIC_CMD_DESTROY_CQ, b->cq.num, ORNIC_CMD_BUSY);
	host_cmd_object_ok(b->host, ORNIC_CMD_DESTROY_SRQ, b->srq.num);
	if (!pair->loopback)
		host_cmd_object_ok(b->host, ORNIC_CMD_DESTROY_CQ, b->cq.num);
	host_cmd_object_is(b->host, ORNIC_CMD_FREE_XRCD, b->xrcdn, ORNIC_CMD_BUSY);
	host_cmd_object_ok(b->host, ORNIC_CMD_DESTROY_QP, b->qp.num);
	host_cmd_object_ok(b->host, ORNIC_CMD_FREE_XRCD, b->xrcdn);
	host_cmd_object_is(b->host, ORNIC_CMD_FREE_XRCD, b->xrcdn, ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(host_card_stat(b->host, "objects.srq"), 0);
	assert_int_equal(host_card_stat(b->host, "objects.xrcd"), 0);
}

static unsigned int create(struct side *side, unsigned int type, uint32_t flags,
			   uint32_t pdn, uint32_t xrcdn, uint32_t srqn)
{
	struct ornic_create_qp_in in = {
		.uctx = htole32(side->uctx),
		.pdn = htole32(pdn),
		.send_cqn = htole32(side->cq.num),
		.recv_cqn = htole32(side->cq.num),
		.srqn = htole32(srqn),
		.xrcdn = htole32(xrcdn),
		.flags = htole32(flags),
		.type = type,
		.dbr_addr = htole64(type == ORNIC_QPT_XRC_RECV && !pdn ? 0 :
				    side->srq.dbr),
	};
	struct ornic_create_qp_out out;

	host_buf(&in.sq, side->addr, HOST_PAGE);
	if (!(flags & ORNIC_QP_SQ))
		memset(&in.sq, 0, sizeof(in.sq));
	return host_cmd(side->host, ORNIC_CMD_CREATE_QP, &in, &out);
}

/* [ORNIC-XRC-2] */
TEST(test_qps, struct pair *pair, IN_PAIR(pair_setup_xrc, local))
{
	struct side *b = B(pair);
	uint32_t pdn = host_pd(b->host), srqn = b->srq.num;
	uint32_t xrcdn;

	host_create_object(b->host, ORNIC_CMD_ALLOC_XRCD, NULL, 0);
	xrcdn = host_create_object(b->host, ORNIC_CMD_ALLOC_XRCD, NULL, 0);
	assert_int_equal(create(b, ORNIC_QPT_XRC_SEND, ORNIC_QP_SQ, pdn, 0, 0),
			 ORNIC_CMD_OK);
	assert_int_equal(create(b, ORNIC_QPT_XRC_SEND,
				ORNIC_QP_SQ | ORNIC_QP_SRQ, pdn, 0, srqn),
			 ORNIC_CMD_BAD_PARAM);
	assert_int_equal(create(b, ORNIC_QPT_XRC_SEND, ORNIC_QP_SQ, pdn,
				xrcdn, 0), ORNIC_CMD_BAD_PARAM);
	assert_int_equal(create(b, ORNIC_QPT_XRC_RECV, 0, 0, xrcdn, 0),
			 ORNIC_CMD_OK);
	assert_int_equal(create(b, ORNIC_QPT_XRC_RECV, 0, pdn, xrcdn, 0),
			 ORNIC_CMD_BAD_PARAM);
	assert_int_equal(create(b, ORNIC_QPT_XRC_RECV, 0, 0, 999, 0),
			 ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(create(b, ORNIC_QPT_XRC_RECV, ORNIC_QP_SQ, 0, xrcdn,
				0), ORNIC_CMD_BAD_PARAM);
	assert_int_equal(create(b, ORNIC_QPT_XRC_RECV, ORNIC_QP_SRQ, 0, xrcdn,
				srqn), ORNIC_CMD_BAD_PARAM);
	/* An XRC SRQ is for XRC only */
	assert_int_equal(create(b, ORNIC_QPT_RC, ORNIC_QP_SRQ, pdn, 0, srqn),
			 ORNIC_CMD_BAD_OBJECT);
}

/* [ORNIC-QP-1] */
TEST(test_attributes, struct pair *pair, IN_PAIR(pair_setup_xrc, local))
{
	struct ornic_qp_attr attr = pair_attr(A(pair), B(pair));

	attr.state = ORNIC_QPS_RTS;
	attr.cur_state = ORNIC_QPS_RTS;
	pair_modify_is(A(pair), ORNIC_QP_ATTR_MIN_RNR_TIMER, &attr, ORNIC_CMD_BAD_PARAM);
	pair_modify_ok(B(pair), ORNIC_QP_ATTR_MIN_RNR_TIMER, &attr);
	pair_modify_is(B(pair), ORNIC_QP_ATTR_RNR_RETRY, &attr, ORNIC_CMD_BAD_PARAM);
	pair_query(A(pair), &attr);
	assert_int_equal(attr.max_rd_atomic, 4);
	assert_int_equal(attr.max_dest_rd_atomic, 0);
	pair_query(B(pair), &attr);
	assert_int_equal(attr.max_rd_atomic, 0);
	assert_int_equal(attr.max_dest_rd_atomic, 4);
	assert_int_equal(attr.retry_cnt, 0);
}

/* ---- errors ---- */

/* [ORNIC-XRC-5] */
TEST(test_unknown_srq, struct pair *pair, IN_PAIR_BOTH(pair_setup_xrc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 10);
	struct side *b = B(pair);
	struct other other;
	struct host_qp plain;
	uint32_t srqn[3];
	unsigned int i;

	other_srq(pair, &other, host_create_object(b->host,
						   ORNIC_CMD_ALLOC_XRCD, NULL,
						   0));
	host_srq(b->host, &plain, b->pdn, 0, 0, 0);
	srqn[0] = b->srq.num + 77;
	srqn[1] = other.srq.num;
	srqn[2] = plain.num;
	for (i = 0; i < ARRAY_SIZE(srqn); i++) {
		wr.xrc_srqn = srqn[i];
		fails(pair, &wr, ORNIC_WC_REM_INV_REQ_ERR,
		      ORNIC_EVENT_QP_REQ_ERR);
		pair_again(pair);
	}
	pair_stat_is(b, ORNIC_RDMA_STAT_remote_invalid_requests, 3);
	wr.xrc_srqn = b->srq.num;
	pair_one(pair, &wr);
}

/* [ORNIC-XRC-5] */
TEST(test_message_changes_srq, struct pair *pair, IN_PAIR(pair_setup_xrc, bytes))
{
	static const uint8_t payload[1024];
	struct packet pkt = pair_packet(pair, XRC(SEND_FIRST));
	struct other other;

	other_srq(pair, &other, B(pair)->xrcdn);
	pair_post_recv(B(pair), 1, B(pair)->addr, 4096);
	pair_inject(pair, &pkt, payload, sizeof(payload));
	pkt = pair_packet(pair, XRC(SEND_LAST));
	pkt.xrc_srqn = other.srq.num;
	pair_inject(pair, &pkt, payload, 8);
	assert_int_equal(pair_event(B(pair)), ORNIC_EVENT_QP_REQ_ERR);
	pair_expect(B(pair), 1, ORNIC_WC_WR_FLUSH_ERR);
}

/* [ORNIC-XRC-4] Each SRQ gives access to its own PD */
TEST(test_keys_are_of_the_srqs_pd, struct pair *pair, IN_PAIR_BOTH(pair_setup_xrc))
{
	struct side *b = B(pair);
	struct other other;
	struct pair_wr wr;

	other_srq(pair, &other, b->xrcdn);
	wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 10);
	wr.rkey = other.key;
	fails(pair, &wr, ORNIC_WC_REM_ACCESS_ERR, ORNIC_EVENT_QP_ACCESS_ERR);
	pair_again(pair);
	wr.opcode = ORNIC_WR_RDMA_READ;
	fails(pair, &wr, ORNIC_WC_REM_ACCESS_ERR, ORNIC_EVENT_QP_ACCESS_ERR);
	pair_again(pair);
	wr.xrc_srqn = other.srq.num;
	pair_one(pair, &wr);
	/* A receive WQE of one SRQ with a key of the other's PD */
	pair_post_recv_sges(b, 5, &(struct sge){ b->addr, 100, other.key }, 1);
	wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 10);
	fails(pair, &wr, ORNIC_WC_REM_OP_ERR, 0);
	pair_expect(b, 5, ORNIC_WC_LOC_PROT_ERR);
}

static enum pair_fate lose_end(struct pair *pair, const struct packet *pkt)
{
	return pkt->op->kind == OPCODE_SEND && pkt->op->flags & OPCODE_END &&
	       pair->arg ? PAIR_DROP : PAIR_DELIVER;
}

/* [ORNIC-XRC-6] Destroyed during a message: the peer gets an error */
TEST(test_srq_destroyed_amidst_message, struct pair *pair, IN_PAIR(pair_setup_xrc, bytes))
{
	struct side *b = B(pair);
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 5000);

	pair->fate = lose_end;
	pair->arg = 1;
	pair_post_recv(b, 1, b->addr, 8192);
	pair_send(A(pair), &wr);
	host_cmd_object_ok(b->host, ORNIC_CMD_DESTROY_SRQ, b->srq.num);
	pair->arg = 0;
	pair_sleep(pair, 20000000);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_REM_INV_REQ_ERR);
	pair_poll_none(b);
	assert_int_equal(pair_event(b), ORNIC_EVENT_QP_REQ_ERR);
}

/* [ORNIC-XRC-6] The SRQ is destroyed, then the QP goes to ERR */
TEST(test_srq_destroyed_before_flush, struct pair *pair, IN_PAIR_BOTH(pair_setup_xrc))
{
	struct side *b = B(pair);
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 5000);
	unsigned int taken = pair->bytes;

	pair->fate = lose_end;
	pair->arg = 1;
	pair_post_recv(b, 1, b->addr, 8192);
	pair_send(A(pair), &wr);
	pair_state(b, ORNIC_QPS_ERR);
	pair_run(pair);
	if (taken)
		pair_expect(b, 1, ORNIC_WC_WR_FLUSH_ERR);
	pair_again(pair);
	pair_post_recv(b, 2, b->addr, 8192);
	pair_send(A(pair), &wr);
	host_cmd_object_ok(b->host, ORNIC_CMD_DESTROY_SRQ, b->srq.num);
	pair_state(b, ORNIC_QPS_ERR);
	pair_run(pair);
	pair_poll_none(b);
}

static enum pair_fate destroy_srq(struct pair *pair, const struct packet *pkt)
{
	if (pkt->op->kind == OPCODE_READ_RESP && !pair->arg) {
		pair->arg = 1;
		host_cmd_object_ok(B(pair)->host, ORNIC_CMD_DESTROY_SRQ,
				   B(pair)->srq.num);
	}
	return PAIR_DELIVER;
}

/* [ORNIC-XRC-6] */
TEST(test_srq_destroyed_during_read, struct pair *pair, IN_PAIR(pair_setup_xrc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0,
					 4u << 20);

	pair->fate = destroy_srq;
	fails(pair, &wr, ORNIC_WC_REM_ACCESS_ERR, ORNIC_EVENT_QP_ACCESS_ERR);
}

/*
 * [ORNIC-XRC-7] The CQ of an SRQ is overrun. That SRQ is lost; the other one
 * and the QP work, until a request needs a WQE of the lost SRQ.
 */
TEST(test_cq_fails, struct pair *pair, IN_PAIR_BOTH(pair_setup_xrc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 10);
	struct side *b = B(pair);
	struct other other;
	unsigned int i;

	other_srq(pair, &other, b->xrcdn);
	swap(pair, &other);
	wr.xrc_srqn = b->srq.num;
	for (i = 0; i < 65; i++) {
		pair_post_recv(b, i, b->addr, 100);
		pair_one(pair, &wr);
	}
	assert_int_equal(host_event(&b->eq, b->cq.num), ORNIC_EVENT_CQ_ERR);
	assert_int_equal(host_event(&b->eq, b->srq.num), ORNIC_EVENT_SRQ_ERR);
	pair_state_is(b, ORNIC_QPS_RTS);
	swap(pair, &other);
	wr.xrc_srqn = b->srq.num;
	pair_post_recv(b, 9, b->addr, 100);
	pair_one(pair, &wr);
	pair_expect(b, 9, ORNIC_WC_SUCCESS);
	wr.xrc_srqn = other.srq.num;
	fails(pair, &wr, ORNIC_WC_REM_OP_ERR, ORNIC_EVENT_QP_FATAL);
}

/* [ORNIC-XRC-3] Each end is one half of a connection */
TEST(test_other_half, struct pair *pair, IN_PAIR(pair_setup_xrc, bytes))
{
	struct side a = *A(pair), b = *B(pair);
	struct packet pkt = pair_packet(pair, XRC(ACK));

	pkt.psn = 5;
	pair_inject(pair, &pkt, NULL, 0);
	pkt = pair_packet(pair, OPCODE_RC_SEND_ONLY);
	pair_inject(pair, &pkt, "12345678", 8);
	pair_stat_is(&b, ORNIC_RDMA_STAT_rx_unknown_qp, 2);
	/* The other direction */
	*A(pair) = b;
	*B(pair) = a;
	pkt = pair_packet(pair, XRC(WRITE_ONLY));
	pair_inject(pair, &pkt, "12345678", 8);
	pair_stat_is(&a, ORNIC_RDMA_STAT_rx_unknown_qp, 1);
	*A(pair) = a;
	*B(pair) = b;
	pair_state_is(A(pair), ORNIC_QPS_RTS);
	pair_state_is(B(pair), ORNIC_QPS_RTS);
}

TEST_MAIN("xrc")
