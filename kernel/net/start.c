// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bringing a device up and taking it down: features and limits (ORNIC
 * specification, sections 10.2, 10.6 and 10.7), and the order of the steps.
 */
#include <linux/idr.h>
#include <linux/slab.h>
#include <linux/utsname.h>
#include <net/devlink.h>

#include "core.h"
#include "eq.h"
#include "health.h"
#include "netdev.h"
#include "profile.h"
#include "res.h"
#include "start.h"
#include "uctx.h"

/* ---- Features and commands ----------------------------------------------- */

/* Features that a part of the driver uses if the device has them */
#define ORNIC_START_FEATURES \
	(ORNIC_FEAT_CQE_EXT | \
	 ORNIC_FEAT_SRQ | \
	 ORNIC_FEAT_RESIZE_SRQ | \
	 ORNIC_FEAT_XRC | \
	 ORNIC_FEAT_MCAST | \
	 ORNIC_FEAT_MW | \
	 ORNIC_FEAT_REG_MR | \
	 ORNIC_FEAT_MODIFY_MR | \
	 ORNIC_FEAT_NULL_MR | \
	 ORNIC_FEAT_RESIZE_CQ | \
	 ORNIC_FEAT_WQ | \
	 ORNIC_FEAT_FLOW | \
	 ORNIC_FEAT_FLOW_COPY | \
	 ORNIC_FEAT_STAT_SETS | \
	 ORNIC_FEAT_COMP_CNTR | \
	 ORNIC_FEAT_TSO | \
	 ORNIC_FEAT_RATE_LIMIT | \
	 ORNIC_FEAT_PUSH | \
	 ORNIC_FEAT_CQ_MODERATION)

static int ornic_start_set_host(struct ornic_core *core, u64 *features)
{
	struct ornic_set_host_in in = {
		.version = cpu_to_le32(ORNIC_VERSION),
		.page_shift = PAGE_SHIFT,
		.features = cpu_to_le64(*features & ORNIC_START_FEATURES),
	};
	struct ornic_set_host_out out;
	int err;

	/* A long name of a kernel loses its end ([ORNIC-NEG-2]) */
	snprintf(in.name, sizeof(in.name), KBUILD_MODNAME " Linux %.*s",
		 (int)(sizeof(in.name) - sizeof(KBUILD_MODNAME " Linux ")),
		 init_utsname()->release);
	err = ornic_cmd_exec(&core->odev, ORNIC_CMD_SET_HOST, &in, sizeof(in), &out, sizeof(out));
	if (err) {
		dev_err(ornic_device(core),
			"SET_HOST failed: error %d, version %u.%u, features %#llx\n", err,
			FIELD_GET(ORNIC_VERSION_MAJOR, ORNIC_VERSION),
			FIELD_GET(ORNIC_VERSION_MINOR, ORNIC_VERSION), le64_to_cpu(in.features));
		return err;
	}

	/* [ORNIC-NEG-3] */
	if (out.features != in.features) {
		dev_err(ornic_device(core), "SET_HOST: features %#llx in force, %#llx wanted\n",
			le64_to_cpu(out.features), le64_to_cpu(in.features));
		return -ENODEV;
	}

	*features = le64_to_cpu(out.features);
	return 0;
}

/*
 * SET_HOST brings the features into force that both know, QUERY_EFFECTS tells
 * which commands there are. Reduces @features from those that the device
 * announces to those in force.
 */
static int ornic_start_negotiate(struct ornic_core *core, u64 *features)
{
	int err;

	err = ornic_start_set_host(core, features);
	if (err)
		return err;

	err = ornic_cmd_exec(&core->odev, ORNIC_CMD_QUERY_EFFECTS, NULL, 0, core->effects,
			     sizeof(core->effects));
	if (err) {
		dev_err(ornic_device(core), "QUERY_EFFECTS failed: error %d\n", err);
		return err;
	}

	core->has_effects = true;
	return 0;
}

/* ---- Limits -------------------------------------------------------------- */

#define ORNIC_START_RING(field)	{ #field, offsetof(struct ornic_limits, field) }

/* Sizes of rings, by name */
static const struct {
	const char *name;
	size_t offset;
} ornic_start_rings[] = {
	ORNIC_START_RING(max_eqe),
	ORNIC_START_RING(max_cqe),
	ORNIC_START_RING(max_sq_slots),
	ORNIC_START_RING(max_rq_wqes),
	ORNIC_START_RING(max_srq_wqes),
	ORNIC_START_RING(max_rwq_table_size),
};

/* [ORNIC-DEV-6] */
static int ornic_start_check_rings(struct ornic_core *core)
{
	const void *lim = &core->odev.lim;
	u32 entries, i;

	for (i = 0; i < ARRAY_SIZE(ornic_start_rings); i++) {
		entries = *(const u32 *)(lim + ornic_start_rings[i].offset);
		if (ornic_limits_ring_valid(entries))
			continue;
		dev_err(ornic_device(core), "%s is %u, which is not a power of two up to %u\n",
			ornic_start_rings[i].name, entries, ORNIC_RING_MAX);
		return -ENODEV;
	}
	return 0;
}

/* [ORNIC-ORD-8] */
static int ornic_start_check_lag(struct ornic_core *core, const char *name, u32 lag, u32 entries)
{
	u32 max = ornic_limits_max_lag(entries);

	if (lag <= max)
		return 0;
	dev_err(ornic_device(core), "%s is %u, which is more than %u of rings of %u\n", name, lag,
		max, entries);
	return -ENODEV;
}

static int ornic_start_check_lags(struct ornic_core *core)
{
	const struct ornic_limits *lim = &core->odev.lim;
	int err;

	err = ornic_start_check_lag(core, "sq_ci_lag", lim->sq_ci_lag, lim->max_sq_slots);
	if (!err)
		err = ornic_start_check_lag(core, "rq_ci_lag", lim->rq_ci_lag, lim->max_rq_wqes);
	if (!err && lim->max_srq_wqes)
		err = ornic_start_check_lag(core, "rq_ci_lag", lim->rq_ci_lag, lim->max_srq_wqes);
	return err;
}

/*
 * Consumers expect integers in their own byte order, and the device's are
 * little endian ([ORNIC-SQ-14]).
 */
static void ornic_start_drop_atomics(struct ornic_limits *lim)
{
	lim->send_ops[0] &= ~(BIT_ULL(ORNIC_WR_ATOMIC_CMP_SWP) |
			      BIT_ULL(ORNIC_WR_ATOMIC_FETCH_ADD) |
			      BIT_ULL(ORNIC_WR_MASKED_CMP_SWP) |
			      BIT_ULL(ORNIC_WR_MASKED_FETCH_ADD));
	lim->access_flags &= ~ORNIC_ACCESS_REMOTE_ATOMIC;
}

static int ornic_start_query(struct ornic_core *core)
{
	struct ornic_limits *lim = &core->odev.lim;
	struct ornic_query_device_out out;
	u32 needs, max_eq;
	int err, i;

	err = ornic_cmd_exec(&core->odev, ORNIC_CMD_QUERY_DEVICE, NULL, 0, &out, sizeof(out));
	if (err) {
		dev_err(ornic_device(core), "QUERY_DEVICE failed: error %d\n", err);
		return err;
	}

	*lim = (struct ornic_limits) {
		.features = le64_to_cpu(out.features),
		.guid = le64_to_cpu(out.guid),
		.max_mr_size = le64_to_cpu(out.max_mr_size),
		.page_sizes = le64_to_cpu(out.page_sizes),
		.fw_version = le32_to_cpu(out.fw_version),
		.max_uctx = le32_to_cpu(out.max_uctx),
		.max_pd = le32_to_cpu(out.max_pd),
		.max_eqe = le32_to_cpu(out.max_eqe),
		.max_cq = le32_to_cpu(out.max_cq),
		.max_cqe = le32_to_cpu(out.max_cqe),
		.max_qp = le32_to_cpu(out.max_qp),
		.max_sq_slots = le32_to_cpu(out.max_sq_slots),
		.max_rq_wqes = le32_to_cpu(out.max_rq_wqes),
		.max_sge = le32_to_cpu(out.max_sge),
		.max_inline = le32_to_cpu(out.max_inline),
		.max_mr = le32_to_cpu(out.max_mr),
		.max_srq = le32_to_cpu(out.max_srq),
		.max_srq_wqes = le32_to_cpu(out.max_srq_wqes),
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
		.max_rwq_table_size = le32_to_cpu(out.max_rwq_table_size),
		.rx_hash_fields = le32_to_cpu(out.rx_hash_fields),
		.wq_flags = le32_to_cpu(out.wq_flags),
		.max_delay_drop = le32_to_cpu(out.max_delay_drop),
		.max_flows = le32_to_cpu(out.max_flows),
		.max_tso = le32_to_cpu(out.max_tso),
		.min_rate = le32_to_cpu(out.min_rate),
		.max_rate = le32_to_cpu(out.max_rate),
		.profiles = le32_to_cpu(out.profiles),
		.max_log = le32_to_cpu(out.max_log),
		.flow_types = le32_to_cpu(out.flow_types),
		.flow_fields = le64_to_cpu(out.flow_fields),
		.flow_any_mask = le64_to_cpu(out.flow_any_mask),
		.flow_flags = le32_to_cpu(out.flow_flags),
		.flow_layers = le32_to_cpu(out.flow_layers),
		.sq_ci_lag = le32_to_cpu(out.sq_ci_lag),
		.rq_ci_lag = le32_to_cpu(out.rq_ci_lag),
		.max_stat_sets = le32_to_cpu(out.max_stat_sets),
		.rx_hash_types = le32_to_cpu(out.rx_hash_types),
		.max_comp_cntrs = le32_to_cpu(out.max_comp_cntrs),
	};

	for (i = 0; i < ORNIC_SEND_OPS_WORDS; i++)
		lim->send_ops[i] = le64_to_cpu(out.send_ops[i]);

	err = ornic_start_negotiate(core, &lim->features);
	if (err)
		return err;

	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		ornic_start_drop_atomics(lim);

	/* [ORNIC-OBJ-16] */
	if (!(lim->features & ORNIC_FEAT_MW))
		lim->access_flags &= ~ORNIC_ACCESS_MW_BIND;

	core->profiles = ornic_profile_check(core, &out);

	/*
	 * A page that a process maps must not overlap several doorbell pages
	 * ([ORNIC-DB-1]). Both numbers count the kernel's page
	 * ([ORNIC-DEV-5]).
	 */
	if (core->db_stride % PAGE_SIZE)
		lim->max_uctx = 0;
	else
		lim->max_uctx = clamp(lim->max_uctx, 1, core->db_pages) - 1;

	needs = le32_to_cpu(out.needs);
	if (needs & ~ORNIC_NEEDS_RQ_DOORBELL) {
		dev_err(ornic_device(core), "device needs %#x, this driver does %#x\n", needs,
			ORNIC_NEEDS_RQ_DOORBELL);
		return -ENODEV;
	}
	core->odev.rq_doorbell = needs & ORNIC_NEEDS_RQ_DOORBELL;

	err = ornic_start_check_rings(core);
	if (!err)
		err = ornic_start_check_lags(core);
	if (err)
		return err;

	if (!lim->max_eqe) {
		dev_err(ornic_device(core), "max_eqe is 0, and each vector needs an event queue\n");
		return -ENODEV;
	}
	/* [ORNIC-DEV-6] */
	if (lim->features & ORNIC_FEAT_TSO && lim->max_tso < ORNIC_TSO_MIN) {
		dev_err(ornic_device(core), "max_tso is %u, which is less than %u\n", lim->max_tso,
			ORNIC_TSO_MIN);
		return -ENODEV;
	}
	max_eq = le32_to_cpu(out.max_eq);
	if (max_eq < core->num_vectors) {
		dev_err(ornic_device(core), "max_eq is %u, which is less than %u, one per vector\n",
			max_eq, core->num_vectors);
		return -ENODEV;
	}
	return 0;
}

/* ---- Auxiliary device that the verbs driver binds to --------------------- */

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

/* On return the verbs driver has released all its resources */
static void ornic_adev_remove(struct ornic_core *core)
{
	if (!core->adev)
		return;

	auxiliary_device_delete(&core->adev->adev);
	auxiliary_device_uninit(&core->adev->adev);
	core->adev = NULL;
}

/* ---- Bringing up and taking down ----------------------------------------- */

/**
 * ornic_start_device - bring up what the interface and the verbs driver need
 * @core:	the device, just reset; devl_lock is held
 *
 * Return: 0 or a negative error number.
 */
int ornic_start_device(struct ornic_core *core)
{
	struct pci_dev *pdev = core->odev.pdev;
	u32 caps;
	int err;

	/* The reset has destroyed all objects, and no feature is in force */
	ornic_res_clear_nums(core);
	core->has_effects = false;
	/* The admin queue does not run, so ornic_fail() does nothing */
	WRITE_ONCE(core->failed, false);
	pci_set_master(pdev);
	caps = readl(core->regs + ORNIC_REG_CAPS);
	core->odev.shadow = caps & ORNIC_CAPS_SHADOW;

	err = ornic_reset_check_dma(core);
	if (err == -EIO)
		dev_err(ornic_device(core), "device cannot reach host memory\n");
	if (err)
		goto err_clear_master;

	err = ornic_cmdq_alloc(core, FIELD_GET(ORNIC_CAPS_ADMIN_DEPTH_MAX, caps));
	if (err)
		goto err_clear_master;

	err = ornic_cmdq_start(core);
	if (err) {
		ornic_reset_halt(core);
		goto err_free_cmdq;
	}

	err = ornic_start_query(core);
	if (err)
		goto err_kill_cmdq;

	err = ornic_uctx_kernel_init(core);
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
	ornic_uctx_kernel_uninit(core);
err_kill_cmdq:
	ornic_cmdq_kill(core);
err_free_cmdq:
	ornic_cmdq_free(core);
err_clear_master:
	pci_clear_master(pdev);
	return err;
}

/**
 * ornic_stop_device - undo ornic_start_device()
 * @core:	the device
 */
void ornic_stop_device(struct ornic_core *core)
{
	ornic_eqs_destroy(core);
	ornic_uctx_kernel_uninit(core);
	ornic_cmdq_kill(core);
	ornic_cmdq_free(core);
}

/**
 * ornic_start - bring up a registered device
 * @core:	the device, stopped; devl_lock is held
 *
 * Return: 0 or a negative error number.
 */
int ornic_start(struct ornic_core *core)
{
	int err;

	devl_assert_locked(priv_to_devlink(core));

	err = ornic_reset(core);
	if (err)
		return err;

	err = ornic_start_device(core);
	if (err)
		return err;

	err = ornic_netdev_attach(core->odev.netdev);
	if (err)
		goto err_device_down;

	ornic_clock_start(core);
	err = ornic_adev_add(core);
	if (err)
		goto err_detach_netdev;

	ornic_health_start(core);
	core->started = true;
	return 0;

err_detach_netdev:
	ornic_clock_stop(core);
	ornic_netdev_detach(core->odev.netdev);
err_device_down:
	ornic_stop_device(core);
	return err;
}

/**
 * ornic_stop - take down a registered device
 * @core:	the device; it may be stopped already; devl_lock is held
 */
void ornic_stop(struct ornic_core *core)
{
	devl_assert_locked(priv_to_devlink(core));

	if (!core->started)
		return;

	core->started = false;
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
	ornic_stop_device(core);
}
