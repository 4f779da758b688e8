// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Vectors that need no card: ICRCs, Toeplitz hashes, source ports */
#include <arpa/inet.h>
#include <zlib.h>

#include "appendix.h"
#include "base/be.h"
#include "eth/rss.h"
#include "packets.h"
#include "roce/icrc.h"
#include "roce/packet.h"
#include "unit.h"

/* ---- ICRC ---- */

#define ETH_LEN 14
#define VLAN_LEN 4
#define UDP_LEN 8
#define LRH_LEN 8

/* Replace by ones what [ORNIC-WIRE-2] says; @p begins with the IP header */
static void icrc_mask(uint8_t *p)
{
	bool is_v4 = p[0] >> 4 == 4;
	uint8_t *udp = p + (is_v4 ? 20 : 40);

	if (is_v4) {
		p[1] = 0xff;
		p[8] = 0xff;
		memset(p + 10, 0xff, 2);
	} else {
		p[0] |= 0x0f;
		memset(p + 1, 0xff, 3);
		p[7] = 0xff;
	}
	memset(udp + 6, 0xff, 2);
	udp[UDP_LEN + 4] = 0xff;
}

static void say_icrc(struct appendix *a, const char *name, const char *text,
		     const uint8_t *bytes, unsigned int len, bool covered)
{
	unsigned int l3 = be_get16(bytes + 12) == 0x8100 ? ETH_LEN + VLAN_LEN : ETH_LEN;
	uint8_t over[512];
	uint32_t crc;

	memset(over, 0xff, LRH_LEN);
	memcpy(over + LRH_LEN, bytes + l3, len - l3 - ICRC_LEN);
	icrc_mask(over + LRH_LEN);
	crc = htole32(crc32(0, over, LRH_LEN + len - l3 - ICRC_LEN));
	assert_memory_equal(bytes + len - ICRC_LEN, &crc, ICRC_LEN);
	appendix_block(a, text, "packet", name);
	appendix_packet(a, bytes, len);
	if (covered)
		appendix_hex(a, "CRC-32-over", over, LRH_LEN + len - l3 - ICRC_LEN);
}

#define ICRC(a, name, text, packet, covered) \
	say_icrc(a, name, text, packet, sizeof(packet), covered)

static void say_icrcs(struct appendix *a)
{
	uint8_t routed[sizeof(packet_write_only)];

	memcpy(routed, packet_write_only, sizeof(routed));
	/* One router later: TOS, TTL, header checksum, and FECN */
	routed[ETH_LEN + 1] = 0x13;
	routed[ETH_LEN + 8]--;
	be_put16(routed + ETH_LEN + 10, 0xf33d);
	routed[ETH_LEN + 20 + UDP_LEN + 4] = 0x80;
	appendix_say(a,
"\n# ---- ICRC [ORNIC-WIRE-2] ----\n"
"# CRC-32-over has the bytes that the ICRC covers.\n");
	ICRC(a, "uc-send",
	     "Sent by a hardware NIC. The UDP checksum is not looked at.",
	     packet_captured_uc, false);
	ICRC(a, "rdma-write-6", "Made by independent software; 6 bytes of payload, 2 of pad",
	     packet_write_only, true);
	ICRC(a, "rdma-write-6-routed",
	     "The same behind a router. The ICRC does not cover what routers change.",
	     routed, false);
	ICRC(a, "ack", "Made by independent software", packet_ack, false);
	ICRC(a, "ud-send-imm-ipv6-vlan",
	     "Made by independent software; the ICRC does not cover the tag",
	     packet_ud_imm_v6_vlan, true);
}

/* ---- hashes and ports ---- */

const uint8_t appendix_hash_key[RSS_KEY_LEN] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
	0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
	0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
	0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static const struct {
	const char *src;
	unsigned int sport;
	const char *dst;
	unsigned int dport;
} tuples[] = {
	{ "66.9.149.187", 2794, "161.142.100.80", 1766 },
	{ "199.92.111.2", 14230, "65.69.140.83", 4739 },
	{ "24.19.198.95", 12898, "12.22.207.184", 38024 },
	{ "38.27.205.30", 48228, "209.142.163.6", 2217 },
	{ "153.39.163.191", 44251, "202.188.127.2", 1303 },
	{ "3ffe:2501:200:1fff::7", 2794, "3ffe:2501:200:3::1", 1766 },
	{ "3ffe:501:8::260:97ff:fe40:efab", 14230, "ff02::1", 4739 },
	{ "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251,
	  "fe80::200:f8ff:fe21:67cf", 38024 },
	{ "10.0.0.1", 49153, "10.0.0.2", 4791 },
	{ "fd00::1", 65535, "fd00::2", 4791 },
};

static unsigned int address(uint8_t *to, const char *text)
{
	bool is_v6 = strchr(text, ':');

	assert_int_equal(inet_pton(is_v6 ? AF_INET6 : AF_INET, text, to), 1);
	return is_v6 ? 16 : 4;
}

static void say_hashes(struct appendix *a)
{
	uint8_t data[RSS_DATA_MAX];
	unsigned int i, len;

	appendix_say(a,
"\n# ---- Toeplitz hash [ORNIC-DEV-17] [ORNIC-RSS-4] ----\n"
"# The key and the first eight hashes are those of Microsoft's \"Verifying the RSS Hash\n"
"# Calculation\"; the last two are of RoCE packets, which a port hashes if they are not for\n"
"# it. The input is source address, destination address, source port, destination port, as\n"
"# they are in the frame.\n");
	appendix_block(a, NULL, "rss", "key");
	appendix_hex(a, "", appendix_hash_key, sizeof(appendix_hash_key));
	appendix_say(a, "\n# Source, its port, destination, its port, hash of the addresses, "
		     "hash with the ports\n");
	for (i = 0; i < ARRAY_SIZE(tuples); i++) {
		len = address(data, tuples[i].src);
		len += address(data + len, tuples[i].dst);
		be_put16(data + len, tuples[i].sport);
		be_put16(data + len + 2, tuples[i].dport);
		appendix_say(a, "rss %s %u %s %u 0x%08x 0x%08x\n",
			     tuples[i].src, tuples[i].sport, tuples[i].dst,
			     tuples[i].dport, rss_toeplitz(appendix_hash_key, data, len),
			     rss_toeplitz(appendix_hash_key, data, len + 4));
	}
}

static void say_ports(struct appendix *a)
{
	static const struct {
		uint32_t flow, lqpn, rqpn;
	} flows[] = {
		{ 0, 0x11, 0x12 }, { 0, 0x12, 0x11 }, { 0, 1, 1 },
		{ 0, 0xabcdef, 0x123456 }, { 0, 0xffffff, 0xffffff },
		{ 1, 0x11, 0x12 }, { 0x12345, 0x11, 0x12 },
		{ 0x3fff, 0x11, 0x12 }, { 0xfffff, 0x11, 0x12 },
	};
	unsigned int i;

	appendix_say(a,
"\n# ---- Source ports of UDP [ORNIC-WIRE-8] ----\n"
"# For udp_sport 0: flow label, both QP numbers, port\n");
	for (i = 0; i < ARRAY_SIZE(flows); i++)
		appendix_say(a, "udp-port 0x%05x 0x%06x 0x%06x 0x%04x\n",
			     flows[i].flow, flows[i].lqpn, flows[i].rqpn,
			     packet_sport(flows[i].flow, flows[i].lqpn,
					  flows[i].rqpn));
}

void appendix_wire(struct appendix *a)
{
	say_icrcs(a);
	say_hashes(a);
	say_ports(a);
}
