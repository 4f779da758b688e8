// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: lost_srq DEVICE GID-INDEX
 *
 * Publishes more WQEs of an SRQ than it holds, and sends to a QP that needs one of them. Prints the
 * status that the sender gets, and the numbers of the asynchronous events (enum ib_event_type) in
 * ascending order.
 */
#include <endian.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "uverbs.h"

#define WAIT_MS 5000
#define QUIET_MS 500

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void say_events(int fd)
{
	struct ib_uverbs_async_event_desc event;
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	int types[16], count = 0, i;

	while (count < 16 && poll(&pollfd, 1, count ? QUIET_MS : WAIT_MS) == 1 &&
	       read(fd, &event, sizeof(event)) == sizeof(event))
		types[count++] = event.event_type;
	qsort(types, count, sizeof(types[0]), compare);
	for (i = 0; i < count; i++)
		printf("event %d\n", types[i]);
}

int main(int argc, char **argv)
{
	struct ornic_cqe cqe;
	struct srq_pair pair;

	if (argc != 3)
		die("usage: lost_srq DEVICE GID-INDEX", 0);
	uverbs_srq_pair(&pair, argv[1], atoi(argv[2]));
	ring_publish(&pair.srq.dbr->rq_pi, 1000);
	ring_post_empty_send(&pair.sender);
	if (ring_poll(&pair.send_cq, &cqe, WAIT_MS))
		printf("status %u\n", le32toh(cqe.status));
	say_events(pair.uv.async_fd);
	return 0;
}
