// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A process that removes the sockets at the end */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/sock.h"
#include "process/remover.h"

/* Longer than removing takes, and short for a user who waits for the end */
#define FINISH_MS 5000

static void __attribute__((noreturn)) remove_all(int fd,
			  const char *const *path,
			  unsigned int count)
{
	unsigned int i;
	char byte;

	/* A listener that is open here would outlive the program */
	if (dup2(fd, 0) || close_range(1, ~0U, 0))
		_exit(1);
	/*
	 * Without the byte the program was killed, and may run again already. The path of
	 * a card that was removed may have another owner now.
	 */
	if (read(0, &byte, 1) == 1)
		for (i = 0; i < count; i++)
			sock_remove(path[i]);
	_exit(0);
}

int remover_start(const char *const *path, unsigned int count)
{
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	/* The kernel reaps the process */
	signal(SIGCHLD, SIG_IGN);
	switch (fork()) {
	case 0:
		remove_all(pair[1], path, count);
	case -1:
		err = -errno;
		close(pair[0]);
		close(pair[1]);
		return err;
	default:
		close(pair[1]);
		return pair[0];
	}
}

void remover_finish(int fd)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };

	/* It closes its end when everything is removed */
	if (send(fd, "", 1, MSG_NOSIGNAL) == 1)
		poll(&end, 1, FINISH_MS);
	close(fd);
}
