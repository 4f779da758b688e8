// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows. Processes bind them by work requests, which the kernel does
 * not see: the key here is the one that a window was created with.
 */
#include <rdma/uverbs_ioctl.h>

#include "ornic_rdma.h"

int ornic_ib_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct ornic_create_mr_in in = {
		.pdn = cpu_to_le32(to_ornic_pd(ibmw->pd)->pdn),
		.type = ibmw->type == IB_MW_TYPE_1 ? ORNIC_MR_MW1 : ORNIC_MR_MW2,
	};
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	return ornic_mr_create(to_ornic_ib_dev(ibmw->device), &in, &ibmw->rkey);
}

int ornic_ib_dealloc_mw(struct ib_mw *ibmw)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibmw->device);

	return ornic_cmd_destroy(dev->odev, ORNIC_CMD_DESTROY_MR, ibmw->rkey);
}
