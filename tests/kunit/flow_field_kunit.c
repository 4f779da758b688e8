// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Flow rules against the limits of a device ([ORNIC-FIELD-1] to [ORNIC-FIELD-5]) */
#include <kunit/test.h>

#include "ornic_api.h"

/* A device without limits */
static const struct ornic_limits test_all = {
	.flow_types = ~0u,
	.flow_fields = ~0ull,
	.flow_any_mask = ~0ull,
	.flow_flags = ~0u,
	.flow_layers = ~0u,
};

static void ornic_test_field_without_limits(struct kunit *test)
{
	struct ornic_create_flow_in in = { .type = ORNIC_FLOW_SNIFFER };

	memset(&in.mask, 0x5a, sizeof(in.mask));
	in.flags = cpu_to_le32(ORNIC_FLOW_COUNT);
	KUNIT_EXPECT_NULL(test, ornic_flow_field_unsupported(&test_all, &in));
	/* No device has this type */
	in.type = 200;
	KUNIT_EXPECT_NOT_NULL(test, ornic_flow_field_unsupported(&test_all, &in));
}

static void ornic_test_field_missing(struct kunit *test)
{
	struct ornic_limits lim = test_all;
	struct ornic_create_flow_in in = {};

	lim.flow_fields &= ~(ORNIC_FLOW_FIELD_OUTER(ttl) | ORNIC_FLOW_FIELD_INNER(dst_port) |
			     ORNIC_FLOW_FIELD_KEY(esp_seq));
	in.mask.inner.ttl = 1;
	in.mask.outer.dst_port = cpu_to_be16(1);
	in.mask.esp_spi = cpu_to_be32(1);
	KUNIT_EXPECT_NULL(test, ornic_flow_field_unsupported(&lim, &in));
	in.mask.esp_seq = cpu_to_be32(1);
	KUNIT_EXPECT_STREQ(test, ornic_flow_field_unsupported(&lim, &in), "esp_seq");
	in.mask.inner.dst_port = cpu_to_be16(0x8000);
	KUNIT_EXPECT_STREQ(test, ornic_flow_field_unsupported(&lim, &in), "inner dst_port");
	in.mask.outer.ttl = 1;
	KUNIT_EXPECT_STREQ(test, ornic_flow_field_unsupported(&lim, &in), "ttl");
}

static void ornic_test_field_with_all_bits(struct kunit *test)
{
	struct ornic_limits lim = test_all;
	struct ornic_create_flow_in in = {};

	lim.flow_any_mask = ORNIC_FLOW_FIELD_OUTER(dst_ip);
	in.mask.outer.dst_ip[15] = 0xf0;
	in.mask.outer.vlan = 1;
	memset(in.mask.outer.dmac, 0xff, sizeof(in.mask.outer.dmac));
	KUNIT_EXPECT_NULL(test, ornic_flow_field_unsupported(&lim, &in));
	in.mask.outer.dmac[5] = 0xfe;
	KUNIT_EXPECT_STREQ(test, ornic_flow_field_unsupported(&lim, &in), "dmac");
}

/* [ORNIC-FIELD-2] The bits that a field can have are all bits of its mask */
static void ornic_test_field_with_fewer_bits(struct kunit *test)
{
	struct ornic_limits lim = test_all;
	struct ornic_create_flow_in in = {};

	lim.flow_any_mask = 0;
	in.mask.outer.flow_label = cpu_to_be32(GENMASK(ORNIC_FLOW_LABEL_BITS - 1, 0));
	in.mask.inner.ip_flags = GENMASK(ORNIC_FLOW_IP_FLAGS_BITS - 1, 0);
	in.mask.inner.frag = 1;
	in.mask.vni = cpu_to_be32(GENMASK(ORNIC_FLOW_VNI_BITS - 1, 0));
	in.mask.layers = cpu_to_be32(ORNIC_FLOW_LAYER_VXLAN);
	KUNIT_EXPECT_NULL(test, ornic_flow_field_unsupported(&lim, &in));
	in.mask.outer.flow_label = cpu_to_be32(U32_MAX);
	KUNIT_EXPECT_NULL(test, ornic_flow_field_unsupported(&lim, &in));
	in.mask.vni = cpu_to_be32(0xff7fff);
	KUNIT_EXPECT_STREQ(test, ornic_flow_field_unsupported(&lim, &in), "vni");
	in.mask.inner.ip_flags = 2;
	KUNIT_EXPECT_STREQ(test, ornic_flow_field_unsupported(&lim, &in), "inner ip_flags");
	in.mask.outer.flow_label = cpu_to_be32(0x7ffff);
	KUNIT_EXPECT_STREQ(test, ornic_flow_field_unsupported(&lim, &in), "flow_label");
}

static void ornic_test_field_types_flags_and_layers(struct kunit *test)
{
	struct ornic_limits lim = test_all;
	struct ornic_create_flow_in in = { .type = ORNIC_FLOW_SNIFFER };

	lim.flow_types = BIT(ORNIC_FLOW_NORMAL);
	lim.flow_flags = ORNIC_FLOW_DROP;
	lim.flow_layers = ORNIC_FLOW_LAYER_VXLAN;
	KUNIT_EXPECT_NOT_NULL(test, ornic_flow_field_unsupported(&lim, &in));
	in.type = ORNIC_FLOW_NORMAL;
	in.flags = cpu_to_le32(ORNIC_FLOW_DROP);
	in.mask.layers = cpu_to_be32(ORNIC_FLOW_LAYER_VXLAN);
	KUNIT_EXPECT_NULL(test, ornic_flow_field_unsupported(&lim, &in));
	in.flags = cpu_to_le32(ORNIC_FLOW_DONT_TRAP);
	KUNIT_EXPECT_NOT_NULL(test, ornic_flow_field_unsupported(&lim, &in));
	in.flags = 0;
	in.mask.layers = cpu_to_be32(ORNIC_FLOW_LAYER_GRE);
	KUNIT_EXPECT_NOT_NULL(test, ornic_flow_field_unsupported(&lim, &in));
}

static struct kunit_case ornic_flow_field_cases[] = {
	KUNIT_CASE(ornic_test_field_without_limits),
	KUNIT_CASE(ornic_test_field_missing),
	KUNIT_CASE(ornic_test_field_with_all_bits),
	KUNIT_CASE(ornic_test_field_with_fewer_bits),
	KUNIT_CASE(ornic_test_field_types_flags_and_layers),
	{}
};

static struct kunit_suite ornic_flow_field_suite = {
	.name = "ornic_flow_field",
	.test_cases = ornic_flow_field_cases,
};

kunit_test_suites(&ornic_flow_field_suite);
