// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* GID table, port, receive filter ([ORNIC-DEV-7] to [ORNIC-DEV-12], [ORNIC-DEV-15]) */
#include "base/gid.h"
#include "card/card.h"
#include "eth/ethport.h"
#include "host.h"

static struct ornic_set_gid_in gid_in(unsigned int index, uint8_t tail)
{
	struct ornic_set_gid_in in = {
		.index = htole16(index),
		.flags = htole16(ORNIC_GID_VALID),
		.smac = { 2, 0, 0, 0, 0, 1 },
		.gid = { [10] = 0xff, [11] = 0xff, [12] = 10, [15] = tail },
	};

	return in;
}

static void set(struct host *host, const struct ornic_set_gid_in *in)
{
	host_cmd_in_ok(host, ORNIC_CMD_SET_GID, in);
}

/* [ORNIC-DEV-11] */
TEST(test_gid_refusals, struct host *host, IN_HOST)
{
	struct ornic_set_gid_in good = gid_in(0, 1), in;

#define REFUSED(field, value) do {                                         \
		in = good;                                                  \
		in.field = value;                                           \
		assert_int_equal(host_cmd_in(host, ORNIC_CMD_SET_GID, &in), \
				 ORNIC_CMD_BAD_PARAM);                      \
	} while (0)
	REFUSED(index, htole16(GID_TABLE_SIZE));
	REFUSED(index, 0xffff);
	REFUSED(flags, htole16(ORNIC_GID_VALID | 4));
	REFUSED(flags, htole16(ORNIC_GID_VLAN));
	REFUSED(flags, htole16(ORNIC_GID_VALID | ORNIC_GID_VLAN));
	REFUSED(vlan_id, htole16(5));
	REFUSED(rsvd, htole32(1));
	REFUSED(smac[0], 3);
	REFUSED(gid[0], 0xff);
	good.flags = htole16(ORNIC_GID_VALID | ORNIC_GID_VLAN);
	REFUSED(vlan_id, htole16(4095));
	REFUSED(vlan_id, 0xffff);
#undef REFUSED
	in = gid_in(0, 1);
	memset(in.smac, 0, sizeof(in.smac));
	host_cmd_in_is(host, ORNIC_CMD_SET_GID, &in, ORNIC_CMD_BAD_PARAM);
	in = gid_in(0, 1);
	memset(in.gid, 0, sizeof(in.gid));
	host_cmd_in_is(host, ORNIC_CMD_SET_GID, &in, ORNIC_CMD_BAD_PARAM);
	assert_null(gid_get(&host->card->gids, 0));
}

/* [ORNIC-DEV-11] */
TEST(test_gid_is_found_by_address_and_vlan, struct host *host, IN_HOST)
{
	struct ornic_set_gid_in in = gid_in(7, 1), tagged = gid_in(8, 1);

	set(host, &in);
	tagged.flags |= htole16(ORNIC_GID_VLAN);
	tagged.vlan_id = htole16(42);
	set(host, &tagged);
	assert_int_equal(gid_find(&host->card->gids, in.gid, GID_NO_VLAN), 7);
	assert_int_equal(gid_find(&host->card->gids, in.gid, 42), 8);
	assert_int_equal(gid_find(&host->card->gids, in.gid, 43), -ENOENT);
	assert_true(gid_get(&host->card->gids, 7)->ipv4);
	assert_int_equal(gid_get(&host->card->gids, 8)->vlan_id, 42);
	in.gid[15] = 2;
	assert_int_equal(gid_find(&host->card->gids, in.gid, GID_NO_VLAN), -ENOENT);
	in.gid[10] = 0;
	set(host, &in);
	assert_false(gid_get(&host->card->gids, 7)->ipv4);
}

/* [ORNIC-WIRE-9] */
TEST(test_gid_is_found_by_mac, struct host *host, IN_HOST)
{
	const struct gid_table *gids = &host->card->gids;
	struct ornic_set_gid_in in = gid_in(7, 1), same = gid_in(8, 1);

	same.smac[5] ^= 1;
	set(host, &in);
	set(host, &same);
	assert_int_equal(gid_find_smac(gids, in.gid, GID_NO_VLAN, in.smac), 7);
	assert_int_equal(gid_find_smac(gids, in.gid, GID_NO_VLAN, same.smac), 8);
	assert_int_equal(gid_find_smac(gids, in.gid, 42, in.smac), -ENOENT);
	same.smac[5] ^= 2;
	assert_int_equal(gid_find_smac(gids, in.gid, GID_NO_VLAN, same.smac), -ENOENT);
}

/* [ORNIC-LOOP-5] The first three bytes are not in the hash: all MACs share a place */
TEST(test_gid_has_its_macs, struct host *host, IN_HOST)
{
	const struct gid_table *gids = &host->card->gids;
	struct ornic_set_gid_in in = gid_in(7, 1), twin = gid_in(8, 2), other = gid_in(9, 3);
	struct ornic_set_gid_in clear = {};
	uint8_t foreign[MAC_LEN];

	other.smac[1] ^= 1;
	memcpy(foreign, in.smac, MAC_LEN);
	foreign[2] ^= 1;
	assert_false(gid_has_smac(gids, in.smac));
	set(host, &in);
	set(host, &twin);
	assert_true(gid_has_smac(gids, in.smac));
	assert_false(gid_has_smac(gids, other.smac));
	set(host, &other);
	assert_true(gid_has_smac(gids, in.smac));
	assert_true(gid_has_smac(gids, other.smac));
	assert_false(gid_has_smac(gids, foreign));
	clear.index = other.index;
	set(host, &clear);
	assert_true(gid_has_smac(gids, in.smac));
	assert_false(gid_has_smac(gids, other.smac));
	clear.index = twin.index;
	set(host, &clear);
	assert_true(gid_has_smac(gids, in.smac));
	clear.index = in.index;
	set(host, &clear);
	assert_false(gid_has_smac(gids, in.smac));
	set(host, &other);
	assert_true(gid_has_smac(gids, other.smac));
	assert_false(gid_has_smac(gids, in.smac));
}

/* [ORNIC-DEV-11] */
TEST(test_gid_is_replaced_and_cleared, struct host *host, IN_HOST)
{
	struct ornic_set_gid_in in = gid_in(3, 1), other = gid_in(3, 2);
	struct ornic_set_gid_in clear = { .index = htole16(3) };

	set(host, &in);
	set(host, &other);
	assert_int_equal(gid_find(&host->card->gids, in.gid, GID_NO_VLAN), -ENOENT);
	assert_int_equal(gid_find(&host->card->gids, other.gid, GID_NO_VLAN), 3);
	set(host, &clear);
	set(host, &clear);
	assert_int_equal(gid_find(&host->card->gids, other.gid, GID_NO_VLAN), -ENOENT);
	assert_null(gid_get(&host->card->gids, 3));
	assert_null(gid_get(&host->card->gids, GID_TABLE_SIZE));
}

TEST(test_gid_full_table, struct host *host, IN_HOST)
{
	struct ornic_set_gid_in in;
	unsigned int i;

	for (i = 0; i < GID_TABLE_SIZE; i++) {
		in = gid_in(i, i);
		set(host, &in);
	}
	/* Clear every second entry, also in the middle of hash chains */
	for (i = 0; i < GID_TABLE_SIZE; i += 2) {
		in = gid_in(i, i);
		in.flags = 0;
		set(host, &in);
	}
	for (i = 0; i < GID_TABLE_SIZE; i++) {
		in = gid_in(i, i);
		assert_int_equal(gid_find(&host->card->gids, in.gid, GID_NO_VLAN),
				 i % 2 ? (int)i : -ENOENT);
	}
	card_reset(host->card);
	assert_int_equal(gid_find(&host->card->gids, in.gid, GID_NO_VLAN), -ENOENT);
}

/* [ORNIC-DEV-8] */
TEST(test_port_refusals, struct host *host, IN_HOST)
{
	struct ornic_modify_port_in in;
	struct ornic_query_port_out out;

#define REFUSED(...) do {                                                   \
		in = (struct ornic_modify_port_in){ __VA_ARGS__ };           \
		assert_int_equal(host_cmd_in(host, ORNIC_CMD_MODIFY_PORT,    \
					     &in), ORNIC_CMD_BAD_PARAM);     \
	} while (0)
	REFUSED(.mask = htole32(8));
	REFUSED(.mask = 0, .rsvd = 1);
	REFUSED(.mask = htole32(ORNIC_PORT_MTU), .mtu = htole32(67));
	REFUSED(.mask = htole32(ORNIC_PORT_MTU), .mtu = htole32(9001));
	REFUSED(.mask = htole32(ORNIC_PORT_MTU), .mtu = htole32(~0U));
	REFUSED(.mask = htole32(ORNIC_PORT_MAC));
	REFUSED(.mask = htole32(ORNIC_PORT_MAC), .mac = { 1, 2, 3, 4, 5, 6 });
	REFUSED(.mask = htole32(ORNIC_PORT_UP), .up = 2);
	/* All or nothing */
	REFUSED(.mask = htole32(ORNIC_PORT_MTU | ORNIC_PORT_UP),
		.mtu = htole32(9000), .up = 7);
#undef REFUSED
	host_cmd_out_ok(host, ORNIC_CMD_QUERY_PORT, &out);
	assert_int_equal(le32toh(out.mtu), 1500);
	assert_int_equal(le32toh(out.max_mtu), 9000);
	assert_int_equal(le32toh(out.speed), 100000);
	assert_int_equal(out.link, 1);
	assert_memory_equal(out.mac, host->mac, MAC_LEN);
}

/* [ORNIC-DEV-7], [ORNIC-DEV-8] */
TEST(test_port_mac_changes_what_passes, struct host *host, IN_HOST)
{
	struct ornic_modify_port_in in = {
		.mask = htole32(ORNIC_PORT_MAC | ORNIC_PORT_MTU),
		.mtu = htole32(9000),
		.mac = { 2, 9, 9, 9, 9, 9 },
	};
	struct ornic_query_port_out out;

	assert_true(ethport_accepts(host->card, host->mac));
	host_cmd_in_ok(host, ORNIC_CMD_MODIFY_PORT, &in);
	assert_false(ethport_accepts(host->card, host->mac));
	assert_true(ethport_accepts(host->card, in.mac));
	host_cmd_raw(host, ORNIC_CMD_QUERY_PORT, NULL, 0, &out, sizeof(out));
	assert_memory_equal(out.mac, host->mac, MAC_LEN);
	assert_int_equal(le32toh(out.mtu), 9000);
}

/* [ORNIC-DEV-15] */
TEST(test_filter, struct host *host, IN_HOST)
{
	static const uint8_t broadcast[] = { 255, 255, 255, 255, 255, 255 };
	static const uint8_t group[] = { 0x33, 0x33, 0, 0, 0, 1 };
	static const uint8_t other[] = { 2, 2, 2, 2, 2, 2 };
	struct {
		struct ornic_rx_filter_in head;
		uint8_t macs[2][8];
	} in = { .head.count = htole32(2), .macs = { { 0x33, 0x33, [5] = 1 },
						     { 2, 2, 2, 2, 2, 2 } } };

	assert_true(ethport_accepts(host->card, broadcast));
	assert_false(ethport_accepts(host->card, group));
	assert_false(ethport_accepts(host->card, other));
	host_cmd_in_ok(host, ORNIC_CMD_SET_RX_FILTER, &in);
	assert_true(ethport_accepts(host->card, group));
	assert_true(ethport_accepts(host->card, other));
	/* The list is replaced, not extended */
	in.head.count = 0;
	in.head.flags = htole32(ORNIC_RX_ALLMULTI);
	host_cmd_in_ok(host, ORNIC_CMD_SET_RX_FILTER, &in.head);
	assert_true(ethport_accepts(host->card, group));
	assert_false(ethport_accepts(host->card, other));
	in.head.flags = htole32(ORNIC_RX_PROMISC);
	host_cmd_in_ok(host, ORNIC_CMD_SET_RX_FILTER, &in.head);
	assert_true(ethport_accepts(host->card, other));

	in.head.flags = htole32(4);
	host_cmd_in_is(host, ORNIC_CMD_SET_RX_FILTER, &in.head, ORNIC_CMD_BAD_PARAM);
	in.head.flags = 0;
	in.head.count = htole32(3);
	host_cmd_in_is(host, ORNIC_CMD_SET_RX_FILTER, &in, ORNIC_CMD_BAD_SIZE);
	in.head.count = htole32(257);
	host_cmd_in_is(host, ORNIC_CMD_SET_RX_FILTER, &in, ORNIC_CMD_BAD_PARAM);
	in.head.count = htole32(~0U);
	host_cmd_in_is(host, ORNIC_CMD_SET_RX_FILTER, &in, ORNIC_CMD_BAD_PARAM);
	in.head.count = htole32(2);
	in.macs[1][7] = 1;
	host_cmd_in_is(host, ORNIC_CMD_SET_RX_FILTER, &in, ORNIC_CMD_BAD_PARAM);
}

TEST_MAIN("gid")
