// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Commands for work queues; eth_rx.c has their receive path */
#include <endian.h>
#include <stdlib.h>

#include "core.h"
#include "qp.h"
#include "wq.h"

#define WQ_ATTRS \
	(ORNIC_WQ_ATTR_STATE | ORNIC_WQ_ATTR_CUR_STATE | ORNIC_WQ_ATTR_FLAGS)

struct qp *wq_find(const struct nic *nic, uint32_t wqn)
{
	struct obj *obj = obj_find(&nic->qps, wqn);
	struct qp *wq = obj ? container_of(obj, struct qp, obj) : NULL;

	return wq && qp_is_wq(wq) ? wq : NULL;
}

/* The time is not 0 with the flag, and 0 without it ([ORNIC-WQ-7]) */
static bool wq_delay_valid(const struct ornic_create_wq_in *in)
{
	uint32_t us = le32toh(in->delay_drop);

	if (!(le32toh(in->flags) & ORNIC_WQ_DELAY_DROP))
		return !us;
	return us && us <= CORE_MAX_DELAY_DROP_US;
}

enum ornic_cmd_status wq_cmd_create(struct nic *nic, struct cmd *cmd)
{
	const struct ornic_create_wq_in *in = cmd->in;
	struct ornic_object *out = cmd->out;
	enum ornic_cmd_status status;
	struct ornic_create_qp_in as_qp = {
		.pdn = in->pdn,
		.recv_cqn = in->cqn,
		.flags = htole32(ORNIC_QP_RQ),
		.type = QP_TYPE_WQ,
		.log_rq_wqes = in->log_wqes,
		.rq_stride_shift = in->stride_shift,
		.rq = in->buf,
		.dbr_addr = in->dbr_addr,
	};
	struct delay *delay = NULL;
	struct qp *wq;

	if (le32toh(in->flags) & ~WQ_FLAGS || !wq_delay_valid(in) ||
	    !CMD_RSVD_ZERO(in->rsvd) || le64toh(in->dbr_addr) & 63)
		return ORNIC_CMD_BAD_PARAM;
	if (in->delay_drop) {
		delay = delay_create(le32toh(in->delay_drop));
		if (!delay)
			return ORNIC_CMD_NO_RESOURCES;
	}
	status = qp_create(nic, &as_qp, &wq);
	if (status) {
		free(delay);
		return status;
	}
	wq->rx_flags = le32toh(in->flags);
	wq->delay = delay;
	out->num = htole32(wq->obj.num);
	return ORNIC_CMD_OK;
}

void wq_destroy_all(struct nic *nic, struct obj_walk *walk)
{
	struct obj *obj;

	/* The QPs are gone, so only WQs are left in the table */
	while ((obj = obj_walk_next(&nic->qps, walk)))
		qp_destroy(container_of(obj, struct qp, obj));
}

enum ornic_cmd_status wq_cmd_destroy(struct nic *nic, struct cmd *cmd)
{
	const struct ornic_object *in = cmd->in;
	struct qp *wq = wq_find(nic, le32toh(in->num));

	if (in->rsvd)
		return ORNIC_CMD_BAD_PARAM;
	if (!wq)
		return ORNIC_CMD_BAD_OBJECT;
	if (wq->obj.users)
		return ORNIC_CMD_BUSY;
	qp_destroy(wq);
	return ORNIC_CMD_OK;
}

/* ---- MODIFY_WQ ---- */

static unsigned int wq_state(const struct qp *wq)
{
	switch (wq->state) {
	case ORNIC_QPS_RESET:
		return ORNIC_WQS_RESET;
	case ORNIC_QPS_ERR:
		return ORNIC_WQS_ERR;
	default:
		return ORNIC_WQS_RDY;
	}
}

/* ERR to ERR is allowed, as the WQ may have failed by itself */
static bool wq_may_become(const struct qp *wq, unsigned int to)
{
	switch (to) {
	case ORNIC_WQS_RESET:
		return true;
	case ORNIC_WQS_RDY:
		return wq_state(wq) != ORNIC_WQS_ERR;
	default:
		return wq_state(wq) != ORNIC_WQS_RESET;
	}
}

static void wq_become(struct qp *wq, unsigned int to)
{
	switch (to) {
	case ORNIC_WQS_RESET:
		wq->state = ORNIC_QPS_RESET;
		qp_reset(wq);
		break;
	case ORNIC_WQS_RDY:
		wq->state = ORNIC_QPS_RTR;
		break;
	case ORNIC_WQS_ERR:
		qp_error(wq);
		break;
	}
}

enum ornic_cmd_status wq_cmd_modify(struct nic *nic, struct cmd *cmd)
{
	const struct ornic_modify_wq_in *in = cmd->in;
	struct qp *wq = wq_find(nic, le32toh(in->wqn));
	uint32_t flags = le32toh(in->flags);
	uint32_t mask = le32toh(in->mask);

	if (mask & ~WQ_ATTRS || !CMD_RSVD_ZERO(in->rsvd))
		return ORNIC_CMD_BAD_PARAM;
	if (mask & ORNIC_WQ_ATTR_STATE && in->state > ORNIC_WQS_ERR)
		return ORNIC_CMD_BAD_PARAM;
	if (mask & ORNIC_WQ_ATTR_FLAGS && flags & ~ORNIC_WQ_CVLAN_STRIPPING)
		return ORNIC_CMD_BAD_PARAM;
	if (!wq)
		return ORNIC_CMD_BAD_OBJECT;
	if (mask & ORNIC_WQ_ATTR_CUR_STATE && in->cur_state != wq_state(wq))
		return ORNIC_CMD_BAD_STATE;
	if (mask & ORNIC_WQ_ATTR_STATE) {
		if (!wq_may_become(wq, in->state))
			return ORNIC_CMD_BAD_STATE;
		wq_become(wq, in->state);
	}
	if (mask & ORNIC_WQ_ATTR_FLAGS) {
		wq->rx_flags &= ~ORNIC_WQ_CVLAN_STRIPPING;
		wq->rx_flags |= flags;
	}
	return ORNIC_CMD_OK;
}
