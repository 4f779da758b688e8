// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The GID table */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/cmd.h"
#include "base/gid.h"

#define GID_VLAN_MAX 4094
#define GID_MULTICAST 0xff

static const uint8_t gid_ipv4_prefix[12] = { [10] = 0xff, [11] = 0xff };

static unsigned int gid_hash(const uint8_t *gid)
{
	uint64_t half[2];

	memcpy(half, gid, GID_LEN);
	/* Fibonacci hashing: the top bits depend on all lower bits */
	return ((half[0] ^ half[1] * 31) * 0x9e3779b97f4a7c15ULL) >> 32 &
	       (GID_HASH_SIZE - 1);
}

const struct gid_entry *gid_get(const struct gid_table *table,
				unsigned int index)
{
	const struct gid_entry *entry;

	if (index >= GID_TABLE_SIZE)
		return NULL;
	entry = &table->entry[index];
	return entry->valid ? entry : NULL;
}

/* smac: NULL for any */
static int gid_search(const struct gid_table *table, const uint8_t *gid,
		      uint16_t vlan_id, const uint8_t *smac)
{
	unsigned int i;

	for (i = table->hash[gid_hash(gid)]; i; i = table->entry[i - 1].next) {
		const struct gid_entry *entry = &table->entry[i - 1];

		if (entry->vlan_id == vlan_id &&
		    !memcmp(entry->gid, gid, GID_LEN) &&
		    (!smac || !memcmp(entry->smac, smac, sizeof(entry->smac))))
			return i - 1;
	}
	return -ENOENT;
}

int gid_find(const struct gid_table *table, const uint8_t *gid,
	     uint16_t vlan_id)
{
	return gid_search(table, gid, vlan_id, NULL);
}

int gid_find_smac(const struct gid_table *table, const uint8_t *gid,
		  uint16_t vlan_id, const uint8_t *smac)
{
	return gid_search(table, gid, vlan_id, smac);
}

static unsigned int gid_vlan(uint16_t vlan_id)
{
	return vlan_id == GID_NO_VLAN ? 0 : vlan_id;
}

bool gid_has_vlan(const struct gid_table *table, uint16_t vlan_id)
{
	return table->vlan[gid_vlan(vlan_id)];
}

static unsigned int gid_hash_mac(const uint8_t *mac)
{
	return (mac[4] << 8 ^ mac[5] ^ mac[3] << 4) & (GID_HASH_SIZE - 1);
}

bool gid_has_smac(const struct gid_table *table, const uint8_t *mac)
{
	const struct gid_smac *smac = &table->smac[gid_hash_mac(mac)];
	const struct gid_entry *entry = table->entry;
	unsigned int i;

	if (!smac->mixed)
		return smac->entries && !memcmp(smac->mac, mac, sizeof(smac->mac));
	for (i = 0; i < GID_TABLE_SIZE; i++)
		if (entry[i].valid &&
		    !memcmp(entry[i].smac, mac, sizeof(entry[i].smac)))
			return true;
	return false;
}

bool gid_is_ipv4(const uint8_t *gid)
{
	return !memcmp(gid, gid_ipv4_prefix, sizeof(gid_ipv4_prefix));
}

void gid_from_ipv4(uint8_t *gid, const uint8_t *ip)
{
	memcpy(gid, gid_ipv4_prefix, sizeof(gid_ipv4_prefix));
	memcpy(gid + sizeof(gid_ipv4_prefix), ip, 4);
}

void gid_clear(struct gid_table *table)
{
	memset(table, 0, sizeof(*table));
}

static void gid_add_smac(struct gid_table *table, const uint8_t *mac)
{
	struct gid_smac *smac = &table->smac[gid_hash_mac(mac)];

	if (!smac->entries++)
		memcpy(smac->mac, mac, sizeof(smac->mac));
	else if (memcmp(smac->mac, mac, sizeof(smac->mac)))
		smac->mixed = true;
}

static void gid_remove_smac(struct gid_table *table, const uint8_t *mac)
{
	struct gid_smac *smac = &table->smac[gid_hash_mac(mac)];

	if (!--smac->entries)
		smac->mixed = false;
}

static void gid_unset(struct gid_table *table, unsigned int index)
{
	struct gid_entry *entry = &table->entry[index];
	uint16_t *link;

	if (!entry->valid)
		return;
	link = &table->hash[gid_hash(entry->gid)];
	while (*link != index + 1)
		link = &table->entry[*link - 1].next;
	*link = entry->next;
	table->vlan[gid_vlan(entry->vlan_id)]--;
	gid_remove_smac(table, entry->smac);
	memset(entry, 0, sizeof(*entry));
}

static void gid_fill(struct gid_table *table, unsigned int index,
		     const struct ornic_set_gid_in *in)
{
	struct gid_entry *entry = &table->entry[index];
	uint16_t *link = &table->hash[gid_hash(in->gid)];

	entry->valid = true;
	entry->ipv4 = gid_is_ipv4(in->gid);
	memcpy(entry->gid, in->gid, GID_LEN);
	memcpy(entry->smac, in->smac, sizeof(entry->smac));
	entry->vlan_id = le16toh(in->flags) & ORNIC_GID_VLAN ?
				 le16toh(in->vlan_id) : GID_NO_VLAN;
	entry->next = *link;
	*link = index + 1;
	table->vlan[gid_vlan(entry->vlan_id)]++;
	gid_add_smac(table, entry->smac);
}

static bool gid_in_valid(const struct ornic_set_gid_in *in)
{
	uint16_t flags = le16toh(in->flags);
	uint16_t vlan_id = le16toh(in->vlan_id);

	if (in->rsvd || le16toh(in->index) >= GID_TABLE_SIZE ||
	    flags & ~(ORNIC_GID_VALID | ORNIC_GID_VLAN))
		return false;
	if (!(flags & ORNIC_GID_VALID))
		return !(flags & ORNIC_GID_VLAN);
	if (flags & ORNIC_GID_VLAN ? !vlan_id || vlan_id > GID_VLAN_MAX :
				     vlan_id)
		return false;
	return in->gid[0] != GID_MULTICAST && !cmd_is_zero(in->gid, GID_LEN) &&
	       !(in->smac[0] & 1) && !cmd_is_zero(in->smac, sizeof(in->smac));
}

enum ornic_cmd_status gid_set(struct gid_table *table,
			      const struct ornic_set_gid_in *in)
{
	if (!gid_in_valid(in))
		return ORNIC_CMD_BAD_PARAM;
	gid_unset(table, le16toh(in->index));
	if (le16toh(in->flags) & ORNIC_GID_VALID)
		gid_fill(table, le16toh(in->index), in);
	return ORNIC_CMD_OK;
}
