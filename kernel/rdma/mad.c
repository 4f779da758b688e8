// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The performance management agent of the port (IBA 16.1). The core reads the
 * files in ports/1/counters of sysfs from it, and other nodes may ask it.
 */
#include <linux/netdevice.h>
#include <rdma/ib_pma.h>

#include "counters.h"
#include "device.h"

/* IBA's counters stop at their maximum */
static __be32 ornic_pma_be32(u64 value)
{
	return cpu_to_be32(min_t(u64, value, U32_MAX));
}

static void ornic_pma_get_counters(struct ornic_ib_dev *dev, const u64 *stats,
				   struct ib_pma_portcounters *out)
{
	u64 errors = stats[ORNIC_RDMA_STAT_rx_icrc_errors] + stats[ORNIC_RDMA_STAT_rx_malformed];

	out->port_select = ORNIC_IB_PORT;
	out->link_downed_counter =
		min(atomic_read(&dev->odev->netdev->carrier_down_count), U8_MAX);
	out->port_rcv_errors = cpu_to_be16(min_t(u64, errors, U16_MAX));
	out->port_xmit_data = ornic_pma_be32(stats[ORNIC_RDMA_STAT_tx_bytes] / 4);
	out->port_rcv_data = ornic_pma_be32(stats[ORNIC_RDMA_STAT_rx_bytes] / 4);
	out->port_xmit_packets = ornic_pma_be32(stats[ORNIC_RDMA_STAT_tx_packets]);
	out->port_rcv_packets = ornic_pma_be32(stats[ORNIC_RDMA_STAT_rx_packets]);
}

static void ornic_pma_get_counters_ext(const u64 *stats, struct ib_pma_portcounters_ext *out)
{
	out->port_select = ORNIC_IB_PORT;
	out->port_xmit_data = cpu_to_be64(stats[ORNIC_RDMA_STAT_tx_bytes] / 4);
	out->port_rcv_data = cpu_to_be64(stats[ORNIC_RDMA_STAT_rx_bytes] / 4);
	out->port_xmit_packets = cpu_to_be64(stats[ORNIC_RDMA_STAT_tx_packets]);
	out->port_rcv_packets = cpu_to_be64(stats[ORNIC_RDMA_STAT_rx_packets]);
}

/* The device does not count unicast and multicast packets apart */
static void ornic_pma_get_info(struct ib_class_port_info *out)
{
	out->base_version = IB_MGMT_BASE_VERSION;
	out->class_version = 1;
	out->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH_NOIETF;
}

/* Return: 0, or an error when the device does not answer */
static int ornic_pma_get(struct ornic_ib_dev *dev, struct ib_pma_mad *mad)
{
	u64 stats[ORNIC_RDMA_STAT_COUNT];
	int err;

	switch (mad->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		ornic_pma_get_info((void *)mad->data);
		return 0;
	case IB_PMA_PORT_COUNTERS:
		err = ornic_stats_query(dev, false, ORNIC_STATS_RDMA, 0, stats, ARRAY_SIZE(stats));
		if (!err)
			ornic_pma_get_counters(dev, stats, (void *)mad->data);
		return err;
	case IB_PMA_PORT_COUNTERS_EXT:
		err = ornic_stats_query(dev, false, ORNIC_STATS_RDMA, 0, stats, ARRAY_SIZE(stats));
		if (!err)
			ornic_pma_get_counters_ext(stats, (void *)mad->data);
		return err;
	default:
		mad->mad_hdr.status = cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
		return 0;
	}
}

int ornic_ib_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
			 const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
			 size_t *out_size, u16 *out_pkey_index)
{
	/* Other classes have agents of the core, such as that of the CM */
	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT || ib_response_mad(&in->mad_hdr))
		return IB_MAD_RESULT_SUCCESS;

	memset(out, 0, sizeof(*out));
	out->mad_hdr = in->mad_hdr;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	out->mad_hdr.status = 0;
	if (in->mad_hdr.method != IB_MGMT_METHOD_GET)
		out->mad_hdr.status = cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD);
	else if (ornic_pma_get(to_ornic_ib_dev(ibdev), (struct ib_pma_mad *)out))
		return IB_MAD_RESULT_FAILURE;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
