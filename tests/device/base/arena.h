/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory of objects that a card may have thousands of. The heap scatters them
 * over pages of 4 KiB, and then each use of another object costs misses of the
 * TLB besides those of the caches. An arena takes memory in chunks of a huge
 * page, each for objects of one size.
 */
#ifndef ORNIC_DEVICE_ARENA_H
#define ORNIC_DEVICE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "env/list.h"

/* Size and alignment of a chunk: a huge page of x86-64 and of arm64 */
#define ARENA_CHUNK_SIZE (2u << 20)
#define ARENA_LINE 64u
/* Largest object, bytes */
#define ARENA_SIZE_MAX (ARENA_CHUNK_SIZE / 16)

/**
 * struct arena - memory of objects
 * @chunks: chunks that have room, the latest last
 * @count: number of chunks, those without room included
 */
struct arena {
	struct list_head chunks;
	unsigned int count;
};

/**
 * arena_init - make an empty arena
 * @arena: to initialise
 */
void arena_init(struct arena *arena);

/**
 * arena_uninit - undo arena_init()
 * @arena: without objects; it may keep a chunk of each size
 */
void arena_uninit(struct arena *arena);

/**
 * arena_alloc - allocate an object
 * @arena: the arena
 * @size: bytes, up to ARENA_SIZE_MAX
 *
 * Return: zeroed memory that begins a cache line, or NULL.
 */
void *arena_alloc(struct arena *arena, size_t size);

/**
 * arena_free - free an object
 * @arena: where it was allocated
 * @object: from arena_alloc()
 */
void arena_free(struct arena *arena, void *object);

#endif /* ORNIC_DEVICE_ARENA_H */
