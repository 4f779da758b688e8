// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Multicast groups */
#include "device.h"
#include "mcast.h"
#include "qp.h"

/* The core has checked the QP's type and the GID; RoCE has no LID */
static int ornic_mcast_exec(struct ib_qp *ibqp, const union ib_gid *gid, enum ornic_opcode opcode)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_mcast_in in = { .qpn = cpu_to_le32(to_ornic_qp(ibqp)->res.num) };

	memcpy(in.gid, gid->raw, sizeof(in.gid));
	return ornic_cmd_exec(dev->odev, opcode, &in, sizeof(in), NULL, 0);
}

int ornic_ib_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return ornic_mcast_exec(ibqp, gid, ORNIC_CMD_ATTACH_MCAST);
}

int ornic_ib_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	int err;

	err = ornic_mcast_exec(ibqp, gid, ORNIC_CMD_DETACH_MCAST);
	/* A dead device has no groups any more */
	return err == -EIO ? 0 : err;
}
