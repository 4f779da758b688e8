// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Flow rules and their counters */
#include "fixture.h"

/* A rule with room for an Ethernet specification and two counter actions */
struct rule {
	struct ibv_flow_attr attr;
	struct ibv_flow_spec_eth eth;
	struct ibv_flow_spec_counter_action count[2];
} __attribute__((packed, aligned(8)));

static void make(struct rule *rule, struct ibv_counters *counters, int counts)
{
	const struct ibv_flow_spec_counter_action count = {
		.type = IBV_FLOW_SPEC_ACTION_COUNT, .size = sizeof(count),
		.counters = counters,
	};

	*rule = (struct rule){
		.attr = {
			.type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(*rule),
			.priority = 3, .num_of_specs = 1 + counts, .port = 1,
		},
		.eth = {
			.type = IBV_FLOW_SPEC_ETH, .size = sizeof(rule->eth),
		},
		.count = { count, count },
	};
}

static struct ibv_flow *create(struct fixture *f, struct rule *rule)
{
	errno = 0;
	return f->ops->create_flow(f->rc, &rule->attr);
}

static struct ibv_counters *create_counters(struct fixture *f)
{
	struct ibv_counters_init_attr attr = {};
	struct ibv_counters *counters;

	counters = f->ops->create_counters(f->ctx, &attr);
	assert_non_null(counters);
	return counters;
}

static int attach(struct fixture *f, struct ibv_counters *counters,
		  enum ibv_counter_description desc, uint32_t index)
{
	struct ibv_counter_attach_attr attr = {
		.counter_desc = desc, .index = index,
	};

	return f->ops->attach_counters_point_flow(counters, &attr, NULL);
}

TEST(rules_are_the_kernels, struct fixture *f, IN_OWN)
{
	struct ibv_flow *flow;
	struct rule rule;

	make(&rule, NULL, 0);
	flow = create(f, &rule);
	assert_non_null(flow);
	assert_int_equal(f->fake.last_flow.priority, 3);
	f->fake.fail = EIO;
	assert_int_equal(f->ops->destroy_flow(flow), EIO);
	assert_int_equal(f->ops->destroy_flow(flow), 0);

	f->fake.fail = EPERM;
	assert_fails(create(f, &rule), EPERM);
}

TEST(counters_are_read_where_they_were_attached, struct fixture *f, IN_OWN)
{
	const struct verbs_context_ops *ops = f->ops;
	struct ibv_counters *counters = create_counters(f);
	uint64_t values[6];
	struct ibv_flow *flow;
	struct rule rule;

	assert_int_equal(attach(f, counters, IBV_COUNTER_BYTES, 1), 0);
	assert_int_equal(attach(f, counters, IBV_COUNTER_PACKETS, 3), 0);
	assert_int_equal(attach(f, counters, IBV_COUNTER_BYTES, 4), 0);
	assert_int_equal(attach(f, counters, IBV_COUNTER_PACKETS, 4), 0);
	assert_int_equal(attach(f, counters, IBV_COUNTER_PACKETS, 1000000), 0);
	make(&rule, counters, 1);
	flow = create(f, &rule);
	assert_non_null(flow);

	memset(values, 0xa5, sizeof(values));
	assert_int_equal(ops->read_counters(counters, values, 5,
					    IBV_READ_COUNTERS_ATTR_PREFER_CACHED),
			 0);
	assert_int_equal(f->fake.last_read_flags,
			 IBV_READ_COUNTERS_ATTR_PREFER_CACHED);
	assert_int_equal(values[0], 0);
	assert_int_equal(values[1], FAKE_COUNTED);
	assert_int_equal(values[2], 0);
	assert_int_equal(values[3], FAKE_PACKETS);
	assert_int_equal(values[4], FAKE_COUNTED + FAKE_PACKETS);
	assert_int_equal(values[5], 0xa5a5a5a5a5a5a5a5ULL);

	f->fake.fail = EIO;
	assert_int_equal(ops->read_counters(counters, values, 5, 0), EIO);
	assert_int_equal(ops->destroy_flow(flow), 0);
	f->fake.fail = EBUSY;
	assert_int_equal(ops->destroy_counters(counters), EBUSY);
	assert_int_equal(ops->destroy_counters(counters), 0);
}

TEST(nothing_is_attached_while_rules_count, struct fixture *f, IN_OWN)
{
	struct ibv_counters *counters = create_counters(f);
	struct ibv_flow *flows[2];
	struct rule rule;

	make(&rule, counters, 1);
	flows[0] = create(f, &rule);
	flows[1] = create(f, &rule);
	assert_non_null(flows[0]);
	assert_non_null(flows[1]);
	assert_int_equal(attach(f, counters, IBV_COUNTER_BYTES, 0), EBUSY);
	assert_int_equal(f->ops->destroy_flow(flows[0]), 0);
	assert_int_equal(attach(f, counters, IBV_COUNTER_BYTES, 0), EBUSY);
	f->fake.fail = EIO;
	assert_int_equal(f->ops->destroy_flow(flows[1]), EIO);
	assert_int_equal(attach(f, counters, IBV_COUNTER_BYTES, 0), EBUSY);
	assert_int_equal(f->ops->destroy_flow(flows[1]), 0);
	assert_int_equal(attach(f, counters, IBV_COUNTER_BYTES, 0), 0);

	/* A refused rule does not use the counters, nor one with two actions */
	f->fake.fail = EINVAL;
	assert_null(create(f, &rule));
	make(&rule, counters, 2);
	assert_fails(create(f, &rule), EINVAL);
	assert_int_equal(attach(f, counters, IBV_COUNTER_BYTES, 1), 0);
	assert_int_equal(f->ops->destroy_counters(counters), 0);
}

TEST(what_cannot_be_attached, struct fixture *f, IN_OWN)
{
	struct ibv_counter_attach_attr attr = { .comp_mask = 1 };
	struct ibv_counters_init_attr init = {};
	struct ibv_counters *counters = create_counters(f);
	struct ibv_flow flow;

	assert_int_equal(f->ops->attach_counters_point_flow(counters, &attr,
							    NULL), EINVAL);
	attr.comp_mask = 0;
	assert_int_equal(f->ops->attach_counters_point_flow(counters, &attr,
							    &flow), ENOTSUP);
	assert_int_equal(attach(f, counters, IBV_COUNTER_BYTES + 1, 0),
			 ENOTSUP);
	assert_int_equal(attach(f, counters, -1, 0), ENOTSUP);
	assert_int_equal(f->ops->destroy_counters(counters), 0);

	f->fake.fail = EOPNOTSUPP;
	assert_fails(f->ops->create_counters(f->ctx, &init), EOPNOTSUPP);
}

/* Passes a copy of exactly @size bytes, so that sanitizers see reads beyond it */
static struct ibv_flow *create_short(struct fixture *f, const struct rule *rule,
				     size_t size)
{
	struct ibv_flow_attr *attr = malloc(size);
	struct ibv_flow *flow;

	memcpy(attr, rule, size);
	errno = 0;
	flow = f->ops->create_flow(f->rc, attr);
	free(attr);
	return flow;
}

static void assert_refused(struct fixture *f, const struct rule *rule,
			   size_t size)
{
	unsigned int commands = f->fake.commands;

	assert_fails(create_short(f, rule, size), EINVAL);
	assert_int_equal(f->fake.commands, commands);
}

TEST(specifications_have_room_for_what_they_say, struct fixture *f, IN_OWN)
{
	struct ibv_counters *counters = create_counters(f);
	size_t whole = offsetof(struct rule, count[1]);
	struct ibv_flow *flow;
	struct rule rule;

	make(&rule, counters, 1);
	/* Callers may leave the specifications out of the size */
	rule.attr.size = sizeof(rule.attr);
	flow = create_short(f, &rule, whole);
	assert_non_null(flow);
	assert_int_equal(f->ops->destroy_flow(flow), 0);

	/* A specification shorter than its own header */
	rule.eth.size = offsetof(struct ibv_flow_spec_eth, size);
	assert_refused(f, &rule, whole);
	rule.eth.size = 0;
	assert_refused(f, &rule, whole);

	/* A counter action that is too short */
	make(&rule, counters, 1);
	rule.count[0].size--;
	assert_refused(f, &rule, whole - 1);
	rule.count[0].size = offsetof(struct ibv_flow_spec_counter_action,
				      counters);
	assert_refused(f, &rule, offsetof(struct rule, count[0].counters));

	assert_int_equal(f->ops->destroy_counters(counters), 0);
}

TEST_MAIN("flow")
