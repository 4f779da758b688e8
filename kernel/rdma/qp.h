/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Queue pairs */
#ifndef ORNIC_RDMA_QP_H
#define ORNIC_RDMA_QP_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "ornic_api.h"
#include "pbl.h"

struct ornic_ib_dev;
struct ornic_modify_qp_out;
struct ornic_ringmem;
struct ornic_wr;

/* Number of no QP, for completions of a QP that is gone */
#define ORNIC_QPN_NONE		ORNIC_CQE_QPN

/**
 * struct ornic_qp_queue - one queue of a kernel QP
 * @lock:	protects the producer side: the ring, @wrs, @pi and @head; nests
 *		inside the lock of a CQ
 * @ring:	address of the first WQE, NULL if the QP has no such queue
 * @wrs:	posted work requests, by number modulo the size of the ring
 * @mask:	slots (send) or WQEs (receive) of the ring, minus one
 * @pi:		slots or WQEs posted, free running
 * @ci:		slots or WQEs completed, free running
 * @head:	work requests posted, free running
 * @tail:	work requests completed, free running
 * @cq_list:	entry in @sqs or @rqs of the CQ; protected by its lock
 */
struct ornic_qp_queue {
	spinlock_t lock; /* see above */
	void *ring;
	struct ornic_wr *wrs;
	u32 mask;
	u32 pi;
	u32 ci;
	u32 head;
	u32 tail;
	struct list_head cq_list;
};

/**
 * struct ornic_qp_geometry - sizes and places of the queues of a QP
 * @flags:	ORNIC_QP_* except SIG_ALL and KERNEL
 * @log_sq_slots: log2 of the slots of the send ring
 * @log_rq_wqes: log2 of the WQEs of the receive ring
 * @rq_stride_shift: log2 of the bytes of a receive WQE
 * @sq_bytes:	of the send ring
 * @rq_bytes:	of the receive ring
 * @rq_offset:	bytes from the start of the memory; the send ring is at 0
 * @dbr_offset:	bytes from the start of the memory, unless a slab has the record
 *		among others (ornic_slab_record())
 * @size:	total bytes; 0 for XRC targets and RSS QPs
 */
struct ornic_qp_geometry {
	u32 flags;
	u8 log_sq_slots;
	u8 log_rq_wqes;
	u8 rq_stride_shift;
	u32 sq_bytes;
	u32 rq_bytes;
	u32 rq_offset;
	u32 dbr_offset;
	u32 size;
};

/**
 * struct ornic_qp - queue pair
 * @ibqp:	of the RDMA core
 * @res:	receives its events; its number is the device's, while the GSI
 *		QP has 1 in @ibqp
 * @geo:	sizes and places of the queues
 * @mem:	queues and doorbell record, NULL without queues
 * @sq_pbl:	page list of the send ring
 * @rq_pbl:	page list of the receive ring
 * @kernel:	the kernel posts and polls. An XRC target is shared by processes
 *		and has no queues.
 * @cap:	as granted
 * @tso_header:	largest TSO headers in bytes, 0: TSO is not used
 * @wqe_slots:	slots of the largest send WQE
 * @sig_all:	each send work request gives a completion
 * @modify_lock: serialises modify and query
 * @state:	last state set or queried; the device may be in SQE or ERR
 * @dest_qpn:	of the peer, RC
 * @dbr:	doorbell record of a kernel QP
 * @slot:	on the board
 * @sq:		of a kernel QP
 * @rq:		of a kernel QP
 * @due:	events that may occur: each modification allows one of each
 *		kind. A QP that was never modified is in RESET, where it has
 *		none, and the core may not have initialised it.
 * @events:	bit n: event ORNIC_EVENT_QP_FATAL + n is to be delivered
 * @event_work:	delivers @events, since handlers of consumers may sleep
 */
struct ornic_qp {
	struct ib_qp ibqp;
	struct ornic_res res;
	struct ornic_qp_geometry geo;
	struct ornic_ringmem *mem;
	struct ornic_pbl sq_pbl;
	struct ornic_pbl rq_pbl;
	bool kernel;
	struct ib_qp_cap cap;
	u32 tso_header;
	u32 wqe_slots;
	bool sig_all;
	struct mutex modify_lock; /* one modify or query at a time */
	enum ib_qp_state state;
	u32 dest_qpn;
	struct ornic_qp_dbr *dbr;
	u32 slot;
	struct ornic_qp_queue sq;
	struct ornic_qp_queue rq;
	atomic_t due;
	unsigned long events;
	struct work_struct event_work;
};

static inline struct ornic_qp *to_ornic_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct ornic_qp, ibqp);
}

/* Datagram QPs, whose send WQEs carry the path */
static inline bool ornic_qp_is_ud(const struct ornic_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_UD || qp->ibqp.qp_type == IB_QPT_GSI;
}

int ornic_ib_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		       struct ib_udata *udata);
int ornic_ib_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int ornic_ib_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int ornic_ib_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/* qp_kernel.c */
int ornic_qp_kernel_init(struct ornic_qp *qp);
void ornic_qp_kernel_uninit(struct ornic_qp *qp);
int ornic_qp_attach(struct ornic_ib_dev *dev, struct ornic_qp *qp);
void ornic_qp_detach(struct ornic_ib_dev *dev, struct ornic_qp *qp);
void ornic_qp_forget(struct ornic_qp *qp);

/* qp_modify.c */
int ornic_ib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata);
int ornic_ib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		      struct ib_qp_init_attr *init);
void ornic_qp_event(struct ornic_res *res, enum ornic_event event);
void ornic_qp_event_work(struct work_struct *work);

/* poll.c */
void ornic_qp_return_recv(struct ornic_qp *qp, const struct ornic_modify_qp_out *out);

#endif /* ORNIC_RDMA_QP_H */
