/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What every cmocka test includes, in the order that cmocka.h wants. */
#ifndef ORNIC_UNIT_UNIT_H
#define ORNIC_UNIT_UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif /* ORNIC_UNIT_UNIT_H */
