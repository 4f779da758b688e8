// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs inputs without libFuzzer, which needs clang. Prints what cmocka prints,
 * with an input in place of a test.
 *
 * usage: NAME FILE...
 *        NAME --random COUNT BYTES
 *
 * Random inputs may be much longer than those of libFuzzer, so they reach states
 * that take many steps. Input i is that of ORNIC_SEED + i, 1 by default.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target.h"

#define INPUT_MAX (1 << 20)
/* Seconds for one input, which takes milliseconds unless the machine is busy */
#define INPUT_SECONDS 60

static uint8_t *input_alloc(void)
{
	uint8_t *data = malloc(INPUT_MAX);

	if (!data)
		abort();
	return data;
}

/* Run an input and free it */
static void run(uint8_t *data, size_t len)
{
	/* The exact size, so that AddressSanitizer sees reads behind it */
	data = realloc(data, len ? len : 1);
	alarm(INPUT_SECONDS);
	LLVMFuzzerTestOneInput(data, len);
	alarm(0);
	free(data);
}

static bool replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;

	if (!file) {
		perror(path);
		return false;
	}
	data = input_alloc();
	run(data, fread(data, 1, INPUT_MAX, file));
	fclose(file);
	return true;
}

static void run_random(unsigned long seed, size_t len)
{
	uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
	uint8_t *data = input_alloc();
	size_t i;

	for (i = 0; i < len; i++) {
		/* xorshift64* (Vigna 2016) */
		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		data[i] = state * 0x2545f4914f6cdd1dULL >> 56;
	}
	run(data, len);
}

/* The last line names the input that ends the program */
static void announce(const char *name)
{
	printf("[ RUN      ] %s\n", name);
	fflush(stdout);
}

static void random_inputs(int count, size_t len)
{
	const char *text = getenv("ORNIC_SEED");
	unsigned long seed = text ? strtoul(text, NULL, 0) : 1;
	char name[64];
	int i;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "ORNIC_SEED=%lu: %zu bytes",
			 seed + i, len);
		announce(name);
		run_random(seed + i, len);
	}
}

int main(int argc, char **argv)
{
	bool is_random = argc == 4 && !strcmp(argv[1], "--random");
	int i, count = is_random ? atoi(argv[2]) : argc - 1;
	size_t len = is_random ? strtoul(argv[3], NULL, 0) : 0;
	const char *name = strrchr(argv[0], '/');
	const char *kind = is_random ? "-random" : "";

	if (count < 1 || len > INPUT_MAX) {
		fprintf(stderr, "usage: %s FILE... | --random COUNT BYTES\n",
			argv[0]);
		return 2;
	}
	name = name ? name + 1 : argv[0];
	printf("[==========] %s%s: Running %d test(s).\n", name, kind, count);
	LLVMFuzzerInitialize(&argc, &argv);
	if (is_random)
		random_inputs(count, len);
	for (i = 1; !is_random && i < argc; i++) {
		announce(argv[i]);
		if (!replay(argv[i]))
			return 1;
	}
	printf("[==========] %s%s: %d test(s) run.\n", name, kind, count);
	printf("[  PASSED  ] %d test(s).\n", count);
	return 0;
}
