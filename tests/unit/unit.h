/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What every cmocka test includes, in the order that cmocka.h wants. */
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

/**
 * unit_seed - where random numbers begin
 *
 * ORNIC_SEED in the environment gives another number; it is printed, so that a
 * failure can be repeated.
 *
 * Return: the same number for each call.
 */
static inline unsigned long unit_seed(void)
{
	const char *text = getenv("ORNIC_SEED");
	unsigned long seed = text ? strtoul(text, NULL, 0) : 1;

	print_message("ORNIC_SEED=%lu\n", seed);
	return seed;
}

#endif /* ORNIC_UNIT_UNIT_H */
