/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RWQ tables: the WQs over which RSS QPs spread frames */
#ifndef ORNIC_DEVICE_RWQ_TABLE_H
#define ORNIC_DEVICE_RWQ_TABLE_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/obj.h"

struct cmd;
struct card;
struct wq;

/**
 * struct rwq_table - an RWQ table
 * @obj: number and users (RSS QPs)
 * @log_size: log2 of the number of entries
 * @wq: WQs, with one reference per entry
 */
struct rwq_table {
	struct obj obj;
	uint8_t log_size;
	struct wq *wq[];
};

/**
 * rwq_table_find - look up a table by number
 * @card: the card
 * @num: any number
 *
 * Return: the table or NULL.
 */
struct rwq_table *rwq_table_find(const struct card *card, uint32_t num);

/**
 * rwq_table_get - select the WQ of a frame
 * @rwq_table: the table
 * @hash: hash of the frame
 *
 * Return: the WQ.
 */
static inline struct wq *rwq_table_get(const struct rwq_table *rwq_table, uint32_t hash)
{
	return rwq_table->wq[hash & ((1u << rwq_table->log_size) - 1)];
}

/**
 * rwq_table_destroy_all - destroy all tables at reset, after the QPs and before the
 *	WQs
 * @card: the card
 * @walk: over the objects
 */
void rwq_table_destroy_all(struct card *card, struct obj_walk *walk);

enum ornic_cmd_status rwq_table_cmd_create(struct card *card, struct cmd *cmd);
enum ornic_cmd_status rwq_table_cmd_destroy(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_RWQ_TABLE_H */
