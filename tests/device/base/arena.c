// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory of objects that a card may have thousands of */
#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"

/* A free object */
struct arena_hole {
	struct arena_hole *next;
};

/**
 * struct arena_chunk - header of a chunk
 * @node: in @chunks of the arena while there is room
 * @holes: objects that were freed
 * @stride: bytes from an object to the next
 * @used: objects in use
 * @touched: objects that were ever in use, which come first
 * @room: objects that fit in
 */
struct arena_chunk {
	struct list_head node;
	struct arena_hole *holes;
	size_t stride;
	unsigned int used;
	unsigned int touched;
	unsigned int room;
};

void arena_init(struct arena *arena)
{
	list_init(&arena->chunks);
	arena->count = 0;
}

static void chunk_unmap(struct arena *arena, struct arena_chunk *chunk)
{
	ASAN_UNPOISON_MEMORY_REGION(chunk, ARENA_CHUNK_SIZE);
	list_del_init(&chunk->node);
	arena->count--;
	munmap(chunk, ARENA_CHUNK_SIZE);
}

void arena_uninit(struct arena *arena)
{
	while (!list_empty(&arena->chunks))
		chunk_unmap(arena, list_first_entry(&arena->chunks,
						    struct arena_chunk, node));
}

/* An odd number of lines, so that equal members are in all sets of a cache */
static size_t stride_of(size_t size)
{
	return ((size + ARENA_LINE - 1) / ARENA_LINE | 1) * ARENA_LINE;
}

/* Map an aligned chunk, of a mapping that is twice as large */
static void *chunk_map(void)
{
	char *map = mmap(NULL, 2 * ARENA_CHUNK_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (map == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)map % ARENA_CHUNK_SIZE;
	if (before)
		munmap(map, before);
	munmap(map + before + ARENA_CHUNK_SIZE, ARENA_CHUNK_SIZE - before);
	return map + before;
}

static struct arena_chunk *chunk_add(struct arena *arena, size_t stride)
{
	struct arena_chunk *chunk = chunk_map();

	if (!chunk)
		return NULL;
	/* A card with few objects needs no huge page, nor the time to clear one */
	if (arena->count)
		madvise(chunk, ARENA_CHUNK_SIZE, MADV_HUGEPAGE);
	chunk->stride = stride;
	chunk->room = (ARENA_CHUNK_SIZE - ARENA_LINE) / stride;
	list_add_tail(&chunk->node, &arena->chunks);
	arena->count++;
	ASAN_POISON_MEMORY_REGION((char *)chunk + ARENA_LINE,
				  ARENA_CHUNK_SIZE - ARENA_LINE);
	return chunk;
}

/* Return: a chunk with room, or NULL */
static struct arena_chunk *chunk_find(struct arena *arena, size_t stride)
{
	struct list_head *pos;

	list_for_each(pos, &arena->chunks) {
		struct arena_chunk *chunk = list_entry(pos, struct arena_chunk,
						       node);

		if (chunk->stride == stride)
			return chunk;
	}
	return chunk_add(arena, stride);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t stride = stride_of(size);
	struct arena_chunk *chunk = chunk_find(arena, stride);
	void *object;

	if (!chunk)
		return NULL;
	if (chunk->holes) {
		object = chunk->holes;
		ASAN_UNPOISON_MEMORY_REGION(object, size);
		chunk->holes = chunk->holes->next;
		memset(object, 0, size);
	} else {
		object = (char *)chunk + ARENA_LINE + chunk->touched++ * stride;
		ASAN_UNPOISON_MEMORY_REGION(object, size);
	}
	if (++chunk->used == chunk->room)
		list_del_init(&chunk->node);
	return object;
}

/* Has another chunk room for objects of this size? */
static bool chunk_has_twin(struct arena *arena, const struct arena_chunk *chunk)
{
	struct list_head *pos;

	list_for_each(pos, &arena->chunks) {
		const struct arena_chunk *twin =
			list_entry(pos, struct arena_chunk, node);

		if (twin != chunk && twin->stride == chunk->stride)
			return true;
	}
	return false;
}

void arena_free(struct arena *arena, void *object)
{
	struct arena_chunk *chunk =
		(void *)((uintptr_t)object & -(uintptr_t)ARENA_CHUNK_SIZE);
	struct arena_hole *hole = object;

	if (chunk->used == chunk->room)
		list_add_tail(&chunk->node, &arena->chunks);
	chunk->used--;
	hole->next = chunk->holes;
	chunk->holes = hole;
	ASAN_POISON_MEMORY_REGION(object, chunk->stride);
	/* The last one stays, for an object that comes and goes */
	if (!chunk->used && chunk_has_twin(arena, chunk))
		chunk_unmap(arena, chunk);
}
