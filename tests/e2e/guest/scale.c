// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: scale DEVICE GID-INDEX QPS serve
 *        scale DEVICE GID-INDEX QPS ADDRESS MESSAGES
 *
 * RDMA WRITEs of 8 bytes on many RC QPs: each goes out on a QP that is chosen at random, always
 * from the same seed, with a constant number under way. The server has as many QPs, prints "ready"
 * when it listens on TCP, and ends when the client does. The client prints the number of messages
 * and the nanoseconds from the first post to the last completion.
 */
#include <stdio.h>

#include "verbs.h"

#define TCP_PORT 18516
#define QPS_MAX 16384
#define WINDOW 32
/* All messages under way may be of one QP */
#define DEPTH WINDOW
#define LEN 8
#define SEED 0x9e3779b97f4a7c15ULL

/* Properties of one side, as sent to the other; both machines have the same byte order */
struct hello {
	uint64_t addr;
	uint32_t rkey;
	uint32_t qps;
	union ibv_gid gid;
	uint32_t qpn[QPS_MAX];
};

struct scale {
	struct port port;
	struct ibv_cq *cq;
	struct mem mem;
	int fd;
	bool server;
	unsigned int qps;
	struct ibv_qp *qp[QPS_MAX];
	struct hello own;
	struct hello peer;
	uint64_t random;
};

static void make_qps(struct scale *scale)
{
	struct ibv_qp_init_attr init = {
		.send_cq = scale->cq,
		.recv_cq = scale->cq,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1, .max_inline_data = LEN },
		.qp_type = IBV_QPT_RC,
	};
	unsigned int i;

	for (i = 0; i < scale->qps; i++) {
		scale->qp[i] = made(ibv_create_qp(scale->port.pd, &init));
		scale->own.qpn[i] = scale->qp[i]->qp_num;
		qp_to_init(scale->qp[i], ACCESS_ALL);
	}
}

static void connect_qps(struct scale *scale)
{
	struct port path = scale->port;
	unsigned int i;

	/* qp_to_rtr() connects with the GID of the port that it is given */
	path.gid = scale->peer.gid;
	for (i = 0; i < scale->qps; i++) {
		qp_to_rtr(&path, scale->qp[i], scale->peer.qpn[i]);
		qp_to_rts(scale->qp[i]);
	}
}

/* Marsaglia's xorshift64* */
static unsigned int random_below(struct scale *scale, unsigned int limit)
{
	scale->random ^= scale->random >> 12;
	scale->random ^= scale->random << 25;
	scale->random ^= scale->random >> 27;
	return (scale->random * 0x2545f4914f6cdd1dULL >> 32) % limit;
}

static void post(struct scale *scale, struct ibv_qp *qp)
{
	struct ibv_sge sge = mem_sge(&scale->mem, 0, LEN);
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.wr.rdma = { .remote_addr = scale->peer.addr, .rkey = scale->peer.rkey },
	}, *bad;

	want_ok(ibv_post_send(qp, &wr, &bad));
}

/* Send on QPs that are chosen at random, or on each in turn */
static void transfer(struct scale *scale, unsigned long messages, bool in_turn)
{
	unsigned long posted = 0, done = 0;
	struct ibv_wc wc[WINDOW];
	int count, i;

	while (done < messages) {
		for (; posted < messages && posted - done < WINDOW; posted++)
			post(scale, scale->qp[in_turn ? posted % scale->qps :
					      random_below(scale, scale->qps)]);
		count = ibv_poll_cq(scale->cq, WINDOW, wc);
		want(count >= 0, "ibv_poll_cq: %d", count);
		for (i = 0; i < count; i++)
			want(wc[i].status == IBV_WC_SUCCESS, "%s",
			     ibv_wc_status_str(wc[i].status));
		done += count;
	}
}

/* Each QP is used before the measurement, so that no first use is in it */
static void measure(struct scale *scale, unsigned long messages)
{
	uint64_t begin;

	transfer(scale, scale->qps, true);
	transfer(scale, messages / 4, false);
	begin = now_ns();
	transfer(scale, messages, false);
	printf("%lu messages, %llu ns\n", messages, (unsigned long long)(now_ns() - begin));
}

int main(int argc, char **argv)
{
	struct scale *scale = made(calloc(1, sizeof(*scale)));
	char byte = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	scale->server = argc == 5 && !strcmp(argv[4], "serve");
	if (!scale->server && argc != 6) {
		fprintf(stderr, "usage: scale DEVICE GID-INDEX QPS serve\n"
			"       scale DEVICE GID-INDEX QPS ADDRESS MESSAGES\n");
		return 2;
	}
	scale->qps = strtoul(argv[3], NULL, 0);
	want(scale->qps && scale->qps <= QPS_MAX, "%u QPs", scale->qps);
	scale->random = SEED;
	scale->fd = scale->server ? tcp_serve(TCP_PORT) : tcp_call(argv[4], TCP_PORT);
	port_open(&scale->port, argv[1], atoi(argv[2]));
	scale->cq = cq_make(&scale->port, 2 * WINDOW, NULL);
	scale->mem = mem_make(&scale->port, 4096, ACCESS_ALL);
	make_qps(scale);
	scale->own.addr = (uintptr_t)scale->mem.buf;
	scale->own.rkey = scale->mem.mr->rkey;
	scale->own.qps = scale->qps;
	scale->own.gid = scale->port.gid;
	tcp_exchange(scale->fd, scale->server, &scale->own, &scale->peer, sizeof(scale->own));
	want(scale->peer.qps == scale->qps, "the peer has %u QPs", scale->peer.qps);
	connect_qps(scale);
	/* Both sides have connected */
	tcp_exchange(scale->fd, scale->server, &byte, &byte, 1);
	if (!scale->server)
		measure(scale, strtoul(argv[5], NULL, 0));
	/* The server's QPs live until the client has what it needs */
	tcp_exchange(scale->fd, scale->server, &byte, &byte, 1);
	return 0;
}
