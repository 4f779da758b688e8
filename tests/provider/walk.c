// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: walk send|create_qp
 *
 * The provider's part of a walk of Documentation/architecture.rst, over the fake
 * kernel and the fake device. It is compiled with --coverage, which counts what
 * the walk enters: tests/documents/test_walks.py compares that with the text.
 */
#include <gcov.h>
#include <unistd.h>

#include "fixture.h"

/* The card is asleep and does not watch the queue */
static void walk_send(struct fixture *f)
{
	struct ibv_sge sg = test_sge(1, 0);
	struct ibv_send_wr wr = {
		.sg_list = &sg, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;
	struct ornic_cqe cqe = {
		.qpn = htole32(f->rc->qp_num), .opcode = htole32(ORNIC_WC_SEND),
	};
	struct fake_wqe wqe;
	struct ibv_wc wc;

	fake_qp(f->rc)->dbr->sq_watched = 0;
	__gcov_reset();
	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), 0);
	take_send(f->rc, &wqe);
	fake_complete(fake_cq(f->cq), &cqe);
	assert_int_equal(ibv_poll_cq(f->cq, 1, &wc), 1);
	__gcov_dump();
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
}

static void walk_create_qp(struct fixture *f)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = f->cq, .recv_cq = f->cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_context *ibctx = &f->fake.ctx->context;
	struct ibv_pd *pd = f->fake.ops->alloc_pd(ibctx);
	struct ibv_qp *qp;

	assert_non_null(pd);
	/* As libibverbs does */
	pd->context = ibctx;
	__gcov_reset();
	qp = f->fake.ops->create_qp(pd, &attr);
	__gcov_dump();
	assert_non_null(qp);
}

int main(int argc, char **argv)
{
	struct fixture *f;

	assert_int_equal(setup((void **)&f), 0);
	if (argc == 2 && !strcmp(argv[1], "send"))
		walk_send(f);
	else if (argc == 2 && !strcmp(argv[1], "create_qp"))
		walk_create_qp(f);
	else
		return 2;
	/* Not exit(), which would write the counts of what follows */
	_exit(0);
}
