// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Conversion of flow rules of verbs to value and mask: the result of each specification, and
 * refusals.
 */
#include <kunit/test.h>
#include <linux/module.h>

/* The source itself, because the driver exports nothing */
#include "../../kernel/rdma/check.c"
#include "../../kernel/rdma/flow.c"

#define TEST_SPECS	IB_FLOW_SPEC_SUPPORT_LAYERS

/* A rule under construction, as the core passes it */
struct test_flow {
	struct kunit *test;
	struct ib_flow_attr *attr;
	struct ornic_create_flow_in in;
	struct ib_counters *counters;
};

static struct test_flow *ornic_test_flow(struct kunit *test)
{
	struct test_flow *flow = kunit_kzalloc(test, sizeof(*flow), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, flow);
	flow->test = test;
	flow->attr = kunit_kzalloc(test, struct_size(flow->attr, flows, TEST_SPECS), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, flow->attr);
	flow->attr->size = sizeof(*flow->attr);
	flow->attr->port = 1;
	return flow;
}

/* Appends a specification, which may be unaligned there */
static void ornic_test_flow_add(struct test_flow *flow, const void *spec)
{
	const u16 size = ((const union ib_flow_spec *)spec)->size;

	KUNIT_ASSERT_LT(flow->test, flow->attr->num_of_specs, TEST_SPECS);
	memcpy((void *)flow->attr + flow->attr->size, spec, size);
	flow->attr->size += size;
	flow->attr->num_of_specs++;
}

/* Appends a specification with neither value nor mask */
static void ornic_test_flow_add_type(struct test_flow *flow, u32 type)
{
	const struct ornic_spec_kind *kind = ornic_spec_find_kind(type);
	union ib_flow_spec spec = { .type = type };

	KUNIT_ASSERT_NOT_NULL(flow->test, kind);
	spec.size = kind->size;
	ornic_test_flow_add(flow, &spec);
}

static int ornic_test_flow_make(struct test_flow *flow)
{
	memset(&flow->in, 0, sizeof(flow->in));
	return ornic_flow_from_attr(NULL, flow->attr, &flow->in, &flow->counters);
}

/* Expects exactly @want, so the device's rule holds: no value bits outside the mask */
static void ornic_test_flow_is(struct test_flow *flow, const struct ornic_spec_match *want)
{
	KUNIT_ASSERT_EQ(flow->test, ornic_test_flow_make(flow), 0);
	KUNIT_EXPECT_MEMEQ(flow->test, &flow->in.value, &want->value, sizeof(want->value));
	KUNIT_EXPECT_MEMEQ(flow->test, &flow->in.mask, &want->mask, sizeof(want->mask));
}

/* Expects @want from a rule of one specification */
static void ornic_test_flow_one(struct kunit *test, const void *spec,
				const struct ornic_spec_match *want)
{
	struct test_flow *flow = ornic_test_flow(test);

	ornic_test_flow_add(flow, spec);
	ornic_test_flow_is(flow, want);
}

/* Expects @err from a rule of @spec and then @type, which 0 leaves out */
static void ornic_test_flow_ends(struct kunit *test, const void *spec, u32 type, int err)
{
	struct test_flow *flow = ornic_test_flow(test);

	ornic_test_flow_add(flow, spec);
	if (type)
		ornic_test_flow_add_type(flow, type);
	KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), err);
}

static void ornic_test_flow_refuses(struct kunit *test, u32 first, u32 second, int err)
{
	struct test_flow *flow = ornic_test_flow(test);

	ornic_test_flow_add_type(flow, first);
	ornic_test_flow_add_type(flow, second);
	KUNIT_EXPECT_EQ_MSG(test, ornic_test_flow_make(flow), err, "%x and %x", first, second);
}

/* ---- Conversion ---------------------------------------------------------- */

static void ornic_test_flow_without_specs(struct kunit *test)
{
	struct test_flow *flow = ornic_test_flow(test);
	const struct ornic_spec_match want = {};

	flow->attr->priority = 0xabcd;
	ornic_test_flow_is(flow, &want);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(flow->in.priority), 0xabcd);
	KUNIT_EXPECT_EQ(test, flow->in.type, ORNIC_FLOW_NORMAL);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(flow->in.flags), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(flow->in.tag), 0);
	KUNIT_EXPECT_NULL(test, flow->counters);
}

static void ornic_test_flow_of_ethernet(struct kunit *test)
{
	const struct ib_flow_spec_eth spec = {
		.type = IB_FLOW_SPEC_ETH,
		.size = sizeof(spec),
		.val = {
			.dst_mac = { 1, 2, 3, 4, 5, 6 },
			.src_mac = { 7, 8, 9, 10, 11, 12 },
			.ether_type = cpu_to_be16(0x0806),
			.vlan_tag = cpu_to_be16(0x6123),
		},
		/* No source address, and only the VLAN ID of the tag */
		.mask = {
			.dst_mac = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
			.ether_type = cpu_to_be16(0xffff),
			.vlan_tag = cpu_to_be16(0x0fff),
		},
	};
	const struct ornic_spec_match want = {
		.value.outer = {
			.dmac = { 1, 2, 3, 4, 5, 6 },
			.ethertype = cpu_to_be16(0x0806),
			.vlan_tci = cpu_to_be16(0x0123),
			.vlan = 1,
		},
		.mask.outer = {
			.dmac = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
			.ethertype = cpu_to_be16(0xffff),
			.vlan_tci = cpu_to_be16(0x0fff),
			.vlan = 1,
		},
	};

	ornic_test_flow_one(test, &spec, &want);
}

static void ornic_test_flow_of_ipv4(struct kunit *test)
{
	const struct ib_flow_spec_ipv4 spec = {
		.type = IB_FLOW_SPEC_IPV4,
		.size = sizeof(spec),
		.val = {
			.src_ip = cpu_to_be32(0x0a000001),
			.dst_ip = cpu_to_be32(0x0a000002),
			.proto = 89,
			.tos = 0xb8,
			.ttl = 1,
			.flags = IB_IPV4_DONT_FRAG,
		},
		.mask = {
			.src_ip = cpu_to_be32(0xffffff00),
			.dst_ip = cpu_to_be32(0xffffffff),
			.proto = 0xff,
			.tos = 0xfc,
			.ttl = 0xff,
			.flags = IB_IPV4_DONT_FRAG | IB_IPV4_MORE_FRAG,
		},
	};
	const struct ornic_spec_match want = {
		.value.outer = {
			.src_ip = { [12] = 10, 0, 0, 0 },
			.dst_ip = { [12] = 10, 0, 0, 2 },
			.l3 = 4,
			.proto = 89,
			.tos = 0xb8,
			.ttl = 1,
			.ip_flags = 2,
		},
		.mask.outer = {
			.src_ip = { [12] = 0xff, 0xff, 0xff, 0 },
			.dst_ip = { [12] = 0xff, 0xff, 0xff, 0xff },
			.l3 = 0xff,
			.proto = 0xff,
			.tos = 0xfc,
			.ttl = 0xff,
			.ip_flags = 3,
		},
	};

	ornic_test_flow_one(test, &spec, &want);
}

static void ornic_test_flow_of_ipv6(struct kunit *test)
{
	const struct ib_flow_spec_ipv6 spec = {
		.type = IB_FLOW_SPEC_IPV6,
		.size = sizeof(spec),
		.val = {
			.src_ip = { 0xfe, 0x80, [15] = 1 },
			.dst_ip = { 0xfe, 0x80, [15] = 2 },
			.flow_label = cpu_to_be32(0xabcde),
			.next_hdr = 58,
			.traffic_class = 0x20,
			.hop_limit = 255,
		},
		.mask = {
			.src_ip = { 0xff, 0xff },
			.dst_ip = { [15] = 0xff },
			.flow_label = cpu_to_be32(0xfffff),
			.next_hdr = 0xff,
			.traffic_class = 0xff,
			.hop_limit = 0xff,
		},
	};
	const struct ornic_spec_match want = {
		.value.outer = {
			.src_ip = { 0xfe, 0x80 },
			.dst_ip = { [15] = 2 },
			.flow_label = cpu_to_be32(0xabcde),
			.l3 = 6,
			.proto = 58,
			.tos = 0x20,
			.ttl = 255,
		},
		.mask.outer = {
			.src_ip = { 0xff, 0xff },
			.dst_ip = { [15] = 0xff },
			.flow_label = cpu_to_be32(0xfffff),
			.l3 = 0xff,
			.proto = 0xff,
			.tos = 0xff,
			.ttl = 0xff,
		},
	};

	ornic_test_flow_one(test, &spec, &want);
}

static void ornic_test_flow_of_ports(struct kunit *test)
{
	const struct ib_flow_spec_tcp_udp spec = {
		.type = IB_FLOW_SPEC_UDP,
		.size = sizeof(spec),
		.val = { .dst_port = cpu_to_be16(319), .src_port = cpu_to_be16(77) },
		.mask.dst_port = cpu_to_be16(0xffff),
	};
	/* A fragment has no ports, and does not match ports of 0 */
	const struct ornic_spec_match want = {
		.value.outer = { .proto = 17, .dst_port = cpu_to_be16(319) },
		.mask.outer = { .proto = 0xff, .dst_port = cpu_to_be16(0xffff), .frag = 1 },
	};

	ornic_test_flow_one(test, &spec, &want);
}

static void ornic_test_flow_of_vxlan(struct kunit *test)
{
	const struct ib_flow_spec_tunnel spec = {
		.type = IB_FLOW_SPEC_VXLAN_TUNNEL,
		.size = sizeof(spec),
		.val.tunnel_id = cpu_to_be32(0x123456),
		.mask.tunnel_id = cpu_to_be32(0xffffff),
	};
	const struct ib_flow_spec_tcp_udp inner = {
		.type = IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_TCP,
		.size = sizeof(inner),
		.val.src_port = cpu_to_be16(80),
		.mask.src_port = cpu_to_be16(0xffff),
	};
	const struct ornic_spec_match want = {
		.value = {
			.outer = { .proto = 17, .dst_port = cpu_to_be16(4789) },
			.inner = { .l3 = 4, .proto = 6, .src_port = cpu_to_be16(80) },
			.layers = cpu_to_be32(ORNIC_FLOW_LAYER_VXLAN),
			.vni = cpu_to_be32(0x123456),
		},
		.mask = {
			.outer = { .proto = 0xff, .dst_port = cpu_to_be16(0xffff) },
			.inner = {
				.l3 = 0xff,
				.proto = 0xff,
				.src_port = cpu_to_be16(0xffff),
				.frag = 1,
			},
			.layers = cpu_to_be32(ORNIC_FLOW_LAYER_VXLAN),
			.vni = cpu_to_be32(0xffffff),
		},
	};
	struct test_flow *flow = ornic_test_flow(test);

	/* The order does not matter */
	ornic_test_flow_add(flow, &inner);
	ornic_test_flow_add(flow, &spec);
	ornic_test_flow_add_type(flow, IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_IPV4);
	ornic_test_flow_is(flow, &want);
}

static void ornic_test_flow_of_gre(struct kunit *test)
{
	const struct ib_flow_spec_gre spec = {
		.type = IB_FLOW_SPEC_GRE,
		.size = sizeof(spec),
		.val = { .protocol = cpu_to_be16(0x0800), .key = cpu_to_be32(7) },
		.mask = { .protocol = cpu_to_be16(0xffff), .key = cpu_to_be32(~0u) },
	};
	const struct ornic_spec_match want = {
		.value = {
			.outer.proto = 47,
			.layers = cpu_to_be32(ORNIC_FLOW_LAYER_GRE),
			.gre_flags = cpu_to_be16(0x2000),
			.gre_proto = cpu_to_be16(0x0800),
			.gre_key = cpu_to_be32(7),
		},
		.mask = {
			.outer.proto = 0xff,
			.layers = cpu_to_be32(ORNIC_FLOW_LAYER_GRE),
			.gre_flags = cpu_to_be16(0x2000),
			.gre_proto = cpu_to_be16(0xffff),
			.gre_key = cpu_to_be32(~0u),
		},
	};

	ornic_test_flow_one(test, &spec, &want);
}

static void ornic_test_flow_of_mpls_and_esp(struct kunit *test)
{
	const struct ib_flow_spec_mpls mpls = {
		.type = IB_FLOW_SPEC_MPLS,
		.size = sizeof(mpls),
		.val.tag = cpu_to_be32(0x12345140),
		.mask.tag = cpu_to_be32(0xfffff000),
	};
	const struct ib_flow_spec_esp esp = {
		.type = IB_FLOW_SPEC_ESP,
		.size = sizeof(esp),
		.val = { .spi = cpu_to_be32(0x1001), .seq = cpu_to_be32(5) },
		.mask.spi = cpu_to_be32(~0u),
	};
	const struct ornic_spec_match want_mpls = {
		.value = {
			.layers = cpu_to_be32(ORNIC_FLOW_LAYER_MPLS),
			.mpls = cpu_to_be32(0x12345000),
		},
		.mask = {
			.layers = cpu_to_be32(ORNIC_FLOW_LAYER_MPLS),
			.mpls = cpu_to_be32(0xfffff000),
		},
	};
	const struct ornic_spec_match want_esp = {
		.value = {
			.outer.proto = 50,
			.layers = cpu_to_be32(ORNIC_FLOW_LAYER_ESP),
			.esp_spi = cpu_to_be32(0x1001),
		},
		.mask = {
			.outer.proto = 0xff,
			.layers = cpu_to_be32(ORNIC_FLOW_LAYER_ESP),
			.esp_spi = cpu_to_be32(~0u),
		},
	};

	ornic_test_flow_one(test, &mpls, &want_mpls);
	ornic_test_flow_one(test, &esp, &want_esp);
}

static void ornic_test_flow_without_masks(struct kunit *test)
{
	static const struct {
		u32 type;
		u8 l3;
		u8 proto;
	} cases[] = {
		{ IB_FLOW_SPEC_ETH, 0, 0 },
		{ IB_FLOW_SPEC_IPV4, 4, 0 },
		{ IB_FLOW_SPEC_IPV6, 6, 0 },
		{ IB_FLOW_SPEC_TCP, 0, 6 },
		{ IB_FLOW_SPEC_UDP, 0, 17 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct test_flow *flow = ornic_test_flow(test);
		struct ornic_spec_match want = {
			.value.outer = { .l3 = cases[i].l3, .proto = cases[i].proto },
		};

		if (cases[i].l3)
			want.mask.outer.l3 = 0xff;
		if (cases[i].proto)
			want.mask.outer.proto = 0xff;
		ornic_test_flow_add_type(flow, cases[i].type);
		ornic_test_flow_is(flow, &want);
	}
}

static void ornic_test_flow_actions(struct kunit *test)
{
	struct ib_counters counters;
	const struct ib_flow_spec_action_tag tag = {
		.type = IB_FLOW_SPEC_ACTION_TAG, .size = sizeof(tag), .tag_id = 0xfedcba98,
	};
	const struct ib_flow_spec_action_count count = {
		.type = IB_FLOW_SPEC_ACTION_COUNT, .size = sizeof(count), .counters = &counters,
	};
	struct test_flow *flow = ornic_test_flow(test);

	ornic_test_flow_add(flow, &tag);
	/* 36 bytes, so that the pointer after it is unaligned */
	ornic_test_flow_add_type(flow, IB_FLOW_SPEC_IPV4);
	ornic_test_flow_add(flow, &count);
	flow->attr->flags = IB_FLOW_ATTR_FLAGS_DONT_TRAP;
	KUNIT_ASSERT_EQ(test, ornic_test_flow_make(flow), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(flow->in.tag), 0xfedcba98);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(flow->in.flags),
			ORNIC_FLOW_COUNT | ORNIC_FLOW_DONT_TRAP);
	KUNIT_EXPECT_PTR_EQ(test, flow->counters, &counters);

	flow = ornic_test_flow(test);
	ornic_test_flow_add_type(flow, IB_FLOW_SPEC_ACTION_DROP);
	flow->attr->flags = IB_FLOW_ATTR_FLAGS_EGRESS;
	KUNIT_ASSERT_EQ(test, ornic_test_flow_make(flow), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(flow->in.flags), ORNIC_FLOW_DROP | ORNIC_FLOW_EGRESS);
}

static void ornic_test_flow_types(struct kunit *test)
{
	static const enum ib_flow_attr_type types[] = {
		IB_FLOW_ATTR_ALL_DEFAULT, IB_FLOW_ATTR_MC_DEFAULT, IB_FLOW_ATTR_SNIFFER,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct test_flow *flow = ornic_test_flow(test);

		flow->attr->type = types[i];
		KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), 0);
		KUNIT_EXPECT_EQ(test, flow->in.type, types[i]);

		flow->attr->flags = IB_FLOW_ATTR_FLAGS_DONT_TRAP;
		KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), -EINVAL);
		flow->attr->flags = 0;
		ornic_test_flow_add_type(flow, IB_FLOW_SPEC_ETH);
		KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), -EINVAL);
	}
}

/* ---- Refusals ------------------------------------------------------------- */

static void ornic_test_flow_lies_about_sizes(struct kunit *test)
{
	struct test_flow *flow = ornic_test_flow(test);
	union ib_flow_spec *spec = flow->attr->flows;
	const u16 size = sizeof(spec->eth);
	u32 wrong;

	ornic_test_flow_add_type(flow, IB_FLOW_SPEC_ETH);
	KUNIT_ASSERT_EQ(test, ornic_test_flow_make(flow), 0);
	for (wrong = 0; wrong <= 4 * size; wrong++) {
		spec->size = wrong;
		KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), wrong == size ? 0 : -EINVAL);
	}
	spec->size = U16_MAX;
	KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), -EINVAL);
	spec->size = size;

	/* Fewer or more bytes than the specification has */
	for (wrong = 0; wrong <= sizeof(*flow->attr) + 2 * size; wrong++) {
		flow->attr->size = wrong;
		KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow),
				wrong == sizeof(*flow->attr) + size ? 0 : -EINVAL);
	}
}

static void ornic_test_flow_lies_about_count(struct kunit *test)
{
	static const u8 wrong[] = { 0, 2, U8_MAX };
	struct test_flow *flow = ornic_test_flow(test);
	u32 i;

	ornic_test_flow_add_type(flow, IB_FLOW_SPEC_ETH);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		flow->attr->num_of_specs = wrong[i];
		KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), -EINVAL);
	}
}

static void ornic_test_flow_of_unknown_type(struct kunit *test)
{
	static const u32 types[] = {
		0, IB_FLOW_SPEC_IB, 0x32, 0x61, IB_FLOW_SPEC_INNER,
		IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_VXLAN_TUNNEL,
		IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_GRE, IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_MPLS,
		IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_ESP, IB_FLOW_SPEC_ACTION_HANDLE,
		IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_ACTION_DROP, 0x10000 | IB_FLOW_SPEC_ETH, U32_MAX,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct test_flow *flow = ornic_test_flow(test);
		const union ib_flow_spec spec = { .type = types[i], .size = sizeof(spec) };

		ornic_test_flow_add(flow, &spec);
		KUNIT_EXPECT_EQ_MSG(test, ornic_test_flow_make(flow), -EOPNOTSUPP, "%x", types[i]);
	}
}

static void ornic_test_flow_duplicate_part(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(ornic_spec_kinds); i++)
		for (j = 0; j < ARRAY_SIZE(ornic_spec_kinds); j++)
			if (ornic_spec_kinds[i].part == ornic_spec_kinds[j].part)
				ornic_test_flow_refuses(test, ornic_spec_kinds[i].type,
							ornic_spec_kinds[j].type, -EINVAL);
}

static void ornic_test_flow_contradicts_itself(struct kunit *test)
{
	ornic_test_flow_refuses(test, IB_FLOW_SPEC_TCP, IB_FLOW_SPEC_VXLAN_TUNNEL, -EINVAL);
	ornic_test_flow_refuses(test, IB_FLOW_SPEC_UDP, IB_FLOW_SPEC_GRE, -EINVAL);
	ornic_test_flow_refuses(test, IB_FLOW_SPEC_GRE, IB_FLOW_SPEC_VXLAN_TUNNEL, -EINVAL);
	ornic_test_flow_refuses(test, IB_FLOW_SPEC_ESP, IB_FLOW_SPEC_GRE, -EINVAL);
	/* These are compatible */
	ornic_test_flow_refuses(test, IB_FLOW_SPEC_UDP, IB_FLOW_SPEC_VXLAN_TUNNEL, 0);
	ornic_test_flow_refuses(test, IB_FLOW_SPEC_GRE, IB_FLOW_SPEC_MPLS, 0);
}

static void ornic_test_flow_protocol_against_port(struct kunit *test)
{
	const struct ib_flow_spec_ipv4 tcp = {
		.type = IB_FLOW_SPEC_IPV4,
		.size = sizeof(tcp),
		.val.proto = 6,
		.mask.proto = 0xff,
	};

	ornic_test_flow_ends(test, &tcp, IB_FLOW_SPEC_TCP, 0);
	ornic_test_flow_ends(test, &tcp, IB_FLOW_SPEC_UDP, -EINVAL);
}

static void ornic_test_flow_ethertype_against_ip(struct kunit *test)
{
	struct ib_flow_spec_eth eth = {
		.type = IB_FLOW_SPEC_ETH,
		.size = sizeof(eth),
		.val.ether_type = cpu_to_be16(ETH_P_IPV6),
		.mask.ether_type = cpu_to_be16(0xffff),
	};
	struct test_flow *flow = ornic_test_flow(test);

	ornic_test_flow_ends(test, &eth, IB_FLOW_SPEC_IPV6, 0);
	ornic_test_flow_add_type(flow, IB_FLOW_SPEC_IPV4);
	ornic_test_flow_add(flow, &eth);
	KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), -EINVAL);

	/* The same for the encapsulated packet */
	eth.type |= IB_FLOW_SPEC_INNER;
	flow = ornic_test_flow(test);
	ornic_test_flow_add(flow, &eth);
	ornic_test_flow_add_type(flow, IB_FLOW_SPEC_VXLAN_TUNNEL);
	ornic_test_flow_add_type(flow, IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_IPV4);
	KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), -EINVAL);
}

static void ornic_test_flow_vxlan_on_another_port(struct kunit *test)
{
	const struct ib_flow_spec_tcp_udp udp = {
		.type = IB_FLOW_SPEC_UDP,
		.size = sizeof(udp),
		.val.dst_port = cpu_to_be16(8472),
		.mask.dst_port = cpu_to_be16(0xffff),
	};

	ornic_test_flow_ends(test, &udp, IB_FLOW_SPEC_VXLAN_TUNNEL, -EINVAL);
}

static void ornic_test_flow_gre_key_without_key(struct kunit *test)
{
	const struct ib_flow_spec_gre spec = {
		.type = IB_FLOW_SPEC_GRE,
		.size = sizeof(spec),
		.mask = { .c_ks_res0_ver = cpu_to_be16(0x2000), .key = cpu_to_be32(~0u) },
	};

	ornic_test_flow_ends(test, &spec, 0, -EINVAL);
}

static void ornic_test_flow_inner_without_tunnel(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ornic_spec_kinds); i++) {
		struct test_flow *flow = ornic_test_flow(test);

		if (!(ornic_spec_kinds[i].part & ORNIC_FLOW_INNER))
			continue;
		ornic_test_flow_add_type(flow, ornic_spec_kinds[i].type);
		KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), -EINVAL);
		ornic_test_flow_add_type(flow, IB_FLOW_SPEC_MPLS);
		KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), 0);
	}
}

static void ornic_test_flow_of_bits_beyond_the_field(struct kunit *test)
{
	const struct ib_flow_spec_ipv6 label = {
		.type = IB_FLOW_SPEC_IPV6, .size = sizeof(label),
		.mask.flow_label = cpu_to_be32(BIT(20)),
	};
	const struct ib_flow_spec_tunnel vni = {
		.type = IB_FLOW_SPEC_VXLAN_TUNNEL, .size = sizeof(vni),
		.mask.tunnel_id = cpu_to_be32(BIT(24)),
	};
	const struct ib_flow_spec_ipv4 flags = {
		.type = IB_FLOW_SPEC_IPV4, .size = sizeof(flags),
		.mask.flags = 0x8,
	};

	ornic_test_flow_ends(test, &label, 0, -EINVAL);
	ornic_test_flow_ends(test, &vni, 0, -EINVAL);
	ornic_test_flow_ends(test, &flags, 0, -EOPNOTSUPP);
}

static void ornic_test_flow_of_wrong_use(struct kunit *test)
{
	static const struct {
		u32 flags;
		u32 action;
		int err;
	} cases[] = {
		{ IB_FLOW_ATTR_FLAGS_EGRESS, 0, -EINVAL },
		{ IB_FLOW_ATTR_FLAGS_EGRESS, IB_FLOW_SPEC_ACTION_TAG, -EINVAL },
		{ IB_FLOW_ATTR_FLAGS_EGRESS | IB_FLOW_ATTR_FLAGS_DONT_TRAP,
		  IB_FLOW_SPEC_ACTION_COUNT, -EINVAL },
		{ IB_FLOW_ATTR_FLAGS_EGRESS, IB_FLOW_SPEC_ACTION_COUNT, 0 },
		{ IB_FLOW_ATTR_FLAGS_DONT_TRAP, IB_FLOW_SPEC_ACTION_DROP, -EINVAL },
		{ IB_FLOW_ATTR_FLAGS_RESERVED, 0, -EOPNOTSUPP },
		{ BIT(0), 0, -EOPNOTSUPP },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct test_flow *flow = ornic_test_flow(test);

		flow->attr->flags = cases[i].flags;
		if (cases[i].action)
			ornic_test_flow_add_type(flow, cases[i].action);
		KUNIT_EXPECT_EQ_MSG(test, ornic_test_flow_make(flow), cases[i].err, "case %u", i);
	}
}

static void ornic_test_flow_drops_copies(struct kunit *test)
{
	struct test_flow *flow = ornic_test_flow(test);

	ornic_test_flow_add_type(flow, IB_FLOW_SPEC_ACTION_DROP);
	flow->attr->type = IB_FLOW_ATTR_SNIFFER;
	KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), -EINVAL);
	flow->attr->type = IB_FLOW_ATTR_SNIFFER + 1;
	KUNIT_EXPECT_EQ(test, ornic_test_flow_make(flow), -EOPNOTSUPP);
}

static struct kunit_case ornic_flow_cases[] = {
	KUNIT_CASE(ornic_test_flow_without_specs),
	KUNIT_CASE(ornic_test_flow_of_ethernet),
	KUNIT_CASE(ornic_test_flow_of_ipv4),
	KUNIT_CASE(ornic_test_flow_of_ipv6),
	KUNIT_CASE(ornic_test_flow_of_ports),
	KUNIT_CASE(ornic_test_flow_of_vxlan),
	KUNIT_CASE(ornic_test_flow_of_gre),
	KUNIT_CASE(ornic_test_flow_of_mpls_and_esp),
	KUNIT_CASE(ornic_test_flow_without_masks),
	KUNIT_CASE(ornic_test_flow_actions),
	KUNIT_CASE(ornic_test_flow_types),
	KUNIT_CASE(ornic_test_flow_lies_about_sizes),
	KUNIT_CASE(ornic_test_flow_lies_about_count),
	KUNIT_CASE(ornic_test_flow_of_unknown_type),
	KUNIT_CASE(ornic_test_flow_duplicate_part),
	KUNIT_CASE(ornic_test_flow_contradicts_itself),
	KUNIT_CASE(ornic_test_flow_protocol_against_port),
	KUNIT_CASE(ornic_test_flow_ethertype_against_ip),
	KUNIT_CASE(ornic_test_flow_vxlan_on_another_port),
	KUNIT_CASE(ornic_test_flow_gre_key_without_key),
	KUNIT_CASE(ornic_test_flow_inner_without_tunnel),
	KUNIT_CASE(ornic_test_flow_of_bits_beyond_the_field),
	KUNIT_CASE(ornic_test_flow_of_wrong_use),
	KUNIT_CASE(ornic_test_flow_drops_copies),
	{}
};

static struct kunit_suite ornic_flow_suite = {
	.name = "ornic_flow",
	.test_cases = ornic_flow_cases,
};

kunit_test_suites(&ornic_flow_suite);
