// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ibv_wr_* calls: WQEs in the ring. A transaction is posted as a whole or
 * not at all.
 */
#include "fixture.h"

static void start(struct ibv_qp_ex *qp, uint64_t wr_id)
{
	ibv_wr_start(qp);
	qp->wr_id = wr_id;
	qp->wr_flags = IBV_SEND_SIGNALED;
}

static void set_sges(struct ibv_qp_ex *qp, uint32_t seed, int num)
{
	struct ibv_sge sg[8];
	int i;

	for (i = 0; i < num; i++)
		sg[i] = test_sge(seed, i);
	if (num == 1)
		ibv_wr_set_sge(qp, sg[0].lkey, sg[0].addr, sg[0].length);
	else
		ibv_wr_set_sge_list(qp, num, sg);
}

/* The operations that a QP of each type can have */
static const struct {
	enum ibv_qp_type type;
	uint64_t ops;
} types[] = {
	{ IBV_QPT_RC, ALL_RC_OPS }, { IBV_QPT_XRC_SEND, ALL_RC_OPS },
	{ IBV_QPT_UC, ALL_UC_OPS }, { IBV_QPT_UD, ALL_UD_OPS },
	{ IBV_QPT_RAW_PACKET, ALL_RAW_OPS },
};

/* Sets what a SEND needs beside its data */
static void set_peer(struct ibv_qp *ibqp, struct ibv_ah *ah)
{
	if (ibqp->qp_type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(ex(ibqp), ah, 1, 2);
	else if (ibqp->qp_type == IBV_QPT_XRC_SEND)
		ibv_wr_set_xrc_srqn(ex(ibqp), 1);
}

/* A transaction with one SEND; returns its result */
static int send_one(struct ibv_qp_ex *qp, uint64_t wr_id, uint32_t seed, int num)
{
	start(qp, wr_id);
	ibv_wr_send(qp);
	set_sges(qp, seed, num);
	return ibv_wr_complete(qp);
}

static void post_op(struct ibv_qp_ex *qp, enum ornic_wr_opcode opcode)
{
	switch (opcode) {
	case ORNIC_WR_SEND:
		ibv_wr_send(qp);
		break;
	case ORNIC_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qp, htobe32(5));
		break;
	case ORNIC_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qp, 77, 88);
		break;
	case ORNIC_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qp, 77, 88, htobe32(5));
		break;
	case ORNIC_WR_RDMA_READ:
		ibv_wr_rdma_read(qp, 77, 88);
		break;
	case ORNIC_WR_ATOMIC_CMP_SWP:
		ibv_wr_atomic_cmp_swp(qp, 77, 88, 11, 22);
		break;
	default:
		ibv_wr_atomic_fetch_add(qp, 77, 88, 22);
		break;
	}
}

TEST(operations_arrive_whole_across_wraps, struct fixture *f, IN_OWN)
{
	struct ibv_qp_ex *qp = ex(f->rc);
	struct fake_wqe wqe;
	uint32_t opcode, num, i;

	for (i = 0; i < 700; i++) {
		opcode = i % 7;
		num = opcode < ORNIC_WR_ATOMIC_CMP_SWP ? i % 5 : 1;
		start(qp, i);
		post_op(qp, opcode);
		set_sges(qp, i, num);
		assert_no_send(f->rc);
		assert_int_equal(ibv_wr_complete(qp), 0);

		take_send(f->rc, &wqe);
		assert_int_equal(wqe.opcode, opcode);
		assert_int_equal(wqe.flags, ORNIC_SEND_SIGNALED);
		assert_int_equal(wqe.count, num);
		assert_int_equal(le64toh(wqe.hdr.wr_id), i);
		assert_sges(wqe.data, i, num);
		if (opcode == ORNIC_WR_SEND_WITH_IMM ||
		    opcode == ORNIC_WR_RDMA_WRITE_WITH_IMM)
			assert_int_equal(be32toh(wqe.hdr.imm), 5);
		if (opcode != ORNIC_WR_SEND &&
		    opcode != ORNIC_WR_SEND_WITH_IMM) {
			assert_int_equal(le32toh(wqe_route(&wqe).rkey), 77);
			assert_int_equal(le64toh(wqe_route(&wqe).raddr), 88);
		}
		if (opcode >= ORNIC_WR_ATOMIC_CMP_SWP)
			assert_int_equal(le64toh(wqe_atomic(&wqe).swap_add),
					 22);
		if (opcode == ORNIC_WR_ATOMIC_CMP_SWP)
			assert_int_equal(le64toh(wqe_atomic(&wqe).compare),
					 11);
		assert_no_send(f->rc);
	}
}

/* They have one slot each and refuse data setters */
TEST(whole_operations_take_no_data, struct fixture *f, IN_OWN)
{
	struct ibv_mr mr = { .lkey = 0x10 };
	struct ibv_mw mw = { .rkey = 0x30 };
	struct ibv_mw_bind_info info = {
		.mr = &mr, .addr = 0x1000, .length = 0x2000,
	};
	struct ibv_qp_ex *qp = ex(f->rc);
	uint64_t value = 0x1122334455667788;
	struct ornic_flush flush;
	struct ornic_bind bind;
	struct fake_wqe wqe;
	uint32_t i;

	for (i = 0; i < 40; i++) {
		start(qp, i);
		ibv_wr_local_inv(qp, 0x100 + i);
		ibv_wr_bind_mw(qp, &mw, 0x3f, &info);
		ibv_wr_flush(qp, 77, 88, 99, IBV_FLUSH_PERSISTENT,
			     IBV_FLUSH_MR);
		ibv_wr_atomic_write(qp, 77, 88, &value);
		assert_int_equal(ibv_wr_complete(qp), 0);

		take_send(f->rc, &wqe);
		assert_int_equal(wqe.opcode, ORNIC_WR_LOCAL_INV);
		assert_int_equal(wqe.slots, 1);
		assert_int_equal(le32toh(wqe.hdr.inv_key), 0x100 + i);
		take_send(f->rc, &wqe);
		assert_int_equal(wqe.opcode, ORNIC_WR_BIND_MW);
		assert_int_equal(wqe.slots, 1);
		bind = wqe_bind(&wqe);
		assert_int_equal(le32toh(bind.mw_key), 0x30);
		assert_int_equal(le32toh(bind.new_key), 0x3f);
		assert_int_equal(le32toh(bind.mr_key), 0x10);
		take_send(f->rc, &wqe);
		assert_int_equal(wqe.opcode, ORNIC_WR_FLUSH);
		assert_int_equal(wqe.slots, 1);
		assert_int_equal(wqe.count, 0);
		memcpy(&flush, wqe.bytes + 16, sizeof(flush));
		assert_int_equal(le32toh(flush.length), 99);
		assert_int_equal(flush.type, 2);
		assert_int_equal(flush.level, 1);
		assert_int_equal(le32toh(wqe_route(&wqe).rkey), 77);
		take_send(f->rc, &wqe);
		assert_int_equal(wqe.opcode, ORNIC_WR_ATOMIC_WRITE);
		assert_int_equal(wqe.slots, 1);
		assert_int_equal(wqe.count, 8);
		assert_int_equal(wqe.flags, ORNIC_SEND_SIGNALED |
				 ORNIC_SEND_INLINE);
		assert_memory_equal(wqe.data, &value, 8);
		assert_int_equal(le64toh(wqe_route(&wqe).raddr), 88);
		assert_no_send(f->rc);
	}

	for (i = 0; i < 4; i++) {
		start(qp, i);
		if (i == 0)
			ibv_wr_local_inv(qp, 1);
		else if (i == 1)
			ibv_wr_bind_mw(qp, &mw, 0x3f, &info);
		else if (i == 2)
			ibv_wr_flush(qp, 77, 88, 99, 1, 0);
		else
			ibv_wr_atomic_write(qp, 77, 88, &value);
		set_sges(qp, i, 1);
		assert_int_equal(ibv_wr_complete(qp), EINVAL);
	}
	start(qp, i);
	ibv_wr_flush(qp, 77, 88, 1ULL << 32, 1, 0);
	assert_int_equal(ibv_wr_complete(qp), EINVAL);
	assert_no_send(f->rc);
}

/* The data setters decide on IBV_SEND_INLINE, not wr_flags */
TEST(flags_that_are_no_flags_of_a_request_are_ignored, struct fixture *f, IN_OWN)
{
	static const uint8_t data[] = "inline";
	struct ibv_qp_ex *qp = ex(f->rc);
	struct fake_wqe wqe;
	uint32_t flag;

	for (flag = 1; flag; flag <<= 1) {
		uint32_t kept = flag & (IBV_SEND_FENCE | IBV_SEND_SIGNALED |
					IBV_SEND_SOLICITED | IBV_SEND_IP_CSUM);

		ibv_wr_start(qp);
		qp->wr_flags = flag;
		ibv_wr_send(qp);
		set_sges(qp, 1, 1);
		ibv_wr_send(qp);
		ibv_wr_set_inline_data(qp, (void *)data, sizeof(data));
		ibv_wr_local_inv(qp, 7);
		assert_int_equal(ibv_wr_complete(qp), 0);

		take_send(f->rc, &wqe);
		assert_int_equal(wqe.flags, kept);
		assert_sges(wqe.data, 1, 1);
		take_send(f->rc, &wqe);
		assert_int_equal(wqe.flags, kept | ORNIC_SEND_INLINE);
		assert_memory_equal(wqe.data, data, sizeof(data));
		take_send(f->rc, &wqe);
		assert_int_equal(wqe.flags, kept);
		assert_int_equal(wqe.hdr.ctrl & htole32(ORNIC_SEND_RSVD), 0);
	}
}

TEST(send_inv_takes_any_data, struct fixture *f, IN_OWN)
{
	struct ibv_qp_ex *qp = ex(f->rc);
	struct fake_wqe wqe;
	uint32_t i;

	for (i = 0; i < 40; i++) {
		start(qp, i);
		ibv_wr_send_inv(qp, 0x1000 + i);
		if (i & 1)
			ibv_wr_set_inline_data(qp, &i, sizeof(i));
		else
			set_sges(qp, i, i % 5);
		assert_int_equal(ibv_wr_complete(qp), 0);
		take_send(f->rc, &wqe);
		assert_int_equal(wqe.opcode, ORNIC_WR_SEND_WITH_INV);
		assert_int_equal(le32toh(wqe.hdr.inv_key), 0x1000 + i);
		if (i & 1)
			assert_memory_equal(wqe.data, &i, sizeof(i));
		else
			assert_sges(wqe.data, i, i % 5);
	}
}

TEST(xrc_names_the_srq_in_any_order, struct fixture *f, IN_OWN)
{
	struct fake_wqe wqe;
	struct ibv_qp_ex *qp;
	struct ibv_qp *ibqp;
	uint32_t i;

	ibqp = one_more_qp(f, IBV_QPT_XRC_SEND, ALL_RC_OPS);
	qp = ex(ibqp);
	for (i = 0; i < 70; i++) {
		start(qp, i);
		post_op(qp, i % 7);
		if (i & 1)
			ibv_wr_set_xrc_srqn(qp, 0x1000 + i);
		set_sges(qp, i, 1);
		if (!(i & 1))
			ibv_wr_set_xrc_srqn(qp, 0x1000 + i);
		assert_int_equal(ibv_wr_complete(qp), 0);
		take_send(ibqp, &wqe);
		assert_int_equal(wqe.opcode, i % 7);
		assert_int_equal(le32toh(wqe_route(&wqe).xrc_srqn),
				 0x1000 + i);
		assert_sges(wqe.data, i, 1);
	}

	start(qp, i);
	ibv_wr_set_xrc_srqn(qp, 1);
	assert_int_equal(ibv_wr_complete(qp), EINVAL);
	assert_no_send(ibqp);
}

/* The slots may hold the SRQ of an earlier WQE */
TEST(an_xrc_request_needs_an_srq, struct fixture *f, IN_OWN)
{
	struct fake_wqe wqe;
	struct ibv_qp_ex *qp;
	struct ibv_qp *ibqp;
	uint32_t lacks, i;

	ibqp = one_more_qp(f, IBV_QPT_XRC_SEND, ALL_RC_OPS);
	qp = ex(ibqp);
	for (lacks = 0; lacks < 14; lacks++) {
		start(qp, lacks);
		for (i = 0; i < 2; i++) {
			post_op(qp, lacks % 7);
			set_sges(qp, i, lacks % 7 == 5 ? 1 : lacks / 7 * 2);
			if (i != lacks % 2)
				ibv_wr_set_xrc_srqn(qp, 0x1000);
		}
		assert_int_equal(ibv_wr_complete(qp), EINVAL);
		assert_no_send(ibqp);

		/* The next transaction is not affected */
		start(qp, 1);
		assert_int_equal(ibv_wr_complete(qp), 0);
		assert_no_send(ibqp);
		start(qp, 1);
		ibv_wr_send(qp);
		ibv_wr_set_xrc_srqn(qp, 0x1000);
		assert_int_equal(ibv_wr_complete(qp), 0);
		take_send(ibqp, &wqe);
	}

	/* A local operation has none */
	start(qp, 1);
	ibv_wr_local_inv(qp, 5);
	ibv_wr_local_inv(qp, 5);
	assert_int_equal(ibv_wr_complete(qp), 0);
	take_send(ibqp, &wqe);
	take_send(ibqp, &wqe);
}

/* QP type and device determine the operations */
TEST(only_what_is_there_can_be_asked_for, struct fixture *f, IN_OWN)
{
	struct ornic_context *ctx = to_ornic_context(f->ctx);
	struct ibv_qp *qp;
	uint64_t op;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		for (op = 1; op; op <<= 1) {
			errno = 0;
			qp = fake_create_qp(&f->fake, types[i].type, f->cq, 1,
					    1, op);
			if (types[i].ops & op) {
				assert_non_null(qp);
				assert_int_equal(f->ops->destroy_qp(qp), 0);
			} else {
				assert_null(qp);
				assert_int_equal(errno, EOPNOTSUPP);
			}
		}
	}

	ctx->send_ops &= ~(1ULL << IBV_WR_FLUSH);
	assert_fails(fake_create_qp(&f->fake, IBV_QPT_RC, f->cq, 1, 1,
				    IBV_QP_EX_WITH_FLUSH), EOPNOTSUPP);
}

TEST(datagrams_take_their_setters_in_any_order, struct fixture *f, IN_OWN)
{
	struct ibv_qp_ex *qp = ex(f->ud);
	struct ornic_route_ud route;
	struct fake_wqe wqe;
	uint32_t i;

	for (i = 0; i < 100; i++) {
		start(qp, i);
		if (i & 1)
			ibv_wr_send(qp);
		else
			ibv_wr_send_imm(qp, htobe32(i));
		if (i & 2)
			ibv_wr_set_ud_addr(qp, f->ah, 0x123456, i);
		if (i % 5)
			set_sges(qp, i, i % 5);
		if (!(i & 2))
			ibv_wr_set_ud_addr(qp, f->ah, 0x123456, i);
		assert_int_equal(ibv_wr_complete(qp), 0);

		take_send(f->ud, &wqe);
		assert_int_equal(wqe.count, i % 5);
		route = wqe_route_ud(&wqe);
		assert_int_equal(le32toh(route.dqpn), 0x123456);
		assert_int_equal(le32toh(route.qkey), i);
		assert_memory_equal(&route.av, &f->fake.av, sizeof(route.av));
		assert_sges(wqe.data, i, i % 5);
		assert_no_send(f->ud);
	}
}

static void check_inline_data(struct ibv_qp *ibqp, struct ibv_ah *ah)
{
	struct ibv_data_buf bufs[3] = {};
	struct ibv_qp_ex *qp = ex(ibqp);
	uint8_t bytes[256];
	struct fake_wqe wqe;
	uint32_t length, i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 7 + 1;
	for (length = 0; length <= 200; length++) {
		start(qp, length);
		ibv_wr_send(qp);
		set_peer(ibqp, ah);
		if (length & 1) {
			ibv_wr_set_inline_data(qp, bytes, length);
		} else {
			bufs[0].addr = bytes;
			bufs[0].length = length / 2;
			bufs[1].addr = bytes;
			bufs[2].addr = bytes + length / 2;
			bufs[2].length = length - length / 2;
			ibv_wr_set_inline_data_list(qp, 3, bufs);
		}
		assert_int_equal(ibv_wr_complete(qp), 0);
		take_send(ibqp, &wqe);
		assert_int_equal(wqe.flags,
				 ORNIC_SEND_SIGNALED | ORNIC_SEND_INLINE);
		assert_int_equal(wqe.count, length);
		assert_memory_equal(wqe.data, bytes, length);
		assert_no_send(ibqp);
	}
}

TEST(inline_data_is_copied, struct fixture *f, IN_OWN)
{
	check_inline_data(f->rc, f->ah);
	check_inline_data(f->ud, f->ah);
}

/* Each of these is an error that discards its transaction */
static void bad_many_sges(struct ibv_qp_ex *qp)
{
	ibv_wr_send(qp);
	set_sges(qp, 0, 5);
}

static void bad_inline_length(struct ibv_qp_ex *qp)
{
	uint8_t bytes[201] = {};

	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, bytes, sizeof(bytes));
}

static void bad_inline_list(struct ibv_qp_ex *qp)
{
	uint8_t bytes[101] = {};
	struct ibv_data_buf bufs[2] = { { bytes, 101 }, { bytes, 100 } };

	ibv_wr_send(qp);
	ibv_wr_set_inline_data_list(qp, 2, bufs);
}

static void bad_inline_wrap(struct ibv_qp_ex *qp)
{
	uint8_t byte = 0;
	struct ibv_data_buf bufs[2] = { { &byte, 1 }, { &byte, SIZE_MAX } };

	ibv_wr_send(qp);
	ibv_wr_set_inline_data_list(qp, 2, bufs);
}

static void bad_inline_read(struct ibv_qp_ex *qp)
{
	uint8_t byte = 0;

	ibv_wr_rdma_read(qp, 1, 2);
	ibv_wr_set_inline_data(qp, &byte, 1);
}

static void bad_no_operation(struct ibv_qp_ex *qp)
{
	set_sges(qp, 0, 1);
	ibv_wr_send(qp);
}

static void bad_two_setters(struct ibv_qp_ex *qp)
{
	ibv_wr_send(qp);
	set_sges(qp, 0, 1);
	set_sges(qp, 0, 1);
}

static void bad_two_lists(struct ibv_qp_ex *qp)
{
	ibv_wr_send(qp);
	set_sges(qp, 0, 2);
	set_sges(qp, 0, 3);
}

TEST(the_first_error_takes_all_back, struct fixture *f, IN_OWN)
{
	static void (*const bad[])(struct ibv_qp_ex *) = {
		bad_many_sges, bad_inline_length, bad_inline_list,
		bad_inline_wrap, bad_inline_read, bad_no_operation,
		bad_two_setters, bad_two_lists,
	};
	struct ibv_qp_ex *qp = ex(f->rc);
	struct fake_wqe wqe;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		start(qp, 1);
		ibv_wr_send(qp);
		set_sges(qp, 1, 3);
		bad[i](qp);
		/* Calls after the error have no effect */
		ibv_wr_rdma_write(qp, 1, 2);
		ibv_wr_set_sge(qp, 1, 2, 3);
		assert_int_equal(ibv_wr_complete(qp), EINVAL);
		assert_no_send(f->rc);

		/* The next transaction succeeds */
		assert_int_equal(send_one(qp, 100 + i, i, 2), 0);
		take_send(f->rc, &wqe);
		assert_int_equal(le64toh(wqe.hdr.wr_id), 100 + i);
		assert_sges(wqe.data, i, 2);
		assert_no_send(f->rc);
	}
}

TEST(abort_takes_all_back, struct fixture *f, IN_OWN)
{
	struct ibv_qp_ex *qp = ex(f->rc);
	struct fake_wqe wqe;
	int i;

	for (i = 0; i < 40; i++) {
		start(qp, i);
		ibv_wr_send(qp);
		set_sges(qp, 1, 4);
		if (i & 1)
			bad_many_sges(qp);
		ibv_wr_abort(qp);
		assert_no_send(f->rc);
	}
	assert_int_equal(send_one(qp, 7, 7, 1), 0);
	take_send(f->rc, &wqe);
	assert_sges(wqe.data, 7, 1);
}

/* From each slot, in a transaction and in a list */
TEST(a_whole_lap_can_begin_anywhere, struct fixture *f, IN_OWN)
{
	struct ibv_send_wr wr[SQ_SLOTS + 1] = {}, *bad;
	struct ibv_sge sg[SQ_SLOTS + 1];
	struct ibv_qp_ex *qp = ex(f->rc);
	uint32_t from, round, i;
	struct fake_wqe wqe;

	for (i = 0; i <= SQ_SLOTS; i++) {
		sg[i] = test_sge(i, 0);
		wr[i].opcode = IBV_WR_SEND;
		wr[i].sg_list = &sg[i];
		wr[i].num_sge = 1;
		wr[i].next = i < SQ_SLOTS ? &wr[i + 1] : NULL;
	}
	for (from = 1; from <= 2 * SQ_SLOTS; from++) {
		for (round = 0; round < 4; round++) {
			start(qp, 0);
			for (i = 0; i < SQ_SLOTS + (round == 1); i++) {
				ibv_wr_send(qp);
				set_sges(qp, i, 1);
			}
			if (round == 0) {
				ibv_wr_abort(qp);
			} else if (round == 1) {
				assert_int_equal(ibv_wr_complete(qp), ENOMEM);
			} else if (round == 2) {
				assert_int_equal(ibv_wr_complete(qp), 0);
			} else {
				ibv_wr_abort(qp);
				assert_int_equal(ibv_post_send(f->rc, wr, &bad),
						 ENOMEM);
				assert_ptr_equal(bad, &wr[SQ_SLOTS]);
			}
			for (i = 0; round >= 2 && i < SQ_SLOTS; i++) {
				take_send(f->rc, &wqe);
				assert_sges(wqe.data, i, 1);
			}
			assert_no_send(f->rc);
		}
		assert_int_equal(send_one(qp, 0, from, 1), 0);
		take_send(f->rc, &wqe);
		assert_sges(wqe.data, from, 1);
	}
}

TEST(nothing_is_a_transaction, struct fixture *f, IN_OWN)
{
	ibv_wr_start(ex(f->rc));
	assert_int_equal(ibv_wr_complete(ex(f->rc)), 0);
	assert_no_send(f->rc);
}

/* Posts @fits + 1 requests of @num SGEs, which do not fit, and then @fits */
static void fill(struct ibv_qp *ibqp, struct ibv_ah *ah, int fits, int num)
{
	struct ibv_qp_ex *qp = ex(ibqp);
	struct fake_wqe wqe;
	int i, n;

	for (n = fits + 1; n >= fits; n--) {
		start(qp, 0);
		for (i = 0; i < n; i++) {
			ibv_wr_send(qp);
			set_peer(ibqp, ah);
			set_sges(qp, i, num);
		}
		assert_int_equal(ibv_wr_complete(qp), n > fits ? ENOMEM : 0);
		if (n > fits)
			assert_no_send(ibqp);
	}
	for (i = 0; i < fits; i++) {
		take_send(ibqp, &wqe);
		assert_sges(wqe.data, i, num);
	}
}

/* The device owns the WQE of the last transaction: it must not change */
TEST(an_address_needs_an_operation, struct fixture *f, IN_OWN)
{
	struct ibv_qp_ex *qp = ex(f->ud);
	struct fake_wqe wqe;

	start(qp, 1);
	ibv_wr_send(qp);
	ibv_wr_set_ud_addr(qp, f->ah, 5, 6);
	assert_int_equal(ibv_wr_complete(qp), 0);
	start(qp, 2);
	ibv_wr_set_ud_addr(qp, f->ah, 7, 8);
	assert_int_equal(ibv_wr_complete(qp), EINVAL);
	take_send(f->ud, &wqe);
	assert_int_equal(wqe.bytes[0], 5);
	assert_no_send(f->ud);
}

/* The ring still has the address of an earlier datagram */
TEST(an_operation_needs_an_address, struct fixture *f, IN_OWN)
{
	struct ibv_qp_ex *qp = ex(f->ud);
	struct fake_wqe wqe;
	int lacks, i;

	for (lacks = 0; lacks < 3; lacks++) {
		start(qp, lacks);
		for (i = 0; i < 3; i++) {
			if (i & 1)
				ibv_wr_send_imm(qp, htobe32(i));
			else
				ibv_wr_send(qp);
			if (i != lacks)
				ibv_wr_set_ud_addr(qp, f->ah, 5, 6);
			set_sges(qp, i, 1);
		}
		assert_int_equal(ibv_wr_complete(qp), EINVAL);
		assert_no_send(f->ud);

		/* The next transaction is not affected */
		start(qp, 1);
		ibv_wr_send(qp);
		ibv_wr_abort(qp);
		start(qp, 1);
		assert_int_equal(ibv_wr_complete(qp), 0);
		assert_no_send(f->ud);
		start(qp, 1);
		ibv_wr_send(qp);
		ibv_wr_set_ud_addr(qp, f->ah, 5, 6);
		assert_int_equal(ibv_wr_complete(qp), 0);
		take_send(f->ud, &wqe);
	}
}

/* Inline data needs no SGE */
TEST(a_qp_without_sges_takes_none, struct fixture *f, IN_OWN)
{
	struct fake_wqe wqe;
	struct ibv_qp *ibqp;
	struct ibv_qp_ex *qp;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct ibv_qp_init_attr_ex attr = {
			.send_cq = f->cq, .recv_cq = f->cq,
			.cap = { .max_send_wr = 4, .max_inline_data = 32 },
			.qp_type = types[i].type,
			.comp_mask = IBV_QP_INIT_ATTR_PD |
				     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
			.pd = f->rc->pd, .send_ops_flags = types[i].ops,
		};

		ibqp = f->ops->create_qp_ex(f->ctx, &attr);
		assert_non_null(ibqp);
		fake_to_state(ibqp, IBV_QPS_RTS);
		qp = ex(ibqp);
		start(qp, 1);
		ibv_wr_send(qp);
		set_peer(ibqp, f->ah);
		set_sges(qp, 1, 1);
		assert_int_equal(ibv_wr_complete(qp), EINVAL);
		assert_no_send(ibqp);

		start(qp, 2);
		ibv_wr_send(qp);
		set_peer(ibqp, f->ah);
		ibv_wr_set_inline_data(qp, &i, sizeof(i));
		assert_int_equal(ibv_wr_complete(qp), 0);
		take_send(ibqp, &wqe);
		assert_int_equal(wqe.count, sizeof(i));
		assert_int_equal(f->ops->destroy_qp(ibqp), 0);
	}
}

TEST(a_full_queue_takes_the_whole_back, struct fixture *f, IN_OWN)
{
	fill(f->rc, f->ah, SQ_SLOTS, 1);
	fill(f->rc, f->ah, SQ_SLOTS / 2, 4);
	fill(f->ud, f->ah, SQ_SLOTS / 2, 1);
}

TEST(states_decide_what_may_be_posted, struct fixture *f, IN_OWN)
{
	struct ibv_qp_ex *qp = ex(f->rc);
	enum ibv_qp_state s;

	for (s = IBV_QPS_RESET; s <= IBV_QPS_ERR; s++) {
		fake_to_state(f->rc, IBV_QPS_RESET);
		fake_to_state(f->rc, s);
		assert_int_equal(send_one(qp, 0, 0, 1),
				 s < IBV_QPS_RTS ? EINVAL : 0);
	}
}

TEST(both_ways_to_post_share_the_ring, struct fixture *f, IN_OWN)
{
	struct ibv_sge sg = test_sge(1, 0);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND, .sg_list = &sg, .num_sge = 1,
	}, *bad;
	struct fake_wqe wqe;
	int i;

	for (i = 0; i < 50; i++) {
		wr.wr_id = 2 * i;
		assert_int_equal(ibv_post_send(f->rc, &wr, &bad), 0);
		assert_int_equal(send_one(ex(f->rc), 2 * i + 1, 2, 3), 0);
		take_send(f->rc, &wqe);
		assert_int_equal(le64toh(wqe.hdr.wr_id), 2 * i);
		take_send(f->rc, &wqe);
		assert_int_equal(le64toh(wqe.hdr.wr_id), 2 * i + 1);
	}
}

TEST_MAIN("wr_ex")
