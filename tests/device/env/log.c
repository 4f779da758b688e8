// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Messages on standard error */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "env/log.h"

bool log_limit_allows(struct log_limit *limit, uint64_t now_ns)
{
	uint64_t room = (now_ns - limit->since_ns) / LOG_REFILL_NS;

	if (room >= limit->used) {
		limit->used = 0;
		limit->since_ns = now_ns;
	} else {
		limit->used -= room;
		limit->since_ns += room * LOG_REFILL_NS;
	}
	if (limit->used == LOG_BURST) {
		limit->dropped++;
		return false;
	}
	limit->used++;
	return true;
}

/*
 * Standard error may be a pipe whose reader has stopped. A message of at most
 * PIPE_BUF bytes is written whole, or not at all when poll() sees no room.
 * O_NONBLOCK is not set, because other processes such as the shell share the
 * flags.
 */
static void log_write(const char *line, size_t len)
{
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };
	ssize_t written;

	if (poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT))
		return;
	/* A lost message cannot be reported */
	written = write(STDERR_FILENO, line, len);
	(void)written;
}

void log_vmsg(const struct log *log, enum env_log_level level, const char *who,
	      const char *fmt, va_list ap)
{
	static const char *const prefix[] = {
		[ENV_LOG_ERR] = "error: ",
		[ENV_LOG_INFO] = "",
		[ENV_LOG_DEBUG] = "debug: ",
	};
	char text[512], line[640];
	int len;

	if (level > log->level)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	/* One write, so that lines of several processes do not mix */
	len = snprintf(line, sizeof(line), "ornic-device: %.64s%s%s%s\n",
		       who ? who : "", who ? ": " : "", prefix[level], text);
	log_write(line, len);
}

void log_msg(const struct log *log, enum env_log_level level, const char *who,
	     const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_vmsg(log, level, who, fmt, ap);
	va_end(ap);
}
