// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: wqe DEVICE GID-INDEX
 *
 * Connects two QPs of one port for each invalid send work request or producer index; another pair
 * gets valid requests only. Prints one line per case: its name, the status of the completion (or
 * what came instead), and the state of the other pair: "ok" if a WRITE still succeeds.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uverbs.h"

#define BUFFER 8192
#define WAIT_MS 5000

struct pair {
	struct ring_cq cq;
	struct ring_qp a;
	struct ring_qp b;
};

struct setting {
	struct uverbs uv;
	uint32_t pd;
	uint32_t other_pd;
	uint8_t gid[16];
	unsigned int gid_index;
	struct region mr;
	struct region local;	/* no remote access */
	struct region foreign;	/* of the other PD */
	uint32_t stale_key;
	struct pair neighbour;
};

static uint8_t buffer[BUFFER] __attribute__((aligned(4096)));

/* Header, route, and as many SGEs as fit into a slot */
struct wqe {
	struct ornic_sq_hdr hdr;
	struct ornic_route_rc route;
	struct ornic_sge sge[2];
};
_Static_assert(sizeof(struct wqe) == ORNIC_SLOT_SIZE, "one slot");

static void make_pair(struct setting *s, struct pair *pair)
{
	uverbs_cq(&s->uv, 64, &pair->cq);
	uverbs_rc_qp(&s->uv, s->pd, &pair->cq, NULL, &pair->a);
	uverbs_rc_qp(&s->uv, s->pd, &pair->cq, NULL, &pair->b);
	uverbs_connect(&pair->a, pair->b.resp.qpn, s->gid, s->gid_index);
	uverbs_connect(&pair->b, pair->a.resp.qpn, s->gid, s->gid_index);
}

static void drop_pair(struct setting *s, struct pair *pair)
{
	uverbs_destroy_qp(s->uv.fd, &pair->a);
	uverbs_destroy_qp(s->uv.fd, &pair->b);
}

static struct wqe good_write(const struct setting *s)
{
	const uint32_t ctrl = ORNIC_SQ_CTRL(ORNIC_WR_RDMA_WRITE, ORNIC_SEND_SIGNALED, 48);

	return (struct wqe){
		.hdr = { .ctrl = htole32(ctrl), .wr_id = htole64(42) },
		.route = {
			.raddr = htole64((uintptr_t)buffer + 4096),
			.rkey = htole32(s->mr.key),
		},
		.sge[0] = {
			.addr = htole64((uintptr_t)buffer),
			.length = htole32(64),
			.lkey = htole32(s->mr.key),
		},
	};
}

/* Return: the status of the next completion of a QP, as text */
static const char *next_status(struct pair *pair, char *text, size_t len)
{
	struct ornic_cqe cqe;

	if (!ring_poll(&pair->cq, &cqe, WAIT_MS))
		return "no completion";
	snprintf(text, len, "%u", le32toh(cqe.status));
	return text;
}

static const char *neighbours(struct setting *s)
{
	struct wqe wqe = good_write(s);
	char text[16];

	memset(buffer + 4096, 0, 64);
	memset(buffer, 0xa5, 64);
	ring_post_send(&s->neighbour.a, &wqe, 1);
	if (strcmp(next_status(&s->neighbour, text, sizeof(text)), "0"))
		return "broken";
	return memcmp(buffer, buffer + 4096, 64) ? "data wrong" : "ok";
}

static void set_ctrl(struct wqe *wqe, uint32_t mask, uint32_t value)
{
	wqe->hdr.ctrl = htole32((le32toh(wqe->hdr.ctrl) & ~mask) | ORNIC_PREP(mask, value));
}

/* Spoil a good WRITE in the n-th way. Return: the name of that way, NULL beyond the last. */
static const char *spoil(const struct setting *s, struct wqe *wqe, unsigned int n)
{
	switch (n) {
	case 0:
		set_ctrl(wqe, ORNIC_SQ_OPCODE, 200);
		return "opcode 200";
	case 1:
		set_ctrl(wqe, ORNIC_SQ_OPCODE, ORNIC_WR_REG_MR);
		return "REG_MR of a process";
	case 2:
		set_ctrl(wqe, ORNIC_SQ_LENGTH, 8176);
		return "509 SGEs";
	case 3:
		/* Shorter than the header */
		set_ctrl(wqe, ORNIC_SQ_LENGTH, 0);
		return "no length";
	case 4:
		set_ctrl(wqe, ORNIC_SQ_LENGTH, 47);
		return "part of an SGE";
	case 5:
		set_ctrl(wqe, ORNIC_SQ_OPCODE, ORNIC_WR_RDMA_READ);
		set_ctrl(wqe, ORNIC_SQ_FLAGS, ORNIC_SEND_SIGNALED | ORNIC_SEND_INLINE);
		return "inline READ";
	case 6:
		wqe->sge[0].lkey = htole32(s->foreign.key);
		return "lkey of another PD";
	case 7:
		wqe->sge[0].lkey = htole32(s->stale_key);
		return "stale lkey";
	case 8:
		wqe->sge[0].lkey = htole32(s->mr.key ^ 1);
		return "lkey of another variant";
	case 9:
		wqe->sge[0].addr = htole64(~0ull - 63);
		wqe->sge[0].length = htole32(4096);
		return "SGE that wraps";
	case 10:
		wqe->sge[0].length = htole32(BUFFER + 1);
		return "SGE beyond its region";
	case 11:
		set_ctrl(wqe, ORNIC_SQ_LENGTH, 64);
		wqe->sge[0].length = htole32(0xffffffff);
		wqe->sge[1] = wqe->sge[0];
		return "sum of lengths above 4 GiB";
	case 12:
		wqe->route.rkey = htole32(s->foreign.key);
		return "rkey of another PD";
	case 13:
		wqe->route.rkey = htole32(s->stale_key);
		return "stale rkey";
	case 14:
		wqe->route.rkey = htole32(s->local.key);
		return "rkey without remote write";
	case 15:
		wqe->route.raddr = htole64(~0ull - 31);
		return "remote address that wraps";
	case 16:
		wqe->hdr.ctrl |= htole32(ORNIC_SEND_RSVD);
		return "reserved bits";
	default:
		return NULL;
	}
}

/* Return: whether there is an n-th way */
static int run_case(struct setting *s, unsigned int n)
{
	struct wqe wqe = good_write(s);
	const char *name = spoil(s, &wqe, n);
	struct pair pair;
	char text[16];

	if (!name)
		return 0;
	make_pair(s, &pair);
	ring_post_send(&pair.a, &wqe, 1);
	printf("%s: %s, neighbours %s\n", name, next_status(&pair, text, sizeof(text)),
	       neighbours(s));
	drop_pair(s, &pair);
	return 1;
}

/* WQEs after a failed one are flushed in order */
static void run_flush(struct setting *s)
{
	struct wqe bad = good_write(s), good = good_write(s);
	struct pair pair;
	char text[3][16];

	make_pair(s, &pair);
	set_ctrl(&bad, ORNIC_SQ_OPCODE, 200);
	set_ctrl(&good, ORNIC_SQ_FLAGS, 0);
	ring_post_send(&pair.a, &bad, 1);
	ring_post_send(&pair.a, &good, 1);
	ring_post_send(&pair.a, &good, 1);
	printf("flush behind opcode 200: %s", next_status(&pair, text[0], sizeof(text[0])));
	printf(" %s", next_status(&pair, text[1], sizeof(text[1])));
	printf(" %s, neighbours %s\n", next_status(&pair, text[2], sizeof(text[2])),
	       neighbours(s));
	drop_pair(s, &pair);
}

static void run_index(struct setting *s)
{
	struct wqe wqe = good_write(s);
	struct ornic_cqe cqe;
	struct pair pair;

	make_pair(s, &pair);
	ring_post_send(&pair.a, &wqe, 1);
	if (!ring_poll(&pair.cq, &cqe, WAIT_MS) || cqe.status)
		die("good WRITE", 0);
	pair.a.dbr->sq_pi = htole32(0x12345678);
	ring_sq_doorbell(&pair.a);
	/* An invalid index gives no completion */
	printf("sq_pi beyond the ring: %s, neighbours %s\n",
	       ring_poll(&pair.cq, &cqe, 200) ? "a completion" : "nothing", neighbours(s));
	drop_pair(s, &pair);
}

/* Set all bits of the board, also those without a QP, and what the card never touches */
static void run_board(struct setting *s)
{
	if (s->uv.board) {
		memset(s->uv.board->rsvd, 0xff, sizeof(s->uv.board->rsvd));
		memset(s->uv.board->bits, 0xff, sizeof(s->uv.board->bits));
		memset(s->uv.board->summary, 0xff, sizeof(s->uv.board->summary));
	}
	*(volatile uint64_t *)s->uv.db = 0;
	printf("all bits of the board: nothing, neighbours %s\n", neighbours(s));
}

int main(int argc, char **argv)
{
	const uint32_t access = ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_REMOTE_WRITE |
				ORNIC_ACCESS_REMOTE_READ;
	struct setting s = {};
	struct region gone;
	unsigned int n = 0;

	if (argc != 3)
		die("usage: wqe DEVICE GID-INDEX", 0);
	s.gid_index = atoi(argv[2]);
	read_gid(argv[1], s.gid_index, s.gid);
	uverbs_context(&s.uv, argv[1]);
	s.pd = uverbs_pd(s.uv.fd);
	s.other_pd = uverbs_pd(s.uv.fd);
	uverbs_mr(s.uv.fd, s.pd, buffer, BUFFER, access, &s.mr);
	uverbs_mr(s.uv.fd, s.pd, buffer, BUFFER, ORNIC_ACCESS_LOCAL_WRITE, &s.local);
	uverbs_mr(s.uv.fd, s.other_pd, buffer, BUFFER, access, &s.foreign);
	uverbs_mr(s.uv.fd, s.pd, buffer, BUFFER, access, &gone);
	s.stale_key = gone.key;
	uverbs_dereg_mr(s.uv.fd, &gone);
	make_pair(&s, &s.neighbour);

	while (run_case(&s, n))
		n++;
	run_flush(&s);
	run_index(&s);
	run_board(&s);
	return 0;
}
