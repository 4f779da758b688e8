// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: polling both ways, cleaning, arming.
 */
#include "fixture.h"

#define CQES	8

static struct ornic_cqe make(struct ibv_qp *ibqp, uint64_t n, uint32_t flags)
{
	return (struct ornic_cqe){
		.wr_id = htole64(n),
		.status = htole32(n % 3 ? ORNIC_WC_SUCCESS :
				  ORNIC_WC_WR_FLUSH_ERR),
		.opcode = htole32(ORNIC_WC_RECV),
		.src_qp = htole32(n + 1000),
		.byte_len = htole32(n + 2000),
		.imm = htobe32(n + 3000),
		.qpn = htole32(ibqp->qp_num |
			       ORNIC_PREP(ORNIC_CQE_FLAGS, flags)),
	};
}

static void complete(struct fixture *f, struct ibv_qp *ibqp, uint64_t n)
{
	struct ornic_cqe cqe = make(ibqp, n, n & 3);

	fake_complete(fake_cq(f->cq), &cqe);
}

static void assert_wc(const struct ibv_wc *wc, struct ibv_qp *ibqp, uint64_t n)
{
	assert_int_equal(wc->wr_id, n);
	assert_int_equal(wc->status, n % 3 ? IBV_WC_SUCCESS :
			 IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(wc->opcode, IBV_WC_RECV);
	assert_int_equal(wc->vendor_err, n + 1000);
	assert_int_equal(wc->src_qp, n + 1000);
	assert_int_equal(wc->byte_len, n + 2000);
	assert_int_equal(be32toh(wc->imm_data), n + 3000);
	assert_int_equal(wc->qp_num, ibqp->qp_num);
	assert_int_equal(wc->wc_flags, n & 3);
	assert_int_equal(wc->pkey_index, 0);
	assert_int_equal(wc->slid, 0);
	assert_int_equal(wc->sl, 0);
	assert_int_equal(wc->dlid_path_bits, 0);
}

/* Batches of 0 to 8, so that they begin and end everywhere in the ring. */
static void completions_arrive_across_wraps(void **state)
{
	struct fixture *f = *state;
	uint64_t in = 0, out = 0;
	struct ibv_wc wc[CQES];
	int i, n, num;

	for (i = 0; i < 300; i++) {
		for (n = i % (CQES + 1); n; n--)
			complete(f, f->rc, in++);
		while (out != in) {
			memset(wc, 0xff, sizeof(wc));
			num = ibv_poll_cq(f->cq, i % 4 + 1, wc);
			assert_in_range(num, 1, i % 4 + 1);
			for (n = 0; n < num; n++)
				assert_wc(&wc[n], f->rc, out++);
		}
		assert_int_equal(ibv_poll_cq(f->cq, CQES, wc), 0);
		assert_int_equal(le32toh(fake_cq(f->cq)->dbr->ci),
				 (uint32_t)in);
	}
}

static void polling_for_none_takes_none(void **state)
{
	struct fixture *f = *state;
	struct ibv_wc wc;

	complete(f, f->rc, 1);
	assert_int_equal(ibv_poll_cq(f->cq, 0, &wc), 0);
	assert_int_equal(ibv_poll_cq(f->cq, -1, &wc), 0);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
	assert_wc(&wc, f->rc, 1);
}

static void indexes_run_over_32_bits(void **state)
{
	struct fixture *f = *state;
	struct ibv_wc wc;
	uint32_t i;

	to_ornic_cq(f->cq)->ci = -CQES / 2;
	fake_cq(f->cq)->pi = -CQES / 2;
	fake_cq(f->cq)->dbr->ci = htole32(-CQES / 2);
	/* As the pass before left it */
	for (i = 0; i < CQES; i++)
		fake_cq(f->cq)->ring[i].qpn =
			htole32(i < CQES / 2 ? 0 : ORNIC_CQE_PHASE);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 0);
	for (i = 0; i < 3 * CQES; i++) {
		complete(f, f->rc, i);
		assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
		assert_wc(&wc, f->rc, i);
		assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 0);
	}
}

static struct ibv_cq_ex *create_ex(struct fixture *f, uint32_t flags,
				   struct ibv_pd *parent)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = CQES,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS |
			     (parent ? IBV_CQ_INIT_ATTR_MASK_PD : 0),
		.flags = flags,
		.parent_domain = parent,
	};

	return f->fake.ops->create_cq_ex(&f->fake.ctx->context, &attr);
}

static void assert_read(struct ibv_cq_ex *cq, struct ibv_qp *ibqp, uint64_t n)
{
	struct ibv_wc wc = {
		.wr_id = cq->wr_id,
		.status = cq->status,
		.opcode = ibv_wc_read_opcode(cq),
		.vendor_err = ibv_wc_read_vendor_err(cq),
		.byte_len = ibv_wc_read_byte_len(cq),
		.imm_data = ibv_wc_read_imm_data(cq),
		.qp_num = ibv_wc_read_qp_num(cq),
		.src_qp = ibv_wc_read_src_qp(cq),
		.wc_flags = ibv_wc_read_wc_flags(cq),
		.slid = ibv_wc_read_slid(cq),
		.sl = ibv_wc_read_sl(cq),
		.dlid_path_bits = ibv_wc_read_dlid_path_bits(cq),
	};

	assert_wc(&wc, ibqp, n);
}

static void extended_polls_read_each_field(void **state)
{
	struct fixture *f = *state;
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq *plain = f->cq;
	uint64_t in = 0, out = 0;
	struct ibv_cq_ex *cq;
	int i, n;

	cq = create_ex(f, 0, NULL);
	f->cq = ibv_cq_ex_to_cq(cq);
	for (i = 0; i < 200; i++) {
		assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
		for (n = i % CQES + 1; n; n--)
			complete(f, f->rc, in++);
		assert_int_equal(ibv_start_poll(cq, &attr), 0);
		do
			assert_read(cq, f->rc, out++);
		while (!ibv_next_poll(cq));
		ibv_end_poll(cq);
		assert_int_equal(out, in);
		assert_int_equal(le32toh(fake_cq(f->cq)->dbr->ci),
				 (uint32_t)in);
	}
	attr.comp_mask = 1;
	assert_int_equal(ibv_start_poll(cq, &attr), EINVAL);

	assert_int_equal(f->fake.ops->destroy_cq(f->cq), 0);
	f->cq = plain;
}

/* Entries stay the host's until the poll ends: readers look at the ring. */
static void an_extended_poll_gives_back_at_its_end(void **state)
{
	struct fixture *f = *state;
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq *plain = f->cq;
	struct ibv_cq_ex *cq;

	cq = create_ex(f, IBV_CREATE_CQ_ATTR_SINGLE_THREADED, NULL);
	f->cq = ibv_cq_ex_to_cq(cq);
	complete(f, f->rc, 1);
	complete(f, f->rc, 2);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(ibv_next_poll(cq), 0);
	assert_int_equal(fake_cq(f->cq)->dbr->ci, 0);
	assert_read(cq, f->rc, 2);
	ibv_end_poll(cq);
	assert_int_equal(le32toh(fake_cq(f->cq)->dbr->ci), 2);

	assert_int_equal(f->fake.ops->destroy_cq(f->cq), 0);
	f->cq = plain;
}

/* Every mix of two QPs' completions, everywhere in the ring. */
static void a_destroyed_qp_leaves_no_completion(void **state)
{
	struct fixture *f = *state;
	struct ibv_wc wc[CQES];
	unsigned int mix;
	struct ibv_qp *qp;
	int i, n, kept;

	for (mix = 0; mix < 1 << CQES; mix++) {
		qp = fake_create_qp(&f->fake, IBV_QPT_RC, f->cq, 1, 1, 0);
		n = mix % (CQES + 1);
		for (i = 0, kept = 0; i < n; i++) {
			if (mix >> i & 1)
				complete(f, qp, 100 + i);
			else
				complete(f, f->rc, kept++);
		}
		if (mix & 1) {
			fake_to_state(qp, IBV_QPS_RESET);
			assert_int_equal(f->fake.ops->destroy_qp(qp), 0);
		} else {
			assert_int_equal(f->fake.ops->destroy_qp(qp), 0);
		}

		/* The device goes on behind the old end */
		for (; n < CQES; n++)
			complete(f, f->rc, kept++);
		memset(wc, 0xff, sizeof(wc));
		assert_int_equal(ibv_poll_cq(f->cq, CQES, wc), kept);
		for (i = 0; i < kept; i++)
			assert_wc(&wc[i], f->rc, i);
		/* The next round begins one further */
		complete(f, f->rc, 0);
		assert_int_equal(ibv_poll_cq(f->cq, CQES, wc), 1);
	}
}

static uint32_t armed(struct fixture *f)
{
	return le32toh(fake_cq(f->cq)->dbr->arm);
}

static void each_request_has_its_number(void **state)
{
	struct fixture *f = *state;
	uint32_t last = armed(f), now;
	int i;

	for (i = 0; i < 10; i++) {
		assert_int_equal(ibv_req_notify_cq(f->cq, i & 1), 0);
		now = armed(f);
		assert_int_not_equal(now & ORNIC_ARM_SEQ, last & ORNIC_ARM_SEQ);
		last = now;
	}
	/* The number wraps and leaves the type alone */
	to_ornic_cq(f->cq)->arm = ORNIC_ARM_SEQ | ORNIC_ARM_NEXT;
	assert_int_equal(ibv_req_notify_cq(f->cq, 0), 0);
	assert_int_equal(armed(f), ORNIC_ARM_NEXT);
}

static void next_is_not_weakened(void **state)
{
	struct fixture *f = *state;

	ibv_req_notify_cq(f->cq, 1);
	assert_int_equal(armed(f) & ORNIC_ARM_TYPE, ORNIC_ARM_SOLICITED);
	ibv_req_notify_cq(f->cq, 0);
	assert_int_equal(armed(f) & ORNIC_ARM_TYPE, ORNIC_ARM_NEXT);
	ibv_req_notify_cq(f->cq, 1);
	assert_int_equal(armed(f) & ORNIC_ARM_TYPE, ORNIC_ARM_NEXT);

	/* Until the event was seen */
	f->fake.ops->cq_event(f->cq);
	ibv_req_notify_cq(f->cq, 1);
	assert_int_equal(armed(f) & ORNIC_ARM_TYPE, ORNIC_ARM_SOLICITED);
}

static void unknown_options_are_refused(void **state)
{
	struct fixture *f = *state;
	struct ibv_context *ctx = &f->fake.ctx->context;
	struct ibv_cq_init_attr_ex attr = { .cqe = 1 };
	struct ornic_pd pd = {};

	attr.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
	errno = 0;
	assert_null(f->fake.ops->create_cq_ex(ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);

	attr.wc_flags = 0;
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD << 1;
	errno = 0;
	assert_null(f->fake.ops->create_cq_ex(ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);

	errno = 0;
	assert_null(create_ex(f, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN, NULL));
	assert_int_equal(errno, EOPNOTSUPP);

	/* A protection domain is no parent domain */
	errno = 0;
	assert_null(create_ex(f, 0, &pd.ibv_pd));
	assert_int_equal(errno, EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_case(completions_arrive_across_wraps),
		test_case(polling_for_none_takes_none),
		test_case(indexes_run_over_32_bits),
		test_case(extended_polls_read_each_field),
		test_case(an_extended_poll_gives_back_at_its_end),
		test_case(a_destroyed_qp_leaves_no_completion),
		test_case(each_request_has_its_number),
		test_case(next_is_not_weakened),
		test_case(unknown_options_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
