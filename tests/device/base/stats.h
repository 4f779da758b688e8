/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of a card, in the order of the lists in ornic_hw_cmd.h, and the log
 * messages about violations.
 */
#ifndef ORNIC_DEVICE_STATS_H
#define ORNIC_DEVICE_STATS_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/errlog.h"

struct env;

/**
 * typedef stat_fn - callback for one statistic
 * @arg: as given with it
 * @name: lower-case words joined by underscores; a dot starts a group
 * @value: its value
 */
typedef void (*stat_fn)(void *arg, const char *name, uint64_t value);

/* Sets of statistics that QPs can be bound to; number 0 has all others */
#define STATS_SETS 1024

/* Log messages per kind of violation; later ones are only counted */
#define STATS_LOG_MAX 16

/**
 * struct stats - counters of a card since its reset
 * @port: Ethernet side, all frames
 * @rdma: RoCE side
 * @set: of the QPs bound to each set, by enum ornic_qp_stat
 * @device: violations and other events of the device scope
 * @logged: messages written per counter of @device; survives a reset, so that a
 *	guest cannot fill a disk
 */
struct stats {
	uint64_t port[ORNIC_PORT_STAT_COUNT];
	uint64_t rdma[ORNIC_RDMA_STAT_COUNT];
	uint64_t set[STATS_SETS][ORNIC_QP_STAT_COUNT];
	uint64_t device[ORNIC_DEVICE_STAT_COUNT];
	uint8_t logged[ORNIC_DEVICE_STAT_COUNT];
};

/* RDMA_STAT_INC(card, rx_packets), PORT_STAT_ADD(card, rx_bytes, n) */
#define STAT_PORT(name)		port[ORNIC_PORT_STAT_##name]
#define STAT_RDMA(name)		rdma[ORNIC_RDMA_STAT_##name]
#define STAT_DEVICE(name)	device[ORNIC_DEVICE_STAT_##name]

#define PORT_STAT_ADD(card, name, n)	((card)->stats.STAT_PORT(name) += (n))
#define PORT_STAT_INC(card, name)	PORT_STAT_ADD(card, name, 1)
#define RDMA_STAT_ADD(card, name, n)	((card)->stats.STAT_RDMA(name) += (n))
#define RDMA_STAT_INC(card, name)	RDMA_STAT_ADD(card, name, 1)
/* For the card and for a set, so that all sets together have what the card has */
#define SET_STAT_ADD(card, num, name, n)                                 \
	(RDMA_STAT_ADD(card, name, n),                                   \
	 (card)->stats.set[num][ORNIC_QP_STAT_##name] += (n))
#define DEVICE_STAT_INC(card, name)	((card)->stats.STAT_DEVICE(name)++)

/**
 * stats_violation - count and log a violation
 * @stats: counters of the card
 * @env: environment of the card, for the message
 * @stat: counter of the violation
 * @fmt: details as for printf(), such as object number and value; no newline
 *
 * Logs the first STATS_LOG_MAX messages per kind, and only with -v.
 */
void stats_violation(struct stats *stats, struct env *env,
		     enum ornic_device_stat stat, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Example: DEVICE_VIOLATION(card, bad_lkey, qpn, key, "qp[%u]: key %#x", qpn, key).
 * The object and the offence go into the error log ([ORNIC-LOG-2]). Both are 0
 * if there is none.
 */
#define DEVICE_VIOLATION(card, name, num, value, ...)                       \
	(errlog_add(card, ORNIC_LOG_VIOLATION, ORNIC_DEVICE_STAT_##name,    \
		    num, value),                                            \
	 stats_violation(&(card)->stats, (card)->env,                       \
			 ORNIC_DEVICE_STAT_##name, __VA_ARGS__))

/**
 * stats_reset - set all counters to 0 at reset
 * @stats: counters of the card
 */
void stats_reset(struct stats *stats);

/**
 * stats_tell - report all counters, for card_stats()
 * @stats: counters of the card
 * @fn: called for each
 * @arg: passed to @fn
 */
void stats_tell(const struct stats *stats, stat_fn fn, void *arg);

#endif /* ORNIC_DEVICE_STATS_H */
