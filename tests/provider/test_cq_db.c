// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues of a device that doorbells tell what is consumed
 * ([ORNIC-DB-28], [ORNIC-DB-29] ff.)
 */
#include "fixture.h"

#define ROUNDS	600

static void complete(struct fixture *f, struct ibv_qp *ibqp, uint64_t n)
{
	struct ornic_cqe cqe = {
		.wr_id = htole64(n),
		.opcode = htole32(ORNIC_WC_RECV),
		.qpn = htole32(ibqp->qp_num),
	};

	fake_complete(fake_cq(f->cq), &cqe);
}

/* Takes the doorbell of the last call; checks that it was rung if necessary */
static bool check_told(struct fixture *f)
{
	struct fake_cq *cq = fake_cq(f->cq);
	uint32_t lag = (1u << cq->log_size) / 8;
	int type = fake_take_cq_doorbell(&f->fake, cq);

	if (type >= 0)
		assert_int_equal(type, ORNIC_ARM_NONE);
	assert_in_range(le32toh(cq->dbr->ci) - cq->told, 0, lag);
	return type >= 0;
}

/* The ring has room for all that the application was promised */
TEST(rings_are_larger_than_promised, struct fixture *f, IN_PLAIN)
{
	int cqe;

	for (cqe = 1; cqe <= 100; cqe++) {
		f->cq = f->ops->create_cq(f->ctx, cqe, NULL, 0);
		assert_non_null(f->cq);
		assert_true(f->cq->cqe >= cqe);
		assert_int_equal(to_ornic_cq(f->cq)->mask + 1,
				 1u << fake_cq(f->cq)->log_size);
		assert_int_equal(f->ops->destroy_cq(f->cq), 0);
	}
}

/* The index is told in time, and not at each poll */
TEST(polls_tell_in_time, struct fixture *f, IN_PLAIN)
{
	struct ibv_wc wc[16];
	uint64_t in = 0, out = 0;
	unsigned int rung = 0;
	int cqe = f->cq->cqe;
	int i, n;

	for (i = 0; i < ROUNDS; i++) {
		/* At times all that was promised, on top of what is not told */
		while (in < out + (i % 3 ? i % 4 + 1 : cqe))
			complete(f, f->rc, in++);
		while (out < in) {
			n = ibv_poll_cq(f->cq, i % 5 + 1, wc);
			assert_true(n > 0);
			while (n--)
				out++;
			rung += check_told(f);
		}
		assert_int_equal(ibv_poll_cq(f->cq, 1, wc), 0);
		assert_false(check_told(f));
	}
	assert_in_range(rung, 1, in * 8 / (1u << fake_cq(f->cq)->log_size));
}

static struct ibv_cq_ex *create_ex(struct fixture *f, uint64_t wc_flags,
				   uint32_t flags)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 20, .wc_flags = wc_flags,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS, .flags = flags,
	};
	struct ibv_cq_ex *cq;

	cq = f->ops->create_cq_ex(f->ctx, &attr);
	assert_non_null(cq);
	return cq;
}

static void poll_extended(struct fixture *f, struct ibv_cq_ex *cq)
{
	struct ibv_poll_cq_attr attr = {};
	uint64_t in = 0, out = 0;
	int i, ret;

	f->cq = ibv_cq_ex_to_cq(cq);
	for (i = 0; i < ROUNDS; i++) {
		while (in < out + (i % 3 ? i % 4 + 1 : f->cq->cqe))
			complete(f, f->rc, in++);
		assert_int_equal(ibv_start_poll(cq, &attr), 0);
		do {
			assert_int_equal(cq->wr_id, out++);
			assert_int_equal(fake_take_doorbell(&f->fake), ~0ULL);
			ret = ibv_next_poll(cq);
		} while (!ret);
		assert_int_equal(ret, ENOENT);
		ibv_end_poll(cq);
		check_told(f);
		assert_int_equal(out, in);
	}
	assert_int_equal(f->ops->destroy_cq(f->cq), 0);
}

TEST(extended_polls_tell_in_time, struct fixture *f, IN_PLAIN)
{
	poll_extended(f, create_ex(f, 0, 0));
	poll_extended(f, create_ex(f, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
				   IBV_CREATE_CQ_ATTR_SINGLE_THREADED));
}

/* [ORNIC-DB-28] */
TEST(requests_tell_too, struct fixture *f, IN_PLAIN)
{
	struct fake_cq *cq = fake_cq(f->cq);
	struct ibv_wc wc;

	assert_int_equal(ibv_req_notify_cq(f->cq, 0), 0);
	assert_int_equal(fake_take_cq_doorbell(&f->fake, cq), ORNIC_ARM_NEXT);
	assert_int_equal(cq->told, 0);
	/* The kernel compares events with the word in the record */
	assert_int_equal(le32toh(cq->dbr->arm) & ORNIC_ARM_TYPE,
			 ORNIC_ARM_NEXT);
	complete(f, f->rc, 1);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
	assert_false(check_told(f));
	assert_int_equal(ibv_req_notify_cq(f->cq, 1), 0);
	assert_int_equal(fake_take_cq_doorbell(&f->fake, cq),
			 ORNIC_ARM_SOLICITED);
	assert_int_equal(cq->told, 1);
	/* 30 bits of the index */
	to_ornic_cq(f->cq)->ci = 0xfffffff1;
	cq->dbr->ci = htole32(0xfffffff1);
	assert_int_equal(ibv_req_notify_cq(f->cq, 0), 0);
	assert_int_equal(fake_take_cq_doorbell(&f->fake, cq), ORNIC_ARM_NEXT);
	assert_int_equal(cq->told, 0x3ffffff1);
}

/* A request amid an extended poll does not give back the current entry */
TEST(a_request_keeps_the_current_entry, struct fixture *f, IN_PLAIN)
{
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq_ex *cq;

	cq = create_ex(f, 0, IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	f->cq = ibv_cq_ex_to_cq(cq);
	complete(f, f->rc, 1);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(ibv_req_notify_cq(f->cq, 0), 0);
	assert_int_equal(fake_take_cq_doorbell(&f->fake, fake_cq(f->cq)),
			 ORNIC_ARM_NEXT);
	assert_int_equal(fake_cq(f->cq)->told, 0);
	ibv_end_poll(cq);
}

/* Completions of a destroyed QP are consumed, too */
TEST(dropped_completions_are_told, struct fixture *f, IN_PLAIN)
{
	struct ibv_qp *qp;
	int i;

	qp = fake_create_qp(&f->fake, IBV_QPT_RC, f->cq, 1, 1, 0);
	fake_take_doorbell(&f->fake);
	for (i = 0; i < f->cq->cqe; i++)
		complete(f, qp, i);
	assert_int_equal(f->ops->destroy_qp(qp), 0);
	assert_true(check_told(f));
	assert_int_equal(fake_cq(f->cq)->told, f->cq->cqe);
}

/* The device has another ring, whose indexes those of a lost one are not */
TEST(a_lost_ring_tells_nothing, struct fixture *f, IN_PLAIN)
{
	int cqe = f->cq->cqe, i;
	struct ibv_wc wc[16];

	for (i = 0; i < cqe; i++)
		complete(f, f->rc, i);
	f->fake.bad_mmap = true;
	assert_int_equal(f->ops->resize_cq(f->cq, 32), EINVAL);
	assert_int_equal(ibv_poll_cq(f->cq, 16, wc), -1);
	assert_int_equal(fake_take_doorbell(&f->fake), ~0ULL);
	/* The next one begins with all completions, which the device knows */
	assert_int_equal(f->ops->resize_cq(f->cq, 32), 0);
	assert_false(check_told(f));
	for (i = 0; i < cqe; i++) {
		assert_int_equal(ibv_poll_cq(f->cq, 1, wc), 1);
		assert_int_equal(wc[0].wr_id, i);
		check_told(f);
	}
	complete(f, f->rc, 77);
	assert_int_equal(ibv_poll_cq(f->cq, 16, wc), 1);
	assert_int_equal(wc[0].wr_id, 77);
}

TEST(a_new_ring_begins_anew, struct fixture *f, IN_PLAIN)
{
	int i, size, out = 0, in = 0;
	struct ibv_wc wc[16];

	for (i = 0; i < ROUNDS; i++) {
		while (in < out + f->cq->cqe)
			complete(f, f->rc, in++);
		size = 8 << i % 4;
		assert_int_equal(f->ops->resize_cq(f->cq, size > in - out ?
							size : in - out), 0);
		fake_take_doorbell(&f->fake);
		while (in - out > i % 3) {
			out += ibv_poll_cq(f->cq, 1, wc);
			assert_int_equal(wc[0].wr_id, out - 1);
			check_told(f);
		}
	}
}

/* Without the shadow, and with it */

TEST_MAIN("cq_db")
