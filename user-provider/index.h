/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Indexes of rings, and ordered accesses to memory that the device reads and
 * writes.
 *
 * Indexes are free-running 32-bit counters. A position is the index modulo the
 * ring size, a power of two. Rings and doorbell records are coherent, cached
 * memory that the device reads and writes at any time.
 */
#ifndef ORNIC_INDEX_H
#define ORNIC_INDEX_H

#include <endian.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/types.h>
#include <util/compiler.h>
#include <util/udma_barrier.h>

/*
 * udma_from_device_barrier() is an lfence on x86. It costs more than the rest
 * of a poll and is not needed there: the CPU does not reorder loads from
 * write-back memory, and an acquire load stops the compiler from doing so.
 * Other architectures need the DMA barrier.
 */
#if defined(__x86_64__)
#define ORNIC_READ_ORDER	memory_order_acquire
#define ornic_index_barrier()	do { } while (0)
#else
#define ORNIC_READ_ORDER	memory_order_relaxed
#define ornic_index_barrier()	udma_from_device_barrier()
#endif

/*
 * Orders the store of an atomic exchange before later loads; it belongs in
 * util/udma_barrier.h. In C11 an exchange with memory_order_seq_cst does not do
 * so: a relaxed load after it, such as that of the phase of a CQE, may pass its
 * store.
 *
 * x86 and s390x: the instruction of the exchange is a full barrier. arm64: with
 * LSE it is SWPAL, which is as good as one, but without LSE, which may be known
 * only when the program runs, it is LDAXR and STLXR, and a later load may pass
 * STLXR. ppc64: ISYNC or LWSYNC at its end holds back later loads until the
 * exchange has succeeded, but not until the device sees its store.
 */
#if defined(__x86_64__) || defined(__i386__) || defined(__s390x__)
#define ornic_index_full_barrier()	do { } while (0)
#elif defined(__aarch64__)
#define ornic_index_full_barrier()	asm volatile("dmb osh" ::: "memory")
#elif defined(__PPC64__)
#define ornic_index_full_barrier()	asm volatile("sync" ::: "memory")
#else
#define ornic_index_full_barrier() \
	atomic_thread_fence(memory_order_seq_cst)
#endif

/**
 * ornic_index_peek() - read a word that the device writes
 * @addr: index or phase word, __le32
 *
 * The caller needs ornic_index_barrier() before it reads memory that the word
 * declares valid.
 *
 * Return: the value in CPU order.
 */
static inline uint32_t ornic_index_peek(const void *addr)
{
	uint32_t v = atomic_load_explicit((_Atomic(uint32_t) *)addr,
					  ORNIC_READ_ORDER);

	return le32toh((__force __le32)v);
}

/**
 * ornic_index_read() - read an index of the device before all later reads
 * @addr: index, __le32
 *
 * Return: the value in CPU order.
 */
static inline uint32_t ornic_index_read(const void *addr)
{
	uint32_t v = ornic_index_peek(addr);

	ornic_index_barrier();
	return v;
}

/**
 * ornic_index_write() - publish an index after all earlier writes
 * @addr: __le32
 * @v: value in CPU order
 */
static inline void ornic_index_write(void *addr, uint32_t v)
{
	udma_to_device_barrier();
	atomic_store_explicit((_Atomic(uint32_t) *)addr,
			      (__force uint32_t)htole32(v),
			      memory_order_release);
}

/**
 * ornic_index_write_fence() - publish an index before reading a flag
 * @addr: __le32
 * @v: value in CPU order
 *
 * The device writes its flag and then reads the index. The host writes the
 * index and then reads the flag, with ornic_index_read_flag(), whose order is
 * memory_order_seq_cst, too. Without a full fence a load may pass the store
 * before it, and both sides may read old values ([ORNIC-DB-35]). On x86 an
 * exchange is store and fence in one, and cheaper than mov and mfence. Before
 * any other load ornic_index_full_barrier() has to follow.
 */
static inline void ornic_index_write_fence(void *addr, uint32_t v)
{
	uint32_t operand = (__force uint32_t)htole32(v);

	udma_to_device_barrier();
	atomic_exchange_explicit((_Atomic(uint32_t) *)addr, operand,
				 memory_order_seq_cst);
}

/**
 * ornic_index_read_flag() - read a flag after ornic_index_write_fence()
 * @addr: __le32
 *
 * Return: whether the flag is set.
 */
static inline bool ornic_index_read_flag(const void *addr)
{
	return atomic_load_explicit((_Atomic(uint32_t) *)addr,
				    memory_order_seq_cst);
}

#endif /* ORNIC_INDEX_H */
