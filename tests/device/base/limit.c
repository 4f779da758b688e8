// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Limits that a card reports and does not have, to test a driver */
#include <endian.h>
#include <string.h>

#include "base/config.h"
#include "base/limit.h"
#include "env/list.h"

#define LIMIT(name) { #name, offsetof(struct ornic_query_device_out, name) }

/* Those that a driver checks ([ORNIC-DEV-6], [ORNIC-ORD-8], [ORNIC-FLOW-2]); each has 32 bits */
static const struct {
	const char *name;
	size_t offset;
} limits[] = {
	LIMIT(max_eq),	     LIMIT(max_eqe),	  LIMIT(max_cqe),
	LIMIT(max_sq_slots), LIMIT(max_rq_wqes),  LIMIT(max_srq_wqes),
	LIMIT(sq_ci_lag),    LIMIT(rq_ci_lag),	  LIMIT(max_rwq_table_size),
	LIMIT(max_tso),	     LIMIT(needs),	  LIMIT(parse_bytes),
	LIMIT(parse_tags),   LIMIT(parse_exts),
};

bool limit_find(const char *name, size_t *offset)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		*offset = limits[i].offset;
		if (!strcmp(name, limits[i].name))
			return true;
	}
	return false;
}

void limit_report(const struct card_limits *set,
		  struct ornic_query_device_out *out)
{
	unsigned int i;
	__le32 value;

	for (i = 0; i < set->count; i++) {
		value = htole32(set->limit[i].value);
		memcpy((char *)out + set->limit[i].offset, &value,
		       sizeof(value));
	}
}
