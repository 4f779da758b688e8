// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: batches DEVICE GID-INDEX SECONDS [strict]
 *
 * Batches of WRITEs from a QP to itself, with events and queries, and new objects again and again.
 * The program ignores errors of the card, until the time is over or the device is gone. With
 * `strict`, every completion must come, and succeed.
 */
#include <stdio.h>

#include "verbs.h"

#define BATCH 32
/* Batches with the same objects */
#define BATCHES 20
/* Longest time until a completion, if it may be missing, ms */
#define PATIENCE_MS 50
#define PAUSE_MS 20
#define LEN 4096

static bool strict;

static void check(bool claim, const char *what)
{
	if (strict && !claim)
		failed(__FILE__, __LINE__, "%s: %s", what, strerror(errno));
}

static void take_events(struct port *port, struct ibv_comp_channel *channel)
{
	struct ibv_async_event event;
	struct ibv_cq *cq;
	void *context;

	while (readable(channel->fd, 0) && !ibv_get_cq_event(channel, &cq, &context))
		ibv_ack_cq_events(cq, 1);
	while (readable(port->ctx->async_fd, 0) && !ibv_get_async_event(port->ctx, &event))
		ibv_ack_async_event(&event);
}

/* Return: whether as many completions came as were posted */
static bool batch(struct ibv_qp *qp, struct ibv_cq *cq, const struct mem *mem)
{
	uint64_t end = now_ms() + (strict ? SOON_MS : PATIENCE_MS);
	struct ibv_sge sge = mem_sge(mem, 0, 8);
	unsigned int i, left = BATCH;
	struct ibv_wc wc[BATCH];
	int got;

	ibv_req_notify_cq(cq, 0);
	for (i = 0; i < BATCH; i++)
		if (post_send(qp, IBV_WR_RDMA_WRITE, i, &sge, (uintptr_t)mem->buf + 64,
			      mem->mr->rkey)) {
			check(false, "post_send");
			return false;
		}
	while (left && now_ms() < end) {
		got = ibv_poll_cq(cq, left, wc);
		check(got >= 0, "ibv_poll_cq");
		if (got < 0)
			return false;
		for (i = 0; i < (unsigned int)got; i++)
			check(wc[i].status == IBV_WC_SUCCESS && wc[i].wr_id == BATCH - left + i,
			      "completion");
		left -= got;
	}
	check(!left, "completions are missing");
	return !left;
}

static void query(struct port *port, struct ibv_qp *qp)
{
	struct ibv_device_attr_ex device;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	/* Reads the clock of the card */
	check(!ibv_query_device_ex(port->ctx, NULL, &device), "ibv_query_device_ex");
	check(!ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), "ibv_query_qp");
}

static bool connected(struct port *port, struct ibv_qp *qp)
{
	return !qp_try_init(qp, ACCESS_ALL) && !qp_try_rtr(port, qp, qp->qp_num) &&
	       !qp_try_rts(qp, SHORT_TIMEOUT, 1, 1);
}

/* Return: whether all objects could be made */
static bool one_round(struct port *port, const struct mem *mem, uint64_t end)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(port->ctx);
	struct ibv_cq *cq = channel ? ibv_create_cq(port->ctx, 4 * BATCH, NULL, channel, 0) : NULL;
	struct ibv_qp_init_attr init = qp_init(IBV_QPT_RC, cq);
	struct ibv_qp *qp = cq ? ibv_create_qp(port->pd, &init) : NULL;
	bool ready = qp && connected(port, qp);
	unsigned int i;

	check(ready, "QP");
	for (i = 0; ready && i < BATCHES && now_ms() < end; i++) {
		if (!batch(qp, cq, mem))
			break;
		take_events(port, channel);
		query(port, qp);
		if (strict)
			sleep_ms(PAUSE_MS);
	}
	if (channel)
		take_events(port, channel);
	if (qp)
		check(!ibv_destroy_qp(qp), "ibv_destroy_qp");
	if (cq)
		check(!ibv_destroy_cq(cq), "ibv_destroy_cq");
	if (channel)
		ibv_destroy_comp_channel(channel);
	return ready;
}

int main(int argc, char **argv)
{
	unsigned int rounds = 0;
	struct port port;
	struct mem mem;
	uint64_t end;

	if (argc < 4) {
		fprintf(stderr, "usage: batches DEVICE GID-INDEX SECONDS [strict]\n");
		return 2;
	}
	strict = argc > 4;
	end = now_ms() + 1000 * strtoul(argv[3], NULL, 10);
	port_open(&port, argv[1], strtoul(argv[2], NULL, 10));
	mem = mem_make(&port, LEN, ACCESS_ALL);
	while (now_ms() < end && one_round(&port, &mem, end))
		rounds++;
	printf("rounds: %u\n", rounds);
	return 0;
}
