// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Statistics of the port, counters of QPs, counters of flow rules */
#include "counters.h"
#include "device.h"
#include "qp.h"

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

#define ORNIC_STAT_OF_PORT(stat)	ORNIC_RDMA_STAT_##stat,

/* Each counter of a set has a counter of the port with the same name */
static const u8 ornic_counter_of_port[ORNIC_QP_STAT_COUNT] = {
	ORNIC_QP_STATS(ORNIC_STAT_OF_PORT)
};

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

/*
 * Counters that QPs can be bound to. Each is a set of statistics of the device,
 * and its id is the number of the set. Set 0 counts for the QPs that are not
 * bound.
 */

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

static int ornic_counter_bind(struct ib_qp *ibqp, u32 set)
{
	struct ornic_bind_stats_in in = {
		.qpn = cpu_to_le32(to_ornic_qp(ibqp)->res.num),
		.set = cpu_to_le32(set),
	};

	return ornic_cmd_exec(to_ornic_ib_dev(ibqp->device)->odev, ORNIC_CMD_BIND_STATS, &in,
			      sizeof(in), NULL, 0);
}

/* A set that nothing is bound to goes on where its last counter ended */
static int ornic_counter_get_set(struct ornic_ib_dev *dev, struct rdma_counter *counter)
{
	int err, id;

	id = ida_alloc_range(&dev->counter_ids, 1, max(dev->odev->lim.max_stat_sets, 1U) - 1,
			     GFP_KERNEL);
	if (id < 0)
		return id;

	err = ornic_stats_query(dev, false, ORNIC_STATS_SET, id, to_ornic_counter(counter)->base,
				ORNIC_QP_STAT_COUNT);
	if (err) {
		ida_free(&dev->counter_ids, id);
		return err;
	}
	counter->id = id;
	return 0;
}

/* The core demands it; there is nothing to do before the first QP */
void ornic_ib_counter_init(struct rdma_counter *counter)
{
}

int ornic_ib_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp, u32 port)
{
	bool first = !counter->id;
	int err = 0;

	if (first)
		err = ornic_counter_get_set(to_ornic_ib_dev(ibqp->device), counter);
	if (err)
		return err;

	err = ornic_counter_bind(ibqp, counter->id);
	if (err) {
		/* The core does not free a counter whose first binding fails */
		if (first)
			ornic_ib_counter_dealloc(counter);
		return err;
	}

	ibqp->counter = counter;
	return 0;
}

int ornic_ib_counter_unbind_qp(struct ib_qp *ibqp, u32 port)
{
	/* A dead device counts no more */
	ornic_counter_bind(ibqp, 0);
	ibqp->counter = NULL;
	return 0;
}

int ornic_ib_counter_update_stats(struct rdma_counter *counter)
{
	u64 now[ORNIC_QP_STAT_COUNT];
	int err, i;

	err = ornic_stats_query(to_ornic_ib_dev(counter->device), false, ORNIC_STATS_SET,
				counter->id, now, ARRAY_SIZE(now));
	if (err)
		return err;

	for (i = 0; i < ORNIC_QP_STAT_COUNT; i++)
		counter->stats->value[ornic_counter_of_port[i]] =
			now[i] - to_ornic_counter(counter)->base[i];
	return 0;
}

int ornic_ib_counter_dealloc(struct rdma_counter *counter)
{
	ida_free(&to_ornic_ib_dev(counter->device)->counter_ids, counter->id);
	counter->id = 0;
	return 0;
}

/*
 * Counters of flow rules. The provider places them in the array of the process:
 * the kernel does not know their order there.
 */

static_assert((int)IB_COUNTER_PACKETS == (int)ORNIC_COUNTERS_STAT_packets);
static_assert((int)IB_COUNTER_BYTES == (int)ORNIC_COUNTERS_STAT_bytes);

int ornic_ib_create_counters(struct ib_counters *ibcounters, struct uverbs_attr_bundle *attrs)
{
	return ornic_cmd_create(to_ornic_ib_dev(ibcounters->device)->odev,
				ORNIC_CMD_CREATE_COUNTERS, NULL, 0,
				&to_ornic_counters(ibcounters)->num);
}

int ornic_ib_destroy_counters(struct ib_counters *ibcounters)
{
	return ornic_cmd_destroy(to_ornic_ib_dev(ibcounters->device)->odev,
				 ORNIC_CMD_DESTROY_COUNTERS, to_ornic_counters(ibcounters)->num);
}

int ornic_ib_read_counters(struct ib_counters *ibcounters, struct ib_counters_read_attr *attr,
			   struct uverbs_attr_bundle *attrs)
{
	u64 values[ORNIC_COUNTERS_STAT_COUNT];
	int err;

	err = ornic_check_range(ibcounters->device, "ncounters", attr->ncounters, 0,
				ARRAY_SIZE(values));
	if (err)
		return err;

	err = ornic_stats_query(to_ornic_ib_dev(ibcounters->device), false, ORNIC_STATS_COUNTERS,
				to_ornic_counters(ibcounters)->num, values, ARRAY_SIZE(values));
	if (err)
		return err;

	memcpy(attr->counters_buff, values, attr->ncounters * sizeof(*values));
	return 0;
}
