// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fuzzing: a host that violates the interface at random. The card must survive,
 * under sanitizers, and a reset must restore it. ORNIC_SEED and FUZZ_STEPS in
 * the environment repeat and prolong a run. tests/fuzz has the same steps with
 * choices that libFuzzer makes.
 */
#include <stdio.h>

#include "fuzz.h"

#define STEPS 20000
#define STEPS_PER_CARD 400

TEST_VOID(test_card_survives)
{
	const char *text = getenv("FUZZ_STEPS");
	unsigned long steps = text ? strtoul(text, NULL, 0) : STEPS;
	unsigned long i, seed = unit_seed();
	struct fuzz f;

	print_message("FUZZ_STEPS=%lu\n", steps);
	for (i = 0; i < steps; i++) {
		if (i % STEPS_PER_CARD == 0) {
			if (i)
				host_destroy(f.host);
			fuzz_begin(&f, NULL,
				   seed * 0x9e3779b97f4a7c15ULL + i + 1, 1);
		}
		fuzz_step(&f);
	}
	host_destroy(f.host);
}

TEST_MAIN("fuzz")
