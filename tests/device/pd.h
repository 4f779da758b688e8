/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Protection domains: a name that MRs and QPs share. */
#ifndef ORNIC_DEVICE_PD_H
#define ORNIC_DEVICE_PD_H

#include <ornic_hw_cmd.h>

#include "obj.h"

struct cmd;
struct nic;

/**
 * struct pd - a protection domain
 * @obj: number and users
 */
struct pd {
	struct obj obj;
};

/**
 * pd_find - find by number
 * @nic: the card
 * @pdn: any number
 *
 * Return: the PD or NULL. Who keeps it uses obj_get().
 */
struct pd *pd_find(struct nic *nic, uint32_t pdn);

/**
 * pd_destroy_all - part of a reset; nothing uses them any more
 * @nic: the card
 */
void pd_destroy_all(struct nic *nic);

enum ornic_cmd_status pd_cmd_alloc(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status pd_cmd_free(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_PD_H */
