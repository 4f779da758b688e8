// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Flow rules */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <util/util.h>

#include "check.h"
#include "ornic.h"

/*
 * Finds the counters of a rule. The specifications follow the attributes,
 * unaligned, each with its size. The kernel checks their contents. attr->size
 * is no bound: libibverbs ignores it, and callers such as pyverbs do not
 * include the specifications in it.
 */
static int ornic_flow_find_counters(struct ibv_context *ibctx,
				    const struct ibv_flow_attr *attr,
				    struct ornic_counters **counters)
{
	const uint8_t *next = (const uint8_t *)(attr + 1);
	struct ibv_flow_spec_counter_action spec;
	const size_t header = offsetofend(typeof(spec), size);
	int i;

	*counters = NULL;
	for (i = 0; i < attr->num_of_specs; i++, next += spec.size) {
		memcpy(&spec, next, header);
		if (spec.size < header) {
			ornic_refuse(ibctx, "flow specification %d of %u bytes",
				     i, spec.size);
			return EINVAL;
		}
		if (spec.type != IBV_FLOW_SPEC_ACTION_COUNT)
			continue;
		/* A rule has at most one set of counters */
		if (*counters || spec.size < sizeof(spec)) {
			ornic_refuse(ibctx, "%s", *counters ?
				     "a flow rule has one set of counters" :
				     "flow specification of counters is short");
			return EINVAL;
		}
		memcpy(&spec, next, sizeof(spec));
		*counters = to_ornic_counters(spec.counters);
	}
	return 0;
}

/**
 * ornic_create_flow() - create a flow rule
 * @ibqp: queue pair that receives the matching frames
 * @attr: rule, followed by its specifications
 *
 * Return: the rule; NULL with errno set.
 */
struct ibv_flow *ornic_create_flow(struct ibv_qp *ibqp,
				   struct ibv_flow_attr *attr)
{
	struct ornic_counters *counters;
	struct ornic_flow *flow;
	int ret;

	ret = ornic_flow_find_counters(ibqp->context, attr, &counters);
	if (ret)
		goto err;

	flow = calloc(1, sizeof(*flow));
	if (!flow) {
		ret = ENOMEM;
		goto err;
	}
	flow->counters = counters;
	if (counters)
		ornic_counters_get(counters);

	ret = ibv_cmd_create_flow(ibqp, &flow->ibv_flow, attr, NULL, 0);
	if (ret)
		goto err_put_counters;

	return &flow->ibv_flow;

err_put_counters:
	if (counters)
		ornic_counters_put(counters);
	free(flow);
err:
	errno = ret;
	return NULL;
}

/**
 * ornic_destroy_flow() - destroy a flow rule
 * @ibflow: rule, freed on success
 *
 * Return: 0 or a positive errno.
 */
int ornic_destroy_flow(struct ibv_flow *ibflow)
{
	struct ornic_flow *flow = to_ornic_flow(ibflow);
	int ret;

	ret = ibv_cmd_destroy_flow(ibflow);
	if (ret)
		return ret;

	if (flow->counters)
		ornic_counters_put(flow->counters);
	free(flow);
	return 0;
}
