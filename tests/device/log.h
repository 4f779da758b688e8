/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Messages to the person who started the program, on standard error. */
#ifndef ORNIC_DEVICE_LOG_H
#define ORNIC_DEVICE_LOG_H

#include <stdarg.h>

#include "env.h"

/**
 * struct log - where messages go
 * @level: the least important level that is shown
 */
struct log {
	enum env_log_level level;
};

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
