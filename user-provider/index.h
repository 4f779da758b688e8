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
 * index and then reads the flag, with ornic_index_read_flag(). Without a full
 * fence a load may pass the store before it, and both sides may read old values
 * ([ORNIC-DB-10]). On x86 an exchange is store and fence in one, and cheaper
 * than mov and mfence.
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
