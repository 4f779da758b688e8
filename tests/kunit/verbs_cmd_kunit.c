// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Commands that are in flight together ([ORNIC-ADM-6], [ORNIC-ADM-7]) */
#include <linux/slab.h>

#include "../../kernel/rdma/device.h"
#include "verbs_kunit.h"

/* More than the admin queue has slots */
#define TEST_COMMANDS	100u
/* Their shares are more than the slots for processes: each worker is a process of its own */
#define TEST_CALLERS	12u
#define TEST_ROUNDS	20u

static struct ornic_dev *test_odev(struct kunit *test)
{
	struct verbs *v = test->priv;

	return to_ornic_ib_dev(v->ibdev)->odev;
}

static struct ornic_cmd_req *test_reqs(struct kunit *test)
{
	struct ornic_cmd_req *reqs = kunit_kcalloc(test, TEST_COMMANDS, sizeof(*reqs),
						   GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, reqs);
	return reqs;
}

/* [ORNIC-ADM-3] Slots, inputs and outputs are used again */
static void ornic_test_cmds_have_their_own_answers(struct kunit *test)
{
	static const struct ornic_query_stats_in bad = { .scope = cpu_to_le32(99) };
	struct ornic_query_device_out *device;
	struct ornic_query_port_out port[2] = {};
	struct ornic_cmd_req *reqs = test_reqs(test);
	u32 i;

	device = kunit_kcalloc(test, TEST_COMMANDS, sizeof(*device), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, device);

	/* Answers of different lengths, and refusals between them */
	for (i = 0; i < TEST_COMMANDS; i++) {
		reqs[i] = (struct ornic_cmd_req) {
			.opcode = ORNIC_CMD_QUERY_DEVICE,
			.out = &device[i],
			.out_len = sizeof(device[i]),
		};
		if (i % 3 == 1)
			reqs[i] = (struct ornic_cmd_req) {
				.opcode = ORNIC_CMD_QUERY_STATS,
				.in = &bad,
				.in_len = sizeof(bad),
			};
		if (i % 50 == 2)
			reqs[i] = (struct ornic_cmd_req) {
				.opcode = ORNIC_CMD_QUERY_PORT,
				.out = &port[i / 50],
				.out_len = sizeof(port[0]),
			};
	}

	ornic_cmd_exec_all(test_odev(test), reqs, TEST_COMMANDS);
	for (i = 0; i < TEST_COMMANDS; i++) {
		if (reqs[i].opcode == ORNIC_CMD_QUERY_STATS) {
			KUNIT_EXPECT_EQ(test, reqs[i].err, -EINVAL);
			continue;
		}
		KUNIT_EXPECT_EQ(test, reqs[i].err, 0);
		if (reqs[i].opcode == ORNIC_CMD_QUERY_DEVICE)
			KUNIT_EXPECT_MEMEQ(test, &device[i], &device[0], sizeof(device[0]));
	}
	KUNIT_EXPECT_NE(test, le32_to_cpu(device[0].max_pd), 0);
	KUNIT_EXPECT_MEMEQ(test, port[0].mac, port[1].mac, sizeof(port[0].mac));
	KUNIT_EXPECT_NE(test, le32_to_cpu(port[1].max_mtu), 0);
}

struct test_caller {
	struct work_struct work;
	struct ornic_dev *odev;
	struct ornic_cmd_req reqs[TEST_COMMANDS];
	u32 failed;
};

static void test_caller_run(struct work_struct *work)
{
	struct test_caller *caller = container_of(work, struct test_caller, work);
	u32 round, i;

	for (round = 0; round < TEST_ROUNDS; round++) {
		ornic_cmd_exec_all(caller->odev, caller->reqs, TEST_COMMANDS);
		for (i = 0; i < TEST_COMMANDS; i++)
			caller->failed += !!caller->reqs[i].err;
	}
}

/* Each holds slots while it wants more: they must not wait for each other */
static void ornic_test_cmds_of_several_callers(struct kunit *test)
{
	struct test_caller *callers;
	u32 i, j;

	callers = kunit_kcalloc(test, TEST_CALLERS, sizeof(*callers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, callers);

	for (i = 0; i < TEST_CALLERS; i++) {
		callers[i].odev = test_odev(test);
		for (j = 0; j < TEST_COMMANDS; j++)
			callers[i].reqs[j].opcode = ORNIC_CMD_NOP;
		INIT_WORK(&callers[i].work, test_caller_run);
		queue_work(system_dfl_wq, &callers[i].work);
	}
	for (i = 0; i < TEST_CALLERS; i++)
		flush_work(&callers[i].work);
	for (i = 0; i < TEST_CALLERS; i++)
		KUNIT_EXPECT_EQ(test, callers[i].failed, 0);
}

/* [ORNIC-OBJ-13] The driver gives no number to two owners */
static void ornic_test_pds_have_numbers_below_the_limit(struct kunit *test)
{
	struct ornic_dev *odev = test_odev(test);
	u32 pdns[16], i, j;

	for (i = 0; i < ARRAY_SIZE(pdns); i++) {
		KUNIT_ASSERT_EQ(test, ornic_pd_alloc(odev, &pdns[i]), 0);
		KUNIT_EXPECT_LT(test, pdns[i], odev->lim.max_pd);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, pdns[i], pdns[j]);
	}
	while (i--)
		ornic_pd_free(odev, pdns[i]);
}

static struct kunit_case ornic_cmds_cases[] = {
	KUNIT_CASE(ornic_test_cmds_have_their_own_answers),
	KUNIT_CASE(ornic_test_cmds_of_several_callers),
	KUNIT_CASE(ornic_test_pds_have_numbers_below_the_limit),
	{}
};

static struct kunit_suite ornic_cmds_suite = {
	.name = "ornic_cmds",
	.init = verbs_init,
	.exit = verbs_exit,
	.test_cases = ornic_cmds_cases,
};

kunit_test_suite(ornic_cmds_suite);
