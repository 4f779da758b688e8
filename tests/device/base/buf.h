/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Buffers: struct ornic_buf of the hardware interface, resolved to host
 * pointers. Rings and memory regions consist of buffers. The index pages are
 * read once, at creation.
 */
#ifndef ORNIC_DEVICE_BUF_H
#define ORNIC_DEVICE_BUF_H

#include <ornic_hw.h>

#include "base/guest.h"

/* Limit for the pages of all buffers of a card: 32 GiB in 4 KiB pages */
#define BUF_PAGES_MAX (8u << 20)

/*
 * Pages that are processed in one step. A ring never has more; larger buffers
 * are read in several calls of card_run().
 */
#define BUF_STEP_SHIFT 12
#define BUF_STEP (1u << BUF_STEP_SHIFT)

/*
 * Pages of a large buffer that lose their pointers together when memory is
 * unmapped: what one access may cost then
 */
#define BUF_GROUP_SHIFT 7
#define BUF_GROUP (1u << BUF_GROUP_SHIFT)

/**
 * struct buf_budget - resources that all buffers of a card use
 * @pages: pages in use, at most BUF_PAGES_MAX
 * @work: pages processed so far, a measure of time spent
 * @leaving: arrays of pages that the reaper unmaps, in pages; at most as many as
 *	make 2 * BUF_PAGES_MAX with @pages
 */
struct buf_budget {
	uint32_t pages;
	uint64_t work;
	struct reap_count leaving;
};

/**
 * struct buf_page - one page
 * @host: host pointer; NULL when not looked up or not contiguous in host memory
 * @addr: bus address
 */
struct buf_page {
	char *host;
	gaddr_t addr;
};

/**
 * struct buf - a buffer
 * @page_shift: log2 of bytes per page
 * @dir: enum mem_dir bits
 * @guest: guest memory; NULL before initialisation
 * @seq: value of @guest->seq up to which all of @page is valid
 * @page: the pages, or NULL if @room is 1
 * @one: the page then. Up to its @host are the members that buf_slot() needs
 * @budget: budget that the pages count against
 * @group_seq: with a @room of more than BUF_STEP pages, behind them:
 *	by group of BUF_GROUP pages, what to add to @seq, which is the start value
 *	then; else NULL
 * @room: number of pages allocated
 * @npages: number of pages
 * @filled: pages whose address is known
 * @resolved: pages that were checked to be in reach
 * @list: bus address of the first page or of the page list
 * @levels: levels of the page list
 * @align: with levels 0: what the address of page 0 is a multiple of
 * @start: first used byte, from the start of page 0
 * @end: last used byte plus one, from the start of page 0
 * @lo: lowest bus address of any page
 * @hi: highest bus address of any page
 */
struct buf {
	unsigned int page_shift;
	unsigned int dir;
	struct guest *guest;
	uint64_t seq;
	struct buf_page *page;
	struct buf_page one;
	struct buf_budget *budget;
	uint64_t *group_seq;
	uint32_t room;
	uint32_t npages;
	uint32_t filled;
	uint32_t resolved;
	gaddr_t list;
	unsigned int levels;
	uint32_t align;
	uint64_t start;
	uint64_t end;
	gaddr_t lo;
	gaddr_t hi;
};

/* Page @i of a buffer */
static inline struct buf_page *buf_page(struct buf *buf, uint32_t i)
{
	return buf->page ? &buf->page[i] : &buf->one;
}

/**
 * buf_begin - check a description and allocate a buffer
 * @buf: to initialise
 * @guest: guest memory
 * @budget: budget to take the pages from
 * @desc: description from a command, copied from guest memory
 * @start: first used byte, from the start of page 0
 * @len: bytes used, not 0
 * @dir: enum mem_dir bits that will be needed
 *
 * Return: ORNIC_CMD_OK, BAD_PARAM or NO_RESOURCES. After ORNIC_CMD_OK,
 * buf_step() continues.
 */
enum ornic_cmd_status buf_begin(struct buf *buf, struct guest *guest,
				struct buf_budget *budget,
				const struct ornic_buf *desc, uint64_t start,
				uint64_t len, unsigned int dir);

/**
 * buf_step - read index pages and resolve, for up to BUF_STEP pages
 * @buf: from buf_begin(); the guest may unmap memory between two steps
 * @status: set when done: ORNIC_CMD_OK, BAD_PARAM or DMA_FAULT
 *
 * Return: true when done, false to call again.
 */
bool buf_step(struct buf *buf, enum ornic_cmd_status *status);

/**
 * buf_init - check the description of a ring, read its page list and resolve
 * @buf: to initialise
 * @guest: guest memory
 * @budget: budget to take the pages from
 * @desc: description from a command, copied from guest memory
 * @start: first used byte, from the start of page 0
 * @len: bytes used, not 0
 * @dir: enum mem_dir bits that will be needed
 *
 * All of the used part must be in reach now; it may become unreachable later.
 * Buffers that may have more levels, or more than BUF_STEP pages, use
 * buf_begin() and buf_step().
 *
 * Return: ORNIC_CMD_OK, BAD_PARAM (invalid values or too few pages), DMA_FAULT
 * or NO_RESOURCES.
 */
enum ornic_cmd_status buf_init(struct buf *buf, struct guest *guest,
			       struct buf_budget *budget,
			       const struct ornic_buf *desc, uint64_t start,
			       uint64_t len, unsigned int dir);

/**
 * buf_alloc - allocate pages that are described later
 * @buf: to initialise as an empty buffer
 * @guest: guest memory
 * @budget: budget to take the pages from
 * @room: number of pages
 *
 * Return: ORNIC_CMD_OK or NO_RESOURCES.
 */
enum ornic_cmd_status buf_alloc(struct buf *buf, struct guest *guest,
				struct buf_budget *budget, uint32_t room);

/**
 * buf_fill - second half of buf_init(): describe, read, resolve
 * @buf: from buf_alloc(); former pages are dropped
 * @desc: as for buf_init(), with at most the pages that buf_alloc() allocated
 * @start: as for buf_init()
 * @len: as for buf_init()
 * @dir: as for buf_init()
 *
 * Allocates nothing. A buffer must not be used after a failure.
 *
 * Return: ORNIC_CMD_OK, BAD_PARAM or DMA_FAULT.
 */
enum ornic_cmd_status buf_fill(struct buf *buf, const struct ornic_buf *desc,
			       uint64_t start, uint64_t len, unsigned int dir);

/**
 * buf_probe - check whether a buffer allows another direction
 * @buf: filled
 * @dir: enum mem_dir bits
 * @from: first page to check; on return, the next one
 *
 * Checks up to BUF_STEP pages. The check is complete when *@from reaches the
 * number of pages.
 *
 * Return: ORNIC_CMD_OK or DMA_FAULT.
 */
enum ornic_cmd_status buf_probe(struct buf *buf, unsigned int dir,
				uint32_t *from);

/**
 * buf_set_dir - change the direction of a buffer
 * @buf: filled
 * @dir: enum mem_dir bits that will be needed
 */
void buf_set_dir(struct buf *buf, unsigned int dir);

/**
 * buf_uninit - undo buf_init(), buf_begin() or buf_alloc()
 * @buf: initialised, or all zero
 */
void buf_uninit(struct buf *buf);

/**
 * buf_slow - slow path of buf_slot()
 * @buf: the buffer
 * @offset: as for buf_slot()
 * @len: as for buf_slot()
 *
 * Return: as for buf_slot().
 */
void *buf_slow(struct buf *buf, uint64_t offset, uint32_t len);

/**
 * buf_slot - get a host pointer to a ring entry
 * @buf: the ring
 * @offset: bytes from the start of page 0; the caller ensures that the entry is
 *	inside the used part
 * @len: bytes; the entry does not straddle a page
 *
 * Return: pointer that is valid until the caller returns to the event loop, or
 * NULL when the memory is out of reach. The caller then fails the queue.
 */
static inline void *buf_slot(struct buf *buf, uint64_t offset, uint32_t len)
{
	char *host = buf_page(buf, offset >> buf->page_shift)->host;

	if (__builtin_expect(buf->seq == buf->guest->seq && host, 1))
		return host + (offset & ((1ULL << buf->page_shift) - 1));
	return buf_slow(buf, offset, len);
}

/**
 * buf_iov - get host pointers to a part of a buffer
 * @buf: the buffer
 * @offset: bytes from the start of page 0; inside the used part, with @len
 * @len: bytes wanted, not 0; on return the bytes that @iov covers, fewer when
 *	@max pieces are not enough
 * @iov: filled in order, contiguous neighbours merged
 * @max: room in @iov, not 0
 *
 * Return: pieces filled, or -EFAULT when the memory is out of reach.
 */
int buf_iov(struct buf *buf, uint64_t offset, uint64_t *len, struct iovec *iov,
	    int max);

/**
 * buf_move_end - limit a step of a command that moves the entries of a ring, as each page
 *	of either ring may fault
 * @budget: its work grows; after a step that is not the last one the turn ends
 * @moved: entries that earlier steps have moved
 * @count: entries to move in all
 * @shift: log2 of the bytes of an entry
 *
 * Return: entries that have moved when the step ends, @count after the last one.
 */
uint32_t buf_move_end(struct buf_budget *budget, uint32_t moved, uint32_t count,
		      unsigned int shift);

#endif /* ORNIC_DEVICE_BUF_H */
