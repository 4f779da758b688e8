// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* GID table */
#include <linux/if_vlan.h>
#include <rdma/ib_cache.h>

#include "device.h"
#include "gid.h"

static int ornic_gid_set(const struct ib_gid_attr *attr, const struct ornic_set_gid_in *in)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(attr->device);

	return ornic_cmd_exec_urgent(dev->odev, ORNIC_CMD_SET_GID, in, sizeof(*in), NULL, 0);
}

int ornic_ib_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct ornic_set_gid_in in = {
		.index = cpu_to_le16(attr->index),
		.flags = cpu_to_le16(ORNIC_GID_VALID),
	};
	u16 vlan;
	int err;

	err = rdma_read_gid_l2_fields(attr, &vlan, in.smac);
	if (err)
		return err;

	if (vlan < VLAN_N_VID) {
		in.flags |= cpu_to_le16(ORNIC_GID_VLAN);
		in.vlan_id = cpu_to_le16(vlan);
	}
	memcpy(in.gid, attr->gid.raw, sizeof(in.gid));
	return ornic_gid_set(attr, &in);
}

int ornic_ib_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct ornic_set_gid_in in = { .index = cpu_to_le16(attr->index) };

	return ornic_gid_set(attr, &in);
}
