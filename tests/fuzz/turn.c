// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Work of a card in one call, and what it writes to memory */
#include <stdio.h>
#include <stdlib.h>

#include "defined.h"
#include "turn.h"

#define PAGE 4096

static uint64_t work;

/* The linker has named them */
int __real_mem_read(struct mem *mem, gaddr_t addr, void *buf, uint64_t len);
int __wrap_mem_read(struct mem *mem, gaddr_t addr, void *buf, uint64_t len);
int __real_mem_write(struct mem *mem, gaddr_t addr, const void *buf,
		     uint64_t len);
int __wrap_mem_write(struct mem *mem, gaddr_t addr, const void *buf,
		     uint64_t len);
void *__real_mem_ptr(struct mem *mem, gaddr_t addr, uint64_t len,
		     unsigned int dir);
void *__wrap_mem_ptr(struct mem *mem, gaddr_t addr, uint64_t len,
		     unsigned int dir);
int __real_mem_iov(struct mem *mem, gaddr_t addr, uint64_t len,
		   unsigned int dir, struct iovec *iov, int max);
int __wrap_mem_iov(struct mem *mem, gaddr_t addr, uint64_t len,
		   unsigned int dir, struct iovec *iov, int max);
bool __real_card_run(struct card *card);
bool __wrap_card_run(struct card *card);
bool __real_card_bar_write(struct card *card, unsigned int bar, uint64_t offset,
			  unsigned int size, uint64_t val);
bool __wrap_card_bar_write(struct card *card, unsigned int bar, uint64_t offset,
			  unsigned int size, uint64_t val);

int __wrap_mem_read(struct mem *mem, gaddr_t addr, void *buf, uint64_t len)
{
	work += 1 + len / PAGE;
	return __real_mem_read(mem, addr, buf, len);
}

int __wrap_mem_write(struct mem *mem, gaddr_t addr, const void *buf,
		     uint64_t len)
{
	work += 1 + len / PAGE;
	/* Here, because the memory may be overwritten or gone at the end */
	check_defined(buf, len);
	return __real_mem_write(mem, addr, buf, len);
}

void *__wrap_mem_ptr(struct mem *mem, gaddr_t addr, uint64_t len,
		     unsigned int dir)
{
	work++;
	return __real_mem_ptr(mem, addr, len, dir);
}

int __wrap_mem_iov(struct mem *mem, gaddr_t addr, uint64_t len,
		   unsigned int dir, struct iovec *iov, int max)
{
	work++;
	return __real_mem_iov(mem, addr, len, dir, iov, max);
}

static void turn_check(const char *what, uint64_t limit)
{
	if (work <= limit)
		return;
	fprintf(stderr, "%s: work of %llu, at most %llu is allowed\n", what,
		(unsigned long long)work, (unsigned long long)limit);
	abort();
}

bool __wrap_card_run(struct card *card)
{
	bool any;

	work = 0;
	any = __real_card_run(card);
	turn_check("card_run()", TURN_RUN_MAX);
	return any;
}

bool __wrap_card_bar_write(struct card *card, unsigned int bar, uint64_t offset,
			  unsigned int size, uint64_t val)
{
	bool reset;

	work = 0;
	reset = __real_card_bar_write(card, bar, offset, size, val);
	/* A reset has a cost of its own (VFIO_USER_COST_RESET) */
	if (!reset)
		turn_check("a register or doorbell", TURN_BAR_MAX);
	return reset;
}
