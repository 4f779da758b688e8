// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tables of objects */
#include "obj.h"
#include "unit.h"

static void test_obj_numbers_skip_the_first(void **state)
{
	struct obj_table table;
	struct obj obj[6];
	unsigned int i;

	(void)state;
	assert_int_equal(obj_table_init(&table, 3, 0, 2), 0);
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

static void test_obj_stale_number_finds_nothing(void **state)
{
	struct obj_table table;
	struct obj obj;
	uint32_t stale;

	(void)state;
	assert_int_equal(obj_table_init(&table, 1, 2, 1), 0);
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

static void test_obj_number_is_never_all_ones(void **state)
{
	struct obj_table table;
	struct obj obj;
	unsigned int i;

	(void)state;
	assert_int_equal(obj_table_init(&table, 1, 2, 1), 0);
	for (i = 0; i < 100; i++) {
		obj_add(&table, &obj);
		assert_int_not_equal(obj.num, 7);
		obj_remove(&table, &obj);
	}
	obj_table_uninit(&table);
}

static void test_obj_freed_index_waits_behind_all_others(void **state)
{
	struct obj_table table;
	struct obj obj;
	uint32_t first;
	unsigned int i;

	(void)state;
	assert_int_equal(obj_table_init(&table, 4, 0, 0), 0);
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

static void test_obj_at_takes_reserved_indexes_only_once(void **state)
{
	struct obj_table table;
	struct obj a, b;

	(void)state;
	assert_int_equal(obj_table_init(&table, 2, 0, 1), 0);
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

static void test_obj_each_survives_removal(void **state)
{
	struct obj_table table;
	struct obj obj[4];
	struct obj *found;
	uint32_t i;
	unsigned int count = 0;

	(void)state;
	assert_int_equal(obj_table_init(&table, 3, 0, 0), 0);
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
static void test_obj_each_does_not_look_through_an_empty_table(void **state)
{
	struct obj_table table;
	struct obj stray;
	uint32_t i = 0;

	(void)state;
	assert_int_equal(obj_table_init(&table, 3, 0, 0), 0);
	table.slot[7] = &stray;
	assert_null(obj_each(&table, &i));
	assert_int_equal(i, 0);
	obj_table_uninit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_obj_numbers_skip_the_first),
		cmocka_unit_test(test_obj_stale_number_finds_nothing),
		cmocka_unit_test(test_obj_number_is_never_all_ones),
		cmocka_unit_test(test_obj_freed_index_waits_behind_all_others),
		cmocka_unit_test(test_obj_at_takes_reserved_indexes_only_once),
		cmocka_unit_test(test_obj_each_survives_removal),
		cmocka_unit_test(test_obj_each_does_not_look_through_an_empty_table),
	};

	return cmocka_run_group_tests_name("obj", tests, NULL, NULL);
}
