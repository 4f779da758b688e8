// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Registration of the ORNIC provider with libibverbs */

#include <stdlib.h>

#include "ornic.h"
#include "ornic_abi.h"

/*
 * Devices are matched by PCI ID, because only drivers in the kernel tree have
 * an RDMA driver ID.
 */
static const struct verbs_match_ent ornic_match_table[] = {
	VERBS_PCI_MATCH(ORNIC_PCI_VENDOR_ID, ORNIC_PCI_DEVICE_ID, NULL),
	{}
};

static struct verbs_device *
ornic_alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	struct ornic_device *dev;

	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return NULL;

	dev->driver_id = sysfs_dev->driver_id;
	return &dev->vdev;
}

static void ornic_uninit_device(struct verbs_device *vdev)
{
	free(to_ornic_device(&vdev->device));
}

static const struct verbs_device_ops ornic_dev_ops = {
	.name = "ornic",
	.match_min_abi_version = ORNIC_ABI_VERSION,
	.match_max_abi_version = ORNIC_ABI_VERSION,
	.match_table = ornic_match_table,
	.alloc_device = ornic_alloc_device,
	.uninit_device = ornic_uninit_device,
	.alloc_context = ornic_alloc_context,
	.import_context = ornic_import_context,
};
PROVIDER_DRIVER(ornic, ornic_dev_ops);
