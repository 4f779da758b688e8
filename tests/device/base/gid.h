/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The GID table: RoCE addresses, each with the VLAN and the MAC of its netdev.
 * Transmit looks up by index, receive by address, both in O(1).
 */
#ifndef ORNIC_DEVICE_GID_H
#define ORNIC_DEVICE_GID_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#define GID_LEN 16
#define GID_TABLE_SIZE 256
#define GID_HASH_SIZE 512
/* vlan_id of an entry without a VLAN */
#define GID_NO_VLAN 0xffff
#define GID_VLANS 4096

/**
 * struct gid_entry - one entry
 * @valid: the entry is in use
 * @ipv4: the address is ::ffff:a.b.c.d, packets are IPv4
 * @gid: address, wire order
 * @smac: source MAC of packets sent from it
 * @vlan_id: 1 to 4094, or GID_NO_VLAN
 * @next: next entry with the same hash, as index + 1; 0: none
 */
struct gid_entry {
	bool valid;
	bool ipv4;
	uint8_t gid[GID_LEN];
	uint8_t smac[6];
	uint16_t vlan_id;
	uint16_t next;
};

/**
 * struct gid_smac - the MACs of entries that have the same hash
 * @mac: MAC of one of them, and of all if not @mixed
 * @mixed: they have had several MACs since there was none
 * @entries: number of entries
 */
struct gid_smac {
	uint8_t mac[6];
	bool mixed;
	uint16_t entries;
};

/**
 * struct gid_table - the table
 * @entry: entries, by index
 * @hash: by hash of the address: index + 1 of the first entry; 0: none
 * @vlan: number of entries of each VLAN; at 0 those without a VLAN
 * @smac: by the hash of their MAC
 */
struct gid_table {
	struct gid_entry entry[GID_TABLE_SIZE];
	uint16_t hash[GID_HASH_SIZE];
	uint16_t vlan[GID_VLANS];
	struct gid_smac smac[GID_HASH_SIZE];
};

/**
 * gid_get - get an entry by index
 * @table: the table
 * @index: any number
 *
 * Return: the entry, or NULL when there is no valid one.
 */
const struct gid_entry *gid_get(const struct gid_table *table,
				unsigned int index);

/**
 * gid_find - find the entry of a local address
 * @table: the table
 * @gid: GID_LEN bytes; for an IPv4 packet the mapped address
 * @vlan_id: VLAN of the packet, GID_NO_VLAN when untagged or priority-tagged
 *
 * Return: index of the entry, or -ENOENT.
 */
int gid_find(const struct gid_table *table, const uint8_t *gid,
	     uint16_t vlan_id);

/**
 * gid_find_smac - find the entry of a local address that has this MAC
 * @table: the table
 * @gid: as for gid_find()
 * @vlan_id: as for gid_find()
 * @smac: MAC of the entry
 *
 * Return: index of the entry, or -ENOENT.
 */
int gid_find_smac(const struct gid_table *table, const uint8_t *gid,
		  uint16_t vlan_id, const uint8_t *smac);

/**
 * gid_has_vlan - check whether any entry has a VLAN
 * @table: the table
 * @vlan_id: as for gid_find()
 *
 * Return: true when one has it.
 */
bool gid_has_vlan(const struct gid_table *table, uint16_t vlan_id);

/**
 * gid_has_smac - check whether any entry has a MAC
 * @table: the table
 * @mac: any address
 *
 * Return: true when one has it.
 */
bool gid_has_smac(const struct gid_table *table, const uint8_t *mac);

/**
 * gid_is_ipv4 - check for the mapped form of an IPv4 address
 * @gid: GID_LEN bytes
 *
 * Return: true for ::ffff:a.b.c.d.
 */
bool gid_is_ipv4(const uint8_t *gid);

/**
 * gid_from_ipv4 - make the mapped form of an IPv4 address
 * @gid: GID_LEN bytes to fill
 * @ip: 4 bytes, wire order
 */
void gid_from_ipv4(uint8_t *gid, const uint8_t *ip);

/**
 * gid_clear - part of a reset
 * @table: the table
 */
void gid_clear(struct gid_table *table);

/**
 * gid_set - set or clear an entry, as SET_GID asks for
 * @table: the table
 * @in: input of the command
 *
 * Return: status of the command.
 */
enum ornic_cmd_status gid_set(struct gid_table *table,
			      const struct ornic_set_gid_in *in);

#endif /* ORNIC_DEVICE_GID_H */
