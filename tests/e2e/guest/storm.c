// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Threads that create and destroy objects of all kinds at random, in one context, each holding a
 * few at a time. No call may fail.
 *
 * usage: storm DEVICE GID-INDEX THREADS SECONDS SEED
 * Prints the number of objects that were created.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

#include "verbs.h"

#define HELD 16
#define THREADS_MAX 64
#define MR_MAX (1 << 20)

enum kind { NONE, PD, CQ, QP, SRQ, MR, MW, AH, KINDS };

struct held {
	enum kind kind;
	void *object;
	struct ibv_cq *cq;	/* of a QP */
};

struct storm {
	struct port *port;
	uint64_t end_ms;
	unsigned int seed;
	unsigned long created;
	uint8_t *buf;
	pthread_t thread;
};

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

static void create(struct storm *storm, struct held *held)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 64, .max_sge = 2 } };
	struct ibv_ah_attr ah = port_ah_attr(storm->port);
	struct port *port = storm->port;

	held->kind = rand_r(&storm->seed) % (KINDS - 1) + 1;
	switch (held->kind) {
	case PD:
		held->object = made(ibv_alloc_pd(port->ctx));
		break;
	case CQ:
		held->object = cq_make(port, rand_r(&storm->seed) % 1000 + 1, NULL);
		break;
	case QP:
		create_qp(storm, held);
		break;
	case SRQ:
		held->object = made(ibv_create_srq(port->pd, &srq));
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

static void *run(void *arg)
{
	struct held held[HELD] = { 0 };
	struct storm *storm = arg;
	size_t i;

	while (now_ms() < storm->end_ms) {
		i = rand_r(&storm->seed) % HELD;
		destroy(&held[i]);
		create(storm, &held[i]);
	}
	for (i = 0; i < HELD; i++)
		destroy(&held[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	struct storm storms[THREADS_MAX] = { 0 };
	unsigned long created = 0;
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
		storms[i].buf = mmap(NULL, MR_MAX, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		want(storms[i].buf != MAP_FAILED, "%s", strerror(errno));
		want_ok(pthread_create(&storms[i].thread, NULL, run, &storms[i]));
	}
	for (i = 0; i < count; i++) {
		want_ok(pthread_join(storms[i].thread, NULL));
		created += storms[i].created;
	}
	printf("%lu objects\n", created);
	return 0;
}
