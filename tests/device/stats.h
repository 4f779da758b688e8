/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of a card, in the order of the lists in ornic_hw_cmd.h, and the log
 * messages about violations.
 */
#ifndef ORNIC_DEVICE_STATS_H
#define ORNIC_DEVICE_STATS_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "nic.h"

struct cmd;

/* Log messages per kind of violation; later ones are only counted */
#define STATS_LOG_MAX 16

/**
 * struct stats - counters of a card since its reset
 * @port: Ethernet side, all frames
 * @rdma: RoCE side
 * @device: violations and other events of the device scope
 * @logged: messages written per counter of @device; survives a reset, so that a
 *	guest cannot fill a disk
 */
struct stats {
	uint64_t port[ORNIC_PORT_STAT_COUNT];
	uint64_t rdma[ORNIC_RDMA_STAT_COUNT];
	uint64_t device[ORNIC_DEVICE_STAT_COUNT];
	uint8_t logged[ORNIC_DEVICE_STAT_COUNT];
};

/* RDMA_STAT_INC(nic, rx_packets), PORT_STAT_ADD(nic, rx_bytes, n) */
#define STAT_PORT(name)		port[ORNIC_PORT_STAT_##name]
#define STAT_RDMA(name)		rdma[ORNIC_RDMA_STAT_##name]
#define STAT_DEVICE(name)	device[ORNIC_DEVICE_STAT_##name]

#define PORT_STAT_ADD(nic, name, n)	((nic)->stats.STAT_PORT(name) += (n))
#define PORT_STAT_INC(nic, name)	PORT_STAT_ADD(nic, name, 1)
#define RDMA_STAT_ADD(nic, name, n)	((nic)->stats.STAT_RDMA(name) += (n))
#define RDMA_STAT_INC(nic, name)	RDMA_STAT_ADD(nic, name, 1)
#define DEVICE_STAT_INC(nic, name)	((nic)->stats.STAT_DEVICE(name)++)

/**
 * stats_violation - count and log a violation
 * @nic: the card
 * @stat: counter of the violation
 * @fmt: details as for printf(), such as object number and value; no newline
 *
 * Logs the first STATS_LOG_MAX messages per kind, and only with -v.
 */
void stats_violation(struct nic *nic, enum ornic_device_stat stat,
		     const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* DEVICE_VIOLATION(nic, bad_lkey, "qp[%u]: key %#x", qpn, key) */
#define DEVICE_VIOLATION(nic, name, ...) \
	stats_violation(nic, ORNIC_DEVICE_STAT_##name, __VA_ARGS__)

/**
 * stats_reset - set all counters to 0 at reset
 * @nic: the card
 */
void stats_reset(struct nic *nic);

/**
 * stats_cmd_query - execute QUERY_STATS
 * @nic: the card
 * @cmd: the command
 *
 * qp_stats() answers ORNIC_STATS_QP; ORNIC_STATS_COUNTERS reads the object.
 *
 * Return: status of the command.
 */
enum ornic_cmd_status stats_cmd_query(struct nic *nic, struct cmd *cmd);

/**
 * stats_tell - report all counters, for nic_stats()
 * @nic: the card
 * @fn: called for each
 * @arg: passed to @fn
 */
void stats_tell(const struct nic *nic, nic_stat_fn fn, void *arg);

#endif /* ORNIC_DEVICE_STATS_H */
