/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Includes of every cmocka test, in the order that cmocka.h requires */
#ifndef ORNIC_UNIT_UNIT_H
#define ORNIC_UNIT_UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef main
/* The Makefile renames it: tests.c calls that of the test by its name */
int main(void);
#endif

/* main() of a file of tests: the name of the group, and a struct CMUnitTest for each test */
#define UNIT_MAIN(group, ...) \
	int main(void) \
	{ \
		const struct CMUnitTest tests[] = { __VA_ARGS__ }; \
	\
		return cmocka_run_group_tests_name(group, tests, NULL, NULL); \
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
