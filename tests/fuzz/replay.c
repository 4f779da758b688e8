// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs inputs without libFuzzer, which needs clang. Prints what cmocka prints,
 * with a file in place of a test.
 *
 * usage: NAME FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target.h"

#define INPUT_MAX (1 << 20)
/* Seconds for one input, which takes milliseconds unless the machine is busy */
#define INPUT_SECONDS 60

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(INPUT_MAX);
	size_t len;

	if (!file || !data) {
		perror(path);
		return 1;
	}
	len = fread(data, 1, INPUT_MAX, file);
	fclose(file);
	/* The exact size, so that AddressSanitizer sees reads behind it */
	data = realloc(data, len ? len : 1);
	alarm(INPUT_SECONDS);
	LLVMFuzzerTestOneInput(data, len);
	alarm(0);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	int i;

	name = name ? name + 1 : argv[0];
	printf("[==========] %s: Running %d test(s).\n", name, argc - 1);
	LLVMFuzzerInitialize(&argc, &argv);
	for (i = 1; i < argc; i++) {
		/* The last line names the input that ends the program */
		printf("[ RUN      ] %s\n", argv[i]);
		fflush(stdout);
		if (replay(argv[i]))
			return 1;
	}
	printf("[==========] %s: %d test(s) run.\n", name, argc - 1);
	printf("[  PASSED  ] %d test(s).\n", argc - 1);
	return 0;
}
