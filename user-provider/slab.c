// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Slabs: mapped memory of the kernel that rings of several objects share */

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "ornic.h"

static void *ornic_slab_mmap(const struct ornic_context *ctx,
			     const struct ornic_mmap_place *place)
{
	return mmap(NULL, place->length, PROT_READ | PROT_WRITE, MAP_SHARED,
		    ctx->vctx.context.cmd_fd, place->offset);
}

/* Returns the pointer to the slab, which is NULL if the slab is not mapped */
static struct ornic_slab **ornic_slab_find(struct ornic_slabs *slabs,
					   uint64_t id)
{
	struct ornic_slab **at = &slabs->heads[id % ORNIC_SLAB_HEADS];

	while (*at && (*at)->id != id)
		at = &(*at)->next;
	return at;
}

/* Returns NULL with errno set */
static struct ornic_slab *ornic_slab_new(const struct ornic_context *ctx,
					 const struct ornic_mmap_place *place)
{
	struct ornic_slab *slab;
	void *map;

	slab = calloc(1, sizeof(*slab));
	if (!slab)
		return NULL;

	map = ornic_slab_mmap(ctx, place);
	if (map == MAP_FAILED) {
		free(slab);
		return NULL;
	}

	slab->id = place->id;
	slab->map = map;
	slab->length = place->length;
	return slab;
}

static void ornic_slab_free(struct ornic_slab *slab)
{
	munmap(slab->map, slab->length);
	free(slab);
}

static int ornic_slab_get(struct ornic_context *ctx,
			  const struct ornic_mmap_place *place,
			  struct ornic_ringmem *mem)
{
	struct ornic_slabs *slabs = &ctx->slabs;
	struct ornic_slab **at;
	int ret = 0;

	pthread_mutex_lock(&slabs->lock);
	at = ornic_slab_find(slabs, place->id);
	if (!*at)
		*at = ornic_slab_new(ctx, place);
	if (*at) {
		if (slabs->spare == *at)
			slabs->spare = NULL;
		(*at)->users++;
		mem->slab = *at;
		mem->map = mem->slab->map;
		mem->length = mem->slab->length;
	} else {
		ret = errno;
	}
	pthread_mutex_unlock(&slabs->lock);
	return ret;
}

static void ornic_slab_put(struct ornic_slabs *slabs, struct ornic_slab *slab)
{
	struct ornic_slab *gone = NULL;

	pthread_mutex_lock(&slabs->lock);
	if (!--slab->users) {
		gone = slabs->spare;
		slabs->spare = slab;
		if (gone)
			*ornic_slab_find(slabs, gone->id) = gone->next;
	}
	pthread_mutex_unlock(&slabs->lock);
	if (gone)
		ornic_slab_free(gone);
}

/**
 * ornic_slab_map() - map the memory of the rings of an object
 * @ctx: context
 * @place: where the kernel put it
 * @mem: filled in on success
 *
 * A slab is mapped once, for all its objects. Memory of one object is not
 * searched for.
 *
 * Return: 0 or a positive errno.
 */
int ornic_slab_map(struct ornic_context *ctx,
		   const struct ornic_mmap_place *place,
		   struct ornic_ringmem *mem)
{
	void *map;

	if (place->id)
		return ornic_slab_get(ctx, place, mem);

	map = ornic_slab_mmap(ctx, place);
	if (map == MAP_FAILED)
		return errno;

	*mem = (struct ornic_ringmem){ .map = map, .length = place->length };
	return 0;
}

/**
 * ornic_slab_unmap() - release the memory of the rings of an object
 * @ctx: context
 * @mem: mapped, or zeroed; zeroed on return. The kernel has destroyed the
 *	object, or given it other memory.
 */
void ornic_slab_unmap(struct ornic_context *ctx, struct ornic_ringmem *mem)
{
	if (mem->slab)
		ornic_slab_put(&ctx->slabs, mem->slab);
	else if (mem->map)
		munmap(mem->map, mem->length);
	*mem = (struct ornic_ringmem){};
}

/**
 * ornic_slabs_init() - prepare the slabs of a context
 * @slabs: zeroed
 */
void ornic_slabs_init(struct ornic_slabs *slabs)
{
	pthread_mutex_init(&slabs->lock, NULL);
}

/**
 * ornic_slabs_uninit() - unmap the slabs of a context
 * @slabs: no thread uses them any more
 *
 * Slabs with users are unmapped too: after a hot unplug objects cannot be
 * destroyed, and this is the end of their context.
 */
void ornic_slabs_uninit(struct ornic_slabs *slabs)
{
	struct ornic_slab *slab;
	int i;

	for (i = 0; i < ORNIC_SLAB_HEADS; i++) {
		while ((slab = slabs->heads[i])) {
			slabs->heads[i] = slab->next;
			ornic_slab_free(slab);
		}
	}
	pthread_mutex_destroy(&slabs->lock);
}
