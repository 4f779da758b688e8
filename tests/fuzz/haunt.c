// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory that a client unmaps becomes another's */
#include <stdlib.h>
#include <string.h>

#include "haunt.h"
#include "secret.h"

/* The linker has named them */
int __real_mem_unmap(struct mem *mem, gaddr_t start, uint64_t len);
int __wrap_mem_unmap(struct mem *mem, gaddr_t start, uint64_t len);
void __real_mem_enable(struct mem *mem, bool enable);
void __wrap_mem_enable(struct mem *mem, bool enable);

void (*haunt_flush)(struct mem *mem);

int __wrap_mem_unmap(struct mem *mem, gaddr_t start, uint64_t len)
{
	struct mem_region *old;
	unsigned int count, i;
	int err;

	if (haunt_flush)
		haunt_flush(mem);
	count = mem->count;
	old = calloc(count + 1, sizeof(*old));
	if (!old)
		abort();
	if (count)
		memcpy(old, mem->region, count * sizeof(*old));
	err = __real_mem_unmap(mem, start, len);
	for (i = 0; !err && i < count; i++)
		if (old[i].host)
			secret_haunt(old[i].host, old[i].len);
	free(old);
	return err;
}

void __wrap_mem_enable(struct mem *mem, bool enable)
{
	if (!enable && haunt_flush)
		haunt_flush(mem);
	__real_mem_enable(mem, enable);
}
