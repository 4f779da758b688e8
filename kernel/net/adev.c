// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Auxiliary device that the verbs driver binds to */
#include <linux/idr.h>
#include <linux/slab.h>

#include "adev.h"
#include "core.h"

static DEFINE_IDA(ornic_adev_ids);

static void ornic_adev_release(struct device *dev)
{
	struct ornic_adev *oadev = container_of(dev, struct ornic_adev, adev.dev);

	ida_free(&ornic_adev_ids, oadev->adev.id);
	kfree(oadev);
}

/**
 * ornic_adev_add - register the auxiliary device, if there is RDMA
 * @core:	the device; everything that ornic_api.h declares works
 *
 * Return: 0 or a negative error number.
 */
int ornic_adev_add(struct ornic_core *core)
{
	struct ornic_adev *oadev;
	int id, err;

	/* [ORNIC-PROF-2] */
	if (!(core->profiles & ORNIC_PROFILE_RDMA))
		return 0;

	oadev = kzalloc_obj(*oadev);
	if (!oadev)
		return -ENOMEM;

	id = ida_alloc(&ornic_adev_ids, GFP_KERNEL);
	if (id < 0) {
		err = id;
		goto err_free;
	}

	oadev->odev = &core->odev;
	oadev->adev.id = id;
	oadev->adev.name = ORNIC_ADEV_NAME;
	oadev->adev.dev.parent = ornic_device(core);
	oadev->adev.dev.release = ornic_adev_release;
	err = auxiliary_device_init(&oadev->adev);
	if (err)
		goto err_free_id;

	err = auxiliary_device_add(&oadev->adev);
	if (err) {
		/* Releases id and memory */
		auxiliary_device_uninit(&oadev->adev);
		return err;
	}

	core->adev = oadev;
	return 0;

err_free_id:
	ida_free(&ornic_adev_ids, id);
err_free:
	kfree(oadev);
	return err;
}

/**
 * ornic_adev_remove - unregister the auxiliary device
 * @core:	the device; it may have no auxiliary device
 *
 * On return the verbs driver has released all its resources.
 */
void ornic_adev_remove(struct ornic_core *core)
{
	if (!core->adev)
		return;

	auxiliary_device_delete(&core->adev->adev);
	auxiliary_device_uninit(&core->adev->adev);
	core->adev = NULL;
}
