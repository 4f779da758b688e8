// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Interrupts: signal eventfds through completions of AIO requests */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "loop/irqfd.h"

/* Requests that fit in the context, and completed ones that are reaped at once */
#define IRQFD_REQUESTS 128
#define IRQFD_REAP (IRQFD_REQUESTS / 2)

int irqfd_init(struct irqfd *irqfd)
{
	int err;

	memset(irqfd, 0, sizeof(*irqfd));
	if (pipe2(irqfd->pipe, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	if (syscall(SYS_io_setup, IRQFD_REQUESTS, &irqfd->ctx)) {
		err = -errno;
		close(irqfd->pipe[0]);
		close(irqfd->pipe[1]);
		return err;
	}
	return 0;
}

void irqfd_uninit(struct irqfd *irqfd)
{
	syscall(SYS_io_destroy, irqfd->ctx);
	close(irqfd->pipe[0]);
	close(irqfd->pipe[1]);
}

/* Submit a read of no bytes from one end of the pipe */
static int irqfd_submit(struct irqfd *irqfd, int from, int fd)
{
	struct iocb iocb = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = from,
		.aio_flags = IOCB_FLAG_RESFD,
		.aio_resfd = fd,
	};
	struct iocb *list = &iocb;

	return syscall(SYS_io_submit, irqfd->ctx, 1L, &list) == 1 ? 0 : -errno;
}

static void irqfd_reap(struct irqfd *irqfd)
{
	struct io_event event[IRQFD_REQUESTS];
	struct timespec now = { 0 };

	syscall(SYS_io_getevents, irqfd->ctx, 0L, (long)IRQFD_REQUESTS, event,
		&now);
	irqfd->pending = 0;
}

bool irqfd_valid(struct irqfd *irqfd, int fd)
{
	/*
	 * The kernel checks the eventfd first (EINVAL), then the direction of
	 * the file. A write end cannot be read (EBADF), so nothing is fired.
	 */
	return irqfd_submit(irqfd, irqfd->pipe[1], fd) == -EBADF;
}

int irqfd_fire(struct irqfd *irqfd, int fd)
{
	if (irqfd->pending == IRQFD_REAP)
		irqfd_reap(irqfd);
	irqfd->pending++;
	return irqfd_submit(irqfd, irqfd->pipe[0], fd);
}
