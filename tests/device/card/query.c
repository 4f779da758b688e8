// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* QUERY_DEVICE: announces exactly what the card implements */
#include <string.h>

#include <ornic_hw_profile.h>

#include "base/feature.h"
#include "base/limit.h"
#include "base/state.h"
#include "card/query.h"
#include "eth/ethport.h"
#include "eth/flow_field.h"
#include "eth/headers.h"
#include "eth/rss.h"
#include "eth/wq.h"
#include "objects/counters.h"
#include "objects/mr.h"
#include "objects/pd.h"
#include "roce/mcast.h"

/* Implemented operations, all below 64: bit n is for enum ornic_wr_opcode n */
#define QUERY_SEND_OPS                                                   \
	(1ULL << ORNIC_WR_RDMA_WRITE | 1ULL << ORNIC_WR_RDMA_WRITE_WITH_IMM | \
	 1ULL << ORNIC_WR_SEND | 1ULL << ORNIC_WR_SEND_WITH_IMM |          \
	 1ULL << ORNIC_WR_RDMA_READ | 1ULL << ORNIC_WR_ATOMIC_CMP_SWP |    \
	 1ULL << ORNIC_WR_ATOMIC_FETCH_ADD | 1ULL << ORNIC_WR_LOCAL_INV |  \
	 1ULL << ORNIC_WR_BIND_MW | 1ULL << ORNIC_WR_SEND_WITH_INV |       \
	 1ULL << ORNIC_WR_TSO | 1ULL << ORNIC_WR_FLUSH |                   \
	 1ULL << ORNIC_WR_ATOMIC_WRITE | 1ULL << ORNIC_WR_MASKED_CMP_SWP |\
	 1ULL << ORNIC_WR_MASKED_FETCH_ADD | 1ULL << ORNIC_WR_REG_MR)

#define QUERY_FEATURES                \
	(ORNIC_FEAT_SRQ |             \
	 ORNIC_FEAT_RESIZE_SRQ |      \
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
	 ORNIC_FEAT_STAT_SETS |       \
	 ORNIC_FEAT_TSO |             \
	 ORNIC_FEAT_RATE_LIMIT |      \
	 ORNIC_FEAT_NULL_MR |         \
	 ORNIC_FEAT_FLOW_COPY |       \
	 ORNIC_FEAT_COMP_CNTR)

#define QUERY_QP_TYPES                                                   \
	(1u << ORNIC_QPT_GSI | 1u << ORNIC_QPT_RC | 1u << ORNIC_QPT_UC | \
	 1u << ORNIC_QPT_UD | 1u << ORNIC_QPT_RAW_PACKET |               \
	 1u << ORNIC_QPT_XRC_SEND | 1u << ORNIC_QPT_XRC_RECV)
#define QUERY_PAGE_SHIFT_MIN 12
#define QUERY_PAGE_SHIFT_MAX 31

/* Features and operations that only one of the profiles has */
#define QUERY_RDMA_FEATURES                                              \
	(ORNIC_FEAT_SRQ | ORNIC_FEAT_RESIZE_SRQ | ORNIC_FEAT_XRC |        \
	 ORNIC_FEAT_MCAST | ORNIC_FEAT_MW | ORNIC_FEAT_REG_MR |           \
	 ORNIC_FEAT_STAT_SETS | ORNIC_FEAT_NULL_MR | ORNIC_FEAT_COMP_CNTR)
#define QUERY_ETHERNET_FEATURES                                          \
	(ORNIC_FEAT_WQ | ORNIC_FEAT_FLOW | ORNIC_FEAT_TSO |               \
	 ORNIC_FEAT_RATE_LIMIT | ORNIC_FEAT_FLOW_COPY)
#define QUERY_ETHERNET_OPS (1ULL << ORNIC_WR_SEND | 1ULL << ORNIC_WR_TSO)

/* A newer minor version has a feature that the header does not define */
#define QUERY_NEWER_FEATURE (1ULL << 55)

uint64_t query_features(const struct card *card, uint64_t without)
{
	uint64_t features = QUERY_FEATURES & ~without;

	if (!(card->profiles & ORNIC_PROFILE_RDMA))
		features &= ~QUERY_RDMA_FEATURES;
	if (!(card->profiles & ORNIC_PROFILE_ETHERNET))
		features &= ~QUERY_ETHERNET_FEATURES;
	if (card->flow_basic)
		features &= ~ORNIC_FEAT_FLOW_COPY;
	if (ORNIC_GET(ORNIC_VERSION_MINOR, card->version))
		features |= QUERY_NEWER_FEATURE;
	return feature_close(features);
}

uint64_t query_send_ops(const struct card *card, uint64_t features)
{
	uint64_t ops = QUERY_SEND_OPS;

	if (!(card->profiles & ORNIC_PROFILE_RDMA))
		ops &= QUERY_ETHERNET_OPS;
	return feature_send_ops(ops, features);
}

uint32_t query_qp_types(const struct card *card, uint64_t features)
{
	uint32_t types = QUERY_QP_TYPES;

	if (!(card->profiles & ORNIC_PROFILE_RDMA))
		types &= 1u << ORNIC_QPT_RAW_PACKET;
	if (!(card->profiles & ORNIC_PROFILE_ETHERNET))
		types &= ~(1u << ORNIC_QPT_RAW_PACKET);
	if (!(features & ORNIC_FEAT_XRC))
		types &= ~(1u << ORNIC_QPT_XRC_SEND |
			   1u << ORNIC_QPT_XRC_RECV);
	return types;
}

/* Fields of features and profiles that are missing are 0 ([ORNIC-DEV-5]) */
#define FIELD(feature, profile, name)                               \
	{ feature, profile, offsetof(struct ornic_query_device_out, name), \
	  sizeof(((struct ornic_query_device_out *)0)->name) }
#define OF_FEATURE(feature, name) FIELD(ORNIC_FEAT_##feature, 0, name)
#define OF_PROFILE(profile, name) FIELD(0, ORNIC_PROFILE_##profile, name)

static const struct query_field {
	uint64_t feature;
	uint32_t profile;
	uint16_t offset;
	uint16_t size;
} query_fields[] = {
	OF_FEATURE(SRQ, max_srq),
	OF_FEATURE(SRQ, max_srq_wqes),
	OF_FEATURE(XRC, max_xrcd),
	OF_FEATURE(MCAST, max_mcast_groups),
	OF_FEATURE(MCAST, max_mcast_qps),
	OF_FEATURE(MW, max_mw),
	OF_FEATURE(REG_MR, max_reg_pages),
	OF_FEATURE(WQ, max_wq),
	OF_FEATURE(WQ, max_rwq_tables),
	OF_FEATURE(WQ, max_rwq_table_size),
	OF_FEATURE(WQ, rx_hash_fields),
	OF_FEATURE(WQ, max_delay_drop),
	OF_FEATURE(FLOW, max_flows),
	OF_FEATURE(FLOW, max_counters),
	OF_FEATURE(FLOW, flow_types),
	OF_FEATURE(FLOW, flow_fields),
	OF_FEATURE(FLOW, flow_any_mask),
	OF_FEATURE(FLOW, flow_flags),
	OF_FEATURE(FLOW, flow_layers),
	OF_FEATURE(FLOW, max_flow_masks),
	OF_FEATURE(STAT_SETS, max_stat_sets),
	OF_FEATURE(COMP_CNTR, max_comp_cntrs),
	OF_FEATURE(TSO, max_tso),
	OF_FEATURE(RATE_LIMIT, min_rate),
	OF_FEATURE(RATE_LIMIT, max_rate),
	OF_PROFILE(RDMA, max_gid),
	OF_PROFILE(RDMA, max_rd_atomic),
	OF_PROFILE(RDMA, max_msg_size),
	OF_PROFILE(ETHERNET, max_rx_queues),
	OF_PROFILE(ETHERNET, wq_flags),
	OF_PROFILE(ETHERNET, parse_bytes),
	OF_PROFILE(ETHERNET, parse_tags),
	OF_PROFILE(ETHERNET, parse_exts),
	OF_PROFILE(ETHERNET, rx_hash_types),
};

static void query_clear_fields(const struct card *card,
			       struct ornic_query_device_out *out)
{
	const struct query_field *field;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(query_fields); i++) {
		field = &query_fields[i];
		if (field->feature & ~card->features ||
		    field->profile & ~card->profiles)
			memset((char *)out + field->offset, 0, field->size);
	}
	if (card->flow_basic)
		out->max_counters = 0;
	if (!(card->features & ORNIC_FEAT_WQ))
		out->wq_flags &= ~htole32(ORNIC_WQ_DELAY_DROP);
}

/* A device announces only profiles of which it has all ([ORNIC-PROF-1]) */
#define VALUE(out, name) \
	(sizeof((out)->name) == 8 ? le64toh((out)->name) : le32toh((out)->name))
#define HAS_BITS(name, bits) && !((bits) & ~(uint64_t)VALUE(out, name))
#define HAS_LEAST(name, least) && VALUE(out, name) >= (least)

static uint32_t query_profiles(const struct card *card,
			       struct ornic_query_device_out *out)
{
	uint32_t profiles = card->profiles;

	if (!(true ORNIC_PROFILE_RDMA_BITS(HAS_BITS)
	      ORNIC_PROFILE_RDMA_LEAST(HAS_LEAST)))
		profiles &= ~ORNIC_PROFILE_RDMA;
	if (!(true ORNIC_PROFILE_ETHERNET_BITS(HAS_BITS)
	      ORNIC_PROFILE_ETHERNET_LEAST(HAS_LEAST)))
		profiles &= ~ORNIC_PROFILE_ETHERNET;
	out->profiles = htole32(profiles);
	if (true ORNIC_PROFILE_ULP_BITS(HAS_BITS)
	    ORNIC_PROFILE_ULP_LEAST(HAS_LEAST))
		profiles |= ORNIC_PROFILE_ULP;
	out->profiles = htole32(profiles);
	if (true ORNIC_PROFILE_FULL_BITS(HAS_BITS)
	    ORNIC_PROFILE_FULL_LEAST(HAS_LEAST))
		profiles |= ORNIC_PROFILE_FULL;
	return profiles;
}

/*
 * An older device ends its answer before the fields that it does not know, a
 * newer one has more of them ([ORNIC-VER-3]).
 */
static uint32_t query_device_len(const struct card *card,
				 struct ornic_query_device_out *out)
{
	const uint8_t *byte = (const uint8_t *)out;
	uint32_t len = sizeof(*out);

	if (ORNIC_GET(ORNIC_VERSION_MINOR, card->version)) {
		memset(out + 1, 0xa5, QUERY_NEWER_BYTES);
		return len + QUERY_NEWER_BYTES;
	}
	while (QUERY_FEATURES & ~card->features && !byte[len - 1])
		len--;
	return len;
}

enum ornic_cmd_status query_cmd_device(struct card *card, struct cmd *cmd)
{
	struct ornic_query_device_out *out = cmd->out;

	out->features = htole64(card->features);
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
	out->access_flags = htole32(mr_access_flags(card->features));
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
	out->max_stat_sets = htole32(STATS_SETS);
	out->max_tso = htole32(CARD_MAX_TSO);
	out->min_rate = htole32(1);
	out->max_rate = htole32(ETHPORT_SPEED_MBPS * 1000);
	out->sq_ci_lag = htole32(card->sq_ci_lag);
	out->rq_ci_lag = htole32(card->rq_ci_lag);
	out->needs = htole32(card->rq_doorbell ? ORNIC_NEEDS_RQ_DOORBELL : 0);
	out->qp_types = htole32(query_qp_types(card, card->features));
	out->send_ops[0] =
		htole64(query_send_ops(card, card->features));
	out->max_log = htole32(ERRLOG_ENTRIES);
	out->flow_types = htole32(flow_types(card, card->features));
	out->flow_fields = htole64(flow_fields(card));
	out->flow_any_mask = htole64(flow_any_mask(card));
	out->flow_flags = htole32(flow_flags(card, card->features));
	out->flow_layers = htole32(flow_layers(card));
	out->max_flow_masks = htole32(flow_max_masks(card));
	out->parse_bytes = htole32(card->parse->bytes);
	out->parse_tags = htole32(card->parse->tags);
	out->parse_exts = htole32(card->parse->exts);
	out->rx_hash_types = htole32(card->rx_hash_types);
	out->max_comp_cntrs = htole32(card->comp_cntrs.max);
	query_clear_fields(card, out);
	out->profiles = htole32(query_profiles(card, out));
	limit_report(&card->limits, out);
	cmd->out_len = query_device_len(card, out);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status query_cmd_stats(struct card *card, struct cmd *cmd)
{
	const struct ornic_query_stats_in *in = cmd->in;
	uint32_t scope = le32toh(in->scope);
	uint32_t num = le32toh(in->num);
	const struct counters *counters;
	const uint64_t *from;
	__le64 *to = cmd->out;
	int count, i;

	if (num && scope != ORNIC_STATS_SET && scope != ORNIC_STATS_COUNTERS)
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
	case ORNIC_STATS_SET:
		if (!card_uses(card, ORNIC_FEAT_STAT_SETS) || num >= STATS_SETS)
			return ORNIC_CMD_BAD_OBJECT;
		from = card->stats.set[num];
		count = ORNIC_QP_STAT_COUNT;
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
