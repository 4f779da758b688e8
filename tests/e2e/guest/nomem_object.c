// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Entry points of objects other than QPs and memory; see nomem.c */
#include "nomem.h"

#define CQES 200
#define WRS 100

/* If the device file does not open, the library looks elsewhere and reports that error */
static int open_device(struct nomem *nomem)
{
	int err = keep(ctx, ibv_open_device(nomem->handle));

	return err == ENOENT ? ENOMEM : err;
}

CALL(close_device, ibv_close_device(nomem->made.ctx) ? errno : 0)
CALL(alloc_pd, keep(pd, ibv_alloc_pd(nomem->port.ctx)))
CALL(dealloc_pd, ibv_dealloc_pd(nomem->made.pd))
CALL(create_cq, keep(cq, ibv_create_cq(nomem->port.ctx, CQES, NULL, NULL, 0)))

/* Completions of 64 bytes */
static int create_cq_ex(struct nomem *nomem)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = CQES,
		.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(nomem->port.ctx, &attr);

	return keep(cq, cq ? ibv_cq_ex_to_cq(cq) : NULL);
}

CALL(destroy_cq, ibv_destroy_cq(nomem->made.cq))

void make_cq(struct nomem *nomem)
{
	nomem->cq = cq_make(&nomem->port, CQES, NULL);
}

void drop_cq(struct nomem *nomem)
{
	want_ok(ibv_destroy_cq(nomem->cq));
}

/* Another size each time */
CALL(resize_cq, ibv_resize_cq(nomem->cq, nomem->turn++ & 1 ? 4 * CQES : 8 * CQES))

static int modify_cq(struct nomem *nomem)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = { .cq_count = 8, .cq_period = 16 },
	};

	return ibv_modify_cq(nomem->cq, &attr);
}

CALL(create_srq, keep(srq, srq_try(&nomem->port, WRS, 2)))
CALL(destroy_srq, ibv_destroy_srq(nomem->made.srq))

static void make_srq(struct nomem *nomem)
{
	want_ok(create_srq(nomem));
	nomem->srq = nomem->made.srq;
}

static void drop_srq(struct nomem *nomem)
{
	want_ok(ibv_destroy_srq(nomem->srq));
}

static int resize_srq(struct nomem *nomem)
{
	struct ibv_srq_attr attr = { .max_wr = nomem->turn++ & 1 ? 4 * WRS : 8 * WRS };

	return ibv_modify_srq(nomem->srq, &attr, IBV_SRQ_MAX_WR);
}

static int limit_srq(struct nomem *nomem)
{
	struct ibv_srq_attr attr = { .srq_limit = 3 };

	return ibv_modify_srq(nomem->srq, &attr, IBV_SRQ_LIMIT);
}

static int query_srq(struct nomem *nomem)
{
	struct ibv_srq_attr attr;

	return ibv_query_srq(nomem->srq, &attr);
}

CALL(open_xrcd, keep(xrcd, xrcd_try(&nomem->port)))
CALL(close_xrcd, ibv_close_xrcd(nomem->made.xrcd))

void make_xrcd(struct nomem *nomem)
{
	make_cq(nomem);
	want_ok(open_xrcd(nomem));
	nomem->xrcd = nomem->made.xrcd;
}

void drop_xrcd(struct nomem *nomem)
{
	want_ok(ibv_close_xrcd(nomem->xrcd));
	drop_cq(nomem);
}

CALL(create_xrc_srq, keep(srq, xrc_srq_try(&nomem->port, nomem->xrcd, nomem->cq, WRS)))

static int create_ah(struct nomem *nomem)
{
	struct ibv_ah_attr attr = port_ah_attr(&nomem->port);

	return keep(ah, ibv_create_ah(nomem->port.pd, &attr));
}

CALL(destroy_ah, ibv_destroy_ah(nomem->made.ah))

static int query_device(struct nomem *nomem)
{
	struct ibv_device_attr_ex attr;

	return ibv_query_device_ex(nomem->port.ctx, NULL, &attr);
}

static int query_port(struct nomem *nomem)
{
	struct ibv_port_attr attr;

	return ibv_query_port(nomem->port.ctx, 1, &attr);
}

static int query_gid_table(struct nomem *nomem)
{
	struct ibv_gid_entry entries[8];
	ssize_t count = ibv_query_gid_table(nomem->port.ctx, entries, ARRAY_SIZE(entries), 0);

	return count < 0 ? -count : 0;
}

const struct entry object_entries[] = {
	/* rdma_user_mmap_io() returns EAGAIN if it has no memory for page tables */
	{ "open", NULL, open_device, close_device, NULL, true, .also = { EAGAIN } },
	{ "alloc_pd", NULL, alloc_pd, dealloc_pd, NULL, true },
	{ "create_cq", NULL, create_cq, destroy_cq, NULL, true },
	{ "create_cq_ex", NULL, create_cq_ex, destroy_cq, NULL, true },
	{ "resize_cq", make_cq, resize_cq, NULL, drop_cq, false },
	{ "modify_cq", make_cq, modify_cq, NULL, drop_cq, false },
	{ "create_srq", NULL, create_srq, destroy_srq, NULL, true },
	{ "resize_srq", make_srq, resize_srq, NULL, drop_srq, false },
	{ "modify_srq", make_srq, limit_srq, NULL, drop_srq, false },
	{ "query_srq", make_srq, query_srq, NULL, drop_srq, false },
	{ "open_xrcd", NULL, open_xrcd, close_xrcd, NULL, true },
	{ "create_srq_xrc", make_xrcd, create_xrc_srq, destroy_srq, drop_xrcd, true },
	{ "create_ah", NULL, create_ah, destroy_ah, NULL, true },
	{ "query_device", NULL, query_device, NULL, NULL, false },
	{ "query_port", NULL, query_port, NULL, NULL, false },
	{ "query_gid_table", NULL, query_gid_table, NULL, NULL, false },
	{ 0 },
};
