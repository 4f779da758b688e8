/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Profiles of a device and their mandatory sets */
#ifndef ORNIC_PROFILE_H
#define ORNIC_PROFILE_H

#include <linux/types.h>

struct ornic_core;
struct ornic_query_device_out;

u32 ornic_profile_check(struct ornic_core *core, const struct ornic_query_device_out *out);
const char *ornic_profile_lack(const struct ornic_core *core, u32 profile);

#endif /* ORNIC_PROFILE_H */
