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
	/* A SEND without data */
	const struct ornic_sq_hdr wqe[ORNIC_SLOT_SIZE / sizeof(struct ornic_sq_hdr)] = {
		{ .ctrl = htole32(ORNIC_PREP(ORNIC_SQ_OPCODE, ORNIC_WR_SEND) |
				  ORNIC_PREP(ORNIC_SQ_FLAGS, ORNIC_SEND_SIGNALED)) },
	};
	struct ring_qp sender, receiver;
	struct ring_cq send_cq, recv_cq;
	struct ornic_cqe cqe;
	struct ring_srq srq;
	struct uverbs uv;
	uint8_t gid[16];
	uint32_t pd;

	if (argc != 3)
		die("usage: lost_srq DEVICE GID-INDEX", 0);
	uverbs_context(&uv, argv[1]);
	read_gid(argv[1], atoi(argv[2]), gid);
	pd = uverbs_pd(uv.fd);
	uverbs_cq(&uv, 16, &send_cq);
	uverbs_cq(&uv, 16, &recv_cq);
	uverbs_srq(&uv, pd, &srq);
	uverbs_rc_qp(&uv, pd, &send_cq, NULL, &sender);
	uverbs_rc_qp(&uv, pd, &recv_cq, &srq, &receiver);
	uverbs_connect(&sender, receiver.resp.qpn, gid, atoi(argv[2]));
	uverbs_connect(&receiver, sender.resp.qpn, gid, atoi(argv[2]));
	ring_publish(&srq.dbr->rq_pi, 1000);
	ring_post_send(&sender, wqe, 1);
	if (ring_poll(&send_cq, &cqe, WAIT_MS))
		printf("status %u\n", le32toh(cqe.status));
	say_events(uv.async_fd);
	return 0;
}
