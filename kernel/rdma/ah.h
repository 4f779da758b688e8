/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Address handles and paths */
#ifndef ORNIC_RDMA_AH_H
#define ORNIC_RDMA_AH_H

#include <rdma/ib_verbs.h>

#include "ornic_hw_cmd.h"

struct ornic_ah {
	struct ib_ah ibah;
	struct ornic_av av;
};

static inline struct ornic_ah *to_ornic_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct ornic_ah, ibah);
}

void ornic_av_from_attr(const struct rdma_ah_attr *attr, struct ornic_av *av);
void ornic_av_to_attr(const struct ornic_av *av, struct rdma_ah_attr *attr);
int ornic_ah_check_attr(const struct ib_device *ibdev, const struct rdma_ah_attr *attr);
int ornic_ib_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		       struct ib_udata *udata);
int ornic_ib_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int ornic_ib_destroy_ah(struct ib_ah *ibah, u32 flags);

#endif /* ORNIC_RDMA_AH_H */
