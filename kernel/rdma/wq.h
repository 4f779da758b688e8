/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Work queues, which are receive queues of processes for frames, and RSS tables */
#ifndef ORNIC_RDMA_WQ_H
#define ORNIC_RDMA_WQ_H

#include <rdma/ib_verbs.h>

#include "ornic_api.h"
#include "recv_ring.h"

/**
 * struct ornic_wq - work queue: a receive queue of a process
 * @ibwq:	of the RDMA core
 * @res:	receives its events
 * @stride_shift: log2 of the bytes of a WQE
 * @ring:	of the process
 * @due:	failures that may occur: each modification allows one. A WQ that
 *		was never modified is in RESET, where it cannot fail, and the
 *		core may not have initialised it.
 */
struct ornic_wq {
	struct ib_wq ibwq;
	struct ornic_res res;
	u8 stride_shift;
	struct ornic_recv_ring ring;
	atomic_t due;
};

struct ornic_rwq_table {
	struct ib_rwq_ind_table ibtable;
};

struct ib_wq *ornic_ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *init,
				 struct ib_udata *udata);
int ornic_ib_modify_wq(struct ib_wq *ibwq, struct ib_wq_attr *attr, u32 mask,
		       struct ib_udata *udata);
int ornic_ib_destroy_wq(struct ib_wq *ibwq, struct ib_udata *udata);
int ornic_ib_create_rwq_ind_table(struct ib_rwq_ind_table *ibtable,
				  struct ib_rwq_ind_table_init_attr *init,
				  struct ib_udata *udata);
int ornic_ib_destroy_rwq_ind_table(struct ib_rwq_ind_table *ibtable);

#endif /* ORNIC_RDMA_WQ_H */
