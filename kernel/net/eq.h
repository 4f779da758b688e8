/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Event queues (ORNIC specification, section 9) */
#ifndef ORNIC_EQ_H
#define ORNIC_EQ_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "ornic_api.h"
#include "dbuf.h"

#define ORNIC_EQ_ENTRIES	8192
#define ORNIC_IRQ_NAME_LEN	48

/**
 * struct ornic_eq - event queue of one interrupt vector
 *
 * @core:	the device
 * @vector:	interrupt vector, the index in core->eqs
 * @lock:	held while events are handled; protects @live and what polls
 *		change
 * @live:	the ring exists; the members below are valid only then
 * @num:	number of the queue
 * @ci:		consumer index, free running
 * @arm_seq:	number of the last arm request
 * @gap:	the last one found in the ring
 * @log_size:	log2 of the number of entries
 * @buf:	ring, then doorbell record
 * @ring:	the ring
 * @dbr:	doorbell record
 * @work:	continues where the interrupt handler had to stop
 * @irq_name:	name in /proc/interrupts
 */
struct ornic_eq {
	struct ornic_core *core;
	u32 vector;
	spinlock_t lock; /* see above */
	bool live;
	u32 num;
	u32 ci;
	u32 arm_seq;
	struct ornic_gap gap;
	u8 log_size;
	struct ornic_dbuf buf;
	struct ornic_eqe *ring;
	struct ornic_cq_dbr *dbr;
	struct work_struct work;
	char irq_name[ORNIC_IRQ_NAME_LEN];
};

struct ornic_core;

int ornic_eq_irqs_init(struct ornic_core *core, u32 device_vectors);
void ornic_eq_irqs_uninit(struct ornic_core *core);
int ornic_eqs_create(struct ornic_core *core);
void ornic_eqs_destroy(struct ornic_core *core);
void ornic_eqs_check_rings(struct ornic_core *core);
int ornic_eq_comp_irq(struct ornic_core *core, u32 vector);

#endif /* ORNIC_EQ_H */
