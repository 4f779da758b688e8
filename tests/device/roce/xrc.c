// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* XRC_RECV QPs: the SRQ that each message names */
#include "objects/srq.h"
#include "queues/qp.h"
#include "roce/xrc.h"

bool xrc_select(struct qp *qp, uint32_t srqn)
{
	struct srq *srq;

	if (qp->type != ORNIC_QPT_XRC_RECV)
		return true;
	srq = srq_find(qp->card, srqn);
	if (!srq || srq->xrcd != qp->xrcd)
		return false;
	qp->srq = srq;
	qp->user.pd = srq->pd;
	return true;
}

void xrc_release(struct qp *qp)
{
	if (qp->type != ORNIC_QPT_XRC_RECV)
		return;
	qp->srq = NULL;
	qp->user.pd = NULL;
}
