/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Protection domains */
#ifndef ORNIC_RDMA_PD_H
#define ORNIC_RDMA_PD_H

#include <rdma/ib_verbs.h>

/**
 * struct ornic_pd - protection domain
 * @ibpd:	of the RDMA core
 * @pdn:	its number
 * @windows:	windows that were ever allocated
 * @windows_freed: of these, the ones that do not exist any more
 */
struct ornic_pd {
	struct ib_pd ibpd;
	u32 pdn;
	atomic_t windows;
	atomic_t windows_freed;
};

static inline struct ornic_pd *to_ornic_pd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct ornic_pd, ibpd);
}

int ornic_ib_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int ornic_ib_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

#endif /* ORNIC_RDMA_PD_H */
