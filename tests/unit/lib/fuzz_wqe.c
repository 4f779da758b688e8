// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Fuzzing: work requests */
#include "card/card.h"
#include "card/push.h"
#include "fuzz.h"
#include "roce/mcast.h"

const uint8_t fuzz_group_gid[16] = { [10] = 0xff, [11] = 0xff, 0xef, 1, 2 };
static const uint8_t group_mac[MAC_LEN] = { 1, 0, 0x5e, 1, 2 };

void fuzz_av(struct fuzz *f, struct ornic_av *av)
{
	static const uint8_t gid[16] = { [10] = 0xff, [11] = 0xff, 10 };

	memset(av, 0, sizeof(*av));
	memcpy(av->dgid, gid, sizeof(gid));
	memcpy(av->dmac, f->dmac, MAC_LEN);
	av->hop_limit = 1;
}

static struct ornic_sge fuzz_sge(struct fuzz *f)
{
	uint64_t at = below(f, DATA);
	struct ornic_sge sge = { htole64(f->data + at),
				 htole32(below(f, DATA - at)),
				 htole32(fuzz_key(f)) };

	if (one_in(f, 4))
		sge.length = htole32(below(f, 100));
	if (one_in(f, 16))
		scribble(f, &sge, sizeof(sge));
	return sge;
}

/* Write some or all pieces of a line of the push page, most of them as they should be */
static void push(struct fuzz *f, struct host_qp *qp)
{
	uint32_t last = (qp->sq_pi - 1) & ((1u << qp->log_sq_slots) - 1);
	unsigned int i, count = one_in(f, 4) ? below(f, 9) : 8;
	uint64_t at = PUSH_OFFSET + 64 * below(f, 64);
	uint64_t piece[8];

	piece[0] = htole64((uint64_t)qp->num << 32 | qp->sq_pi);
	memcpy(&piece[1], host_ptr(f->host, qp->sq + 64 * last), 56);
	if (one_in(f, 8))
		scribble(f, piece, sizeof(piece));
	for (i = 0; i < count; i++)
		card_bar_write(f->host->card, ORNIC_BAR_DB,
			       at + 8 * (one_in(f, 32) ? below(f, 64) : i), 8,
			       le64toh(piece[i]));
}

/* Publish sq_pi and, mostly, notify the card by board, push or doorbell */
static void tell(struct fuzz *f, struct host_qp *qp)
{
	struct ornic_board *board = host_ptr(f->host, f->board);

	guest_store32(&host_qp_dbr(qp)->sq_pi, qp->sq_pi);
	if (qp->slot != ORNIC_BOARD_NO_SLOT && one_in(f, 2)) {
		board->bits[qp->slot / 64] |= htole64(1ULL << qp->slot % 64);
		board->summary[0] |= htole64(1);
	}
	if (card_uses(f->host->card, ORNIC_FEAT_PUSH) && one_in(f, 2))
		push(f, qp);
	else if (!one_in(f, 4))
		host_doorbell(f->host, 0, ORNIC_DB_SQ, qp->num, qp->sq_pi);
}

/* Opcodes of RC, and the size of the WQE between route and SGEs in bytes */
static const struct {
	uint8_t opcode;
	uint8_t extra;
} rc_ops[] = {
	{ ORNIC_WR_RDMA_WRITE, 0 },
	{ ORNIC_WR_RDMA_WRITE_WITH_IMM, 0 },
	{ ORNIC_WR_SEND, 0 },
	{ ORNIC_WR_SEND_WITH_IMM, 0 },
	{ ORNIC_WR_SEND_WITH_INV, 0 },
	{ ORNIC_WR_RDMA_READ, 0 },
	{ ORNIC_WR_ATOMIC_CMP_SWP, sizeof(struct ornic_atomic) },
	{ ORNIC_WR_ATOMIC_FETCH_ADD, sizeof(struct ornic_atomic) },
	{ ORNIC_WR_MASKED_CMP_SWP, sizeof(struct ornic_atomic) +
				   sizeof(struct ornic_atomic_mask) },
	{ ORNIC_WR_MASKED_FETCH_ADD, sizeof(struct ornic_atomic) +
				     sizeof(struct ornic_atomic_mask) },
	{ ORNIC_WR_FLUSH, sizeof(struct ornic_flush) },
	{ ORNIC_WR_ATOMIC_WRITE, 0 },
	{ ORNIC_WR_LOCAL_INV, 0 },
	{ ORNIC_WR_BIND_MW, sizeof(struct ornic_bind) },
	{ ORNIC_WR_REG_MR, sizeof(struct ornic_reg_mr) },
};

static void fuzz_extra(struct fuzz *f, unsigned int opcode, void *extra)
{
	struct ornic_flush flush = {
		.length = htole32(below(f, 100)),
		.type = one_in(f, 8) ? below(f, 8) : ORNIC_FLUSH_GLOBAL,
		.level = below(f, one_in(f, 8) ? 4 : 2),
	};
	uint32_t mw = fuzz_wr_key(f);
	struct ornic_bind bind = {
		.mw_key = htole32(mw),
		.new_key = htole32(mw ^ below(f, 2)),
		.mr_key = htole32(f->key),
		.access = htole32(below(f, 16)),
		.addr = htole64(f->data + below(f, DATA)),
		.length = htole64(below(f, DATA)),
	};
	struct ornic_reg_mr reg = {
		.key = htole32(fuzz_wr_key(f)),
		.access = htole32(below(f, 16) | 1),
		.iova = htole64(f->data & ~(HOST_PAGE - 1)),
		.length = htole64(below(f, 16 * HOST_PAGE)),
	};

	switch (opcode) {
	case ORNIC_WR_FLUSH:
		memcpy(extra, &flush, sizeof(flush));
		break;
	case ORNIC_WR_BIND_MW:
		memcpy(extra, &bind, sizeof(bind));
		break;
	case ORNIC_WR_REG_MR:
		fuzz_buf(f, &reg.buf);
		memcpy(extra, &reg, sizeof(reg));
		break;
	default:
		break;
	}
}

/* Number of SGEs of an RC opcode */
static unsigned int fuzz_count(struct fuzz *f, unsigned int opcode)
{
	switch (opcode) {
	case ORNIC_WR_FLUSH:
	case ORNIC_WR_LOCAL_INV:
	case ORNIC_WR_BIND_MW:
	case ORNIC_WR_REG_MR:
		return 0;
	case ORNIC_WR_ATOMIC_CMP_SWP:
	case ORNIC_WR_ATOMIC_FETCH_ADD:
	case ORNIC_WR_ATOMIC_WRITE:
	case ORNIC_WR_MASKED_CMP_SWP:
	case ORNIC_WR_MASKED_FETCH_ADD:
		return 1;
	default:
		return below(f, 4);
	}
}

static bool fuzz_is_word(unsigned int opcode)
{
	return opcode == ORNIC_WR_ATOMIC_CMP_SWP ||
	       opcode == ORNIC_WR_ATOMIC_FETCH_ADD ||
	       opcode == ORNIC_WR_MASKED_CMP_SWP ||
	       opcode == ORNIC_WR_MASKED_FETCH_ADD ||
	       opcode == ORNIC_WR_ATOMIC_WRITE;
}

static bool fuzz_may_inline(unsigned int opcode)
{
	return opcode < ORNIC_WR_RDMA_READ || opcode == ORNIC_WR_SEND_WITH_INV;
}

/* Write the route of a frame, or that of TSO with headers; return the opcode */
static unsigned int fuzz_eth_route(struct fuzz *f, uint8_t *wqe,
				   unsigned int *len)
{
	struct ornic_route_eth route = {
		.flags = htole16(one_in(f, 4) ? below(f, 4) : 0),
		.csum_start = htole16(below(f, 50)),
		.csum_offset = htole16(below(f, 20)),
	};
	uint8_t *at = wqe + *len;
	unsigned int hdr_len = 0;

	*len += sizeof(route);
	if (one_in(f, 2)) {
		hdr_len = fuzz_eth_tso(f, wqe + *len);
		*len += (hdr_len + 15) & ~15u;
		route.mss = htole16(below(f, one_in(f, 8) ? 65536 : 1600));
		route.hdr_len = htole16(hdr_len);
	}
	memcpy(at, &route, sizeof(route));
	return hdr_len ? ORNIC_WR_TSO : ORNIC_WR_SEND;
}

static unsigned int fuzz_wqe(struct fuzz *f, unsigned int n, uint8_t *wqe)
{
	struct ornic_sq_hdr *hdr = (void *)wqe;
	struct ornic_route_ud ud = { .dqpn = htole32(f->qp[n ^ 1].num) };
	struct ornic_route_rc rc = { .raddr = htole64(f->data +
						      below(f, DATA - 8)),
				     .rkey = htole32(fuzz_key(f)),
				     .xrc_srqn = htole32(f->xrc_srq.num) };
	unsigned int opcode = ORNIC_WR_SEND, flags = below(f, 8), count;
	unsigned int len = sizeof(*hdr), i;
	struct ornic_sge sge;

	hdr->wr_id = rnd(f);
	switch (qp_types[n]) {
	case ORNIC_QPT_RC:
	case ORNIC_QPT_UC:
	case ORNIC_QPT_XRC_SEND:
		i = below(f, ARRAY_SIZE(rc_ops));
		opcode = rc_ops[i].opcode;
		memcpy(wqe + len, &rc, sizeof(rc));
		len += sizeof(rc);
		fuzz_extra(f, opcode, wqe + len);
		len += rc_ops[i].extra;
		hdr->inv_key = htole32(fuzz_wr_key(f));
		break;
	case ORNIC_QPT_RAW_PACKET:
		opcode = fuzz_eth_route(f, wqe, &len);
		break;
	default:
		fuzz_av(f, &ud.av);
		if (one_in(f, 2)) {
			memcpy(ud.av.dgid, fuzz_group_gid, sizeof(ud.av.dgid));
			memcpy(ud.av.dmac, group_mac, MAC_LEN);
			ud.dqpn = htole32(MCAST_QPN);
		}
		memcpy(wqe + len, &ud, sizeof(ud));
		len += sizeof(ud);
	}
	if (fuzz_may_inline(opcode) && one_in(f, 3)) {
		flags |= ORNIC_SEND_INLINE;
		count = below(f, 200);
		memcpy(wqe + len, f->dmac, MAC_LEN);
		len += count;
	} else {
		count = fuzz_count(f, opcode);
		for (i = 0; i < count; i++) {
			sge = fuzz_sge(f);
			if (fuzz_is_word(opcode))
				sge.length = htole32(8);
			memcpy(wqe + len, &sge, sizeof(sge));
			len += sizeof(sge);
		}
	}
	hdr->ctrl = htole32(ORNIC_SQ_CTRL(opcode, flags, len));
	if (one_in(f, 32))
		hdr->ctrl = htole32(ORNIC_SQ_CTRL(opcode, flags, rnd(f)));
	if (one_in(f, 32))
		scribble(f, wqe, len);
	return (len + 63) / 64;
}

void fuzz_post_send(struct fuzz *f)
{
	unsigned int n = below(f, QPS), slots, i, left = 1 + below(f, 3);
	struct host_qp *qp = &f->qp[n];
	uint32_t mask = (1u << qp->log_sq_slots) - 1;

	while (left--) {
		uint8_t wqe[8 * 64] = {};

		slots = fuzz_wqe(f, n, wqe);
		for (i = 0; i < slots; i++)
			memcpy(host_ptr(f->host, qp->sq +
					((qp->sq_pi + i) & mask) * 64),
			       wqe + i * 64, 64);
		qp->sq_pi += slots;
	}
	tell(f, qp);
}

static struct host_qp *recv_ring(struct fuzz *f, unsigned int n)
{
	if (one_in(f, QPS))
		return &f->wq;
	if (has_srq(n))
		return &f->srq;
	return qp_types[n] == ORNIC_QPT_XRC_SEND ||
	       qp_types[n] == ORNIC_QPT_XRC_RECV ? &f->xrc_srq : &f->qp[n];
}

void fuzz_post_recv(struct fuzz *f)
{
	unsigned int n = below(f, QPS), left = 1 + below(f, 8);
	struct host_qp *qp = recv_ring(f, n);

	while (left--) {
		uint32_t pos = qp->rq_pi++ & ((1u << qp->log_rq_wqes) - 1);
		struct ornic_rq_hdr hdr = { .ctrl = htole32(1),
					    .wr_id = rnd(f) };
		struct ornic_sge sge = fuzz_sge(f);
		uint8_t *at = host_ptr(f->host, qp->rq +
				       (pos << qp->rq_stride_shift));

		memcpy(at, &hdr, sizeof(hdr));
		memcpy(at + sizeof(hdr), &sge, sizeof(sge));
		if (one_in(f, 64))
			scribble(f, at, 32);
	}
	guest_store32(&host_qp_dbr(qp)->rq_pi, qp->rq_pi);
	if (f->host->card->rq_doorbell && !one_in(f, 8))
		host_doorbell(f->host, 0, qp == &f->srq || qp == &f->xrc_srq ?
			      ORNIC_DB_SRQ : ORNIC_DB_RQ, qp->num, qp->rq_pi);
}
