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

#include "base/obj.h"

struct cmd;
struct card;

/**
 * struct xrcd - an XRC domain
 * @obj: number and users
 */
struct xrcd {
	struct obj obj;
};

/**
 * xrcd_find - look up an XRC domain by number
 * @card: the card
 * @xrcdn: any number
 *
 * Return: the domain or NULL. A caller that keeps it uses obj_get().
 */
struct xrcd *xrcd_find(const struct card *card, uint32_t xrcdn);

/**
 * xrcd_destroy - destroy an XRC domain
 * @card: the card
 * @obj: without users
 */
void xrcd_destroy(struct card *card, struct obj *obj);

enum ornic_cmd_status xrcd_cmd_alloc(struct card *card, struct cmd *cmd);
enum ornic_cmd_status xrcd_cmd_free(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_XRCD_H */
