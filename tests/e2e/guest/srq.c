// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: srq DEVICE GID-INDEX CASE
 *
 * Shared receive queues: which QPs may use one, its events, and an SRQ that is empty, full,
 * resized, or whose users fail.
 */
#include <stdio.h>

#include "verbs.h"

#define LEN 4096
#define USERS 6

static struct ibv_srq *srq_make(struct port *port, unsigned int max_wr)
{
	return made(srq_try(port, max_wr, 2));
}

CASE(create_refusals)
{
	want_no_object(EINVAL, srq_try(port, port->dev.max_srq_wr + 1, 2));
	want_no_object(EINVAL, srq_try(port, 0, 2));
	want_no_object(EINVAL, srq_try(port, 16, port->dev.max_srq_sge + 1));
	want_ok(ibv_destroy_srq(made(srq_try(port, port->dev.max_srq_wr, 1))));
}

CASE(users)
{
	struct ibv_cq *cq = cq_make(port, 64, NULL);
	struct ibv_srq *srq = srq_make(port, 16);
	struct ibv_qp_init_attr init = qp_init(IBV_QPT_UC, cq);
	struct ibv_qp *qp;

	/* UC does not support it */
	init.srq = srq;
	want_no_object(EINVAL, ibv_create_qp(port->pd, &init));
	/* With an SRQ the size of the receive queue is ignored */
	init = qp_init(IBV_QPT_RC, cq);
	init.srq = srq;
	init.cap.max_recv_wr = 1u << 30;
	init.cap.max_recv_sge = 1u << 30;
	qp = made(ibv_create_qp(port->pd, &init));
	want_errno(EBUSY, ibv_destroy_srq(srq));
	want(post_recv(qp, 0, NULL), "a receive of its own");
	want_ok(ibv_destroy_qp(qp));
	init = qp_init(IBV_QPT_UD, cq);
	init.srq = srq;
	want_ok(ibv_destroy_qp(made(ibv_create_qp(port->pd, &init))));
	want_ok(ibv_destroy_srq(srq));
}

CASE(full)
{
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct ibv_srq *srq = srq_make(port, 16);
	struct ibv_srq_attr attr;
	unsigned int i;
	int err;

	want_ok(ibv_query_srq(srq, &attr));
	want(attr.max_wr >= 16 && attr.max_sge >= 2 && !attr.srq_limit, "%u %u %u", attr.max_wr,
	     attr.max_sge, attr.srq_limit);
	for (i = 0; !(err = post_srq(srq, i, &sge)); i++)
		want(i < 1000, "never full");
	want(err == ENOMEM && i >= attr.max_wr, "%u: %s", i, strerror(err));
}

/* Several QPs take from one SRQ; each message lands in one place only */
CASE(shared)
{
	struct mem got = mem_make(port, 64 * 256, ACCESS_ALL);
	struct mem sent = mem_make(port, LEN, ACCESS_ALL);
	struct ibv_srq *srq = srq_make(port, 64);
	struct pair pairs[USERS];
	bool seen[64] = { false };
	struct ibv_sge sge;
	unsigned int i, user;
	struct ibv_wc wc;

	for (i = 0; i < USERS; i++)
		pairs[i] = pair_make(port, IBV_QPT_RC, srq);
	for (i = 0; i < 60; i++) {
		sge = mem_sge(&got, i * 256, 256);
		want_ok(post_srq(srq, i, &sge));
	}
	for (i = 0; i < 60; i++) {
		user = i % USERS;
		mem_fill(&sent, 0, 200, i);
		sge = mem_sge(&sent, 0, 200);
		pair_send(&pairs[user], i, &sge);
		wc = next_wc(pairs[user].b_cq);
		want(wc.status == IBV_WC_SUCCESS && wc.qp_num == pairs[user].b->qp_num &&
		     wc.wr_id < 60 && !seen[wc.wr_id], "%s, %llu", ibv_wc_status_str(wc.status),
		     (unsigned long long)wc.wr_id);
		seen[wc.wr_id] = true;
		want(mem_is(&got, wc.wr_id * 256, 200, i), "message %u", i);
	}
}

/* An empty SRQ makes the sender wait until a WQE is posted */
CASE(empty)
{
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct ibv_srq *srq = srq_make(port, 16);
	struct pair pair = pair_make(port, IBV_QPT_RC, srq);

	want_ok(post_send(pair.a, IBV_WR_SEND, 1, &sge, 0, 0));
	want_no_wc(pair.a_cq);
	want_ok(post_srq(srq, 2, &sge));
	want_wc(pair.a_cq, 1, IBV_WC_SUCCESS);
	want_wc(pair.b_cq, 2, IBV_WC_SUCCESS);
}

static void set_limit(struct ibv_srq *srq, unsigned int limit)
{
	struct ibv_srq_attr attr = { .srq_limit = limit };

	want_ok(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
}

static unsigned int get_limit(struct ibv_srq *srq)
{
	struct ibv_srq_attr attr;

	want_ok(ibv_query_srq(srq, &attr));
	return attr.srq_limit;
}

/* The event comes once when fewer are left, and again only after another request */
CASE(limit_event)
{
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct ibv_srq *srq = srq_make(port, 16);
	struct pair pair = pair_make(port, IBV_QPT_RC, srq);
	struct ibv_srq_attr attr = { .srq_limit = 1u << 20 };
	unsigned int i;

	want_errno(EINVAL, ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
	for (i = 0; i < 10; i++)
		want_ok(post_srq(srq, i, &sge));
	set_limit(srq, 6);
	want(get_limit(srq) == 6, "%u", get_limit(srq));
	for (i = 0; i < 4; i++)
		pair_send(&pair, i, &sge);
	/* Six are left, which is not fewer */
	want_no_event(port);
	pair_send(&pair, i, &sge);
	want_event(port, IBV_EVENT_SRQ_LIMIT_REACHED, srq);
	want(!get_limit(srq), "%u", get_limit(srq));
	pair_send(&pair, 9, &sge);
	want_no_event(port);
	/* Four are left already */
	set_limit(srq, 5);
	want_event(port, IBV_EVENT_SRQ_LIMIT_REACHED, srq);
}

/* The raw dump of the rdma tool is the device's answer, struct ornic_query_srq_out */
CASE(raw_dump)
{
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct ibv_srq *srq = srq_make(port, 16);
	char line[65536] = "";
	FILE *dump;

	want_ok(post_srq(srq, 0, &sge));
	want_ok(post_srq(srq, 1, &sge));
	set_limit(srq, 2);
	dump = made(popen("rdma -j -r resource show srq", "r"));
	want(fgets(line, sizeof(line), dump) && strstr(line, "\"data\":[2,0,0,0,0,0,0,0]"), "%s",
	     line);
	pclose(dump);
}

CASE(resize)
{
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct ibv_srq *srq = srq_make(port, 16);
	struct pair pair = pair_make(port, IBV_QPT_RC, srq);
	struct ibv_srq_attr attr = { .max_wr = 200 }, told;
	unsigned int i;

	for (i = 0; i < 16; i++)
		want_ok(post_srq(srq, i, &sge));
	want_ok(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR));
	want_ok(ibv_query_srq(srq, &told));
	want(told.max_wr >= 200, "%u", told.max_wr);
	for (; i < 200; i++)
		want_ok(post_srq(srq, i, &sge));
	for (i = 0; i < 150; i++) {
		pair_send(&pair, i, &sge);
		want_wc(pair.b_cq, i, IBV_WC_SUCCESS);
	}
	/* 50 are left, which fit into 64 and not into 16 */
	attr.max_wr = 16;
	want_errno(EINVAL, ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR));
	attr.max_wr = 64;
	want_ok(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR));
	for (; i < 200; i++) {
		pair_send(&pair, i, &sge);
		want_wc(pair.b_cq, i, IBV_WC_SUCCESS);
	}
}

/* A QP that has failed takes no more WQEs and reports that; the others use the rest */
CASE(last_wqe)
{
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct ibv_srq *srq = srq_make(port, 16);
	struct pair living = pair_make(port, IBV_QPT_RC, srq);
	struct pair dying = pair_make(port, IBV_QPT_RC, srq);
	unsigned int i;

	for (i = 0; i < 4; i++)
		want_ok(post_srq(srq, i, &sge));
	qp_set_state(dying.b, IBV_QPS_ERR);
	want_event(port, IBV_EVENT_QP_LAST_WQE_REACHED, dying.b);
	want_no_wc(dying.b_cq);
	for (i = 0; i < 4; i++) {
		pair_send(&living, i, &sge);
		want_wc(living.b_cq, i, IBV_WC_SUCCESS);
	}
	want_no_event(port);
}

/* The same when the card takes the QP to ERR */
CASE(last_wqe_by_error)
{
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64), small = mem_sge(&port->mem, 0, 8);
	struct ibv_srq *srq = srq_make(port, 16);
	struct pair pair = pair_make(port, IBV_QPT_RC, srq);

	want_ok(post_srq(srq, 1, &small));
	want_ok(post_send(pair.a, IBV_WR_SEND, 2, &sge, 0, 0));
	want_wc(pair.a_cq, 2, IBV_WC_REM_INV_REQ_ERR);
	want_wc(pair.b_cq, 1, IBV_WC_LOC_LEN_ERR);
	want(qp_state(pair.b) == IBV_QPS_ERR, "%d", qp_state(pair.b));
	for (;;) {
		struct ibv_async_event event = take_event(port, SOON_MS);
		enum ibv_event_type type = event.event_type;

		want(event.element.qp == pair.b, "%s of another", ibv_event_type_str(type));
		if (type == IBV_EVENT_QP_LAST_WQE_REACHED)
			break;
		want(type == IBV_EVENT_QP_REQ_ERR, "%s", ibv_event_type_str(type));
	}
}
