// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The program without real time */
#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "loop/irqfd.h"
#include "loop/loop.h"
#include "still.h"

/* The Makefile has loop.c and client.c call these */
unsigned int still_alarm(unsigned int seconds);
int still_gettime(clockid_t id, struct timespec *ts);
int still_wait(int epfd, struct epoll_event *events, int max,
	       const struct timespec *timeout, const sigset_t *mask);
/* The linker has named them */
int __real_irqfd_init(struct irqfd *irqfd);
int __wrap_irqfd_init(struct irqfd *irqfd);
void __wrap_irqfd_uninit(struct irqfd *irqfd);

static uint64_t now_ns;

void still_begin(void)
{
	now_ns = 1000000000;
}

unsigned int still_alarm(unsigned int seconds)
{
	(void)seconds;
	return 0;
}

int still_gettime(clockid_t id, struct timespec *ts)
{
	(void)id;
	now_ns += STILL_STEP_NS;
	ts->tv_sec = now_ns / 1000000000;
	ts->tv_nsec = now_ns % 1000000000;
	return 0;
}

int still_wait(int epfd, struct epoll_event *events, int max,
	       const struct timespec *timeout, const sigset_t *mask)
{
	static const struct timespec zero;

	/* Sleep by advancing the clock */
	if (timeout)
		now_ns += (uint64_t)timeout->tv_sec * 1000000000 +
			  timeout->tv_nsec;
	return epoll_pwait2(epfd, events, max, &zero, mask);
}

int __wrap_irqfd_init(struct irqfd *irqfd)
{
	static struct irqfd shared;
	int err = 0;

	if (!shared.ctx)
		err = __real_irqfd_init(&shared);
	*irqfd = shared;
	return err;
}

void __wrap_irqfd_uninit(struct irqfd *irqfd)
{
	(void)irqfd;
}
