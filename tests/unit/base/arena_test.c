// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory of objects that a card may have thousands of */
#include "base/arena.h"
#include "unit.h"

#define SIZE 3000
/* Fills more than two chunks */
#define MANY (2 * ARENA_CHUNK_SIZE / SIZE + 10)

static void check_zero(const char *object, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		assert_int_equal(object[i], 0);
}

TEST_VOID(test_arena_objects_do_not_overlap)
{
	char **object = calloc(MANY, sizeof(*object));
	struct arena arena;
	unsigned int i, j;

	assert_non_null(object);
	arena_init(&arena);
	for (i = 0; i < MANY; i++) {
		object[i] = arena_alloc(&arena, SIZE);
		assert_non_null(object[i]);
		assert_int_equal((uintptr_t)object[i] % ARENA_LINE, 0);
		check_zero(object[i], SIZE);
		memset(object[i], i, SIZE);
	}
	assert_in_range(arena.count, 3, 4);
	for (i = 0; i < MANY; i++) {
		for (j = 0; j < SIZE; j++)
			assert_int_equal(object[i][j], (char)i);
		arena_free(&arena, object[i]);
	}
	/* One stays for the next object */
	assert_int_equal(arena.count, 1);
	arena_uninit(&arena);
	assert_int_equal(arena.count, 0);
	free(object);
}

/* The first lines of neighbours are not in the same set of a cache */
TEST_VOID(test_arena_strides_are_odd_lines)
{
	struct arena arena;
	char *a, *b;

	arena_init(&arena);
	a = arena_alloc(&arena, 2 * ARENA_LINE);
	b = arena_alloc(&arena, 2 * ARENA_LINE);
	assert_int_equal(b - a, 3 * ARENA_LINE);
	arena_free(&arena, b);
	arena_free(&arena, a);
	arena_uninit(&arena);
}

TEST_VOID(test_arena_gives_freed_memory_again_and_clears_it)
{
	struct arena arena;
	char *first, *again;

	arena_init(&arena);
	first = arena_alloc(&arena, SIZE);
	memset(first, 1, SIZE);
	arena_free(&arena, first);
	again = arena_alloc(&arena, SIZE);
	assert_ptr_equal(again, first);
	check_zero(again, SIZE);
	arena_free(&arena, again);
	arena_uninit(&arena);
}

TEST_VOID(test_arena_chunks_hold_one_size)
{
	char *object[4] = {};
	struct arena arena;
	unsigned int i;

	arena_init(&arena);
	for (i = 0; i < 4; i++)
		object[i] = arena_alloc(&arena, i % 2 ? SIZE : ARENA_SIZE_MAX);
	assert_int_equal(arena.count, 2);
	for (i = 0; i < 4; i++)
		arena_free(&arena, object[i]);
	assert_int_equal(arena.count, 2);
	arena_uninit(&arena);
}

TEST_MAIN("arena")
