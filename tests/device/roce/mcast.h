/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Multicast groups: UD QPs that receive packets to a group address (IBTA 10.5).
 * Groups are found by address, and the receive filter by MAC, both in O(1).
 */
#ifndef ORNIC_DEVICE_MCAST_H
#define ORNIC_DEVICE_MCAST_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/gid.h"
#include "env/list.h"

/* Destination QPN of packets to a group (IBTA 3.5.10, 9.6.1.3) */
#define MCAST_QPN 0xffffff
#define MCAST_GROUPS_MAX 1024
/* A packet to a group is copied for each, at the cost of its sender */
#define MCAST_QPS_MAX 16
/* Groups of one bucket, which the guest can choose; all packets to them look at each */
#define MCAST_BUCKET_MAX 16

struct cmd;
struct card;
struct obj_walk;
struct qp;

/**
 * struct mcast_group - a group with at least one QP
 * @node: in its bucket of the table
 * @gid: address, wire order; for IPv4 the mapped form
 * @mac: Ethernet address of the group (RFC 1112, RFC 2464)
 * @members: struct mcast_member list
 * @count: number of members
 */
struct mcast_group {
	struct list_head node;
	uint8_t gid[GID_LEN];
	uint8_t mac[6];
	struct list_head members;
	unsigned int count;
};

/**
 * struct mcast_member - a QP in a group
 * @node: in @members of the group
 * @qp: UD QP; holds a reference
 */
struct mcast_member {
	struct list_head node;
	struct qp *qp;
};

/**
 * mcast_init - initialise an empty table
 * @card: the card
 */
void mcast_init(struct card *card);

/**
 * mcast_clear - part of a reset: release all QPs
 * @card: the card
 * @walk: over the objects
 */
void mcast_clear(struct card *card, struct obj_walk *walk);

/**
 * mcast_accepts - check whether a frame may be for a group, by its MAC
 * @card: the card
 * @dmac: destination MAC of the frame
 *
 * Return: true when it may be.
 */
bool mcast_accepts(struct card *card, const uint8_t *dmac);

/**
 * mcast_find - find a group
 * @card: the card
 * @gid: GID_LEN bytes; for an IPv4 packet the mapped address
 * @dmac: destination MAC of the packet
 *
 * Return: the group, or NULL when there is none or @dmac is not its MAC.
 */
struct mcast_group *mcast_find(struct card *card, const uint8_t *gid,
			       const uint8_t *dmac);

enum ornic_cmd_status mcast_cmd_attach(struct card *card, struct cmd *cmd);
enum ornic_cmd_status mcast_cmd_detach(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_MCAST_H */
