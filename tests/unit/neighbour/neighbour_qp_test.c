// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs of an attacker that have as much work as their rings hold */
#include <sys/socket.h>

#include "base/state.h"
#include "neighbour.h"
#include "roce/ack.h"

#define MEGABYTE (1u << 20)
#define TURNS 100
#define MANY_QPS 16000
/* Longer than the timeout of the QPs */
#define LOST_NS 2000000

/**
 * struct flood - traffic of many QPs
 * @type: enum ornic_qp_type
 * @flags: of the QPs
 * @opcode: enum ornic_wr_opcode
 * @sges: SGEs of each WQE
 * @slots: slots of each WQE
 * @len: bytes of each WQE
 * @self: the attacker sends to itself
 * @deaf: the receiver has no receive WQEs
 */
struct flood {
	unsigned int type;
	uint32_t flags;
	unsigned int opcode;
	unsigned int sges;
	unsigned int slots;
	uint32_t len;
	bool self;
	bool deaf;
};

static struct pair *pair_of(struct neighbours *n, const struct flood *flood)
{
	return flood->self ? n->self : n->pair;
}

static void begin(struct neighbours *n)
{
	const struct flood *flood = (const void *)n->attack->arg;
	struct pair *pair = pair_of(n, flood);
	struct side *b = B(pair);

	if (flood->type == ORNIC_QPT_XRC_SEND) {
		b->xrcdn = host_create_object(b->host, ORNIC_CMD_ALLOC_XRCD,
					      NULL, 0);
		host_srq(b->host, &b->srq, b->pdn, ORNIC_SRQ_XRC, b->xrcdn,
			 b->cq.num);
	}
	neighbours_qps(n, pair, flood->type, flood->flags);
}

static void push(struct neighbours *n)
{
	const struct flood *flood = (const void *)n->attack->arg;
	struct pair *pair = pair_of(n, flood);
	struct pair_wr wr = pair_wr_data(A(pair), flood->opcode, 0,
					 flood->len / flood->sges);
	unsigned int i;

	for (i = 1; i < flood->sges; i++) {
		wr.sge[i] = wr.sge[0];
		wr.sge[i].addr += i * HOST_PAGE;
	}
	wr.sges = flood->sges;
	wr.flags = 0;
	wr.qkey = PAIR_QKEY;
	wr.dqpn = B(pair)->qp.num;
	neighbours_post(n, pair, &wr, flood->slots);
	if (flood->deaf)
		return;
	if (flood->type == ORNIC_QPT_XRC_SEND)
		neighbours_receive_srq(B(pair));
	else
		neighbours_receive(n, pair, B(pair)->addr, PAIR_BUF_SIZE);
}

/*
 * The responders send to the neighbour's MAC what only the attacker has asked
 * them for. Nothing is acknowledged, so the requests are repeated.
 */
static void begin_framed(struct neighbours *n)
{
	const uint8_t *mac = n->host[1]->mac;
	struct pair *pair = n->self;
	struct ornic_qp_attr attr;
	unsigned int i;

	for (n->qps = 0; n->qps < NEIGHBOUR_QPS; n->qps++) {
		pair_qps(pair, ORNIC_QPT_RC, 0);
		for (i = 0; i < 2; i++) {
			attr = pair_attr(&pair->side[i], &pair->side[!i]);
			attr.retry_cnt = 7;
			attr.timeout = 1;
			if (i)
				memcpy(attr.av.dmac, mac, sizeof(attr.av.dmac));
			pair_connect_side(&pair->side[i], &attr);
		}
		n->qp[0][n->qps] = A(pair)->qp;
		n->qp[1][n->qps] = B(pair)->qp;
	}
}

/* ---- from two ports ---- */

/* Strays before each turn */
#define STRAYS 16

/* The attacker has one more port, which leads outside */
static void begin_outside(struct neighbours *n)
{
	begin(n);
	neighbours_outside(n);
}

/* As above, and the card has a sniffer, so each packet to it gets an ICRC */
static void begin_outside_bytes(struct neighbours *n)
{
	begin_outside(n);
	attacker(n)->port.bytes = true;
}

static void send_outside(struct neighbours *n, struct packet *pkt)
{
	uint8_t bytes[FRAME_HDR_MAX + HOST_PAGE];
	size_t len = neighbours_packet(n, pkt, 0, bytes);

	send(n->fd, bytes, len, MSG_NOSIGNAL);
}

static void choose(struct neighbours *n, unsigned int i)
{
	A(n->pair)->qp = n->qp[0][i];
	B(n->pair)->qp = n->qp[1][i];
}

/* One duplicate for each QP, which demands nothing, comes from the other port */
static void push_mixed(struct neighbours *n)
{
	struct packet pkt;
	unsigned int i;

	push(n);
	for (i = 0; i < STRAYS && n->addr < n->qps; i++) {
		choose(n, n->addr++);
		pkt = pair_packet(n->pair, OPCODE_RC_SEND_ONLY);
		pkt.psn = psn_add(pkt.psn, -1);
		pkt.ack_req = false;
		send_outside(n, &pkt);
	}
}

/* All requests come from the other port, and the responses go to the card */
static void push_elsewhere(struct neighbours *n)
{
	const struct resp *resp;
	struct packet pkt;
	unsigned int i;

	for (i = 0; i < n->qps; i++) {
		choose(n, i);
		resp = &pair_qp(B(n->pair))->resp;
		if (resp->fresh.at != resp->fresh.end)
			continue;
		pkt = pair_packet(n->pair, OPCODE_RC_READ_REQUEST);
		pkt.dma_len = MEGABYTE;
		send_outside(n, &pkt);
	}
}

/* ---- failures ---- */

/* All packets are lost: every QP retransmits after the same time */
static void push_lost(struct neighbours *n)
{
	attacker(n)->port.unplugged = true;
	push(n);
}

static void push_error(struct neighbours *n)
{
	struct side *a = A(n->pair);
	struct ornic_qp_attr attr = { .state = ORNIC_QPS_ERR };
	unsigned int i;

	for (i = 0; i < n->qps; i++) {
		a->qp = n->qp[0][i];
		pair_modify_is(a, ORNIC_QP_ATTR_STATE, &attr, 0);
	}
	push(n);
}

/* ---- QPs that leave ---- */

/* As many as the admin queue takes commands */
#define LEAVING_QPS (1u << HOST_ADMIN_LOG_DEPTH)
/* A turn in which as many of them leave as may takes 400 us */
#define LEAVE_NS 1000000

/* The attacker sends real bytes to itself: the most packets that answers can have */
static void begin_leave(struct neighbours *n)
{
	attacker(n)->port.bytes = true;
	n->self->from = &attacker(n)->port;
	pair_qps(n->self, ORNIC_QPT_RC, 0);
	pair_connect(n->self);
	n->addr = n->host[0]->used;
}

/* All that owe a long READ go at once ([ORNIC-QP-13]), and others when none is left */
static void push_leave(struct neighbours *n)
{
	struct host *host = n->host[0];
	struct side *side = B(n->self);
	struct ornic_qp_attr attr;
	struct packet pkt;
	unsigned int i;

	if (host->card->admin.cq_pi != host->admin_pi)
		return;
	while (host->admin_ci != host->admin_pi)
		assert_int_equal(host_completed(host), ORNIC_CMD_OK);
	host->used = n->addr;
	for (i = 0; i < LEAVING_QPS; i++) {
		host_qp(host, &n->qp[1][i], ORNIC_QPT_RC, side->uctx, side->pdn, &side->cq, 0);
		side->qp = n->qp[1][i];
		attr = pair_attr(side, A(n->self));
		attr.path_mtu = 1;
		pair_connect_side(side, &attr);
	}
	for (i = 0; i < LEAVING_QPS; i++) {
		side->qp = n->qp[1][i];
		pkt = pair_packet(n->self, OPCODE_RC_READ_REQUEST);
		pkt.dma_len = MEGABYTE;
		pair_rx(n->self, &pkt, NULL, 0);
		assert_true(ack_pending(pair_qp(side)));
		host_submit(host, ORNIC_CMD_DESTROY_QP,
			    &(struct ornic_object){ .num = htole32(side->qp.num) },
			    sizeof(struct ornic_object));
	}
}

#define FLOOD(...) (uintptr_t)&(const struct flood){ __VA_ARGS__ }

/* QPs in ERR, each of which the card polls; they share their rings */
static void begin_many_in_error(struct neighbours *n)
{
	struct side *side = A(n->pair);
	struct host *host = side->host;
	uint64_t used = host->used;
	struct host_qp qp;
	unsigned int i;

	for (i = 0; i < MANY_QPS; i++) {
		host->used = used;
		host_qp(host, &qp, ORNIC_QPT_RAW_PACKET, side->uctx, side->pdn,
			&side->cq, 0);
		assert_int_equal(host_qp_modify(&qp, ORNIC_QPS_INIT), ORNIC_CMD_OK);
		assert_int_equal(host_qp_modify(&qp, ORNIC_QPS_ERR), ORNIC_CMD_OK);
	}
}

static const struct attack attacks[] = {
	{ "rc_write", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_RDMA_WRITE,
		.sges = 1, .slots = 1, .len = MEGABYTE), 0, 0 },
	{ "rc_write_sges", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_RDMA_WRITE,
		.sges = 16, .slots = 5, .len = MEGABYTE), 0, 0 },
	{ "rc_write_self", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_RDMA_WRITE,
		.sges = 1, .slots = 1, .len = MEGABYTE, .self = true), 0, 0 },
	{ "rc_write_small", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_RDMA_WRITE,
		.sges = 1, .slots = 1, .len = 8), 0, 0 },
	{ "rc_read", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_RDMA_READ,
		.sges = 1, .slots = 1, .len = MEGABYTE), 0, 0 },
	{ "rc_read_self", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_RDMA_READ,
		.sges = 1, .slots = 1, .len = MEGABYTE, .self = true), 0, 0 },
	{ "rc_read_framed", begin_framed, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_RDMA_READ,
		.sges = 1, .slots = 1, .len = MEGABYTE, .self = true), 0, 0 },
	{ "rc_read_mixed", begin_outside, push_mixed, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_RDMA_READ,
		.sges = 1, .slots = 1, .len = MEGABYTE), 0, 0 },
	{ "rc_read_elsewhere", begin_outside_bytes, push_elsewhere, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC), 0, 0 },
	{ "rc_send", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_SEND, .sges = 1,
		.slots = 1, .len = MEGABYTE, .self = true), 0, 0 },
	{ "rc_send_deaf", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_SEND, .sges = 1,
		.slots = 1, .len = 64, .deaf = true), 0, 0 },
	{ "rc_atomic", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_ATOMIC_FETCH_ADD,
		.sges = 1, .slots = 1, .len = 8), 0, 0 },
	{ "rc_lost", begin, push_lost, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_RDMA_WRITE,
		.sges = 1, .slots = 1, .len = MEGABYTE), 0, LOST_NS },
	{ "many_in_error", begin_many_in_error, NULL, TURNS, 0, 0, LOST_NS / 4 },
	{ "rc_leave", begin_leave, push_leave, TURNS, 0, LEAVE_NS, 0 },
	{ "rc_flush", begin, push_error, TURNS,
	  FLOOD(.type = ORNIC_QPT_RC, .opcode = ORNIC_WR_RDMA_WRITE,
		.sges = 1, .slots = 1, .len = MEGABYTE), 0, 0 },
	{ "uc_write", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_UC, .opcode = ORNIC_WR_RDMA_WRITE,
		.sges = 1, .slots = 1, .len = MEGABYTE), 0, 0 },
	{ "uc_send_self", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_UC, .opcode = ORNIC_WR_SEND, .sges = 16,
		.slots = 5, .len = MEGABYTE, .self = true), 0, 0 },
	{ "ud_send", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_UD, .opcode = ORNIC_WR_SEND, .sges = 1,
		.slots = 2, .len = 4096), 0, 0 },
	{ "ud_send_self", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_UD, .opcode = ORNIC_WR_SEND, .sges = 16,
		.slots = 6, .len = 4096, .self = true), 0, 0 },
	{ "xrc_send", begin, push, TURNS,
	  FLOOD(.type = ORNIC_QPT_XRC_SEND, .opcode = ORNIC_WR_SEND,
		.sges = 1, .slots = 1, .len = MEGABYTE), 0, 0 },
};

int main(void)
{
	return neighbours_main("neighbour_qp", attacks, ARRAY_SIZE(attacks));
}
