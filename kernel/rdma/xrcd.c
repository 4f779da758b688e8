// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* XRC domains */
#include <rdma/uverbs_ioctl.h>

#include "device.h"
#include "xrcd.h"

int ornic_ib_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibxrcd->device);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	return ornic_cmd_create(dev->odev, ORNIC_CMD_ALLOC_XRCD, NULL, 0,
				&to_ornic_xrcd(ibxrcd)->xrcdn);
}

int ornic_ib_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibxrcd->device);

	return ornic_cmd_destroy(dev->odev, ORNIC_CMD_FREE_XRCD, to_ornic_xrcd(ibxrcd)->xrcdn);
}
