/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work queues: receive queues of frames that RSS QPs distribute.
 *
 * Inside the card a WQ is a struct qp with only a receive queue, as ring,
 * completions, errors and flush are the same. It shares the table of the QPs,
 * so a number names one or the other.
 */
#ifndef ORNIC_DEVICE_WQ_H
#define ORNIC_DEVICE_WQ_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

struct cmd;
struct nic;
struct obj_walk;
struct qp;

/* Flags that CREATE_WQ accepts */
#define WQ_FLAGS                                                         \
	(ORNIC_WQ_CVLAN_STRIPPING | ORNIC_WQ_SCATTER_FCS |               \
	 ORNIC_WQ_DELAY_DROP | ORNIC_WQ_PAD_END)

/**
 * wq_find - look up a WQ by number
 * @nic: the card
 * @wqn: any number
 *
 * Return: the WQ, or NULL if there is none or the number is that of a QP.
 */
struct qp *wq_find(const struct nic *nic, uint32_t wqn);

/**
 * wq_destroy_all - destroy all WQs at reset, after the QPs and RWQ tables
 * @nic: the card
 * @walk: over the objects
 */
void wq_destroy_all(struct nic *nic, struct obj_walk *walk);

enum ornic_cmd_status wq_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status wq_cmd_destroy(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status wq_cmd_modify(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_WQ_H */
