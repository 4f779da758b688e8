// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Resolved pointers into guest memory, and the log of unmapped ranges */
#include "base/guest.h"

static void guest_unmap(struct mem_notifier *n, gaddr_t start, uint64_t len)
{
	struct guest *guest = container_of(n, struct guest, notifier);
	unsigned int i = guest->seq++ % GUEST_LOG_SIZE;

	/* The last byte, because the length of the whole bus needs 65 bits */
	guest->range[i].first = start;
	guest->range[i].last = start + (len - 1);
}

void guest_init(struct guest *guest, struct mem *mem)
{
	guest->mem = mem;
	guest->seq = 0;
	guest->notifier.unmap = guest_unmap;
	mem_notifier_add(mem, &guest->notifier);
}

void guest_uninit(struct guest *guest)
{
	mem_notifier_remove(&guest->notifier);
}

bool guest_lost(const struct guest *guest, uint64_t seq, gaddr_t first,
		gaddr_t last)
{
	if (guest->seq - seq > GUEST_LOG_SIZE)
		return true;
	for (; seq != guest->seq; seq++)
		if (first <= guest->range[seq % GUEST_LOG_SIZE].last &&
		    last >= guest->range[seq % GUEST_LOG_SIZE].first)
			return true;
	return false;
}

bool guest_ref_init(struct guest_ref *ref, struct guest *guest, gaddr_t addr,
		    uint32_t len, unsigned int dir)
{
	ref->guest = guest;
	ref->addr = addr;
	ref->len = len;
	ref->dir = dir;
	ref->seq = guest->seq;
	ref->host = mem_ptr(guest->mem, addr, len, dir);
	return ref->host;
}

void *guest_ref_resolve(struct guest_ref *ref)
{
	struct guest *guest = ref->guest;

	if (ref->host && guest_lost(guest, ref->seq, ref->addr,
				    ref->addr + (ref->len - 1)))
		ref->host = NULL;
	if (!ref->host)
		ref->host = mem_ptr(guest->mem, ref->addr, ref->len, ref->dir);
	ref->seq = guest->seq;
	return ref->host;
}
