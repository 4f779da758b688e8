// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Statistics of the port, which counters of QPs have the layout of */
#include "device.h"
#include "qp_counter.h"
#include "stats.h"

#define ORNIC_STAT_DESC(stat)	{ .name = #stat },

/* Counters of the driver, after those of the device */
enum ornic_driver_stat {
	ORNIC_STAT_wq_delay_drops	= ORNIC_RDMA_STAT_COUNT,
	ORNIC_STAT_COUNT
};

static const struct rdma_stat_desc ornic_stat_descs[] = {
	ORNIC_RDMA_STATS(ORNIC_STAT_DESC)
	ORNIC_STAT_DESC(wq_delay_drops)
};

static_assert(ARRAY_SIZE(ornic_stat_descs) == ORNIC_STAT_COUNT);

struct rdma_hw_stats *ornic_ib_alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	return rdma_alloc_hw_stats_struct(ornic_stat_descs, ARRAY_SIZE(ornic_stat_descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/**
 * ornic_stats_query - read statistics of the device
 * @dev:	the device
 * @urgent:	as ornic_cmd_exec_urgent()
 * @scope:	enum ornic_stats_scope
 * @num:	of the set or object, if the scope needs one
 * @values:	set on success
 * @count:	number of @values, at most ORNIC_RDMA_STAT_COUNT
 *
 * Return: 0 or as ornic_cmd_exec().
 */
int ornic_stats_query(struct ornic_ib_dev *dev, bool urgent, enum ornic_stats_scope scope, u32 num,
		      u64 *values, u32 count)
{
	struct ornic_query_stats_in in = {
		.scope = cpu_to_le32(scope),
		.num = cpu_to_le32(num),
	};
	__le64 out[ORNIC_RDMA_STAT_COUNT];
	struct ornic_cmd_req req = {
		ORNIC_CMD_QUERY_STATS, &in, sizeof(in), out, count * sizeof(*out), urgent
	};
	u32 i;

	ornic_cmd_exec_all(dev->odev, &req, 1);
	if (req.err)
		return req.err;

	for (i = 0; i < count; i++)
		values[i] = le64_to_cpu(out[i]);
	return 0;
}

int ornic_ib_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port,
			  int index)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibdev);
	u64 unbound[ORNIC_QP_STAT_COUNT];
	int err, i;

	/* The core holds a mutex of the port, for which all who monitor it wait */
	err = ornic_stats_query(dev, true, ORNIC_STATS_RDMA, 0, stats->value,
				ORNIC_RDMA_STAT_COUNT);
	if (err)
		return err;

	stats->value[ORNIC_STAT_wq_delay_drops] = atomic64_read(&dev->delay_drops);
	if (!(dev->odev->lim.features & ORNIC_FEAT_STAT_SETS))
		return ORNIC_STAT_COUNT;

	/* The core adds what counters have counted for the QPs that are bound to them */
	err = ornic_stats_query(dev, true, ORNIC_STATS_SET, 0, unbound, ARRAY_SIZE(unbound));
	if (err)
		return err;

	for (i = 0; i < ORNIC_QP_STAT_COUNT; i++)
		stats->value[ornic_counter_of_port[i]] = unbound[i];
	return ORNIC_STAT_COUNT;
}

/* The core expects all counters of the port; disable those that QPs lack */
struct rdma_hw_stats *ornic_ib_counter_alloc_stats(struct rdma_counter *counter)
{
	struct rdma_hw_stats *stats;
	int i;

	stats = ornic_ib_alloc_hw_port_stats(counter->device, counter->port);
	if (!stats)
		return NULL;

	bitmap_fill(stats->is_disabled, stats->num_counters);
	for (i = 0; i < ORNIC_QP_STAT_COUNT; i++)
		clear_bit(ornic_counter_of_port[i], stats->is_disabled);
	return stats;
}
