// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Buffers: read the index pages and resolve the pages they list */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "base/cmd.h"

#define BUF_SHIFT_MIN 12
#define BUF_SHIFT_MAX 31
#define BUF_LEVELS_MAX 3
#define BUF_RING_LEVELS_MAX 1
#define BUF_INDEX_SHIFT 9	/* log2 of ORNIC_INDEX_ENTRIES */
#define BUF_INDEX_MASK ((1ULL << ORNIC_INDEX_PAGE_SHIFT) - 1)
/* With more unmapped ranges than this, drop all pointers instead of comparing pages */
#define BUF_COMPARE_MAX 4
/* Pieces of a page that a reach check covers; later pieces are not checked */
#define BUF_PROBE_PIECES 16
/* Larger arrays of pages go to the reaper; free() of this size takes 60 us */
#define BUF_HEAP_MAX (1u << 20)
/* Bytes of a ring that a turn moves */
#define BUF_MOVE_STEP (256u << 10)

static uint64_t buf_page_size(const struct buf *buf)
{
	return 1ULL << buf->page_shift;
}

/* Number of groups of BUF_GROUP pages */
static uint32_t buf_groups(uint32_t npages)
{
	return (npages + BUF_GROUP - 1) >> BUF_GROUP_SHIFT;
}

/* Bytes of the array of pages, and of the groups behind them in a large one */
static size_t buf_array_size(uint32_t room)
{
	return room * sizeof(struct buf_page) +
	       (room > BUF_STEP ? buf_groups(room) * sizeof(uint64_t) : 0);
}

static void *buf_array_alloc(size_t size)
{
	void *at;

	if (size <= BUF_HEAP_MAX)
		return calloc(1, size);
	at = mmap(NULL, size, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

/* Bus address of the last byte of a page */
static gaddr_t buf_last(struct buf *buf, uint32_t i)
{
	return buf_page(buf, i)->addr + (buf_page_size(buf) - 1);
}

/*
 * The used part of a page. Page tables list whole pages, but the bytes around
 * the first and last byte of an MR need not be mapped for the device.
 */
static void buf_used(const struct buf *buf, uint32_t i, uint64_t *from,
		     uint64_t *to)
{
	uint64_t base = (uint64_t)i << buf->page_shift;

	*from = i ? 0 : buf->start;
	*to = buf_page_size(buf);
	if (buf->end - base < *to)
		*to = buf->end - base;
}

static void buf_resolve(struct buf *buf, uint32_t i)
{
	struct buf_page *page = buf_page(buf, i);
	uint64_t from, to;
	char *host;

	buf_used(buf, i, &from, &to);
	host = mem_ptr(buf->guest->mem, page->addr + from, to - from, buf->dir);
	page->host = host ? host - from : NULL;
}

/* Drop the pointers to pages [first, last) that were unmapped since @seq */
static void buf_drop(struct buf *buf, uint64_t seq, uint32_t first,
		     uint32_t last)
{
	bool far = buf->guest->seq - seq > BUF_COMPARE_MAX;
	uint32_t i;

	if (!guest_lost(buf->guest, seq, buf->lo, buf->hi))
		return;
	buf->budget->work += last - first;
	for (i = first; i < last; i++)
		if (far || guest_lost(buf->guest, seq, buf_page(buf, i)->addr,
				      buf_last(buf, i)))
			buf_page(buf, i)->host = NULL;
}

/*
 * Drop the pointers to unmapped pages. In a large buffer only the group of page
 * i is checked, so the time does not depend on the size of the buffer.
 */
static void buf_catch_up(struct buf *buf, uint32_t i)
{
	uint32_t first = i & ~(BUF_GROUP - 1), last = first + BUF_GROUP;
	uint64_t now = buf->guest->seq;
	uint64_t *late;

	if (buf->seq == now)
		return;
	if (!buf->group_seq) {
		buf_drop(buf, buf->seq, 0, buf->npages);
		buf->seq = now;
		return;
	}
	late = &buf->group_seq[i >> BUF_GROUP_SHIFT];
	if (buf->seq + *late == now)
		return;
	buf_drop(buf, buf->seq + *late, first,
		 last < buf->npages ? last : buf->npages);
	*late = now - buf->seq;
}

static enum ornic_cmd_status buf_set_page(struct buf *buf, uint32_t i,
					  gaddr_t addr, uint64_t align)
{
	gaddr_t last = addr + (buf_page_size(buf) - 1);

	if (addr & (align - 1) || last < addr)
		return ORNIC_CMD_BAD_PARAM;
	buf_page(buf, i)->addr = addr;
	if (addr < buf->lo)
		buf->lo = addr;
	if (last > buf->hi)
		buf->hi = last;
	return ORNIC_CMD_OK;
}

/* Find the list entry of page buf->filled; the entries of later pages follow */
static enum ornic_cmd_status buf_find_entry(struct buf *buf, gaddr_t *entry)
{
	unsigned int level = buf->levels;
	gaddr_t addr = buf->list;

	for (; level > 1; level--) {
		uint64_t at = buf->filled >> (level - 1) * BUF_INDEX_SHIFT;
		__le64 next;

		at %= ORNIC_INDEX_ENTRIES;
		if (mem_read(buf->guest->mem, addr + at * sizeof(next), &next,
			     sizeof(next)))
			return ORNIC_CMD_DMA_FAULT;
		addr = le64toh(next);
		if (addr & BUF_INDEX_MASK)
			return ORNIC_CMD_BAD_PARAM;
	}
	/* A single list may have any length ([ORNIC-BUF-2]) */
	*entry = addr + sizeof(__le64) * (buf->levels > 1 ?
		 buf->filled % ORNIC_INDEX_ENTRIES : buf->filled);
	return ORNIC_CMD_OK;
}

/* Read up to @most entries of the current index page */
static enum ornic_cmd_status buf_read_index(struct buf *buf, uint32_t most)
{
	__le64 entry[ORNIC_INDEX_ENTRIES];
	enum ornic_cmd_status status;
	uint32_t n, i;
	gaddr_t addr;

	status = buf_find_entry(buf, &addr);
	n = ORNIC_INDEX_ENTRIES - buf->filled % ORNIC_INDEX_ENTRIES;
	if (n > most)
		n = most;
	if (!status && mem_read(buf->guest->mem, addr, entry,
				n * sizeof(*entry)))
		status = ORNIC_CMD_DMA_FAULT;
	for (i = 0; i < n && !status; i++)
		status = buf_set_page(buf, buf->filled++, le64toh(entry[i]),
				      buf_page_size(buf));
	return status;
}

static enum ornic_cmd_status buf_count_up(struct buf *buf)
{
	uint64_t offset = (uint64_t)buf->filled << buf->page_shift;

	if (buf->list + offset < buf->list)
		return ORNIC_CMD_BAD_PARAM;
	return buf_set_page(buf, buf->filled++, buf->list + offset,
			    buf->align);
}

static enum ornic_cmd_status buf_probe_page(struct buf *buf, uint32_t i,
					    unsigned int dir)
{
	struct iovec iov[BUF_PROBE_PIECES];
	uint64_t from, to;

	buf_used(buf, i, &from, &to);
	return mem_iov(buf->guest->mem, buf_page(buf, i)->addr + from, to - from,
		       dir, iov, BUF_PROBE_PIECES) == -EFAULT ?
	       ORNIC_CMD_DMA_FAULT : ORNIC_CMD_OK;
}

bool buf_step(struct buf *buf, enum ornic_cmd_status *status)
{
	uint32_t left = BUF_STEP;

	*status = ORNIC_CMD_OK;
	while (left && buf->filled < buf->npages && !*status) {
		uint32_t before = buf->filled;
		uint32_t most = buf->npages - before;

		*status = buf->levels ?
			  buf_read_index(buf, most < left ? most : left) :
			  buf_count_up(buf);
		left -= buf->filled - before;
	}
	while (left && buf->resolved < buf->npages && !*status) {
		uint32_t i = buf->resolved++;

		buf_resolve(buf, i);
		if (!buf_page(buf, i)->host)
			*status = buf_probe_page(buf, i, buf->dir);
		left--;
	}
	buf->budget->work += BUF_STEP - left;
	return *status || buf->resolved == buf->npages;
}

static enum ornic_cmd_status buf_finish(struct buf *buf)
{
	enum ornic_cmd_status status;

	while (!buf_step(buf, &status))
		continue;
	return status;
}

static bool buf_desc_valid(const struct ornic_buf *desc, uint64_t start,
			   uint64_t len)
{
	uint64_t npages = le32toh(desc->npages);
	unsigned int levels = desc->levels;

	if (!CMD_RSVD_ZERO(desc->rsvd) || levels > BUF_LEVELS_MAX ||
	    desc->page_shift < BUF_SHIFT_MIN ||
	    desc->page_shift > BUF_SHIFT_MAX)
		return false;
	if (levels > 1 && npages > 1ULL << levels * BUF_INDEX_SHIFT)
		return false;
	/* Also refuses npages 0, because len is not 0 */
	return start < 1ULL << desc->page_shift && start + len >= len &&
	       (start + len - 1) >> desc->page_shift < npages;
}

static uint64_t buf_pages_used(const struct ornic_buf *desc, uint64_t start,
			       uint64_t len)
{
	return ((start + len - 1) >> desc->page_shift) + 1;
}

enum ornic_cmd_status buf_alloc(struct buf *buf, struct guest *guest,
				struct buf_budget *budget, uint32_t room)
{
	memset(buf, 0, sizeof(*buf));
	if (room > BUF_PAGES_MAX - budget->pages ||
	    budget->pages + room + budget->leaving.units > 2 * BUF_PAGES_MAX)
		return ORNIC_CMD_NO_RESOURCES;
	if (room > 1) {
		buf->page = buf_array_alloc(buf_array_size(room));
		if (!buf->page)
			return ORNIC_CMD_NO_RESOURCES;
	}
	if (room > BUF_STEP)
		buf->group_seq = (uint64_t *)(buf->page + room);
	budget->pages += room;
	buf->guest = guest;
	buf->budget = budget;
	buf->room = room;
	return ORNIC_CMD_OK;
}

static enum ornic_cmd_status buf_describe(struct buf *buf,
					  const struct ornic_buf *desc,
					  uint64_t start, uint64_t len,
					  unsigned int dir)
{
	buf->seq = buf->guest->seq;
	buf->dir = dir;
	buf->page_shift = desc->page_shift;
	buf->npages = buf_pages_used(desc, start, len);
	buf->filled = 0;
	buf->resolved = 0;
	buf->list = le64toh(desc->addr);
	buf->levels = desc->levels;
	buf->align = 1u << ORNIC_INDEX_PAGE_SHIFT;
	buf->start = start;
	buf->end = start + len;
	buf->lo = UINT64_MAX;
	buf->hi = 0;
	/* Index pages are 4096-aligned, a single list is 8-aligned ([ORNIC-BUF-2]) */
	if ((buf->levels > 1 && buf->list & BUF_INDEX_MASK) ||
	    (buf->levels == 1 && buf->list & 7))
		return ORNIC_CMD_BAD_PARAM;
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status buf_fill(struct buf *buf, const struct ornic_buf *desc,
			       uint64_t start, uint64_t len, unsigned int dir)
{
	enum ornic_cmd_status status;

	if (!buf_desc_valid(desc, start, len) ||
	    buf_pages_used(desc, start, len) > buf->room)
		return ORNIC_CMD_BAD_PARAM;
	status = buf_describe(buf, desc, start, len, dir);
	return status ? status : buf_finish(buf);
}

enum ornic_cmd_status buf_begin(struct buf *buf, struct guest *guest,
				struct buf_budget *budget,
				const struct ornic_buf *desc, uint64_t start,
				uint64_t len, unsigned int dir)
{
	enum ornic_cmd_status status;
	uint64_t npages;

	memset(buf, 0, sizeof(*buf));
	if (!buf_desc_valid(desc, start, len))
		return ORNIC_CMD_BAD_PARAM;
	npages = buf_pages_used(desc, start, len);
	if (npages > BUF_PAGES_MAX)
		return ORNIC_CMD_NO_RESOURCES;
	status = buf_alloc(buf, guest, budget, npages);
	if (status)
		return status;
	status = buf_describe(buf, desc, start, len, dir);
	if (status)
		buf_uninit(buf);
	return status;
}

enum ornic_cmd_status buf_init(struct buf *buf, struct guest *guest,
			       struct buf_budget *budget,
			       const struct ornic_buf *desc, uint64_t start,
			       uint64_t len, unsigned int dir)
{
	enum ornic_cmd_status status;

	memset(buf, 0, sizeof(*buf));
	if (desc->levels > BUF_RING_LEVELS_MAX)
		return ORNIC_CMD_BAD_PARAM;
	status = buf_begin(buf, guest, budget, desc, start, len, dir);
	if (status)
		return status;
	/* [ORNIC-BUF-8] */
	if (len < ORNIC_RING_SMALL && buf->npages == 1)
		buf->align = len > ORNIC_RING_ALIGN ? len : ORNIC_RING_ALIGN;
	status = buf_finish(buf);
	if (status)
		buf_uninit(buf);
	return status;
}

enum ornic_cmd_status buf_probe(struct buf *buf, unsigned int dir,
				uint32_t *from)
{
	enum ornic_cmd_status status = ORNIC_CMD_OK;
	uint32_t left = BUF_STEP;

	for (; left && *from < buf->npages && !status; left--)
		status = buf_probe_page(buf, (*from)++, dir);
	buf->budget->work += BUF_STEP - left;
	return status;
}

void buf_set_dir(struct buf *buf, unsigned int dir)
{
	/* Force a lookup of each page at its next use */
	buf->dir = dir;
	buf->seq = buf->guest->seq - GUEST_LOG_SIZE - 1;
	if (buf->group_seq)
		memset(buf->group_seq, 0,
		       buf_groups(buf->npages) * sizeof(*buf->group_seq));
}

void buf_uninit(struct buf *buf)
{
	size_t size = buf_array_size(buf->room);

	if (!buf->guest)
		return;
	buf->budget->pages -= buf->room;
	if (size > BUF_HEAP_MAX)
		reaper_give(buf->page, size, &buf->budget->leaving, buf->room);
	else
		free(buf->page);
	memset(buf, 0, sizeof(*buf));
}

void *buf_slow(struct buf *buf, uint64_t offset, uint32_t len)
{
	uint32_t i = offset >> buf->page_shift;
	struct buf_page *page = buf_page(buf, i);

	buf_catch_up(buf, i);
	offset &= buf_page_size(buf) - 1;
	if (!page->host)
		buf_resolve(buf, i);
	if (page->host)
		return page->host + offset;
	/* The page is not contiguous in host memory */
	return mem_ptr(buf->guest->mem, page->addr + offset, len, buf->dir);
}

/* Like buf_iov(), for a range inside one page; appends to iov[0..n) */
static int buf_page_iov(struct buf *buf, uint32_t i, uint64_t offset,
			uint64_t *len, struct iovec *iov, int n, int max)
{
	struct buf_page *page = buf_page(buf, i);
	gaddr_t addr = page->addr + offset;
	int ret;

	if (!page->host)
		buf_resolve(buf, i);
	if (page->host) {
		char *host = page->host + offset;

		if (n && (char *)iov[n - 1].iov_base + iov[n - 1].iov_len ==
				 host) {
			iov[n - 1].iov_len += *len;
			return n;
		}
		if (n == max) {
			*len = 0;
			return n;
		}
		iov[n].iov_base = host;
		iov[n].iov_len = *len;
		return n + 1;
	}
	if (n == max) {
		*len = 0;
		return n;
	}
	/* Not contiguous in host memory: reduce the length until the pieces fit */
	while ((ret = mem_iov(buf->guest->mem, addr, *len, buf->dir, iov + n,
			      max - n)) == -E2BIG)
		*len = (*len + 1) / 2;
	return ret < 0 ? ret : n + ret;
}

int buf_iov(struct buf *buf, uint64_t offset, uint64_t *len, struct iovec *iov,
	    int max)
{
	uint64_t want = *len;
	uint64_t done = 0;
	int n = 0;

	while (done < want) {
		uint32_t i = (offset + done) >> buf->page_shift;
		uint64_t from = (offset + done) & (buf_page_size(buf) - 1);
		uint64_t part = buf_page_size(buf) - from;
		uint64_t got;

		if (part > want - done)
			part = want - done;
		got = part;
		buf_catch_up(buf, i);
		n = buf_page_iov(buf, i, from, &got, iov, n, max);
		if (n < 0)
			return n;
		done += got;
		if (got < part)
			break;
	}
	*len = done;
	return n;
}

uint32_t buf_move_end(struct buf_budget *budget, uint32_t moved, uint32_t count,
		      unsigned int shift)
{
	uint32_t step = BUF_MOVE_STEP >> shift;

	if (count <= moved || count - moved <= step) {
		budget->work += step;
		return count;
	}
	/* As much as a turn has (CARD_RUN_PAGES) */
	budget->work += 2 * BUF_STEP;
	return moved + step;
}
