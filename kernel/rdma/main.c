// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Verbs driver for ORNIC devices. It binds to the auxiliary device that the
 * core driver, ornic.ko, creates, and accesses the hardware through ornic.ko.
 */
#include <linux/module.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/ornic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "ah.h"
#include "comp_cntr.h"
#include "counters.h"
#include "cq.h"
#include "device.h"
#include "mmap.h"
#include "mr.h"
#include "pd.h"
#include "qp.h"
#include "srq.h"
#include "uctx.h"
#include "wq.h"
#include "wr.h"
#include "xrcd.h"

/*
 * Only drivers in the kernel tree get a number of enum rdma_driver_id. Without
 * one, libibverbs finds the provider by the PCI identity.
 */
#define ORNIC_IB_DRIVER_ID	RDMA_DRIVER_UNKNOWN

/*
 * Operations that destroy take no udata and ignore what there is. Up to Linux
 * 7.3 the core passes the udata of the creation when it aborts one, in
 * rdma_alloc_abort_uobject(), and so ib_no_udata_io() would refuse and keep the
 * object until its file is closed. They may call it once the core clears the
 * udata before.
 */
static const struct ib_device_ops ornic_ib_ops = {
	.owner = THIS_MODULE,
	.driver_id = ORNIC_IB_DRIVER_ID,
	.uverbs_abi_ver = ORNIC_ABI_VERSION,
	.uverbs_robust_udata = true,

	.add_gid = ornic_ib_add_gid,
	.alloc_hw_port_stats = ornic_ib_alloc_hw_port_stats,
	.alloc_pd = ornic_ib_alloc_pd,
	.alloc_ucontext = ornic_ib_alloc_ucontext,
	.create_ah = ornic_ib_create_ah,
	.create_cq = ornic_ib_create_cq,
	.create_qp = ornic_ib_create_qp,
	.create_user_ah = ornic_ib_create_ah,
	.create_user_cq = ornic_ib_create_user_cq,
	.dealloc_pd = ornic_ib_dealloc_pd,
	.dealloc_ucontext = ornic_ib_dealloc_ucontext,
	.del_gid = ornic_ib_del_gid,
	.dereg_mr = ornic_ib_dereg_mr,
	.destroy_ah = ornic_ib_destroy_ah,
	.destroy_cq = ornic_ib_destroy_cq,
	.destroy_qp = ornic_ib_destroy_qp,
	.disassociate_ucontext = ornic_ib_disassociate_ucontext,
	.fill_res_cq_entry = ornic_ib_fill_res_cq,
	.fill_res_mr_entry = ornic_ib_fill_res_mr,
	.fill_res_qp_entry = ornic_ib_fill_res_qp,
	.fill_res_qp_entry_raw = ornic_ib_fill_res_qp_raw,
	.get_dev_fw_str = ornic_ib_get_dev_fw_str,
	.get_dma_mr = ornic_ib_get_dma_mr,
	.get_hw_stats = ornic_ib_get_hw_stats,
	.get_link_layer = ornic_ib_get_link_layer,
	.get_port_immutable = ornic_ib_get_port_immutable,
	.mmap = ornic_ib_mmap,
	.mmap_free = ornic_ib_mmap_free,
	.modify_device = ornic_ib_modify_device,
	.modify_qp = ornic_ib_modify_qp,
	.poll_cq = ornic_ib_poll_cq,
	.post_destroy_cq = ornic_ib_post_destroy_cq,
	.post_recv = ornic_ib_post_recv,
	.post_send = ornic_ib_post_send,
	.pre_destroy_cq = ornic_ib_pre_destroy_cq,
	.process_mad = ornic_ib_process_mad,
	.query_ah = ornic_ib_query_ah,
	.query_device = ornic_ib_query_device,
	.query_pkey = ornic_ib_query_pkey,
	.query_port = ornic_ib_query_port,
	.query_port_speed = ornic_ib_query_port_speed,
	.query_qp = ornic_ib_query_qp,
	.query_ucontext = ornic_ib_query_ucontext,
	.reg_user_mr = ornic_ib_reg_user_mr,
	.req_notify_cq = ornic_ib_req_notify_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, ornic_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, ornic_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, ornic_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, ornic_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, ornic_ucontext, ibuctx),
};

static const struct ib_device_ops ornic_ib_resize_cq_ops = {
	.resize_user_cq = ornic_ib_resize_user_cq,
};

static const struct ib_device_ops ornic_ib_moderate_cq_ops = {
	.modify_cq = ornic_ib_modify_cq,
};

static const struct ib_device_ops ornic_ib_srq_ops = {
	.create_srq = ornic_ib_create_srq,
	.destroy_srq = ornic_ib_destroy_srq,
	.fill_res_srq_entry = ornic_ib_fill_res_srq,
	.fill_res_srq_entry_raw = ornic_ib_fill_res_srq_raw,
	.modify_srq = ornic_ib_modify_srq,
	.post_srq_recv = ornic_ib_post_srq_recv,
	.query_srq = ornic_ib_query_srq,

	INIT_RDMA_OBJ_SIZE(ib_srq, ornic_srq, ibsrq),
};

static const struct ib_device_ops ornic_ib_xrc_ops = {
	.alloc_xrcd = ornic_ib_alloc_xrcd,
	.dealloc_xrcd = ornic_ib_dealloc_xrcd,

	INIT_RDMA_OBJ_SIZE(ib_xrcd, ornic_xrcd, ibxrcd),
};

static const struct ib_device_ops ornic_ib_wq_ops = {
	.create_rwq_ind_table = ornic_ib_create_rwq_ind_table,
	.create_wq = ornic_ib_create_wq,
	.destroy_rwq_ind_table = ornic_ib_destroy_rwq_ind_table,
	.destroy_wq = ornic_ib_destroy_wq,
	.modify_wq = ornic_ib_modify_wq,

	INIT_RDMA_OBJ_SIZE(ib_rwq_ind_table, ornic_rwq_table, ibtable),
};

static const struct ib_device_ops ornic_ib_flow_ops = {
	.create_counters = ornic_ib_create_counters,
	.create_flow = ornic_ib_create_flow,
	.destroy_counters = ornic_ib_destroy_counters,
	.destroy_flow = ornic_ib_destroy_flow,
	.read_counters = ornic_ib_read_counters,

	INIT_RDMA_OBJ_SIZE(ib_counters, ornic_counters, ibcounters),
};

static const struct ib_device_ops ornic_ib_mcast_ops = {
	.attach_mcast = ornic_ib_attach_mcast,
	.detach_mcast = ornic_ib_detach_mcast,
};

static const struct ib_device_ops ornic_ib_counter_ops = {
	.counter_alloc_stats = ornic_ib_counter_alloc_stats,
	.counter_bind_qp = ornic_ib_counter_bind_qp,
	.counter_dealloc = ornic_ib_counter_dealloc,
	.counter_init = ornic_ib_counter_init,
	.counter_unbind_qp = ornic_ib_counter_unbind_qp,
	.counter_update_stats = ornic_ib_counter_update_stats,

	INIT_RDMA_OBJ_SIZE(rdma_counter, ornic_counter, counter),
};

static const struct ib_device_ops ornic_ib_mw_ops = {
	.alloc_mw = ornic_ib_alloc_mw,
	.dealloc_mw = ornic_ib_dealloc_mw,

	INIT_RDMA_OBJ_SIZE(ib_mw, ornic_mw, ibmw),
};

static const struct ib_device_ops ornic_ib_reg_mr_ops = {
	.alloc_mr = ornic_ib_alloc_mr,
	.map_mr_sg = ornic_ib_map_mr_sg,
};

static const struct ib_device_ops ornic_ib_modify_mr_ops = {
	.reg_user_mr_dmabuf = ornic_ib_reg_user_mr_dmabuf,
	.rereg_user_mr = ornic_ib_rereg_user_mr,
};

static const struct uapi_definition ornic_ib_uapi_defs[] = {
	UAPI_DEF_CHAIN(ornic_ib_ucontext_defs),
	UAPI_DEF_CHAIN(ornic_ib_srq_defs),
	UAPI_DEF_CHAIN(ornic_ib_comp_cntr_defs),
	{}
};

/* Optional operations are present only if the device has the feature */
static void ornic_ib_set_ops(struct ornic_ib_dev *dev)
{
	static const struct {
		u64 feature;	/* ORNIC_FEAT_* */
		const struct ib_device_ops *ops;
	} table[] = {
		{ ORNIC_FEAT_RESIZE_CQ, &ornic_ib_resize_cq_ops },
		{ ORNIC_FEAT_CQ_MODERATION, &ornic_ib_moderate_cq_ops },
		{ ORNIC_FEAT_SRQ, &ornic_ib_srq_ops },
		{ ORNIC_FEAT_XRC, &ornic_ib_xrc_ops },
		{ ORNIC_FEAT_WQ, &ornic_ib_wq_ops },
		{ ORNIC_FEAT_FLOW, &ornic_ib_flow_ops },
		{ ORNIC_FEAT_MCAST, &ornic_ib_mcast_ops },
		{ ORNIC_FEAT_STAT_SETS, &ornic_ib_counter_ops },
		{ ORNIC_FEAT_COMP_CNTR, &ornic_ib_comp_cntr_ops },
		{ ORNIC_FEAT_MW, &ornic_ib_mw_ops },
		{ ORNIC_FEAT_REG_MR, &ornic_ib_reg_mr_ops },
		{ ORNIC_FEAT_MODIFY_MR, &ornic_ib_modify_mr_ops },
	};
	u32 i;

	dev->ibdev.driver_def = ornic_ib_uapi_defs;
	ib_set_device_ops(&dev->ibdev, &ornic_ib_ops);
	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (dev->odev->lim.features & table[i].feature)
			ib_set_device_ops(&dev->ibdev, table[i].ops);
}

static void ornic_ib_init_identity(struct ornic_ib_dev *dev)
{
	struct ib_device *ibdev = &dev->ibdev;

	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->node_guid = cpu_to_be64(dev->odev->lim.guid);
	if (!ibdev->node_guid)
		addrconf_addr_eui48((u8 *)&ibdev->node_guid, dev->odev->netdev->perm_addr);
	strscpy(ibdev->node_desc, "ORNIC", sizeof(ibdev->node_desc));
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = dev->odev->num_comp_vectors;
	ibdev->dev.parent = &dev->odev->pdev->dev;
}

/*
 * A device that comes back after a reset belongs where the user has moved its
 * interface: a container would lose it otherwise. The core moves devices out of
 * a namespace that ends, so the device must be known to it before that.
 */
static struct net *ornic_ib_get_net(const struct net_device *netdev)
{
	struct net *net;

	rcu_read_lock();
	net = maybe_get_net(dev_net_rcu(netdev));
	rcu_read_unlock();
	return net ?: get_net(&init_net);
}

/* Programs and administrators know the device by its name, so it keeps that */
static int ornic_ib_register(struct ornic_ib_dev *dev)
{
	struct device *parent = dev->ibdev.dev.parent;
	const char *last = dev->odev->ib_name;
	int err = -ENFILE;

	if (*last)
		err = ib_register_device(&dev->ibdev, last, parent);
	/* There was none, or another device has it now */
	if (err == -ENFILE)
		err = ib_register_device(&dev->ibdev, "ornic_%d", parent);
	return err;
}

/* The core takes a name with a percent sign for a format */
static void ornic_ib_keep_name(struct ornic_ib_dev *dev)
{
	const char *name = dev_name(&dev->ibdev.dev);
	char *last = dev->odev->ib_name;

	strscpy(last, strchr(name, '%') ? "" : name, sizeof(dev->odev->ib_name));
}

static int ornic_ib_probe(struct auxiliary_device *adev, const struct auxiliary_device_id *id)
{
	struct ornic_dev *odev = to_ornic_dev(adev);
	struct net *net = ornic_ib_get_net(odev->netdev);
	struct ornic_ib_dev *dev;
	int err;

	dev = ib_alloc_device_with_net(ornic_ib_dev, ibdev, net);
	if (!dev) {
		put_net(net);
		return -ENOMEM;
	}

	dev->odev = odev;
	xa_init_flags(&dev->qps, XA_FLAGS_LOCK_IRQ);
	mutex_init(&dev->kcqs_lock);
	INIT_LIST_HEAD(&dev->kcqs);
	INIT_WORK(&dev->flush_work, ornic_cq_flush_work);
	dev->death.notifier_call = ornic_ib_death;
	ida_init(&dev->counter_ids);
	sema_init(&dev->dmabufs, ORNIC_MR_DMABUFS);

	err = ornic_device_init_limits(dev);
	if (err)
		goto err_dealloc;

	ornic_ib_init_identity(dev);
	ornic_ib_set_ops(dev);
	err = ib_device_set_netdev(&dev->ibdev, dev->odev->netdev, ORNIC_IB_PORT);
	if (err)
		goto err_dealloc;

	err = ornic_mr_init_shared(dev);
	if (err)
		goto err_dealloc;

	/*
	 * The device has page lists, so segments may have any length. Set here,
	 * because a SCSI host on an RDMA device leaves its own limit behind in
	 * the PCI device (scsi_init_limits()), and that outlives the host.
	 */
	dma_set_max_seg_size(dev->ibdev.dev.parent, UINT_MAX);
	auxiliary_set_drvdata(adev, dev);
	/* If the device has died before, queues cannot be created */
	atomic_notifier_chain_register(&dev->odev->death, &dev->death);
	err = ornic_ib_register(dev);
	if (err)
		goto err_unregister_death;

	put_net(net);
	return 0;

err_unregister_death:
	atomic_notifier_chain_unregister(&dev->odev->death, &dev->death);
	cancel_work_sync(&dev->flush_work);
	ornic_mr_uninit_shared(dev);
err_dealloc:
	ida_destroy(&dev->counter_ids);
	xa_destroy(&dev->qps);
	ib_dealloc_device(&dev->ibdev);
	put_net(net);
	return dev_err_probe(&adev->dev, err, "Failed to register a verbs device\n");
}

static void ornic_ib_remove(struct auxiliary_device *adev)
{
	struct ornic_ib_dev *dev = auxiliary_get_drvdata(adev);

	/*
	 * Consumers must know that the device is dead before they are removed,
	 * or they may wait long for completions (NVMe: for a minute).
	 */
	flush_work(&dev->flush_work);
	ib_unregister_device(&dev->ibdev);
	ornic_ib_keep_name(dev);
	atomic_notifier_chain_unregister(&dev->odev->death, &dev->death);
	/* Posting has ended, so the work is not queued again */
	cancel_work_sync(&dev->flush_work);
	ornic_mr_uninit_shared(dev);
	ida_destroy(&dev->counter_ids);
	xa_destroy(&dev->qps);
	ib_dealloc_device(&dev->ibdev);
}

static const struct auxiliary_device_id ornic_ib_ids[] = {
	{ .name = "ornic." ORNIC_ADEV_NAME, },
	{},
};
MODULE_DEVICE_TABLE(auxiliary, ornic_ib_ids);

static struct auxiliary_driver ornic_ib_driver = {
	.name = "rdma",
	.probe = ornic_ib_probe,
	.remove = ornic_ib_remove,
	.id_table = ornic_ib_ids,
};
module_auxiliary_driver(ornic_ib_driver);

MODULE_DESCRIPTION("Open RDMA NIC verbs driver");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_IMPORT_NS("ORNIC");
