/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The responder of a connected QP: executes requests; ack.h has the responses */
#ifndef ORNIC_DEVICE_RESP_H
#define ORNIC_DEVICE_RESP_H

#include <stdbool.h>
#include <stdint.h>

struct packet;
struct qp;

/**
 * resp_reset - forget all requests and start at @qp->attr.rq_psn
 * @qp: QP in transition to RESET or RTR
 */
void resp_reset(struct qp *qp);

/**
 * resp_flush - complete the receive WQE in use with ORNIC_WC_WR_FLUSH_ERR
 * @qp: QP in ERR
 */
void resp_flush(struct qp *qp);

/**
 * resp_has_srq_wqe - is a receive WQE in use that an SRQ gave?
 * @qp: any QP
 * @wr_id: set to that of the WQE
 *
 * Return: whether there is one.
 */
bool resp_has_srq_wqe(const struct qp *qp, uint64_t *wr_id);

/**
 * resp_rx - process a request
 * @qp: connected QP in RTR, RTS, SQD or SQE
 * @pkt: request for this QP with valid headers
 */
void resp_rx(struct qp *qp, const struct packet *pkt);

#endif /* ORNIC_DEVICE_RESP_H */
