/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Unreliable datagrams of UD QPs and the GSI. The GSI is QPN 1 on the wire,
 * whatever its number on the card.
 */
#ifndef ORNIC_DEVICE_UD_H
#define ORNIC_DEVICE_UD_H

#include <stdbool.h>

struct headers;
struct packet;
struct qp;

/**
 * ud_run - send datagrams
 * @qp: UD or GSI QP in RTS
 * @budget: limit of WQEs
 *
 * Return: true when there is more to do.
 */
bool ud_run(struct qp *qp, unsigned int budget);

/**
 * ud_rx - receive a datagram
 * @qp: UD or GSI QP in RTR, RTS, SQD or SQE
 * @pkt: packet with valid headers
 * @headers: headers of its frame
 */
void ud_rx(struct qp *qp, const struct packet *pkt, const struct headers *headers);

#endif /* ORNIC_DEVICE_UD_H */
