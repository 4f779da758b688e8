/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Includes of every cmocka test, in the order that cmocka.h requires */
#ifndef ORNIC_UNIT_UNIT_H
#define ORNIC_UNIT_UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef main
/* The Makefile renames it: tests.c calls that of the test by its name */
int main(void);
#endif

/**
 * struct unit_fixture - what a test runs in
 * @name: follows the name of the test, to tell its runs apart, or NULL
 * @setup: called before the test, or NULL
 * @teardown: called after it, or NULL
 * @state: initial state, for @setup
 */
struct unit_fixture {
	const char *name;
	CMFixtureFunction setup;
	CMFixtureFunction teardown;
	const void *state;
};

/**
 * struct unit_test - a test
 * @next: the next one in the file
 * @line: its line
 * @name: its name
 * @run: its function
 * @in: its fixtures; the first is an empty one, for a test without any
 * @count: number of @in
 */
struct unit_test {
	struct unit_test *next;
	unsigned int line;
	const char *name;
	CMUnitTestFunction run;
	const struct unit_fixture *in;
	unsigned int count;
};

/* The tests of the file that includes this one, by line */
static inline struct unit_test **unit_tests(void)
{
	static struct unit_test *first;

	return &first;
}

/* The order in which a compiler places constructors is not that of the file */
static inline void unit_add(struct unit_test *test)
{
	struct unit_test **at = unit_tests();

	while (*at && (*at)->line < test->line)
		at = &(*at)->next;
	test->next = *at;
	*at = test;
}

/*
 * TEST(name, argument, fixture, ...) begins a test, which runs in each of the
 * fixtures and gets what their setup() has left in the state; TEST_VOID() is
 * for a test that does not need that. Both add the test to those of its file,
 * as TEST_F() of Linux's kselftest_harness.h, so that no list repeats the names.
 */
#define TEST(_name, _argument, ...) \
	static void _name(_argument); \
	UNIT_TEST(_name, _name(*state), ##__VA_ARGS__) \
	static void _name(_argument)
#define TEST_VOID(_name, ...) \
	static void _name(void); \
	UNIT_TEST(_name, _name(), ##__VA_ARGS__) \
	static void _name(void)
#define UNIT_TEST(_name, _call, ...) \
	static void _name##_run(void **state) \
	{ \
		_call; \
	} \
	static __attribute__((constructor)) void _name##_add(void) \
	{ \
		static const struct unit_fixture fixtures[] = { { .name = NULL }, ##__VA_ARGS__ }; \
		static struct unit_test itself = { \
			.line = __LINE__, .name = #_name, .run = _name##_run, .in = fixtures, \
			.count = sizeof(fixtures) / sizeof(fixtures[0]), \
		}; \
	\
		unit_add(&itself); \
	}

/* Fixtures: two functions; setup() and teardown() of the file */
#define IN(_setup, _teardown) { .setup = _setup, .teardown = _teardown }
#define IN_OWN IN(setup, teardown)

/* Run the tests of the file; return the number of failures */
static inline int unit_run(const char *group)
{
	struct CMUnitTest *tests = NULL;
	const struct unit_test *test;
	unsigned int count = 0, i;
	char *name;
	int failed;

	for (test = *unit_tests(); test; test = test->next) {
		for (i = test->count > 1; i < test->count; i++) {
			const struct unit_fixture *in = &test->in[i];

			tests = realloc(tests, (count + 1) * sizeof(*tests));
			if (!tests || asprintf(&name, "%s%s", test->name, in->name ?: "") < 0)
				abort();
			tests[count++] = (struct CMUnitTest){
				.name = name, .test_func = test->run, .setup_func = in->setup,
				.teardown_func = in->teardown,
				.initial_state = (void *)(uintptr_t)in->state,
			};
		}
	}
	failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
	while (count)
		free((void *)(uintptr_t)tests[--count].name);
	free(tests);
	return failed;
}

/* main() of a file of tests */
#define TEST_MAIN(group) \
	int main(void) \
	{ \
		return unit_run(group); \
	}

/**
 * unit_seed - seed of the random numbers of a test
 *
 * ORNIC_SEED in the environment replaces the default of 1. The seed is printed
 * so that a failure can be repeated.
 *
 * Return: the seed, the same for each call.
 */
static inline unsigned long unit_seed(void)
{
	const char *text = getenv("ORNIC_SEED");
	unsigned long seed = text ? strtoul(text, NULL, 0) : 1;

	print_message("ORNIC_SEED=%lu\n", seed);
	return seed;
}

#endif /* ORNIC_UNIT_UNIT_H */
