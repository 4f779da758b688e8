// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: wqe DEVICE GID-INDEX
 *
 * Connects two QPs of one port for each invalid send work request or producer index; another pair
 * gets valid requests only. Prints one line per case: its name, "ok" if the status of the
 * completion is right, or what came, the state of the other pair, "ok" if a WRITE still succeeds,
 * and the counter of the violation.
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

/* A way to spoil a request */
struct way {
	const char *name;
	const char *want;	/* statuses of the completions, or what comes instead */
	const char *counter;	/* of the violation, or NULL */
};

/* Spoil a good WRITE in the n-th way. Return: that way, without a name beyond the last. */
static struct way spoil(const struct setting *s, struct wqe *wqe, unsigned int n)
{
	switch (n) {
	case 0:
		set_ctrl(wqe, ORNIC_SQ_OPCODE, 200);
		return (struct way){ "opcode 200", "2", "bad_wqe_opcode" };
	case 1:
		set_ctrl(wqe, ORNIC_SQ_OPCODE, ORNIC_WR_REG_MR);
		return (struct way){ "REG_MR of a process", "2", "bad_wqe_opcode" };
	case 2:
		set_ctrl(wqe, ORNIC_SQ_LENGTH, 8176);
		return (struct way){ "509 SGEs", "2", "bad_wqe_count" };
	case 3:
		/* Shorter than the header */
		set_ctrl(wqe, ORNIC_SQ_LENGTH, 0);
		return (struct way){ "no length", "2", "bad_wqe_count" };
	case 4:
		set_ctrl(wqe, ORNIC_SQ_LENGTH, 47);
		return (struct way){ "part of an SGE", "2", "bad_wqe_count" };
	case 5:
		set_ctrl(wqe, ORNIC_SQ_OPCODE, ORNIC_WR_RDMA_READ);
		set_ctrl(wqe, ORNIC_SQ_FLAGS, ORNIC_SEND_SIGNALED | ORNIC_SEND_INLINE);
		return (struct way){ "inline READ", "2", "bad_wqe_opcode" };
	case 6:
		wqe->sge[0].lkey = htole32(s->foreign.key);
		return (struct way){ "lkey of another PD", "4", "bad_lkey" };
	case 7:
		wqe->sge[0].lkey = htole32(s->stale_key);
		return (struct way){ "stale lkey", "4", "bad_lkey" };
	case 8:
		wqe->sge[0].lkey = htole32(s->mr.key ^ 1);
		return (struct way){ "lkey of another variant", "4", "bad_lkey" };
	case 9:
		wqe->sge[0].addr = htole64(~0ull - 63);
		wqe->sge[0].length = htole32(4096);
		return (struct way){ "SGE that wraps", "4", "bad_lkey" };
	case 10:
		wqe->sge[0].length = htole32(BUFFER + 1);
		return (struct way){ "SGE beyond its region", "4", "bad_lkey" };
	case 11:
		set_ctrl(wqe, ORNIC_SQ_LENGTH, 64);
		wqe->sge[0].length = htole32(0xffffffff);
		wqe->sge[1] = wqe->sge[0];
		return (struct way){ "sum of lengths above 4 GiB", "1" };
	case 12:
		wqe->route.rkey = htole32(s->foreign.key);
		return (struct way){ "rkey of another PD", "10", "bad_rkey" };
	case 13:
		wqe->route.rkey = htole32(s->stale_key);
		return (struct way){ "stale rkey", "10", "bad_rkey" };
	case 14:
		wqe->route.rkey = htole32(s->local.key);
		return (struct way){ "rkey without remote write", "10", "bad_rkey" };
	case 15:
		wqe->route.raddr = htole64(~0ull - 31);
		return (struct way){ "remote address that wraps", "10", "bad_rkey" };
	case 16:
		wqe->hdr.ctrl |= htole32(ORNIC_SEND_RSVD);
		return (struct way){ "reserved bits", "0" };
	default:
		return (struct way){ NULL };
	}
}

static void say_way(struct setting *s, const struct way *way, const char *got)
{
	printf("%s: %s, neighbours %s, %s\n", way->name, strcmp(got, way->want) ? got : "ok",
	       neighbours(s), way->counter ?: "nothing");
}

/* Return: whether there is an n-th way */
static int run_case(struct setting *s, unsigned int n)
{
	struct wqe wqe = good_write(s);
	const struct way way = spoil(s, &wqe, n);
	struct pair pair;
	char text[16];

	if (!way.name)
		return 0;
	make_pair(s, &pair);
	ring_post_send(&pair.a, &wqe, 1);
	say_way(s, &way, next_status(&pair, text, sizeof(text)));
	drop_pair(s, &pair);
	return 1;
}

/* WQEs after a failed one are flushed in order */
static void run_flush(struct setting *s)
{
	static const struct way way = { "flush behind opcode 200", "2 5 5", "bad_wqe_opcode" };
	struct wqe bad = good_write(s), good = good_write(s);
	char text[3][16], all[64];
	const char *status[3];
	struct pair pair;
	unsigned int i;

	make_pair(s, &pair);
	set_ctrl(&bad, ORNIC_SQ_OPCODE, 200);
	set_ctrl(&good, ORNIC_SQ_FLAGS, 0);
	ring_post_send(&pair.a, &bad, 1);
	ring_post_send(&pair.a, &good, 1);
	ring_post_send(&pair.a, &good, 1);
	for (i = 0; i < 3; i++)
		status[i] = next_status(&pair, text[i], sizeof(text[i]));
	snprintf(all, sizeof(all), "%s %s %s", status[0], status[1], status[2]);
	say_way(s, &way, all);
	drop_pair(s, &pair);
}

static void run_index(struct setting *s)
{
	/* It gives no completion */
	static const struct way way = { "sq_pi beyond the ring", "nothing", "bad_sq_pi" };
	struct wqe wqe = good_write(s);
	struct ornic_cqe cqe;
	struct pair pair;

	make_pair(s, &pair);
	ring_post_send(&pair.a, &wqe, 1);
	if (!ring_poll(&pair.cq, &cqe, WAIT_MS) || cqe.status)
		die("good WRITE", 0);
	pair.a.dbr->sq_pi = htole32(0x12345678);
	ring_sq_doorbell(&pair.a);
	say_way(s, &way, ring_poll(&pair.cq, &cqe, 200) ? "a completion" : "nothing");
	drop_pair(s, &pair);
}

/* Set all bits of the board, also those without a QP, and what the card never touches */
static void run_board(struct setting *s)
{
	static const struct way way = { "all bits of the board", "nothing" };

	if (s->uv.board) {
		memset(s->uv.board->rsvd, 0xff, sizeof(s->uv.board->rsvd));
		memset(s->uv.board->bits, 0xff, sizeof(s->uv.board->bits));
		memset(s->uv.board->summary, 0xff, sizeof(s->uv.board->summary));
	}
	*(volatile uint64_t *)s->uv.db = 0;
	say_way(s, &way, "nothing");
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
