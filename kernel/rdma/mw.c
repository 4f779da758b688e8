// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows. Processes bind them by work requests, which the kernel does
 * not see: the key here is the one that a window was created with.
 */
#include <rdma/uverbs_ioctl.h>

#include "device.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"

int ornic_ib_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct ornic_pd *pd = to_ornic_pd(ibmw->pd);
	struct ornic_create_mr_in in = {
		.pdn = cpu_to_le32(pd->pdn),
		.type = ibmw->type == IB_MW_TYPE_1 ? ORNIC_MR_MW1 : ORNIC_MR_MW2,
	};
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	/* Before a process can bind it, see ornic_mr_destroy_cmd() */
	atomic_inc(&pd->windows);
	err = ornic_mr_create(to_ornic_ib_dev(ibmw->device), false, &in, &ibmw->rkey);
	if (err)
		atomic_inc(&pd->windows_freed);
	return err;
}

int ornic_ib_dealloc_mw(struct ib_mw *ibmw)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibmw->device);
	struct ornic_pd *pd = to_ornic_pd(ibmw->pd);

	/* Nothing keeps a window, so the device has no reason to refuse */
	ornic_cmd_release(dev->odev, ORNIC_CMD_DESTROY_MR, ibmw->rkey);
	atomic_inc(&pd->windows_freed);
	return 0;
}
