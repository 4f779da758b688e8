/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Configuration of a card, and the sizes of its BARs and vectors */
#ifndef ORNIC_DEVICE_CONFIG_H
#define ORNIC_DEVICE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lie.h"
#include "env/port.h"

/*
 * The core implements the registers at the start of ORNIC_BAR_REGS and all of
 * ORNIC_BAR_DB. The transport implements the rest of ORNIC_BAR_REGS.
 * ORNIC_BAR_DB is an array of doorbell pages; page 0 belongs to the kernel
 * driver.
 */
#define CARD_REGS_SIZE 0x2000
/* The largest pages of hosts, which map a page of doorbells for each process ([ORNIC-DB-1]) */
#define CARD_DB_PAGE_SIZE 65536
#define CARD_DB_PAGES 1024
#define CARD_BAR_DB_SIZE (CARD_DB_PAGES * CARD_DB_PAGE_SIZE)

#define CARD_VECTORS_MAX 64
#define CARD_VECTORS_DEFAULT 16

/* With the time for the objects, RESET_TIMEOUT must fit into its 8 bits */
#define CARD_READY_MS_MAX 19000

#define CARD_HOST_NAME_LEN 64
#define CARD_LIMITS_MAX 4

/**
 * struct card_limits - limits that QUERY_DEVICE reports instead of the true ones
 * @limit: place of a limit of 32 bits in struct ornic_query_device_out, and its value
 * @count: number of @limit
 */
struct card_limits {
	struct {
		size_t offset;
		uint32_t value;
	} limit[CARD_LIMITS_MAX];
	unsigned int count;
};

/**
 * struct card_config - configuration of a card
 * @name: name in log messages
 * @mac: permanent address
 * @vectors: MSI-X vectors, 1..CARD_VECTORS_MAX
 * @no_shadow: no ORNIC_CAPS_SHADOW: the card relies on doorbells only, as
 *	silicon may
 * @ci_lags: publish sq_ci and rq_ci always @ci_lag entries late, as [ORNIC-ORD-5]
 *	and [ORNIC-ORD-6] permit
 * @ci_lag: with @ci_lags: entries, at most ORNIC_CI_LAG_MAX
 * @rq_doorbell: ORNIC_NEEDS_RQ_DOORBELL: look at rq_pi only after a doorbell
 * @push: ORNIC_FEAT_PUSH, which costs QEMU eight exits for each line
 * @commands_reverse: complete commands in another order than that of their
 *	submission, as [ORNIC-ADM-6] permits
 * @ready_ms: ms from power-on and from each reset to READY, at least;
 *	0..CARD_READY_MS_MAX
 * @late_writes: write memory until a read answers that the device is reset, as
 *	[ORNIC-RST-2] permits
 * @whole_entries: write entries of rings by one copy ([ORNIC-GEN-6])
 * @pair_entries: the same, and completions two by two where they are in one piece
 *	of 64 bytes
 * @lie: what the card lies about; all zero for an honest card
 * @ordered: give numbers in order and not as [ORNIC-OBJ-5] wants, for tests that
 *	must repeat exactly
 * @spoofcheck: check of source addresses
 * @without: ORNIC_FEAT_* that the card does not have
 * @profiles: ORNIC_PROFILE_RDMA, _ETHERNET; 0: both
 * @flow_basic: flow rules as simple hardware has them
 * @flow_exact: the masks of flow rules have all bits of a field
 * @parse_least: find headers, and hash, no more than a device must
 * @version: of the contract, as ORNIC_REG_VERSION; 0: ORNIC_VERSION
 * @limits: limits that it reports and does not have
 */
struct card_config {
	const char *name;
	uint8_t mac[MAC_LEN];
	unsigned int vectors;
	bool no_shadow;
	bool ci_lags;
	unsigned int ci_lag;
	bool rq_doorbell;
	bool push;
	bool commands_reverse;
	unsigned int ready_ms;
	bool late_writes;
	bool whole_entries;
	bool pair_entries;
	struct lie_config lie;
	bool ordered;
	struct port_spoofcheck spoofcheck;
	uint64_t without;
	uint32_t profiles;
	bool flow_basic;
	bool flow_exact;
	bool parse_least;
	uint32_t version;
	struct card_limits limits;
};

/**
 * struct card_host - what the host has told about itself by SET_HOST
 * @told: it has since the reset; else no feature is in force
 * @version: minor version in force, as ORNIC_REG_VERSION
 * @page_shift: log2 of the page size of the host
 * @features: ORNIC_FEAT_* in force
 * @send_ops: operations in force, bit n: enum ornic_wr_opcode n
 * @name: driver and system, for people
 */
struct card_host {
	bool told;
	uint32_t version;
	uint8_t page_shift;
	uint64_t features;
	uint64_t send_ops;
	char name[CARD_HOST_NAME_LEN];
};

/**
 * card_guid - derive the EUI-64 of a card, which is also the serial number of its
 *	PCI function ([ORNIC-PCI-1])
 * @mac: permanent address
 *
 * Return: the MAC with its universal/local bit inverted and ff:fe in the middle,
 * first byte in bits 63:56.
 */
static inline uint64_t card_guid(const uint8_t *mac)
{
	return (uint64_t)(mac[0] ^ 2) << 56 | (uint64_t)mac[1] << 48 |
	       (uint64_t)mac[2] << 40 | 0xfffeULL << 24 |
	       (uint64_t)mac[3] << 16 | (uint64_t)mac[4] << 8 | mac[5];
}

#endif /* ORNIC_DEVICE_CONFIG_H */
