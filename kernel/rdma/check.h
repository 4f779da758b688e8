/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Checks of what consumers request, which log why they refuse it. Not for the
 * data path.
 */
#ifndef ORNIC_RDMA_CHECK_H
#define ORNIC_RDMA_CHECK_H

#include <linux/types.h>

struct ib_device;

int ornic_check_range(const struct ib_device *ibdev, const char *what, u64 value, u64 min,
		      u64 max);
int ornic_check_flags(const struct ib_device *ibdev, const char *what, u64 flags, u64 known);
int ornic_check_reserved(const struct ib_device *ibdev, const char *what, const void *bytes,
			 size_t len);

#endif /* ORNIC_RDMA_CHECK_H */
