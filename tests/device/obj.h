/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tables of objects, by number.
 *
 * A number is an index into the table and, above it, a generation that changes
 * each time the index is used again, so that a stale number finds nothing.
 * Freed indexes wait in a queue behind all others. Lookup, creation and
 * destruction are O(1).
 */
#ifndef ORNIC_DEVICE_OBJ_H
#define ORNIC_DEVICE_OBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct obj - what every object begins with
 * @num: its number, as the host knows it
 * @users: objects that use it; it can be destroyed when there are none
 */
struct obj {
	uint32_t num;
	uint32_t users;
};

/**
 * struct obj_table - the objects of one kind
 * @slot: by index, NULL where there is none
 * @gen: by index, generation of the next number made
 * @free: unused indexes, a ring
 * @free_head: where the next one is taken from @free, runs free
 * @free_tail: where the next one is put, runs free
 * @size: indexes, a power of two
 * @gens: generations before they start again
 * @count: objects in the table
 * @max: objects there can be
 */
struct obj_table {
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
 * obj_table_init - make an empty table
 * @table: to initialise
 * @index_bits: log2 of the indexes, 1 to 24
 * @gen_bits: bits of the generation above the index, 0 to 16. The generation
 *	of all ones is never used, so that no number is all ones.
 * @first: indexes below are never given out
 *
 * Return: 0 or -ENOMEM.
 */
int obj_table_init(struct obj_table *table, unsigned int index_bits,
		   unsigned int gen_bits, uint32_t first);

/**
 * obj_table_uninit - end of obj_table_init()
 * @table: without objects, or all zero
 */
void obj_table_uninit(struct obj_table *table);

/**
 * obj_add - give an object its number and make it known
 * @table: the table
 * @obj: complete in all else: it can be found from now on
 *
 * Return: 0, or -ENOSPC when the table is full.
 */
int obj_add(struct obj_table *table, struct obj *obj);

/**
 * obj_add_at - the same, at one of the indexes that obj_add() never gives out
 * @table: the table
 * @obj: complete in all else
 * @index: below @first of obj_table_init()
 *
 * Return: 0, or -EEXIST when it is taken.
 */
int obj_add_at(struct obj_table *table, struct obj *obj, uint32_t index);

/**
 * obj_remove - end of obj_add() and obj_add_at()
 * @table: the table
 * @obj: in the table
 */
void obj_remove(struct obj_table *table, struct obj *obj);

/**
 * obj_find - find by number
 * @table: the table
 * @num: any number, trusted by nobody
 *
 * Return: the object or NULL.
 */
static inline struct obj *obj_find(const struct obj_table *table, uint32_t num)
{
	struct obj *obj = table->slot[num & (table->size - 1)];

	return obj && obj->num == num ? obj : NULL;
}

/**
 * obj_get - begin to use an object: it cannot be destroyed now
 * @obj: the object
 */
static inline void obj_get(struct obj *obj)
{
	obj->users++;
}

/**
 * obj_put - end of obj_get()
 * @obj: the object
 */
static inline void obj_put(struct obj *obj)
{
	obj->users--;
}

/**
 * obj_each - walk a table; objects may be removed on the way
 * @table: the table
 * @index: where to begin; on return, where to go on
 *
 * Return: the next object or NULL.
 */
struct obj *obj_each(const struct obj_table *table, uint32_t *index);

#endif /* ORNIC_DEVICE_OBJ_H */
