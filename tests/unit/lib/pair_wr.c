// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Posting, polling and packets of a pair */
#include "card/card.h"
#include "pair.h"

/* ---- work requests ---- */

struct pair_wr pair_wr_data(struct side *side, unsigned int opcode,
			    uint32_t offset, uint32_t len)
{
	struct side *peer = &side->pair->side[side == A(side->pair)];
	struct pair_wr wr = {
		.wr_id = 0x1000 + offset,
		.opcode = opcode,
		.flags = ORNIC_SEND_SIGNALED,
		.imm = 0xcafe0000 + opcode,
		.raddr = peer->addr + offset,
		.rkey = peer->key,
		.xrc_srqn = peer->srq.num,
		.dqpn = peer->qp.num,
		.qkey = PAIR_QKEY,
		.sges = 1,
		.sge[0] = { side->addr + offset, len, side->key },
	};

	return wr;
}

struct pair_wr pair_wr_inv(uint32_t key)
{
	return (struct pair_wr){
		.wr_id = 0xe1,
		.opcode = ORNIC_WR_LOCAL_INV,
		.flags = ORNIC_SEND_SIGNALED,
		.inv_key = key,
	};
}

void pair_send(struct side *side, const struct pair_wr *wr)
{
	pair_post(side, wr);
	pair_ring(side);
	pair_run(side->pair);
}

void pair_one(struct pair *pair, const struct pair_wr *wr)
{
	pair_send(A(pair), wr);
	pair_expect(A(pair), wr->wr_id, ORNIC_WC_SUCCESS);
}

void pair_fails(struct pair *pair, const struct pair_wr *wr,
		unsigned int status)
{
	pair_send(A(pair), wr);
	pair_expect(A(pair), wr->wr_id, status);
}

uint64_t *pair_word(struct side *side, uint32_t offset)
{
	return (uint64_t *)(side->buf + offset);
}

static uint8_t *put(uint8_t *p, const void *from, size_t len)
{
	if (len)
		memcpy(p, from, len);
	return p + len;
}

static uint8_t *put_sge(uint8_t *p, const struct sge *from)
{
	struct ornic_sge sge = {
		.addr = htole64(from->addr),
		.length = htole32(from->length),
		.lkey = htole32(from->lkey),
	};

	return put(p, &sge, sizeof(sge));
}

static uint8_t *put_route(uint8_t *p, struct side *side,
			  const struct pair_wr *wr)
{
	struct pair *pair = side->pair;
	struct side *peer = &pair->side[side == &pair->side[0]];
	struct ornic_qp_attr attr = pair_attr(side, peer);
	struct ornic_route_rc rc = {
		.raddr = htole64(wr->raddr),
		.rkey = htole32(wr->rkey),
		.xrc_srqn = htole32(wr->xrc_srqn),
	};
	struct ornic_route_ud ud = {
		.dqpn = htole32(wr->dqpn),
		.qkey = htole32(wr->qkey),
		.av = wr->av ? *wr->av : attr.av,
	};

	if (qp_is_connected(pair_qp(side)))
		return put(p, &rc, sizeof(rc));
	return put(p, &ud, sizeof(ud));
}

/* Write the segments between the route and the data */
static uint8_t *put_extra(uint8_t *p, const struct pair_wr *wr)
{
	struct ornic_atomic atomic = {
		.swap_add = htole64(wr->swap_add),
		.compare = htole64(wr->compare),
	};

	switch (wr->opcode) {
	case ORNIC_WR_ATOMIC_CMP_SWP:
	case ORNIC_WR_ATOMIC_FETCH_ADD:
		return put(p, &atomic, sizeof(atomic));
	case ORNIC_WR_MASKED_CMP_SWP:
	case ORNIC_WR_MASKED_FETCH_ADD:
		p = put(p, &atomic, sizeof(atomic));
		return put(p, &wr->mask, sizeof(wr->mask));
	case ORNIC_WR_FLUSH:
		return put(p, &wr->flush, sizeof(wr->flush));
	case ORNIC_WR_BIND_MW:
		return put(p, &wr->bind, sizeof(wr->bind));
	case ORNIC_WR_REG_MR:
		return put(p, &wr->reg, sizeof(wr->reg));
	default:
		return p;
	}
}

static bool wr_invalidates(const struct pair_wr *wr)
{
	return wr->opcode == ORNIC_WR_LOCAL_INV ||
	       wr->opcode == ORNIC_WR_SEND_WITH_INV;
}

void pair_post(struct side *side, const struct pair_wr *wr)
{
	struct host_qp *qp = &side->qp;
	uint8_t *ring = host_ptr(side->host, qp->sq);
	uint32_t mask = (1u << qp->log_sq_slots) - 1;
	bool is_inline = wr->flags & ORNIC_SEND_INLINE;
	struct ornic_sq_hdr hdr = {
		.imm = htobe32(wr->imm),
		.wr_id = htole64(wr->wr_id),
	};
	uint8_t wqe[1024] = {};
	unsigned int i, slots;
	uint8_t *p;

	if (wr_invalidates(wr))
		hdr.inv_key = htole32(wr->inv_key);
	p = put(wqe, &hdr, sizeof(hdr));
	p = put_route(p, side, wr);
	p = put_extra(p, wr);
	if (is_inline)
		p = put(p, wr->data, wr->data_len);
	else
		for (i = 0; i < wr->sges; i++)
			p = put_sge(p, &wr->sge[i]);
	hdr.ctrl = htole32(ORNIC_SQ_CTRL(wr->opcode, wr->flags,
					 p - wqe + wr->longer));
	memcpy(wqe, &hdr, sizeof(hdr));
	slots = (p - wqe + 63) / 64;
	for (i = 0; i < slots; i++)
		memcpy(ring + 64 * ((qp->sq_pi + i) & mask), wqe + 64 * i, 64);
	qp->sq_pi += slots;
	guest_store32(&host_qp_dbr(qp)->sq_pi, qp->sq_pi);
}

void pair_ring(struct side *side)
{
	host_doorbell(side->host, side->uctx, ORNIC_DB_SQ, side->qp.num,
		      side->qp.sq_pi);
}

void pair_post_recv_sges(struct side *side, uint64_t wr_id,
			 const struct sge *sge, unsigned int sges)
{
	struct host_qp *qp = side->srq.num ? &side->srq : &side->qp;
	uint8_t *p = host_ptr(side->host, qp->rq);
	struct ornic_rq_hdr hdr = {
		.ctrl = htole32(ORNIC_PREP(ORNIC_RQ_COUNT, sges)),
		.wr_id = htole64(wr_id),
	};
	unsigned int i;

	p += (qp->rq_pi & ((1u << qp->log_rq_wqes) - 1)) << qp->rq_stride_shift;
	p = put(p, &hdr, sizeof(hdr));
	for (i = 0; i < sges && i < CARD_MAX_SGE; i++)
		p = put_sge(p, &sge[i]);
	qp->rq_pi++;
	guest_store32(&host_qp_dbr(qp)->rq_pi, qp->rq_pi);
}

void pair_post_recv(struct side *side, uint64_t wr_id, uint64_t addr,
		    uint32_t len)
{
	struct sge sge = { .addr = addr, .length = len, .lkey = side->key };

	pair_post_recv_sges(side, wr_id, &sge, 1);
}

/* ---- packets that the card itself does not send ---- */

struct packet_path pair_path(struct side *side)
{
	const struct ornic_av *av = &pair_qp(side)->attr.av;

	return (struct packet_path){
		.src = gid_get(&side->host->card->gids, side->sgid_index),
		.dgid = av->dgid,
		.dmac = av->dmac,
		.sport = ROCE_UDP_SPORT_MIN,
	};
}

void pair_rx(struct pair *pair, struct packet *pkt, const void *payload,
	     uint32_t len)
{
	struct packet_path path = pair_path(A(pair));
	struct frame frame = { .src = pair->from };

	pkt->pkey = pkt->pkey ? pkt->pkey : PKEY_DEFAULT;
	pkt->npkts = 1;
	frame_add(&frame, payload, len);
	packet_finish(&frame, &path, pkt);
	card_rx(B(pair)->host->card, &frame);
}

void pair_inject(struct pair *pair, struct packet *pkt, const void *payload,
		 uint32_t len)
{
	pair_rx(pair, pkt, payload, len);
	pair_run(pair);
}

struct packet pair_packet(struct pair *pair, unsigned int opcode)
{
	struct packet pkt = {
		.opcode = opcode,
		.ack_req = true,
		.dqpn = B(pair)->qp.num,
		.psn = pair_qp(B(pair))->resp.epsn,
		.va = B(pair)->addr,
		.rkey = B(pair)->key,
		.dma_len = 8,
		.xrc_srqn = B(pair)->srq.num,
	};

	return pkt;
}

/* ---- completions and events ---- */

/* [ORNIC-CQ-2] Fields of an entry that are not valid are 0 */
static void pair_check_cqe(const struct ornic_cqe *cqe)
{
	bool length = false;

	switch (le32toh(cqe->opcode)) {
	case ORNIC_WC_RDMA_READ:
	case ORNIC_WC_COMP_SWAP:
	case ORNIC_WC_FETCH_ADD:
	case ORNIC_WC_MASKED_COMP_SWAP:
	case ORNIC_WC_MASKED_FETCH_ADD:
	case ORNIC_WC_RECV:
	case ORNIC_WC_RECV_RDMA_WITH_IMM:
		length = true;
		break;
	}
	if (le32toh(cqe->status) == ORNIC_WC_SUCCESS && length)
		return;
	assert_int_equal(cqe->byte_len, 0);
	assert_int_equal(ORNIC_GET(ORNIC_CQE_FLAGS, le32toh(cqe->qpn)),
			 le32toh(cqe->opcode) & ORNIC_WC_RECV ? 0 :
								ORNIC_WC_SEND_QUEUE);
}

struct ornic_cqe pair_poll(struct side *side)
{
	const struct ornic_cqe *cqe = host_queue_peek(&side->cq);
	struct ornic_cqe copy;

	assert_non_null(cqe);
	copy = *cqe;
	host_queue_consume(&side->cq);
	assert_int_equal(le32toh(copy.qpn) & ORNIC_CQE_QPN, side->qp.num);
	pair_check_cqe(&copy);
	return copy;
}

void pair_poll_none(struct side *side)
{
	assert_null(host_queue_peek(&side->cq));
}

void pair_expect(struct side *side, uint64_t wr_id, unsigned int status)
{
	struct ornic_cqe cqe = pair_poll(side);

	assert_int_equal(le64toh(cqe.wr_id), wr_id);
	assert_int_equal(le32toh(cqe.status), status);
}

unsigned int pair_event(struct side *side)
{
	struct host_queue *eq = &side->pair->side[side->pair->loopback ? 0 :
						  side - side->pair->side].eq;
	const struct ornic_eqe *eqe;
	unsigned int type;

	while ((eqe = host_queue_peek(eq))) {
		type = ORNIC_GET(ORNIC_EQE_TYPE, le32toh(eqe->ctl));
		if (type != ORNIC_EVENT_COMP &&
		    le32toh(eqe->num) != side->qp.num)
			return 0;
		host_queue_consume(eq);
		if (type != ORNIC_EVENT_COMP)
			return type;
	}
	return 0;
}

uint64_t pair_stat(struct side *side, enum ornic_rdma_stat stat)
{
	return side->host->card->stats.rdma[stat];
}

void pair_message(struct pair *pair, unsigned int opcode, uint32_t len, unsigned int seed)
{
	struct pair_wr wr = pair_wr_data(A(pair), opcode, 0, len);
	bool send = opcode == ORNIC_WR_SEND || opcode == ORNIC_WR_SEND_WITH_IMM;
	bool imm = opcode == ORNIC_WR_RDMA_WRITE_WITH_IMM || opcode == ORNIC_WR_SEND_WITH_IMM;
	struct side *b = B(pair);
	struct ornic_cqe cqe;

	memset(b->buf, 0xee, len + 1);
	pair_fill(A(pair)->buf, len, seed);
	if (send)
		pair_post_recv(b, seed, b->addr, PAIR_BUF_SIZE);
	else if (imm)
		pair_post_recv(b, seed, 0, 0);
	pair_one(pair, &wr);
	pair_check(b->buf, len, seed);
	assert_int_equal(b->buf[len], 0xee);
	if (!send && !imm)
		return;
	cqe = pair_poll(b);
	assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
	assert_int_equal(le64toh(cqe.wr_id), seed);
	assert_int_equal(le32toh(cqe.opcode), send ? ORNIC_WC_RECV : ORNIC_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(le32toh(cqe.byte_len), len);
	assert_int_equal(ORNIC_GET(ORNIC_CQE_FLAGS, le32toh(cqe.qpn)), imm ? ORNIC_WC_WITH_IMM : 0);
	if (imm)
		assert_int_equal(be32toh(cqe.imm), wr.imm);
}

void pair_fill(uint8_t *buf, uint32_t len, unsigned int seed)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		buf[i] = seed + i * 7 + (i >> 8) * 13 + (i >> 16) * 31;
}

void pair_check(const uint8_t *buf, uint32_t len, unsigned int seed)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		if (buf[i] != (uint8_t)(seed + i * 7 + (i >> 8) * 13 +
					(i >> 16) * 31))
			fail_msg("byte %u of %u is %#x", i, len, buf[i]);
}
