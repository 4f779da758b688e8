/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The requester of a connected QP: sends requests; comp.h has the responses */
#ifndef ORNIC_DEVICE_REQ_H
#define ORNIC_DEVICE_REQ_H

#include <stdbool.h>

struct qp;

/**
 * req_run - send packets
 * @qp: connected QP in RTS or SQD
 * @budget: limit of frames
 *
 * Return: true when there is more to send now.
 */
bool req_run(struct qp *qp, unsigned int budget);

#endif /* ORNIC_DEVICE_REQ_H */
