// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Guest memory of an attacker: its map, shrunk files, page lists, boards */
#include <sys/mman.h>
#include <unistd.h>

#include "base/state.h"
#include "neighbour.h"
#include "work_clock.h"

#define TURNS 50
/* Pages of 4 KiB, each of which is mapped by itself */
#define PAGES 32768
#define RW (MEM_READ | MEM_WRITE)
/* Bus address of memory that is mapped page by page */
#define PIECES (1ULL << 40)
/* Large pages, each of which is all of the small ones, in one region */
#define LARGE_SHIFT 27
#define LARGE_PAGES 4096
/*
 * Distance of the SGEs in a region, which is larger than what a group of pages
 * describes, and their number
 */
#define LARGE_GROUP ((uint64_t)BUF_STEP << 12)
#define LARGE_GROUPS 1024
/* Pages of the largest region, besides the attacker's other buffers */
#define LARGEST_PAGES 8000000
/* Turns after which a client that is not postponed must be disconnected */
#define DISCONNECTED 5

/* ---- a buffer that is many regions of the DMA map ---- */

/* One page after another, of a file that is large enough for all of them */
static void map_pieces(struct neighbours *n)
{
	int fd = memfd_create("pieces", MFD_CLOEXEC);
	unsigned int i;

	assert_int_equal(ftruncate(fd, PAGES * HOST_PAGE), 0);
	for (i = 0; i < PAGES; i++)
		assert_int_equal(mem_map(&attacker(n)->mem,
					 PIECES + i * HOST_PAGE, HOST_PAGE, RW,
					 fd, i * HOST_PAGE), 0);
	close(fd);
}

static struct ornic_create_mr_in pieces_mr(struct neighbours *n)
{
	struct host *host = n->host[0];
	uint64_t list = host_alloc(host, LARGE_PAGES * 8, HOST_PAGE);
	struct ornic_create_mr_in in = {
		.pdn = htole32(A(n->pair)->pdn),
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE |
				  ORNIC_ACCESS_REMOTE_WRITE),
		.type = ORNIC_MR_MEMORY,
		.buf = {
			.page_shift = LARGE_SHIFT,
			.levels = 1,
			.npages = htole32(LARGE_PAGES),
			.addr = htole64(list),
		},
	};
	__le64 *entry = host_ptr(host, list);
	unsigned int i;

	for (i = 0; i < LARGE_PAGES; i++)
		entry[i] = htole64(PIECES);
	return in;
}

/* The largest region; each of its pages is all of the pieces */
static void push_pieces(struct neighbours *n)
{
	struct host *host = n->host[0];
	uint64_t used = host->used;
	struct ornic_create_mr_in in = pieces_mr(n);

	in.length = htole64((uint64_t)LARGE_PAGES << LARGE_SHIFT);
	while (host->admin_pi - host->card->admin.cq_pi <
	       1u << HOST_ADMIN_LOG_DEPTH)
		host_submit(host, ORNIC_CMD_CREATE_MR, &in, sizeof(in));
	host->used = used;
}

/* A region of one large page that is not contiguous, as its end is missing */
static void begin_scattered(struct neighbours *n)
{
	struct host *host = n->host[0];
	struct ornic_create_mr_in in;

	map_pieces(n);
	in = pieces_mr(n);
	in.length = htole64(PAGES * HOST_PAGE);
	in.buf.npages = htole32(1);
	n->key = host_create_mr(host, &in);
	mem_unmap(&attacker(n)->mem, PIECES + (PAGES - 1) * HOST_PAGE,
		  HOST_PAGE);
	neighbours_qps(n, n->self, ORNIC_QPT_RC, 0);
}

static void push_scattered(struct neighbours *n)
{
	struct pair_wr wr = pair_wr_data(A(n->self), ORNIC_WR_RDMA_WRITE, 0, 8);
	unsigned int i;

	wr.flags = 0;
	wr.sges = CARD_MAX_SGE;
	for (i = 0; i < CARD_MAX_SGE; i++)
		wr.sge[i] = (struct sge){ i * HOST_PAGE, 8, n->key };
	neighbours_post(n, n->self, &wr, 5);
}

/* ---- memory that comes and goes ---- */

/* A region whose index pages are all one, which lists itself */
static void create_large(struct neighbours *n, uint32_t npages)
{
	struct host *host = n->host[0];
	uint64_t index = host_alloc(host, HOST_PAGE, HOST_PAGE);
	struct ornic_create_mr_in in = {
		.pdn = htole32(A(n->pair)->pdn),
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
		.type = ORNIC_MR_MEMORY,
		.length = htole64((uint64_t)npages << 12),
		.buf = {
			.page_shift = 12,
			.levels = 3,
			.npages = htole32(npages),
			.addr = htole64(index),
		},
	};
	__le64 *entry = host_ptr(host, index);
	unsigned int i;

	for (i = 0; i < ORNIC_INDEX_ENTRIES; i++)
		entry[i] = htole64(index);
	n->key = host_create_mr(host, &in);
}

static void begin_large(struct neighbours *n)
{
	create_large(n, LARGE_GROUPS * BUF_STEP);
	neighbours_qps(n, n->self, ORNIC_QPT_RC, 0);
}

static void begin_largest(struct neighbours *n)
{
	create_large(n, LARGEST_PAGES);
}

static void push_destroy(struct neighbours *n)
{
	struct ornic_object in = { .num = htole32(n->key) };

	if (!n->addr++)
		host_submit(n->host[0], ORNIC_CMD_DESTROY_MR, &in, sizeof(in));
}

/* Each SGE is in another group of pages */
static void far_sges(struct neighbours *n, struct sge *sge, unsigned int *group)
{
	unsigned int i;

	for (i = 0; i < CARD_MAX_SGE; i++, (*group)++)
		sge[i] = (struct sge){
			.addr = *group % LARGE_GROUPS * LARGE_GROUP,
			.length = 8,
			.lkey = n->key,
		};
}

/* All pointers are lost */
static void toggle(struct neighbours *n)
{
	mem_enable(&attacker(n)->mem, false);
	mem_enable(&attacker(n)->mem, true);
}

static void push_toggle(struct neighbours *n)
{
	struct pair_wr wr = pair_wr_data(A(n->self), ORNIC_WR_RDMA_WRITE, 0, 8);
	struct side *side = A(n->self);
	struct ornic_qp_dbr *dbr;
	unsigned int j, group = 0;

	toggle(n);
	wr.flags = 0;
	wr.sges = CARD_MAX_SGE;
	for (j = 0; j < n->qps; j++) {
		side->qp = n->qp[0][j];
		dbr = host_qp_dbr(&side->qp);
		while (side->qp.sq_pi - guest_load32(&dbr->sq_ci) + 5 <= 64) {
			far_sges(n, wr.sge, &group);
			pair_post(side, &wr);
		}
		pair_ring(side);
		n->qp[0][j] = side->qp;
	}
}

/* The receiver uses the groups, so the packets are cheap for the sender */
static void push_toggle_received(struct neighbours *n)
{
	struct pair_wr wr = pair_wr_data(A(n->self), ORNIC_WR_SEND, 0,
					 8 * CARD_MAX_SGE);
	struct side *side = B(n->self);
	struct sge sge[CARD_MAX_SGE];
	struct ornic_qp_dbr *dbr;
	unsigned int j, group = 0;

	for (j = 0; j < n->qps; j++) {
		side->qp = n->qp[1][j];
		dbr = host_qp_dbr(&side->qp);
		while (side->qp.rq_pi - guest_load32(&dbr->rq_ci) <
		       1u << side->qp.log_rq_wqes) {
			far_sges(n, sge, &group);
			pair_post_recv_sges(side, 1, sge, CARD_MAX_SGE);
		}
		n->qp[1][j] = side->qp;
	}
	toggle(n);
	wr.flags = 0;
	neighbours_post(n, n->self, &wr, 1);
}

/* ---- shrunk files ---- */

/* The end of the file, which goes away */
#define SHRUNK_PAGES 4096
#define SHRUNK_LEFT (2ULL << 30)

static struct pair *shrunk_pair(struct neighbours *n)
{
	return n->attack->arg == ORNIC_QPT_UD ? n->self : n->pair;
}

static void begin_shrunk(struct neighbours *n)
{
	int fd = memfd_create("shrunk", MFD_CLOEXEC);
	uint64_t len = SHRUNK_PAGES * HOST_PAGE;

	assert_int_equal(mem_guard_install(), 0);
	assert_int_equal(ftruncate(fd, SHRUNK_LEFT + len), 0);
	assert_int_equal(mem_map(&attacker(n)->mem, PIECES - SHRUNK_LEFT,
				 SHRUNK_LEFT + len, RW, fd, 0), 0);
	n->key = host_mr(n->host[0], A(n->pair)->pdn, PIECES, len,
			 ORNIC_ACCESS_LOCAL_WRITE);
	neighbours_qps(n, shrunk_pair(n), n->attack->arg, 0);
	assert_int_equal(ftruncate(fd, SHRUNK_LEFT), 0);
	close(fd);
}

/*
 * Send from all pages, the last one first. UD copies the data when it sends,
 * RC when the frame is delivered.
 */
static void push_shrunk(struct neighbours *n)
{
	struct pair *pair = shrunk_pair(n);
	struct side *side = A(pair);
	struct pair_wr wr = pair_wr_data(side, pair_qp(side)->base.type ==
					 ORNIC_QPT_UD ? ORNIC_WR_SEND :
					 ORNIC_WR_RDMA_WRITE, 0, 8);
	unsigned int i, j, k, page = SHRUNK_PAGES;

	wr.flags = 0;
	wr.dqpn = side->qp.num;
	wr.sges = CARD_MAX_SGE;
	for (i = 0; i < n->qps; i++) {
		side->qp = n->qp[0][i];
		for (j = 0; j < 8; j++) {
			for (k = 0; k < CARD_MAX_SGE; k++)
				wr.sge[k] = (struct sge){
					.addr = PIECES + --page % SHRUNK_PAGES *
						HOST_PAGE,
					.length = 8,
					.lkey = n->key,
				};
			pair_post(side, &wr);
		}
		pair_ring(side);
	}
}

/* The client is disconnected after one fault */
static void push_shrunk_once(struct neighbours *n)
{
	if (!n->addr)
		push_shrunk(n);
	else if (n->addr > DISCONNECTED)
		assert_int_equal(attacker(n)->vu.client.fd, -1);
	if (attacker(n)->share.credit_ns > 0)
		n->addr++;
	assert_in_range(attacker(n)->mem.faults, 0, 1);
}

/* ---- boards ---- */

static void begin_boards(struct neighbours *n)
{
	unsigned int i;

	n->addr = host_alloc(n->host[0], sizeof(struct ornic_board), HOST_PAGE);
	for (i = 0; i < 1000; i++) {
		A(n->pair)->uctx = host_uctx(n->host[0], 0, n->addr);
		if (i < NEIGHBOUR_QPS) {
			pair_qps(n->pair, ORNIC_QPT_UD, 0);
			pair_connect(n->pair);
		}
	}
}

static void push_boards(struct neighbours *n)
{
	struct ornic_board *board = host_ptr(n->host[0], n->addr);

	memset(board->bits, 0xff, sizeof(board->bits));
	memset(board->summary, 0xff, sizeof(board->summary));
}

static const struct attack attacks[] = {
	{ "pieces", map_pieces, push_pieces, 5, 0, 0, 0 },
	{ "scattered", begin_scattered, push_scattered, 5, 0, 0, 0 },
	{ "bus_mastering", begin_large, push_toggle, TURNS, 0, 0, 0 },
	{ "bus_mastering_received", begin_large, push_toggle_received, TURNS, 0,
	  0, 0 },
	{ "largest_destroyed", begin_largest, push_destroy, TURNS, 0, 0, 0 },
	{ "shrunk_delivered", begin_shrunk, push_shrunk_once, TURNS,
	  ORNIC_QPT_RC, 0, 0 },
	{ "shrunk_sent", begin_shrunk, push_shrunk_once, TURNS, ORNIC_QPT_UD,
	  0, 0 },
	{ "boards", begin_boards, push_boards, TURNS, 0, 0, 0 },
};

int main(void)
{
	return neighbours_main("neighbour_memory", attacks,
			       ARRAY_SIZE(attacks));
}
