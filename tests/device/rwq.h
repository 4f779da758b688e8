/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RWQ tables: the WQs over which RSS QPs spread frames */
#ifndef ORNIC_DEVICE_RWQ_H
#define ORNIC_DEVICE_RWQ_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "obj.h"

struct cmd;
struct nic;
struct qp;

/**
 * struct rwq - an RWQ table
 * @obj: number and users (RSS QPs)
 * @log_size: log2 of the number of entries
 * @wq: WQs, with one reference per entry
 */
struct rwq {
	struct obj obj;
	uint8_t log_size;
	struct qp *wq[];
};

/**
 * rwq_find - look up a table by number
 * @nic: the card
 * @num: any number
 *
 * Return: the table or NULL.
 */
struct rwq *rwq_find(const struct nic *nic, uint32_t num);

/**
 * rwq_get - select the WQ of a frame
 * @rwq: the table
 * @hash: hash of the frame
 *
 * Return: the WQ.
 */
static inline struct qp *rwq_get(const struct rwq *rwq, uint32_t hash)
{
	return rwq->wq[hash & ((1u << rwq->log_size) - 1)];
}

/**
 * rwq_destroy_all - destroy all tables at reset, after the QPs and before the
 *	WQs
 * @nic: the card
 * @walk: over the objects
 */
void rwq_destroy_all(struct nic *nic, struct obj_walk *walk);

enum ornic_cmd_status rwq_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status rwq_cmd_destroy(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_RWQ_H */
