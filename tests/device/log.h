/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Messages to the person who started the program, on standard error. A message
 * for which there is no room there is lost: nothing waits for a reader.
 */
#ifndef ORNIC_DEVICE_LOG_H
#define ORNIC_DEVICE_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "env.h"

/**
 * struct log - where messages go
 * @level: the least important level that is shown
 */
struct log {
	enum env_log_level level;
};

/* Messages that may come at once, and ns until there is room for one more */
#define LOG_BURST 32
#define LOG_REFILL_NS 1000000000ULL

/**
 * struct log_limit - how often somebody who is not trusted causes a message
 * @used: messages of late, LOG_BURST at most
 * @since_ns: when @used was last made less
 * @dropped: messages not shown since the last one that was
 */
struct log_limit {
	unsigned int used;
	uint64_t since_ns;
	uint64_t dropped;
};

/**
 * log_limit_allows - may a message be shown
 * @limit: all zero at first
 * @now_ns: monotonic time
 *
 * Return: true when it may; if not it is counted.
 */
bool log_limit_allows(struct log_limit *limit, uint64_t now_ns);

/**
 * log_msg - say something
 * @log: how much to say
 * @level: how important this is
 * @who: what it is about: a card's name, a port's, NULL for the program
 * @fmt: as printf(), no newline
 */
void log_msg(const struct log *log, enum env_log_level level, const char *who,
	     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/**
 * log_vmsg - log_msg() with its arguments in a list
 * @log: how much to say
 * @level: how important this is
 * @who: what it is about
 * @fmt: as printf()
 * @ap: arguments
 */
void log_vmsg(const struct log *log, enum env_log_level level, const char *who,
	      const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

#endif /* ORNIC_DEVICE_LOG_H */
