// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: provider-cost
 *
 * Prints the instructions and nanoseconds that libornic spends in the caller's
 * thread per verbs call, as JSON. Instructions are counted exactly, by
 * single-stepping a child process. Nanoseconds are the median of many batches,
 * without the work of the device and without the MMIO store of a doorbell.
 */
#include <assert.h>
#include <endian.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ccan/array_size.h>

#include "fake.h"
#include "wqe.h"

#define LIST		16
#define CALLS		128	/* per timed batch */
#define BATCHES		400
#define WARM_CALLS	64
#define DEPTH		(4 * LIST * CALLS)

/**
 * struct bench - objects of the measured calls
 * @fake: kernel and device
 * @cq: completion queue
 * @rc: RC QP with the ibv_wr_* calls
 * @ud: UD QP
 * @raw: RAW_PACKET QP with the ibv_wr_* calls
 * @wq: work queue
 * @ah: address handle
 * @send: send work requests, chained
 * @recv: receive work requests, chained
 * @sge: one SGE per work request
 * @wc: work completions
 * @data: payload
 * @counting: trap before and after each call
 */
struct bench {
	struct fake fake;
	struct ibv_cq *cq;
	struct ibv_qp *rc;
	struct ibv_qp *ud;
	struct ibv_qp *raw;
	struct ibv_wq *wq;
	struct ibv_ah *ah;
	struct ibv_send_wr send[LIST];
	struct ibv_recv_wr recv[LIST];
	struct ibv_sge sge[LIST];
	struct ibv_wc wc[LIST];
	uint8_t data[64];
	bool counting;
};

/* ---- measured calls --------------------------------------------------- */

static inline void mark(const struct bench *b)
{
	if (b->counting)
		asm volatile("int3" ::: "memory");
	else
		asm volatile("" ::: "memory");
}

/* Defines a function that makes the call n times, between marks */
#define CALL(name, ...)							\
	static void name(struct bench *b, int n)			\
	{								\
		struct ibv_recv_wr *bad_recv __attribute__((unused));	\
		struct ibv_send_wr *bad_send __attribute__((unused));	\
		struct ibv_qp_ex *rcx __attribute__((unused)) =		\
			(struct ibv_qp_ex *)b->rc;			\
		struct ibv_qp_ex *rawx __attribute__((unused)) =	\
			(struct ibv_qp_ex *)b->raw;			\
		int ret = 0;						\
									\
		for (; n; n--) {					\
			mark(b);					\
			__VA_ARGS__;					\
			mark(b);					\
			assert(ret >= 0);				\
		}							\
	}

static inline int wr_send(struct bench *b, struct ibv_qp_ex *qp, int n)
{
	ibv_wr_start(qp);
	for (; n; n--) {
		qp->wr_id = 1;
		qp->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_send(qp);
		ibv_wr_set_sge(qp, 7, (uintptr_t)b->data, sizeof(b->data));
	}
	return ibv_wr_complete(qp);
}

static inline int wr_write(struct bench *b, struct ibv_qp_ex *qp)
{
	ibv_wr_start(qp);
	qp->wr_id = 1;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qp, 9, 0x1000);
	ibv_wr_set_sge(qp, 7, (uintptr_t)b->data, sizeof(b->data));
	return ibv_wr_complete(qp);
}

static inline int wr_inline(struct bench *b, struct ibv_qp_ex *qp)
{
	ibv_wr_start(qp);
	qp->wr_id = 1;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, b->data, 32);
	return ibv_wr_complete(qp);
}

CALL(call_nothing)
CALL(call_send, ret = ibv_post_send(b->rc, b->send, &bad_send))
CALL(call_send_ud, ret = ibv_post_send(b->ud, b->send, &bad_send))
CALL(call_send_raw, ret = ibv_post_send(b->raw, b->send, &bad_send))
CALL(call_recv, ret = ibv_post_recv(b->rc, b->recv, &bad_recv))
CALL(call_recv_wq, ret = ibv_post_wq_recv(b->wq, b->recv, &bad_recv))
CALL(call_poll1, ret = ibv_poll_cq(b->cq, 1, b->wc))
CALL(call_poll16, ret = ibv_poll_cq(b->cq, LIST, b->wc))
CALL(call_wr_send, ret = wr_send(b, rcx, 1))
CALL(call_wr_send16, ret = wr_send(b, rcx, LIST))
CALL(call_wr_write, ret = wr_write(b, rcx))
CALL(call_wr_inline, ret = wr_inline(b, rcx))
CALL(call_wr_send_raw, ret = wr_send(b, rawx, 1))
CALL(call_notify, ret = ibv_req_notify_cq(b->cq, 0))

/* ---- preparation of the calls ----------------------------------------- */

static uint32_t posted(const struct ibv_qp *qp)
{
	const struct ornic_sq *sq = &to_ornic_qp((struct ibv_qp *)qp)->sq;

	return ornic_sq_index(sq, sq->next) - sq->more;
}

/*
 * Consumes all posted WQEs, as if their completions had been polled, and writes
 * @cqes completions of sends
 */
static void settle(struct bench *b, int cqes)
{
	struct ornic_cqe cqe = {
		.sq_num = htole32(posted(b->rc)),
		.qpn = htole32(FAKE_FIRST_QPN |
			       ORNIC_PREP(ORNIC_CQE_FLAGS,
					  ORNIC_WC_SEND_QUEUE)),
	};
	struct ibv_qp *ibqps[] = { b->rc, b->ud, b->raw };
	struct fake_qp *qps[] = {
		fake_qp(b->rc), fake_qp(b->ud), fake_qp(b->raw),
		fake_wq(b->wq),
	};
	struct fake_qp *qp;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(qps); i++) {
		qp = qps[i];
		qp->sq_ci = le32toh(qp->dbr->sq_pi);
		qp->dbr->sq_ci = qp->dbr->sq_pi;
		qp->rq_ci = le32toh(qp->dbr->rq_pi);
		qp->dbr->rq_ci = qp->dbr->rq_pi;
	}
	for (i = 0; i < ARRAY_SIZE(ibqps); i++) {
		atomic_store(&to_ornic_qp(ibqps[i])->sq.polled.count,
			     posted(ibqps[i]));
		atomic_store(&to_ornic_qp(ibqps[i])->rq.polled.count,
			     to_ornic_qp(ibqps[i])->rq.pi);
	}
	atomic_store(&to_ornic_wq(b->wq)->rq.polled.count,
		     to_ornic_wq(b->wq)->rq.pi);
	for (; cqes > 0; cqes--)
		fake_complete(fake_cq(b->cq), &cqe);
}

static void drain(struct bench *b)
{
	while (ibv_poll_cq(b->cq, LIST, b->wc))
		;
}

static void chain(struct bench *b, enum ibv_wr_opcode opcode, int length,
		  unsigned int flags, int n)
{
	int i;

	for (i = 0; i < LIST; i++) {
		b->sge[i] = (struct ibv_sge){
			.addr = (uintptr_t)b->data, .length = length, .lkey = 7,
		};
		b->send[i] = (struct ibv_send_wr){
			.wr_id = i,
			.next = i + 1 < n ? &b->send[i + 1] : NULL,
			.sg_list = &b->sge[i],
			.num_sge = 1,
			.opcode = opcode,
			.send_flags = IBV_SEND_SIGNALED | flags,
		};
		b->recv[i] = (struct ibv_recv_wr){
			.wr_id = i,
			.next = i + 1 < n ? &b->recv[i + 1] : NULL,
			.sg_list = &b->sge[i],
			.num_sge = 1,
		};
	}
}

static void chain_ud(struct bench *b, int length, unsigned int flags)
{
	chain(b, IBV_WR_SEND, length, flags, 1);
	b->send[0].wr.ud.ah = b->ah;
	b->send[0].wr.ud.remote_qpn = 5;
	b->send[0].wr.ud.remote_qkey = 6;
}

#define ONE(op)		chain(b, IBV_WR_##op, 64, 0, 1)
#define SIXTEEN(op)	chain(b, IBV_WR_##op, 64, 0, LIST)
#define INLINE32	chain(b, IBV_WR_SEND, 32, IBV_SEND_INLINE, 1)

#define PREPARE(name, ...) \
	static void name(struct bench *b) { __VA_ARGS__; }

PREPARE(prepare_nothing)
PREPARE(prepare_send, ONE(SEND))
PREPARE(prepare_write, ONE(RDMA_WRITE))
PREPARE(prepare_inline, INLINE32)
PREPARE(prepare_send16, SIXTEEN(SEND))
PREPARE(prepare_write16, SIXTEEN(RDMA_WRITE))
PREPARE(prepare_ud, chain_ud(b, 64, 0))
PREPARE(prepare_ud_inline, chain_ud(b, 32, IBV_SEND_INLINE))

/**
 * struct row - a measured call
 * @name: name in the output
 * @call: makes the call n times
 * @prepare: prepares its arguments
 * @cqes: completions to write per call; -1: one before each call, fewer than
 *	the call has room for
 * @work: work requests or completions per call
 * @model: instructions of the model with which the ring layout was designed;
 *	for frames those of a SEND; 0: the model has no such call
 * @goal: @model is the limit for the call
 */
struct row {
	const char *name;
	void (*call)(struct bench *b, int n);
	void (*prepare)(struct bench *b);
	int cqes;
	int work;
	int model;
	bool goal;
};

static const struct row rows[] = {
	{ "SEND 1 SGE", call_send, prepare_send, 0, 1, 120, true },
	{ "WRITE 1 SGE", call_send, prepare_write, 0, 1, 120, true },
	{ "inline SEND 32 B", call_send, prepare_inline, 0, 1, 130, true },
	{ "list of 16 SENDs", call_send, prepare_send16, 0, LIST, 915, true },
	{ "list of 16 WRITEs", call_send, prepare_write16, 0, LIST, 915, true },
	{ "UD SEND 1 SGE", call_send_ud, prepare_ud, 0, 1, 123, true },
	{ "UD inline 32 B", call_send_ud, prepare_ud_inline, 0, 1, 133, true },
	{ "frame 1 SGE", call_send_raw, prepare_send, 0, 1, 120, true },
	{ "inline frame 32 B", call_send_raw, prepare_inline, 0, 1, 130, true },
	{ "list of 16 frames", call_send_raw, prepare_send16, 0, LIST, 915, true },
	{ "post_recv 1 SGE", call_recv, prepare_send, 0, 1, 74, true },
	{ "list of 16 recvs", call_recv, prepare_send16, 0, LIST, 479, true },
	{ "post_wq_recv 1 SGE", call_recv_wq, prepare_send, 0, 1, 74, true },
	{ "list of 16 wq recvs", call_recv_wq, prepare_send16, 0, LIST, 479, true },
	{ "poll 1 CQE", call_poll1, prepare_nothing, 1, 1, 76, true },
	{ "poll 16 CQEs", call_poll16, prepare_nothing, LIST, LIST, 556, true },
	{ "poll: 16 wanted, 1 there", call_poll16, prepare_nothing, -1, 1, 91, true },
	{ "poll, empty", call_poll16, prepare_nothing, 0, 0, 52, true },
	{ "req_notify_cq", call_notify, prepare_nothing, 0, 1, 0, false },
	{ "ibv_wr SEND", call_wr_send, prepare_nothing, 0, 1, 88, true },
	{ "ibv_wr WRITE", call_wr_write, prepare_nothing, 0, 1, 94, true },
	{ "ibv_wr inline 32 B", call_wr_inline, prepare_nothing, 0, 1, 99, true },
	{ "ibv_wr 16 SENDs", call_wr_send16, prepare_nothing, 0, LIST, 583, true },
	{ "ibv_wr frame", call_wr_send_raw, prepare_nothing, 0, 1, 88, true },
};

/* ---- measuring -------------------------------------------------------- */

static struct bench *bench_open(void)
{
	struct ibv_wq_attr ready = {
		.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY,
	};
	struct ibv_wq_init_attr wq_attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = DEPTH / 4, .max_sge = 4,
	};
	struct bench *b = calloc(1, sizeof(*b));
	struct ibv_ah_attr ah_attr = {};

	fake_open(&b->fake, true, false);
	b->cq = b->fake.ops->create_cq(&b->fake.ctx->context, DEPTH, NULL, 0);
	b->rc = fake_create_qp(&b->fake, IBV_QPT_RC, b->cq, DEPTH / 4,
			       DEPTH, IBV_QP_EX_WITH_SEND |
			       IBV_QP_EX_WITH_RDMA_WRITE);
	b->ud = fake_create_qp(&b->fake, IBV_QPT_UD, b->cq, DEPTH / 4,
			       DEPTH / 4, 0);
	b->raw = fake_create_qp(&b->fake, IBV_QPT_RAW_PACKET, b->cq, DEPTH / 4,
				DEPTH / 4, IBV_QP_EX_WITH_SEND);
	wq_attr.pd = b->rc->pd;
	wq_attr.cq = b->cq;
	b->wq = b->fake.ops->create_wq(&b->fake.ctx->context, &wq_attr);
	b->fake.ops->modify_wq(b->wq, &ready);
	b->ah = b->fake.ops->create_ah(b->rc->pd, &ah_attr);
	fake_to_state(b->rc, IBV_QPS_RTS);
	fake_to_state(b->ud, IBV_QPS_RTS);
	fake_to_state(b->raw, IBV_QPS_RTS);
	fake_qp(b->rc)->dbr->sq_watched = htole32(1);
	fake_qp(b->ud)->dbr->sq_watched = htole32(1);
	fake_qp(b->raw)->dbr->sq_watched = htole32(1);
	return b;
}

/* Rows with cqes < 0 get one completion before each call */
static void row_calls(struct bench *b, const struct row *row, int calls)
{
	int i;

	settle(b, row->cqes > 0 ? row->cqes * calls : 0);
	if (row->cqes >= 0) {
		row->call(b, calls);
		return;
	}
	for (i = 0; i < calls; i++) {
		settle(b, 1);
		row->call(b, 1);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double row_ns(struct bench *b, const struct row *row)
{
	static double ns[BATCHES];
	struct timespec from, to;
	int i;

	row->prepare(b);
	for (i = 0; i < BATCHES; i++) {
		settle(b, row->cqes > 0 ? row->cqes * CALLS : 0);
		clock_gettime(CLOCK_MONOTONIC, &from);
		row->call(b, CALLS);
		clock_gettime(CLOCK_MONOTONIC, &to);
		drain(b);
		ns[i] = ((to.tv_sec - from.tv_sec) * 1e9 +
			 (to.tv_nsec - from.tv_nsec)) / CALLS;
	}
	qsort(ns, BATCHES, sizeof(ns[0]), compare);
	return ns[BATCHES / 2];
}

/* The child process: warms caches and resolves symbols, then makes one call */
static void run_counted(const struct row *row)
{
	struct bench *b = bench_open();

	row->prepare(b);
	row_calls(b, row, WARM_CALLS);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	b->counting = true;
	row_calls(b, row, 1);
	_exit(0);
}

static bool at_mark(pid_t pid)
{
	struct user_regs_struct regs;

	ptrace(PTRACE_GETREGS, pid, NULL, &regs);
	return (ptrace(PTRACE_PEEKTEXT, pid, regs.rip, NULL) & 0xff) == 0xcc;
}

static long count_row(const struct row *row)
{
	long n = 0;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		run_counted(row);

	waitpid(pid, &status, 0);
	if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
		fprintf(stderr, "provider-cost: %s: no mark reached\n",
			row->name);
		exit(1);
	}
	for (; !at_mark(pid); n++) {
		ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
		waitpid(pid, &status, 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return n;
}

int main(void)
{
	const struct row nothing = {
		.name = "nothing",
		.call = call_nothing,
		.prepare = prepare_nothing,
	};
	struct bench *b = bench_open();
	long overhead = count_row(&nothing);
	size_t i;

	printf("[\n");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		printf(" {\"call\": \"%s\", \"work\": %d, \"instructions\": %ld",
		       rows[i].name, rows[i].work,
		       count_row(&rows[i]) - overhead);
		if (rows[i].model)
			printf(", \"model\": %d, \"goal\": %s", rows[i].model,
			       rows[i].goal ? "true" : "false");
		if (rows[i].cqes >= 0)
			printf(", \"ns\": %.1f", row_ns(b, &rows[i]));
		printf("}%s\n", i + 1 < ARRAY_SIZE(rows) ? "," : "");
	}
	printf("]\n");
	return 0;
}
