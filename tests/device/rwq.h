/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Tables of WQs, which RSS QPs spread frames over. */
#ifndef ORNIC_DEVICE_RWQ_H
#define ORNIC_DEVICE_RWQ_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "obj.h"

struct cmd;
struct nic;
struct qp;

/**
 * struct rwq - a table
 * @obj: number and users (RSS QPs)
 * @log_size: log2 of the entries
 * @wq: WQs, each used as often as it is here
 */
struct rwq {
	struct obj obj;
	uint8_t log_size;
	struct qp *wq[];
};

/**
 * rwq_find - find by number
 * @nic: the card
 * @num: any number
 *
 * Return: the table or NULL.
 */
struct rwq *rwq_find(const struct nic *nic, uint32_t num);

/**
 * rwq_get - where a frame goes
 * @rwq: the table
 * @hash: of the frame
 *
 * Return: the WQ.
 */
static inline struct qp *rwq_get(const struct rwq *rwq, uint32_t hash)
{
	return rwq->wq[hash & ((1u << rwq->log_size) - 1)];
}

/**
 * rwq_destroy_all - part of a reset; no QP is left, WQs are
 * @nic: the card
 */
void rwq_destroy_all(struct nic *nic);

enum ornic_cmd_status rwq_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status rwq_cmd_destroy(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_RWQ_H */
