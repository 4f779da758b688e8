/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Management datagrams that the driver answers */
#ifndef ORNIC_RDMA_MAD_H
#define ORNIC_RDMA_MAD_H

#include <linux/types.h>

struct ib_device;
struct ib_grh;
struct ib_mad;
struct ib_wc;

int ornic_ib_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
			 const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
			 size_t *out_size, u16 *out_pkey_index);

#endif /* ORNIC_RDMA_MAD_H */
