/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRC domains (IBTA annex A14): a name that XRC_RECV QPs and XRC SRQs share. A
 * request to such a QP names an SRQ of its domain, and is executed on that one's
 * behalf: receives, keys and completions are the SRQ's.
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
 * xrcd_find - find by number
 * @nic: the card
 * @xrcdn: any number
 *
 * Return: the domain or NULL. Who keeps it uses obj_get().
 */
struct xrcd *xrcd_find(const struct nic *nic, uint32_t xrcdn);

/**
 * xrcd_select - begin to act on behalf of an SRQ
 * @qp: any QP; only XRC_RECV needs it
 * @srqn: any number
 *
 * Nobody keeps the SRQ across packets: it can be destroyed at any moment
 * without asking who sends to it.
 *
 * Return: false when it is no SRQ of the QP's domain.
 */
bool xrcd_select(struct qp *qp, uint32_t srqn);

/**
 * xrcd_release - end of xrcd_select()
 * @qp: any QP, selected or not
 */
void xrcd_release(struct qp *qp);

/**
 * xrcd_destroy_all - part of a reset; nothing uses them any more
 * @nic: the card
 */
void xrcd_destroy_all(struct nic *nic);

enum ornic_cmd_status xrcd_cmd_alloc(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status xrcd_cmd_free(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_XRCD_H */
