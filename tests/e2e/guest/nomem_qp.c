// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Entry points of QPs; see nomem.c */
#include "nomem.h"

static int create(struct nomem *nomem, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = qp_init(type, nomem->cq);

	return keep(qp, ibv_create_qp(nomem->port.pd, &init));
}

CALL(create_rc, create(nomem, IBV_QPT_RC))
CALL(create_uc, create(nomem, IBV_QPT_UC))
CALL(create_ud, create(nomem, IBV_QPT_UD))
CALL(create_raw, create(nomem, IBV_QPT_RAW_PACKET))

/* With ibv_create_qp_ex(), for ibv_wr_*() */
static int create_ex(struct nomem *nomem)
{
	struct ibv_qp_init_attr init = qp_init(IBV_QPT_RC, nomem->cq);
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = nomem->cq, .recv_cq = nomem->cq, .cap = init.cap,
		.qp_type = IBV_QPT_RC, .pd = nomem->port.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};

	return keep(qp, ibv_create_qp_ex(nomem->port.ctx, &attr));
}

static int create_xrc_ini(struct nomem *nomem)
{
	struct ibv_qp_init_attr init = qp_init(IBV_QPT_XRC_SEND, nomem->cq);
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = nomem->cq, .cap = init.cap, .qp_type = IBV_QPT_XRC_SEND,
		.pd = nomem->port.pd, .comp_mask = IBV_QP_INIT_ATTR_PD,
	};

	attr.cap.max_recv_wr = 0;
	attr.cap.max_recv_sge = 0;
	return keep(qp, ibv_create_qp_ex(nomem->port.ctx, &attr));
}

static int create_xrc_tgt(struct nomem *nomem)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV, .xrcd = nomem->xrcd,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
	};

	return keep(qp, ibv_create_qp_ex(nomem->port.ctx, &attr));
}

static void make_xrc_tgt(struct nomem *nomem)
{
	make_xrcd(nomem);
	want_ok(create_xrc_tgt(nomem));
	nomem->qp = nomem->made.qp;
}

FINISH(drop_xrc_tgt, ibv_destroy_qp(nomem->qp), drop_xrcd)

static int open_qp(struct nomem *nomem)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = nomem->qp->qp_num, .xrcd = nomem->xrcd, .qp_type = IBV_QPT_XRC_RECV,
	};

	return keep(qp, ibv_open_qp(nomem->port.ctx, &attr));
}

CALL(destroy_qp, ibv_destroy_qp(nomem->made.qp))

static int to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

CALL(to_init, qp_try_init(nomem->qp, ACCESS_ALL))
CALL(to_rtr, qp_try_rtr(&nomem->port, nomem->qp, nomem->qp->qp_num))
CALL(to_rts, qp_try_rts(nomem->qp, SHORT_TIMEOUT, 7, 7))
CALL(to_sqd, to_state(nomem->qp, IBV_QPS_SQD))
CALL(from_sqd, to_state(nomem->qp, IBV_QPS_RTS))
CALL(to_err, to_state(nomem->qp, IBV_QPS_ERR))
CALL(to_reset, to_state(nomem->qp, IBV_QPS_RESET))

/* Back to a state, by way of RESET */
CALL(again_init, to_reset(nomem) ?: to_init(nomem))
CALL(again_rtr, again_init(nomem) ?: to_rtr(nomem))
CALL(again_rts, again_rtr(nomem) ?: to_rts(nomem))
CALL(again_sqd, again_rts(nomem) ?: to_sqd(nomem))

static void make_qp(struct nomem *nomem, enum ibv_qp_type type)
{
	make_cq(nomem);
	want_ok(create(nomem, type));
	nomem->qp = nomem->made.qp;
}

static void make_rc(struct nomem *nomem)
{
	make_qp(nomem, IBV_QPT_RC);
}

PREPARE(make_rc_init, make_rc, again_init(nomem))
PREPARE(make_rc_rtr, make_rc, again_rtr(nomem))
PREPARE(make_rc_rts, make_rc, again_rts(nomem))
PREPARE(make_rc_sqd, make_rc, again_sqd(nomem))

static void make_ud(struct nomem *nomem)
{
	make_qp(nomem, IBV_QPT_UD);
}

PREPARE(make_ud_rts, make_ud, again_rts(nomem))
FINISH(drop_qp, ibv_destroy_qp(nomem->qp), drop_cq)

static int query_qp(struct nomem *nomem)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(nomem->qp, &attr, IBV_QP_STATE, &init);
}

static const union ibv_gid group = { .raw = { [10] = 0xff, 0xff, 239, 1, 2, 3 } };

CALL(attach_mcast, ibv_attach_mcast(nomem->qp, &group, 0))
CALL(detach_mcast, ibv_detach_mcast(nomem->qp, &group, 0))

const struct entry qp_entries[] = {
	{ "create_qp_rc", make_cq, create_rc, destroy_qp, drop_cq, true },
	{ "create_qp_uc", make_cq, create_uc, destroy_qp, drop_cq, true },
	{ "create_qp_ud", make_cq, create_ud, destroy_qp, drop_cq, true },
	{ "create_qp_raw", make_cq, create_raw, destroy_qp, drop_cq, true },
	{ "create_qp_ex", make_cq, create_ex, destroy_qp, drop_cq, true },
	{ "create_qp_xrc_ini", make_xrcd, create_xrc_ini, destroy_qp, drop_xrcd, true },
	/* create_xrc_qp_user() of 7.3 leaves the XRC domain busy for ever if an allocation fails */
	{ "create_qp_xrc_tgt", make_xrcd, create_xrc_tgt, destroy_qp, drop_xrcd, true, true },
	{ "open_qp", make_xrc_tgt, open_qp, destroy_qp, drop_xrc_tgt, true },
	{ "modify_qp_init", make_rc, to_init, to_reset, drop_qp, false },
	{ "modify_qp_rtr", make_rc_init, to_rtr, again_init, drop_qp, false },
	{ "modify_qp_rts", make_rc_rtr, to_rts, again_rtr, drop_qp, false },
	{ "modify_qp_sqd", make_rc_rts, to_sqd, again_rts, drop_qp, false },
	{ "modify_qp_rts_sqd", make_rc_sqd, from_sqd, again_sqd, drop_qp, false },
	{ "modify_qp_err", make_rc_rts, to_err, again_rts, drop_qp, false },
	{ "modify_qp_reset", make_rc_rts, to_reset, again_rts, drop_qp, false },
	{ "modify_qp_ud_init", make_ud, to_init, to_reset, drop_qp, false },
	{ "query_qp", make_rc_rts, query_qp, NULL, drop_qp, false },
	{ "attach_mcast", make_ud_rts, attach_mcast, detach_mcast, drop_qp, true },
	{ 0 },
};
