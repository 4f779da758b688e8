/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of a card, by the lists of the hardware interface, and what is said
 * about those that count something wrong.
 */
#ifndef ORNIC_DEVICE_STATS_H
#define ORNIC_DEVICE_STATS_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "nic.h"

struct cmd;

/* Messages of one kind, after which the kind is only counted. */
#define STATS_LOG_MAX 16

/**
 * struct stats - counters of a card since its reset
 * @port: Ethernet side, all frames
 * @rdma: RoCE side
 * @device: what somebody did wrong
 * @logged: messages written, by counter of @device; not reset, for a guest
 *	could fill a disk then
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
 * stats_violation - count what somebody did wrong and say so
 * @nic: the card
 * @stat: what
 * @fmt: the particulars: object number, value seen; no newline
 *
 * Only the first messages of each kind are written, and with -v only.
 */
void stats_violation(struct nic *nic, enum ornic_device_stat stat,
		     const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* DEVICE_VIOLATION(nic, bad_lkey, "qp[%u]: key %#x", qpn, key) */
#define DEVICE_VIOLATION(nic, name, ...) \
	stats_violation(nic, ORNIC_DEVICE_STAT_##name, __VA_ARGS__)

/**
 * stats_reset - part of a reset
 * @nic: the card
 */
void stats_reset(struct nic *nic);

/**
 * stats_cmd_query - QUERY_STATS
 * @nic: the card
 * @cmd: the command
 *
 * The scope ORNIC_STATS_QP is answered by qp_stats(), ORNIC_STATS_COUNTERS by the
 * object.
 *
 * Return: status of the command.
 */
enum ornic_cmd_status stats_cmd_query(struct nic *nic, struct cmd *cmd);

/**
 * stats_tell - all counters, for nic_stats()
 * @nic: the card
 * @fn: called for each
 * @arg: for @fn
 */
void stats_tell(const struct nic *nic, nic_stat_fn fn, void *arg);

#endif /* ORNIC_DEVICE_STATS_H */
