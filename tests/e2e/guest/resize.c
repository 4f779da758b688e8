// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: resize DEVICE GID-INDEX
 *
 * Resizes a CQ and an SRQ in ways that no library would, also without room for the response. Prints
 * one line per attempt, see say(). Then a message goes through both, in the rings that they were
 * created with: its status is the last line.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "uverbs.h"

#define WAIT_MS 5000
#define PAGE 4096
#define SRQ_MAX_WR (1 << 0)	/* IB_SRQ_MAX_WR */
#define SRQ_LIMIT (1 << 1)	/* IB_SRQ_LIMIT */
#define NOTHING 12345		/* handle of no object */

/* Return: the end of the writable memory */
static uint8_t *end_of_memory(void)
{
	uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE))
		die("mprotect", errno);
	return pages + PAGE;
}

/* response: the response of the verb, followed by that of the driver */
static int resize_cq(int fd, uint32_t handle, uint32_t cqe, void *response)
{
	const struct ib_uverbs_resize_cq cmd = { .cq_handle = handle, .cqe = cqe };

	return uverbs_write_to(fd, IB_USER_VERBS_CMD_RESIZE_CQ, &cmd, sizeof(cmd), response,
			       sizeof(struct ib_uverbs_resize_cq_resp) +
			       sizeof(struct ornic_resize_resp), NULL);
}

static int resize_srq(int fd, uint32_t handle, uint32_t max_wr, void *resp, uint16_t len)
{
	const struct ib_uverbs_attr attrs[] = {
		{ .attr_id = ORNIC_ATTR_SRQ_RESIZE_HANDLE, .data = handle,
		  .flags = UVERBS_ATTR_F_MANDATORY },
		{ .attr_id = ORNIC_ATTR_SRQ_RESIZE_MAX_WR, .len = 4, .data = max_wr,
		  .flags = UVERBS_ATTR_F_MANDATORY },
		{ .attr_id = ORNIC_ATTR_SRQ_RESIZE_RESP, .len = len, .data = (uintptr_t)resp,
		  .flags = UVERBS_ATTR_F_MANDATORY },
	};

	return uverbs_ioctl(fd, UVERBS_OBJECT_SRQ, ORNIC_METHOD_SRQ_RESIZE, attrs, 3);
}

static int modify_srq(int fd, uint32_t handle, uint32_t mask, const struct udata *udata)
{
	const struct ib_uverbs_modify_srq cmd = {
		.srq_handle = handle, .attr_mask = mask, .max_wr = 64, .srq_limit = 1,
	};

	return uverbs_write(fd, IB_USER_VERBS_CMD_MODIFY_SRQ, &cmd, sizeof(cmd), NULL, 0, udata);
}

static void refusals(int fd, const struct ring_cq *cq, const struct ring_srq *srq)
{
	uint8_t *end = end_of_memory(), room[64] = {};
	uint64_t address = (uintptr_t)room;
	const struct udata udata = { &address, sizeof(address), 0 };
	const uint16_t len = sizeof(struct ornic_resize_resp);

	say("cq", "no room for the driver's answer", EFAULT,
	    resize_cq(fd, cq->handle, 64, end - sizeof(struct ib_uverbs_resize_cq_resp)));
	say("srq", "no room for the answer", EFAULT, resize_srq(fd, srq->handle, 64, end, len));
	say("srq", "answer cut by 8 bytes", EINVAL, resize_srq(fd, srq->handle, 64, room, len - 8));
	say("srq", "no such SRQ", ENOENT, resize_srq(fd, NOTHING, 64, room, len));
	say("srq", "no receives", EINVAL, resize_srq(fd, srq->handle, 0, room, len));
	say("srq", "4 billion receives", EINVAL, resize_srq(fd, srq->handle, ~0u, room, len));
	say("srq", "by modify_srq", EOPNOTSUPP, modify_srq(fd, srq->handle, SRQ_MAX_WR, NULL));
	say("srq", "by modify_srq with a limit", EOPNOTSUPP,
	    modify_srq(fd, srq->handle, SRQ_MAX_WR | SRQ_LIMIT, NULL));
	say("srq", "by modify_srq with an address", EOPNOTSUPP,
	    modify_srq(fd, srq->handle, SRQ_MAX_WR, &udata));
	say("srq", "unknown attribute", EOPNOTSUPP, modify_srq(fd, srq->handle, 1 << 2, NULL));
	say("srq", "limit", 0, modify_srq(fd, srq->handle, SRQ_LIMIT, NULL));
}

static void post_nothing(struct ring_srq *srq)
{
	const struct ornic_rq_hdr hdr = {};

	memcpy(srq->ring, &hdr, sizeof(hdr));
	ring_publish(&srq->dbr->rq_pi, 1);
}

int main(int argc, char **argv)
{
	struct ornic_cqe cqe;
	struct srq_pair pair;

	if (argc != 3)
		die("usage: resize DEVICE GID-INDEX", 0);
	uverbs_srq_pair(&pair, argv[1], atoi(argv[2]));
	refusals(pair.uv.fd, &pair.recv_cq, &pair.srq);
	post_nothing(&pair.srq);
	ring_post_empty_send(&pair.sender);
	if (!ring_poll(&pair.recv_cq, &cqe, WAIT_MS))
		die("no completion in the ring of the CQ", 0);
	say("message", "status", 0, le32toh(cqe.status));
	return 0;
}
