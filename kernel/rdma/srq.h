/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Shared receive queues */
#ifndef ORNIC_RDMA_SRQ_H
#define ORNIC_RDMA_SRQ_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "ornic_api.h"
#include "recv_ring.h"

/**
 * struct ornic_srq - shared receive queue
 * @ibsrq:	of the RDMA core
 * @res:	receives its events
 * @stride_shift: log2 of the bytes of a WQE
 * @max_sge:	of a WQE
 * @due:	events that may occur: one error, and one for each limit
 * @modify_lock: protects @ring; serialises modify and query
 * @ring:	a process may replace it by a resize
 * @lock:	kernel consumer: protects @recvs, @pi and the WQEs; nests inside
 *		the lock of a CQ
 * @recvs:	kernel consumer: records of posted receives
 * @pi:		kernel consumer: WQEs posted, free running
 */
struct ornic_srq {
	struct ib_srq ibsrq;
	struct ornic_res res;
	u8 stride_shift;
	u32 max_sge;
	atomic_t due;
	struct mutex modify_lock; /* see above */
	struct ornic_recv_ring ring;
	spinlock_t lock; /* see above */
	struct ornic_recvs recvs;
	u32 pi;
};

static inline struct ornic_srq *to_ornic_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct ornic_srq, ibsrq);
}

int ornic_ib_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
			struct ib_udata *udata);
int ornic_ib_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
			enum ib_srq_attr_mask mask, struct ib_udata *udata);
int ornic_ib_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int ornic_ib_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
extern const struct uapi_definition ornic_ib_srq_defs[];

#endif /* ORNIC_RDMA_SRQ_H */
