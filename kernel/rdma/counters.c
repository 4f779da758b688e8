// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters of flow rules. The provider places them in the array of the process:
 * the kernel does not know their order there.
 */
#include "check.h"
#include "counters.h"
#include "device.h"
#include "stats.h"

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
