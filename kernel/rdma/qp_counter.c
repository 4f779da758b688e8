// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters that QPs can be bound to. Each is a set of statistics of the device, and its id
 * is the number of the set. Set 0 counts for the QPs that are not bound.
 */
#include "device.h"
#include "qp.h"
#include "qp_counter.h"
#include "stats.h"

#define ORNIC_STAT_OF_PORT(stat)	ORNIC_RDMA_STAT_##stat,

/* Each counter of a set has a counter of the port with the same name */
const u8 ornic_counter_of_port[ORNIC_QP_STAT_COUNT] = {
	ORNIC_QP_STATS(ORNIC_STAT_OF_PORT)
};

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
