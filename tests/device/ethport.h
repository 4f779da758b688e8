/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The card's Ethernet port: addresses, MTU, receive filter, receive queues */
#ifndef ORNIC_DEVICE_ETHPORT_H
#define ORNIC_DEVICE_ETHPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "port.h"
#include "rss.h"

#define ETHPORT_SPEED_MBPS 100000
#define ETHPORT_MTU_MIN 68
#define ETHPORT_MTU_MAX 9000
#define ETHPORT_MTU_DEFAULT 1500
#define ETHPORT_QUEUES_MAX 128

struct cmd;
struct nic;
struct qp;

/**
 * struct ethport - an Ethernet port
 * @mac: MAC address in use, at first the permanent one
 * @link: the cable is plugged in
 * @up: enabled by the host
 * @mtu: largest Ethernet payload, bytes
 * @filter: ORNIC_RX_* flags
 * @macs: further addresses that pass the filter
 * @mac_count: number of @macs
 * @queue_count: entries of @queue, a power of two or 0
 * @hash: ORNIC_HASH_* fields to hash
 * @key: Toeplitz key
 * @queue: receive queues: RAW_PACKET QPs; holds references
 */
struct ethport {
	uint8_t mac[MAC_LEN];
	bool link;
	bool up;
	uint32_t mtu;
	uint32_t filter;
	uint8_t macs[ORNIC_RX_MACS_MAX][MAC_LEN];
	unsigned int mac_count;
	unsigned int queue_count;
	uint32_t hash;
	uint8_t key[RSS_KEY_LEN];
	struct qp *queue[ETHPORT_QUEUES_MAX];
};

/**
 * ethport_reset - restore the state after power-on, except for the link
 * @nic: the card
 *
 * Releases the QPs in @queue.
 */
void ethport_reset(struct nic *nic);

/**
 * ethport_running - can frames go in and out
 * @nic: the card
 *
 * Return: true when the link and the port are up and the device has not
 * stopped.
 */
bool ethport_running(const struct nic *nic);

/**
 * ethport_may_send - check a source against [ORNIC-DEV-15]
 * @nic: the card
 * @smac: source MAC of a frame
 *
 * Return: true when the frame may leave the card.
 */
bool ethport_may_send(const struct nic *nic, const uint8_t *smac);

/**
 * ethport_accepts - check a destination against the receive filter
 * @nic: the card
 * @dmac: destination MAC of a frame
 *
 * Return: true when the filter accepts the frame.
 */
bool ethport_accepts(const struct nic *nic, const uint8_t *dmac);

/**
 * ethport_queue - select the receive queue of a frame
 * @nic: the card
 * @hash: from rss_hash()
 *
 * Return: a RAW_PACKET QP or NULL.
 */
struct qp *ethport_queue(const struct nic *nic, uint32_t hash);

enum ornic_cmd_status ethport_cmd_query(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status ethport_cmd_modify(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status ethport_cmd_set_rx_filter(struct nic *nic,
						struct cmd *cmd);
enum ornic_cmd_status ethport_cmd_set_rx_queues(struct nic *nic,
						struct cmd *cmd);

#endif /* ORNIC_DEVICE_ETHPORT_H */
