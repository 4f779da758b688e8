/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Replacements for things that the drivers use and older kernels lack, for
 * builds by DKMS. The compiler includes this file before each source file, so
 * the drivers know nothing of it. dkms/probe writes lacks.h. The release named
 * at a replacement is the oldest one known to have the original.
 *
 * Operations that a structure of the kernel lacks: a structure of ours has them
 * after an unnamed one of the kernel, and a macro gives it the name of that
 * one. A second macro replaces the operation in an initialiser by an older one
 * that calls it, and leaves the new one to our structure.
 */
#ifndef ORNIC_COMPAT_H
#define ORNIC_COMPAT_H

#include "../lacks.h"

#include <linux/netdevice.h>

#ifdef ORNIC_LACKS_RX_RING_COUNT
/* net_device has a member of the same name, so ethtool.h gets another one */
#define ethtool_ops ornic_compat_kernel_ethtool_ops
#include <linux/ethtool.h>
#undef ethtool_ops

/* 7.2; the core asked get_rxnfc() */
struct ethtool_ops {
	struct ornic_compat_kernel_ethtool_ops;
	u32 (*get_rx_ring_count)(struct net_device *netdev);
	int (*ornic_get_rxnfc)(struct net_device *netdev, struct ethtool_rxnfc *info, u32 *rules);
};

int ornic_compat_get_rxnfc(struct net_device *netdev, struct ethtool_rxnfc *info, u32 *rules);
#endif

#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/swiotlb.h>
#include <linux/workqueue.h>
#include <net/devlink.h>
#include <net/netdev_queues.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

/* ---- Kernel -------------------------------------------------------------- */

#ifdef ORNIC_LACKS_SYMBOL_NS_STRING
/* 7.2; the name was no string */
#undef MODULE_IMPORT_NS
#undef EXPORT_SYMBOL_NS_GPL
#define MODULE_IMPORT_NS(ns)		MODULE_INFO(import_ns, ns)
#define EXPORT_SYMBOL_NS_GPL(sym, ns)	__EXPORT_SYMBOL(sym, "GPL", ns)
#endif

/* 7.0; a saved state was restored once, and a reset by the PCI core used it up */
static inline void ornic_compat_restore_state(struct pci_dev *pdev)
{
	pdev->state_saved = true;
	pci_restore_state(pdev);
}

#define pci_restore_state ornic_compat_restore_state

#ifdef ORNIC_LACKS_SYSTEM_DFL_LONG_WQ
/* 7.2 */
#define system_dfl_long_wq system_unbound_wq
#endif

#ifdef ORNIC_LACKS_REQUIRE_COHERENT
/* 7.2; instead of single mappings, a device that would break them is refused */
#define DMA_ATTR_REQUIRE_COHERENT 0

static inline int ornic_compat_dma_set_mask(struct device *dev, u64 mask)
{
	if (!dev_is_dma_coherent(dev) || is_swiotlb_force_bounce(dev))
		return dev_err_probe(dev, -EOPNOTSUPP,
				     "DMA needs cache flushes or bounce buffers\n");

	return dma_set_mask_and_coherent(dev, mask);
}

#define dma_set_mask_and_coherent ornic_compat_dma_set_mask
#endif

/* ---- Network ------------------------------------------------------------- */

#ifdef ORNIC_LACKS_NAPI_CONFIG
/* 6.13; each queue began with the settings of the interface */
#define netif_napi_add_config(netdev, napi, poll, index) \
	((void)(index), netif_napi_add(netdev, napi, poll))
#endif

#ifdef ORNIC_LACKS_AFFINITY_AUTO
/* 6.15; users set the affinity of interrupts */
static inline void netif_set_affinity_auto(struct net_device *netdev)
{
}
#endif

#ifdef ORNIC_LACKS_XMIT_TIMEOUT_MS
/* 7.2 */
static inline unsigned int netif_xmit_timeout_ms(struct netdev_queue *txq)
{
	return jiffies_to_msecs(jiffies - READ_ONCE(txq->trans_start));
}
#endif

#ifdef ORNIC_LACKS_GRACEFUL_PERIOD
/* 7.2; the period was an argument */
struct ornic_compat_reporter_ops {
	struct devlink_health_reporter_ops;
	u64 default_graceful_period;
};

static inline struct devlink_health_reporter *
ornic_compat_create_reporter(struct devlink *devlink, const struct ornic_compat_reporter_ops *ops,
			     void *priv)
{
	return devl_health_reporter_create(devlink, ops, ops->default_graceful_period, priv);
}

#define devlink_health_reporter_ops ornic_compat_reporter_ops
#define devl_health_reporter_create ornic_compat_create_reporter
#endif

#ifdef ORNIC_LACKS_RX_RING_COUNT
#define get_rxnfc get_rxnfc = ornic_compat_get_rxnfc, .ornic_get_rxnfc
#endif

#ifdef ORNIC_LACKS_SET_RX_MODE_ASYNC
/* 7.2; ndo_set_rx_mode() may not sleep */
struct ornic_compat_net_device_ops {
	struct net_device_ops;
	int (*ndo_set_rx_mode_async)(struct net_device *netdev, struct netdev_hw_addr_list *uc,
				     struct netdev_hw_addr_list *mc);
};

struct net_device *ornic_compat_alloc_netdev(int size, unsigned int txqs, unsigned int rxqs);
void ornic_compat_unregister_netdev(struct net_device *netdev);
void ornic_compat_set_rx_mode(struct net_device *netdev);

#ifndef ORNIC_COMPAT_NET
#undef alloc_etherdev_mqs
#define alloc_etherdev_mqs ornic_compat_alloc_netdev
#define unregister_netdev ornic_compat_unregister_netdev
#define net_device_ops ornic_compat_net_device_ops
#define ndo_set_rx_mode_async ndo_set_rx_mode = ornic_compat_set_rx_mode, .ndo_set_rx_mode_async
#endif
#endif

/* ---- Verbs --------------------------------------------------------------- */

#ifdef ORNIC_LACKS_DEVICE_WITH_NET
/* 7.2; every device began in the first network namespace */
#define ib_alloc_device_with_net(drv_struct, member, net) \
	((void)(net), ib_alloc_device(drv_struct, member))
#endif

#ifdef ORNIC_LACKS_PORT_STATE
/* 7.2; drivers reported changes of the link themselves */
static inline enum ib_port_state ib_get_curr_port_state(struct net_device *netdev)
{
	return netif_running(netdev) && netif_carrier_ok(netdev) ? IB_PORT_ACTIVE : IB_PORT_DOWN;
}

int ornic_compat_register_device(struct ib_device *ibdev, const char *name,
				 struct device *dma_device);
void ornic_compat_unregister_device(struct ib_device *ibdev);

#ifndef ORNIC_COMPAT_RDMA
#define ib_register_device ornic_compat_register_device
#define ib_unregister_device ornic_compat_unregister_device
#endif
#endif

#ifdef ORNIC_LACKS_UDATA
/* 7.2 */
int ornic_compat_copy_udata(struct ib_udata *udata, void *req, size_t size, size_t minimum);
int ornic_compat_respond_udata(struct ib_udata *udata, const void *resp, size_t size);
int ib_is_udata_in_empty(struct ib_udata *udata);
int ib_respond_empty_udata(struct ib_udata *udata);
int ib_no_udata_io(struct ib_udata *udata);

#define ib_copy_validate_udata_in_cm(udata, req, last, mask) ({				\
	int __err = ornic_compat_copy_udata(udata, &(req), sizeof(req),			\
					    offsetofend(typeof(req), last));		\
	!__err && ((req).comp_mask & ~(typeof((req).comp_mask))(mask)) ? -EOPNOTSUPP : __err; \
})
#define ib_respond_udata(udata, resp) ornic_compat_respond_udata(udata, &(resp), sizeof(resp))
#endif

#ifdef ORNIC_LACKS_UMEM_VA
/* 7.2 */
#define ib_umem_get_va ib_umem_get
#endif

#ifdef ORNIC_LACKS_DMAH
/* 7.2; there are no handles, so the driver sees none */
struct ib_dmah;

struct ib_mr *ornic_compat_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova,
				       int access, struct ib_udata *udata);
struct ib_mr *ornic_compat_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 iova,
					      int fd, int access,
					      struct uverbs_attr_bundle *attrs);
#endif

#ifdef ORNIC_LACKS_CREATE_USER_CQ
int ornic_compat_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			   struct uverbs_attr_bundle *attrs);
#endif

#ifdef ORNIC_LACKS_RESIZE_USER_CQ
int ornic_compat_resize_cq(struct ib_cq *cq, int cqe, struct ib_udata *udata);
#endif

/* 7.2; the core never sets attributes that the method does not have */
enum ornic_compat_cq_attr {
	ORNIC_COMPAT_CQ_ATTR_LAST = UVERBS_ATTR_CREATE_CQ_EVENT_FD,
#ifdef ORNIC_LACKS_CQ_BUFFER
	UVERBS_ATTR_CREATE_CQ_BUFFER_VA,
	UVERBS_ATTR_CREATE_CQ_BUFFER_LENGTH,
	UVERBS_ATTR_CREATE_CQ_BUFFER_FD,
	UVERBS_ATTR_CREATE_CQ_BUFFER_OFFSET,
#endif
#ifdef ORNIC_LACKS_CQ_BUF_UMEM
	UVERBS_ATTR_CREATE_CQ_BUF_UMEM,
#endif
};

/* All of these: 7.2. Members that nothing reads belong to absent features. */
struct ornic_compat_ib_device_ops {
	struct ib_device_ops;
#ifdef ORNIC_LACKS_ROBUST_UDATA
	bool uverbs_robust_udata;
#endif
#ifdef ORNIC_LACKS_PORT_SPEED
	int (*query_port_speed)(struct ib_device *ibdev, u32 port, u64 *speed);
#endif
#ifdef ORNIC_LACKS_DMAH
	struct ib_mr *(*ornic_reg_user_mr)(struct ib_pd *pd, u64 start, u64 length, u64 iova,
					   int access, struct ib_dmah *dmah,
					   struct ib_udata *udata);
	struct ib_mr *(*ornic_reg_user_mr_dmabuf)(struct ib_pd *pd, u64 offset, u64 length,
						  u64 iova, int fd, int access,
						  struct ib_dmah *dmah,
						  struct uverbs_attr_bundle *attrs);
#endif
#ifdef ORNIC_LACKS_CREATE_USER_CQ
	int (*ornic_create_cq)(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			       struct uverbs_attr_bundle *attrs);
	int (*create_user_cq)(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			      struct uverbs_attr_bundle *attrs);
#endif
#ifdef ORNIC_LACKS_RESIZE_USER_CQ
	int (*resize_user_cq)(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata);
#endif
#ifdef ORNIC_LACKS_COUNTER_INIT
	struct rdma_hw_stats *(*ornic_counter_alloc_stats)(struct rdma_counter *counter);
	int (*ornic_counter_bind_qp)(struct rdma_counter *counter, struct ib_qp *qp, u32 port);
	int (*ornic_counter_dealloc)(struct rdma_counter *counter);
	void (*counter_init)(struct rdma_counter *counter);
	int (*ornic_counter_unbind_qp)(struct ib_qp *qp, u32 port);
	int (*ornic_counter_update_stats)(struct rdma_counter *counter);
	size_t size_rdma_counter;
#endif
#ifdef ORNIC_LACKS_RESTRACK_BEGIN_DEL
	int (*ornic_fill_res_cq_entry)(struct sk_buff *msg, struct ib_cq *cq);
	int (*ornic_fill_res_qp_entry)(struct sk_buff *msg, struct ib_qp *qp);
	int (*ornic_fill_res_qp_entry_raw)(struct sk_buff *msg, struct ib_qp *qp);
	int (*ornic_fill_res_srq_entry)(struct sk_buff *msg, struct ib_srq *srq);
	int (*ornic_fill_res_srq_entry_raw)(struct sk_buff *msg, struct ib_srq *srq);
#endif
};

#define ib_device_ops ornic_compat_ib_device_ops

#ifdef ORNIC_LACKS_DMAH
#define reg_user_mr reg_user_mr = ornic_compat_reg_user_mr, .ornic_reg_user_mr
#define reg_user_mr_dmabuf \
	reg_user_mr_dmabuf = ornic_compat_reg_user_mr_dmabuf, .ornic_reg_user_mr_dmabuf
#endif

#ifdef ORNIC_LACKS_CREATE_USER_CQ
/* One operation was called for both kinds of CQ */
#define create_cq create_cq = ornic_compat_create_cq, .ornic_create_cq
#endif

#ifdef ORNIC_LACKS_RESIZE_USER_CQ
#define resize_user_cq resize_cq = ornic_compat_resize_cq, .resize_user_cq
#endif

#ifdef ORNIC_LACKS_COUNTER_INIT
/* The core allocated counters without room for the driver's part */
#define counter_alloc_stats ornic_counter_alloc_stats
#define counter_bind_qp ornic_counter_bind_qp
#define counter_dealloc ornic_counter_dealloc
#define counter_unbind_qp ornic_counter_unbind_qp
#define counter_update_stats ornic_counter_update_stats
#endif

#ifdef ORNIC_LACKS_RESTRACK_BEGIN_DEL
/* 7.3; the core showed objects that the driver had destroyed */
#define fill_res_cq_entry ornic_fill_res_cq_entry
#define fill_res_qp_entry ornic_fill_res_qp_entry
#define fill_res_qp_entry_raw ornic_fill_res_qp_entry_raw
#define fill_res_srq_entry ornic_fill_res_srq_entry
#define fill_res_srq_entry_raw ornic_fill_res_srq_entry_raw
#endif

#endif /* ORNIC_COMPAT_H */
