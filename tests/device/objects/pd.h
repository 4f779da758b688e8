/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Protection domains, which group QPs with the memory that they may use */
#ifndef ORNIC_DEVICE_PD_H
#define ORNIC_DEVICE_PD_H

#include <ornic_hw_cmd.h>

#include "base/obj.h"

struct cmd;
struct card;

/**
 * struct pd - a protection domain
 * @obj: number and users
 */
struct pd {
	struct obj obj;
};

/**
 * pd_find - look up a PD by number
 * @card: the card
 * @pdn: any number
 *
 * Return: the PD or NULL. A caller that keeps it uses obj_get().
 */
struct pd *pd_find(struct card *card, uint32_t pdn);

/**
 * pd_destroy - destroy a PD
 * @card: the card
 * @obj: without users
 */
void pd_destroy(struct card *card, struct obj *obj);

enum ornic_cmd_status pd_cmd_alloc(struct card *card, struct cmd *cmd);
enum ornic_cmd_status pd_cmd_free(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_PD_H */
