/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Paths of connected QPs: is a packet from the peer? */
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
 * Return: false when the packet must be dropped.
 */
bool path_accept(const struct qp *qp, const struct packet *pkt,
		 const struct headers *headers, unsigned int sgid_index);

#endif /* ORNIC_DEVICE_PATH_H */
