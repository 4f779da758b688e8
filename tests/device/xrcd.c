// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* XRC domains */
#include <stdlib.h>

#include "core.h"
#include "qp.h"
#include "xrcd.h"

struct xrcd *xrcd_find(const struct nic *nic, uint32_t xrcdn)
{
	struct obj *obj = obj_find(&nic->xrcds, xrcdn);

	return obj ? container_of(obj, struct xrcd, obj) : NULL;
}

bool xrcd_select(struct qp *qp, uint32_t srqn)
{
	struct srq *srq;

	if (qp->type != ORNIC_QPT_XRC_RECV)
		return true;
	srq = srq_find(qp->nic, srqn);
	if (!srq || srq->xrcd != qp->xrcd)
		return false;
	qp->srq = srq;
	qp->user.pd = srq->pd;
	return true;
}

void xrcd_release(struct qp *qp)
{
	if (qp->type != ORNIC_QPT_XRC_RECV)
		return;
	qp->srq = NULL;
	qp->user.pd = NULL;
}

static void xrcd_destroy(struct nic *nic, struct xrcd *xrcd)
{
	obj_remove(&nic->xrcds, &xrcd->obj);
	free(xrcd);
}

void xrcd_destroy_all(struct nic *nic, struct obj_walk *walk)
{
	struct obj *obj;

	while ((obj = obj_walk_next(&nic->xrcds, walk)))
		xrcd_destroy(nic, container_of(obj, struct xrcd, obj));
}

enum ornic_cmd_status xrcd_cmd_alloc(struct nic *nic, struct cmd *cmd)
{
	struct ornic_object *out = cmd->out;
	struct xrcd *xrcd;

	xrcd = calloc(1, sizeof(*xrcd));
	if (!xrcd)
		return ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&nic->xrcds, &xrcd->obj)) {
		free(xrcd);
		return ORNIC_CMD_NO_RESOURCES;
	}
	out->num = htole32(xrcd->obj.num);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status xrcd_cmd_free(struct nic *nic, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&nic->xrcds, cmd, &obj);
	if (!status)
		xrcd_destroy(nic, container_of(obj, struct xrcd, obj));
	return status;
}
