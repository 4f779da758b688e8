// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* main() of the programs that only have cases */
#include "verbs.h"

int main(int argc, char **argv)
{
	return run_cases(argc, argv);
}
