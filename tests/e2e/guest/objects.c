// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: objects DEVICE GID-INDEX [CALL]
 *
 * The control path: how long a process needs to create objects of a kind and to destroy them. Each
 * kind is created in a batch and then destroyed, again and again, until both took long enough to
 * measure. Prints a line for each call: its name, the number of calls, their nanoseconds. Memory is
 * touched before, so that no page fault is measured. With CALL, only the kind is measured that has
 * this call.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "verbs.h"

#define BATCH_MAX 256
/* Contexts have a page of doorbells each; a card may have few of them */
#define BATCH_CONTEXTS 16
#define BATCH_OBJECTS 256
/* Registered bytes of a batch are bounded, because their pages are pinned */
#define BATCH_MR_BYTES (64u << 20)
#define MR_LARGEST (16u << 20)
/* Both calls of a kind are repeated for this time, but at least for two batches */
#define LONG_ENOUGH_NS 400000000ULL
#define CQ_ENTRIES 64
#define QP_DEPTH 16

/* Objects that calls create, and others that these need */
struct bench {
	struct port port;
	struct ibv_cq *cq;
	void *buf;
	size_t mr_len;
	void *object[BATCH_MAX];
};

/* Calls that belong together; step is between the others, or NULL */
struct kind {
	const char *names[3];
	unsigned int batch;
	size_t mr_len;
	void (*make)(struct bench *bench, unsigned int i);
	void (*step)(struct bench *bench, unsigned int i);
	void (*end)(struct bench *bench, unsigned int i);
};

/* Define a call of one expression */
#define CALL(name, expression)                                  \
static void name(struct bench *bench, unsigned int i)           \
{                                                               \
	expression;                                             \
}

/* port->ctx is the device's context that is open anyway */
CALL(open_context, bench->object[i] = made(ibv_open_device(bench->port.ctx->device)))
CALL(close_context, want_ok(ibv_close_device(bench->object[i])))
CALL(alloc_pd, bench->object[i] = made(ibv_alloc_pd(bench->port.ctx)))
CALL(dealloc_pd, want_ok(ibv_dealloc_pd(bench->object[i])))
CALL(create_cq, bench->object[i] = made(ibv_create_cq(bench->port.ctx, CQ_ENTRIES, NULL, NULL, 0)))
CALL(destroy_cq, want_ok(ibv_destroy_cq(bench->object[i])))
CALL(destroy_qp, want_ok(ibv_destroy_qp(bench->object[i])))
CALL(reg_mr, bench->object[i] = made(ibv_reg_mr(bench->port.pd, bench->buf, bench->mr_len,
						ACCESS_ALL)))
CALL(dereg_mr, want_ok(ibv_dereg_mr(bench->object[i])))

static void create_qp(struct bench *bench, unsigned int i)
{
	struct ibv_qp_init_attr init = {
		.send_cq = bench->cq,
		.recv_cq = bench->cq,
		.cap = { .max_send_wr = QP_DEPTH, .max_recv_wr = QP_DEPTH, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};

	bench->object[i] = made(ibv_create_qp(bench->port.pd, &init));
}

/* Each QP is its own peer; no packet is sent */
static void connect_qp(struct bench *bench, unsigned int i)
{
	struct ibv_qp *qp = bench->object[i];

	qp_to_init(qp, ACCESS_ALL);
	qp_to_rtr(&bench->port, qp, qp->qp_num);
	qp_to_rts(qp);
}

#define MR(size, len) { \
		.names = { "register " size, NULL, "deregister " size }, \
		.batch = BATCH_MR_BYTES / (len) < BATCH_OBJECTS ? BATCH_MR_BYTES / (len) : \
								  BATCH_OBJECTS, \
		.mr_len = len, \
		.make = reg_mr, \
		.end = dereg_mr, \
	}

static const struct kind kinds[] = {
	{ { "open", NULL, "close" }, BATCH_CONTEXTS, 0, open_context, NULL, close_context },
	{ { "alloc PD", NULL, "dealloc PD" }, BATCH_OBJECTS, 0, alloc_pd, NULL, dealloc_pd },
	{ { "create CQ", NULL, "destroy CQ" }, BATCH_OBJECTS, 0, create_cq, NULL, destroy_cq },
	{ { "create QP", "RESET to RTS", "destroy QP" }, BATCH_OBJECTS, 0, create_qp, connect_qp,
	  destroy_qp },
	MR("4 KiB", 4096u),
	MR("1 MiB", 1u << 20),
	MR("16 MiB", MR_LARGEST),
};

/* Return: ns for one batch of calls */
static uint64_t run_batch(struct bench *bench, unsigned int batch,
			  void (*call)(struct bench *bench, unsigned int i))
{
	uint64_t begin = now_ns();
	unsigned int i;

	for (i = 0; i < batch; i++)
		call(bench, i);
	return now_ns() - begin;
}

static void run_kind(struct bench *bench, const struct kind *kind)
{
	void (*const calls[])(struct bench *bench, unsigned int i) = {
		kind->make, kind->step, kind->end,
	};
	uint64_t time_ns[ARRAY_SIZE(calls)] = { 0 }, all_ns = 0;
	unsigned int i, turns = 0;

	bench->mr_len = kind->mr_len;
	/* The first batch warms up what the process and the kernel keep */
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i])
			run_batch(bench, kind->batch, calls[i]);
	for (; turns < 2 || all_ns < LONG_ENOUGH_NS; turns++) {
		for (i = 0; i < ARRAY_SIZE(calls); i++) {
			uint64_t ns = calls[i] ? run_batch(bench, kind->batch, calls[i]) : 0;

			time_ns[i] += ns;
			all_ns += ns;
		}
	}
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i])
			printf("%s: %u calls, %llu ns\n", kind->names[i], turns * kind->batch,
			       (unsigned long long)time_ns[i]);
}

/* Return: whether the kind has a call of that name */
static bool has_call(const struct kind *kind, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kind->names); i++)
		if (kind->names[i] && !strcmp(kind->names[i], name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct bench bench = { 0 };
	size_t i;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: objects DEVICE GID-INDEX [CALL]\n");
		return 2;
	}
	port_open(&bench.port, argv[1], atoi(argv[2]));
	bench.cq = cq_make(&bench.port, CQ_ENTRIES, NULL);
	bench.buf = map_make(MR_LARGEST, MAP_POPULATE);
	memset(bench.buf, 1, MR_LARGEST);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (argc == 3 || has_call(&kinds[i], argv[3]))
			run_kind(&bench, &kinds[i]);
	return 0;
}
