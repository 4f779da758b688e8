/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Paths of a connected QP: which packets come from its peer, and when it goes
 * over to the alternate one (IBTA 17.2.8). Each packet says whether its sender
 * has gone over (MigReq of the BTH), which is all that the two QPs need to arm
 * and to follow each other.
 */
#ifndef ORNIC_DEVICE_PATH_H
#define ORNIC_DEVICE_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

struct nic;
struct packet;
struct qp;

/**
 * path_valid - does a path begin at one of our addresses, and can it
 * @nic: the card
 * @av: as posted
 *
 * Return: false without such an entry in the GID table, or when one end is IPv4
 * and the other IPv6.
 */
bool path_valid(const struct nic *nic, const struct ornic_av *av);

/**
 * path_accept - may a packet be for a QP, as far as its path tells
 * @qp: RC, UC or XRC, in a state to receive
 * @pkt: the packet
 * @sgid_index: the GID it was sent to
 * @l3_offset: of the IP header in @pkt->frame
 *
 * Moves the migration state on, which may change the path.
 *
 * Return: false: drop it.
 */
bool path_accept(struct qp *qp, const struct packet *pkt,
		 unsigned int sgid_index, unsigned int l3_offset);

/**
 * path_fail_over - the peer does not answer: try the alternate path
 * @qp: RC or XRC
 *
 * Return: false when there is none that may be used.
 */
bool path_fail_over(struct qp *qp);

/**
 * path_set_state - what the host asks for
 * @qp: RC, UC or XRC
 * @state: ORNIC_MIG_REARM with an alternate path loaded, or ORNIC_MIG_MIGRATED
 */
void path_set_state(struct qp *qp, enum ornic_mig_state state);

#endif /* ORNIC_DEVICE_PATH_H */
