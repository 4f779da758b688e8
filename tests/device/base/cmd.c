// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Helpers of the handlers of commands */
#include <endian.h>

#include "base/cmd.h"
#include "base/obj.h"

enum ornic_cmd_status cmd_find_unused(const struct obj_table *table,
				      const struct cmd *cmd, struct obj **obj)
{
	const struct ornic_object *in = cmd->in;

	if (in->rsvd)
		return ORNIC_CMD_BAD_PARAM;
	*obj = obj_find(table, le32toh(in->num));
	if (!*obj)
		return ORNIC_CMD_BAD_OBJECT;
	return (*obj)->users ? ORNIC_CMD_BUSY : ORNIC_CMD_OK;
}

bool cmd_is_zero(const void *p, size_t len)
{
	const uint8_t *byte = p;

	while (len--)
		if (*byte++)
			return false;
	return true;
}
