// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* QUERY_DEVICE: announces exactly what the card implements */
#include "base/state.h"
#include "card/qp_cmd.h"
#include "card/query.h"
#include "eth/ethport.h"
#include "eth/rss.h"
#include "eth/wq.h"
#include "objects/counters.h"
#include "objects/mr.h"
#include "objects/pd.h"
#include "roce/mcast.h"

#define QUERY_STATS_MAX (ORNIC_CMD_MAX_OUT / sizeof(__le64))

/* Implemented operations: bit n is for enum ornic_wr_opcode n */
#define QUERY_SEND_OPS                                                   \
	(1ULL << ORNIC_WR_RDMA_WRITE | 1ULL << ORNIC_WR_RDMA_WRITE_WITH_IMM | \
	 1ULL << ORNIC_WR_SEND | 1ULL << ORNIC_WR_SEND_WITH_IMM |          \
	 1ULL << ORNIC_WR_RDMA_READ | 1ULL << ORNIC_WR_ATOMIC_CMP_SWP |    \
	 1ULL << ORNIC_WR_ATOMIC_FETCH_ADD | 1ULL << ORNIC_WR_LOCAL_INV |  \
	 1ULL << ORNIC_WR_BIND_MW | 1ULL << ORNIC_WR_SEND_WITH_INV |       \
	 1ULL << ORNIC_WR_TSO |                                            \
	 1ULL << ORNIC_WR_RDMA_READ_WITH_INV | 1ULL << ORNIC_WR_FLUSH |    \
	 1ULL << ORNIC_WR_ATOMIC_WRITE | 1ULL << ORNIC_WR_MASKED_CMP_SWP |\
	 1ULL << ORNIC_WR_MASKED_FETCH_ADD | 1ULL << ORNIC_WR_REG_MR)

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

enum ornic_cmd_status query_cmd_device(struct card *card, struct cmd *cmd)
{
	struct ornic_query_device_out *out = cmd->out;

	out->features = htole64(QUERY_FEATURES);
	out->guid = htole64(card_guid(card->mac));
	out->fw_version = htole32(QUERY_FW_VERSION);
	/* Doorbell pages, including the kernel's */
	out->max_uctx = htole32(card->uctxs.size);
	out->max_pd = htole32(PD_MAX);
	out->max_eq = htole32(card->eqs.size);
	out->max_eqe = htole32(1u << CARD_MAX_LOG_EQE);
	out->max_cq = htole32(card->cqs.max);
	out->max_cqe = htole32(1u << CARD_MAX_LOG_CQE);
	out->max_qp = htole32(card->qps.max);
	out->max_sq_slots = htole32(1u << CARD_MAX_LOG_SQ_SLOTS);
	out->max_rq_wqes = htole32(1u << CARD_MAX_LOG_RQ_WQES);
	out->max_sge = htole32(CARD_MAX_SGE);
	out->max_inline = htole32(CARD_MAX_INLINE);
	out->max_mr = htole32(card->mrs.max);
	out->max_srq = htole32(card->srqs.max);
	out->max_srq_wqes = htole32(1u << CARD_MAX_LOG_RQ_WQES);
	out->max_xrcd = htole32(card->xrcds.max);
	out->max_mcast_groups = htole32(MCAST_GROUPS_MAX);
	out->max_mcast_qps = htole32(MCAST_QPS_MAX);
	out->max_mr_size = htole64(MR_MAX_SIZE);
	out->page_sizes = htole64((1ULL << (QUERY_PAGE_SHIFT_MAX + 1)) -
				  (1ULL << QUERY_PAGE_SHIFT_MIN));
	out->access_flags = htole32(MR_ACCESS_FLAGS);
	out->max_gid = htole32(GID_TABLE_SIZE);
	out->max_rd_atomic = htole32(CARD_MAX_RD_ATOMIC);
	out->max_msg_size = htole32(CARD_MAX_MSG_SIZE);
	out->max_mw = htole32(card->mrs.max);
	out->max_reg_pages = htole32(MR_MAX_REG_PAGES);
	out->max_rx_queues = htole32(ETHPORT_QUEUES_MAX);
	/* QPs and WQs share one table of numbers */
	out->max_wq = htole32(card->qps.max);
	out->max_rwq_tables = htole32(card->rwq_tables.max);
	out->max_rwq_table_size = htole32(1u << CARD_MAX_LOG_RWQ_SIZE);
	out->rx_hash_fields = htole32(RSS_FIELDS);
	out->max_delay_drop = htole32(CARD_MAX_DELAY_DROP_US);
	out->wq_flags = htole32(WQ_FLAGS);
	out->max_flows = htole32(card->flows.max);
	out->max_counters = htole32(card->counters.max);
	out->max_tso = htole32(CARD_MAX_TSO);
	out->min_rate = htole32(1);
	out->max_rate = htole32(ETHPORT_SPEED_MBPS * 1000);
	out->qp_types = htole32(QUERY_QP_TYPES);
	out->send_ops = htole64(QUERY_SEND_OPS);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status query_cmd_stats(struct card *card, struct cmd *cmd)
{
	const struct ornic_query_stats_in *in = cmd->in;
	uint32_t scope = le32toh(in->scope);
	uint32_t num = le32toh(in->num);
	uint64_t qp_counters[QUERY_STATS_MAX];
	const struct counters *counters;
	const uint64_t *from;
	__le64 *to = cmd->out;
	int count, i;

	if (num && scope != ORNIC_STATS_QP && scope != ORNIC_STATS_COUNTERS)
		return ORNIC_CMD_BAD_PARAM;
	switch (scope) {
	case ORNIC_STATS_PORT:
		from = card->stats.port;
		count = ORNIC_PORT_STAT_COUNT;
		break;
	case ORNIC_STATS_RDMA:
		from = card->stats.rdma;
		count = ORNIC_RDMA_STAT_COUNT;
		break;
	case ORNIC_STATS_QP:
		from = qp_counters;
		count = qp_stats(card, num, qp_counters, QUERY_STATS_MAX);
		if (count < 0)
			return ORNIC_CMD_BAD_OBJECT;
		break;
	case ORNIC_STATS_DEVICE:
		from = card->stats.device;
		count = ORNIC_DEVICE_STAT_COUNT;
		break;
	case ORNIC_STATS_COUNTERS:
		counters = counters_find(card, num);
		if (!counters)
			return ORNIC_CMD_BAD_OBJECT;
		from = counters->val;
		count = ORNIC_COUNTERS_STAT_COUNT;
		break;
	default:
		return ORNIC_CMD_BAD_PARAM;
	}
	for (i = 0; i < count; i++)
		to[i] = htole64(from[i]);
	cmd->out_len = count * sizeof(*to);
	return ORNIC_CMD_OK;
}
