// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fuzz target: the wire. A card has QPs of each type in RTS, connected with each
 * other. The input chooses packets for them, with an ICRC that matches or not,
 * and work requests of the host, whose packets come back changed or not. Memory
 * without a key may neither be sent nor change, and the payload of a packet must
 * end before its ICRC.
 */

#include "base/be.h"
#include "card/card.h"
#include "defined.h"
#include "duo.h"
#include "eth/csum.h"
#include "eth/headers.h"
#include "queues/qp.h"
#include "raw.h"
#include "roce/icrc.h"
#include "roce/packet.h"
#include "secret.h"
#include "target.h"

#define SEED 0x9e3779b97f4a7c15ULL
#define WIRE_MAX 4608
#define PAYLOAD_MAX 1200
#define TURNS 64

static struct fuzz fuzz;

/* ---- bytes on the wire ---- */

/* Write the checksums and the ICRC of a RoCEv2 packet, if it is one */
static void seal(uint8_t *bytes, unsigned int len)
{
	struct iovec iov[FRAME_IOV_MAX + 2];
	struct frame frame;
	struct headers headers;
	unsigned int from, end;
	uint32_t crc;
	int count;

	raw_frame(&frame, bytes, len);
	headers_find(&frame, &headers);
	if (headers.l4 != HEADERS_PROTO_UDP || headers.options)
		return;
	from = headers.l4_offset + HEADERS_UDP_LEN + BTH_LEN;
	end = headers.l4_offset + be_get16(bytes + headers.l4_offset + 4);
	if (end > len || end < from + ICRC_LEN)
		return;
	csum_fill(&frame, &headers);
	memcpy(bytes, frame.hdr, frame.hdr_len);
	count = frame_iov(&frame, from, end - ICRC_LEN - from, iov,
			  ARRAY_SIZE(iov));
	crc = htole32(icrc(bytes + headers.l3_offset, iov, count));
	memcpy(bytes + end - ICRC_LEN, &crc, sizeof(crc));
}

/* Make a packet shorter than its frame, perhaps too short for its headers */
static void shorten(struct fuzz *f, uint8_t *bytes, unsigned int len)
{
	unsigned int udp_len = HEADERS_UDP_LEN + BTH_LEN + ICRC_LEN + 4 * below(f, 16);
	struct frame frame;
	struct headers headers;

	if (len < HEADERS_ETH_LEN)
		return;
	raw_frame(&frame, bytes, len);
	headers_find(&frame, &headers);
	if (headers.l4 == HEADERS_PROTO_UDP && headers.l4_offset + udp_len <= len)
		be_put16(bytes + headers.l4_offset + 4, udp_len);
}

/* The payload of a valid packet lies between its headers and its ICRC */
static void check_payload(const struct frame *frame)
{
	struct packet pkt;
	struct headers headers;
	unsigned int end;

	headers_find(frame, &headers);
	if (headers.l4 != HEADERS_PROTO_UDP || headers.options ||
	    packet_parse(&pkt, frame, headers.l3_offset,
			 headers.l4_offset + HEADERS_UDP_LEN) != PACKET_OK)
		return;
	end = headers.l4_offset + be_get16(frame->hdr + headers.l4_offset + 4);
	if ((uint64_t)pkt.payload + pkt.payload_len + ICRC_LEN > end)
		fail_msg("the payload of a packet ends behind its ICRC");
}

/* The latest packet, for repetition */
static struct {
	uint8_t bytes[WIRE_MAX];
	unsigned int len;
} latest;

static void receive(struct fuzz *f, uint8_t *bytes, unsigned int len)
{
	struct frame frame;

	memcpy(latest.bytes, bytes, len);
	latest.len = len;
	if (one_in(f, 4))
		scribble(f, bytes, len < FRAME_HDR_MAX ? len : FRAME_HDR_MAX);
	if (one_in(f, 16)) {
		if (one_in(f, 2))
			shorten(f, bytes, len);
		else
			len = below(f, len + 1);
	}
	if (len >= HEADERS_ETH_LEN && !one_in(f, 16))
		seal(bytes, len);
	raw_frame(&frame, bytes, len);
	if (len >= HEADERS_ETH_LEN)
		check_payload(&frame);
	card_rx(f->host->card, &frame);
}

/* Return the frames that the card has sent, most of them as they are */
static void wire(void *arg)
{
	static uint8_t bytes[WIRE_MAX];
	struct fuzz *f = arg;

	while (!list_empty(&f->host->wire)) {
		struct frame *frame = list_first_entry(&f->host->wire,
						       struct frame, node);
		uint64_t len = frame_len(frame);

		list_del_init(&frame->node);
		check_defined_frame(frame);
		if (secret_is_in_frame(frame))
			fail_msg("memory without a key is on the wire");
		if (one_in(f, 8) || len > sizeof(bytes)) {
			/* lost */
		} else if (one_in(f, 4)) {
			frame_read(frame, 0, bytes, len);
			receive(f, bytes, len);
		} else {
			card_rx(f->host->card, frame);
		}
		env_frame_free(&f->host->env, frame);
	}
}

/* ---- packets that the card itself does not send ---- */

static uint32_t psn(struct fuzz *f, const struct qp *qp, unsigned int opcode)
{
	const struct opcode *op = opcode_get(opcode);
	uint32_t at;

	if (op && op->kind >= OPCODE_ACK)
		at = one_in(f, 2) ? qp->req.una : qp->req.psn - 1;
	else
		at = qp->resp.epsn;
	return (at + (one_in(f, 4) ? below(f, 9) - 4 : 0)) & 0xffffff;
}

static void packet_fill(struct fuzz *f, struct packet *pkt)
{
	unsigned int n = below(f, QPS);
	const struct qp *qp = qp_find(f->host->card, f->qp[n].num);
	static const uint8_t transport[] = { 0x00, 0x20, 0x60, 0xa0, 0xc0 };

	*pkt = (struct packet){
		.opcode = transport[below(f, sizeof(transport))] |
			  below(f, 0x20),
		.solicited = one_in(f, 4),
		.ack_req = one_in(f, 2),
		.pkey = PKEY_DEFAULT,
		.dqpn = one_in(f, 16) ? odd(f) & 0xffffff : f->qp[n].num,
		.npkts = 1,
		.flush_type = below(f, 4),
		.flush_level = below(f, 4),
		.va = f->data + below(f, DATA),
		.rkey = fuzz_key(f),
		.dma_len = one_in(f, 4) ? odd(f) : below(f, PAYLOAD_MAX),
		.syndrome = below(f, 0x80),
		.msn = below(f, 8),
		.sqpn = f->qp[n ^ 1].num,
		.xrc_srqn = f->xrc_srq.num,
		.inv_key = fuzz_wr_key(f),
	};
	if (!qp)
		return;
	/* Mostly an opcode of the QP's own transport */
	if (qp->base.type == ORNIC_QPT_RC && !one_in(f, 8))
		pkt->opcode &= 0x1f;
	/* Requests with responses need valid lengths */
	if ((pkt->opcode & 0x1f) == OPCODE_RC_READ_REQUEST)
		pkt->dma_len = below(f, PAYLOAD_MAX);
	pkt->psn = psn(f, qp, pkt->opcode);
	pkt->qkey = one_in(f, 8) ? odd(f) : qp->attr.qkey;
}

static void inject(struct fuzz *f)
{
	static uint8_t payload[PAYLOAD_MAX], bytes[WIRE_MAX];
	const struct gid_entry *src = gid_get(&f->host->card->gids, 0);
	struct frame frame = {};
	struct packet_path path = {
		.src = src,
		.dgid = src->gid,
		.dmac = f->dmac,
		.sport = ROCE_UDP_SPORT_MIN,
	};
	struct packet pkt;
	uint64_t len;

	packet_fill(f, &pkt);
	if (!opcode_get(pkt.opcode))
		return;
	len = one_in(f, 4) ? below(f, sizeof(payload)) : below(f, 80);
	if (len)
		scribble(f, payload, len);
	frame_add(&frame, payload, len);
	packet_finish(&frame, &path, &pkt);
	len = frame_len(&frame);
	frame_read(&frame, 0, bytes, len);
	receive(f, bytes, len);
}

static void inject_again(struct fuzz *f)
{
	struct frame frame;

	if (!latest.len)
		return;
	raw_frame(&frame, latest.bytes, latest.len);
	card_rx(f->host->card, &frame);
}

static void inject_raw(struct fuzz *f)
{
	static uint8_t bytes[FRAME_HDR_MAX];
	unsigned int i, len = 1 + below(f, 80);

	for (i = 0; i < len; i++)
		bytes[i] = below(f, 256);
	if (len > MAC_LEN && one_in(f, 2))
		memcpy(bytes, f->dmac, MAC_LEN);
	receive(f, bytes, len);
}

/* ---- the target ---- */

static void step(struct fuzz *f)
{
	unsigned int turns = TURNS;

	switch (below(f, 16)) {
	case 0:
		inject_raw(f);
		break;
	case 1:
	case 2:
		fuzz_post_send(f);
		break;
	case 3:
	case 4:
		fuzz_post_recv(f);
		break;
	case 5:
		fuzz_consume(f);
		break;
	case 6:
		fuzz_raise(f);
		break;
	case 7:
		host_sleep(f->host, below(f, 3000000));
		break;
	case 8:
		fuzz_eth_deliver(f);
		break;
	case 9:
	case 10:
		inject_again(f);
		break;
	default:
		inject(f);
	}
	if (!one_in(f, 4))
		while (turns-- && card_run(f->host->card))
			wire(f);
	wire(f);
}

void target_init(void)
{
	secret_init();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz *f = &fuzz;

	fuzz_begin(f, NULL, SEED, 1);
	fuzz_raise_all(f);
	assert_int_equal(mem_map(&f->host->mem, DUO_SECRET_ADDR, SECRET_SIZE,
				 MEM_READ | MEM_WRITE, secret_fd(), 0), 0);
	f->host->hostile = true;
	f->host->wire_run = wire;
	f->host->peers_local = false;
	f->input = data;
	f->left = len;
	latest.len = 0;
	while (f->left)
		step(f);
	duo_check_memory(f->host);
	host_destroy(f->host);
	secret_check();
	return 0;
}
