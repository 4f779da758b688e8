// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The Toeplitz hash against the vectors that Microsoft publishes ("Verifying
 * the RSS Hash Calculation"), and Internet checksums.
 */
#include <arpa/inet.h>
#include <ornic_hw_cmd.h>

#include "base/be.h"
#include "eth/csum.h"
#include "eth/headers.h"
#include "eth/rss.h"
#include "unit.h"

static const uint8_t rss_key[RSS_KEY_LEN] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
	0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
	0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
	0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

struct rss_vector {
	int family;
	const char *src;
	uint16_t sport;
	const char *dst;
	uint16_t dport;
	uint32_t ip;
	uint32_t tcp;
};

static const struct rss_vector rss_vectors[] = {
	{ AF_INET, "66.9.149.187", 2794, "161.142.100.80", 1766, 0x323e8fc2,
	  0x51ccc178 },
	{ AF_INET, "199.92.111.2", 14230, "65.69.140.83", 4739, 0xd718262a,
	  0xc626b0ea },
	{ AF_INET, "24.19.198.95", 12898, "12.22.207.184", 38024, 0xd2d0a5de,
	  0x5c2b394a },
	{ AF_INET, "38.27.205.30", 48228, "209.142.163.6", 2217, 0x82989176,
	  0xafc7327f },
	{ AF_INET, "153.39.163.191", 44251, "202.188.127.2", 1303, 0x5d1809c5,
	  0x10e828a2 },
	{ AF_INET6, "3ffe:2501:200:1fff::7", 2794, "3ffe:2501:200:3::1", 1766,
	  0x2cc18cd5, 0x40207d3d },
	{ AF_INET6, "3ffe:501:8::260:97ff:fe40:efab", 14230, "ff02::1", 4739,
	  0x0f0c461c, 0xdde51bbf },
	{ AF_INET6, "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251,
	  "fe80::200:f8ff:fe21:67cf", 38024, 0x4b61e985, 0x02d1feef },
};

/* Make a TCP segment without data */
static void rss_make(const struct rss_vector *v, struct frame *frame)
{
	uint8_t *ip = frame->hdr + HEADERS_ETH_LEN;
	bool v6 = v->family == AF_INET6;
	unsigned int alen = v6 ? 16 : 4;
	uint8_t *addr = ip + (v6 ? 8 : 12);
	uint8_t *tcp = addr + 2 * alen;

	memset(frame, 0, sizeof(*frame));
	be_put16(frame->hdr + 12, v6 ? 0x86dd : 0x0800);
	ip[0] = v6 ? 0x60 : 0x45;
	if (v6) {
		be_put16(ip + 4, 20);
		ip[6] = HEADERS_PROTO_TCP;
	} else {
		be_put16(ip + 2, 40);
		ip[9] = HEADERS_PROTO_TCP;
	}
	assert_int_equal(inet_pton(v->family, v->src, addr), 1);
	assert_int_equal(inet_pton(v->family, v->dst, addr + alen), 1);
	be_put16(tcp, v->sport);
	be_put16(tcp + 2, v->dport);
	frame->hdr_len = tcp + 20 - frame->hdr;
}

TEST_VOID(test_rss_published_vectors)
{
	struct frame frame;
	struct headers headers;
	uint32_t hash;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rss_vectors); i++) {
		const struct rss_vector *v = &rss_vectors[i];
		uint32_t ip = v->family == AF_INET ? ORNIC_HASH_IPV4 :
						     ORNIC_HASH_IPV6;

		rss_make(v, &frame);
		headers_find(&frame, &headers);
		assert_true(rss_hash(&frame, &headers, ip, rss_key, &hash));
		assert_int_equal(hash, v->ip);
		assert_true(rss_hash(&frame, &headers, ip | ORNIC_HASH_TCP,
				     rss_key, &hash));
		assert_int_equal(hash, v->tcp);
		/* Only the requested fields are hashed */
		assert_true(rss_hash(&frame, &headers, ip | ORNIC_HASH_UDP,
				     rss_key, &hash));
		assert_int_equal(hash, v->ip);
		assert_false(rss_hash(&frame, &headers, ORNIC_HASH_TCP, rss_key,
				      &hash));
		assert_int_equal(hash, 0);
	}
}

static bool hash_fields(const struct frame *frame, uint32_t fields,
			const uint8_t *key, uint32_t *hash)
{
	struct headers headers;

	headers_find(frame, &headers);
	return rss_hash_fields(frame, &headers, fields, key, hash);
}

/* The fields of the outer packet */
#define OUTER (RSS_FIELDS & ~ORNIC_RX_HASH_INNER)

/* [ORNIC-RSS-4] */
TEST_VOID(test_rss_of_chosen_fields)
{
	struct frame frame;
	uint32_t hash;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rss_vectors); i++) {
		const struct rss_vector *v = &rss_vectors[i];
		bool v6 = v->family == AF_INET6;
		unsigned int alen = v6 ? 16 : 4;
		const uint8_t *addr = frame.hdr + HEADERS_ETH_LEN + (v6 ? 8 : 12);
		uint8_t mixed[18];

		rss_make(v, &frame);
#define HASH(fields) hash_fields(&frame, fields, rss_key, &hash)
		assert_true(HASH(ORNIC_RX_HASH_SRC_IPV4 |
				 ORNIC_RX_HASH_DST_IPV4 |
				 ORNIC_RX_HASH_SRC_IPV6 |
				 ORNIC_RX_HASH_DST_IPV6));
		assert_int_equal(hash, v->ip);
		assert_true(HASH(OUTER));
		assert_int_equal(hash, v->tcp);
		assert_true(HASH(ORNIC_RX_HASH_DST_PORT_TCP));
		assert_int_equal(hash, rss_toeplitz(rss_key,
						    addr + 2 * alen + 2, 2));
		assert_true(HASH(ORNIC_RX_HASH_DST_IPV4 |
				 ORNIC_RX_HASH_DST_IPV6 |
				 ORNIC_RX_HASH_SRC_PORT_TCP));
		memcpy(mixed, addr + alen, alen);
		be_put16(mixed + alen, v->sport);
		assert_int_equal(hash, rss_toeplitz(rss_key, mixed, alen + 2));
		/* Fields of another protocol, and no fields */
		assert_false(HASH(ORNIC_RX_HASH_SRC_PORT_UDP |
				  ORNIC_RX_HASH_DST_PORT_UDP |
				  ORNIC_RX_HASH_IPSEC_SPI |
				  (v6 ? ORNIC_RX_HASH_SRC_IPV4 :
					ORNIC_RX_HASH_SRC_IPV6)));
		assert_int_equal(hash, 0);
		assert_false(HASH(0));
		/* No encapsulated packet */
		assert_false(HASH(RSS_FIELDS));
		/* Ports of 0 are ports */
		memset((void *)(uintptr_t)(addr + 2 * alen), 0, 4);
		assert_true(HASH(ORNIC_RX_HASH_SRC_PORT_TCP));
		assert_int_equal(hash, 0);
		assert_false(HASH(ORNIC_RX_HASH_SRC_PORT_UDP));
		/* A truncated header has no ports */
		frame.hdr_len -= 1;
		assert_true(HASH(OUTER));
		assert_int_equal(hash, v->ip);
		assert_false(HASH(ORNIC_RX_HASH_SRC_PORT_TCP));
		rss_make(v, &frame);
		be_put16(frame.hdr + HEADERS_ETH_LEN + (v6 ? 4 : 2),
			   v6 ? 19 : 39);
		assert_true(HASH(OUTER));
		assert_int_equal(hash, v->ip);
#undef HASH
	}
}

/* Wrap the packet in UDP and VXLAN, or in GRE of 4 bytes */
static void rss_wrap(struct frame *frame, bool vxlan, bool inner_v6)
{
	unsigned int more = 20 + (vxlan ? 8 + 8 + HEADERS_ETH_LEN : 4);
	uint8_t *ip = frame->hdr + HEADERS_ETH_LEN;

	memmove(ip + more, ip, frame->hdr_len - HEADERS_ETH_LEN);
	memset(ip, 0, more);
	frame->hdr_len += more;
	be_put16(frame->hdr + 12, 0x0800);
	ip[0] = 0x45;
	be_put16(ip + 2, frame->hdr_len - HEADERS_ETH_LEN);
	ip[9] = vxlan ? HEADERS_PROTO_UDP : 47;
	ip[12] = 1;
	ip[16] = 2;
	ip += 20;
	if (vxlan) {
		be_put16(ip, 50000);
		be_put16(ip + 2, 4789);
		be_put16(ip + 4, frame->hdr_len - HEADERS_ETH_LEN - 20);
		ip[8] = 0x08;
		ip += 16 + 12;
	} else {
		ip += 2;
	}
	be_put16(ip, inner_v6 ? 0x86dd : 0x0800);
}

/* [ORNIC-RSS-5] */
TEST_VOID(test_rss_of_the_packet_inside)
{
	struct frame frame;
	unsigned int i, how;
	uint32_t hash;

	for (i = 0; i < ARRAY_SIZE(rss_vectors); i++) {
		for (how = 0; how < 2; how++) {
			rss_make(&rss_vectors[i], &frame);
			rss_wrap(&frame, how, rss_vectors[i].family ==
					      AF_INET6);
			assert_true(hash_fields(&frame, RSS_FIELDS,
						    rss_key, &hash));
			assert_int_equal(hash, rss_vectors[i].tcp);
			assert_true(hash_fields(&frame, OUTER, rss_key,
						    &hash));
			assert_int_equal(hash, rss_toeplitz(rss_key,
				frame.hdr + HEADERS_ETH_LEN + 12, how ? 12 : 8));
			/* Ports of 0, of which GRE has none outside */
			memset(frame.hdr + frame.hdr_len - 20, 0, 4);
			assert_true(hash_fields(&frame,
				ORNIC_RX_HASH_SRC_PORT_TCP |
				ORNIC_RX_HASH_INNER, rss_key, &hash));
			assert_int_equal(hash, 0);
			assert_false(hash_fields(&frame,
				ORNIC_RX_HASH_SRC_PORT_TCP, rss_key, &hash));
		}
	}
}

/* [ORNIC-RSS-5] */
TEST_VOID(test_rss_of_esp)
{
	struct frame frame;
	uint8_t *ip = frame.hdr + HEADERS_ETH_LEN;
	uint32_t hash;

	rss_make(&rss_vectors[0], &frame);
	ip[9] = 50;
	assert_true(hash_fields(&frame, ORNIC_RX_HASH_IPSEC_SPI, rss_key,
				    &hash));
	assert_int_equal(hash, rss_toeplitz(rss_key, ip + 20, 4));
	assert_true(hash_fields(&frame, OUTER, rss_key, &hash));
	assert_int_equal(hash, rss_toeplitz(rss_key, ip + 12, 12));
	assert_false(hash_fields(&frame, RSS_FIELDS, rss_key, &hash));
}

TEST_VOID(test_csum_rfc1071_example)
{
	static const uint8_t data[] = { 0x00, 0x01, 0xf2, 0x03,
					0xf4, 0xf5, 0xf6, 0xf7 };
	struct csum csum = {};

	csum_add(&csum, data, sizeof(data));
	assert_int_equal(csum_fold(&csum), 0xddf2);
}

TEST_VOID(test_csum_does_not_depend_on_the_pieces)
{
	uint8_t data[97];
	struct csum whole = {};
	unsigned int i, cut;

	for (i = 0; i < sizeof(data); i++)
		data[i] = i * 37 + 11;
	csum_add(&whole, data, sizeof(data));
	for (cut = 0; cut <= sizeof(data); cut++) {
		struct csum parts = {};

		csum_add(&parts, data, cut);
		csum_add(&parts, data + cut, (sizeof(data) - cut) / 3);
		csum_add(&parts, data + cut + (sizeof(data) - cut) / 3,
			 sizeof(data) - cut - (sizeof(data) - cut) / 3);
		assert_int_equal(csum_fold(&parts), csum_fold(&whole));
	}
}

TEST_VOID(test_csum_knows_good_from_bad)
{
	struct csum ip = {}, l4 = {};
	uint8_t pseudo[12] = { [9] = HEADERS_PROTO_TCP, [11] = 20 };
	struct frame frame;
	struct headers headers;
	uint8_t *tcp;

	rss_make(&rss_vectors[0], &frame);
	tcp = frame.hdr + 34;
	csum_add(&ip, frame.hdr + 14, 20);
	be_put16(frame.hdr + 24, ~csum_fold(&ip));
	memcpy(pseudo, frame.hdr + 26, 8);
	csum_add(&l4, pseudo, 12);
	csum_add(&l4, tcp, 20);
	be_put16(tcp + 16, ~csum_fold(&l4));
	/* The sum does not cover Ethernet padding */
	memset(frame.hdr + frame.hdr_len, 0xa5, 6);
	frame.hdr_len += 6;
	headers_find(&frame, &headers);
	assert_true(csum_ip_ok(&frame, &headers));
	assert_true(csum_l4_ok(&frame, &headers));
	tcp[0] ^= 1;
	assert_false(csum_l4_ok(&frame, &headers));
	frame.hdr[22] ^= 1;
	assert_false(csum_ip_ok(&frame, &headers));
}

TEST_MAIN("rss")
