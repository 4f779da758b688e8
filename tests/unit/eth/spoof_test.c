// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The check of source addresses, [ORNIC-DEV-19] */
#include "base/be.h"
#include "card/card.h"
#include "eth/headers.h"
#include "pair.h"
#include "raw.h"

#define LEN 100
#define ROCE_PORT 4791
#define VLAN 5

static const uint8_t foreign[MAC_LEN] = { 2, 0, 0, 0, 0xbe, 0xef };
static const uint8_t permitted[MAC_LEN] = { 2, 0, 0, 0, 0xbe, 0xf0 };

static void check_on(struct host *host)
{
	struct port_spoofcheck *check = &host->card->spoofcheck;

	check->on = true;
	memcpy(check->permitted[check->permitted_count++], permitted, MAC_LEN);
}

static uint64_t spoofed(struct host *host)
{
	return host_port_stat(host, ORNIC_PORT_STAT_tx_dropped_spoofed);
}

/* Send a frame from QP @n; return whether it went out. It completes in any case. */
static bool goes_out(struct raw *w, unsigned int n, const uint8_t *smac,
		     unsigned int flags)
{
	struct ornic_route_eth route = { .flags = htole16(flags) };
	uint8_t *data = host_ptr(w->host, w->data);

	data[0] = 2;
	memcpy(data + MAC_LEN, smac, MAC_LEN);
	route.vlan_tci = htole16(VLAN);
	raw_send(w, n, w->data, LEN, &route, 0);
	raw_expect(w, ORNIC_WC_SUCCESS);
	if (list_empty(&w->host->wire))
		return false;
	raw_done(w, raw_sent(w));
	return true;
}

/* QP 0 is of the network stack, the others are of a process */
TEST(test_frames_of_the_stack_and_of_processes, struct raw *w, IN_RAW_PROCESS)
{
	unsigned int n;

	for (n = 0; n < 2; n++)
		assert_true(goes_out(w, n, foreign, 0));
	assert_int_equal(spoofed(w->host), 0);
	check_on(w->host);
	for (n = 0; n < 2; n++) {
		uint64_t frames = host_port_stat(w->host,
						 ORNIC_PORT_STAT_tx_frames);

		assert_false(goes_out(w, n, foreign, 0));
		assert_false(goes_out(w, n, foreign, ORNIC_ETH_TX_VLAN_INSERT));
		assert_int_equal(spoofed(w->host), 2 * n + 2);
		host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_frames, frames);
		assert_true(goes_out(w, n, w->host->mac, 0));
		assert_true(goes_out(w, n, w->host->mac,
				     ORNIC_ETH_TX_VLAN_INSERT));
		assert_true(goes_out(w, n, permitted, 0));
	}
	assert_int_equal(spoofed(w->host), 4);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_errors, 0);
}

TEST(test_the_permanent_address_counts, struct raw *w, IN_RAW)
{
	struct ornic_modify_port_in in = { .mask = htole32(ORNIC_PORT_MAC) };

	check_on(w->host);
	memcpy(in.mac, foreign, MAC_LEN);
	host_cmd_in_ok(w->host, ORNIC_CMD_MODIFY_PORT, &in);
	assert_false(goes_out(w, 0, foreign, 0));
	assert_true(goes_out(w, 0, w->host->mac, 0));
	/* A reset ends neither the check nor the list */
	card_reset(w->host->card);
	assert_true(w->host->card->spoofcheck.on);
	assert_int_equal(w->host->card->spoofcheck.permitted_count, 1);
}

/* The host chooses the source MAC of RoCE packets with SET_GID */
static void set_gid_smac(struct side *side, const uint8_t *smac)
{
	host_set_gid(side->host, side->sgid_index, side->gid, smac, 0);
}

TEST(test_roce, struct pair *pair, IN_PAIR_BOTH(pair_setup_uc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 100);

	check_on(A(pair)->host);
	pair_post_recv(B(pair), 1, B(pair)->addr, 100);
	pair_one(pair, &wr);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	assert_int_equal(spoofed(A(pair)->host), 0);

	set_gid_smac(A(pair), foreign);
	pair_post_recv(B(pair), 2, B(pair)->addr, 100);
	pair_one(pair, &wr);
	pair_poll_none(B(pair));
	assert_int_equal(spoofed(A(pair)->host), 1);

	set_gid_smac(A(pair), permitted);
	pair_one(pair, &wr);
	pair_expect(B(pair), 2, ORNIC_WC_SUCCESS);
	assert_int_equal(spoofed(A(pair)->host), 1);
}

/* A packet from 10.0.0.1 or fd00::1 to an UDP port */
static void make_udp(struct raw *w, bool ipv6, unsigned int port)
{
	uint8_t *p = host_ptr(w->host, w->data);
	uint8_t *udp = p + 14 + (ipv6 ? 40 : 20);

	memset(p, 0, LEN);
	be_put16(p + 12, ipv6 ? 0x86dd : 0x0800);
	if (ipv6) {
		p[14] = 0x60;
		be_put16(p + 18, LEN - 54);
		p[20] = HEADERS_PROTO_UDP;
		p[22] = 0xfd;
		p[37] = 1;
	} else {
		p[14] = 0x45;
		be_put16(p + 16, LEN - 14);
		p[23] = HEADERS_PROTO_UDP;
		p[26] = 10;
		p[29] = 1;
	}
	be_put16(udp + 2, port);
	be_put16(udp + 4, p + LEN - udp);
}

/*
 * Insert @len bytes between IP and UDP header: options of IPv4, or extension
 * headers of IPv6 whose type is in the first byte, which takes the UDP's place
 */
static void insert(struct raw *w, bool ipv6, const uint8_t *bytes,
		   unsigned int len)
{
	uint8_t *p = host_ptr(w->host, w->data);
	unsigned int offset = ipv6 ? 54 : 34;

	memmove(p + offset + len, p + offset, LEN - offset - len);
	memset(p + offset, 0, len);
	if (ipv6) {
		p[20] = bytes[0];
		p[offset] = HEADERS_PROTO_UDP;
		memcpy(p + offset + 1, bytes + 1, 3);
	} else {
		p[14] += len / 4;
		memcpy(p + offset, bytes, len);
	}
}

static void set_gid(struct raw *w, bool ipv6, unsigned int vlan_id)
{
	static const uint8_t gids[2][GID_LEN] = {
		{ [10] = 0xff, 0xff, 10, 0, 0, 1 }, { 0xfd, [15] = 1 },
	};

	host_set_gid(w->host, 0, gids[ipv6], w->host->mac, vlan_id);
}

TEST(test_roce_packets_of_others, struct raw *w, IN_RAW_PROCESS)
{
	unsigned int ipv6, n;

	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		const uint8_t *mac = w->host->mac;

		w->host->card->spoofcheck.on = false;
		make_udp(w, ipv6, ROCE_PORT);
		assert_true(goes_out(w, 1, mac, 0));
		check_on(w->host);
		for (n = 0; n < 2; n++) {
			uint64_t before = spoofed(w->host);

			assert_false(goes_out(w, n, mac, 0));
			assert_int_equal(spoofed(w->host), before + 1);
			make_udp(w, ipv6, ROCE_PORT + 1);
			assert_true(goes_out(w, n, mac, 0));
			make_udp(w, ipv6, ROCE_PORT);
		}
		/* The address is of one VLAN, or of none */
		set_gid(w, ipv6, 0);
		assert_true(goes_out(w, 1, mac, 0));
		assert_false(goes_out(w, 1, mac, ORNIC_ETH_TX_VLAN_INSERT));
		set_gid(w, ipv6, VLAN);
		assert_false(goes_out(w, 1, mac, 0));
		assert_true(goes_out(w, 1, mac, ORNIC_ETH_TX_VLAN_INSERT));
	}
}

/* Other hosts find the UDP header there, and this card does not */
TEST(test_udp_where_others_find_it, struct raw *w, IN_RAW_PROCESS)
{
	static const struct {
		bool ipv6;
		unsigned int len;
		uint8_t bytes[4];
		bool spoofed;
	} cases[] = {
		{ false, 4, { 1, 1, 1, 1 }, true },
		{ true, 8, { 0 }, true },
		{ true, 16, { 43, 1 }, true },
		{ true, 8, { 60 }, true },
		{ true, 12, { 51, 1 }, true },
		/* Fragments: the first, and a later one */
		{ true, 8, { 44, 0, 0, 1 }, true },
		{ true, 8, { 44, 0, 1, 1 }, false },
		/* Headers that end behind the frame hide nothing */
		{ true, 8, { 60, 200 }, false },
	};
	uint8_t *p = host_ptr(w->host, w->data);
	unsigned int i;

	check_on(w->host);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		make_udp(w, cases[i].ipv6, ROCE_PORT + 1);
		insert(w, cases[i].ipv6, cases[i].bytes, cases[i].len);
		assert_true(goes_out(w, 1, w->host->mac, 0));
		make_udp(w, cases[i].ipv6, ROCE_PORT);
		insert(w, cases[i].ipv6, cases[i].bytes, cases[i].len);
		assert_int_equal(goes_out(w, 1, w->host->mac, 0),
				 !cases[i].spoofed);
	}
	make_udp(w, false, ROCE_PORT);
	be_put16(p + 20, 0x2000);
	assert_false(goes_out(w, 1, w->host->mac, 0));
	be_put16(p + 20, 1);
	assert_true(goes_out(w, 1, w->host->mac, 0));
}

/* Behind more tags than one no source is known, but others may find the packet */
TEST(test_roce_behind_tags, struct raw *w, IN_RAW_PROCESS)
{
	static const struct {
		unsigned int count;
		uint16_t tags[4];
		bool spoofed;
	} cases[] = {
		{ 1, { 0x8100, VLAN }, false },
		{ 1, { 0x88a8, VLAN }, true },
		{ 2, { 0x8100, VLAN, 0x8100, VLAN }, true },
		{ 2, { 0x88a8, VLAN, 0x8100, VLAN }, true },
	};
	uint8_t *p = host_ptr(w->host, w->data);
	unsigned int i, j;

	check_on(w->host);
	set_gid(w, false, VLAN);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int len = 4 * cases[i].count;

		make_udp(w, false, ROCE_PORT);
		be_put16(p + 16, LEN - 14 - len);
		be_put16(p + 38, LEN - 34 - len);
		memmove(p + 12 + len, p + 12, LEN - 12 - len);
		for (j = 0; j < 2 * cases[i].count; j++)
			be_put16(p + 12 + 2 * j, cases[i].tags[j]);
		assert_int_equal(goes_out(w, 1, w->host->mac, 0),
				 !cases[i].spoofed);
		/* Other ports are not checked */
		be_put16(p + 36 + len, ROCE_PORT + 1);
		assert_true(goes_out(w, 1, w->host->mac, 0));
	}
}

/* Headers behind the bounds of the card may be those of RoCE ([ORNIC-FLOW-2]) */
TEST(test_behind_the_least_bounds, struct raw *w, IN_RAW_PROCESS)
{
	static const uint8_t tags[] = { 0x81, 0, 0, 5, 0x81, 0, 0, 5, 0x81, 0, 0, 5 };
	static const uint8_t options[] = { 60, 0, 0, 0 };
	uint8_t *p = host_ptr(w->host, w->data);

	check_on(w->host);
	w->host->card->parse = &headers_bounds_least;
	make_udp(w, false, ROCE_PORT + 1);
	memmove(p + 20, p + 12, LEN - 20);
	memcpy(p + 12, tags, 8);
	assert_true(goes_out(w, 1, w->host->mac, 0));
	make_udp(w, false, ROCE_PORT + 1);
	memmove(p + 24, p + 12, LEN - 24);
	memcpy(p + 12, tags, 12);
	assert_false(goes_out(w, 1, w->host->mac, 0));
	make_udp(w, true, ROCE_PORT + 1);
	insert(w, true, options, 8);
	assert_true(goes_out(w, 1, w->host->mac, 0));
	make_udp(w, true, ROCE_PORT);
	insert(w, true, options, 8);
	assert_false(goes_out(w, 1, w->host->mac, 0));
	/* Two extension headers */
	make_udp(w, true, ROCE_PORT + 1);
	insert(w, true, options, 16);
	p[54] = 60;
	p[62] = HEADERS_PROTO_UDP;
	assert_false(goes_out(w, 1, w->host->mac, 0));
	w->host->card->parse = &headers_bounds_full;
	assert_true(goes_out(w, 1, w->host->mac, 0));
}

TEST_MAIN("spoof")
