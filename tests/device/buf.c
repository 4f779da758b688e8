// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Buffers: reading the index pages, resolving the pages they list. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cmd.h"

#define BUF_SHIFT_MIN 12
#define BUF_SHIFT_MAX 31
#define BUF_LEVELS_MAX 3
#define BUF_INDEX_SHIFT 9	/* log2 of ORNIC_INDEX_ENTRIES */
#define BUF_INDEX_MASK ((1ULL << ORNIC_INDEX_PAGE_SHIFT) - 1)
/* Pieces of a page worth asking for, just to see that all of it is there. */
#define BUF_PROBE_PIECES 16

static uint64_t buf_page_size(const struct buf *buf)
{
	return 1ULL << buf->page_shift;
}

/* The last byte of a page */
static gaddr_t buf_last(const struct buf *buf, uint32_t i)
{
	return buf->page[i].addr + (buf_page_size(buf) - 1);
}

/* The part of a page that is used: page tables list whole pages, but what lies
 * around the first and last byte of an MR need not be mapped for the device.
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
	struct buf_page *page = &buf->page[i];
	uint64_t from, to;
	char *host;

	buf_used(buf, i, &from, &to);
	host = mem_ptr(buf->guest->mem, page->addr + from, to - from, buf->dir);
	page->host = host ? host - from : NULL;
}

static void buf_catch_up(struct buf *buf)
{
	struct guest *guest = buf->guest;
	uint32_t i;

	if (buf->seq == guest->seq)
		return;
	if (guest_lost(guest, buf->seq, buf->lo, buf->hi)) {
		for (i = 0; i < buf->npages; i++)
			if (guest_lost(guest, buf->seq, buf->page[i].addr,
				       buf_last(buf, i)))
				buf->page[i].host = NULL;
	}
	buf->seq = guest->seq;
}

static enum ornic_cmd_status buf_set_page(struct buf *buf, uint32_t i,
					  gaddr_t addr, uint64_t align)
{
	gaddr_t last = addr + (buf_page_size(buf) - 1);

	if (addr & (align - 1) || last < addr)
		return ORNIC_CMD_BAD_PARAM;
	buf->page[i].addr = addr;
	if (addr < buf->lo)
		buf->lo = addr;
	if (last > buf->hi)
		buf->hi = last;
	return ORNIC_CMD_OK;
}

/* Pages first to first + count - 1 are listed under the index at addr. */
static enum ornic_cmd_status buf_read_index(struct buf *buf, gaddr_t addr,
					    unsigned int level, uint32_t first,
					    uint32_t count)
{
	unsigned int shift = (level - 1) * BUF_INDEX_SHIFT;
	__le64 entry[ORNIC_INDEX_ENTRIES];
	enum ornic_cmd_status status;

	while (count) {
		uint32_t left = ((uint64_t)count + (1u << shift) - 1) >> shift;
		uint32_t n = left < ORNIC_INDEX_ENTRIES ? left :
							  ORNIC_INDEX_ENTRIES;
		uint32_t i;

		if (mem_read(buf->guest->mem, addr, entry, n * sizeof(*entry)))
			return ORNIC_CMD_DMA_FAULT;
		for (i = 0; i < n; i++) {
			gaddr_t next = le64toh(entry[i]);
			uint32_t pages = 1u << shift;

			if (pages > count)
				pages = count;
			if (level == 1)
				status = buf_set_page(buf, first, next,
						      buf_page_size(buf));
			else if (next & BUF_INDEX_MASK)
				status = ORNIC_CMD_BAD_PARAM;
			else
				status = buf_read_index(buf, next, level - 1,
							first, pages);
			if (status)
				return status;
			first += pages;
			count -= pages;
		}
		addr += n * sizeof(*entry);
	}
	return ORNIC_CMD_OK;
}

static enum ornic_cmd_status buf_read_pages(struct buf *buf, gaddr_t addr,
					    unsigned int levels)
{
	enum ornic_cmd_status status;
	uint32_t i;

	if (levels) {
		/* A list of page addresses may begin anywhere. */
		if (addr & (levels > 1 ? BUF_INDEX_MASK : 7))
			return ORNIC_CMD_BAD_PARAM;
		return buf_read_index(buf, addr, levels, 0, buf->npages);
	}
	for (i = 0; i < buf->npages; i++) {
		uint64_t offset = (uint64_t)i << buf->page_shift;

		if (addr + offset < addr)
			return ORNIC_CMD_BAD_PARAM;
		status = buf_set_page(buf, i, addr + offset,
				      1u << ORNIC_INDEX_PAGE_SHIFT);
		if (status)
			return status;
	}
	return ORNIC_CMD_OK;
}

static enum ornic_cmd_status buf_resolve_all(struct buf *buf)
{
	struct iovec iov[BUF_PROBE_PIECES];
	uint32_t i;

	for (i = 0; i < buf->npages; i++) {
		uint64_t from, to;

		buf_resolve(buf, i);
		if (buf->page[i].host)
			continue;
		buf_used(buf, i, &from, &to);
		if (mem_iov(buf->guest->mem, buf->page[i].addr + from,
			    to - from, buf->dir, iov, BUF_PROBE_PIECES) ==
		    -EFAULT)
			return ORNIC_CMD_DMA_FAULT;
	}
	return ORNIC_CMD_OK;
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
	/* Also refuses npages of 0, for len is not. */
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
	if (room > BUF_PAGES_MAX - budget->pages)
		return ORNIC_CMD_NO_RESOURCES;
	buf->page = calloc(room, sizeof(*buf->page));
	if (!buf->page)
		return ORNIC_CMD_NO_RESOURCES;
	budget->pages += room;
	buf->guest = guest;
	buf->budget = budget;
	buf->room = room;
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status buf_fill(struct buf *buf, const struct ornic_buf *desc,
			       uint64_t start, uint64_t len, unsigned int dir)
{
	enum ornic_cmd_status status;

	if (!buf_desc_valid(desc, start, len) ||
	    buf_pages_used(desc, start, len) > buf->room)
		return ORNIC_CMD_BAD_PARAM;
	buf->seq = buf->guest->seq;
	buf->dir = dir;
	buf->page_shift = desc->page_shift;
	buf->npages = buf_pages_used(desc, start, len);
	buf->start = start;
	buf->end = start + len;
	buf->lo = UINT64_MAX;
	buf->hi = 0;
	status = buf_read_pages(buf, le64toh(desc->addr), desc->levels);
	return status ? status : buf_resolve_all(buf);
}

enum ornic_cmd_status buf_init(struct buf *buf, struct guest *guest,
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
	status = buf_fill(buf, desc, start, len, dir);
	if (status)
		buf_uninit(buf);
	return status;
}

enum ornic_cmd_status buf_set_dir(struct buf *buf, unsigned int dir)
{
	enum ornic_cmd_status status;
	unsigned int old = buf->dir;

	buf->dir = dir;
	status = buf_resolve_all(buf);
	if (!status)
		return ORNIC_CMD_OK;
	/* What is not in reach for this either is looked up when it is used. */
	buf->dir = old;
	buf_resolve_all(buf);
	return status;
}

void buf_uninit(struct buf *buf)
{
	if (!buf->guest)
		return;
	buf->budget->pages -= buf->room;
	free(buf->page);
	memset(buf, 0, sizeof(*buf));
}

void *buf_slow(struct buf *buf, uint64_t offset, uint32_t len)
{
	uint32_t i = offset >> buf->page_shift;
	struct buf_page *page = &buf->page[i];

	buf_catch_up(buf);
	offset &= buf_page_size(buf) - 1;
	if (!page->host)
		buf_resolve(buf, i);
	if (page->host)
		return page->host + offset;
	/* A large page that is in pieces here */
	return mem_ptr(buf->guest->mem, page->addr + offset, len, buf->dir);
}

/* As buf_iov(), for what is in one page; appends to iov[0..n). */
static int buf_page_iov(struct buf *buf, uint32_t i, uint64_t offset,
			uint64_t *len, struct iovec *iov, int n, int max)
{
	struct buf_page *page = &buf->page[i];
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
	/* In pieces here: fewer bytes until the pieces fit. */
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

	buf_catch_up(buf);
	while (done < want) {
		uint32_t i = (offset + done) >> buf->page_shift;
		uint64_t from = (offset + done) & (buf_page_size(buf) - 1);
		uint64_t part = buf_page_size(buf) - from;
		uint64_t got;

		if (part > want - done)
			part = want - done;
		got = part;
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
