/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Large memory goes back to the kernel in a thread of its own, because that takes
 * 60 ms per GiB that was accessed, and longer for the last reference of a file.
 */
#ifndef ORNIC_DEVICE_REAPER_H
#define ORNIC_DEVICE_REAPER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "env/list.h"

/**
 * struct reap_count - what one owner has given to the reaper, and still counts
 * @node: in the list of those that have mappings; they take turns
 * @queue: their struct reap list
 * @mappings: number of mappings; while it is 0, the members above are not valid
 * @units: their size in units of the owner
 *
 * All zero at first. It must exist until @mappings is 0, or the thread has ended.
 */
struct reap_count {
	struct list_head node;
	struct list_head queue;
	_Atomic unsigned int mappings;
	_Atomic uint64_t units;
};

/**
 * reaper_start - start the thread
 *
 * Call it once per process, before the sandbox is entered. The thread has the
 * signal mask of the caller. free() does not return memory of the heap to the
 * kernel any more.
 *
 * Return: 0 or a negative errno.
 */
int reaper_start(void);

/**
 * reaper_stop - end the thread
 *
 * The end of the process unmaps what is in the queue. Without reaper_start() it
 * does nothing.
 */
void reaper_stop(void);

/**
 * reaper_give - unmap memory
 * @addr: a mapping that nothing points into any more; of a file it may be the last
 *	reference
 * @size: bytes
 * @count: counts the mapping until it is gone
 * @units: for @count
 *
 * While the thread does not run, the memory is unmapped at once.
 */
void reaper_give(void *addr, size_t size, struct reap_count *count,
		 uint64_t units);

#endif /* ORNIC_DEVICE_REAPER_H */
