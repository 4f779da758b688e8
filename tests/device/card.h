/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One card in its slot: the core, and around it what its struct env promises,
 * the PCI function, the vfio-user endpoint and a port of the switch.
 */
#ifndef ORNIC_DEVICE_CARD_H
#define ORNIC_DEVICE_CARD_H

#include <stdbool.h>
#include <stdint.h>

#include "env.h"
#include "log.h"
#include "loop.h"
#include "mem.h"
#include "nic.h"
#include "pci.h"
#include "port.h"
#include "vfio_user.h"

/**
 * struct card_stats - what a card's surroundings count
 * @irqs: interrupts delivered
 * @irqs_dropped: raised with bus mastering off or nobody to take them
 * @resets: of any kind
 */
struct card_stats {
	uint64_t irqs;
	uint64_t irqs_dropped;
	uint64_t resets;
};

/**
 * struct card - a card in its slot
 * @env: what the core sees
 * @loop: runs it
 * @log: where messages go
 * @limit: of what the client can cause
 * @config: as given
 * @nic: the core
 * @mem: the client's memory
 * @faults: of @mem, as far as seen to
 * @pci: configuration space
 * @port: the wire
 * @unplugged: the cable is pulled: nothing comes, nothing goes
 * @vu: the endpoint
 * @task: runs @nic
 * @irq_fd: eventfd of each vector, -1 for none
 * @stats: counters
 */
struct card {
	struct env env;
	struct loop *loop;
	const struct log *log;
	struct log_limit limit;
	struct nic_config config;
	struct nic *nic;
	struct mem mem;
	uint64_t faults;
	struct pci pci;
	struct port port;
	bool unplugged;
	struct vfio_user vu;
	struct loop_task task;
	int irq_fd[NIC_VECTORS_MAX];
	struct card_stats stats;
};

/**
 * card_create - make a card and listen for its client
 * @loop: runs it
 * @log: where messages go; outlives the card
 * @config: copied; the name outlives the card
 * @path: of the socket; outlives the card
 * @out: the card
 *
 * Return: 0 or a negative errno, and a message was logged.
 */
int card_create(struct loop *loop, const struct log *log,
		const struct nic_config *config, const char *path,
		struct card **out);

/**
 * card_plug - pull the cable, or plug it in again
 * @card: the card
 * @plugged: new state
 */
void card_plug(struct card *card, bool plugged);

/**
 * card_destroy - end of card_create()
 * @card: the card or NULL
 */
void card_destroy(struct card *card);

#endif /* ORNIC_DEVICE_CARD_H */
