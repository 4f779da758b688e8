/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RSS indirection tables */
#ifndef ORNIC_RDMA_RWQ_TABLE_H
#define ORNIC_RDMA_RWQ_TABLE_H

#include <rdma/ib_verbs.h>

struct ornic_rwq_table {
	struct ib_rwq_ind_table ibtable;
};

int ornic_ib_create_rwq_ind_table(struct ib_rwq_ind_table *ibtable,
				  struct ib_rwq_ind_table_init_attr *init,
				  struct ib_udata *udata);
int ornic_ib_destroy_rwq_ind_table(struct ib_rwq_ind_table *ibtable);

#endif /* ORNIC_RDMA_RWQ_TABLE_H */
