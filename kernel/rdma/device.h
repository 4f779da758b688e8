/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The verbs device, its attributes and its port */
#ifndef ORNIC_RDMA_DEVICE_H
#define ORNIC_RDMA_DEVICE_H

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

#endif /* ORNIC_RDMA_DEVICE_H */
