// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: doorbell DEVICE QPN COUNT
 *
 * Rings doorbells in the page of this process: COUNT times for a QP of another process, with an
 * index that is invalid there; COUNT times for an EQ; and COUNT times with an undefined type.
 */
#include <stdlib.h>
#include <unistd.h>

#include "uverbs.h"

int main(int argc, char **argv)
{
	struct uverbs uv;
	uint32_t qpn;
	int i, count;

	if (argc != 4)
		die("usage: doorbell DEVICE QPN COUNT", 0);
	qpn = strtoul(argv[2], NULL, 0);
	count = atoi(argv[3]);
	uverbs_context(&uv, argv[1]);
	for (i = 0; i < count; i++) {
		ring_doorbell(&uv, ORNIC_DB_SQ, qpn, 0xdead0000u + i);
		ring_doorbell(&uv, ORNIC_DB_EQ, 0, ORNIC_ARM_NEXT);
		ring_doorbell(&uv, 77, qpn, 0);
	}
	/* Posted writes: the page must still be there when they arrive */
	sleep(1);
	return 0;
}
