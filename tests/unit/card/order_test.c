// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Order and visibility: of work requests, of data and completions, of what the
 * device does and what the host may rely on afterwards (hardware.rst,
 * sections 8 and 13)
 */
#include "card/card.h"
#include "pair.h"

#define WORDS 16
#define BIG 60000

/* One step of both cards and the wire; return: whether anything happened */
static bool step(struct pair *pair)
{
	bool any = card_run(A(pair)->host->card);

	if (!pair->loopback)
		any |= card_run(B(pair)->host->card);
	return pair_wire(pair) || any;
}

/*
 * [ORNIC-ORD-1] A WRITE, an atomic on what it has written, and a READ of that,
 * again and again. Packets are lost in many ways; a READ whose answer is lost is
 * executed again ([ORNIC-WIRE-19]) and then may see what was written later.
 */
TEST(test_responder_executes_in_order, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	unsigned int losses, i;
	struct pair_wr wr;
	uint64_t value;

	for (losses = 0; losses < 16; losses++) {
		*pair_word(B(pair), 0) = 0;
		for (i = 0; i < WORDS; i++) {
			*pair_word(A(pair), 1024 + 8 * i) = htole64(100 * i);
			wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8);
			wr.wr_id = 3 * i;
			wr.sge[0].addr = A(pair)->addr + 1024 + 8 * i;
			pair_post(A(pair), &wr);
			wr.opcode = ORNIC_WR_ATOMIC_FETCH_ADD;
			wr.wr_id = 3 * i + 1;
			wr.swap_add = i;
			wr.sge[0].addr = A(pair)->addr + 2048 + 8 * i;
			pair_post(A(pair), &wr);
			wr.opcode = ORNIC_WR_RDMA_READ;
			wr.wr_id = 3 * i + 2;
			wr.sge[0].addr = A(pair)->addr + 4096 + 8 * i;
			pair_post(A(pair), &wr);
			pair->fate = losses ? pair_fate_lose_some : NULL;
			pair->arg = losses << i % 4;
			pair_ring(A(pair));
			pair_run(pair);
		}
		pair_sleep(pair, 100 * 1000 * 1000);
		for (i = 0; i < 3 * WORDS; i++)
			pair_expect(A(pair), i, ORNIC_WC_SUCCESS);
		for (i = 0; i < WORDS; i++) {
			assert_int_equal(le64toh(*pair_word(A(pair),
						 2048 + 8 * i)), 100 * i);
			value = le64toh(*pair_word(A(pair), 4096 + 8 * i));
			if (losses)
				assert_in_range(value, 101 * i, 101 * WORDS);
			else
				assert_int_equal(value, 101 * i);
		}
		pair_poll_none(A(pair));
	}
}

/* [ORNIC-ORD-1] SEND_FENCE: what the READ brings is what the SEND sends */
TEST(test_fence_waits_for_the_data, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	struct pair_wr read, send;
	unsigned int lost;

	for (lost = 0; lost < 6; lost++) {
		pair_fill(B(pair)->buf, BIG, lost);
		memset(A(pair)->buf, 0, BIG);
		pair_post_recv(B(pair), 5, B(pair)->addr + (1 << 20), BIG);
		read = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, BIG);
		read.flags = 0;
		pair_post(A(pair), &read);
		send = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, BIG);
		send.flags |= ORNIC_SEND_FENCE;
		pair_post(A(pair), &send);
		pair->fate = pair_fate_lose_some;
		pair->arg = 1u << lost;
		pair_ring(A(pair));
		pair_sleep(pair, 50 * 1000 * 1000);
		pair_expect(A(pair), send.wr_id, ORNIC_WC_SUCCESS);
		pair_expect(B(pair), 5, ORNIC_WC_SUCCESS);
		pair_check(B(pair)->buf + (1 << 20), BIG, lost);
	}
}

/*
 * [ORNIC-ORD-2] As soon as the completion of the receive is visible, the bytes
 * of the message are, and those of WRITEs before it
 */
TEST(test_data_is_visible_before_the_receive, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, BIG);

	pair_fill(A(pair)->buf, 2 * BIG, 7);
	pair_post_recv(B(pair), 5, B(pair)->addr + BIG, BIG);
	wr.flags = 0;
	pair_post(A(pair), &wr);
	wr = pair_wr_data(A(pair), ORNIC_WR_SEND, BIG, BIG);
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	while (!host_queue_peek(&B(pair)->cq))
		assert_true(step(pair));
	pair_check(B(pair)->buf, 2 * BIG, 7);
	pair_expect(B(pair), 5, ORNIC_WC_SUCCESS);
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
}

/* [ORNIC-ORD-2] The same of a READ at the requester */
TEST(test_data_is_visible_before_the_read, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, BIG);

	pair_fill(B(pair)->buf, BIG, 9);
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	while (!host_queue_peek(&A(pair)->cq))
		assert_true(step(pair));
	pair_check(A(pair)->buf, BIG, 9);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_run(pair);
}

/*
 * [ORNIC-ORD-3] Slots and inline data are the device's until it gives them
 * back: it sends them again when the first packet is lost, and sq_ci passes
 * none of them before
 */
TEST(test_slots_are_read_again, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint8_t data[8] = "inline";
	struct pair_wr wr = {
		.wr_id = 1,
		.opcode = ORNIC_WR_RDMA_WRITE,
		.flags = ORNIC_SEND_INLINE | ORNIC_SEND_SIGNALED,
		.raddr = B(pair)->addr,
		.rkey = B(pair)->key,
		.data = data,
		.data_len = sizeof(data),
	};

	pair->fate = pair_fate_lose_some;
	pair->arg = 1;
	pair_send(A(pair), &wr);
	pair_poll_none(A(pair));
	assert_int_equal(guest_load32(&host_qp_dbr(&A(pair)->qp)->sq_ci), 0);
	pair_sleep(pair, 100 * 1000 * 1000);
	pair_expect(A(pair), 1, ORNIC_WC_SUCCESS);
	assert_memory_equal(B(pair)->buf, data, sizeof(data));
}

/*
 * [ORNIC-ORD-11] Atomics that two QPs send to one word at the same time: each
 * original value is returned once, and none is lost
 */
TEST(test_atomics_of_two_qps, struct pair *pair, IN_PAIR(pair_setup_rc, loopback))
{
	struct side *a = A(pair), *b = B(pair);
	/* Each side is the other's responder, so both need a key of the word */
	uint32_t key = host_mr(a->host, a->pdn, b->addr, 4096,
			       ORNIC_ACCESS_LOCAL_WRITE |
			       ORNIC_ACCESS_REMOTE_ATOMIC);
	bool seen[4 * WORDS] = {};
	struct pair_wr wr;
	unsigned int i;

	*pair_word(b, 0) = 0;
	for (i = 0; i < WORDS; i++) {
		wr = pair_wr_data(a, ORNIC_WR_ATOMIC_FETCH_ADD, 0, 8);
		wr.wr_id = i;
		wr.swap_add = 1;
		wr.sge[0].addr = a->addr + 8 * i;
		pair_post(a, &wr);
		wr = pair_wr_data(b, ORNIC_WR_ATOMIC_FETCH_ADD, 0, 8);
		wr.wr_id = i;
		wr.swap_add = 1;
		wr.raddr = b->addr;
		wr.rkey = key;
		wr.sge[0].addr = b->addr + 8192 + 8 * i;
		pair_post(b, &wr);
	}
	pair_ring(a);
	pair_ring(b);
	pair_run(pair);
	for (i = 0; i < WORDS; i++) {
		pair_expect(a, i, ORNIC_WC_SUCCESS);
		pair_expect(b, i, ORNIC_WC_SUCCESS);
		assert_false(seen[le64toh(*pair_word(a, 8 * i))]);
		seen[le64toh(*pair_word(a, 8 * i))] = true;
		assert_false(seen[le64toh(*pair_word(b, 8192 + 8 * i))]);
		seen[le64toh(*pair_word(b, 8192 + 8 * i))] = true;
	}
	assert_int_equal(le64toh(*pair_word(b, 0)), 2 * WORDS);
	for (i = 0; i < 2 * WORDS; i++)
		assert_true(seen[i]);
}

/*
 * [ORNIC-CQ-6] The one signaled WQE at the end tells of all before it; one that
 * fails has a completion though it asks for none
 */
TEST(test_unsignaled, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr;
	unsigned int i;

	pair_fill(A(pair)->buf, 800, 2);
	for (i = 0; i < 8; i++) {
		wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 100 * i, 100);
		wr.flags = i == 7 ? ORNIC_SEND_SIGNALED : 0;
		wr.wr_id = i;
		pair_post(A(pair), &wr);
	}
	pair_ring(A(pair));
	while (!host_queue_peek(&A(pair)->cq))
		assert_true(step(pair));
	pair_check(B(pair)->buf, 800, 2);
	pair_expect(A(pair), 7, ORNIC_WC_SUCCESS);
	pair_run(pair);
	pair_poll_none(A(pair));
	wr.flags = 0;
	wr.wr_id = 8;
	wr.sge[0].lkey ^= 0xff;
	pair_send(A(pair), &wr);
	pair_expect(A(pair), 8, ORNIC_WC_LOC_PROT_ERR);
}

/* [ORNIC-CQ-10] */
TEST(test_completions_outlive_their_qp, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		wr.wr_id = i;
		pair_send(A(pair), &wr);
	}
	host_cmd_object_ok(A(pair)->host, ORNIC_CMD_DESTROY_QP, A(pair)->qp.num);
	/* pair_expect() checks that they have the number of the QP */
	for (i = 0; i < 3; i++)
		pair_expect(A(pair), i, ORNIC_WC_SUCCESS);
	pair_poll_none(A(pair));
}

/* [ORNIC-RQ-2] WRITE_WITH_IMM takes the next receive, and no memory of it */
TEST(test_receives_are_taken_in_order, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint8_t opcodes[] = {
		ORNIC_WR_SEND, ORNIC_WR_RDMA_WRITE_WITH_IMM,
		ORNIC_WR_RDMA_WRITE, ORNIC_WR_SEND_WITH_IMM,
		ORNIC_WR_RDMA_WRITE_WITH_IMM, ORNIC_WR_SEND,
	};
	unsigned int i, recvs = 0;
	struct pair_wr wr;

	pair_fill(A(pair)->buf, 64, 4);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		memset(B(pair)->buf + 1000 * i, 0x77, 64);
		if (opcodes[i] != ORNIC_WR_RDMA_WRITE)
			pair_post_recv(B(pair), recvs++,
				       B(pair)->addr + 1000 * i, 64);
		wr = pair_wr_data(A(pair), opcodes[i], 0, 64);
		wr.raddr = B(pair)->addr + 20000;
		pair_post(A(pair), &wr);
	}
	pair_ring(A(pair));
	pair_run(pair);
	for (i = 0; i < recvs; i++)
		pair_expect(B(pair), i, ORNIC_WC_SUCCESS);
	pair_poll_none(B(pair));
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		const uint8_t *at = B(pair)->buf + 1000 * i;

		if (opcodes[i] == ORNIC_WR_SEND ||
		    opcodes[i] == ORNIC_WR_SEND_WITH_IMM)
			pair_check(at, 64, 4);
		else
			assert_int_equal(at[0], 0x77);
	}
}

/* [ORNIC-SQ-12] Fields of the route that the opcode does not use */
TEST(test_unused_fields_of_the_route, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint8_t empty[] = {
		ORNIC_WR_RDMA_WRITE, ORNIC_WR_RDMA_READ,
	};
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 16);
	unsigned int i;

	pair_post_recv(B(pair), 1, B(pair)->addr, 16);
	wr.raddr = ~0ULL;
	wr.rkey = 0xdeadbeef;
	wr.xrc_srqn = 0xffffff;
	pair_one(pair, &wr);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	for (i = 0; i < ARRAY_SIZE(empty); i++) {
		wr.opcode = empty[i];
		wr.sges = 0;
		pair_one(pair, &wr);
	}
	host_device_stat_is(B(pair)->host, ORNIC_DEVICE_STAT_bad_rkey, 0);
}

/* [ORNIC-GEN-3] Reserved fields of a receive WQE, and of a datagram's route */
TEST(test_reserved_fields_are_ignored, struct pair *pair,
     IN_PAIR_BOTH(pair_setup_rc), IN_PAIR_BOTH(pair_setup_ud))
{
	struct side *a = A(pair), *b = B(pair);
	struct pair_wr wr = pair_wr_data(a, ORNIC_WR_SEND, 0, 16);
	struct ornic_rq_hdr *hdr = host_ptr(b->host, b->qp.rq);
	struct ornic_route_ud *route;

	pair_post_recv(b, 1, b->addr, 100);
	hdr->ctrl |= htole32(~(uint32_t)ORNIC_RQ_COUNT);
	hdr->rsvd = 0xffffffff;
	pair_post(a, &wr);
	route = host_ptr(a->host, a->qp.sq + sizeof(struct ornic_sq_hdr));
	if (pair_qp(a)->base.type == ORNIC_QPT_UD)
		route->rsvd = ~0ULL;
	pair_ring(a);
	pair_run(pair);
	pair_expect(a, wr.wr_id, ORNIC_WC_SUCCESS);
	pair_expect(b, 1, ORNIC_WC_SUCCESS);
}

/*
 * [ORNIC-OBJ-19] DESTROY_MR amidst a message: afterwards no byte of the region
 * changes, and the sender is told
 */
TEST(test_region_is_destroyed_amidst_a_message, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0,
					 1 << 20);
	uint32_t i;

	pair_fill(A(pair)->buf, 1 << 20, 3);
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	card_run(A(pair)->host->card);
	pair_wire(pair);
	host_cmd_object_ok(B(pair)->host, ORNIC_CMD_DESTROY_MR, B(pair)->key);
	memset(B(pair)->buf, 0x3c, 1 << 20);
	pair_run(pair);
	for (i = 0; i < 1 << 20; i++)
		assert_int_equal(B(pair)->buf[i], 0x3c);
}

/* [ORNIC-OBJ-25] Nothing is flushed, whatever the state */
TEST(test_destroyed_in_each_state, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct side *a = A(pair);
	unsigned int to;

	for (to = ORNIC_QPS_RESET; to <= ORNIC_QPS_ERR; to++) {
		struct ornic_qp_attr attr;
		unsigned int s;

		if (to == ORNIC_QPS_SQE)
			continue;
		host_cmd_object_ok(a->host, ORNIC_CMD_DESTROY_QP, a->qp.num);
		host_qp(a->host, &a->qp, ORNIC_QPT_RC, a->uctx, a->pdn, &a->cq,
			0);
		attr = pair_attr(a, B(pair));
		for (s = ORNIC_QPS_INIT; s <= ORNIC_QPS_RTS && s <= to; s++) {
			attr.state = s;
			pair_modify_ok(a, pair_mask(ORNIC_QPT_RC, s), &attr);
		}
		if (to > ORNIC_QPS_RTS && to != ORNIC_QPS_ERR)
			pair_state(a, to);
		if (to != ORNIC_QPS_RESET && to != ORNIC_QPS_ERR)
			pair_post_recv(a, 1, a->addr, 8);
		pair_run(pair);
	}
	host_cmd_object_ok(a->host, ORNIC_CMD_DESTROY_QP, a->qp.num);
	pair_sleep(pair, 50 * 1000 * 1000);
	pair_poll_none(a);
}

/* [ORNIC-RST-6] A reset of A's card sends B nothing; B's request times out */
TEST(test_peers_of_a_reset_card_are_not_told, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(B(pair), ORNIC_WR_RDMA_WRITE, 0, 8);
	unsigned int packets = pair->packets;

	host_write(A(pair)->host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	pair_sleep(pair, 10 * 1000 * 1000);
	assert_int_equal(pair->packets, packets);
	assert_int_equal(pair_event(B(pair)), 0);
	pair_send(B(pair), &wr);
	pair_sleep(pair, 200 * 1000 * 1000);
	pair_expect(B(pair), wr.wr_id, ORNIC_WC_RETRY_EXC_ERR);
}

TEST_MAIN("order")
