// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Attributes of the device and its port, GID table */
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include <rdma/ornic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "device.h"
#include "pbl.h"
#include "ring.h"

/* An address handle takes only host memory, so the limit is arbitrary */
#define ORNIC_IB_MAX_AH		BIT(20)
/* struct ib_global_route has 8 bits for sgid_index */
#define ORNIC_IB_GIDS_MAX	256
/* Limit of object counts, which are int in struct ib_device_attr */
#define ORNIC_IB_COUNT_MAX	BIT(24)
/* Mb/s per unit of query_port_speed */
#define ORNIC_IB_SPEED_UNIT	100
/* Entries that fit into the input of CREATE_RWQ_TABLE */
#define ORNIC_IB_RWQ_TABLE_MAX	512
/* Time stamps are in nanoseconds */
#define ORNIC_IB_CLOCK_KHZ	1000000

/**
 * ornic_device_init_limits - reduce the device's limits to those of verbs
 * @dev:	its limits are filled in
 *
 * Return: 0, or -ENODEV if the device cannot serve as a verbs device.
 */
int ornic_device_init_limits(struct ornic_ib_dev *dev)
{
	const struct ornic_limits *lim = &dev->odev->lim;
	u32 types = BIT(ORNIC_QPT_RC) | BIT(ORNIC_QPT_UD) | BIT(ORNIC_QPT_GSI);

	if ((lim->qp_types & types) != types || !lim->max_gid || !lim->max_cqe ||
	    !lim->max_sq_slots || !lim->max_rq_wqes || !lim->max_sge)
		return -ENODEV;

	dev->max_sge = min(lim->max_sge, ORNIC_MAX_SGE);
	dev->max_inline = min(lim->max_inline, ORNIC_MAX_INLINE);
	dev->max_cqe = min(lim->max_cqe, ORNIC_MAX_CQE);
	if (lim->features & ORNIC_FEAT_SRQ)
		dev->max_srq_wr = ornic_ring_usable(min(lim->max_srq_wqes, ORNIC_MAX_RING),
						    lim->rq_ci_lag);
	dev->max_wq_wr = ornic_ring_usable(min(lim->max_rq_wqes, ORNIC_MAX_RING), lim->rq_ci_lag);
	dev->max_rwq_table_size = min(lim->max_rwq_table_size, ORNIC_IB_RWQ_TABLE_MAX);
	if (lim->features & ORNIC_FEAT_REG_MR)
		dev->max_reg_pages = min(lim->max_reg_pages, ORNIC_PBL_FLAT_MAX);
	dev->gid_len = min(lim->max_gid, ORNIC_IB_GIDS_MAX);
	dev->max_wr = ornic_ring_max_wr(ornic_ring_usable(min(lim->max_sq_slots, ORNIC_MAX_RING),
							  lim->sq_ci_lag),
					dev->max_wq_wr, dev->max_sge, dev->max_inline);
	return dev->max_wr ? 0 : -ENODEV;
}

static_assert(struct_size_t(struct ornic_create_rwq_table_in, wqn, ORNIC_IB_RWQ_TABLE_MAX) <=
	      ORNIC_CMD_MAX_IN);

static int ornic_device_respond(struct ornic_ib_dev *dev, struct ib_udata *udata)
{
	const struct ornic_limits *lim = &dev->odev->lim;
	struct ornic_query_device_resp resp = {};

	/* The core itself queries without a response */
	if (!udata)
		return 0;

	resp.clock = ornic_clock_cycles(dev->odev);
	if (lim->features & ORNIC_FEAT_WQ) {
		resp.rx_hash_fields = lim->rx_hash_fields;
		resp.rx_hash_functions = ORNIC_RX_HASH_TOEPLITZ;
	}
	if (lim->features & ORNIC_FEAT_TSO)
		resp.max_tso = lim->max_tso;
	if (lim->features & ORNIC_FEAT_RATE_LIMIT) {
		resp.min_rate = lim->min_rate;
		resp.max_rate = lim->max_rate;
	}
	return ib_respond_udata(udata, resp);
}

static u64 ornic_device_cap_flags(const struct ornic_limits *lim)
{
	static const struct {
		u64 features;	/* ORNIC_FEAT_* */
		u64 send_ops;	/* bit n: enum ornic_wr_opcode n, below 64 */
		u32 access;	/* ORNIC_ACCESS_* */
		u32 types;	/* bit n: enum ornic_qp_type n */
		u32 wq_flags;	/* ORNIC_WQ_* */
		u64 flags;	/* set if the device has all of the above */
	} table[] = {
		{ .flags = IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_PORT_ACTIVE_EVENT |
			   IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN },
		{ .features = ORNIC_FEAT_RESIZE_SRQ, .flags = IB_DEVICE_SRQ_RESIZE },
		{ .features = ORNIC_FEAT_XRC, .flags = IB_DEVICE_XRC },
		{ .features = ORNIC_FEAT_MW, .send_ops = BIT_ULL(ORNIC_WR_BIND_MW),
		  .flags = IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B },
		{ .features = ORNIC_FEAT_REG_MR,
		  .send_ops = BIT_ULL(ORNIC_WR_REG_MR) | BIT_ULL(ORNIC_WR_LOCAL_INV) |
			      BIT_ULL(ORNIC_WR_SEND_WITH_INV),
		  .flags = IB_DEVICE_MEM_MGT_EXTENSIONS },
		{ .send_ops = BIT_ULL(ORNIC_WR_FLUSH), .access = ORNIC_ACCESS_FLUSH_GLOBAL,
		  .flags = IB_DEVICE_FLUSH_GLOBAL },
		{ .send_ops = BIT_ULL(ORNIC_WR_FLUSH), .access = ORNIC_ACCESS_FLUSH_PERSISTENT,
		  .flags = IB_DEVICE_FLUSH_PERSISTENT },
		{ .send_ops = BIT_ULL(ORNIC_WR_ATOMIC_WRITE), .flags = IB_DEVICE_ATOMIC_WRITE },
		{ .features = ORNIC_FEAT_FLOW, .flags = IB_DEVICE_MANAGED_FLOW_STEERING },
		{ .types = BIT(ORNIC_QPT_RAW_PACKET), .flags = IB_DEVICE_RAW_IP_CSUM },
		{ .wq_flags = ORNIC_WQ_SCATTER_FCS, .flags = IB_DEVICE_RAW_SCATTER_FCS },
		{ .wq_flags = ORNIC_WQ_PAD_END, .flags = IB_DEVICE_PCI_WRITE_END_PADDING },
	};
	u64 flags = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (!(table[i].features & ~lim->features) &&
		    !(table[i].send_ops & ~lim->send_ops[0]) &&
		    !(table[i].access & ~lim->access_flags) &&
		    !(table[i].types & ~lim->qp_types) &&
		    !(table[i].wq_flags & ~lim->wq_flags))
			flags |= table[i].flags;
	return flags;
}

/* Atomic among the QPs of this device, [ORNIC-ORD-11] */
static enum ib_atomic_cap ornic_device_atomic_cap(const struct ornic_limits *lim, u64 send_ops)
{
	return send_ops & ~lim->send_ops[0] ? IB_ATOMIC_NONE : IB_ATOMIC_HCA;
}

static u32 ornic_device_raw_caps(const struct ornic_limits *lim)
{
	u32 caps = 0;

	if (lim->qp_types & BIT(ORNIC_QPT_RAW_PACKET))
		caps |= IB_RAW_PACKET_CAP_IP_CSUM;
	if (lim->wq_flags & ORNIC_WQ_CVLAN_STRIPPING)
		caps |= IB_RAW_PACKET_CAP_CVLAN_STRIPPING;
	if (lim->wq_flags & ORNIC_WQ_SCATTER_FCS)
		caps |= IB_RAW_PACKET_CAP_SCATTER_FCS;
	if (lim->wq_flags & ORNIC_WQ_DELAY_DROP)
		caps |= IB_RAW_PACKET_CAP_DELAY_DROP;
	return caps;
}

static void ornic_device_query_wq(const struct ornic_ib_dev *dev, struct ib_device_attr *attr)
{
	const struct ornic_limits *lim = &dev->odev->lim;

	if (!(lim->features & ORNIC_FEAT_WQ))
		return;

	attr->max_wq_type_rq = min(lim->max_wq, ORNIC_IB_COUNT_MAX);
	attr->rss_caps.supported_qpts = BIT(IB_QPT_RAW_PACKET);
	attr->rss_caps.max_rwq_indirection_tables = min(lim->max_rwq_tables, ORNIC_IB_COUNT_MAX);
	attr->rss_caps.max_rwq_indirection_table_size = dev->max_rwq_table_size;
}

int ornic_ib_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			  struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibdev);
	const struct ornic_limits *lim = &dev->odev->lim;
	int err;

	err = ib_is_udata_in_empty(udata);
	if (err)
		return err;

	attr->fw_ver = lim->fw_version;
	attr->sys_image_guid = ibdev->node_guid;
	attr->max_mr_size = lim->max_mr_size;
	attr->page_size_cap = lim->page_sizes & GENMASK(31, ORNIC_INDEX_PAGE_SHIFT);
	attr->vendor_id = dev->odev->pdev->vendor;
	attr->vendor_part_id = dev->odev->pdev->device;
	attr->hw_ver = dev->odev->pdev->revision;
	attr->max_qp = min(lim->max_qp, ORNIC_IB_COUNT_MAX);
	attr->max_qp_wr = dev->max_wr;
	attr->device_cap_flags = ornic_device_cap_flags(lim);
	attr->max_send_sge = dev->max_sge;
	attr->max_recv_sge = dev->max_sge;
	attr->max_sge_rd = dev->max_sge;
	attr->max_cq = min(lim->max_cq, ORNIC_IB_COUNT_MAX);
	attr->max_cqe = dev->max_cqe - ornic_cq_lag(dev->odev, dev->max_cqe);
	attr->max_mr = min(lim->max_mr, ORNIC_IB_COUNT_MAX);
	attr->max_pd = min(lim->max_pd, ORNIC_IB_COUNT_MAX);
	attr->max_qp_rd_atom = min(lim->max_rd_atomic, U8_MAX);
	attr->max_qp_init_rd_atom = attr->max_qp_rd_atom;
	attr->max_res_rd_atom = min_t(u64, (u64)attr->max_qp_rd_atom * attr->max_qp, INT_MAX);
	attr->atomic_cap = ornic_device_atomic_cap(lim, BIT_ULL(ORNIC_WR_ATOMIC_CMP_SWP) |
						 BIT_ULL(ORNIC_WR_ATOMIC_FETCH_ADD));
	attr->masked_atomic_cap = ornic_device_atomic_cap(lim, BIT_ULL(ORNIC_WR_MASKED_CMP_SWP) |
							BIT_ULL(ORNIC_WR_MASKED_FETCH_ADD));
	attr->max_mw = min(lim->max_mw, ORNIC_IB_COUNT_MAX);
	attr->max_fast_reg_page_list_len = dev->max_reg_pages;
	attr->max_srq = min(lim->max_srq, ORNIC_IB_COUNT_MAX);
	attr->max_srq_wr = dev->max_srq_wr;
	attr->max_srq_sge = dev->max_srq_wr ? dev->max_sge : 0;
	attr->max_mcast_grp = min(lim->max_mcast_groups, ORNIC_IB_COUNT_MAX);
	attr->max_mcast_qp_attach = min(lim->max_mcast_qps, ORNIC_IB_COUNT_MAX);
	attr->max_total_mcast_qp_attach = min_t(u64, (u64)attr->max_mcast_grp *
						     attr->max_mcast_qp_attach, INT_MAX);
	attr->max_ah = ORNIC_IB_MAX_AH;
	attr->max_pkeys = ORNIC_IB_PKEYS;
	/* 134 ms: a device that is a process answers when its host runs it */
	attr->local_ca_ack_delay = 15;
	attr->hca_core_clock = ORNIC_IB_CLOCK_KHZ;
	if (lim->features & ORNIC_FEAT_CQE_EXT)
		attr->timestamp_mask = U64_MAX;
	if (lim->features & ORNIC_FEAT_CQ_MODERATION) {
		attr->cq_caps.max_cq_moderation_count = U16_MAX;
		attr->cq_caps.max_cq_moderation_period = U16_MAX;
	}
	attr->raw_packet_caps = ornic_device_raw_caps(lim);
	ornic_device_query_wq(dev, attr);
	return ornic_device_respond(dev, udata);
}

int ornic_ib_modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *attr)
{
	int err;

	err = ornic_check_flags(ibdev, "device mask", mask, IB_DEVICE_MODIFY_NODE_DESC);
	if (err)
		return err;

	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ibdev->node_desc, attr->node_desc, IB_DEVICE_NODE_DESC_MAX);
	return 0;
}

void ornic_ib_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	ornic_fw_version(&to_ornic_ib_dev(ibdev)->odev->lim, str, IB_FW_VERSION_NAME_MAX);
}

int ornic_ib_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibdev);
	struct net_device *ndev;

	attr->state = IB_PORT_DOWN;
	attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	attr->active_width = IB_WIDTH_1X;
	attr->active_speed = IB_SPEED_SDR;
	attr->gid_tbl_len = dev->gid_len;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = dev->odev->lim.max_msg_size;
	attr->pkey_tbl_len = ORNIC_IB_PKEYS;
	attr->max_vl_num = 1;

	/*
	 * The core handles events that precede the removal of the device while
	 * it removes the device, after it took the interface away.
	 */
	ndev = ib_device_get_netdev(ibdev, port);
	if (!ndev)
		return 0;

	attr->state = ib_get_curr_port_state(ndev);
	if (attr->state == IB_PORT_ACTIVE)
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	else if (netif_running(ndev))
		attr->phys_state = IB_PORT_PHYS_STATE_POLLING;
	attr->max_mtu = iboe_get_mtu(ndev->max_mtu);
	attr->active_mtu = iboe_get_mtu(READ_ONCE(ndev->mtu));
	attr->phys_mtu = READ_ONCE(ndev->mtu);
	dev_put(ndev);

	/* Fails only without an interface, and then leaves the values above */
	ib_get_eth_speed(ibdev, port, &attr->active_speed, &attr->active_width);
	return 0;
}

/* The device's own speed, which need not be one that InfiniBand defines */
int ornic_ib_query_port_speed(struct ib_device *ibdev, u32 port, u64 *speed)
{
	struct ornic_query_port_out out;
	int err;

	err = ornic_cmd_exec(to_ornic_ib_dev(ibdev)->odev, ORNIC_CMD_QUERY_PORT, NULL, 0, &out,
			     sizeof(out));
	if (err)
		return err;

	*speed = out.link ? le32_to_cpu(out.speed) / ORNIC_IB_SPEED_UNIT : 0;
	return 0;
}

int ornic_ib_get_port_immutable(struct ib_device *ibdev, u32 port,
				struct ib_port_immutable *immutable)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibdev);

	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	if (dev->odev->lim.qp_types & BIT(ORNIC_QPT_RAW_PACKET))
		immutable->core_cap_flags |= RDMA_CORE_PORT_RAW_PACKET;
	immutable->pkey_tbl_len = ORNIC_IB_PKEYS;
	immutable->gid_tbl_len = dev->gid_len;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer ornic_ib_get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

int ornic_ib_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	int err;

	err = ornic_check_range(ibdev, "P_Key index", index, 0, ORNIC_IB_PKEYS - 1);
	if (err)
		return err;

	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

static int ornic_gid_set(const struct ib_gid_attr *attr, const struct ornic_set_gid_in *in)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(attr->device);

	return ornic_cmd_exec_urgent(dev->odev, ORNIC_CMD_SET_GID, in, sizeof(*in), NULL, 0);
}

int ornic_ib_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct ornic_set_gid_in in = {
		.index = cpu_to_le16(attr->index),
		.flags = cpu_to_le16(ORNIC_GID_VALID),
	};
	u16 vlan;
	int err;

	err = rdma_read_gid_l2_fields(attr, &vlan, in.smac);
	if (err)
		return err;

	if (vlan < VLAN_N_VID) {
		in.flags |= cpu_to_le16(ORNIC_GID_VLAN);
		in.vlan_id = cpu_to_le16(vlan);
	}
	memcpy(in.gid, attr->gid.raw, sizeof(in.gid));
	return ornic_gid_set(attr, &in);
}

int ornic_ib_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct ornic_set_gid_in in = { .index = cpu_to_le16(attr->index) };

	return ornic_gid_set(attr, &in);
}
