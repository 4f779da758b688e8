// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Entry points of raw Ethernet: WQs, rules, counters; see nomem.c */
#include "nomem.h"

#define WRS 64
#define HASH_KEY 40

CALL(create_wq, keep(wq, wq_try(&nomem->port, nomem->cq, WRS)))
CALL(destroy_wq, ibv_destroy_wq(nomem->made.wq))

static int modify_wq(struct nomem *nomem, enum ibv_wq_state state)
{
	struct ibv_wq_attr attr = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = state };

	return ibv_modify_wq(nomem->wq[0], &attr);
}

CALL(wq_to_ready, modify_wq(nomem, IBV_WQS_RDY))
CALL(wq_to_reset, modify_wq(nomem, IBV_WQS_RESET))

static void make_wqs(struct nomem *nomem)
{
	size_t i;

	make_cq(nomem);
	for (i = 0; i < ARRAY_SIZE(nomem->wq); i++) {
		want_ok(create_wq(nomem));
		nomem->wq[i] = nomem->made.wq;
	}
}

static void drop_wqs(struct nomem *nomem)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(nomem->wq); i++)
		want_ok(ibv_destroy_wq(nomem->wq[i]));
	drop_cq(nomem);
}

static int create_table(struct nomem *nomem)
{
	struct ibv_rwq_ind_table_init_attr attr = {
		.log_ind_tbl_size = 1, .ind_tbl = nomem->wq,
	};

	return keep(table, ibv_create_rwq_ind_table(nomem->port.ctx, &attr));
}

CALL(destroy_table, ibv_destroy_rwq_ind_table(nomem->made.table))

static void make_table(struct nomem *nomem)
{
	make_wqs(nomem);
	want_ok(create_table(nomem));
	nomem->table = nomem->made.table;
}

FINISH(drop_table, ibv_destroy_rwq_ind_table(nomem->table), drop_wqs)

static uint8_t key[HASH_KEY];

CALL(create_rss, keep(qp, rss_try(&nomem->port, nomem->table, key, 0)))
CALL(destroy_qp, ibv_destroy_qp(nomem->made.qp))

static void make_raw(struct nomem *nomem)
{
	make_cq(nomem);
	nomem->qp = qp_make(&nomem->port, IBV_QPT_RAW_PACKET, nomem->cq);
	raw_to_rts(nomem->qp);
}

FINISH(drop_raw, ibv_destroy_qp(nomem->qp), drop_cq)

/* Another rate each time */
static int modify_rate(struct nomem *nomem)
{
	struct ibv_qp_rate_limit_attr attr = { .rate_limit = 100000 + nomem->turn++ };

	return ibv_modify_qp_rate_limit(nomem->qp, &attr);
}

/* Address of no machine */
#define RULE_SRC	0x04030201

CALL(create_flow, keep(flow, flow_from(nomem->qp, RULE_SRC, NULL)))
CALL(create_counted_flow, keep(flow, flow_from(nomem->qp, RULE_SRC, nomem->counters)))
CALL(destroy_flow, ibv_destroy_flow(nomem->made.flow))

CALL(create_counters, keep(counters, ibv_create_counters(nomem->port.ctx,
							 &(struct ibv_counters_init_attr){})))
CALL(destroy_counters, ibv_destroy_counters(nomem->made.counters))

static int attach_counters(struct nomem *nomem)
{
	struct ibv_counter_attach_attr attr = { .counter_desc = IBV_COUNTER_PACKETS };

	return ibv_attach_counters_point_flow(nomem->made.counters, &attr, NULL);
}

/* Counters can be attached only once, so each call needs new ones */
static int attach_new_counters(struct nomem *nomem)
{
	int err = create_counters(nomem);

	if (err)
		return err;
	err = attach_counters(nomem);
	if (err)
		want_ok(destroy_counters(nomem));
	return err;
}

static void make_counters(struct nomem *nomem)
{
	make_raw(nomem);
	want_ok(attach_new_counters(nomem));
	nomem->counters = nomem->made.counters;
}

FINISH(drop_counters, ibv_destroy_counters(nomem->counters), drop_raw)
PREPARE(make_counted_flow, make_counters, create_counted_flow(nomem))
FINISH(drop_counted_flow, destroy_flow(nomem), drop_counters)

static int read_counters(struct nomem *nomem)
{
	uint64_t value;

	return ibv_read_counters(nomem->counters, &value, 1, 0);
}

const struct entry frame_entries[] = {
	{ "create_wq", make_cq, create_wq, destroy_wq, drop_cq, true },
	{ "modify_wq", make_wqs, wq_to_ready, wq_to_reset, drop_wqs, true },
	{ "create_rwq_ind_table", make_wqs, create_table, destroy_table, drop_wqs, true },
	{ "create_qp_rss", make_table, create_rss, destroy_qp, drop_table, true },
	{ "modify_qp_rate", make_raw, modify_rate, NULL, drop_raw, false },
	{ "create_flow", make_raw, create_flow, destroy_flow, drop_raw, true },
	{ "create_counters", NULL, create_counters, destroy_counters, NULL, true },
	{ "attach_counters", NULL, attach_new_counters, destroy_counters, NULL, false },
	{ "create_flow_counted", make_counters, create_counted_flow, destroy_flow, drop_counters,
	  true },
	{ "read_counters", make_counted_flow, read_counters, NULL, drop_counted_flow, false },
	{ 0 },
};
