// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Frames of an attacker that cost more than one delivery, and the switch */
#include <sys/socket.h>
#include <unistd.h>

#include "base/be.h"
#include "eth/flow.h"
#include "eth/headers.h"
#include "neighbour.h"
#include "ports/capture.h"
#include "roce/mcast.h"

#define TURNS 50
#define FRAME_LEN 8000
#define SRQ_LOG_WQES 14
#define SRQ_STRIDE_SHIFT 5

/* ---- multicast ---- */

static void group_mac(struct ornic_av *av)
{
	memset(av->dgid, 0, GID_LEN);
	memcpy(av->dgid + 10, "\xff\xff\xef\x01\x01\x01", 6);
	memcpy(av->dmac, "\x01\x00\x5e\x01\x01\x01", MAC_LEN);
}

/* An SRQ large enough for the copies of many packets */
static void large_srq(struct side *side)
{
	struct ornic_create_srq_in in = {
		.pdn = htole32(side->pdn),
		.log_wqes = SRQ_LOG_WQES,
		.stride_shift = SRQ_STRIDE_SHIFT,
	};

	host_create_srq(side->host, &side->srq, &in);
}

static struct pair *multicast_pair(struct neighbours *n)
{
	return n->attack->arg ? n->pair : n->self;
}

/* As many QPs as may be are members of one group */
static void begin_multicast(struct neighbours *n)
{
	struct pair *pair = multicast_pair(n);
	struct ornic_mcast_in in = {};
	struct ornic_av av;
	unsigned int i, j;

	large_srq(B(pair));
	A(pair)->srq = B(pair)->srq;
	if (n->attack->arg)
		large_srq(A(pair));
	neighbours_qps(n, pair, ORNIC_QPT_UD, 0);
	group_mac(&av);
	memcpy(in.gid, av.dgid, GID_LEN);
	for (i = 0; i < 2; i++)
		for (j = 0; j < MCAST_QPS_MAX / 2; j++) {
			in.qpn = htole32(n->qp[i][j].num);
			host_cmd_in_ok(pair->side[i].host,
				       ORNIC_CMD_ATTACH_MCAST, &in);
		}
}

static void push_multicast(struct neighbours *n)
{
	struct pair *pair = multicast_pair(n);
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 4096);
	struct ornic_qp_attr attr = pair_attr(A(pair), B(pair));

	neighbours_receive_srq(A(pair));
	if (n->attack->arg)
		neighbours_receive_srq(B(pair));
	else
		B(pair)->srq = A(pair)->srq;
	group_mac(&attr.av);
	wr.av = &attr.av;
	wr.flags = 0;
	wr.dqpn = 0xffffff;
	neighbours_post(n, pair, &wr, 2);
}

/* ---- RAW_PACKET ---- */

/* Fill the ring of a QP with a WQE of @slots */
static void post_raw_to(struct host *host, struct host_qp *qp, const void *wqe,
			unsigned int slots)
{
	struct ornic_qp_dbr *dbr = host_qp_dbr(qp);
	unsigned int i;

	while (qp->sq_pi - guest_load32(&dbr->sq_ci) + slots <=
	       1u << qp->log_sq_slots)
		for (i = 0; i < slots; i++)
			memcpy(host_ptr(host, qp->sq + qp->sq_pi++ % 64 * 64),
			       (const char *)wqe + 64 * i, 64);
	guest_store32(&dbr->sq_pi, qp->sq_pi);
	host_doorbell(host, qp->uctx, ORNIC_DB_SQ, qp->num, qp->sq_pi);
}

/* Fill the rings of the attacker */
static void post_raw(struct neighbours *n, const void *wqe, unsigned int slots)
{
	unsigned int i;

	for (i = 0; i < n->qps; i++)
		post_raw_to(n->host[0], &n->qp[0][i], wqe, slots);
}

static void begin_raw(struct neighbours *n)
{
	struct ornic_modify_port_in up = {
		.mask = htole32(ORNIC_PORT_MTU),
		.mtu = htole32(9000),
	};

	host_cmd_in_ok(n->host[0], ORNIC_CMD_MODIFY_PORT, &up);
	neighbours_qps(n, n->self, ORNIC_QPT_RAW_PACKET, 0);
}

struct raw_wqe {
	struct ornic_sq_hdr hdr;
	struct ornic_route_eth route;
	struct ornic_sge sge;
};

/* A broadcast frame of @len bytes, which are those of the buffer of @side */
static struct raw_wqe broadcast(struct side *side, uint32_t len)
{
	memset(side->buf, 0xff, MAC_LEN);
	return (struct raw_wqe){
		.hdr.ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_SEND, 0, 48)),
		.sge = { htole64(side->addr), htole32(len), htole32(side->key) },
	};
}

/* Broadcast frames of @arg bytes, with a checksum over all of them */
static void push_raw(struct neighbours *n)
{
	struct side *side = A(n->self);
	struct raw_wqe wqe = broadcast(side, n->attack->arg);

	wqe.route = (struct ornic_route_eth){
		.flags = htole16(ORNIC_ETH_TX_L4_CSUM),
		.csum_start = htole16(14),
		.csum_offset = htole16(6),
	};
	post_raw(n, &wqe, 1);
	neighbours_receive(n, n->self, side->addr + MAC_LEN, PAIR_BUF_SIZE / 2);
}

/* Segments of one byte */
static void push_tso(struct neighbours *n)
{
	struct side *side = A(n->self);
	struct {
		struct ornic_sq_hdr hdr;
		struct ornic_route_eth route;
		uint8_t headers[64];
		struct ornic_sge sge;
		uint8_t end[16];
	} wqe = {
		.hdr.ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_TSO, 0, 112)),
		.route = { .mss = htole16(1), .hdr_len = htole16(54) },
		.headers = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		.sge = { htole64(side->addr), htole32(CARD_MAX_TSO),
			 htole32(side->key) },
	};
	uint8_t *ip = wqe.headers + HEADERS_ETH_LEN;

	be_put16(ip - 2, 0x0800);
	ip[0] = 0x45;
	ip[9] = HEADERS_PROTO_TCP;
	ip[20 + 12] = 5 << 4;
	post_raw(n, &wqe, 2);
}

/* ---- flow rules ---- */

static void add_rule(struct neighbours *n, struct ornic_create_flow_in *in)
{
	in->qpn = htole32(n->qp[1][n->addr++ % NEIGHBOUR_QPS].num);
	host_create_object(n->host[0], ORNIC_CMD_CREATE_FLOW, in, sizeof(*in));
}

static void begin_sniffers(struct neighbours *n)
{
	struct ornic_create_flow_in in = { .type = ORNIC_FLOW_SNIFFER };
	unsigned int i;

	begin_raw(n);
	for (i = 0; i < FLOW_COPIES_MAX; i++)
		add_rule(n, &in);
}

/* No frame matches any of the rules */
static void begin_rules(struct neighbours *n)
{
	struct ornic_create_flow_in in = { .flags = htole32(ORNIC_FLOW_DROP) };
	unsigned int i;

	begin_raw(n);
	memset(&in.mask.outer.smac, 0xff, MAC_LEN);
	for (i = 0; i < 1u << CARD_MAX_FLOW_BITS; i++) {
		memcpy(in.value.outer.smac, "\x02\x01\x01\x01", 4);
		be_put16(in.value.outer.smac + 4, i);
		add_rule(n, &in);
	}
}

static void begin_twins(struct neighbours *n)
{
	struct ornic_create_flow_in in = {};
	unsigned int i;

	begin_raw(n);
	for (i = 0; i < FLOW_COPIES_MAX; i++)
		add_rule(n, &in);
}

/* ---- frames of the neighbour that the attacker receives ---- */

/* A QP of the neighbour */
static void begin_sender(struct neighbours *n, unsigned int type)
{
	n->sender = neighbours_pair_of_one(B(n->pair));
	neighbours_cq(A(n->sender));
	neighbours_cq(B(n->sender));
	pair_qps(n->sender, type, 0);
	pair_connect(n->sender);
}

static void begin_received_by_rules(struct neighbours *n)
{
	begin_rules(n);
	begin_sender(n, ORNIC_QPT_RAW_PACKET);
}

static void begin_received_by_sniffers(struct neighbours *n)
{
	begin_sniffers(n);
	begin_sender(n, ORNIC_QPT_RAW_PACKET);
}

static void begin_received_by_group(struct neighbours *n)
{
	begin_multicast(n);
	begin_sender(n, ORNIC_QPT_UD);
}

static void push_to_rules(struct neighbours *n)
{
	struct raw_wqe wqe = broadcast(A(n->sender), 60);

	post_raw_to(n->host[1], &A(n->sender)->qp, &wqe, 1);
}

static void push_to_sniffers(struct neighbours *n)
{
	neighbours_receive(n, n->self, A(n->self)->addr, PAIR_BUF_SIZE / 2);
	push_to_rules(n);
}

static void push_to_group(struct neighbours *n)
{
	struct pair_wr wr = pair_wr_data(A(n->sender), ORNIC_WR_SEND, 0, 2048);
	struct ornic_qp_attr attr = pair_attr(A(n->sender), B(n->sender));
	struct host_qp *qp = &A(n->sender)->qp;

	neighbours_receive_srq(A(n->self));
	B(n->self)->srq = A(n->self)->srq;
	group_mac(&attr.av);
	wr.av = &attr.av;
	wr.flags = 0;
	wr.dqpn = 0xffffff;
	while (qp->sq_pi - guest_load32(&host_qp_dbr(qp)->sq_ci) + 2 <=
	       1u << qp->log_sq_slots)
		pair_post(A(n->sender), &wr);
	pair_ring(A(n->sender));
}

/* ---- the switch ---- */

static void begin_capture(struct neighbours *n)
{
	struct capture *capture;

	begin_raw(n);
	assert_int_equal(capture_create(&n->world->loop, &n->world->log,
					"/dev/null", &capture), 0);
	n->addr = (uintptr_t)capture;
}

/* A port to the outside whose reader takes nothing */
static void begin_port(struct neighbours *n)
{
	begin_raw(n);
	neighbours_outside(n);
}

/* Fewer than TURNS, more than the sender's share ever postpones it */
#define STUCK_TURNS 32

/* The same for the neighbour, and the reader takes @arg packets before each turn */
static void begin_received_by_port(struct neighbours *n)
{
	neighbours_outside(n);
	begin_sender(n, ORNIC_QPT_RAW_PACKET);
}

static void push_to_port(struct neighbours *n)
{
	struct host_qp *qp = &A(n->sender)->qp;
	uint32_t ci = guest_load32(&host_qp_dbr(qp)->sq_ci);
	uint8_t packet[64];
	unsigned int i;

	/* Frames to all do not wait for one port, though a turn may postpone them */
	n->key = ci == n->addr ? n->key + 1 : 0;
	assert_true(n->key < STUCK_TURNS);
	n->addr = ci;
	for (i = 0; i < n->attack->arg; i++)
		recv(n->fd, packet, sizeof(packet), 0);
	push_to_rules(n);
}

/* ---- packets from outside ---- */

/* Packets sent before a turn, many more than one reads */
#define OUTSIDE_PACKETS 512
/* A turn that reads as many small ones as it may takes 350 us */
#define OUTSIDE_NS 500000

/* Send as many packets as the socket takes */
static void flood(struct neighbours *n, const void *packet, size_t len)
{
	unsigned int i;

	for (i = 0; i < OUTSIDE_PACKETS; i++)
		if (send(n->fd, packet, len, MSG_NOSIGNAL) < 0)
			return;
}

static void begin_outside_sniffers(struct neighbours *n)
{
	begin_sniffers(n);
	neighbours_outside(n);
}

static void begin_outside_rules(struct neighbours *n)
{
	begin_rules(n);
	neighbours_outside(n);
}

/* Broadcast frames of @arg bytes */
static void push_outside(struct neighbours *n)
{
	static uint8_t packet[FRAME_LEN];

	memset(packet, 0xff, MAC_LEN);
	memcpy(packet + MAC_LEN, "\x02\x99\x99\x99\x99\x99", MAC_LEN);
	neighbours_receive(n, n->self, A(n->self)->addr, PAIR_BUF_SIZE / 2);
	flood(n, packet, n->attack->arg);
}

static void begin_outside_roce(struct neighbours *n)
{
	pair_qps(n->pair, ORNIC_QPT_RC, 0);
	pair_connect(n->pair);
	neighbours_outside(n);
}

/*
 * Duplicates of a request to the neighbour, each of which is checked by its ICRC
 * and answered
 */
static void push_outside_roce(struct neighbours *n)
{
	static uint8_t bytes[FRAME_HDR_MAX + HOST_PAGE];
	struct packet pkt = pair_packet(n->pair, n->attack->arg);
	size_t len;

	pkt.psn = psn_add(pkt.psn, -1);
	len = neighbours_packet(n, &pkt, HOST_PAGE / 2, bytes);
	if (n->addr++ > 10)
		assert_true(pair_stat(B(n->pair),
			    ORNIC_RDMA_STAT_rx_duplicate_requests) > n->addr);
	flood(n, bytes, len);
}

/* ---- faults ---- */

static void begin_faults(struct neighbours *n)
{
	struct fault *fault = &n->world->loop.sw.fault;

	begin_raw(n);
	fault->ppm[FAULT_DUPLICATE] = FAULT_ALWAYS;
	fault->ppm[FAULT_DELAY] = FAULT_ALWAYS / 2;
	fault->ppm[FAULT_CORRUPT] = FAULT_ALWAYS / 10;
}

static const struct attack attacks[] = {
	{ "multicast_to_itself", begin_multicast, push_multicast, TURNS, 0, 0, 0 },
	{ "multicast_to_another", begin_multicast, push_multicast, TURNS, 1,
	  0, 0 },
	{ "raw_large", begin_raw, push_raw, TURNS, FRAME_LEN, 0, 0 },
	{ "raw_small", begin_raw, push_raw, TURNS, 60, 0, 0 },
	{ "tso", begin_raw, push_tso, TURNS, 0, 0, 0 },
	{ "sniffers_large", begin_sniffers, push_raw, TURNS, FRAME_LEN, 0, 0 },
	{ "sniffers_small", begin_sniffers, push_raw, TURNS, 60, 0, 0 },
	{ "rules", begin_rules, push_raw, TURNS, 60, 0, 0 },
	{ "twins", begin_twins, push_raw, TURNS, FRAME_LEN, 0, 0 },
	{ "capture", begin_capture, push_raw, TURNS, FRAME_LEN, 0, 0 },
	{ "port", begin_port, push_raw, TURNS, FRAME_LEN, 0, 0 },
	{ "outside_small", begin_outside_rules, push_outside, TURNS, 60,
	  OUTSIDE_NS, 0 },
	{ "outside_large", begin_outside_sniffers, push_outside, TURNS,
	  FRAME_LEN, 0, 0 },
	{ "outside_roce", begin_outside_roce, push_outside_roce, TURNS,
	  OPCODE_RC_SEND_ONLY, 0, 0 },
	{ "received_by_rules", begin_received_by_rules, push_to_rules, TURNS, 0,
	  0, 0 },
	{ "received_by_sniffers", begin_received_by_sniffers, push_to_sniffers,
	  TURNS, 0, 0, 0 },
	{ "received_by_group", begin_received_by_group, push_to_group, TURNS, 0,
	  0, 0 },
	{ "received_by_port", begin_received_by_port, push_to_port, TURNS, 0, 0,
	  0 },
	{ "received_by_dripping_port", begin_received_by_port, push_to_port,
	  TURNS, 1, 0, 0 },
	{ "faults", begin_faults, push_raw, TURNS, FRAME_LEN, 0, 0 },
};

int main(void)
{
	return neighbours_main("neighbour_wire", attacks, ARRAY_SIZE(attacks));
}
