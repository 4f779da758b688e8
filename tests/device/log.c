// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdio.h>

#include "log.h"

void log_vmsg(const struct log *log, enum env_log_level level, const char *who,
	      const char *fmt, va_list ap)
{
	static const char *const prefix[] = {
		[ENV_LOG_ERR] = "error: ",
		[ENV_LOG_INFO] = "",
		[ENV_LOG_DEBUG] = "debug: ",
	};
	char text[512];

	if (level > log->level)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	/* One write, so that lines of several processes do not mix. */
	fprintf(stderr, "ornic-device: %s%s%s%s\n", who ? who : "",
		who ? ": " : "", prefix[level], text);
}

void log_msg(const struct log *log, enum env_log_level level, const char *who,
	     const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_vmsg(log, level, who, fmt, ap);
	va_end(ap);
}
