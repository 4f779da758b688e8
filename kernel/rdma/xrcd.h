/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* XRC domains */
#ifndef ORNIC_RDMA_XRCD_H
#define ORNIC_RDMA_XRCD_H

#include <rdma/ib_verbs.h>

struct ornic_xrcd {
	struct ib_xrcd ibxrcd;
	u32 xrcdn;
};

static inline struct ornic_xrcd *to_ornic_xrcd(struct ib_xrcd *ibxrcd)
{
	return container_of(ibxrcd, struct ornic_xrcd, ibxrcd);
}

int ornic_ib_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);
int ornic_ib_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);

#endif /* ORNIC_RDMA_XRCD_H */
