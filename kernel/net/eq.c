// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Interrupts and event queues. Each vector has one event queue. The interrupt
 * handler drains it, passes each event to its object and arms the queue. A work
 * item continues when the budget of the interrupt handler is used up.
 */
#include <linux/interrupt.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "cmd.h"
#include "core.h"
#include "eq.h"
#include "health.h"
#include "netdev.h"
#include "ornic_trace.h"
#include "res.h"

/* Number of events handled before the CPU is given to others */
#define ORNIC_EQ_BUDGET 64

static void ornic_eq_check_ring(struct ornic_eq *eq)
{
	bool found;

	spin_lock_irq(&eq->lock);
	if (eq->live) {
		found = ornic_gap_at(&eq->ring->ctl, ilog2(sizeof(*eq->ring)), eq->log_size,
				     ORNIC_EQE_PHASE, eq->ci);
		if (ornic_gap_stays(&eq->gap, found, eq->ci))
			ornic_fail(eq->core, "event queue %u lacks entry %u", eq->num, eq->ci);
	}
	spin_unlock_irq(&eq->lock);
}

/**
 * ornic_eqs_check_rings - stop a device that leaves out entries of event queues
 * @core:	the device; called every few seconds, and not concurrently
 */
void ornic_eqs_check_rings(struct ornic_core *core)
{
	u32 i;

	for (i = 0; i < core->num_vectors; i++)
		ornic_eq_check_ring(&core->eqs[i]);
}

static void ornic_eq_handle(struct ornic_core *core, const struct ornic_eqe *eqe)
{
	enum ornic_event event = FIELD_GET(ORNIC_EQE_TYPE, le32_to_cpu(eqe->ctl));
	u32 num = le32_to_cpu(eqe->num);

	/* First, because completions are the data path */
	if (event == ORNIC_EVENT_COMP) {
		ornic_res_event(core, ORNIC_RES_CQ, num, event);
		return;
	}

	trace_ornic_event(ornic_device(core), event, num);
	switch (event) {
	case ORNIC_EVENT_CQ_ERR:
		ornic_res_event(core, ORNIC_RES_CQ, num, event);
		break;
	case ORNIC_EVENT_QP_FATAL:
	case ORNIC_EVENT_QP_REQ_ERR:
	case ORNIC_EVENT_QP_ACCESS_ERR:
	case ORNIC_EVENT_QP_COMM_EST:
	case ORNIC_EVENT_QP_SQ_DRAINED:
	case ORNIC_EVENT_QP_LAST_WQE:
		ornic_res_event(core, ORNIC_RES_QP, num, event);
		break;
	case ORNIC_EVENT_SRQ_LIMIT:
	case ORNIC_EVENT_SRQ_ERR:
		ornic_res_event(core, ORNIC_RES_SRQ, num, event);
		break;
	case ORNIC_EVENT_WQ_FATAL:
	case ORNIC_EVENT_WQ_DELAY_DROP:
		ornic_res_event(core, ORNIC_RES_WQ, num, event);
		break;
	case ORNIC_EVENT_PORT_UP:
	case ORNIC_EVENT_PORT_DOWN:
		ornic_netdev_port_event(core->odev.netdev);
		break;
	case ORNIC_EVENT_DEVICE_FATAL:
		ornic_fail(core, "device reports fatal error %u", num);
		break;
	default:
		dev_err_ratelimited(ornic_device(core), "unknown event %u for %u\n", event, num);
		break;
	}
}

static struct ornic_eqe *ornic_eq_peek(const struct ornic_eq *eq)
{
	struct ornic_eqe *eqe = &eq->ring[eq->ci & ((1u << eq->log_size) - 1)];

	if (!ornic_ring_written(&eqe->ctl, eq->ci, eq->log_size, ORNIC_EQE_PHASE))
		return NULL;

	/* Read the phase before the other words of the entry */
	dma_rmb();
	return eqe;
}

static void ornic_eq_publish(struct ornic_eq *eq)
{
	/* Read the entries before publishing the index that returns them */
	dma_mb();
	WRITE_ONCE(eq->dbr->ci, cpu_to_le32(eq->ci));
}

/* The device holds back events until it knows ci ([ORNIC-DB-31]) */
static void ornic_eq_ring_db(struct ornic_eq *eq, enum ornic_arm_type type)
{
	struct ornic_dev *odev = &eq->core->odev;

	if (!odev->shadow)
		writeq(ornic_db_value(ORNIC_DB_EQ, eq->num, ornic_db_arm(eq->ci, type)), odev->db);
}

static void ornic_eq_arm(struct ornic_eq *eq)
{
	u32 arm;

	eq->arm_seq++;
	arm = FIELD_PREP(ORNIC_ARM_SEQ, eq->arm_seq & FIELD_MAX(ORNIC_ARM_SEQ)) | ORNIC_ARM_NEXT;
	WRITE_ONCE(eq->dbr->arm, cpu_to_le32(arm));
	/* Store arm before reading the ring; the device does the reverse */
	mb();
	ornic_eq_ring_db(eq, ORNIC_ARM_NEXT);
}

/* Returns true if the queue is empty and armed */
static bool ornic_eq_poll(struct ornic_eq *eq)
{
	struct ornic_eqe *eqe = ornic_eq_peek(eq);
	u32 budget = ORNIC_EQ_BUDGET;

	lockdep_assert_held(&eq->lock);

	do {
		while (eqe) {
			struct ornic_eqe copy = *eqe;

			if (!budget--) {
				ornic_eq_ring_db(eq, ORNIC_ARM_NONE);
				return false;
			}

			eq->ci++;
			/* First, so that the CQ can get its next event */
			ornic_eq_publish(eq);
			ornic_eq_handle(eq->core, &copy);
			eqe = ornic_eq_peek(eq);
		}
		ornic_eq_arm(eq);
		eqe = ornic_eq_peek(eq);
	} while (eqe);

	return true;
}

/*
 * The device may write events as fast as they are handled, so that the queue
 * never drains. Limit its share of the CPU.
 */
static void ornic_eq_work(struct work_struct *work)
{
	struct ornic_eq *eq = container_of(work, struct ornic_eq, work);
	bool rest;

	do {
		cond_resched();
		spin_lock_irq(&eq->lock);
		rest = !eq->live || ornic_eq_poll(eq);
		spin_unlock_irq(&eq->lock);
	} while (!rest);
}

static irqreturn_t ornic_eq_irq(int irq, void *data)
{
	struct ornic_eq *eq = data;

	if (!eq->vector)
		ornic_cmd_interrupt(eq->core);

	spin_lock(&eq->lock);
	if (eq->live && !ornic_eq_poll(eq))
		queue_work(system_dfl_wq, &eq->work);
	spin_unlock(&eq->lock);

	return IRQ_HANDLED;
}

static int ornic_eq_create(struct ornic_eq *eq)
{
	struct ornic_core *core = eq->core;
	struct ornic_dev *odev = &core->odev;
	struct ornic_create_eq_in in = {};
	size_t size;
	int err;

	eq->log_size = ilog2(min(odev->lim.max_eqe, ORNIC_EQ_ENTRIES));
	eq->ci = 0;
	eq->gap = (struct ornic_gap) {};
	size = sizeof(*eq->ring) << eq->log_size;

	/* The doorbell record follows the ring, on a cache line of its own */
	err = ornic_dbuf_alloc(odev, &eq->buf, ALIGN(size, ORNIC_DBR_ALIGN) + sizeof(*eq->dbr));
	if (err)
		return err;

	eq->ring = eq->buf.addr;
	eq->dbr = eq->buf.addr + ALIGN(size, ORNIC_DBR_ALIGN);

	in.vector = cpu_to_le32(eq->vector);
	in.log_size = eq->log_size;
	ornic_dbuf_describe(&eq->buf, 0, size, &in.buf);
	in.dbr_addr = cpu_to_le64(eq->buf.dma + ALIGN(size, ORNIC_DBR_ALIGN));
	err = ornic_cmd_create(odev, ORNIC_CMD_CREATE_EQ, &in, sizeof(in), &eq->num);
	if (err)
		goto err_free_buf;

	spin_lock_irq(&eq->lock);
	ornic_eq_arm(eq);
	eq->live = true;
	spin_unlock_irq(&eq->lock);
	return 0;

err_free_buf:
	ornic_dbuf_free(odev, &eq->buf);
	return err;
}

static void ornic_eq_destroy(struct ornic_eq *eq)
{
	struct ornic_core *core = eq->core;
	struct ornic_dev *odev = &core->odev;

	spin_lock_irq(&eq->lock);
	eq->live = false;
	spin_unlock_irq(&eq->lock);
	cancel_work_sync(&eq->work);

	ornic_cmd_release(odev, ORNIC_CMD_DESTROY_EQ, eq->num);
	ornic_dbuf_free(odev, &eq->buf);
}

/**
 * ornic_eqs_create - create the event queues, one per vector
 * @core:	the device; doorbell page 0 works
 *
 * Return: 0 or a negative error number.
 */
int ornic_eqs_create(struct ornic_core *core)
{
	u32 i;
	int err;

	for (i = 0; i < core->num_vectors; i++) {
		err = ornic_eq_create(&core->eqs[i]);
		if (err)
			goto err_destroy_eqs;
	}

	return 0;

err_destroy_eqs:
	while (i--)
		ornic_eq_destroy(&core->eqs[i]);
	return err;
}

/**
 * ornic_eqs_destroy - destroy the event queues
 * @core:	the device; no object generates events any more
 */
void ornic_eqs_destroy(struct ornic_core *core)
{
	u32 i = core->num_vectors;

	while (i--)
		ornic_eq_destroy(&core->eqs[i]);
}

/* If there are several vectors, vector 0 is for commands and async events */
static u32 ornic_eq_comp_index(const struct ornic_core *core, u32 vector)
{
	return core->num_vectors > 1 ? vector + 1 : 0;
}

/**
 * ornic_eq_comp_irq - get the interrupt of a completion vector
 * @core:	the device
 * @vector:	below odev->num_comp_vectors
 *
 * Return: number of the interrupt in Linux.
 */
int ornic_eq_comp_irq(struct ornic_core *core, u32 vector)
{
	return pci_irq_vector(core->odev.pdev, ornic_eq_comp_index(core, vector));
}

u32 ornic_eq_comp_num(struct ornic_dev *odev, u32 vector)
{
	struct ornic_core *core = to_ornic_core(odev);

	return core->eqs[ornic_eq_comp_index(core, vector)].num;
}
EXPORT_SYMBOL_NS_GPL(ornic_eq_comp_num, "ORNIC");

/* ---- Interrupts --------------------------------------------------------- */

/**
 * ornic_eq_irqs_init - allocate interrupt vectors and request their interrupts
 * @core:	the device
 * @device_vectors: number of vectors that the device reports
 *
 * Return: 0 or a negative error number.
 */
int ornic_eq_irqs_init(struct ornic_core *core, u32 device_vectors)
{
	struct pci_dev *pdev = core->odev.pdev;
	u32 i, want;
	int ret;

	want = min(device_vectors, num_online_cpus() + 1);
	ret = pci_alloc_irq_vectors(pdev, 1, max(want, 1), PCI_IRQ_MSIX);
	if (ret < 0)
		return ret;

	core->num_vectors = ret;
	core->odev.num_comp_vectors = max(core->num_vectors - 1, 1);
	core->eqs = kcalloc(core->num_vectors, sizeof(*core->eqs), GFP_KERNEL);
	if (!core->eqs) {
		ret = -ENOMEM;
		goto err_free_vectors;
	}

	for (i = 0; i < core->num_vectors; i++) {
		struct ornic_eq *eq = &core->eqs[i];

		eq->core = core;
		eq->vector = i;
		spin_lock_init(&eq->lock);
		INIT_WORK(&eq->work, ornic_eq_work);
		snprintf(eq->irq_name, sizeof(eq->irq_name), "%s-%u@%s", KBUILD_MODNAME, i,
			 pci_name(pdev));
		ret = request_irq(pci_irq_vector(pdev, i), ornic_eq_irq, 0, eq->irq_name, eq);
		if (ret)
			goto err_free_irqs;
	}

	return 0;

err_free_irqs:
	while (i--)
		free_irq(pci_irq_vector(pdev, i), &core->eqs[i]);
	kfree(core->eqs);
err_free_vectors:
	pci_free_irq_vectors(pdev);
	return ret;
}

/**
 * ornic_eq_irqs_uninit - free the interrupts and their vectors
 * @core:	the device, stopped
 */
void ornic_eq_irqs_uninit(struct ornic_core *core)
{
	struct pci_dev *pdev = core->odev.pdev;
	u32 i = core->num_vectors;

	while (i--)
		free_irq(pci_irq_vector(pdev, i), &core->eqs[i]);
	kfree(core->eqs);
	pci_free_irq_vectors(pdev);
}
