/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Paths of a connected QP: the check that a packet comes from the peer, and
 * migration to the alternate path (IBTA 17.2.8). MigReq in the BTH of each
 * packet says whether the sender is in state MIGRATED. The two QPs need nothing
 * else to arm and to follow each other.
 */
#ifndef ORNIC_DEVICE_PATH_H
#define ORNIC_DEVICE_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

struct card;
struct headers;
struct packet;
struct qp;

/**
 * path_valid - check the source GID of a path
 * @card: the card
 * @av: address vector, as posted
 *
 * Return: false when the GID entry is not valid, or when one end is IPv4 and
 * the other IPv6.
 */
bool path_valid(const struct card *card, const struct ornic_av *av);

/**
 * path_accept - check the path of a received packet
 * @qp: RC, UC or XRC QP in a state that receives
 * @pkt: the packet
 * @headers: headers of its frame
 * @sgid_index: index of the GID that it was sent to
 *
 * May change the migration state and migrate the QP.
 *
 * Return: false when the packet must be dropped.
 */
bool path_accept(struct qp *qp, const struct packet *pkt,
		 const struct headers *headers, unsigned int sgid_index);

/**
 * path_fail_over - migrate to the alternate path after the retries are spent
 * @qp: RC or XRC QP
 *
 * Return: false when the QP is not armed or the alternate path is not valid.
 */
bool path_fail_over(struct qp *qp);

/**
 * path_set_state - set the migration state that the host asks for
 * @qp: RC, UC or XRC QP
 * @state: ORNIC_MIG_REARM with an alternate path loaded, or ORNIC_MIG_MIGRATED
 */
void path_set_state(struct qp *qp, enum ornic_mig_state state);

#endif /* ORNIC_DEVICE_PATH_H */
