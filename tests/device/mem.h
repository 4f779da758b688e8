/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Guest memory: the DMA map of one PCI function.
 *
 * The transport adds and removes regions; the core looks up and copies.
 * Everything runs in one thread, so nothing here is locked. A pointer from
 * mem_ptr() or mem_iov() stays good until the next call of an unmap notifier
 * that covers it; who keeps pointers longer than one call registers one.
 *
 * What a pointer leads to belongs to the guest, which may change it at any
 * moment: copy a descriptor out once, check the copy, use the copy.
 */
#ifndef ORNIC_DEVICE_MEM_H
#define ORNIC_DEVICE_MEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "list.h"

/* An address on the function's bus. Never a host pointer. */
typedef uint64_t gaddr_t;

/* Regions one function may have, as told to the client in VERSION. */
#define MEM_MAX_REGIONS 65535
/* Distinct files (and growths of a file) one function may have mapped. */
#define MEM_MAX_FILES 256

/**
 * enum mem_dir - what the device wants to do with guest memory
 * @MEM_READ: the device reads what the guest wrote
 * @MEM_WRITE: the device writes what the guest will read
 *
 * The values are the protection bits of a region and may be combined.
 */
enum mem_dir {
	MEM_READ = 1 << 0,
	MEM_WRITE = 1 << 1,
};

struct mem_file;

/**
 * struct mem_region - one contiguous range of the DMA map
 * @start: first bus address
 * @len: bytes, never 0, @start + @len does not wrap
 * @host: where it is mapped here, NULL when the client gave no file
 *	(ROM, other devices' BARs): nobody can access such a range
 * @file: the mapped file that @host points into
 * @prot: enum mem_dir bits the client allows
 */
struct mem_region {
	gaddr_t start;
	uint64_t len;
	char *host;
	struct mem_file *file;
	unsigned int prot;
};

/**
 * struct mem_notifier - somebody who keeps resolved pointers
 * @unmap: forget every pointer into [@start, @start + @len - 1] before
 *	returning: the memory goes away right after. A range of the whole
 *	address space is given as start 0, len UINT64_MAX. Must not look up
 *	memory, but may be called when nothing in the range is mapped.
 * @node: owned by mem.c
 *
 * Pointers that were forgotten are looked up again at the next use, for the
 * range can come back: the guest's firmware and bus-master enable both unmap
 * and map the very same memory.
 */
struct mem_notifier {
	void (*unmap)(struct mem_notifier *n, gaddr_t start, uint64_t len);
	struct list_head node;
};

/**
 * struct mem - the DMA map of one function
 * @region: sorted by start, no two overlap
 * @count: regions in use
 * @room: regions allocated
 * @last: index of the region that the latest lookup hit, a hint
 * @files: mapped files, each once
 * @file_count: number of @files
 * @notifiers: struct mem_notifier list
 * @generation: goes up with each change of the map; equal generations mean
 *	that every pointer looked up before is still good
 * @faults: SIGBUS events in this function's files: the client shrank a file
 *	below what it had mapped. The transport drops such a client.
 * @enabled: bus-master enable; while false every lookup fails
 */
struct mem {
	struct mem_region *region;
	unsigned int count;
	unsigned int room;
	unsigned int last;
	struct list_head files;
	unsigned int file_count;
	struct list_head notifiers;
	uint64_t generation;
	uint64_t faults;
	bool enabled;
};

/**
 * mem_init - make an empty, disabled map
 * @mem: the map
 */
void mem_init(struct mem *mem);

/**
 * mem_uninit - remove all regions, telling the notifiers, and free
 * @mem: the map; may be initialised again
 */
void mem_uninit(struct mem *mem);

/**
 * mem_guard_install - survive SIGBUS from files that shrink under us
 *
 * Once per process. A fault inside any map's file puts zeroes there, up to the
 * end of the file, so that the access completes, and counts in that map's
 * @faults; any other SIGBUS kills the process as usual.
 *
 * Return: 0 or a negative errno.
 */
int mem_guard_install(void);

/**
 * mem_map - add a region
 * @mem: the map
 * @start: first bus address, a multiple of 4096
 * @len: bytes, a multiple of 4096, not 0
 * @prot: enum mem_dir bits
 * @fd: file that backs it, or -1; stays the caller's
 * @offset: of the region in the file, a multiple of 4096
 *
 * Adding the identical region again is accepted and changes nothing.
 *
 * Return: 0; -EINVAL for odd numbers, an unsuitable file or a range outside the
 * file; -EEXIST when another region overlaps; -ENOSPC at the caps; -ENOMEM or
 * the errno of mmap().
 */
int mem_map(struct mem *mem, gaddr_t start, uint64_t len, unsigned int prot,
	    int fd, uint64_t offset);

/**
 * mem_unmap - remove all regions that lie inside a range
 * @mem: the map
 * @start: first bus address
 * @len: bytes; start 0 and len UINT64_MAX mean everything
 *
 * A region that is only partly inside is cut: what is outside stays. Notifiers
 * run before anything is unmapped.
 *
 * Return: 0; -EINVAL when the range wraps or is empty; -ENOSPC or -ENOMEM when
 * cutting needs a region more than there is room for.
 */
int mem_unmap(struct mem *mem, gaddr_t start, uint64_t len);

/**
 * mem_enable - follow the bus-master enable bit
 * @mem: the map
 * @enable: new value; going to false tells the notifiers "everything"
 */
void mem_enable(struct mem *mem, bool enable);

/**
 * mem_ptr - host pointer to a range of guest memory
 * @mem: the map
 * @addr: bus address
 * @len: bytes, not 0
 * @dir: enum mem_dir bits that are needed
 *
 * Return: the pointer, or NULL when the range is not mapped, not contiguous
 * here, or does not allow @dir.
 */
void *mem_ptr(struct mem *mem, gaddr_t addr, uint64_t len, unsigned int dir);

/**
 * mem_iov - host pointers to a range that may span regions
 * @mem: the map
 * @addr: bus address
 * @len: bytes, not 0
 * @dir: enum mem_dir bits that are needed
 * @iov: filled with pieces in order; neighbours that are contiguous here are
 *	merged
 * @max: room in @iov
 *
 * Return: pieces filled, or -EFAULT (unmapped or not allowed) or -E2BIG (more
 * than @max pieces).
 */
int mem_iov(struct mem *mem, gaddr_t addr, uint64_t len, unsigned int dir,
	    struct iovec *iov, int max);

/**
 * mem_read - copy out of guest memory, spanning regions if need be
 * @mem: the map
 * @addr: bus address
 * @buf: where to
 * @len: bytes
 *
 * Return: 0, or -EFAULT, and then @buf holds undefined bytes.
 */
int mem_read(struct mem *mem, gaddr_t addr, void *buf, uint64_t len);

/**
 * mem_write - copy into guest memory, spanning regions if need be
 * @mem: the map
 * @addr: bus address
 * @buf: where from
 * @len: bytes
 *
 * Nothing is written unless all of the range may be.
 *
 * Return: 0 or -EFAULT.
 */
int mem_write(struct mem *mem, gaddr_t addr, const void *buf, uint64_t len);

/**
 * mem_notifier_add - be told before memory goes away
 * @mem: the map
 * @n: stays the caller's until mem_notifier_remove()
 */
void mem_notifier_add(struct mem *mem, struct mem_notifier *n);

/**
 * mem_notifier_remove - end of mem_notifier_add()
 * @n: a notifier that was added
 */
void mem_notifier_remove(struct mem_notifier *n);

#endif /* ORNIC_DEVICE_MEM_H */
