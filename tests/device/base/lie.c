// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lies: kinds, configuration, statistics */
#include <stdio.h>
#include <string.h>

#include "base/lie.h"
#include "env/number.h"

#define LIE_NAME_MAX 64

static const struct {
	const char *label;
	unsigned int places;
	const char *help;
} lie_table[LIE_KINDS] = {
#define L(id, name, at, text) \
	[LIE_##id] = { .label = name, .places = at, .help = name ": " text },
	LIES(L)
#undef L
};

static const char *const lie_places[LIE_PLACES] = {
#define P(id, name) [LIE_##id] = name,
	LIE_PLACE_LIST(P)
#undef P
};

const char *lie_help(unsigned int i)
{
	return i < LIE_KINDS ? lie_table[i].help : NULL;
}

/* ---- configuration ---- */

static const char *lie_parse_setting(struct lie_config *config,
				     const char *name, const char *val)
{
	uint64_t ppm;

	if (!strcmp(name, "rate")) {
		if (!number_parse(val, 0, LIE_ALWAYS, &ppm))
			return "the rate must be 0 to 1000000 ppm";
		config->ppm = ppm;
		return NULL;
	}
	if (!strcmp(name, "seed"))
		return number_parse(val, 0, UINT64_MAX, &config->seed) ?
			NULL : "the seed must be a number of 64 bits";
	if (!strcmp(name, "count"))
		return number_parse(val, 0, UINT64_MAX, &config->count) ?
			NULL : "the count must be a number of 64 bits";
	if (!strcmp(name, "until") && !strcmp(val, "reset")) {
		config->until_reset = true;
		return NULL;
	}
	return "no such setting of lies";
}

/* @place: a place, or NULL for all places of the kind */
static const char *lie_parse_label(struct lie_config *config, const char *label,
				   const char *place)
{
	unsigned int kind, i;

	for (kind = 0; kind < LIE_KINDS; kind++)
		if (!strcmp(lie_table[kind].label, label))
			break;
	if (kind == LIE_KINDS)
		return "no such lie";
	if (!place) {
		config->at[kind] = lie_table[kind].places;
		return NULL;
	}
	for (i = 0; i < LIE_PLACES; i++)
		if (lie_table[kind].places >> i & 1 &&
		    !strcmp(lie_places[i], place)) {
			config->at[kind] |= 1u << i;
			return NULL;
		}
	return "this lie is not told there";
}

static const char *lie_parse_word(struct lie_config *config, char *word)
{
	char *rest = strpbrk(word, "=.");
	unsigned int kind;
	char mark;

	if (rest) {
		mark = *rest;
		*rest++ = '\0';
		return mark == '=' ? lie_parse_setting(config, word, rest) :
				     lie_parse_label(config, word, rest);
	}
	if (!strcmp(word, "none"))
		return NULL;
	if (strcmp(word, "all"))
		return lie_parse_label(config, word, NULL);
	for (kind = 0; kind < LIE_KINDS; kind++)
		config->at[kind] = lie_table[kind].places;
	return NULL;
}

const char *lie_parse(struct lie_config *config, char *text)
{
	const char *reason = NULL;
	char *word, *rest;

	*config = (struct lie_config){ .ppm = LIE_ALWAYS };
	for (word = strtok_r(text, ",", &rest); word && !reason;
	     word = strtok_r(NULL, ",", &rest))
		reason = lie_parse_word(config, word);
	return reason;
}

bool lie_is_any(const struct lie_config *config)
{
	unsigned int kind;

	for (kind = 0; kind < LIE_KINDS; kind++)
		if (config->at[kind])
			return true;
	return false;
}

void lie_stats(const struct lie *lie,
	       void (*fn)(void *arg, const char *name, uint64_t value),
	       void *arg)
{
	char name[LIE_NAME_MAX];
	unsigned int kind, place;

	for (kind = 0; kind < LIE_KINDS; kind++)
		for (place = 0; place < LIE_PLACES; place++) {
			if (!(lie_table[kind].places >> place & 1))
				continue;
			snprintf(name, sizeof(name), "lies.%s.%s",
				 lie_table[kind].label, lie_places[place]);
			fn(arg, name, lie->told[kind][place]);
		}
}
