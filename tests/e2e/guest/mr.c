// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: mr DEVICE GID-INDEX CASE
 *
 * Memory regions and windows: cases that no other suite covers.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verbs.h"

#define LEN 16384

/* WRITE with a key of the other side, and expect a status */
static void want_write(struct port *port, struct mem *from, uint64_t raddr, uint32_t rkey,
		       enum ibv_wc_status status)
{
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge = mem_sge(from, 0, 64);

	want_ok(post_send(pair.a, IBV_WR_RDMA_WRITE, 1, &sge, raddr, rkey));
	want_wc(pair.a_cq, 1, status);
	if (status == IBV_WC_REM_ACCESS_ERR)
		want_event(port, IBV_EVENT_QP_ACCESS_ERR, pair.b);
	pair_destroy(&pair);
}

/* Reads give zeros and writes vanish, alone and beside real memory, at any address */
CASE(null_mr)
{
	struct mem a = mem_make(port, LEN, ACCESS_ALL), b = mem_make(port, LEN, ACCESS_ALL);
	struct ibv_mr *null = made(ibv_alloc_null_mr(port->pd));
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge[2];
	struct ibv_send_wr wr = {
		.wr_id = 1, .sg_list = sge, .num_sge = 2, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)b.buf, b.mr->rkey },
	}, *bad;
	struct ibv_recv_wr recv = { .wr_id = 2, .sg_list = sge, .num_sge = 2 }, *bad_recv;
	unsigned int i;

	/* 3000 bytes of the null MR, 3000 of a */
	sge[0] = (struct ibv_sge){ .addr = 0, .length = 3000, .lkey = null->lkey };
	sge[1] = mem_sge(&a, 0, 3000);
	mem_fill(&a, 0, LEN, 1);
	mem_fill(&b, 0, LEN, 2);
	want_ok(ibv_post_send(pair.a, &wr, &bad));
	want_wc(pair.a_cq, 1, IBV_WC_SUCCESS);
	for (i = 0; i < 3000; i++)
		want(!b.buf[i], "byte %u: %u", i, b.buf[i]);
	want(mem_is(&b, 3000, 3000, 1), "what is beside it");
	want(mem_is_part(&b, 0, 6000, LEN, 2), "beyond");

	/* READ: the first half vanishes */
	sge[0].addr = 0xfeedfacecafe0000;
	mem_fill(&b, 0, LEN, 3);
	wr.opcode = IBV_WR_RDMA_READ;
	want_ok(ibv_post_send(pair.a, &wr, &bad));
	want_wc(pair.a_cq, 1, IBV_WC_SUCCESS);
	want(mem_is_part(&b, 0, 0, LEN, 3), "the source");
	for (i = 0; i < 3000; i++)
		want(a.buf[i] == b.buf[3000 + i], "byte %u", i);

	/* A receive */
	mem_fill(&b, 0, LEN, 4);
	want_ok(ibv_post_recv(pair.b, &recv, &bad_recv));
	sge[0] = mem_sge(&b, 0, 5000);
	want_ok(post_send(pair.a, IBV_WR_SEND, 3, sge, 0, 0));
	want_wc(pair.a_cq, 3, IBV_WC_SUCCESS);
	want_wc(pair.b_cq, 2, IBV_WC_SUCCESS);
	for (i = 0; i < 2000; i++)
		want(a.buf[i] == b.buf[3000 + i], "byte %u", i);
	want_ok(ibv_dereg_mr(null));
}

/* A null MR allows no remote access */
CASE(null_mr_is_local)
{
	struct mem a = mem_make(port, LEN, ACCESS_ALL);
	struct ibv_mr *null = made(ibv_alloc_null_mr(port->pd));

	want_write(port, &a, 0, null->lkey, IBV_WC_REM_ACCESS_ERR);
	want_ok(ibv_dereg_mr(null));
}

static void bind_1(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mr *mr, void *addr,
		   uint64_t len)
{
	struct ibv_mw_bind bind = {
		.wr_id = 77, .send_flags = IBV_SEND_SIGNALED,
		.bind_info = { mr, (uintptr_t)addr, len, IBV_ACCESS_REMOTE_WRITE },
	};

	want_ok(ibv_bind_mw(qp, mw, &bind));
	want_wc(qp->send_cq, 77, IBV_WC_SUCCESS);
}

/* Type 1: each bind moves the window and changes its key; length 0 unbinds it */
CASE(window_1)
{
	struct mem from = mem_make(port, LEN, ACCESS_ALL);
	struct mem to = mem_make(port, LEN, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = made(ibv_alloc_mw(port->pd, IBV_MW_TYPE_1));
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	uint32_t old;

	bind_1(pair.a, mw, to.mr, to.buf + 4096, 4096);
	old = mw->rkey;
	want_write(port, &from, (uintptr_t)to.buf + 4096, mw->rkey, IBV_WC_SUCCESS);
	want_write(port, &from, (uintptr_t)to.buf + 8192 - 64, mw->rkey, IBV_WC_SUCCESS);
	want_write(port, &from, (uintptr_t)to.buf + 8192 - 63, mw->rkey, IBV_WC_REM_ACCESS_ERR);
	want_write(port, &from, (uintptr_t)to.buf + 4095, mw->rkey, IBV_WC_REM_ACCESS_ERR);
	want_write(port, &from, (uintptr_t)to.buf + 4096, to.mr->rkey, IBV_WC_REM_ACCESS_ERR);
	want(ibv_dereg_mr(to.mr), "a region with a window went away");
	bind_1(pair.a, mw, to.mr, to.buf, 64);
	want(mw->rkey != old, "the same key");
	want_write(port, &from, (uintptr_t)to.buf, mw->rkey, IBV_WC_SUCCESS);
	want_write(port, &from, (uintptr_t)to.buf + 4096, old, IBV_WC_REM_ACCESS_ERR);
	bind_1(pair.a, mw, to.mr, NULL, 0);
	want_write(port, &from, (uintptr_t)to.buf, mw->rkey, IBV_WC_REM_ACCESS_ERR);
	want_ok(ibv_dereg_mr(to.mr));
	want_ok(ibv_dealloc_mw(mw));
}

static void post_bind_2(struct pair *pair, struct ibv_mw *mw, struct mem *mem, uint32_t rkey,
			enum ibv_wc_status status)
{
	struct ibv_send_wr wr = {
		.wr_id = 5, .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw = {
			.mw = mw, .rkey = rkey,
			.bind_info = { mem->mr, (uintptr_t)mem->buf, LEN,
				       IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ },
		},
	}, *bad;

	want_ok(ibv_post_send(pair->a, &wr, &bad));
	want_wc(pair->a_cq, 5, status);
	if (status == IBV_WC_SUCCESS)
		mw->rkey = rkey;
}

/* Type 2: for one QP only, and bound once until it is invalidated */
CASE(window_2)
{
	struct mem from = mem_make(port, LEN, ACCESS_ALL);
	struct mem to = mem_make(port, LEN, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = made(ibv_alloc_mw(port->pd, IBV_MW_TYPE_2));
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge = mem_sge(&from, 0, 64);
	struct ibv_send_wr inv = {
		.wr_id = 6, .opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED,
	}, *bad;
	uint32_t old;

	post_bind_2(&pair, mw, &to, ibv_inc_rkey(mw->rkey), IBV_WC_SUCCESS);
	want_ok(post_send(pair.b, IBV_WR_RDMA_WRITE, 1, &sge, (uintptr_t)to.buf, mw->rkey));
	want_wc(pair.b_cq, 1, IBV_WC_SUCCESS);
	/* Not through another queue pair */
	want_write(port, &from, (uintptr_t)to.buf, mw->rkey, IBV_WC_REM_ACCESS_ERR);
	inv.invalidate_rkey = mw->rkey;
	want_ok(ibv_post_send(pair.a, &inv, &bad));
	want_wc(pair.a_cq, 6, IBV_WC_SUCCESS);
	old = mw->rkey;
	post_bind_2(&pair, mw, &to, ibv_inc_rkey(mw->rkey), IBV_WC_SUCCESS);
	want_ok(post_send(pair.b, IBV_WR_RDMA_WRITE, 2, &sge, (uintptr_t)to.buf, mw->rkey));
	want_wc(pair.b_cq, 2, IBV_WC_SUCCESS);
	want_ok(post_send(pair.b, IBV_WR_RDMA_WRITE, 3, &sge, (uintptr_t)to.buf, old));
	want_wc(pair.b_cq, 3, IBV_WC_REM_ACCESS_ERR);
}

/* A second bind without an invalidation fails the QP */
CASE(window_2_bound_twice)
{
	struct mem to = mem_make(port, LEN, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = made(ibv_alloc_mw(port->pd, IBV_MW_TYPE_2));
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);

	post_bind_2(&pair, mw, &to, ibv_inc_rkey(mw->rkey), IBV_WC_SUCCESS);
	post_bind_2(&pair, mw, &to, ibv_inc_rkey(mw->rkey), IBV_WC_MW_BIND_ERR);
	want(qp_state(pair.a) == IBV_QPS_ERR, "%d", qp_state(pair.a));
}

/* A region without IBV_ACCESS_MW_BIND gets no windows */
CASE(window_needs_permission)
{
	struct mem to = mem_make(port, LEN, ACCESS_ALL);
	struct ibv_mw *mw = made(ibv_alloc_mw(port->pd, IBV_MW_TYPE_2));
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);

	post_bind_2(&pair, mw, &to, ibv_inc_rkey(mw->rkey), IBV_WC_MW_BIND_ERR);
}

/* Change the address, then the access rights, of a region that keeps its handle */
CASE(rereg)
{
	struct mem from = mem_make(port, LEN, ACCESS_ALL);
	struct mem to = mem_make(port, LEN, ACCESS_ALL);
	uint32_t rkey;
	uint8_t *other;

	other = map_make(LEN, 0);
	mem_fill(&from, 0, 64, 1);
	want_write(port, &from, (uintptr_t)to.buf, to.mr->rkey, IBV_WC_SUCCESS);
	want_ok(ibv_rereg_mr(to.mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, other, LEN, 0));
	want(!other[0], "touched");
	want_write(port, &from, (uintptr_t)other, to.mr->rkey, IBV_WC_SUCCESS);
	want(!memcmp(other, from.buf, 64), "contents");
	rkey = to.mr->rkey;
	want_write(port, &from, (uintptr_t)to.buf, rkey, IBV_WC_REM_ACCESS_ERR);
	want_ok(ibv_rereg_mr(to.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			     IBV_ACCESS_LOCAL_WRITE));
	want_write(port, &from, (uintptr_t)other, to.mr->rkey, IBV_WC_REM_ACCESS_ERR);
}

/* The second half of a dma-buf, at an arbitrary address */
CASE(dma_buf)
{
	struct mem from = mem_make(port, LEN, ACCESS_ALL);
	const uint64_t iova = 0xabcde000;
	struct ibv_mr *mr;
	uint8_t *map;
	int fd = dma_buf_make(2 * LEN, &map);

	want_no_object(EINVAL, ibv_reg_dmabuf_mr(port->pd, LEN, LEN + 1, iova, fd, ACCESS_ALL));
	/* The core permits no windows: they would keep the driver from giving the memory back */
	want_no_object(EINVAL, ibv_reg_dmabuf_mr(port->pd, LEN, LEN, iova, fd,
						 ACCESS_ALL | IBV_ACCESS_MW_BIND));
	mr = made(ibv_reg_dmabuf_mr(port->pd, LEN, LEN, iova, fd, ACCESS_ALL));
	mem_fill(&from, 0, 64, 1);
	want_write(port, &from, iova + 100, mr->rkey, IBV_WC_SUCCESS);
	want(!memcmp(map + LEN + 100, from.buf, 64), "contents");
	want(!map[LEN + 99] && !map[LEN + 164] && !map[100], "beside it");
	want_write(port, &from, iova + LEN - 63, mr->rkey, IBV_WC_REM_ACCESS_ERR);
	/* The core does not change such a region */
	want(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, ACCESS_ALL), "changed");
	want_ok(ibv_dereg_mr(mr));
	close(fd);
}

/* Return: log2 of the largest page size, in bytes, that this process has registered */
static int page_shift(void)
{
	static const char key[] = "\"drv_page_shift\":";
	char command[64], line[65536], *at;
	int shift, largest = 0;
	FILE *dump;

	snprintf(command, sizeof(command), "rdma -j -dd resource show mr pid %d", getpid());
	dump = made(popen(command, "r"));
	while (fgets(line, sizeof(line), dump))
		for (at = line; (at = strstr(at, key)); at += sizeof(key) - 1) {
			shift = atoi(at + sizeof(key) - 1);
			if (shift > largest)
				largest = shift;
		}
	pclose(dump);
	return largest;
}

/* Huge pages are registered as such, and a WRITE crosses their border */
CASE(huge_pages)
{
	const size_t huge = 2 << 20;
	struct mem from = mem_make(port, LEN, ACCESS_ALL);
	FILE *count = made(fopen("/proc/sys/vm/nr_hugepages", "w"));
	struct ibv_mr *mr;
	uint8_t *map;

	want(fputs("4\n", count) > 0 && !fclose(count), "%s", strerror(errno));
	map = map_make(2 * huge, MAP_HUGETLB);
	want(page_shift() < 21, "%d", page_shift());
	mr = made(ibv_reg_mr(port->pd, map + 100, 2 * huge - 100, ACCESS_ALL));
	want(page_shift() >= 21, "%d", page_shift());
	mem_fill(&from, 0, 64, 1);
	want_write(port, &from, (uintptr_t)map + huge - 10, mr->rkey, IBV_WC_SUCCESS);
	want(!memcmp(map + huge - 10, from.buf, 64), "contents");
	want_write(port, &from, (uintptr_t)map + 99, mr->rkey, IBV_WC_REM_ACCESS_ERR);
}
