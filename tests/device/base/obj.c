// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tables of objects, by number */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/obj.h"
#include "env/env.h"

int obj_table_init(struct obj_table *table, unsigned int index_bits,
		   unsigned int gen_bits, uint32_t first, struct env *env)
{
	uint32_t i;

	memset(table, 0, sizeof(*table));
	table->env = env;
	table->size = 1u << index_bits;
	table->gens = gen_bits ? (1u << gen_bits) - 1 : 1;
	table->max = table->size - first;
	table->slot = calloc(table->size, sizeof(*table->slot));
	table->gen = calloc(table->size, sizeof(*table->gen));
	table->free = calloc(table->size, sizeof(*table->free));
	if (!table->slot || !table->gen || !table->free) {
		obj_table_uninit(table);
		return -ENOMEM;
	}
	for (i = 0; i < table->size; i++)
		table->gen[i] = table->gens - 1;
	for (i = first; i < table->size; i++)
		table->free[table->free_tail++] = i;
	return 0;
}

void obj_table_uninit(struct obj_table *table)
{
	free(table->free);
	free(table->gen);
	free(table->slot);
	memset(table, 0, sizeof(*table));
}

/* A number below @bound; 0 in a table whose numbers come in order */
static uint32_t obj_random(struct obj_table *table, uint32_t bound)
{
	return table->env ? env_random(table->env, bound) : 0;
}

static uint32_t obj_next_gen(struct obj_table *table, uint32_t gen)
{
	if (table->gens == 1)
		return 0;
	return (gen + 1 + obj_random(table, table->gens - 1)) % table->gens;
}

/* Take one of the free indexes, of which there must be one */
static uint32_t obj_take_index(struct obj_table *table)
{
	uint32_t waiting = table->free_tail - table->free_head;
	uint32_t mask = table->size - 1;
	uint32_t *first = &table->free[table->free_head & mask];
	uint32_t *taken = &table->free[(table->free_head +
					obj_random(table, (waiting + 1) / 2)) &
				       mask];
	uint32_t index = *taken;

	*taken = *first;
	table->free_head++;
	return index;
}

static void obj_publish(struct obj_table *table, struct obj *obj,
			uint32_t index)
{
	table->gen[index] = obj_next_gen(table, table->gen[index]);
	obj->num = table->gen[index] * table->size + index;
	table->slot[index] = obj;
	table->count++;
}

int obj_add(struct obj_table *table, struct obj *obj)
{
	if (table->free_head == table->free_tail)
		return -ENOSPC;
	obj_publish(table, obj, obj_take_index(table));
	return 0;
}

int obj_add_at(struct obj_table *table, struct obj *obj, uint32_t index)
{
	if (table->slot[index])
		return -EEXIST;
	obj_publish(table, obj, index);
	return 0;
}

void obj_remove(struct obj_table *table, struct obj *obj)
{
	uint32_t index = obj->num & (table->size - 1);

	table->slot[index] = NULL;
	table->count--;
	if (index >= table->size - table->max)
		table->free[table->free_tail++ & (table->size - 1)] = index;
}

struct obj *obj_each(const struct obj_table *table, uint32_t *index)
{
	/* A reset walks all tables; the count lets it skip the empty ones */
	while (table->count && *index < table->size) {
		struct obj *obj = table->slot[(*index)++];

		if (obj)
			return obj;
	}
	return NULL;
}

struct obj *obj_walk_next(const struct obj_table *table,
			  struct obj_walk *walk)
{
	struct obj *obj = walk->left ? obj_each(table, &walk->index) : NULL;

	if (obj)
		walk->left--;
	return obj;
}
