// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Limits of flow rules: fields, masks, types, flags (hardware.rst, section 20.1) */
#include "base/be.h"
#include "eth/flow_field.h"
#include "raw.h"

#define LEN 60

static int basic_setup(void **state)
{
	const struct card_config config = { .flow_basic = true };

	return raw_setup_config(state, &config);
}

static int exact_setup(void **state)
{
	const struct card_config config = { .flow_exact = true };

	return raw_setup_config(state, &config);
}

static int no_copy_setup(void **state)
{
	const struct card_config config = { .without = ORNIC_FEAT_FLOW_COPY };

	return raw_setup_config(state, &config);
}

#define IN_BASIC { "[basic]", basic_setup, raw_teardown, NULL }
#define IN_EXACT { "[exact]", exact_setup, raw_teardown, NULL }
#define IN_NO_COPY { "[no_copy]", no_copy_setup, raw_teardown, NULL }

static struct ornic_create_flow_in rule(const struct raw *w, unsigned int n)
{
	return (struct ornic_create_flow_in){ .qpn = htole32(w->qp[n].num) };
}

static unsigned int create(struct raw *w, const struct ornic_create_flow_in *in,
			   uint32_t *num)
{
	struct ornic_object out = {};
	unsigned int status;

	status = host_cmd(w->host, ORNIC_CMD_CREATE_FLOW, in, &out);
	if (num)
		*num = le32toh(out.num);
	return status;
}

#define FIELD(field_bit, member)                          \
	{ field_bit, offsetof(struct ornic_flow_key, member), \
	  sizeof(((struct ornic_flow_key *)0)->member) },
#define OUTER(name) FIELD(ORNIC_FLOW_FIELD_OUTER(name), outer.name)
#define INNER(name) FIELD(ORNIC_FLOW_FIELD_INNER(name), inner.name)
#define KEY(name) FIELD(ORNIC_FLOW_FIELD_KEY(name), name)

static const struct {
	uint64_t bit;
	size_t offset;
	size_t size;
} fields[] = {
	ORNIC_FLOW_HEADERS_FIELDS(OUTER)
	ORNIC_FLOW_HEADERS_FIELDS(INNER)
	ORNIC_FLOW_KEY_FIELDS(KEY)
};

/* [ORNIC-FIELD-1] The lists have all fields but the reserved ones, in order */
TEST_VOID(test_lists_are_complete)
{
	uint8_t bytes[sizeof(struct ornic_flow_key)] = {};
	unsigned int i, reserved = 0;

	assert_int_equal(ORNIC_FLOW_HEADERS_FIELD_COUNT, 16);
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		memset(bytes + fields[i].offset, 1, fields[i].size);
	for (i = 0; i < sizeof(bytes); i++)
		reserved += !bytes[i];
	assert_int_equal(reserved, 2 + 4);
}

/* Create a rule, which must be possible if it is @supported, and destroy it */
static void try_rule(struct raw *w, const struct ornic_create_flow_in *in,
		     bool supported)
{
	uint32_t num;

	assert_int_equal(create(w, in, &num), supported ?
			 ORNIC_CMD_OK : ORNIC_CMD_NOT_SUPPORTED);
	if (supported)
		host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_FLOW, num);
}

/* [ORNIC-FIELD-1] [ORNIC-FIELD-3] */
TEST(test_each_field, struct raw *w, IN_RAW, IN_BASIC, IN_EXACT)
{
	struct ornic_query_device_out out;
	uint64_t known, any;
	unsigned int i;

	host_cmd_out_ok(w->host, ORNIC_CMD_QUERY_DEVICE, &out);
	known = le64toh(out.flow_fields);
	any = le64toh(out.flow_any_mask);
	assert_true(known && !(any & ~known));
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		struct ornic_create_flow_in in = rule(w, 1);
		uint8_t *mask = (uint8_t *)&in.mask + fields[i].offset;

		/* There are 4 layers; a mask of others is BAD_PARAM */
		if (fields[i].bit == ORNIC_FLOW_FIELD_KEY(layers))
			mask[3] = 0xf;
		else
			memset(mask, 0xff, fields[i].size);
		try_rule(w, &in, known & fields[i].bit);
		memset(mask, 0, fields[i].size);
		mask[fields[i].size - 1] = 0x2;
		/* Each layer is a field of its own ([ORNIC-FIELD-2]) */
		if (fields[i].bit == ORNIC_FLOW_FIELD_KEY(layers))
			try_rule(w, &in, known & fields[i].bit);
		else
			try_rule(w, &in, any & fields[i].bit);
	}
}

/* [ORNIC-FIELD-2] The bits that a field can have are all bits of its mask */
TEST(test_short_fields, struct raw *w, IN_EXACT)
{
	struct ornic_create_flow_in in = rule(w, 1);

#define WHOLE(field, all, less) do {                                  \
		in.mask.field = all;                                  \
		try_rule(w, &in, true);                               \
		in.mask.field = less;                                 \
		try_rule(w, &in, false);                              \
		memset(&in.mask.field, 0xff, sizeof(in.mask.field));  \
		try_rule(w, &in, true);                               \
		memset(&in.mask.field, 0, sizeof(in.mask.field));     \
	} while (0)
	WHOLE(outer.flow_label, htobe32(0xfffff), htobe32(0x7ffff));
	WHOLE(inner.flow_label, htobe32(0xfffff), htobe32(0xffffe));
	WHOLE(vni, htobe32(0xffffff), htobe32(0xff7fff));
	WHOLE(outer.ip_flags, 3, 2);
	WHOLE(inner.ip_flags, 7, 0xfe);
	WHOLE(outer.vlan, 1, 0xfe);
	WHOLE(inner.frag, 1, 2);
	WHOLE(mpls, 0xffffffff, htobe32(0xffffff));
	WHOLE(outer.tos, 0xff, 0x7f);
#undef WHOLE
}

/* [ORNIC-FIELD-3] Types, flags and counters of a basic card */
TEST(test_basic_types_and_flags, struct raw *w, IN_BASIC)
{
	struct ornic_create_flow_in good = rule(w, 1);
	struct ornic_object out;

#define REFUSED(field, value) \
	host_refused(w->host, ORNIC_CMD_CREATE_FLOW, good, field, value, &out, \
		     ORNIC_CMD_NOT_SUPPORTED)
	REFUSED(type, ORNIC_FLOW_SNIFFER);
	REFUSED(flags, htole32(ORNIC_FLOW_DONT_TRAP));
	REFUSED(flags, htole32(ORNIC_FLOW_COUNT));
	REFUSED(flags, htole32(ORNIC_FLOW_EGRESS | ORNIC_FLOW_DROP));
	good.value.layers = htobe32(ORNIC_FLOW_LAYER_VXLAN);
	REFUSED(mask.layers, htobe32(ORNIC_FLOW_LAYER_VXLAN));
#undef REFUSED
	good.value.layers = 0;
	host_cmd_out_is(w->host, ORNIC_CMD_CREATE_COUNTERS, &out,
			ORNIC_CMD_BAD_OPCODE);
	host_cmd_object_is(w->host, ORNIC_CMD_DESTROY_COUNTERS, 0, ORNIC_CMD_BAD_OPCODE);
	good.type = ORNIC_FLOW_MC_DEFAULT;
	assert_int_equal(create(w, &good, NULL), ORNIC_CMD_OK);
	good.type = ORNIC_FLOW_ALL_DEFAULT;
	good.flags = htole32(ORNIC_FLOW_DROP);
	assert_int_equal(create(w, &good, NULL), ORNIC_CMD_OK);
}

/* [ORNIC-FIELD-4] */
TEST(test_few_masks, struct raw *w, IN_BASIC)
{
	struct ornic_create_flow_in in = rule(w, 1);
	uint32_t num[FLOW_MASKS_MAX + 1];
	unsigned int i;

	for (i = 0; i < FLOW_MASKS_MAX; i++) {
		memset(in.mask.outer.dst_ip, 0xff, i + 1);
		assert_int_equal(create(w, &in, &num[i]), ORNIC_CMD_OK);
	}
	/* A mask that is there already may be used again */
	assert_int_equal(create(w, &in, &num[i]), ORNIC_CMD_OK);
	memset(in.mask.outer.dst_ip, 0xff, i + 1);
	assert_int_equal(create(w, &in, NULL), ORNIC_CMD_NO_RESOURCES);
	/* Both rules with the last mask must go before there is room */
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_FLOW, num[i]);
	assert_int_equal(create(w, &in, NULL), ORNIC_CMD_NO_RESOURCES);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_FLOW, num[i - 1]);
	assert_int_equal(create(w, &in, NULL), ORNIC_CMD_OK);
}

static void arrive(struct raw *w)
{
	uint8_t packet[LEN] = { 2, 2, 2, 2, 2, 2, 2, 9 };

	be_put16(packet + 12, 0x88b5);
	raw_receive(w, packet, LEN, 0);
}

/* [ORNIC-FIELD-5] */
TEST(test_oldest_of_equal_rules_takes_the_frame, struct raw *w, IN_BASIC, IN_NO_COPY)
{
	struct ornic_create_flow_in first = rule(w, 1), second = rule(w, 2);
	uint32_t num;
	unsigned int n;

	for (n = 0; n < RAW_QPS; n++) {
		raw_post_recv(w, n, w->data, RAW_BUF_LEN);
		raw_post_recv(w, n, w->data, RAW_BUF_LEN);
	}
	assert_int_equal(create(w, &first, &num), ORNIC_CMD_OK);
	assert_int_equal(create(w, &second, NULL), ORNIC_CMD_OK);
	arrive(w);
	assert_int_equal(le32toh(raw_cqe(w)->qpn) & ORNIC_CQE_QPN,
			 w->qp[1].num);
	assert_null(host_queue_peek(&w->cq));
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_FLOW, num);
	arrive(w);
	assert_int_equal(le32toh(raw_cqe(w)->qpn) & ORNIC_CQE_QPN,
			 w->qp[2].num);
	assert_null(host_queue_peek(&w->cq));
	first.type = ORNIC_FLOW_SNIFFER;
	assert_int_equal(create(w, &first, NULL), ORNIC_CMD_NOT_SUPPORTED);
	first.type = ORNIC_FLOW_NORMAL;
	first.flags = htole32(ORNIC_FLOW_DONT_TRAP);
	assert_int_equal(create(w, &first, NULL), ORNIC_CMD_NOT_SUPPORTED);
}

TEST_MAIN("flow_field")
