// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of flow rules */
#include <endian.h>
#include <stdlib.h>

#include "counters.h"

_Static_assert(offsetof(struct counters, obj) == 0, "counters_find() casts");

static void counters_destroy(struct nic *nic, struct obj *obj)
{
	obj_remove(&nic->counters, obj);
	free(container_of(obj, struct counters, obj));
}

void counters_destroy_all(struct nic *nic, struct obj_walk *walk)
{
	struct obj *obj;

	while ((obj = obj_walk_next(&nic->counters, walk)))
		counters_destroy(nic, obj);
}

enum ornic_cmd_status counters_cmd_create(struct nic *nic, struct cmd *cmd)
{
	struct counters *counters = calloc(1, sizeof(*counters));
	struct ornic_object *out = cmd->out;

	if (!counters)
		return ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&nic->counters, &counters->obj)) {
		free(counters);
		return ORNIC_CMD_NO_RESOURCES;
	}
	out->num = htole32(counters->obj.num);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status counters_cmd_destroy(struct nic *nic, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&nic->counters, cmd, &obj);
	if (!status)
		counters_destroy(nic, obj);
	return status;
}
