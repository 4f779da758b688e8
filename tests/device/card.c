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

#include "card.h"
#include "switch.h"

static struct card *env_to_card(struct env *env)
{
	return container_of(env, struct card, env);
}

static struct card *vu_to_card(struct vfio_user *vu)
{
	return container_of(vu, struct card, vu);
}

static struct card *port_to_card(struct port *port)
{
	return container_of(port, struct card, port);
}

static struct card *task_to_card(struct loop_task *task)
{
	return container_of(task, struct card, task);
}

/* A fault in the client's memory ends the connection, but only from card_run() */
static void card_note_faults(struct card *card)
{
	if (card->mem.faults != card->faults)
		loop_task_mark(card->loop, &card->task);
}

/* ---- environment of the core ---- */

static uint64_t card_now_ns(struct env *env)
{
	(void)env;
	return loop_clock_ns();
}

static int card_fill_random(struct card *card)
{
	if (getrandom(card->random, sizeof(card->random), 0) !=
	    sizeof(card->random))
		return -errno;
	card->random_left = CARD_RANDOM;
	return 0;
}

static uint64_t card_random(struct env *env)
{
	struct card *card = env_to_card(env);

	/* Cannot fail, as it did not in card_create() */
	if (!card->random_left)
		card_fill_random(card);
	return card->random[--card->random_left];
}

static void card_irq_raise(struct env *env, unsigned int vector)
{
	struct card *card = env_to_card(env);

	if (vector >= card->config.vectors) {
		env_violation(env, VIOLATION_PCI_IRQ_VECTOR,
			      "interrupt on vector %u", vector);
		return;
	}
	if (card->irq_fd[vector] < 0 || !pci_master_enabled(&card->pci) ||
	    irqfd_fire(&card->loop->irqfd, card->irq_fd[vector]))
		card->stats.irqs_dropped++;
	else
		card->stats.irqs++;
}

static void card_mark_runnable(struct env *env)
{
	struct card *card = env_to_card(env);

	loop_task_mark(card->loop, &card->task);
}

static struct frame *card_frame_alloc(struct env *env)
{
	return switch_frame_alloc(&env_to_card(env)->port);
}

static void card_frame_free(struct env *env, struct frame *frame)
{
	switch_frame_free(&env_to_card(env)->port, frame);
}

static void card_tx(struct env *env, struct frame *frame)
{
	struct card *card = env_to_card(env);

	if (card->unplugged)
		switch_frame_free(&card->port, frame);
	else
		switch_tx(&card->port, frame);
}

static void card_tx_flush(struct env *env)
{
	switch_flush(&env_to_card(env)->port);
}

static bool card_peer_is_local(struct env *env, const uint8_t *mac)
{
	return switch_is_local(&env_to_card(env)->loop->sw, mac);
}

static bool card_path_is_full(struct env *env, const uint8_t *mac)
{
	return switch_is_full(&env_to_card(env)->loop->sw, mac);
}

static void card_want_bytes(struct env *env, bool want)
{
	env_to_card(env)->port.bytes = want;
}

static void __attribute__((format(printf, 3, 0)))
card_log(struct env *env, enum env_log_level level, const char *fmt, va_list ap)
{
	struct card *card = env_to_card(env);

	/* Violations have level DEBUG and their own limit */
	if (level < ENV_LOG_DEBUG && level <= card->log->level) {
		if (!log_limit_allows(&card->limit, loop_clock_ns()))
			return;
		if (card->limit.dropped)
			log_msg(card->log, ENV_LOG_INFO, card->config.name,
				"%llu messages were left out",
				(unsigned long long)card->limit.dropped);
		card->limit.dropped = 0;
	}
	log_vmsg(card->log, level, card->config.name, fmt, ap);
}

static const struct env_ops card_env_ops = {
	.now_ns = card_now_ns,
	.random = card_random,
	.irq_raise = card_irq_raise,
	.mark_runnable = card_mark_runnable,
	.frame_alloc = card_frame_alloc,
	.frame_free = card_frame_free,
	.tx = card_tx,
	.tx_flush = card_tx_flush,
	.peer_is_local = card_peer_is_local,
	.path_is_full = card_path_is_full,
	.want_bytes = card_want_bytes,
	.log = card_log,
};

/* ---- port of the switch ---- */

static void card_rx(struct port *port, const struct frame *frame)
{
	struct card *card = port_to_card(port);

	if (card->unplugged) {
		port->stats.drops++;
		return;
	}
	nic_rx(card->nic, frame);
	/* A unicast packet is likely to cause a reply soon */
	if (!(frame->hdr[0] & 1))
		loop_task_mark(card->loop, &card->task);
	card_note_faults(card);
	/* The copy may also have hit holes in the sender's files */
	if (frame->src->is_nic)
		card_note_faults(port_to_card(frame->src));
}

static void card_room(struct port *port)
{
	nic_room(port_to_card(port)->nic);
}

static void card_port_destroy(struct port *port)
{
	/* The port is embedded in struct card */
	(void)port;
}

static const struct port_ops card_port_ops = {
	.rx = card_rx,
	.room = card_room,
	.destroy = card_port_destroy,
};

/* ---- task of the event loop ---- */

static bool card_run(struct loop_task *task)
{
	struct card *card = task_to_card(task);

	if (card->mem.faults != card->faults) {
		card->faults = card->mem.faults;
		env_violation(&card->env, VIOLATION_MEM_FAULT,
			      "client shrank a file it had mapped, closing");
		vfio_user_drop(&card->vu);
		return true;
	}
	return nic_run(card->nic);
}

static bool card_sleep_prepare(struct loop_task *task)
{
	return nic_sleep_prepare(task_to_card(task)->nic);
}

static void card_wake(struct loop_task *task)
{
	nic_wake(task_to_card(task)->nic);
}

/* ---- PCI function ---- */

static void card_reset(struct card *card)
{
	card->stats.resets++;
	switch_flush(&card->port);
	nic_reset(card->nic);
	pci_reset(&card->pci);
	mem_enable(&card->mem, false);
}

static void card_command_changed(struct card *card)
{
	bool enable = pci_master_enabled(&card->pci);

	if (!enable)
		switch_flush(&card->port);
	mem_enable(&card->mem, enable);
	/* Work that waited for bus mastering can go on */
	if (enable)
		loop_task_mark(card->loop, &card->task);
}

static int card_dma_map(struct vfio_user *vu, uint64_t iova, uint64_t len,
			unsigned int prot, int fd, uint64_t offset)
{
	return mem_map(&vu_to_card(vu)->mem, iova, len, prot, fd, offset);
}

static int card_dma_unmap(struct vfio_user *vu, uint64_t iova, uint64_t len)
{
	struct card *card = vu_to_card(vu);

	switch_flush(&card->port);
	return mem_unmap(&card->mem, iova, len);
}

static void card_device_reset(struct vfio_user *vu)
{
	card_reset(vu_to_card(vu));
}

static bool card_bar_enabled(struct card *card, unsigned int bar,
			     uint64_t offset)
{
	if (pci_memory_enabled(&card->pci))
		return true;
	env_violation(&card->env, VIOLATION_PCI_BAR_DISABLED,
		      "BAR%u at %#llx accessed with memory space off", bar,
		      (unsigned long long)offset);
	return false;
}

/* QEMU handles the MSI-X table and pending bits; the rest of BAR0 is empty */
static bool card_bar_is_core(unsigned int bar, uint64_t offset)
{
	return bar != ORNIC_BAR_REGS || offset < NIC_REGS_SIZE;
}

static void card_region_read(struct vfio_user *vu, unsigned int region,
			     uint64_t offset, void *buf, uint32_t len)
{
	struct card *card = vu_to_card(vu);
	uint64_t val = 0;

	if (region == VFIO_USER_REGION_CONFIG) {
		pci_read(&card->pci, offset, buf, len);
		return;
	}
	if (!card_bar_enabled(card, region, offset))
		val = UINT64_MAX;
	else if (card_bar_is_core(region, offset))
		nic_bar_read(card->nic, region, offset, len, &val);
	val = htole64(val);
	memcpy(buf, &val, len);
}

static void card_region_write(struct vfio_user *vu, unsigned int region,
			      uint64_t offset, const void *buf, uint32_t len)
{
	struct card *card = vu_to_card(vu);
	unsigned int effects;
	uint64_t val = 0;

	if (region == VFIO_USER_REGION_CONFIG) {
		effects = pci_write(&card->pci, offset, buf, len);
		if (effects)
			vfio_user_charge(vu, VFIO_USER_COST_RESET);
		if (effects & PCI_EFFECT_FLR)
			card_reset(card);
		else if (effects & PCI_EFFECT_COMMAND)
			card_command_changed(card);
		return;
	}
	if (!card_bar_enabled(card, region, offset) ||
	    !card_bar_is_core(region, offset))
		return;
	memcpy(&val, buf, len);
	if (nic_bar_write(card->nic, region, offset, len, le64toh(val)))
		vfio_user_charge(vu, VFIO_USER_COST_RESET);
	card_note_faults(card);
}

static void card_irq_set_fd(struct vfio_user *vu, unsigned int vector, int fd)
{
	struct card *card = vu_to_card(vu);

	if (card->irq_fd[vector] >= 0)
		close(card->irq_fd[vector]);
	card->irq_fd[vector] = fd;
}

static void card_irq_trigger(struct vfio_user *vu, unsigned int vector)
{
	card_irq_raise(&vu_to_card(vu)->env, vector);
}

static void card_closed(struct vfio_user *vu)
{
	struct card *card = vu_to_card(vu);
	unsigned int i;

	card_reset(card);
	/* The next client finds a card that was just switched on */
	pci_power_on(&card->pci);
	mem_uninit(&card->mem);
	card->faults = card->mem.faults;
	for (i = 0; i < card->config.vectors; i++)
		card_irq_set_fd(vu, i, -1);
}

static const struct vfio_user_ops card_vfio_user_ops = {
	.dma_map = card_dma_map,
	.dma_unmap = card_dma_unmap,
	.reset = card_device_reset,
	.region_read = card_region_read,
	.region_write = card_region_write,
	.irq_set_fd = card_irq_set_fd,
	.irq_trigger = card_irq_trigger,
	.closed = card_closed,
};

static void card_init_endpoint(struct card *card, const char *path)
{
	struct vfio_user *vu = &card->vu;

	vu->ops = &card_vfio_user_ops;
	vu->loop = card->loop;
	vu->env = &card->env;
	vu->path = path;
	vu->listener.share = &card->share;
	vu->client.share = &card->share;
	vu->region_size[ORNIC_BAR_REGS] = ORNIC_BAR_REGS_SIZE;
	vu->region_size[ORNIC_BAR_DB] = NIC_BAR_DB_SIZE;
	vu->region_size[VFIO_USER_REGION_CONFIG] = PCI_CONFIG_SIZE;
	vu->irq_count[VFIO_USER_IRQ_MSIX] = card->config.vectors;
	/* Never fired, but QEMU expects it */
	vu->irq_count[VFIO_USER_IRQ_ERR] = 1;
}

int card_create(struct loop *loop, const struct log *log,
		const struct nic_config *config, const char *path,
		struct card **out)
{
	struct card *card;
	unsigned int i;
	int err;

	card = calloc(1, sizeof(*card));
	if (!card) {
		log_msg(log, ENV_LOG_ERR, config->name, "out of memory");
		return -ENOMEM;
	}
	card->loop = loop;
	card->log = log;
	card->config = *config;
	for (i = 0; i < NIC_VECTORS_MAX; i++)
		card->irq_fd[i] = -1;
	err = card_fill_random(card);
	if (err) {
		log_msg(log, ENV_LOG_ERR, config->name,
			"cannot get random numbers: %s", strerror(-err));
		goto free_card;
	}
	mem_init(&card->mem);
	pci_init(&card->pci, config->vectors, config->mac);
	card->env.ops = &card_env_ops;
	card->env.mem = &card->mem;
	card->env.timers = &card->task.timers;
	shares_add(&loop->shares, &card->share);
	card->task.run = card_run;
	card->task.sleep_prepare = card_sleep_prepare;
	card->task.wake = card_wake;
	card->task.share = &card->share;
	loop_task_add(loop, &card->task);
	card->port.ops = &card_port_ops;
	card->port.name = card->config.name;
	card->port.is_nic = true;
	card->port.share = &card->share;
	memcpy(card->port.mac, config->mac, MAC_LEN);
	err = switch_add_port(&loop->sw, &card->port);
	if (err) {
		log_msg(log, ENV_LOG_ERR, config->name,
			"cannot plug into the switch: %s",
			err == -EEXIST ? "another card has the same MAC" :
					 strerror(-err));
		goto remove_task;
	}
	card->nic = nic_create(&card->config, &card->env);
	if (!card->nic) {
		err = -ENOMEM;
		log_msg(log, ENV_LOG_ERR, config->name, "out of memory");
		goto remove_port;
	}
	card_init_endpoint(card, path);
	err = vfio_user_open(&card->vu);
	if (err) {
		log_msg(log, ENV_LOG_ERR, config->name,
			"cannot listen on %s: %s", path, strerror(-err));
		goto destroy_nic;
	}
	*out = card;
	return 0;

destroy_nic:
	nic_destroy(card->nic);
remove_port:
	switch_remove_port(&card->port);
remove_task:
	loop_task_remove(&card->task);
	shares_remove(&loop->shares, &card->share);
free_card:
	free(card);
	return err;
}

void card_plug(struct card *card, bool plugged)
{
	card->unplugged = !plugged;
	nic_link_changed(card->nic, plugged);
	loop_task_mark(card->loop, &card->task);
}

void card_destroy(struct card *card)
{
	if (!card)
		return;
	vfio_user_close(&card->vu);
	switch_flush(&card->port);
	nic_destroy(card->nic);
	switch_remove_port(&card->port);
	loop_task_remove(&card->task);
	shares_remove(&card->loop->shares, &card->share);
	mem_uninit(&card->mem);
	free(card);
}
