/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion queues */
#ifndef ORNIC_RDMA_CQ_H
#define ORNIC_RDMA_CQ_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "ornic_api.h"
#include "pbl.h"

struct notifier_block;
struct ornic_qp;
struct ornic_ringmem;
struct uverbs_attr_bundle;
struct work_struct;

/**
 * struct ornic_cq_buf - memory of a completion queue
 * @mem:	ring, followed by the doorbell record
 * @pbl:	page list of the ring
 * @log_bytes:	log2 of the bytes of the ring
 */
struct ornic_cq_buf {
	struct ornic_ringmem *mem;
	struct ornic_pbl pbl;
	u8 log_bytes;
};

/**
 * struct ornic_cq - completion queue
 * @ibcq:	of the RDMA core
 * @res:	receives its events
 * @buf:	ring and doorbell record
 * @resize_lock: protects @buf of a process, which a resize replaces
 * @ring:	ring of a kernel consumer; for a process only number and sizes
 * @lock:	kernel consumer: protects @ring, @sqs, @rqs and the consumer
 *		sides of the queues in these lists. Of a process: protects @buf
 *		from events.
 * @sqs:	send queues of kernel QPs that complete here
 * @rqs:	receive queues of kernel QPs that complete here
 * @kcq:	kernel consumer: entry in @kcqs of the device
 * @ready:	the completion handler may be called: always for a process, and
 *		for a kernel consumer once the CQ has had a QP, because the core
 *		sets the handler before it has finished creating the CQ
 * @due:	failures that may occur: one
 * @told_arm:	of a process: arm word at the last event; under @lock
 * @told:	of a process: events at which the arm word was @told_arm
 */
struct ornic_cq {
	struct ib_cq ibcq;
	struct ornic_res res;
	struct ornic_cq_buf buf;
	struct mutex resize_lock; /* see above */
	struct ornic_cq_ring ring;
	spinlock_t lock; /* see above */
	struct list_head sqs;
	struct list_head rqs;
	struct list_head kcq;
	bool ready;
	atomic_t due;
	__le32 told_arm;
	u8 told;
};

static inline struct ornic_cq *to_ornic_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct ornic_cq, ibcq);
}

int ornic_ib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		       struct uverbs_attr_bundle *attrs);
int ornic_ib_create_user_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			    struct uverbs_attr_bundle *attrs);
struct ornic_cq_dbr ornic_cq_get_dbr(struct ornic_cq *cq, u8 *log_size);
void ornic_cq_tell(struct ornic_cq *cq);
int ornic_ib_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);
int ornic_ib_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata);
int ornic_ib_pre_destroy_cq(struct ib_cq *ibcq);
void ornic_ib_post_destroy_cq(struct ib_cq *ibcq);
int ornic_ib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);

/* poll.c */
int ornic_ib_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int ornic_ib_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
void ornic_cq_forget_qp(struct ornic_cq *cq, struct ornic_qp *qp);
void ornic_cq_flush_work(struct work_struct *work);
int ornic_ib_death(struct notifier_block *nb, unsigned long action, void *data);

#endif /* ORNIC_RDMA_CQ_H */
