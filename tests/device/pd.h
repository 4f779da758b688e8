/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Protection domains, which group QPs with the memory that they may use */
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
 * pd_find - look up a PD by number
 * @nic: the card
 * @pdn: any number
 *
 * Return: the PD or NULL. A caller that keeps it uses obj_get().
 */
struct pd *pd_find(struct nic *nic, uint32_t pdn);

/**
 * pd_destroy_all - destroy all PDs at reset, when nothing uses them any more
 * @nic: the card
 * @walk: over the objects
 */
void pd_destroy_all(struct nic *nic, struct obj_walk *walk);

enum ornic_cmd_status pd_cmd_alloc(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status pd_cmd_free(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_PD_H */
