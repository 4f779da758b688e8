// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* XRC_RECV QPs: the SRQ that each message names */
#include "objects/pd.h"
#include "objects/srq.h"
#include "queues/qp.h"
#include "roce/xrc.h"

bool xrc_select(struct qp *qp, uint32_t srqn)
{
	struct srq *srq;

	if (qp->base.type != ORNIC_QPT_XRC_RECV)
		return true;
	srq = srq_find(qp->base.card, srqn);
	if (!srq || srq->xrcd != qp->xrcd)
		return false;
	qp->base.srq = srq;
	qp->base.user.pdn = srq->user.pdn;
	return true;
}

void xrc_release(struct qp *qp)
{
	if (qp->base.type != ORNIC_QPT_XRC_RECV)
		return;
	qp->base.srq = NULL;
	qp->base.user.pdn = PD_NONE;
}
