// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A peer as credulous as rdma_rxe: an ACK of its oldest request completes that request, even a READ
 * or an atomic, whose answer has not come. The card must not mislead it ([ORNIC-WIRE-19]). The
 * tests take each ordered pair of requests, and lose, repeat or delay each packet of either
 * direction behind the next one.
 */
#include "card/card.h"
#include "pair.h"

#define MTU 1024
#define FIRST_PSN 0xfffffe
/* Bytes between the buffers of two requests */
#define AREA 0x4000
#define RECV_AREA(n) ((4 + (n)) * AREA)
/* More than any pair of requests takes */
#define PACKETS_MAX 64

static const struct kind {
	const char *name;
	uint8_t kind;
	uint32_t len;
} kinds[] = {
	{ "SEND", OPCODE_SEND, 100 },
	{ "long SEND", OPCODE_SEND, MTU + 100 },
	{ "WRITE", OPCODE_WRITE, 100 },
	{ "long WRITE", OPCODE_WRITE, MTU + 100 },
	{ "READ", OPCODE_READ, 100 },
	{ "long READ", OPCODE_READ, MTU + 100 },
	{ "atomic", OPCODE_ATOMIC, 8 },
	{ "FLUSH", OPCODE_FLUSH, 100 },
	{ "ATOMIC_WRITE", OPCODE_ATOMIC_WRITE, 8 },
};

enum fault { LOSE, REPEAT, SWAP, FAULTS };

static const char *const fault_names[] = { "lost", "repeated", "late" };

enum way { TO_CARD, FROM_CARD };

struct request {
	const struct kind *kind;
	uint32_t first;
	uint32_t npkts;
	uint32_t offset;	/* of its buffer at both sides */
	unsigned int answers;	/* packets of its answer that have come */
};

struct crossing {
	struct packet pkt;
	uint8_t data[MTU];
	uint32_t len;
};

static struct peer {
	struct pair *pair;
	uint32_t key;
	bool each[2];		/* the card runs after each new packet, after each repeated one */
	bool again;		/* the latest packet is sent again */
	enum fault fault;
	unsigned int at;	/* number of the packet that has the fault */
	unsigned int crossed;	/* packets on the wire so far */
	struct request req[2];
	unsigned int done;	/* requests complete */
	uint32_t una;		/* the oldest PSN not acknowledged */
	uint32_t next;		/* PSN of the next packet to send */
	uint32_t sent_max;
	bool holds;		/* a packet waits for the next one to pass it */
	enum way held_way;
	struct crossing held;
} peer;

#define FAIL(...) do { \
		print_error("%s, %s; packet %u %s; turns %u %u\n", peer.req[0].kind->name, \
			    peer.req[1].kind->name, peer.at, fault_names[peer.fault], \
			    peer.each[0], peer.each[1]); \
		fail_msg(__VA_ARGS__); \
	} while (0)

/* ---- responses ---- */

static uint32_t end_of(const struct request *req)
{
	return psn_add(req->first, req->npkts);
}

static void acknowledged(uint32_t end)
{
	struct request *req = &peer.req[peer.done];

	peer.una = end;
	if (psn_diff(peer.next, end) < 0)
		peer.next = end;
	if (end != end_of(req))
		return;
	if (opcode_is_answered(req->kind->kind) && req->answers != req->npkts)
		FAIL("%s is complete after %u packets of its answer", req->kind->name,
		     req->answers);
	peer.done++;
}

static void peer_rx_ack(const struct packet *pkt)
{
	switch (pkt->syndrome & AETH_KIND) {
	case AETH_ACK:
		acknowledged(psn_add(pkt->psn, 1));
		return;
	case AETH_NAK:
		if ((pkt->syndrome & AETH_VALUE) == NAK_SEQUENCE) {
			acknowledged(pkt->psn);
			peer.next = peer.una;
			return;
		}
	}
	FAIL("the syndrome is %#x", pkt->syndrome);
}

static void peer_rx_answer(const struct crossing *c)
{
	struct request *req = &peer.req[peer.done];
	bool atomic = c->pkt.op->kind == OPCODE_ATOMIC_ACK;
	uint8_t *to = A(peer.pair)->buf + req->offset;

	if (!opcode_is_answered(req->kind->kind) || atomic != (req->kind->kind == OPCODE_ATOMIC))
		FAIL("%s has the answer of another request", req->kind->name);
	if (c->pkt.psn != peer.una)
		return;
	if (atomic)
		memcpy(to, &c->pkt.original, sizeof(c->pkt.original));
	else
		memcpy(to + psn_diff(c->pkt.psn, req->first) * MTU, c->data, c->len);
	req->answers++;
	acknowledged(psn_add(c->pkt.psn, 1));
}

static void peer_rx(const struct crossing *c)
{
	const struct packet *pkt = &c->pkt;

	if (psn_diff(pkt->psn, peer.sent_max) >= 0)
		FAIL("PSN %#x was never sent", pkt->psn);
	/* What is later acknowledges all before, and shows that an answer is lost */
	while (peer.done < 2 && psn_diff(pkt->psn, end_of(&peer.req[peer.done])) >= 0) {
		if (opcode_is_answered(peer.req[peer.done].kind->kind)) {
			peer.next = peer.una;
			return;
		}
		acknowledged(end_of(&peer.req[peer.done]));
	}
	if (peer.done == 2 || psn_diff(pkt->psn, peer.una) < 0)
		return;
	if (pkt->op->kind == OPCODE_ACK)
		peer_rx_ack(pkt);
	else
		peer_rx_answer(c);
}

/* ---- the wire ---- */

static void deliver(enum way way, struct crossing *c)
{
	if (way == FROM_CARD) {
		peer_rx(c);
		return;
	}
	pair_rx(peer.pair, &c->pkt, c->data, c->len);
	if (peer.each[peer.again])
		pair_run(peer.pair);
}

static bool release(void)
{
	struct crossing held = peer.held;

	if (!peer.holds)
		return false;
	peer.holds = false;
	deliver(peer.held_way, &held);
	return true;
}

static void cross(enum way way, struct crossing *c)
{
	bool hit = peer.crossed++ == peer.at;

	if (peer.crossed > PACKETS_MAX)
		FAIL("no end");
	if (hit && peer.fault == LOSE)
		return;
	if (hit && peer.fault == SWAP) {
		peer.holds = true;
		peer.held_way = way;
		peer.held = *c;
		return;
	}
	deliver(way, c);
	if (hit && peer.fault == REPEAT)
		deliver(way, c);
	if (peer.held_way == way)
		release();
}

/* What the card sends goes to the peer, and nothing to the card of A */
static enum pair_fate fate_cross(struct pair *pair, const struct packet *pkt)
{
	struct crossing c = { .pkt = *pkt, .len = pkt->payload_len };

	assert_true(c.len <= sizeof(c.data));
	assert_int_equal(frame_read(pkt->frame, pkt->payload, c.data, c.len), 0);
	cross(FROM_CARD, &c);
	return PAIR_DROP;
}

/* ---- requests ---- */

static uint8_t data_opcode(const struct request *req, unsigned int at)
{
	bool write = req->kind->kind == OPCODE_WRITE;

	if (req->npkts == 1)
		return write ? OPCODE_RC_WRITE_ONLY : OPCODE_RC_SEND_ONLY;
	if (!at)
		return write ? OPCODE_RC_WRITE_FIRST : OPCODE_RC_SEND_FIRST;
	return write ? OPCODE_RC_WRITE_LAST : OPCODE_RC_SEND_LAST;
}

/* Send the packet at @next, of a READ the request of all the rest */
static void peer_send(void)
{
	struct request *req = &peer.req[psn_diff(peer.next, peer.req[1].first) >= 0];
	unsigned int at = psn_diff(peer.next, req->first);
	uint32_t left = req->kind->len - at * MTU;
	struct crossing c = {
		.pkt = pair_packet(peer.pair, 0),
		.len = left < MTU ? left : MTU,
	};

	c.pkt.psn = peer.next;
	c.pkt.va += req->offset + at * MTU;
	c.pkt.rkey = peer.key;
	c.pkt.dma_len = left;
	peer.next = psn_add(peer.next, 1);
	pair_fill(c.data, c.len, req->first + at);
	switch (req->kind->kind) {
	case OPCODE_SEND:
	case OPCODE_WRITE:
		c.pkt.opcode = data_opcode(req, at);
		c.pkt.ack_req = at + 1 == req->npkts;
		break;
	case OPCODE_READ:
		c.pkt.opcode = OPCODE_RC_READ_REQUEST;
		c.len = 0;
		peer.next = end_of(req);
		break;
	case OPCODE_ATOMIC:
		c.pkt.opcode = OPCODE_RC_FETCH_ADD;
		c.pkt.swap_add = 1;
		c.len = 0;
		break;
	case OPCODE_FLUSH:
		c.pkt.opcode = OPCODE_RC_FLUSH;
		c.pkt.flush_type = ORNIC_FLUSH_GLOBAL;
		c.pkt.flush_level = ORNIC_FLUSH_RANGE;
		c.len = 0;
		break;
	default:
		c.pkt.opcode = OPCODE_RC_ATOMIC_WRITE;
	}
	peer.again = psn_diff(c.pkt.psn, peer.sent_max) < 0;
	if (psn_diff(peer.next, peer.sent_max) > 0)
		peer.sent_max = peer.next;
	cross(TO_CARD, &c);
}

/* ---- each pair of requests ---- */

static void check_data(const uint8_t *buf, const struct request *req)
{
	unsigned int i;

	for (i = 0; i < req->npkts; i++)
		pair_check(buf + i * MTU, i ? req->kind->len - MTU :
				   req->kind->len < MTU ? req->kind->len : MTU, req->first + i);
}

static void prepare(unsigned int n, const struct kind *kind, uint32_t first)
{
	struct request *req = &peer.req[n];
	uint8_t *buf;

	*req = (struct request){ .kind = kind, .first = first, .offset = n * AREA,
				 .npkts = kind->kind == OPCODE_FLUSH ? 1 :
					  psn_count(kind->len, 10) };
	buf = B(peer.pair)->buf + req->offset;
	memset(buf, 0, AREA);
	memset(A(peer.pair)->buf + req->offset, 0, AREA);
	memset(B(peer.pair)->buf + RECV_AREA(n), 0, AREA);
	pair_post_recv(B(peer.pair), n, B(peer.pair)->addr + RECV_AREA(n), AREA);
	if (kind->kind == OPCODE_ATOMIC)
		*pair_word(B(peer.pair), req->offset) = htole64(41);
	if (kind->kind == OPCODE_READ) {
		pair_fill(buf, MTU, first);
		pair_fill(buf + MTU, MTU, first + 1);
	}
}

/* Each request was executed once, and its answer is right */
static void check(const struct request *req, unsigned int *sends)
{
	struct side *b = B(peer.pair);

	switch (req->kind->kind) {
	case OPCODE_SEND:
		pair_expect(b, *sends, ORNIC_WC_SUCCESS);
		check_data(b->buf + RECV_AREA(*sends), req);
		++*sends;
		break;
	case OPCODE_READ:
		check_data(A(peer.pair)->buf + req->offset, req);
		break;
	case OPCODE_ATOMIC:
		assert_int_equal(*pair_word(A(peer.pair), req->offset), 41);
		assert_int_equal(le64toh(*pair_word(b, req->offset)), 42);
		break;
	case OPCODE_FLUSH:
		break;
	default:
		check_data(b->buf + req->offset, req);
	}
}

static void run(const struct kind *first, const struct kind *second)
{
	struct pair *pair = peer.pair;
	unsigned int sends = 0;
	uint32_t end;

	pair_again(pair);
	peer.crossed = 0;
	peer.done = 0;
	prepare(0, first, FIRST_PSN);
	prepare(1, second, end_of(&peer.req[0]));
	end = end_of(&peer.req[1]);
	peer.una = FIRST_PSN;
	peer.next = FIRST_PSN;
	peer.sent_max = FIRST_PSN;
	while (peer.done < 2) {
		if (psn_diff(end, peer.next) > 0) {
			peer_send();
			continue;
		}
		do
			pair_run(pair);
		while (release());
		/* The timer */
		if (peer.next == end)
			peer.next = peer.una;
	}
	while (release())
		pair_run(pair);
	check(&peer.req[0], &sends);
	check(&peer.req[1], &sends);
	pair_poll_none(B(pair));
	assert_int_equal(pair_event(B(pair)), 0);
}

TEST(test_each_pair, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	unsigned int i, j, mode;

	memset(&peer, 0, sizeof(peer));
	peer.pair = pair;
	peer.key = host_mr(B(pair)->host, B(pair)->pdn, B(pair)->addr, PAIR_BUF_SIZE,
			   ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_REMOTE_WRITE |
			   ORNIC_ACCESS_REMOTE_READ | ORNIC_ACCESS_REMOTE_ATOMIC |
			   ORNIC_ACCESS_FLUSH_GLOBAL);
	pair->fate = fate_cross;
	for (i = 0; i < ARRAY_SIZE(kinds) * ARRAY_SIZE(kinds); i++)
		for (mode = 0; mode < 4 * FAULTS; mode++) {
			peer.each[0] = mode & 1;
			peer.each[1] = mode & 2;
			peer.fault = mode / 4;
			for (j = 0; !j || peer.crossed > peer.at; j++) {
				peer.at = j;
				run(&kinds[i / ARRAY_SIZE(kinds)], &kinds[i % ARRAY_SIZE(kinds)]);
			}
		}
}

TEST_MAIN("credulous")
