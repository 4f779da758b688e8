/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Buffers: struct ornic_buf of the hardware interface, resolved. Rings and
 * memory regions are made of them. The index pages are read once, at creation.
 */
#ifndef ORNIC_DEVICE_BUF_H
#define ORNIC_DEVICE_BUF_H

#include <ornic_hw.h>

#include "guest.h"

/* Pages that all buffers of a card may have together: 32 GiB in 4 KiB pages. */
#define BUF_PAGES_MAX (8u << 20)

/*
 * Pages that are looked at without a pause. Rings have no more; larger buffers
 * are read in several turns of the card.
 */
#define BUF_STEP_SHIFT 12
#define BUF_STEP (1u << BUF_STEP_SHIFT)

/**
 * struct buf_budget - what all buffers of a card take together
 * @pages: in use, at most BUF_PAGES_MAX
 * @work: pages looked at so far: each takes time
 */
struct buf_budget {
	uint32_t pages;
	uint64_t work;
};

/**
 * struct buf_page - one page
 * @addr: bus address
 * @host: where it is here, or NULL when to be looked up, or not contiguous here
 */
struct buf_page {
	gaddr_t addr;
	char *host;
};

/**
 * struct buf - a buffer
 * @guest: whose memory; NULL when never initialised
 * @budget: where the pages were taken from
 * @seq: of @guest, up to which all of @page is known to be good
 * @step_seq: the same for each BUF_STEP pages, where there are more; @seq stays
 *	as it was at creation then
 * @dir: enum mem_dir bits
 * @page_shift: log2 of bytes per page
 * @room: pages there is room for
 * @npages: number of pages
 * @filled: pages whose address is known
 * @resolved: pages found to be in reach
 * @list: bus address of the pages' description
 * @levels: of it
 * @start: first byte that is used, from the start of page 0
 * @end: last byte that is used, plus one, from the start of page 0
 * @lo: lowest bus address of any page
 * @hi: highest bus address of any page
 * @page: the pages
 */
struct buf {
	struct guest *guest;
	struct buf_budget *budget;
	uint64_t seq;
	uint64_t *step_seq;
	unsigned int dir;
	unsigned int page_shift;
	uint32_t room;
	uint32_t npages;
	uint32_t filled;
	uint32_t resolved;
	gaddr_t list;
	unsigned int levels;
	uint64_t start;
	uint64_t end;
	gaddr_t lo;
	gaddr_t hi;
	struct buf_page *page;
};

/**
 * buf_begin - check a description and make room
 * @buf: to initialise
 * @guest: guest memory
 * @budget: where to take the pages from
 * @desc: as it came with a command, copied from guest memory
 * @start: first byte that will be used, from the start of page 0
 * @len: bytes that will be used, not 0
 * @dir: enum mem_dir bits that will be needed
 *
 * Return: ORNIC_CMD_OK: go on with buf_step(); BAD_PARAM or NO_RESOURCES.
 */
enum ornic_cmd_status buf_begin(struct buf *buf, struct guest *guest,
				struct buf_budget *budget,
				const struct ornic_buf *desc, uint64_t start,
				uint64_t len, unsigned int dir);

/**
 * buf_step - read index pages and resolve, for BUF_STEP pages
 * @buf: from buf_begin(); the guest may unmap memory between two steps
 * @status: when done: ORNIC_CMD_OK, BAD_PARAM or DMA_FAULT
 *
 * Return: whether it is done. If not, call again.
 */
bool buf_step(struct buf *buf, enum ornic_cmd_status *status);

/**
 * buf_init - check a description, read its index pages, resolve
 * @buf: to initialise
 * @guest: guest memory
 * @budget: where to take the pages from
 * @desc: as it came with a command, copied from guest memory
 * @start: first byte that will be used, from the start of page 0
 * @len: bytes that will be used, not 0
 * @dir: enum mem_dir bits that will be needed
 *
 * All of the used part must be in reach now; it may go away later. For rings;
 * what may have more than BUF_STEP pages is made by buf_begin() and buf_step().
 *
 * Return: ORNIC_CMD_OK, BAD_PARAM (odd values, or too few pages), DMA_FAULT or
 * NO_RESOURCES.
 */
enum ornic_cmd_status buf_init(struct buf *buf, struct guest *guest,
			       struct buf_budget *budget,
			       const struct ornic_buf *desc, uint64_t start,
			       uint64_t len, unsigned int dir);

/**
 * buf_alloc - make room for pages that are described later
 * @buf: to initialise; empty
 * @guest: guest memory
 * @budget: where to take the pages from
 * @room: pages at most
 *
 * Return: ORNIC_CMD_OK or NO_RESOURCES.
 */
enum ornic_cmd_status buf_alloc(struct buf *buf, struct guest *guest,
				struct buf_budget *budget, uint32_t room);

/**
 * buf_fill - the second half of buf_init(): describe, read, resolve
 * @buf: from buf_alloc(); what it held is forgotten
 * @desc: as buf_init(), and no more pages than there is room for
 * @start: as buf_init()
 * @len: as buf_init()
 * @dir: as buf_init()
 *
 * Allocates nothing. A buffer that could not be filled must not be used.
 *
 * Return: ORNIC_CMD_OK, BAD_PARAM or DMA_FAULT.
 */
enum ornic_cmd_status buf_fill(struct buf *buf, const struct ornic_buf *desc,
			       uint64_t start, uint64_t len, unsigned int dir);

/**
 * buf_probe - could something else be done with a buffer
 * @buf: filled
 * @dir: enum mem_dir bits
 * @from: page to begin with; on return, where to go on
 *
 * Looks at BUF_STEP pages; all of them are when *@from is the number of pages.
 *
 * Return: ORNIC_CMD_OK or DMA_FAULT.
 */
enum ornic_cmd_status buf_probe(struct buf *buf, unsigned int dir,
				uint32_t *from);

/**
 * buf_set_dir - change what will be done with a buffer
 * @buf: filled
 * @dir: enum mem_dir bits that will be needed
 */
void buf_set_dir(struct buf *buf, unsigned int dir);

/**
 * buf_uninit - end of buf_init(), buf_begin() and buf_alloc()
 * @buf: initialised, or all zero
 */
void buf_uninit(struct buf *buf);

/**
 * buf_slow - the slow half of buf_slot()
 * @buf: the buffer
 * @offset: as buf_slot()
 * @len: as buf_slot()
 *
 * Return: as buf_slot().
 */
void *buf_slow(struct buf *buf, uint64_t offset, uint32_t len);

/**
 * buf_slot - host pointer to an entry of a ring
 * @buf: the ring
 * @offset: bytes from the start of page 0; the caller knows that the entry is
 *	inside the used part
 * @len: bytes; the entry does not straddle a page
 *
 * Return: pointer that is good until the caller returns to the event loop, or
 * NULL when the guest took the memory away: fail the queue.
 */
static inline void *buf_slot(struct buf *buf, uint64_t offset, uint32_t len)
{
	char *host = buf->page[offset >> buf->page_shift].host;

	if (__builtin_expect(buf->seq == buf->guest->seq && host, 1))
		return host + (offset & ((1ULL << buf->page_shift) - 1));
	return buf_slow(buf, offset, len);
}

/**
 * buf_iov - host pointers to a part of a buffer
 * @buf: the buffer
 * @offset: bytes from the start of page 0; inside the used part, with @len
 * @len: bytes wanted, not 0; on return those that @iov covers, fewer when @max
 *	pieces do not reach
 * @iov: filled in order, contiguous neighbours merged
 * @max: room in @iov, not 0
 *
 * Return: pieces filled, or -EFAULT.
 */
int buf_iov(struct buf *buf, uint64_t offset, uint64_t *len, struct iovec *iov,
	    int max);

#endif /* ORNIC_DEVICE_BUF_H */
