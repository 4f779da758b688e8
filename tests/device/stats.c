// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of a card */
#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "counters.h"
#include "engine.h"

#define STATS_NAME(name)	#name,
#define STATS_OUT_MAX		(ORNIC_CMD_MAX_OUT / sizeof(__le64))

static const char *const stats_port_names[] = { ORNIC_PORT_STATS(STATS_NAME) };
static const char *const stats_rdma_names[] = { ORNIC_RDMA_STATS(STATS_NAME) };
static const char *const stats_device_names[] = {
	ORNIC_DEVICE_STATS(STATS_NAME)
};

void stats_violation(struct nic *nic, enum ornic_device_stat stat,
		     const char *fmt, ...)
{
	struct stats *stats = &nic->stats;
	char text[256];
	va_list ap;

	stats->device[stat]++;
	if (stats->logged[stat] >= STATS_LOG_MAX)
		return;
	stats->logged[stat]++;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	env_log(nic->env, ENV_LOG_DEBUG, "%s: %s",
		stats_device_names[stat], text);
}

void stats_reset(struct nic *nic)
{
	struct stats *stats = &nic->stats;

	memset(stats->port, 0, sizeof(stats->port));
	memset(stats->rdma, 0, sizeof(stats->rdma));
	memset(stats->device, 0, sizeof(stats->device));
}

enum ornic_cmd_status stats_cmd_query(struct nic *nic, struct cmd *cmd)
{
	const struct ornic_query_stats_in *in = cmd->in;
	uint32_t scope = le32toh(in->scope);
	uint32_t num = le32toh(in->num);
	uint64_t qp_counters[STATS_OUT_MAX];
	const struct counters *counters;
	const uint64_t *from;
	__le64 *to = cmd->out;
	int count, i;

	if (num && scope != ORNIC_STATS_QP && scope != ORNIC_STATS_COUNTERS)
		return ORNIC_CMD_BAD_PARAM;
	switch (scope) {
	case ORNIC_STATS_PORT:
		from = nic->stats.port;
		count = ORNIC_PORT_STAT_COUNT;
		break;
	case ORNIC_STATS_RDMA:
		from = nic->stats.rdma;
		count = ORNIC_RDMA_STAT_COUNT;
		break;
	case ORNIC_STATS_QP:
		from = qp_counters;
		count = qp_stats(nic, num, qp_counters, STATS_OUT_MAX);
		if (count < 0)
			return ORNIC_CMD_BAD_OBJECT;
		break;
	case ORNIC_STATS_DEVICE:
		from = nic->stats.device;
		count = ORNIC_DEVICE_STAT_COUNT;
		break;
	case ORNIC_STATS_COUNTERS:
		counters = counters_find(nic, num);
		if (!counters)
			return ORNIC_CMD_BAD_OBJECT;
		from = counters->val;
		count = ORNIC_COUNTERS_STAT_COUNT;
		break;
	default:
		return ORNIC_CMD_BAD_PARAM;
	}
	for (i = 0; i < count; i++)
		to[i] = htole64(from[i]);
	cmd->out_len = count * sizeof(*to);
	return ORNIC_CMD_OK;
}

static void stats_tell_group(nic_stat_fn fn, void *arg, const char *group,
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

void stats_tell(const struct nic *nic, nic_stat_fn fn, void *arg)
{
	stats_tell_group(fn, arg, "port", stats_port_names, nic->stats.port,
			 ORNIC_PORT_STAT_COUNT);
	stats_tell_group(fn, arg, "rdma", stats_rdma_names, nic->stats.rdma,
			 ORNIC_RDMA_STAT_COUNT);
	stats_tell_group(fn, arg, "device", stats_device_names,
			 nic->stats.device, ORNIC_DEVICE_STAT_COUNT);
	fn(arg, "objects.uctx", nic->uctxs.count);
	fn(arg, "objects.pd", nic->pds.count);
	fn(arg, "objects.mr", nic->mrs.count);
	fn(arg, "objects.eq", nic->eqs.count);
	fn(arg, "objects.cq", nic->cqs.count);
	fn(arg, "objects.qp", nic->qps.count);
	fn(arg, "objects.srq", nic->srqs.count);
	fn(arg, "objects.xrcd", nic->xrcds.count);
	fn(arg, "objects.rwq_table", nic->rwqs.count);
	fn(arg, "objects.flow", nic->flows.count);
	fn(arg, "objects.counters", nic->counters.count);
	fn(arg, "fatal_cause", nic->fatal);
}
