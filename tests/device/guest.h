/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Resolved pointers into guest memory that outlive one call.
 *
 * An object resolves the addresses it was created with once and keeps the host
 * pointers. When guest memory is unmapped, nothing is searched: the range is
 * noted in a log, and each object catches up with the log the next time it is
 * used, before it dereferences anything. The price on the data path is one
 * comparison; the price of an unmap does not depend on the number of objects.
 *
 * The words a guest shares with the device are accessed with the atomics at
 * the end of this file only, each access being one aligned load or store.
 */
#ifndef ORNIC_DEVICE_GUEST_H
#define ORNIC_DEVICE_GUEST_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

#include "mem.h"

/* Unmapped ranges remembered one by one; who is further behind drops all. */
#define GUEST_LOG_SIZE 64

/**
 * struct guest - guest memory, and what of it went away lately
 * @mem: the DMA map
 * @notifier: how we learn of it
 * @seq: unmappings so far, runs free
 * @range: the latest GUEST_LOG_SIZE of them, both ends included, number n at
 *	n % GUEST_LOG_SIZE
 */
struct guest {
	struct mem *mem;
	struct mem_notifier notifier;
	uint64_t seq;
	struct {
		gaddr_t first;
		gaddr_t last;
	} range[GUEST_LOG_SIZE];
};

/**
 * struct guest_ref - one contiguous piece of guest memory, such as a doorbell
 * record
 * @guest: whose
 * @addr: bus address
 * @len: bytes
 * @dir: enum mem_dir bits
 * @seq: of @guest, up to which @host is known to be good
 * @host: where it is, or NULL when to be looked up again
 */
struct guest_ref {
	struct guest *guest;
	gaddr_t addr;
	uint32_t len;
	unsigned int dir;
	uint64_t seq;
	void *host;
};

/**
 * guest_init - begin to note what is unmapped
 * @guest: to initialise
 * @mem: the DMA map, outlives @guest
 */
void guest_init(struct guest *guest, struct mem *mem);

/**
 * guest_uninit - end of guest_init()
 * @guest: initialised
 */
void guest_uninit(struct guest *guest);

/**
 * guest_lost - was any of a range unmapped since a moment
 * @guest: guest memory
 * @seq: the moment: value of @guest->seq then
 * @first: first bus address
 * @last: last bus address: a range may be all of the bus
 *
 * Return: true when it was, or when that was too long ago to tell.
 */
bool guest_lost(const struct guest *guest, uint64_t seq, gaddr_t first,
		gaddr_t last);

/**
 * guest_ref_init - name a piece of guest memory and resolve it
 * @ref: to initialise
 * @guest: guest memory
 * @addr: bus address
 * @len: bytes, not 0
 * @dir: enum mem_dir bits that will be needed
 *
 * Nothing is allocated, so there is no counterpart.
 *
 * Return: whether it is in reach. If not, @ref is valid nevertheless.
 */
bool guest_ref_init(struct guest_ref *ref, struct guest *guest, gaddr_t addr,
		    uint32_t len, unsigned int dir);

/**
 * guest_ref_resolve - the slow half of guest_ref_ptr()
 * @ref: initialised
 *
 * Return: as guest_ref_ptr().
 */
void *guest_ref_resolve(struct guest_ref *ref);

/**
 * guest_ref_ptr - where it is now
 * @ref: initialised
 *
 * Return: pointer that is good until the caller returns to the event loop, or
 * NULL when out of reach.
 */
static inline void *guest_ref_ptr(struct guest_ref *ref)
{
	if (__builtin_expect(ref->seq == ref->guest->seq && ref->host, 1))
		return ref->host;
	return guest_ref_resolve(ref);
}

/* Words shared with the guest, in CPU order. @p is a pointer to __le32/64. */

static inline uint32_t guest_load32(const void *p)
{
	return le32toh(__atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE));
}

static inline uint64_t guest_load64(const void *p)
{
	return le64toh(__atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE));
}

static inline void guest_store32(void *p, uint32_t val)
{
	__atomic_store_n((uint32_t *)p, htole32(val), __ATOMIC_RELEASE);
}

static inline void guest_store64(void *p, uint64_t val)
{
	__atomic_store_n((uint64_t *)p, htole64(val), __ATOMIC_RELEASE);
}

static inline uint64_t guest_xchg64(void *p, uint64_t val)
{
	return le64toh(__atomic_exchange_n((uint64_t *)p, htole64(val),
					   __ATOMIC_SEQ_CST));
}

/* Take bits out of a word. Return: those of @mask that were set. */
static inline uint64_t guest_take64(void *p, uint64_t mask)
{
	return le64toh(__atomic_fetch_and((uint64_t *)p, htole64(~mask),
					  __ATOMIC_SEQ_CST)) & mask;
}

static inline void guest_set64(void *p, uint64_t bits)
{
	__atomic_fetch_or((uint64_t *)p, htole64(bits), __ATOMIC_SEQ_CST);
}

/* Orders an earlier store to shared memory before a later load from it. */
static inline void guest_fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif /* ORNIC_DEVICE_GUEST_H */
