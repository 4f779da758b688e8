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

static int ornic_qp_query_stats(struct ornic_ib_dev *dev, struct ornic_qp *qp,
				u64 now[ORNIC_QP_STAT_COUNT])
{
	struct ornic_query_stats_in in = {
		.scope = cpu_to_le32(ORNIC_STATS_QP),
		.num = cpu_to_le32(qp->res.num),
	};
	__le64 out[ORNIC_QP_STAT_COUNT];
	int err, i;

	err = ornic_cmd_exec(dev->odev, ORNIC_CMD_QUERY_STATS, &in, sizeof(in), out, sizeof(out));
	if (err)
		return err;

	for (i = 0; i < ORNIC_QP_STAT_COUNT; i++)
		now[i] = le64_to_cpu(out[i]);
	return 0;
}

static int ornic_counter_account_qp(struct ornic_ib_dev *dev, struct ornic_counter *counter,
				    struct ornic_qp *qp)
{
	u64 now[ORNIC_QP_STAT_COUNT];
	int err, i;

	lockdep_assert_held(&dev->counters_lock);

	err = ornic_qp_query_stats(dev, qp, now);
	if (err)
		return err;

	for (i = 0; i < ORNIC_QP_STAT_COUNT; i++) {
		counter->sum[i] += now[i] - qp->counted[i];
		dev->counted[i] += now[i] - qp->counted[i];
		qp->counted[i] = now[i];
	}
	return 0;
}

static int ornic_counter_account(struct ornic_ib_dev *dev, struct ornic_counter *counter)
{
	struct ornic_qp *qp;
	int err;

	list_for_each_entry(qp, &counter->qps, counter_list) {
		err = ornic_counter_account_qp(dev, counter, qp);
		if (err)
			return err;
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
	u64 now[ORNIC_QP_STAT_COUNT];
	int err, id;

	err = ornic_qp_query_stats(dev, qp, now);
	if (err)
		return err;

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
	memcpy(qp->counted, now, sizeof(now));
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
	ornic_counter_account_qp(dev, to_ornic_counter(ibqp->counter), qp);
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
