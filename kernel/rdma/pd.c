// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Protection domains */
#include <rdma/uverbs_ioctl.h>

#include "device.h"
#include "pd.h"

int ornic_ib_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibpd->device);
	struct ornic_pd *pd = to_ornic_pd(ibpd);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	return ornic_pd_alloc(dev->odev, &pd->pdn);
}

int ornic_ib_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibpd->device);

	/* The core destroys what was in the domain before it */
	ornic_pd_free(dev->odev, to_ornic_pd(ibpd)->pdn);
	return 0;
}
