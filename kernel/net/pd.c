// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers of protection domains. The host chooses them ([ORNIC-OBJ-12]), so
 * they cost no command: the device learns a number from the objects that are in
 * the domain.
 */
#include <linux/module.h>

#include "core.h"

int ornic_pd_alloc(struct ornic_dev *odev, u32 *pdn)
{
	u32 max = min(odev->lim.max_pd, INT_MAX);
	int ret;

	if (!max)
		return -ENOMEM;

	ret = ida_alloc_max(&to_ornic_core(odev)->pdns, max - 1, GFP_KERNEL);
	if (ret < 0)
		return -ENOMEM;

	*pdn = ret;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(ornic_pd_alloc, "ORNIC");

void ornic_pd_free(struct ornic_dev *odev, u32 pdn)
{
	ida_free(&to_ornic_core(odev)->pdns, pdn);
}
EXPORT_SYMBOL_NS_GPL(ornic_pd_free, "ORNIC");
