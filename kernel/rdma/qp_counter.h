/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Counters that QPs can be bound to */
#ifndef ORNIC_RDMA_QP_COUNTER_H
#define ORNIC_RDMA_QP_COUNTER_H

#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "ornic_hw_cmd.h"

/**
 * struct ornic_counter - counter that QPs are bound to
 * @counter:	of the RDMA core
 * @base:	of its set when it was given to this counter
 */
struct ornic_counter {
	struct rdma_counter counter;
	u64 base[ORNIC_QP_STAT_COUNT];
};

static inline struct ornic_counter *to_ornic_counter(struct rdma_counter *counter)
{
	return container_of(counter, struct ornic_counter, counter);
}

extern const u8 ornic_counter_of_port[ORNIC_QP_STAT_COUNT];

void ornic_ib_counter_init(struct rdma_counter *counter);
int ornic_ib_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp, u32 port);
int ornic_ib_counter_unbind_qp(struct ib_qp *ibqp, u32 port);
int ornic_ib_counter_update_stats(struct rdma_counter *counter);
int ornic_ib_counter_dealloc(struct rdma_counter *counter);

#endif /* ORNIC_RDMA_QP_COUNTER_H */
