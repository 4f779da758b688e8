// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Publishing work: watched queues, the board, doorbells ([ORNIC-DB-35]) */
#include "fixture.h"

#define NOBODY	(~0ULL)

static uint64_t sq_doorbell(struct ibv_qp *ibqp, uint32_t pi)
{
	return (uint64_t)ORNIC_DB_SQ << 56 | (uint64_t)ibqp->qp_num << 32 | pi;
}

static void post(struct ibv_qp *ibqp)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;

	assert_int_equal(ibv_post_send(ibqp, &wr, &bad), 0);
}

static void assert_board(struct fixture *f, struct ibv_qp *ibqp, bool set)
{
	struct ornic_board *board = f->fake.board;
	uint32_t slot = 65 + ibqp->handle, i;

	for (i = 0; i < ORNIC_BOARD_SUMMARY_WORDS; i++)
		assert_int_equal(le64toh(board->summary[i]),
				 set && i == slot / 64 / 64 ?
				 1ULL << (slot / 64 % 64) : 0);
	for (i = 0; i < ORNIC_BOARD_WORDS; i++)
		assert_int_equal(le64toh(board->bits[i]),
				 set && i == slot / 64 ?
				 1ULL << (slot % 64) : 0);
}

TEST(a_watched_queue_needs_nothing, struct fixture *f, IN_OWN)
{
	post(f->rc);
	assert_int_equal(le32toh(fake_qp(f->rc)->dbr->sq_pi), 1);
	assert_int_equal(fake_take_doorbell(&f->fake), NOBODY);
	assert_board(f, f->rc, false);
}

TEST(an_awake_device_looks_at_the_board, struct fixture *f, IN_OWN)
{
	fake_qp(f->rc)->dbr->sq_watched = 0;
	f->fake.board->awake = htole32(1);
	post(f->rc);
	assert_int_equal(fake_take_doorbell(&f->fake), NOBODY);
	assert_board(f, f->rc, true);

	/* The device clears the bits, and the next post sets them again */
	memset(f->fake.board->summary, 0, sizeof(f->fake.board->summary));
	memset(f->fake.board->bits, 0, sizeof(f->fake.board->bits));
	post(f->rc);
	assert_board(f, f->rc, true);
	assert_int_equal(le32toh(fake_qp(f->rc)->dbr->sq_pi), 2);
}

TEST(a_sleeping_device_is_rung, struct fixture *f, IN_OWN)
{
	fake_qp(f->rc)->dbr->sq_watched = 0;
	post(f->rc);
	assert_int_equal(fake_take_doorbell(&f->fake), sq_doorbell(f->rc, 1));
	assert_board(f, f->rc, true);
	post(f->rc);
	assert_int_equal(fake_take_doorbell(&f->fake), sq_doorbell(f->rc, 2));
}

TEST(a_queue_without_a_slot_rings, struct fixture *f, IN_OWN)
{
	struct ibv_qp *qp;

	f->fake.no_slot = true;
	qp = fake_create_qp(&f->fake, IBV_QPT_RC, f->cq, SQ_SLOTS, 1, 0);
	fake_to_state(qp, IBV_QPS_RTS);
	f->fake.board->awake = htole32(1);
	post(qp);
	assert_int_equal(fake_take_doorbell(&f->fake), sq_doorbell(qp, 1));
	assert_board(f, qp, false);

	fake_qp(qp)->dbr->sq_watched = htole32(1);
	post(qp);
	assert_int_equal(fake_take_doorbell(&f->fake), NOBODY);
}

TEST(one_doorbell_for_a_list, struct fixture *f, IN_OWN)
{
	struct ibv_send_wr wr[3] = {}, *bad;
	int i;

	for (i = 0; i < 3; i++) {
		wr[i].opcode = IBV_WR_SEND;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
	}
	fake_qp(f->rc)->dbr->sq_watched = 0;
	assert_int_equal(ibv_post_send(f->rc, wr, &bad), 0);
	assert_int_equal(fake_take_doorbell(&f->fake), sq_doorbell(f->rc, 3));
}

TEST(refused_requests_ring_nothing, struct fixture *f, IN_OWN)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .num_sge = 99 }, *bad;

	fake_qp(f->rc)->dbr->sq_watched = 0;
	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), EINVAL);
	ibv_wr_start(ex(f->rc));
	ibv_wr_send(ex(f->rc));
	ibv_wr_abort(ex(f->rc));
	ibv_wr_start(ex(f->rc));
	ibv_wr_set_sge(ex(f->rc), 1, 2, 3);
	assert_int_equal(ibv_wr_complete(ex(f->rc)), EINVAL);
	assert_int_equal(fake_take_doorbell(&f->fake), NOBODY);
	assert_board(f, f->rc, false);
}

TEST(receives_and_requests_for_events_ring_nothing, struct fixture *f, IN_OWN)
{
	struct ibv_recv_wr wr = {}, *bad;

	assert_int_equal(ibv_post_recv(f->rc, &wr, &bad), 0);
	assert_int_equal(ibv_req_notify_cq(f->cq, 0), 0);
	assert_int_equal(fake_take_doorbell(&f->fake), NOBODY);
}

static uint64_t rq_doorbell(enum ornic_db_type type, uint32_t num, uint32_t pi)
{
	return (uint64_t)type << 56 | (uint64_t)num << 32 | pi;
}

/* [ORNIC-DB-13] One doorbell for a list, and none for what is refused */
TEST(receives_ring_for_a_device_that_needs_it, struct fixture *f, IN_OWN)
{
	struct ibv_recv_wr next = {}, wr = { .next = &next }, *bad;
	const struct verbs_context_ops *ops;
	struct verbs_context *vctx;
	static struct ornic_pd pd;
	struct ibv_srq *srq;
	struct ibv_wq *wq;

	f->fake.ucontext.caps |= ORNIC_UCONTEXT_CAP_RQ_DOORBELL;
	vctx = fake_import(&f->fake);
	assert_non_null(vctx);
	ops = f->ops;
	to_ornic_context(f->ctx)->caps |= ORNIC_UCONTEXT_CAP_RQ_DOORBELL;
	pd.ibv_pd.context = f->ctx;
	srq = create_srq_in(f, &pd.ibv_pd, 4, 0);
	assert_non_null(srq);
	wq = create_wq_in(f, &pd.ibv_pd, f->cq, 4);
	assert_non_null(wq);
	wq_to_state(f, wq, IBV_WQS_RDY);

	assert_int_equal(vctx->context.ops.post_recv(f->rc, &wr, &bad), 0);
	assert_int_equal(fake_take_doorbell(&f->fake),
			 rq_doorbell(ORNIC_DB_RQ, f->rc->qp_num, 2));
	assert_int_equal(ops->post_srq_recv(srq, &wr, &bad), 0);
	assert_int_equal(fake_take_doorbell(&f->fake),
			 rq_doorbell(ORNIC_DB_SRQ, fake_srq(srq)->qpn, 2));
	assert_int_equal(wq->post_recv(wq, &wr, &bad), 0);
	assert_int_equal(fake_take_doorbell(&f->fake),
			 rq_doorbell(ORNIC_DB_RQ, wq->wq_num, 2));

	next.num_sge = 99;
	assert_int_equal(vctx->context.ops.post_recv(f->rc, &next, &bad),
			 EINVAL);
	assert_int_equal(ops->post_srq_recv(srq, &next, &bad), EINVAL);
	assert_int_equal(wq->post_recv(wq, &next, &bad), EINVAL);
	assert_int_equal(fake_take_doorbell(&f->fake), NOBODY);

	assert_int_equal(ops->destroy_wq(wq), 0);
	assert_int_equal(ops->destroy_srq(srq), 0);
	ops->free_context(&vctx->context);
}

TEST(a_device_without_shadow_is_always_rung, struct fixture *f, IN(setup_plain, teardown))
{
	fake_qp(f->rc)->dbr->sq_watched = 0;
	post(f->rc);
	assert_int_equal(fake_take_doorbell(&f->fake), sq_doorbell(f->rc, 1));
	assert_int_equal(ibv_req_notify_cq(f->cq, 0), 0);
	assert_int_equal(fake_take_doorbell(&f->fake),
			 (uint64_t)ORNIC_DB_CQ << 56 |
			 (uint64_t)fake_cq(f->cq)->cqn << 32 | ORNIC_ARM_NEXT);
}

TEST_MAIN("doorbell")
