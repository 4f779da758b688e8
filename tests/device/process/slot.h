/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One card in its slot: the core with its environment (struct env), the PCI
 * function, the vfio-user endpoint and a port of the switch.
 */
#ifndef ORNIC_DEVICE_SLOT_H
#define ORNIC_DEVICE_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "card/card.h"
#include "env/env.h"
#include "env/log.h"
#include "env/mem.h"
#include "env/port.h"
#include "host/pci.h"
#include "host/vfio_user.h"
#include "loop/loop.h"

/* The kernel gives 256 bytes whole, whatever happens (getrandom(2)) */
#define SLOT_RANDOM (256 / sizeof(uint64_t))

/**
 * struct slot_stats - counters outside the core
 * @irqs: eventfds fired
 * @irqs_dropped: interrupts dropped: no eventfd, or an error
 * @resets: resets of any kind
 * @sleeps: times that the card went to sleep, after which hosts ring doorbells
 */
struct slot_stats {
	uint64_t irqs;
	uint64_t irqs_dropped;
	uint64_t resets;
	uint64_t sleeps;
};

/**
 * struct slot - a card in its slot
 * @env: environment of the core
 * @loop: event loop that runs the card
 * @log: log for messages
 * @random: random bits from the kernel
 * @random_left: number of @random that are unused, at its start
 * @limit: rate limit for messages that the client can cause
 * @config: configuration, as given, with @name as name
 * @name: name of the card
 * @path: path of the socket
 * @card: core
 * @mem: DMA map of the client's memory
 * @faults: value of @mem.faults that was handled last
 * @pci: PCI configuration space
 * @share: pays for all that the client causes
 * @served: port that pays for what the card sends at the moment, or NULL
 * @given: value of @given of the shares when answers were resumed
 * @port: port of the switch
 * @vu: vfio-user endpoint
 * @task: runs @card, and its timers
 * @leaving: slot_leave() was called
 * @irq_fd: eventfd of each vector, -1 for none
 * @stats: counters
 */
struct slot {
	struct env env;
	struct loop *loop;
	const struct log *log;
	uint64_t random[SLOT_RANDOM];
	unsigned int random_left;
	struct log_limit limit;
	struct card_config config;
	char *name;
	char *path;
	struct card *card;
	struct mem mem;
	uint64_t faults;
	struct pci pci;
	struct share share;
	struct port *served;
	uint64_t given;
	struct port port;
	struct vfio_user vu;
	struct loop_task task;
	bool leaving;
	int irq_fd[CARD_VECTORS_MAX];
	struct slot_stats stats;
};

/**
 * slot_create - create a card and listen for its client
 * @loop: event loop that runs the card
 * @log: log for messages; outlives the card
 * @config: copied, with the name
 * @path: path of the socket; copied
 * @listener: as for vfio_user_open()
 * @out: the slot
 *
 * Return: 0, or a negative errno after logging a message.
 */
int slot_create(struct loop *loop, const struct log *log,
		const struct card_config *config, const char *path,
		int listener, struct slot **out);

/**
 * slot_plug - unplug the cable, or plug it in again
 * @slot: the card
 * @plugged: true to plug it in
 */
void slot_plug(struct slot *slot, bool plugged);

/**
 * slot_leave - serve no client any more, and pull the cable for good
 * @slot: the card, which begins to free what it uses
 */
void slot_leave(struct slot *slot);

/**
 * slot_has_left - check whether what slot_leave() has begun is done
 * @slot: the card
 *
 * Return: true when the card can be destroyed.
 */
bool slot_has_left(const struct slot *slot);

/**
 * slot_destroy - undo slot_create()
 * @slot: the card or NULL
 */
void slot_destroy(struct slot *slot);

#endif /* ORNIC_DEVICE_SLOT_H */
