/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Resolved pointers into guest memory that outlive one call.
 *
 * An object resolves its addresses once, at creation, and keeps the host
 * pointers. Unmapping guest memory searches nothing: it adds the range to a
 * log, and each object applies the log at its next use, before it dereferences
 * a pointer. The data path pays one comparison, and the cost of an unmap does
 * not depend on the number of objects.
 *
 * Words that the guest shares with the device are accessed only with the
 * atomics at the end of this file. Each access is aligned and atomic.
 */
#ifndef ORNIC_DEVICE_GUEST_H
#define ORNIC_DEVICE_GUEST_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "env/mem.h"

/* Unmapped ranges in the log; an object further behind drops all its pointers */
#define GUEST_LOG_SIZE 64

/**
 * struct guest - guest memory and the log of unmapped ranges
 * @mem: the DMA map
 * @notifier: reports unmapped ranges
 * @seq: number of unmapped ranges so far, runs free
 * @range: the latest GUEST_LOG_SIZE ranges, both ends included, by number
 *	modulo GUEST_LOG_SIZE
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
 * struct guest_ref - contiguous guest memory, such as a doorbell record
 * @guest: guest memory
 * @seq: value of @guest->seq up to which @host is valid
 * @host: host pointer, or NULL when it must be looked up
 * @addr: bus address
 * @len: bytes
 * @dir: enum mem_dir bits
 */
struct guest_ref {
	struct guest *guest;
	uint64_t seq;
	void *host;
	gaddr_t addr;
	uint32_t len;
	unsigned int dir;
};

/**
 * guest_init - start the log of unmapped ranges
 * @guest: to initialise
 * @mem: the DMA map, outlives @guest
 */
void guest_init(struct guest *guest, struct mem *mem);

/**
 * guest_uninit - undo guest_init()
 * @guest: initialised
 */
void guest_uninit(struct guest *guest);

/**
 * guest_lost - check whether a part of a range was unmapped since @seq
 * @guest: guest memory
 * @seq: earlier value of @guest->seq
 * @first: first bus address
 * @last: last bus address; a range may be all of the bus
 *
 * Return: true when it was, or when the log does not reach back to @seq.
 */
bool guest_lost(const struct guest *guest, uint64_t seq, gaddr_t first,
		gaddr_t last);

/**
 * guest_ref_init - initialise a reference and resolve it
 * @ref: to initialise
 * @guest: guest memory
 * @addr: bus address
 * @len: bytes, not 0
 * @dir: enum mem_dir bits that will be needed
 *
 * Nothing is allocated, so there is no counterpart.
 *
 * Return: true when the memory is in reach. Otherwise @ref is valid, too, and
 * is looked up again at its next use.
 */
bool guest_ref_init(struct guest_ref *ref, struct guest *guest, gaddr_t addr,
		    uint32_t len, unsigned int dir);

/**
 * guest_ref_resolve - slow path of guest_ref_ptr()
 * @ref: initialised
 *
 * Return: as for guest_ref_ptr().
 */
void *guest_ref_resolve(struct guest_ref *ref);

/**
 * guest_ref_ptr - get the host pointer of a reference
 * @ref: initialised
 *
 * Return: pointer that is valid until the caller returns to the event loop, or
 * NULL when the memory is out of reach.
 */
static inline void *guest_ref_ptr(struct guest_ref *ref)
{
	if (__builtin_expect(ref->seq == ref->guest->seq && ref->host, 1))
		return ref->host;
	return guest_ref_resolve(ref);
}

/* Words shared with the guest, in CPU order; @p points to __le32 or __le64 */

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

/* Clear the @mask bits of a word. Return: those that were set. */
static inline uint64_t guest_take64(void *p, uint64_t mask)
{
	return le64toh(__atomic_fetch_and((uint64_t *)p, htole64(~mask),
					  __ATOMIC_SEQ_CST)) & mask;
}

static inline void guest_set64(void *p, uint64_t bits)
{
	__atomic_fetch_or((uint64_t *)p, htole64(bits), __ATOMIC_SEQ_CST);
}

/*
 * Write an entry of a ring; the phase is in its last word. With @whole it is
 * one ascending copy, as one write on PCIe is; otherwise the last word is
 * written by itself ([ORNIC-GEN-6]).
 */
static inline void guest_write_entry(void *to, const void *from, size_t size,
				     bool whole)
{
	const size_t body = size - sizeof(uint32_t);
	uint32_t last;
	uint64_t word;
	size_t i;

	if (!whole) {
		memcpy(to, from, body);
		memcpy(&last, (const char *)from + body, sizeof(last));
		__atomic_store_n((uint32_t *)((char *)to + body), last,
				 __ATOMIC_RELEASE);
		return;
	}
	for (i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, (const char *)from + i, sizeof(word));
		__atomic_store_n((uint64_t *)((char *)to + i), word,
				 __ATOMIC_RELEASE);
	}
}

/* Order an earlier store to shared memory before a later load from it */
static inline void guest_fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif /* ORNIC_DEVICE_GUEST_H */
