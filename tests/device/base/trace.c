// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The ring of a trace */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "base/trace.h"

int trace_init(struct trace *trace, uint32_t records)
{
	*trace = (struct trace){
		.record = calloc(records, sizeof(*trace->record)),
		.mask = records - 1,
	};
	return trace->record ? 0 : -ENOMEM;
}

void trace_uninit(struct trace *trace)
{
	free(trace->record);
	*trace = (struct trace){};
}

static uint64_t trace_room(const struct trace *trace)
{
	return trace->mask + 1 - (trace->tail - trace->head);
}

static void trace_put(struct trace *trace, const struct trace_record *record)
{
	struct trace_record *at = &trace->record[trace->tail++ & trace->mask];

	*at = *record;
	at->ns = htole64(record->ns);
	at->wr_id = htole64(record->wr_id);
	at->qpn = htole32(record->qpn);
	at->num = htole32(record->num);
	at->psn = htole32(record->psn);
	at->value = htole32(record->value);
	at->len = htole32(record->len);
	at->path = htole32(record->path);
}

/* The record of lost events is at their place: in front of the first event that fits again */
void trace_add(struct trace *trace, const struct trace_record *record)
{
	struct trace_record lost = { .ns = record->ns, .kind = TRACE_LOST };
	uint64_t missing = trace->lost - trace->told;

	if (trace_room(trace) < (missing ? 2 : 1)) {
		trace->lost++;
		return;
	}
	if (missing) {
		lost.value = missing > UINT32_MAX ? UINT32_MAX : missing;
		trace_put(trace, &lost);
		trace->told = trace->lost;
	}
	trace_put(trace, record);
}

uint32_t trace_take(struct trace *trace, struct trace_record *out, uint32_t max)
{
	uint32_t count = 0;

	while (count < max && trace->head != trace->tail)
		out[count++] = trace->record[trace->head++ & trace->mask];
	return count;
}
