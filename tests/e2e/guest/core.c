// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: core DEVICE
 *
 * Asks the kernel for features that only newer RDMA cores have. Prints one line per answer: its
 * name, and the value, or the errno below 0.
 */
#include <stdio.h>

#include "uverbs.h"

/* The headers of the root tree are older than these */
#define CORE_SUPPORT_ROBUST_UDATA (1 << 1)	/* IB_UVERBS_CORE_SUPPORT_ROBUST_UDATA */
#define QUERY_PORT_SPEED 7			/* UVERBS_METHOD_QUERY_PORT_SPEED */
#define OBJECT_DMAH 17				/* UVERBS_OBJECT_DMAH */

/* Makes the context of fd, which has none */
static uint64_t core_support(int fd)
{
	struct ornic_alloc_ucontext_resp resp;
	uint64_t bits;
	const struct ib_uverbs_attr attrs[] = {
		{ .attr_id = UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, .len = sizeof(bits),
		  .data = (uintptr_t)&bits, .flags = UVERBS_ATTR_F_MANDATORY },
		/* The driver's request: 8 bytes of zeros are in the attribute itself */
		{ .attr_id = UVERBS_ATTR_UHW_IN, .len = sizeof(struct ornic_alloc_ucontext_req),
		  .flags = UVERBS_ATTR_F_MANDATORY },
		{ .attr_id = UVERBS_ATTR_UHW_OUT, .len = sizeof(resp), .data = (uintptr_t)&resp,
		  .flags = UVERBS_ATTR_F_MANDATORY },
	};
	int err = uverbs_ioctl(fd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, attrs, 3);

	if (err)
		die("GET_CONTEXT", err);
	return bits;
}

/* Return: units of 100 Mb/s, or the errno below 0 */
static int64_t port_speed(int fd)
{
	uint64_t speed = 0;
	const struct ib_uverbs_attr attrs[] = {
		{ .attr_id = 0, .len = 8, .data = 1, .flags = UVERBS_ATTR_F_MANDATORY },
		{ .attr_id = 1, .len = sizeof(speed), .data = (uintptr_t)&speed,
		  .flags = UVERBS_ATTR_F_MANDATORY },
	};
	int err = uverbs_ioctl(fd, UVERBS_OBJECT_DEVICE, QUERY_PORT_SPEED, attrs, 2);

	return err ? -err : (int64_t)speed;
}

static int64_t dma_handle(int fd)
{
	const struct ib_uverbs_attr attr = { .attr_id = 0, .flags = UVERBS_ATTR_F_MANDATORY };

	return -uverbs_ioctl(fd, OBJECT_DMAH, 0, &attr, 1);
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 2)
		die("usage: core DEVICE", 0);
	fd = uverbs_open(argv[1]);
	printf("robust_udata %d\n", !!(core_support(fd) & CORE_SUPPORT_ROBUST_UDATA));
	printf("port_speed %lld\n", (long long)port_speed(fd));
	printf("dma_handle %lld\n", (long long)dma_handle(fd));
	return 0;
}
