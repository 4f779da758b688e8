// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Needs and effects of each command */
#include "base/state.h"
#include "card/effects.h"
#include "eth/flow_field.h"

#define CHANGES ORNIC_EFFECT_CHANGES
#define SLOW ORNIC_EFFECT_SLOW
#define QUIET ORNIC_EFFECT_QUIET
#define RDMA ORNIC_PROFILE_RDMA
#define ETHERNET ORNIC_PROFILE_ETHERNET

/**
 * struct effects - one command
 * @known: the command exists
 * @flags: ORNIC_EFFECT_*, besides SUPPORTED
 * @profile: ORNIC_PROFILE_* that has the command; 0: all
 * @feature: ORNIC_FEAT_* that brings it; 0: none
 * @flow_flag: ORNIC_FLOW_* that rules must take; 0: none
 */
struct effects {
	bool known;
	uint8_t flags;
	uint8_t profile;
	uint64_t feature;
	uint32_t flow_flag;
};

#define E(name, flags, profile, feature) \
	[ORNIC_CMD_##name] = { true, flags, profile, feature, 0 }
/* Counters are for rules that count ([ORNIC-FIELD-3]) */
#define E_COUNTERS(name) \
	[ORNIC_CMD_##name] = { true, CHANGES, 0, ORNIC_FEAT_FLOW, \
			       ORNIC_FLOW_COUNT }

static const struct effects effects_table[] = {
	E(NOP, 0, 0, 0),
	E(QUERY_DEVICE, 0, 0, 0),
	E(QUERY_STATS, 0, 0, 0),
	E(SET_HOST, CHANGES, 0, 0),
	E(QUERY_EFFECTS, 0, 0, 0),
	E(QUERY_LOG, 0, 0, 0),
	E(QUERY_PORT, 0, 0, 0),
	E(MODIFY_PORT, CHANGES, 0, 0),
	E(SET_RX_FILTER, CHANGES, ETHERNET, 0),
	E(SET_RX_QUEUES, CHANGES, ETHERNET, 0),
	E(SET_GID, CHANGES, RDMA, 0),
	E(ALLOC_UCTX, CHANGES, 0, 0),
	E(FREE_UCTX, CHANGES, 0, 0),
	E(CREATE_EQ, CHANGES, 0, 0),
	E(DESTROY_EQ, CHANGES, 0, 0),
	E(CREATE_COMP_CNTR, CHANGES, 0, ORNIC_FEAT_COMP_CNTR),
	E(DESTROY_COMP_CNTR, CHANGES, 0, ORNIC_FEAT_COMP_CNTR),
	E(MODIFY_COMP_CNTR, CHANGES, 0, ORNIC_FEAT_COMP_CNTR),
	E(CREATE_MR, CHANGES | SLOW, 0, 0),
	E(DESTROY_MR, CHANGES | SLOW, 0, 0),
	E(MODIFY_MR, CHANGES | SLOW, 0, ORNIC_FEAT_MODIFY_MR),
	E(CREATE_CQ, CHANGES | SLOW, 0, 0),
	E(DESTROY_CQ, CHANGES, 0, 0),
	E(MODIFY_CQ, CHANGES, 0, ORNIC_FEAT_CQ_MODERATION),
	E(RESIZE_CQ, CHANGES | SLOW | QUIET, 0, ORNIC_FEAT_RESIZE_CQ),
	E(CREATE_QP, CHANGES | SLOW, 0, 0),
	E(DESTROY_QP, CHANGES, 0, 0),
	E(MODIFY_QP, CHANGES, 0, 0),
	E(QUERY_QP, 0, 0, 0),
	E(ATTACH_MCAST, CHANGES, 0, ORNIC_FEAT_MCAST),
	E(DETACH_MCAST, CHANGES, 0, ORNIC_FEAT_MCAST),
	E(BIND_STATS, CHANGES, 0, ORNIC_FEAT_STAT_SETS),
	E(ATTACH_COMP_CNTR, CHANGES, 0, ORNIC_FEAT_COMP_CNTR),
	E(CREATE_SRQ, CHANGES | SLOW, 0, ORNIC_FEAT_SRQ),
	E(DESTROY_SRQ, CHANGES, 0, ORNIC_FEAT_SRQ),
	E(MODIFY_SRQ, CHANGES, 0, ORNIC_FEAT_SRQ),
	E(QUERY_SRQ, 0, 0, ORNIC_FEAT_SRQ),
	E(RESIZE_SRQ, CHANGES | SLOW | QUIET, 0, ORNIC_FEAT_RESIZE_SRQ),
	E(ALLOC_XRCD, CHANGES, 0, ORNIC_FEAT_XRC),
	E(FREE_XRCD, CHANGES, 0, ORNIC_FEAT_XRC),
	E(CREATE_WQ, CHANGES | SLOW, 0, ORNIC_FEAT_WQ),
	E(DESTROY_WQ, CHANGES, 0, ORNIC_FEAT_WQ),
	E(MODIFY_WQ, CHANGES, 0, ORNIC_FEAT_WQ),
	E(CREATE_RWQ_TABLE, CHANGES, 0, ORNIC_FEAT_WQ),
	E(DESTROY_RWQ_TABLE, CHANGES, 0, ORNIC_FEAT_WQ),
	E(CREATE_FLOW, CHANGES, 0, ORNIC_FEAT_FLOW),
	E(DESTROY_FLOW, CHANGES, 0, ORNIC_FEAT_FLOW),
	E_COUNTERS(CREATE_COUNTERS),
	E_COUNTERS(DESTROY_COUNTERS),
};

_Static_assert(ARRAY_SIZE(effects_table) <= ORNIC_EFFECTS_MAX,
	       "QUERY_EFFECTS tells all commands");

bool effects_supports(const struct card *card, uint16_t opcode)
{
	const struct effects *effects;

	if (opcode >= ARRAY_SIZE(effects_table))
		return false;
	effects = &effects_table[opcode];
	return effects->known &&
	       (!effects->profile || card->profiles & effects->profile) &&
	       card_uses(card, effects->feature) &&
	       (!effects->flow_flag ||
		effects->flow_flag & flow_flags(card, card->host.features));
}

enum ornic_cmd_status effects_cmd_query(struct card *card, struct cmd *cmd)
{
	uint8_t *out = cmd->out;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(effects_table); i++)
		if (effects_supports(card, i))
			out[i] = ORNIC_EFFECT_SUPPORTED |
				 effects_table[i].flags;
	return ORNIC_CMD_OK;
}
