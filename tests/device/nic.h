/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The card's core as its surroundings see it. The core knows neither sockets
 * nor QEMU; what it needs it asks of struct env. All calls come from one
 * thread, none from within another of the same card, except that env_tx() of
 * one card may lead to nic_rx() of another later in the same turn of the loop.
 */
#ifndef ORNIC_DEVICE_NIC_H
#define ORNIC_DEVICE_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "env.h"
#include "frame.h"
#include "port.h"

/*
 * Of ORNIC_BAR_REGS the core has the registers; the transport answers the rest.
 * ORNIC_BAR_DB is all the core's: doorbell pages, the first one the kernel
 * driver's.
 */
#define NIC_REGS_SIZE 0x2000
#define NIC_DB_PAGE_SIZE 4096
#define NIC_DB_PAGES 1024
#define NIC_BAR_DB_SIZE (NIC_DB_PAGES * NIC_DB_PAGE_SIZE)

#define NIC_VECTORS_MAX 64
#define NIC_VECTORS_DEFAULT 16

struct nic;

/**
 * struct nic_config - what a card is told when it is made
 * @name: for messages
 * @mac: permanent address
 * @vectors: MSI-X vectors, 1..NIC_VECTORS_MAX
 * @no_shadow: be as silicon: without ORNIC_CAPS_SHADOW, doorbells only
 * @sq_ci_lags: publish sq_ci as late as ORNIC-ORD-4 permits
 */
struct nic_config {
	const char *name;
	uint8_t mac[MAC_LEN];
	unsigned int vectors;
	bool no_shadow;
	bool sq_ci_lags;
};

/**
 * nic_create - make a card in its reset state
 * @config: copied
 * @env: outlives the card
 *
 * Return: the card, or NULL when there is no memory.
 */
struct nic *nic_create(const struct nic_config *config, struct env *env);

/**
 * nic_destroy - end of nic_create()
 * @nic: the card or NULL
 */
void nic_destroy(struct nic *nic);

/**
 * nic_reset - function-level reset, bus reset, loss of the client
 * @nic: the card
 *
 * Afterwards no object exists, no timer is armed, no pointer into guest memory
 * is kept. The guest's memory may be gone already: nothing is written to it.
 */
void nic_reset(struct nic *nic);

/**
 * nic_bar_read - the guest reads
 * @nic: the card
 * @bar: ORNIC_BAR_REGS (below NIC_REGS_SIZE only) or ORNIC_BAR_DB
 * @offset: inside the BAR, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 * @val: the value, in the low bytes; holes read 0
 */
void nic_bar_read(struct nic *nic, unsigned int bar, uint64_t offset,
		  unsigned int size, uint64_t *val);

/**
 * nic_bar_write - the guest writes
 * @nic: the card
 * @bar: ORNIC_BAR_REGS (below NIC_REGS_SIZE only) or ORNIC_BAR_DB
 * @offset: inside the BAR, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 * @val: the value, in the low bytes
 *
 * The vCPU may be waiting and others with it: take note, mark the card
 * runnable, return. Work is done in nic_run().
 *
 * Return: true when it was a reset, which costs more than taking note.
 */
bool nic_bar_write(struct nic *nic, unsigned int bar, uint64_t offset,
		   unsigned int size, uint64_t val);

/**
 * nic_run - do some work
 * @nic: the card
 *
 * Bounded: some hundreds of work items or tens of microseconds, so that a card
 * cannot starve its neighbours and the sockets are looked at. Called again at
 * once while anything returns true, and for the spin time after that; polls
 * what the guest publishes in memory.
 *
 * Return: true when it did anything.
 */
bool nic_run(struct nic *nic);

/**
 * nic_sleep_prepare - the loop wants to sleep
 * @nic: the card
 *
 * Publish "asleep, ring the doorbell" in guest memory for every queue that was
 * being polled, then (full barrier) look once more.
 *
 * Return: true when it is safe to sleep; false when work appeared, and then the
 * card counts as awake.
 */
bool nic_sleep_prepare(struct nic *nic);

/**
 * nic_wake - the loop is awake again after a nic_sleep_prepare() that was true
 * @nic: the card
 *
 * Called when the card is about to be run, not at each wake-up of the loop: a
 * card that nobody needs stays asleep.
 */
void nic_wake(struct nic *nic);

/**
 * nic_rx - a packet from the wire
 * @nic: the card
 * @frame: and what it refers to are valid during the call only
 *
 * All packets for other stations' unicast addresses are seen too while the
 * switch has not learned: filtering is the card's.
 */
void nic_rx(struct nic *nic, const struct frame *frame);

/**
 * nic_room - a port of the switch that was full takes packets again
 * @nic: the card; goes on with what waited (env_path_is_full())
 */
void nic_room(struct nic *nic);

/**
 * nic_link_changed - the cable was plugged or pulled
 * @nic: the card
 * @up: new state; a new card has link
 */
void nic_link_changed(struct nic *nic, bool up);

/**
 * enum nic_fault - how a card can be made to misbehave, to try its driver
 * @NIC_FAULT_FATAL: stops (ORNIC_FATAL_INJECTED)
 * @NIC_FAULT_MUTE: commands are executed and never completed
 * @NIC_FAULT_NONSENSE: completions of commands bear ids that nobody gave
 */
enum nic_fault {
	NIC_FAULT_FATAL,
	NIC_FAULT_MUTE,
	NIC_FAULT_NONSENSE,
};

/**
 * nic_inject - misbehave until the next reset
 * @nic: the card
 * @fault: how
 */
void nic_inject(struct nic *nic, enum nic_fault fault);

/**
 * typedef nic_stat_fn - takes one figure
 * @arg: as given to nic_stats()
 * @name: words of lower case with underscores; a dot starts a group
 * @value: the figure
 */
typedef void (*nic_stat_fn)(void *arg, const char *name, uint64_t value);

/**
 * nic_stats - tell all figures
 * @nic: the card
 * @fn: called for each
 * @arg: for @fn
 */
void nic_stats(struct nic *nic, nic_stat_fn fn, void *arg);

#endif /* ORNIC_DEVICE_NIC_H */
