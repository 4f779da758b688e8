/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Messages for the user, on standard error. Nothing waits for a reader: a
 * message without room is lost.
 */
#ifndef ORNIC_DEVICE_LOG_H
#define ORNIC_DEVICE_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "env/env.h"

/**
 * struct log - settings of the log
 * @level: the least important level that is shown
 */
struct log {
	enum env_log_level level;
};

/* Messages in a burst, and ns until one more is allowed */
#define LOG_BURST 32
#define LOG_REFILL_NS 1000000000ULL

/**
 * struct log_limit - rate limit for messages that an untrusted client can cause
 * @used: recent messages, at most LOG_BURST
 * @since_ns: time when @used was last reduced
 * @dropped: messages suppressed since the last one shown
 */
struct log_limit {
	unsigned int used;
	uint64_t since_ns;
	uint64_t dropped;
};

/**
 * log_limit_allows - check whether a message may be shown
 * @limit: all zero at first
 * @now_ns: monotonic time, ns
 *
 * Return: true when it may; otherwise it is counted as dropped.
 */
bool log_limit_allows(struct log_limit *limit, uint64_t now_ns);

/**
 * log_msg - log a message
 * @log: settings of the log
 * @level: importance of the message
 * @who: name of the card or port it is about, or NULL for the program
 * @fmt: as for printf(), without newline
 */
void log_msg(const struct log *log, enum env_log_level level, const char *who,
	     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/**
 * log_vmsg - log_msg() with a list of arguments
 * @log: settings of the log
 * @level: importance of the message
 * @who: as for log_msg()
 * @fmt: as for printf(), without newline
 * @ap: arguments
 */
void log_vmsg(const struct log *log, enum env_log_level level, const char *who,
	      const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

#endif /* ORNIC_DEVICE_LOG_H */
