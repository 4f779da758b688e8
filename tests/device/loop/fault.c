// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Fault injection on the wire */
#include <string.h>

#include "loop/fault.h"

void fault_init(struct fault *fault)
{
	memset(fault, 0, sizeof(*fault));
	rng_seed(&fault->rng, 0);
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
