// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Threads that create, resize and destroy objects of all kinds at random, in one context, each
 * holding a few at a time. No call may fail.
 *
 * usage: storm DEVICE GID-INDEX THREADS SECONDS SEED
 * Prints the numbers of objects that were created and of resizes.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

#include "verbs.h"

#define HELD 16
#define THREADS_MAX 64
#define MR_MAX (1 << 20)

/* Entries of a CQ or an SRQ at most */
#define ENTRIES_MAX 1000
/* Calls per resize of an existing object, on average */
#define RESIZE_RATE 8

enum kind { NONE, PD, CQ, QP, SRQ, XRC_SRQ, WQ, FLOW, MR, MW, AH, KINDS };

struct held {
	enum kind kind;
	void *object;
	struct ibv_cq *cq;	/* of a QP, WQ or XRC SRQ */
};

struct storm {
	struct port *port;
	struct ibv_xrcd *xrcd;	/* of all XRC SRQs */
	struct ibv_cq *cq;	/* of @raw */
	struct ibv_qp *raw;	/* of all flow rules */
	uint64_t end_ms;
	unsigned int seed;
	unsigned long created;
	unsigned long resized;
	uint8_t *buf;
	pthread_t thread;
};

static unsigned int entries(struct storm *storm)
{
	return rand_r(&storm->seed) % ENTRIES_MAX + 1;
}

static void create_qp(struct storm *storm, struct held *held)
{
	enum ibv_qp_type type = rand_r(&storm->seed) & 1 ? IBV_QPT_RC : IBV_QPT_UD;

	held->cq = cq_make(storm->port, 64, NULL);
	held->object = qp_make(storm->port, type, held->cq);
	if (rand_r(&storm->seed) & 1)
		qp_to_init(held->object, type == IBV_QPT_RC ? ACCESS_ALL : 0);
}

static void create_mr(struct storm *storm, struct held *held)
{
	size_t first = rand_r(&storm->seed) % MR_MAX;
	size_t len = rand_r(&storm->seed) % (MR_MAX - first) + 1;

	held->object = made(ibv_reg_mr(storm->port->pd, storm->buf + first, len, ACCESS_ALL));
}

static void create_wq(struct storm *storm, struct held *held)
{
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };

	held->cq = cq_make(storm->port, 64, NULL);
	held->object = made(wq_try(storm->port, held->cq, 64));
	if (rand_r(&storm->seed) & 1)
		want_ok(ibv_modify_wq(held->object, &ready));
}

static void create(struct storm *storm, struct held *held)
{
	struct ibv_ah_attr ah = port_ah_attr(storm->port);
	struct port *port = storm->port;

	held->kind = rand_r(&storm->seed) % (KINDS - 1) + 1;
	switch (held->kind) {
	case PD:
		held->object = made(ibv_alloc_pd(port->ctx));
		break;
	case CQ:
		held->object = cq_make(port, entries(storm), NULL);
		break;
	case QP:
		create_qp(storm, held);
		break;
	case SRQ:
		held->object = made(srq_try(port, entries(storm), 2));
		break;
	case XRC_SRQ:
		held->cq = cq_make(port, 64, NULL);
		held->object = made(xrc_srq_try(port, storm->xrcd, held->cq, entries(storm)));
		break;
	case WQ:
		create_wq(storm, held);
		break;
	case FLOW:
		/* From an unused address, so the traffic of others has no match */
		held->object = made(flow_from(storm->raw, 0x01020000 + entries(storm), NULL));
		break;
	case MR:
		create_mr(storm, held);
		break;
	case MW:
		held->object = made(ibv_alloc_mw(port->pd, IBV_MW_TYPE_2));
		break;
	default:
		held->object = made(ibv_create_ah(port->pd, &ah));
		break;
	}
	storm->created++;
}

static void destroy(struct held *held)
{
	switch (held->kind) {
	case NONE:
		return;
	case PD:
		want_ok(ibv_dealloc_pd(held->object));
		break;
	case CQ:
		want_ok(ibv_destroy_cq(held->object));
		break;
	case QP:
		want_ok(ibv_destroy_qp(held->object));
		break;
	case SRQ:
	case XRC_SRQ:
		want_ok(ibv_destroy_srq(held->object));
		break;
	case WQ:
		want_ok(ibv_destroy_wq(held->object));
		break;
	case FLOW:
		want_ok(ibv_destroy_flow(held->object));
		break;
	case MR:
		want_ok(ibv_dereg_mr(held->object));
		break;
	case MW:
		want_ok(ibv_dealloc_mw(held->object));
		break;
	default:
		want_ok(ibv_destroy_ah(held->object));
		break;
	}
	if (held->cq)
		want_ok(ibv_destroy_cq(held->cq));
	memset(held, 0, sizeof(*held));
}

/* Return: whether it is an object that can be resized */
static bool resize(struct storm *storm, struct held *held)
{
	struct ibv_srq_attr attr = { .max_wr = entries(storm) };

	switch (held->kind) {
	case CQ:
		want_ok(ibv_resize_cq(held->object, entries(storm)));
		break;
	case SRQ:
	case XRC_SRQ:
		want_ok(ibv_modify_srq(held->object, &attr, IBV_SRQ_MAX_WR));
		break;
	default:
		return false;
	}
	storm->resized++;
	return true;
}

static void *run(void *arg)
{
	struct held held[HELD] = { 0 };
	struct storm *storm = arg;
	size_t i;

	while (now_ms() < storm->end_ms) {
		i = rand_r(&storm->seed) % HELD;
		if (rand_r(&storm->seed) % RESIZE_RATE == 0 && resize(storm, &held[i]))
			continue;
		destroy(&held[i]);
		create(storm, &held[i]);
	}
	for (i = 0; i < HELD; i++)
		destroy(&held[i]);
	return NULL;
}

static void begin(struct storm *storm)
{
	storm->xrcd = made(xrcd_try(storm->port));
	storm->cq = cq_make(storm->port, 64, NULL);
	storm->raw = qp_make(storm->port, IBV_QPT_RAW_PACKET, storm->cq);
	storm->buf = map_make(MR_MAX, MAP_POPULATE);
}

static void end(struct storm *storm)
{
	want_ok(ibv_destroy_qp(storm->raw));
	want_ok(ibv_destroy_cq(storm->cq));
	want_ok(ibv_close_xrcd(storm->xrcd));
}

int main(int argc, char **argv)
{
	struct storm storms[THREADS_MAX] = { 0 };
	unsigned long created = 0, resized = 0;
	unsigned int count, i;
	struct port port;

	want(argc == 6, "usage: storm DEVICE GID-INDEX THREADS SECONDS SEED");
	count = atoi(argv[3]);
	want(count && count <= THREADS_MAX, "%u threads", count);
	port_open(&port, argv[1], atoi(argv[2]));
	for (i = 0; i < count; i++) {
		storms[i].port = &port;
		storms[i].end_ms = now_ms() + atoi(argv[4]) * 1000;
		storms[i].seed = atoi(argv[5]) + i;
		begin(&storms[i]);
		want_ok(pthread_create(&storms[i].thread, NULL, run, &storms[i]));
	}
	for (i = 0; i < count; i++) {
		want_ok(pthread_join(storms[i].thread, NULL));
		end(&storms[i]);
		created += storms[i].created;
		resized += storms[i].resized;
	}
	printf("%lu objects %lu resizes\n", created, resized);
	return 0;
}
