/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory regions and memory windows */
#ifndef ORNIC_RDMA_MR_H
#define ORNIC_RDMA_MR_H

#include <rdma/ib_verbs.h>

#include "ornic_hw_cmd.h"
#include "pbl.h"

struct ornic_ib_dev;
struct uverbs_attr_bundle;

/* Fewer than the slots that the admin queue keeps for urgent commands */
#define ORNIC_MR_DMABUFS	2

/**
 * struct ornic_mr - memory region
 * @ibmr:	of the RDMA core
 * @umem:	memory of a process, else NULL
 * @pbl:	page list; for fast registration map_mr_sg fills it
 * @access:	requested IB_ACCESS_*; not for fast registration
 * @max_pages:	for fast registration: capacity of @pbl
 * @npages:	for fast registration: current pages in @pbl
 */
struct ornic_mr {
	struct ib_mr ibmr;
	struct ib_umem *umem;
	struct ornic_pbl pbl;
	int access;
	u32 max_pages;
	u32 npages;
};

static inline struct ornic_mr *to_ornic_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct ornic_mr, ibmr);
}

struct ornic_mw {
	struct ib_mw ibmw;
};

int ornic_mr_init_shared(struct ornic_ib_dev *dev);
void ornic_mr_uninit_shared(struct ornic_ib_dev *dev);
int ornic_mr_access(const struct ornic_ib_dev *dev, int access, u32 *hw);
struct ib_mr *ornic_ib_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *ornic_ib_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 iova,
				   int access, struct ib_dmah *dmah, struct ib_udata *udata);
struct ib_mr *ornic_ib_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 iova,
					  int fd, int access, struct ib_dmah *dmah,
					  struct uverbs_attr_bundle *attrs);
struct ib_mr *ornic_ib_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
				     u64 iova, int access, struct ib_pd *ibpd,
				     struct ib_udata *udata);
int ornic_ib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
struct ib_mr *ornic_ib_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_pages);
int ornic_ib_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		       unsigned int *offset);
int ornic_ib_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int ornic_ib_dealloc_mw(struct ib_mw *ibmw);

#endif /* ORNIC_RDMA_MR_H */
