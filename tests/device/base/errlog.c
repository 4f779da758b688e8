// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Log of errors */
#include <endian.h>
#include <string.h>

#include "base/errlog.h"
#include "base/state.h"

_Static_assert(sizeof(struct ornic_query_log_out) +
		       ERRLOG_ENTRIES * sizeof(struct ornic_log_entry) <=
		       ORNIC_CMD_MAX_OUT,
	       "one answer holds the whole log");

static struct ornic_log_entry *errlog_at(struct errlog *log, uint64_t number)
{
	return &log->entry[number % ERRLOG_ENTRIES];
}

void errlog_add(struct card *card, enum ornic_log_kind kind, uint16_t code,
		uint32_t num, uint64_t value)
{
	struct errlog *log = &card->errlog;
	struct ornic_log_entry entry = {
		.time = htole64(card_clock(card)),
		.value = htole64(value),
		.num = htole32(num),
		.count = htole32(1),
		.kind = htole16(kind),
		.code = htole16(code),
	};
	const struct ornic_log_entry *last = errlog_at(log, log->next - 1);

	if (log->next && last->kind == entry.kind &&
	    last->code == entry.code && last->num == entry.num) {
		if (last->count != htole32(UINT32_MAX))
			entry.count = htole32(le32toh(last->count) + 1);
		else
			entry.count = last->count;
		log->next--;
	}
	*errlog_at(log, log->next) = entry;
	log->next++;
}

void errlog_clear(struct card *card)
{
	memset(&card->errlog, 0, sizeof(card->errlog));
}

enum ornic_cmd_status errlog_cmd_query(struct card *card, struct cmd *cmd)
{
	const struct ornic_query_log_in *in = cmd->in;
	struct ornic_query_log_out *out = cmd->out;
	struct errlog *log = &card->errlog;
	uint64_t first = le64toh(in->first);
	uint32_t i, count;

	/* Entries that were overwritten are left out ([ORNIC-LOG-4]) */
	if (log->next > ERRLOG_ENTRIES && first < log->next - ERRLOG_ENTRIES)
		first = log->next - ERRLOG_ENTRIES;
	if (first > log->next)
		first = log->next;
	count = log->next - first;
	out->first = htole64(first);
	out->next = htole64(log->next);
	out->time = htole64(card_clock(card));
	out->count = htole32(count);
	for (i = 0; i < count; i++)
		out->entries[i] = *errlog_at(log, first + i);
	cmd->out_len = sizeof(*out) + count * sizeof(*out->entries);
	return ORNIC_CMD_OK;
}
