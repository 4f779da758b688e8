// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Protection domains */
#include <rdma/uverbs_ioctl.h>
#include <rdma/ornic-abi.h>

#include "device.h"
#include "pd.h"

int ornic_ib_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibpd->device);
	struct ornic_pd *pd = to_ornic_pd(ibpd);
	struct ornic_alloc_pd_resp resp = {};
	int err;

	err = ib_is_udata_in_empty(udata);
	if (err)
		return err;

	err = ornic_pd_alloc(dev->odev, &pd->pdn);
	if (err)
		return err;

	if (udata) {
		resp.pdn = pd->pdn;
		err = ib_respond_udata(udata, resp);
		if (err)
			goto err_free_pd;
	}
	return 0;

err_free_pd:
	ornic_pd_free(dev->odev, pd->pdn);
	return err;
}

int ornic_ib_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibpd->device);

	/* The core destroys what was in the domain before it */
	ornic_pd_free(dev->odev, to_ornic_pd(ibpd)->pdn);
	return 0;
}
