// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Features by name, and what they depend on ([ORNIC-NEG-6]) */
#include <string.h>

#include <ornic_hw_cmd.h>

#include "base/feature.h"
#include "env/list.h"

/**
 * struct feature - one feature
 * @name: for the command line
 * @bit: ORNIC_FEAT_*
 * @needs: features without which there is no such feature
 */
struct feature {
	const char *name;
	uint64_t bit;
	uint64_t needs;
};

static const struct feature features[] = {
	{ "srq", ORNIC_FEAT_SRQ, 0 },
	{ "resize_srq", ORNIC_FEAT_RESIZE_SRQ, ORNIC_FEAT_SRQ },
	{ "xrc", ORNIC_FEAT_XRC, ORNIC_FEAT_SRQ },
	{ "mcast", ORNIC_FEAT_MCAST, 0 },
	{ "mw", ORNIC_FEAT_MW, 0 },
	{ "reg_mr", ORNIC_FEAT_REG_MR, 0 },
	{ "modify_mr", ORNIC_FEAT_MODIFY_MR, 0 },
	{ "resize_cq", ORNIC_FEAT_RESIZE_CQ, 0 },
	{ "cq_moderation", ORNIC_FEAT_CQ_MODERATION, 0 },
	{ "cqe_ext", ORNIC_FEAT_CQE_EXT, 0 },
	{ "wq", ORNIC_FEAT_WQ, 0 },
	{ "flow", ORNIC_FEAT_FLOW, 0 },
	{ "stat_sets", ORNIC_FEAT_STAT_SETS, 0 },
	{ "tso", ORNIC_FEAT_TSO, 0 },
	{ "rate_limit", ORNIC_FEAT_RATE_LIMIT, 0 },
	{ "null_mr", ORNIC_FEAT_NULL_MR, 0 },
	{ "flow_copy", ORNIC_FEAT_FLOW_COPY, ORNIC_FEAT_FLOW },
	{ "comp_cntr", ORNIC_FEAT_COMP_CNTR, 0 },
	{ "push", ORNIC_FEAT_PUSH, 0 },
};

/* Operations, and the features of which one is enough */
static const struct {
	uint8_t op;
	uint64_t any;
} feature_ops[] = {
	{ ORNIC_WR_BIND_MW, ORNIC_FEAT_MW },
	{ ORNIC_WR_REG_MR, ORNIC_FEAT_REG_MR },
	{ ORNIC_WR_LOCAL_INV, ORNIC_FEAT_REG_MR | ORNIC_FEAT_MW },
	{ ORNIC_WR_SEND_WITH_INV, ORNIC_FEAT_REG_MR | ORNIC_FEAT_MW },
	{ ORNIC_WR_TSO, ORNIC_FEAT_TSO },
};

bool feature_find(const char *name, uint64_t *bits)
{
	unsigned int i;

	*bits = ~0ULL;
	if (!strcmp(name, "all"))
		return true;
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		*bits = features[i].bit;
		if (!strcmp(name, features[i].name))
			return true;
	}
	return false;
}

uint64_t feature_close(uint64_t set)
{
	unsigned int i;

	/* No feature needs one that needs another one */
	for (i = 0; i < ARRAY_SIZE(features); i++)
		if (features[i].needs & ~set)
			set &= ~features[i].bit;
	return set;
}

uint64_t feature_send_ops(uint64_t ops, uint64_t set)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(feature_ops); i++)
		if (!(feature_ops[i].any & set))
			ops &= ~(1ULL << feature_ops[i].op);
	return ops;
}
