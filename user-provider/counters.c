// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters of flow rules. The kernel always returns packets and bytes; the
 * provider puts them where the application attached them.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ccan/array_size.h>

#include "check.h"
#include "ornic.h"

/* Counters from the kernel, in the order of enum ibv_counter_description */
#define ORNIC_COUNTERS_READ (IBV_COUNTER_BYTES + 1)

static_assert(IBV_COUNTER_PACKETS == 0 && IBV_COUNTER_BYTES == 1,
	      "the kernel answers in another order");

/**
 * ornic_create_counters() - create counters of flow rules
 * @ibctx: context
 * @attr: no options are defined
 *
 * Return: the counters; NULL with errno set.
 */
struct ibv_counters *ornic_create_counters(struct ibv_context *ibctx,
					   struct ibv_counters_init_attr *attr)
{
	struct ornic_counters *counters;
	int ret;

	counters = calloc(1, sizeof(*counters));
	if (!counters)
		return NULL;

	ret = ibv_cmd_create_counters(ibctx, attr, &counters->vcounters, NULL);
	if (ret) {
		free(counters);
		errno = ret;
		return NULL;
	}
	pthread_mutex_init(&counters->lock, NULL);
	return &counters->vcounters.counters;
}

static int ornic_counters_add_point(struct ornic_counters *counters,
				    const struct ibv_counter_attach_attr *attr)
{
	struct ornic_counter_point *points;

	points = realloc(counters->points,
			 (counters->num + 1) * sizeof(*points));
	if (!points)
		return ENOMEM;

	points[counters->num++] = (struct ornic_counter_point) {
		.desc = attr->counter_desc,
		.index = attr->index,
	};
	counters->points = points;
	return 0;
}

/**
 * ornic_attach_counters_point_flow() - attach a counter to an index
 * @ibcounters: counters
 * @attr: packets or bytes, and the index in the values of a read
 * @ibflow: must be NULL: rules get their counters when they are created
 *
 * Return: 0; ENOTSUP for an unknown counter or with @ibflow; EBUSY while rules
 * use the counters; ENOMEM; EINVAL for unknown options.
 */
int ornic_attach_counters_point_flow(struct ibv_counters *ibcounters,
				     struct ibv_counter_attach_attr *attr,
				     struct ibv_flow *ibflow)
{
	struct ornic_counters *counters = to_ornic_counters(ibcounters);
	struct ibv_context *ibctx = ibcounters->context;
	uint32_t flows;
	int ret = 0;

	if (!ornic_check_bits(ibctx, "counter comp_mask", attr->comp_mask, 0))
		return EINVAL;
	if (ibflow) {
		ornic_refuse(ibctx, "counters cannot be attached to a rule that exists");
		return ENOTSUP;
	}
	if ((unsigned int)attr->counter_desc >= ORNIC_COUNTERS_READ) {
		ornic_refuse(ibctx, "unknown counter %u",
			     (unsigned int)attr->counter_desc);
		return ENOTSUP;
	}

	pthread_mutex_lock(&counters->lock);
	flows = counters->flows;
	if (!flows)
		ret = ornic_counters_add_point(counters, attr);
	pthread_mutex_unlock(&counters->lock);
	if (flows) {
		ornic_refuse(ibctx, "counters are in use by %u rules", flows);
		return EBUSY;
	}
	return ret;
}

/**
 * ornic_read_counters() - read counters of flow rules
 * @ibcounters: counters
 * @values: returns at each index the sum of the counters attached to it
 * @num: entries of @values
 * @flags: enum ibv_read_counters_flags
 *
 * Return: 0 or a positive errno, EINVAL while no rule uses the counters.
 */
int ornic_read_counters(struct ibv_counters *ibcounters, uint64_t *values,
			uint32_t num, uint32_t flags)
{
	struct ornic_counters *counters = to_ornic_counters(ibcounters);
	uint64_t counts[ORNIC_COUNTERS_READ] = {};
	const struct ornic_counter_point *point;
	uint32_t i;
	int ret;

	ret = ibv_cmd_read_counters(&counters->vcounters, counts,
				    ARRAY_SIZE(counts), flags, NULL);
	if (ret)
		return ret;

	memset(values, 0, num * sizeof(*values));
	pthread_mutex_lock(&counters->lock);
	for (i = 0; i < counters->num; i++) {
		point = &counters->points[i];
		if (point->index < num)
			values[point->index] += counts[point->desc];
	}
	pthread_mutex_unlock(&counters->lock);
	return 0;
}

/**
 * ornic_counters_get() - take a reference for a flow rule
 * @counters: counters
 */
void ornic_counters_get(struct ornic_counters *counters)
{
	pthread_mutex_lock(&counters->lock);
	counters->flows++;
	pthread_mutex_unlock(&counters->lock);
}

/**
 * ornic_counters_put() - drop the reference of a flow rule
 * @counters: counters
 */
void ornic_counters_put(struct ornic_counters *counters)
{
	pthread_mutex_lock(&counters->lock);
	counters->flows--;
	pthread_mutex_unlock(&counters->lock);
}

/**
 * ornic_destroy_counters() - destroy counters
 * @ibcounters: counters, freed on success
 *
 * Return: 0 or a positive errno, EBUSY while rules use the counters.
 */
int ornic_destroy_counters(struct ibv_counters *ibcounters)
{
	struct ornic_counters *counters = to_ornic_counters(ibcounters);
	int ret;

	ret = ibv_cmd_destroy_counters(&counters->vcounters);
	if (ret)
		return ret;

	pthread_mutex_destroy(&counters->lock);
	free(counters->points);
	free(counters);
	return 0;
}
