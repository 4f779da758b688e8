// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The DMA map of one function: a sorted array of regions that point into
 * files, each file mapped once and whole. One mapping per file, not per region,
 * because a virtual IOMMU makes a region of each 4 KiB page, because hugetlb
 * files cannot be mapped at odd offsets, and because fds and mappings are
 * limited per process. Regions that are contiguous on the bus and in a file are
 * merged.
 */
#include <errno.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "env/mem.h"

#define MEM_ALIGN 4096ULL
/* Page tables move as a whole between addresses that are equal modulo this */
#define MEM_MOVE_ALIGN (2ULL << 20)
/* Limits for the mapped bytes of one map, and of all of them together */
#define MEM_MAX_MAPPED (4ULL << 40)
#define MEM_MAX_TOTAL (48ULL << 40)

/*
 * A mapped file. A file that has grown is mapped again as another one, so that
 * pointers into the old mapping stay valid. @moved: of a file that has shrunk, the
 * mapping as it was; else NULL
 */
struct mem_file {
	struct list_head node;
	struct list_head guard;
	struct mem *mem;
	dev_t dev;
	ino_t ino;
	char *host;
	char *moved;
	uint64_t size;
	unsigned int refs;
	bool writable;
};

/*
 * All files of all maps, for the SIGBUS handler. The list changes only outside
 * of accesses to guest memory, so the handler never sees an incomplete change.
 */
static struct list_head guard_files = { &guard_files, &guard_files };

/* Maps of this process, which share its address space of 128 TiB */
static unsigned int mem_count;

/* Whole pages of the machine; hugetlb files have whole pages anyway */
static uint64_t file_room(const struct mem_file *file)
{
	return (file->size + MEM_ALIGN - 1) & -MEM_ALIGN;
}

/*
 * Empty the mapping of a file: move its page tables to another place, from where the
 * reaper unmaps them. That takes 0.2 ms per GiB, munmap() 60 ms. Linux before 5.13, and
 * huge pages, refuse it.
 */
static void guard_move(struct mem_file *file)
{
	uint64_t size = file_room(file), before;
	char *at = mmap(NULL, size + MEM_MOVE_ALIGN, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return;
	before = (file->host - at) & (MEM_MOVE_ALIGN - 1);
	if (mremap(file->host, size, size,
		   MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
		   at + before) == MAP_FAILED) {
		munmap(at, size + MEM_MOVE_ALIGN);
		return;
	}
	file->moved = at + before;
	munmap(at, before);
	munmap(file->moved + size, MEM_MOVE_ALIGN - before);
}

/*
 * Map zeros over a file. Over all of it, although its first pages may still be
 * there: so there is one fault for each file, however the client's work is
 * spread over its pages, and the client is disconnected anyway. The zeros are a
 * memfd, because private memory of that size may be refused
 * (vm.overcommit_memory).
 */
static bool guard_replace(struct mem_file *file)
{
	int fd = memfd_create("shrunk", MFD_CLOEXEC);
	void *at = MAP_FAILED;

	if (fd < 0)
		return false;
	if (!file->moved)
		guard_move(file);
	if (!ftruncate(fd, file_room(file)))
		at = mmap(file->host, file->size, PROT_READ | PROT_WRITE,
			  MAP_FIXED | MAP_SHARED, fd, 0);
	close(fd);
	return at != MAP_FAILED;
}

static void guard_handle(int sig, siginfo_t *info, void *context)
{
	char *addr = info->si_addr;
	struct mem_file *file;
	struct list_head *node;
	int err = errno;

	(void)context;
	list_for_each(node, &guard_files) {
		file = list_entry(node, struct mem_file, guard);
		if (addr < file->host || addr >= file->host + file->size)
			continue;
		if (!guard_replace(file))
			break;
		file->mem->faults++;
		errno = err;
		return;
	}
	/* Not guest memory: fault again with the default action */
	signal(sig, SIG_DFL);
}

int mem_guard_install(void)
{
	struct sigaction action = {
		.sa_sigaction = guard_handle,
		.sa_flags = SA_SIGINFO | SA_NODEFER,
	};

	sigemptyset(&action.sa_mask);
	return sigaction(SIGBUS, &action, NULL) ? -errno : 0;
}

void mem_init(struct mem *mem)
{
	memset(mem, 0, sizeof(*mem));
	list_init(&mem->files);
	list_init(&mem->notifiers);
	mem_count++;
}

static void file_put(struct mem_file *file)
{
	if (!file || --file->refs)
		return;
	list_del_init(&file->node);
	list_del_init(&file->guard);
	file->mem->file_count--;
	if (file->moved)
		reaper_give(file->moved, file->size, &file->mem->leaving,
			    file->size);
	reaper_give(file->host, file->size, &file->mem->leaving, file->size);
	free(file);
}

static void notify(struct mem *mem, gaddr_t start, uint64_t len)
{
	struct list_head *node, *next;
	struct mem_notifier *n;

	mem->generation++;
	list_for_each_safe(node, next, &mem->notifiers) {
		n = list_entry(node, struct mem_notifier, node);
		n->unmap(n, start, len);
	}
}

void mem_clear(struct mem *mem)
{
	unsigned int i;

	notify(mem, 0, UINT64_MAX);
	for (i = 0; i < mem->count; i++)
		file_put(mem->region[i].file);
	free(mem->region);
	mem->region = NULL;
	mem->count = 0;
	mem->room = 0;
	mem->last = 0;
	mem->enabled = false;
}

void mem_uninit(struct mem *mem)
{
	mem_clear(mem);
	mem_count--;
}

static uint64_t mapped_size(const struct mem *mem)
{
	const struct list_head *node;
	uint64_t size = 0;

	list_for_each(node, &mem->files)
		size += list_entry(node, struct mem_file, node)->size;
	return size;
}

/*
 * As much as the limits allow may be on its way back to the kernel besides, so that
 * the next client does not have to wait for what the last one has left.
 */
static bool file_fits(const struct mem *mem, uint64_t size)
{
	uint64_t both;

	size += mapped_size(mem);
	both = size + mem->leaving.units;
	return mem->file_count < MEM_MAX_FILES &&
	       mem->file_count + mem->leaving.mappings < 2 * MEM_MAX_FILES &&
	       size <= MEM_MAX_MAPPED && both <= 2 * MEM_MAX_MAPPED &&
	       size * mem_count <= MEM_MAX_TOTAL &&
	       both * mem_count <= 2 * MEM_MAX_TOTAL;
}

/*
 * Accept memory files only. A page fault in another file may wait for a disk, a
 * network or another process, which would stop every card of this process.
 */
static bool file_is_memory(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	return fs.f_type == TMPFS_MAGIC || fs.f_type == HUGETLBFS_MAGIC;
}

static struct mem_file *file_find(struct mem *mem, const struct stat *st,
				  uint64_t end, unsigned int prot)
{
	struct list_head *node;
	struct mem_file *file;

	list_for_each(node, &mem->files) {
		file = list_entry(node, struct mem_file, node);
		if (file->dev == st->st_dev && file->ino == st->st_ino &&
		    file->size >= end &&
		    (file->writable || !(prot & MEM_WRITE)))
			return file;
	}
	return NULL;
}

/* On success *@out holds a reference */
static int file_get(struct mem *mem, int fd, uint64_t offset, uint64_t len,
		    unsigned int prot, struct mem_file **out)
{
	struct mem_file *file;
	uint64_t end;
	struct stat st;
	int err;

	if (__builtin_add_overflow(offset, len, &end))
		return -EINVAL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !file_is_memory(fd))
		return -EINVAL;
	if (end > (uint64_t)st.st_size)
		return -EINVAL;
	file = file_find(mem, &st, end, prot);
	if (file) {
		file->refs++;
		*out = file;
		return 0;
	}
	if (!file_fits(mem, st.st_size))
		return -ENOSPC;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->mem = mem;
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	file->size = st.st_size;
	file->refs = 1;
	file->writable = true;
	file->host = mmap(NULL, file->size, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (file->host == MAP_FAILED && !(prot & MEM_WRITE)) {
		file->writable = false;
		file->host = mmap(NULL, file->size, PROT_READ,
				  MAP_SHARED | MAP_NORESERVE, fd, 0);
	}
	if (file->host == MAP_FAILED) {
		err = -errno;
		free(file);
		return err;
	}
	list_add_tail(&file->node, &mem->files);
	list_add_tail(&file->guard, &guard_files);
	mem->file_count++;
	*out = file;
	return 0;
}

/* Index of the first region that ends after @addr */
static unsigned int region_find(const struct mem *mem, gaddr_t addr)
{
	unsigned int low = 0, high = mem->count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (mem->region[mid].start + mem->region[mid].len <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int region_insert(struct mem *mem, unsigned int at,
			 const struct mem_region *region)
{
	struct mem_region *grown;
	unsigned int room;

	if (mem->count == MEM_MAX_REGIONS)
		return -ENOSPC;
	if (mem->count == mem->room) {
		room = mem->room ? mem->room * 2 : 16;
		grown = realloc(mem->region, room * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		mem->region = grown;
		mem->room = room;
	}
	memmove(&mem->region[at + 1], &mem->region[at],
		(mem->count - at) * sizeof(*region));
	mem->region[at] = *region;
	mem->count++;
	return 0;
}

static void region_remove(struct mem *mem, unsigned int first,
			  unsigned int last)
{
	unsigned int i;

	for (i = first; i < last; i++)
		file_put(mem->region[i].file);
	memmove(&mem->region[first], &mem->region[last],
		(mem->count - last) * sizeof(mem->region[0]));
	mem->count -= last - first;
	mem->last = 0;
}

/* Is @part mapped by @whole in the same way? */
static bool region_holds(const struct mem_region *whole,
			 const struct mem_region *part)
{
	uint64_t offset = part->start - whole->start;

	return part->start >= whole->start && offset < whole->len &&
	       part->len <= whole->len - offset && part->prot == whole->prot &&
	       part->host == (whole->host ? whole->host + offset : NULL);
}

/*
 * Merge the region behind @at into it if the two are contiguous in one file.
 * A contiguous range is then always a single region, so the time of a lookup
 * does not depend on the pieces in which the client mapped the range.
 */
static void region_merge(struct mem *mem, unsigned int at)
{
	struct mem_region *low = &mem->region[at], *high = low + 1;

	if (at + 1 >= mem->count || low->start + low->len != high->start ||
	    low->prot != high->prot || !low->file || low->file != high->file ||
	    low->host + low->len != high->host)
		return;
	low->len += high->len;
	region_remove(mem, at + 1, at + 2);
}

int mem_map(struct mem *mem, gaddr_t start, uint64_t len, unsigned int prot,
	    int fd, uint64_t offset)
{
	struct mem_region region = { .start = start, .len = len, .prot = prot };
	unsigned int at;
	gaddr_t end;
	int err = 0;

	if (!len || (start | len | offset) % MEM_ALIGN || !prot ||
	    prot & ~(unsigned int)(MEM_READ | MEM_WRITE) ||
	    __builtin_add_overflow(start, len, &end))
		return -EINVAL;
	if (fd >= 0) {
		err = file_get(mem, fd, offset, len, prot, &region.file);
		if (err)
			return err;
		region.host = region.file->host + offset;
	}
	at = region_find(mem, start);
	if (at < mem->count && mem->region[at].start < end) {
		if (!region_holds(&mem->region[at], &region))
			err = -EEXIST;
		goto put_file;
	}
	err = region_insert(mem, at, &region);
	if (err)
		goto put_file;
	region_merge(mem, at);
	if (at)
		region_merge(mem, at - 1);
	mem->generation++;
	return 0;

put_file:
	file_put(region.file);
	return err;
}

/* Split the region that contains @addr, unless it starts there */
static int region_split(struct mem *mem, gaddr_t addr)
{
	unsigned int at = region_find(mem, addr);
	struct mem_region upper;
	uint64_t low_len;
	int err;

	if (at == mem->count || mem->region[at].start >= addr)
		return 0;
	upper = mem->region[at];
	low_len = addr - upper.start;
	upper.start = addr;
	upper.len -= low_len;
	if (upper.host)
		upper.host += low_len;
	err = region_insert(mem, at + 1, &upper);
	if (err)
		return err;
	mem->region[at].len = low_len;
	if (upper.file)
		upper.file->refs++;
	return 0;
}

int mem_unmap(struct mem *mem, gaddr_t start, uint64_t len)
{
	unsigned int first, last;
	gaddr_t end;
	int err;

	if (!len || __builtin_add_overflow(start, len, &end))
		return -EINVAL;
	err = region_split(mem, start);
	if (!err)
		err = region_split(mem, end);
	if (err)
		return err;
	notify(mem, start, len);
	first = region_find(mem, start);
	for (last = first;
	     last < mem->count && mem->region[last].start < end; last++)
		continue;
	if (first != last)
		region_remove(mem, first, last);
	return 0;
}

void mem_enable(struct mem *mem, bool enable)
{
	if (mem->enabled == enable)
		return;
	mem->enabled = enable;
	if (!enable)
		notify(mem, 0, UINT64_MAX);
}

/* Find the region of @addr, if it allows @dir and has a file */
static const struct mem_region *region_at(struct mem *mem, gaddr_t addr,
					  unsigned int dir)
{
	const struct mem_region *region;
	unsigned int at = mem->last;

	if (!mem->enabled)
		return NULL;
	if (at >= mem->count || addr < mem->region[at].start ||
	    addr - mem->region[at].start >= mem->region[at].len) {
		at = region_find(mem, addr);
		if (at == mem->count || addr < mem->region[at].start)
			return NULL;
		mem->last = at;
	}
	region = &mem->region[at];
	if (!region->host || (region->prot & dir) != dir)
		return NULL;
	return region;
}

int mem_iov(struct mem *mem, gaddr_t addr, uint64_t len, unsigned int dir,
	    struct iovec *iov, int max)
{
	const struct mem_region *region;
	uint64_t piece;
	int count = 0;
	gaddr_t end;
	char *host;

	if (!len || __builtin_add_overflow(addr, len, &end))
		return -EFAULT;
	for (; len; addr += piece, len -= piece) {
		region = region_at(mem, addr, dir);
		if (!region)
			return -EFAULT;
		host = region->host + (addr - region->start);
		piece = region->len - (addr - region->start);
		if (piece > len)
			piece = len;
		if (count && (char *)iov[count - 1].iov_base +
				     iov[count - 1].iov_len == host) {
			iov[count - 1].iov_len += piece;
			continue;
		}
		if (count == max)
			return -E2BIG;
		iov[count++] = (struct iovec){
			.iov_base = host,
			.iov_len = piece,
		};
	}
	return count;
}

void *mem_ptr(struct mem *mem, gaddr_t addr, uint64_t len, unsigned int dir)
{
	struct iovec iov;

	return mem_iov(mem, addr, len, dir, &iov, 1) == 1 ? iov.iov_base : NULL;
}

/* Check that all of a range may be accessed, in any number of pieces */
static bool range_ok(struct mem *mem, gaddr_t addr, uint64_t len,
		     unsigned int dir)
{
	const struct mem_region *region;
	uint64_t piece;
	gaddr_t end;

	if (__builtin_add_overflow(addr, len, &end))
		return false;
	for (; len; addr += piece, len -= piece) {
		region = region_at(mem, addr, dir);
		if (!region)
			return false;
		piece = region->len - (addr - region->start);
		if (piece > len)
			piece = len;
	}
	return true;
}

static int mem_copy(struct mem *mem, gaddr_t addr, char *buf, uint64_t len,
		    enum mem_dir dir)
{
	const struct mem_region *region;
	uint64_t faults = mem->faults;
	uint64_t piece;
	char *host;

	if (!range_ok(mem, addr, len, dir))
		return -EFAULT;
	for (; len; addr += piece, buf += piece, len -= piece) {
		region = region_at(mem, addr, dir);
		host = region->host + (addr - region->start);
		piece = region->len - (addr - region->start);
		if (piece > len)
			piece = len;
		if (dir == MEM_READ)
			memcpy(buf, host, piece);
		else
			memcpy(host, buf, piece);
	}
	return mem->faults == faults ? 0 : -EFAULT;
}

int mem_read(struct mem *mem, gaddr_t addr, void *buf, uint64_t len)
{
	return mem_copy(mem, addr, buf, len, MEM_READ);
}

int mem_write(struct mem *mem, gaddr_t addr, const void *buf, uint64_t len)
{
	return mem_copy(mem, addr, (char *)(uintptr_t)buf, len, MEM_WRITE);
}

void mem_notifier_add(struct mem *mem, struct mem_notifier *n)
{
	list_add_tail(&n->node, &mem->notifiers);
}

void mem_notifier_remove(struct mem_notifier *n)
{
	list_del_init(&n->node);
}
