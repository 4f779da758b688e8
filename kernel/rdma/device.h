/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The verbs device, and operations whose files have no header */
#ifndef ORNIC_RDMA_DEVICE_H
#define ORNIC_RDMA_DEVICE_H

#include <linux/atomic.h>
#include <linux/idr.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/semaphore.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "ornic_api.h"

#define ORNIC_IB_PORT		1
#define ORNIC_IB_PKEYS		1
/* The only supported flag of enum ibv_rx_hash_function_flags */
#define ORNIC_RX_HASH_TOEPLITZ	BIT(0)

/**
 * struct ornic_ib_dev - verbs device
 * @ibdev:	of the RDMA core
 * @odev:	of the core driver, valid between probe and remove
 * @dead:	the device has stopped: poll_cq flushes posted work requests
 * @max_wr:	work requests of a queue, for any legal number of SGEs and
 *		inline bytes
 * @max_sge:	of a send or receive work request
 * @max_inline:	bytes
 * @max_cqe:	entries of the ring of a CQ, a power of two
 * @max_srq_wr:	receives of an SRQ; 0 without SRQs
 * @max_wq_wr:	receives of a WQ
 * @max_rwq_table_size: WQs of a table, a power of two
 * @max_reg_pages: pages of a fast registration; 0 without support
 * @gid_len:	entries of the GID table
 * @void_pdn:	PD without QPs
 * @null_key:	of the null MR, with ORNIC_FEAT_NULL_MR
 * @qps:	kernel QPs by device number; holding its lock keeps QPs in it
 *		alive
 * @kcqs_lock:	protects @kcqs
 * @kcqs:	CQs of kernel consumers, to be woken when the device dies
 * @death:	notified when the device dies
 * @flush_work:	wakes @kcqs
 * @counter_ids: sets of statistics that are in use
 * @delay_drops: number of ORNIC_EVENT_WQ_DELAY_DROP events
 * @dmabufs:	callers that may hold the lock of a dma-buf for a command
 */
struct ornic_ib_dev {
	struct ib_device ibdev;
	struct ornic_dev *odev;
	bool dead;
	u32 max_wr;
	u32 max_sge;
	u32 max_inline;
	u32 max_cqe;
	u32 max_srq_wr;
	u32 max_wq_wr;
	u32 max_rwq_table_size;
	u32 max_reg_pages;
	u32 gid_len;
	u32 void_pdn;
	u32 null_key;
	struct xarray qps;
	struct mutex kcqs_lock; /* protects kcqs */
	struct list_head kcqs;
	struct notifier_block death;
	struct work_struct flush_work;
	struct ida counter_ids;
	atomic64_t delay_drops;
	struct semaphore dmabufs;
};

static inline struct ornic_ib_dev *to_ornic_ib_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct ornic_ib_dev, ibdev);
}

/* Destroys an object whose memory is freed next, even if the device refuses */
static inline void ornic_ib_release(struct ornic_ib_dev *dev, enum ornic_opcode opcode,
				    struct ornic_res *res)
{
	ornic_res_remove(dev->odev, res);
	ornic_cmd_release(dev->odev, opcode, res->num);
}

/* More events than this are not under way at a time */
#define ORNIC_DUE_MAX		64

/**
 * ornic_due_add - allow an object more events
 * @due:	number of events that may occur
 * @count:	number of events
 *
 * Their handlers see all members that the core has set before.
 */
static inline void ornic_due_add(atomic_t *due, int count)
{
	if (atomic_read(due) < ORNIC_DUE_MAX)
		atomic_add_return(count, due);
}

/**
 * ornic_due_take - check whether an event may occur
 * @due:	number of events that may occur
 *
 * The core keeps each event of a process until it is read, so a device that
 * sends events without a cause would use up the memory of the host.
 *
 * Return: true if the event may be delivered.
 */
static inline bool ornic_due_take(atomic_t *due)
{
	return atomic_dec_if_positive(due) >= 0;
}

int ornic_device_init_limits(struct ornic_ib_dev *dev);
int ornic_ib_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			  struct ib_udata *udata);
int ornic_ib_modify_device(struct ib_device *ibdev, int mask,
			   struct ib_device_modify *attr);
void ornic_ib_get_dev_fw_str(struct ib_device *ibdev, char *str);
int ornic_ib_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr);
int ornic_ib_query_port_speed(struct ib_device *ibdev, u32 port, u64 *speed);
int ornic_ib_get_port_immutable(struct ib_device *ibdev, u32 port,
				struct ib_port_immutable *immutable);
enum rdma_link_layer ornic_ib_get_link_layer(struct ib_device *ibdev, u32 port);
int ornic_ib_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
int ornic_ib_add_gid(const struct ib_gid_attr *attr, void **context);
int ornic_ib_del_gid(const struct ib_gid_attr *attr, void **context);

/* mad.c */
int ornic_ib_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
			 const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
			 size_t *out_size, u16 *out_pkey_index);

/* restrack.c */
int ornic_ib_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr);
int ornic_ib_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq);
int ornic_ib_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp);
int ornic_ib_fill_res_qp_raw(struct sk_buff *msg, struct ib_qp *ibqp);
int ornic_ib_fill_res_srq(struct sk_buff *msg, struct ib_srq *ibsrq);
int ornic_ib_fill_res_srq_raw(struct sk_buff *msg, struct ib_srq *ibsrq);

/* check.c */
int ornic_check_range(const struct ib_device *ibdev, const char *what, u64 value, u64 min,
		      u64 max);
int ornic_check_flags(const struct ib_device *ibdev, const char *what, u64 flags, u64 known);
int ornic_check_reserved(const struct ib_device *ibdev, const char *what, const void *bytes,
			 size_t len);

/* flow.c */
struct ib_flow *ornic_ib_create_flow(struct ib_qp *ibqp, struct ib_flow_attr *attr,
				     struct ib_udata *udata);
int ornic_ib_destroy_flow(struct ib_flow *ibflow);

#endif /* ORNIC_RDMA_DEVICE_H */
