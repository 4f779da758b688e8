// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters that QPs can be bound to. The device always counts for each QP, so a
 * counter is a sum of differences.
 *
 * The core expects that either the counter of a QP or the port counts for it,
 * and adds up both. The port of the device counts for all QPs, so the driver
 * subtracts the counters from the port.
 */
#include "device.h"
#include "qp.h"
#include "qp_counter.h"

#define ORNIC_STAT_OF_PORT(stat)	ORNIC_RDMA_STAT_##stat,

/* Each counter of a QP has a counter of the port with the same name */
const u8 ornic_counter_of_port[ORNIC_QP_STAT_COUNT] = {
	ORNIC_QP_STATS(ORNIC_STAT_OF_PORT)
};

/* QPs that are asked for their counters together */
#define ORNIC_COUNTER_BATCH	8

/* Counters of a QP, or the error of the command that asked for them */
struct ornic_qp_stats {
	__le64 now[ORNIC_QP_STAT_COUNT];
	int err;
};

static void ornic_qp_query_stats(struct ornic_ib_dev *dev, struct ornic_qp **qps, u32 count,
				 struct ornic_qp_stats *stats)
{
	struct ornic_query_stats_in in[ORNIC_COUNTER_BATCH];
	struct ornic_cmd_req reqs[ORNIC_COUNTER_BATCH];
	u32 i;

	for (i = 0; i < count; i++) {
		in[i] = (struct ornic_query_stats_in) {
			.scope = cpu_to_le32(ORNIC_STATS_QP),
			.num = cpu_to_le32(qps[i]->res.num),
		};
		reqs[i] = (struct ornic_cmd_req) {
			.opcode = ORNIC_CMD_QUERY_STATS,
			.in = &in[i],
			.in_len = sizeof(in[i]),
			.out = stats[i].now,
			.out_len = sizeof(stats[i].now),
		};
	}

	ornic_cmd_exec_all(dev->odev, reqs, count);
	for (i = 0; i < count; i++)
		stats[i].err = reqs[i].err;
}

static int ornic_counter_account_qps(struct ornic_ib_dev *dev, struct ornic_counter *counter,
				     struct ornic_qp **qps, u32 count)
{
	struct ornic_qp_stats stats[ORNIC_COUNTER_BATCH];
	int err = 0, j;
	u64 now;
	u32 i;

	lockdep_assert_held(&dev->counters_lock);

	ornic_qp_query_stats(dev, qps, count, stats);
	for (i = 0; i < count; i++) {
		if (stats[i].err) {
			err = stats[i].err;
			continue;
		}
		for (j = 0; j < ORNIC_QP_STAT_COUNT; j++) {
			now = le64_to_cpu(stats[i].now[j]);
			counter->sum[j] += now - qps[i]->counted[j];
			dev->counted[j] += now - qps[i]->counted[j];
			qps[i]->counted[j] = now;
		}
	}
	return err;
}

static int ornic_counter_account(struct ornic_ib_dev *dev, struct ornic_counter *counter)
{
	struct ornic_qp *qps[ORNIC_COUNTER_BATCH], *qp;
	u32 count = 0;
	int err;

	list_for_each_entry(qp, &counter->qps, counter_list) {
		qps[count++] = qp;
		if (count < ORNIC_COUNTER_BATCH &&
		    !list_is_last(&qp->counter_list, &counter->qps))
			continue;

		err = ornic_counter_account_qps(dev, counter, qps, count);
		if (err)
			return err;
		count = 0;
	}
	return 0;
}

/**
 * ornic_counter_subtract - subtract the counters from those of the port
 * @dev:	the device
 * @values:	by enum ornic_rdma_stat; may fall below 0 until the core has
 *		added the counters again
 *
 * Return: 0 or as ornic_cmd_exec().
 */
int ornic_counter_subtract(struct ornic_ib_dev *dev, u64 *values)
{
	struct ornic_counter *counter;
	int err = 0, i;

	mutex_lock(&dev->counters_lock);
	list_for_each_entry(counter, &dev->counters, list) {
		err = ornic_counter_account(dev, counter);
		if (err)
			goto out;
	}
	for (i = 0; i < ORNIC_QP_STAT_COUNT; i++)
		values[ornic_counter_of_port[i]] -= dev->counted[i];
out:
	mutex_unlock(&dev->counters_lock);
	return err;
}

void ornic_ib_counter_init(struct rdma_counter *counter)
{
	struct ornic_counter *ocounter = to_ornic_counter(counter);

	INIT_LIST_HEAD(&ocounter->list);
	INIT_LIST_HEAD(&ocounter->qps);
}

int ornic_ib_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp, u32 port)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_counter *ocounter = to_ornic_counter(counter);
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	struct ornic_qp_stats stats;
	int id, i;

	ornic_qp_query_stats(dev, &qp, 1, &stats);
	if (stats.err)
		return stats.err;

	/* Last, because the core does not free it if the first binding fails */
	if (!counter->id) {
		id = ida_alloc_min(&dev->counter_ids, 1, GFP_KERNEL);
		if (id < 0)
			return id;
		counter->id = id;
	}

	mutex_lock(&dev->counters_lock);
	if (list_empty(&ocounter->list))
		list_add_tail(&ocounter->list, &dev->counters);
	for (i = 0; i < ORNIC_QP_STAT_COUNT; i++)
		qp->counted[i] = le64_to_cpu(stats.now[i]);
	list_add_tail(&qp->counter_list, &ocounter->qps);
	mutex_unlock(&dev->counters_lock);

	ibqp->counter = counter;
	return 0;
}

int ornic_ib_counter_unbind_qp(struct ib_qp *ibqp, u32 port)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_qp *qp = to_ornic_qp(ibqp);

	mutex_lock(&dev->counters_lock);
	/* A dead device has nothing to add */
	ornic_counter_account_qps(dev, to_ornic_counter(ibqp->counter), &qp, 1);
	list_del(&qp->counter_list);
	mutex_unlock(&dev->counters_lock);

	ibqp->counter = NULL;
	return 0;
}

int ornic_ib_counter_update_stats(struct rdma_counter *counter)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(counter->device);
	struct ornic_counter *ocounter = to_ornic_counter(counter);
	int err, i;

	mutex_lock(&dev->counters_lock);
	err = ornic_counter_account(dev, ocounter);
	for (i = 0; i < ORNIC_QP_STAT_COUNT; i++)
		counter->stats->value[ornic_counter_of_port[i]] = ocounter->sum[i];
	mutex_unlock(&dev->counters_lock);
	return err;
}

int ornic_ib_counter_dealloc(struct rdma_counter *counter)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(counter->device);

	mutex_lock(&dev->counters_lock);
	list_del(&to_ornic_counter(counter)->list);
	mutex_unlock(&dev->counters_lock);
	ida_free(&dev->counter_ids, counter->id);
	return 0;
}
