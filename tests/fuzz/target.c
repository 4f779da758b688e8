// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Start of a fuzz target, the same for all of them */
#include <stdlib.h>

#include "target.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* cmocka's functions abort, outside of its tests too */
	setenv("CMOCKA_TEST_ABORT", "1", 1);
	target_init();
	return 0;
}
