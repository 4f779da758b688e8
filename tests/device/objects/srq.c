// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Shared receive queues */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "objects/pd.h"
#include "objects/srq.h"
#include "objects/uctx.h"
#include "objects/xrcd.h"

#define SRQ_FLAGS (ORNIC_SRQ_XRC | ORNIC_SRQ_KERNEL)

struct srq *srq_find(const struct card *card, uint32_t srqn)
{
	struct obj *obj = obj_find(&card->srqs, srqn);

	return obj ? container_of(obj, struct srq, obj) : NULL;
}

/* The ring is lost. QPs fail when they need a WQE (IBTA 10.2.9.4). */
static int srq_fail(struct srq *srq)
{
	if (!srq->failed)
		eq_async(srq->card, &srq->events, ORNIC_EVENT_SRQ_ERR);
	srq->failed = true;
	return -EIO;
}

static void srq_cq_failed(void *srq)
{
	srq_fail(srq);
}

/* Send SRQ_LIMIT once when fewer than @limit WQEs are left */
static void srq_check_limit(struct srq *srq)
{
	int has;

	if (!srq->limit)
		return;
	has = rq_has(&srq->rq, srq->limit);
	if (has < 0)
		srq_fail(srq);
	if (has)
		return;
	srq->limit = 0;
	eq_async(srq->card, &srq->events, ORNIC_EVENT_SRQ_LIMIT);
}

int srq_take(struct srq *srq, struct recv_wqe *wqe)
{
	int err;

	if (srq->failed)
		return -EIO;
	err = rq_take(&srq->rq, wqe);
	if (err == -EIO)
		return srq_fail(srq);
	if (err == -EAGAIN)
		return err;
	rq_done(&srq->rq, srq->rq.next);
	srq_check_limit(srq);
	return err;
}

/* ---- commands ---- */

static bool srq_init_dbr(struct srq *srq, struct guest_ref *dbr, uint64_t addr)
{
	return guest_ref_init(dbr, &srq->card->guest, addr,
			      sizeof(struct ornic_qp_dbr),
			      MEM_READ | MEM_WRITE);
}

enum ornic_cmd_status srq_cmd_create(struct card *card, struct cmd *cmd)
{
	const struct ornic_create_srq_in *in = cmd->in;
	struct uctx *uctx = uctx_find(card, le32toh(in->uctx));
	uint64_t dbr_addr = le64toh(in->dbr_addr);
	uint32_t flags = le32toh(in->flags);
	struct ornic_object *out = cmd->out;
	uint32_t pdn = le32toh(in->pdn);
	bool xrc = flags & ORNIC_SRQ_XRC;
	enum ornic_cmd_status status;
	struct xrcd *xrcd = NULL;
	struct cq *cq = NULL;
	struct srq *srq;

	if (flags & ~SRQ_FLAGS || !CMD_RSVD_ZERO(in->rsvd) || dbr_addr & 63)
		return ORNIC_CMD_BAD_PARAM;
	if (xrc && !card_uses(card, ORNIC_FEAT_XRC))
		return ORNIC_CMD_NOT_SUPPORTED;
	if (xrc) {
		xrcd = xrcd_find(card, le32toh(in->xrcdn));
		cq = cq_find_working(card, le32toh(in->cqn));
	} else if (in->xrcdn || in->cqn) {
		return ORNIC_CMD_BAD_PARAM;
	}
	if (!uctx || !pd_is_valid(pdn) || (xrc && (!xrcd || !cq)))
		return ORNIC_CMD_BAD_OBJECT;

	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return ORNIC_CMD_NO_RESOURCES;
	srq->card = card;
	srq->uctx = uctx;
	srq->user.pdn = pdn;
	srq->user.kernel = flags & ORNIC_SRQ_KERNEL;
	srq->flags = flags;
	srq->rq.card = card;
	srq->rq.owner = &srq->obj;
	srq->rq.kind = "srq";
	srq->rq.dbr = &srq->dbr;
	status = ORNIC_CMD_DMA_FAULT;
	if (!srq_init_dbr(srq, &srq->dbr, dbr_addr))
		goto err_free;
	status = rq_init(&srq->rq, &in->buf, in->log_wqes,
			      in->stride_shift, MEM_READ);
	if (status)
		goto err_free;
	status = ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&card->srqs, &srq->obj))
		goto err_ring;
	eq_source_init(&srq->events, srq->obj.num, false);
	obj_get(&uctx->obj);
	if (xrc) {
		srq->xrcd = xrcd;
		obj_get(&xrcd->obj);
		cq_attach(&srq->cq, cq, srq, srq_cq_failed);
	}
	out->num = htole32(srq->obj.num);
	return ORNIC_CMD_OK;

err_ring:
	rq_uninit(&srq->rq);
err_free:
	free(srq);
	return status;
}

void srq_destroy(struct card *card, struct obj *obj)
{
	struct srq *srq = container_of(obj, struct srq, obj);

	eq_source_forget(&srq->events);
	obj_remove(&card->srqs, obj);
	cq_detach(&srq->cq);
	if (srq->xrcd)
		obj_put(&srq->xrcd->obj);
	obj_put(&srq->uctx->obj);
	rq_uninit(&srq->rq);
	free(srq);
}

enum ornic_cmd_status srq_cmd_destroy(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&card->srqs, cmd, &obj);
	if (!status)
		srq_destroy(card, obj);
	return status;
}

enum ornic_cmd_status srq_cmd_modify(struct card *card, struct cmd *cmd)
{
	const struct ornic_modify_srq_in *in = cmd->in;
	struct srq *srq = srq_find(card, le32toh(in->srqn));
	uint32_t limit = le32toh(in->limit);

	if (!srq)
		return ORNIC_CMD_BAD_OBJECT;
	if (limit > 1u << srq->rq.log_wqes)
		return ORNIC_CMD_BAD_PARAM;
	if (srq->failed)
		return ORNIC_CMD_BAD_STATE;
	srq->limit = limit;
	srq_check_limit(srq);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status srq_cmd_query(struct card *card, struct cmd *cmd)
{
	const struct ornic_object *in = cmd->in;
	struct ornic_query_srq_out *out = cmd->out;
	const struct srq *srq;

	if (in->rsvd)
		return ORNIC_CMD_BAD_PARAM;
	srq = srq_find(card, le32toh(in->num));
	if (!srq)
		return ORNIC_CMD_BAD_OBJECT;
	out->limit = htole32(srq->limit);
	return ORNIC_CMD_OK;
}

/*
 * Copy the WQEs that were not taken when the command began to the beginning of
 * another ring.
 *
 * Return: OK, or DMA_FAULT when one of the rings is out of reach.
 */
static enum ornic_cmd_status srq_move(struct rq *from, struct rq *to, bool *more)
{
	struct admin *admin = &from->card->admin;
	uint32_t i, end;
	const void *src;
	void *dst;

	to->pi = from->pi - admin->moved_from;
	to->next = from->next - admin->moved_from;
	end = buf_move_end(&from->card->budget, admin->moved, to->pi,
			   from->stride_shift);
	for (i = admin->moved; i < end; i++) {
		src = rq_slot(from, admin->moved_from + i);
		dst = rq_slot(to, i);
		if (!src || !dst)
			return ORNIC_CMD_DMA_FAULT;
		memcpy(dst, src, 1u << from->stride_shift);
	}
	admin->moved = end;
	*more = end != to->pi;
	return ORNIC_CMD_OK;
}

/*
 * The host posts nothing during the command ([ORNIC-EFF-3]), and QPs go on to take WQEs
 * between its steps
 */
static enum ornic_cmd_status srq_resize(struct srq *srq, struct rq *to,
					struct guest_ref *dbr, bool *more)
{
	struct ornic_qp_dbr *record = guest_ref_ptr(dbr);
	struct admin *admin = &srq->card->admin;
	enum ornic_cmd_status status;

	if (rq_has(&srq->rq, 1u << srq->rq.log_wqes) < 0) {
		srq_fail(srq);
		return ORNIC_CMD_BAD_STATE;
	}
	if (!admin->moved)
		admin->moved_from = srq->rq.next;
	if (srq->rq.pi - admin->moved_from > 1u << to->log_wqes)
		return ORNIC_CMD_BAD_STATE;
	status = srq_move(&srq->rq, to, more);
	if (status || *more)
		return status;
	to->ci = to->next;
	to->ci_told = to->next;
	guest_store32(&record->rq_ci, to->ci);
	guest_store32(&record->rq_pi, to->pi);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status srq_cmd_resize(struct card *card, struct cmd *cmd)
{
	const struct ornic_resize_in *in = cmd->in;
	struct srq *srq = srq_find(card, le32toh(in->num));
	uint64_t dbr_addr = le64toh(in->dbr_addr);
	struct ornic_resize_out *out = cmd->out;
	enum ornic_cmd_status status;
	struct guest_ref dbr;
	struct rq rq = {};

	if (!CMD_RSVD_ZERO(in->rsvd) || in->ci || in->rsvd2 || dbr_addr & 63)
		return ORNIC_CMD_BAD_PARAM;
	if (!srq)
		return ORNIC_CMD_BAD_OBJECT;
	if (srq->failed)
		return ORNIC_CMD_BAD_STATE;
	rq.card = card;
	rq.owner = &srq->obj;
	rq.kind = srq->rq.kind;
	rq.dbr = &srq->dbr;
	if (!srq_init_dbr(srq, &dbr, dbr_addr))
		return ORNIC_CMD_DMA_FAULT;
	status = rq_init(&rq, &in->buf, in->log_size,
			      srq->rq.stride_shift, MEM_READ | MEM_WRITE);
	if (status)
		return status;
	status = srq_resize(srq, &rq, &dbr, &cmd->more);
	if (status || cmd->more) {
		rq_uninit(&rq);
		return status;
	}
	rq_uninit(&srq->rq);
	srq->rq = rq;
	srq->dbr = dbr;
	out->count = htole32(rq.pi);
	return ORNIC_CMD_OK;
}
