/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Log of errors, which QUERY_LOG reads (hardware.rst, section 10.8) */
#ifndef ORNIC_DEVICE_ERRLOG_H
#define ORNIC_DEVICE_ERRLOG_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

struct card;
struct cmd;

/* A power of two */
#define ERRLOG_ENTRIES 64

/**
 * struct errlog - the latest errors of a card
 * @next: number of the next entry; entry n is at n modulo ERRLOG_ENTRIES
 * @entry: the entries, as the host gets them
 */
struct errlog {
	uint64_t next;
	struct ornic_log_entry entry[ERRLOG_ENTRIES];
};

/**
 * errlog_add - note an error
 * @card: the card
 * @kind: enum ornic_log_kind
 * @code: by kind
 * @num: number of the object, or 0
 * @value: by kind
 *
 * An error that equals the latest one only counts it again ([ORNIC-LOG-3]).
 */
void errlog_add(struct card *card, enum ornic_log_kind kind, uint16_t code,
		uint32_t num, uint64_t value);

/**
 * errlog_clear - forget all errors
 * @card: the card
 */
void errlog_clear(struct card *card);

enum ornic_cmd_status errlog_cmd_query(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_ERRLOG_H */
