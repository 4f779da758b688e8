/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tables of objects, by number.
 *
 * A number is an index into the table and, above it, a generation that changes
 * each time the index is used again, so that a stale number finds nothing.
 * Freed indexes wait in a queue. Numbers come in order, or so that guests cannot
 * guess the next one: then the index is any of the half that has waited longest,
 * and the generation any but the last. Lookup, creation and destruction are O(1).
 */
#ifndef ORNIC_DEVICE_OBJ_H
#define ORNIC_DEVICE_OBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct env;

/**
 * struct obj - first member of every object
 * @num: number, as the host uses it
 * @users: number of objects that use it; only an object without users can be
 *	destroyed
 */
struct obj {
	uint32_t num;
	uint32_t users;
};

/**
 * struct obj_table - the objects of one kind
 * @env: source of random numbers, NULL when numbers come in order
 * @slot: by index, NULL where there is none
 * @gen: by index, generation of the last number
 * @free: ring of unused indexes
 * @free_head: consumer index of @free, runs free
 * @free_tail: producer index of @free, runs free
 * @size: number of indexes, a power of two
 * @gens: number of generations before they repeat
 * @count: number of objects in the table
 * @max: number of indexes that obj_add() can assign
 */
struct obj_table {
	struct env *env;
	struct obj **slot;
	uint16_t *gen;
	uint32_t *free;
	uint32_t free_head;
	uint32_t free_tail;
	uint32_t size;
	uint32_t gens;
	uint32_t count;
	uint32_t max;
};

/**
 * struct obj_walk - a walk over one table after another, in several turns
 * @index: index in the current table to go on from
 * @left: objects that the walk may still visit in this turn
 */
struct obj_walk {
	uint32_t index;
	uint32_t left;
};

/**
 * obj_table_init - make an empty table
 * @table: the table to initialise
 * @index_bits: log2 of the number of indexes, 1 to 24
 * @gen_bits: bits of the generation above the index, 0 to 16. The generation
 *	of all ones is never used, so that no number is all ones.
 * @first: lowest index that obj_add() assigns
 * @env: makes the numbers hard to guess; NULL: obj_add() assigns them in order
 *
 * Return: 0 or -ENOMEM.
 */
int obj_table_init(struct obj_table *table, unsigned int index_bits,
		   unsigned int gen_bits, uint32_t first, struct env *env);

/**
 * obj_table_uninit - free what obj_table_init() allocated
 * @table: without objects, or all zero
 */
void obj_table_uninit(struct obj_table *table);

/**
 * obj_add - assign a number and publish the object
 * @table: the table
 * @obj: complete but for its number: lookups find it from now on
 *
 * Return: 0, or -ENOSPC when the table is full.
 */
int obj_add(struct obj_table *table, struct obj *obj);

/**
 * obj_add_at - obj_add() at an index that obj_add() never assigns
 * @table: the table
 * @obj: complete but for its number
 * @index: below @first of obj_table_init()
 *
 * Return: 0, or -EEXIST when @index is in use.
 */
int obj_add_at(struct obj_table *table, struct obj *obj, uint32_t index);

/**
 * obj_remove - remove an object from its table
 * @table: the table
 * @obj: in the table
 */
void obj_remove(struct obj_table *table, struct obj *obj);

/**
 * obj_at - look up the object of an index
 * @table: the table
 * @num: any number, of which the index counts only
 *
 * Return: the object, whatever its generation, or NULL.
 */
static inline struct obj *obj_at(const struct obj_table *table, uint32_t num)
{
	return table->slot[num & (table->size - 1)];
}

/**
 * obj_find - look up an object by number
 * @table: the table
 * @num: any number, also one that the guest made up
 *
 * Return: the object or NULL.
 */
static inline struct obj *obj_find(const struct obj_table *table, uint32_t num)
{
	struct obj *obj = obj_at(table, num);

	return obj && obj->num == num ? obj : NULL;
}

/**
 * obj_get - count a user, which keeps the object from being destroyed
 * @obj: the object
 */
static inline void obj_get(struct obj *obj)
{
	obj->users++;
}

/**
 * obj_put - release an obj_get()
 * @obj: the object
 */
static inline void obj_put(struct obj *obj)
{
	obj->users--;
}

/**
 * obj_each - iterate over a table; the caller may remove objects meanwhile
 * @table: the table
 * @index: index to start from; updated for the next call
 *
 * Return: the next object or NULL.
 */
struct obj *obj_each(const struct obj_table *table, uint32_t *index);

/**
 * obj_walk_next - iterate over a table, for a limited number of objects; the caller
 *	may remove objects meanwhile
 * @table: the table
 * @walk: the walk
 *
 * Return: the next object, or NULL when none or no turn is left.
 */
struct obj *obj_walk_next(const struct obj_table *table,
			  struct obj_walk *walk);

/**
 * obj_walk_spend - count an object that is as expensive as several
 * @walk: the walk
 * @more: number of further objects to count
 */
static inline void obj_walk_spend(struct obj_walk *walk, uint32_t more)
{
	walk->left -= more < walk->left ? more : walk->left;
}

#endif /* ORNIC_DEVICE_OBJ_H */
