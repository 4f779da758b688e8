// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of flow rules */
#include <endian.h>
#include <stdlib.h>

#include "objects/counters.h"

_Static_assert(offsetof(struct counters, obj) == 0, "counters_find() casts");

void counters_destroy(struct card *card, struct obj *obj)
{
	obj_remove(&card->counters, obj);
	free(container_of(obj, struct counters, obj));
}

enum ornic_cmd_status counters_cmd_create(struct card *card, struct cmd *cmd)
{
	struct ornic_object *out = cmd->out;
	struct counters *counters;

	counters = calloc(1, sizeof(*counters));
	if (!counters)
		return ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&card->counters, &counters->obj)) {
		free(counters);
		return ORNIC_CMD_NO_RESOURCES;
	}
	out->num = htole32(counters->obj.num);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status counters_cmd_destroy(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&card->counters, cmd, &obj);
	if (!status)
		counters_destroy(card, obj);
	return status;
}
