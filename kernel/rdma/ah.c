// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles. The device has no such object: each send WQE carries the
 * path. Handles are therefore created and destroyed without a command, in
 * atomic context too.
 */
#include <linux/etherdevice.h>
#include <rdma/ornic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "ah.h"
#include "device.h"

/* A field of 4 bits, IBTA 7.7 */
#define ORNIC_SL_MAX	15

/**
 * ornic_ah_check_attr - check a path that came from a consumer
 * @ibdev:	the device
 * @attr:	the path; the core has checked port, GRH and GID
 *
 * Return: 0 or -EINVAL.
 */
int ornic_ah_check_attr(const struct ib_device *ibdev, const struct rdma_ah_attr *attr)
{
	return ornic_check_range(ibdev, "path sl", attr->sl, 0, ORNIC_SL_MAX);
}

/**
 * ornic_av_from_attr - convert a path to an address vector of the device
 * @attr:	the path, checked
 * @av:		filled in
 *
 * Only the lower 20 bits of the flow label count, as with other devices: UCX
 * sets all 32.
 */
void ornic_av_from_attr(const struct rdma_ah_attr *attr, struct ornic_av *av)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	*av = (struct ornic_av) {
		.sgid_index = cpu_to_le16(grh->sgid_index),
		.flow = cpu_to_le32(ORNIC_PREP(ORNIC_AV_FLOW_LABEL, grh->flow_label) |
				    ORNIC_PREP(ORNIC_AV_SL, attr->sl)),
		.tclass = grh->traffic_class,
		.hop_limit = grh->hop_limit,
	};
	memcpy(av->dgid, grh->dgid.raw, sizeof(av->dgid));
	ether_addr_copy(av->dmac, attr->roce.dmac);
}

/**
 * ornic_av_to_attr - the reverse of ornic_av_from_attr()
 * @av:		the path
 * @attr:	filled in, without a reference to a GID
 */
void ornic_av_to_attr(const struct ornic_av *av, struct rdma_ah_attr *attr)
{
	u32 flow = le32_to_cpu(av->flow);

	*attr = (struct rdma_ah_attr) { .type = RDMA_AH_ATTR_TYPE_ROCE };
	rdma_ah_set_port_num(attr, ORNIC_IB_PORT);
	rdma_ah_set_sl(attr, ORNIC_GET(ORNIC_AV_SL, flow));
	rdma_ah_set_grh(attr, NULL, ORNIC_GET(ORNIC_AV_FLOW_LABEL, flow),
			le16_to_cpu(av->sgid_index), av->hop_limit, av->tclass);
	memcpy(attr->grh.dgid.raw, av->dgid, sizeof(av->dgid));
	ether_addr_copy(attr->roce.dmac, av->dmac);
}

int ornic_ib_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		       struct ib_udata *udata)
{
	struct ornic_ah *ah = to_ornic_ah(ibah);
	struct ornic_create_ah_resp resp = {};
	int err;

	BUILD_BUG_ON(sizeof(resp.av) != sizeof(ah->av));

	err = ib_is_udata_in_empty(udata);
	if (err)
		return err;

	err = ornic_ah_check_attr(ibah->device, init->ah_attr);
	if (err)
		return err;

	ornic_av_from_attr(init->ah_attr, &ah->av);
	if (!udata)
		return 0;

	memcpy(resp.av, &ah->av, sizeof(resp.av));
	return ib_respond_udata(udata, resp);
}

int ornic_ib_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	ornic_av_to_attr(&to_ornic_ah(ibah)->av, attr);
	return 0;
}

int ornic_ib_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	return 0;
}
