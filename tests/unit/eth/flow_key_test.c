// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The fields of a frame that flow rules match ([ORNIC-FLOW-1]); vector_test has most that
 * tags, fragments, extension headers, and lengths that lie do to them
 */
#include <stdbool.h>

#include "base/be.h"
#include "eth/headers.h"
#include "unit.h"

/* A frame that grows header by header */
struct packet {
	uint8_t data[512];
	unsigned int len;
};

static uint8_t *put(struct packet *p, const void *data, unsigned int len)
{
	uint8_t *at = p->data + p->len;

	memcpy(at, data, len);
	p->len += len;
	return at;
}

static void put16(struct packet *p, unsigned int val)
{
	be_put16(p->data + p->len, val);
	p->len += 2;
}

static void put_eth(struct packet *p, unsigned int type)
{
	static const uint8_t macs[12] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9 };

	put(p, macs, sizeof(macs));
	put16(p, type);
}

/* Append an IPv4 header, for 20 bytes of payload until end_ipv4() */
static uint8_t *put_ipv4(struct packet *p, unsigned int proto)
{
	static const uint8_t ip[20] = { 0x45, 0xb8, 0, 40, 1, 2, 0x40, 0, 63,
					0, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };
	uint8_t *at = put(p, ip, sizeof(ip));

	at[9] = proto;
	return at;
}

static uint8_t *put_ipv6(struct packet *p, unsigned int proto,
			 unsigned int len)
{
	uint8_t ip[40] = { 0x6b, 0x81, 0x23, 0x45, 0, 0, 0, 62 };
	unsigned int i;

	for (i = 8; i < sizeof(ip); i++)
		ip[i] = i;
	be_put16(ip + 4, len);
	ip[6] = proto;
	return put(p, ip, sizeof(ip));
}

static uint8_t *put_udp(struct packet *p, unsigned int dport, unsigned int len)
{
	uint8_t *at = p->data + p->len;

	put16(p, 1234);
	put16(p, dport);
	put16(p, len);
	put16(p, 0);
	return at;
}

/* Set the length of the IPv4 packet at @ip so that it ends here */
static void end_ipv4(struct packet *p, uint8_t *ip)
{
	be_put16(ip + 2, p->data + p->len - ip);
}

static void end_udp(struct packet *p, uint8_t *udp)
{
	be_put16(udp + 4, p->data + p->len - udp);
}

static void end_ipv6(struct packet *p, uint8_t *ip)
{
	be_put16(ip + 4, p->data + p->len - ip - 40);
}

static void pad(struct packet *p, unsigned int len)
{
	memset(p->data + p->len, 0xa5, len);
	p->len += len;
}

/*
 * Parse the first @len bytes; the first FRAME_HDR_MAX of them are in hdr, as in
 * a frame from outside. @garbage fills the bytes behind.
 */
static void parse_len(const struct packet *p, unsigned int len, uint8_t garbage,
		      struct ornic_flow_key *key)
{
	struct frame frame = {};
	struct headers headers;

	frame.hdr_len = len < FRAME_HDR_MAX ? len : FRAME_HDR_MAX;
	memset(frame.hdr, garbage, sizeof(frame.hdr));
	memcpy(frame.hdr, p->data, frame.hdr_len);
	frame_add(&frame, p->data + frame.hdr_len, len - frame.hdr_len);
	memset(key, garbage, sizeof(*key));
	headers_find(&frame, &headers);
	headers_key(&frame, &headers, key);
}

static void parse(const struct packet *p, struct ornic_flow_key *key)
{
	parse_len(p, p->len, 0, key);
}

static bool is_zero(const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len--)
		if (*p++)
			return false;
	return true;
}

TEST_VOID(test_ethernet)
{
	struct ornic_flow_key key;
	struct packet p = {};

	put_eth(&p, 0x88b5);
	pad(&p, 46);
	parse(&p, &key);
	assert_memory_equal(key.outer.dmac, p.data, 6);
	assert_memory_equal(key.outer.smac, p.data + 6, 6);
	assert_int_equal(be16toh(key.outer.ethertype), 0x88b5);
	memset(&key.outer, 0, 14);
	assert_true(is_zero(&key, sizeof(key)));
}

TEST_VOID(test_ipv4)
{
	static const uint8_t src[16] = { [12] = 10, 0, 0, 1 };
	static const uint8_t dst[16] = { [12] = 10, 0, 0, 2 };
	struct ornic_flow_key key;
	struct packet p = {};

	put_eth(&p, 0x0800);
	put_ipv4(&p, 6);
	put16(&p, 1234);
	put16(&p, 80);
	pad(&p, 16);
	parse(&p, &key);
	assert_int_equal(key.outer.l3, 4);
	assert_int_equal(key.outer.proto, 6);
	assert_int_equal(key.outer.tos, 0xb8);
	assert_int_equal(key.outer.ttl, 63);
	assert_int_equal(key.outer.ip_flags, 2);
	assert_int_equal(key.outer.frag, 0);
	assert_memory_equal(key.outer.src_ip, src, 16);
	assert_memory_equal(key.outer.dst_ip, dst, 16);
	assert_int_equal(be16toh(key.outer.src_port), 1234);
	assert_int_equal(be16toh(key.outer.dst_port), 80);
	assert_true(is_zero(&key.inner, sizeof(key) - sizeof(key.outer)));
}

TEST_VOID(test_ipv4_options_beyond_the_packet)
{
	struct ornic_flow_key key;
	struct packet p = {};
	uint8_t *ip;

	put_eth(&p, 0x0800);
	ip = put_ipv4(&p, 6);
	pad(&p, 20);
	ip[0] = 0x4b;
	parse(&p, &key);
	assert_int_equal(key.outer.l3, 0);
	assert_true(is_zero(key.outer.src_ip, 46));
}

TEST_VOID(test_ipv6)
{
	struct ornic_flow_key key;
	struct packet p = {};
	uint8_t *ip;

	put_eth(&p, 0x86dd);
	ip = put_ipv6(&p, 17, 16);
	put_udp(&p, 53, 16);
	pad(&p, 8);
	parse(&p, &key);
	assert_int_equal(key.outer.l3, 6);
	assert_int_equal(key.outer.proto, 17);
	assert_int_equal(key.outer.tos, 0xb8);
	assert_int_equal(key.outer.ttl, 62);
	assert_int_equal(be32toh(key.outer.flow_label), 0x12345);
	assert_memory_equal(key.outer.src_ip, ip + 8, 16);
	assert_memory_equal(key.outer.dst_ip, ip + 24, 16);
	assert_int_equal(be16toh(key.outer.src_port), 1234);
	assert_int_equal(be16toh(key.outer.dst_port), 53);
	/* Version 4 */
	ip[0] = 0x4b;
	parse(&p, &key);
	assert_int_equal(key.outer.l3, 0);
}

static void put_inner(struct packet *p)
{
	uint8_t *ip = put_ipv4(p, 17);

	ip[15] = 77;
	put_udp(p, 99, 8);
	end_ipv4(p, ip);
}

static void expect_inner(const struct ornic_flow_key *key)
{
	assert_int_equal(key->inner.l3, 4);
	assert_int_equal(key->inner.proto, 17);
	assert_int_equal(key->inner.src_ip[15], 77);
	assert_int_equal(be16toh(key->inner.dst_port), 99);
}

static void make_vxlan(struct packet *p, uint8_t **udp, uint8_t **vxlan)
{
	static const uint8_t hdr[8] = { 8, 0, 0, 0, 0x12, 0x34, 0x56, 0xff };
	uint8_t *ip;

	put_eth(p, 0x0800);
	ip = put_ipv4(p, 17);
	*udp = put_udp(p, 4789, 0);
	*vxlan = put(p, hdr, sizeof(hdr));
	put_eth(p, 0x8100);
	put16(p, 5);
	put16(p, 0x0800);
	put_inner(p);
	end_udp(p, *udp);
	end_ipv4(p, ip);
}

TEST_VOID(test_vxlan)
{
	struct ornic_flow_key key;
	struct packet p = {};
	uint8_t *udp, *vxlan;

	make_vxlan(&p, &udp, &vxlan);
	parse(&p, &key);
	assert_int_equal(be32toh(key.layers), ORNIC_FLOW_LAYER_VXLAN);
	assert_int_equal(be32toh(key.vni), 0x123456);
	assert_int_equal(be16toh(key.outer.dst_port), 4789);
	assert_int_equal(key.outer.vlan, 0);
	assert_int_equal(be16toh(key.inner.vlan_tci), 5);
	assert_int_equal(key.inner.dmac[5], 1);
	expect_inner(&key);
	/* No valid VNI (RFC 7348, section 5) */
	vxlan[0] = 0;
	parse(&p, &key);
	assert_int_equal(key.layers, 0);
	assert_true(is_zero(&key.inner, sizeof(key.inner)));
	vxlan[0] = 8;
	/* A UDP length beyond the packet, and one that cuts IP off */
	udp[5]++;
	parse(&p, &key);
	expect_inner(&key);
	udp[5] = 8 + 8 + 18 + 19;
	parse(&p, &key);
	assert_int_equal(be32toh(key.layers), ORNIC_FLOW_LAYER_VXLAN);
	assert_int_equal(be16toh(key.inner.ethertype), 0x0800);
	assert_int_equal(key.inner.l3, 0);
}

static void make_gre(struct packet *p, unsigned int flags, unsigned int proto)
{
	put_eth(p, 0x86dd);
	put_ipv6(p, 47, 0);
	put16(p, flags);
	put16(p, proto);
	if (flags & 0x8000)
		pad(p, 4);
	if (flags & 0x2000)
		put(p, "\x12\x34\x56\x78", 4);
	if (flags & 0x1000)
		pad(p, 4);
}

TEST_VOID(test_gre)
{
	static const unsigned int flags[] = { 0, 0x2000, 0xb000, 0x3000 };
	struct ornic_flow_key key;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		struct packet p = {};

		make_gre(&p, flags[i], 0x0800);
		put_inner(&p);
		end_ipv6(&p, p.data + 14);
		parse(&p, &key);
		assert_int_equal(be32toh(key.layers), ORNIC_FLOW_LAYER_GRE);
		assert_int_equal(be16toh(key.gre_flags), flags[i]);
		assert_int_equal(be16toh(key.gre_proto), 0x0800);
		assert_int_equal(be32toh(key.gre_key),
				 flags[i] & 0x2000 ? 0x12345678 : 0);
		expect_inner(&key);
		assert_int_equal(key.inner.ethertype, 0);
	}
	for (i = 0; i < 2; i++) {
		struct packet p = {};

		/* Another version, or routing: the header has no known end */
		make_gre(&p, i ? 0x4000 : 0x2001, 0x0800);
		put_inner(&p);
		end_ipv6(&p, p.data + 14);
		parse(&p, &key);
		assert_int_equal(be32toh(key.layers), ORNIC_FLOW_LAYER_GRE);
		assert_int_equal(key.gre_key, 0);
		assert_int_equal(key.inner.l3, 0);
	}
}

TEST_VOID(test_gre_with_ethernet)
{
	struct ornic_flow_key key;
	struct packet p = {};

	make_gre(&p, 0x2000, 0x6558);
	put_eth(&p, 0x0800);
	put_inner(&p);
	end_ipv6(&p, p.data + 14);
	parse(&p, &key);
	assert_int_equal(key.inner.smac[5], 9);
	expect_inner(&key);
}

TEST_VOID(test_mpls)
{
	struct ornic_flow_key key;
	struct packet eth = {}, udp = {}, gre = {};
	uint8_t *ip, *hdr;

	put_eth(&eth, 0x8847);
	put(&eth, "\x00\x06\x40\x3f", 4);
	put(&eth, "\x00\x06\x51\x3f", 4);
	put_inner(&eth);
	parse(&eth, &key);
	assert_int_equal(be32toh(key.layers), ORNIC_FLOW_LAYER_MPLS);
	assert_int_equal(be32toh(key.mpls), 0x0006403f);
	assert_int_equal(key.outer.l3, 0);
	expect_inner(&key);

	put_eth(&udp, 0x0800);
	ip = put_ipv4(&udp, 17);
	hdr = put_udp(&udp, 6635, 0);
	put(&udp, "\x00\x06\x51\x3f", 4);
	put_inner(&udp);
	end_udp(&udp, hdr);
	end_ipv4(&udp, ip);
	parse(&udp, &key);
	assert_int_equal(be32toh(key.layers), ORNIC_FLOW_LAYER_MPLS);
	assert_int_equal(key.outer.l3, 4);
	expect_inner(&key);

	make_gre(&gre, 0, 0x8847);
	put(&gre, "\x00\x06\x51\x3f", 4);
	put_inner(&gre);
	end_ipv6(&gre, gre.data + 14);
	parse(&gre, &key);
	assert_int_equal(be32toh(key.layers),
			 ORNIC_FLOW_LAYER_GRE | ORNIC_FLOW_LAYER_MPLS);
	expect_inner(&key);
}

TEST_VOID(test_mpls_without_an_end)
{
	struct ornic_flow_key key;
	struct packet p = {};
	unsigned int i;

	put_eth(&p, 0x8848);
	for (i = 0; i < 100; i++)
		put(&p, "\x00\x06\x40\x3f", 4);
	parse(&p, &key);
	assert_int_equal(be32toh(key.layers), ORNIC_FLOW_LAYER_MPLS);
	assert_true(is_zero(&key.inner, sizeof(key.inner)));
}

TEST_VOID(test_esp)
{
	struct ornic_flow_key key;
	struct packet p = {};
	uint8_t *ip;

	put_eth(&p, 0x0800);
	ip = put_ipv4(&p, 50);
	put(&p, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
	end_ipv4(&p, ip);
	parse(&p, &key);
	assert_int_equal(be32toh(key.layers), ORNIC_FLOW_LAYER_ESP);
	assert_int_equal(be32toh(key.esp_spi), 0x01020304);
	assert_int_equal(be32toh(key.esp_seq), 0x05060708);
	ip[3]--;
	parse(&p, &key);
	assert_int_equal(key.layers, 0);
}

/* The parser reads nothing behind the frame or beyond the first 256 bytes */
TEST_VOID(test_cut_anywhere)
{
	struct ornic_flow_key a, b;
	struct packet p = {};
	uint8_t *udp, *vxlan;
	unsigned int len;

	make_vxlan(&p, &udp, &vxlan);
	for (len = 0; len <= p.len; len++) {
		parse_len(&p, len, 0, &a);
		parse_len(&p, len, 0xff, &b);
		assert_memory_equal(&a, &b, sizeof(a));
		assert_int_equal(a.outer.l3, len < 14 + 20 ? 0 : 4);
	}
	/* Headers end with byte 256; the payload is not parsed */
	memset(&p, 0, sizeof(p));
	put_eth(&p, 0x8100);
	while (p.len < 242) {
		put16(&p, 1);
		put16(&p, 0x8100);
	}
	put16(&p, 1);
	put16(&p, 0x0800);
	put_inner(&p);
	parse(&p, &a);
	assert_int_equal(be16toh(a.outer.ethertype), 0x0800);
	assert_int_equal(a.outer.l3, 0);
}

/* Any peer can send such frames: the parser reads nothing beyond them */
TEST_VOID(test_noise)
{
	static const uint16_t types[] = { 0x0800, 0x86dd, 0x8100, 0x8847 };
	static const uint8_t protos[] = { 6, 17, 47, 50, 0, 43, 44, 51, 60 };
	static const uint16_t ports[] = { 4789, 6635, 80 };
	uint32_t rng = 1;
	unsigned int i, n;

	for (n = 0; n < 200000; n++) {
		struct ornic_flow_key a, b;
		struct packet p;

		for (i = 0; i < 128; i += 4) {
			rng = rng * 1664525 + 1013904223;
			memcpy(p.data + i, &rng, 4);
		}
		p.len = 14 + rng % 115;
		be_put16(p.data + 12, types[rng >> 8 & 3]);
		p.data[14] = (rng >> 10 & 1 ? 0x45 : 0x60);
		be_put16(p.data + (rng >> 10 & 1 ? 16 : 18), rng >> 11 & 63);
		p.data[rng >> 10 & 1 ? 23 : 20] =
			protos[(rng >> 17 & 0xff) % ARRAY_SIZE(protos)];
		p.data[20 + (rng >> 10 & 1)] = 0;
		be_put16(p.data + 36, ports[(rng >> 25) % 3]);
		be_put16(p.data + 38, rng >> 13 & 63);
		parse_len(&p, p.len, 0, &a);
		parse_len(&p, p.len, 0xff, &b);
		assert_memory_equal(&a, &b, sizeof(a));
	}
}

TEST_MAIN("flow_key")
