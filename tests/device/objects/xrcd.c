// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* XRC domains */
#include <stdlib.h>

#include "base/state.h"
#include "objects/xrcd.h"

struct xrcd *xrcd_find(const struct card *card, uint32_t xrcdn)
{
	struct obj *obj = obj_find(&card->xrcds, xrcdn);

	return obj ? container_of(obj, struct xrcd, obj) : NULL;
}

void xrcd_destroy(struct card *card, struct obj *obj)
{
	struct xrcd *xrcd = container_of(obj, struct xrcd, obj);

	obj_remove(&card->xrcds, &xrcd->obj);
	free(xrcd);
}

enum ornic_cmd_status xrcd_cmd_alloc(struct card *card, struct cmd *cmd)
{
	struct ornic_object *out = cmd->out;
	struct xrcd *xrcd;

	xrcd = calloc(1, sizeof(*xrcd));
	if (!xrcd)
		return ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&card->xrcds, &xrcd->obj)) {
		free(xrcd);
		return ORNIC_CMD_NO_RESOURCES;
	}
	out->num = htole32(xrcd->obj.num);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status xrcd_cmd_free(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&card->xrcds, cmd, &obj);
	if (!status)
		xrcd_destroy(card, obj);
	return status;
}
