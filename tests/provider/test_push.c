// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Pushed WQEs: which are pushed, and what is in a line ([ORNIC-PUSH-2]) */
#include "fixture.h"

#define NOBODY	(~0ULL)
#define LINES	(ORNIC_PUSH_PAGE_SIZE / sizeof(struct ornic_push_line))

/* Clears the page; returns the only line that has been written, or NULL */
static const struct ornic_push_line *take_line(struct fixture *f, uint32_t *at)
{
	static struct ornic_push_line found;
	unsigned int i, count = 0;

	for (i = 0; i < LINES; i++) {
		if (f->fake.push[i].doorbell) {
			found = f->fake.push[i];
			*at = i;
			count++;
		}
	}
	assert_true(count <= 1);
	memset(f->fake.push, 0, ORNIC_PUSH_PAGE_SIZE);
	return count ? &found : NULL;
}

/* The last WQE is in line @at, and no doorbell was rung */
static void assert_pushed(struct fixture *f, struct ibv_qp *ibqp, uint32_t at)
{
	const struct fake_qp *qp = fake_qp(ibqp);
	uint32_t found, pi = le32toh(qp->dbr->sq_pi);
	const struct ornic_push_line *line = take_line(f, &found);

	assert_non_null(line);
	assert_int_equal(found, at);
	assert_int_equal(le64toh(line->doorbell),
			 (uint64_t)ibqp->qp_num << 32 | pi);
	assert_memory_equal(line->wqe, qp->sq + (pi - 1) % qp->sq_slots * 64,
			    sizeof(line->wqe));
	assert_int_equal(fake_take_doorbell(&f->fake), NOBODY);
}

/* An ordinary doorbell, and nothing else */
static void assert_rung(struct fixture *f, struct ibv_qp *ibqp)
{
	uint32_t at;

	assert_null(take_line(f, &at));
	assert_int_equal(fake_take_doorbell(&f->fake),
			 (uint64_t)ibqp->qp_num << 32 |
			 le32toh(fake_qp(ibqp)->dbr->sq_pi));
}

static int setup_unwatched(void **state)
{
	int ret = setup_push(state);
	struct fixture *f = *state;

	fake_qp(f->rc)->dbr->sq_watched = 0;
	fake_qp(f->ud)->dbr->sq_watched = 0;
	memset(f->fake.push, 0, ORNIC_PUSH_PAGE_SIZE);
	return ret;
}

/* Each request is completed, so that the ring wraps */
static void done(struct fixture *f, struct ibv_qp *ibqp)
{
	struct fake_wqe wqe;

	while (fake_take_send(fake_qp(ibqp), ibqp->qp_type, &wqe))
		as_polled(&to_ornic_qp(ibqp)->sq.polled);
	fake_release_sends(fake_qp(ibqp));
}

TEST(a_single_request_is_pushed, struct fixture *f, IN(setup_unwatched, teardown))
{
	uint8_t data[64] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct ibv_sge sg = {
		.addr = (uintptr_t)data, .length = 24, .lkey = 5,
	};
	struct ibv_send_wr wr = {
		.wr_id = 77, .opcode = IBV_WR_RDMA_WRITE, .sg_list = &sg,
		.num_sge = 1, .wr.rdma = { .remote_addr = 0x1234, .rkey = 9 },
	};
	struct ibv_send_wr *bad;
	unsigned int i;

	for (i = 0; i < 2 * LINES; i++) {
		wr.send_flags = i & 1 ? IBV_SEND_INLINE : 0;
		assert_int_equal(ibv_post_send(f->rc, &wr, &bad), 0);
		assert_pushed(f, f->rc, i % LINES);
		done(f, f->rc);
	}
}

/* A thread that holds the lock may be preempted: another one rings and does not wait */
TEST(a_held_lock_rings, struct fixture *f, IN(setup_unwatched, teardown))
{
	uint8_t data[8] = {};
	struct ibv_sge sg = { .addr = (uintptr_t)data, .length = 8, .lkey = 5 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE, .sg_list = &sg, .num_sge = 1,
	};
	struct ornic_context *ctx = to_ornic_context(f->ctx);
	struct ibv_send_wr *bad;

	pthread_spin_lock(&ctx->push_lock);
	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), 0);
	assert_rung(f, f->rc);
	pthread_spin_unlock(&ctx->push_lock);
}

TEST(a_longer_request_is_not_pushed, struct fixture *f, IN(setup_unwatched, teardown))
{
	uint8_t data[64] = {};
	struct ibv_sge sg[2] = {
		{ .addr = (uintptr_t)data, .length = 25 },
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND, .sg_list = sg, .num_sge = 1,
		.send_flags = IBV_SEND_INLINE,
	};
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), 0);
	assert_rung(f, f->rc);
	sg[0].length = 64;
	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), 0);
	assert_rung(f, f->rc);
	/* 64 bytes of WQE */
	wr.send_flags = 0;
	wr.num_sge = 2;
	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), 0);
	assert_rung(f, f->rc);
	/* The route of a datagram fills the slot */
	wr.num_sge = 0;
	wr.wr.ud.ah = f->ah;
	assert_int_equal(ibv_post_send(f->ud, &wr, &bad), 0);
	assert_rung(f, f->ud);
}

TEST(a_list_is_not_pushed, struct fixture *f, IN(setup_unwatched, teardown))
{
	struct ibv_send_wr next = { .opcode = IBV_WR_SEND };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .next = &next };
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), 0);
	assert_rung(f, f->rc);
	/* One request comes before the bad one */
	next.opcode = 99;
	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), EINVAL);
	assert_pushed(f, f->rc, 0);
}

TEST(a_transaction_is_pushed, struct fixture *f, IN(setup_unwatched, teardown))
{
	struct ibv_qp_ex *qp = ex(f->rc);
	uint8_t data[24] = { 1, 2, 3 };
	unsigned int i;

	for (i = 0; i < 2 * LINES; i++) {
		ibv_wr_start(qp);
		ibv_wr_rdma_write(qp, 9, 0x1234);
		ibv_wr_set_inline_data(qp, data, i % sizeof(data));
		assert_int_equal(ibv_wr_complete(qp), 0);
		assert_pushed(f, f->rc, i % LINES);
		done(f, f->rc);
	}

	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_send(qp);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_rung(f, f->rc);

	/* One without requests rings as ever */
	ibv_wr_start(qp);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_rung(f, f->rc);

	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_abort(qp);
	assert_null(take_line(f, &i));
}

/* [ORNIC-PUSH-3] There is no lock between processes */
TEST(an_imported_context_does_not_push, struct fixture *f, IN(setup_unwatched, teardown))
{
	struct verbs_context *vctx = fake_import(&f->fake);
	struct ornic_context *ctx;

	assert_non_null(vctx);
	ctx = to_ornic_context(&vctx->context);
	assert_int_equal(ornic_context_map_queues(ctx), 0);
	assert_null(ctx->push);
	assert_non_null(ctx->db);
	f->ops->free_context(&vctx->context);
}

TEST(the_page_cannot_be_mapped, struct fixture *f, IN(setup_unwatched, teardown))
{
	struct verbs_context *vctx;
	struct ornic_context *ctx;

	vctx = fake_alloc_context(&f->fake);
	assert_non_null(vctx);
	ctx = to_ornic_context(&vctx->context);
	ctx->pages.push.offset = 1;
	assert_int_equal(ornic_context_map_queues(ctx), EINVAL);
	assert_null(ctx->push);
	f->ops->free_context(&vctx->context);
}

TEST_MAIN("push")
