// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One card in its slot: connects the core with the event loop, the switch, the
 * PCI function and the vfio-user endpoint.
 */
#include <endian.h>
#include <errno.h>
#include <ornic_hw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "loop/switch.h"
#include "process/slot.h"

static struct slot *env_to_card(struct env *env)
{
	return container_of(env, struct slot, env);
}

static struct slot *vu_to_card(struct vfio_user *vu)
{
	return container_of(vu, struct slot, vu);
}

static struct slot *port_to_card(struct port *port)
{
	return container_of(port, struct slot, port);
}

static struct slot *task_to_card(struct loop_task *task)
{
	return container_of(task, struct slot, task);
}

/* A fault in the client's memory ends the connection, but only from slot_run() */
static void slot_note_faults(struct slot *slot)
{
	if (slot->mem.faults != slot->faults)
		loop_task_mark(slot->loop, &slot->task);
}

/* ---- environment of the core ---- */

static uint64_t slot_now_ns(struct env *env)
{
	(void)env;
	return loop_clock_ns();
}

static int slot_fill_random(struct slot *slot)
{
	if (getrandom(slot->random, sizeof(slot->random), 0) !=
	    sizeof(slot->random))
		return -errno;
	slot->random_left = SLOT_RANDOM;
	return 0;
}

static uint64_t slot_random(struct env *env)
{
	struct slot *slot = env_to_card(env);

	/* Cannot fail, as it did not in slot_create() */
	if (!slot->random_left)
		slot_fill_random(slot);
	return slot->random[--slot->random_left];
}

static void slot_irq_raise(struct env *env, unsigned int vector)
{
	struct slot *slot = env_to_card(env);

	if (vector >= slot->config.vectors) {
		env_violation(env, VIOLATION_PCI_IRQ_VECTOR,
			      "interrupt on vector %u", vector);
		return;
	}
	/* While bus mastering is being cleared, earlier interrupts are sent */
	if (slot->irq_fd[vector] < 0 || !slot->mem.enabled ||
	    irqfd_fire(&slot->loop->irqfd, slot->irq_fd[vector]))
		slot->stats.irqs_dropped++;
	else
		slot->stats.irqs++;
}

static void slot_mark_runnable(struct env *env)
{
	struct slot *slot = env_to_card(env);

	loop_task_mark(slot->loop, &slot->task);
}

static struct frame *slot_frame_alloc(struct env *env)
{
	return switch_frame_alloc(&env_to_card(env)->port);
}

static void slot_frame_free(struct env *env, struct frame *frame)
{
	switch_frame_free(&env_to_card(env)->port, frame);
}

static void slot_tx(struct env *env, struct frame *frame)
{
	struct slot *slot = env_to_card(env);

	if (slot->served)
		frame->payer = slot->served;
	switch_tx(&slot->port, frame);
}

static void slot_tx_flush(struct env *env)
{
	switch_flush(&env_to_card(env)->port);
}

static bool slot_peer_is_local(struct env *env, const uint8_t *mac)
{
	return switch_is_local(&env_to_card(env)->loop->sw, mac);
}

static bool slot_path_is_full(struct env *env, const uint8_t *mac)
{
	return switch_is_full(&env_to_card(env)->loop->sw, mac);
}

static bool slot_serve(struct env *env, struct port *payer)
{
	struct slot *slot = env_to_card(env);

	if (slot->served == payer)
		return true;
	slot->served = NULL;
	if (!loop_serve(slot->loop, payer->share))
		return false;
	slot->served = payer;
	return true;
}

static void slot_serve_end(struct env *env)
{
	struct slot *slot = env_to_card(env);

	slot->served = NULL;
	/* The task pays if it works: it may have postponed all that there was */
	loop_pay(slot->loop, NULL);
}

static void slot_want_bytes(struct env *env, bool want)
{
	env_to_card(env)->port.bytes = want;
}

static bool slot_unread(struct env *env)
{
	return vfio_user_unread(&env_to_card(env)->vu);
}

static void __attribute__((format(printf, 3, 0)))
slot_log(struct env *env, enum env_log_level level, const char *fmt, va_list ap)
{
	struct slot *slot = env_to_card(env);

	/* Violations have level DEBUG and their own limit */
	if (level < ENV_LOG_DEBUG && level <= slot->log->level) {
		if (!log_limit_allows(&slot->limit, loop_clock_ns()))
			return;
		if (slot->limit.dropped)
			log_msg(slot->log, ENV_LOG_INFO, slot->config.name,
				"%llu messages were left out",
				(unsigned long long)slot->limit.dropped);
		slot->limit.dropped = 0;
	}
	log_vmsg(slot->log, level, slot->config.name, fmt, ap);
}

static const struct env_ops slot_env_ops = {
	.now_ns = slot_now_ns,
	.random = slot_random,
	.irq_raise = slot_irq_raise,
	.mark_runnable = slot_mark_runnable,
	.frame_alloc = slot_frame_alloc,
	.frame_free = slot_frame_free,
	.tx = slot_tx,
	.tx_flush = slot_tx_flush,
	.peer_is_local = slot_peer_is_local,
	.path_is_full = slot_path_is_full,
	.serve = slot_serve,
	.serve_end = slot_serve_end,
	.want_bytes = slot_want_bytes,
	.unread = slot_unread,
	.log = slot_log,
};

/* ---- port of the switch ---- */

static void slot_rx(struct port *port, const struct frame *frame)
{
	struct slot *slot = port_to_card(port);

	/* A unicast packet that the card takes is likely to cause a reply soon */
	if (card_rx(slot->card, frame) && !(frame->hdr[0] & 1))
		loop_task_worked(slot->loop, &slot->task);
	slot_note_faults(slot);
	/* The copy may also have hit holes in the sender's files */
	if (frame->src->is_card)
		slot_note_faults(port_to_card(frame->src));
}

static void slot_soon(struct port *port, const struct frame *frame)
{
	card_rx_soon(port_to_card(port)->card, frame);
}

static void slot_room(struct port *port)
{
	card_room(port_to_card(port)->card);
}

static void slot_port_destroy(struct port *port)
{
	/* The port is embedded in struct slot */
	(void)port;
}

static const struct port_ops slot_port_ops = {
	.rx = slot_rx,
	.soon = slot_soon,
	.room = slot_room,
	.destroy = slot_port_destroy,
};

/* ---- task of the event loop ---- */

static bool slot_run(struct loop_task *task)
{
	struct slot *slot = task_to_card(task);
	uint32_t commands;
	bool any;

	if (slot->mem.faults != slot->faults) {
		slot->faults = slot->mem.faults;
		env_violation(&slot->env, VIOLATION_MEM_FAULT,
			      "client shrank a file it had mapped, closing");
		vfio_user_drop(&slot->vu);
		return true;
	}
	if (slot->given != slot->loop->shares.given) {
		slot->given = slot->loop->shares.given;
		card_serve_again(slot->card);
	}
	commands = card_commands(slot->card);
	any = card_run(slot->card);
	task->commanded = card_commands(slot->card) != commands;
	return any;
}

static bool slot_sleep_prepare(struct loop_task *task)
{
	struct slot *slot = task_to_card(task);

	if (!card_sleep_prepare(slot->card))
		return false;
	slot->stats.sleeps++;
	return true;
}

static void slot_wake(struct loop_task *task)
{
	card_wake(task_to_card(task)->card);
}

/* ---- PCI function ---- */

static void slot_reset(struct slot *slot)
{
	slot->stats.resets++;
	switch_flush(&slot->port);
	card_reset(slot->card);
	pci_reset(&slot->pci);
	mem_enable(&slot->mem, false);
}

static void slot_command_changed(struct slot *slot)
{
	bool enable = pci_master_enabled(&slot->pci);

	if (!enable)
		switch_flush(&slot->port);
	card_bus_master(slot->card, enable);
}

static int slot_dma_map(struct vfio_user *vu, uint64_t iova, uint64_t len,
			unsigned int prot, int fd, uint64_t offset)
{
	return mem_map(&vu_to_card(vu)->mem, iova, len, prot, fd, offset);
}

static int slot_dma_unmap(struct vfio_user *vu, uint64_t iova, uint64_t len)
{
	struct slot *slot = vu_to_card(vu);

	switch_flush(&slot->port);
	return mem_unmap(&slot->mem, iova, len);
}

static void slot_device_reset(struct vfio_user *vu)
{
	slot_reset(vu_to_card(vu));
}

static bool slot_bar_enabled(struct slot *slot, unsigned int bar,
			     uint64_t offset)
{
	if (pci_memory_enabled(&slot->pci))
		return true;
	env_violation(&slot->env, VIOLATION_PCI_BAR_DISABLED,
		      "BAR%u at %#llx accessed with memory space off", bar,
		      (unsigned long long)offset);
	return false;
}

/* QEMU handles the MSI-X table and pending bits; the rest of BAR0 is empty */
static bool slot_bar_is_core(unsigned int bar, uint64_t offset)
{
	return bar != ORNIC_BAR_REGS || offset < CARD_REGS_SIZE;
}

static void slot_region_read(struct vfio_user *vu, unsigned int region,
			     uint64_t offset, void *buf, uint32_t len)
{
	struct slot *slot = vu_to_card(vu);
	uint64_t val = 0;

	if (region == VFIO_USER_REGION_CONFIG) {
		pci_read(&slot->pci, offset, buf, len);
		return;
	}
	if (!slot_bar_enabled(slot, region, offset))
		val = UINT64_MAX;
	else if (slot_bar_is_core(region, offset))
		card_bar_read(slot->card, region, offset, len, &val);
	val = htole64(val);
	memcpy(buf, &val, len);
}

static void slot_region_write(struct vfio_user *vu, unsigned int region,
			      uint64_t offset, const void *buf, uint32_t len)
{
	struct slot *slot = vu_to_card(vu);
	unsigned int effects;
	uint64_t val = 0;

	if (region == VFIO_USER_REGION_CONFIG) {
		effects = pci_write(&slot->pci, offset, buf, len);
		if (effects)
			vfio_user_charge(vu, VFIO_USER_COST_RESET);
		if (effects & PCI_EFFECT_FLR)
			slot_reset(slot);
		else if (effects & PCI_EFFECT_COMMAND)
			slot_command_changed(slot);
		return;
	}
	if (!slot_bar_enabled(slot, region, offset) ||
	    !slot_bar_is_core(region, offset))
		return;
	memcpy(&val, buf, len);
	if (card_bar_write(slot->card, region, offset, len, le64toh(val)))
		vfio_user_charge(vu, VFIO_USER_COST_RESET);
	slot_note_faults(slot);
}

static void slot_irq_set_fd(struct vfio_user *vu, unsigned int vector, int fd)
{
	struct slot *slot = vu_to_card(vu);

	if (slot->irq_fd[vector] >= 0)
		close(slot->irq_fd[vector]);
	slot->irq_fd[vector] = fd;
}

static void slot_irq_trigger(struct vfio_user *vu, unsigned int vector)
{
	slot_irq_raise(&vu_to_card(vu)->env, vector);
}

static void slot_closed(struct vfio_user *vu)
{
	struct slot *slot = vu_to_card(vu);
	unsigned int i;

	slot_reset(slot);
	/* The next client finds a card that was just switched on */
	pci_power_on(&slot->pci);
	mem_clear(&slot->mem);
	slot->faults = slot->mem.faults;
	for (i = 0; i < slot->config.vectors; i++)
		slot_irq_set_fd(vu, i, -1);
}

static const struct vfio_user_ops slot_vfio_user_ops = {
	.dma_map = slot_dma_map,
	.dma_unmap = slot_dma_unmap,
	.reset = slot_device_reset,
	.region_read = slot_region_read,
	.region_write = slot_region_write,
	.irq_set_fd = slot_irq_set_fd,
	.irq_trigger = slot_irq_trigger,
	.closed = slot_closed,
};

static void slot_init_endpoint(struct slot *slot)
{
	struct vfio_user *vu = &slot->vu;

	vu->ops = &slot_vfio_user_ops;
	vu->loop = slot->loop;
	vu->env = &slot->env;
	vu->path = slot->path;
	vu->listener.share = &slot->share;
	vu->client.share = &slot->share;
	vu->region_size[ORNIC_BAR_REGS] = ORNIC_BAR_REGS_SIZE;
	vu->region_size[ORNIC_BAR_DB] = CARD_BAR_DB_SIZE;
	vu->region_size[VFIO_USER_REGION_CONFIG] = PCI_CONFIG_SIZE;
	vu->irq_count[VFIO_USER_IRQ_MSIX] = slot->config.vectors;
	/* Never fired, but QEMU expects it */
	vu->irq_count[VFIO_USER_IRQ_ERR] = 1;
}

static void slot_free(struct slot *slot)
{
	free(slot->name);
	free(slot->path);
	free(slot);
}

static struct slot *slot_alloc(const struct card_config *config, const char *path)
{
	struct slot *slot = calloc(1, sizeof(*slot));

	if (!slot)
		return NULL;
	slot->name = strdup(config->name);
	slot->path = strdup(path);
	if (!slot->name || !slot->path) {
		slot_free(slot);
		return NULL;
	}
	slot->config = *config;
	slot->config.name = slot->name;
	return slot;
}

int slot_create(struct loop *loop, const struct log *log,
		const struct card_config *config, const char *path,
		int listener, struct slot **out)
{
	struct slot *slot;
	unsigned int i;
	int err;

	slot = slot_alloc(config, path);
	if (!slot) {
		log_msg(log, ENV_LOG_ERR, config->name, "out of memory");
		return -ENOMEM;
	}
	slot->loop = loop;
	slot->log = log;
	for (i = 0; i < CARD_VECTORS_MAX; i++)
		slot->irq_fd[i] = -1;
	err = slot_fill_random(slot);
	if (err) {
		log_msg(log, ENV_LOG_ERR, config->name,
			"cannot get random numbers: %s", strerror(-err));
		goto free_card;
	}
	mem_init(&slot->mem);
	pci_init(&slot->pci, config->vectors, config->mac);
	slot->env.ops = &slot_env_ops;
	slot->env.mem = &slot->mem;
	slot->env.timers = &slot->task.timers;
	shares_add(&loop->shares, &slot->share);
	slot->task.run = slot_run;
	slot->task.sleep_prepare = slot_sleep_prepare;
	slot->task.wake = slot_wake;
	slot->task.share = &slot->share;
	loop_task_add(loop, &slot->task);
	slot->port.ops = &slot_port_ops;
	slot->port.name = slot->config.name;
	slot->port.is_card = true;
	slot->port.checked = config->spoofcheck.on;
	slot->port.share = &slot->share;
	memcpy(slot->port.mac, config->mac, MAC_LEN);
	err = switch_add_port(&loop->sw, &slot->port);
	if (err) {
		log_msg(log, ENV_LOG_ERR, config->name,
			"cannot plug into the switch: %s",
			err == -EEXIST ? "another card has the same MAC" :
					 strerror(-err));
		goto remove_task;
	}
	slot->card = card_create(&slot->config, &slot->env);
	if (!slot->card) {
		err = -ENOMEM;
		log_msg(log, ENV_LOG_ERR, config->name, "out of memory");
		goto remove_port;
	}
	slot_init_endpoint(slot);
	err = vfio_user_open(&slot->vu, listener);
	if (err) {
		log_msg(log, ENV_LOG_ERR, config->name,
			"cannot listen on %s: %s", path, strerror(-err));
		goto destroy_card;
	}
	*out = slot;
	return 0;

destroy_card:
	card_destroy(slot->card);
remove_port:
	switch_remove_port(&slot->port);
remove_task:
	loop_task_remove(&slot->task);
	shares_remove(&loop->shares, &slot->share);
	mem_uninit(&slot->mem);
free_card:
	slot_free(slot);
	return err;
}

void slot_plug(struct slot *slot, bool plugged)
{
	switch_plug(&slot->port, plugged);
	card_link_changed(slot->card, plugged);
	loop_task_mark(slot->loop, &slot->task);
}

void slot_leave(struct slot *slot)
{
	slot->leaving = true;
	vfio_user_close(&slot->vu);
	slot_plug(slot, false);
	card_hold(slot->card, false);
}

bool slot_has_left(const struct slot *slot)
{
	return card_is_idle(slot->card) && !slot->mem.leaving.mappings;
}

void slot_destroy(struct slot *slot)
{
	if (!slot)
		return;
	vfio_user_close(&slot->vu);
	switch_flush(&slot->port);
	card_destroy(slot->card);
	switch_remove_port(&slot->port);
	loop_task_remove(&slot->task);
	shares_remove(&slot->loop->shares, &slot->share);
	mem_uninit(&slot->mem);
	slot_free(slot);
}
