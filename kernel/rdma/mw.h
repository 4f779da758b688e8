/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory windows */
#ifndef ORNIC_RDMA_MW_H
#define ORNIC_RDMA_MW_H

#include <rdma/ib_verbs.h>

struct ornic_mw {
	struct ib_mw ibmw;
};

int ornic_ib_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int ornic_ib_dealloc_mw(struct ib_mw *ibmw);

#endif /* ORNIC_RDMA_MW_H */
