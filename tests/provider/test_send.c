// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ibv_post_send(): WQEs in the ring, and refused requests */
#include "fixture.h"

#define SGES	4

struct one {
	struct ibv_send_wr wr;
	struct ibv_sge sg[SGES + 1];
};

static void make(struct one *one, enum ibv_wr_opcode opcode, uint32_t seed,
		 int num)
{
	int i;

	memset(one, 0, sizeof(*one));
	for (i = 0; i < num; i++)
		one->sg[i] = test_sge(seed, i);
	one->wr.wr_id = 0x0102030405060708ULL + seed;
	one->wr.sg_list = one->sg;
	one->wr.num_sge = num;
	one->wr.opcode = opcode;
	one->wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE;
	one->wr.imm_data = htobe32(seed);
	one->wr.wr.rdma.remote_addr = 0x1122334455667788ULL + seed;
	one->wr.wr.rdma.rkey = 0x99aabbcc + seed;
}

static void make_ud(struct one *one, struct ibv_ah *ah, uint32_t seed, int num)
{
	make(one, IBV_WR_SEND_WITH_IMM, seed, num);
	one->wr.wr.ud.ah = ah;
	one->wr.wr.ud.remote_qpn = 0x123456;
	one->wr.wr.ud.remote_qkey = 0x80010000 + seed;
}

static int post(struct ibv_qp *ibqp, struct one *one)
{
	struct ibv_send_wr *bad = NULL;
	int ret = ibv_post_send(ibqp, &one->wr, &bad);

	assert_ptr_equal(bad, ret ? &one->wr : NULL);
	return ret;
}

/* Posts a request, which the device fetches */
static void send_one(struct ibv_qp *ibqp, struct one *one,
		     struct fake_wqe *wqe)
{
	assert_int_equal(post(ibqp, one), 0);
	take_send(ibqp, wqe);
}

/* [ORNIC-SQ-2] Each opcode with each number of SGEs begins at each place in the ring */
TEST(connected_wqes_arrive_whole_across_wraps, struct fixture *f, IN_OWN)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ,
	};
	struct ornic_route_rc route;
	struct fake_wqe wqe;
	uint32_t i, opcode, num;
	struct one one;

	for (i = 0; i < 500; i++) {
		opcode = opcodes[i % ARRAY_SIZE(opcodes)];
		num = i / ARRAY_SIZE(opcodes) % (SGES + 1);
		make(&one, opcode, i, num);
		send_one(f->rc, &one, &wqe);
		assert_int_equal(wqe.opcode, opcode);
		assert_int_equal(wqe.flags,
				 ORNIC_SEND_SIGNALED | ORNIC_SEND_FENCE);
		assert_int_equal(wqe.count, num);
		assert_int_equal(le64toh(wqe.hdr.wr_id), one.wr.wr_id);
		assert_int_equal(be32toh(wqe.hdr.imm), i);
		route = wqe_route(&wqe);
		assert_int_equal(le64toh(route.raddr),
				 one.wr.wr.rdma.remote_addr);
		assert_int_equal(le32toh(route.rkey), one.wr.wr.rdma.rkey);
		assert_sges(wqe.data, i, num);
		assert_no_send(f->rc);
	}
}

/* [ORNIC-GEN-4] */
TEST(datagrams_carry_the_address_vector, struct fixture *f, IN_OWN)
{
	struct ornic_route_ud route;
	struct fake_wqe wqe;
	struct one one;
	uint32_t i;

	for (i = 0; i < 300; i++) {
		make_ud(&one, f->ah, i, i % (SGES + 1));
		send_one(f->ud, &one, &wqe);
		assert_int_equal(wqe.slots, i % (SGES + 1) ? 2 : 1);
		route = wqe_route_ud(&wqe);
		assert_int_equal(le32toh(route.dqpn), 0x123456);
		assert_int_equal(le32toh(route.qkey), 0x80010000 + i);
		assert_int_equal(route.rsvd, 0);
		assert_memory_equal(&route.av, &f->fake.av, sizeof(route.av));
		assert_sges(wqe.data, i, i % (SGES + 1));
	}
}

TEST(atomics_have_their_arguments, struct fixture *f, IN_OWN)
{
	struct ornic_atomic atomic;
	struct fake_wqe wqe;
	struct one one;

	make(&one, IBV_WR_ATOMIC_CMP_AND_SWP, 3, 1);
	one.wr.wr.atomic.remote_addr = 0x1000;
	one.wr.wr.atomic.compare_add = 11;
	one.wr.wr.atomic.swap = 22;
	one.wr.wr.atomic.rkey = 33;
	send_one(f->rc, &one, &wqe);
	assert_int_equal(wqe.opcode, ORNIC_WR_ATOMIC_CMP_SWP);
	assert_int_equal(wqe.slots, 1);
	atomic = wqe_atomic(&wqe);
	assert_int_equal(le64toh(atomic.compare), 11);
	assert_int_equal(le64toh(atomic.swap_add), 22);
	assert_int_equal(le64toh(wqe_route(&wqe).raddr), 0x1000);
	assert_int_equal(le32toh(wqe_route(&wqe).rkey), 33);
	assert_sges(wqe.data, 3, 1);

	one.wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	send_one(f->rc, &one, &wqe);
	assert_int_equal(wqe.opcode, ORNIC_WR_ATOMIC_FETCH_ADD);
	assert_int_equal(le64toh(wqe_atomic(&wqe).swap_add), 11);
	assert_sges(wqe.data, 3, 1);

	one.wr.send_flags |= IBV_SEND_INLINE;
	assert_int_equal(post(f->rc, &one), EINVAL);
	make(&one, IBV_WR_ATOMIC_FETCH_AND_ADD, 3, SGES + 1);
	assert_int_equal(post(f->rc, &one), EINVAL);
}

TEST(keys_are_invalidated, struct fixture *f, IN_OWN)
{
	struct fake_wqe wqe;
	struct one one;
	uint32_t i;

	for (i = 0; i < 50; i++) {
		make(&one, IBV_WR_SEND_WITH_INV, i, i % (SGES + 1));
		one.wr.invalidate_rkey = 0x12300 + i;
		send_one(f->rc, &one, &wqe);
		assert_int_equal(wqe.opcode, ORNIC_WR_SEND_WITH_INV);
		assert_int_equal(le32toh(wqe.hdr.inv_key), 0x12300 + i);
		assert_sges(wqe.data, i, i % (SGES + 1));

		make(&one, IBV_WR_LOCAL_INV, i, 0);
		one.wr.invalidate_rkey = 0x45600 + i;
		send_one(f->rc, &one, &wqe);
		assert_int_equal(wqe.opcode, ORNIC_WR_LOCAL_INV);
		assert_int_equal(wqe.count, 0);
		assert_int_equal(wqe.slots, 1);
		assert_int_equal(le64toh(wqe.hdr.wr_id), one.wr.wr_id);
		assert_int_equal(le32toh(wqe.hdr.inv_key), 0x45600 + i);
	}

	one.wr.num_sge = 1;
	assert_int_equal(post(f->rc, &one), EINVAL);
	make(&one, IBV_WR_SEND_WITH_INV, 0, SGES + 1);
	assert_int_equal(post(f->rc, &one), EINVAL);
}

TEST(windows_of_type_2_are_bound, struct fixture *f, IN_OWN)
{
	struct ibv_mr mr = { .lkey = 0x10, .rkey = 0x20 };
	struct ibv_mw mw = { .rkey = 0x30, .type = IBV_MW_TYPE_2 };
	struct ornic_bind bind;
	struct fake_wqe wqe;
	struct one one;

	make(&one, IBV_WR_BIND_MW, 0, 0);
	one.wr.bind_mw.mw = &mw;
	one.wr.bind_mw.rkey = 0x37;
	one.wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = &mr, .addr = 0x1000, .length = 0x2000,
		.mw_access_flags = IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_ZERO_BASED,
	};
	send_one(f->rc, &one, &wqe);
	assert_int_equal(wqe.opcode, ORNIC_WR_BIND_MW);
	assert_int_equal(wqe.slots, 1);
	bind = wqe_bind(&wqe);
	assert_int_equal(le32toh(bind.mw_key), 0x30);
	assert_int_equal(le32toh(bind.new_key), 0x37);
	assert_int_equal(le32toh(bind.mr_key), 0x10);
	assert_int_equal(le32toh(bind.access), ORNIC_ACCESS_REMOTE_READ |
			 ORNIC_ACCESS_ZERO_BASED);
	assert_int_equal(le64toh(bind.addr), 0x1000);
	assert_int_equal(le64toh(bind.length), 0x2000);
	/* Only the completion shows whether the window has the new key */
	assert_int_equal(mw.rkey, 0x30);
}

/* Each opcode with a route has the number of the SRQ */
TEST(xrc_names_the_srq, struct fixture *f, IN_OWN)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_SEND_WITH_INV,
	};
	struct fake_wqe wqe;
	struct ibv_qp *qp;
	struct one one;
	uint32_t i;

	qp = one_more_qp(f, IBV_QPT_XRC_SEND, 0);
	for (i = 0; i < 100; i++) {
		make(&one, opcodes[i % 8], i, 1);
		one.wr.qp_type.xrc.remote_srqn = 0x654321 + i;
		if (i % 3 == 0 && (i % 8 < 4 || i % 8 == 7))
			one.wr.send_flags = IBV_SEND_INLINE;
		one.sg[0].addr = (uintptr_t)&one;
		one.sg[0].length = i % 3 + i % 40;
		send_one(qp, &one, &wqe);
		assert_int_equal(wqe.opcode, opcodes[i % 8]);
		assert_int_equal(le32toh(wqe_route(&wqe).xrc_srqn),
				 0x654321 + i);
	}
}

TEST(unreliable_connections_neither_read_nor_change, struct fixture *f, IN_OWN)
{
	static const struct {
		enum ibv_wr_opcode opcode;
		int ret;
	} table[] = {
		{ IBV_WR_SEND, 0 }, { IBV_WR_SEND_WITH_IMM, 0 },
		{ IBV_WR_RDMA_WRITE, 0 }, { IBV_WR_RDMA_WRITE_WITH_IMM, 0 },
		{ IBV_WR_LOCAL_INV, 0 }, { IBV_WR_RDMA_READ, EINVAL },
		{ IBV_WR_ATOMIC_CMP_AND_SWP, EINVAL },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD, EINVAL },
		{ IBV_WR_SEND_WITH_INV, EINVAL },
		{ IBV_WR_FLUSH, EINVAL }, { IBV_WR_ATOMIC_WRITE, EINVAL },
	};
	struct fake_wqe wqe;
	struct ibv_qp *qp;
	struct one one;
	size_t i;

	qp = one_more_qp(f, IBV_QPT_UC, 0);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		make(&one, table[i].opcode, 1, 0);
		assert_int_equal(post(qp, &one), table[i].ret);
		if (!table[i].ret)
			take_send(qp, &wqe);
	}
	assert_no_send(qp);
}

/* Leaves the last request in @one */
static void fill_queue(struct ibv_qp *qp, struct one *one)
{
	uint32_t i;

	for (i = 0; i < SQ_SLOTS; i++) {
		make(one, IBV_WR_SEND, i, 1);
		assert_int_equal(post(qp, one), 0);
	}
}

/* No kind of request fits, and the ring does not change */
TEST(nothing_goes_into_a_full_queue, struct fixture *f, IN_OWN)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_SEND_WITH_INV, IBV_WR_LOCAL_INV,
	};
	struct fake_wqe wqe;
	struct one one;
	size_t i;

	fill_queue(f->rc, &one);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		make(&one, opcodes[i], 77, 0);
		assert_int_equal(post(f->rc, &one), ENOMEM);
	}
	make(&one, IBV_WR_SEND_WITH_INV, 77, 2);
	one.sg[0].length = 20;
	one.sg[1].length = 100;
	one.wr.send_flags = IBV_SEND_INLINE;
	assert_int_equal(post(f->rc, &one), ENOMEM);
	one.wr.num_sge = 1;
	one.wr.opcode = IBV_WR_SEND;
	assert_int_equal(post(f->rc, &one), ENOMEM);

	for (i = 0; i < SQ_SLOTS; i++) {
		take_send(f->rc, &wqe);
		assert_int_equal(wqe.opcode, ORNIC_WR_SEND);
		assert_sges(wqe.data, i, 1);
	}
	assert_no_send(f->rc);
}

/* Every length up to the limit, in one, two or three pieces */
static void check_inline_data(struct ibv_qp *ibqp, struct ibv_ah *ah)
{
	uint8_t bytes[256];
	struct fake_wqe wqe;
	uint32_t length, i;
	struct one one;
	int pieces;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 7 + 1;
	for (length = 0; length <= 200; length++) {
		pieces = length % 3 + 1;
		make_ud(&one, ah, 0, pieces);
		one.wr.opcode = IBV_WR_SEND;
		one.wr.send_flags = IBV_SEND_INLINE;
		memset(one.sg, 0, sizeof(one.sg));
		one.sg[0].addr = (uintptr_t)bytes;
		one.sg[0].length = pieces > 1 ? length / 2 : length;
		one.sg[1].addr = (uintptr_t)bytes + length / 2;
		one.sg[1].length = length - length / 2;
		send_one(ibqp, &one, &wqe);
		assert_int_equal(wqe.flags, ORNIC_SEND_INLINE);
		assert_int_equal(wqe.count, length);
		assert_memory_equal(wqe.data, bytes, length);
	}
}

TEST(inline_data_is_copied, struct fixture *f, IN_OWN)
{
	check_inline_data(f->rc, f->ah);
	check_inline_data(f->ud, f->ah);
}

TEST(too_much_inline_data_is_refused, struct fixture *f, IN_OWN)
{
	struct one one;

	make(&one, IBV_WR_SEND, 0, 1);
	one.wr.send_flags = IBV_SEND_INLINE;
	one.sg[0].length = 201;
	assert_int_equal(post(f->rc, &one), EINVAL);

	/* Two lengths whose sum wraps 32 bits */
	one.wr.num_sge = 2;
	one.sg[0].length = 0x80000000;
	one.sg[1].length = 0x80000001;
	assert_int_equal(post(f->rc, &one), EINVAL);

	make(&one, IBV_WR_RDMA_READ, 0, 1);
	one.wr.send_flags = IBV_SEND_INLINE;
	one.sg[0].length = 4;
	assert_int_equal(post(f->rc, &one), EINVAL);

	/* A limit below ORNIC_INLINE_SMALL applies on the fast path too */
	to_ornic_qp(f->rc)->sq.max_inline = 3;
	one.wr.opcode = IBV_WR_SEND;
	assert_int_equal(post(f->rc, &one), EINVAL);
	assert_no_send(f->rc);
}

TEST(too_many_sges_are_refused, struct fixture *f, IN_OWN)
{
	struct one one;

	make(&one, IBV_WR_SEND, 0, SGES + 1);
	assert_int_equal(post(f->rc, &one), EINVAL);
	make_ud(&one, f->ah, 0, SGES + 1);
	assert_int_equal(post(f->ud, &one), EINVAL);
	one.wr.num_sge = -1;
	assert_int_equal(post(f->rc, &one), EINVAL);
	assert_int_equal(post(f->ud, &one), EINVAL);
	one.wr.send_flags |= IBV_SEND_INLINE;
	assert_int_equal(post(f->rc, &one), EINVAL);
	assert_int_equal(post(f->ud, &one), EINVAL);
	assert_no_send(f->rc);
	assert_no_send(f->ud);
}

TEST(unknown_opcodes_are_refused, struct fixture *f, IN_OWN)
{
	static const int unknown[] = {
		IBV_WR_TSO, IBV_WR_DRIVER1, IBV_WR_FLUSH, IBV_WR_ATOMIC_WRITE,
		32, 63, 64, 255, -1,
	};
	struct one one;
	size_t i;

	make_ud(&one, f->ah, 0, 1);
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		one.wr.opcode = unknown[i];
		assert_int_equal(post(f->rc, &one), EINVAL);
		assert_int_equal(post(f->ud, &one), EINVAL);
	}
	for (i = 0; i <= IBV_WR_SEND_WITH_INV; i++) {
		one.wr.opcode = i;
		if (i != IBV_WR_SEND && i != IBV_WR_SEND_WITH_IMM)
			assert_int_equal(post(f->ud, &one), EINVAL);
	}
	assert_no_send(f->rc);
	assert_no_send(f->ud);
}

TEST(states_decide_what_may_be_posted, struct fixture *f, IN_OWN)
{
	static const struct {
		enum ibv_qp_state state;
		int ret;
	} rows[] = {
		{ IBV_QPS_RESET, EINVAL }, { IBV_QPS_INIT, EINVAL },
		{ IBV_QPS_RTR, EINVAL }, { IBV_QPS_RTS, 0 },
		{ IBV_QPS_SQD, 0 }, { IBV_QPS_SQE, 0 }, { IBV_QPS_ERR, 0 },
		{ IBV_QPS_RESET, EINVAL },
	};
	struct one one;
	size_t i;

	make_ud(&one, f->ah, 0, 1);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fake_to_state(f->rc, rows[i].state);
		fake_to_state(f->ud, rows[i].state);
		assert_int_equal(post(f->rc, &one), rows[i].ret);
		assert_int_equal(post(f->ud, &one), rows[i].ret);
	}
}

TEST(a_full_queue_takes_no_more, struct fixture *f, IN_OWN)
{
	struct fake_wqe wqe;
	struct one one;
	uint32_t i;

	fill_queue(f->rc, &one);
	assert_int_equal(post(f->rc, &one), ENOMEM);

	/* Fetching a WQE does not release its slots */
	assert_true(fake_take_send(fake_qp(f->rc), IBV_QPT_RC, &wqe));
	as_polled(&to_ornic_qp(f->rc)->sq.polled);
	assert_int_equal(post(f->rc, &one), ENOMEM);
	fake_release_sends(fake_qp(f->rc));
	assert_int_equal(post(f->rc, &one), 0);
	assert_int_equal(post(f->rc, &one), ENOMEM);

	/* A WQE of two slots does not fit into one */
	take_send(f->rc, &wqe);
	make(&one, IBV_WR_SEND, 9, 3);
	assert_int_equal(post(f->rc, &one), ENOMEM);
	take_send(f->rc, &wqe);
	assert_int_equal(post(f->rc, &one), 0);
	for (i = 3; i < SQ_SLOTS; i++) {
		take_send(f->rc, &wqe);
		assert_sges(wqe.data, i, 1);
	}
	take_send(f->rc, &wqe);
	assert_sges(wqe.data, SQ_SLOTS - 1, 1);
	take_send(f->rc, &wqe);
	assert_sges(wqe.data, 9, 3);
	assert_no_send(f->rc);
}

/* [ORNIC-ORD-5] The index is always some slots behind what is done */
TEST(the_index_may_lag, struct fixture *f, IN_OWN)
{
	enum { LAG = 6 };
	struct fake_wqe wqe;
	struct one one;
	uint32_t lap, i;

	for (lap = 1; lap < 50; lap++) {
		for (i = 0; i < SQ_SLOTS - LAG; i++) {
			make(&one, IBV_WR_SEND, i, 1);
			assert_int_equal(post(f->rc, &one), 0);
		}
		for (i = 0; i < SQ_SLOTS - LAG; i++) {
			assert_true(fake_take_send(fake_qp(f->rc), IBV_QPT_RC,
						   &wqe));
			assert_sges(wqe.data, i, 1);
			as_polled(&to_ornic_qp(f->rc)->sq.polled);
		}
		fake_qp(f->rc)->dbr->sq_ci =
			htole32(fake_qp(f->rc)->sq_ci - LAG);
	}
	for (i = 0; i < SQ_SLOTS - LAG; i++)
		assert_int_equal(post(f->rc, &one), 0);
	assert_int_equal(post(f->rc, &one), ENOMEM);
}

TEST(an_index_from_nowhere_is_not_believed, struct fixture *f, IN_OWN)
{
	struct one one;

	fill_queue(f->rc, &one);
	fake_qp(f->rc)->dbr->sq_ci = htole32(SQ_SLOTS + 1);
	assert_int_equal(post(f->rc, &one), ENOMEM);
	fake_qp(f->rc)->dbr->sq_ci = htole32(-1);
	assert_int_equal(post(f->rc, &one), ENOMEM);
}

TEST(indexes_run_over_32_bits, struct fixture *f, IN_OWN)
{
	struct ornic_sq *sq = &to_ornic_qp(f->rc)->sq;
	struct fake_wqe wqe;
	struct one one;
	uint32_t i;

	sq->next = sq->end - 5 * ORNIC_SLOT_SIZE;
	sq->stop = sq->next;
	sq->origin = (uintptr_t)sq->next -
		     ((uint64_t)(uint32_t)-5 << ORNIC_SLOT_SHIFT);
	sq->more = -5;
	fake_qp(f->rc)->sq_ci = -5;
	fake_qp(f->rc)->dbr->sq_ci = htole32(-5);
	fake_qp(f->rc)->dbr->sq_pi = htole32(-5);
	for (i = 0; i < 40; i++) {
		make(&one, IBV_WR_SEND, i, i % 5);
		send_one(f->rc, &one, &wqe);
		assert_sges(wqe.data, i, i % 5);
	}
	for (i = 0; i < SQ_SLOTS; i++)
		assert_int_equal(post(f->rc, &one), i * 2 < SQ_SLOTS ? 0 :
				 ENOMEM);
}

TEST(a_bad_request_ends_a_list, struct fixture *f, IN_OWN)
{
	struct ibv_send_wr *bad = NULL;
	struct fake_wqe wqe;
	struct one one[4];
	int i;

	for (i = 0; i < 4; i++) {
		make(&one[i], IBV_WR_SEND, i, 1);
		one[i].wr.next = i < 3 ? &one[i + 1].wr : NULL;
	}
	one[2].wr.num_sge = SGES + 1;
	assert_int_equal(ibv_post_send(f->rc, &one[0].wr, &bad), EINVAL);
	assert_ptr_equal(bad, &one[2].wr);
	take_send(f->rc, &wqe);
	assert_sges(wqe.data, 0, 1);
	take_send(f->rc, &wqe);
	assert_sges(wqe.data, 1, 1);
	assert_no_send(f->rc);
}

TEST(an_empty_list_is_nothing, struct fixture *f, IN_OWN)
{
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(f->rc, NULL, &bad), 0);
	assert_int_equal(ibv_post_send(f->ud, NULL, &bad), 0);
	assert_no_send(f->rc);
}

/* [ORNIC-QP-10] */
TEST(reset_begins_the_ring_again, struct fixture *f, IN_OWN)
{
	struct fake_wqe wqe;
	struct one one;
	int i;

	make(&one, IBV_WR_SEND, 1, 1);
	for (i = 0; i < SQ_SLOTS; i++)
		assert_int_equal(post(f->rc, &one), 0);
	fake_to_state(f->rc, IBV_QPS_RESET);
	assert_int_equal(fake_qp(f->rc)->dbr->sq_pi, 0);
	fake_to_state(f->rc, IBV_QPS_RTS);
	for (i = 0; i < SQ_SLOTS; i++)
		assert_int_equal(post(f->rc, &one), 0);
	assert_int_equal(post(f->rc, &one), ENOMEM);
	take_send(f->rc, &wqe);
	assert_sges(wqe.data, 1, 1);
}

TEST_MAIN("send")
