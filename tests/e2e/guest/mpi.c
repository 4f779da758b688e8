// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A program for mpirun with any number of ranks: messages of all sizes around a ring, reductions,
 * and one-sided access. All results are checked.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST (1 << 20)
#define VECTOR 5000
#define ADDS 50

static int rank, ranks;

static void check(int claim, const char *what)
{
	if (claim)
		return;
	printf("rank %d: %s\n", rank, what);
	fflush(stdout);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Eager and rendezvous protocols; each rank adds one to each byte */
static void ring(char *buf, int len)
{
	int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, i;

	if (!rank) {
		for (i = 0; i < len; i++)
			buf[i] = i * 7;
		MPI_Send(buf, len, MPI_CHAR, next, len, MPI_COMM_WORLD);
	}
	MPI_Recv(buf, len, MPI_CHAR, last, len, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (i = 0; i < len; i++)
		check(buf[i] == (char)(i * 7 + (rank ? rank - 1 : ranks - 1)), "ring");
	if (!rank)
		return;
	for (i = 0; i < len; i++)
		buf[i]++;
	MPI_Send(buf, len, MPI_CHAR, next, len, MPI_COMM_WORLD);
}

static void reduce(void)
{
	static long in[VECTOR], out[VECTOR];
	long i;

	for (i = 0; i < VECTOR; i++)
		in[i] = i * (rank + 1);
	MPI_Allreduce(in, out, VECTOR, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	for (i = 0; i < VECTOR; i++)
		check(out[i] == i * ranks * (ranks + 1) / 2, "allreduce");
}

/* All ranks add to one counter of rank 0, and put into their own element there */
static void one_sided(void)
{
	long one = 1, old, *memory, i;
	MPI_Win win;

	MPI_Win_allocate((ranks + 1) * sizeof(long), sizeof(long), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &memory, &win);
	memset(memory, 0, (ranks + 1) * sizeof(long));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	for (i = 0; i < ADDS; i++) {
		MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
		check(old >= i && old < ADDS * ranks, "fetch and add");
	}
	i = 1000 + rank;
	MPI_Put(&i, 1, MPI_LONG, 0, 1 + rank, 1, MPI_LONG, win);
	MPI_Win_flush(0, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank) {
		check(memory[0] == ADDS * ranks, "sum of fetch and add");
		for (i = 0; i < ranks; i++)
			check(memory[1 + i] == 1000 + i, "put");
	}
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	char *buf = malloc(LONGEST);
	int len;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (len = 1; len <= LONGEST; len *= 8)
		ring(buf, len);
	reduce();
	one_sided();
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		printf("%d ranks agree\n", ranks);
	MPI_Finalize();
	free(buf);
	return 0;
}
