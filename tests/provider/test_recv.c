// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ibv_post_recv(): WQEs in the ring, and refused requests */
#include "fixture.h"

static int post_list(struct ibv_qp *ibqp, uint32_t seed, int num, int length,
		     int *posted)
{
	struct ibv_recv_wr wr[16] = {}, *bad = NULL;
	struct ibv_sge sg[16][6];
	int i, n, ret;

	for (i = 0; i < length; i++) {
		for (n = 0; n < num; n++)
			sg[i][n] = test_sge(seed + i, n);
		wr[i].wr_id = seed + i;
		wr[i].sg_list = sg[i];
		wr[i].num_sge = num;
		wr[i].next = i + 1 < length ? &wr[i + 1] : NULL;
	}
	ret = ibv_post_recv(ibqp, length ? wr : NULL, &bad);
	*posted = ret ? bad - wr : length;
	return ret;
}

static int post(struct ibv_qp *ibqp, uint32_t seed, int num)
{
	int posted;

	return post_list(ibqp, seed, num, 1, &posted);
}

/* The device uses a WQE, and its completion is polled */
static bool take(struct ibv_qp *ibqp, struct ornic_rq_hdr *hdr,
		 struct ornic_sge *sge)
{
	if (!fake_take_recv(fake_qp(ibqp), hdr, sge))
		return false;
	as_polled(&to_ornic_qp(ibqp)->rq.polled);
	return true;
}

/* [ORNIC-GEN-4] */
TEST(wqes_arrive_whole_across_wraps, struct fixture *f, IN_OWN)
{
	struct ornic_rq_hdr hdr;
	struct ornic_sge sge[4];
	uint32_t i;

	for (i = 0; i < 100; i++) {
		assert_int_equal(post(f->rc, i, i % 5), 0);
		assert_true(take(f->rc, &hdr, sge));
		assert_int_equal(le64toh(hdr.wr_id), i);
		assert_int_equal(le32toh(hdr.ctrl), i % 5);
		assert_int_equal(hdr.rsvd, 0);
		assert_sges(sge, i, i % 5);
		assert_false(take(f->rc, &hdr, sge));
	}
}

TEST(the_queue_holds_what_was_asked_for, struct fixture *f, IN_OWN)
{
	struct ornic_rq_hdr hdr;
	struct ornic_sge sge[4];
	int posted;

	assert_int_equal(post_list(f->rc, 0, 1, RQ_WRS + 3, &posted), ENOMEM);
	assert_int_equal(posted, RQ_WRS);
	assert_int_equal(post(f->rc, 50, 1), ENOMEM);
	assert_true(take(f->rc, &hdr, sge));
	assert_int_equal(post(f->rc, 50, 1), 0);
	assert_int_equal(post(f->rc, 51, 1), ENOMEM);
}

/*
 * [ORNIC-ORD-6] The ring has more places than the kernel grants: as many as the
 * consumer index may lag behind, which may be so far for ever. So all that is
 * granted can be posted again when all has been received.
 */
TEST(the_index_may_lag, struct fixture *f, IN_OWN)
{
	enum { GRANTED = 5, LAG = 3 };
	struct ornic_rq_hdr hdr;
	struct ornic_sge sge[4];
	struct ibv_qp *qp;
	int posted, lap, i;

	qp = fake_create_qp(&f->fake, IBV_QPT_UD, f->cq, 1, GRANTED, 0);
	fake_to_state(qp, IBV_QPS_INIT);
	for (lap = 1; lap < 20; lap++) {
		assert_int_equal(post_list(qp, lap, 1, GRANTED, &posted), 0);
		for (i = 0; i < GRANTED; i++) {
			assert_true(take(qp, &hdr, sge));
			assert_int_equal(le64toh(hdr.wr_id), lap + i);
		}
		fake_qp(qp)->dbr->rq_ci = htole32(lap * GRANTED - LAG);
	}
	assert_int_equal(post_list(qp, 0, 1, 8, &posted), ENOMEM);
	assert_int_equal(posted, GRANTED);
}

TEST(too_many_sges_are_refused, struct fixture *f, IN_OWN)
{
	struct ibv_recv_wr wr = { .num_sge = -1 }, *bad = NULL;

	assert_int_equal(post(f->rc, 0, 5), EINVAL);
	assert_int_equal(ibv_post_recv(f->rc, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	assert_int_equal(fake_qp(f->rc)->dbr->rq_pi, 0);
}

TEST(only_reset_refuses, struct fixture *f, IN_OWN)
{
	static const enum ibv_qp_state states[] = {
		IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD,
		IBV_QPS_SQE, IBV_QPS_ERR,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		fake_to_state(f->rc, IBV_QPS_RESET);
		assert_int_equal(fake_qp(f->rc)->dbr->rq_pi, 0);
		assert_int_equal(post(f->rc, 0, 1), EINVAL);
		fake_to_state(f->rc, states[i]);
		assert_int_equal(post(f->rc, 0, 1), 0);
	}
}

TEST(an_index_from_nowhere_is_not_believed, struct fixture *f, IN_OWN)
{
	int posted;

	assert_int_equal(post_list(f->rc, 0, 1, RQ_WRS, &posted), 0);
	fake_qp(f->rc)->dbr->rq_ci = htole32(RQ_WRS + 1);
	assert_int_equal(post(f->rc, 0, 1), ENOMEM);
	fake_qp(f->rc)->dbr->rq_ci = htole32(-1);
	assert_int_equal(post(f->rc, 0, 1), ENOMEM);
	/* More completions than requests */
	atomic_store(&to_ornic_qp(f->rc)->rq.polled.count, RQ_WRS + 1);
	assert_int_equal(post(f->rc, 0, 1), ENOMEM);
}

TEST(queues_of_no_size_work, struct fixture *f, IN_OWN)
{
	struct ibv_send_wr swr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_qp *qp;

	qp = fake_create_qp(&f->fake, IBV_QPT_RC, f->cq, 0, 0, 0);
	assert_non_null(qp);
	fake_to_state(qp, IBV_QPS_RTS);
	assert_int_equal(post(qp, 0, 1), ENOMEM);
	assert_int_equal(ibv_post_send(qp, &swr, &bad), ENOMEM);
}

TEST_MAIN("recv")
