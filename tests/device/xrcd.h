/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRC domains (IBTA annex A14), which XRC_RECV QPs and XRC SRQs share. A
 * request to such a QP names an SRQ of its domain, and receives, keys and
 * completions are those of the SRQ.
 */
#ifndef ORNIC_DEVICE_XRCD_H
#define ORNIC_DEVICE_XRCD_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "obj.h"

struct cmd;
struct nic;
struct qp;

/**
 * struct xrcd - an XRC domain
 * @obj: number and users
 */
struct xrcd {
	struct obj obj;
};

/**
 * xrcd_find - look up an XRC domain by number
 * @nic: the card
 * @xrcdn: any number
 *
 * Return: the domain or NULL. A caller that keeps it uses obj_get().
 */
struct xrcd *xrcd_find(const struct nic *nic, uint32_t xrcdn);

/**
 * xrcd_select - use an SRQ for the packet that is processed
 * @qp: any QP; nothing is done unless it is XRC_RECV
 * @srqn: any number
 *
 * The QP holds no reference to the SRQ, which may be destroyed between packets:
 * sets @qp->srq and the PD for keys until xrcd_release().
 *
 * Return: false when @srqn is no SRQ of the QP's domain.
 */
bool xrcd_select(struct qp *qp, uint32_t srqn);

/**
 * xrcd_release - end the use of an SRQ
 * @qp: any QP, with or without xrcd_select() before
 */
void xrcd_release(struct qp *qp);

/**
 * xrcd_destroy_all - destroy all XRC domains at reset, when nothing uses them
 * @nic: the card
 * @walk: over the objects
 */
void xrcd_destroy_all(struct nic *nic, struct obj_walk *walk);

enum ornic_cmd_status xrcd_cmd_alloc(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status xrcd_cmd_free(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_XRCD_H */
