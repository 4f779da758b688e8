/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The device as the core driver sees it */
#ifndef ORNIC_CORE_H
#define ORNIC_CORE_H

#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "ornic_api.h"
#include "clock.h"
#include "cmd.h"
#include "eq.h"

/* Kinds of objects whose numbers are in struct ornic_core */
#define ORNIC_NUM_KINDS		8

/**
 * struct ornic_core - a device, private part
 * @odev:	public part, for the verbs driver
 * @regs:	BAR0
 * @db_phys:	physical address of doorbell page 0
 * @db_stride:	bytes from doorbell page to page
 * @db_pages:	number of doorbell pages
 * @num_vectors: interrupt vectors allocated
 * @cmdq:	admin queue
 * @eqs:	event queues, one per vector
 * @res:	receivers of events by number, per type
 * @nums:	numbers in use, per kind of object
 * @board:	board of doorbell page 0
 * @clock:	PTP hardware clock
 * @adev:	auxiliary device, NULL while there is none
 * @state_lock:	serialises bringing the device up and down; taken before
 *		rtnl_lock
 * @up:		the device runs, or has failed but was not taken down yet;
 *		protected by @state_lock
 * @paused:	taken down for an external reset, a bus error or sleep that is
 *		not over yet; protected by the device lock
 * @starved:	taken down, because memory was short when it was brought up;
 *		@recovery tries again; protected by @state_lock
 * @recovery:	takes a failed device down, resets it and brings it up
 * @recovery_limit: limits how often recovery is tried
 * @health:	polls the status register
 */
struct ornic_core {
	struct ornic_dev odev;
	void __iomem *regs;
	phys_addr_t db_phys;
	u32 db_stride;
	u32 db_pages;
	u32 num_vectors;
	struct ornic_cmdq cmdq;
	struct ornic_eq *eqs;
	struct xarray res[ORNIC_RES_TYPES];
	struct xarray nums[ORNIC_NUM_KINDS];
	struct ornic_dbuf board;
	struct ornic_clock clock;
	struct ornic_adev *adev;
	struct mutex state_lock; /* see above */
	bool up;
	bool paused;
	bool starved;
	struct delayed_work recovery;
	struct ratelimit_state recovery_limit;
	struct delayed_work health;
};

static inline struct ornic_core *to_ornic_core(struct ornic_dev *odev)
{
	return container_of(odev, struct ornic_core, odev);
}

static inline struct device *ornic_device(struct ornic_core *core)
{
	return &core->odev.pdev->dev;
}

/* main.c */
int ornic_start(struct ornic_core *core);
void ornic_stop(struct ornic_core *core);

/* reset.c */
int ornic_reset(struct ornic_core *core);
int ornic_check_dma(struct ornic_core *core);
int ornic_enable(struct ornic_core *core);
bool ornic_is_gone(struct ornic_core *core);
void ornic_halt(struct ornic_core *core);
__printf(2, 3) void ornic_fail(struct ornic_core *core, const char *fmt, ...);
void ornic_restart(struct ornic_core *core);
void ornic_health_start(struct ornic_core *core);
void ornic_health_stop(struct ornic_core *core);
void ornic_recovery_init(struct ornic_core *core);
void ornic_recovery_allow(struct ornic_core *core);

/* num.c */
void ornic_nums_init(struct ornic_core *core);
void ornic_nums_clear(struct ornic_core *core);
int ornic_num_add(struct ornic_core *core, enum ornic_opcode create, u32 num);
void ornic_num_remove_begin(struct ornic_core *core, enum ornic_opcode destroy, u32 num);
void ornic_num_remove_end(struct ornic_core *core, enum ornic_opcode destroy, u32 num,
			  bool refused);

/* uctx.c */
int ornic_kernel_uctx_init(struct ornic_core *core);
void ornic_kernel_uctx_uninit(struct ornic_core *core);

/* adev.c */
int ornic_adev_add(struct ornic_core *core);
void ornic_adev_remove(struct ornic_core *core);

#endif /* ORNIC_CORE_H */
