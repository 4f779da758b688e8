// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Two clients of one process, one of which attacks */
#include <sys/socket.h>
#include <unistd.h>

#include "eth/headers.h"
#include "neighbour.h"
#include "ports/port_fd.h"
#include "work_clock.h"

#define DATAGRAM_LEN 64
#define BULK_LEN 65536

/* ---- fixture ---- */

struct pair *neighbours_pair_of_one(struct side *side)
{
	struct pair *pair = calloc(1, sizeof(*pair));
	unsigned int i;

	assert_non_null(pair);
	for (i = 0; i < 2; i++) {
		pair->side[i] = *side;
		pair->side[i].pair = pair;
	}
	return pair;
}

static void map_ram(struct neighbours *n, unsigned int i)
{
	struct vfio_user_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_USER_MAP_READ | VFIO_USER_MAP_WRITE,
		.iova = HOST_RAM_BASE,
		.size = HOST_RAM_SIZE,
	};

	assert_int_equal(client_request(n->world, n->world->client[i],
					VFIO_USER_DMA_MAP, &map, sizeof(map),
					n->host[i]->fd), 0);
}

int neighbours_setup(void **state)
{
	struct neighbours *n = calloc(1, sizeof(*n));
	unsigned int i;

	assert_non_null(n);
	n->attack = *state;
	n->fd = -1;
	world_setup((void **)&n->world);
	for (i = 0; i < 2; i++) {
		n->host[i] = host_of(n->world->slot[i]->card);
		map_ram(n, i);
		host_enable(n->host[i]);
	}
	n->pair = pair_create_on(n->host[0], n->host[1], &pair_config_local);
	for (i = 0; i < 2; i++)
		neighbours_cq(&n->pair->side[i]);
	n->self = neighbours_pair_of_one(A(n->pair));
	n->own = neighbours_pair_of_one(B(n->pair));
	neighbours_cq(A(n->own));
	host_cq(n->host[1], &B(n->own)->cq, B(n->own)->uctx, B(n->own)->eq.num,
		PAIR_CQ_LOG, 6);
	pair_qps(n->own, ORNIC_QPT_UD, 0);
	pair_connect(n->own);
	*state = n;
	return 0;
}

int neighbours_teardown(void **state)
{
	struct neighbours *n = *state;
	void *world = n->world;
	unsigned int i;

	world_teardown(&world);
	if (n->fd >= 0)
		close(n->fd);
	for (i = 0; i < 2; i++)
		host_release(n->host[i]);
	free(n->sender);
	free(n->own);
	free(n->self);
	free(n->pair);
	free(n);
	return 0;
}

/* ---- the neighbour ---- */

static void ask(struct neighbours *n, enum neighbour_wait what)
{
	struct vfio_user_region_access access = { .count = 4 };
	struct side *from = A(n->own), *to = B(n->own);
	struct host *host = n->host[1];
	struct pair_wr wr;
	uint64_t used = host->used;

	if (n->waits[what])
		return;
	n->waits[what] = true;
	n->asked_ns[what] = n->now_ns;
	switch (what) {
	case WAIT_READ:
		client_send(n->world->client[1], VFIO_USER_REGION_READ, 0,
			    &access, sizeof(access), -1);
		break;
	case WAIT_COMMAND:
		host_submit(host, ORNIC_CMD_NOP, NULL, 0);
		host->used = used;
		break;
	default:
		pair_post_recv(to, 1, to->addr + HOST_PAGE, HOST_PAGE);
		wr = pair_wr_data(from, ORNIC_WR_SEND, 0, DATAGRAM_LEN);
		wr.flags = 0;
		pair_post(from, &wr);
		pair_ring(from);
		break;
	}
}

static bool answered(struct neighbours *n, enum neighbour_wait what)
{
	struct host *host = n->host[1];

	switch (what) {
	case WAIT_READ:
		if (!client_readable(n->world->client[1]))
			return false;
		assert_int_equal(client_reply(n->world->client[1],
					      VFIO_USER_REGION_READ, NULL, 0),
				 0);
		return true;
	case WAIT_COMMAND:
		if (host->card->admin.cq_pi != host->admin_pi)
			return false;
		assert_int_equal(host_completed(host), ORNIC_CMD_OK);
		return true;
	default:
		if (!host_queue_peek(&B(n->own)->cq))
			return false;
		pair_expect(B(n->own), 1, ORNIC_WC_SUCCESS);
		return true;
	}
}

void neighbours_turn(struct neighbours *n)
{
	struct loop *loop = &n->world->loop;
	unsigned int what;
	uint64_t ns;

	for (what = 0; what < WAITS; what++)
		ask(n, what);
	/* No card pays for the clients' own time */
	shares_forget(&loop->shares);
	ns = work_ns();
	assert_int_equal(loop_turn(loop), 0);
	ns = work_ns() - ns;
	shares_settle(&loop->shares, loop_clock_ns());
	n->now_ns += ns;
	if (ns > n->turn_ns)
		n->turn_ns = ns;
	for (what = 0; what < WAITS; what++) {
		if (!n->waits[what] || !answered(n, what))
			continue;
		n->waits[what] = false;
		n->answers[what]++;
		if (n->now_ns - n->asked_ns[what] > n->wait_ns[what])
			n->wait_ns[what] = n->now_ns - n->asked_ns[what];
	}
}

void neighbours_push(struct neighbours *n, void (*push)(struct neighbours *n))
{
	if (push)
		push(n);
	if (n->attack->pause_ns)
		work_sleep(n->attack->pause_ns);
}

/* ---- the neighbour's bandwidth ---- */

struct pair *neighbours_bulk(struct neighbours *n)
{
	struct pair *bulk = neighbours_pair_of_one(B(n->pair));
	struct ornic_qp_attr attr;
	unsigned int i;

	neighbours_cq(A(bulk));
	neighbours_cq(B(bulk));
	pair_qps(bulk, ORNIC_QPT_RC, 0);
	/* It survives the faults that an attack injects */
	for (i = 0; i < 2; i++) {
		attr = pair_attr(&bulk->side[i], &bulk->side[!i]);
		attr.retry_cnt = 7;
		pair_connect_side(&bulk->side[i], &attr);
	}
	return bulk;
}

/* Keep the send queue full. Return: bytes written since the last call. */
static uint64_t write_bulk(struct pair *bulk, uint32_t *done)
{
	struct side *side = A(bulk);
	struct pair_wr wr = pair_wr_data(side, ORNIC_WR_RDMA_WRITE, 0,
					 BULK_LEN);
	uint32_t ci = guest_load32(&host_qp_dbr(&side->qp)->sq_ci);
	uint64_t bytes = (uint64_t)(ci - *done) * BULK_LEN;
	uint32_t pi = side->qp.sq_pi;

	*done = ci;
	wr.flags = 0;
	/* From the lower half of the buffer to the upper one, piece by piece */
	while (side->qp.sq_pi - ci < 1u << side->qp.log_sq_slots) {
		uint64_t at = (uint64_t)side->qp.sq_pi * BULK_LEN %
			      (PAIR_BUF_SIZE / 2);

		wr.sge[0].addr = side->addr + at;
		wr.raddr = B(bulk)->addr + PAIR_BUF_SIZE / 2 + at;
		pair_post(side, &wr);
	}
	if (side->qp.sq_pi != pi)
		pair_ring(side);
	return bytes;
}

uint64_t neighbours_measure(struct neighbours *n, struct pair *bulk,
			    void (*push)(struct neighbours *n), uint64_t ns,
			    uint64_t wall_ns)
{
	uint64_t start = n->now_ns, wall = loop_clock_ns(), bytes = 0;
	uint32_t done = guest_load32(&host_qp_dbr(&A(bulk)->qp)->sq_ci);

	memset(n->wait_ns, 0, sizeof(n->wait_ns));
	do {
		neighbours_push(n, push);
		bytes += write_bulk(bulk, &done);
		neighbours_turn(n);
	} while (n->now_ns - start < ns && loop_clock_ns() - wall < wall_ns);
	/* A QP that failed would complete WQEs without writing anything */
	pair_state_is(A(bulk), ORNIC_QPS_RTS);
	return bytes * 1000000 / (n->now_ns - start);
}

/* ---- the attacker's objects ---- */

void neighbours_cq(struct side *side)
{
	struct ornic_create_cq_in in = {
		.uctx = htole32(side->uctx),
		.eqn = htole32(side->eq.num),
		.flags = htole32(ORNIC_CQ_IGNORE_OVERRUN),
		.log_size = PAIR_CQ_LOG,
		.log_cqe_size = 6,
	};
	struct host *host = side->host;
	uint64_t ring = host_alloc(host, 64ULL << PAIR_CQ_LOG, HOST_PAGE);

	in.dbr_addr = htole64(host_alloc(host, 64, 64));
	host_buf(&in.buf, ring, 64ULL << PAIR_CQ_LOG);
	side->cq.num = host_create_object(host, ORNIC_CMD_CREATE_CQ, &in,
					  sizeof(in));
}

void neighbours_qps(struct neighbours *n, struct pair *pair, unsigned int type,
		    uint32_t flags)
{
	for (n->qps = 0; n->qps < NEIGHBOUR_QPS; n->qps++) {
		pair_qps(pair, type, flags);
		pair_connect(pair);
		n->qp[0][n->qps] = A(pair)->qp;
		n->qp[1][n->qps] = B(pair)->qp;
	}
}

void neighbours_post(struct neighbours *n, struct pair *pair,
		     const struct pair_wr *wr, unsigned int slots)
{
	struct side *side = A(pair);
	struct ornic_qp_dbr *dbr;
	unsigned int i;

	for (i = 0; i < n->qps; i++) {
		side->qp = n->qp[0][i];
		dbr = host_qp_dbr(&side->qp);
		while (side->qp.sq_pi - guest_load32(&dbr->sq_ci) + slots <=
		       1u << side->qp.log_sq_slots)
			pair_post(side, wr);
		pair_ring(side);
		n->qp[0][i] = side->qp;
	}
}

void neighbours_receive(struct neighbours *n, struct pair *pair, uint64_t addr,
			uint32_t len)
{
	struct side *side = B(pair);
	struct ornic_qp_dbr *dbr;
	unsigned int i;

	for (i = 0; i < n->qps; i++) {
		side->qp = n->qp[1][i];
		dbr = host_qp_dbr(&side->qp);
		while (side->qp.rq_pi - guest_load32(&dbr->rq_ci) <
		       1u << side->qp.log_rq_wqes)
			pair_post_recv(side, 1, addr, len);
		n->qp[1][i] = side->qp;
	}
}

void neighbours_outside(struct neighbours *n)
{
	struct port_fd *pfd;
	int fds[2], room = 1 << 20;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK |
				    SOCK_CLOEXEC, 0, fds), 0);
	setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	n->fd = fds[0];
	assert_int_equal(port_fd_create(&n->world->loop, "outside", fds[1],
					&(struct port_fd_config){}, &pfd), 0);
}

size_t neighbours_packet(struct neighbours *n, struct packet *pkt, uint32_t len,
			 uint8_t bytes[static FRAME_HDR_MAX + HOST_PAGE])
{
	struct packet_path path = pair_path(A(n->pair));
	struct frame frame = {};

	pkt->pkey = PKEY_DEFAULT;
	pkt->npkts = 1;
	frame_add(&frame, A(n->pair)->buf, len);
	packet_finish(&frame, &path, pkt);
	assert_int_equal(frame_read(&frame, 0, bytes, frame_len(&frame)), 0);
	memcpy(bytes + MAC_LEN, "\x02\x99\x99\x99\x99\x99", MAC_LEN);
	return frame_len(&frame);
}

void neighbours_receive_srq(struct side *side)
{
	struct ornic_qp_dbr *dbr = host_qp_dbr(&side->srq);

	while (side->srq.rq_pi - guest_load32(&dbr->rq_ci) <
	       1u << side->srq.log_rq_wqes)
		pair_post_recv(side, 1, side->addr, PAIR_BUF_SIZE);
}
