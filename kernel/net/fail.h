/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Stopping a device that has failed */
#ifndef ORNIC_FAIL_H
#define ORNIC_FAIL_H

#include <linux/compiler_attributes.h>

struct ornic_core;

__printf(2, 3) void ornic_fail(struct ornic_core *core, const char *fmt, ...);

#endif /* ORNIC_FAIL_H */
