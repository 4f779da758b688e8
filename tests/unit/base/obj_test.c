// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tables of objects */
#include "base/obj.h"
#include "host.h"

#define LOG_SIZE 6
#define SIZE (1u << LOG_SIZE)
#define GENS 7

TEST_VOID(test_obj_numbers_skip_the_first)
{
	struct obj_table table;
	struct obj obj[6];
	unsigned int i;

	assert_int_equal(obj_table_init(&table, 3, 0, 2, NULL), 0);
	assert_int_equal(table.max, 6);
	for (i = 0; i < 6; i++) {
		assert_int_equal(obj_add(&table, &obj[i]), 0);
		assert_int_equal(obj[i].num, i + 2);
	}
	assert_int_equal(obj_add(&table, &obj[0]), -ENOSPC);
	assert_null(obj_find(&table, 0));
	assert_null(obj_find(&table, 8));
	assert_ptr_equal(obj_find(&table, 7), &obj[5]);
	obj_table_uninit(&table);
}

TEST_VOID(test_obj_stale_number_finds_nothing)
{
	struct obj_table table;
	struct obj obj;
	uint32_t stale;

	assert_int_equal(obj_table_init(&table, 1, 2, 1, NULL), 0);
	obj_add(&table, &obj);
	stale = obj.num;
	obj_remove(&table, &obj);
	assert_null(obj_find(&table, stale));
	obj_add(&table, &obj);
	assert_int_not_equal(obj.num, stale);
	assert_int_equal(obj.num & 1, stale & 1);
	assert_null(obj_find(&table, stale));
	assert_ptr_equal(obj_find(&table, obj.num), &obj);
	obj_table_uninit(&table);
}

TEST_VOID(test_obj_number_is_never_all_ones)
{
	struct obj_table table;
	struct obj obj;
	unsigned int i;

	assert_int_equal(obj_table_init(&table, 1, 2, 1, NULL), 0);
	for (i = 0; i < 100; i++) {
		obj_add(&table, &obj);
		assert_int_not_equal(obj.num, 7);
		obj_remove(&table, &obj);
	}
	obj_table_uninit(&table);
}

TEST_VOID(test_obj_freed_index_waits_behind_all_others)
{
	struct obj_table table;
	struct obj obj;
	uint32_t first;
	unsigned int i;

	assert_int_equal(obj_table_init(&table, 4, 0, 0, NULL), 0);
	obj_add(&table, &obj);
	first = obj.num;
	obj_remove(&table, &obj);
	for (i = 1; i < 16; i++) {
		obj_add(&table, &obj);
		assert_int_not_equal(obj.num, first);
		obj_remove(&table, &obj);
	}
	obj_add(&table, &obj);
	assert_int_equal(obj.num, first);
	obj_table_uninit(&table);
}

TEST_VOID(test_obj_at_takes_reserved_indexes_only_once)
{
	struct obj_table table;
	struct obj a, b;

	assert_int_equal(obj_table_init(&table, 2, 0, 1, NULL), 0);
	assert_int_equal(obj_add_at(&table, &a, 0), 0);
	assert_int_equal(obj_add_at(&table, &b, 0), -EEXIST);
	obj_remove(&table, &a);
	assert_int_equal(obj_add_at(&table, &b, 0), 0);
	/* The reserved index must not enter the queue of free ones */
	obj_remove(&table, &b);
	assert_int_equal(obj_add(&table, &a), 0);
	assert_int_equal(a.num, 1);
	obj_table_uninit(&table);
}

TEST_VOID(test_obj_each_survives_removal)
{
	struct obj_table table;
	struct obj obj[4];
	struct obj *found;
	uint32_t i;
	unsigned int count = 0;

	assert_int_equal(obj_table_init(&table, 3, 0, 0, NULL), 0);
	for (i = 0; i < 4; i++)
		obj_add(&table, &obj[i]);
	i = 0;
	while ((found = obj_each(&table, &i))) {
		obj_remove(&table, found);
		count++;
	}
	assert_int_equal(count, 4);
	assert_int_equal(table.count, 0);
	obj_table_uninit(&table);
}

/* A reset walks every table, so an empty one must be skipped at once */
TEST_VOID(test_obj_each_does_not_look_through_an_empty_table)
{
	struct obj_table table;
	struct obj stray;
	uint32_t i = 0;

	assert_int_equal(obj_table_init(&table, 3, 0, 0, NULL), 0);
	table.slot[7] = &stray;
	assert_null(obj_each(&table, &i));
	assert_int_equal(i, 0);
	obj_table_uninit(&table);
}

/* An environment whose random numbers are the low end, the high end, or a series */
struct dice {
	struct env env;
	uint64_t next;
	uint64_t step;
};

static uint64_t dice_random(struct env *env)
{
	struct dice *dice = container_of(env, struct dice, env);

	dice->next += dice->step;
	return dice->next;
}

static const struct env_ops dice_ops = { .random = dice_random };

/* Fill a table and write down its numbers */
static void roll(uint64_t first, uint64_t step, uint32_t *nums)
{
	struct dice dice = { .env.ops = &dice_ops, .next = first, .step = step };
	struct obj_table table;
	struct obj obj[SIZE];
	unsigned int i;

	assert_int_equal(obj_table_init(&table, LOG_SIZE, 3, 2, &dice.env), 0);
	for (i = 0; i < table.max; i++) {
		assert_int_equal(obj_add(&table, &obj[i]), 0);
		nums[i] = obj[i].num;
	}
	assert_int_equal(obj_add(&table, &obj[i]), -ENOSPC);
	/* Each index was given once, none of the first, no generation of ones */
	for (i = 0; i < table.max; i++) {
		assert_ptr_equal(obj_find(&table, nums[i]), &obj[i]);
		assert_in_range(nums[i] % SIZE, 2, SIZE - 1);
		assert_in_range(nums[i] / SIZE, 0, GENS - 1);
	}
	obj_table_uninit(&table);
}

/* [ORNIC-OBJ-5] */
TEST_VOID(test_obj_numbers_depend_on_random_bits_only)
{
	uint32_t a[SIZE], b[SIZE];
	unsigned int i, same = 0, steps = 0;

	roll(0, 0x9e3779b97f4a7c15ULL, a);
	roll(0, 0xd1342543de82ef95ULL, b);
	for (i = 0; i < SIZE - 2; i++)
		same += a[i] == b[i];
	for (i = 1; i < SIZE - 2; i++)
		steps += a[i] % SIZE == a[i - 1] % SIZE + 1;
	assert_in_range(same, 0, SIZE / 4);
	assert_in_range(steps, 0, SIZE / 4);
	/* The ends of the range of random numbers keep inside the table */
	roll(0, 0, a);
	roll(UINT64_MAX, 0, b);
	for (i = 0; i < SIZE - 2; i++)
		assert_int_equal(a[i], i + 2);
	assert_int_equal(b[0] % SIZE, 2 + (SIZE - 2 - 1) / 2);
	assert_int_equal(b[0] / SIZE, GENS - 2);
}

/* [ORNIC-OBJ-4], [ORNIC-OBJ-2] with random numbers */
TEST_VOID(test_obj_random_number_is_not_given_again_soon)
{
	struct dice dice = { .env.ops = &dice_ops,
			     .step = 0x9e3779b97f4a7c15ULL };
	struct obj_table table;
	uint32_t last[SIZE], when[SIZE];
	struct obj obj;
	uint32_t index;
	unsigned int i;

	assert_int_equal(obj_table_init(&table, LOG_SIZE, 3, 0, &dice.env), 0);
	memset(last, 0xff, sizeof(last));
	for (i = 0; i < 100 * SIZE; i++) {
		obj_add(&table, &obj);
		index = obj.num % SIZE;
		if (last[index] != UINT32_MAX) {
			assert_int_not_equal(obj.num, last[index]);
			assert_in_range(i - when[index], SIZE / 2, UINT32_MAX);
		}
		last[index] = obj.num;
		when[index] = i;
		obj_remove(&table, &obj);
	}
	obj_table_uninit(&table);
}

/* The first numbers of a card: of a QP and an SRQ, and the index of a key */
static void first_numbers(uint64_t random, uint32_t *nums)
{
	struct host *host = host_create(true, 1);
	uint32_t uctx, pdn;
	struct host_queue eq, cq;
	struct host_qp qp, srq;

	host->random = random;
	host_enable(host);
	uctx = host_uctx(host, ORNIC_UCTX_KERNEL, 0);
	pdn = host_pd(host);
	host_eq(host, &eq, 1, 6);
	host_cq(host, &cq, uctx, eq.num, 6, 5);
	host_qp(host, &qp, ORNIC_QPT_RC, uctx, pdn, &cq, 0);
	host_srq(host, &srq, pdn, 0, 0, 0);
	nums[0] = qp.num;
	nums[1] = srq.num;
	nums[2] = host_mr(host, pdn, HOST_RAM_BASE, HOST_PAGE,
			  ORNIC_ACCESS_LOCAL_WRITE) >> 8;
	host_destroy(host);
}

/* [ORNIC-OBJ-5] */
TEST_VOID(test_obj_numbers_of_a_card)
{
	uint32_t ordered[3], a[3], b[3];
	unsigned int i;

	first_numbers(0, ordered);
	first_numbers(HOST_RANDOM, a);
	first_numbers(HOST_RANDOM * 3, b);
	assert_int_equal(ordered[0], CARD_QP_FIRST);
	for (i = 0; i < 3; i++) {
		assert_int_not_equal(a[i], ordered[i]);
		assert_int_not_equal(b[i], ordered[i]);
		assert_int_not_equal(a[i], b[i]);
		assert_in_range(a[i], 1, 0xfffffe);
	}
}

TEST_MAIN("obj")
