/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* QUERY_DEVICE: identity, features and limits of the card */
#ifndef ORNIC_DEVICE_QUERY_H
#define ORNIC_DEVICE_QUERY_H

#include <ornic_hw_cmd.h>

struct cmd;
struct card;

/* Major version in bits 31:24, minor one in 23:16, patch level in 15:0 */
#define QUERY_FW_VERSION 0x01000000

/**
 * query_cmd_device - execute QUERY_DEVICE
 * @card: the card
 * @cmd: the command
 *
 * Return: status of the command.
 */
enum ornic_cmd_status query_cmd_device(struct card *card, struct cmd *cmd);

/**
 * query_cmd_stats - execute QUERY_STATS
 * @card: the card
 * @cmd: the command
 *
 * qp_stats() answers ORNIC_STATS_QP; ORNIC_STATS_COUNTERS reads the object.
 *
 * Return: status of the command.
 */
enum ornic_cmd_status query_cmd_stats(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_QUERY_H */
