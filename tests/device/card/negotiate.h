/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Negotiation between card and host: SET_HOST */
#ifndef ORNIC_DEVICE_NEGOTIATE_H
#define ORNIC_DEVICE_NEGOTIATE_H

#include <ornic_hw_cmd.h>

struct card;
struct cmd;

/**
 * negotiate_reset - forget the host: no feature is in force
 * @card: the card
 */
void negotiate_reset(struct card *card);

enum ornic_cmd_status negotiate_cmd_set_host(struct card *card,
					     struct cmd *cmd);

#endif /* ORNIC_DEVICE_NEGOTIATE_H */
