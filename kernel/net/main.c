// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Open RDMA NIC: the PCI driver, and the order of bringing up and down */
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "core.h"
#include "netdev.h"
#include "ornic_trace.h"

static u32 ornic_ring_limit(u32 device_limit)
{
	return device_limit ? rounddown_pow_of_two(device_limit) : 0;
}

static int ornic_query_device(struct ornic_core *core)
{
	struct ornic_limits *lim = &core->odev.lim;
	struct ornic_query_device_out out;
	int err;

	err = ornic_cmd_exec(&core->odev, ORNIC_CMD_QUERY_DEVICE, NULL, 0, &out, sizeof(out));
	if (err)
		return err;

	*lim = (struct ornic_limits) {
		.features = le64_to_cpu(out.features),
		.guid = le64_to_cpu(out.guid),
		.max_mr_size = le64_to_cpu(out.max_mr_size),
		.page_sizes = le64_to_cpu(out.page_sizes),
		.send_ops = le64_to_cpu(out.send_ops),
		.fw_version = le32_to_cpu(out.fw_version),
		.max_uctx = le32_to_cpu(out.max_uctx),
		.max_pd = le32_to_cpu(out.max_pd),
		.max_eq = le32_to_cpu(out.max_eq),
		.max_eqe = ornic_ring_limit(le32_to_cpu(out.max_eqe)),
		.max_cq = le32_to_cpu(out.max_cq),
		.max_cqe = ornic_ring_limit(le32_to_cpu(out.max_cqe)),
		.max_qp = le32_to_cpu(out.max_qp),
		.max_sq_slots = ornic_ring_limit(le32_to_cpu(out.max_sq_slots)),
		.max_rq_wqes = ornic_ring_limit(le32_to_cpu(out.max_rq_wqes)),
		.max_sge = le32_to_cpu(out.max_sge),
		.max_inline = le32_to_cpu(out.max_inline),
		.max_mr = le32_to_cpu(out.max_mr),
		.max_srq = le32_to_cpu(out.max_srq),
		.max_srq_wqes = ornic_ring_limit(le32_to_cpu(out.max_srq_wqes)),
		.max_mcast_groups = le32_to_cpu(out.max_mcast_groups),
		.max_mcast_qps = le32_to_cpu(out.max_mcast_qps),
		.max_mw = le32_to_cpu(out.max_mw),
		.max_rx_queues = le32_to_cpu(out.max_rx_queues),
		.max_gid = le32_to_cpu(out.max_gid),
		.max_rd_atomic = le32_to_cpu(out.max_rd_atomic),
		.max_msg_size = le32_to_cpu(out.max_msg_size),
		.max_reg_pages = le32_to_cpu(out.max_reg_pages),
		.access_flags = le32_to_cpu(out.access_flags),
		.qp_types = le32_to_cpu(out.qp_types),
		.max_wq = le32_to_cpu(out.max_wq),
		.max_rwq_tables = le32_to_cpu(out.max_rwq_tables),
		.max_rwq_table_size = ornic_ring_limit(le32_to_cpu(out.max_rwq_table_size)),
		.rx_hash_fields = le32_to_cpu(out.rx_hash_fields),
		.wq_flags = le32_to_cpu(out.wq_flags),
		.max_delay_drop = le32_to_cpu(out.max_delay_drop),
		.max_flows = le32_to_cpu(out.max_flows),
		.max_counters = le32_to_cpu(out.max_counters),
		.max_tso = le32_to_cpu(out.max_tso),
		.min_rate = le32_to_cpu(out.min_rate),
		.max_rate = le32_to_cpu(out.max_rate),
	};

	/*
	 * A page that a process maps must not overlap several doorbell pages.
	 * Both numbers count the kernel's page ([ORNIC-DEV-3]).
	 */
	if (core->db_stride % PAGE_SIZE)
		lim->max_uctx = 0;
	else
		lim->max_uctx = clamp(lim->max_uctx, 1, core->db_pages) - 1;

	return lim->max_eqe && lim->max_eq >= core->num_vectors ? 0 : -ENODEV;
}

/* Brings up what both the interface and the verbs driver need */
static int ornic_device_up(struct ornic_core *core)
{
	struct pci_dev *pdev = core->odev.pdev;
	u32 caps;
	int err;

	err = ornic_reset(core);
	trace_ornic_reset(ornic_device(core), err);
	if (err)
		return err;

	/* The reset has destroyed all objects */
	ornic_nums_clear(core);
	pci_set_master(pdev);
	caps = readl(core->regs + ORNIC_REG_CAPS);
	core->odev.shadow = caps & ORNIC_CAPS_SHADOW;

	err = ornic_check_dma(core);
	if (err == -EIO)
		dev_err(ornic_device(core),
			"device cannot reach host memory (vfio-user needs share=on)\n");
	if (err)
		goto err_clear_master;

	err = ornic_cmdq_alloc(core, ORNIC_GET(ORNIC_CAPS_ADMIN_DEPTH_MAX, caps));
	if (err)
		goto err_clear_master;

	err = ornic_enable(core);
	if (err)
		goto err_halt;

	err = ornic_query_device(core);
	if (err) {
		dev_err(ornic_device(core), "device does not tell its limits: error %d\n", err);
		goto err_kill_cmdq;
	}

	err = ornic_kernel_uctx_init(core);
	if (err) {
		dev_err(ornic_device(core), "no doorbell page: error %d\n", err);
		goto err_kill_cmdq;
	}

	err = ornic_eqs_create(core);
	if (err) {
		dev_err(ornic_device(core), "no event queues: error %d\n", err);
		goto err_uninit_uctx;
	}

	return 0;

err_uninit_uctx:
	ornic_kernel_uctx_uninit(core);
err_kill_cmdq:
	ornic_cmdq_kill(core);
err_halt:
	ornic_halt(core);
	ornic_cmdq_free(core);
err_clear_master:
	pci_clear_master(pdev);
	return err;
}

static void ornic_device_down(struct ornic_core *core)
{
	ornic_eqs_destroy(core);
	ornic_kernel_uctx_uninit(core);
	ornic_cmdq_kill(core);
	ornic_cmdq_free(core);
}

/**
 * ornic_start - bring up a registered device
 * @core:	the device, stopped; state_lock is held
 *
 * Return: 0 or a negative error number.
 */
int ornic_start(struct ornic_core *core)
{
	int err;

	lockdep_assert_held(&core->state_lock);

	err = ornic_device_up(core);
	if (err)
		return err;

	err = ornic_netdev_attach(core->odev.netdev);
	if (err)
		goto err_device_down;

	ornic_clock_start(core);
	err = ornic_adev_add(core);
	if (err)
		goto err_stop_clock;

	ornic_health_start(core);
	core->up = true;
	return 0;

err_stop_clock:
	ornic_clock_stop(core);
	ornic_netdev_detach(core->odev.netdev);
err_device_down:
	ornic_device_down(core);
	return err;
}

/**
 * ornic_stop - take down a registered device
 * @core:	the device; it may be stopped already; state_lock is held
 */
void ornic_stop(struct ornic_core *core)
{
	lockdep_assert_held(&core->state_lock);

	if (!core->up)
		return;

	core->up = false;
	/*
	 * Consumers of RDMA may take a minute to let a dead device go. Frames
	 * that it does not complete would time out meanwhile.
	 */
	if (!ornic_cmdq_running(&core->cmdq))
		netif_carrier_off(core->odev.netdev);
	/* Health checks go on: consumers wait for a device that may fail */
	ornic_adev_remove(core);
	ornic_health_stop(core);
	ornic_clock_stop(core);
	ornic_netdev_detach(core->odev.netdev);
	ornic_device_down(core);
}

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

	core = devm_kzalloc(dev, sizeof(*core), GFP_KERNEL);
	if (!core)
		return -ENOMEM;

	core->odev.pdev = pdev;
	pci_set_drvdata(pdev, core);
	mutex_init(&core->state_lock);
	ATOMIC_INIT_NOTIFIER_HEAD(&core->odev.death);
	ornic_res_init(core);
	ornic_nums_init(core);
	ornic_cmdq_init(core);
	ornic_recovery_init(core);

	err = pcim_enable_device(pdev);
	if (err)
		return dev_err_probe(dev, err, "cannot enable the PCI device\n");

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
	 * The driver before may have left a reset that goes on. Until it ends
	 * most registers have no defined value ([ORNIC-REG-5]).
	 */
	err = ornic_reset(core);
	if (err)
		return err;

	err = ornic_map_doorbells(core);
	if (err)
		return dev_err_probe(dev, err, "cannot map the doorbells\n");

	err = ornic_irqs_init(core, readl(core->regs + ORNIC_REG_VECTORS));
	if (err)
		return dev_err_probe(dev, err, "cannot get interrupts\n");

	err = ornic_netdev_alloc(core);
	if (err)
		goto err_uninit_irqs;

	mutex_lock(&core->state_lock);
	err = ornic_device_up(core);
	if (err)
		goto err_unlock;

	/* Before the interface, which reports the index of the clock */
	ornic_clock_register(core);
	err = ornic_netdev_register(core->odev.netdev);
	if (err)
		goto err_unregister_clock;

	err = ornic_adev_add(core);
	if (err)
		goto err_unregister_netdev;

	ornic_health_start(core);
	core->up = true;
	mutex_unlock(&core->state_lock);
	return 0;

err_unregister_netdev:
	ornic_netdev_unregister(core->odev.netdev);
err_unregister_clock:
	ornic_clock_unregister(core);
	ornic_device_down(core);
err_unlock:
	mutex_unlock(&core->state_lock);
	disable_delayed_work_sync(&core->recovery);
	ornic_netdev_free(core->odev.netdev);
err_uninit_irqs:
	/* Failures of the device were reported where they were found */
	ornic_irqs_uninit(core);
	ornic_nums_clear(core);
	return err;
}

static void ornic_remove(struct pci_dev *pdev)
{
	struct ornic_core *core = pci_get_drvdata(pdev);

	/* Fail commands now instead of by timeout */
	if (ornic_is_gone(core))
		ornic_cmdq_kill(core);

	disable_delayed_work_sync(&core->recovery);
	mutex_lock(&core->state_lock);
	ornic_stop(core);
	mutex_unlock(&core->state_lock);

	ornic_netdev_unregister(core->odev.netdev);
	ornic_clock_unregister(core);
	ornic_netdev_free(core->odev.netdev);
	ornic_irqs_uninit(core);
	ornic_res_uninit(core);
	ornic_nums_clear(core);
}

/* The next kernel must not find a device that still does DMA */
static void ornic_shutdown(struct pci_dev *pdev)
{
	struct ornic_core *core = pci_get_drvdata(pdev);

	disable_delayed_work_sync(&core->recovery);
	mutex_lock(&core->state_lock);
	ornic_stop(core);
	mutex_unlock(&core->state_lock);
}

/* ---- Reset from outside, bus errors and sleep ---------------------------- */

/* Callbacks may nest: a failed reset is another error */
static void ornic_pause(struct ornic_core *core)
{
	if (core->paused)
		return;

	core->paused = true;
	disable_delayed_work_sync(&core->recovery);
	mutex_lock(&core->state_lock);
	ornic_stop(core);
	mutex_unlock(&core->state_lock);
}

static void ornic_unpause(struct ornic_core *core)
{
	if (!core->paused)
		return;

	core->paused = false;
	mutex_lock(&core->state_lock);
	enable_delayed_work(&core->recovery);
	ornic_restart(core);
	mutex_unlock(&core->state_lock);
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

/* The device knows whether it can go on after the error ([ORNIC-PCI-6]) */
static pci_ers_result_t ornic_mmio_enabled(struct pci_dev *pdev)
{
	struct ornic_core *core = pci_get_drvdata(pdev);

	if (!ornic_is_gone(core) &&
	    !(readl(core->regs + ORNIC_REG_STATUS) & ORNIC_STATUS_FATAL))
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
	return ornic_is_gone(core) ? PCI_ERS_RESULT_DISCONNECT : PCI_ERS_RESULT_RECOVERED;
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
