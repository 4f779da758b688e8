/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Guest memory: the DMA map of one PCI function.
 *
 * The transport adds and removes regions; the core looks up and copies.
 * All callers are in one thread, so nothing here is locked. A pointer from
 * mem_ptr() or mem_iov() stays valid until the next call of an unmap notifier
 * that covers it. Code that keeps pointers longer than one call registers a
 * notifier.
 *
 * The memory belongs to the guest, which may change it at any moment: copy a
 * descriptor once, check the copy, use the copy.
 */
#ifndef ORNIC_DEVICE_MEM_H
#define ORNIC_DEVICE_MEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "env/list.h"
#include "env/reaper.h"

/* An address on the function's bus. Never a host pointer. */
typedef uint64_t gaddr_t;

/* Limit for the regions of one function, sent to the client in VERSION */
#define MEM_MAX_REGIONS 65535
/* Limit for the mapped files of one function; a file that has grown counts again */
#define MEM_MAX_FILES 256

/**
 * enum mem_dir - direction of an access to guest memory
 * @MEM_READ: the device reads what the guest wrote
 * @MEM_WRITE: the device writes what the guest reads
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
 * @host: host pointer, or NULL when the client gave no file (ROM, BARs of other
 *	devices): such a range cannot be accessed
 * @file: mapped file that @host points into
 * @prot: enum mem_dir bits that the client allows
 */
struct mem_region {
	gaddr_t start;
	uint64_t len;
	char *host;
	struct mem_file *file;
	unsigned int prot;
};

/**
 * struct mem_notifier - callback for code that keeps resolved pointers
 * @unmap: drops every pointer into [@start, @start + @len - 1] before it
 *	returns, because the memory goes away right after. Start 0 and len
 *	UINT64_MAX mean the whole address space. It must not look up memory, and
 *	may be called when nothing in the range is mapped.
 * @node: owned by mem.c
 *
 * Dropped pointers are looked up again at the next use, because the range can
 * come back: the guest's firmware and bus-master enable both unmap and map the
 * same memory.
 */
struct mem_notifier {
	void (*unmap)(struct mem_notifier *n, gaddr_t start, uint64_t len);
	struct list_head node;
};

/**
 * struct mem - the DMA map of one function
 * @region: regions sorted by start, without overlap
 * @count: number of regions in use
 * @room: number of regions allocated
 * @last: index of the region of the latest lookup, a hint
 * @files: struct mem_file list
 * @file_count: length of @files
 * @leaving: files that had regions and are being unmapped, and their bytes
 * @notifiers: struct mem_notifier list
 * @generation: increases with each change of the map; while it is equal, every
 *	pointer from an earlier lookup is valid
 * @faults: number of SIGBUS faults in this function's files: the client shrank
 *	a file below what it had mapped. The transport drops such a client.
 * @enabled: bus-master enable; while false every lookup fails
 */
struct mem {
	struct mem_region *region;
	unsigned int count;
	unsigned int room;
	unsigned int last;
	struct list_head files;
	unsigned int file_count;
	struct reap_count leaving;
	struct list_head notifiers;
	uint64_t generation;
	uint64_t faults;
	bool enabled;
};

/**
 * mem_init - initialise an empty, disabled map
 * @mem: the map
 */
void mem_init(struct mem *mem);

/**
 * mem_clear - notify, remove all regions and free them
 * @mem: the map; empty and disabled afterwards, with its notifiers
 */
void mem_clear(struct mem *mem);

/**
 * mem_uninit - clear the map, which takes no part of the address space any more
 * @mem: the map
 */
void mem_uninit(struct mem *mem);

/**
 * mem_guard_install - survive SIGBUS from mapped files that shrink
 *
 * Call it once per process. After a fault in a file of any map, all of the file
 * reads as zeros, so that the access completes, and @faults of the map
 * increases. Any other SIGBUS kills the process as usual.
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
 * @fd: backing file, or -1; owned by the caller
 * @offset: offset of the region in the file, a multiple of 4096
 *
 * Mapping a part of a region again in the same way is accepted and changes
 * nothing.
 *
 * Return: 0; -EINVAL for invalid values, an unsuitable file or a range outside
 * the file; -EEXIST when another region overlaps; -ENOSPC at a limit; -ENOMEM
 * or the errno of mmap().
 */
int mem_map(struct mem *mem, gaddr_t start, uint64_t len, unsigned int prot,
	    int fd, uint64_t offset);

/**
 * mem_unmap - remove all regions in a range
 * @mem: the map
 * @start: first bus address
 * @len: bytes; start 0 and len UINT64_MAX mean everything
 *
 * A region that is only partly in the range is split, and its other part stays.
 * Notifiers run before anything is unmapped.
 *
 * Return: 0; -EINVAL when the range wraps or is empty; -ENOSPC or -ENOMEM when
 * a split needs one more region than possible.
 */
int mem_unmap(struct mem *mem, gaddr_t start, uint64_t len);

/**
 * mem_enable - follow the bus-master enable bit
 * @mem: the map
 * @enable: new value; false notifies for the whole address space
 */
void mem_enable(struct mem *mem, bool enable);

/**
 * mem_ptr - get a host pointer to a range of guest memory
 * @mem: the map
 * @addr: bus address
 * @len: bytes, not 0
 * @dir: enum mem_dir bits needed
 *
 * Return: the pointer, or NULL when the range is not mapped, not contiguous in
 * host memory, or does not allow @dir.
 */
void *mem_ptr(struct mem *mem, gaddr_t addr, uint64_t len, unsigned int dir);

/**
 * mem_iov - get host pointers to a range that may span regions
 * @mem: the map
 * @addr: bus address
 * @len: bytes, not 0
 * @dir: enum mem_dir bits needed
 * @iov: filled with pieces in order; contiguous neighbours are merged
 * @max: room in @iov
 *
 * Return: pieces filled, or -EFAULT (unmapped or not allowed) or -E2BIG (more
 * than @max pieces).
 */
int mem_iov(struct mem *mem, gaddr_t addr, uint64_t len, unsigned int dir,
	    struct iovec *iov, int max);

/**
 * mem_read - copy from guest memory; the range may span regions
 * @mem: the map
 * @addr: bus address
 * @buf: destination
 * @len: bytes
 *
 * Return: 0, or -EFAULT, and then the content of @buf is undefined.
 */
int mem_read(struct mem *mem, gaddr_t addr, void *buf, uint64_t len);

/**
 * mem_write - copy to guest memory; the range may span regions
 * @mem: the map
 * @addr: bus address
 * @buf: source
 * @len: bytes
 *
 * Nothing is written unless all of the range may be written.
 *
 * Return: 0 or -EFAULT.
 */
int mem_write(struct mem *mem, gaddr_t addr, const void *buf, uint64_t len);

/**
 * mem_notifier_add - register a notifier that runs before memory goes away
 * @mem: the map
 * @n: owned by the caller, in use until mem_notifier_remove()
 */
void mem_notifier_add(struct mem *mem, struct mem_notifier *n);

/**
 * mem_notifier_remove - undo mem_notifier_add()
 * @n: registered notifier
 */
void mem_notifier_remove(struct mem_notifier *n);

#endif /* ORNIC_DEVICE_MEM_H */
