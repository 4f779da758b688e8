/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The responses that a connected QP owes */
#ifndef ORNIC_DEVICE_ACK_H
#define ORNIC_DEVICE_ACK_H

#include <stdbool.h>
#include <stdint.h>

struct packet;
struct port;
struct qp;
struct resp_read;

/**
 * ack_owe - note that an ACK or NAK must be sent
 * @qp: RC or XRC_RECV QP
 * @syndrome: syndrome of the AETH
 * @psn: its PSN, of an ACK that of a SEND or WRITE
 *
 * The NAK of an error replaces all else, another NAK all but that, and an ACK one
 * with an earlier PSN.
 */
void ack_owe(struct qp *qp, uint8_t syndrome, uint32_t psn);

/**
 * ack_still_missing - correct a NAK after the packet that it is for has come
 * @qp: RC or XRC_RECV QP that has executed the PSN expected
 *
 * Return: true when the NAK is owed for the next PSN, because the packet that was
 * ahead, and was dropped, is not before it.
 */
bool ack_still_missing(struct qp *qp);

/**
 * ack_add - queue the response to a READ or an atomic
 * @qp: RC or XRC_RECV QP
 * @read: the request; copied. ack_room() must be true
 */
void ack_add(struct qp *qp, const struct resp_read *read);

/**
 * ack_room - check whether the peer may send one more READ or atomic
 * @qp: RC or XRC_RECV QP
 *
 * Return: false when max_dest_rd_atomic of them have no response yet.
 */
bool ack_room(const struct qp *qp);

/**
 * ack_payer - get the port that has demanded the next response
 * @qp: RC or XRC QP that owes a response
 *
 * Return: the port.
 */
struct port *ack_payer(const struct qp *qp);

/**
 * ack_replace_payer - have another port pay for the responses of one that goes
 * @qp: RC or XRC QP
 * @gone: the port, from which no more requests come
 * @heir: pays for what it has demanded
 */
void ack_replace_payer(struct qp *qp, const struct port *gone, struct port *heir);

/**
 * ack_run - send the responses that are owed, in order
 * @qp: RC or XRC QP in RTR or beyond
 * @budget: limit of frames
 *
 * Ends before a response that another port has demanded than the first.
 *
 * Return: true when there are more.
 */
bool ack_run(struct qp *qp, unsigned int budget);

/**
 * ack_repeat - repeat the response to a READ or an atomic
 * @qp: RC or XRC_RECV QP
 * @pkt: duplicate request
 *
 * Return: false when the request is not in @read and must be dropped.
 */
bool ack_repeat(struct qp *qp, const struct packet *pkt);

/**
 * ack_pending - check whether a response is owed
 * @qp: any QP
 *
 * Return: true when ack_run() has work.
 */
bool ack_pending(const struct qp *qp);

/**
 * ack_settle - send the responses that a QP owes before it goes ([ORNIC-QP-13])
 * @qp: any QP
 *
 * The host may have seen the completions of the requests that this
 * acknowledges. Long responses to READs may be cut off. Must not be called from
 * within card_rx(): it flushes the port.
 */
void ack_settle(struct qp *qp);

/**
 * ack_settle_reset - ack_settle() for a reset of the card
 * @qp: any QP; an ACK or NAK that it owes is sent unless responses to READs or
 *	atomics must precede it
 *
 * Sends no guest memory.
 */
void ack_settle_reset(struct qp *qp);

#endif /* ORNIC_DEVICE_ACK_H */
