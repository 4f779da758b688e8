// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * devlink: versions of the device, its reload, and reporters of its health. A
 * reporter's dump is made before a recovery, and kept until it is cleared.
 * ornic_recovery_work() reports failures.
 *
 * The reporters belong to the device: a devlink port would have to go before
 * each reload, and the netdev with it.
 */
#include <linux/unaligned.h>
#include <net/devlink.h>

#include "cmd.h"
#include "core.h"
#include "devlink.h"
#include "health.h"
#include "netdev.h"
#include "start.h"

/* A queue that fails again within this time is a matter of the device, ms */
#define ORNIC_DEVLINK_QUEUE_GRACE	(60 * MSEC_PER_SEC)

#define ORNIC_DEVLINK_LOG_MAX	((ORNIC_CMD_MAX_OUT - sizeof(struct ornic_query_log_out)) / \
				 sizeof(struct ornic_log_entry))

static int ornic_devlink_info_get(struct devlink *devlink, struct devlink_info_req *req,
				  struct netlink_ext_ack *extack)
{
	struct ornic_core *core = devlink_priv(devlink);
	const struct ornic_limits *lim = &core->odev.lim;
	char text[32];
	u8 serial[8];
	int err;

	/* [ORNIC-PCI-1] */
	put_unaligned_be64(lim->guid, serial);
	snprintf(text, sizeof(text), "%8phD", serial);
	err = devlink_info_serial_number_put(req, text);
	if (err)
		return err;

	snprintf(text, sizeof(text), "%u", core->odev.pdev->revision);
	err = devlink_info_version_fixed_put(req, DEVLINK_INFO_VERSION_GENERIC_ASIC_REV, text);
	if (err)
		return err;

	snprintf(text, sizeof(text), "%u.%u", FIELD_GET(ORNIC_VERSION_MAJOR, core->version),
		 FIELD_GET(ORNIC_VERSION_MINOR, core->version));
	err = devlink_info_version_running_put(req, DEVLINK_INFO_VERSION_GENERIC_FW_MGMT_API, text);
	if (err)
		return err;

	ornic_fw_version(lim, text, sizeof(text));
	return devlink_info_version_running_put(req, DEVLINK_INFO_VERSION_GENERIC_FW, text);
}

/* ---- Reload -------------------------------------------------------------- */

/* Processes lose the verbs device, as after a reset; the netdev stays */
static int ornic_devlink_reload_down(struct devlink *devlink, bool netns_change,
				     enum devlink_reload_action action,
				     enum devlink_reload_limit limit,
				     struct netlink_ext_ack *extack)
{
	struct ornic_core *core = devlink_priv(devlink);

	if (netns_change) {
		NL_SET_ERR_MSG_MOD(extack, "the netdev keeps its namespace in a reload");
		return -EOPNOTSUPP;
	}

	/*
	 * The device lock, which is held, keeps it so until the end of the
	 * reload.
	 */
	if (core->paused) {
		NL_SET_ERR_MSG_MOD(extack, "a reset or a bus error is not over yet");
		return -EBUSY;
	}

	ornic_stop(core);
	return 0;
}

static int ornic_devlink_reload_up(struct devlink *devlink, enum devlink_reload_action action,
				   enum devlink_reload_limit limit, u32 *actions_performed,
				   struct netlink_ext_ack *extack)
{
	struct ornic_core *core = devlink_priv(devlink);

	*actions_performed = BIT(DEVLINK_RELOAD_ACTION_DRIVER_REINIT);
	ornic_recovery_allow(core);
	return ornic_recovery_restart(core);
}

/* ---- Reporter of the device ---------------------------------------------- */

static void ornic_devlink_put_registers(struct ornic_core *core, struct devlink_fmsg *fmsg)
{
	bool running = ornic_cmdq_running(&core->cmdq);

	/* The reset that stops a device clears its registers */
	devlink_fmsg_pair_nest_start(fmsg, "registers");
	devlink_fmsg_obj_nest_start(fmsg);
	devlink_fmsg_u32_pair_put(fmsg, "status", running ? readl(core->regs + ORNIC_REG_STATUS) :
							    core->fatal_status);
	devlink_fmsg_u32_pair_put(fmsg, "fatal_cause",
				  running ? readl(core->regs + ORNIC_REG_FATAL_CAUSE) :
					    core->fatal_cause);
	devlink_fmsg_obj_nest_end(fmsg);
	devlink_fmsg_pair_nest_end(fmsg);
}

static void ornic_devlink_put_note(struct devlink_fmsg *fmsg, const struct ornic_cmd_note *note)
{
	devlink_fmsg_obj_nest_start(fmsg);
	devlink_fmsg_string_pair_put(fmsg, "command", ornic_cmd_name(note->opcode));
	devlink_fmsg_u32_pair_put(fmsg, "id", note->cmd_id);
	devlink_fmsg_u64_pair_put(fmsg, "start_ns", note->start);
	devlink_fmsg_u64_pair_put(fmsg, "duration_ns", note->duration);
	if (note->status < 0)
		devlink_fmsg_string_pair_put(fmsg, "status", "none");
	else
		devlink_fmsg_u32_pair_put(fmsg, "status", note->status);
	devlink_fmsg_obj_nest_end(fmsg);
}

static void ornic_devlink_put_cmdq(struct ornic_core *core, struct devlink_fmsg *fmsg)
{
	struct ornic_cmd_note notes[ORNIC_CMD_NOTES];
	struct ornic_cmdq *cmdq = &core->cmdq;
	u32 pi, ci, taken, i;

	spin_lock_irq(&cmdq->lock);
	memcpy(notes, cmdq->notes, sizeof(notes));
	pi = cmdq->pi;
	ci = cmdq->ci;
	taken = cmdq->taken;
	spin_unlock_irq(&cmdq->lock);

	devlink_fmsg_pair_nest_start(fmsg, "admin_queue");
	devlink_fmsg_obj_nest_start(fmsg);
	devlink_fmsg_u32_pair_put(fmsg, "pi", pi);
	devlink_fmsg_u32_pair_put(fmsg, "taken", taken);
	devlink_fmsg_u32_pair_put(fmsg, "ci", ci);
	devlink_fmsg_arr_pair_nest_start(fmsg, "commands");
	for (i = pi - min(pi, ORNIC_CMD_NOTES); i != pi; i++)
		ornic_devlink_put_note(fmsg, &notes[i % ORNIC_CMD_NOTES]);
	devlink_fmsg_arr_pair_nest_end(fmsg);
	devlink_fmsg_obj_nest_end(fmsg);
	devlink_fmsg_pair_nest_end(fmsg);
}

static void ornic_devlink_put_log_entry(struct devlink_fmsg *fmsg,
					const struct ornic_log_entry *entry)
{
	devlink_fmsg_obj_nest_start(fmsg);
	devlink_fmsg_u64_pair_put(fmsg, "time", le64_to_cpu(entry->time));
	devlink_fmsg_u32_pair_put(fmsg, "kind", le16_to_cpu(entry->kind));
	devlink_fmsg_u32_pair_put(fmsg, "code", le16_to_cpu(entry->code));
	devlink_fmsg_u32_pair_put(fmsg, "num", le32_to_cpu(entry->num));
	devlink_fmsg_u64_pair_put(fmsg, "value", le64_to_cpu(entry->value));
	devlink_fmsg_u32_pair_put(fmsg, "count", le32_to_cpu(entry->count));
	devlink_fmsg_obj_nest_end(fmsg);
}

/*
 * The answer of QUERY_LOG (ORNIC specification, section 10.8); a dead device
 * gives none.
 */
static int ornic_devlink_put_log(struct ornic_core *core, struct devlink_fmsg *fmsg)
{
	u32 max = min(core->odev.lim.max_log, ORNIC_DEVLINK_LOG_MAX), count, i;
	struct ornic_query_log_in in = {};
	struct ornic_query_log_out *out;

	out = kzalloc_flex(*out, entries, max);
	if (!out)
		return -ENOMEM;

	/* Entries from number 0 on, so all that there are */
	if (ornic_cmd_exec_urgent(&core->odev, ORNIC_CMD_QUERY_LOG, &in, sizeof(in), out,
				  struct_size(out, entries, max)))
		goto out_free;

	count = min(le32_to_cpu(out->count), max);
	devlink_fmsg_pair_nest_start(fmsg, "log");
	devlink_fmsg_obj_nest_start(fmsg);
	devlink_fmsg_u64_pair_put(fmsg, "time", le64_to_cpu(out->time));
	devlink_fmsg_u64_pair_put(fmsg, "first", le64_to_cpu(out->first));
	devlink_fmsg_u64_pair_put(fmsg, "next", le64_to_cpu(out->next));
	devlink_fmsg_arr_pair_nest_start(fmsg, "entries");
	for (i = 0; i < count; i++)
		ornic_devlink_put_log_entry(fmsg, &out->entries[i]);
	devlink_fmsg_arr_pair_nest_end(fmsg);
	devlink_fmsg_obj_nest_end(fmsg);
	devlink_fmsg_pair_nest_end(fmsg);

out_free:
	kfree(out);
	return 0;
}

/*
 * @ctx: tells the recovery work that this was called; NULL if an administrator
 * asks for it.
 */
static int ornic_devlink_fw_recover(struct devlink_health_reporter *reporter, void *ctx,
				    struct netlink_ext_ack *extack)
{
	bool *tried = ctx;

	if (tried)
		*tried = true;
	return ornic_recovery_run(devlink_health_reporter_priv(reporter), !tried);
}

static int ornic_devlink_fw_dump(struct devlink_health_reporter *reporter,
				 struct devlink_fmsg *fmsg, void *ctx,
				 struct netlink_ext_ack *extack)
{
	struct ornic_core *core = devlink_health_reporter_priv(reporter);

	devlink_fmsg_string_pair_put(fmsg, "last_failure", core->reason);
	ornic_devlink_put_registers(core, fmsg);
	ornic_devlink_put_cmdq(core, fmsg);
	return ornic_devlink_put_log(core, fmsg);
}

/*
 * The log of the device outlives its reset, so this has the entries of a
 * failure.
 */
static int ornic_devlink_fw_diagnose(struct devlink_health_reporter *reporter,
				     struct devlink_fmsg *fmsg, struct netlink_ext_ack *extack)
{
	struct ornic_core *core = devlink_health_reporter_priv(reporter);

	devlink_fmsg_bool_pair_put(fmsg, "running", ornic_cmdq_running(&core->cmdq));
	devlink_fmsg_string_pair_put(fmsg, "last_failure", core->reason);
	ornic_devlink_put_registers(core, fmsg);
	return ornic_devlink_put_log(core, fmsg);
}

static const struct devlink_health_reporter_ops ornic_devlink_fw_ops = {
	.name		= "fw",
	.recover	= ornic_devlink_fw_recover,
	.dump		= ornic_devlink_fw_dump,
	.diagnose	= ornic_devlink_fw_diagnose,
};

/* ---- Reporters of the queues of the netdev ------------------------------- */

static void ornic_devlink_put_cq(struct devlink_fmsg *fmsg, const struct ornic_cq_ring *ring)
{
	u32 arm = le32_to_cpu(READ_ONCE(ring->dbr->arm));

	devlink_fmsg_u32_pair_put(fmsg, "cqn", ring->cqn);
	devlink_fmsg_u32_pair_put(fmsg, "cq_ci", READ_ONCE(ring->ci));
	devlink_fmsg_u32_pair_put(fmsg, "cq_arm_seq", FIELD_GET(ORNIC_ARM_SEQ, arm));
	devlink_fmsg_bool_pair_put(fmsg, "cq_holds_completion", ornic_cq_peek(ring));
}

static enum ornic_queue_side ornic_devlink_side(struct devlink_health_reporter *reporter)
{
	struct ornic_core *core = devlink_health_reporter_priv(reporter);

	return reporter == core->tx_reporter ? ORNIC_QUEUE_TX : ORNIC_QUEUE_RX;
}

static void ornic_devlink_put_queue(struct devlink_fmsg *fmsg, const struct ornic_queue *queue,
				    enum ornic_queue_side side)
{
	devlink_fmsg_obj_nest_start(fmsg);
	devlink_fmsg_u32_pair_put(fmsg, "queue", queue->index);
	devlink_fmsg_u32_pair_put(fmsg, "qpn", queue->qpn);
	devlink_fmsg_bool_pair_put(fmsg, "failed", test_bit(side, &queue->faults));
	if (side == ORNIC_QUEUE_TX) {
		devlink_fmsg_u32_pair_put(fmsg, "entries", 1u << queue->tx.log_slots);
		devlink_fmsg_u32_pair_put(fmsg, "pi", READ_ONCE(queue->tx.pi));
		devlink_fmsg_u32_pair_put(fmsg, "published", READ_ONCE(queue->tx.published));
		devlink_fmsg_u32_pair_put(fmsg, "ci", READ_ONCE(queue->tx.ci));
		ornic_devlink_put_cq(fmsg, &queue->tx.cq);
	} else {
		devlink_fmsg_u32_pair_put(fmsg, "entries", 1u << queue->rx.log_wqes);
		devlink_fmsg_u32_pair_put(fmsg, "pi", READ_ONCE(queue->rx.pi));
		devlink_fmsg_u32_pair_put(fmsg, "ci", READ_ONCE(queue->rx.ci));
		ornic_devlink_put_cq(fmsg, &queue->rx.cq);
	}
	devlink_fmsg_obj_nest_end(fmsg);
}

static int ornic_devlink_queues_diagnose(struct devlink_health_reporter *reporter,
					 struct devlink_fmsg *fmsg, struct netlink_ext_ack *extack)
{
	struct ornic_core *core = devlink_health_reporter_priv(reporter);
	struct ornic_netdev *nd = netdev_priv(core->odev.netdev);
	u32 i;

	devlink_fmsg_arr_pair_nest_start(fmsg, "queues");
	rtnl_lock();
	for (i = 0; nd->open && i < nd->config.num_queues; i++)
		ornic_devlink_put_queue(fmsg, nd->queues[i], ornic_devlink_side(reporter));
	rtnl_unlock();
	devlink_fmsg_arr_pair_nest_end(fmsg);
	return 0;
}

static int ornic_devlink_queues_dump(struct devlink_health_reporter *reporter,
				     struct devlink_fmsg *fmsg, void *ctx,
				     struct netlink_ext_ack *extack)
{
	return ornic_devlink_queues_diagnose(reporter, fmsg, extack);
}

static int ornic_devlink_queues_recover(struct devlink_health_reporter *reporter, void *ctx,
					struct netlink_ext_ack *extack)
{
	struct ornic_core *core = devlink_health_reporter_priv(reporter);

	return ornic_config_replace(netdev_priv(core->odev.netdev), ornic_devlink_side(reporter));
}

static const struct devlink_health_reporter_ops ornic_devlink_tx_ops = {
	.name			= "tx",
	.recover		= ornic_devlink_queues_recover,
	.dump			= ornic_devlink_queues_dump,
	.diagnose		= ornic_devlink_queues_diagnose,
	.default_graceful_period = ORNIC_DEVLINK_QUEUE_GRACE,
};

static const struct devlink_health_reporter_ops ornic_devlink_rx_ops = {
	.name			= "rx",
	.recover		= ornic_devlink_queues_recover,
	.dump			= ornic_devlink_queues_dump,
	.diagnose		= ornic_devlink_queues_diagnose,
	.default_graceful_period = ORNIC_DEVLINK_QUEUE_GRACE,
};

/* ---- Lifetime ------------------------------------------------------------ */

static const struct devlink_ops ornic_devlink_ops = {
	.info_get	= ornic_devlink_info_get,
	.reload_actions	= BIT(DEVLINK_RELOAD_ACTION_DRIVER_REINIT),
	.reload_down	= ornic_devlink_reload_down,
	.reload_up	= ornic_devlink_reload_up,
};

static void ornic_devlink_free(void *devlink)
{
	devlink_free(devlink);
}

/**
 * ornic_devlink_alloc - allocate the device with its devlink instance
 * @pdev:	the PCI device, which frees it when the driver is unbound
 *
 * Return: the device, zeroed, or NULL.
 */
struct ornic_core *ornic_devlink_alloc(struct pci_dev *pdev)
{
	struct devlink *devlink;

	devlink = devlink_alloc(&ornic_devlink_ops, sizeof(struct ornic_core), &pdev->dev);
	if (!devlink || devm_add_action_or_reset(&pdev->dev, ornic_devlink_free, devlink))
		return NULL;

	return devlink_priv(devlink);
}

/**
 * ornic_devlink_init - create the reporters
 * @core:	the device; devl_lock is held until it is registered
 *
 * Return: 0 or a negative error number.
 */
int ornic_devlink_init(struct ornic_core *core)
{
	struct devlink *devlink = priv_to_devlink(core);
	int err;

	core->fw_reporter = devl_health_reporter_create(devlink, &ornic_devlink_fw_ops, core);
	if (IS_ERR(core->fw_reporter))
		return PTR_ERR(core->fw_reporter);

	core->tx_reporter = devl_health_reporter_create(devlink, &ornic_devlink_tx_ops, core);
	if (IS_ERR(core->tx_reporter)) {
		err = PTR_ERR(core->tx_reporter);
		goto err_destroy_fw;
	}

	core->rx_reporter = devl_health_reporter_create(devlink, &ornic_devlink_rx_ops, core);
	if (IS_ERR(core->rx_reporter)) {
		err = PTR_ERR(core->rx_reporter);
		goto err_destroy_tx;
	}

	return 0;

err_destroy_tx:
	devl_health_reporter_destroy(core->tx_reporter);
err_destroy_fw:
	devl_health_reporter_destroy(core->fw_reporter);
	return err;
}

/**
 * ornic_devlink_uninit - destroy the reporters
 * @core:	the device, not registered; devl_lock is held
 */
void ornic_devlink_uninit(struct ornic_core *core)
{
	devl_health_reporter_destroy(core->rx_reporter);
	devl_health_reporter_destroy(core->tx_reporter);
	devl_health_reporter_destroy(core->fw_reporter);
}

/**
 * ornic_devlink_restarted - tell devlink how a restart of the device has ended
 * @core:	the device
 * @works:	the device is up, and its queues are new
 */
void ornic_devlink_restarted(struct ornic_core *core, bool works)
{
	if (!works) {
		devlink_health_reporter_state_update(core->fw_reporter,
						     DEVLINK_HEALTH_REPORTER_STATE_ERROR);
		return;
	}

	devlink_health_reporter_state_update(core->fw_reporter,
					     DEVLINK_HEALTH_REPORTER_STATE_HEALTHY);
	devlink_health_reporter_state_update(core->tx_reporter,
					     DEVLINK_HEALTH_REPORTER_STATE_HEALTHY);
	devlink_health_reporter_state_update(core->rx_reporter,
					     DEVLINK_HEALTH_REPORTER_STATE_HEALTHY);
}
