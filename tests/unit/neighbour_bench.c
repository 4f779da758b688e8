// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attacks as a benchmark, in CPU time of the thread that runs the cards: other
 * processes do not disturb it. The neighbour also writes from one of its QPs to
 * another, as much as it can, alone and under the attack.
 *
 * NEIGHBOUR_ATTACKS: names of attacks, separated by commas. NEIGHBOUR_ROWS: file
 * to append a line to for each of them: name, longest register read (ns),
 * bytes per ms alone and under the attack.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "loop.h"
#include "neighbour.h"
#include "work.h"

#define BULK_LEN 65536
#define ALONE_NS 50000000
#define ATTACK_NS 200000000
/* The attacker's own time has a limit, too */
#define ATTACK_WALL_NS 2000000000

static const struct timespec *to_timespec(uint64_t ns, struct timespec *ts)
{
	ts->tv_sec = ns / 1000000000;
	ts->tv_nsec = ns % 1000000000;
	return ts;
}

uint64_t work_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

void work_sleep(uint64_t ns)
{
	struct timespec ts;

	nanosleep(to_timespec(ns, &ts), NULL);
}

/* Keep the send queue full. Return: bytes written since the last call. */
static uint64_t write_bulk(struct pair *bulk, uint32_t *done)
{
	struct side *side = A(bulk);
	struct pair_wr wr = pair_wr_data(side, ORNIC_WR_RDMA_WRITE, 0,
					 BULK_LEN);
	uint32_t ci = guest_load32(&host_qp_dbr(&side->qp)->sq_ci);
	uint64_t bytes = (uint64_t)(ci - *done) * BULK_LEN;
	uint32_t pi = side->qp.sq_pi;

	*done = ci;
	wr.flags = 0;
	/* From the lower half of the buffer to the upper one, piece by piece */
	while (side->qp.sq_pi - ci < 1u << side->qp.log_sq_slots) {
		uint64_t at = (uint64_t)side->qp.sq_pi * BULK_LEN %
			      (PAIR_BUF_SIZE / 2);

		wr.sge[0].addr = side->addr + at;
		wr.raddr = B(bulk)->addr + PAIR_BUF_SIZE / 2 + at;
		pair_post(side, &wr);
	}
	if (side->qp.sq_pi != pi)
		pair_ring(side);
	return bytes;
}

/* Return: bytes per ms of the neighbour, in @ns of the cards' time */
static uint64_t measure(struct neighbours *n, struct pair *bulk,
			void (*push)(struct neighbours *n), uint64_t ns)
{
	uint64_t start = n->now_ns, wall = loop_clock_ns(), bytes = 0;
	uint32_t done = guest_load32(&host_qp_dbr(&A(bulk)->qp)->sq_ci);

	do {
		if (push)
			push(n);
		bytes += write_bulk(bulk, &done);
		neighbours_turn(n);
	} while (n->now_ns - start < ns &&
		 loop_clock_ns() - wall < ATTACK_WALL_NS);
	return bytes * 1000000 / (n->now_ns - start);
}

static void run(void **state)
{
	struct neighbours *n = *state;
	struct pair *bulk = neighbours_pair_of_one(B(n->pair));
	uint64_t alone, attacked;
	FILE *rows;

	neighbours_cq(A(bulk));
	neighbours_cq(B(bulk));
	pair_qps(bulk, ORNIC_QPT_RC, 0);
	pair_connect(bulk);
	alone = measure(n, bulk, NULL, ALONE_NS);
	memset(n->wait_ns, 0, sizeof(n->wait_ns));
	if (n->attack->begin)
		n->attack->begin(n);
	attacked = measure(n, bulk, n->attack->push, ATTACK_NS);
	rows = fopen(getenv("NEIGHBOUR_ROWS"), "a");
	assert_non_null(rows);
	fprintf(rows, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		n->attack->name, n->wait_ns[WAIT_READ], alone, attacked);
	fclose(rows);
	free(bulk);
}

static bool is_wanted(const char *name)
{
	const char *names = getenv("NEIGHBOUR_ATTACKS");
	size_t len = strlen(name);

	for (; names; names = strchr(names, ',')) {
		names += *names == ',';
		if (!strncmp(names, name, len) &&
		    (!names[len] || names[len] == ','))
			return true;
	}
	return false;
}

int neighbours_main(const char *name, const struct attack *attacks,
		    unsigned int count)
{
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));
	unsigned int i, wanted = 0;
	int failed;

	for (i = 0; i < count; i++)
		if (is_wanted(attacks[i].name))
			tests[wanted++] = (struct CMUnitTest){
				.name = attacks[i].name,
				.test_func = run,
				.setup_func = neighbours_setup,
				.teardown_func = neighbours_teardown,
				.initial_state =
					(void *)(uintptr_t)&attacks[i],
			};
	failed = _cmocka_run_group_tests(name, tests, wanted, NULL, NULL);
	free(tests);
	return failed;
}
