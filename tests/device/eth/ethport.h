/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The card's Ethernet port: addresses, MTU, receive filter, receive queues */
#ifndef ORNIC_DEVICE_ETHPORT_H
#define ORNIC_DEVICE_ETHPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#define ETHPORT_SPEED_MBPS 100000
#define ETHPORT_MTU_MIN 68
#define ETHPORT_MTU_MAX 9000
#define ETHPORT_MTU_DEFAULT 1500
/* Types that the port hashes, and those of a card with the least bounds */
#define ETHPORT_HASH_LEAST (ORNIC_HASH_IPV4 | ORNIC_HASH_IPV6 | ORNIC_HASH_TCP)
#define ETHPORT_HASH_ALL (ETHPORT_HASH_LEAST | ORNIC_HASH_UDP)

struct cmd;
struct card;
struct qp;

/**
 * ethport_reset - restore the state after power-on, except for the link
 * @card: the card
 *
 * Releases the QPs in @queue.
 */
void ethport_reset(struct card *card);

/**
 * ethport_running - can frames go in and out
 * @card: the card
 *
 * Return: true when the link and the port are up and the device has not
 * stopped.
 */
bool ethport_running(const struct card *card);

/**
 * ethport_may_send - check a source against [ORNIC-DEV-19]
 * @card: the card
 * @smac: source MAC of a frame
 *
 * Return: true when the frame may leave the card.
 */
bool ethport_may_send(const struct card *card, const uint8_t *smac);

/**
 * ethport_accepts - check a destination against the receive filter
 * @card: the card
 * @dmac: destination MAC of a frame
 *
 * Return: true when the filter accepts the frame.
 */
bool ethport_accepts(const struct card *card, const uint8_t *dmac);

/**
 * ethport_queue - select the receive queue of a frame
 * @card: the card
 * @hash: from rss_hash()
 *
 * Return: a RAW_PACKET QP or NULL.
 */
struct qp *ethport_queue(const struct card *card, uint32_t hash);

enum ornic_cmd_status ethport_cmd_query(struct card *card, struct cmd *cmd);
enum ornic_cmd_status ethport_cmd_modify(struct card *card, struct cmd *cmd);
enum ornic_cmd_status ethport_cmd_set_rx_filter(struct card *card,
						struct cmd *cmd);
enum ornic_cmd_status ethport_cmd_set_rx_queues(struct card *card,
						struct cmd *cmd);
enum ornic_cmd_status ethport_cmd_set_gid(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_ETHPORT_H */
