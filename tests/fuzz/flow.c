// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fuzz target: flow rules and frames against them. A model that compares byte
 * by byte says which rules count a frame; the fields must be those of the headers.
 */

#include "base/be.h"
#include "card/card.h"
#include "eth/eth.h"
#include "eth/eth_recv.h"
#include "eth/headers.h"
#include "eth/rss.h"
#include "fuzz.h"
#include "objects/counters.h"
#include "raw.h"
#include "target.h"

#define RULES 24
#define FRAME_BYTES 192
#define KEY_BYTES sizeof(struct ornic_flow_key)

/**
 * struct model - a rule as the model knows it
 * @num: number of the rule; its slot is free if @used is false
 * @counters: number of its counters
 * @group: age of the oldest rule of its twins; they count together
 * @age: order of creation
 * @packets: frames that it must have counted
 * @in: the command that created it
 */
struct model {
	bool used;
	uint32_t num;
	uint32_t counters;
	unsigned int group;
	unsigned int age;
	uint64_t packets;
	struct ornic_create_flow_in in;
};

/* Ethernet, then headers that the parsers know; rules and frames use them */
static const struct {
	uint8_t len;
	uint8_t bytes[150];
} templates[] = {
	/* IPv4, UDP */
	{ 60, "\x02\x0e\x1c\0\0\1\2\0\0\0\0\7\x08\0"
	      "\x45\0\0\x2e\0\0\0\0\x40\x11\0\0\x0a\0\0\1\x0a\0\0\2"
	      "\x12\x34\0\x50\0\x1a\0\0" },
	/* IPv4, TCP, with a VLAN tag */
	{ 64, "\x02\x0e\x1c\0\0\1\2\0\0\0\0\7\x81\0\x20\5\x08\0"
	      "\x45\0\0\x2e\0\0\0\0\x40\x06\0\0\x0a\0\0\1\x0a\0\0\2"
	      "\x12\x34\0\x50\0\0\0\1\0\0\0\2\x50" },
	/* IPv6, UDP */
	{ 70, "\x01\0\x5e\0\0\1\2\0\0\0\0\7\x86\xdd"
	      "\x60\x12\x34\x56\0\x10\x11\x40"
	      "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
	      "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2"
	      "\x12\x34\0\x50\0\x10" },
	/* IPv4, UDP, VXLAN, Ethernet, IPv4, UDP */
	{ 110, "\x02\x0e\x1c\0\0\1\2\0\0\0\0\7\x08\0"
	       "\x45\0\0\x60\0\0\0\0\x40\x11\0\0\x0a\0\0\1\x0a\0\0\2"
	       "\x12\x34\x12\xb5\0\x4c\0\0\x08\0\0\0\0\0\x2a\0"
	       "\2\0\0\0\0\1\2\0\0\0\0\2\x08\0"
	       "\x45\0\0\x20\0\0\0\0\x40\x11\0\0\x0a\0\0\3\x0a\0\0\4"
	       "\0\1\0\2\0\x0c" },
	/* IPv4, GRE with a key, IPv4, TCP */
	{ 90, "\x02\x0e\x1c\0\0\1\2\0\0\0\0\7\x08\0"
	      "\x45\0\0\x4c\0\0\0\0\x40\x2f\0\0\x0a\0\0\1\x0a\0\0\2"
	      "\x20\0\x08\0\0\0\0\x17"
	      "\x45\0\0\x28\0\0\0\0\x40\x06\0\0\x0a\0\0\3\x0a\0\0\4"
	      "\0\1\0\2\0\0\0\0\0\0\0\0\x50" },
	/* MPLS, IPv4 */
	{ 60, "\x02\x0e\x1c\0\0\1\2\0\0\0\0\7\x88\x47\0\1\x01\x40"
	      "\x45\0\0\x20\0\0\0\0\x40\x11\0\0\x0a\0\0\1\x0a\0\0\2"
	      "\0\1\0\2\0\x0c" },
	/* IPv6, hop-by-hop options, ESP */
	{ 82, "\x02\x0e\x1c\0\0\1\2\0\0\0\0\7\x86\xdd"
	      "\x60\0\0\0\0\x18\0\x40"
	      "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
	      "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2"
	      "\x32\0\0\0\0\0\0\0\0\0\0\x11\0\0\0\x22" },
	/* Beyond the least bounds: three VLAN tags */
	{ 68, "\x02\x0e\x1c\0\0\1\2\0\0\0\0\7\x81\0\0\5\x81\0\0\6\x81\0\0\7\x08\0"
	      "\x45\0\0\x2a\0\0\0\0\x40\x11\0\0\x0a\0\0\1\x0a\0\0\2"
	      "\x12\x34\0\x50\0\x16\0\0" },
	/* Two extension headers */
	{ 78, "\x02\x0e\x1c\0\0\1\2\0\0\0\0\7\x86\xdd"
	      "\x60\0\0\0\0\x18\0\x40"
	      "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
	      "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2"
	      "\x3c\0\0\0\0\0\0\0\x11\0\0\0\0\0\0\0"
	      "\x12\x34\0\x50\0\x08\0\0" },
	/* One that is long */
	{ 150, "\x02\x0e\x1c\0\0\1\2\0\0\0\0\7\x86\xdd"
	       "\x60\0\0\0\0\x60\0\x40"
	       "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
	       "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2"
	       "\x3b\x0a" },
};

/* Only a card that finds the least gets these, so older inputs keep their meaning */
#define TEMPLATES_BEYOND 3

static struct fuzz fuzz;
static struct raw *raw;
static struct model model[RULES];
static unsigned int ages;

/* ---- frames ---- */

/* As the card does, within its bounds */
static void find(const struct frame *frame, struct headers *headers)
{
	headers_init(headers, raw->host->card->parse);
	headers_find_bounded(frame, headers);
}

static void read_key(const struct frame *frame, struct ornic_flow_key *key)
{
	struct headers headers;

	find(frame, &headers);
	headers_key(frame, &headers, key);
}

static void make_frame(struct fuzz *f, uint8_t *bytes, struct frame *frame)
{
	bool least = raw->host->card->parse == &headers_bounds_least;
	unsigned int n = below(f, ARRAY_SIZE(templates) - (least ? 0 : TEMPLATES_BEYOND));
	unsigned int len = templates[n].len, i, edits;

	memset(bytes, 0, FRAME_BYTES);
	memcpy(bytes, templates[n].bytes, len);
	for (edits = below(f, 8), i = 0; i < edits; i++)
		bytes[below(f, len)] = below(f, 256);
	if (one_in(f, 4))
		len = HEADERS_ETH_LEN + below(f, FRAME_BYTES - HEADERS_ETH_LEN);
	raw_frame(frame, bytes, len);
}

/* The fields are those of the headers that were found ([ORNIC-FLOW-1], [ORNIC-FLOW-2]) */
static void check_fields(const struct frame *frame, const struct headers *headers)
{
	const struct headers_bounds *bounds = raw->host->card->parse;
	const uint8_t *l4 = frame->hdr + headers->l4_offset;
	struct ornic_flow_key key;

	if (headers->tags > bounds->tags || headers->exts > bounds->exts ||
	    headers->next > bounds->bytes)
		fail_msg("headers beyond the bounds of the card");
	headers_key(frame, headers, &key);
	assert_int_equal(!!headers->tags, key.outer.vlan);
	assert_int_equal(headers->vlan_tci, be16toh(key.outer.vlan_tci));
	assert_int_equal(headers->l3, key.outer.l3);
	assert_int_equal(headers->proto, key.outer.proto);
	if (headers->l3 && (headers->l3_end > frame_len(frame) ||
			    headers->next > headers->l3_end))
		fail_msg("headers beyond their packet");
	if (!headers->l4)
		return;
	assert_int_equal(headers->l4, key.outer.proto);
	assert_int_equal(be_get16(l4), be16toh(key.outer.src_port));
	assert_int_equal(be_get16(l4 + 2), be16toh(key.outer.dst_port));
}

/* ---- the model ---- */

static bool is_ingress(const struct model *m)
{
	return m->used && !(le32toh(m->in.flags) & ORNIC_FLOW_EGRESS) &&
	       m->in.type != ORNIC_FLOW_SNIFFER;
}

static bool matches(const struct model *m, const struct ornic_flow_key *key)
{
	const uint8_t *value = (const uint8_t *)&m->in.value;
	const uint8_t *mask = (const uint8_t *)&m->in.mask;
	const uint8_t *byte = (const uint8_t *)key;
	unsigned int i;

	for (i = 0; i < KEY_BYTES; i++)
		if ((byte[i] & mask[i]) != value[i])
			return false;
	return true;
}

static bool is_before(const struct model *a, const struct model *b)
{
	if (a->in.priority != b->in.priority)
		return le32toh(a->in.priority) < le32toh(b->in.priority);
	return a->group < b->group;
}

/* The group of twins of this type that comes after @last, or NULL */
static struct model *next_group(unsigned int type, const struct model *last)
{
	struct model *best = NULL, *m;

	for (m = model; m < model + RULES; m++) {
		if (!is_ingress(m) || m->in.type != type)
			continue;
		if (last && !is_before(last, m))
			continue;
		if (!best || is_before(m, best))
			best = m;
	}
	return best;
}

/* Count a frame for all twins. Return: whether one of them takes the frame. */
static bool count_group(const struct model *first)
{
	bool took = false;
	struct model *m;

	for (m = model; m < model + RULES; m++) {
		if (!is_ingress(m) || m->in.type != first->in.type ||
		    m->group != first->group)
			continue;
		m->packets++;
		took |= !(le32toh(m->in.flags) & ORNIC_FLOW_DONT_TRAP);
	}
	return took;
}

static bool model_list(unsigned int type, const struct ornic_flow_key *key)
{
	struct model *group = NULL;
	bool took = false;

	while (!took && (group = next_group(type, group)))
		if (matches(group, key))
			took = count_group(group);
	return took;
}

static void model_rx(const struct frame *frame)
{
	struct ornic_flow_key key;
	struct model *m;

	if (!eth_valid(raw->host->card, frame))
		return;
	read_key(frame, &key);
	for (m = model; m < model + RULES; m++)
		if (m->used && m->in.type == ORNIC_FLOW_SNIFFER &&
		    matches(m, &key))
			m->packets++;
	if (model_list(ORNIC_FLOW_NORMAL, &key))
		return;
	if (frame->hdr[0] & 1 && model_list(ORNIC_FLOW_MC_DEFAULT, &key))
		return;
	model_list(ORNIC_FLOW_ALL_DEFAULT, &key);
}

static void check_counters(void)
{
	const struct counters *counters;
	struct model *m;

	for (m = model; m < model + RULES; m++) {
		if (!m->used || le32toh(m->in.flags) & ORNIC_FLOW_EGRESS)
			continue;
		counters = counters_find(raw->host->card, m->counters);
		assert_non_null(counters);
		assert_int_equal(counters->val[ORNIC_COUNTERS_STAT_packets],
				 m->packets);
	}
}

/* ---- rules ---- */

static void destroy_rule(struct model *m)
{
	assert_int_equal(host_cmd_object(raw->host, ORNIC_CMD_DESTROY_FLOW,
					 m->num), ORNIC_CMD_OK);
	assert_int_equal(host_cmd_object(raw->host,
					 ORNIC_CMD_DESTROY_COUNTERS,
					 m->counters), ORNIC_CMD_OK);
	m->used = false;
}

static bool is_twin(const struct model *a, const struct model *b)
{
	return is_ingress(a) && is_ingress(b) && a->in.type == b->in.type &&
	       a->in.priority == b->in.priority &&
	       !memcmp(&a->in.value, &b->in.value, 2 * KEY_BYTES);
}

static void fill_rule(struct fuzz *f, struct ornic_create_flow_in *in)
{
	uint8_t *value = (uint8_t *)&in->value, *mask = (uint8_t *)&in->mask;
	struct ornic_flow_key key;
	uint8_t bytes[FRAME_BYTES];
	struct frame frame;
	unsigned int fields, at;

	in->qpn = htole32(raw->qp[below(f, RAW_QPS)].num);
	in->priority = htole32(below(f, 3));
	in->type = below(f, 4);
	in->flags = htole32(ORNIC_FLOW_COUNT | below(f, 16));
	make_frame(f, bytes, &frame);
	read_key(&frame, &key);
	for (fields = below(f, 4); fields; fields--) {
		at = below(f, KEY_BYTES);
		mask[at] = one_in(f, 2) ? 0xff : below(f, 256);
		value[at] = ((uint8_t *)&key)[at] & mask[at];
		if (one_in(f, 8))
			value[at] = below(f, 256);
	}
	if (one_in(f, 16))
		scribble(f, in, sizeof(*in));
}

/* Replace a slot by a new rule, which may be the same as another one */
static void create_rule(struct fuzz *f)
{
	struct model *m = &model[below(f, RULES)], *other;
	const struct model *like = &model[below(f, RULES)];
	struct ornic_object out;

	if (m->used)
		destroy_rule(m);
	memset(m, 0, sizeof(*m));
	if (like->used && one_in(f, 4))
		m->in = like->in;
	else
		fill_rule(f, &m->in);
	m->counters = host_create_object(raw->host, ORNIC_CMD_CREATE_COUNTERS,
					 NULL, 0);
	m->in.counters = htole32(m->counters);
	if (!(le32toh(m->in.flags) & ORNIC_FLOW_COUNT) ||
	    host_cmd(raw->host, ORNIC_CMD_CREATE_FLOW, &m->in, &out)) {
		host_cmd_object(raw->host, ORNIC_CMD_DESTROY_COUNTERS,
				m->counters);
		return;
	}
	m->num = le32toh(out.num);
	m->age = ages++;
	m->group = m->age;
	m->used = true;
	for (other = model; other < model + RULES; other++)
		if (other != m && is_twin(other, m))
			m->group = other->group;
}

/* ---- the target ---- */

/* Values of the last byte of an input for a card that finds the least */
#define LEAST 0xc0

static void receive(struct fuzz *f)
{
	static const uint8_t key[RSS_KEY_LEN] = { 0x6d, 0x5a, 0x56, 0xda };
	uint8_t bytes[FRAME_BYTES];
	struct frame frame;
	struct headers headers;
	uint32_t hash;

	make_frame(f, bytes, &frame);
	find(&frame, &headers);
	check_fields(&frame, &headers);
	rss_hash_fields(&frame, &headers, rnd(f) & RSS_FIELDS, key, &hash);
	rss_hash(&frame, &headers, below(f, 16), key, &hash);
	model_rx(&frame);
	card_rx(raw->host->card, &frame);
	host_run(raw->host);
	check_counters();
}

static void post(struct fuzz *f)
{
	unsigned int n = below(f, RAW_QPS);
	struct ornic_qp_dbr *dbr = host_qp_dbr(&raw->qp[n]);

	if (raw->qp[n].rq_pi - guest_load32(&dbr->rq_ci) < 32)
		raw_post_recv(raw, n, raw->data, 64 + below(f, 256));
	while (host_queue_peek(&raw->cq))
		host_queue_consume(&raw->cq);
}

static void step(struct fuzz *f)
{
	struct model *m;

	switch (below(f, 8)) {
	case 0:
	case 1:
		create_rule(f);
		break;
	case 2:
		m = &model[below(f, RULES)];
		if (m->used)
			destroy_rule(m);
		break;
	case 3:
		post(f);
		break;
	default:
		receive(f);
	}
}

void target_init(void)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz *f = &fuzz;
	void *state;

	memset(f, 0, sizeof(*f));
	memset(model, 0, sizeof(model));
	ages = 0;
	raw_setup(&state);
	raw = state;
	f->host = raw->host;
	f->window = raw->data;
	f->window_len = HOST_PAGE;
	f->input = data;
	f->left = len;
	if (len && data[--f->left] >= LEAST)
		raw->host->card->parse = &headers_bounds_least;
	while (f->left)
		step(f);
	state = raw;
	raw_teardown(&state);
	return 0;
}
