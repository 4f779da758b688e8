// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of a card */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/stats.h"
#include "env/env.h"

#define STATS_NAME(name)	#name,

static const char *const stats_port_names[] = { ORNIC_PORT_STATS(STATS_NAME) };
static const char *const stats_rdma_names[] = { ORNIC_RDMA_STATS(STATS_NAME) };
static const char *const stats_device_names[] = {
	ORNIC_DEVICE_STATS(STATS_NAME)
};

void stats_violation(struct stats *stats, struct env *env,
		     enum ornic_device_stat stat, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	stats->device[stat]++;
	if (stats->logged[stat] >= STATS_LOG_MAX)
		return;
	stats->logged[stat]++;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	env_log(env, ENV_LOG_DEBUG, "%s: %s", stats_device_names[stat], text);
}

void stats_reset(struct stats *stats)
{
	memset(stats->port, 0, sizeof(stats->port));
	memset(stats->rdma, 0, sizeof(stats->rdma));
	memset(stats->set, 0, sizeof(stats->set));
	memset(stats->device, 0, sizeof(stats->device));
}

static void stats_tell_group(stat_fn fn, void *arg, const char *group,
			     const char *const *names, const uint64_t *val,
			     unsigned int count)
{
	char name[64];
	unsigned int i;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s.%s", group, names[i]);
		fn(arg, name, val[i]);
	}
}

void stats_tell(const struct stats *stats, stat_fn fn, void *arg)
{
	stats_tell_group(fn, arg, "port", stats_port_names, stats->port,
			 ORNIC_PORT_STAT_COUNT);
	stats_tell_group(fn, arg, "rdma", stats_rdma_names, stats->rdma,
			 ORNIC_RDMA_STAT_COUNT);
	stats_tell_group(fn, arg, "device", stats_device_names, stats->device,
			 ORNIC_DEVICE_STAT_COUNT);
}
