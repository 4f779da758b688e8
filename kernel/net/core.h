/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The device as the core driver sees it */
#ifndef ORNIC_CORE_H
#define ORNIC_CORE_H

#include <linux/idr.h>
#include <linux/ratelimit.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "ornic_api.h"
#include "clock.h"
#include "cmdq.h"
#include "dbuf.h"

/* Doorbell pages that are kept for the next processes */
#define ORNIC_UCTX_SPARES	64

/* Kinds of objects whose numbers are in struct ornic_core */
#define ORNIC_NUM_KINDS		8

/* Bytes of a reason for a failure, with the end of the text */
#define ORNIC_REASON_LEN	128

struct devlink_health_reporter;
struct ornic_eq;

/**
 * struct ornic_core - a device, private part; devlink_priv()
 * @odev:	the part that ornic_api.h declares
 * @regs:	BAR0
 * @db_phys:	physical address of doorbell page 0
 * @db_stride:	bytes from doorbell page to page
 * @db_pages:	number of doorbell pages
 * @num_vectors: interrupt vectors allocated
 * @profiles:	ORNIC_PROFILE_* that the device has in full
 * @has_effects: @effects is valid, and other commands are not executed
 * @effects:	ORNIC_EFFECT_* by opcode
 * @cmdq:	admin queue
 * @eqs:	event queues, one per vector
 * @res:	receivers of events by number, per type
 * @nums:	numbers in use, per kind of object
 * @pdns:	numbers of protection domains in use
 * @board:	board of doorbell page 0
 * @spares_lock: protects @spares, @num_spares and @num_keepable
 * @spares:	doorbell pages that processes have left
 * @num_spares:	number of @spares
 * @num_keepable: doorbell pages, in use or in @spares, that may be kept
 * @clock:	PTP hardware clock
 * @adev:	auxiliary device, NULL while there is none
 * @started:	the device runs, or has failed but was not taken down yet;
 *		protected by devl_lock
 * @paused:	taken down for an external reset, a bus error or sleep that is
 *		not over yet, or for the end of the system; protected by the
 *		device lock and devl_lock
 * @starved:	taken down, because memory was short when it was brought up;
 *		@recovery tries again; protected by devl_lock
 * @recovery:	has a failed device, or a failed queue of the netdev, reported
 *		to devlink, which recovers it
 * @recovery_limit: limits how often recovery is tried
 * @health:	polls the status register
 * @version:	ORNIC_REG_VERSION
 * @fatal_status: ORNIC_REG_STATUS when the device was last stopped, all ones if
 *		it was out of reach
 * @fatal_cause: ORNIC_REG_FATAL_CAUSE then
 * @failed:	stopped by ornic_fail() since the last start; written after
 *		@reason, and before @recovery is queued
 * @reason:	of the last failure
 * @fw_reporter: devlink reporter of failures of the device
 * @tx_reporter: of send queues of the netdev
 * @rx_reporter: of its receive queues
 */
struct ornic_core {
	struct ornic_dev odev;
	void __iomem *regs;
	phys_addr_t db_phys;
	u32 db_stride;
	u32 db_pages;
	u32 num_vectors;
	u32 profiles;
	bool has_effects;
	u8 effects[ORNIC_EFFECTS_MAX];
	struct ornic_cmdq cmdq;
	struct ornic_eq *eqs;
	struct xarray res[ORNIC_RES_TYPES];
	struct xarray nums[ORNIC_NUM_KINDS];
	struct ida pdns;
	struct ornic_dbuf board;
	spinlock_t spares_lock; /* see above */
	struct ornic_uctx spares[ORNIC_UCTX_SPARES];
	u32 num_spares;
	u32 num_keepable;
	struct ornic_clock clock;
	struct ornic_adev *adev;
	bool started;
	bool paused;
	bool starved;
	struct delayed_work recovery;
	struct ratelimit_state recovery_limit;
	struct delayed_work health;
	u32 version;
	u32 fatal_status;
	u32 fatal_cause;
	bool failed;
	char reason[ORNIC_REASON_LEN];
	struct devlink_health_reporter *fw_reporter;
	struct devlink_health_reporter *tx_reporter;
	struct devlink_health_reporter *rx_reporter;
};

static inline struct ornic_core *to_ornic_core(struct ornic_dev *odev)
{
	return container_of(odev, struct ornic_core, odev);
}

static inline struct device *ornic_device(struct ornic_core *core)
{
	return &core->odev.pdev->dev;
}

#endif /* ORNIC_CORE_H */
