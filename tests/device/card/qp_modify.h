/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* MODIFY_QP: attributes and states of a queue pair */
#ifndef ORNIC_DEVICE_QP_MODIFY_H
#define ORNIC_DEVICE_QP_MODIFY_H

#include <ornic_hw_cmd.h>

struct cmd;
struct card;

enum ornic_cmd_status qp_cmd_modify(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_QP_MODIFY_H */
