// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs one of the tests with which it is linked. All are one program, because
 * linking each of them with the card takes longer than running it. The Makefile
 * gives their functions main() the names of the files.
 *
 * usage: tests NAME
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int (*test)(void) = NULL;

	if (argc == 2)
		test = (int (*)(void))dlsym(RTLD_DEFAULT, argv[1]);
	if (!test) {
		fprintf(stderr, "usage: %s NAME, which is a file without .c\n",
			argv[0]);
		return 2;
	}
	return test();
}
