/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Unreliable datagrams, of UD QPs and of the GSI. On the wire the GSI is QPN 1,
 * whatever number the card knows it by.
 */
#ifndef ORNIC_DEVICE_UD_H
#define ORNIC_DEVICE_UD_H

#include <stdbool.h>

struct packet;
struct qp;

/**
 * ud_run - send
 * @qp: UD or GSI, in RTS
 * @budget: WQEs at most
 *
 * Return: whether there is more to do.
 */
bool ud_run(struct qp *qp, unsigned int budget);

/**
 * ud_rx - a datagram
 * @qp: UD or GSI, in RTR or beyond
 * @pkt: checked as far as its headers go
 * @l3_offset: of the IP header in its frame
 */
void ud_rx(struct qp *qp, const struct packet *pkt, unsigned int l3_offset);

#endif /* ORNIC_DEVICE_UD_H */
