// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Entry points of memory regions and windows; see nomem.c */
#include <sys/mman.h>
#include <unistd.h>

#include "nomem.h"

#define PAGE 4096
#define MIB (1 << 20)
#define LEN (16 * MIB)

static void make_buf(struct nomem *nomem)
{
	nomem->buf = map_make(LEN, MAP_POPULATE);
}

static void drop_buf(struct nomem *nomem)
{
	munmap(nomem->buf, LEN);
}

CALL(reg_page, keep(mr, ibv_reg_mr(nomem->port.pd, nomem->buf, PAGE, ACCESS_ALL)))
CALL(reg_mib, keep(mr, ibv_reg_mr(nomem->port.pd, nomem->buf + 100, MIB, ACCESS_ALL)))

/* The page list has more than one level */
CALL(reg_all, keep(mr, ibv_reg_mr(nomem->port.pd, nomem->buf, LEN, ACCESS_ALL)))
CALL(alloc_null_mr, keep(mr, ibv_alloc_null_mr(nomem->port.pd)))
CALL(dereg, ibv_dereg_mr(nomem->made.mr))

static void make_mr(struct nomem *nomem)
{
	make_buf(nomem);
	nomem->mr = made(ibv_reg_mr(nomem->port.pd, nomem->buf, MIB, ACCESS_ALL));
	nomem->other_pd = made(ibv_alloc_pd(nomem->port.ctx));
}

static void drop_mr(struct nomem *nomem)
{
	want_ok(ibv_dereg_mr(nomem->mr));
	want_ok(ibv_dealloc_pd(nomem->other_pd));
	drop_buf(nomem);
}

/* ibv_rereg_mr() returns codes of its own, and keeps the errno */
static int rereg(struct nomem *nomem, int flags)
{
	bool odd = nomem->turn++ & 1;
	int err;

	err = ibv_rereg_mr(nomem->mr, flags, odd ? nomem->other_pd : nomem->port.pd,
			   nomem->buf + (odd ? MIB : 0), odd ? MIB : 2 * MIB,
			   !(flags & IBV_REREG_MR_CHANGE_ACCESS) ? 0 :
			   odd ? ACCESS_ALL : IBV_ACCESS_LOCAL_WRITE);
	/* After these codes the region may be unusable, but ibv_dereg_mr() must work */
	if (err && err != IBV_REREG_MR_ERR_CMD && err != IBV_REREG_MR_ERR_INPUT)
		want(err == IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW ||
		     err == IBV_REREG_MR_ERR_DO_FORK_OLD, "ibv_rereg_mr: %d", err);
	return err ? errno : 0;
}

CALL(rereg_access, rereg(nomem, IBV_REREG_MR_CHANGE_ACCESS))
CALL(rereg_pd, rereg(nomem, IBV_REREG_MR_CHANGE_PD))
CALL(rereg_memory, rereg(nomem, IBV_REREG_MR_CHANGE_TRANSLATION))

static void make_dmabuf(struct nomem *nomem)
{
	nomem->dmabuf = dma_buf_make(MIB, &nomem->buf);
}

static void drop_dmabuf(struct nomem *nomem)
{
	munmap(nomem->buf, MIB);
	close(nomem->dmabuf);
}

CALL(reg_dmabuf_mr,
     keep(mr, ibv_reg_dmabuf_mr(nomem->port.pd, 0, MIB, 0, nomem->dmabuf, ACCESS_ALL)))
CALL(alloc_mw_1, keep(mw, ibv_alloc_mw(nomem->port.pd, IBV_MW_TYPE_1)))
CALL(alloc_mw_2, keep(mw, ibv_alloc_mw(nomem->port.pd, IBV_MW_TYPE_2)))
CALL(dealloc_mw, ibv_dealloc_mw(nomem->made.mw))

const struct entry memory_entries[] = {
	{ "reg_mr_4k", make_buf, reg_page, dereg, drop_buf, true },
	{ "reg_mr_1m", make_buf, reg_mib, dereg, drop_buf, true },
	{ "reg_mr_16m", make_buf, reg_all, dereg, drop_buf, true },
	{ "alloc_null_mr", NULL, alloc_null_mr, dereg, NULL, true },
	{ "rereg_mr_access", make_mr, rereg_access, NULL, drop_mr, false },
	{ "rereg_mr_pd", make_mr, rereg_pd, NULL, drop_mr, false },
	{ "rereg_mr_memory", make_mr, rereg_memory, NULL, drop_mr, false },
	{ "reg_dmabuf_mr", make_dmabuf, reg_dmabuf_mr, dereg, drop_dmabuf, true },
	{ "alloc_mw_1", NULL, alloc_mw_1, dealloc_mw, NULL, true },
	{ "alloc_mw_2", NULL, alloc_mw_2, dealloc_mw, NULL, true },
	{ 0 },
};
