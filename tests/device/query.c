// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* QUERY_DEVICE: announces exactly what the card implements */
#include "core.h"
#include "query.h"
#include "engine.h"
#include "mr.h"
#include "wq.h"

#define QUERY_FEATURES                \
	(ORNIC_FEAT_SRQ |             \
	 ORNIC_FEAT_XRC |             \
	 ORNIC_FEAT_MCAST |           \
	 ORNIC_FEAT_MW |              \
	 ORNIC_FEAT_REG_MR |          \
	 ORNIC_FEAT_MODIFY_MR |       \
	 ORNIC_FEAT_RESIZE_CQ |       \
	 ORNIC_FEAT_CQ_MODERATION |   \
	 ORNIC_FEAT_CQE_EXT |         \
	 ORNIC_FEAT_WQ |              \
	 ORNIC_FEAT_FLOW |            \
	 ORNIC_FEAT_TSO |             \
	 ORNIC_FEAT_RATE_LIMIT |      \
	 ORNIC_FEAT_PATH_MIG |        \
	 ORNIC_FEAT_NULL_MR)
#define QUERY_QP_TYPES                                                   \
	(1u << ORNIC_QPT_GSI | 1u << ORNIC_QPT_RC | 1u << ORNIC_QPT_UC | \
	 1u << ORNIC_QPT_UD | 1u << ORNIC_QPT_RAW_PACKET |               \
	 1u << ORNIC_QPT_XRC_SEND | 1u << ORNIC_QPT_XRC_RECV)
#define QUERY_PAGE_SHIFT_MIN 12
#define QUERY_PAGE_SHIFT_MAX 31

enum ornic_cmd_status query_cmd_device(struct nic *nic, struct cmd *cmd)
{
	struct ornic_query_device_out *out = cmd->out;

	out->features = htole64(QUERY_FEATURES);
	out->guid = htole64(nic_guid(nic->mac));
	out->fw_version = htole32(QUERY_FW_VERSION);
	/* Doorbell pages, including the kernel's */
	out->max_uctx = htole32(nic->uctxs.size);
	out->max_pd = htole32(nic->pds.max);
	out->max_eq = htole32(nic->eqs.size);
	out->max_eqe = htole32(1u << CORE_MAX_LOG_EQE);
	out->max_cq = htole32(nic->cqs.max);
	out->max_cqe = htole32(1u << CORE_MAX_LOG_CQE);
	out->max_qp = htole32(nic->qps.max);
	out->max_sq_slots = htole32(1u << CORE_MAX_LOG_SQ_SLOTS);
	out->max_rq_wqes = htole32(1u << CORE_MAX_LOG_RQ_WQES);
	out->max_sge = htole32(CORE_MAX_SGE);
	out->max_inline = htole32(CORE_MAX_INLINE);
	out->max_mr = htole32(nic->mrs.max);
	out->max_srq = htole32(nic->srqs.max);
	out->max_srq_wqes = htole32(1u << CORE_MAX_LOG_RQ_WQES);
	out->max_xrcd = htole32(nic->xrcds.max);
	out->max_mcast_groups = htole32(MCAST_GROUPS_MAX);
	out->max_mcast_qps = htole32(MCAST_QPS_MAX);
	out->max_mr_size = htole64(MR_MAX_SIZE);
	out->page_sizes = htole64((1ULL << (QUERY_PAGE_SHIFT_MAX + 1)) -
				  (1ULL << QUERY_PAGE_SHIFT_MIN));
	out->access_flags = htole32(MR_ACCESS_FLAGS);
	out->max_gid = htole32(GID_TABLE_SIZE);
	out->max_rd_atomic = htole32(CORE_MAX_RD_ATOMIC);
	out->max_msg_size = htole32(CORE_MAX_MSG_SIZE);
	out->max_mw = htole32(nic->mrs.max);
	out->max_reg_pages = htole32(MR_MAX_REG_PAGES);
	out->max_rx_queues = htole32(ETHPORT_QUEUES_MAX);
	/* QPs and WQs share one table of numbers */
	out->max_wq = htole32(nic->qps.max);
	out->max_rwq_tables = htole32(nic->rwqs.max);
	out->max_rwq_table_size = htole32(1u << CORE_MAX_LOG_RWQ_SIZE);
	out->rx_hash_fields = htole32(RSS_FIELDS);
	out->max_delay_drop = htole32(CORE_MAX_DELAY_DROP_US);
	out->wq_flags = htole32(WQ_FLAGS);
	out->max_flows = htole32(nic->flows.max);
	out->max_counters = htole32(nic->counters.max);
	out->max_tso = htole32(CORE_MAX_TSO);
	out->min_rate = htole32(1);
	out->max_rate = htole32(ETHPORT_SPEED_MBPS * 1000);
	out->qp_types = htole32(QUERY_QP_TYPES);
	out->send_ops = htole64(ENGINE_SEND_OPS);
	return ORNIC_CMD_OK;
}
