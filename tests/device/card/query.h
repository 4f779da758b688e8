/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* QUERY_DEVICE: identity, features and limits of the card */
#ifndef ORNIC_DEVICE_QUERY_H
#define ORNIC_DEVICE_QUERY_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

struct cmd;
struct card;

/* Major version in bits 31:24, minor one in 23:16, patch level in 15:0 */
#define QUERY_FW_VERSION 0x01000000

/* Profiles of a card, unless its configuration has others */
#define QUERY_PROFILES (ORNIC_PROFILE_RDMA | ORNIC_PROFILE_ETHERNET)

/* Bytes that a newer minor version adds to the answer */
#define QUERY_NEWER_BYTES 64

/**
 * query_features - features that the card announces
 * @card: its profiles, version and flow rules are set
 * @without: ORNIC_FEAT_* that it does not have
 *
 * Return: ORNIC_FEAT_*.
 */
uint64_t query_features(const struct card *card, uint64_t without);

/**
 * query_send_ops - operations that work with some features
 * @card: the card
 * @features: ORNIC_FEAT_*
 *
 * Return: bit n for enum ornic_wr_opcode n.
 */
uint64_t query_send_ops(const struct card *card, uint64_t features);

/**
 * query_qp_types - types of QPs that there are with some features
 * @card: the card
 * @features: ORNIC_FEAT_*
 *
 * Return: bit n for enum ornic_qp_type n.
 */
uint32_t query_qp_types(const struct card *card, uint64_t features);

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
 * Return: status of the command.
 */
enum ornic_cmd_status query_cmd_stats(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_QUERY_H */
