// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters of flow rules. The provider places them in the array of the process:
 * the kernel does not know their order there.
 */
#include "check.h"
#include "counters.h"
#include "device.h"

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
	struct ornic_query_stats_in in = {
		.scope = cpu_to_le32(ORNIC_STATS_COUNTERS),
		.num = cpu_to_le32(to_ornic_counters(ibcounters)->num),
	};
	__le64 out[ORNIC_COUNTERS_STAT_COUNT];
	u32 i;
	int err;

	err = ornic_check_range(ibcounters->device, "ncounters", attr->ncounters, 0,
				ARRAY_SIZE(out));
	if (err)
		return err;

	err = ornic_cmd_exec(to_ornic_ib_dev(ibcounters->device)->odev, ORNIC_CMD_QUERY_STATS,
			     &in, sizeof(in), out, sizeof(out));
	if (err)
		return err;

	for (i = 0; i < attr->ncounters; i++)
		attr->counters_buff[i] = le64_to_cpu(out[i]);
	return 0;
}
