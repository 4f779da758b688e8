// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Numbers in options and requests */
#include <errno.h>
#include <stdlib.h>

#include "env/number.h"

bool number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	unsigned long long value;
	char *end;

	/* strtoull() accepts blanks and signs */
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || value < min || value > max)
		return false;
	*out = value;
	return true;
}
