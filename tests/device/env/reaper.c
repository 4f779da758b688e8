// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A thread that gives memory back to the kernel */
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "env/reaper.h"

/*
 * Bytes of a piece. While the kernel drops its page table entries, calls of the other
 * thread that change mappings wait: 0.3 ms for the first size, 6 ms and more for the
 * largest one. A piece that took less than REAPER_QUICK_NS had few pages, so the next
 * one is larger.
 */
#define REAPER_PIECE (4ULL << 20)
#define REAPER_PIECE_MAX (256ULL << 20)
#define REAPER_QUICK_NS 50000
#define REAPER_RETRY_MS 10

/* A mapping in the queue of its owner; @size shrinks */
struct reap {
	struct list_head node;
	char *addr;
	size_t size;
	size_t piece;
	uint64_t units;
};

static struct reaper {
	pthread_t thread;
	pthread_mutex_t lock;	/* protects the members below, and each queue */
	pthread_cond_t changed;
	struct list_head counts;	/* that have mappings; the first is next */
	bool runs;
} reaper = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
	.counts = { &reaper.counts, &reaper.counts },
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

/*
 * Unmap the last piece. munmap() of pages that are present keeps other changes of
 * mappings waiting for longer, so their page table entries are dropped before. The
 * pages themselves stay in their file. Huge pages may refuse this, but are few. From
 * the end, so that the rest is one mapping.
 */
static bool reaper_unmap(struct reap *reap)
{
	size_t at = (reap->size - 1) & -reap->piece;
	uint64_t start_ns = now_ns();

	madvise(reap->addr + at, reap->size - at, MADV_DONTNEED);
	if (munmap(reap->addr + at, reap->size - at)) {
		/* Perhaps part of a huge page */
		reap->piece *= 2;
		if (at)
			return false;
		/* All of it: too many mappings for now (vm.max_map_count) */
		reap->piece = REAPER_PIECE;
		poll(NULL, 0, REAPER_RETRY_MS);
		return false;
	}
	reap->size = at;
	if (now_ns() - start_ns >= REAPER_QUICK_NS)
		reap->piece = REAPER_PIECE;
	else if (reap->piece < REAPER_PIECE_MAX)
		reap->piece *= 2;
	return true;
}

static void reaper_remove(struct reap_count *count, struct reap *reap)
{
	list_del_init(&reap->node);
	count->units -= reap->units;
	/* The owner may free @count, without the lock, when it has no mappings */
	if (count->mappings == 1)
		list_del_init(&count->node);
	count->mappings--;
	free(reap);
}

static struct reap *first_of(struct reap_count *count)
{
	return list_first_entry(&count->queue, struct reap, node);
}

/*
 * The priority is that of the caller, who may wait for a lock of the kernel that this
 * thread holds.
 */
static void *reaper_run(void *arg)
{
	struct reap_count *count;
	struct reap *reap;
	bool done;

	(void)arg;
	pthread_setname_np(pthread_self(), "reaper");
	pthread_mutex_lock(&reaper.lock);
	reaper.runs = true;
	pthread_cond_signal(&reaper.changed);
	while (reaper.runs) {
		if (list_empty(&reaper.counts)) {
			pthread_cond_wait(&reaper.changed, &reaper.lock);
			continue;
		}
		count = list_first_entry(&reaper.counts, struct reap_count,
					 node);
		reap = first_of(count);
		pthread_mutex_unlock(&reaper.lock);
		done = reaper_unmap(reap);
		pthread_mutex_lock(&reaper.lock);
		list_move_tail(&count->node, &reaper.counts);
		if (!done)
			list_move_tail(&reap->node, &count->queue);
		else if (!reap->size)
			reaper_remove(count, reap);
	}
	pthread_mutex_unlock(&reaper.lock);
	return NULL;
}

int reaper_start(void)
{
	int err;

	/* An arena for the thread would need mprotect(), which the sandbox forbids */
	mallopt(M_ARENA_MAX, 1);
	/*
	 * free() of one object must not give back the memory of many. Blocks of more than
	 * 128 KiB remain mappings of their own, as the threshold does not adapt any more.
	 */
	mallopt(M_TRIM_THRESHOLD, -1);
	err = pthread_create(&reaper.thread, NULL, reaper_run, NULL);
	if (err)
		return -err;
	/* The sandbox also forbids calls with which a thread begins */
	pthread_mutex_lock(&reaper.lock);
	while (!reaper.runs)
		pthread_cond_wait(&reaper.changed, &reaper.lock);
	pthread_mutex_unlock(&reaper.lock);
	return 0;
}

void reaper_stop(void)
{
	struct reap_count *count;

	if (!reaper.runs)
		return;
	pthread_mutex_lock(&reaper.lock);
	reaper.runs = false;
	pthread_cond_signal(&reaper.changed);
	pthread_mutex_unlock(&reaper.lock);
	pthread_join(reaper.thread, NULL);
	while (!list_empty(&reaper.counts)) {
		count = list_first_entry(&reaper.counts, struct reap_count,
					 node);
		reaper_remove(count, first_of(count));
	}
}

void reaper_give(void *addr, size_t size, struct reap_count *count,
		 uint64_t units)
{
	struct reap *reap = reaper.runs ? malloc(sizeof(*reap)) : NULL;

	if (!reap) {
		munmap(addr, size);
		return;
	}
	reap->addr = addr;
	reap->size = size;
	reap->piece = REAPER_PIECE;
	reap->units = units;
	pthread_mutex_lock(&reaper.lock);
	if (!count->mappings++) {
		list_init(&count->queue);
		list_add_tail(&count->node, &reaper.counts);
	}
	count->units += units;
	list_add_tail(&reap->node, &count->queue);
	pthread_cond_signal(&reaper.changed);
	pthread_mutex_unlock(&reaper.lock);
}
