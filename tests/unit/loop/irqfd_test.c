// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Eventfds of clients: validation, and signalling that never blocks */
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/irqfd.h"
#include "unit.h"

static int setup(void **state)
{
	struct irqfd *irqfd = malloc(sizeof(*irqfd));

	assert_non_null(irqfd);
	assert_int_equal(irqfd_init(irqfd), 0);
	*state = irqfd;
	return 0;
}

static int teardown(void **state)
{
	irqfd_uninit(*state);
	free(*state);
	return 0;
}

static uint64_t take(int fd)
{
	uint64_t count = 0;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

TEST(test_eventfds_and_others, struct irqfd *irqfd, IN_OWN)
{
	int fd = eventfd(0, EFD_NONBLOCK), semaphore, pipes[2], sockets[2];
	int memory = memfd_create("anon_inode:[eventfd]", 0);

	semaphore = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	assert_true(irqfd_valid(irqfd, fd));
	assert_true(irqfd_valid(irqfd, semaphore));
	assert_false(irqfd_valid(irqfd, pipes[0]));
	assert_false(irqfd_valid(irqfd, pipes[1]));
	assert_false(irqfd_valid(irqfd, sockets[0]));
	assert_false(irqfd_valid(irqfd, memory));
	/* Validation does not signal the eventfd */
	assert_int_equal(take(fd), 0);
	assert_int_equal(take(semaphore), 0);
	close(fd);
	close(semaphore);
	close(memory);
	close(pipes[0]);
	close(pipes[1]);
	close(sockets[0]);
	close(sockets[1]);
}

/* Signal more often than the AIO context has requests */
TEST(test_each_firing_counts_one, struct irqfd *irqfd, IN_OWN)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	unsigned int i;

	for (i = 0; i < 1000; i++)
		assert_int_equal(irqfd_fire(irqfd, fd), 0);
	assert_int_equal(take(fd), 1000);
	close(fd);
}

/* A write(2) to this eventfd would block for ever */
TEST(test_full_blocking_eventfd, struct irqfd *irqfd, IN_OWN)
{
	uint64_t full = UINT64_MAX - 1;
	int fd = eventfd(0, 0);
	unsigned int i;

	assert_int_equal(write(fd, &full, sizeof(full)), sizeof(full));
	assert_true(irqfd_valid(irqfd, fd));
	for (i = 0; i < 1000; i++)
		assert_int_equal(irqfd_fire(irqfd, fd), 0);
	/* The eventfd belongs to the client, so its flags are unchanged */
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	close(fd);
}

TEST_MAIN("irqfd")
