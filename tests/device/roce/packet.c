// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RoCEv2 packets: parsing received headers and building those to send */
#include <endian.h>
#include <string.h>

#include "base/be.h"
#include "eth/headers.h"
#include "roce/icrc.h"
#include "roce/packet.h"

/* Fields of the BTH */
#define BTH_SOLICITED	0x80	/* byte 1 */
#define BTH_MIG_REQ	0x40
#define BTH_PAD_SHIFT	4
#define BTH_PAD		0x3
#define BTH_VERSION	0x0f
#define BTH_ACK_REQ	0x80	/* byte 8 */

/* Numbers of QPs and SRQs, PSNs and MSNs, below a byte of other fields */
#define PACKET_24_BITS	0xffffff

/* Fields of the FETH (IBTA A19), in its last byte */
#define FETH_TYPE	0x0f
#define FETH_LEVEL_SHIFT 4
#define FETH_LEVEL	0x03

#define HOP_LIMIT_DEFAULT 64
#define IPV4_DF 0x4000

static uint8_t *put_bytes(uint8_t *p, const void *from, size_t len)
{
	memcpy(p, from, len);
	return p + len;
}

static void parse_headers(struct packet *pkt, const uint8_t *p)
{
	unsigned int flags = pkt->op->flags;

	p += BTH_LEN;
	/* READs are compared with their duplicates including this */
	pkt->xrc_srqn = 0;
	if (flags & OPCODE_XRCETH) {
		pkt->xrc_srqn = be_get32(p) & PACKET_24_BITS;
		p += XRCETH_LEN;
	}
	if (flags & OPCODE_FETH) {
		pkt->flush_type = p[3] & FETH_TYPE;
		pkt->flush_level = p[3] >> FETH_LEVEL_SHIFT & FETH_LEVEL;
		p += FETH_LEN;
	}
	if (flags & OPCODE_RETH) {
		pkt->va = be_get64(p);
		pkt->rkey = be_get32(p + 8);
		pkt->dma_len = be_get32(p + 12);
		p += RETH_LEN;
	}
	if (flags & OPCODE_ATOMICETH) {
		pkt->va = be_get64(p);
		pkt->rkey = be_get32(p + 8);
		pkt->swap_add = be_get64(p + 12);
		pkt->compare = be_get64(p + 20);
		p += ATOMICETH_LEN;
	}
	if (flags & OPCODE_MASKETH) {
		pkt->swap_add_mask = be_get64(p);
		pkt->compare_mask = be_get64(p + 8);
		p += MASKETH_LEN;
	}
	if (flags & OPCODE_AETH) {
		pkt->syndrome = p[0];
		pkt->msn = be_get32(p) & PACKET_24_BITS;
		p += AETH_LEN;
	}
	if (flags & OPCODE_ATOMICACKETH) {
		pkt->original = be_get64(p);
		p += ATOMICACKETH_LEN;
	}
	if (flags & OPCODE_DETH) {
		pkt->qkey = be_get32(p);
		pkt->sqpn = be_get32(p + 4) & PACKET_24_BITS;
		p += DETH_LEN;
	}
	if (flags & OPCODE_IMMDT) {
		memcpy(&pkt->imm, p, IMMDT_LEN);
		p += IMMDT_LEN;
	}
	if (flags & OPCODE_IETH)
		pkt->inv_key = be_get32(p);
}

static bool icrc_matches(const struct frame *frame, unsigned int l3_offset,
			 unsigned int bth_offset, uint32_t end)
{
	struct iovec iov[FRAME_IOV_MAX + 2];
	uint32_t from = bth_offset + BTH_LEN;
	uint8_t wire[ICRC_LEN];
	uint32_t val;
	int count;

	count = frame_iov(frame, from, end - from, iov, ARRAY_SIZE(iov));
	if (count < 0 || frame_read(frame, end, wire, sizeof(wire)))
		return false;
	memcpy(&val, wire, sizeof(val));
	return le32toh(val) == icrc(frame->hdr + l3_offset, iov, count);
}

enum packet_error packet_parse(struct packet *pkt, const struct frame *frame,
			       unsigned int l3_offset, unsigned int bth_offset)
{
	const uint8_t *bth = frame->hdr + bth_offset;
	bool local = frame->flags & FRAME_LOCAL;
	uint64_t end = frame_len(frame);
	unsigned int pad;

	if (bth_offset + BTH_LEN > frame->hdr_len)
		return PACKET_MALFORMED;
	pkt->opcode = bth[0];
	pkt->op = opcode_get(pkt->opcode);
	if (!pkt->op || bth[1] & BTH_VERSION)
		return PACKET_MALFORMED;
	if (bth_offset + pkt->op->len > frame->hdr_len)
		return PACKET_MALFORMED;

	pad = bth[1] >> BTH_PAD_SHIFT & BTH_PAD;
	if (!local) {
		/*
		 * Bytes behind the UDP datagram are padding of the Ethernet
		 * frame. The length of an IBTA packet is a multiple of 4 bytes.
		 */
		uint64_t udp_end = bth_offset - HEADERS_UDP_LEN +
				   (uint64_t)be_get16(bth - HEADERS_UDP_LEN + 4);

		if (udp_end > end || (udp_end - bth_offset) % 4 ||
		    udp_end < bth_offset + pkt->op->len + pad + ICRC_LEN)
			return PACKET_MALFORMED;
		end = udp_end - ICRC_LEN;
	} else if (end < bth_offset + pkt->op->len + pad ||
		   end > UINT32_MAX) {
		return PACKET_MALFORMED;
	}
	pkt->payload = bth_offset + pkt->op->len;
	pkt->payload_len = end - pad - pkt->payload;
	if (pkt->payload_len && !(pkt->op->flags & OPCODE_DATA))
		return PACKET_MALFORMED;
	/* The last check that needs no QP ([ORNIC-WIRE-13]) */
	if (!local && !icrc_matches(frame, l3_offset, bth_offset, end))
		return PACKET_BAD_ICRC;

	pkt->solicited = bth[1] & BTH_SOLICITED;
	pkt->pkey = be_get16(bth + 2);
	pkt->dqpn = be_get32(bth + 4) & PACKET_24_BITS;
	pkt->ack_req = bth[8] & BTH_ACK_REQ;
	pkt->psn = be_get32(bth + 8) & PACKET_24_BITS;
	pkt->npkts = local && frame->meta ? frame->meta : 1;
	pkt->frame = frame;
	parse_headers(pkt, bth);
	return PACKET_OK;
}

unsigned int packet_build(const struct packet *pkt, unsigned int pad,
			  uint8_t *buf)
{
	unsigned int flags = opcode_get(pkt->opcode)->flags;
	uint8_t *p = buf;

	*p++ = pkt->opcode;
	*p++ = (pkt->solicited ? BTH_SOLICITED : 0) |
	       BTH_MIG_REQ | pad << BTH_PAD_SHIFT;
	p = be_put16(p, pkt->pkey);
	p = be_put32(p, pkt->dqpn);
	p = be_put32(p, (uint32_t)pkt->ack_req << 31 | pkt->psn);
	if (flags & OPCODE_XRCETH)
		p = be_put32(p, pkt->xrc_srqn);
	if (flags & OPCODE_FETH)
		p = be_put32(p, pkt->flush_level << FETH_LEVEL_SHIFT |
			     pkt->flush_type);
	if (flags & OPCODE_RETH) {
		p = be_put64(p, pkt->va);
		p = be_put32(p, pkt->rkey);
		p = be_put32(p, pkt->dma_len);
	}
	if (flags & OPCODE_ATOMICETH) {
		p = be_put64(p, pkt->va);
		p = be_put32(p, pkt->rkey);
		p = be_put64(p, pkt->swap_add);
		p = be_put64(p, pkt->compare);
	}
	if (flags & OPCODE_MASKETH) {
		p = be_put64(p, pkt->swap_add_mask);
		p = be_put64(p, pkt->compare_mask);
	}
	if (flags & OPCODE_AETH)
		p = be_put32(p, (uint32_t)pkt->syndrome << 24 | pkt->msn);
	if (flags & OPCODE_ATOMICACKETH)
		p = be_put64(p, pkt->original);
	if (flags & OPCODE_DETH) {
		p = be_put32(p, pkt->qkey);
		p = be_put32(p, pkt->sqpn);
	}
	if (flags & OPCODE_IMMDT)
		p = put_bytes(p, &pkt->imm, IMMDT_LEN);
	if (flags & OPCODE_IETH)
		p = be_put32(p, pkt->inv_key);
	return p - buf;
}

static uint16_t ipv4_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;
	int i;

	for (i = 0; i < HEADERS_IPV4_LEN; i += 2)
		sum += be_get16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum += sum >> 16;
	return ~sum;
}

static uint8_t *build_eth(uint8_t *p, const struct packet_path *path)
{
	p = put_bytes(p, path->dmac, 6);
	p = put_bytes(p, path->src->smac, 6);
	if (path->src->vlan_id != GID_NO_VLAN) {
		p = be_put16(p, HEADERS_ETHERTYPE_VLAN);
		p = be_put16(p, path->priority << 13 | path->src->vlan_id);
	}
	return be_put16(p, path->src->ipv4 ? HEADERS_ETHERTYPE_IPV4 :
					     HEADERS_ETHERTYPE_IPV6);
}

/* @len: bytes from the UDP header on; @id: IPv4 identification */
static uint8_t *build_ip(uint8_t *p, const struct packet_path *path,
			 uint16_t len, uint16_t id)
{
	uint8_t hops = path->hop_limit ? path->hop_limit : HOP_LIMIT_DEFAULT;
	uint8_t *ip = p;

	if (!path->src->ipv4) {
		p = be_put32(p, 6u << 28 | (uint32_t)path->tclass << 20 |
			     path->flow_label);
		p = be_put16(p, len);
		*p++ = HEADERS_PROTO_UDP;
		*p++ = hops;
		p = put_bytes(p, path->src->gid, GID_LEN);
		return put_bytes(p, path->dgid, GID_LEN);
	}
	*p++ = 0x45;
	*p++ = path->tclass;
	p = be_put16(p, HEADERS_IPV4_LEN + len);
	p = be_put16(p, id);
	p = be_put16(p, IPV4_DF);
	*p++ = hops;
	*p++ = HEADERS_PROTO_UDP;
	p = be_put16(p, 0);
	p = put_bytes(p, path->src->gid + 12, 4);
	p = put_bytes(p, path->dgid + 12, 4);
	be_put16(ip + 10, ipv4_checksum(ip));
	return p;
}

/*
 * Length of the packets that a large frame stands for. Its headers are those of
 * the first packet and of the last one; all packets have the BTH and those in
 * front of it, and the XRCETH.
 */
static uint32_t wire_len(const struct frame *frame, const struct packet *pkt)
{
	const struct opcode *op = opcode_get(pkt->opcode);
	uint32_t each = frame->hdr_len - op->len + BTH_LEN + ICRC_LEN;
	uint32_t more = pkt->npkts ? pkt->npkts - 1 : 0;
	uint32_t len = frame->hdr_len + frame->payload_len + ICRC_LEN +
		       (-frame->payload_len & 3);

	if (op->flags & OPCODE_XRCETH)
		each += XRCETH_LEN;
	/* The first and the last response have an AETH each */
	if (more && op->kind == OPCODE_READ_RESP &&
	    op->flags & OPCODE_START && op->flags & OPCODE_END)
		len += AETH_LEN;
	return len + more * each;
}

void packet_finish(struct frame *frame, const struct packet_path *path,
		   const struct packet *pkt)
{
	bool local = frame->flags & FRAME_LOCAL;
	unsigned int pad = local ? 0 : -frame->payload_len & 3;
	const struct opcode *op = opcode_get(pkt->opcode);
	struct iovec iov[FRAME_IOV_MAX + 2];
	uint8_t *l3, *bth, *p;
	unsigned int len;
	uint32_t crc;
	int count;

	len = HEADERS_UDP_LEN + op->len + frame->payload_len + pad + ICRC_LEN;
	/* Only FRAME_LOCAL frames are longer; their length fields are unused */
	if (len > UINT16_MAX - HEADERS_IPV6_LEN)
		len = 0;
	l3 = build_eth(frame->hdr, path);
	p = build_ip(l3, path, len, pkt->psn);
	p = be_put16(p, path->sport);
	p = be_put16(p, HEADERS_ROCE_PORT);
	p = be_put16(p, len);
	/* No UDP checksum: the ICRC covers more (A17.3.1) */
	bth = be_put16(p, 0);
	p = bth + packet_build(pkt, pad, bth);
	frame->hdr_len = p - frame->hdr;
	frame->meta = local ? pkt->npkts : 0;
	/* The QP of a response has just sent the request */
	frame->hint = local && !(op->flags & OPCODE_AETH) ? pkt->dqpn : 0;
	frame->trailer_len = 0;
	if (local) {
		frame->wire_len = wire_len(frame, pkt);
		return;
	}

	memset(frame->trailer, 0, pad);
	frame->trailer_len = pad;
	len = bth + BTH_LEN - frame->hdr;
	count = frame_iov(frame, len, frame_len(frame) - len, iov,
			  ARRAY_SIZE(iov));
	crc = htole32(icrc(l3, iov, count));
	memcpy(frame->trailer + pad, &crc, ICRC_LEN);
	frame->trailer_len = pad + ICRC_LEN;
}

uint16_t packet_sport(uint32_t flow_label, uint32_t lqpn, uint32_t rqpn)
{
	uint64_t v;

	if (!flow_label) {
		v = (uint64_t)lqpn * rqpn;
		v ^= v >> 20;
		v ^= v >> 40;
		flow_label = v & 0xfffff;
	}
	return ((flow_label & 0x3fff) ^ flow_label >> 14) | ROCE_UDP_SPORT_MIN;
}
