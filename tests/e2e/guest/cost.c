// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: cost DEVICE GID-INDEX CASE COUNT
 *
 * Repeats an operation COUNT times; nothing else depends on COUNT. The test counts what the
 * operation costs: doorbells, interrupts, commands, packets.
 */
#include <stdio.h>

#include "verbs.h"

#define LEN 65536
#define LIST 16		/* work requests in a list */

static unsigned int count;

/* ---- Work requests ------------------------------------------------------- */

static void post_message(struct ibv_qp *qp, struct mem *mem)
{
	struct ibv_sge sge = mem_sge(mem, 0, 64);

	want_ok(post_send(qp, IBV_WR_SEND, 1, &sge, 0, 0));
}

/* A message in each direction; both sides poll */
CASE(pingpong)
{
	struct mem mem = mem_make(port, LEN, ACCESS_ALL);
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge = mem_sge(&mem, LEN / 2, 64);
	unsigned int i;

	for (i = 0; i < count; i++) {
		want_ok(post_recv(pair.a, 2, &sge));
		want_ok(post_recv(pair.b, 3, &sge));
		post_message(pair.a, &mem);
		want_wc(pair.b_cq, 3, IBV_WC_SUCCESS);
		want_wc(pair.a_cq, 1, IBV_WC_SUCCESS);
		post_message(pair.b, &mem);
		want_wc(pair.a_cq, 2, IBV_WC_SUCCESS);
		want_wc(pair.b_cq, 1, IBV_WC_SUCCESS);
	}
}

/* A message whose receiver sleeps until its event */
CASE(events)
{
	struct ibv_comp_channel *channel = made(ibv_create_comp_channel(port->ctx));
	struct mem mem = mem_make(port, LEN, ACCESS_ALL);
	struct ibv_cq *a_cq = cq_make(port, 64, NULL), *b_cq = cq_make(port, 64, channel), *cq;
	struct ibv_qp_init_attr init = qp_init(IBV_QPT_RC, a_cq);
	struct ibv_sge sge = mem_sge(&mem, LEN / 2, 64);
	struct pair pair = { .port = port };
	unsigned int i;
	void *context;

	pair.a = made(ibv_create_qp(port->pd, &init));
	init.recv_cq = b_cq;
	pair.b = made(ibv_create_qp(port->pd, &init));
	qp_to_init(pair.a, ACCESS_ALL);
	qp_to_init(pair.b, ACCESS_ALL);
	pair_to_rtr(&pair);
	qp_to_rts(pair.a);
	for (i = 0; i < count; i++) {
		want_ok(post_recv(pair.b, 3, &sge));
		want_ok(ibv_req_notify_cq(b_cq, 0));
		post_message(pair.a, &mem);
		want(readable(channel->fd, SOON_MS), "no event");
		want(!ibv_get_cq_event(channel, &cq, &context), "%s", strerror(errno));
		ibv_ack_cq_events(cq, 1);
		want_wc(b_cq, 3, IBV_WC_SUCCESS);
		want_wc(a_cq, 1, IBV_WC_SUCCESS);
	}
}

/* Post a list of requests by one call; only the last one is signaled */
static void list_of(struct port *port, enum ibv_wr_opcode opcode, size_t len)
{
	struct mem mem = mem_make(port, 2 * LEN, ACCESS_ALL);
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge = mem_sge(&mem, 0, len);
	struct ibv_send_wr wr[LIST] = { 0 }, *bad;
	unsigned int i;

	for (i = 0; i < LIST; i++) {
		wr[i].wr_id = 1;
		wr[i].sg_list = &sge;
		wr[i].num_sge = 1;
		wr[i].opcode = opcode;
		wr[i].wr.rdma.remote_addr = (uintptr_t)mem.buf + LEN;
		wr[i].wr.rdma.rkey = mem.mr->rkey;
		wr[i].next = i + 1 < LIST ? &wr[i + 1] : NULL;
	}
	wr[LIST - 1].send_flags = IBV_SEND_SIGNALED;
	for (i = 0; i < count; i++) {
		want_ok(ibv_post_send(pair.a, wr, &bad));
		want_wc(pair.a_cq, 1, IBV_WC_SUCCESS);
	}
}

CASE(write_list)
{
	list_of(port, IBV_WR_RDMA_WRITE, 64);
}

CASE(large_write_list)
{
	list_of(port, IBV_WR_RDMA_WRITE, LEN);
}

CASE(large_read_list)
{
	list_of(port, IBV_WR_RDMA_READ, LEN);
}

/* ---- Objects ------------------------------------------------------------- */

#define REPEAT(call) \
	for (unsigned int i_ = 0; i_ < count; i_++) \
		want_ok(call)

CASE(open_device)
{
	REPEAT(ibv_close_device(made(ibv_open_device(port->ctx->device))));
}

CASE(pd)
{
	REPEAT(ibv_dealloc_pd(made(ibv_alloc_pd(port->ctx))));
}

CASE(mr)
{
	struct mem mem = mem_make(port, LEN, ACCESS_ALL);

	REPEAT(ibv_dereg_mr(made(ibv_reg_mr(port->pd, mem.buf, LEN, ACCESS_ALL))));
}

CASE(mw)
{
	REPEAT(ibv_dealloc_mw(made(ibv_alloc_mw(port->pd, IBV_MW_TYPE_2))));
}

CASE(ah)
{
	struct ibv_ah_attr attr = port_ah_attr(port);

	REPEAT(ibv_destroy_ah(made(ibv_create_ah(port->pd, &attr))));
}

CASE(cq)
{
	REPEAT(ibv_destroy_cq(cq_make(port, 64, NULL)));
}

CASE(srq)
{
	REPEAT(ibv_destroy_srq(made(srq_try(port, 64, 1))));
}

CASE(qp)
{
	struct ibv_cq *cq = cq_make(port, 64, NULL);

	REPEAT(ibv_destroy_qp(qp_make(port, IBV_QPT_RC, cq)));
}

/* Connect a QP to itself: create, INIT, RTR, RTS, destroy */
CASE(connect_qp)
{
	struct ibv_cq *cq = cq_make(port, 64, NULL);

	REPEAT(ibv_destroy_qp(lonely_qp(port, cq)));
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: cost DEVICE GID-INDEX CASE COUNT\n");
		return 2;
	}
	count = strtoul(argv[4], NULL, 0);
	return run_cases(argc - 1, argv);
}
