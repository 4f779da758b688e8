// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Threads that create, resize and destroy objects of all kinds at random, in one context, each
 * holding a few at a time. No call may fail.
 *
 * usage: storm DEVICE GID-INDEX THREADS SECONDS SEED
 * Prints the numbers of objects that were created and of resizes.
 */
#include <fcntl.h>
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
	struct ibv_qp_init_attr attr;

	held->cq = cq_make(storm->port, 64, NULL);
	attr = qp_init(rand_r(&storm->seed) & 1 ? IBV_QPT_RC : IBV_QPT_UD, held->cq);
	held->object = made(ibv_create_qp(storm->port->pd, &attr));
	if (rand_r(&storm->seed) & 1)
		qp_to_init(held->object, attr.qp_type == IBV_QPT_RC ? ACCESS_ALL : 0);
}

static void create_mr(struct storm *storm, struct held *held)
{
	size_t first = rand_r(&storm->seed) % MR_MAX;
	size_t len = rand_r(&storm->seed) % (MR_MAX - first) + 1;

	held->object = made(ibv_reg_mr(storm->port->pd, storm->buf + first, len, ACCESS_ALL));
}

static void create_srq(struct storm *storm, struct held *held)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = entries(storm), .max_sge = 2 } };

	held->object = made(ibv_create_srq(storm->port->pd, &attr));
}

static void create_xrc_srq(struct storm *storm, struct held *held)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = entries(storm), .max_sge = 2 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC, .pd = storm->port->pd, .xrcd = storm->xrcd,
	};

	held->cq = cq_make(storm->port, 64, NULL);
	attr.cq = held->cq;
	held->object = made(ibv_create_srq_ex(storm->port->ctx, &attr));
}

static void create_wq(struct storm *storm, struct held *held)
{
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = 64, .max_sge = 2, .pd = storm->port->pd,
	};

	held->cq = cq_make(storm->port, 64, NULL);
	attr.cq = held->cq;
	held->object = made(ibv_create_wq(storm->port->ctx, &attr));
	if (rand_r(&storm->seed) & 1)
		want_ok(ibv_modify_wq(held->object, &ready));
}

/* From an unused address, so the traffic of others has no match */
static void create_flow(struct storm *storm, struct held *held)
{
	held->object = made(flow_from(storm->raw, 0x01020000 + entries(storm), NULL));
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
		create_srq(storm, held);
		break;
	case XRC_SRQ:
		create_xrc_srq(storm, held);
		break;
	case WQ:
		create_wq(storm, held);
		break;
	case FLOW:
		create_flow(storm, held);
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
		want_ok(ibv_destroy_cq(held->cq));
		break;
	case SRQ:
		want_ok(ibv_destroy_srq(held->object));
		break;
	case XRC_SRQ:
		want_ok(ibv_destroy_srq(held->object));
		want_ok(ibv_destroy_cq(held->cq));
		break;
	case WQ:
		want_ok(ibv_destroy_wq(held->object));
		want_ok(ibv_destroy_cq(held->cq));
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
	held->kind = NONE;
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
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = O_CREAT,
	};
	struct ibv_qp_init_attr raw;

	storm->xrcd = made(ibv_open_xrcd(storm->port->ctx, &attr));
	storm->cq = cq_make(storm->port, 64, NULL);
	raw = qp_init(IBV_QPT_RAW_PACKET, storm->cq);
	storm->raw = made(ibv_create_qp(storm->port->pd, &raw));
	storm->buf = mmap(NULL, MR_MAX, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	want(storm->buf != MAP_FAILED, "%s", strerror(errno));
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
