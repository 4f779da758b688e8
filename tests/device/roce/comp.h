/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The completer of a connected QP: responses, and missing responses */
#ifndef ORNIC_DEVICE_COMP_H
#define ORNIC_DEVICE_COMP_H

#include <stdint.h>

struct packet;
struct qp;

/**
 * comp_rx - process a response
 * @qp: RC or XRC_SEND QP
 * @pkt: ACK, READ response or atomic response
 */
void comp_rx(struct qp *qp, const struct packet *pkt);

/**
 * comp_timer - handle the expiry of the acknowledgement or RNR timer
 * @qp: RC or XRC_SEND QP
 */
void comp_timer(struct qp *qp);

/**
 * rnr_ns - decode an RNR timer (IBTA table 45)
 * @code: timer code of an RNR NAK, 5 bits
 *
 * Return: ns.
 */
uint64_t rnr_ns(unsigned int code);

#endif /* ORNIC_DEVICE_COMP_H */
