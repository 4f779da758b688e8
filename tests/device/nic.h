/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The interface of the card's core. The core knows neither sockets nor QEMU; it
 * reaches both through struct env. All calls come from one thread. No call
 * comes from within another call of the same card, with one exception:
 * env_tx_flush() may call nic_rx() of any card, also of the one that flushes. A
 * frame given to env_tx() reaches nic_rx() later in the same turn of the loop.
 */
#ifndef ORNIC_DEVICE_NIC_H
#define ORNIC_DEVICE_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "env.h"
#include "frame.h"
#include "lie.h"
#include "port.h"

/*
 * The core implements the registers at the start of ORNIC_BAR_REGS and all of
 * ORNIC_BAR_DB. The transport implements the rest of ORNIC_BAR_REGS.
 * ORNIC_BAR_DB is an array of doorbell pages; page 0 belongs to the kernel
 * driver.
 */
#define NIC_REGS_SIZE 0x2000
#define NIC_DB_PAGE_SIZE 4096
#define NIC_DB_PAGES 1024
#define NIC_BAR_DB_SIZE (NIC_DB_PAGES * NIC_DB_PAGE_SIZE)

#define NIC_VECTORS_MAX 64
#define NIC_VECTORS_DEFAULT 16

#define NIC_PERMITTED_MAX 8

struct nic;

/**
 * struct nic_spoofcheck - which source addresses a card may send with
 * @on: only its permanent one and @permitted ([ORNIC-DEV-15])
 * @permitted: further addresses
 * @permitted_count: number of @permitted
 */
struct nic_spoofcheck {
	bool on;
	uint8_t permitted[NIC_PERMITTED_MAX][MAC_LEN];
	unsigned int permitted_count;
};

/**
 * struct nic_config - configuration of a card
 * @name: name in log messages
 * @mac: permanent address
 * @vectors: MSI-X vectors, 1..NIC_VECTORS_MAX
 * @no_shadow: no ORNIC_CAPS_SHADOW: the card relies on doorbells only, as
 *	silicon may
 * @sq_ci_lags: publish sq_ci as late as [ORNIC-ORD-4] permits
 * @lie: what the card lies about; all zero for an honest card
 * @ordered: give numbers in order and not as [ORNIC-OBJ-21] wants, for tests that
 *	must repeat exactly
 * @spoofcheck: check of source addresses
 */
struct nic_config {
	const char *name;
	uint8_t mac[MAC_LEN];
	unsigned int vectors;
	bool no_shadow;
	bool sq_ci_lags;
	struct lie_config lie;
	bool ordered;
	struct nic_spoofcheck spoofcheck;
};

/**
 * nic_guid - derive the EUI-64 of a card, which is also the serial number of its
 *	PCI function ([ORNIC-PCI-1])
 * @mac: permanent address
 *
 * Return: the MAC with its universal/local bit inverted and ff:fe in the middle,
 * first byte in bits 63:56.
 */
static inline uint64_t nic_guid(const uint8_t *mac)
{
	return (uint64_t)(mac[0] ^ 2) << 56 | (uint64_t)mac[1] << 48 |
	       (uint64_t)mac[2] << 40 | 0xfffeULL << 24 |
	       (uint64_t)mac[3] << 16 | (uint64_t)mac[4] << 8 | mac[5];
}

/**
 * nic_create - create a card in its reset state
 * @config: copied
 * @env: environment of the card; outlives it
 *
 * Return: the card, or NULL when memory is short.
 */
struct nic *nic_create(const struct nic_config *config, struct env *env);

/**
 * nic_destroy - destroy a card
 * @nic: the card or NULL
 */
void nic_destroy(struct nic *nic);

/**
 * nic_reset - reset for FLR, bus reset, CTRL.RESET or loss of the client
 * @nic: the card
 *
 * From now on the card uses no guest memory, which may be gone already. It
 * destroys its objects in this call if they are few, otherwise in the next
 * calls of nic_run() too, and STATUS.READY is 0 until then.
 */
void nic_reset(struct nic *nic);

/**
 * nic_bar_read - read from a BAR
 * @nic: the card
 * @bar: ORNIC_BAR_REGS (below NIC_REGS_SIZE only) or ORNIC_BAR_DB
 * @offset: inside the BAR, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 * @val: the value, in the low bytes; holes read 0
 */
void nic_bar_read(struct nic *nic, unsigned int bar, uint64_t offset,
		  unsigned int size, uint64_t *val);

/**
 * nic_bar_write - write to a BAR
 * @nic: the card
 * @bar: ORNIC_BAR_REGS (below NIC_REGS_SIZE only) or ORNIC_BAR_DB
 * @offset: inside the BAR, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 * @val: the value, in the low bytes
 *
 * The vCPU may wait for this call, and other vCPUs with it. So the call only
 * records the write and marks the card runnable; nic_run() does the work.
 *
 * Return: true when the write reset the card, which costs much more than
 * recording a write.
 */
bool nic_bar_write(struct nic *nic, unsigned int bar, uint64_t offset,
		   unsigned int size, uint64_t val);

/**
 * nic_run - do a bounded amount of work
 * @nic: the card
 *
 * One call handles some hundreds of work items or takes tens of microseconds,
 * so that a card cannot starve other cards or the sockets. The loop calls again
 * at once while any card returns true, and then for the spin time. Each call
 * also polls the words that the guest publishes in memory.
 *
 * Return: true when the call did any work.
 */
bool nic_run(struct nic *nic);

/**
 * nic_sleep_prepare - prepare for the event loop to sleep
 * @nic: the card
 *
 * Stops watching queues and boards, so that the guest rings the doorbell again,
 * then (after a full barrier) looks at each of them once more ([ORNIC-DB-10]).
 *
 * Return: true when the loop may sleep; false when there is work, and then the
 * card counts as awake.
 */
bool nic_sleep_prepare(struct nic *nic);

/**
 * nic_wake - resume after a nic_sleep_prepare() that returned true
 * @nic: the card
 *
 * Called before the card runs, not at each wake-up of the loop: a card without
 * work stays asleep.
 */
void nic_wake(struct nic *nic);

/**
 * nic_rx - receive a frame from the switch
 * @nic: the card
 * @frame: the frame; it and the memory that it refers to are valid during the
 *	call only
 *
 * The switch also delivers frames for other stations while it has not learned
 * their addresses: the card filters.
 */
void nic_rx(struct nic *nic, const struct frame *frame);

/**
 * nic_room - resume when a full port of the switch has room again
 * @nic: the card; QPs that waited for room (env_path_is_full()) continue
 */
void nic_room(struct nic *nic);

/**
 * nic_link_changed - set the link state
 * @nic: the card
 * @up: new state; the link of a new card is up
 */
void nic_link_changed(struct nic *nic, bool up);

/**
 * nic_stop - stop the card until the next reset (ORNIC_FATAL_INJECTED), to test
 *	the driver
 * @nic: the card
 */
void nic_stop(struct nic *nic);

/**
 * nic_lie - set what the card lies about from now on, to test the driver
 * @nic: the card
 * @config: copied; without any kind the card is honest, as a new one is
 */
void nic_lie(struct nic *nic, const struct lie_config *config);

/**
 * typedef nic_stat_fn - callback for one statistic
 * @arg: as given to nic_stats()
 * @name: lower-case words joined by underscores; a dot starts a group
 * @value: its value
 */
typedef void (*nic_stat_fn)(void *arg, const char *name, uint64_t value);

/**
 * nic_stats - report all statistics
 * @nic: the card
 * @fn: called for each
 * @arg: passed to @fn
 */
void nic_stats(struct nic *nic, nic_stat_fn fn, void *arg);

#endif /* ORNIC_DEVICE_NIC_H */
