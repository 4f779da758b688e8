// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The frames of Documentation/hardware-frames.txt: what the parser finds, the
 * hashes, checksums, and which frames are for RoCE ([ORNIC-FLOW-1], [ORNIC-DEV-17],
 * [ORNIC-RSS-4], [ORNIC-CQ-12], [ORNIC-WIRE-9], [ORNIC-WIRE-11]), by a card with wide
 * bounds, and by one with the least ([ORNIC-FLOW-2])
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>

#include "base/be.h"
#include "card/card.h"
#include "eth/headers.h"
#include "eth/rss.h"
#include "raw.h"

#define FRAME_BYTES 512
#define VALUE_LEN 64

static const uint8_t mac[MAC_LEN] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t gid_v4[GID_LEN] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };
static const uint8_t gid_v6[GID_LEN] = { 0xfd, [15] = 1 };

static const uint8_t key[RSS_KEY_LEN] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
	0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
	0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
	0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

/* A packet as the file describes it; addresses as in struct ornic_flow_headers */
struct layer {
	unsigned int l3;
	unsigned int proto;
	unsigned int frag;
	uint8_t src[16];
	uint8_t dst[16];
	unsigned int sport;
	unsigned int dport;
};

struct vector {
	char name[VALUE_LEN];
	uint8_t bytes[FRAME_BYTES];
	unsigned int len;
	unsigned int tags;
	unsigned int vlan_tci;
	unsigned int ethertype;
	struct layer outer;
	struct layer inner;
	uint32_t layers;
	bool has_hash;
	uint32_t hash;
	bool csum;
	char roce[VALUE_LEN];
	char needs[VALUE_LEN];
	unsigned int bound;
};

/* ---- reading ---- */

static void read_hex(struct vector *v, const char *text)
{
	unsigned int byte;

	for (; sscanf(text, "%2x", &byte) == 1; text += 2) {
		assert_true(v->len < FRAME_BYTES);
		v->bytes[v->len++] = byte;
		if (!isxdigit((unsigned char)text[2]))
			break;
	}
}

static void read_address(uint8_t *to, const char *text)
{
	if (!strchr(text, ':'))
		assert_int_equal(inet_pton(AF_INET, text, to + 12), 1);
	else
		assert_int_equal(inet_pton(AF_INET6, text, to), 1);
}

static uint32_t layer_of(const char *name)
{
	static const struct {
		const char *name;
		uint32_t layer;
	} names[] = {
		{ "vxlan", ORNIC_FLOW_LAYER_VXLAN },
		{ "gre", ORNIC_FLOW_LAYER_GRE },
		{ "mpls", ORNIC_FLOW_LAYER_MPLS },
		{ "esp", ORNIC_FLOW_LAYER_ESP },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].layer;
	fail_msg("layer %s", name);
	return 0;
}

static bool read_layer(struct layer *layer, const char *field, const char *value)
{
	unsigned int number = strtoul(value, NULL, 0);

	if (!strcmp(field, "l3"))
		layer->l3 = number;
	else if (!strcmp(field, "proto"))
		layer->proto = number;
	else if (!strcmp(field, "frag"))
		layer->frag = number;
	else if (!strcmp(field, "src"))
		read_address(layer->src, value);
	else if (!strcmp(field, "dst"))
		read_address(layer->dst, value);
	else if (!strcmp(field, "sport"))
		layer->sport = number;
	else if (!strcmp(field, "dport"))
		layer->dport = number;
	else
		return false;
	return true;
}

static void read_field(struct vector *v, const char *field, const char *value)
{
	unsigned int number = strtoul(value, NULL, 0);

	if (!strcmp(field, "hex")) {
		read_hex(v, value);
	} else if (!strcmp(field, "tags")) {
		v->tags = number;
	} else if (!strcmp(field, "vlan_tci")) {
		v->vlan_tci = number;
	} else if (!strcmp(field, "ethertype")) {
		v->ethertype = number;
	} else if (!strcmp(field, "layers")) {
		v->layers |= layer_of(value);
	} else if (!strcmp(field, "hash")) {
		v->has_hash = true;
		v->hash = number;
	} else if (!strcmp(field, "csum")) {
		assert_string_equal(value, "ok");
		v->csum = true;
	} else if (!strcmp(field, "roce")) {
		strcpy(v->roce, value);
	} else if (!strncmp(field, "needs_", 6)) {
		strcpy(v->needs, field + 6);
		v->bound = number;
	} else if (!(strncmp(field, "inner.", 6) ?
			     read_layer(&v->outer, field, value) :
			     read_layer(&v->inner, field + 6, value))) {
		fail_msg("%s: field %s", v->name, field);
	}
}

/* Call @fn for each frame of the file; return their number */
static unsigned int for_each(void (*fn)(struct raw *w, const struct vector *v),
			     struct raw *w)
{
	FILE *file = fopen(DOCUMENTS "/hardware-frames.txt", "r");
	char line[256], field[VALUE_LEN], value[2 * VALUE_LEN + 1];
	struct vector v = {};
	unsigned int count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#' || sscanf(line, "%63s %128s", field, value) != 2)
			continue;
		if (strcmp(field, "frame")) {
			read_field(&v, field, value);
			continue;
		}
		if (count++)
			fn(w, &v);
		memset(&v, 0, sizeof(v));
		snprintf(v.name, sizeof(v.name), "%.63s", value);
	}
	fn(w, &v);
	fclose(file);
	return count;
}

/* ---- checks ---- */

#define CHECK(v, a, b) do { \
		unsigned long _a = (a), _b = (b); \
		if (_a != _b) \
			fail_msg("%s: " #a " is %#lx, not %#lx", (v)->name, \
				 _a, _b); \
	} while (0)

static void check_layer(const struct vector *v, const struct ornic_flow_headers *h,
			const struct layer *want)
{
	CHECK(v, h->l3, want->l3);
	CHECK(v, h->proto, want->proto);
	CHECK(v, h->frag, want->frag);
	CHECK(v, be16toh(h->src_port), want->sport);
	CHECK(v, be16toh(h->dst_port), want->dport);
	assert_memory_equal(h->src_ip, want->src, 16);
	assert_memory_equal(h->dst_ip, want->dst, 16);
}

/* [ORNIC-CQ-13] Flags of the hash; @ports: ports are hashed */
static unsigned int hash_flags(const struct vector *v, bool ports)
{
	ports &= v->outer.sport || v->outer.dport;
	return (v->has_hash ? ORNIC_CQE_EXT_RSS : 0) | (ports ? ORNIC_CQE_EXT_RSS_L4 : 0);
}

static void check_within(const struct vector *v, const struct headers_bounds *bounds)
{
	const struct ornic_flow_key *found;
	struct headers headers;
	struct frame frame;
	uint32_t hash;

	raw_frame(&frame, v->bytes, v->len);
	headers_init(&headers, bounds);
	found = &headers_fields(&frame, &headers)->key;
	CHECK(v, headers.tags, v->tags);
	CHECK(v, found->outer.vlan, !!v->tags);
	CHECK(v, be16toh(found->outer.vlan_tci), v->vlan_tci);
	CHECK(v, be16toh(found->outer.ethertype), v->ethertype);
	CHECK(v, be32toh(found->layers), v->layers);
	check_layer(v, &found->outer, &v->outer);
	check_layer(v, &found->inner, &v->inner);
	CHECK(v, rss_hash_fields(&frame, &headers, RSS_FIELDS &
				 ~(ORNIC_RX_HASH_INNER | ORNIC_RX_HASH_IPSEC_SPI),
				 key, &hash), hash_flags(v, true));
	CHECK(v, hash, v->hash);
}

/* The ports and the packet inside are what lies behind all bounds */
static void check_not_within(const struct vector *v, const struct headers_bounds *bounds)
{
	const struct ornic_flow_key *found;
	struct headers headers;
	struct frame frame;

	raw_frame(&frame, v->bytes, v->len);
	headers_init(&headers, bounds);
	found = &headers_fields(&frame, &headers)->key;
	CHECK(v, headers.l4, 0);
	CHECK(v, found->outer.dst_port, 0);
	CHECK(v, found->inner.l3, 0);
}

/* [ORNIC-FLOW-1] [ORNIC-RSS-4] */
static void check_fields(struct raw *w, const struct vector *v)
{
	check_within(v, &headers_bounds_full);
}

/* [ORNIC-FLOW-2] The bound of a frame is the least one that does */
static void check_bounds(struct raw *w, const struct vector *v)
{
	struct headers_bounds bounds = headers_bounds_least;
	unsigned int *bound = !strcmp(v->needs, "bytes") ? &bounds.bytes :
			      !strcmp(v->needs, "tags") ? &bounds.tags : &bounds.exts;

	if (v->needs[0]) {
		check_not_within(v, &bounds);
		assert_true(v->bound > *bound);
		*bound = v->bound - 1;
		check_not_within(v, &bounds);
		*bound = v->bound;
	}
	check_within(v, &bounds);
}

TEST_VOID(test_fields)
{
	assert_true(for_each(check_fields, NULL) > 40);
}

TEST_VOID(test_bounds)
{
	for_each(check_bounds, NULL);
}

static uint64_t rdma_stat(struct raw *w, enum ornic_rdma_stat stat)
{
	return w->host->card->stats.rdma[stat];
}

/* The hash of the port of this card, over what is within its bounds */
static uint32_t port_hash(struct raw *w, const struct vector *v)
{
	const struct card *card = w->host->card;
	struct headers headers;
	struct frame frame;
	uint32_t hash;

	raw_frame(&frame, v->bytes, v->len);
	headers_init(&headers, card->parse);
	headers_need(&frame, &headers);
	CHECK(v, !!rss_hash(&frame, &headers, card->rx_hash_types, key, &hash),
	      v->has_hash && headers.l3);
	if (!v->needs[0] && v->outer.proto != HEADERS_PROTO_UDP)
		CHECK(v, hash, v->hash);
	return hash;
}

static void check_ordinary(struct raw *w, const struct vector *v)
{
	bool least = w->host->card->parse == &headers_bounds_least;
	uint32_t hash = least ? port_hash(w, v) : v->hash;
	bool csum = v->csum && !(least && v->needs[0]);
	bool ports = !least || v->outer.proto == HEADERS_PROTO_TCP;
	unsigned int flags_ext = least && !hash ? 0 : hash_flags(v, ports);
	const struct ornic_cqe *cqe;
	const struct ornic_cqe_ext *ext;
	unsigned int flags;

	cqe = raw_cqe(w);
	ext = host_cqe_ext(cqe);
	CHECK(v, le32toh(cqe->status), ORNIC_WC_SUCCESS);
	CHECK(v, le32toh(cqe->byte_len), v->len);
	CHECK(v, !!(le16toh(ext->flags) & ORNIC_CQE_EXT_L4_CSUM_OK), csum);
	flags = ORNIC_GET(ORNIC_CQE_FLAGS, le32toh(cqe->qpn));
	CHECK(v, !!(flags & ORNIC_WC_IP_CSUM_OK), csum && v->outer.l3 == 4);
	CHECK(v, le16toh(ext->flags) & (ORNIC_CQE_EXT_RSS | ORNIC_CQE_EXT_RSS_L4), flags_ext);
	CHECK(v, le32toh(ext->rss_hash), hash);
}

/* [ORNIC-DEV-17] [ORNIC-CQ-12] [ORNIC-WIRE-9] [ORNIC-WIRE-11] */
static void check_port(struct raw *w, const struct vector *v)
{
	uint64_t malformed = rdma_stat(w, ORNIC_RDMA_STAT_rx_malformed);
	uint64_t packets = rdma_stat(w, ORNIC_RDMA_STAT_rx_unknown_qp);

	if (!v->roce[0])
		raw_post_recv(w, 0, w->data, RAW_BUF_LEN);
	raw_receive(w, v->bytes, v->len, 0);
	if (!v->roce[0])
		check_ordinary(w, v);
	CHECK(v, rdma_stat(w, ORNIC_RDMA_STAT_rx_malformed) - malformed,
	      !strcmp(v->roce, "malformed"));
	CHECK(v, rdma_stat(w, ORNIC_RDMA_STAT_rx_unknown_qp) - packets,
	      !strcmp(v->roce, "yes"));
	CHECK(v, rdma_stat(w, ORNIC_RDMA_STAT_rx_icrc_errors), 0);
	assert_null(host_queue_peek(&w->cq));
}

static int least_setup(void **state)
{
	const struct card_config config = { .parse_least = true };

	return raw_setup_config(state, &config);
}

TEST(test_port, struct raw *w, IN_RAW, { "[least]", least_setup, raw_teardown, NULL })
{
	struct ornic_modify_port_in port = { .mask = htole32(ORNIC_PORT_MAC) };
	struct ornic_rx_queues_in queues = {
		.count = htole32(1),
	};

	memcpy(port.mac, mac, MAC_LEN);
	host_cmd_in_ok(w->host, ORNIC_CMD_MODIFY_PORT, &port);
	memcpy(queues.key, key, sizeof(queues.key));
	queues.hash = htole32(w->host->card->rx_hash_types);
	queues.qpn[0] = htole32(w->qp[0].num);
	host_cmd_in_ok(w->host, ORNIC_CMD_SET_RX_QUEUES, &queues);
	host_set_gid(w->host, 1, gid_v4, mac, 0);
	host_set_gid(w->host, 2, gid_v6, mac, 0);
	for_each(check_port, w);
}

TEST_MAIN("vector")
