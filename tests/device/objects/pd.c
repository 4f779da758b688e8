// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Protection domains */
#include <stdlib.h>

#include "base/state.h"
#include "objects/pd.h"

struct pd *pd_find(struct card *card, uint32_t pdn)
{
	struct obj *obj = obj_find(&card->pds, pdn);

	return obj ? container_of(obj, struct pd, obj) : NULL;
}

void pd_destroy(struct card *card, struct obj *obj)
{
	struct pd *pd = container_of(obj, struct pd, obj);

	obj_remove(&card->pds, &pd->obj);
	free(pd);
}

enum ornic_cmd_status pd_cmd_alloc(struct card *card, struct cmd *cmd)
{
	struct ornic_object *out = cmd->out;
	struct pd *pd;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&card->pds, &pd->obj)) {
		free(pd);
		return ORNIC_CMD_NO_RESOURCES;
	}
	out->num = htole32(pd->obj.num);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status pd_cmd_free(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&card->pds, cmd, &obj);
	if (!status)
		pd_destroy(card, obj);
	return status;
}
