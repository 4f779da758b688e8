/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The card's Ethernet port: addresses, MTU, receive filter, and the queues that
 * frames are spread over.
 */
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
 * struct ethport - the port
 * @mac: in use; the permanent one until changed
 * @link: cable plugged in
 * @up: set up by the host
 * @mtu: bytes of an Ethernet payload
 * @filter: ORNIC_RX_*
 * @macs: further addresses that pass the filter
 * @mac_count: number of @macs
 * @queue_count: entries of the table, a power of two, or 0
 * @hash: ORNIC_HASH_*
 * @key: Toeplitz
 * @queue: QPs, used
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
 * ethport_reset - as after power-on; the link stays as it is
 * @nic: the card
 *
 * Lets go of the QPs in the table.
 */
void ethport_reset(struct nic *nic);

/**
 * ethport_running - do frames go in and out
 * @nic: the card
 *
 * Return: true with a link and the port set up.
 */
bool ethport_running(const struct nic *nic);

/**
 * ethport_accepts - the receive filter
 * @nic: the card
 * @dmac: destination of a frame
 *
 * Return: true when the frame is for us.
 */
bool ethport_accepts(const struct nic *nic, const uint8_t *dmac);

/**
 * ethport_queue - where a frame goes
 * @nic: the card
 * @hash: as rss_hash() has it
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
