// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Protection domains */
#include <stdlib.h>

#include "core.h"
#include "pd.h"

struct pd *pd_find(struct nic *nic, uint32_t pdn)
{
	struct obj *obj = obj_find(&nic->pds, pdn);

	return obj ? container_of(obj, struct pd, obj) : NULL;
}

static void pd_destroy(struct nic *nic, struct pd *pd)
{
	obj_remove(&nic->pds, &pd->obj);
	free(pd);
}

void pd_destroy_all(struct nic *nic, struct obj_walk *walk)
{
	struct obj *obj;

	while ((obj = obj_walk_next(&nic->pds, walk)))
		pd_destroy(nic, container_of(obj, struct pd, obj));
}

enum ornic_cmd_status pd_cmd_alloc(struct nic *nic, struct cmd *cmd)
{
	struct ornic_object *out = cmd->out;
	struct pd *pd;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&nic->pds, &pd->obj)) {
		free(pd);
		return ORNIC_CMD_NO_RESOURCES;
	}
	out->num = htole32(pd->obj.num);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status pd_cmd_free(struct nic *nic, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&nic->pds, cmd, &obj);
	if (!status)
		pd_destroy(nic, container_of(obj, struct pd, obj));
	return status;
}
