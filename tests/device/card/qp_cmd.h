/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Commands for queue pairs; qp_modify.h has MODIFY_QP */
#ifndef ORNIC_DEVICE_QP_CMD_H
#define ORNIC_DEVICE_QP_CMD_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

struct cmd;
struct card;
struct obj_walk;

/**
 * qp_destroy_all - part of a reset: timers, references, memory
 * @card: the card
 * @walk: over the objects
 *
 * Guest memory may be gone, so nothing is written to it.
 */
void qp_destroy_all(struct card *card, struct obj_walk *walk);

/**
 * qp_stats - get the counters of a QP, for QUERY_STATS with ORNIC_STATS_QP
 * @card: the card
 * @qpn: any number
 * @out: counters to fill
 * @max: room in @out
 *
 * Return: counters filled, or -ENOENT.
 */
int qp_stats(struct card *card, uint32_t qpn, uint64_t *out, unsigned int max);

enum ornic_cmd_status qp_cmd_create(struct card *card, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_destroy(struct card *card, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_query(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_QP_CMD_H */
