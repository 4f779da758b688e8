/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* XRC_RECV QPs: the SRQ that each message names */
#ifndef ORNIC_DEVICE_XRC_H
#define ORNIC_DEVICE_XRC_H

#include <stdbool.h>
#include <stdint.h>

struct qp;

/**
 * xrc_select - use an SRQ for the packet that is processed
 * @qp: any QP; nothing is done unless it is XRC_RECV
 * @srqn: any number
 *
 * The QP holds no reference to the SRQ, which may be destroyed between packets:
 * sets @qp->srq and the PD for keys until xrc_release().
 *
 * Return: false when @srqn is no SRQ of the QP's domain.
 */
bool xrc_select(struct qp *qp, uint32_t srqn);

/**
 * xrc_release - end the use of an SRQ
 * @qp: any QP, with or without xrc_select() before
 */
void xrc_release(struct qp *qp);

#endif /* ORNIC_DEVICE_XRC_H */
