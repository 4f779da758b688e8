/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Commands for queue pairs; qp_modify.h has MODIFY_QP */
#ifndef ORNIC_DEVICE_QP_CMD_H
#define ORNIC_DEVICE_QP_CMD_H

#include <ornic_hw_cmd.h>

struct cmd;
struct card;
struct obj;

/**
 * qp_discard - part of a reset: destroy a QP without access to guest memory
 * @card: the card
 * @obj: in the table of QPs; a WQ is left unchanged
 */
void qp_discard(struct card *card, struct obj *obj);

enum ornic_cmd_status qp_cmd_create(struct card *card, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_destroy(struct card *card, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_query(struct card *card, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_bind_stats(struct card *card, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_attach_comp_cntr(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_QP_CMD_H */
