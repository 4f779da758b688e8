// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: clock DEVICE PTP-DEVICE SECONDS SLACK-NS
 *
 * Reads the counter of the card between two readings of the PTP clock, translates it by the clock
 * page, and checks that the result lies between these readings, with a tolerance of SLACK-NS.
 * Before that, tries what a process must not do with the page. Prints one line per attempt; the
 * last line has the number of readings, and how often the page had to be read again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "uverbs.h"

#define NS 1000000000ll
/* Clock ID of a file descriptor, as the kernel defines it */
#define CLOCK_OF_FD(fd) ((~(clockid_t)(fd) << 3) | 3)

static int64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		die("clock_gettime", errno);
	return ts.tv_sec * NS + ts.tv_nsec;
}

static uint64_t counter(int fd)
{
	RESPONSE(ib_uverbs_ex_query_device_resp, ornic_query_device_resp) out = {};
	struct ib_uverbs_ex_query_device cmd = {};
	struct udata udata = { .out_len = sizeof(out.driver) };
	int err;

	err = uverbs_write_ex(fd, IB_USER_VERBS_EX_CMD_QUERY_DEVICE, &cmd, sizeof(cmd), &out,
			      sizeof(out.core), &udata);
	if (err)
		die("EX_QUERY_DEVICE", err);
	return out.driver.clock;
}

/* Return: how often the page had to be read again */
static unsigned int read_page(const struct ornic_clock_info *page, struct ornic_clock_info *copy)
{
	const _Atomic uint32_t *sign = (const _Atomic uint32_t *)&page->sign;
	unsigned int again = 0;
	uint32_t before;

	for (;; again++) {
		before = atomic_load(sign);
		*copy = *(const volatile struct ornic_clock_info *)page;
		atomic_thread_fence(memory_order_seq_cst);
		if (!(before & 1) && before == atomic_load(sign))
			return again;
	}
}

static int64_t translate(const struct ornic_clock_info *page, uint64_t timestamp)
{
	int64_t delta = timestamp - page->cycles;

	return page->nsec + ((int64_t)(delta * page->mult + page->frac) >> page->shift);
}

static void try_to_write(const struct uverbs *uv, void *page)
{
	void *at = mmap(NULL, uv->resp.clock.length, PROT_READ | PROT_WRITE, MAP_SHARED, uv->fd,
			uv->resp.clock.offset);

	printf("map for writing: %d\n", at == MAP_FAILED ? errno : 0);
	printf("mprotect for writing: %d\n",
	       mprotect(page, uv->resp.clock.length, PROT_READ | PROT_WRITE) ? errno : 0);
}

int main(int argc, char **argv)
{
	unsigned long long looks = 0, changes = 0;
	struct ornic_clock_info page;
	int64_t before, then, after, end, slack;
	struct uverbs uv;
	clockid_t ptp;
	uint64_t stamp;
	void *mapped;
	int fd;

	if (argc != 5)
		die("usage: clock DEVICE PTP-DEVICE SECONDS SLACK-NS", 0);
	uverbs_context(&uv, argv[1]);
	if (!(uv.resp.caps & ORNIC_UCONTEXT_CAP_CLOCK))
		die("no clock page", 0);
	mapped = uverbs_map(uv.fd, uv.resp.clock.length, PROT_READ, uv.resp.clock.offset);
	try_to_write(&uv, mapped);
	fd = open(argv[2], O_RDONLY);
	if (fd < 0)
		die(argv[2], errno);
	ptp = CLOCK_OF_FD(fd);
	slack = atoll(argv[4]);
	end = now_ns(CLOCK_MONOTONIC) + atoll(argv[3]) * NS;
	do {
		before = now_ns(ptp);
		stamp = counter(uv.fd);
		after = now_ns(ptp);
		changes += read_page(mapped, &page);
		then = translate(&page, stamp);
		if (then < before - slack || then > after + slack) {
			printf("wrong: %lld, not within %lld and %lld\n", (long long)then,
			       (long long)before, (long long)after);
			return 1;
		}
		looks++;
	} while (now_ns(CLOCK_MONOTONIC) < end);
	printf("looks: %llu, changes: %llu\n", looks, changes);
	return 0;
}
