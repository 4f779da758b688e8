/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work queues: receive queues for frames that RSS QPs give them.
 *
 * Inside the card a WQ is a queue pair (qp.h) with a receive queue and nothing
 * else, for number, ring, completions, errors and flush are the same. It is in
 * the same table, so that no number is both.
 */
#ifndef ORNIC_DEVICE_WQ_H
#define ORNIC_DEVICE_WQ_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

struct cmd;
struct nic;
struct qp;

/* What CREATE_WQ takes */
#define WQ_FLAGS                                                         \
	(ORNIC_WQ_CVLAN_STRIPPING | ORNIC_WQ_SCATTER_FCS |               \
	 ORNIC_WQ_DELAY_DROP | ORNIC_WQ_PAD_END)

/**
 * wq_find - find by number
 * @nic: the card
 * @wqn: any number
 *
 * Return: the WQ or NULL, also for the number of a QP.
 */
struct qp *wq_find(const struct nic *nic, uint32_t wqn);

/**
 * wq_destroy_all - part of a reset; no table is left
 * @nic: the card
 */
void wq_destroy_all(struct nic *nic);

enum ornic_cmd_status wq_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status wq_cmd_destroy(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status wq_cmd_modify(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_WQ_H */
