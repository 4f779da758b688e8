// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Open RDMA NIC: the PCI driver */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <net/devlink.h>

#include "core.h"
#include "devlink.h"
#include "eq.h"
#include "health.h"
#include "netdev.h"
#include "profile.h"
#include "res.h"
#include "start.h"
#include "uctx.h"

static int ornic_map_regs(struct ornic_core *core)
{
	struct pci_dev *pdev = core->odev.pdev;

	core->regs = pcim_iomap_region(pdev, ORNIC_BAR_REGS, KBUILD_MODNAME);
	if (IS_ERR(core->regs))
		return PTR_ERR(core->regs);

	return pci_resource_len(pdev, ORNIC_BAR_REGS) < ORNIC_BAR_REGS_SIZE ? -ENODEV : 0;
}

static int ornic_map_doorbells(struct ornic_core *core)
{
	struct pci_dev *pdev = core->odev.pdev;
	u64 db_bytes;
	int err;

	err = pcim_request_region(pdev, ORNIC_BAR_DB, KBUILD_MODNAME);
	if (err)
		return err;

	core->db_phys = pci_resource_start(pdev, ORNIC_BAR_DB);
	core->db_stride = readl(core->regs + ORNIC_REG_DB_STRIDE);
	core->db_pages = readl(core->regs + ORNIC_REG_DB_PAGES);
	db_bytes = (u64)core->db_stride * core->db_pages;
	if (core->db_stride < sizeof(u64) || !core->db_pages ||
	    db_bytes > pci_resource_len(pdev, ORNIC_BAR_DB))
		return -ENODEV;

	/* Map page 0 only: the others are for processes */
	core->odev.db = pcim_iomap_range(pdev, ORNIC_BAR_DB, 0, core->db_stride);
	return PTR_ERR_OR_ZERO(core->odev.db);
}

static int ornic_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct device *dev = &pdev->dev;
	struct ornic_core *core;
	int err;

	core = ornic_devlink_alloc(pdev);
	if (!core)
		return -ENOMEM;

	core->odev.pdev = pdev;
	pci_set_drvdata(pdev, core);
	ATOMIC_INIT_NOTIFIER_HEAD(&core->odev.death);
	ornic_res_init(core);
	ornic_cmdq_init(core);
	ornic_uctx_init(core);
	ornic_recovery_init(core);
	ornic_health_init(core);

	err = pcim_enable_device(pdev);
	if (err)
		return dev_err_probe(dev, err, "cannot enable the PCI device\n");

	/* It may still use an earlier owner's memory ([ORNIC-PCI-6]) */
	pci_clear_master(pdev);

	/*
	 * Only boards need AtomicOps ([ORNIC-BUS-6]), and not those of every
	 * device.
	 */
	if (pci_enable_atomic_ops_to_root(pdev, PCI_EXP_DEVCAP2_ATOMIC_COMP64))
		dev_dbg(dev, "no AtomicOps to the root complex\n");

	/*
	 * For ornic_slot_reset(). The state that the PCI core has saved dates
	 * from before pcim_enable_device().
	 */
	pci_save_state(pdev);

	err = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(64));
	if (err)
		return dev_err_probe(dev, err, "cannot address 64 bits of memory\n");

	err = ornic_map_regs(core);
	if (err)
		return dev_err_probe(dev, err, "cannot map the registers\n");

	/*
	 * First of all, because the driver before may have left a device that
	 * works; and a device is started after a reset.
	 */
	err = ornic_reset(core);
	if (err)
		return err;

	err = ornic_map_doorbells(core);
	if (err)
		return dev_err_probe(dev, err, "cannot map the doorbells\n");

	err = ornic_eq_irqs_init(core, readl(core->regs + ORNIC_REG_VECTORS));
	if (err)
		return dev_err_probe(dev, err, "cannot get interrupts\n");

	err = ornic_netdev_alloc(core);
	if (err)
		goto err_uninit_irqs;

	/* Until the device is registered, so that nothing is reported before */
	devl_lock(priv_to_devlink(core));
	err = ornic_devlink_init(core);
	if (err)
		goto err_devl_unlock;

	err = ornic_start_device(core);
	if (err)
		goto err_uninit_devlink;

	/* Before the interface, which reports the index of the clock */
	ornic_clock_register(core);
	err = ornic_netdev_register(core->odev.netdev);
	if (err)
		goto err_stop_device;

	if (!(core->profiles & ORNIC_PROFILE_RDMA))
		dev_info(dev, "no RDMA device: the RDMA profile is %s\n",
			 ornic_profile_lack(core, ORNIC_PROFILE_RDMA));
	err = ornic_adev_add(core);
	if (err)
		goto err_unregister_netdev;

	ornic_health_start(core);
	core->started = true;
	devl_register(priv_to_devlink(core));
	devl_unlock(priv_to_devlink(core));
	return 0;

err_unregister_netdev:
	ornic_netdev_unregister(core->odev.netdev);
err_stop_device:
	ornic_clock_unregister(core);
	ornic_stop_device(core);
err_uninit_devlink:
	ornic_devlink_uninit(core);
err_devl_unlock:
	devl_unlock(priv_to_devlink(core));
	disable_delayed_work_sync(&core->recovery);
	ornic_netdev_free(core->odev.netdev);
err_uninit_irqs:
	/* Failures of the device were reported where they were found */
	ornic_eq_irqs_uninit(core);
	ornic_res_uninit(core);
	return err;
}

static void ornic_remove(struct pci_dev *pdev)
{
	struct ornic_core *core = pci_get_drvdata(pdev);

	/* Fail commands now instead of by timeout */
	if (ornic_reset_is_gone(core))
		ornic_cmdq_kill(core);

	/* Nothing is reported any more after this */
	disable_delayed_work_sync(&core->recovery);
	devl_lock(priv_to_devlink(core));
	devl_unregister(priv_to_devlink(core));
	ornic_devlink_uninit(core);
	ornic_stop(core);
	devl_unlock(priv_to_devlink(core));

	ornic_netdev_unregister(core->odev.netdev);
	ornic_clock_unregister(core);
	ornic_netdev_free(core->odev.netdev);
	ornic_eq_irqs_uninit(core);
	ornic_res_uninit(core);
}

/* ---- Reset from outside, bus errors, sleep and shutdown ------------------ */

/* Callbacks may nest: a failed reset is another error */
static void ornic_pause(struct ornic_core *core)
{
	if (core->paused)
		return;

	disable_delayed_work_sync(&core->recovery);
	devl_lock(priv_to_devlink(core));
	core->paused = true;
	ornic_stop(core);
	devl_unlock(priv_to_devlink(core));
}

static void ornic_unpause(struct ornic_core *core)
{
	if (!core->paused)
		return;

	devl_lock(priv_to_devlink(core));
	core->paused = false;
	enable_delayed_work(&core->recovery);
	ornic_recovery_restart(core);
	devl_unlock(priv_to_devlink(core));
}

/* The next kernel must not find a device that still does DMA */
static void ornic_shutdown(struct pci_dev *pdev)
{
	ornic_pause(pci_get_drvdata(pdev));
}

static void ornic_reset_prepare(struct pci_dev *pdev)
{
	ornic_pause(pci_get_drvdata(pdev));
}

static void ornic_reset_done(struct pci_dev *pdev)
{
	struct ornic_core *core = pci_get_drvdata(pdev);

	/* The reset asks for another try of a device that was given up */
	if (core->paused)
		ornic_recovery_allow(core);
	ornic_unpause(core);
}

static pci_ers_result_t ornic_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct ornic_core *core = pci_get_drvdata(pdev);

	/* The device may be out of reach until ornic_mmio_enabled() */
	if (state == pci_channel_io_normal)
		return PCI_ERS_RESULT_CAN_RECOVER;

	ornic_cmdq_kill(core);
	ornic_pause(core);
	return state == pci_channel_io_perm_failure ? PCI_ERS_RESULT_DISCONNECT :
						      PCI_ERS_RESULT_NEED_RESET;
}

/* The device knows whether it can go on after the error ([ORNIC-PCI-10]) */
static pci_ers_result_t ornic_mmio_enabled(struct pci_dev *pdev)
{
	struct ornic_core *core = pci_get_drvdata(pdev);
	u32 status = readl(core->regs + ORNIC_REG_STATUS);

	/* A device that was reset meanwhile may not be ready */
	if (!ornic_reset_is_gone(core) && status & ORNIC_STATUS_READY &&
	    !(status & ORNIC_STATUS_FATAL))
		return PCI_ERS_RESULT_RECOVERED;

	ornic_cmdq_kill(core);
	ornic_pause(core);
	return PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t ornic_slot_reset(struct pci_dev *pdev)
{
	struct ornic_core *core = pci_get_drvdata(pdev);

	pci_restore_state(pdev);
	/* Another function of the slot may be the one that needed the reset */
	ornic_cmdq_kill(core);
	ornic_pause(core);
	return ornic_reset_is_gone(core) ? PCI_ERS_RESULT_DISCONNECT : PCI_ERS_RESULT_RECOVERED;
}

static void ornic_resume(struct pci_dev *pdev)
{
	/* Nothing to bring up after an error that needed no reset */
	ornic_unpause(pci_get_drvdata(pdev));
}

static const struct pci_error_handlers ornic_err_handler = {
	.error_detected	= ornic_error_detected,
	.mmio_enabled	= ornic_mmio_enabled,
	.slot_reset	= ornic_slot_reset,
	.resume		= ornic_resume,
	.reset_prepare	= ornic_reset_prepare,
	.reset_done	= ornic_reset_done,
};

/* A device that sleeps may lose its power, and all objects with it */
static int ornic_pm_suspend(struct device *dev)
{
	ornic_pause(dev_get_drvdata(dev));
	return 0;
}

static int ornic_pm_resume(struct device *dev)
{
	ornic_unpause(dev_get_drvdata(dev));
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(ornic_pm_ops, ornic_pm_suspend, ornic_pm_resume);

/* ---- The driver ---------------------------------------------------------- */

static const struct pci_device_id ornic_pci_ids[] = {
	{ PCI_DEVICE(ORNIC_PCI_VENDOR_ID, ORNIC_PCI_DEVICE_ID) },
	{}
};
MODULE_DEVICE_TABLE(pci, ornic_pci_ids);

static struct pci_driver ornic_driver = {
	.name		= KBUILD_MODNAME,
	.id_table	= ornic_pci_ids,
	.probe		= ornic_probe,
	.remove		= ornic_remove,
	.shutdown	= ornic_shutdown,
	.err_handler	= &ornic_err_handler,
	.driver.pm	= pm_sleep_ptr(&ornic_pm_ops),
};
module_pci_driver(ornic_driver);

MODULE_DESCRIPTION("Open RDMA NIC Ethernet driver");
MODULE_LICENSE("Dual BSD/GPL");
