// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Two hosts with a card each and a wire between them */
#include "card/card.h"
#include "pair.h"

#include "eth/headers.h"

#define PAIR_STEP_NS 100000
#define PAIR_TURNS_MAX 1000000

/* ---- the wire ---- */

static struct side *pair_receiver(struct pair *pair, struct side *from,
				  const struct frame *frame)
{
	if (frame->flags & FRAME_LOOPED)
		return from;
	return from == &pair->side[0] ? &pair->side[1] : &pair->side[0];
}

/* Copy a frame as an outside port does: bytes, the first of them in hdr */
static struct frame *pair_through_bytes(const struct frame *frame)
{
	uint64_t len = frame_len(frame);
	struct frame *copy = calloc(1, sizeof(*copy));
	uint8_t *bytes = malloc(len);
	uint32_t hdr_len = len < FRAME_HDR_MAX ? len : FRAME_HDR_MAX;

	assert_non_null(copy);
	assert_non_null(bytes);
	assert_false(frame->flags & FRAME_LOCAL);
	assert_int_equal(frame_read(frame, 0, bytes, len), 0);
	memcpy(copy->hdr, bytes, hdr_len);
	copy->hdr_len = hdr_len;
	frame_add(copy, bytes + hdr_len, len - hdr_len);
	/* Freed with the copy, below */
	copy->node.next = (struct list_head *)bytes;
	return copy;
}

static void pair_deliver(struct pair *pair, struct side *to,
			 const struct frame *frame)
{
	struct frame *copy;

	if (!pair->bytes) {
		card_rx(to->host->card, frame);
		return;
	}
	copy = pair_through_bytes(frame);
	card_rx(to->host->card, copy);
	free(copy->node.next);
	free(copy);
}

/* Parse a frame, which is well-formed in every test */
static void pair_parse(const struct frame *frame, struct packet *pkt)
{
	struct headers headers;

	headers_find(frame, &headers);
	assert_int_equal(headers.l4, 17);
	assert_int_equal(packet_parse(pkt, frame, headers.l3_offset,
				      headers.l4_offset + HEADERS_UDP_LEN), PACKET_OK);
}

static void pair_pass(struct pair *pair, struct side *from, struct frame *frame)
{
	struct side *to = pair_receiver(pair, from, frame);
	unsigned int dir = to - pair->side;
	enum pair_fate fate = PAIR_DELIVER;
	struct frame *held = pair->held[dir];
	struct packet pkt = {};

	pair_parse(frame, &pkt);
	pair->packets++;
	if (pair->fate)
		fate = pair->fate(pair, &pkt);
	/* A wire returns nothing ([ORNIC-LOOP-5]) */
	if (pair->loopback && !(frame->flags & FRAME_LOOPED))
		fate = PAIR_DROP;
	if (fate == PAIR_LATE && !held) {
		pair->held[dir] = frame;
		return;
	}
	if (fate != PAIR_DROP)
		pair_deliver(pair, to, frame);
	if (fate == PAIR_TWICE)
		pair_deliver(pair, to, frame);
	from->host->env.ops->frame_free(&from->host->env, frame);
	if (held) {
		pair->held[dir] = NULL;
		pair_deliver(pair, to, held);
		from->host->env.ops->frame_free(&from->host->env, held);
	}
}

enum pair_fate pair_fate_lose_some(struct pair *pair, const struct packet *pkt)
{
	bool lose = pair->arg & 1;

	pair->arg >>= 1;
	return lose ? PAIR_DROP : PAIR_DELIVER;
}

bool pair_wire(struct pair *pair)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < (pair->loopback ? 1 : 2); i++) {
		struct side *from = &pair->side[i];
		struct list_head frames;

		list_init(&frames);
		list_splice_tail_init(&from->host->wire, &frames);
		while (!list_empty(&frames)) {
			struct frame *frame = list_first_entry(&frames,
							       struct frame,
							       node);

			list_del_init(&frame->node);
			pair_pass(pair, from, frame);
			any = true;
		}
	}
	return any;
}

/* Deliver the delayed frames, when no other frame follows them */
static bool pair_release(struct pair *pair)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct side *from = &pair->side[pair->loopback ? i : !i];
		struct frame *held = pair->held[i];

		if (!held)
			continue;
		pair->held[i] = NULL;
		pair_deliver(pair, &pair->side[i], held);
		from->host->env.ops->frame_free(&from->host->env, held);
		any = true;
	}
	return any;
}

enum pair_fate pair_fate_lose_all(struct pair *pair, const struct packet *pkt)
{
	return PAIR_DROP;
}

enum pair_fate pair_fate_lose_acks(struct pair *pair, const struct packet *pkt)
{
	if ((pkt->op->kind != OPCODE_ACK && pkt->op->kind != OPCODE_ATOMIC_ACK) || !pair->arg)
		return PAIR_DELIVER;
	pair->arg--;
	return PAIR_DROP;
}

enum pair_fate pair_fate_disorder(struct pair *pair, const struct packet *pkt)
{
	switch (pair->arg++ % 11) {
	case 3:
		return PAIR_DROP;
	case 5:
		return PAIR_TWICE;
	case 8:
		return PAIR_LATE;
	default:
		return PAIR_DELIVER;
	}
}

void pair_run(struct pair *pair)
{
	unsigned int turns = 0;
	bool any;

	do {
		assert_true(turns++ < PAIR_TURNS_MAX);
		any = card_run(pair->side[0].host->card);
		if (!pair->loopback)
			any |= card_run(pair->side[1].host->card);
		any |= pair_wire(pair);
		if (!any)
			any = pair_release(pair);
	} while (any);
}

void pair_sleep(struct pair *pair, uint64_t ns)
{
	unsigned int i;
	uint64_t step;

	while (ns) {
		step = ns < PAIR_STEP_NS ? ns : PAIR_STEP_NS;
		for (i = 0; i < (pair->loopback ? 1 : 2); i++) {
			struct host *host = pair->side[i].host;

			host->now_ns += step;
			timers_run(&host->timers, host->now_ns);
		}
		pair_run(pair);
		ns -= step;
	}
}

/* ---- both sides ---- */

const struct pair_config pair_config_local = {};
const struct pair_config pair_config_bytes = { .bytes = true };
const struct pair_config pair_config_loopback = { .loopback = true };
const struct pair_config pair_config_v6_vlan = {
	.bytes = true, .ipv6 = true, .vlan = true,
};

static void pair_gid(struct side *side, const struct pair_config *config,
		     unsigned int tail)
{
	if (config->ipv6) {
		memcpy(side->gid, "\xfd\x00\x12\x34", 4);
	} else {
		side->gid[10] = 0xff;
		side->gid[11] = 0xff;
		side->gid[12] = 10;
	}
	side->gid[15] = tail;
	host_set_gid(side->host, side->sgid_index, side->gid, side->host->mac,
		     config->vlan ? PAIR_VLAN : 0);
}

static void pair_port(struct host *host)
{
	struct ornic_modify_port_in in = {
		.mask = htole32(ORNIC_PORT_UP | ORNIC_PORT_MTU),
		.mtu = htole32(9000),
		.up = 1,
	};

	card_link_changed(host->card, true);
	host_cmd_in_ok(host, ORNIC_CMD_MODIFY_PORT, &in);
}

#define PAIR_ACCESS \
	(ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_REMOTE_WRITE | \
	 ORNIC_ACCESS_REMOTE_READ | ORNIC_ACCESS_REMOTE_ATOMIC)

static struct host *pair_host(unsigned int i, const struct pair_config *config)
{
	struct host *host = host_create(true, i + 1);

	host_enable(host);
	host->peers_local = !config->bytes;
	return host;
}

static void pair_side(struct pair *pair, unsigned int i, struct host *host,
		      const struct pair_config *config)
{
	struct side *side = &pair->side[i];

	side->pair = pair;
	side->host = host;
	if (i && pair->loopback) {
		side->uctx = pair->side[0].uctx;
		side->eq = pair->side[0].eq;
	} else {
		pair_port(side->host);
		side->uctx = host_uctx(side->host, ORNIC_UCTX_KERNEL, 0);
		host_eq(side->host, &side->eq, 0, 8);
	}
	side->sgid_index = 3 + i;
	pair_gid(side, config, i + 1);
	side->pdn = host_pd(host);
	host_cq(host, &side->cq, side->uctx, side->eq.num, PAIR_CQ_LOG, 6);
	side->addr = host_alloc(host, PAIR_BUF_SIZE, HOST_PAGE);
	side->buf = host_ptr(host, side->addr);
	side->key = host_mr(host, side->pdn, side->addr, PAIR_BUF_SIZE,
			    PAIR_ACCESS);
}

struct pair *pair_create_on(struct host *a, struct host *b,
			    const struct pair_config *config)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	assert_non_null(pair);
	pair->bytes = config->bytes;
	pair->loopback = config->loopback;
	pair_side(pair, 0, a, config);
	pair_side(pair, 1, b, config);
	return pair;
}

struct pair *pair_create(const struct pair_config *config)
{
	struct host *a = pair_host(0, config);

	return pair_create_on(a, config->loopback ? a : pair_host(1, config),
			      config);
}

void pair_destroy(struct pair *pair)
{
	pair_release(pair);
	host_destroy(pair->side[0].host);
	if (!pair->loopback)
		host_destroy(pair->side[1].host);
	free(pair);
}

static void pair_create_qp(struct side *side, unsigned int type, uint32_t flags)
{
	struct ornic_create_qp_in in = {
		.uctx = htole32(side->uctx),
		.pdn = htole32(side->pdn),
		.send_cqn = htole32(side->cq.num),
		.recv_cqn = htole32(side->cq.num),
		.flags = htole32(flags),
		.type = type,
	};

	host_queues(&in, type == ORNIC_QPT_XRC_RECV ? side->xrcdn : side->srq.num, 4, 9);
	host_create_qp(side->host, &side->qp, &in);
}

void pair_qps(struct pair *pair, unsigned int type, uint32_t flags)
{
	pair_create_qp(&pair->side[0], type, flags);
	pair_create_qp(&pair->side[1], type == ORNIC_QPT_XRC_SEND ?
					       ORNIC_QPT_XRC_RECV : type,
		       flags);
}

struct qp *pair_qp(struct side *side)
{
	struct qp *qp = qp_find(side->host->card, side->qp.num);

	assert_non_null(qp);
	return qp;
}

struct ornic_qp_attr pair_attr(struct side *side, struct side *peer)
{
	struct ornic_qp_attr attr = {
		.path_mtu = 3,
		.qkey = htole32(PAIR_QKEY),
		.rq_psn = htole32(0xfffffe),
		.sq_psn = htole32(0xfffffe),
		.dest_qpn = htole32(peer->qp.num),
		.access = htole32(ORNIC_ACCESS_REMOTE_WRITE |
				  ORNIC_ACCESS_REMOTE_READ |
				  ORNIC_ACCESS_REMOTE_ATOMIC |
				  ORNIC_ACCESS_FLUSH_GLOBAL |
				  ORNIC_ACCESS_FLUSH_PERSISTENT),
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,
		.timeout = 8,
		.retry_cnt = 3,
		.rnr_retry = 3,
	};

	memcpy(attr.av.dgid, peer->gid, GID_LEN);
	memcpy(attr.av.dmac, peer->host->mac, MAC_LEN);
	attr.av.sgid_index = htole16(side->sgid_index);
	attr.av.hop_limit = 9;
	attr.av.tclass = 0x22;
	return attr;
}

unsigned int pair_modify(struct side *side, uint32_t mask,
			 const struct ornic_qp_attr *attr)
{
	struct ornic_modify_qp_in in = {
		.qpn = htole32(side->qp.num),
		.mask = htole32(mask),
		.attr = *attr,
	};

	return host_cmd_in(side->host, ORNIC_CMD_MODIFY_QP, &in);
}

void pair_state(struct side *side, unsigned int state)
{
	struct ornic_qp_attr attr = { .state = state };

	pair_modify_ok(side, ORNIC_QP_ATTR_STATE, &attr);
}

void pair_query(struct side *side, struct ornic_qp_attr *attr)
{
	struct ornic_object in = { .num = htole32(side->qp.num) };

	memset(attr, 0, sizeof(*attr));
	host_cmd_ok(side->host, ORNIC_CMD_QUERY_QP, &in, attr);
}

/* Attributes that a transition requires (hardware.rst, section 12) */
uint32_t pair_mask(unsigned int type, unsigned int state)
{
	static const uint32_t rc[] = {
		[ORNIC_QPS_INIT] = ORNIC_QP_ATTR_ACCESS,
		[ORNIC_QPS_RTR] = ORNIC_QP_ATTR_AV | ORNIC_QP_ATTR_PATH_MTU |
				  ORNIC_QP_ATTR_DEST_QPN |
				  ORNIC_QP_ATTR_RQ_PSN |
				  ORNIC_QP_ATTR_MAX_DEST_RD_ATOMIC |
				  ORNIC_QP_ATTR_MIN_RNR_TIMER,
		[ORNIC_QPS_RTS] = ORNIC_QP_ATTR_TIMEOUT |
				  ORNIC_QP_ATTR_RETRY_CNT |
				  ORNIC_QP_ATTR_RNR_RETRY |
				  ORNIC_QP_ATTR_SQ_PSN |
				  ORNIC_QP_ATTR_MAX_RD_ATOMIC,
	};
	static const uint32_t ud[] = {
		[ORNIC_QPS_INIT] = ORNIC_QP_ATTR_QKEY,
		[ORNIC_QPS_RTS] = ORNIC_QP_ATTR_SQ_PSN,
	};
	static const uint32_t requester = ORNIC_QP_ATTR_RETRY_CNT |
		ORNIC_QP_ATTR_RNR_RETRY | ORNIC_QP_ATTR_MAX_RD_ATOMIC;
	static const uint32_t responder = ORNIC_QP_ATTR_MAX_DEST_RD_ATOMIC |
		ORNIC_QP_ATTR_MIN_RNR_TIMER;
	uint32_t without = 0;

	switch (type) {
	case ORNIC_QPT_UC:
		without = requester | responder | ORNIC_QP_ATTR_TIMEOUT;
		break;
	case ORNIC_QPT_XRC_SEND:
		without = responder;
		break;
	case ORNIC_QPT_XRC_RECV:
		without = requester;
		break;
	case ORNIC_QPT_RC:
		break;
	case ORNIC_QPT_RAW_PACKET:
		return ORNIC_QP_ATTR_STATE;
	default:
		return ORNIC_QP_ATTR_STATE | ud[state];
	}
	return ORNIC_QP_ATTR_STATE | (rc[state] & ~without);
}

void pair_connect_side(struct side *side, const struct ornic_qp_attr *attr)
{
	struct ornic_qp_attr a = *attr;
	unsigned int type = pair_qp(side)->base.type;

	for (a.state = ORNIC_QPS_INIT; a.state <= ORNIC_QPS_RTS; a.state++)
		pair_modify_ok(side, pair_mask(type, a.state), &a);
}

void pair_connect(struct pair *pair)
{
	struct side *a = &pair->side[0], *b = &pair->side[1];
	struct ornic_qp_attr attr;

	attr = pair_attr(a, b);
	pair_connect_side(a, &attr);
	attr = pair_attr(b, a);
	pair_connect_side(b, &attr);
}

void pair_qps_of_mtu(struct pair *pair, unsigned int path_mtu)
{
	struct ornic_qp_attr attr;
	unsigned int i;

	pair_qps(pair, ORNIC_QPT_RC, 0);
	for (i = 0; i < 2; i++) {
		attr = pair_attr(&pair->side[i], &pair->side[!i]);
		attr.path_mtu = path_mtu;
		pair_connect_side(&pair->side[i], &attr);
	}
}

static void pair_reset_side(struct side *side)
{
	struct ornic_qp_dbr *dbr = host_qp_dbr(&side->qp);

	pair_state(side, ORNIC_QPS_RESET);
	side->qp.sq_pi = 0;
	side->qp.rq_pi = 0;
	guest_store32(&dbr->sq_pi, 0);
	guest_store32(&dbr->rq_pi, 0);
	while (host_queue_peek(&side->cq))
		host_queue_consume(&side->cq);
	while (pair_event(side))
		continue;
}

void pair_again(struct pair *pair)
{
	pair_run(pair);
	pair_reset_side(A(pair));
	pair_reset_side(B(pair));
	pair_connect(pair);
}

static int pair_setup(void **state, unsigned int type, uint32_t flags)
{
	struct pair *pair = pair_create(*state);

	pair_qps(pair, type, flags);
	pair_connect(pair);
	*state = pair;
	return 0;
}

static int pair_setup_srq(void **state, unsigned int type)
{
	struct pair *pair = pair_create(*state);
	struct side *b = B(pair);

	host_srq(b->host, &b->srq, b->pdn, 0, 0, 0);
	pair_qps(pair, type, 0);
	pair_connect(pair);
	*state = pair;
	return 0;
}

#define PAIR_SETUP(name, call) \
	int name(void **state) \
	{ \
		return call; \
	}

PAIR_SETUP(pair_setup_rc, pair_setup(state, ORNIC_QPT_RC, 0))
PAIR_SETUP(pair_setup_rc_srq, pair_setup_srq(state, ORNIC_QPT_RC))
PAIR_SETUP(pair_setup_rc_kernel, pair_setup(state, ORNIC_QPT_RC, ORNIC_QP_KERNEL))
PAIR_SETUP(pair_setup_uc, pair_setup(state, ORNIC_QPT_UC, 0))
PAIR_SETUP(pair_setup_ud, pair_setup(state, ORNIC_QPT_UD, 0))
PAIR_SETUP(pair_setup_ud_srq, pair_setup_srq(state, ORNIC_QPT_UD))
PAIR_SETUP(pair_setup_gsi, pair_setup(state, ORNIC_QPT_GSI, 0))

int pair_setup_xrc(void **state)
{
	struct pair *pair = pair_create(*state);
	struct side *b = B(pair);

	b->xrcdn = host_create_object(b->host, ORNIC_CMD_ALLOC_XRCD, NULL, 0);
	host_srq(b->host, &b->srq, b->pdn, ORNIC_SRQ_XRC, b->xrcdn, b->cq.num);
	pair_qps(pair, ORNIC_QPT_XRC_SEND, 0);
	pair_connect(pair);
	*state = pair;
	return 0;
}

int pair_teardown(void **state)
{
	pair_destroy(*state);
	return 0;
}
