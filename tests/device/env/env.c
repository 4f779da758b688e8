// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Environment of a card's core: parts common to all implementations */
#include <stdio.h>

#include "env/env.h"

/* Messages per card and kind of violation; further ones are only counted */
#define VIOLATION_LOG_MAX 16

const char *violation_name(enum violation v)
{
	static const char *const names[VIOLATION_COUNT] = {
#define V(id, name) [VIOLATION_##id] = name,
		VIOLATIONS(V)
#undef V
	};

	return names[v];
}

void env_log(struct env *env, enum env_log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	env->ops->log(env, level, fmt, ap);
	va_end(ap);
}

void env_violation(struct env *env, enum violation v, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (env->violations[v]++ >= VIOLATION_LOG_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	env_log(env, ENV_LOG_DEBUG, "violation %s: %s", violation_name(v), text);
}
