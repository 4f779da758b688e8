// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Fault injection on the wire */
#include <string.h>

#include "fault.h"

#define SEED 0x9e3779b97f4a7c15ULL

void fault_init(struct fault *fault)
{
	memset(fault, 0, sizeof(*fault));
	fault_seed(fault, 0);
}

void fault_seed(struct fault *fault, uint64_t seed)
{
	/* The product of odd numbers is odd: never 0, the state that never changes */
	fault->random = (2 * seed + 1) * SEED;
}

const char *fault_name(enum fault_kind kind)
{
	static const char *const names[FAULT_KINDS] = {
#define F(id, name) [FAULT_##id] = name,
		FAULTS(F)
#undef F
	};

	return names[kind];
}

/* Marsaglia's xorshift64*; its high bits are the good ones */
uint32_t fault_number(struct fault *fault, uint32_t below)
{
	fault->random ^= fault->random >> 12;
	fault->random ^= fault->random << 25;
	fault->random ^= fault->random >> 27;
	return (fault->random * 0x2545f4914f6cdd1dULL >> 32) * below >> 32;
}
