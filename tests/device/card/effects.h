/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Needs and effects of each command: QUERY_EFFECTS */
#ifndef ORNIC_DEVICE_EFFECTS_H
#define ORNIC_DEVICE_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

struct card;
struct cmd;

/**
 * effects_supports - can a command be executed now
 * @card: the card
 * @opcode: any number
 *
 * Return: true when the command exists, and its feature is in force and its
 * profile announced.
 */
bool effects_supports(const struct card *card, uint16_t opcode);

enum ornic_cmd_status effects_cmd_query(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_EFFECTS_H */
