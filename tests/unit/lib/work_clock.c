// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A clock that moves with the work done. This file is compiled without the
 * instrumentation; the linker leads the calls listed in WORK_WRAP here.
 */
#include <malloc.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "env/reaper.h"
#include "work_clock.h"

/* The times of CLOCK_MONOTONIC and of CLOCK_REALTIME are large numbers */
#define WORK_START_NS 1000000000000ULL

static uint64_t work_time_ns;

uint64_t work_ns(void)
{
	return work_time_ns;
}

void work_sleep(uint64_t ns)
{
	work_time_ns += ns;
}

/* The compiler calls it at the start of each basic block */
void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	work_time_ns++;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t now_ns = WORK_START_NS + work_time_ns;

	ts->tv_sec = now_ns / 1000000000;
	ts->tv_nsec = now_ns % 1000000000;
	return 0;
}

/* A wait without events ends at once, and the clock shows that it ended */
int epoll_pwait2(int epfd, struct epoll_event *events, int max,
		 const struct timespec *timeout, const sigset_t *mask)
{
	int count = epoll_pwait(epfd, events, max, 0, mask);

	work_time_ns += WORK_CALL_NS;
	if (!count && timeout)
		work_time_ns += timeout->tv_sec * 1000000000ULL +
				timeout->tv_nsec;
	return count;
}

#define WORK_WRAPPED(type, name, params) \
	type __real_##name params;       \
	type __wrap_##name params;       \
	type __wrap_##name params

#define WORK_COPY(name, source)                                         \
	WORK_WRAPPED(void *, name, (void *to, source from, size_t len)) \
	{                                                               \
		work_time_ns += len / WORK_BYTES_PER_NS;                \
		return __real_##name(to, from, len);                    \
	}

WORK_COPY(memcpy, const void *)
WORK_COPY(memmove, const void *)
WORK_COPY(memset, int)

WORK_WRAPPED(unsigned long, crc32_z,
	     (unsigned long crc, const unsigned char *buf, size_t len))
{
	work_time_ns += len / WORK_BYTES_PER_NS;
	return __real_crc32_z(crc, buf, len);
}

#define WORK_HEAP(type, name, params, args)   \
	WORK_WRAPPED(type, name, params)      \
	{                                     \
		work_time_ns += WORK_HEAP_NS; \
		return __real_##name args;    \
	}

WORK_HEAP(void *, calloc, (size_t count, size_t size), (count, size))
WORK_HEAP(void *, malloc, (size_t size), (size))

/* The kernel works for each page that it gets back */
static void work_unmap(size_t len)
{
	work_time_ns += len / WORK_UNMAPPED_BYTES_PER_NS;
}

WORK_WRAPPED(void, free, (void *p))
{
	size_t len = malloc_usable_size(p);

	work_time_ns += WORK_HEAP_NS;
	if (len >= WORK_HEAP_MAPPED)
		work_unmap(len);
	__real_free(p);
}

#define WORK_CALL(type, name, params, args)  \
	WORK_WRAPPED(type, name, params)     \
	{                                    \
		work_time_ns += WORK_CALL_NS; \
		return __real_##name args;   \
	}

WORK_CALL(int, close, (int fd), (fd))
WORK_CALL(int, memfd_create, (const char *name, unsigned int flags),
	  (name, flags))
/* A mapping that mremap() has emptied, or NULL */
static void *work_moved;

WORK_WRAPPED(void *, mremap,
	     (void *addr, size_t len, size_t new_len, int flags, void *to))
{
	void *at = __real_mremap(addr, len, new_len, flags, to);

	work_time_ns += WORK_CALL_NS;
	if (at != MAP_FAILED && flags & MREMAP_DONTUNMAP)
		work_moved = addr;
	return at;
}

WORK_WRAPPED(void *, mmap,
	     (void *addr, size_t len, int prot, int flags, int fd,
	      off_t offset))
{
	work_time_ns += WORK_CALL_NS;
	if (flags & MAP_FIXED && addr != work_moved)
		work_unmap(len);
	work_moved = NULL;
	return __real_mmap(addr, len, prot, flags, fd, offset);
}

WORK_WRAPPED(int, munmap, (void *addr, size_t len))
{
	work_time_ns += WORK_CALL_NS;
	work_unmap(len);
	return __real_munmap(addr, len);
}

/* The work of another thread, which may have to be woken up */
WORK_WRAPPED(void, reaper_give,
	     (void *addr, size_t size, struct reap_count *count,
	      uint64_t units))
{
	uint64_t ns = work_time_ns;

	__real_reaper_give(addr, size, count, units);
	work_time_ns = ns + WORK_CALL_NS;
}

WORK_CALL(ssize_t, readv, (int fd, const struct iovec *iov, int count),
	  (fd, iov, count))
WORK_CALL(ssize_t, recvmsg, (int fd, struct msghdr *msg, int flags),
	  (fd, msg, flags))
WORK_CALL(ssize_t, send, (int fd, const void *buf, size_t len, int flags),
	  (fd, buf, len, flags))
WORK_CALL(ssize_t, sendmsg, (int fd, const struct msghdr *msg, int flags),
	  (fd, msg, flags))
WORK_CALL(ssize_t, writev, (int fd, const struct iovec *iov, int count),
	  (fd, iov, count))

WORK_WRAPPED(long, syscall, (long number, ...))
{
	long arg[6];
	va_list ap;
	int i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	work_time_ns += WORK_CALL_NS;
	return __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4],
			      arg[5]);
}
