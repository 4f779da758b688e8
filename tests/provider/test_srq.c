// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Shared receive queues: posting, resizing, attributes, QPs with an SRQ */
#include "fixture.h"

#define SRQ_WRS		8

static struct ibv_srq *create_srq(struct fixture *f, uint32_t max_wr)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = max_wr, .max_sge = RECV_SGES },
	};
	struct ibv_srq *srq;

	srq = f->ops->create_srq(f->rc->pd, &attr);
	assert_non_null(srq);
	assert_true(attr.attr.max_wr >= max_wr);
	return srq;
}

static int post(struct fixture *f, struct ibv_srq *srq, uint64_t n)
{
	struct ibv_sge sg[RECV_SGES];
	struct ibv_recv_wr wr = recv_wr(n, sg);
	struct ibv_recv_wr *bad = NULL;
	int ret;

	ret = f->ops->post_srq_recv(srq, &wr, &bad);
	assert_ptr_equal(bad, ret ? &wr : NULL);
	return ret;
}

static void take(struct ibv_srq *srq, uint64_t n)
{
	take_recv(fake_srq(srq), n);
}

TEST(receives_arrive_across_wraps, struct fixture *f, IN_OWN)
{
	struct ibv_srq *srq = create_srq(f, SRQ_WRS);
	uint64_t in = 0, out = 0;
	int i, n;

	for (i = 0; i < 300; i++) {
		for (n = i % (SRQ_WRS + 1); n; n--)
			assert_int_equal(post(f, srq, in++), 0);
		while (out != in)
			take(srq, out++);
	}
}

/* The place of a WQE is free when a QP has taken it, before it completes */
TEST(a_full_srq_takes_one_for_each_taken, struct fixture *f, IN_OWN)
{
	struct ibv_srq *srq = create_srq(f, SRQ_WRS);
	uint64_t in = 0;
	int i;

	while (in < SRQ_WRS)
		assert_int_equal(post(f, srq, in++), 0);
	for (i = 0; i < 3 * SRQ_WRS; i++) {
		assert_int_equal(post(f, srq, in), ENOMEM);
		take(srq, in - SRQ_WRS);
		assert_int_equal(post(f, srq, in++), 0);
	}
}

TEST(too_many_sges_are_refused, struct fixture *f, IN_OWN)
{
	struct ibv_recv_wr wr = { .num_sge = RECV_SGES + 1 }, *bad;
	struct ibv_srq *srq = create_srq(f, SRQ_WRS);

	assert_int_equal(f->ops->post_srq_recv(srq, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
}

/* From many places in the ring, with 0, 4 and 8 requests in it */
TEST(resizing_keeps_what_is_posted, struct fixture *f, IN_OWN)
{
	struct ibv_srq_attr attr = { .max_wr = 4 * SRQ_WRS };
	uint64_t in, out;
	struct ibv_srq *srq;
	uint32_t before, n;

	for (before = 0; before < SRQ_WRS + 3; before += 2) {
		for (n = 0; n <= SRQ_WRS; n += 4) {
			srq = create_srq(f, SRQ_WRS);
			for (in = 0, out = 0; in < before; ) {
				assert_int_equal(post(f, srq, in++), 0);
				take(srq, out++);
			}
			while (in < before + n)
				assert_int_equal(post(f, srq, in++), 0);
			assert_int_equal(f->ops->modify_srq(srq, &attr,
							    IBV_SRQ_MAX_WR), 0);
			while (in - out < attr.max_wr)
				assert_int_equal(post(f, srq, in++), 0);
			assert_int_equal(post(f, srq, in), ENOMEM);
			while (out != in)
				take(srq, out++);
			assert_int_equal(post(f, srq, in), 0);
			assert_int_equal(f->ops->destroy_srq(srq), 0);
		}
	}
}

TEST(a_refused_change_changes_nothing, struct fixture *f, IN_OWN)
{
	struct ibv_srq_attr attr = { .max_wr = 4 * SRQ_WRS };
	const struct verbs_context_ops *ops = f->ops;
	struct ibv_srq *srq = create_srq(f, SRQ_WRS);
	uint64_t n;

	f->fake.fail = EINVAL;
	assert_int_equal(ops->modify_srq(srq, &attr, IBV_SRQ_MAX_WR), EINVAL);
	f->fake.fail = EINVAL;
	assert_int_equal(ops->modify_srq(srq, &attr, IBV_SRQ_LIMIT), EINVAL);
	assert_int_equal(ops->modify_srq(srq, &attr, IBV_SRQ_LIMIT), 0);
	for (n = 0; n < SRQ_WRS; n++)
		assert_int_equal(post(f, srq, n), 0);
	assert_int_equal(post(f, srq, n), ENOMEM);

	f->fake.fail = EIO;
	assert_int_equal(ops->query_srq(srq, &attr), EIO);
	f->fake.fail = EBUSY;
	assert_int_equal(ops->destroy_srq(srq), EBUSY);
}

/* A limit above the new size is refused before the resize */
TEST(a_limit_above_the_new_size_changes_nothing, struct fixture *f, IN_OWN)
{
	struct ibv_srq_attr attr = { .max_wr = 16, .srq_limit = 17 };
	struct ibv_srq *srq = create_srq(f, SRQ_WRS);
	uint64_t n;

	assert_int_equal(f->ops->modify_srq(srq, &attr, IBV_SRQ_MAX_WR |
					    IBV_SRQ_LIMIT), EINVAL);
	for (n = 0; n < SRQ_WRS; n++)
		assert_int_equal(post(f, srq, n), 0);
	assert_int_equal(post(f, srq, n), ENOMEM);
}

/* The SRQ continues in the new ring */
TEST(a_limit_refused_after_the_resize_is_no_way_back, struct fixture *f, IN_OWN)
{
	struct ibv_srq_attr attr = { .max_wr = 16, .srq_limit = 15 };
	struct ibv_srq *srq = create_srq(f, SRQ_WRS);
	uint64_t n;

	assert_int_equal(post(f, srq, 0), 0);
	f->fake.fail_next = EIO;
	assert_int_equal(f->ops->modify_srq(srq, &attr, IBV_SRQ_MAX_WR |
					    IBV_SRQ_LIMIT), EIO);
	for (n = 1; n < 16; n++)
		assert_int_equal(post(f, srq, n), 0);
	assert_int_equal(post(f, srq, n), ENOMEM);
	for (n = 0; n < 16; n++)
		take(srq, n);
}

/* The device has left the old ring, so requests are refused */
TEST(an_srq_that_cannot_be_mapped_is_closed, struct fixture *f, IN_OWN)
{
	struct ibv_srq_attr attr = { .max_wr = 4 * SRQ_WRS };
	struct ibv_srq *srq = create_srq(f, SRQ_WRS);

	f->fake.bad_mmap = true;
	assert_int_equal(f->ops->modify_srq(srq, &attr, IBV_SRQ_MAX_WR),
			 EINVAL);
	assert_int_equal(post(f, srq, 0), EINVAL);
}

static struct ibv_srq *create_ex(struct fixture *f, uint32_t comp_mask,
				 enum ibv_srq_type type)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 1, .max_sge = 1 },
		.comp_mask = comp_mask, .srq_type = type, .pd = f->rc->pd,
		.cq = f->cq,
	};

	errno = 0;
	return f->ops->create_srq_ex(f->ctx, &attr);
}

TEST(only_xrc_has_a_number, struct fixture *f, IN_OWN)
{
	const uint32_t mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE;
	struct ibv_srq *srq;
	uint32_t num;

	srq = create_ex(f, mask | IBV_SRQ_INIT_ATTR_XRCD |
			IBV_SRQ_INIT_ATTR_CQ, IBV_SRQT_XRC);
	assert_non_null(srq);
	assert_int_equal(f->ops->get_srq_num(srq, &num), 0);
	assert_int_equal(num, 0x777);
	assert_int_equal(f->ops->destroy_srq(srq), 0);

	srq = create_ex(f, mask, IBV_SRQT_BASIC);
	assert_int_equal(f->ops->get_srq_num(srq, &num), EINVAL);
	assert_int_equal(f->ops->destroy_srq(srq), 0);
	srq = create_ex(f, IBV_SRQ_INIT_ATTR_PD, IBV_SRQT_XRC);
	assert_int_equal(f->ops->get_srq_num(srq, &num), EINVAL);
	assert_int_equal(f->ops->destroy_srq(srq), 0);
	srq = create_srq(f, 1);
	assert_int_equal(f->ops->get_srq_num(srq, &num), EINVAL);
}

TEST(what_cannot_be_created_leaves_nothing, struct fixture *f, IN_OWN)
{
	const uint32_t mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE;
	struct ibv_srq_init_attr attr = { .attr = { 1, 1, 0 } };

	assert_fails(create_ex(f, mask, IBV_SRQT_TM), EOPNOTSUPP);
	assert_fails(create_ex(f, mask | IBV_SRQ_INIT_ATTR_TM, IBV_SRQT_BASIC),
		     EOPNOTSUPP);
	assert_fails(create_ex(f, IBV_SRQ_INIT_ATTR_TYPE, IBV_SRQT_BASIC),
		     EINVAL);

	f->fake.fail = ENOSPC;
	assert_fails(create_ex(f, mask, IBV_SRQT_BASIC), ENOSPC);
	f->fake.bad_mmap = true;
	assert_fails(create_ex(f, mask, IBV_SRQT_BASIC), EINVAL);
	f->fake.fail = ENOSPC;
	assert_fails(f->ops->create_srq(f->rc->pd, &attr), ENOSPC);
	f->fake.bad_mmap = true;
	assert_fails(f->ops->create_srq(f->rc->pd, &attr), EINVAL);
	assert_int_equal(f->fake.srqs[0].qpn, 0);
}

TEST(a_qp_with_an_srq_has_no_receive_queue, struct fixture *f, IN_OWN)
{
	struct ibv_recv_wr wr = {}, *bad;
	struct ibv_srq *srq = create_srq(f, SRQ_WRS);
	struct ibv_qp_init_attr attr = {
		.send_cq = f->cq, .recv_cq = f->cq, .srq = srq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 100,
			 .max_recv_sge = 100 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp;

	qp = f->ops->create_qp(f->rc->pd, &attr);
	assert_non_null(qp);
	assert_int_equal(f->fake.last_attr.cap.max_recv_wr, 0);
	assert_int_equal(f->fake.last_attr.cap.max_recv_sge, 0);
	fake_to_state(qp, IBV_QPS_RTS);
	assert_int_equal(ibv_post_recv(qp, &wr, &bad), EINVAL);
	assert_int_equal(f->ops->destroy_qp(qp), 0);

	attr.qp_type = IBV_QPT_UC;
	assert_fails(f->ops->create_qp(f->rc->pd, &attr), EINVAL);
}

TEST_MAIN("srq")
